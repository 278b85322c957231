"""Comparisons of two rankings that stand beside MED: overlap, AnchorMap, Kendall's distance, rank-biased overlap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ireval.core import ragged
from ireval.core.columns import Doubles, Ints
from ireval.core.numeric import ratio
from ireval.core.pairs import Pairs, Side
from ireval.measures.registry import Choice, Cutoffs, Number, Param
from ireval.stats.rbo import TIES, Rankings, rbo


@dataclass(frozen=True)
class Comparison:
    """A number for two rankings of a topic. nan where a topic has none."""

    label: str
    params: tuple[Param, ...]
    compute: Callable[..., Doubles]
    """(pairs, parameters) -> [T]"""
    summary: str
    closer: str
    """which values mean that the rankings are alike: high, low, or nothing where neither does"""

    @property
    def cutoff(self) -> Param | None:
        """The parameter written after `@`, if there is one."""
        return next((param for param in self.params if isinstance(param, Cutoffs)), None)


def overlap(pairs: Pairs, k: int) -> Doubles:
    """Share of the first k documents that both lists have there; [T]."""
    side = pairs.first
    other = np.append(pairs.second.rank, k + 1)[side.partner]
    both = (side.rank <= k) & (other <= k)
    return ragged.counts(side.owner[both], len(pairs)) / k


def anchor_map(pairs: Pairs, k: int, anchor: str) -> Doubles:
    """Average precision of one list when the first k documents of the other are the relevant ones; [T]."""
    values = {
        "first": lambda: _anchored(pairs.first, pairs.second, k, len(pairs)),
        "second": lambda: _anchored(pairs.second, pairs.first, k, len(pairs)),
    }
    if anchor in values:
        return values[anchor]()
    return (values["first"]() + values["second"]()) / 2.0


def _anchored(anchor: Side, other: Side, k: int, topics: int) -> Doubles:
    rank = np.append(anchor.rank, k + 1)[other.partner]
    hits = np.flatnonzero(rank <= k)
    owner = other.owner[hits]
    nth = ragged.positions(ragged.offsets(ragged.counts(owner, topics))) + 1
    total = ragged.sums(nth / other.rank[hits], owner, topics)
    return ratio(total, np.minimum(anchor.length, k))


def kendall_distance(pairs: Pairs) -> Doubles:
    """Share of the pairs of common documents that the two lists have in opposite order; nan without a pair; [T]."""
    side = pairs.first
    common = np.flatnonzero(side.partner >= 0)
    owner = side.owner[common]
    number = ragged.counts(owner, len(pairs))
    order = np.lexsort((side.partner[common], owner))  # place of each document among the common ones, in second's order
    place = np.empty(len(common), np.int64)
    place[order] = ragged.positions(ragged.offsets(number))
    swapped = _inversions(place, owner, len(pairs))
    possible = number * (number - 1) / 2.0
    return np.where(possible > 0, swapped / np.maximum(possible, 1.0), np.nan)


def _inversions(value: Ints, owner: Ints, topics: int) -> Ints:
    """Pairs of each topic that stand in descending order; value [N]: 0 to n-1 in some order for each topic; [T].

    Bit by bit from the highest: two values that agree in the bits above are swapped when the first has a 1 and the
    second a 0 here. A stable sort by the bits seen keeps those that agree side by side, in their order.
    """
    total = np.zeros(topics, np.int64)
    for bit in range(int(value.max(initial=0)).bit_length() - 1, -1, -1):
        group = owner * ((int(value.max()) >> (bit + 1)) + 1) + (value >> (bit + 1))
        one = (value >> bit) & 1
        ones_before = np.cumsum(one) - one
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
        size = np.diff(np.append(starts, len(group)))
        ones_before -= np.repeat(ones_before[starts], size)
        total += np.bincount(owner, weights=(1 - one) * ones_before, minlength=topics).astype(np.int64)
        order = np.argsort(group * 2 + one, kind="stable")
        value, owner = value[order], owner[order]
    return total


def rank_biased_overlap(pairs: Pairs, p: float, ties: str, part: str) -> Doubles:
    """RBO of the two lists: point estimate, minimum, or residual; [T]."""
    rankings = [Rankings(side.off, side.tied) for side in (pairs.first, pairs.second)]
    found = rbo(rankings[0], rankings[1], pairs.first.partner, p, ties)  # type: ignore[arg-type]
    return {"ext": found.extrapolated, "min": found.minimum, "res": found.residual}[part]


_RANK = Cutoffs("k", (20,), "Rank to cut at.")

COMPARISONS: dict[str, Comparison] = {
    entry.label: entry
    for entry in (
        Comparison(
            "RBO",
            (
                Number("p", 0.9, "Persistence.", low=0.0, high=1.0, open_low=True, open_high=True),
                Choice("ties", "a", "Treatment of ties by Corsi & Urbano (2024): a, b or w.", choices=TIES),
                Choice(
                    "part", "ext", "ext: point estimate; min: minimum; res: residual.", choices=("ext", "min", "res")
                ),
            ),
            rank_biased_overlap,
            "Rank-biased overlap: agreement at all depths, weighted towards the top (Webber, Moffat & Zobel 2010).",
            "high",
        ),
        Comparison("overlap", (_RANK,), overlap, "Share of the first k documents that both lists have there.", "high"),
        Comparison(
            "AnchorMap",
            (
                _RANK,
                Choice(
                    "anchor",
                    "both",
                    "Which list's first k documents count as relevant; both: the mean of the two.",
                    choices=("both", "first", "second"),
                ),
            ),
            anchor_map,
            "Average precision of a list when the other's first k documents are the relevant ones (Buckley 2004).",
            "high",
        ),
        Comparison(
            "Kendall",
            (),
            kendall_distance,
            "Share of the pairs of common documents that stand in opposite order; none where there is no pair.",
            "low",
        ),
    )
}
"""Every comparison by its name."""
