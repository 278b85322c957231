"""Rank correlation: known answers, twins, ties, laws."""

from __future__ import annotations

import math
import random

import numpy as np
import oracle_studies as oracle
import pytest
import scipy.stats

from ireval.stats.correlation import competition_ranks, has_ties, kendall, pearson, spearman, tau_ap


def scores_of(groups: list[str], items: str) -> list[float]:
    """Scores of the items, from tie groups best first."""
    place = {item: g for g, group in enumerate(groups) for item in group}
    return [-float(place[item]) for item in items]


@pytest.mark.parametrize(
    ("ranking", "given", "other", "symmetric", "tau"),
    [
        ("EABCD", -0.041667, 0.5, 0.229167, 0.2),
        ("BACDE", 0.5, 0.5, 0.5, 0.8),
        ("ABCED", 0.875, 0.875, 0.875, 0.8),
        ("ABCDE", 1.0, 1.0, 1.0, 1.0),
        ("EDCBA", -1.0, -1.0, -1.0, -1.0),
    ],
)
def test_worked_tau_ap(ranking: str, given: float, other: float, symmetric: float, tau: float) -> None:
    """Worked by hand for the gold ranking ABCDE; the sum runs over the evaluated list."""
    gold, evaluated = scores_of(list("ABCDE"), "ABCDE"), scores_of(list(ranking), "ABCDE")
    found = tau_ap(gold, evaluated)
    assert found.second_given_first == pytest.approx(given, abs=1e-6)
    assert found.first_given_second == pytest.approx(other, abs=1e-6)
    assert found.symmetric == pytest.approx(symmetric, abs=1e-6)
    assert not found.tied
    assert kendall(gold, evaluated).tau == pytest.approx(tau)
    assert found.second_given_first == pytest.approx(oracle.tau_ap("ABCDE", ranking))


def test_kendall_of_thirty_systems_is_significant_from_a_third_on() -> None:
    """At .01 from 145/435 on by eq. 9 of OneDoc, which rounds it up to 'over 0.34'."""
    gold, order = list(range(30)), list(range(30))
    swaps = 0
    while swaps < 146:  # adjacent swaps, each of which makes one more pair discordant
        i = next(i for i in range(29) if order[i] < order[i + 1])
        order[i], order[i + 1] = order[i + 1], order[i]
        swaps += 1
        if swaps >= 145:
            found = kendall(gold, order)
            assert found.tau == pytest.approx((435 - 2 * swaps) / 435)
            assert (found.p < 0.01) == (swaps == 145)
            assert found.z == pytest.approx(oracle.kendall(gold, order)[1])


@pytest.mark.parametrize("ties", [False, True])
def test_kendall_against_its_twin_and_scipy(ties: bool) -> None:
    rng = random.Random(4)
    for _ in range(60):
        n = rng.randrange(3, 25)
        x, y = ([round(rng.gauss(0, 1), 0 if ties else 9) for _ in range(n)] for _ in range(2))
        found, (tau, z, tau_b) = kendall(x, y), oracle.kendall(x, y)
        assert found.tau == pytest.approx(tau)
        assert found.tau_b == pytest.approx(tau_b, nan_ok=True)
        assert found.concordant + found.discordant <= found.pairs == n * (n - 1) // 2
        if not ties:
            assert found.z == pytest.approx(z) and found.tau_b == pytest.approx(tau)
        if not math.isnan(tau_b):
            known = scipy.stats.kendalltau(x, y, method="asymptotic")
            assert found.tau_b == pytest.approx(known.statistic) and found.p == pytest.approx(known.pvalue)


def random_groups(rng: random.Random, items: str) -> list[str]:
    """A ranking with some ties, as tie groups."""
    order = rng.sample(items, len(items))
    groups = [order[0]]
    for item in order[1:]:
        if rng.random() < 0.4:
            groups[-1] += item
        else:
            groups.append(item)
    return groups


def test_ties_in_the_evaluated_ranking_are_broken_in_all_ways() -> None:
    """tau_ap_a is the mean of tau_ap over all orders, so it is computed as just that."""
    rng = random.Random(5)
    with_ties = 0
    for _ in range(40):
        items = "ABCDEF"[: rng.randrange(2, 7)]
        gold, groups = "".join(rng.sample(items, len(items))), random_groups(rng, items)
        found = tau_ap(scores_of(list(gold), items), scores_of(groups, items))
        assert found.second_given_first == pytest.approx(oracle.tau_ap_broken(gold, groups))
        tied = any(len(group) > 1 for group in groups)
        with_ties += tied
        assert found.tied == tied
        assert math.isnan(found.first_given_second) == tied  # a truth with ties is refused, not guessed
    assert with_ties > 20


def test_symmetric_tau_ap_with_ties() -> None:
    rng = random.Random(6)
    for _ in range(60):
        first, second = random_groups(rng, "ABCDEFG"), random_groups(rng, "ABCDEFG")
        found = tau_ap(scores_of(first, "ABCDEFG"), scores_of(second, "ABCDEFG"))
        if len(first) > 1 and len(second) > 1:
            assert found.symmetric == pytest.approx(oracle.tau_ap_b(first, second))
        else:
            assert math.isnan(found.symmetric)


def test_pearson_and_spearman_against_scipy() -> None:
    rng = np.random.default_rng(7)
    for digits in (0, 9):
        for _ in range(20):
            x, y = rng.normal(size=(2, 12)).round(digits)
            assert pearson(x, y) == pytest.approx(scipy.stats.pearsonr(x, y).statistic)
            assert spearman(x, y) == pytest.approx(scipy.stats.spearmanr(x, y).statistic)


def test_a_ranking_with_itself() -> None:
    rng = np.random.default_rng(8)
    for _ in range(10):
        x = rng.random(15)
        assert kendall(x, x).tau == kendall(x, x).tau_b == 1.0
        assert tau_ap(x, x).symmetric == pytest.approx(1.0)
        assert pearson(x, x) == pytest.approx(1.0) and spearman(x, x) == pytest.approx(1.0)
        assert kendall(x, -x).tau == -1.0 and spearman(x, -x) == pytest.approx(-1.0)
    tied = [3.0, 3.0, 1.0, 0.0]
    assert kendall(tied, tied).tau == pytest.approx(5 / 6) and kendall(tied, tied).tau_b == pytest.approx(1.0)
    assert tau_ap(tied, tied).symmetric == pytest.approx(1.0)


def test_rounding_noise_is_a_tie() -> None:
    assert competition_ranks([0.1 + 0.2, 0.3, 0.5]).tolist() == [2, 2, 1]
    assert has_ties([0.1 + 0.2, 0.3]) and not has_ties([0.3, 0.31])
    assert competition_ranks([1e6 + 1e-7, 1e6]).tolist() == [1, 1]
    assert competition_ranks([]).tolist() == []


def test_what_is_not_defined_is_nan() -> None:
    flat, x = [1.0, 1.0, 1.0], [1.0, 2.0, 3.0]
    assert math.isnan(kendall(flat, x).tau_b) and kendall(flat, x).tau == 0.0 and math.isnan(kendall(flat, x).p)
    assert math.isnan(pearson(flat, x)) and math.isnan(spearman(x, flat)) and math.isnan(tau_ap(flat, x).symmetric)
    assert math.isnan(kendall([1.0], [1.0]).tau) and math.isnan(tau_ap([1.0], [1.0]).symmetric)
    with pytest.raises(ValueError, match="same length"):
        kendall([1.0, 2.0], [1.0])
