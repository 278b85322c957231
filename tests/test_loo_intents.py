"""Leave one out with intents and judgement groups: as if evaluated with files from which the lines are really gone."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from conftest import Door

from ireval.api import evaluate, read_qrels
from ireval.core.judgements import part
from ireval.studying import Keeper

RUNS = ("a1", "a2", "b1", "c1")
DIVERSE = [
    "I-rec@5",
    "alpha-nDCG@5",
    "ERR-IA@5",
    "nDCG-IA@5",
    "D-nDCG@5",
    "D#-nDCG@5",
    "D-Q@5",
    "NRBP",
    "AP",
    "AP'",
    "D#-nDCG'@5",
    "D-ERR(sat=gain,top=3)@5",
]
TYPED = ["DIN-nDCG@5", "P+Q@5"]


class World:
    """Four runs of three teams; intents that only one team's documents serve; a topic without anything relevant."""

    def __init__(self, folder: Path, seed: int) -> None:
        rng = random.Random(seed)
        self.folder = folder
        self.ranked = {run: {t: rng.sample(range(25), 8) for t in ("1", "2", "3", "4")} for run in RUNS}
        for run, topics in self.ranked.items():
            lines = [f"{t} Q0 d{d} 0 {50 - n} {run}\n" for t, found in topics.items() for n, d in enumerate(found)]
            (folder / f"{run}.run").write_text("".join(lines))
        pool = sorted({(t, d) for run in self.ranked.values() for t, found in run.items() for d in found[:5]})
        self.lines = [(t, i, d, 0 if rng.random() < 0.8 else rng.choice([1, 2, 3])) for t, d in pool for i in "123"]
        self.lines = [(t, i, d, 0 if t == "4" else level) for t, i, d, level in self.lines]
        (folder / "qrels").write_text("".join(f"{t} {i} d{d} {level}\n" for t, i, d, level in self.lines))
        kinds = {"1": "0.5 inf", "2": "0.3 nav", "3": "0.2 inf"}
        (folder / "intents").write_text("".join(f"{t} {i} {kinds[i]}\n" for t in "1234" for i in "123"))

    @property
    def runs(self) -> list[Path]:
        return [self.folder / f"{run}.run" for run in RUNS]

    def without(self, team: str) -> tuple[Path, int]:
        """A file without what only this team brought, and how many intents lost all their relevant documents."""
        tops = {run: {(t, d) for t, found in topics.items() for d in found[:5]} for run, topics in self.ranked.items()}
        others = set().union(*(top for run, top in tops.items() if run[0] != team))
        kept = [line for line in self.lines if (line[0], line[2]) in others]
        path = self.folder / f"thin-{team}"
        path.write_text("".join(f"{t} {i} d{d} {level}\n" for t, i, d, level in kept))
        served = [{(t, i) for t, i, _, level in lines if level > 0} for lines in (self.lines, kept)]
        return path, len(served[0]) - len(served[1])


@pytest.mark.parametrize("over", ["relevant", "all"])
@pytest.mark.parametrize("known", [False, True])
def test_scores_are_those_of_thinner_files(our_command: Door, tmp_path: Path, over: str, known: bool) -> None:
    """Intents that count follow the judgements too; what --write-qrels keeps gives the same scores."""
    world = World(tmp_path, 7)
    measures = DIVERSE + (TYPED if known else [])
    scoring = ["--qrels-format", "diversity", "--over", over, *(["--intents", tmp_path / "intents"] if known else [])]
    asked = [word for measure in measures for word in ("-m", measure)]
    argv = ["loo", tmp_path / "qrels", *world.runs, "--teams", "^.", "--pool-depth", 5, *asked, *scoring]
    done = our_command(*argv, "--plain-only", "-f", "json", "--write-qrels", tmp_path / "out")
    assert done.status == 0, done.err
    found = {(row["run"], row["measure"]): row for row in json.loads(done.out)["runs"]}
    intents = tmp_path / "intents" if known else None
    lost = changed = 0
    for team in "abc":
        thin, fewer = world.without(team)
        lost += fewer
        for file in (thin, tmp_path / "out" / f"qrels.without-{team}"):
            judged = read_qrels(file, format="diversity", intents=intents, over=over)
            scores = evaluate(judged, world.runs, measures).summary()
            for run in (run for run in RUNS if run[0] == team):
                for measure, value in scores[run].items():
                    row = found[run, measure]
                    assert row["without"] == pytest.approx(value, abs=1e-14), (team, run, measure)
                    changed += abs(row["change"]) > 1e-6
    assert lost > 0 and changed > 20


def test_the_highest_global_gain_is_the_collection_s(tmp_path: Path) -> None:
    """D-ERR with sat=gain: without the best document the others satisfy as before; without an intent never above 1.

    Global gains are 3, 1 and 2 x 1/2 with two intents: H = 3. Rank 1 is worth 1/4 with and without the best document.
    """
    (tmp_path / "qrels").write_text("1 1 best 3\n1 2 best 3\n1 1 good 1\n1 2 good 1\n1 1 half 2\n1 2 half 0\n")
    (tmp_path / "run").write_text("1 Q0 good 1 2 r\n1 Q0 half 2 1 r\n")
    keeper = Keeper()
    spec = "D-ERR(sat=gain)@1"
    results = evaluate(tmp_path / "qrels", [tmp_path / "run"], [spec], scorer=keeper)
    names = results.judged.documents.to_list()
    specs = [request.spec for request in results.requests]
    kept = np.array([name != b"best" for name in names])
    assert keeper.values(0, specs).item() == 0.25
    assert keeper.values(0, specs, part(results.judged, kept)).item() == 0.25
    # one intent is left, in which the only document gains 2: more than the collection's 1
    (tmp_path / "qrels").write_text("1 1 half 2\n1 2 good 2\n")
    keeper = Keeper()
    results = evaluate(tmp_path / "qrels", [tmp_path / "run"], [spec], scorer=keeper)
    kept = np.array([name == b"good" for name in results.judged.documents.to_list()])
    assert keeper.values(0, specs).item() == 0.5
    assert keeper.values(0, specs, part(results.judged, kept)).item() == pytest.approx(2 / 3)


def test_a_group_without_judgements_has_no_say(our_command: Door, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 g d1 1\n1 h d2 1\n1 h d9 1\n2 g d1 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 3 a\n1 Q0 d2 2 2 a\n2 Q0 d1 1 1 a\n")
    (tmp_path / "b.run").write_text("1 Q0 d2 1 2 b\n1 Q0 d3 2 1 b\n2 Q0 d1 1 1 b\n")
    runs = [tmp_path / "a.run", tmp_path / "b.run"]
    argv = ["loo", tmp_path / "qrels", *runs, "--by", "run", "--pool-depth", 2, "--qrels-format", "qrels_jg"]
    done = our_command(*argv, "-m", "AP", "--plain-only", "-f", "json", "--write-qrels", tmp_path / "out")
    row = json.loads(done.out)["runs"][0]
    written = evaluate(read_qrels(tmp_path / "out" / "qrels.without-a", format="qrels_jg"), runs, ["AP"]).summary()
    # group g of topic 1 is gone; h finds one of two at rank 2; topic 2 is whole
    assert (row["run"], row["without"], written["a"]["AP"]) == ("a", 0.625, 0.625)
