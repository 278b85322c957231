"""Gain maps: text -> gain of each level, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from worlds import score_lines

from ireval.errors import DataError, MeasureError
from ireval.measures.gains import GainMap, parse_gains, trec_eval_entries
from ireval.measures.registry import all_measures
from ireval.measures.spec import make_spec


@pytest.mark.parametrize(
    ("text", "gains"),
    [
        ("level", {-2: 0, -1: 0, 0: 0, 1: 1, 2: 2, 5000: 5000}),
        ("exp2", {-1: 0, 0: 0, 1: 1, 2: 3, 3: 7, 60: 2.0**60 - 1, 1023: 2.0**1023, 1024: math.inf}),
        ("1:3:7", {-1: 0, 0: 0, 1: 1, 2: 3, 3: 7}),
        ("1=1.5,3=-5", {0: 0, 1: 1.5, 2: 2, 3: -5, 4: 4}),
        ("L1=1.5, L3=5", {1: 1.5, 2: 2, 3: 5}),
        ("0=2,-1=3", {-2: 0, -1: 3, 0: 2, 1: 1}),
        ("1=5,1=2", {1: 5}),
        ("trec:1=5,1=2", {1: 2, 2: 2}),
        ("trec:1=2x,3=abc", {1: 2, 3: 0}),
        ("trec:", {1: 1, 2: 2}),
    ],
)
def test_gain_of_each_level(text: str, gains: dict[int, float]) -> None:
    gain_map = parse_gains(text)
    assert [gain_map.one(level) for level in gains] == list(gains.values())
    levels = np.array([*gains, *reversed(gains)], np.int32)
    assert gain_map.of(levels).tolist() == [*gains.values(), *reversed(gains.values())]
    assert gain_map.of(np.zeros(0, np.int32)).tolist() == []


@pytest.mark.parametrize("text", ["", "x", "1:x", "1=", "=1", "1=2=3", "a=1", "1:2,3", "trec:x=1", "trec:1"])
def test_what_is_no_gain_map(text: str) -> None:
    with pytest.raises(MeasureError, match="gains: expected level, exp2, a list such as 1:3:7"):
        parse_gains(text)


def test_a_list_must_know_every_level(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="level 4 is judged, but they are given only up to level 3"):
        parse_gains("1:3:7").one(4)
    for name in ("ndcg", "rbp", "G"):
        spec = make_spec(all_measures()[name], {"gains": "1:3:7"}, {})
        with pytest.raises(MeasureError, match="level 4 is judged"):
            score_lines(tmp_path, [b"1 Q0 x 1 1 t"], [b"1 0 a 4"], [spec])


def test_trec_eval_orders_named_levels_first() -> None:
    gain_map = parse_gains("trec:2=1.9")
    assert isinstance(gain_map, GainMap)
    assert trec_eval_entries(gain_map, 2) == [(0.0, 0), (1.9, 2), (1.0, 1)]
    assert trec_eval_entries(gain_map, 1) == [(0.0, 0), (1.9, None), (1.0, 1)]
    assert trec_eval_entries(gain_map, -1) == [(1.9, None)]


def test_levels_beyond_measure(tmp_path: Path) -> None:
    """Neither hours nor gigabytes for one absurd level."""
    judged, run = [b"1 0 a 2147483647", b"1 0 b 1", b"1 0 c 0"], [b"1 Q0 b 1 2 t", b"1 Q0 a 2 1 t"]
    specs = [make_spec(all_measures()[name], {}, {}) for name in ("rbp", "ndcg", "G", "Rndcg", "ndcg_rel")]
    rbp = score_lines(tmp_path, run, judged, specs).values[0, 0]
    assert rbp == pytest.approx(0.1 * (1 / 2147483647 + 0.9))
    named = make_spec(all_measures()["ndcg"], {"gains": "trec:1=2"}, {})
    with pytest.raises(DataError, match="expected levels up to 100000, found 2147483647"):
        score_lines(tmp_path, run, judged, [named])


def test_utility_needs_four_weights(tmp_path: Path) -> None:
    spec = make_spec(all_measures()["utility"], {"weights": (1.0, 2.0)}, {})
    with pytest.raises(MeasureError, match="utility: expected 4 weights, found 2"):
        score_lines(tmp_path, [b"1 Q0 x 1 1 t"], [b"1 0 a 1"], [spec])
