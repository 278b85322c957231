"""Maximised effectiveness difference by trying everything: loops only, nothing of ireval, no numpy.

A ranking is a list of documents. Every document without a judgement takes every relevance value there is; the
difference of two scores is computed by the definition of the measure, and the largest absolute one is the distance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

Score = Callable[[Sequence[float]], float]
"""Relevance values in rank order -> score."""


def precision(depth: int) -> Score:
    return lambda values: sum(1 for v in values[:depth] if v > 0) / depth


def ndcg(depth: int, top: float) -> Score:
    best = sum(top / math.log2(rank + 1) for rank in range(1, depth + 1))
    return lambda values: sum(v / math.log2(rank + 1) for rank, v in enumerate(values[:depth], 1)) / best


def rbp(p: float) -> Score:
    return lambda values: (1 - p) * sum(v * p ** (rank - 1) for rank, v in enumerate(values, 1))


def average_precision(depth: int) -> Score:
    def score(values: Sequence[float]) -> float:
        total, found = 0.0, 0
        for rank, value in enumerate(values[:depth], 1):
            if value > 0:
                found += 1
                total += found / rank
        return total / depth

    return score


def err(depth: int | None) -> Score:
    def score(values: Sequence[float]) -> float:
        total, left = 0.0, 1.0
        for rank, value in enumerate(values[:depth], 1):
            total += left * value / rank
            left *= 1 - value
        return total

    return score


def distance(
    first: Sequence[str],
    second: Sequence[str],
    score: Score,
    values: Sequence[float],
    known: Mapping[str, float] | None = None,
    fill_to: int = 0,
) -> float:
    """values: what an unjudged document may be. fill_to: both lists go on with documents of their own to this rank.

    The fillers of a list all take the same value, the lowest or the highest: a score grows with each of them.
    """
    known = known or {}
    documents = sorted({*first, *second} - set(known))
    largest = 0.0
    for chosen in itertools.product(values, repeat=len(documents)):
        relevance = {**known, **dict(zip(documents, chosen, strict=True))}
        one, two = [relevance[d] for d in first], [relevance[d] for d in second]
        for fill_one, fill_two in ((values[-1], values[0]), (values[0], values[-1])):
            longer_one = one + [fill_one] * (fill_to - len(one))
            longer_two = two + [fill_two] * (fill_to - len(two))
            largest = max(largest, abs(score(longer_one) - score(longer_two)))
    return largest


def kendall(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Share of the pairs of common documents that stand in another order; None where there is no pair."""
    common = [d for d in first if d in second]
    pairs = list(itertools.combinations(common, 2))
    if not pairs:
        return None
    return sum(second.index(a) > second.index(b) for a, b in pairs) / len(pairs)


def anchor_map(anchor: Sequence[str], other: Sequence[str], depth: int) -> float:
    """Average precision of one list when the first documents of the other one are the relevant ones."""
    relevant = set(anchor[:depth])
    total, found = 0.0, 0
    for rank, document in enumerate(other, 1):
        if document in relevant:
            found += 1
            total += found / rank
    return total / len(relevant)


Passage = tuple[str, int, int]
"""Document, offset, length."""


def trail(passages: Sequence[Passage], length: int) -> dict[tuple[str, int], int]:
    """Each character that a reader sees within the first `length`, and where (from 1) she sees it first."""
    places: dict[tuple[str, int], int] = {}
    at = 0
    for document, offset, size in passages:
        for character in range(offset, offset + size):
            at += 1
            if at <= length:
                places.setdefault((document, character), at)
    return places


def trail_distance(first: Sequence[Passage], second: Sequence[Passage], length: int, top: float, filled: bool) -> float:
    """MED-U from its closed form, character by character."""
    one, two = trail(first, length), trail(second, length)

    def worth(place: int | None) -> float:
        return 0.0 if place is None else 1 - place / length

    totals = []
    for mine, theirs, passages in ((one, two, first), (two, one, second)):
        total = sum(max(0.0, worth(place) - worth(theirs.get(key))) for key, place in mine.items())
        seen = min(length, sum(size for _, _, size in passages))
        if filled:
            total += sum(worth(place) for place in range(seen + 1, length + 1))
        totals.append(top * total)
    return max(totals)


def trail_distance_by_trying(
    first: Sequence[Passage], second: Sequence[Passage], length: int, top: float, filled: bool
) -> float:
    """The same from the definition: every character takes both values, and the texts are scored place by place."""
    one, two = trail(first, length), trail(second, length)
    characters = sorted({*one, *two})
    largest = 0.0
    for chosen in itertools.product([0.0, top], repeat=len(characters)):
        value = dict(zip(characters, chosen, strict=True))
        for fill_one, fill_two in ((top, 0.0), (0.0, top)):
            scores = []
            for places, passages, fill in ((one, first, fill_one), (two, second, fill_two)):
                score = sum(value[key] * (1 - place / length) for key, place in places.items())
                shown = sum(size for _, _, size in passages)
                if filled:
                    score += sum(fill * (1 - place / length) for place in range(shown + 1, length + 1))
                scores.append(score)
            largest = max(largest, abs(scores[0] - scores[1]))
    return largest
