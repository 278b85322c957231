"""How alike rankings of the same systems are, by every coefficient at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ireval.stats.correlation import competition_ranks, has_ties, kendall, pearson, spearman, tau_ap
from ireval.stats.rbo import Ties, rbo_of_scores

Doubles = NDArray[np.float64]

COEFFICIENTS = {
    "tau": "Kendall's tau; a pair tied in either ranking counts for neither side",
    "tau_b": "Kendall's tau_b; tied pairs are left out of the norm",
    "tau_ap": "AP correlation with the first ranking as the truth; NaN where the truth has ties",
    "tau_ap_rev": "the same with the second ranking as the truth",
    "tau_ap_sym": "their mean, tau_ap_b where there are ties",
    "pearson": "Pearson's correlation of the scores",
    "spearman": "Spearman's correlation of the ranks; tied ones have their mean",
    "rbo": "rank-biased overlap",
}
"""Name -> what it is and what it does with ties."""


@dataclass(frozen=True)
class Correlation:
    """Two rankings of n systems. z, p: of Kendall's test. tied_*: whether the ranking has ties."""

    first: str
    second: str
    n: int
    tau: float
    z: float
    p: float
    tau_b: float
    tau_ap: float
    tau_ap_rev: float
    tau_ap_sym: float
    pearson: float
    spearman: float
    rbo: float
    tied_first: bool
    tied_second: bool


def correlate(
    first: Sequence[float] | Doubles,
    second: Sequence[float] | Doubles,
    names: tuple[str, str] = ("first", "second"),
    *,
    persistence: float = 0.9,
    rbo_ties: Ties = "a",
) -> Correlation:
    """All coefficients of two vectors of scores, one a system, higher better. persistence: of the overlap."""
    rank = kendall(first, second)
    ap = tau_ap(first, second)
    overlap = math.nan
    if len(first):  # by ranks, so that what is equal up to rounding is tied here too
        ranks = [-competition_ranks(scores).astype(np.float64) for scores in (first, second)]
        overlap = float(rbo_of_scores(ranks[0], ranks[1], persistence, rbo_ties).extrapolated[0])
    return Correlation(
        *names,
        len(first),
        rank.tau,
        rank.z,
        rank.p,
        rank.tau_b,
        ap.second_given_first,
        ap.first_given_second,
        ap.symmetric,
        pearson(first, second),
        spearman(first, second),
        overlap,
        has_ties(first),
        has_ties(second),
    )


def correlate_all(
    scores: Doubles, names: Sequence[str], *, persistence: float = 0.9, rbo_ties: Ties = "a"
) -> list[Correlation]:
    """Every two of some rankings. scores [R, S]: rankings x systems, higher better."""
    return [
        correlate(scores[a], scores[b], (names[a], names[b]), persistence=persistence, rbo_ties=rbo_ties)
        for a, b in combinations(range(len(scores)), 2)
    ]
