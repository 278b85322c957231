"""Significance tests: scipy, published examples, exact enumeration, slow twins; corrections, letters, power."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import oracle_sigtest as oracle
import pytest
import scipy.stats

from ireval.core.scores import MIN_GEOMETRIC
from ireval.stats import paired, unpaired
from ireval.stats.anova import critical_range, friedman, studentised_range_tail, two_way_anova
from ireval.stats.effect import paired_effects, power_of_t, t_half_widths, topics_needed
from ireval.stats.multiple import corrected, letter, letter_groups, letters
from ireval.stats.pairs import pair_numbers, pair_places
from ireval.stats.registry import PairOutcome, Resampling, all_tests
from ireval.stats.resample import in_threads
from ireval.stats.unpaired import FLOOR, pooled_counts, summary, unpaired_bootstrap, unpaired_pairs

DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Darwin's maize, crossed minus self-fertilised, eighths of an inch: Fisher, The Design of Experiments (1935);
his randomisation test is in section 21."""
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
"""Hours of sleep gained: Student, The Probable Error of a Mean (1908)."""
PENICILLIN = [[89, 84, 81, 87, 79], [88, 77, 87, 92, 81], [97, 92, 87, 89, 80], [94, 79, 85, 84, 88]]
"""Treatments x blends: Box, Hunter & Hunter, Statistics for Experimenters (1978), p. 209."""
ROUNDING = """
5.40 5.50 5.55 5.85 5.70 5.75 5.20 5.60 5.50 5.55 5.50 5.40 5.90 5.85 5.70 5.45 5.55 5.60 5.40 5.40 5.35 5.45
5.50 5.35 5.25 5.15 5.00 5.85 5.80 5.70 5.25 5.20 5.10 5.65 5.55 5.45 5.60 5.35 5.45 5.05 5.00 4.95 5.50 5.50 5.40 5.45
5.55 5.50 5.55 5.55 5.35 5.45 5.50 5.55 5.50 5.45 5.25 5.65 5.60 5.40 5.70 5.65 5.55 6.30 6.30 6.25"""
"""22 players x 3 ways of rounding first base: Hollander & Wolfe, Nonparametric Statistical Methods (1973), p. 140 ff.;
in the edition of 1999 table 7.1. R's `friedman.test` has them in its help."""

ONE_PAIR = (np.array([0]), np.array([1]))
EXAMPLE_P = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528]
EXAMPLE_P += [0.7590, 1.0]
"""The example of Benjamini & Hochberg (1995), data of Neuhaus et al."""


def run(name: str, values: object, **how: object) -> PairOutcome:
    """A test on all pairs."""
    scores = np.asarray(values, float)
    test = all_tests()[name].run
    assert test is not None
    return test(scores, *pair_numbers(len(scores)), Resampling(**how))  # type: ignore[arg-type]


def against_zero(z: list[float]) -> np.ndarray:
    return np.array([z, [0.0] * len(z)])


def some_scores(systems: int = 5, topics: int = 20, decimals: int = 2) -> np.ndarray:
    rng = np.random.default_rng(21)
    return np.round(rng.beta(1, 2, (1, topics)) + rng.normal(0.0, 0.2, (systems, topics)), decimals)


PAIR_TESTS = [name for name, test in all_tests().items() if test.kind == "pair"]


# -- published examples ---------------------------------------------------------------------------------------------


def test_student_sleep() -> None:
    found = run("t", against_zero(SLEEP))
    assert found.statistic is not None and found.half is not None
    assert found.statistic[0] == pytest.approx(4.0621, abs=5e-5)
    assert found.p[0] == pytest.approx(0.002833, abs=5e-7)
    assert 1.58 - found.half[0] == pytest.approx(0.7001142, abs=5e-8)
    assert 1.58 + found.half[0] == pytest.approx(2.4598858, abs=5e-8)


