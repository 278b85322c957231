"""What a measure says about itself so that its largest possible difference between two rankings can be found (MED).

A measure's record holds, beside its function, another one that makes such a description from the highest grade and the
measure's parameters. Descriptions are data; the maximisation is in `studies`. Tan & Clarke, A Family of Rank Similarity
Measures based on Maximized Effectiveness Difference (IEEE TKDE 27(11), 2015).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ireval.core.columns import Doubles, Int32s, Ints
from ireval.core.judgements import Judgements
from ireval.errors import MeasureError

Ideal = Callable[[Judgements], Doubles]
"""What the measure divides by when it is scored: one number for each topic of the judgements."""


@dataclass(frozen=True)
class Relevance:
    """Relevance value of each grade, from 0 to the highest one that a document without judgement may have."""

    values: Doubles
    """[highest grade + 1]"""

    @property
    def top(self) -> float:
        """The highest value, r_G in the paper."""
        return float(self.values.max())

    def of(self, level: Int32s) -> Doubles:
        """Value of each judged document; levels lie between 0 and the highest grade."""
        return self.values[level]


@dataclass(frozen=True)
class RankWeights:
    """A linear measure: the sum over ranks of weight x relevance, divided by a constant (the paper's (8))."""

    weight: Callable[[Ints], Doubles]
    """of ranks, from 1"""
    depth: int | None
    """ranks that count; None: all, to infinity"""
    relevance: Relevance
    norm: Callable[[float], float]
    """sum of all weights -> what MED divides by"""
    ideal: Ideal | None = None
    """what the score is divided by, where that depends on the judgements"""
    beyond: Callable[[Ints], Doubles] | None = None
    """weight of all ranks after the n-th together, of a measure without a last rank"""


@dataclass(frozen=True)
class PrecisionSum:
    """Average precision: the sum of the precision at each relevant document, divided by a constant ((19))."""

    depth: int
    relevance: Relevance
    """0 or 1"""
    ideal: Ideal


@dataclass(frozen=True)
class Cascade:
    """Expected reciprocal rank: a document of value c satisfies with probability c, and the user stops ((23))."""

    depth: int | None
    relevance: Relevance


Difference = RankWeights | PrecisionSum | Cascade


def by_gains(top_grade: int, gains: str) -> Relevance:
    """Relevance by a gain map; the gains of a measure, so that MED and score agree."""
    from ireval.measures.gains import parse_gains  # not at the top: trec_eval's door starts without it

    given = parse_gains(gains)
    if given.rest == "error" and len(given.pairs) < top_grade:
        raise MeasureError(
            f"gains: the highest grade is {top_grade}, but they are given only up to level {len(given.pairs)}"
        )
    values = given.of(np.arange(top_grade + 1, dtype=np.int32))
    if bool((values < 0).any()) or values[0] != 0 or not bool(np.isfinite(values).all()) or values.max() <= 0:
        raise MeasureError(f'gains: MED needs gains from 0 on, 0 for level 0, found "{gains}"')
    return Relevance(values)


def by_level(top_grade: int, rel: int) -> Relevance:
    """Binary relevance: 1 from a level on."""
    if rel > top_grade:
        raise MeasureError(f"rel: nothing can be relevant from level {rel} on when the highest grade is {top_grade}")
    return Relevance((np.arange(top_grade + 1) >= rel).astype(np.float64))


def cut_weights(
    discount: Callable[[Ints], Doubles], depth: int, relevance: Relevance, ideal: Ideal | None, *, divided: bool = True
) -> RankWeights:
    """A linear measure of the first ranks; divided: by the value of a list of nothing but the best ((17)), or not."""
    return RankWeights(
        lambda rank: 1.0 / discount(rank),
        depth,
        relevance,
        lambda total: relevance.top * total if divided else 1.0,
        ideal=ideal,
    )
