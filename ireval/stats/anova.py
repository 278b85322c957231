"""All systems at once: two-way analysis of variance (systems x topics, one score each), its Tukey HSD, and Friedman."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ireval.stats.effect import row_means
from ireval.stats.pairs import smallest_difference
from ireval.stats.registry import PairOutcome, Resampling, SignificanceTest, describe, significance_test
from ireval.stats.resample import Doubles, Ints

_NODES = 128
_WIDEST = 8.5
"""Standard deviations beyond which the normal density is nothing."""
_STEP = 1.0 / 256
_RESOLUTION = 1e-12
"""The tail of the studentised range is 1 minus an integral, so that smaller ones are rounding noise."""


ANOVA = describe(
    SignificanceTest(
        "anova",
        "two-way ANOVA",
        kind="omnibus",
        hypothesis="all systems have the same mean",
        assumes="residuals of the two-way model are normally distributed, with the same variance everywhere",
        cite="Fisher, Statistical Methods for Research Workers (1925)",
    )
)
FRIEDMAN = describe(
    SignificanceTest(
        "friedman",
        "Friedman test",
        kind="omnibus",
        hypothesis="every order of the systems within a topic is as likely",
        assumes="topics are a random sample; only ranks within a topic count",
        cite="Friedman, The Use of Ranks to Avoid the Assumption of Normality, JASA 32 (1937)",
    )
)


@dataclass(frozen=True)
class Source:
    """A row of the table: where variation comes from. f and p are None for what the others are compared with."""

    name: str
    squares: float
    freedom: int
    mean_square: float
    f: float | None = None
    p: float | None = None


@dataclass(frozen=True)
class Anova:
    """The table of a two-way analysis of variance without replication."""

    systems: Source
    topics: Source
    residual: Source

    @property
    def rows(self) -> tuple[Source, Source, Source]:
        """As printed."""
        return self.systems, self.topics, self.residual


def two_way_anova(values: Doubles) -> Anova:
    """Systems and topics as factors, what they do not explain as the residual; values [S, T]."""
    from scipy.special import fdtrc

    systems, topics = values.shape
    smallest = smallest_difference(values)
    by_system, by_topic = row_means(values), row_means(np.ascontiguousarray(values.T))
    grand = float(row_means(by_system[None])[0])
    rest = values - by_system[:, None] - by_topic[None] + grand
    rest[np.abs(rest) <= 4 * smallest] = 0.0
    squares = [
        topics * _sum_of_squares(_without_noise(by_system - grand, smallest)),
        systems * _sum_of_squares(_without_noise(by_topic - grand, smallest)),
        _sum_of_squares(rest),
    ]
    freedom = [systems - 1, topics - 1, (systems - 1) * (topics - 1)]
    means = [total / degrees for total, degrees in zip(squares, freedom, strict=True)]
    rows = []
    for name, total, degrees, mean in zip(("systems", "topics"), squares, freedom, means, strict=False):
        f = mean / means[2] if means[2] > 0 else math.inf if mean > 0 else 0.0
        p = float(fdtrc(degrees, freedom[2], f)) if math.isfinite(f) else 0.0
        rows.append(Source(name, total, degrees, mean, f, p))
    return Anova(rows[0], rows[1], Source("residual", squares[2], freedom[2], means[2]))


def _without_noise(values: Doubles, smallest: float) -> Doubles:
    return np.where(np.abs(values) <= smallest, 0.0, values)


def _sum_of_squares(values: Doubles) -> float:
    flat = values.ravel()
    return float(np.cumsum(flat * flat)[-1])


@significance_test(
    SignificanceTest(
        "tukey",
        "Tukey HSD on the two-way ANOVA",
        kind="family",
        hypothesis="all systems have the same mean",
        assumes="residuals of the two-way model are normally distributed, with the same variance everywhere",
        interval="simultaneous, from the studentised range",
        cite="Tukey (1949); Sakai, Laboratory Experiments in Information Retrieval (2018)",
    )
)
def tukey(values: Doubles, first: Ints, second: Ints, how: Resampling) -> PairOutcome:
    """Differences of means in standard errors of the residual, against the studentised range."""
    systems, topics = values.shape
    residual = two_way_anova(values).residual
    means = row_means(values)
    apart = _without_noise(np.abs(means[first] - means[second]), smallest_difference(values))
    error = math.sqrt(residual.mean_square / topics)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(apart == 0, 0.0, apart / error)
    p = studentised_range_tail(q, systems, residual.freedom)
    p[p < _RESOLUTION] = 0.0
    half = critical_range(how.alpha, systems, residual.freedom) * error
    return PairOutcome(p, statistic=q, statistic_name="q", half=np.full(len(q), half), resolution=_RESOLUTION)


def studentised_range_tail(q: Doubles, groups: int, freedom: int) -> Doubles:
    """Chance of a studentised range of at least q; [P].

    The range of normal values is compared with q s, where s is the estimate of their standard deviation with so many
    degrees of freedom: an integral over s, by Gauss-Legendre quadrature. The same as scipy's, which takes each q alone.
    """
    from scipy.special import chdtri, gammaln

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    low, high = (math.sqrt(float(chdtri(freedom, tail)) / freedom) for tail in (1.0 - 1e-16, 1e-18))
    s = (high - low) / 2 * nodes + (high + low) / 2
    half = freedom / 2.0
    scale = math.log(2.0) + half * math.log(half) - float(gammaln(half))
    density = np.exp(scale + (freedom - 1) * np.log(s) - half * s * s)
    below = _range_below(np.minimum(q, 1e6)[:, None] * s, groups) @ (weights * (high - low) / 2 * density)
    tails: Doubles = np.where(np.isinf(q), 0.0, np.clip(1.0 - below, 0.0, 1.0))
    return tails


def _range_below(w: Doubles, groups: int) -> Doubles:
    """Chance that the range of so many standard normal values is at most w, by cubic interpolation in a table."""
    chance, slope = _range_table(groups)
    place = np.minimum(w / _STEP, len(chance) - 1.000001)
    left = place.astype(np.int64)
    x = place - left
    y0, y1, d0, d1 = chance[left], chance[left + 1], slope[left] * _STEP, slope[left + 1] * _STEP
    found: Doubles = y0 + x * (d0 + x * (3 * (y1 - y0) - 2 * d0 - d1 + x * (2 * (y0 - y1) + d0 + d1)))
    return found


@lru_cache(maxsize=8)
def _range_table(groups: int) -> tuple[Doubles, Doubles]:
    """That chance, k * integral phi(z) (Phi(z) - Phi(z - w))^(k-1) dz, and its slope, at w = 0, _STEP, ..."""
    from scipy.special import ndtr

    nodes, weights = np.polynomial.legendre.leggauss(2 * _NODES)
    w = np.arange(int(2 * _WIDEST / _STEP) + 2) * _STEP
    chance, slope = np.zeros(len(w)), np.zeros(len(w))
    for z, weight in zip((_WIDEST * nodes).tolist(), (_WIDEST * weights).tolist(), strict=True):
        between = np.maximum(float(ndtr(z)) - ndtr(z - w), 0.0)
        factor = groups * weight * _normal_density(z)
        chance += factor * between ** (groups - 1)
        slope += factor * (groups - 1) * between ** (groups - 2) * _normal_density(z - w)
    return chance, slope


def _normal_density(z: Any) -> Any:
    return np.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi)


def critical_range(alpha: float, groups: int, freedom: int) -> float:
    """The studentised range that is exceeded with chance alpha, by bisection."""
    low, high = 0.0, 1.0
    while studentised_range_tail(np.array([high]), groups, freedom)[0] > alpha:
        low, high = high, 2.0 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2.0
        above = studentised_range_tail(np.array([middle]), groups, freedom)[0] > alpha
        low, high = (middle, high) if above else (low, middle)
    return (low + high) / 2.0


@dataclass(frozen=True)
class Friedman:
    """Friedman's test: mean rank of each system (1 is the highest score), the statistic, its freedom, p."""

    mean_ranks: tuple[float, ...]
    chi_square: float
    freedom: int
    p: float


def friedman(values: Doubles) -> Friedman:
    """Whether systems differ in their ranks within topics; ties share their ranks. values [S, T].

    Friedman, The Use of Ranks to Avoid the Assumption of Normality, JASA 32 (1937); corrected for ties as in Conover,
    Practical Nonparametric Statistics (1999).
    """
    from scipy.special import chdtrc

    systems, topics = values.shape
    smallest = smallest_difference(values)
    apart = values[:, None, :] - values[None, :, :]
    higher, tied = (apart < -smallest).sum(axis=1), (np.abs(apart) <= smallest).sum(axis=1)
    ranks = higher + (tied + 1) / 2.0
    sums = np.cumsum(ranks, axis=1)[:, -1]
    middle = topics * (systems + 1) / 2.0
    spread = float((ranks * ranks).sum()) - topics * systems * (systems + 1) ** 2 / 4.0
    chi = (systems - 1) * float(((sums - middle) ** 2).sum()) / spread if spread > 0 else 0.0
    return Friedman(tuple((sums / topics).tolist()), chi, systems - 1, float(chdtrc(systems - 1, chi)))
