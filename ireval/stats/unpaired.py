"""The unpaired bootstrap test of any summary statistic. Sakai, Metrics, Statistics, Tests (2014), Fig. 13 and 14.

Two sets of scores, perhaps of different topics and different size. If there is no difference, all scores come from one
distribution: both samples are drawn again from all scores together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ireval.stats.registry import SignificanceTest, describe
from ireval.stats.resample import TOLERANCE, Doubles, Ints, Progress, in_threads, percentile_interval

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


def pooled_samples(x: Doubles, y: Doubles, drawn: Ints) -> tuple[Doubles, Doubles]:
    """Fig. 13: x* [B, n] and y* [B, m] from numbers drawn [B, n + m] among all scores, x's first."""
    pooled = np.concatenate([x, y])[drawn]
    return pooled[:, : len(x)], pooled[:, len(x) :]


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
    size = len(x) + len(y)
    pooled_rng, *own_rng = (np.random.default_rng([seed, stream]) for stream in range(3))
    batch = batch or max(1, _BATCH_CELLS // size)
    observed = float(summary(x, statistic) - summary(y, statistic))
    limit = abs(observed) - TOLERANCE * float(np.max(np.abs(np.concatenate([x, y])), initial=0.0))
    count, replicates = 0, np.empty(samples)
    for start in range(0, samples, batch):
        stop = min(start + batch, samples)
        first, second = pooled_samples(x, y, pooled_rng.integers(0, size, size=(stop - start, size)))
        count += int(np.count_nonzero(np.abs(summary(first, statistic) - summary(second, statistic)) >= limit))
        first, second = (
            own[rng.integers(0, len(own), size=(stop - start, len(own)))]
            for own, rng in zip((x, y), own_rng, strict=True)
        )
        replicates[start:stop] = summary(first, statistic) - summary(second, statistic)
    low, high = percentile_interval(replicates, 1.0 - alpha)
    return UnpairedOutcome(observed, count, samples, float(low), float(high))


def unpaired_pairs(
    samples_of: list[Doubles],
    pairs: list[tuple[int, int]],
    samples: int,
    seed: int,
    *,
    statistic: str = "mean",
    alpha: float = 0.05,
    batch: int | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[UnpairedOutcome]:
    """The test of several pairs of sets of scores. jobs: threads."""

    def test(pair: tuple[int, int]) -> UnpairedOutcome:
        x, y = (samples_of[i] for i in pair)
        return unpaired_bootstrap(x, y, samples, seed, statistic=statistic, alpha=alpha, batch=batch)

    found = []
    for outcome in in_threads(test, pairs, jobs):
        found.append(outcome)
        if progress is not None:
            progress(len(found), len(pairs))
    return found
