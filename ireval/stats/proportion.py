"""Wins and losses: the sign test, and the interval of a share."""

from __future__ import annotations

import math

import numpy as np

from ireval.stats.resample import Doubles, Ints


def sign_test_p(wins: Ints, losses: Ints) -> Doubles:
    """Exact two-sided p of the sign test, from the binomial distribution; ties are not counted. 1 without any; [P]."""
    from scipy.special import bdtr

    trials = wins + losses
    return np.where(trials > 0, np.minimum(1.0, 2.0 * bdtr(np.minimum(wins, losses), np.maximum(trials, 1), 0.5)), 1.0)


def sign_test(wins: int, losses: int) -> tuple[float, float]:
    """z = (wins - losses) / sqrt(wins + losses), and the exact two-sided p; ties are not among them.

    Neither won nor lost anything: z 0, p 1.
    """
    z = (wins - losses) / math.sqrt(max(1, wins + losses))
    return z, float(sign_test_p(np.array(wins), np.array(losses)))


def wilson_interval(hits: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of the probability behind hits out of trials; 0 to 1 where nothing was tried.

    Wilson, Probable Inference, the Law of Succession, and Statistical Inference, JASA 22 (1927).
    """
    from scipy.special import ndtri

    if trials == 0:
        return 0.0, 1.0
    z = float(ndtri(0.5 + confidence / 2.0))
    share, room = hits / trials, z * z / trials
    middle = (share + room / 2.0) / (1.0 + room)
    half = z / (1.0 + room) * math.sqrt(share * (1.0 - share) / trials + room / (4.0 * trials))
    low = 0.0 if hits == 0 else middle - half
    return max(0.0, low), 1.0 if hits == trials else min(1.0, middle + half)
