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

from ireval.stats.resample import (
    TOLERANCE,
    Doubles,
    Ints,
    Progress,
    draw_topics,
    exact_parts,
    exact_sums,
    in_threads,
    topic_counts,
)

_BLOCK_CELLS = 500_000
_BATCH = 2000


@dataclass(frozen=True, eq=False, repr=False)
class PairCounts:
    """What a resampling test found for each pair of systems, in the order 0-1, 0-2, ..., 1-2, ...

    first, second [P]: numbers of the systems. count [P]: replicates at least as extreme as the scores themselves, out
    of `samples`. required [P]: difference of means that a level asked for needs (OneDoc Fig. 7); None if not asked for.
    """

    first: Ints
    second: Ints
    count: Ints
    samples: int
    required: Doubles | None = None

    @property
    def asl(self) -> Doubles:
        """Achieved significance level, count / samples; [P]. 0 means below 1 / samples."""
        return self.count / self.samples


def pair_numbers(systems: int) -> tuple[Ints, Ints]:
    """First and second system of every pair, i < j, row by row; two [P]."""
    first, second = np.triu_indices(systems, 1)
    return first, second


def differences(values: Doubles, first: Ints, second: Ints) -> Doubles:
    """Scores of the first system minus those of the second by topic, 0 where they are equal up to rounding; [P, T]."""
    z = values[first] - values[second]
    z[np.abs(z) <= _smallest(values)] = 0.0
    return z


def _smallest(values: Doubles) -> float:
    return TOLERANCE * float(np.max(np.abs(values), initial=0.0))


def paired_bootstrap(
    values: Doubles,
    samples: int,
    seed: int,
    *,
    alpha: float | None = None,
    batch: int | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> PairCounts:
    """The test on every pair of systems, with the same resampled topics for all of them.

    values [S, T]: systems x topics. alpha: also find the difference required at this level. batch: resamples at once.
    jobs: threads. The last two change the time only.
    """
    drawn = draw_topics(values.shape[1], samples, seed)
    return bootstrap_pairs(values, drawn, alpha=alpha, batch=batch, jobs=jobs, progress=progress)


def bootstrap_pairs(
    values: Doubles,
    drawn: Ints,
    *,
    alpha: float | None = None,
    batch: int | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> PairCounts:
    """The test with given resamples: drawn [B, T] of topic numbers."""
    systems, topics = values.shape
    samples = len(drawn)
    first, second = pair_numbers(systems)
    smallest = _smallest(values)
    times = np.ascontiguousarray(topic_counts(drawn).T.astype(np.min_scalar_type(topics)))
    batch = min(batch or _BATCH, samples)
    size = max(1, _BLOCK_CELLS // (batch if alpha is None else samples))
    blocks = [slice(start, start + size) for start in range(0, len(first), size)]

    def test(block: slice) -> tuple[Ints, Doubles | None]:
        z = differences(values, first[block], second[block])
        w = z - np.cumsum(z, axis=1)[:, -1:] / topics
        w[np.abs(w) <= smallest] = 0.0
        return _test_block(_cosine(z), w, times, batch, alpha)

    count = np.zeros(len(first), np.int64)
    required = None if alpha is None else np.zeros(len(first))
    for block, (found, needed) in zip(blocks, in_threads(test, blocks, jobs), strict=True):
        count[block] = found
        if required is not None and needed is not None:
            required[block] = needed
        if progress is not None:
            progress(min(block.stop, len(first)), len(first))
    return PairCounts(first, second, count, samples, required)


def _cosine(z: Doubles) -> Doubles:
    """|sum z| / sqrt(T sum z^2) of each row, which grows with |t|; 0 where all is 0; [P]."""
    total = np.cumsum(z, axis=1)[:, -1]
    squares = np.cumsum(z * z, axis=1)[:, -1]
    found: Doubles = np.abs(total) / np.sqrt(np.where(squares > 0, z.shape[1] * squares, 1.0))
    return found


def _test_block(
    cosine: Doubles, w: Doubles, times: Ints, batch: int, alpha: float | None
) -> tuple[Ints, Doubles | None]:
    """Counts and required differences of some pairs. cosine [P]: of z. w [P, T]. times [T, B]: topics in resamples."""
    topics, samples = times.shape
    sum_parts, square_parts = exact_parts(w, topics), exact_parts(w * w, topics)
    # c*^2 >= (c - tolerance)^2 as (sum w*)^2 >= limit sum w*^2
    limit = (topics * np.maximum(cosine - TOLERANCE, 0.0) ** 2)[:, None]
    above_zero = np.where(limit > 0, np.finfo(np.float64).smallest_subnormal, 0.0)  # 0/0: t = 0
    count = np.zeros(len(w), np.int64)
    kept: list[tuple[Doubles, Doubles]] = []
    for start in range(0, samples, batch):
        counts = times[:, start : start + batch].astype(np.float64)
        total = exact_sums(sum_parts, counts)
        squares = exact_sums(square_parts, counts)
        if alpha is not None:
            kept.append((np.abs(total), squares.copy()))
        squares *= limit
        np.maximum(squares, above_zero, out=squares)
        total *= total
        count += np.count_nonzero(total >= squares, axis=1)
    if alpha is None:
        return count, None
    totals, all_squares = (np.concatenate(parts, axis=1) for parts in zip(*kept, strict=True))
    return count, _required(totals, all_squares, topics, alpha)


def _required(totals: Doubles, squares: Doubles, topics: int, alpha: float) -> Doubles:
    """|mean| of the replicate whose |t| is the alpha B-th largest; of equal |t|, the larger |mean| comes first; [P].

    totals, squares [P, B]: |sum w*| and sum w*^2. Sakai, Evaluating the Task of Finding One Highly Relevant Document
    (2006), Fig. 7.
    """
    samples = totals.shape[1]
    place = min(samples, max(1, math.ceil(alpha * samples - 1e-9)))
    cosine = totals / np.sqrt(np.where(squares > 0, topics * squares, 1.0))
    edge = np.partition(cosine, samples - place, axis=1)[:, samples - place, None]
    larger = np.count_nonzero(cosine > edge + TOLERANCE, axis=1)
    tied = np.where(np.abs(cosine - edge) <= TOLERANCE, totals, -1.0)
    needed: Doubles = tied.max(axis=1)
    for row in np.flatnonzero(np.count_nonzero(tied >= 0, axis=1) > 1):
        needed[row] = np.sort(tied[row])[::-1][place - larger[row] - 1]
    needed /= topics
    return needed
