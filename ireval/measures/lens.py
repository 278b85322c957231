"""Computing a spec: a measure as it is, or through a lens that makes a measure of diversity from it.

Sources: Agrawal, Gollapudi, Halverson & Ieong, Diversifying Search Results, WSDM 2009 (IA); Sakai & Song, Evaluating
Diversified Search Results Using Per-intent Graded Relevance, SIGIR 2011 (D, D#); Sakai, Evaluation with Informational
and Navigational Intents, WWW 2012 (DIN, P+Q); Sakai, Metrics, Statistics, Tests (2014), eq. 26-34.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles, Ints
from ireval.core.judgements import NOT_IN_POOL, Judgements, Worth

if TYPE_CHECKING:
    from ireval.measures.spec import Spec


def compute(spec: Spec, a: Aligned) -> Any:
    """The values of a spec [T], or a text for each topic."""
    record, params = spec.measure, dict(spec.params)
    if spec.needs == "intents":
        a = _at_level(a, _level(params))
    if not spec.lens and spec.gamma is None:
        return record.compute(a, **params)
    if spec.lens == "IA":
        from ireval.core.intents import expectation

        return expectation(a, by_intent(spec, a))
    if spec.lens[1:].isdigit():
        return _of_one_intent(spec, a, int(spec.lens[1:]))
    if spec.lens:
        if spec.lens == "DIN":
            from ireval.measures.diversity import check_types
            from ireval.measures.spec import label

            check_types(a, label(spec))
        seen = globally(a, params, first_only=spec.lens == "DIN")
        here = {name: {"rel": 1, "by": "gains"}.get(name, value) for name, value in params.items()}
        values = record.compute(seen, **here)
    else:
        values = record.compute(a, **params)
    if spec.gamma is None:
        return values
    from ireval.measures.diversity import intent_recall

    covered = intent_recall(a, spec.cut if isinstance(spec.cut, int) else None, _level(params))
    return spec.gamma * covered + (1.0 - spec.gamma) * np.where(np.isnan(values), 0.0, values)


def by_intent(spec: Spec, a: Aligned) -> Doubles:
    """The measure for each intent alone, in the order of core.intents.split; 0 where it has no value."""
    from ireval.core.intents import split

    def each() -> Doubles:
        values = np.asarray(spec.measure.compute(split(a), **dict(spec.params)), np.float64)
        return np.where(np.isnan(values), 0.0, values)

    return a.once(("by_intent", spec.name, spec.params), each)


def _of_one_intent(spec: Spec, a: Aligned, n: int) -> Doubles:
    """The measure for the nth intent of each topic, 0 where it has fewer; [T]."""
    from ireval.core.intents import intents_of

    many = intents_of(a.judgements).count[a.topic]
    has = many >= n
    values = np.zeros(len(a))
    values[has] = by_intent(spec, a)[ragged.offsets(many)[:-1][has] + n - 1]
    return values


def _at_level(a: Aligned, rel: int) -> Aligned:
    """The rankings with the intents that count when documents are relevant from a level on."""
    from ireval.core.intents import at_level

    judged = at_level(a.judgements, rel)
    if judged is a.judgements:
        return a
    return a.once(("at_level", rel), lambda: Aligned(judged, a.topic, a.off, a.judgement, a.columns))


def _level(params: dict[str, Any]) -> int:
    """The lowest relevant level that a measure was asked for."""
    return int(params.get("rel", 1))


# -- global gains ---------------------------------------------------------------------------------------------------


def globally(a: Aligned, params: dict[str, Any], first_only: bool = False) -> Aligned:
    """The rankings with global gains: a document's worth is the expectation of its worth over the intents.

    Each different worth becomes a level (see Worth), so that every measure can score it. first_only: a navigational
    intent gains only from the first relevant document of the ranking; the ideal ranking stays as it is (Sakai 2014,
    eq. 27 and 32).
    """
    gains, rel = params.get("gains", "level"), _level(params)
    top = params.get("top") if params.get("sat") == "exp2" else None
    by = (gains, rel, top)
    if not first_only:
        judged = _globally_judged(a.judgements, *by)
        return a.once(("globally", *by), lambda: Aligned(judged, a.topic, a.off, a.judgement, a.columns))
    return a.once(("first_only", *by), lambda: _with_first_only(a, *by))


def _globally_judged(judged: Judgements, gains: str, rel: int, top: float | str | None) -> Judgements:
    """The judgements with global gains, made once."""

    def value() -> Judgements:
        valued = _valued(judged, _expected(judged, _local_worth(judged, gains, rel, top)))[0]
        return _as_part(valued, judged, gains, rel, top)

    return judged.once(("globally", gains, rel, top), value)


def _as_part(valued: Judgements, judged: Judgements, gains: str, rel: int, top: float | str | None) -> Judgements:
    """Judgements with global gains; those of a part know the whole's, for the highest gain of the collection."""
    if judged.whole is None:
        return valued
    return replace(valued, whole=_globally_judged(judged.whole, gains, rel, top))


