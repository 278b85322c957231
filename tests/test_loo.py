"""Leave one out: against judgement files from which the lines are really gone, and facts that hold by construction."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import oracle_studies as oracle
import pytest
from conftest import TESTDATA, Door

from ireval.api import evaluate

TEAMS = TESTDATA / "teams"
MEASURES = ["AP", "nDCG@5", "infAP", "bpref", "ERR@5", "AP'"]


class World:
    """Five runs of three teams. Levels from -1 to 2; ranks and scores disagree; two judgements from elsewhere."""

    def __init__(self, folder: Path, seed: int) -> None:
        rng = random.Random(seed)
        self.folder = folder
        self.rankings: dict[str, dict[str, list[str]]] = {}
        for run in ("a1", "a2", "b1", "c1", "c2"):
            self.rankings[run] = {t: rng.sample([f"d{i:02d}" for i in range(30)], 9) for t in ("1", "2", "3", "4")}
            lines = [
                f"{topic} Q0 {document} {10 - place} {50 - place} {run}"
                for topic, ranked in self.rankings[run].items()
                for place, document in enumerate(ranked)
            ]
            (folder / f"{run}.run").write_text("\n".join(lines) + "\n")
        pool = {(t, d) for run in self.rankings.values() for t, ranked in run.items() for d in ranked[:4]}
        self.judged = {key: rng.choice([-1, 0, 0, 1, 2]) for key in sorted(pool)}
        self.judged |= {("1", "elsewhere"): 2, ("5", "d01"): 1}
        self.write("qrels", self.judged)

    def write(self, name: str, judged: dict[tuple[str, str], int]) -> Path:
        path = self.folder / name
        path.write_text("".join(f"{t} 0 {d} {level}\n" for (t, d), level in judged.items()))
        return path

    @property
    def runs(self) -> list[Path]:
        return [self.folder / f"{run}.run" for run in self.rankings]

    def unique(self, runs: list[str], depth: int) -> set[tuple[str, str]]:
        """Lecture 5.4: what these runs bring into the pool and no other does; as sets."""
        pools = {
            run: {(t, d) for t, ranked in topics.items() for d in ranked[:depth]}
            for run, topics in self.rankings.items()
        }
        own = set().union(*(pools[run] for run in runs))
        return own - set().union(*(pools[run] for run in pools if run not in runs))


def table(out: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out.decode())))


@pytest.mark.parametrize("by", ["team", "run"])
@pytest.mark.parametrize("depth", [2, 4])
def test_scores_ranks_and_tau_are_those_of_thinner_files(
    our_command: Door, tmp_path: Path, depth: int, by: str
) -> None:
    world = World(tmp_path, depth)
    names = list(world.rankings)
    groups = {run: [run] for run in names} if by == "run" else {"a": names[:2], "b": names[2:3], "c": names[3:]}
    options = ["--by", "run"] if by == "run" else ["--teams", "^[a-z]"]
    argv = ["loo", tmp_path / "qrels", *world.runs, "--pool-depth", depth, *options, "--plain-only", "-f", "json"]
    done = our_command(
        *argv, *(word for measure in MEASURES for word in ("-m", measure)), "--write-qrels", tmp_path / "loo"
    )
    assert done.status == 0, done.err
    document = json.loads(done.out)
    full = evaluate(tmp_path / "qrels", world.runs, MEASURES).summary()
    left = {}
    for group, runs in groups.items():
        gone = world.unique(runs, depth)
        kept = {key: level for key, level in world.judged.items() if key not in gone}
        thinner = world.write(f"without-{group}", {**{("5", "d01"): 1}, **kept})
        written = sorted((tmp_path / "loo" / f"qrels.without-{group}").read_text().splitlines())
        assert written == sorted(f"{t} 0 {d} {level}" for (t, d), level in kept.items())
        scores = evaluate(thinner, world.runs, [m.replace("ERR@5", "ERR(top=2)@5") for m in MEASURES]).summary()
        left |= {run: list(scores[run].values()) for run in runs}
        entry = next(row for row in document["teams"] if row[by] == group)
        assert entry["unique"] == len(gone & world.judged.keys())
        assert entry["rel"] == sum(world.judged.get(key, 0) > 0 for key in gone)
    for row in document["runs"]:
        run, v = row["run"], MEASURES.index(row["measure"])
        assert row["score"] == full[run][row["measure"]]
        assert row["without"] == pytest.approx(left[run][v], abs=1e-15)
        group = next(runs for runs in groups.values() if run in runs)
        now = {r: left[r][v] if r in group else full[r][row["measure"]] for r in names}
        before = 1 + sum(full[r][row["measure"]] > row["score"] + 1e-12 for r in names)
        assert row["rank"] == before
        assert row["rank_without"] == 1 + sum(score > now[run] + 1e-12 for score in now.values())
        team = next(e for e in document["teams"] if e["measure"] == row["measure"] and e[by] in (run, run[0]))
        whole = [full[r][row["measure"]] for r in names]
        assert team["tau"] == pytest.approx(oracle.kendall(whole, list(now.values()))[0])
    untied = 0
    for v, row in enumerate(document["measures"]):
        whole = [full[run][row["measure"]] for run in names]
        without = [left[run][v] for run in names]
        assert row["tau"] == pytest.approx(oracle.kendall(whole, without)[0])
        if len(set(whole)) == len(whole):  # a truth without ties
            order = sorted(range(len(names)), key=lambda run: -whole[run])
            places = sorted(set(without), reverse=True)
            groups_of = [[names[run] for run in range(len(names)) if without[run] == score] for score in places]
            assert row["tau_ap"] == pytest.approx(oracle.tau_ap_broken([names[run] for run in order], groups_of))
            untied += 1
        changes = [b - a for a, b in zip(whole, without, strict=True)]
        assert row["change"] == pytest.approx(sum(changes) / len(changes))
        assert abs(row["largest"]) == pytest.approx(max(map(abs, changes)))
    assert untied >= 3 and any(row["change"] for row in document["runs"])


def test_condensed_measures_come_along(our_command: Door, tmp_path: Path) -> None:
    world = World(tmp_path, 3)
    argv = ["loo", tmp_path / "qrels", *world.runs, "--pool-depth", 4, "--teams", "^[a-z]", "-m", "AP", "-f", "csv"]
    both = table(our_command(*argv).out)
    assert {row["measure"] for row in both} == {"AP", "AP'"}
    alone = table(our_command(*argv, "--condensed").out)
    assert [row["without"] for row in alone] == [row["without"] for row in both if row["measure"] == "AP'"]
    assert {row["measure"] for row in table(our_command(*argv, "-m", "AP'", "-m", "num_rel").out)} == {
        "AP",
        "AP'",
        "num_rel",
    }


def test_a_team_that_brings_nothing_new_changes_nothing(our_command: Door, tmp_path: Path) -> None:
    world = World(tmp_path, 4)
    (tmp_path / "copy.run").write_text((tmp_path / "a1.run").read_text())
    argv = [
        "loo",
        tmp_path / "qrels",
        *world.runs,
        tmp_path / "copy.run",
        "--pool-depth",
        4,
        "--by",
        "run",
        "-f",
        "json",
    ]
    document = json.loads(our_command(*argv, "-m", "AP", "-m", "nDCG").out)
    twins = [row for row in document["runs"] if row["run"] in ("a1", "copy")]
    assert len(twins) == 8 and all(row["score"] == row["without"] and row["ranks"] == 0 for row in twins)
    for team in document["teams"]:
        assert (team["run"] not in ("a1", "copy")) or (team["unique"] == 0 and team["change"] == 0)


def test_runs_that_were_not_pooled(our_command: Door, tmp_path: Path) -> None:
    """The pool is made by the others; the run is scored without its team's contributions all the same."""
    world = World(tmp_path, 5)
    (tmp_path / "teams").write_text("a1 A yes\na2.run A no\nb1 B yes\nc1 C yes\nc2 C yes\nelse D no\n")
    argv = ["loo", tmp_path / "qrels", *world.runs, "--pool-depth", 4, "--teams", tmp_path / "teams", "-m", "AP"]
    document = json.loads(our_command(*argv, "-f", "json").out)
    pools = {run: {(t, d) for t, r in topics.items() for d in r[:4]} for run, topics in world.rankings.items()}
    gone = pools["a1"] - pools["b1"] - pools["c1"] - pools["c2"]
    entry = document["teams"][0]
    assert (entry["team"], entry["runs"], entry["unique"]) == ("A", 2, len(gone & world.judged.keys()))
    kept = {key: level for key, level in world.judged.items() if key not in gone}
    scores = evaluate(world.write("thin", kept), world.runs, ["AP"]).summary()
    found = {row["run"]: row["without"] for row in document["runs"] if row["measure"] == "AP"}
    assert (found["a1"], found["a2"]) == (scores["a1"]["AP"], scores["a2"]["AP"])


