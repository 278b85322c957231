"""Agreement of raters: known answers and laws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ireval.stats.agreement import cohen_kappa, confusion, fleiss_kappa, overlap


def test_the_slides_table() -> None:
    """Sakai's slides: 60 of 100 agree, 56 expected by chance."""
    assert cohen_kappa([[50, 30], [10, 10]]) == pytest.approx(4 / 44)


def test_weighted_kappa_by_hand() -> None:
    table = [[3, 2, 0], [1, 4, 1], [0, 1, 3]]
    rows, columns, total = [5, 6, 4], [4, 7, 4], 15
    for weights, power in (("linear", 1), ("quadratic", 2)):
        seen = sum(abs(i - j) ** power * table[i][j] for i in range(3) for j in range(3))
        chance = sum(abs(i - j) ** power * rows[i] * columns[j] / total for i in range(3) for j in range(3))
        assert cohen_kappa(table, weights) == pytest.approx(1 - seen / chance)
    assert cohen_kappa(table, "plain") == pytest.approx((10 - 78 / 15) / (15 - 78 / 15))


def test_weights_go_by_level() -> None:
    """Levels 0, 1, 3: the last two are two apart."""
    table = [[2, 0, 0], [0, 2, 1], [0, 0, 2]]
    assert cohen_kappa(table, "linear", [0, 1, 3]) < cohen_kappa(table, "linear")
    assert cohen_kappa(table, "plain", [0, 1, 3]) == cohen_kappa(table, "plain")


def test_two_categories_have_one_kappa() -> None:
    rng = np.random.default_rng(1)
    for _ in range(10):
        table = rng.integers(1, 30, (2, 2))
        assert cohen_kappa(table, "linear") == pytest.approx(cohen_kappa(table))
        assert cohen_kappa(table, "quadratic") == pytest.approx(cohen_kappa(table))
        assert cohen_kappa(table) == pytest.approx(cohen_kappa(table.T))


def test_fleiss_published_example() -> None:
    """Fleiss (1971): the example of ten subjects, fourteen raters and five categories as it is usually reproduced."""
    ratings = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    assert fleiss_kappa(ratings) == pytest.approx(0.2099, abs=5e-5)


def test_fleiss_of_two_raters_who_use_categories_alike_is_cohens() -> None:
    table = np.array([[20, 5], [5, 10]])  # equal margins
    ratings = [[2, 0]] * 20 + [[1, 1]] * 10 + [[0, 2]] * 10
    assert fleiss_kappa(ratings) == pytest.approx(cohen_kappa(table))


def test_complete_agreement_and_chance() -> None:
    assert cohen_kappa(np.diag([3, 4, 5])) == 1.0
    assert fleiss_kappa([[3, 0], [0, 3]]) == 1.0
    assert math.isnan(cohen_kappa([[7, 0], [0, 0]])) and math.isnan(cohen_kappa(np.zeros((2, 2))))
    assert math.isnan(fleiss_kappa([[3, 0], [3, 0]])) and math.isnan(fleiss_kappa(np.zeros((0, 2))))


def test_what_makes_no_sense() -> None:
    with pytest.raises(ValueError, match="square"):
        cohen_kappa([[1, 2, 3], [4, 5, 6]])
    with pytest.raises(ValueError, match="plain, linear, quadratic"):
        cohen_kappa([[1, 2], [4, 5]], "cubic")
    with pytest.raises(ValueError, match="same number of raters"):
        fleiss_kappa([[2, 0], [1, 0]])


def test_confusion_and_overlap() -> None:
    first, second = np.array([0, 2, 2, 1, 0]), np.array([0, 1, 2, 1, 2])
    assert confusion(first, second, [0, 1, 2]).tolist() == [[1, 0, 1], [0, 1, 0], [0, 1, 1]]
    topic = np.array([0, 0, 0, 1, 1])
    found = overlap(np.stack([first > 1, second > 0]), topic, 3)
    assert found[:2].tolist() == [1.0, 0.0] and math.isnan(found[2])
