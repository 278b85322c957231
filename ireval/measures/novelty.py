"""Novelty: a document gains from each of its intents, the less the more documents have served that intent before.

The gain at rank r is the sum over the intents i of the document of (1 - alpha)^C_i(r-1), C_i counting the earlier
documents for i: Clarke et al., Novelty and Diversity in Information Retrieval Evaluation, SIGIR 2008; Sakai, Metrics,
Statistics, Tests (2014), eq. 25. The ideal ranking is found greedily, as TREC's ndeval does it, or exactly.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Bools, Doubles, Ints
from ireval.core.intents import cells, intent_hits, intents_of
from ireval.core.judgements import Judgements
from ireval.core.numeric import powers
from ireval.errors import DataError, printable

PROOF_STEPS = 200_000
"""Rankings looked at before the search for a topic's ideal one is given up."""


DEEPEST = 200
"""Ranks that the search goes down at most."""


class Gained(NamedTuple):
    """Documents with a novelty-biased gain in rank order, flat: topic (0 to T-1), rank (from 1) and gain."""

    topic: Ints
    rank: Ints
    gain: Doubles

    def total(self, weighed: Doubles, topics: int, k: int | None = None) -> Doubles:
        """Sum of one value per document over the first k ranks of each topic; shape [topics]."""
        seen = slice(None) if k is None else self.rank <= k
        return ragged.sums(weighed[seen], self.topic[seen], topics)


def novelty_gains(a: Aligned, alpha: float, rel: int, probs: str) -> Gained:
    """The gain of each retrieved document that is relevant to some intent."""

    def compute() -> Gained:
        hits = intent_hits(a, rel)
        weight = powers(1.0 - alpha, int(hits.nth.max(initial=0)) + 1)[hits.nth - 1]
        if probs == "yes":
            weight = weight * intents_of(a.judgements).probability[hits.intent]
        gain = ragged.sums(weight, hits.row, len(a.judgement))
        rows = np.flatnonzero(np.bincount(hits.row, minlength=len(a.judgement)))
        topic = a.row_topic[rows]
        return Gained(topic, rows - a.off[topic] + 1, gain[rows])

    return a.once(("novelty", alpha, rel, probs), compute)


def discount(rank: Ints) -> Doubles:
    """log(2)/log(rank + 1), a factor: ndeval multiplies by it."""
    return _discounts(2 ** int(rank.max(initial=1)).bit_length())[rank]


@cache
def _discounts(count: int) -> Doubles:
    """The factors of ranks 1 to count - 1; [count]."""
    return np.array([0.0, *(math.log(2.0) / math.log(r + 1.0) for r in range(1, count))])


def full_marks(a: Aligned, alpha: float, k: int, probs: str, per_rank: Doubles, by_factor: bool) -> Doubles:
    """What a ranking reaches whose every document serves all intents of its topic; shape [T].

    per_rank [k]: factor or divisor of each rank. No collection need have such documents.
    """
    intents = intents_of(a.judgements)
    whole = intents.count.astype(np.float64)
    if probs == "yes":
        owner = np.repeat(np.arange(len(whole)), intents.count)
        whole = ragged.sums(intents.probability, owner, len(whole))
    steps = np.full((len(whole), k), 1.0 - alpha)
    steps[:, 0] = whole
    gain = np.multiply.accumulate(steps, axis=1)
    return np.cumsum(gain * per_rank if by_factor else gain / per_rank, axis=1)[:, -1][a.topic]


# -- the ideal ranking ----------------------------------------------------------------------------------------------


class Patterns(NamedTuple):
    """Documents of a topic that serve the same intents are alike: what each kind serves, and its documents.

    topic [P], serves [P, S] (S: most intents of a topic), off [P+1], document: by kind, largest number first.
    """

    topic: Ints
    serves: Bools
    off: Ints
    document: Ints


