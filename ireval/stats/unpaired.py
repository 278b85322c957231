"""The unpaired bootstrap test of any summary statistic. Sakai, Metrics, Statistics, Tests (2014), Fig. 13 and 14.

Two sets of scores, perhaps of different topics and different size. If there is no difference, all scores come from one
distribution: both samples are drawn again from all scores together.

Pairs of sets of the same two sizes share their draws. A mean needs only to know how often each score was drawn, so that
one product of matrices serves all sets; a median only which places among the sorted scores are drawn as the middle
ones, so that these are found once for all sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np

from ireval.stats.registry import SignificanceTest, describe
from ireval.stats.resample import (
    TOLERANCE,
    Doubles,
    Ints,
    Progress,
    exact_parts,
    exact_sums,
    in_threads,
    percentile_interval,
    topic_counts,
)

UNPAIRED = describe(
    SignificanceTest(
        "unpaired",
        "unpaired bootstrap test",
        kind="unpaired",
        resamples=True,
        hypothesis="all scores of the two systems come from one distribution",
        assumes="both sets of topics are random samples; they need not be the same topics",
        interval="bootstrap percentiles",
        cite="Sakai, Metrics, Statistics, Tests (2014), Fig. 13 and 14",
    )
)

STATISTICS = {"mean": "mean", "gmean": "geometric mean", "median": "median"}
"""What a set of scores can be summed up by."""

FLOOR = 0.00001
"""Scores below it count as this much in a geometric mean, as in trec_eval's gm_map."""

_BATCH_CELLS = 1_000_000
_KEPT_CELLS = 4_000_000
"""Statistics of resamples that are kept for one side of the pairs tested together."""


@dataclass(frozen=True)
class UnpairedOutcome:
    """difference: of the statistics. count: resamples with a difference at least as large, out of `samples`.
    low, high: percentile interval of the difference, each set resampled by itself."""

    difference: float
    count: int
    samples: int
    low: float
    high: float


def summary(values: Doubles, statistic: str) -> Doubles:
    """The statistic along the last axis."""
    if statistic == "median":
        middle: Doubles = np.median(values, axis=-1)
        return middle
    if statistic == "gmean":
        floored = np.maximum(values, FLOOR)
        geometric: Doubles = np.exp(np.cumsum(np.log(floored), axis=-1)[..., -1] / values.shape[-1])
        return geometric
    found: Doubles = np.cumsum(values, axis=-1)[..., -1] / values.shape[-1]
    return found


def pooled_counts(drawn: Ints, first: int) -> tuple[Ints, Ints]:
    """Fig. 13: how often each of all scores, x's before y's, is in x* and in y*; two [B, n + m].

    drawn [B, n + m]: numbers among all scores; the first n of them make x*.
    """
    size = drawn.shape[1]
    return topic_counts(drawn[:, :first], size), topic_counts(drawn[:, first:], size)


def unpaired_bootstrap(
    x: Doubles,
    y: Doubles,
    samples: int,
    seed: int,
    *,
    statistic: str = "mean",
    alpha: float = 0.05,
    batch: int | None = None,
) -> UnpairedOutcome:
    """The test of one pair; x [n], y [m]."""
    return unpaired_pairs([x, y], [(0, 1)], samples, seed, statistic=statistic, alpha=alpha, batch=batch)[0]


