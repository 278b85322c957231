"""Relevance level -> gain, and the ideal ranking that follows from it.

A gain map is a short text, so that a spec can hold, print and compare it:

    level            the level itself (the default)
    exp2             2^level - 1
    1:3:7            gains of levels 1, 2, 3; a higher level is an error
    1=1,3=5          gains of some levels; the others gain their level ("L1=1,L3=5" is read too)
    trec:1=1,3=5     the same, ordered as trec_eval orders it (see numeric.glibc_merge_sort)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ireval.core import numeric, ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles, Int32s, Ints
from ireval.core.judgements import Judgements
from ireval.errors import DataError, MeasureError
from ireval.measures.registry import Gains, Number

LEVEL_GAINS = "level"
CHANCE = "chance"
"""Where judgements say what their levels are worth: the probability of satisfaction instead of the gain."""
GAINS = Gains("gains", LEVEL_GAINS, "Gain of each level: level, exp2, 1:3:7, or 1=1,2=3.", setting="gains")
TOP_GAIN = Number(
    "top",
    None,
    "Gain that counts as 1; by default the highest gain in the whole judgement file (topic: in the topic).",
    low=0.0,
    open_low=True,
    words=("topic",),
)
_MOST_LEVELS = 100_000
"""Named gains are ordered as trec_eval does it, with every level in a list; a longer one never ends."""


@dataclass(frozen=True, eq=False, repr=False)
class GainMap:
    """A parsed gain map: named pairs in order of mention, a rule for the other levels, and how to sort."""

    pairs: tuple[tuple[int, float], ...]
    rest: str
    """level, exp2 or error"""
    as_trec_eval: bool
    table: Doubles | None = None
    """Gain of levels 0, 1, 2, ...; then nothing else counts."""

    def of(self, levels: Int32s) -> Doubles:
        """Gain of each level; unjudged documents (negative) gain nothing unless named."""
        if self.table is not None:
            return self.table[np.maximum(levels, 0)]
        lowest = int(levels.min(initial=0))
        if int(levels.max(initial=0)) > 1000:
            distinct, where = np.unique(levels, return_inverse=True)
            return np.array([self.one(level) for level in distinct.tolist()], np.float64)[where]
        known = ragged.distinct(levels - lowest)
        table = np.zeros(known[-1] + 1 if known else 1)
        table[known] = [self.one(level + lowest) for level in known]
        return table[levels - lowest]

    def one(self, level: int) -> float:
        """Gain of one level."""
        for named, gain in self._in_search_order():
            if named == level:
                return gain
        if level <= 0:
            return 0.0
        if self.rest == "error":
            raise MeasureError(f"gains: level {level} is judged, but they are given only up to level {len(self.pairs)}")
        if self.rest == "exp2":
            return float(2**level - 1) if level < 1024 else math.inf
        return float(level)

    def _in_search_order(self) -> tuple[tuple[int, float], ...]:
        """The pairs as they are searched: trec_eval sorts them first, so of a level named twice the low gain counts."""
        if not self.as_trec_eval:
            return self.pairs
        order = numeric.glibc_merge_sort(range(len(self.pairs)), [gain for _, gain in self.pairs])
        return tuple(self.pairs[i] for i in order)


def decay(p: float, count: int) -> Doubles:
    """1, p, p^2, ... by libm's pow, as NTCIREVAL has them; trec_eval multiplies instead (numeric.powers)."""
    return np.array([math.pow(p, n) for n in range(count)], np.float64)


def _gain(text: str) -> float:
    """A finite gain; a negative one is a penalty."""
    gain = float(text)
    if not math.isfinite(gain):
        raise ValueError
    return gain


def parse_gains(text: str) -> GainMap:
    """Read a gain map."""
    if text in (LEVEL_GAINS, "exp2"):
        return GainMap((), text, False)
    try:
        if text.startswith("trec:"):
            pairs = [p.split("=", 1) for p in text[5:].split(",") if p]
            return GainMap(tuple((int(a), numeric.c_double(b)) for a, b in pairs), "level", True)
        if "=" in text:
            pairs = [p.split("=", 1) for p in text.split(",")]
            return GainMap(tuple((int(a.strip().removeprefix("L")), _gain(b)) for a, b in pairs), "level", False)
        gains = [_gain(g) for g in text.split(":")]
        return GainMap(tuple(enumerate(gains, 1)), "error", False)
    except ValueError:
        raise MeasureError(
            f'gains: expected level, exp2, a list such as 1:3:7 or pairs such as 1=1,2=3, found "{text}"'
        ) from None


def gain_map(judged: Judgements, gains: str) -> GainMap:
    """The gain map that a measure was asked for, unless the judgements say themselves what a level is worth."""
    if judged.worth is None:
        return parse_gains(gains)
    return GainMap((), LEVEL_GAINS, False, judged.worth.chance if gains == CHANCE else judged.worth.gain)


