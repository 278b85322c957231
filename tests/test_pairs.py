"""The paired bootstrap and randomised Tukey HSD: known answers, slow twins on the same draws, laws, batches, jobs."""

from __future__ import annotations

from itertools import permutations as orders_of
from itertools import product

import numpy as np
import oracle_sigtest as oracle
import pytest

from ireval.stats.pairs import bootstrap_pairs, pair_numbers, pair_places, paired_bootstrap
from ireval.stats.resample import draw_topics, topic_counts
from ireval.stats.tukey import STREAM, permutations, randomised_tukey, tukey_pairs


def against_zero(z: list[float]) -> np.ndarray:
    """Two systems whose differences are z."""
    return np.array([[0.5 + v for v in z], [0.5] * len(z)])


def all_draws(topics: int) -> np.ndarray:
    return np.array(list(product(range(topics), repeat=topics)))


def worlds() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    common = rng.random((1, 25))
    return {
        "one decimal": rng.integers(0, 11, (4, 9)) / 10,
        "two levels": rng.integers(0, 2, (5, 7)) / 1,
        "near copies": np.repeat(np.round(common, 3), 3, axis=0) + (np.arange(75).reshape(3, 25) % 31 == 4) * 0.001,
        "six decimals": np.round(rng.random((3, 12)), 6),
        "large numbers": rng.integers(0, 90_000, (3, 10)) / 1,
        "two topics": rng.integers(0, 5, (3, 2)) / 10,
    }


# -- known answers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("z", "count"),
    [([0.1, 0.2, 0.3], 2), ([0.3, 0.1, 0.0, 0.2], 32), ([0.0, 0.0, 0.0, 0.3], 94)],
    ids=["2/27", "32/256", "94/256"],
)
def test_bootstrap_over_all_resamples(z: list[float], count: int) -> None:
    """All n^n resamples, counted by hand; a resample without variance has an infinite |t| unless its mean is 0."""
    draws = all_draws(len(z))
    found = bootstrap_pairs(against_zero(z), draws)
    assert found.samples == len(z) ** len(z)
    assert found.count.tolist() == [count]
    assert found.asl.tolist() == [count / len(draws)]


def test_resample_of_figure_11() -> None:
    """Lecture Fig. 11: w = (.2 0 .1 .4 0), integers (1 3 1 2 4), w* = (.2 .1 .2 0 .4)."""
    w, drawn = [0.2, 0.0, 0.1, 0.4, 0.0], np.array([[1, 3, 1, 2, 4]]) - 1
    assert [w[j] for j in drawn[0]] == [0.2, 0.1, 0.2, 0.0, 0.4]
    times = topic_counts(drawn)[0]
    assert times.tolist() == [2, 1, 1, 1, 0]
    assert sorted(np.repeat(w, times)) == [0.0, 0.1, 0.2, 0.2, 0.4]


def test_tukey_over_all_permutations() -> None:
    """Rows (.3 .2 .1), (.5 .4 .4), (.9 .4 .2): topics here. Of 216 permutations 132, 12, 216 count for 12, 13, 23."""
    values = np.array([[0.3, 0.2, 0.1], [0.5, 0.4, 0.4], [0.9, 0.4, 0.2]]).T
    orders = np.array(list(product(orders_of(range(3)), repeat=3)))
    found = tukey_pairs(values, orders)
    assert found.samples == 216
    assert found.count.tolist() == [132, 12, 216]
    assert found.count.tolist() == oracle.tukey_counts(oracle.fractions(values.tolist()), orders.tolist())


def test_ties_of_rounded_sums_count() -> None:
    """.1 + .2 is not .3 for the machine, but it is for us."""
    values = np.array([[0.1 + 0.2, 0.7, 0.1], [0.3, 0.7, 0.1], [0.3, 0.1, 0.7]])
    assert paired_bootstrap(values, 200, 1).count.tolist()[0] == 200
    assert randomised_tukey(values, 200, 1).count.tolist() == [200, 200, 200]