def _patterns(judged: Judgements, rel: int) -> Patterns:
    intents, every = intents_of(judged), cells(judged)
    relevant = np.flatnonzero(every.level >= max(rel, 1))
    document, place = np.unique(every.document[relevant], return_inverse=True)
    serves = np.zeros((len(document), max(1, int(intents.count.max(initial=1)))), np.bool_)
    topic = judged.topic_of[document].astype(np.int64)
    serves[place, every.intent[relevant] - intents.off[topic[place]]] = True
    packed = np.ascontiguousarray(np.packbits(serves, axis=1))
    rows = np.hstack((topic.astype(">u4").view(np.uint8).reshape(len(topic), 4), packed))
    kinds, first, kind = np.unique(
        np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").ravel(), return_index=True, return_inverse=True
    )
    order = np.lexsort((-document, kind))
    off = ragged.offsets(np.bincount(kind, minlength=len(kinds)))
    return Patterns(topic[first], serves[first], off, document[order])


def _weights(judged: Judgements, width: int, probs: str) -> Doubles:
    """What serving each intent for the first time is worth; [T, width]."""
    intents = intents_of(judged)
    weight = np.zeros((len(judged), width))
    owner = np.repeat(np.arange(len(judged)), intents.count)
    weight[owner, ragged.positions(intents.off)] = intents.probability if probs == "yes" else 1.0
    return weight


def greedy_ideal(judged: Judgements, alpha: float, rel: int, probs: str) -> Gained:
    """The ranking that takes the document of the highest gain at each rank; of equal ones the largest number.

    It need not be the best one. All topics are ranked at once, one rank a step.
    """

    def compute() -> Gained:
        kinds = _patterns(judged, rel)
        weight = _weights(judged, kinds.serves.shape[1], probs)
        nearest, end = kinds.off[:-1].copy(), kinds.off[1:]
        steps: list[tuple[Ints, Doubles]] = []
        while True:
            gain = np.zeros(len(nearest))
            for intent in range(kinds.serves.shape[1]):  # in this order, as a C loop adds
                gain += np.where(kinds.serves[:, intent], weight[kinds.topic, intent], 0.0)
            gain[nearest >= end] = -1.0
            best = np.full(len(judged), -1.0)
            np.maximum.at(best, kinds.topic, gain)
            tied = np.flatnonzero((gain == best[kinds.topic]) & (gain > 0))
            if not len(tied):
                break
            largest = np.full(len(judged), -1, np.int64)
            np.maximum.at(largest, kinds.topic[tied], kinds.document[nearest[tied]])
            taken = tied[kinds.document[nearest[tied]] == largest[kinds.topic[tied]]]
            steps.append((kinds.topic[taken], gain[taken]))
            nearest[taken] += 1
            weight[kinds.topic[taken]] *= np.where(kinds.serves[taken], 1.0 - alpha, 1.0)
        return _by_topic(steps)

    return judged.once(("greedy_ideal", alpha, rel, probs), compute)


def _by_topic(steps: list[tuple[Ints, Doubles]]) -> Gained:
    """Steps of a ranking, each with some topics and their gains, as one flat ranking."""
    topic = np.concatenate([np.zeros(0, np.int64), *(topics for topics, _ in steps)])
    rank = np.concatenate([np.zeros(0, np.int64), *(np.full(len(t), n) for n, (t, _) in enumerate(steps, 1))])
    gain = np.concatenate([np.zeros(0), *(gains for _, gains in steps)])
    order = np.lexsort((rank, topic))
    return Gained(topic[order], rank[order], gain[order])


def exact_ideal(judged: Judgements, alpha: float, rel: int, probs: str, k: int) -> Doubles:
    """The highest discounted gain that any k documents of a topic reach; shape [T].

    Branch and bound, topic by topic, over kinds of documents. DataError names a topic for which the proof is too long.
    """

    def compute() -> Doubles:
        kinds = _patterns(judged, rel)
        weight = _weights(judged, kinds.serves.shape[1], probs)
        factor = discount(np.arange(1, k + 1)).tolist()
        start = greedy_ideal(judged, alpha, rel, probs)
        lowest = start.total(start.gain * discount(start.rank), len(judged), k)
        best = np.zeros(len(judged))
        bounds = np.searchsorted(kinds.topic, np.arange(len(judged) + 1))
        for topic in np.unique(kinds.topic).tolist():
            mine = slice(bounds[topic], bounds[topic + 1])
            sizes = np.diff(kinds.off)[mine].tolist()
            if min(k, sum(sizes)) > DEEPEST:
                raise _unproved(judged, topic, k, sizes)
            serves = [np.flatnonzero(row).tolist() for row in kinds.serves[mine]]
            search = _Search(serves, sizes, weight[topic].tolist(), 1.0 - alpha, factor)
            found = search.run(float(lowest[topic]))
            if found is None:
                raise _unproved(judged, topic, k, sizes)
            best[topic] = found
        return best

    return judged.once(("exact_ideal", alpha, rel, probs, k), compute)


