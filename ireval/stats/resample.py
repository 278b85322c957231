"""Resampling topics. Neither the batch size nor the machine changes a result.

Draws come from one stream of 64-bit integers, and means are added up exactly, so the order of adding does not matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

RESAMPLES = 2000
"""Bootstrap resamples of a confidence interval."""

TOLERANCE = 1e-12
"""Numbers that are closer than this, relative to the largest score, are equal: scores come out of rounded sums."""

_BATCH_CELLS = 2_000_000


def bootstrap_means(values: Doubles, samples: int, seed: int, batch: int | None = None) -> Doubles:
    """Means over topics drawn with replacement, the same draws for every row.

    values [..., T] -> [..., samples]. Efron & Tibshirani, An Introduction to the Bootstrap (1993), chapter 6.
    """
    topics = values.shape[-1]
    rng = np.random.default_rng(seed)
    batch = batch or max(1, _BATCH_CELLS // max(1, topics))
    flat = values.reshape(-1, topics)
    high, low = _parts(flat, topics)
    means = np.empty((len(flat), samples))
    for start in range(0, samples, batch):
        size = min(batch, samples - start)
        drawn = rng.integers(0, topics, size=(size, topics))
        cell = drawn + np.arange(size)[:, None] * topics
        counts = np.bincount(cell.ravel(), minlength=size * topics).reshape(size, topics).astype(np.float64)
        means[:, start : start + size] = (high @ counts.T + low @ counts.T) / topics
    return means.reshape(*values.shape[:-1], samples)


def _parts(rows: Doubles, terms: int) -> tuple[Doubles, Doubles]:
    """Two parts that add up to the values, each with so few bits that sums of `terms` of them in any order are exact.

    BLAS adds in an order that depends on the machine and on the shape of the matrices. What the two parts cannot hold
    is dropped: below 2^-70 of the row's largest value for 10,000 terms. Ozaki et al., Numerical Algorithms 59 (2012).
    """
    step = _step(np.max(np.abs(rows), axis=1, keepdims=True, initial=0.0), terms)
    high = np.rint(rows / step) * step
    step = _step(step, terms)
    return high, np.rint((rows - high) / step) * step


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
