"""The paired bootstrap test, of all pairs of systems at once. Sakai, Metrics, Statistics, Tests (2014), Fig. 11 and 12.

For the differences z of a pair over T topics, w = z - mean(z) obeys the null hypothesis. A resample of w counts when
its |t| is not below |t(z)|. As t^2 = (T - 1) c^2 / (1 - c^2) with c^2 = (sum z)^2 / (T sum z^2), comparing |t| is
comparing the cosines |c|. These need neither a division nor a square root for each resample, and a resample without
variance, whose |t| is infinite, is just one with |c| = 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ireval.stats.resample import (
    TOLERANCE,
    Doubles,
    Ints,
    Progress,
    drawn_counts,
    exact_parts,
    exact_sums,
    fitting_batch,
    in_threads,
    topic_counts,
)

_BLOCK_CELLS = 500_000


@dataclass(frozen=True, eq=False, repr=False)
class PairCounts:
    """What a resampling test found for each pair of systems, in the order 0-1, 0-2, ..., 1-2, ...

    first, second [P]: numbers of the systems. count [P]: replicates at least as extreme as the scores themselves, out
    of `samples`. Where a level was asked for: required [P], the difference of means that it needs, and for the
    bootstrap critical [P], the |t| that it needs (perhaps infinite).
    """

    first: Ints
    second: Ints
    count: Ints
    samples: int
    required: Doubles | None = None
    critical: Doubles | None = None

    @property
    def asl(self) -> Doubles:
        """Achieved significance level, count / samples; [P]. 0 means below 1 / samples."""
        return self.count / self.samples


def pair_numbers(systems: int) -> tuple[Ints, Ints]:
    """First and second system of every pair, i < j, row by row; two [P]."""
    first, second = np.triu_indices(systems, 1)
    return first, second


def pair_places(first: Ints, second: Ints, systems: int) -> Ints:
    """Where pairs stand among those of `pair_numbers`, whichever system comes first in them; [P]."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    places: Ints = low * (2 * systems - low - 1) // 2 + high - low - 1
    return places


def differences(values: Doubles, first: Ints, second: Ints) -> Doubles:
    """Scores of the first system minus those of the second by topic, 0 where they are equal up to rounding; [P, T]."""
    z = values[first] - values[second]
    z[np.abs(z) <= smallest_difference(values)] = 0.0
    return z


def smallest_difference(values: Doubles) -> float:
    """Scores that are not further apart than this are equal."""
    return TOLERANCE * float(np.max(np.abs(values), initial=0.0))


