"""MED of average precision: a quadratic function of 0-1 variables for each topic and direction.

With all free variables of the first list relevant and those of the second not, a document at rank a in the first list
and b in the second adds, together with another one, 1/max(a, a') - 1/max(b, b'). Tan & Clarke (2015), section IV; the
paper searches without proof, here the maximum is proved by bounds (stats/quadratic.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ireval.core.columns import Doubles, Ints
from ireval.core.numeric import ratio
from ireval.core.pairs import Pairs, Side
from ireval.measures.differences import PrecisionSum
from ireval.stats.quadratic import maximise
from ireval.studies.med_linear import Bounds, Frame, divisor

Progress = Callable[[int], None]


class _Quadratic(NamedTuple):
    """A topic's difference in one direction: constant + linear z + z q z / 2."""

    constant: float
    linear: Doubles
    q: Doubles


def ap_distance(model: PrecisionSum, pairs: Pairs, frame: Frame, progress: Progress | None = None) -> Bounds:
    """Largest possible difference of average precision, proved or between bounds."""
    low, high = np.zeros(len(pairs)), np.zeros(len(pairs))
    for topic in range(len(pairs)):
        for one, two in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
            problem = _problem(model, one, two, topic, frame.filled)
            found = maximise(problem.q, problem.linear, frame.budget / 2.0)
            low[topic] = max(low[topic], problem.constant + found.low)
            high[topic] = max(high[topic], problem.constant + found.high)
        if progress is not None:
            progress(1)
    over = divisor(frame, pairs, float(model.depth), model.ideal)
    return Bounds(ratio(low, over), ratio(high, over))


def _problem(model: PrecisionSum, one: Side, two: Side, topic: int, filled: bool) -> _Quadratic:
    """The difference of one topic, first minus second list."""
    depth = model.depth
    mine = slice(int(one.off[topic]), min(int(one.off[topic + 1]), int(one.off[topic]) + depth))
    theirs = slice(int(two.off[topic]), min(int(two.off[topic + 1]), int(two.off[topic]) + depth))
    rank, known = one.rank[mine], one.level[mine] >= 0
    relevant = known & (model.relevance.of(np.maximum(one.level[mine], 0)) > 0)
    partner = one.partner[mine]
    other = np.where(partner >= 0, partner - theirs.start + 1, 0)  # rank in the second list, 0: not there
    other[other > depth] = 0
    variable = ~known & (other > 0)
    ones = rank[relevant | (~known & (other == 0))]
    if filled:
        ones = np.concatenate([ones, np.arange(len(rank) + 1, depth + 1)])
    their_known = two.level[theirs] >= 0
    their_ones = two.rank[theirs][their_known & (model.relevance.of(np.maximum(two.level[theirs], 0)) > 0)]
    a, b = rank[variable], other[variable]
    linear = 1.0 / a + _beside(a, ones, depth) - 1.0 / b - _beside(b, their_ones, depth)
    q = 1.0 / np.maximum.outer(a, a) - 1.0 / np.maximum.outer(b, b)
    np.fill_diagonal(q, 0.0)
    return _Quadratic(_precision_sum(ones) - _precision_sum(their_ones), linear, q)


def _beside(rank: Ints, ones: Ints, depth: int) -> Doubles:
    """What a relevant document at each rank adds together with those that are relevant anyway: sum of 1/max(r, r')."""
    present = np.zeros(depth + 1)
    present[ones] = 1.0
    above = np.cumsum(present)
    reciprocal = present / np.maximum(np.arange(depth + 1), 1)
    below = np.append(np.cumsum(reciprocal[::-1])[::-1], 0.0)
    found: Doubles = above[rank] / rank + below[rank + 1]
    return found


def _precision_sum(ones: Ints) -> float:
    """Sum of the precision at the relevant ranks, which ascend."""
    ones = np.sort(ones)
    return float((np.arange(1, len(ones) + 1) / ones).sum())
