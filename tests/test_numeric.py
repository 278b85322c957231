"""The parity rules: sums in order, libm's logarithms, C's conversions and its sort."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from ireval.core import numeric
from ireval.core.scores import MISSING_ZSCORE, aggregate, standardise


def loop_sum(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


def test_ordered_sum_is_the_sum_of_a_loop() -> None:
    rng = random.Random(1)
    pairwise_differs = 0
    for _ in range(300):
        values = [rng.choice([1 / k for k in range(1, 40)]) for _ in range(rng.randrange(1, 400))]
        assert numeric.ordered_sum(np.array(values)) == loop_sum(values)
        pairwise_differs += float(np.sum(values)) != loop_sum(values)
    assert pairwise_differs, "these sums would not tell numpy's pairwise way from ours"


def test_ordered_sum_along_the_last_axis() -> None:
    values = np.random.default_rng(2).random((3, 4, 50))
    got = numeric.ordered_sum(values)
    assert got.shape == (3, 4)
    assert all(got[i, j] == loop_sum(values[i, j].tolist()) for i in range(3) for j in range(4))
    assert numeric.ordered_sum(np.zeros((3, 0))).tolist() == [0.0, 0.0, 0.0]


def test_log2_table_is_libms() -> None:
    n = np.array([1, 2, 3, 1000, 1_000_003, 5])
    assert numeric.log2_of_integers(n).tolist() == [math.log2(v) for v in n.tolist()]
    every = np.arange(1, 200_000)
    assert numeric.log2_of_integers(every).tolist() == [math.log2(v) for v in range(1, 200_000)]
    assert numeric.log2_of_integers(np.zeros(0, np.int64)).tolist() == []


def test_log2_table_grows_and_keeps_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numeric, "_log2_table", np.array([0.0, 0.0]))
    for largest in (1, 1023, 1024, 3000, 10):
        assert numeric.log2_of_integers(np.array([largest]))[0] == math.log2(largest)


def test_exact_sums_do_not_depend_on_order_or_batches() -> None:
    rng = np.random.default_rng(2)
    values = np.concatenate(
        [rng.random(500), rng.normal(size=500) * 10.0 ** rng.integers(-300, 200, 500), [0.0, 5e-324]]
    )
    values = np.concatenate([values, [1e200, 1.0, -1e200]])
    for cuts in ([], [1], [300, 301, 700]):
        total = numeric.ExactSum()
        for part in np.split(rng.permutation(values), cuts):
            total.add(part)
        assert total.value() == math.fsum(values)
    assert numeric.ExactSum().value() == 0.0


def test_exact_sums_of_many_values() -> None:
    total = numeric.ExactSum()
    total.add(np.full(3_000_000, 1.0 - 2.0**-53))  # every bit of the mantissa set
    assert total.value() == 3_000_000 - 3_000_000 * 2.0**-53


def test_logarithms_answer_as_c_does() -> None:
    x = np.array([[3.7, 0.0], [-1.0, 3.7]])
    want = [[math.log2(3.7), -math.inf], [math.nan, math.log2(3.7)]]
    assert np.array_equal(numeric.log2(x), want, equal_nan=True)
    assert np.array_equal(numeric.log(x[0]), [math.log(3.7), -math.inf])
    assert np.isnan(numeric.log(x[1])[0])


def test_exp_answers_as_c_does() -> None:
    assert numeric.exp(1.5) == math.exp(1.5) and numeric.exp(-1e9) == 0.0
    assert numeric.exp(1e9) == math.inf and math.isnan(numeric.exp(math.nan))


def test_powers_are_repeated_products() -> None:
    weight, want = 1.0, []
    for _ in range(60):
        want.append(weight)
        weight *= 0.87
    assert numeric.powers(0.87, 60).tolist() == want
    assert numeric.powers(0.5, 0).tolist() == []
    assert numeric.powers(0.0, 3).tolist() == [1.0, 0.0, 0.0]


def test_divide_is_ieee_and_silent() -> None:
    got = numeric.divide(np.array([1.0, 0.0, -1.0, 3.0]), np.array([0.0, 0.0, 0.0, 2.0]))
    assert np.array_equal(got, [math.inf, math.nan, -math.inf, 1.5], equal_nan=True)
    assert numeric.ratio(np.array([1, 0, 3]), np.array([0, 0, 2])).tolist() == [0.0, 0.0, 1.5]


@pytest.mark.parametrize(
    ("x", "whole"),
    [
        (0.5, 1),
        (1.5, 2),
        (2.5, 3),
        (-0.5, -1),
        (-2.5, -3),
        (0.49999999999999994, 0),
        (2.4, 2),
        (-2.4, -2),
        (0.0, 0),
        (2251799813685249.5, 2251799813685250),
        (2251799813685248.5, 2251799813685249),
        (-9007199254740992.0, -9007199254740992),
    ],
)
def test_round_half_away(x: float, whole: int) -> None:
    assert numeric.round_half_away(np.array([x])).tolist() == [whole]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-12", -12),
        ("+7", 7),
        ("  \t8", 8),
        ("12abc", 12),
        ("3.9", 3),
        ("", 0),
        ("abc", 0),
        ("-", 0),
        ("+-3", 0),
        ("0x10", 0),
        ("007", 7),
        ("1e3", 1),
        ("٣", 0),
        ("9999999999999999999999", 2**63 - 1),
        ("- 5", 0),
        ("-9999999999999999999999", -(2**63)),
    ],
)
def test_c_long(text: str, value: int) -> None:
    assert numeric.c_long(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        ("-1.5e2", -150.0),
        ("1.5abc", 1.5),
        ("1e", 1.0),
        ("1e+", 1.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("", 0.0),
        ("abc", 0.0),
        ("  2", 2.0),
        ("1_000", 1.0),
        ("inf", math.inf),
        ("-infinity", -math.inf),
        ("infx", math.inf),
        ("1 2", 1.0),
        ("--1", 0.0),
        ("0x10", 16.0),
        ("0x1p-1", 0.5),
        ("0x", 0.0),
        ("0xg", 0.0),
        ("1e400", math.inf),
        ("٣", 0.0),
        ("-0x1.8p1z", -3.0),
        ("0x1p", 1.0),
        ("-0x1p99999", -math.inf),
        ("0x.8", 0.5),
    ],
)
def test_c_double(text: str, value: float) -> None:
    assert numeric.c_double(text) == value


def test_c_double_of_nan() -> None:
    assert math.isnan(numeric.c_double("nan")) and math.isnan(numeric.c_double("-nanx"))


def test_merge_sort_is_stable_where_the_order_is_one() -> None:
    rng = random.Random(3)
    for _ in range(200):
        gains = [float(rng.randrange(6)) for _ in range(rng.randrange(12))]
        assert numeric.glibc_merge_sort(range(len(gains)), gains) == sorted(range(len(gains)), key=gains.__getitem__)


def bottom_up(gains: list[float]) -> list[int]:
    """The same sort by hand, from the recursion's leaves upwards, with a comparison function as in C."""

    def compare(a: int, b: int) -> int:
        return math.trunc(gains[a] - gains[b])

    def merge(left: list[int], right: list[int]) -> list[int]:
        out, i, j = [], 0, 0
        while i < len(left) and j < len(right):
            if compare(left[i], right[j]) <= 0:
                out.append(left[i])
                i += 1
            else:
                out.append(right[j])
                j += 1
        return [*out, *left[i:], *right[j:]]

    def sort(lo: int, hi: int) -> list[int]:
        if hi - lo <= 1:
            return list(range(lo, hi))
        middle = lo + (hi - lo) // 2
        return merge(sort(lo, middle), sort(middle, hi))

    return sort(0, len(gains))


