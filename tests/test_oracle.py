"""Every measure against its slow twin in oracle.py, on seeded random worlds, with every parameter worth trying."""

from __future__ import annotations

import math
import random
from pathlib import Path

import oracle
import oracle_diversity
import oracle_graded
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


def nearly(got: float, want: float) -> bool:
    """Equal but for rounding: these twins do not add in the same order."""
    return agree(got, want) or abs(got - want) <= 1e-12 * max(1.0, abs(want))


def expected(
    spec: Spec, topic: Topic, ranking: list[bytes], *, condensed: bool = False, everywhere: tuple[int, ...] = ()
) -> float | str:
    """What the oracle says about one topic. everywhere: the levels of all topics."""
    params = dict(spec.params)
    if spec.name in oracle.PREFERENCES:
        return oracle.PREFERENCES[spec.name](ranking, topic.preferences)
    if spec.name in oracle.GROUPS:
        return oracle.mean_over_groups(oracle.GROUPS[spec.name], ranking, topic.groups, **params)
    if condensed:
        ranking = [document for document in ranking if topic.judged.get(document, -1) >= 0]
    codes, levels = oracle.codes_of(ranking, topic.judged), tuple(topic.judged.values())
    if spec.name in oracle_graded.MEASURES:
        lengths = [topic.lengths.get(document, (0, 0)) for document in ranking]
        return oracle_graded.MEASURES[spec.name](oracle_graded.Ranked(codes, levels, everywhere, lengths), **params)
    return oracle.MEASURES[spec.name](codes, levels, **params)


def levels_of_all(world: World) -> tuple[int, ...]:
    return tuple(level for topic in world.values() for level in topic.judged.values())


def compare(
    world: World, specs: list[Spec], scores: Scores, *, depth: int | None = None, condensed: bool = False
) -> int:
    """Hold every value against the oracle; how many were compared."""
    assert scores.topics == sorted(world)
    ascending = specs[0].measure.needs == "preferences"
    rankings = {name: oracle.rank(topic.scored, ascending=ascending)[:depth] for name, topic in world.items()}
    everywhere = levels_of_all(world)
    for row, spec in enumerate(specs):
        close = nearly if spec.name in oracle_graded.MEASURES else agree
        for t, name in enumerate(scores.topics):
            want = expected(spec, world[name], rankings[name], condensed=condensed, everywhere=everywhere)
            got = scores.texts[row][t] if isinstance(want, str) else float(scores.values[row, t])
            same = got == want if isinstance(want, str) else close(got, want)
            assert same, f"{spec} topic {name!r}: got {got!r}, expected {want!r}"
    return len(specs) * len(world)


TWINS = {
    *oracle.MEASURES,
    *oracle_graded.MEASURES,
    *oracle.GROUPS,
    *oracle.PREFERENCES,
    *oracle_diversity.MEASURES,  # see test_diversity.py
}


def specs_with_twins(needs: str, *, odd: bool = False) -> list[Spec]:
    """Of trec_eval's measures; the others have tests of their own below."""
    return [spec for spec in specs_for(needs, odd=odd) if spec.name in TWINS - oracle_graded.MEASURES.keys()]


def graded_specs(needs: str, number: int, seed: int, *, odd: bool = False) -> list[Spec]:
    """So many specs of each of the other measures, picked by chance."""
    rng, specs = random.Random(seed), specs_for(needs, odd=odd)
    chosen = []
    for name in oracle_graded.MEASURES:
        of_it = [spec for spec in specs if spec.name == name]
        chosen += rng.sample(of_it, min(number, len(of_it)))
    return chosen


def test_every_measure_has_a_twin() -> None:
    """A new measure needs a function in oracle.py: this test names those without one."""
    assert set(all_measures()) - TWINS - {"runid", "num_q"} == set()
    assert set(all_measures()) >= TWINS


@pytest.mark.parametrize("seed", range(5))
def test_levels(seed: int, tmp_path: Path) -> None:
    world, specs = random_world(seed), specs_with_twins("levels", odd=True)
    assert compare(world, specs, score_world(tmp_path, world, specs)) > 10_000


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("needs", ["levels", "lengths"])
def test_graded(needs: str, seed: int, tmp_path: Path) -> None:
    """The measures that trec_eval does not have, on levels up to 12, also with maps and thresholds that nobody uses."""
    world, specs = random_world(50 + seed, topics=30), graded_specs(needs, 30, seed, odd=True)
    assert compare(world, specs, score_world(tmp_path, world, specs, needs)) > (30_000 if needs == "levels" else 1_500)


@pytest.mark.parametrize("gains", ["1:3:7", "0.5:1:1.5", "0:0.5:1", "3:2:1"])
@pytest.mark.parametrize("needs", ["levels", "lengths"])
def test_graded_gain_lists(needs: str, gains: str, tmp_path: Path) -> None:
    world = random_world(60, topics=20, top=3)
    specs = [
        Spec(spec.name, tuple((n, gains if n == "gains" else v) for n, v in spec.params))
        for spec in graded_specs(needs, 12, 1)
        if "gains" in dict(spec.params)
    ]
    compare(world, specs, score_world(tmp_path, world, specs, needs))


