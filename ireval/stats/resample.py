"""Resampling topics. Neither the batch size nor the machine changes a result.

Draws come from one stream of 64-bit integers, and sums are added up exactly, so the order of adding does not matter.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Progress = Callable[[int, int], None]
"""Called with how many pieces of work are finished, and of how many."""

RESAMPLES = 2000
"""Bootstrap resamples of a confidence interval."""

TOLERANCE = 1e-12
"""Numbers that are closer than this, relative to the largest score, are equal: scores come out of rounded sums."""

_BATCH_CELLS = 2_000_000

Item = TypeVar("Item")
Found = TypeVar("Found")


def in_threads(work: Callable[[Item], Found], items: Sequence[Item], jobs: int) -> Iterator[Found]:
    """The results of some work on each item, in order. jobs: threads; 0: as many as there are processors."""
    jobs = min(jobs or os.cpu_count() or 1, len(items))
    if jobs <= 1:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:  # the user may have had enough
            pool.shutdown(cancel_futures=True)


def within(progress: Progress | None, piece: int, pieces: int) -> Progress | None:
    """What one of several equally large pieces of work (from 0) calls, where `progress` is told of all of them."""
    if progress is None:
        return None
    return lambda done, of: progress(piece * of + done, pieces * of)


def bootstrap_means(values: Doubles, samples: int, seed: int, batch: int | None = None) -> Doubles:
    """Means over topics drawn with replacement, the same draws for every row.

    values [..., T] -> [..., samples]. Efron & Tibshirani, An Introduction to the Bootstrap (1993), chapter 6.
    """
    topics = values.shape[-1]
    rng = np.random.default_rng(seed)
    batch = batch or max(1, _BATCH_CELLS // max(1, topics))
    flat = values.reshape(-1, topics)
    parts = exact_parts(flat, topics)
    means = np.empty((len(flat), samples))
    for start in range(0, samples, batch):
        size = min(batch, samples - start)
        counts = topic_counts(rng.integers(0, topics, size=(size, topics))).astype(np.float64)
        means[:, start : start + size] = exact_sums(parts, counts.T) / topics
    return means.reshape(*values.shape[:-1], samples)


def fitting_batch(topics: int) -> int:
    """Resamples at once, so that their counts by topic stay small."""
    return max(50, min(2000, _BATCH_CELLS // max(1, topics)))


def draw_topics(topics: int, samples: int, seed: int) -> Ints:
    """Topics drawn with replacement, one row a resample; [samples, topics]."""
    return np.random.default_rng(seed).integers(0, topics, size=(samples, topics))


def drawn_counts(topics: int, samples: int, seed: int) -> NDArray[np.unsignedinteger]:
    """How often each topic is in each of the resamples that `draw_topics` draws, in few bytes; [topics, samples]."""
    rng = np.random.default_rng(seed)
    found = np.empty((topics, samples), np.min_scalar_type(topics))
    batch = max(1, _BATCH_CELLS // max(1, topics))
    for start in range(0, samples, batch):
        size = min(batch, samples - start)
        found[:, start : start + size] = topic_counts(rng.integers(0, topics, size=(size, topics))).T
    return found


def drawn_signs(topics: int, samples: int, seed: int) -> Bools:
    """Whether each topic keeps its sign in each sample, with equal chances; [topics, samples]."""
    rng = np.random.default_rng(seed)
    found = np.empty((topics, samples), np.bool_)
    batch = max(1, _BATCH_CELLS // max(1, topics))
    for start in range(0, samples, batch):
        size = min(batch, samples - start)
        found[:, start : start + size] = rng.random((size, topics)).T < 0.5
    return found


def topic_counts(drawn: Ints, topics: int | None = None) -> Ints:
    """How often each topic is in each resample; [B, n] of topic numbers -> [B, T] of counts. topics: T (n)."""
    samples, size = drawn.shape
    topics = size if topics is None else topics
    cell = drawn + np.arange(samples)[:, None] * topics
    return np.bincount(cell.ravel(), minlength=samples * topics).reshape(samples, topics)


def exact_parts(rows: Doubles, terms: int) -> tuple[Doubles, Doubles]:
    """Two parts that add up to the values, each with so few bits that sums of `terms` of them in any order are exact.

    BLAS adds in an order that depends on the machine and on the shape of the matrices. What the two parts cannot hold
    is dropped: below 2^-70 of the row's largest value for 10,000 terms. Ozaki et al., Numerical Algorithms 59 (2012).
    """
    step = _step(np.max(np.abs(rows), axis=1, keepdims=True, initial=0.0), terms)
    high = np.rint(rows / step) * step
    step = _step(step, terms)
    return high, np.rint((rows - high) / step) * step


def exact_sums(parts: tuple[Doubles, Doubles], counts: Doubles) -> Doubles:
    """Sums of the rows [R, T], in their exact parts, over each column of counts [T, B], the same on every machine."""
    high, low = parts
    sums: Doubles = high @ counts
    sums += low @ counts
    return sums


def _step(largest: Doubles, terms: int) -> Doubles:
    """The power of two that counts up to twice `terms * largest` in 53 bits."""
    step = np.ldexp(1.0, np.frexp(largest * terms)[1] - 52)
    found: Doubles = np.maximum(step, np.finfo(np.float64).smallest_subnormal)
    return found


def percentile_interval(replicates: Doubles, confidence: float) -> tuple[Doubles, Doubles]:
    """Lower and upper bound that hold the middle share of the replicates; [..., B] -> two [...]."""
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(replicates, [tail, 1.0 - tail], axis=-1)
    return low, high
