"""The bootstrap: a slow twin, batches, and how often an interval holds the truth."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from ireval.stats.resample import bootstrap_means, percentile_interval


def worlds() -> list[np.ndarray]:
    rng = np.random.default_rng(11)
    return [
        rng.random((3, 2, 50)),
        rng.random((1, 7)) * 10.0 ** rng.integers(-10, 1, (1, 7)),
        rng.normal(size=(2, 331)) * 1e6,
        np.log(np.maximum(rng.random((4, 25)), 1e-5)),
        np.zeros((2, 5)),
        np.full((1, 1), 0.1),
        np.full((1, 4), 5e-324),
    ]


def drawn_indices(topics: int, samples: int, seed: int) -> list[list[int]]:
    """The documented stream: one 64-bit generator, a row of topics for each sample."""
    rng = np.random.default_rng(seed)
    return [rng.integers(0, topics, size=topics).tolist() for _ in range(samples)]


@pytest.mark.parametrize("values", worlds(), ids=lambda values: "x".join(map(str, values.shape)))
def test_slow_twin(values: np.ndarray) -> None:
    """Every mean is the exactly rounded sum of the values drawn, divided by their number."""
    topics, samples = values.shape[-1], 40
    found = bootstrap_means(values, samples, 3)
    assert found.shape == (*values.shape[:-1], samples)
    rows = values.reshape(-1, topics).tolist()
    indices = drawn_indices(topics, samples, 3)
    twin = [[math.fsum(row[i] for i in drawn) / topics for drawn in indices] for row in rows]
    assert found.reshape(-1, samples).tolist() == twin


def test_values_of_very_different_size() -> None:
    """What is too small to be added exactly is dropped, and is far below the last digit of the largest value."""
    values = np.array([[1.0, 1e-300, 3e-50, 2.0**-60]])
    means = bootstrap_means(values, 200, 1)[0]
    twin = [math.fsum(values[0, i] for i in drawn) / 4 for drawn in drawn_indices(4, 200, 1)]
    assert np.abs(means - twin).max() < 2.0**-90


@pytest.mark.parametrize("values", worlds(), ids=lambda values: "x".join(map(str, values.shape)))
def test_batches_change_no_bit(values: np.ndarray) -> None:
    whole = bootstrap_means(values, 100, 1)
    for batch in (1, 7, 64, 99, 100, 1000):
        assert np.array_equal(bootstrap_means(values, 100, 1, batch=batch), whole), batch


def test_rows_change_no_bit() -> None:
    """The same draws for all rows, and a row's result does not depend on its neighbours."""
    values = np.random.default_rng(2).random((17, 50))
    together = bootstrap_means(values, 60, 5)
    for row in range(len(values)):
        assert np.array_equal(bootstrap_means(values[row : row + 1], 60, 5)[0], together[row])
    same = bootstrap_means(np.vstack([values[0], values[0] * 2, values[0]]), 60, 5)
    assert np.array_equal(same[0], same[2])
    assert np.array_equal(same[0] * 2, same[1])


def test_topics_in_another_order_are_other_samples_of_the_same_kind() -> None:
    values = np.random.default_rng(2).random((1, 50))
    first, second = bootstrap_means(values, 4000, 1), bootstrap_means(values[:, ::-1], 4000, 1)
    assert not np.array_equal(first, second)
    assert first.mean() == pytest.approx(second.mean(), abs=0.01)


def test_seeds() -> None:
    values = np.random.default_rng(2).random((2, 30))
    assert np.array_equal(bootstrap_means(values, 50, 1), bootstrap_means(values, 50, 1))
    assert not np.array_equal(bootstrap_means(values, 50, 1), bootstrap_means(values, 50, 2))
    assert np.array_equal(bootstrap_means(values, 50, 1), bootstrap_means(values, 80, 1)[:, :50])


def test_means_and_deviation_are_those_of_the_theory() -> None:
    values = np.random.default_rng(4).random((1, 40))
    means = bootstrap_means(values, 20_000, 1)[0]
    error = values.std() / math.sqrt(40)
    assert means.mean() == pytest.approx(values.mean(), abs=5 * error / math.sqrt(20_000))
    assert means.std() == pytest.approx(error, rel=0.03)


def test_interval_holds_the_mean() -> None:
    values = np.random.default_rng(6).random((5, 3, 30))
    replicates = bootstrap_means(values, 2000, 1)
    low, high = percentile_interval(replicates, 0.95)
    assert low.shape == high.shape == (5, 3)
    assert bool((low < values.mean(axis=-1)).all())
    assert bool((values.mean(axis=-1) < high).all())
    narrow_low, narrow_high = percentile_interval(replicates, 0.5)
    assert bool((low < narrow_low).all())
    assert bool((narrow_high < high).all())
    inside = (replicates >= low[..., None]) & (replicates <= high[..., None])
    assert inside.mean(axis=-1) == pytest.approx(np.full((5, 3), 0.95), abs=0.002)


def test_interval_of_known_replicates() -> None:
    low, high = percentile_interval(np.arange(101.0)[None], 0.9)
    assert [*low, *high] == pytest.approx([5.0, 95.0])


def test_interval_without_spread_is_a_point() -> None:
    low, high = percentile_interval(bootstrap_means(np.full((1, 9), 0.1), 200, 1), 0.95)
    nearest = float(Fraction(0.1) * 9) / 9
    assert low.tolist() == high.tolist() == [nearest]


def test_coverage() -> None:
    """In 300 worlds of 50 topics, a 90 % interval holds the true mean about 270 times (percentile: slightly fewer)."""
    rng = np.random.default_rng(9)
    held = 0
    for _ in range(300):
        low, high = percentile_interval(bootstrap_means(rng.beta(1, 2, size=(1, 50)), 400, 1), 0.9)
        held += bool(low[0] <= 1 / 3 <= high[0])
    assert 252 <= held <= 285