def test_merge_sort_where_close_gains_count_as_equal() -> None:
    assert numeric.glibc_merge_sort(range(3), [1.9, 0.0, 1.0]) == [1, 0, 2]  # trec_eval 10.0 on ndcg.2=1.9
    rng = random.Random(4)
    unsorted = 0
    for _ in range(300):
        gains = [rng.randrange(-8, 20) / 4 for _ in range(rng.randrange(10))]
        got = numeric.glibc_merge_sort(range(len(gains)), gains)
        assert got == bottom_up(gains)
        unsorted += [gains[i] for i in got] != sorted(gains)
    assert unsorted > 50


@pytest.mark.parametrize("far", [3e9, math.inf, -math.inf, math.nan])
def test_merge_sort_where_the_difference_does_not_fit(far: float) -> None:
    """x86 answers the smallest integer, so the left one counts as lower whichever it is."""
    assert numeric.glibc_merge_sort(range(2), [far, 0.0]) == [0, 1]
    assert numeric.glibc_merge_sort(range(2), [0.0, far]) == [0, 1]


# -- aggregates -----------------------------------------------------------------------------------------------------


def test_aggregates() -> None:
    values = np.array([0.1, 0.2, 0.4, 0.7])
    assert aggregate(values, "mean") == loop_sum(values.tolist()) / 4
    assert aggregate(values, "sum") == loop_sum(values.tolist())
    assert aggregate(values, "mean", 8) == loop_sum(values.tolist()) / 8
    assert aggregate(np.log(values), "geometric") == pytest.approx(math.prod(values.tolist()) ** 0.25)
    assert aggregate(values, "median") == pytest.approx(0.3)
    assert aggregate(np.zeros(0), "mean") == 0.0


def test_zscores() -> None:
    values = np.array([0.5, 0.5, 0.25, 0.5])
    mean, deviation = np.array([0.25, 0.5, 0.5, np.nan]), np.array([0.5, 0.0, 0.0, np.nan])
    assert standardise(values, mean, deviation).tolist() == [0.5, 0.0, MISSING_ZSCORE, MISSING_ZSCORE]
