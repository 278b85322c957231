"""Which measure is intuitive? The concordance test, and predictive power against what people preferred.

Sakai, How Intuitive Are Diversified Search Metrics? (2013), Fig. 3, and Sakai's lecture, Fig. 17: where two candidates
disagree about two ranked lists, simple gold measures that say what we want are the judge. Sanderson, Paramita, Clough &
Kanoulas, Do User Preferences and Evaluation Measures Line Up? (SIGIR 2010), let people be it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ireval.core.scores import ScoreCube
from ireval.stats.pairs import differences, pair_numbers
from ireval.stats.proportion import sign_test, wilson_interval
from ireval.stats.resample import Progress

Signs = NDArray[np.int8]


@dataclass(frozen=True)
class Concordance:
    """Two candidates against one gold measure, or several that must all agree.

    concordant_*: disagreements in which the candidate does not contradict the golds. wins_*: in which only this one
    does not. z, p: of the sign test of the wins.
    """

    golds: tuple[str, ...]
    first: str
    second: str
    comparisons: int
    disagreements: int
    concordant_first: int
    concordant_second: int
    wins_first: int
    wins_second: int
    z: float
    p: float

    @property
    def share_first(self) -> float:
        """Conc(first | second, gold); NaN where the two never disagree."""
        return self.concordant_first / self.disagreements if self.disagreements else float("nan")

    @property
    def share_second(self) -> float:
        """Conc(second | first, gold); NaN where the two never disagree."""
        return self.concordant_second / self.disagreements if self.disagreements else float("nan")


def preference_signs(cube: ScoreCube, measure: int) -> Signs:
    """Which run of each pair a measure prefers on each topic: 1 the first, -1 the second, 0 neither; [P, T]."""
    z = differences(cube.values[:, measure, :], *pair_numbers(len(cube.systems)))
    signs: Signs = np.sign(z).astype(np.int8)
    return -signs if cube.better[measure] == "low" else signs


def concordance(
    cube: ScoreCube,
    candidates: Sequence[int],
    gold_sets: Sequence[Sequence[int]],
    progress: Progress | None = None,
) -> list[Concordance]:
    """Every pair of candidates against every set of golds, in the order of the sets. Numbers are rows of the cube."""
    wanted = dict.fromkeys([*candidates, *(row for golds in gold_sets for row in golds)])
    signs = {row: preference_signs(cube, row) for row in wanted}
    pairs = list(combinations(candidates, 2))
    found: list[Concordance] = []
    for golds in gold_sets:
        judges = np.stack([signs[row] for row in golds])
        against = {sign: (judges == -sign).any(axis=0) for sign in (-1, 1)}  # whom some gold contradicts
        for first, second in pairs:
            one, two = signs[first], signs[second]
            disagree = one * two < 0
            up = one[disagree] > 0
            good_first = ~np.where(up, against[1][disagree], against[-1][disagree])
            good_second = ~np.where(up, against[-1][disagree], against[1][disagree])
            wins_first = int(np.count_nonzero(good_first & ~good_second))
            wins_second = int(np.count_nonzero(good_second & ~good_first))
            found.append(
                Concordance(
                    tuple(cube.measures[row] for row in golds),
                    cube.measures[first],
                    cube.measures[second],
                    one.size,
                    int(np.count_nonzero(disagree)),
                    int(np.count_nonzero(good_first)),
                    int(np.count_nonzero(good_second)),
                    wins_first,
                    wins_second,
                    *sign_test(wins_first, wins_second),
                )
            )
            if progress is not None:
                progress(len(found), len(pairs) * len(gold_sets))
    return found


# -- who is better than whom ----------------------------------------------------------------------------------------

Relation = set[tuple[str, str]]
"""(a, b): a is significantly better than b."""


def significantly_better(pairs: Sequence[Concordance], alpha: float) -> Relation:
    """The relation >> among the candidates of some pairs, which all have the same golds."""
    return {
        (pair.first, pair.second) if pair.wins_first > pair.wins_second else (pair.second, pair.first)
        for pair in pairs
        if pair.p < alpha
    }


def broken_transitivity(relation: Relation) -> list[tuple[str, str, str]]:
    """(a, b, c) with a >> b and b >> c, but not a >> c."""
    return [(a, b, c) for a, b in sorted(relation) for x, c in sorted(relation) if x == b and (a, c) not in relation]


def chain(names: Sequence[str], relation: Relation) -> list[list[str]] | None:
    """The candidates in groups, each of whose members is better than all of the later groups and no other.

    None where the relation cannot be told that way.
    """
    beaten = {name: frozenset(b for a, b in relation if a == name) for name in names}
    groups: dict[frozenset[str], list[str]] = {}
    for name in sorted(names, key=lambda name: -len(beaten[name])):
        groups.setdefault(beaten[name], []).append(name)
    order = list(groups.values())
    for i, group in enumerate(order):
        if beaten[group[0]] != {name for later in order[i + 1 :] for name in later}:
            return None
    return order


def covering(relation: Relation) -> list[tuple[str, str]]:
    """The pairs from which a transitive relation follows: those with nobody between them."""
    members = {name for pair in relation for name in pair}
    return [(a, c) for a, c in sorted(relation) if not any((a, b) in relation and (b, c) in relation for b in members)]


# -- people -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preferences:
    """What people said: on topic [N], between runs first [N] and second [N]; verdict 1 first, -1 second, 0 alike.

    All numbers are those of the cube.
    """

    topic: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    verdict: NDArray[np.int64]


@dataclass(frozen=True)
class PredictivePower:
    """How often a measure prefers what people prefer. tied: the measure has no preference; alike: people have none.

    power: right / (right + wrong + tied), with its 95 % interval (Wilson's).
    """

    measure: str
    right: int
    wrong: int
    tied: int
    alike: int
    power: float
    low: float
    high: float


def predictive_power(cube: ScoreCube, measure: int, preferences: Preferences) -> PredictivePower:
    """One measure against people's preferences; those without a winner are left out and counted."""
    values = cube.values[:, measure, :]
    sides = np.stack([values[preferences.first, preferences.topic], values[preferences.second, preferences.topic]])
    z = differences(sides, np.array([0]), np.array([1]))[0]
    opinion = np.sign(-z if cube.better[measure] == "low" else z) * preferences.verdict
    strict = preferences.verdict != 0
    right, wrong = int(np.count_nonzero(opinion > 0)), int(np.count_nonzero(opinion < 0))
    asked = int(np.count_nonzero(strict))
    return PredictivePower(
        cube.measures[measure],
        right,
        wrong,
        asked - right - wrong,
        len(strict) - asked,
        right / asked if asked else float("nan"),
        *wilson_interval(right, asked),
    )
