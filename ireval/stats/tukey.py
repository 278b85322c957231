"""Randomised Tukey HSD. Sakai, Metrics, Statistics, Tests (2014), Fig. 15, after Carterette, ACM TOIS 30 (2012).

If all systems are alike, the scores of a topic could have come from them in any order. The largest difference of means
after shuffling every topic's scores is what chance alone can do; a pair whose difference is rarely reached by it is
said to differ, and the chance to say so wrongly of any pair at all is bounded. The figure counts `>`; we count `>=`, as
Fig. 12 and 14 do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ireval.stats.pairs import PairCounts, pair_numbers, pair_places, place_of, smallest_difference
from ireval.stats.registry import PairOutcome, Resampling, SignificanceTest, significance_test
from ireval.stats.resample import Doubles, Ints, Progress, in_threads

STREAM = 50
"""Replicates that share one stream of random numbers, whatever the batch: part of what a seed means."""

_BITS = 62


def randomised_tukey(
    values: Doubles,
    samples: int,
    seed: int,
    *,
    alpha: float | None = None,
    batch: int | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> PairCounts:
    """The test on all pairs of systems. values [S, T]: systems x topics.

    alpha: also find the difference required at this level, the same for all pairs. batch: replicates at once. jobs:
    threads. The last two change the time only.
    """
    whole, smallest = _as_integers(values)
    table = _by_topic(whole)
    ranges = np.empty(samples, np.int64)

    def fill(start: int) -> int:
        stop = min(start + STREAM, samples)
        step = min(batch or _fitting(table), STREAM)
        rng = np.random.default_rng([seed, start // STREAM])
        for begin in range(start, stop, step):
            end = min(begin + step, stop)
            ranges[begin:end] = _ranges(rng.permuted(np.broadcast_to(table, (end - begin, *table.shape)), axis=-1))
        return stop

    for done in in_threads(fill, range(0, samples, STREAM), jobs):
        if progress is not None:
            progress(done, samples)
    found = _counts(whole, smallest, ranges)
    if alpha is None:
        return found
    edge = np.sort(ranges)[-place_of(alpha, samples)]
    needed = math.ldexp(float(edge), -_shift(values)) / values.shape[1]
    return replace(found, required=np.full(len(found.first), needed))


@significance_test(
    SignificanceTest(
        "hsd",
        "randomised Tukey HSD",
        kind="family",
        resamples=True,
        hypothesis="all systems are alike, so that each topic's scores could be exchanged among them",
        assumes="nothing about how topics were chosen",
        interval="simultaneous, from the same permutations",
        cite="Sakai, Metrics, Statistics, Tests (2014), Fig. 15; Carterette, ACM TOIS 30 (2012)",
    )
)
def hsd(values: Doubles, first: Ints, second: Ints, how: Resampling) -> PairOutcome:
    """The largest difference that chance makes among all systems is compared with each pair's."""
    found = randomised_tukey(
        values, how.samples, how.seed, alpha=how.alpha, batch=how.batch, jobs=how.jobs, progress=how.progress
    )
    wanted = pair_places(first, second, len(values))
    assert found.required is not None
    return PairOutcome(
        found.asl[wanted], found.count[wanted], np.full(len(wanted), how.samples), half=found.required[wanted]
    )


def tukey_pairs(values: Doubles, orders: Ints) -> PairCounts:
    """The test with given permutations: orders [B, T, S], the rank (0 is the lowest) of the score each system gets."""
    whole, smallest = _as_integers(values)
    return _counts(whole, smallest, _ranges(np.take_along_axis(_by_topic(whole)[None], orders, axis=-1)))


def permutations(systems: int, topics: int, samples: int, seed: int) -> Iterator[Ints]:
    """The orders that `randomised_tukey` draws with this seed, one [T, S] a replicate."""
    identity = np.broadcast_to(np.arange(systems), (topics, systems))
    for sample in range(samples):
        if sample % STREAM == 0:
            rng = np.random.default_rng([seed, sample // STREAM])
        yield rng.permuted(identity, axis=-1)


def _by_topic(whole: Ints) -> Ints:
    """Each topic's scores in ascending order, so that the order of the systems does not matter; [S, T] -> [T, S]."""
    return np.sort(whole.T, axis=1)


def _fitting(table: Ints) -> int:
    """Replicates that stay in the processor's cache together."""
    return max(1, 100_000 // max(1, table.size))


def _as_integers(values: Doubles) -> tuple[Ints, int]:
    """Scores as integers whose sums over topics are exact, and how far apart two sums may be and still be equal."""
    topics = values.shape[1]
    shift = _shift(values)
    whole = np.rint(np.ldexp(values, shift)).astype(np.int64)
    return whole, int(math.ldexp(smallest_difference(values) * topics, shift))


def _shift(values: Doubles) -> int:
    """By how many bits scores are to be moved to fill an integer with their sum."""
    return _BITS - math.frexp(float(np.max(np.abs(values), initial=0.0)) * values.shape[1])[1]


def _ranges(shuffled: Ints) -> Ints:
    """Largest minus smallest sum of the systems in each replicate; [B, T, S] -> [B]."""
    sums = shuffled.sum(axis=1)
    found: Ints = sums.max(axis=1) - sums.min(axis=1)
    return found


def _counts(whole: Ints, smallest: int, ranges: Ints) -> PairCounts:
    first, second = pair_numbers(len(whole))
    sums = whole.sum(axis=1)
    apart = np.abs(sums[first] - sums[second]) - smallest
    count = len(ranges) - np.searchsorted(np.sort(ranges), apart, side="left")
    return PairCounts(first, second, count, len(ranges))