def test_darwin_maize() -> None:
    """Fisher's t of 2.148; his randomisation test: 863 of 32,768 sums reach 314; and the sign test with 13 : 2."""
    t = run("t", against_zero(DARWIN))
    assert t.statistic is not None
    assert t.statistic[0] == pytest.approx(2.148, abs=5e-4)
    assert t.p[0] == pytest.approx(0.0497, abs=5e-5)
    flips = run("randomisation", against_zero(DARWIN))
    assert flips.exact and flips.count is not None and flips.samples is not None
    assert (flips.count[0], flips.samples[0]) == (2 * 863, 32_768)
    assert run("sign", against_zero(DARWIN)).p[0] == pytest.approx(2 * (1 + 15 + 105) / 32_768, rel=1e-12)
    ranks = run("wilcoxon", against_zero(DARWIN))
    assert ranks.statistic is not None
    assert ranks.statistic[0] == 24.0
    assert ranks.p[0] == pytest.approx(0.041259765625, rel=1e-12)


def test_penicillin() -> None:
    """Sums of squares 70, 264 and 226; F 1.24 for treatments and 3.51 for blends."""
    found = two_way_anova(np.array(PENICILLIN, float))
    assert [row.squares for row in found.rows] == pytest.approx([70.0, 264.0, 226.0])
    assert [row.freedom for row in found.rows] == [3, 4, 12]
    assert found.systems.f == pytest.approx(1.24, abs=0.005)
    assert found.topics.f == pytest.approx(3.51, abs=0.01)
    assert found.systems.p == pytest.approx(float(scipy.stats.f.sf(found.systems.f, 3, 12)), rel=1e-12)
    assert found.residual.f is None


def test_rounding_first_base() -> None:
    values = np.array(ROUNDING.split(), float).reshape(22, 3).T
    found = friedman(values)
    assert found.chi_square == pytest.approx(11.143, abs=5e-4)
    assert found.p == pytest.approx(0.003805, abs=5e-7)
    expected = scipy.stats.friedmanchisquare(*values)
    assert (found.chi_square, found.p) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)
    assert sum(found.mean_ranks) == pytest.approx(6.0)


def test_tukey_tables() -> None:
    """q.05 of the usual tables: 3.88 for 3 groups and 10 degrees of freedom, 4.23 for 5 and 20, 3.31 for infinity."""
    assert critical_range(0.05, 3, 10) == pytest.approx(3.88, abs=0.005)
    assert critical_range(0.05, 5, 20) == pytest.approx(4.23, abs=0.005)
    assert critical_range(0.05, 3, 100_000) == pytest.approx(3.31, abs=0.005)
    assert critical_range(0.01, 4, 12) == pytest.approx(5.50, abs=0.005)


def test_benjamini_hochberg_example() -> None:
    """The paper: Bonferroni finds three, the false discovery rate of .05 four."""
    p = np.array(EXAMPLE_P)
    assert int((corrected(p, "bonferroni") < 0.05).sum()) == 3
    assert int((corrected(p, "holm") < 0.05).sum()) == 3
    assert int((corrected(p, "bh") < 0.05).sum()) == 4


def test_cohen_power() -> None:
    """d .5, two-sided .05: 34 pairs have a power of .8078; .2 needs 199, .8 needs 15 (Faul et al., G*Power)."""
    assert power_of_t(0.5, 34, 0.05) == pytest.approx(0.8077775, abs=5e-7)
    assert [topics_needed(d, 0.05) for d in (0.2, 0.5, -0.5, 0.8)] == [199, 34, 34, 15]
    for d in (0.2, 0.5, 0.8, 3.0):
        n = topics_needed(d, 0.05) or 0
        assert power_of_t(d, n, 0.05) >= 0.8
        assert n == 2 or power_of_t(d, n - 1, 0.05) < 0.8
    assert power_of_t(0.0, 20, 0.05) == pytest.approx(0.05, abs=1e-9)
    assert topics_needed(0.0, 0.05) is None
    assert power_of_t(math.inf, 5, 0.05) == 1.0
    assert power_of_t(5.0, 5000, 0.05) == 1.0


