"""Many pairs at once: p corrected for their number, and letters for systems that cannot be told apart."""

from __future__ import annotations

import numpy as np

from ireval.stats.resample import Bools, Doubles

CORRECTIONS = {
    "none": "no correction",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
}
"""Name -> what it is called."""

FAMILY_WISE = ("bonferroni", "holm")
"""Corrections that bound the chance of any error at all; Benjamini-Hochberg bounds the share of errors."""


def corrected(p: Doubles, how: str) -> Doubles:
    """p of several tests, each to be compared with the level as if it were the only one; [P].

    Holm, Scandinavian Journal of Statistics 6 (1979); Benjamini & Hochberg, J. R. Statist. Soc. B 57 (1995).
    """
    n = len(p)
    if how == "none" or n == 0:
        return np.array(p)
    if how == "bonferroni":
        return np.array(np.minimum(1.0, p * n))
    order = np.argsort(p, kind="stable")
    found = np.empty(n)
    if how == "holm":
        found[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * (n - np.arange(n))))
    else:
        rising = p[order] * n / np.arange(1, n + 1)
        found[order] = np.minimum(1.0, np.minimum.accumulate(rising[::-1])[::-1])
    return found


def letter_groups(different: Bools) -> list[list[int]]:
    """Groups of systems that cannot be told apart: two systems share a group exactly when they do not differ.

    different [S, S]: symmetric, systems in the order in which they are shown. Groups begin in that order; each is as
    large as it can be, and none could be left out. Piepho, Journal of Computational and Graphical Statistics 13 (2004),
    on such displays.
    """
    alike = np.logical_not(different)
    np.fill_diagonal(alike, True)
    count = len(alike)
    covered = np.zeros((count, count), np.bool_)
    groups: list[list[int]] = []
    for i in range(count):
        for j in range(count - 1, i - 1, -1):  # the one furthest away first: it makes the largest groups
            if not alike[i, j] or covered[i, j]:
                continue
            members = [i] if i == j else [i, j]
            fits: Bools = np.logical_and.reduce(alike[members])
            fits[members] = False
            for k in range(count):
                if fits[k]:
                    members.append(k)
                    fits &= alike[k]
                    fits[k] = False
            members.sort()
            covered[np.ix_(members, members)] = True
            groups.append(members)
    return sorted(_needed(groups, count))


def _needed(groups: list[list[int]], count: int) -> list[list[int]]:
    """The groups without those whose pairs all stand in others too, the smallest looked at first."""
    times = np.zeros((count, count), np.int64)
    for members in groups:
        times[np.ix_(members, members)] += 1
    found = []
    for members in sorted(groups, key=len):
        inner = np.ix_(members, members)
        if bool((times[inner] > 1).all()):
            times[inner] -= 1
        else:
            found.append(members)
    return found


def letters(different: Bools) -> list[list[str]]:
    """The names of the groups that each system is in: a, b, ..., z, aa, ab, ...; one list a system."""
    groups = letter_groups(different)
    found: list[list[str]] = [[] for _ in range(len(different))]
    for number, members in enumerate(groups):
        for system in members:
            found[system].append(letter(number))
    return found


def letter(number: int) -> str:
    """0 -> a, 25 -> z, 26 -> aa, as columns of a spreadsheet are counted."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("a") + rest) + name
    return name