def test_pool_order_and_depth_of_scoring(our_command: Door, tmp_path: Path) -> None:
    """Ranks run against the scores in these files, so pools by rank are made of the last documents."""
    world = World(tmp_path, 6)
    argv = ["loo", tmp_path / "qrels", *world.runs, "--pool-depth", 2, "--by", "run", "-m", "AP", "-f", "json"]
    by_rank = json.loads(our_command(*argv, "--pool-order", "rank").out)
    world.rankings = {run: {t: r[::-1] for t, r in topics.items()} for run, topics in world.rankings.items()}
    for entry in by_rank["teams"]:
        gone = world.unique([entry["run"]], 2)
        assert entry["unique"] == len(gone & world.judged.keys())
    plain, cut = (json.loads(our_command(*argv, *more).out) for more in ([], ["--depth", "1"]))
    assert [e["unique"] for e in plain["teams"]] == [e["unique"] for e in cut["teams"]]
    assert plain["runs"] != cut["runs"]


def test_only_topics_that_all_runs_have(our_command: Door, tmp_path: Path) -> None:
    """Topic 5 is judged, but no run has it."""
    world = World(tmp_path, 7)
    argv = ["loo", tmp_path / "qrels", *world.runs, "--pool-depth", 4, "--by", "run", "-m", "AP", "--plain-only"]
    rows = {
        how: table(our_command(*argv, "--topics", how, "-f", "csv", "--digits", "-1").out) for how in ("qrels", "both")
    }
    for whole, common in zip(rows["qrels"], rows["both"], strict=True):
        assert float(common["score"]) == pytest.approx(float(whole["score"]) * 5 / 4)
        assert float(common["without"]) == pytest.approx(float(whole["without"]) * 5 / 4)


