"""Maximising quadratic 0-1 functions: against trying everything, and what the bounds promise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ireval.stats import quadratic
from ireval.stats.quadratic import TOLERANCE, maximise


def random_problem(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    q = np.triu(rng.normal(size=(count, count)) * (rng.random((count, count)) < rng.random()), 1)
    return q + q.T, rng.normal(size=count) * rng.choice([0.1, 1.0, 3.0])


def by_trying(q: np.ndarray, linear: np.ndarray) -> float:
    best = -np.inf
    for z in itertools.product([0, 1], repeat=len(linear)):
        value = sum(linear[u] for u in range(len(z)) if z[u])
        value += sum(q[u, v] for u, v in itertools.combinations(range(len(z)), 2) if z[u] and z[v])
        best = max(best, value)
    return float(best)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 8])
def test_the_maximum_is_found_and_proved(count: int) -> None:
    rng = np.random.default_rng(count)
    for _ in range(40 if count < 8 else 10):
        q, linear = random_problem(rng, count)
        found = maximise(q, linear, budget=60.0)
        assert found.low == found.high == pytest.approx(by_trying(q, linear), abs=1e-9)
        z = found.z.astype(float)
        assert linear @ z + z @ q @ z / 2 == pytest.approx(found.low, abs=1e-12)


def test_the_roof_dual_is_an_upper_bound_and_fixes_rightly() -> None:
    rng = np.random.default_rng(9)
    open_ones = settled = 0
    for _ in range(60):
        q, linear = random_problem(rng, 7)
        bound, literal = quadratic._roof_dual(q, linear)
        best = by_trying(q, linear)
        assert bound >= best - TOLERANCE
        open_ones += int((literal < 0).sum())
        settled += int((literal >= 0).sum())
        held = [
            z for z in itertools.product([0, 1], repeat=7) if all(z[u] == x for u, x in enumerate(literal) if x >= 0)
        ]
        values = [linear @ np.array(z) + np.array(z) @ q @ np.array(z) / 2 for z in held]
        assert max(values) == pytest.approx(best, abs=1e-9)  # some optimum has all the values that were fixed
    assert open_ones and settled


def test_nothing_is_settled_by_what_a_flow_left_over() -> None:
    """Two literals that "true" still reaches; they settle their variables unless something leaks out of them."""
    residual = np.zeros((6, 6))  # z0, z1, not z0, not z1, true, false
    residual[4, 0] = residual[0, 1] = 1.0
    residual[2, 5] = residual[3, 2] = 1.0  # the mirror images
    assert quadratic._settled(residual).tolist() == [1, 1]
    residual[1, 3] = quadratic._LOSS  # an arc too small to be followed, but not for the promise
    assert quadratic._settled(residual).tolist() == [-1, -1]
    residual[1, 3] = 1e-15
    assert quadratic._settled(residual).tolist() == [1, 1]
    residual[1, 3] = 1.0  # z1 implies its own negation: a flow is missing
    assert quadratic._settled(residual).tolist() == [-1, -1]


def test_flows_are_found_through_integers_to_the_last_digits() -> None:
    """Rounding down leaves something over, which later rounds send: without negative pairs the bound is the maximum."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        q, linear = random_problem(rng, 8)
        q = np.abs(q) * np.exp(rng.normal(size=(8, 8)) * 3)
        q = np.triu(q, 1) + np.triu(q, 1).T
        linear = -np.abs(linear) * q.sum(axis=1)
        bound, _ = quadratic._roof_dual(q, linear)
        assert bound == pytest.approx(by_trying(q, linear), abs=1e-9)


def test_without_time_there_are_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frustrated problem: all pairs repel each other, so the flow leaves every variable open."""
    count = 14
    q = -np.ones((count, count)) * 1.3
    np.fill_diagonal(q, 0.0)
    rng = np.random.default_rng(1)
    linear = np.full(count, 4.0) + rng.random(count) * 0.1
    hurried, patient = maximise(q, linear, budget=0.0), maximise(q, linear, budget=60.0)
    assert hurried.low <= patient.low == patient.high <= hurried.high
    assert hurried.low < hurried.high
    assert patient.low == pytest.approx(by_trying(q, linear), abs=1e-9)
