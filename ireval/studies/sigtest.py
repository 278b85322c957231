"""Is the difference real? One test on the systems of one measure, and all that should stand beside its p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ireval.core.scores import ScoreCube
from ireval.errors import DataError, UsageError
from ireval.stats.anova import Anova, Friedman, friedman, two_way_anova
from ireval.stats.effect import (
    deviations,
    paired_effects,
    power_of_t,
    residual_effects,
    row_means,
    t_half_widths,
    topics_needed,
)
from ireval.stats.multiple import CORRECTIONS, corrected, letters
from ireval.stats.pairs import differences, pair_numbers, smallest_difference
from ireval.stats.registry import PairOutcome, Resampling, SignificanceTest, all_tests
from ireval.stats.resample import Doubles, Ints
from ireval.stats.unpaired import STATISTICS, summary, unpaired_pairs


def default_test(systems: int) -> str:
    """Randomised Tukey HSD for three systems or more; its counterpart for two is the randomisation test."""
    return "hsd" if systems > 2 else "randomisation"


@dataclass(frozen=True)
class Request:
    """What is to be tested, and how. test: "" for the default. baseline: a system that all others are compared with.

    own_topics: the unpaired test leaves out, for each system, the topics that it has no score for.
    """

    test: str = ""
    correction: str = "holm"
    baseline: str | None = None
    statistic: str = "mean"
    power: bool = False
    own_topics: bool = False
    how: Resampling = field(default_factory=Resampling)


@dataclass(frozen=True)
class Pair:
    """Two systems, as numbers in the cube, and what was found.

    p: before correction; count / samples where it was counted (None where not). adjusted: after it, with 1 / samples
    (or what the test can resolve) for a p of 0. below: p is only known to be below that, and adjusted a bound. effect:
    the difference in standard deviations of the differences (unpaired: of the scores, pooled); residual_effect: of the
    two-way residuals. power: of a paired t-test with these topics for this effect; needed: topics for a power of .8
    (None: too many). What the unpaired test cannot know is None.
    """

    first: int
    second: int
    difference: float
    low: float
    high: float
    p: float
    adjusted: float
    below: bool
    different: bool
    count: int | None
    samples: int | None
    statistic: float | None
    effect: float
    residual_effect: float | None = None
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    power: float | None = None
    needed: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The test of one measure.

    means: of each system (or the statistic asked for), in the order of `systems`. order: systems, best first. pairs: in
    the order of the table, the better system first; against a baseline, the other system first. letters: of each
    system, None where not all pairs were tested. samples, seed: None where nothing was drawn. values [S, T].
    """

    measure: str
    better: str
    test: SignificanceTest
    alpha: float
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: Doubles
    means: tuple[float, ...]
    order: tuple[int, ...]
    statistic: str = "mean"
    correction: str = "none"
    pairs: tuple[Pair, ...] = ()
    letters: tuple[tuple[str, ...], ...] | None = None
    baseline: int | None = None
    samples: int | None = None
    seed: int | None = None
    exact: bool = False
    statistic_name: str = ""
    anova: Anova | None = None
    friedman: Friedman | None = None


def compare(cube: ScoreCube, row: int, request: Request) -> Comparison:
    """Test the systems of a cube by its measure number `row`."""
    test = _checked(cube, request)
    values = np.ascontiguousarray(cube.values[:, row, :])
    own = _own_scores(cube, values, request.own_topics and test.kind == "unpaired")
    means = np.array([float(summary(scores, request.statistic)) for scores in own])
    ranked = np.argsort(means if cube.better[row] == "low" else -means, kind="stable")
    baseline = None if request.baseline is None else cube.systems.index(request.baseline)
    first, second = _pairs(ranked, baseline)
    outcome = PairOutcome(np.ones(0))
    pairs: tuple[Pair, ...] = ()
    correction = "none" if test.kind in ("family", "omnibus") or len(first) == 1 else request.correction
    if test.kind == "unpaired":
        outcome, pairs = _unpaired(own, means, first, second, correction, request)
    elif test.run is not None:
        outcome = test.run(values, first, second, request.how)
        pairs = _paired(values, first, second, outcome, correction, request)
    drawn = test.resamples and not outcome.exact
    return Comparison(
        measure=cube.measures[row],
        better=cube.better[row],
        test=test,
        alpha=request.how.alpha,
        systems=cube.systems,
        topics=cube.topics,
        values=values,
        means=tuple(means.tolist()),
        order=tuple(ranked.tolist()),
        statistic=request.statistic,
        correction=correction,
        pairs=pairs,
        letters=_letters(pairs, ranked) if pairs and baseline is None else None,
        baseline=baseline,
        samples=request.how.samples if drawn else None,
        seed=request.how.seed if drawn else None,
        exact=outcome.exact,
        statistic_name=outcome.statistic_name,
        anova=two_way_anova(values) if test.kind != "unpaired" else None,
        friedman=friedman(values) if test.name == "friedman" else None,
    )


