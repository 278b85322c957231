"""Which measure tells systems apart? Discriminative power.

Sakai, Evaluating Evaluation Metrics based on the Bootstrap (SIGIR 2006); Sakai's lecture, section 5.1, and his
Evaluating the Task of Finding One Highly Relevant Document (2006), section 4.3. Every pair of systems is tested with
every measure, on the same resamples; a measure that finds more pairs significant at the same level is the more
discriminative one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ireval.core.scores import ScoreCube
from ireval.stats.pairs import PairCounts, paired_bootstrap
from ireval.stats.resample import Progress, within
from ireval.stats.tukey import randomised_tukey

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

TESTS = {"bootstrap": "paired bootstrap test", "hsd": "randomised Tukey HSD"}
"""How pairs may be tested."""


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination:
    """How well a measure tells systems apart.

    significant: pairs with ASL < alpha. required: the difference of means that significance takes: for the bootstrap
    the largest of all pairs' estimates (Sakai 2006, Fig. 7), for HSD the smallest difference found significant; NaN
    where there is none. first, second, difference, count [P]: of every pair; count: replicates out of `samples`
    that are at least as extreme as what was seen.
    """

    measure: str
    test: str
    alpha: float
    significant: int
    required: float
    first: Ints
    second: Ints
    difference: Doubles
    count: Ints
    samples: int

    @property
    def asl(self) -> Doubles:
        """Achieved significance level, count / samples; [P]. 0 means below 1 / samples."""
        return self.count / self.samples

    @property
    def pairs(self) -> int:
        """How many pairs of systems there are."""
        return len(self.count)

    @property
    def share(self) -> float:
        """Significant pairs over all pairs."""
        return self.significant / self.pairs

    @property
    def curve(self) -> Doubles:
        """ASL of the pairs from high to low: the ASL curve (Lecture, Fig. 16); [P]."""
        return np.sort(self.asl)[::-1]


def discriminate(
    values: Doubles,
    measure: str,
    test: str,
    *,
    samples: int = 1000,
    seed: int = 1,
    alpha: float = 0.05,
    jobs: int = 1,
    batch: int | None = None,
    progress: Progress | None = None,
) -> Discrimination:
    """One measure's discriminative power. values [S, T]: systems x topics."""
    found = _tested(values, test, samples, seed, alpha, jobs, batch, progress)
    means = np.cumsum(values, axis=1)[:, -1] / values.shape[1]
    difference = means[found.first] - means[found.second]
    significant = found.asl < alpha
    required = float("nan")
    if test == "bootstrap":
        assert found.required is not None
        required = float(found.required.max()) or float("nan")  # 0: no two systems differ on any topic
    elif bool(significant.any()):
        required = float(np.abs(difference[significant]).min())
    return Discrimination(
        measure,
        test,
        alpha,
        int(np.count_nonzero(significant)),
        required,
        found.first,
        found.second,
        difference,
        found.count,
        samples,
    )


def _tested(
    values: Doubles,
    test: str,
    samples: int,
    seed: int,
    alpha: float,
    jobs: int,
    batch: int | None,
    progress: Progress | None,
) -> PairCounts:
    if test == "bootstrap":
        return paired_bootstrap(values, samples, seed, alpha=alpha, jobs=jobs, batch=batch, progress=progress)
    if test == "hsd":
        return randomised_tukey(values, samples, seed, jobs=jobs, batch=batch, progress=progress)
    raise ValueError(f"expected one of {', '.join(TESTS)}, found {test}")


def discriminate_all(
    cube: ScoreCube,
    test: str,
    *,
    samples: int = 1000,
    seed: int = 1,
    alpha: float = 0.05,
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Discrimination]:
    """Every measure of a cube, the same resamples for all, in the order of the cube."""
    how = {"samples": samples, "seed": seed, "jobs": jobs}
    found = []
    for v, measure in enumerate(cube.measures):
        values = np.ascontiguousarray(cube.values[:, v, :])
        own = within(progress, v, len(cube.measures))
        found.append(discriminate(values, measure, test, alpha=alpha, **how, progress=own))
    return found


def best_first(found: Sequence[Discrimination]) -> list[Discrimination]:
    """The most discriminative measure first; equal ones stay in their order."""
    return sorted(found, key=lambda one: -one.significant)
