"""Scores under a part of the judgements are those of a judgement file that never had the rest."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from worlds import FORMATS, judgement_lines, lengths_for, policy_for, random_world, read_back, run_lines, specs_for

from ireval.core.judgements import part
from ireval.errors import UsageError
from ireval.measures.spec import parse_measures
from ireval.read.source import Source
from ireval.scoring import TopicPolicy, align_run, score_aligned, score_run


@pytest.mark.parametrize("condensed", [False, True])
@pytest.mark.parametrize("needs", ["levels", "lengths", "groups"])
def test_every_measure_under_a_part(tmp_path: Path, needs: str, condensed: bool) -> None:
    rng = random.Random(f"part {needs}")
    world = random_world(11, topics=25)
    specs = [spec for spec in specs_for(needs) if spec.measure.kind != "text"]
    lines = judgement_lines(world, needs)
    scale = [n for n, line in enumerate(lines) if line.endswith(b" 12")][:1]  # so that both have the same scale
    keep = [n in scale or rng.random() < 0.6 for n in range(len(lines))]
    (tmp_path / "run").write_bytes(b"".join(line + b"\n" for line in run_lines(world)))
    (tmp_path / "all").write_bytes(b"".join(line + b"\n" for line in lines))
    (tmp_path / "some").write_bytes(b"".join(line + b"\n" for n, line in enumerate(lines) if keep[n]))
    lengths = lengths_for(tmp_path, world, needs)
    judged = read_back(tmp_path / "all", needs)
    aligned = align_run(judged, Source(tmp_path / "run"), policy_for(needs), lengths=lengths).aligned
    narrowed = part(judged, np.array(keep)[judged.lines - 1])
    found = score_aligned(aligned.with_judgements(narrowed), specs, condensed=condensed)
    some = read_back(tmp_path / "some", needs)
    policy = policy_for(needs, condensed=condensed)
    wanted = score_run(some, Source(tmp_path / "run"), specs, policy, TopicPolicy("empty"), lengths=lengths)
    at = [judged.evaluated.index(topic) for topic in wanted.topics]
    assert len(at) > 20
    if needs != "groups":  # a group that has lost all its judgements still counts in an average over groups
        assert np.array_equal(found[:, at], wanted.values)
    whole = score_aligned(aligned, specs, condensed=condensed)
    again = score_run(judged, Source(tmp_path / "run"), specs, policy, TopicPolicy("empty"), lengths=lengths)
    assert np.array_equal(whole, again.values)
    assert not np.array_equal(whole, found)


def test_the_scale_stays(tmp_path: Path) -> None:
    """A collection judged up to level 3 stays one when its only document of level 3 is left out."""
    (tmp_path / "qrels").write_text("1 0 a 3\n1 0 b 1\n")
    (tmp_path / "run").write_text("1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n")
    judged = read_back(tmp_path / "qrels")
    aligned = align_run(judged, Source(tmp_path / "run"), policy_for("levels")).aligned
    specs = [request.spec for request in parse_measures(["ERR@5", "ERR(sat=gain)@5"])]
    values = score_aligned(aligned.with_judgements(part(judged, np.array([False, True]))), specs)
    assert values[:, 0].tolist() == [1 / 8, 1 / 4]


def test_a_run_that_lacks_topics(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n3 0 c 1\n")
    (tmp_path / "run").write_text("3 Q0 c 1 2 r\n9 Q0 a 2 1 r\n1 Q0 x 2 1 r\n1 Q0 a 2 0 r\n")
    found = align_run(read_back(tmp_path / "qrels"), Source(tmp_path / "run"), policy_for("levels"))
    assert found.missing.tolist() == [False, True, False]
    assert found.aligned.topic.tolist() == [0, 1, 2] and found.aligned.retrieved.tolist() == [2, 0, 1]
    assert found.facts.missing == (b"2",) and found.facts.unjudged == 1
    specs = [request.spec for request in parse_measures(["RR"])]
    assert score_aligned(found.aligned, specs).tolist() == [[0.5, 0.0, 1.0]]


def test_preferences_have_no_parts(tmp_path: Path) -> None:
    (tmp_path / "prefs").write_text("1 g s a 1\n1 g s b 0\n")
    assert FORMATS["preferences"] == "prefs"
    with pytest.raises(UsageError, match="preferences cannot be left out"):
        part(read_back(tmp_path / "prefs", "preferences"), np.array([True, False]))
