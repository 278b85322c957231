"""Slow twins of the resampling tests: loops over exact fractions, as the figures have them. Nothing of ireval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Row = Sequence[Fraction]
INFINITE = Fraction(10**60)
SLACK = Fraction(1, 10**12)
"""Numbers that are closer than this are equal: exponentials are not exact."""


def fractions(rows: Sequence[Sequence[float]], decimals: int = 6) -> list[list[Fraction]]:
    """Scores as the decimal numbers that they are meant to be."""
    return [[Fraction(round(v * 10**decimals), 10**decimals) for v in row] for row in rows]


def mean(values: Row) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def t_squared(z: Row) -> Fraction:
    """Square of Lecture (48); 0/0 is 0, and without variance it is infinite."""
    m = mean(z)
    variance = sum(((v - m) ** 2 for v in z), Fraction(0)) / (len(z) - 1)
    if variance == 0:
        return INFINITE if m != 0 else Fraction(0)
    return m * m * len(z) / variance


def centred(z: Row) -> list[Fraction]:
    m = mean(z)
    return [v - m for v in z]


def resample(w: Row, drawn: Sequence[int]) -> list[Fraction]:
    """Lecture Fig. 11; topics are counted from 0."""
    return [w[j] for j in drawn]


def bootstrap_count(x: Row, y: Row, draws: Sequence[Sequence[int]]) -> int:
    """Lecture Fig. 12."""
    z = [a - b for a, b in zip(x, y, strict=True)]
    w, limit = centred(z), t_squared(z)
    return sum(t_squared(resample(w, drawn)) >= limit for drawn in draws)


def required_difference(x: Row, y: Row, draws: Sequence[Sequence[int]], place: int) -> Fraction:
    """OneDoc Fig. 7: |mean| of the replicate with the place-th largest |t|; of equal |t| the larger |mean| first."""
    w = centred([a - b for a, b in zip(x, y, strict=True)])
    replicates = [resample(w, drawn) for drawn in draws]
    ranked = sorted(((t_squared(r), abs(mean(r))) for r in replicates), reverse=True)
    return ranked[place - 1][1]


def tukey_counts(rows: Sequence[Row], orders: Sequence[Sequence[Sequence[int]]]) -> list[int]:
    """Lecture Fig. 15 with >=. rows: systems x topics; orders: replicate -> topic -> rank of each one's score."""
    systems, topics = len(rows), len(rows[0])
    pairs = list(combinations(range(systems), 2))
    counts = [0] * len(pairs)
    means = [mean(row) for row in rows]
    ascending = [sorted(row[t] for row in rows) for t in range(topics)]
    for order in orders:
        shuffled = [mean([ascending[t][order[t][s]] for t in range(topics)]) for s in range(systems)]
        largest = max(shuffled) - min(shuffled)
        for p, (i, j) in enumerate(pairs):
            counts[p] += largest >= abs(means[i] - means[j])
    return counts


def randomisation_count(x: Row, y: Row, signs: Sequence[Sequence[bool]]) -> int:
    """Assignments of signs to the differences whose mean is not closer to 0."""
    z = [a - b for a, b in zip(x, y, strict=True)]
    limit = abs(sum(z))
    return sum(abs(sum(v if s else -v for v, s in zip(z, row, strict=True))) >= limit for row in signs)


def mean_ranks(values: Row) -> list[Fraction]:
    """Ranks from 1 on, the smallest first; equal values share the mean of theirs."""
    return [
        Fraction(2 * sum(other < v for other in values) + sum(other == v for other in values) + 1, 2) for v in values
    ]


def wilcoxon_p(x: Row, y: Row) -> tuple[Fraction, Fraction]:
    """The smaller rank sum and its two-sided p, by going through all 2^n signs."""
    z = [a - b for a, b in zip(x, y, strict=True) if a != b]
    ranks = mean_ranks([abs(v) for v in z])
    positive = sum((r for r, v in zip(ranks, z, strict=True) if v > 0), Fraction(0))
    smaller = min(positive, sum(ranks, Fraction(0)) - positive)
    sums = [Fraction(0)]
    for rank in ranks:
        sums += [s + rank for s in sums]
    return smaller, min(Fraction(1), Fraction(2 * sum(s <= smaller for s in sums), len(sums)))


def geometric_mean(values: Row) -> Fraction:
    """With a floor of 0.00001, as gm_map has it."""
    return Fraction(math.exp(math.fsum(math.log(max(v, Fraction(1, 100_000))) for v in values) / len(values)))


def median(values: Row) -> Fraction:
    ranked = sorted(values)
    return (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2


STATISTICS = {"mean": mean, "gmean": geometric_mean, "median": median}


def unpaired_count(
    x: Row, y: Row, pooled: Row, draws: Sequence[Sequence[int]], statistic: str = "mean", slack: Fraction = SLACK
) -> int:
    """Lecture Fig. 13 and 14. pooled: all scores, in the order in which they are numbered."""
    middle = STATISTICS[statistic]
    limit = abs(middle(x) - middle(y)) - slack
    count = 0
    for drawn in draws:
        again = resample(pooled, drawn)
        count += abs(middle(again[: len(x)]) - middle(again[len(x) :])) >= limit
    return count


def holm(p: Sequence[float]) -> list[float]:
    """Step down: the smallest times n, the next times n - 1, ..., never below the one before."""
    found = [0.0] * len(p)
    largest = 0.0
    for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        largest = max(largest, min(1.0, p[i] * (len(p) - step)))
        found[i] = largest
    return found


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Step up: the smallest n p / rank of this and all larger p."""
    ranked = sorted(p)
    return [min(1.0, *(len(p) * q / (r + 1) for r, q in enumerate(ranked) if q >= v)) for v in p]
