"""Rank-biased overlap: published figures, a slow twin, and laws."""

from __future__ import annotations

import itertools

import numpy as np
import oracle_rbo
import pytest

from ireval.stats.rbo import TIES, Rankings, rbo, rbo_of_groups, rbo_of_scores


def untied(text: str) -> list[list[str]]:
    return [[item] for item in text.split()]


def random_ranking(rng: np.random.Generator, tied: bool) -> list[list[int]]:
    length = int(rng.integers(1, 9))
    items = rng.permutation(12)[:length].tolist()
    if not tied:
        return [[item] for item in items]
    cuts = np.flatnonzero(rng.random(length - 1) < 0.5) + 1
    return [part.tolist() for part in np.split(np.array(items), cuts)]


def test_the_published_example() -> None:
    """[N H M A] against [C G N A], p .9: the even-list example that implementations of the paper quote."""
    found = rbo_of_groups(untied("N H M A"), untied("C G N A"), 0.9)
    assert found.extrapolated[0] == pytest.approx(0.3915, abs=5e-5)


@pytest.mark.parametrize(
    ("ties", "extrapolated", "minimum", "maximum"),
    [
        ("a", 0.6922853, 0.3310519, 0.8930692),
        ("w", 0.7068257, 0.3429684, 0.9049857),
        ("b", 0.7207131, 0.3509163, 0.9129336),
    ],
)
def test_corsi_and_urbano(ties: str, extrapolated: float, minimum: float, maximum: float) -> None:
    """The worked example that goes with The Treatment of Ties in Rank-Biased Overlap: unequal lengths, ties, p .95."""
    first = [["red"], ["blue", "green"], ["yellow"], ["pink"]]
    second = [["blue", "red"], ["white"], ["yellow", "black", "purple"], ["green"]]
    for one, two in ((first, second), (second, first)):
        found = rbo_of_groups(one, two, 0.95, ties)
        assert found.extrapolated[0] == pytest.approx(extrapolated, abs=5e-8)
        assert found.minimum[0] == pytest.approx(minimum, abs=5e-8)
        assert found.maximum[0] == pytest.approx(maximum, abs=5e-8)
        assert found.residual[0] == pytest.approx(0.5620173, abs=5e-8)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("tied", [False, True], ids=["no ties", "ties"])
def test_slow_twin(ties: str, tied: bool) -> None:
    rng = np.random.default_rng(7)
    for _ in range(12):
        first, second, p = random_ranking(rng, tied), random_ranking(rng, tied), float(rng.choice([0.3, 0.5, 0.8]))
        found = rbo_of_groups(first, second, p, ties)
        assert found.minimum[0] == pytest.approx(oracle_rbo.minimum(first, second, p, ties), abs=1e-12)
        assert found.maximum[0] == pytest.approx(oracle_rbo.maximum(first, second, p, ties), abs=1e-12)
        assert found.extrapolated[0] == pytest.approx(oracle_rbo.extrapolated(first, second, p, ties), abs=1e-12)


def test_a_is_the_mean_over_all_ways_of_breaking_ties() -> None:
    first, second = [["a", "b", "c"], ["d"]], [["d", "a"], ["c", "e"]]

    def broken(ranking: list[list[str]]) -> list[list[list[str]]]:
        orders = itertools.product(*(itertools.permutations(group) for group in ranking))
        return [[[item] for group in order for item in group] for order in orders]

    pairs = list(itertools.product(broken(first), broken(second)))
    mean = np.mean([rbo_of_groups(one, two, 0.8).extrapolated[0] for one, two in pairs])
    assert rbo_of_groups(first, second, 0.8, "a").extrapolated[0] == pytest.approx(mean, abs=1e-14)


def test_many_pairs_together_are_the_pairs_apart() -> None:
    rng = np.random.default_rng(3)
    pairs = [(random_ranking(rng, True), random_ranking(rng, True)) for _ in range(40)]
    for ties in TIES:
        rows: list[list[bool]] = [[], []]
        off: list[list[int]] = [[0], [0]]
        partner = []
        for pair in pairs:
            place = {item: row for row, item in enumerate(oracle_rbo.items(pair[1]))}
            partner += [off[1][-1] + place[i] if i in place else -1 for i in oracle_rbo.items(pair[0])]
            for side, ranking in enumerate(pair):
                rows[side] += [place > 0 for group in ranking for place in range(len(group))]
                off[side].append(len(rows[side]))
        rankings = [Rankings(np.array(o), np.array(r)) for o, r in zip(off, rows, strict=True)]
        together = rbo(rankings[0], rankings[1], np.array(partner), 0.9, ties)
        apart = [rbo_of_groups(one, two, 0.9, ties) for one, two in pairs]
        assert together.minimum == pytest.approx([float(one.minimum[0]) for one in apart], abs=1e-15)
        assert together.residual == pytest.approx([float(one.residual[0]) for one in apart], abs=1e-15)
        assert together.extrapolated == pytest.approx([float(one.extrapolated[0]) for one in apart], abs=1e-15)


def test_laws() -> None:
    rng = np.random.default_rng(5)
    for _ in range(100):
        first, second = random_ranking(rng, True), random_ranking(rng, True)
        for ties in TIES:
            one, other = rbo_of_groups(first, second, 0.9, ties), rbo_of_groups(second, first, 0.9, ties)
            assert one.extrapolated[0] == pytest.approx(other.extrapolated[0], abs=1e-14)
            assert -1e-14 <= one.minimum[0] <= one.maximum[0] <= 1 + 1e-12
        itself = rbo_of_groups(first, first, 0.9, "b")
        assert itself.extrapolated[0] == pytest.approx(1.0, abs=1e-13)
        assert itself.residual[0] > 0


def test_scores_rank_the_same_items() -> None:
    first, second = [0.5, 0.9, 0.5, 0.1], [3.0, 3.0, 7.0, 1.0]
    groups = rbo_of_groups([[1], [0, 2], [3]], [[2], [0, 1], [3]], 0.8, "b")
    assert rbo_of_scores(first, second, 0.8, "b").extrapolated[0] == pytest.approx(groups.extrapolated[0], abs=1e-15)
    assert rbo_of_scores(first, second, 0.8, "b").minimum[0] == pytest.approx(groups.minimum[0], abs=1e-15)


def test_empty_lists_have_no_estimate() -> None:
    found = rbo_of_groups([], untied("a b"), 0.9)
    assert np.isnan(found.extrapolated[0])
    assert found.minimum[0] == 0.0
    assert found.maximum[0] == pytest.approx(1.0)
    both = rbo_of_groups([], [], 0.9)
    assert np.isnan(both.extrapolated[0])
    assert (both.minimum[0], both.maximum[0]) == (0.0, pytest.approx(1.0))


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1, found 1"):
        rbo_of_groups(untied("a"), untied("a"), 1.0)
    with pytest.raises(ValueError, match="one of a, b, w, found 'c'"):
        rbo_of_groups(untied("a"), untied("a"), 0.5, "c")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="occurs twice"):
        rbo_of_groups(untied("a b a"), untied("a"), 0.5)
    with pytest.raises(ValueError, match="same length"):
        rbo_of_scores([1.0], [1.0, 2.0], 0.5)
