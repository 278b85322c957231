"""Offsets algebra against plain loops over random segments, empty ones among them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ireval.core import ragged

SHAPES = [[], [0], [3], [0, 0, 0], [1, 0, 2, 5, 0], [0, 4], [4, 0]]
SHAPES += [[random.Random(seed).choice([0, 1, 2, 3, 7, 8, 40, 300]) for _ in range(20)] for seed in range(5)]


def segments(lengths: list[int], seed: int = 0) -> tuple[np.ndarray, np.ndarray, list[list[float]]]:
    """Flat values, their offsets, and the same as lists."""
    rng = random.Random(seed)
    lists = [[rng.choice([1 / k for k in range(1, 30)]) for _ in range(n)] for n in lengths]
    return np.array([v for part in lists for v in part]), ragged.offsets(np.array(lengths, np.int64)), lists


def flat(lists: list[list[float]]) -> list[float]:
    return [value for part in lists for value in part]


@pytest.mark.parametrize("lengths", SHAPES, ids=str)
def test_offsets_owners_positions(lengths: list[int]) -> None:
    off = ragged.offsets(np.array(lengths, np.int64))
    assert off.tolist() == [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    assert ragged.owners(off).tolist() == [i for i, n in enumerate(lengths) for _ in range(n)]
    assert ragged.positions(off).tolist() == [j for n in lengths for j in range(n)]
    start = np.array([7 * i for i in range(len(lengths))], np.int64)
    want = [7 * i + j for i, n in enumerate(lengths) for j in range(n)]
    assert ragged.ranges(start, np.array(lengths, np.int64)).tolist() == want


@pytest.mark.parametrize("lengths", SHAPES, ids=str)
def test_running_sum_adds_as_a_loop_does(lengths: list[int]) -> None:
    values, off, lists = segments(lengths)
    want = []
    for part in lists:
        total = 0.0
        for value in part:
            total += value
            want.append(total)
    assert ragged.running_sum(values, off).tolist() == want


def test_running_sum_is_not_a_cut_cumulative_sum() -> None:
    """The rounding of one segment must not reach the next one."""
    values, off, _ = segments([300] * 20)
    whole = np.cumsum(values)
    cut = whole - np.repeat(np.append(0.0, whole)[off[:-1]], 300)
    assert (ragged.running_sum(values, off) != cut).any()


@pytest.mark.parametrize("lengths", SHAPES, ids=str)
def test_sums_counts_last(lengths: list[int]) -> None:
    values, off, lists = segments(lengths)
    owner, totals = ragged.owners(off), []
    for part in lists:
        total = 0.0
        for value in part:
            total += value
        totals.append(total)
    assert ragged.sums(values, owner, len(lengths)).tolist() == totals
    assert ragged.counts(owner, len(lengths)).tolist() == lengths


@pytest.mark.parametrize("lengths", SHAPES, ids=str)
def test_running_max_from_end(lengths: list[int]) -> None:
    values, off, lists = segments(lengths)
    want = [max(part[i:]) for part in lists for i in range(len(part))]
    assert ragged.running_max_from_end(values, off).tolist() == want
    assert values.tolist() == flat(lists), "the input must stay as it is"


def test_value_at() -> None:
    rng = random.Random(9)
    for _ in range(50):
        rows = sorted({(rng.randrange(6), rng.randrange(1, 20)) for _ in range(rng.randrange(30))})
        running = [rng.random() for _ in rows]
        wanted = [(rng.randrange(6), rng.randrange(0, 25)) for _ in range(40)]
        want = [
            next((v for (t, r), v in reversed(list(zip(rows, running, strict=True))) if t == topic and r <= rank), 0.0)
            for topic, rank in wanted
        ]
        topic, rank = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
        wanted_topic, wanted_rank = (np.array([pair[i] for pair in wanted], np.int64) for i in (0, 1))
        assert ragged.value_at(np.array(running), topic, rank, wanted_topic, wanted_rank).tolist() == want