def _checked(cube: ScoreCube, request: Request) -> SignificanceTest:
    """The test, unless the request makes no sense."""
    known = all_tests()
    name = request.test or default_test(len(cube.systems))
    for what, value, choices in (
        ("test", name, known),
        ("correction", request.correction, CORRECTIONS),
        ("statistic", request.statistic, STATISTICS),
    ):
        if value not in choices:
            raise UsageError(f"no {what} {value}; there are {', '.join(choices)}")
    test = known[name]
    if request.statistic != "mean" and test.kind != "unpaired":
        raise UsageError(f"the {test.title} is not about the {STATISTICS[request.statistic]}; take the test unpaired")
    if not 0.0 < request.how.alpha < 1.0:
        raise UsageError(f"alpha: expected a number between 0 and 1, found {request.how.alpha}")
    if request.how.samples < 1:
        raise UsageError(f"samples: expected a number from 1 on, found {request.how.samples}")
    if len(cube.systems) < 2:
        raise UsageError(f"expected two systems at least to compare, found {len(cube.systems)}")
    if request.baseline is not None and request.baseline not in cube.systems:
        raise UsageError(f'baseline: no system "{request.baseline}"; there are {", ".join(cube.systems)}')
    if request.baseline is not None and test.kind == "omnibus":
        raise UsageError(f"the {test.title} is about all systems at once, so it takes no baseline")
    if request.power and test.kind in ("unpaired", "omnibus"):
        raise UsageError(f"power is that of a paired t-test, so it does not go with the {test.title}")
    if len(cube.topics) < 2:
        count = f"{len(cube.topics)} topic" + "s" * (len(cube.topics) != 1)
        raise DataError(f"a test needs at least two topics that all systems share, found {count}")
    return test


def _own_scores(cube: ScoreCube, values: Doubles, own_topics: bool) -> list[Doubles]:
    """The scores of each system, perhaps only of the topics that it has."""
    if not own_topics:
        return list(values)
    own = [row[~missing] for row, missing in zip(values, cube.missing, strict=True)]
    for system, scores in zip(cube.systems, own, strict=True):
        if len(scores) < 2:
            raise DataError(f'a test needs at least two topics of each system, found {len(scores)} of "{system}"')
    return own


def _pairs(ranked: Ints, baseline: int | None) -> tuple[Ints, Ints]:
    """Pairs to test, the better system first; with a baseline, each other system and the baseline."""
    if baseline is not None:
        others = ranked[ranked != baseline]
        return others, np.full(len(others), baseline)
    first, second = pair_numbers(len(ranked))
    return ranked[first], ranked[second]


def _paired(
    values: Doubles, first: Ints, second: Ints, outcome: PairOutcome, correction: str, request: Request
) -> tuple[Pair, ...]:
    """Everything about each pair that was tested on the same topics."""
    alpha, smallest = request.how.alpha, smallest_difference(values)
    z = differences(values, first, second)
    apart = row_means(z)
    apart[np.abs(apart) <= smallest] = 0.0
    half = t_half_widths(z, alpha) if outcome.half is None else outcome.half
    effects = paired_effects(z, smallest)
    residuals = residual_effects(apart, two_way_anova(values).residual.mean_square)
    decided = _decisions(outcome, correction, alpha)
    return tuple(
        Pair(
            first=int(first[p]),
            second=int(second[p]),
            difference=float(apart[p]),
            low=float(apart[p] - half[p]),
            high=float(apart[p] + half[p]),
            **decided[p],
            effect=float(effects[p]),
            residual_effect=float(residuals[p]),
            wins=int(np.count_nonzero(z[p] > 0)),
            ties=int(np.count_nonzero(z[p] == 0)),
            losses=int(np.count_nonzero(z[p] < 0)),
            power=power_of_t(float(effects[p]), z.shape[1], alpha) if request.power else None,
            needed=topics_needed(float(effects[p]), alpha) if request.power else None,
        )
        for p in range(len(first))
    )