@dataclass(frozen=True, eq=False, repr=False)
class Ideal:
    """The best possible ranking of each topic: its positive gains from high to low, flat, with offsets [T+1].

    level: of each document, where the ranking was made from the judgements.
    """

    gain: Doubles
    off: Ints
    level: Int32s | None = None

    @property
    def rank(self) -> Ints:
        """Rank of each document, from 1; shape [len(gain)]."""
        return ragged.positions(self.off) + 1

    def total(self, values: Doubles, k: int | None = None) -> Doubles:
        """Sum of one value per document over the first k ranks of each topic (all where k is None); shape [T]."""
        inside = slice(None) if k is None else self.rank <= k
        return ragged.sums(values[inside], ragged.owners(self.off)[inside], len(self.off) - 1)

    @property
    def dcg(self) -> Doubles:
        """Running DCG of the ideal ranking; shape [len(gain)]."""
        return ragged.running_sum(self.gain / numeric.log2_of_integers(ragged.positions(self.off) + 2), self.off)


def ideal(judged: Judgements, gains: str, rel: int | None = None) -> Ideal:
    """The ideal ranking of every topic, from the documents at or above a level; computed once for all runs.

    Without a level, a map of trec_eval's gives trec_eval's ideal ranking, which need not be in the order of gains.
    """
    return judged.once(("ideal", gains, rel), lambda: _ideal(judged, gain_map(judged, gains), rel))


def take_as_ideal(judged: Judgements, gains: str, given: Ideal) -> None:
    """Let a ranking that somebody gives stand for the ideal one of these gains, whatever its order."""
    for rel in (None, 0, 1):
        judged.once(("ideal", gains, rel), lambda: given)


def top_gain(judged: Judgements, gains: str) -> float:
    """Highest gain among all judgements of the collection, 1 where there is none.

    A part of the collection may have a higher one of its own: where intents have lost all their relevant documents, the
    others are more likely, so that global gains grow.
    """
    highest = _top_gain(judged.scale, gains)
    if judged.whole is not None and judged.worth is not None:
        highest = max(highest, _top_gain(judged, gains))
    return highest or 1.0


def _top_gain(judged: Judgements, gains: str) -> float:
    return judged.once(("top_gain", gains), lambda: float(ideal(judged, gains, 0).gain.max(initial=0.0)))


def highest_gain(a: Aligned, gains: str, top: float | str | None) -> Doubles:
    """The gain that counts as the highest in each topic: as given, the collection's, or the topic's own; [T]."""
    if top != "topic":
        return np.full(len(a), top_gain(a.judgements, gains) if top is None else float(top))
    best = ideal(a.judgements, gains, 0)
    highest = np.where(np.diff(best.off) > 0, np.append(best.gain, 1.0)[best.off[:-1]], 1.0)
    return highest[a.topic]


def ideal_dcg(judged: Judgements, gains: str) -> tuple[Doubles, Ints]:
    """Running ideal DCG and its offsets."""
    best = ideal(judged, gains)
    return judged.once(("ideal_dcg", gains), lambda: best.dcg), best.off


def _ideal(judged: Judgements, scheme: GainMap, rel: int | None) -> Ideal:
    if scheme.as_trec_eval and scheme.pairs and rel is None:
        return _ideal_as_trec_eval(judged, scheme)
    gain = scheme.of(judged.relevance)
    rows = np.flatnonzero((gain > 0) & (judged.relevance >= max(rel or 0, 0)))
    topic = judged.topic_of[rows]
    order = np.lexsort((-gain[rows], topic))
    off = ragged.offsets(np.bincount(topic, minlength=len(judged)))
    return Ideal(gain[rows][order], off, judged.relevance[rows][order])


def trec_eval_entries(scheme: GainMap, top_level: int) -> list[tuple[float, int | None]]:
    """(gain, level whose documents have it) in trec_eval's order, for a topic with this highest level.

    Named levels come first, in order of mention, then the others up to the topic's highest; a level named twice counts
    its documents under the first mention.
    """
    gains: list[float] = []
    levels: list[int | None] = []
    for level, gain in scheme.pairs:
        gains.append(gain)
        levels.append(level if level not in levels and 0 <= level <= top_level else None)
    for level in range(top_level + 1):
        if level not in {named for named, _ in scheme.pairs}:
            gains.append(float(level))
            levels.append(level)
    order = numeric.glibc_merge_sort(range(len(gains)), gains)
    return [(gains[i], levels[i]) for i in order]


def _ideal_as_trec_eval(judged: Judgements, scheme: GainMap) -> Ideal:
    top = judged.top_levels()
    width = int(top.max(initial=0)) + 1
    if width > _MOST_LEVELS:
        raise DataError(f"gains of single levels: expected levels up to {_MOST_LEVELS}, found {width - 1}")
    at = judged.level >= 0
    cell = judged.topic_of[at].astype(np.int64) * width + judged.level[at]
    count = np.bincount(cell, minlength=len(judged) * width).reshape(len(judged), width)
    pieces: list[Doubles] = [np.zeros(0)] * len(judged)
    for level in (np.array(ragged.distinct(top + 1)) - 1).tolist():
        entries = trec_eval_entries(scheme, level)[::-1]
        if not entries or entries[0][0] <= 0:
            continue
        for topic in np.flatnonzero(top == level).tolist():
            chosen = []
            for gain, source in entries:
                many = int(count[topic, source]) if source is not None else 0
                if many and gain <= 0:
                    break
                chosen.append(np.full(many, gain))
            pieces[topic] = np.concatenate(chosen)
    off = ragged.offsets(np.array([len(piece) for piece in pieces], np.int64))
    return Ideal(np.concatenate([np.zeros(0), *pieces]), off)
