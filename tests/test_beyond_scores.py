"""Scores of `session`, `answers` and `rouge` go into the commands that take scores by topic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import TESTDATA, Door

BEYOND = TESTDATA / "beyond"
SESSIONS = [
    *("session", BEYOND / "session.qrels", BEYOND / "plain.sessions", BEYOND / "suggest.sessions"),
    *("--clicks", BEYOND / "plain.clicks", "--clicks", BEYOND / "suggest.clicks"),
]
SCORED = {
    "session": (SESSIONS, ["nsDCG@10", "sDCG(form=2008,b=3)@5", "ClickU(gain=1,L=30000)"]),
    "answers": (
        ["answers", BEYOND / "nuggets", BEYOND / "terse.matches", BEYOND / "verbose.matches"],
        ["S#", "NuggetF(beta=1,allow=50)"],
    ),
    "rouge": (
        [*("rouge", BEYOND / "lead.tsv", BEYOND / "reference1.tsv"), *("--system", BEYOND / "extract.tsv")],
        ["ROUGE-2", "ROUGE-SU4(part=recall,beta=2)"],
    ),
}
"""Command -> its arguments, and measures, some of whose names have commas."""


@pytest.mark.parametrize("layout", ["csv", "tsv", "json"])
@pytest.mark.parametrize("command", SCORED)
def test_scores_by_topic_are_taken(command: str, layout: str, our_command: Door, tmp_path: Path) -> None:
    arguments, measures = SCORED[command]
    asked = [word for measure in measures for word in ("-m", measure)]
    file = tmp_path / f"scores.{layout}"
    made = our_command(*arguments, *asked, "-q", "-f", layout, "--digits", -1, "-o", file)
    assert made.status == 0 and not made.out, made.err
    means = json.loads(our_command(*arguments, *asked, "-f", "json").out)["runs"]
    for measure in measures:
        done = our_command("sigtest", "--scores", file, "-m", measure, "-f", "json")
        assert done.status == 0, done.err
        tested = json.loads(done.out)["measures"][0]
        found = {system["name"]: system["mean"] for system in tested["systems"]}
        assert found == pytest.approx({run["name"]: run["summary"][measure] for run in means})
    for taker in ("discrim", "correlate"):
        done = our_command(taker, "--scores", file, *asked, "-f", "json")
        assert done.status == 0, done.err
        for measure in measures:
            assert json.dumps(measure) in done.out.decode()
