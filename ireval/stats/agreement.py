"""How far raters agree: kappa for two (plain or weighted), for many, and the overlap of what they call relevant."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

WEIGHTS = ("plain", "linear", "quadratic")
"""How much a disagreement counts: all alike, by the distance of the categories, by its square."""


def confusion(first: NDArray[np.integer], second: NDArray[np.integer], categories: ArrayLike) -> Ints:
    """How often the first rater chose category i and the second j; [C, C]. categories: in ascending order."""
    known = np.asarray(categories)
    rows, columns = np.searchsorted(known, first), np.searchsorted(known, second)
    counts = np.bincount(rows * len(known) + columns, minlength=len(known) ** 2)
    return counts.reshape(len(known), len(known)).astype(np.int64)


def cohen_kappa(table: ArrayLike, weights: str = "plain", categories: ArrayLike | None = None) -> float:
    """Cohen's kappa of a confusion matrix [C, C]; NaN where chance alone agrees completely.

    weights: one of WEIGHTS. categories [C]: values whose distance counts (0, 1, 2, ... by default). Cohen, A
    Coefficient of Agreement for Nominal Scales (1960); weighted: Psychological Bulletin 70 (1968).
    """
    if weights not in WEIGHTS:
        raise ValueError(f"expected one of {', '.join(WEIGHTS)}, found {weights}")
    counts = np.asarray(table, np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"expected a square table, found {counts.shape}")
    value = np.arange(len(counts), dtype=np.float64) if categories is None else np.asarray(categories, np.float64)
    distance = np.abs(value[:, None] - value[None, :])
    cost = {"plain": (distance > 0).astype(np.float64), "linear": distance, "quadratic": distance**2}[weights]
    total = counts.sum()
    if total == 0:
        return math.nan
    by_chance = counts.sum(axis=1)[:, None] * counts.sum(axis=0)[None, :] / total
    expected = float((cost * by_chance).sum())
    return 1.0 - float((cost * counts).sum()) / expected if expected > 0 else math.nan


def fleiss_kappa(ratings: ArrayLike) -> float:
    """Fleiss' kappa; NaN where chance alone agrees completely. ratings [N, C]: how many raters put item i into j.

    Every item has the same number of raters. Fleiss, Measuring Nominal Scale Agreement among Many Raters (1971).
    """
    counts = np.asarray(ratings, np.float64)
    raters = counts.sum(axis=1)
    if len(counts) == 0:
        return math.nan
    if raters[0] < 2 or bool((raters != raters[0]).any()):
        raise ValueError("expected the same number of raters, two at least, for every item")
    n = float(raters[0])
    observed = float(((counts * (counts - 1)).sum(axis=1) / (n * (n - 1))).mean())
    share = counts.sum(axis=0) / counts.sum()
    by_chance = float((share**2).sum())
    return (observed - by_chance) / (1.0 - by_chance) if by_chance < 1.0 else math.nan


def overlap(relevant: NDArray[np.bool_], topic: NDArray[np.integer], topics: int) -> Doubles:
    """Documents that all raters call relevant over those that any does, by topic; NaN where none does; [topics].

    relevant [R, N]: by rater and document; topic [N]. Voorhees, Variations in Relevance Judgments and the Measurement
    of Retrieval Effectiveness, Information Processing & Management 36 (2000).
    """
    every = np.bincount(topic[relevant.all(axis=0)], minlength=topics)
    some = np.bincount(topic[relevant.any(axis=0)], minlength=topics)
    return np.where(some > 0, every / np.maximum(some, 1), np.nan)