@pytest.mark.parametrize("cut", [{"depth": 4}, {"depth": 0}, {"condensed": True}])
@pytest.mark.parametrize("needs", ["levels", "lengths"])
def test_graded_cut_rankings(needs: str, cut: dict[str, object], tmp_path: Path) -> None:
    world, specs = random_world(70, topics=15, top=3), graded_specs(needs, 10, 2)
    compare(world, specs, score_world(tmp_path, world, specs, needs, **cut), **cut)


def test_graded_deep_rankings(tmp_path: Path) -> None:
    world = random_world(80, topics=2, top=3, depth=90)
    specs = graded_specs("levels", 4, 3)
    compare(world, specs, score_world(tmp_path, world, specs))


@pytest.mark.parametrize("gains", ["1:3:7", "0:0.5:1", "0.2:0.4:0.9", "-1:0.5:2"])
def test_gain_lists(gains: str, tmp_path: Path) -> None:
    """A list such as 1:3:7 needs levels that it knows."""
    world = random_world(11, top=3)
    specs = [
        Spec(spec.name, tuple((n, gains if n == "gains" else v) for n, v in spec.params))
        for spec in specs_with_twins("levels")
        if dict(spec.params).get("gains") == "level"
    ]
    compare(world, specs, score_world(tmp_path, world, specs))


@pytest.mark.parametrize("cut", [{"depth": 5}, {"depth": 0}, {"condensed": True}, {"condensed": True, "depth": 4}])
def test_cut_rankings(cut: dict[str, object], tmp_path: Path) -> None:
    world, specs = random_world(21, topics=25), specs_with_twins("levels")
    compare(world, specs, score_world(tmp_path, world, specs, **cut), **cut)


@pytest.mark.parametrize("seed", range(3))
def test_groups(seed: int, tmp_path: Path) -> None:
    world, specs = random_world(100 + seed), specs_with_twins("groups", odd=True)
    compare(world, specs, score_world(tmp_path, world, specs, "groups"))


@pytest.mark.parametrize("seed", range(6))
def test_preferences(seed: int, tmp_path: Path) -> None:
    world, specs = random_preferences(200 + seed), specs_with_twins("preferences")
    compare(world, specs, score_world(tmp_path, world, specs, "preferences"))


def test_preferences_cut(tmp_path: Path) -> None:
    world, specs = random_preferences(300), specs_with_twins("preferences")
    compare(world, specs, score_world(tmp_path, world, specs, "preferences", depth=3), depth=3)


def test_deep_rankings(tmp_path: Path) -> None:
    """Enough documents for every size class of running sums, and for logarithms beyond the first table."""
    world = random_world(31, topics=3, depth=99)
    long = Topic([(b"x%04d" % i, f"{2000 - i}") for i in range(1500)], {b"x%04d" % i: i % 4 for i in range(0, 1500, 7)})
    world[b"t999"] = long
    specs = [spec for spec in specs_with_twins("levels") if dict(spec.params).get("rel", 1) == 1]
    compare(world, specs, score_world(tmp_path, world, specs))


@pytest.mark.parametrize(("missing", "codes"), [("empty", []), ("unjudged", [oracle.NOT_IN_POOL])])
@pytest.mark.parametrize("keep_nan", [True, False])
def test_missing_topics(missing: str, codes: list[int], keep_nan: bool, tmp_path: Path) -> None:
    """A judged topic that the run lacks counts as an empty ranking, or as one document that nobody judged."""
    world, specs = random_world(41, topics=12), [*specs_with_twins("levels"), *graded_specs("levels", 10, 4)]
    gone = sorted(world)[3:6]
    kept = {name: topic for name, topic in world.items() if name not in gone}
    (tmp_path / "run").write_bytes(b"\n".join(run_lines(kept)))
    (tmp_path / "qrels").write_bytes(b"\n".join(judgement_lines(world, "levels")))
    scores = score_run(
        read_back(tmp_path / "qrels"),
        Source(tmp_path / "run"),
        specs,
        Policy(),
        TopicPolicy(missing=missing, keep_nan=keep_nan),
    )
    assert scores.topics == sorted(world)
    assert [name for name, lacking in zip(scores.topics, scores.missing, strict=True) if lacking] == gone
    assert scores.facts.missing == tuple(gone)
    for row, spec in enumerate(specs):
        for name in gone:
            t = scores.topics.index(name)
            judged = tuple(world[name].judged.values())
            if spec.name in oracle_graded.MEASURES:
                topic = oracle_graded.Ranked(codes, judged, levels_of_all(world))
                want = oracle_graded.MEASURES[spec.name](topic, **dict(spec.params))
                assert nearly(float(scores.values[row, t]), want), (spec, name)
                continue
            want = oracle.MEASURES[spec.name](codes, judged, **dict(spec.params))
            if isinstance(want, str):
                assert scores.texts[row][t] == want
                continue
            if math.isnan(want) and not keep_nan:
                want = 0.0
            assert agree(float(scores.values[row, t]), want), (spec, name)


def test_summaries(tmp_path: Path) -> None:
    """runid and num_q are about the run as a whole."""
    world = random_world(5, topics=7)
    facts = score_world(tmp_path, world, specs_with_twins("levels")[:1]).facts
    records = all_measures()
    assert records["runid"].compute(facts) == "tag"
    assert records["num_q"].compute(facts) == 7
