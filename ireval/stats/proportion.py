"""Wins and losses: the sign test, and the interval of a share."""

from __future__ import annotations

import math


def sign_test(wins: int, losses: int) -> tuple[float, float]:
    """z = (wins - losses) / sqrt(wins + losses), and the exact two-sided p; ties are not among them.

    Neither won nor lost anything: z 0, p 1.
    """
    from scipy.special import bdtr

    trials = wins + losses
    if trials == 0:
        return 0.0, 1.0
    return (wins - losses) / math.sqrt(trials), min(1.0, 2.0 * float(bdtr(min(wins, losses), trials, 0.5)))


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