def _unpaired(
    own: list[Doubles], means: Doubles, first: Ints, second: Ints, correction: str, request: Request
) -> tuple[PairOutcome, tuple[Pair, ...]]:
    """The unpaired bootstrap on all pairs."""
    how = request.how
    found = unpaired_pairs(
        own,
        list(zip(first.tolist(), second.tolist(), strict=True)),
        how.samples,
        how.seed,
        statistic=request.statistic,
        alpha=how.alpha,
        batch=how.batch,
        jobs=how.jobs,
        progress=how.progress,
    )
    count = np.array([one.count for one in found])
    outcome = PairOutcome(count / how.samples, count, np.full(len(found), how.samples))
    decided = _decisions(outcome, correction, how.alpha)
    return outcome, tuple(
        Pair(
            first=int(first[p]),
            second=int(second[p]),
            difference=one.difference,
            low=one.low,
            high=one.high,
            **decided[p],
            effect=_pooled_effect(own[first[p]], own[second[p]]),
        )
        for p, one in enumerate(found)
    )


def _pooled_effect(x: Doubles, y: Doubles) -> float:
    """Difference of means in pooled standard deviations of the scores (Cohen's d); 0/0 is 0."""
    apart = float(row_means(x[None])[0] - row_means(y[None])[0])
    squares = sum((len(scores) - 1) * float(deviations(scores[None])[0]) ** 2 for scores in (x, y))
    pooled = math.sqrt(squares / (len(x) + len(y) - 2))
    return apart / pooled if pooled > 0 else math.copysign(math.inf, apart) if apart else 0.0


def _decisions(outcome: PairOutcome, correction: str, alpha: float) -> list[dict[str, Any]]:
    """p of each pair, before and after correction, how it was counted, and whether the pair is said to differ.

    Where nothing was counted, p is below 1 / samples: the correction takes this bound, and a bound equal to the level
    will do.
    """
    adjusted, below = corrected(outcome.bound, correction), outcome.below_bound
    different = (adjusted < alpha) | (below & (adjusted <= alpha))
    return [
        {
            "p": float(outcome.p[p]),
            "adjusted": float(adjusted[p]),
            "below": bool(below[p]),
            "different": bool(different[p]),
            "count": None if outcome.count is None else int(outcome.count[p]),
            "samples": None if outcome.samples is None else int(outcome.samples[p]),
            "statistic": None if outcome.statistic is None else float(outcome.statistic[p]),
        }
        for p in range(len(outcome.p))
    ]


def _letters(pairs: Sequence[Pair], ranked: Ints) -> tuple[tuple[str, ...], ...]:
    """Letters of each system, in the order of the cube; they are given out in the order of the table."""
    place = {system: at for at, system in enumerate(ranked.tolist())}
    different = np.zeros((len(ranked), len(ranked)), np.bool_)
    for pair in pairs:
        i, j = place[pair.first], place[pair.second]
        different[i, j] = different[j, i] = pair.different
    named = letters(different)
    return tuple(tuple(named[place[system]]) for system in range(len(ranked)))


def expected_by_chance(pairs: int, alpha: float) -> int:
    """How many of so many uncorrected tests find a difference where there is none, rounded up."""
    return math.ceil(pairs * alpha - 1e-9)


def samples_needed(pairs: int, alpha: float) -> int:
    """Resamples with which a pair that no replicate reaches is found different after Bonferroni or Holm."""
    return math.ceil(pairs / alpha - 1e-9)
