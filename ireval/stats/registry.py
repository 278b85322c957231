"""What a significance test is: its name, what it says in words, and the function that runs it.

A test is added by one decorated function. It gets the scores of all systems and the pairs to test, and hands back one p
a pair (`PairOutcome`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module

import numpy as np

from ireval.stats.resample import Bools, Doubles, Ints, Progress


@dataclass(frozen=True)
class Resampling:
    """How random draws are made, and the level asked for. batch and jobs change the time only."""

    samples: int = 10_000
    seed: int = 1
    alpha: float = 0.05
    batch: int | None = None
    jobs: int = 1
    progress: Progress | None = None


@dataclass(frozen=True, eq=False, repr=False)
class PairOutcome:
    """What a test found for each pair.

    p [P]; 0 in a resampling test means below 1 / samples. count, samples [P]: how p was counted, None where it was not.
    exact [P]: all cases were enumerated. statistic [P] and its name. half [P]: half the width of the confidence
    interval of the difference that belongs to the test, None where it has none of its own. resolution: a p below it is
    0 here, as nothing more is known of it.
    """

    p: Doubles
    count: Ints | None = None
    samples: Ints | None = None
    exact: bool = False
    statistic: Doubles | None = None
    statistic_name: str = ""
    half: Doubles | None = None
    resolution: float = 0.0

    @property
    def bound(self) -> Doubles:
        """p, and 1 / samples (or the resolution) where nothing was found: p is known to be below; [P]."""
        if self.count is None or self.samples is None:
            return np.maximum(self.p, self.resolution)
        return np.maximum(self.count, 1) / self.samples

    @property
    def below_bound(self) -> Bools:
        """Whether only a bound of p is known; [P]."""
        return self.p < self.resolution if self.count is None else self.count == 0


Run = Callable[[Doubles, Ints, Ints, Resampling], PairOutcome]


@dataclass(frozen=True)
class SignificanceTest:
    """A test in words, and the function that runs it.

    kind: "pair" (looks at two systems, so that several pairs need a correction), "unpaired" (likewise, but takes sets
    of scores that need not be of the same topics), "family" (looks at all systems at once; its p hold for all pairs
    together) or "omnibus" (only says whether any systems differ). Only pair and family tests have a `run` of this kind.
    hypothesis, assumes: ends of a sentence. interval: what the confidence interval of a difference is.
    """

    name: str
    title: str
    kind: str
    hypothesis: str
    assumes: str
    cite: str
    interval: str = ""
    resamples: bool = False
    run: Run | None = None


KINDS = ("pair", "unpaired", "family", "omnibus")
_MODULES = ("ireval.stats.paired", "ireval.stats.unpaired", "ireval.stats.tukey", "ireval.stats.anova")
_TESTS: dict[str, SignificanceTest] = {}


def significance_test(test: SignificanceTest) -> Callable[[Run], Run]:
    """Add a test with the function that runs it."""

    def add(run: Run) -> Run:
        _TESTS[test.name] = replace(test, run=run)
        return run

    return add


def describe(test: SignificanceTest) -> SignificanceTest:
    """Add a test that is run in a way of its own."""
    _TESTS[test.name] = test
    return test


def all_tests() -> dict[str, SignificanceTest]:
    """Name -> test, by kind and name."""
    for module in _MODULES:
        import_module(module)
    return {test.name: test for test in sorted(_TESTS.values(), key=lambda test: (KINDS.index(test.kind), test.name))}