def test_teams_are_looked_at_before_runs_are_read(our_command: Door, tmp_path: Path) -> None:
    (tmp_path / "bad.run").write_text("this is no run\n")
    done = our_command("loo", TEAMS / "qrels", tmp_path / "bad.run", "--pool-depth", 4, "--teams", "^x")
    assert "does not match run bad" in done.message


def test_jobs_change_nothing(our_command: Door) -> None:
    runs = sorted(TEAMS.glob("T0*.run.gz"))
    argv = ["loo", TEAMS / "qrels", *runs, "--teams", "T..", "--pool-depth", "15", "-f", "csv", "--digits", "-1"]
    assert our_command(*argv).out == our_command(*argv, "-j", "0").out


def test_judgement_groups(our_command: Door, tmp_path: Path) -> None:
    """Each group's judgement of a unique document goes; --write-qrels keeps the groups."""
    (tmp_path / "qrels").write_text("1 g d1 1\n1 h d1 0\n1 g d2 1\n1 h d3 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n")
    (tmp_path / "b.run").write_text("1 Q0 d2 1 2 b\n1 Q0 d3 2 1 b\n")
    runs = [tmp_path / "a.run", tmp_path / "b.run"]
    argv = [
        "loo",
        tmp_path / "qrels",
        *runs,
        "--by",
        "run",
        "--pool-depth",
        2,
        "--qrels-format",
        "qrels_jg",
        "-m",
        "AP",
    ]
    done = our_command(*argv, "-f", "json", "--write-qrels", tmp_path / "out")
    assert [row["unique"] for row in json.loads(done.out)["teams"]][::2] == [2, 1]
    assert (tmp_path / "out" / "qrels.without-a").read_text() == "1 g d2 1\n1 h d3 1\n"
    assert (tmp_path / "out" / "qrels.without-b").read_text() == "1 g d1 1\n1 g d2 1\n1 h d1 0\n"