def _unproved(judged: Judgements, topic: int, k: int, sizes: list[int]) -> DataError:
    return DataError(
        f"topic {printable(judged.topics[topic])}: no proof of the ideal ranking of {k} among {sum(sizes)} documents "
        f"in {len(sizes)} kinds within {PROOF_STEPS:,} steps; a smaller cutoff or ideal=greedy will do"
    )


class _Search:
    """Depth-first search for the best ranking of one topic.

    Two things keep it short. A document that serves more comes first: as long as one is left that serves all intents of
    another and more, the other need not be tried (an earlier service of an intent takes no more from the later ones
    than it brings). And what the first j of the ranks left can add is bounded by `_caps`. Of several ways to take the
    same documents only the best one is gone on with.
    """

    def __init__(
        self, serves: list[list[int]], sizes: list[int], weight: list[float], keep: float, factor: list[float]
    ) -> None:
        self._serves, self._left, self._weight, self._keep = serves, sizes, weight, keep
        self._factor = [*factor, 0.0]
        self._better = [[b for b, more in enumerate(serves) if set(more) > set(served)] for served in serves]
        self._best = 0.0
        self._steps = 0
        self._reached: dict[tuple[int, ...], float] = {}

    def run(self, lowest: float) -> float | None:
        """The best value, at least `lowest` (which somebody has reached); None when the search is too long."""
        self._best = lowest
        return self._best if self._go_on(0, 0.0) else None

    def _go_on(self, rank: int, value: float) -> bool:
        self._best = max(self._best, value)
        self._steps += 1
        if self._steps > PROOF_STEPS:
            return False
        if rank == len(self._factor) - 1:
            return True
        gains = [sum(self._weight[i] for i in served) for served in self._serves]
        if value + self._bound(rank, gains) <= self._best * (1 + 1e-12):
            return True
        state = tuple(self._left)
        if self._reached.get(state, -1.0) >= value:
            return True
        self._reached[state] = value
        tried = [k for k, left in enumerate(self._left) if left and not any(self._left[b] for b in self._better[k])]
        for kind in sorted(tried, key=lambda kind: -gains[kind]):
            self._left[kind] -= 1
            before = [self._weight[i] for i in self._serves[kind]]
            for i in self._serves[kind]:
                self._weight[i] *= self._keep
            done = self._go_on(rank + 1, value + gains[kind] * self._factor[rank])
            for i, weight in zip(self._serves[kind], before, strict=True):
                self._weight[i] = weight
            self._left[kind] += 1
            if not done:
                return False
        return True

    def _bound(self, rank: int, gains: list[float]) -> float:
        """What the ranks left can add at most: caps on the first j of them, weighed by how much the factor falls."""
        ranks = len(self._factor) - 1 - rank
        return sum(
            (self._factor[rank + j] - self._factor[rank + j + 1]) * cap
            for j, cap in enumerate(self._caps(ranks, gains))
        )

    def _caps(self, ranks: int, gains: list[float]) -> list[float]:
        """The gain of the next 1, 2, ... documents at most.

        No more than their present gains, which only fall; and no more than so many of the largest services of intents
        as these documents can render, an intent's services being worth its weight, then the weight x keep, ...
        """
        alone = _largest(gains, self._left, ranks)
        numbers = _largest([float(len(served)) for served in self._serves], self._left, ranks)
        services = sorted((w * self._keep**n for w in self._weight for n in range(ranks)), reverse=True)
        caps, by_gain, rendered = [], 0.0, 0.0
        for gain, number in zip(alone, numbers, strict=True):
            by_gain += gain
            rendered += number
            caps.append(min(by_gain, sum(services[: int(rendered)])))
        return caps


def _largest(values: list[float], copies: list[int], count: int) -> list[float]:
    """The largest values, each as often as it is there, filled up with 0."""
    found: list[float] = []
    for value, many in sorted(zip(values, copies, strict=True), reverse=True):
        found += [value] * min(many, count - len(found))
    return found + [0.0] * (count - len(found))