# -- slow twins -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", worlds())
def test_bootstrap_twin(name: str) -> None:
    values = worlds()[name]
    exact = oracle.fractions(values.tolist())
    drawn = draw_topics(values.shape[1], 60, 3)
    found = paired_bootstrap(values, 60, 3, alpha=0.05)
    for p, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        assert found.count[p] == oracle.bootstrap_count(exact[i], exact[j], drawn.tolist()), (i, j)
        required = oracle.required_difference(exact[i], exact[j], drawn.tolist(), 3)
        assert found.required is not None
        assert found.required[p] == pytest.approx(float(required), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", worlds())
def test_tukey_twin(name: str) -> None:
    values = worlds()[name]
    orders = np.array(list(permutations(*values.shape, samples=60, seed=3)))
    found = randomised_tukey(values, 60, 3)
    assert found.count.tolist() == tukey_pairs(values, orders).count.tolist()
    assert found.count.tolist() == oracle.tukey_counts(oracle.fractions(values.tolist()), orders.tolist())


@pytest.mark.parametrize(("alpha", "place"), [(0.05, 3), (0.07, 5), (0.5, 30), (1.0, 60), (0.001, 1)])
def test_place_of_the_required_difference(alpha: float, place: int) -> None:
    values = worlds()["one decimal"]
    exact = oracle.fractions(values.tolist())
    drawn = draw_topics(values.shape[1], 60, 3).tolist()
    found = paired_bootstrap(values, 60, 3, alpha=alpha).required
    pairs = zip(*pair_numbers(4), strict=True)
    twin = [float(oracle.required_difference(exact[i], exact[j], drawn, place)) for i, j in pairs]
    assert found == pytest.approx(np.array(twin), abs=1e-12)


# -- laws -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("test", [paired_bootstrap, randomised_tukey])
def test_laws(test) -> None:  # type: ignore[no-untyped-def]
    values = np.random.default_rng(8).random((6, 30))
    values[4] = values[1]
    found = test(values, 300, 1)
    assert list(zip(found.first, found.second, strict=True)) == [(i, j) for i in range(6) for j in range(i + 1, 6)]
    assert bool(((found.asl >= 0) & (found.asl <= 1)).all())
    assert found.asl[5 + 2] == 1.0, "identical systems"
    shifted = values + np.random.default_rng(1).random((1, 30))  # the same for all systems
    assert test(shifted, 300, 1).count.tolist() == found.count.tolist()
    assert test(values * 1000, 300, 1).count.tolist() == found.count.tolist()
    if test is paired_bootstrap:
        assert test(-values, 300, 1).count.tolist() == found.count.tolist()
    assert test(np.ones((3, 4)), 50, 1).count.tolist() == [50, 50, 50]
    assert test(np.zeros((3, 4)), 50, 1).count.tolist() == [50, 50, 50]


def test_bootstrap_does_not_know_other_systems() -> None:
    values = np.random.default_rng(8).random((6, 30))
    whole = paired_bootstrap(values, 300, 1, alpha=0.1)
    for p, (i, j) in enumerate(zip(whole.first, whole.second, strict=True)):
        pair = paired_bootstrap(values[[j, i]], 300, 1, alpha=0.1)
        assert pair.count[0] == whole.count[p]
        assert pair.required is not None and whole.required is not None
        assert pair.required[0] == pytest.approx(whole.required[p], rel=1e-12)


@pytest.mark.parametrize("difference", [0.1, 1 / 3, 1e-9])
def test_a_constant_difference_is_never_reached(difference: float) -> None:
    """w is 0 throughout, so every t* is 0, and t(z) is infinite."""
    base = np.round(np.random.default_rng(8).random(7), 2)
    assert paired_bootstrap(np.array([base, base + difference]), 100, 1, alpha=0.05).count.tolist() == [0]


def test_systems_order_does_not_matter_to_tukey() -> None:
    values = np.random.default_rng(8).random((4, 20)) + np.arange(4)[:, None] * 0.08
    forward, backward = (randomised_tukey(scores, 400, 1, alpha=0.05) for scores in (values, values[::-1]))
    places = pair_places(3 - forward.first, 3 - forward.second, 4)
    assert forward.count.tolist() == backward.count[places].tolist()
    assert len(set(forward.count.tolist())) > 3


def test_difference_required_by_tukey() -> None:
    """A pair is significant exactly when its difference is above it (no ties here)."""
    values = np.random.default_rng(8).random((6, 20)) + np.arange(6)[:, None] * 0.08
    found = randomised_tukey(values, 400, 1, alpha=0.05)
    apart = np.abs(values[found.first].mean(axis=1) - values[found.second].mean(axis=1))
    assert found.required is not None
    assert ((apart > found.required) == (found.asl < 0.05)).all()
    assert 0 < int((found.asl < 0.05).sum()) < 15


def test_critical_t_of_the_bootstrap() -> None:
    """As many replicates reach the critical |t| as the level says; infinite where resamples without variance do."""
    values = np.random.default_rng(8).random((2, 30))
    found = paired_bootstrap(values, 1000, 1, alpha=0.05)
    w = values[0] - values[1] - (values[0] - values[1]).mean()
    drawn = w[draw_topics(30, 1000, 1)]
    t = np.abs(drawn.mean(axis=1)) / drawn.std(axis=1, ddof=1) * np.sqrt(30)
    assert found.critical is not None
    assert np.sort(t)[-50] == pytest.approx(found.critical[0], rel=1e-9)
    lone = paired_bootstrap(against_zero([0.0, 0.0, 0.0, 0.3]), 1000, 1, alpha=0.05).critical
    assert lone is not None and np.isinf(lone[0])


# -- batches, jobs, seeds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", worlds())
def test_batch_and_jobs_change_nothing(name: str) -> None:
    values = worlds()[name]
    samples = 3 * STREAM + 7
    boot, tukey = paired_bootstrap(values, samples, 1, alpha=0.05), randomised_tukey(values, samples, 1)
    assert boot.required is not None
    for batch, jobs in ((1, 1), (7, 2), (50, 3), (samples, 0), (10_000, 1)):
        again = paired_bootstrap(values, samples, 1, alpha=0.05, batch=batch, jobs=jobs)
        assert again.count.tolist() == boot.count.tolist()
        assert again.required is not None
        assert again.required.tolist() == boot.required.tolist()
        assert randomised_tukey(values, samples, 1, batch=batch, jobs=jobs).count.tolist() == tukey.count.tolist()


def test_seeds() -> None:
    values = np.random.default_rng(8).random((4, 20))
    for test in (paired_bootstrap, randomised_tukey):
        assert test(values, 500, 1).count.tolist() == test(values, 500, 1).count.tolist()
        assert test(values, 500, 1).count.tolist() != test(values, 500, 2).count.tolist()


def test_progress() -> None:
    values = np.random.default_rng(8).random((4, 20))
    for test, total in ((paired_bootstrap, 6), (randomised_tukey, 120)):
        seen: list[tuple[int, int]] = []
        test(values, 120, 1, progress=lambda done, of, seen=seen: seen.append((done, of)))
        assert seen[-1] == (total, total)
        assert seen == sorted(seen)