class Worths(NamedTuple):
    """What some things are worth: their gain, and the chance that they satisfy a user; each [n]."""

    gain: Doubles
    chance: Doubles

    def sums(self, owner: Ints, count: int) -> Worths:
        """Sums by owner; [count]."""
        return Worths(ragged.sums(self.gain, owner, count), ragged.sums(self.chance, owner, count))

    def some(self, rows: Ints) -> Worths:
        """The chosen ones."""
        return Worths(self.gain[rows], self.chance[rows])


def _local_worth(judged: Judgements, gains: str, rel: int, top: float | str | None) -> Worths:
    """The worth of each (document, intent), times the probability of the intent; in the order of cells(judged)."""
    from ireval.core.intents import cells, intents_of
    from ireval.measures.cascade import satisfying
    from ireval.measures.gains import parse_gains

    def compute() -> Worths:
        every = cells(judged)
        share = intents_of(judged).probability[every.intent]
        level = np.where(every.level >= rel, every.level, 0)
        gain = np.where(level > 0, parse_gains(gains).of(level), 0.0)
        if top == "topic":
            highest = judged.top_levels()[judged.topic_of[every.document]].astype(np.float64)
        else:
            highest = np.full(len(level), float(judged.scale.level.max(initial=0) if top is None else top))
        return Worths(share * gain, share * satisfying(level, gain, "exp2", highest))

    return judged.once(("local", gains, rel, top), compute)


def _expected(judged: Judgements, local: Worths) -> Worths:
    """The worth of each judged document; [N]."""
    from ireval.core.intents import cells

    return local.sums(cells(judged).document, len(judged.level))


def _valued(judged: Judgements, worth: Worths, further: Worths | None = None) -> tuple[Judgements, Ints]:
    """Judgements whose levels number the different worths; and the levels of further worths, which enter the table."""
    more = further if further is not None else Worths(np.zeros(0), np.zeros(0))
    pairs = [w.gain + 1j * w.chance for w in (worth, more)]  # complex numbers sort by both parts
    table, level = np.unique(np.concatenate(([0j], *pairs)), return_inverse=True)
    nothing = int(level[0])  # negative gains come before it
    order = np.concatenate(([nothing], np.delete(np.arange(len(table)), nothing)))
    number = np.empty(len(table), np.int64)
    number[order] = np.arange(len(table))
    level = number[level.ravel()]
    valued = Judgements(
        judged.file,
        judged.topics,
        judged.off,
        level[1 : len(judged.level) + 1].astype(np.int32),
        judged.documents,
        judged.keys,
        judged.lines,
        worth=Worth(table[order].real.copy(), table[order].imag.copy()),
    )
    return valued, level[len(judged.level) + 1 :]


def _with_first_only(a: Aligned, gains: str, rel: int, top: float | str | None) -> Aligned:
    """Global gains without the redundant documents of navigational intents."""
    from ireval.core.intents import intent_hits, intents_of

    judged, intents, hits = a.judgements, intents_of(a.judgements), intent_hits(a, rel)
    local = _local_worth(judged, gains, rel, top)
    counts = hits.nth == 1
    counts |= ~intents.navigational[hits.intent]
    chosen = np.flatnonzero(counts)
    many = intents.count[judged.topic_of]
    start = ragged.offsets(many)[:-1]  # cells stand by document, then intent
    document = a.judgement[hits.row[chosen]]
    at = start[document] + hits.intent[chosen] - intents.off[judged.topic_of[document]]
    worth = local.some(at).sums(hits.row[chosen], len(a.judgement))
    rows = np.flatnonzero(a.judgement >= 0)
    valued, level = _valued(judged, _expected(judged, local), worth.some(rows))
    relevance = np.full(len(a.judgement), NOT_IN_POOL, np.int32)
    relevance[rows] = level
    seen = Aligned(_as_part(valued, judged, gains, rel, top), a.topic, a.off, a.judgement, a.columns)
    seen.once("relevance", lambda: relevance)
    return seen
