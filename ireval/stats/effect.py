"""How large a difference is, how sure of it we are, and how many topics would show it."""

from __future__ import annotations

import math

import numpy as np

from ireval.stats.resample import Doubles

MOST_TOPICS = 10_000_000
"""More topics than this are as good as infinitely many."""


def row_means(z: Doubles) -> Doubles:
    """Mean of each row, added from left to right; [P, T] -> [P]."""
    found: Doubles = np.cumsum(z, axis=1)[:, -1] / z.shape[1]
    return found


def deviations(z: Doubles) -> Doubles:
    """Standard deviation of each row (divisor T - 1), 0 where all values are the same up to rounding; [P]."""
    w = z - row_means(z)[:, None]
    w[np.abs(w) <= 1e-12 * np.max(np.abs(z), axis=1, keepdims=True, initial=0.0)] = 0.0
    found: Doubles = np.sqrt(np.cumsum(w * w, axis=1)[:, -1] / (z.shape[1] - 1))
    return found


def standard_errors(z: Doubles) -> Doubles:
    """Standard error of the mean of each row; [P]."""
    return deviations(z) / math.sqrt(z.shape[1])


def t_values(z: Doubles, smallest: float = 0.0) -> Doubles:
    """Mean over standard error: Lecture (48). 0/0 is 0, and a constant difference has an infinite t; [P]."""
    means, errors = row_means(z), standard_errors(z)
    means = np.where(np.abs(means) <= smallest, 0.0, means)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(means == 0, 0.0, means / errors)


def t_half_widths(z: Doubles, alpha: float) -> Doubles:
    """Half the width of Student's confidence interval of the mean of each row; [P]."""
    from scipy.special import stdtrit

    return float(stdtrit(z.shape[1] - 1, 1.0 - alpha / 2.0)) * standard_errors(z)


def paired_effects(z: Doubles, smallest: float = 0.0) -> Doubles:
    """Mean difference in standard deviations of the differences (Cohen's d_z); 0/0 is 0; [P]."""
    return t_values(z, smallest) / math.sqrt(z.shape[1])


def residual_effects(means: Doubles, residual_variance: float) -> Doubles:
    """Mean difference in standard deviations of the two-way residuals, as NTCIR's overviews give it; [P].

    Sakai, Laboratory Experiments in Information Retrieval (2018).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(means == 0, 0.0, means / math.sqrt(residual_variance))


def power_of_t(effect: float, topics: int, alpha: float) -> float:
    """Chance that the two-sided paired t-test finds an effect d_z with so many topics.

    Cohen, Statistical Power Analysis for the Behavioral Sciences (1988), by the noncentral t distribution.
    """
    from scipy.special import nctdtr, stdtrit

    if math.isinf(effect):
        return 1.0
    limit = float(stdtrit(topics - 1, 1.0 - alpha / 2.0))
    shift = abs(effect) * math.sqrt(topics)
    found = 1.0 - float(nctdtr(topics - 1, shift, limit)) + float(nctdtr(topics - 1, shift, -limit))
    return 1.0 if math.isnan(found) else min(1.0, max(0.0, found))  # nctdtr gives up where all is certain


def topics_needed(effect: float, alpha: float, power: float = 0.8) -> int | None:
    """The smallest number of topics with which the paired t-test has this power; None: more than any collection has."""
    low, high = 1, 2
    while power_of_t(effect, high, alpha) < power:
        low, high = high, 2 * high
        if high > MOST_TOPICS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if power_of_t(effect, middle, alpha) < power else (low, middle)
    return high
