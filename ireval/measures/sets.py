"""Measures of the retrieved set as a whole, whatever its order."""

from __future__ import annotations

import numpy as np

from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles
from ireval.core.numeric import divide, ratio
from ireval.errors import MeasureError
from ireval.measures.registry import CUTOFFS, LEVEL, Cutoffs, Number, Numbers, Whole, measure


@measure(
    "set_P",
    properties="recall-independent",
    label="SetP",
    params=(LEVEL,),
    formula="rel / n",
    cite="Sakai, Metrics, Statistics, Tests (2014), eq. 1",
)
def set_precision(a: Aligned, rel: int) -> Doubles:
    """Precision of the whole retrieved set."""
    return ratio(a.relevant_retrieved(rel), a.retrieved)


@measure("set_relative_P", properties="normalised", label="SetRelativeP", params=(LEVEL,), formula="rel / min(n, R)")
def set_relative_precision(a: Aligned, rel: int) -> Doubles:
    """Precision of the retrieved set over the highest precision a set of this size can have."""
    return ratio(a.relevant_retrieved(rel), np.minimum(a.retrieved, a.number_relevant(rel)))


@measure(
    "set_recall",
    properties="normalised",
    label="SetR",
    params=(LEVEL,),
    formula="rel / R",
    cite="Sakai, Metrics, Statistics, Tests (2014), eq. 2",
)
def set_recall(a: Aligned, rel: int) -> Doubles:
    """Recall of the whole retrieved set."""
    return ratio(a.relevant_retrieved(rel), a.number_relevant(rel))


@measure("set_map", label="SetAP", params=(LEVEL,), formula="rel^2 / (n R)")
def set_average_precision(a: Aligned, rel: int) -> Doubles:
    """Precision times recall of the retrieved set: average precision when the order is not known."""
    found = a.relevant_retrieved(rel).astype(np.float64)
    return ratio(found * found, a.retrieved.astype(np.float64) * a.number_relevant(rel))


@measure(
    "set_F",
    label="SetF",
    formula="(x + 1) P R / (R + x P)",
    params=(Numbers("weight", (1.0,), "Importance x of recall relative to precision."), LEVEL),
    cite="van Rijsbergen, Information Retrieval (1979)",
)
def set_f(a: Aligned, weight: tuple[float, ...], rel: int) -> Doubles:
    """Weighted harmonic mean of set precision and set recall."""
    found = a.relevant_retrieved(rel)
    p, r, x = divide(found, a.retrieved), divide(found, a.number_relevant(rel)), weight[0]
    return np.where(found > 0, divide((x + 1.0) * p * r, x * p + r), 0.0)


@measure(
    "utility",
    label="Utility",
    bounds=(None, None),
    formula="p1 a + p2 b + p3 c + p4 d",
    params=(
        Numbers(
            "weights",
            (1.0, -1.0, 0.0, 0.0),
            "Worth of a relevant retrieved, nonrelevant retrieved, relevant missed, nonrelevant missed document.",
        ),
        LEVEL,
        Whole("docs", 0, "Number of documents in the collection.", setting="docs"),
    ),
)
def utility(a: Aligned, weights: tuple[float, ...], rel: int, docs: int) -> Doubles:
    """Worth of the retrieved set, from the four cells of retrieved/missed by relevant/nonrelevant."""
    if len(weights) != 4:
        raise MeasureError(f"utility: expected 4 weights, found {len(weights)}")
    found, retrieved, relevant = a.relevant_retrieved(rel), a.retrieved, a.number_relevant(rel)
    return (
        weights[0] * found
        + weights[1] * (retrieved - found)
        + weights[2] * (relevant - found)
        + weights[3] * (docs + found - retrieved - relevant)
    )


BETA_F = Number("beta", 1.0, "How many times as important recall is as precision.", low=0.0)
LECTURE_E = "van Rijsbergen, Information Retrieval (1979); Sakai, Metrics, Statistics, Tests (2014), eq. 4 and 5"


@measure(
    "f_measure",
    properties="normalised",
    label="F",
    params=(BETA_F, LEVEL),
    trec=False,
    formula="(beta^2 + 1) P R / (beta^2 P + R)",
    cite=LECTURE_E,
)
def f_measure(a: Aligned, beta: float, rel: int) -> Doubles:
    """F-measure of the retrieved set. trec_eval's set_F takes beta squared as its parameter."""
    return set_f(a, (beta * beta,), rel)


@measure("e_measure", better="low", label="E", params=(BETA_F, LEVEL), trec=False, formula="1 - F", cite=LECTURE_E)
def e_measure(a: Aligned, beta: float, rel: int) -> Doubles:
    """E-measure of the retrieved set: 1 minus F, so that lower is better."""
    return 1.0 - f_measure(a, beta, rel)


@measure(
    "f_measure_cut",
    label="F",
    params=(Cutoffs("k", CUTOFFS, "Rank to cut at."), BETA_F, LEVEL),
    trec=False,
    formula="(beta^2 + 1) P@k R@k / (beta^2 P@k + R@k)",
    cite=LECTURE_E,
)
def f_measure_cut(a: Aligned, k: int, beta: float, rel: int) -> Doubles:
    """F-measure of precision and recall at rank k."""
    found, x = a.hits_within(rel, k), beta * beta
    p, r = found / k, ratio(found, a.number_relevant(rel))
    return ratio((x + 1.0) * p * r, x * p + r)
