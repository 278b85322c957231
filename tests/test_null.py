"""How often tests find a difference: rarely where there is none, often where there is one. Fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from ireval.stats.anova import friedman, studentised_range_tail, two_way_anova
from ireval.stats.multiple import corrected
from ireval.stats.pairs import pair_numbers
from ireval.stats.registry import Resampling, all_tests
from ireval.stats.tukey import randomised_tukey
from ireval.stats.unpaired import unpaired_bootstrap

EXPERIMENTS, TOPICS, ALPHA = 2000, 25, 0.05
LOWER, UPPER = (int(binom.ppf(edge, EXPERIMENTS, ALPHA)) for edge in (0.001, 0.999))
"""Between these lie 99.8 % of the numbers of rejections of a test that keeps its level exactly."""


def experiments(systems: int, seed: int, shift: float = 0.0) -> np.ndarray:
    """Scores [E, S, T]: topics are of different difficulty, the first system better by `shift` deviations."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0.5, 0.2, (EXPERIMENTS, 1, TOPICS)) + rng.normal(0.0, 0.1, (EXPERIMENTS, systems, TOPICS))
    values[:, 0] += shift * 0.1 * np.sqrt(2.0)
    return values


def p_of_pairs(name: str, values: np.ndarray, samples: int = 1000) -> np.ndarray:
    """p of all pairs of each experiment [E, P], all experiments in one call."""
    count, systems, topics = values.shape
    first, second = pair_numbers(systems)
    start = np.arange(count)[:, None] * systems
    test = all_tests()[name].run
    assert test is not None
    flat = values.reshape(count * systems, topics)
    found = test(flat, (start + first).ravel(), (start + second).ravel(), Resampling(samples, 1, jobs=2))
    return found.p.reshape(count, len(first))


@pytest.mark.parametrize("name", [name for name, test in all_tests().items() if test.kind == "pair"])
def test_pairs_under_the_null(name: str) -> None:
    rejected = int((p_of_pairs(name, experiments(2, 11)) < ALPHA).sum())
    assert rejected <= UPPER
    if name in ("t", "randomisation"):
        assert rejected >= LOWER


def test_unpaired_under_the_null() -> None:
    rng = np.random.default_rng(12)
    rejected = 0
    for seed in range(EXPERIMENTS):
        x, y = rng.beta(1, 2, 20), rng.beta(1, 2, 30)
        rejected += unpaired_bootstrap(x, y, 200, seed).count < ALPHA * 200
    assert rejected <= UPPER


def test_randomised_tukey_under_the_null() -> None:
    """Family-wise: the largest of six differences."""
    rejected = 0
    for seed, values in enumerate(experiments(4, 13)):
        rejected += bool((randomised_tukey(values, 200, seed).asl < ALPHA).any())
    assert LOWER <= rejected <= UPPER


@pytest.mark.parametrize("how", ["bonferroni", "holm", "bh"])
@pytest.mark.parametrize("name", ["t", "wilcoxon"])
def test_corrections_under_the_null(how: str, name: str) -> None:
    """Family-wise, on six pairs. Uncorrected, it would go far beyond."""
    p = p_of_pairs(name, experiments(4, 14))
    rejected = sum(bool((corrected(row, how) < ALPHA).any()) for row in p)
    assert rejected <= UPPER
    assert int((p < ALPHA).any(axis=1).sum()) > 2 * UPPER


def test_families_under_the_null() -> None:
    """Tukey HSD by its largest difference, ANOVA, Friedman."""
    largest, anova_p, friedman_p = [], [], []
    for values in experiments(4, 15):
        found = two_way_anova(values)
        means = values.mean(axis=1)
        largest.append((means.max() - means.min()) / np.sqrt(found.residual.mean_square / TOPICS))
        anova_p.append(found.systems.p)
        friedman_p.append(friedman(values).p)
    tukey_p = studentised_range_tail(np.array(largest), 4, 3 * (TOPICS - 1))
    assert LOWER <= int((tukey_p < ALPHA).sum()) <= UPPER
    assert LOWER <= int((np.array(anova_p) < ALPHA).sum()) <= UPPER
    assert int((np.array(friedman_p) < ALPHA).sum()) <= UPPER


def test_power_under_a_normal_shift() -> None:
    """t, randomisation and bootstrap find more than the sign test; t finds as many as theory says."""
    from ireval.stats.effect import power_of_t

    values = experiments(2, 16, shift=0.5)
    found = {
        name: int((p_of_pairs(name, values) < ALPHA).sum()) for name in ("t", "randomisation", "bootstrap", "sign")
    }
    for name in ("t", "randomisation", "bootstrap"):
        assert found[name] > found["sign"] + 50, found
    expected = power_of_t(0.5, TOPICS, ALPHA)
    assert found["t"] / EXPERIMENTS == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / EXPERIMENTS))
