"""MED of linear measures, in closed form, for any number of topics at once.

A document that is worth w1 at its rank in the first list and w2 in the second changes the difference of the two scores
by relevance x (w1 - w2): without a judgement it takes the highest relevance where that is positive and none where it is
negative. Tan & Clarke (2015), section III.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.columns import Doubles
from ireval.core.judgements import Judgements
from ireval.core.numeric import ratio
from ireval.core.pairs import Pairs, Side
from ireval.measures.differences import Ideal, RankWeights


class Bounds(NamedTuple):
    """What is known of each topic's distance: it lies between the two, and is exact where they are equal; two [T]."""

    low: Doubles
    high: Doubles


class Frame(NamedTuple):
    """How distances are to be taken, for all measures alike.

    filled: lists go on with free variables to the last rank that counts, otherwise they end. judged: by what the score
    is divided, where it is divided as eval does; None for the paper's normalisation.
    budget: seconds that may be spent on one topic before bounds have to do.
    """

    filled: bool = True
    judged: Judgements | None = None
    budget: float = 1.0


def divisor(frame: Frame, pairs: Pairs, own: float, ideal: Ideal | None) -> Doubles:
    """What each topic's difference is divided by: the paper's constant, or what eval divides by; [T]."""
    if frame.judged is None or ideal is None:
        return np.full(len(pairs), own)
    return np.append(ideal(frame.judged), 0.0)[pairs.judged_topic]  # a topic without judgements has no ideal


def linear_distance(model: RankWeights, pairs: Pairs, frame: Frame) -> Bounds:
    """Largest possible difference of a linear measure; exact."""
    longest = int(max(pairs.first.length.max(initial=0), pairs.second.length.max(initial=0)))
    counted = model.depth if model.depth is not None else longest
    weight = model.weight(np.arange(1, max(counted, 1) + 1))[:counted]
    by_rank = np.zeros(max(longest, counted) + 1)
    by_rank[1 : counted + 1] = weight
    after = np.zeros(max(longest, counted) + 1)  # weight of all ranks after the n-th
    after[:counted] = np.cumsum(weight[::-1])[::-1]
    if model.beyond is not None:
        after = model.beyond(np.arange(len(after)))
    mine, theirs = by_rank[pairs.first.rank], by_rank[pairs.second.rank]
    forward = _best(model, pairs.first, pairs.second, mine, theirs, len(pairs), pairs.judged)
    total = forward + (model.relevance.top * after[pairs.first.length] if frame.filled else 0.0)
    if pairs.judged or not frame.filled:  # otherwise both directions come to the same
        backward = _best(model, pairs.second, pairs.first, theirs, mine, len(pairs), pairs.judged)
        other = backward + (model.relevance.top * after[pairs.second.length] if frame.filled else 0.0)
        total = np.maximum(total, other)
    own = model.norm(float(after[0]))
    value = ratio(total, divisor(frame, pairs, own, model.ideal))
    return Bounds(value, value)


def _best(
    model: RankWeights, side: Side, other: Side, mine: Doubles, theirs: Doubles, topics: int, judged: bool
) -> Doubles:
    """Largest score of one run minus that of the other, not divided, without what follows the lists; [T].

    mine, theirs: weight of each row of the two runs.
    """
    change = mine - np.append(theirs, 0.0)[side.partner]
    top = model.relevance.top
    if not judged:
        return top * ragged.sums(np.maximum(change, 0.0), side.owner, topics)
    known = side.level >= 0
    value = model.relevance.of(np.maximum(side.level, 0))
    gain = np.where(known, value * change, top * np.maximum(change, 0.0))
    lone = np.flatnonzero((other.partner < 0) & (other.level >= 0))  # judged documents that only the other run has
    lost = model.relevance.of(other.level[lone]) * theirs[lone]
    return ragged.sums(gain, side.owner, topics) - ragged.sums(lost, other.owner[lone], topics)