def test_a_topic_that_loses_all_its_judgements_is_told(our_command: Door, tmp_path: Path) -> None:
    """It counts as 0, as a topic without relevant documents does; a file of the others does not even name it."""
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n2 0 d2 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n2 Q0 d1 1 1 a\n")
    (tmp_path / "b.run").write_text("2 Q0 d1 1 2 b\n2 Q0 d2 2 1 b\n")
    argv = ["loo", tmp_path / "qrels", tmp_path / "a.run", tmp_path / "b.run", "--by", "run", "--pool-depth", 2]
    done = our_command(*argv, "-m", "AP", "--plain-only", "-f", "json")
    assert "without a, 1 topic has no judgement left (scored as 0)" in done.err
    assert [row["without"] for row in json.loads(done.out)["runs"]] == [0.25, 0.5]


def test_the_tables_on_the_bundled_teams(our_command: Door, tmp_path: Path) -> None:
    argv = ["loo", TEAMS / "qrels", *sorted(TEAMS.glob("*.run.gz")), "--teams", "^(T[0-9]+)-", "--pool-depth", "15"]
    done = our_command(*argv, "-m", "AP", "--signature", "--plot", tmp_path / "loo.svg")
    lines = done.out.decode().splitlines()
    assert done.status == 0 and lines[0] == "30 runs, each scored without its own team"
    assert lines[1].split() == ["measure", "change", "largest", "ranks", "most", "tau", "tau_ap"]
    assert max(map(len, lines[:4])) <= 60
    assert lines[-1].startswith("loo:team|AP,AP'|pool:15|groups:20|rel:1|")
    assert (tmp_path / "loo.svg").read_bytes().startswith(b"<?xml")
    assert done.err == ""  # the pools are whole
    deeper = our_command(*argv, "--pool-depth", "20")
    assert "have no judgement: is the pool depth right?" in deeper.err
    shallower = our_command(*argv, "--pool-depth", "5")
    assert "outside the rebuilt pools; they stay" in shallower.err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "expected --teams FILE or REGEX, or --by run"),
        (["--by", "run", "--teams", "^T"], '--teams: no file "^T"; with --by run it takes a file that'),
        (["--teams", "("], '--teams: no file "(", and no regular expression: '),
        (["--teams", "x(.)"], '--teams: "x(.)" is no file, and as a regular expression it does not match run T01-1'),
        (["--by", "run", "-m", "runid"], "runid has no number for each topic, so runs cannot be ranked by it"),
        (["--by", "run", "-f", "trec"], "-f trec is a layout of scores"),
        (["--by", "run", "--plot", "x.gif"], "--plot: expected a file ending in"),
    ],
)
def test_what_makes_no_sense(our_command: Door, argv: list[str], message: str) -> None:
    runs = [TEAMS / "T01-1.run.gz", TEAMS / "T02-1.run.gz"]
    done = our_command("loo", TEAMS / "qrels", *runs, "--pool-depth", 5, *argv)
    assert done.status == 2 and done.message.startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("T01-1 A\n", "teams: no team for T02-1"),
        ("T01-1 A maybe\n", 'teams:1: pooled: expected yes or no, found "maybe"'),
        ("T01-1 A\nT01-1 B\n", 'teams:2: run: expected each run once, found "T01-1" again'),
        ("T01-1 A\nT02-1 B no\n", "teams:2: line: expected 2 fields (run team) as on the first line, found 3 fields"),
        ("", "teams: expected lines of 2 or 3 fields (run team [pooled]), found an empty file"),
    ],
)
def test_bad_files_of_teams(
    our_command: Door, tmp_path: Path, text: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "teams").write_text(text)
    runs = [TEAMS / "T01-1.run.gz", TEAMS / "T02-1.run.gz"]
    done = our_command("loo", TEAMS / "qrels", *runs, "--pool-depth", 5, "--teams", "teams")
    assert (done.status, done.message) == (2, message)