def paired_bootstrap(
    values: Doubles,
    samples: int,
    seed: int,
    *,
    pairs: tuple[Ints, Ints] | None = None,
    alpha: float | None = None,
    batch: int | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> PairCounts:
    """The test with the same resampled topics for all pairs.

    values [S, T]: systems x topics. pairs: those to test (all of them). alpha: also find what is required at this
    level. batch: resamples at once. jobs: threads. The last two change the time only.
    """
    times = drawn_counts(values.shape[1], samples, seed)
    return _bootstrap(values, times, pairs or pair_numbers(len(values)), alpha, batch, jobs, progress)


def bootstrap_pairs(values: Doubles, drawn: Ints, *, alpha: float | None = None) -> PairCounts:
    """The test on every pair with given resamples, drawn [B, T] of topic numbers."""
    return _bootstrap(values, topic_counts(drawn).T, pair_numbers(len(values)), alpha, None, 1, None)


def _bootstrap(
    values: Doubles,
    times: NDArray[np.integer],
    pairs: tuple[Ints, Ints],
    alpha: float | None,
    batch: int | None,
    jobs: int,
    progress: Progress | None,
) -> PairCounts:
    """The test; times [T, B]: how often each topic is in each resample."""
    topics, samples = times.shape
    first, second = pairs
    smallest = smallest_difference(values)
    batch = min(batch or fitting_batch(topics), samples)
    size = max(1, _BLOCK_CELLS // (batch if alpha is None else samples))
    blocks = [slice(start, start + size) for start in range(0, len(first), size)]
    count = np.zeros(len(first), np.int64)
    required, critical = (None, None) if alpha is None else (np.zeros(len(first)), np.zeros(len(first)))

    def test(block: slice) -> int:
        z = differences(values, first[block], second[block])
        w = z - np.cumsum(z, axis=1)[:, -1:] / topics
        w[np.abs(w) <= smallest] = 0.0
        count[block], replicates = _test_block(_cosine(z), w, times, batch, alpha is not None)
        if alpha is not None and required is not None and critical is not None and replicates is not None:
            required[block], critical[block] = _required(*replicates, topics, alpha)
        return min(int(block.stop), len(first))

    for done in in_threads(test, blocks, jobs):
        if progress is not None:
            progress(done, len(first))
    return PairCounts(first, second, count, samples, required, critical)


def _cosine(z: Doubles) -> Doubles:
    """|sum z| / sqrt(T sum z^2) of each row, which grows with |t|; 0 where all is 0; [P]."""
    total = np.cumsum(z, axis=1)[:, -1]
    squares = np.cumsum(z * z, axis=1)[:, -1]
    found: Doubles = np.abs(total) / np.sqrt(np.where(squares > 0, z.shape[1] * squares, 1.0))
    return found


def _test_block(
    cosine: Doubles, w: Doubles, times: NDArray[np.integer], batch: int, keep: bool
) -> tuple[Ints, tuple[Doubles, Doubles] | None]:
    """Counts of some pairs and, if they are to be kept, sum w* and sum w*^2 of all resamples, two [P, B].

    cosine [P]: of z. w [P, T]. times [T, B]: how often each topic is in each resample.
    """
    topics, samples = times.shape
    sum_parts, square_parts = exact_parts(w, topics), exact_parts(w * w, topics)
    # c*^2 >= (c - tolerance)^2 as (sum w*)^2 >= limit sum w*^2
    limit = (topics * np.maximum(cosine - TOLERANCE, 0.0) ** 2)[:, None]
    above_zero = np.where(limit > 0, np.finfo(np.float64).smallest_subnormal, 0.0)  # 0/0: t = 0
    count = np.zeros(len(w), np.int64)
    kept = (np.empty((len(w), samples)), np.empty((len(w), samples))) if keep else None
    for start in range(0, samples, batch):
        counts = times[:, start : start + batch].astype(np.float64)
        total = exact_sums(sum_parts, counts)
        squares = exact_sums(square_parts, counts)
        if kept is not None:
            kept[0][:, start : start + batch] = total
            kept[1][:, start : start + batch] = squares
        squares *= limit
        np.maximum(squares, above_zero, out=squares)
        total *= total
        count += np.count_nonzero(total >= squares, axis=1)
    return count, kept


def _required(totals: Doubles, squares: Doubles, topics: int, alpha: float) -> tuple[Doubles, Doubles]:
    """|mean| and |t| of the replicate whose |t| is the alpha B-th largest; two [P].

    Of replicates with equal |t|, the one with the larger |mean| comes first. totals, squares [P, B]: sum w* and
    sum w*^2. Sakai, Evaluating the Task of Finding One Highly Relevant Document (2006), Fig. 7.
    """
    place = place_of(alpha, totals.shape[1])
    last = totals.shape[1] - place
    ratio = totals * totals  # becomes c*^2, in place: these arrays are large
    squares[squares <= 0] = 1.0
    ratio /= squares
    ratio /= topics
    edge = np.partition(ratio, last, axis=1)[:, last, None]
    needed: Doubles = np.abs(totals[np.arange(len(totals)), np.argmax(ratio == edge, axis=1)])
    larger = np.count_nonzero(ratio > edge + 2 * TOLERANCE, axis=1)
    reached = np.count_nonzero(ratio >= edge - 2 * TOLERANCE, axis=1)
    for row in np.flatnonzero(reached - larger > 1):
        tied = np.abs(totals[row, np.abs(ratio[row] - edge[row]) <= 2 * TOLERANCE])
        needed[row] = np.sort(tied)[::-1][place - larger[row] - 1]
    needed /= topics
    c_squared = edge[:, 0]
    rest = np.where(c_squared < 1.0 - 2 * TOLERANCE, 1.0 - c_squared, 0.0)
    with np.errstate(divide="ignore"):
        return needed, np.sqrt((topics - 1) * c_squared / rest)


def place_of(alpha: float, samples: int) -> int:
    """Which of the largest replicates is the edge of the level: the alpha B-th, rounded up."""
    return min(samples, max(1, math.ceil(alpha * samples - 1e-9)))
