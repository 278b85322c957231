"""Measures of the retrieved set as a whole, whatever its order."""

from __future__ import annotations

import numpy as np

from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles
from ireval.core.numeric import divide, ratio
from ireval.errors import DataError
from ireval.measures.registry import LEVEL, Numbers, Whole, measure


@measure("set_P", label="SetP", params=(LEVEL,), formula="rel / n", cite="Sakai, Metrics, Statistics, Tests (2014), eq. 1")
def set_precision(a: Aligned, rel: int) -> Doubles:
    """Precision of the whole retrieved set."""
    return ratio(a.relevant_retrieved(rel), a.retrieved)


@measure("set_relative_P", label="SetRelativeP", params=(LEVEL,), formula="rel / min(n, R)")
def set_relative_precision(a: Aligned, rel: int) -> Doubles:
    """Precision of the retrieved set over the highest precision a set of this size can have."""
    return ratio(a.relevant_retrieved(rel), np.minimum(a.retrieved, a.number_relevant(rel)))


@measure("set_recall", label="SetR", params=(LEVEL,), formula="rel / R", cite="Sakai, Metrics, Statistics, Tests (2014), eq. 2")
def set_recall(a: Aligned, rel: int) -> Doubles:
    """Recall of the whole retrieved set."""
    return ratio(a.relevant_retrieved(rel), a.number_relevant(rel))


@measure("set_map", label="SetAP", params=(LEVEL,), formula="rel^2 / (n R)")
def set_average_precision(a: Aligned, rel: int) -> Doubles:
    """Precision times recall of the retrieved set: average precision when the order is not known."""
    found = a.relevant_retrieved(rel).astype(np.float64)
    return ratio(found * found, a.retrieved.astype(np.float64) * a.number_relevant(rel))


@measure("set_F", label="SetF", formula="(x + 1) P R / (R + x P)",
         params=(Numbers("weight", (1.0,), "Importance x of recall relative to precision."), LEVEL),
         cite="van Rijsbergen, Information Retrieval (1979)")
def set_f(a: Aligned, weight: tuple[float, ...], rel: int) -> Doubles:
    """Weighted harmonic mean of set precision and set recall."""
    found = a.relevant_retrieved(rel)
    p, r, x = divide(found, a.retrieved), divide(found, a.number_relevant(rel)), weight[0]
    return np.where(found > 0, divide((x + 1.0) * p * r, x * p + r), 0.0)


@measure("utility", label="Utility", bounds=(None, None), formula="p1 a + p2 b + p3 c + p4 d",
         params=(
             Numbers("weights", (1.0, -1.0, 0.0, 0.0),
                     "Worth of a relevant retrieved, nonrelevant retrieved, relevant missed, nonrelevant missed document."),
             LEVEL,
             Whole("docs", 0, "Number of documents in the collection.", setting="docs"),
         ))
def utility(a: Aligned, weights: tuple[float, ...], rel: int, docs: int) -> Doubles:
    """Worth of the retrieved set, from the four cells of retrieved/missed by relevant/nonrelevant."""
    if len(weights) != 4:
        raise DataError(f"utility: expected 4 weights, found {len(weights)}")
    found, retrieved, relevant = a.relevant_retrieved(rel), a.retrieved, a.number_relevant(rel)
    return (
        weights[0] * found
        + weights[1] * (retrieved - found)
        + weights[2] * (relevant - found)
        + weights[3] * (docs + found - retrieved - relevant)
    )
