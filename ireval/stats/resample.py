"""Resampling topics. The batch size never changes a result: draws come from one stream of 64-bit integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

_BATCH_CELLS = 2_000_000


def bootstrap_means(values: Doubles, samples: int, seed: int, batch: int | None = None) -> Doubles:
    """Means over topics drawn with replacement, the same draws for every row.

    values [..., T] -> [..., samples]. Efron & Tibshirani, An Introduction to the Bootstrap (1993), chapter 6.
    """
    topics = values.shape[-1]
    rng = np.random.default_rng(seed)
    batch = batch or max(1, _BATCH_CELLS // max(1, topics))
    flat = values.reshape(-1, topics)
    means = np.empty((len(flat), samples))
    for start in range(0, samples, batch):
        size = min(batch, samples - start)
        drawn = rng.integers(0, topics, size=(size, topics))
        cell = drawn + np.arange(size)[:, None] * topics
        counts = np.bincount(cell.ravel(), minlength=size * topics).reshape(size, topics).astype(np.float64)
        means[:, start : start + size] = flat @ counts.T / topics
    return means.reshape(*values.shape[:-1], samples)


def percentile_interval(replicates: Doubles, confidence: float) -> tuple[Doubles, Doubles]:
    """Lower and upper bound that hold the middle share of the replicates; [..., B] -> two [...]."""
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(replicates, [tail, 1.0 - tail], axis=-1)
    return low, high