def unpaired_pairs(
    samples_of: Sequence[Doubles],
    pairs: Sequence[tuple[int, int]],
    samples: int,
    seed: int,
    *,
    statistic: str = "mean",
    alpha: float = 0.05,
    batch: int | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[UnpairedOutcome]:
    """The test of several pairs of sets of scores. batch: resamples at once. jobs: threads."""
    together = max(1, _KEPT_CELLS // samples)
    alike: dict[tuple[int, int, int, int], list[int]] = {}  # the draws depend on the two sizes only
    for place, (i, j) in enumerate(pairs):
        key = len(samples_of[i]), len(samples_of[j]), i // together, j // together
        alike.setdefault(key, []).append(place)
    total, finished, lock = len(alike) * samples, 0, Lock()

    def tick(size: int) -> None:
        nonlocal finished
        with lock:
            finished += size
            if progress is not None:
                progress(finished, total)

    def test(places: list[int]) -> list[UnpairedOutcome]:
        return _test_alike(samples_of, [pairs[place] for place in places], samples, seed, statistic, alpha, batch, tick)

    found: dict[int, UnpairedOutcome] = {}
    groups = list(alike.values())
    for places, outcomes in zip(groups, in_threads(test, groups, jobs), strict=True):
        found.update(zip(places, outcomes, strict=True))
    return [found[place] for place in range(len(pairs))]


def _test_alike(
    samples_of: Sequence[Doubles],
    pairs: Sequence[tuple[int, int]],
    samples: int,
    seed: int,
    statistic: str,
    alpha: float,
    batch: int | None,
    tick: Callable[[int], None],
) -> list[UnpairedOutcome]:
    """The test of pairs whose first sets are all of one size, and so are their second ones."""
    first, second = (list(dict.fromkeys(side)) for side in zip(*pairs, strict=True))
    at = [(first.index(i), second.index(j)) for i, j in pairs]
    draws = (_MiddlePlaces if statistic == "median" else _Sums)(
        np.stack([samples_of[i] for i in first]), np.stack([samples_of[j] for j in second]), statistic
    )
    n, m = len(samples_of[first[0]]), len(samples_of[second[0]])
    observed = [float(summary(samples_of[i], statistic) - summary(samples_of[j], statistic)) for i, j in pairs]
    limits = [
        abs(apart) - TOLERANCE * max(float(np.max(np.abs(samples_of[i]))) for i in pair)
        for apart, pair in zip(observed, pairs, strict=True)
    ]
    count = [0] * len(pairs)
    own = np.empty((len(first), samples)), np.empty((len(second), samples))
    pooled_rng, *own_rng = (np.random.default_rng([seed, stream]) for stream in range(3))
    batch = batch or max(1, _BATCH_CELLS // (n + m))
    for start in range(0, samples, batch):
        size = min(batch, samples - start)
        draws.pool(pooled_rng.integers(0, n + m, size=(size, n + m)))
        for p, (i, j) in enumerate(at):
            count[p] += int(np.count_nonzero(np.abs(draws.pooled_difference(i, j)) >= limits[p]))
        for side, (kept, rng, length) in enumerate(zip(own, own_rng, (n, m), strict=True)):
            kept[:, start : start + size] = draws.own(side, rng.integers(0, length, size=(size, length)))
        tick(size)
    found = []
    for p, (i, j) in enumerate(at):
        low, high = percentile_interval(own[0][i] - own[1][j], 1.0 - alpha)
        found.append(UnpairedOutcome(observed[p], count[p], samples, float(low), float(high)))
    return found


class _Sums:
    """Means, or geometric means, of resamples of sets: x [F, n] and y [G, m]."""

    def __init__(self, x: Doubles, y: Doubles, statistic: str) -> None:
        self._sizes = x.shape[1], y.shape[1]
        self._geometric = statistic == "gmean"
        if self._geometric:
            x, y = (np.log(np.maximum(scores, FLOOR)) for scores in (x, y))
        self._parts = exact_parts(x, max(self._sizes)), exact_parts(y, max(self._sizes))

    def pool(self, drawn: Ints) -> None:
        """Draw again from all scores of any pair: drawn [B, n + m]."""
        n = self._sizes[0]
        self._pooled = []
        for times in pooled_counts(drawn, n):
            counts = times.T.astype(np.float64)
            self._pooled.append((exact_sums(self._parts[0], counts[:n]), exact_sums(self._parts[1], counts[n:])))

    def pooled_difference(self, i: int, j: int) -> Doubles:
        """Statistic of x* minus that of y*, for the pair of x's row i and y's row j; [B]."""
        in_x, in_y = ((of_x[i] + of_y[j]) / size for (of_x, of_y), size in zip(self._pooled, self._sizes, strict=True))
        found: Doubles = np.exp(in_x) - np.exp(in_y) if self._geometric else in_x - in_y
        return found

    def own(self, side: int, drawn: Ints) -> Doubles:
        """The statistic of each set of a side, drawn again from itself; drawn [B, n] -> [F, B]."""
        means = exact_sums(self._parts[side], topic_counts(drawn).T.astype(np.float64)) / self._sizes[side]
        found: Doubles = np.exp(means) if self._geometric else means
        return found


class _MiddlePlaces:
    """Medians of resamples of sets: x [F, n] and y [G, m]. What is drawn are places among the sorted scores."""

    def __init__(self, x: Doubles, y: Doubles, statistic: str) -> None:
        self._sorted = np.sort(x, axis=1), np.sort(y, axis=1)

    def pool(self, drawn: Ints) -> None:
        """Draw again from all scores of any pair: drawn [B, n + m]."""
        n = self._sorted[0].shape[1]
        self._places = middle_places(drawn[:, :n]), middle_places(drawn[:, n:])

    def pooled_difference(self, i: int, j: int) -> Doubles:
        """Median of x* minus that of y*, for the pair of x's row i and y's row j; [B]."""
        pooled = np.sort(np.concatenate([self._sorted[0][i], self._sorted[1][j]]), kind="stable")  # merges
        in_x, in_y = (pooled[places].mean(axis=0) for places in self._places)
        found: Doubles = in_x - in_y
        return found

    def own(self, side: int, drawn: Ints) -> Doubles:
        """The median of each set of a side, drawn again from itself; drawn [B, n] -> [F, B]."""
        found: Doubles = self._sorted[side][:, middle_places(drawn)].mean(axis=1)
        return found


def middle_places(drawn: Ints) -> Ints:
    """The lower and the upper middle one of the places in each resample (the same if odd); [B, n] -> [2, B]."""
    size = drawn.shape[1]
    middle = [(size - 1) // 2, size // 2]
    found: Ints = np.partition(drawn, sorted(set(middle)), axis=1)[:, middle].T
    return found
