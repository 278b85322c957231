"""Slow twins of the studies, straight from the papers' pseudo-code: plain loops, no numpy, nothing of ireval."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

EQUAL = 1e-12


def sign(x: float) -> int:
    """-1, 0 or 1; differences that rounding can make are 0."""
    return 0 if abs(x) <= EQUAL else 1 if x > 0 else -1


# -- correlation ----------------------------------------------------------------------------------------------------


def kendall(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """OneDoc (8) and (9): tau, Z_0; and tau_b."""
    n, pos, neg, tied_x, tied_y = len(x), 0, 0, 0, 0
    for i in range(n):
        for j in range(i + 1, n):
            a, b = sign(x[i] - x[j]), sign(y[i] - y[j])
            pos += a * b > 0
            neg += a * b < 0
            tied_x += a == 0
            tied_y += b == 0
    tau = 2 * (pos - neg) / (n * (n - 1))
    z = tau / math.sqrt((4 * n + 10) / (9 * n * (n - 1)))
    pairs = n * (n - 1) / 2
    untied = (pairs - tied_x) * (pairs - tied_y)
    return tau, z, (pos - neg) / math.sqrt(untied) if untied else math.nan


def tau_ap(gold: Sequence[str], evaluated: Sequence[str]) -> float:
    """Lecture (52) of two lists without ties."""
    total = 0.0
    for r in range(2, len(evaluated) + 1):
        item = evaluated[r - 1]
        correct = sum(gold.index(above) < gold.index(item) for above in evaluated[: r - 1])
        total += correct / (r - 1)
    return 2 / (len(evaluated) - 1) * total - 1


def orders(groups: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """All ways to break the ties of a ranking."""
    for parts in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [item for part in parts for item in part]


def tau_ap_broken(gold: Sequence[str], groups: Sequence[Sequence[str]]) -> float:
    """Mean of tau_ap over all ways to break the ties of the evaluated ranking."""
    every = [tau_ap(gold, order) for order in orders(groups)]
    return sum(every) / len(every)


def tau_ap_b(first: Sequence[Sequence[str]], second: Sequence[Sequence[str]]) -> float:
    """Urbano & Marrero's symmetric coefficient of two rankings given as tie groups."""

    def one_way(gold: Sequence[Sequence[str]], evaluated: Sequence[Sequence[str]]) -> float:
        place = {item: g for g, group in enumerate(gold) for item in group}
        total, items, above = 0.0, 0, list(evaluated[0])
        for group in evaluated[1:]:
            for item in group:
                total += sum(place[other] < place[item] for other in above) / len(above)
                items += 1
            above += list(group)
        return 2 * total / items - 1

    return (one_way(first, second) + one_way(second, first)) / 2


# -- concordance ----------------------------------------------------------------------------------------------------


def concordance(
    m1: Sequence[Sequence[float]], m2: Sequence[Sequence[float]], golds: Sequence[Sequence[Sequence[float]]]
) -> tuple[int, int, int, int, int]:
    """Intuitive Fig. 3 (Lecture Fig. 17): disagreements, Conc1, Conc2, wins of each. Scores [run][topic]."""
    disagreements = conc1 = conc2 = wins1 = wins2 = 0
    for x in range(len(m1)):
        for y in range(x + 1, len(m1)):
            for q in range(len(m1[0])):
                d1, d2 = sign(m1[x][q] - m1[y][q]), sign(m2[x][q] - m2[y][q])
                if d1 * d2 < 0:
                    disagreements += 1
                    good1 = all(d1 * sign(gold[x][q] - gold[y][q]) >= 0 for gold in golds)
                    good2 = all(d2 * sign(gold[x][q] - gold[y][q]) >= 0 for gold in golds)
                    conc1 += good1
                    conc2 += good2
                    wins1 += good1 and not good2
                    wins2 += good2 and not good1
    return disagreements, conc1, conc2, wins1, wins2


# -- the swap method ------------------------------------------------------------------------------------------------


def swap_method(
    rows: Sequence[Sequence[float]], first_sets: Sequence[Sequence[int]], second_sets: Sequence[Sequence[int]]
) -> tuple[list[int], list[int]]:
    """OneDoc Fig. 4 with |D| in 21 bins of .01: counts and swap counts. rows: systems x topics; sets: topics drawn."""
    count, swap_count = [0] * 21, [0] * 21

    def mean(row: Sequence[float], topics: Sequence[int]) -> float:
        return math.fsum(row[q] for q in topics) / len(topics)

    for x, y in itertools.combinations(rows, 2):
        for one, two in zip(first_sets, second_sets, strict=True):
            d1, d2 = mean(x, one) - mean(y, one), mean(x, two) - mean(y, two)
            place = min(20, math.floor(round(abs(d1) * 100, 9)))
            count[place] += 1
            if sign(d1) * sign(d2) <= 0:
                swap_count[place] += 1
    return count, swap_count


def required_bin(count: Sequence[int], swapped: Sequence[int], limit: float) -> int | None:
    """The first bin that is not empty from which this and all higher ones have at most this swap rate."""
    for place in range(21):
        above = [i for i in range(place, 21) if count[i]]
        if count[place] and all(swapped[i] / count[i] <= limit for i in above):
            return place
    return None
