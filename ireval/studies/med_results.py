"""What is known of the distances between runs: topic by topic, over all topics, and of the topics that changed most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ireval.core.columns import Doubles
from ireval.core.numeric import ExactSum
from ireval.core.pairs import Pairs
from ireval.studies.med import Moved, moved_documents


@dataclass(frozen=True)
class Changed:
    """A topic among those that changed most. low, high [V]: its distances. moved: documents, the weightiest first."""

    topic: bytes
    low: Doubles
    high: Doubles
    moved: list[Moved]


class Tally(NamedTuple):
    """One distance over all topics. known: topics that have a value; exact: those of them whose bounds meet; low, high:
    means of the lower and of the upper bounds over the known ones, nan where there is none."""

    known: int
    exact: int
    low: float
    high: float


@dataclass(frozen=True)
class PairDistances:
    """All distances between two runs.

    count: topics compared. tallies [V]: each distance over all of them. changed: the topics that changed most, by the
    first distance. alone: topics that only the first, and only the second run has. uneven: topics whose lists differ in
    length. unjudged: topics left out because they have no judgements. repeated: documents passed over.

    topics [T]: in the order met; low, high [V, T]: bounds of each distance, equal where it is exact; nan where a topic
    has none. All three are empty where nobody wanted every topic.
    """

    count: int
    tallies: tuple[Tally, ...]
    topics: list[bytes]
    low: Doubles
    high: Doubles
    changed: list[Changed]
    alone: tuple[int, int]
    uneven: int
    unjudged: int
    repeated: int

    def mean(self, row: int) -> tuple[float, float]:
        """Mean of the lower and of the upper bounds over the topics that have one; nan where none has."""
        return self.tallies[row].low, self.tallies[row].high

    def share_exact(self, row: int) -> float:
        """Share of the values that are exact; nan where there is none."""
        tally = self.tallies[row]
        return tally.exact / tally.known if tally.known else math.nan


class Tallying:
    """Counts and sums of every distance, over topics that are then forgotten."""

    def __init__(self, distances: int, searched: bool) -> None:
        self.count = 0
        self._searched = searched  # otherwise the upper bounds are the lower ones
        self._known, self._exact = np.zeros(distances, np.int64), np.zeros(distances, np.int64)
        self._low = [ExactSum() for _ in range(distances)]
        self._high = [ExactSum() for _ in range(distances)] if searched else self._low

    def meet(self, low: Doubles, high: Doubles) -> None:
        """Some more topics; two [V, T]."""
        self.count += low.shape[1]
        known, exact = ~np.isnan(low), low == high
        self._known += known.sum(axis=1)
        self._exact += exact.sum(axis=1)
        for row in range(len(low)):
            self._low[row].add(low[row, known[row]])
            if self._searched:
                self._high[row].add(high[row, known[row]])

    def tallies(self) -> tuple[Tally, ...]:
        """One for each distance."""
        return tuple(
            Tally(known, exact, _mean(low, known), _mean(high, known))
            for known, exact, low, high in zip(
                self._known.tolist(), self._exact.tolist(), self._low, self._high, strict=True
            )
        )


def _mean(total: ExactSum, count: int) -> float:
    return total.value() / count if count else math.nan


class MostChanged:
    """The topics that changed most so far, by the first distance."""

    def __init__(self, count: int, similarity: bool) -> None:
        self._count, self._sign = count, -1.0 if similarity else 1.0
        self._found: list[tuple[float, Changed]] = []

    def meet(self, pairs: Pairs, low: Doubles, high: Doubles) -> None:
        """Look at some more topics."""
        if not self._count or not len(pairs):
            return
        change = np.nan_to_num(self._sign * low[0], nan=-np.inf)
        enough = self._found[-1][0] if len(self._found) == self._count else -np.inf
        for topic in np.argsort(-change, kind="stable")[: self._count].tolist():
            if change[topic] <= enough:
                break
            moved = moved_documents(pairs, topic)
            self._found.append(
                (float(change[topic]), Changed(pairs.topics[topic], low[:, topic], high[:, topic], moved))
            )
        self._found.sort(key=lambda entry: -entry[0])
        del self._found[self._count :]

    def topics(self) -> list[Changed]:
        """Those that changed most, first."""
        ordered = sorted(self._found, key=lambda entry: (-entry[0], entry[1].topic))
        return [changed for _, changed in ordered]


@dataclass(frozen=True)
class Distances:
    """Distances between some runs: of every pair (first before second in `runs`), by every label.

    searched [V]: whether a distance takes a search, so that it may come as bounds. closer [V]: which values mean that
    rankings are alike. top_grade: the highest grade that a document without judgement was allowed.
    """

    runs: tuple[str, ...]
    labels: tuple[str, ...]
    searched: tuple[bool, ...]
    closer: tuple[str, ...]
    top_grade: int
    pairs: dict[tuple[int, int], PairDistances]
    of_passages: bool = False

    def pair(self, first: int = 0, second: int = 1) -> PairDistances:
        """The distances between two runs, by number."""
        return self.pairs[min(first, second), max(first, second)]

    def matrix(self, row: int = 0) -> Doubles:
        """Mean lower bound of one distance between all runs; nan on the diagonal; [R, R]."""
        found = np.full((len(self.runs), len(self.runs)), np.nan)
        for (i, j), between in self.pairs.items():
            found[i, j] = found[j, i] = between.mean(row)[0]
        return found

    def summary(self) -> dict[tuple[str, str], dict[str, tuple[float, float]]]:
        """{(run, run): {distance: (lower, upper bound of the mean)}}."""
        return {
            (self.runs[i], self.runs[j]): {label: between.mean(row) for row, label in enumerate(self.labels)}
            for (i, j), between in self.pairs.items()
        }

    def per_topic(self, first: int = 0, second: int = 1) -> dict[str, dict[str, tuple[float, float]]]:
        """{topic: {distance: (lower, upper bound)}} of two runs, by number."""
        between = self.pair(first, second)
        return {
            topic.decode("utf-8", "surrogateescape"): {
                label: (float(between.low[row, t]), float(between.high[row, t]))
                for row, label in enumerate(self.labels)
            }
            for t, topic in enumerate(between.topics)
        }
