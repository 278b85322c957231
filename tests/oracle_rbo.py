"""Rank-biased overlap, slowly and from the definitions: loops only, nothing of ireval, no numpy.

A ranking is a list of tie groups, best first. The bounds are not taken from formulas: the lists are really continued,
with nothing in common (minimum) or with as much as possible (maximum), down to a depth whose weight cannot be seen.
"""

from __future__ import annotations

from collections.abc import Hashable

Ranking = list[list[Hashable]]
DEEP = 160  # for p up to 0.8: 0.8^160 is 3e-16


def tie_bounds(ranking: Ranking) -> dict[Hashable, tuple[int, int]]:
    """Item -> first and last rank of its group, from 1."""
    bounds, rank = {}, 0
    for group in ranking:
        for item in group:
            bounds[item] = (rank + 1, rank + len(group))
        rank += len(group)
    return bounds


def contribution(bounds: tuple[int, int], depth: int, ties: str) -> float:
    top, bottom = bounds
    if depth < top:
        return 0.0
    if ties == "w" or depth >= bottom:
        return 1.0
    return (depth - top + 1) / (bottom - top + 1)


def agreement(first: dict, second: dict, depth: int, ties: str, extra: float = 0.0, missing: int = 0) -> float:
    """extra: overlap to be added; missing: untied items of `first` within the depth that the list does not show."""
    one = {item: contribution(bounds, depth, ties) for item, bounds in first.items()}
    two = {item: contribution(bounds, depth, ties) for item, bounds in second.items()}
    overlap = extra + sum(one[item] * two[item] for item in one if item in two)
    if ties == "w":
        return 2 * overlap / (sum(one.values()) + missing + sum(two.values()))
    if ties == "a":
        return overlap / depth
    squares = [sum(c * c for c in one.values()) + missing, sum(c * c for c in two.values())]
    return overlap / (squares[0] * squares[1]) ** 0.5


def summed(first: Ranking, second: Ranking, p: float, ties: str, depth: int) -> float:
    one, two = tie_bounds(first), tie_bounds(second)
    return (1 - p) * sum(p ** (d - 1) * agreement(one, two, d, ties) for d in range(1, depth + 1))


def items(ranking: Ranking) -> list[Hashable]:
    return [item for group in ranking for item in group]


def minimum(first: Ranking, second: Ranking, p: float, ties: str) -> float:
    """Both lists go on with items that are in no other list."""
    longer = [
        ranking + [[(name, rank)] for rank in range(len(items(ranking)), DEEP)]
        for name, ranking in (("one", first), ("two", second))
    ]
    return summed(longer[0], longer[1], p, ties, DEEP)


def maximum(first: Ranking, second: Ranking, p: float, ties: str) -> float:
    """The shorter list catches up with the other's unmatched items in order; then each takes the other's rest."""
    short, long = sorted((first, second), key=lambda ranking: len(items(ranking)))
    wanted_by_short = [item for item in items(long) if item not in set(items(short))]
    wanted_by_long = [item for item in items(short) if item not in set(items(long))]
    gap = len(items(long)) - len(items(short))
    short = short + [[item] for item in wanted_by_short]
    long = long + [[item] for item in wanted_by_long]
    assert len(wanted_by_short) >= gap
    while len(items(short)) < DEEP:
        new: list[Hashable] = [("new", len(items(short)))]
        short, long = [*short, new], [*long, new]
    return summed(short, long, p, ties, DEEP)


def extrapolated(first: Ranking, second: Ranking, p: float, ties: str) -> float:
    """Webber et al. (32); with ties, unmatched items count with their mean contribution (Corsi & Urbano, section 4)."""
    one, two = sorted((tie_bounds(first), tie_bounds(second)), key=len)
    short, long = len(one), len(two)
    total = 0.0
    for d in range(1, short + 1):
        total += p**d * agreement(one, two, d, ties)
    at_short = agreement(one, two, short, ties)
    for d in range(short + 1, long + 1):
        partial = [contribution(bounds, d, ties) for item, bounds in two.items() if item not in one]
        active = [c for c in partial if c > 0]
        extra = (d - short) * at_short * sum(active) / len(active)
        total += p**d * agreement(one, two, d, ties, extra, d - short)
    common = len(set(one) & set(two))
    last = (common + (long - short) * at_short) / long
    return (1 - p) / p * (total + last * p ** (long + 1) / (1 - p))
