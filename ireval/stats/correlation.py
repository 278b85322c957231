"""How alike two rankings of the same systems are.

All functions take two vectors of scores, one a system, where higher is better, and look at the rankings they make (but
for `pearson`, which looks at the scores). Scores that are equal up to rounding are ties; every coefficient says what it
does with them. A coefficient that is not defined (one of the rankings is one single tie) is NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ireval.stats.resample import TOLERANCE

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


def competition_ranks(scores: ArrayLike) -> Ints:
    """Rank of each score from 1, highest first; equal ones share the first rank of their group; [S]."""
    values = np.asarray(scores, np.float64)
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    apart = TOLERANCE * float(np.max(np.abs(values), initial=0.0))
    begins = np.append(True, ranked[:-1] - ranked[1:] > apart)[: len(values)]
    places = np.arange(1, len(values) + 1)
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.maximum.accumulate(np.where(begins, places, 0))
    return ranks


def _group_sizes(ranks: Ints) -> Ints:
    """How many share each rank that is taken."""
    counts: Ints = np.unique(ranks, return_counts=True)[1].astype(np.int64)
    return counts


def has_ties(scores: ArrayLike) -> bool:
    """Whether two of the scores are equal up to rounding."""
    return bool((_group_sizes(competition_ranks(scores)) > 1).any())


@dataclass(frozen=True)
class Kendall:
    """Kendall's tau and what it is made of.

    tau: (concordant - discordant) / pairs; a pair tied in either ranking counts for neither. tau_b: divided by the
    geometric mean of the pairs that each ranking does not tie. z, p: of the two-sided normal test of tau.
    """

    concordant: int
    discordant: int
    pairs: int
    tied_first: int
    """pairs tied in the first ranking, in the second or not"""
    tied_second: int
    tau: float
    tau_b: float
    z: float
    p: float


def kendall(first: ArrayLike, second: ArrayLike) -> Kendall:
    """Kendall's tau, tau_b, and the test that the rankings have nothing to do with each other.

    Sakai, Evaluating the Task of Finding One Highly Relevant Document (2006), eq. 8 and 9; with ties the variance is
    corrected (Kendall, Rank Correlation Methods, 1970, chapter 4), which leaves eq. 9 as it is where there are none.
    """
    a, b = _two_rankings(first, second)
    systems = len(a)
    product = np.sign(a[:, None] - a[None, :]) * np.sign(b[:, None] - b[None, :])
    concordant, discordant = (int(np.count_nonzero(product == sign)) // 2 for sign in (1, -1))
    pairs = systems * (systems - 1) // 2
    sizes = [_group_sizes(ranks) for ranks in (a, b)]
    tied_first, tied_second = (int((t * (t - 1) // 2).sum()) for t in sizes)
    excess = concordant - discordant
    tau = excess / pairs if pairs else math.nan
    untied = (pairs - tied_first) * (pairs - tied_second)
    tau_b = excess / math.sqrt(untied) if untied else math.nan
    variance = _variance(systems, *sizes)
    z = excess / math.sqrt(variance) if variance > 0 else math.nan
    p = math.erfc(abs(z) / math.sqrt(2.0)) if not math.isnan(z) else math.nan
    return Kendall(concordant, discordant, pairs, tied_first, tied_second, tau, tau_b, z, p)


def _variance(n: int, first: Ints, second: Ints) -> float:
    """Variance of concordant - discordant, were the rankings unrelated; first, second: sizes of the tie groups."""

    def term(t: Ints, kind: int) -> float:
        by_kind = {2: t * (t - 1), 3: t * (t - 1) * (t - 2), 5: t * (t - 1) * (2 * t + 5)}
        return float(by_kind[kind].sum())

    whole = np.array([n], np.int64)
    variance = (term(whole, 5) - term(first, 5) - term(second, 5)) / 18.0
    if n > 1:
        variance += term(first, 2) * term(second, 2) / (2.0 * n * (n - 1))
    if n > 2:
        variance += term(first, 3) * term(second, 3) / (9.0 * n * (n - 1) * (n - 2))
    return variance


@dataclass(frozen=True)
class TauAP:
    """AP correlation of two rankings.

    second_given_first: the first ranking is the truth, the sum runs over the second; first_given_second likewise. NaN
    where the truth has ties. symmetric: their mean, or tau_ap_b where there are ties. tied: whether there are any.
    """

    second_given_first: float
    first_given_second: float
    symmetric: float
    tied: bool


def tau_ap(first: ArrayLike, second: ArrayLike) -> TauAP:
    """AP correlation both ways and symmetric, with ties as Urbano & Marrero treat them.

    Yilmaz, Aslam & Robertson, A New Rank Correlation Coefficient for Information Retrieval, SIGIR 2008 (Sakai's
    lecture, eq. 52); Urbano & Marrero, The Treatment of Ties in AP Correlation, ICTIR 2017.
    """
    a, b = _two_rankings(first, second)
    one, two = tau_ap_a(a, b), tau_ap_a(b, a)
    tied = any(bool((_group_sizes(ranks) > 1).any()) for ranks in (a, b))
    symmetric = (_tau_ap_b_one_way(a, b) + _tau_ap_b_one_way(b, a)) / 2.0 if tied else (one + two) / 2.0
    return TauAP(one, two, symmetric, tied)


def tau_ap_a(truth: Ints, evaluated: Ints) -> float:
    """tau_ap where the evaluated ranking may have ties: its mean over all ways to break them; NaN if the truth has any.

    Both as competition ranks. A member of a tie group that begins at rank p and has t members stands at each of the
    ranks p to p + t - 1 equally often, with those above the group and, half of the time rightly, some of the others
    above it.
    """
    systems = len(truth)
    if systems < 2 or bool((_group_sizes(truth) > 1).any()):
        return math.nan
    size = np.bincount(evaluated, minlength=systems + 1)[evaluated]
    right = ((truth[None, :] < truth[:, None]) & (evaluated[None, :] < evaluated[:, None])).sum(axis=1)
    share = np.zeros(systems)
    for i, (p, t, above) in enumerate(zip(evaluated.tolist(), size.tolist(), right.tolist(), strict=True)):
        ranks = range(max(p, 2), p + t)  # nobody stands above rank 1
        share[i] = sum((above + (rank - p) / 2.0) / (rank - 1) for rank in ranks) / t
    return 2.0 / (systems - 1) * float(np.cumsum(share)[-1]) - 1.0


def _tau_ap_b_one_way(truth: Ints, evaluated: Ints) -> float:
    """Share of the items above an item's tie group that are rightly above it, the top group left out, as -1 to 1."""
    below = evaluated > 1
    if not bool(below.any()):
        return math.nan
    right = ((truth[None, :] < truth[:, None]) & (evaluated[None, :] < evaluated[:, None])).sum(axis=1)
    return 2.0 * float(np.cumsum(right[below] / (evaluated[below] - 1))[-1]) / int(below.sum()) - 1.0


def pearson(first: ArrayLike, second: ArrayLike) -> float:
    """Pearson's correlation of the scores themselves."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    _check_alike(a, b)
    if len(a) < 2 or any(bool((competition_ranks(scores) == 1).all()) for scores in (a, b)):
        return math.nan
    x, y = a - a.mean(), b - b.mean()
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    found = float((x * y).sum() / math.sqrt(float((x * x).sum()) * float((y * y).sum())))
    return min(1.0, max(-1.0, found))


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Spearman's rho: Pearson's correlation of the ranks, tied ones with the mean of the ranks that they take."""
    a, b = _two_rankings(first, second)
    return pearson(*(ranks + (np.bincount(ranks)[ranks] - 1) / 2.0 for ranks in (a, b)))


def _two_rankings(first: ArrayLike, second: ArrayLike) -> tuple[Ints, Ints]:
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    _check_alike(a, b)
    return competition_ranks(a), competition_ranks(b)


def _check_alike(a: Doubles, b: Doubles) -> None:
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"expected two vectors of the same length, found {a.shape} and {b.shape}")
