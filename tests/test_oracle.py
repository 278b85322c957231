"""Every measure against its slow twin in oracle.py, on seeded random worlds, with every parameter worth trying."""

from __future__ import annotations

import math
from pathlib import Path

import oracle
import pytest
from worlds import (
    Topic,
    World,
    judgement_lines,
    random_preferences,
    random_world,
    read_back,
    run_lines,
    score_world,
    specs_for,
)

from ireval.core.align import Policy
from ireval.core.scores import Scores
from ireval.measures.registry import all_measures
from ireval.measures.spec import Spec
from ireval.read.source import Source
from ireval.scoring import TopicPolicy, score_run


def agree(got: float, want: float) -> bool:
    """Equal to the last bit; the oracle adds in the same order."""
    return got == want or (math.isnan(got) and math.isnan(want))


def expected(spec: Spec, topic: Topic, ranking: list[bytes], *, condensed: bool = False) -> float | str:
    """What the oracle says about one topic."""
    params = dict(spec.params)
    if spec.name in oracle.PREFERENCES:
        return oracle.PREFERENCES[spec.name](ranking, topic.preferences)
    if spec.name in oracle.GROUPS:
        return oracle.mean_over_groups(oracle.GROUPS[spec.name], ranking, topic.groups, **params)
    codes = oracle.codes_of(ranking, topic.judged)
    if condensed:
        codes = [code for code in codes if code >= 0]
    return oracle.MEASURES[spec.name](codes, list(topic.judged.values()), **params)


def compare(
    world: World, specs: list[Spec], scores: Scores, *, depth: int | None = None, condensed: bool = False
) -> int:
    """Hold every value against the oracle; how many were compared."""
    assert scores.topics == sorted(world)
    ascending = specs[0].measure.needs == "preferences"
    rankings = {name: oracle.rank(topic.scored, ascending=ascending)[:depth] for name, topic in world.items()}
    for row, spec in enumerate(specs):
        for t, name in enumerate(scores.topics):
            want = expected(spec, world[name], rankings[name], condensed=condensed)
            got = scores.texts[row][t] if isinstance(want, str) else float(scores.values[row, t])
            same = got == want if isinstance(want, str) else agree(got, want)
            assert same, f"{spec} topic {name!r}: got {got!r}, expected {want!r}"
    return len(specs) * len(world)


def test_oracle_knows_every_measure() -> None:
    known = {*oracle.MEASURES, *oracle.GROUPS, *oracle.PREFERENCES, "runid", "num_q"}
    assert known == set(all_measures())


@pytest.mark.parametrize("seed", range(5))
def test_levels(seed: int, tmp_path: Path) -> None:
    world, specs = random_world(seed), specs_for("levels", odd=True)
    assert compare(world, specs, score_world(tmp_path, world, specs)) > 10_000


@pytest.mark.parametrize("gains", ["1:3:7", "0:0.5:1", "0.2:0.4:0.9"])
def test_gain_lists(gains: str, tmp_path: Path) -> None:
    """A list such as 1:3:7 needs levels that it knows."""
    world = random_world(11, top=3)
    specs = [
        Spec(spec.name, tuple((n, gains if n == "gains" else v) for n, v in spec.params))
        for spec in specs_for("levels")
        if dict(spec.params).get("gains") == "level"
    ]
    compare(world, specs, score_world(tmp_path, world, specs))


@pytest.mark.parametrize("cut", [{"depth": 5}, {"depth": 0}, {"condensed": True}, {"condensed": True, "depth": 4}])
def test_cut_rankings(cut: dict[str, object], tmp_path: Path) -> None:
    world, specs = random_world(21, topics=25), specs_for("levels")
    compare(world, specs, score_world(tmp_path, world, specs, **cut), **cut)


@pytest.mark.parametrize("seed", range(3))
def test_groups(seed: int, tmp_path: Path) -> None:
    world, specs = random_world(100 + seed), specs_for("groups", odd=True)
    compare(world, specs, score_world(tmp_path, world, specs, "groups"))


@pytest.mark.parametrize("seed", range(6))
def test_preferences(seed: int, tmp_path: Path) -> None:
    world, specs = random_preferences(200 + seed), specs_for("preferences")
    compare(world, specs, score_world(tmp_path, world, specs, "preferences"))


def test_preferences_cut(tmp_path: Path) -> None:
    world, specs = random_preferences(300), specs_for("preferences")
    compare(world, specs, score_world(tmp_path, world, specs, "preferences", depth=3), depth=3)


def test_deep_rankings(tmp_path: Path) -> None:
    """Enough documents for every size class of running sums, and for logarithms beyond the first table."""
    world = random_world(31, topics=3, depth=99)
    long = Topic([(b"x%04d" % i, f"{2000 - i}") for i in range(1500)], {b"x%04d" % i: i % 4 for i in range(0, 1500, 7)})
    world[b"t999"] = long
    specs = [spec for spec in specs_for("levels") if dict(spec.params).get("rel", 1) == 1]
    compare(world, specs, score_world(tmp_path, world, specs))


@pytest.mark.parametrize(("missing", "codes"), [("empty", []), ("unjudged", [oracle.NOT_IN_POOL])])
@pytest.mark.parametrize("keep_nan", [True, False])
def test_missing_topics(missing: str, codes: list[int], keep_nan: bool, tmp_path: Path) -> None:
    """A judged topic that the run lacks counts as an empty ranking, or as one document that nobody judged."""
    world, specs = random_world(41, topics=12), specs_for("levels")
    gone = sorted(world)[3:6]
    kept = {name: topic for name, topic in world.items() if name not in gone}
    (tmp_path / "run").write_bytes(b"\n".join(run_lines(kept)))
    (tmp_path / "qrels").write_bytes(b"\n".join(judgement_lines(world, "levels")))
    scores = score_run(
        read_back(tmp_path / "qrels"), Source(tmp_path / "run"), specs, Policy(),
        TopicPolicy(missing=missing, keep_nan=keep_nan),
    )
    assert scores.topics == sorted(world)
    assert [name for name, lacking in zip(scores.topics, scores.missing, strict=True) if lacking] == gone
    assert scores.facts.missing == tuple(gone)
    for row, spec in enumerate(specs):
        for name in gone:
            t = scores.topics.index(name)
            want = oracle.MEASURES[spec.name](codes, list(world[name].judged.values()), **dict(spec.params))
            if isinstance(want, str):
                assert scores.texts[row][t] == want
                continue
            if math.isnan(want) and not keep_nan:
                want = 0.0
            assert agree(float(scores.values[row, t]), want), (spec, name)


def test_summaries(tmp_path: Path) -> None:
    """runid and num_q are about the run as a whole."""
    world = random_world(5, topics=7)
    facts = score_world(tmp_path, world, specs_for("levels")[:1]).facts
    records = all_measures()
    assert records["runid"].compute(facts) == "tag"
    assert records["num_q"].compute(facts) == 7