# -- scipy ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decimals", [1, 8])
def test_classical_tests_are_scipys(decimals: int) -> None:
    values = some_scores(decimals=decimals)
    t, sign = run("t", values), run("sign", values)
    for p, (i, j) in enumerate(zip(*pair_numbers(len(values)), strict=True)):
        expected = scipy.stats.ttest_rel(values[i], values[j])
        assert t.statistic is not None and t.half is not None
        assert (t.statistic[p], t.p[p]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
        interval = expected.confidence_interval(0.95)
        assert 2 * t.half[p] == pytest.approx(interval.high - interval.low, rel=1e-9)
        z = np.round(values[i] - values[j], 10)
        wins, losses = int((z > 0).sum()), int((z < 0).sum())
        assert sign.p[p] == pytest.approx(scipy.stats.binomtest(wins, wins + losses).pvalue, rel=1e-12)


@pytest.mark.parametrize("topics", [12, 50, 51, 200])
def test_wilcoxon_is_scipys_without_ties(topics: int) -> None:
    """Exact up to 50 topics, then normal."""
    values = np.random.default_rng(4).normal(size=(3, topics))
    found = run("wilcoxon", values)
    for p, (i, j) in enumerate(zip(*pair_numbers(3), strict=True)):
        method = "exact" if topics <= paired.EXACT_RANKS else "approx"
        expected = scipy.stats.wilcoxon(values[i], values[j], method=method)
        assert found.statistic is not None
        assert (found.statistic[p], found.p[p]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


def test_wilcoxon_with_many_ties_is_scipys() -> None:
    values = np.random.default_rng(4).integers(0, 6, (2, 120)) / 10
    expected = scipy.stats.wilcoxon(np.round(values[0] - values[1], 10), method="approx")
    assert run("wilcoxon", values).p[0] == pytest.approx(expected.pvalue, rel=1e-9)


def test_tukey_is_scipys_range() -> None:
    values = some_scores(systems=4)
    found = run("tukey", values)
    residual = two_way_anova(values).residual
    assert found.statistic is not None and found.half is not None
    expected = scipy.stats.studentized_range.sf(found.statistic, 4, residual.freedom)
    assert found.p == pytest.approx(expected, abs=1e-10)
    limit = scipy.stats.studentized_range.ppf(0.95, 4, residual.freedom) * math.sqrt(residual.mean_square / 20)
    assert found.half == pytest.approx(np.full(6, limit), rel=1e-8)


@pytest.mark.parametrize(("groups", "freedom"), [(2, 1), (2, 2), (3, 4), (5, 7), (10, 441), (30, 29), (129, 6272)])
def test_studentised_range(groups: int, freedom: int) -> None:
    q = np.array([0.0, 0.1, 1.0, 2.5, 4.0, 6.0, 9.0])
    expected = scipy.stats.studentized_range.sf(q, groups, freedom)
    assert studentised_range_tail(q, groups, freedom) == pytest.approx(expected, abs=1e-10)
    assert studentised_range_tail(np.array([math.inf]), groups, freedom).tolist() == [0.0]


def test_two_systems_make_one_test() -> None:
    """F is t squared, and Tukey HSD is the t-test."""
    values = some_scores(systems=2)
    t = run("t", values)
    assert t.statistic is not None
    assert two_way_anova(values).systems.f == pytest.approx(float(t.statistic[0]) ** 2, rel=1e-9)
    assert run("tukey", values).p[0] == pytest.approx(t.p[0], abs=1e-9)


def test_sampled_tests_come_near_the_t_test() -> None:
    values = np.random.default_rng(2).normal(0.0, 0.2, (4, 60)) + np.array([[0.0], [0.03], [0.05], [0.08]])
    t = run("t", values)
    for name in ("randomisation", "bootstrap"):
        assert run(name, values, samples=4000).p == pytest.approx(t.p, abs=0.03), name


# -- enumeration and twins ------------------------------------------------------------------------------------------


def test_randomisation_twin() -> None:
    """Exact where few topics differ; sampled with the documented signs elsewhere; the same tie rules."""
    values = some_scores(topics=18, decimals=1)
    values[1, :8] = values[0, :8]
    exact = oracle.fractions(values.tolist())
    found = run("randomisation", values, samples=300, seed=9)
    drawn = (np.random.default_rng(9).random((300, 18)) < 0.5).tolist()
    assert not found.exact and found.count is not None and found.samples is not None
    for p, (i, j) in enumerate(zip(*pair_numbers(5), strict=True)):
        n = sum(a != b for a, b in zip(exact[i], exact[j], strict=True))
        if n <= paired.EXACT_TOPICS:
            x, y = ([v for v, w in zip(exact[a], exact[b], strict=True) if v != w] for a, b in ((i, j), (j, i)))
            twin = (oracle.randomisation_count(x, y, list(product((True, False), repeat=n))), 2**n)
        else:
            twin = (oracle.randomisation_count(exact[i], exact[j], drawn), 300)
        assert (found.count[p], found.samples[p]) == twin, (i, j)


@pytest.mark.parametrize("decimals", [1, 2])
def test_wilcoxon_twin(decimals: int) -> None:
    """All 2^n signs of the ranks, ties and all."""
    values = some_scores(topics=11, decimals=decimals)
    exact = oracle.fractions(values.tolist())
    found = run("wilcoxon", values)
    assert found.statistic is not None
    for p, (i, j) in enumerate(zip(*pair_numbers(5), strict=True)):
        smaller, chance = oracle.wilcoxon_p(exact[i], exact[j])
        assert found.statistic[p] == float(smaller)
        assert found.p[p] == pytest.approx(float(chance), rel=1e-12)


def test_resample_of_figure_13() -> None:
    """Lecture Fig. 13: x = (.1 .3), y = (.2 0 0), integers (1 3 1 2 4): x* = (.1 .2), y* = (.1 .3 0)."""
    scores = np.array([0.1, 0.3, 0.2, 0.0, 0.0])
    x, y = (np.repeat(scores, times[0]) for times in pooled_counts(np.array([[1, 3, 1, 2, 4]]) - 1, 2))
    assert (sorted(x), sorted(y)) == ([0.1, 0.2], [0.0, 0.1, 0.3])


@pytest.mark.parametrize("statistic", ["mean", "gmean", "median"])
def test_unpaired_twin(statistic: str) -> None:
    """Medians draw places among the sorted scores, the others scores as they stand."""
    rng = np.random.default_rng(3)
    x, y = np.round(rng.random(7), 1), np.round(rng.random(12), 1)
    scores = [[*x], [*y]]
    pooled, own = [*x, *y], [[*x], [*y]]
    if statistic == "median":
        pooled, own = sorted(pooled), [sorted(x), sorted(y)]
    drawn, *apart = (
        np.random.default_rng([5, stream]).integers(0, n, (400, n)) for stream, n in enumerate((19, 7, 12))
    )
    found = unpaired_bootstrap(x, y, 400, 5, statistic=statistic)
    exact, everything = oracle.fractions(scores), oracle.fractions([pooled])[0]
    assert found.count == oracle.unpaired_count(*exact, everything, drawn.tolist(), statistic)
    middle = oracle.STATISTICS[statistic]
    assert found.difference == pytest.approx(float(middle(exact[0]) - middle(exact[1])), rel=1e-12)
    again = [
        [float(middle(oracle.resample(side, row))) for row in rows.tolist()]
        for side, rows in zip(oracle.fractions(own), apart, strict=True)
    ]
    interval = np.quantile(np.subtract(*again), [0.025, 0.975])
    assert [found.low, found.high] == pytest.approx(interval, abs=1e-12)


def test_unpaired_over_all_resamples() -> None:
    """(1) against (0, 0), 27 resamples: a difference of 1 four times as 1 against 0 0, twice as 0 against 1 1."""
    scores = oracle.fractions([[1.0], [0.0, 0.0], [1.0, 0.0, 0.0]])
    draws = list(product(range(3), repeat=3))
    assert oracle.unpaired_count(*scores, draws) == 6
    in_x, in_y = (times @ np.array([1.0, 0.0, 0.0]) for times in pooled_counts(np.array(draws), 1))
    assert int((np.abs(in_x - in_y / 2) >= 1).sum()) == 6


def test_unpaired_pairs_share_nothing_but_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pair as if it were alone, whatever is tested together with it."""
    rng = np.random.default_rng(8)
    own = [np.round(rng.random(size), 2) for size in (9, 9, 12, 9, 12, 12)]
    pairs = [(i, j) for i in range(6) for j in range(6) if i != j]
    for statistic in ("mean", "gmean", "median"):
        expected = [unpaired_bootstrap(own[i], own[j], 150, 2, statistic=statistic) for i, j in pairs]
        assert unpaired_pairs(own, pairs, 150, 2, statistic=statistic) == expected
        with monkeypatch.context() as small:
            small.setattr(unpaired, "_KEPT_CELLS", 300)
            assert unpaired_pairs(own, pairs, 150, 2, statistic=statistic, jobs=2) == expected


def test_progress_of_unpaired() -> None:
    own = [np.random.default_rng(i).random(5 + i % 2) for i in range(4)]
    for jobs in (1, 3):
        seen: list[tuple[int, int]] = []
        pairs = [(0, 1), (0, 2), (1, 3)]
        unpaired_pairs(own, pairs, 60, 1, batch=20, jobs=jobs, progress=lambda *at, seen=seen: seen.append(at))
        assert seen == [(20 * step, 180) for step in range(1, 10)]


def test_statistics() -> None:
    values = np.array([[0.0, 0.5, 0.1, 0.9]])
    assert summary(values, "mean").tolist() == [0.375]
    assert summary(values, "median")[0] == pytest.approx(0.3)
    assert summary(values, "gmean")[0] == pytest.approx((1e-5 * 0.5 * 0.1 * 0.9) ** 0.25)
    assert FLOOR == MIN_GEOMETRIC
    for statistic in ("mean", "gmean", "median"):
        same = unpaired_bootstrap(values[0], values[0], 100, 1, statistic=statistic)
        assert (same.count, same.difference) == (100, 0.0)


def test_corrections_twin() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 7, 40):
        p = np.round(rng.random(n) ** 3, 2)
        assert corrected(p, "holm") == pytest.approx(np.array(oracle.holm(p.tolist())))
        assert corrected(p, "bh") == pytest.approx(np.array(oracle.benjamini_hochberg(p.tolist())))
        assert corrected(p, "bonferroni").tolist() == [min(1.0, v * n) for v in p]
        assert corrected(p, "none").tolist() == p.tolist()
        assert bool((corrected(p, "holm") <= corrected(p, "bonferroni") + 1e-15).all())
        assert bool((corrected(p, "bh") <= corrected(p, "holm") + 1e-15).all())
    assert corrected(np.zeros(0), "holm").tolist() == []


# -- letters --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_letters_say_just_what_was_found(share: float) -> None:
    """Two systems share a letter exactly when they do not differ, in any pattern."""
    rng = np.random.default_rng(7)
    for count in (1, 2, 3, 8, 20):
        upper = np.triu(rng.random((count, count)) < share, 1)
        different = upper | upper.T
        named = letters(different)
        for i in range(count):
            assert named[i], "every system has a letter"
            for j in range(count):
                assert bool(set(named[i]) & set(named[j])) == (i == j or not different[i, j])
        for members in letter_groups(different):
            others = set(range(count)) - set(members)
            assert not any(all(not different[k, m] for m in members) for k in others), "as large as it can be"
        groups = letter_groups(different)
        for left_out in groups:
            rest = [set(members) for members in groups if members != left_out]
            shown = [any({i, j} <= members for members in rest) for i in left_out for j in left_out]
            assert not all(shown), "none could be left out"


def test_letters_of_a_ladder() -> None:
    """Neighbours are alike, others differ: the usual display with overlapping groups."""
    gap = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    assert letters(gap > 1) == [["a"], ["a", "b"], ["b", "c"], ["c"]]
    assert letters(gap > 2) == [["a"], ["a", "b"], ["a", "b"], ["b"]]
    assert letters(gap > 9) == [["a"]] * 4
    assert letters(gap > 0) == [["a"], ["b"], ["c"], ["d"]]


def test_names_of_letters() -> None:
    assert [letter(n) for n in (0, 25, 26, 27, 51, 52, 701, 702)] == ["a", "z", "aa", "ab", "az", "ba", "zz", "aaa"]


# -- laws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*PAIR_TESTS, "hsd", "tukey"])
def test_laws(name: str) -> None:
    values = some_scores()
    values[3] = values[1]
    first, second = pair_numbers(5)
    how = Resampling(samples=400)
    test = all_tests()[name].run
    assert test is not None
    found = test(values, first, second, how)
    assert bool(((found.p >= 0) & (found.p <= 1)).all())
    assert found.p[int(pair_places(np.array([1]), np.array([3]), 5)[0])] == 1.0, "identical systems"
    turned = test(values, second, first, how)
    assert found.p == pytest.approx(turned.p, abs=1e-12), "symmetric in the two systems"
    if found.half is not None:
        assert bool((found.half >= 0).all())
    shifted = test(values + np.random.default_rng(3).integers(0, 50, (1, 20)) / 10, first, second, how)
    assert found.p == pytest.approx(shifted.p, abs=1e-9), "the same constant for all systems of a topic"


@pytest.mark.parametrize("name", PAIR_TESTS)
def test_a_pair_does_not_know_the_others(name: str) -> None:
    values = some_scores()
    whole = run(name, values, samples=300).p
    for p, (i, j) in enumerate(zip(*pair_numbers(5), strict=True)):
        assert run(name, values[[i, j]], samples=300).p[0] == pytest.approx(whole[p], abs=1e-12)


@pytest.mark.parametrize("name", ["bootstrap", "randomisation", "hsd"])
def test_batch_and_jobs_change_nothing(name: str) -> None:
    values = some_scores()
    expected = run(name, values, samples=333)
    for batch, jobs in ((1, 1), (10, 2), (333, 3), (5000, 0)):
        found = run(name, values, samples=333, batch=batch, jobs=jobs)
        assert found.p.tolist() == expected.p.tolist()
        if expected.half is not None and found.half is not None:
            assert found.half.tolist() == expected.half.tolist()


def test_batch_and_jobs_change_nothing_unpaired() -> None:
    own = [np.random.default_rng(i).random(5 + i) for i in range(4)]
    pairs = [(0, 1), (2, 3), (0, 3)]
    for statistic in ("mean", "gmean", "median"):
        expected = unpaired_pairs(own, pairs, 222, 1, statistic=statistic)
        for batch, jobs in ((1, 2), (7, 1), (222, 3)):
            assert unpaired_pairs(own, pairs, 222, 1, statistic=statistic, batch=batch, jobs=jobs) == expected


@pytest.mark.parametrize("name", [*PAIR_TESTS, "tukey", "hsd"])
def test_the_smallest_and_the_flattest(name: str) -> None:
    """Two topics; systems without any difference; a constant difference. No warning, no NaN."""
    for values in ([[0.1, 0.2], [0.3, 0.1]], [[0.5] * 4] * 3, [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.3, 0.4, 0.5]]):
        found = run(name, values, samples=50)
        assert not np.isnan(found.p).any()
        if found.half is not None:
            assert not np.isnan(found.half).any()
    constant = run("t", [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]])
    assert constant.p.tolist() == [0.0] and constant.statistic is not None
    assert math.isinf(constant.statistic[0])
    assert run("tukey", [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]).p.tolist() == [0.0]


def test_flat_anova_and_friedman() -> None:
    flat = two_way_anova(np.full((3, 4), 0.3))
    assert [row.squares for row in flat.rows] == [0.0, 0.0, 0.0]
    assert flat.systems.p == 1.0
    even = friedman(np.full((3, 4), 0.3))
    assert (even.chi_square, even.p, even.mean_ranks) == (0.0, 1.0, (2.0, 2.0, 2.0))
    steps = two_way_anova(np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]))
    assert steps.residual.squares == 0.0 and steps.systems.p == 0.0


def test_intervals_agree_with_decisions() -> None:
    """0 lies outside the interval of a test of its own exactly when p is below alpha (up to ties at the edge)."""
    values = np.random.default_rng(14).normal(0.0, 0.2, (8, 30)) + np.arange(8)[:, None] * 0.03
    first, second = pair_numbers(8)
    apart = np.abs(values.mean(axis=1)[first] - values.mean(axis=1)[second])
    for name in ("t", "tukey", "hsd", "bootstrap"):
        found = run(name, values, samples=1000)
        assert found.half is not None
        assert ((apart > found.half) == (found.p < 0.05)).tolist() == [True] * 28, name


def test_effect_sizes() -> None:
    z = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [0.5, 0.5, 0.5]])
    assert paired_effects(z).tolist() == pytest.approx([2.0, 0.0, math.inf], rel=1e-15)
    assert t_half_widths(z, 0.05)[1:].tolist() == [0.0, 0.0]


def test_threads_stop_when_asked() -> None:
    """Work that was not begun is not done when one piece fails."""
    begun = []

    def work(n: int) -> int:
        begun.append(n)
        if n == 0:
            raise ValueError("enough")
        return n

    with pytest.raises(ValueError, match="enough"):
        list(in_threads(work, range(10_000), 2))
    assert len(begun) < 10_000
    assert list(in_threads(lambda n: n * n, range(5), 2)) == [0, 1, 4, 9, 16]
