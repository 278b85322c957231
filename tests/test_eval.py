"""`ireval eval` from the command line: what it prints, where, and how it ends."""

from __future__ import annotations

import bz2
import csv
import gzip
import hashlib
import io
import json
import lzma
import math
import os
import pty
import random
import re
import select
import shlex
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import TESTDATA, Door, Outcome

import ireval
from ireval.api import run_names
from ireval.cli import progress as progress_module
from ireval.cli.main import run as run_command
from ireval.write.output import harmless
from ireval.write.table import FORMATS

SAMPLE = TESTDATA / "sample"
QRELS, BM25, SPLADE, COLBERT = (SAMPLE / name for name in ("qrels", "bm25.run", "splade.run", "colbert.run"))
RUNS = (BM25, SPLADE, COLBERT)
PROGRAM = [sys.executable, "-m", "ireval"]
NOTE = "ireval: {}28 of 30 judged topics scored; 2 missing (307, 319), counted as 0; --topics both leaves them out\n"

OUR_LAYOUTS = [name for name in FORMATS if name not in ("nev", "matrix", "means", "ndeval") and "nev" not in name]
"""NTCIREVAL's layouts hold one run or one measure and nothing else."""


def started(*argv: str | Path, environment: Mapping[str, str] | None = None, stdin: bytes = b"") -> Outcome:
    """`ireval` in a process of its own."""
    settings = {**os.environ, **(environment or {})}
    done = subprocess.run([*PROGRAM, *map(str, argv)], input=stdin, capture_output=True, env=settings, timeout=60)
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def table(out: bytes, separator: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out.decode()), delimiter=separator))


def by_run(out: bytes) -> dict[str, dict[str, float]]:
    """{run: {measure: value}} of a CSV summary."""
    return {row.pop("run"): {name: float(value) for name, value in row.items()} for row in table(out)}


def asking(*measures: str) -> list[str]:
    """The measures as options."""
    return [part for name in measures for part in ("-m", name)]


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, Path]:
    """Two topics whose values can be worked out by hand. Ranks, scores and lines of the run disagree."""
    qrels = write(tmp_path / "qrels", "t1 0 a 1\nt1 0 b 0\nt1 0 c 2\nt2 0 a 3\nt2 0 b 1\n")
    lines = ["t1 Q0 x 3 9.5 tag", "t1 Q0 a 2 8.5 tag", "t1 Q0 c 1 10.5 tag", "t2 Q0 b 2 1.5 tag", "t2 Q0 a 1 0.5 tag"]
    return qrels, write(tmp_path / "small.run", "\n".join(lines) + "\n")


# -- names of runs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["runs/bm25.run"], ["bm25"]),
        (["runs/bm25.run", "other/splade.run.gz", "c.txt.bz2"], ["bm25", "splade", "c"]),
        (["old/bm25.run", "new/bm25.run", "new/splade.run"], ["old/bm25", "new/bm25", "splade"]),
        (["a/x/r.run", "b/x/r.run"], ["a/x/r", "b/x/r"]),
        (["bm25.run", "bm25.run.gz"], ["bm25.run", "bm25.run.gz"]),
        (["a/r.run", "a/r.txt", "a/s.run"], ["r.run", "r.txt", "s"]),
        (["a/r.run", "b/r.run", "b/r.txt"], ["a/r", "b/r.run", "r.txt"]),
        (["/r", "r"], ["/r", "r"]),
        (["a/.run", "b.run.v2"], [".run", "b.run.v2"]),
    ],
)
def test_run_names(paths: list[str], names: list[str]) -> None:
    assert run_names(paths) == names


def test_run_names_are_distinct_endings() -> None:
    rng = random.Random(5)
    for _ in range(300):
        folders = ["/".join(rng.choices("ab", k=rng.randrange(3))) for _ in range(6)]
        paths = sorted({f"{folder}/{rng.choice(['r', 's'])}{rng.choice(['', '.run', '.gz'])}" for folder in folders})
        names = run_names(paths)
        assert len(set(names)) == len(names), paths
        assert all(path.startswith(name) or f"/{name}" in path for path, name in zip(paths, names, strict=True)), paths


def test_runs_are_named_by_file_not_by_tag(evaluate: Door, tmp_path: Path) -> None:
    old, new = (write(tmp_path / folder / "bm25.run.gz", gzip.compress(BM25.read_bytes())) for folder in ("old", "new"))
    got = by_run(evaluate(QRELS, old, new, SPLADE, "-m", "AP", "-f", "csv").out)
    assert list(got) == ["old/bm25", "new/bm25", "splade"]
    assert got["old/bm25"] == got["new/bm25"] != got["splade"]


def test_the_same_file_twice_is_refused(evaluate: Door) -> None:
    got = evaluate(QRELS, BM25, BM25)
    assert (got.status, got.out) == (2, b"")
    assert got.message == "the same run is given twice"


# -- measures -------------------------------------------------------------------------------------------------------


def test_values_worked_out_by_hand(evaluate: Door, small: tuple[Path, Path]) -> None:
    got = by_run(evaluate(*small, *asking("AP", "P@2", "nDCG@2", "RR"), "-f", "csv", "--digits", "-1").out)
    first_dcg, first_ideal = 2.0, 2 + 1 / math.log2(3)  # t1 by score: c (2), x, a (1)
    second_dcg, second_ideal = 1 + 3 / math.log2(3), 3 + 1 / math.log2(3)  # t2: b (1), a (3)
    assert got["small"] == pytest.approx(
        {
            "AP": ((1 + 2 / 3) / 2 + 1) / 2,
            "P@2": (1 / 2 + 1) / 2,
            "RR": 1.0,
            "nDCG@2": (first_dcg / first_ideal + second_dcg / second_ideal) / 2,
        },
        abs=1e-15,
    )


def test_both_grammars_side_by_side_in_the_order_given(evaluate: Door) -> None:
    asked = ["nDCG@10", "map", "AP", "P.10,5", "P@5", "P(rel=2)@5", "ndcg_cut_10", "RBP(p=0.8)", "AP(rel=2)", "map"]
    got = evaluate(QRELS, COLBERT, *asking(*asked), "-f", "csv", "--digits", "-1")
    row = table(got.out)[0]
    assert list(row) == [
        "run",
        "nDCG@10",
        "map",
        "AP",
        "P_5",
        "P_10",
        "P@5",
        "P(rel=2)@5",
        "ndcg_cut_10",
        "RBP(p=0.8)",
        "AP(rel=2)",
    ]
    assert row["map"] == row["AP"] != row["AP(rel=2)"]
    assert row["P_5"] == row["P@5"] != row["P(rel=2)@5"]
    assert row["nDCG@10"] == row["ndcg_cut_10"]


def test_cutoffs_fan_out_and_sets_expand(evaluate: Door) -> None:
    assert list(table(evaluate(QRELS, COLBERT, "-m", "success", "-f", "csv").out)[0])[1:] == [
        "success_1",
        "success_5",
        "success_10",
    ]
    cutoffs = [5, 10, 15, 20, 30, 100, 200, 500, 1000]
    assert list(table(evaluate(QRELS, COLBERT, "-m", "R", "-f", "csv").out)[0])[1:] == [f"R@{k}" for k in cutoffs]
    official = list(table(evaluate(QRELS, COLBERT, "-m", "official", "-f", "csv").out)[0])
    assert official[1:4] == ["runid", "num_q", "num_ret"]
    assert official[-1] == "P_1000"


def test_p5_and_p10_are_both_printed(evaluate: Door) -> None:
    out = evaluate(QRELS, COLBERT, "-m", "P.5", "-m", "P.10", "-f", "trec").out.decode()
    assert [line.split("\t")[0].strip() for line in out.splitlines()] == ["P_5", "P_10"]


def test_typos_are_all_reported_at_once(evaluate: Door) -> None:
    got = evaluate(QRELS, COLBERT, *asking("nDGC@10", "AP", "mapp", "P@0", "P(x=1)@5", "qqqq"))
    assert (got.status, got.out) == (2, b"")
    lines = got.err.splitlines()
    assert len(lines) == 5
    assert re.fullmatch(r'ireval: no measure "nDGC@10"; did you mean nDCG@10(, .*)?\?', lines[0])
    assert re.fullmatch(r'ireval: no measure "mapp"; did you mean .*(?i:\bmap\b).*\?', lines[1])
    assert lines[2] == 'ireval: P@0: k: expected a rank from 1 on, found "0"'
    assert lines[3].startswith("ireval: P(x=1)@5: P has no parameter x (it has ")
    assert lines[4].startswith('ireval: no measure "qqqq"')


# -- topics, order, what is looked at -------------------------------------------------------------------------------


def test_per_topic_rows_end_with_their_mean(evaluate: Door) -> None:
    rows = table(evaluate(QRELS, BM25, COLBERT, "-q", "-m", "AP", "-m", "num_rel", "-f", "csv", "--digits", "-1").out)
    assert len(rows) == 2 * 31
    for name in ("bm25", "colbert"):
        mine = [row for row in rows if row["run"] == name]
        assert [row["topic"] for row in mine] == [*map(str, range(301, 331)), "all"]
        mean = statistics.fmean(float(row["AP"]) for row in mine[:-1])
        assert float(mine[-1]["AP"]) == pytest.approx(mean, abs=1e-15)
        assert int(mine[-1]["num_rel"]) == sum(int(row["num_rel"]) for row in mine[:-1])
    assert [row["AP"] for row in rows if row["run"] == "bm25" and row["topic"] in ("307", "319")] == ["0.0", "0.0"]


def test_topics_that_a_run_lacks(evaluate: Door) -> None:
    arguments = (QRELS, BM25, COLBERT, "-m", "AP", "-m", "num_q", "-f", "csv", "--digits", "-1")
    all_topics, common = evaluate(*arguments), evaluate(*arguments, "--topics", "both")
    assert all_topics.err == NOTE.format("bm25: ")
    assert common.err == "ireval: bm25: 28 of 30 judged topics scored; 2 missing (307, 319), left out for all runs\n"
    first, second = by_run(all_topics.out), by_run(common.out)
    assert [first[run]["num_q"] for run in first] == [30, 30]
    assert [second[run]["num_q"] for run in second] == [28, 28]
    assert second["bm25"]["AP"] == pytest.approx(first["bm25"]["AP"] * 30 / 28, abs=1e-12)
    per_topic = ireval.evaluate(QRELS, COLBERT, ["AP"]).per_topic()
    kept = [value["AP"] for topic, value in per_topic.items() if topic not in ("307", "319")]
    assert second["colbert"]["AP"] == pytest.approx(statistics.fmean(kept), abs=1e-12)


def test_note_about_topics_without_judgements(evaluate: Door, small: tuple[Path, Path], tmp_path: Path) -> None:
    run = write(tmp_path / "more.run", small[1].read_text() + "t9 Q0 a 1 1 tag\nt8 Q0 a 1 1 tag\n")
    got = evaluate(small[0], run)
    assert got.err == "ireval: 2 of 2 judged topics scored; 2 topics without judgements not scored\n"


@pytest.mark.parametrize(("order", "precision"), [("score", (1, 1 / 2)), ("rank", (1, 1)), ("file", (0, 1 / 2))])
def test_order(evaluate: Door, small: tuple[Path, Path], order: str, precision: tuple[float, float]) -> None:
    """t1 by score: c x a; by rank: c a x; as it stands: x a c."""
    got = evaluate(*small, "--order", order, "-q", "-m", "P@1", "-m", "P@2", "-f", "csv", "--digits", "-1")
    row = table(got.out)[0]
    assert (float(row["P@1"]), float(row["P@2"])) == precision


def test_default_order_is_by_score(evaluate: Door, small: tuple[Path, Path]) -> None:
    assert evaluate(*small, "-q").out == evaluate(*small, "-q", "--order", "score").out


def test_depth(evaluate: Door, tmp_path: Path) -> None:
    cut = "".join(line + "\n" for line in COLBERT.read_text().splitlines() if int(line.split()[3]) <= 7)
    measures = ("-m", "AP", "-m", "num_ret", "-m", "P@10", "-f", "csv", "--digits", "-1")
    deep, shallow = evaluate(QRELS, COLBERT, *measures), evaluate(QRELS, COLBERT, "--depth", "7", *measures)
    assert by_run(shallow.out)["colbert"] == by_run(evaluate(QRELS, write(tmp_path / "c.run", cut), *measures).out)["c"]
    assert by_run(shallow.out)["colbert"]["num_ret"] == 7 * 30
    assert by_run(deep.out) != by_run(shallow.out)
    assert evaluate(QRELS, COLBERT, "--depth", "0").status == 2


def test_level_is_the_default_of_every_measure(evaluate: Door) -> None:
    def values(*arguments: str) -> list[float]:
        return list(by_run(evaluate(QRELS, COLBERT, *arguments, "-f", "csv", "--digits", "-1").out)["colbert"].values())

    names = asking("AP", "P@10", "Rprec", "num_rel")
    whole = values("--level", "2", *names)
    assert whole == values(*asking("AP(rel=2)", "P(rel=2)@10", "Rprec(rel=2)", "NumRel(rel=2)"))
    assert whole == values(*asking("AP(rel=2)", "P(rel=2)@10", "Rprec(rel=2)", "NumRel(rel=2)"), "--level", "3")
    assert all(a < b for a, b in zip(whole, values(*names), strict=True))


def test_condensed_drops_unjudged_documents(evaluate: Door, tmp_path: Path) -> None:
    judged = {tuple(line.split()[::2]) for line in QRELS.read_text().splitlines()}
    kept = [line for line in COLBERT.read_text().splitlines() if tuple(line.split()[:3:2]) in judged]
    short = write(tmp_path / "short.run", "\n".join(kept))
    measures = ("-m", "AP", "-m", "nDCG@20", "-m", "num_ret", "-f", "csv", "--digits", "-1")
    condensed = by_run(evaluate(QRELS, COLBERT, "--condensed", *measures).out)["colbert"]
    assert condensed == by_run(evaluate(QRELS, short, *measures).out)["short"]
    assert condensed != by_run(evaluate(QRELS, COLBERT, *measures).out)["colbert"]


def test_gains_of_levels(evaluate: Door, small: tuple[Path, Path]) -> None:
    def value(*options: str) -> float:
        return by_run(evaluate(*small, *options, "-f", "csv", "--digits", "-1").out)["small"].popitem()[1]

    first = 3 / (3 + 1 / math.log2(3))  # t1: c (level 2) on top
    second = (1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3))  # t2: level 1 before level 3
    assert value("-m", "nDCG@2", "--gains", "1:3:7") == pytest.approx((first + second) / 2, abs=1e-15)
    assert (
        value("-m", "nDCG@2", "--gains", "1:3:7")
        == value("-m", "nDCG(gains='1:3:7')@2")
        == value("-m", "nDCG@2", "--gains", "exp2")
    )


def test_gains_that_do_not_reach_the_highest_level(evaluate: Door, small: tuple[Path, Path]) -> None:
    got = evaluate(*small, "-m", "nDCG@2", "--gains", "1:3")
    assert got.status == 2
    assert got.out == b""
    assert got.message == "gains: level 3 is judged, but they are given only up to level 2"


def test_gains_that_are_none(evaluate: Door) -> None:
    got = evaluate(QRELS, COLBERT, "-m", "AP", "--gains", "much")
    assert (got.status, got.out) == (2, b"")
    assert got.message.startswith("gains: expected level, exp2, a list such as 1:3:7")


def test_duplicates(evaluate: Door, small: tuple[Path, Path], tmp_path: Path) -> None:
    run = write(tmp_path / "twice.run", small[1].read_text() + "t2 Q0 b 3 99 tag\nt2 Q0 a 4 98 tag\n")
    qrels = write(tmp_path / "qrels2", small[0].read_text() + "t1 0 c 0\n")
    refused = evaluate(small[0], run)
    assert (refused.status, refused.out) == (2, b"")
    assert "twice.run:6: document: " in refused.err
    assert "first on line 4" in refused.err
    refused = evaluate(qrels, small[1])
    assert (refused.status, refused.out) == (2, b"")
    assert "qrels2:6: " in refused.err
    clean = evaluate(*small, "-f", "trec")
    first = evaluate(small[0], run, "--on-duplicate", "first", "-f", "trec")
    assert (first.status, first.out) == (0, clean.out)
    assert first.err == "ireval: 2 of 2 judged topics scored; 2 repeated documents passed over\n"
    both = evaluate(qrels, run, "--on-duplicate", "first", "-f", "trec")
    assert (both.status, both.out) == (0, clean.out)
    assert "3 repeated documents passed over" in both.err


# -- intervals and baselines ----------------------------------------------------------------------------------------


def test_intervals_are_seeded(evaluate: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (QRELS, *RUNS, "-m", "AP", "-m", "num_rel", "-m", "gm_map", "--ci", "95", "-f", "csv", "--digits", "-1")
    first = evaluate(*arguments)
    assert evaluate(*arguments).out == first.out == evaluate(*arguments, "--seed", "1").out
    other = evaluate(*arguments, "--seed", "2")
    assert other.out != first.out
    monkeypatch.setenv("IREVAL_SEED", "2")
    assert evaluate(*arguments).out == other.out
    assert evaluate(*arguments, "--seed", "1").out == first.out
    monkeypatch.setenv("IREVAL_SEED", "two")
    assert evaluate(*arguments).status == 2
    monkeypatch.delenv("IREVAL_SEED")
    assert evaluate(*arguments, "--seed", "-1").status == 2
    for row in table(first.out):
        assert list(row) == ["run", "AP", "AP_low", "AP_high", "num_rel", "gm_map", "gm_map_low", "gm_map_high"]
        assert float(row["AP_low"]) < float(row["AP"]) < float(row["AP_high"])
        assert float(row["gm_map_low"]) < float(row["gm_map"]) < float(row["gm_map_high"])


def test_a_wider_interval_for_more_confidence(evaluate: Door) -> None:
    def width(percent: str) -> float:
        row = table(evaluate(QRELS, COLBERT, "-m", "AP", "--ci", percent, "-f", "csv", "--digits", "-1").out)[0]
        return float(row["AP_high"]) - float(row["AP_low"])

    assert width("50") < width("90") < width("95") < width("99.9")
    values = [row["AP"] for row in ireval.evaluate(QRELS, COLBERT, ["AP"]).per_topic().values()]
    error = statistics.pstdev(values) / math.sqrt(len(values))
    assert width("95") == pytest.approx(2 * 1.96 * error, rel=0.1)
    assert evaluate(QRELS, COLBERT, "--ci", "100").status == evaluate(QRELS, COLBERT, "--ci", "0").status == 2


def test_baseline_by_name_and_by_file(evaluate: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (QRELS, *RUNS, "-m", "AP", "-m", "num_ret", "-f", "csv", "--digits", "-1")
    by_name = evaluate(*arguments, "--baseline", "splade")
    rows = {row["run"]: row for row in table(by_name.out)}
    assert list(rows["bm25"]) == ["run", "AP", "ΔAP", "num_ret"]
    assert rows["splade"]["ΔAP"] == ""
    for name in ("bm25", "colbert"):
        assert float(rows[name]["ΔAP"]) == float(rows[name]["AP"]) - float(rows["splade"]["AP"])
    (tmp_path / "link").symlink_to(SPLADE)
    for baseline in (SPLADE, os.path.relpath(SPLADE), tmp_path / "link"):
        assert evaluate(*arguments, "--baseline", baseline).out == by_name.out
    (tmp_path / "splade").mkdir()
    monkeypatch.chdir(tmp_path)
    assert evaluate(*arguments, "--baseline", "splade").out == by_name.out


def test_baseline_that_is_not_among_the_runs(evaluate: Door) -> None:
    got = evaluate(QRELS, SPLADE, COLBERT, "--baseline", BM25, "-m", "AP", "-f", "csv")
    assert [row["run"] for row in table(got.out)] == ["bm25", "splade", "colbert"]
    assert [row["ΔAP"] for row in table(got.out)] == ["", "0.1330", "0.1693"]


def test_baseline_that_is_unknown(evaluate: Door) -> None:
    got = evaluate(QRELS, SPLADE, COLBERT, "--baseline", "bm26")
    assert (got.status, got.out) == (2, b"")
    assert got.message == '--baseline: no run "bm26"; there are splade, colbert'


def test_differences_per_topic(evaluate: Door) -> None:
    options = ("--baseline", "splade", "-q", "-m", "AP", "-f", "csv", "--digits", "-1")
    rows = table(evaluate(QRELS, SPLADE, COLBERT, *options).out)
    base = {row["topic"]: float(row["AP"]) for row in rows if row["run"] == "splade"}
    mine = [row for row in rows if row["run"] == "colbert"]
    assert len(mine) == 31
    assert all(float(row["ΔAP"]) == float(row["AP"]) - base[row["topic"]] for row in mine)


# -- jobs -----------------------------------------------------------------------------------------------------------


def test_jobs_change_no_byte() -> None:
    arguments = ("eval", QRELS, *RUNS, "-q", "-m", "all_trec", "--ci", "90", "-f", "csv", "--digits", "-1")
    assert started(*arguments, "--jobs", "2") == started(*arguments, "--jobs", "1")


def test_jobs_with_standard_input() -> None:
    arguments = ("eval", QRELS, SPLADE, "-", COLBERT, "-m", "AP", "-f", "csv")
    one, two = (started(*arguments, "--jobs", jobs, stdin=BM25.read_bytes()) for jobs in ("1", "2"))
    assert one == two
    assert [row["run"] for row in table(two.out)] == ["splade", "<stdin>", "colbert"]


def test_jobs_tell_the_same_fault(tmp_path: Path) -> None:
    broken = write(tmp_path / "broken.run", BM25.read_bytes() + b"330 Q0 X 1 high bm25\n")
    one, two = (started("eval", QRELS, SPLADE, broken, COLBERT, "--jobs", jobs) for jobs in ("1", "2"))
    assert one == two
    assert (two.status, two.out) == (2, b"")
    assert two.err.splitlines() == [
        f'ireval: {broken}:2801: score: expected a number, found "high"',
        "    330 Q0 X 1 high bm25",
        "               ^^^^",
    ]


# -- output ---------------------------------------------------------------------------------------------------------


def test_output_file(evaluate: Door, tmp_path: Path) -> None:
    target = tmp_path / "folder" / "out.csv"
    target.parent.mkdir()
    printed = evaluate(QRELS, *RUNS, "-f", "csv")
    written = evaluate(QRELS, *RUNS, "-f", "csv", "-o", target)
    assert (written.status, written.out) == (0, b"")
    assert target.read_bytes() == printed.out
    assert os.listdir(target.parent) == ["out.csv"]
    mask = os.umask(0)
    os.umask(mask)
    assert target.stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.parametrize("fault", ["run", "measure", "topics"])
def test_output_file_is_kept_when_something_is_wrong(evaluate: Door, tmp_path: Path, fault: str) -> None:
    target = write(tmp_path / "folder" / "out", "from yesterday")
    run = {"run": "301 Q0 X 1 high t\n", "topics": "x Q0 X 1 1 t\n"}.get(fault, "301 Q0 X 1 1 t\n")
    arguments = ("-m", "mapp") if fault == "measure" else ()
    got = evaluate(QRELS, write(tmp_path / "r.run", run), "-o", target, *arguments)
    assert got.status == (4 if fault == "topics" else 2)
    assert target.read_text() == "from yesterday"
    assert os.listdir(target.parent) == ["out"]


def test_output_that_cannot_be_written(evaluate: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got = evaluate(QRELS, COLBERT, "-o", tmp_path / "none" / "out")
    assert (got.status, got.out) == (2, b"")
    assert got.message == f"{tmp_path / 'none' / 'out'}: cannot be written: no such file or directory"
    assert evaluate(QRELS, COLBERT, "-o", tmp_path).status == 2

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    target = write(tmp_path / "folder" / "out", "from yesterday")
    monkeypatch.setattr(os, "replace", fail)
    assert "no space left" in evaluate(QRELS, COLBERT, "-o", target).err
    assert os.listdir(target.parent) == ["out"]
    assert target.read_text() == "from yesterday"


def test_output_follows_links_and_leaves_devices_alone(evaluate: Door, tmp_path: Path) -> None:
    target = write(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to(target)
    assert evaluate(QRELS, COLBERT, "-m", "AP", "-o", tmp_path / "link").status == 0
    assert (tmp_path / "link").is_symlink()
    assert target.read_text().startswith("measure")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert evaluate(QRELS, COLBERT, "-m", "AP", "-o", tmp_path / "pipe").status == 0
        assert os.read(reader, 1000) == target.read_bytes()
    finally:
        os.close(reader)
    assert not (tmp_path / "pipe").is_file()


def test_full_disk() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*PROGRAM, "eval", QRELS, COLBERT], stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert (done.returncode, done.stderr) == (2, b"ireval: cannot write: no space left on device\n")


def test_default_table(evaluate: Door) -> None:
    got = evaluate(QRELS, *RUNS, "--signature")
    assert got.out.decode().splitlines() == [
        "run          AP   nDCG@10     P@10    R@100       RR",
        "bm25     0.3067    0.4301   0.5600   0.5567   0.8333",
        "splade   0.4398    0.5574   0.7333   0.6850   0.9667",
        "colbert  0.4760*   0.6278*  0.7800*  0.7050*  0.9833*",
        f"AP,nDCG@10,P@10,R@100,RR|rel:1|ties:docno-desc|topics:qrels|n:30|ireval:{ireval.__version__}",
    ]
    assert got.err == NOTE.format("bm25: ")


def test_counts_are_no_contest(evaluate: Door) -> None:
    rows = evaluate(QRELS, *RUNS, *asking("num_rel_ret", "AP")).out.decode().splitlines()
    assert [line.split()[1:] for line in rows[1:]] == [["652", "0.3067"], ["815", "0.4398"], ["838", "0.4760*"]]


def test_a_single_run_is_laid_out_downwards(evaluate: Door) -> None:
    assert evaluate(QRELS, COLBERT, "-m", "AP", "-m", "num_q").out.decode().splitlines() == [
        "measure  colbert",
        "AP        0.4760",
        "num_q         30",
    ]


def test_table_with_intervals_and_differences(evaluate: Door) -> None:
    got = evaluate(QRELS, BM25, COLBERT, "-m", "AP", "--ci", "95", "--baseline", "bm25").out.decode().splitlines()
    assert got[0].split() == ["run", "AP", "ΔAP"]
    assert re.fullmatch(r"bm25     0\.3067 \[\.\d{3} \.\d{3}\]", got[1])
    assert re.fullmatch(r"colbert  0\.4760 \[\.\d{3} \.\d{3}\]\*  \+0\.1693", got[2])


SIGNATURE = {
    "table": "{}\n",
    "trec": "# {}\n",
    "csv": "# {}\n",
    "tsv": "# {}\n",
    "jsonl": '{{"signature": "{}"}}\n',
    "markdown": "\n<!-- {} -->\n",
    "latex": "% {}\n",
    "json": '"signature": "{}"',
}


@pytest.mark.parametrize("format_name", OUR_LAYOUTS)
def test_signature(evaluate: Door, format_name: str) -> None:
    arguments = (QRELS, BM25, COLBERT, "-m", "AP", "-m", "P(rel=2)@5", "-f", format_name)
    signature = f"AP,P(rel=2)@5|rel:1|ties:docno-desc|topics:qrels|n:30|ireval:{ireval.__version__}"
    plain, signed = evaluate(*arguments).out.decode(), evaluate(*arguments, "--signature").out.decode()
    line = SIGNATURE[format_name].format(signature)
    if format_name == "json":
        assert line in plain
        assert line in signed
    else:
        assert signed == plain + line


def test_signature_tells_every_setting(evaluate: Door) -> None:
    options = "--level 2 --gains 1:3:7 --depth 50 --condensed --topics both --order rank --on-duplicate first --ci 90 "
    options += "--seed 7"
    document = json.loads(evaluate(QRELS, BM25, "-m", "nDCG@10", *options.split(), "-f", "json").out)
    assert document["signature"] == (
        "nDCG@10|rel:2|order:rank|topics:both|n:28|gains:1:3:7|depth:50|condensed:yes|duplicates:first|"
        f"ci:90,bootstrap,B:2000,seed:7|ireval:{ireval.__version__}"
    )


# -- formats parse back ---------------------------------------------------------------------------------------------

MEASURES = ("AP", "nDCG@10", "num_rel_ret")
EXPECTED = ireval.evaluate(QRELS, RUNS, MEASURES).summary()


def from_table(out: str) -> dict[str, dict[str, str]]:
    header, *rows = [line.split() for line in out.splitlines()]
    return {row[0]: dict(zip(header[1:], (cell.rstrip("*") for cell in row[1:]), strict=True)) for row in rows}


def from_delimited(separator: str) -> Callable[[str], dict[str, dict[str, str]]]:
    return lambda out: {row.pop("run"): row for row in table(out.encode(), separator)}


def from_markdown(out: str) -> dict[str, dict[str, str]]:
    lines = [line.strip("|").split("|") for line in out.splitlines()]
    header, rule, *rows = [[cell.strip().strip("*") for cell in line] for line in lines]
    assert rule == ["---", "---:", "---:", "---:"]
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows}


def from_latex(out: str) -> dict[str, dict[str, str]]:
    lines = [re.sub(r"\\textbf\{(.*?)\}", r"\1", line) for line in out.splitlines() if line.endswith(r" \\")]
    header, *rows = [[cell.strip().replace(r"\_", "_") for cell in line[:-3].split("&")] for line in lines]
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows}


def from_trec(out: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    ours = {"map": "AP", "ndcg_cut_10": "nDCG@10"}
    for line in out.splitlines():
        name, topic, value = (part.strip() for part in line.split("\t"))
        assert topic == "all"
        if name == "runid":
            current = found[value] = {}
        else:
            current[ours.get(name, name)] = value
    return found


PARSERS = {
    "table": from_table,
    "csv": from_delimited(","),
    "tsv": from_delimited("\t"),
    "markdown": from_markdown,
    "latex": from_latex,
    "trec": from_trec,
}


@pytest.mark.parametrize("format_name", list(PARSERS))
def test_text_formats_parse_back(evaluate: Door, format_name: str) -> None:
    arguments = (QRELS, *RUNS, *asking(*MEASURES), "-f", format_name)
    usual = PARSERS[format_name](evaluate(*arguments).out.decode())
    exact = PARSERS[format_name](evaluate(*arguments, "--digits", "-1").out.decode())
    two = PARSERS[format_name](evaluate(*arguments, "--digits", "2").out.decode())
    for run, values in EXPECTED.items():
        assert usual[run] == {n: str(v) if isinstance(v, int) else f"{v:.4f}" for n, v in values.items()}
        assert two[run] == {n: str(v) if isinstance(v, int) else f"{v:.2f}" for n, v in values.items()}
        assert {name: float(value) for name, value in exact[run].items()} == values
    assert list(usual) == list(EXPECTED)


def test_json(evaluate: Door) -> None:
    options = [*asking(*MEASURES), "--ci", "95", "--baseline", "bm25", "-q", "--digits", "2"]
    document = json.loads(evaluate(QRELS, *RUNS, *options, "-f", "json").out)
    assert document["version"] == ireval.__version__
    assert shlex.split(document["command"])[:3] == ["ireval", "eval", str(QRELS)]
    assert shlex.split(document["command"])[-2:] == ["-f", "json"]
    assert document["inputs"] == [
        {"file": str(path), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()} for path in (QRELS, *RUNS)
    ]
    results = ireval.evaluate(QRELS, RUNS, MEASURES)
    assert {run["name"]: run["summary"] for run in document["runs"]} == EXPECTED
    for run in document["runs"]:
        assert run["per_topic"] == results.per_topic(run["name"])
        assert set(run["intervals"]) == {"AP", "nDCG@10"}
        low, high = run["intervals"]["AP"]
        assert low < run["summary"]["AP"] < high
        assert run["missing"] == (["307", "319"] if run["name"] == "bm25" else [])
        assert run["file"] == str(SAMPLE / f"{run['tag']}.run")
    assert document["runs"][0]["difference"] == {"AP": None, "nDCG@10": None}
    assert document["runs"][2]["difference"]["AP"] == EXPECTED["colbert"]["AP"] - EXPECTED["bm25"]["AP"]


def test_json_digest_of_what_came_through_a_pipe(evaluate: Door) -> None:
    packed = gzip.compress(COLBERT.read_bytes())
    document = json.loads(evaluate(QRELS, "-", "-f", "json", stdin=packed).out)
    assert document["inputs"][1] == {"file": "<stdin>", "sha256": hashlib.sha256(packed).hexdigest()}


def test_jsonl(evaluate: Door) -> None:
    arguments = (QRELS, *RUNS, *asking(*MEASURES), "-f", "jsonl")
    rows = [json.loads(line) for line in evaluate(*arguments).out.splitlines()]
    assert {row.pop("run"): row for row in rows} == EXPECTED
    rows = [json.loads(line) for line in evaluate(*arguments, "-q").out.splitlines()]
    assert len(rows) == 93
    assert rows[0] == {"run": "bm25", "topic": "301", **ireval.evaluate(QRELS, BM25, MEASURES).per_topic()["301"]}


@pytest.mark.parametrize("measure", ["official", "all_trec"])
def test_trec_format_is_what_the_door_prints(evaluate: Door, door: Door, measure: str) -> None:
    """On a complete run, where the doors have the same topics."""
    ours = evaluate(QRELS, COLBERT, "-m", measure, "-f", "trec", "-q")
    theirs = door("-q", "-m", measure, QRELS, COLBERT)
    assert ours.out == theirs.out
    assert len(ours.out.splitlines()) > 25 * 30
    assert (ours.err, theirs.err) == ("", "")


def test_trec_format_of_several_runs(evaluate: Door, door: Door) -> None:
    several = evaluate(QRELS, SPLADE, COLBERT, "-m", "map", "-f", "trec").out
    expected = b"".join(
        f"{'runid':<22}\tall\t{run.stem}\n".encode() + door("-m", "map", QRELS, run).out for run in (SPLADE, COLBERT)
    )
    assert several == expected


def test_texts_are_shown_per_topic(evaluate: Door, small: tuple[Path, Path]) -> None:
    rows = table(evaluate(*small, "-q", "-m", "relstring", "-m", "P@1", "-f", "csv").out)
    assert [row["relstring"] for row in rows] == ["2-1", "13", ""]
    assert "relstring" not in table(evaluate(*small, "-m", "relstring", "-m", "P@1", "-f", "csv").out)[0]


# -- inputs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gz", "bz2", "xz"])
def test_standard_input_on_either_side(evaluate: Door, pack: Callable[[bytes], bytes]) -> None:
    expected = by_run(evaluate(QRELS, COLBERT, "-f", "csv").out)["colbert"]
    run, judgements = (pack(path.read_bytes()) for path in (COLBERT, QRELS))
    assert by_run(evaluate(QRELS, "-", "-f", "csv", stdin=run).out) == {"<stdin>": expected}
    assert by_run(evaluate("-", COLBERT, "-f", "csv", stdin=judgements).out) == {"colbert": expected}


def test_standard_input_twice_is_refused(evaluate: Door) -> None:
    for files in (("-", "-"), (QRELS, "-", "-")):
        got = evaluate(*files, stdin=COLBERT.read_bytes())
        assert (got.status, got.out) == (2, b"")
        assert got.message == "standard input can be only one of the files"


def test_process_substitution_is_read_once() -> None:
    command = f"{shlex.join([*PROGRAM, 'eval', str(QRELS)])} <(cat {COLBERT}) <(cat {SPLADE}) -m AP -f json --jobs 2"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60)
    document = json.loads(done.stdout)
    assert [run["summary"]["AP"] for run in document["runs"]] == [EXPECTED[run]["AP"] for run in ("colbert", "splade")]
    assert [entry["sha256"] for entry in document["inputs"][1:]] == [
        hashlib.sha256(path.read_bytes()).hexdigest() for path in (COLBERT, SPLADE)
    ]


def test_missing_file(evaluate: Door, tmp_path: Path) -> None:
    for files in ((tmp_path / "none", COLBERT), (QRELS, COLBERT, tmp_path / "none")):
        got = evaluate(*files)
        assert (got.status, got.out) == (2, b"")
        assert got.err == f"ireval: {tmp_path / 'none'}: no such file or directory\n"


def test_no_common_topic(evaluate: Door, tmp_path: Path) -> None:
    run = write(tmp_path / "other.run", "x Q0 d 1 1 t\n")
    got = evaluate(QRELS, run)
    assert (got.status, got.out) == (4, b"")
    assert got.message == "no topic has both judgements and results"
    half = [write(tmp_path / name, f"{topic} Q0 d 1 1 t\n") for name, topic in (("a.run", "301"), ("b.run", "302"))]
    assert evaluate(QRELS, *half, "--topics", "both").status == 4
    assert evaluate(QRELS, *half).status == 0
    assert evaluate(QRELS, run, COLBERT).status == 0


def test_usage_errors(evaluate: Door) -> None:
    for arguments in (
        (),
        (QRELS,),
        (QRELS, COLBERT, "--topics", "some"),
        (QRELS, COLBERT, "-f", "xml"),
        (QRELS, COLBERT, "--digits", "99"),
        (QRELS, COLBERT, "--nope"),
        (QRELS, COLBERT, "--jobs", "-1"),
    ):
        got = evaluate(*arguments)
        assert (got.status, got.out) == (2, b""), arguments
        assert got.err.startswith("ireval: ")
        assert got.err.endswith("`ireval eval --help` shows how to call it.\n")


def test_help_examples_work(evaluate: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    text = evaluate("--help").out.decode()
    commands = re.findall(r"^ +ireval (eval .*)$", text, re.M)
    assert len(commands) == 5
    monkeypatch.chdir(TESTDATA.parent)
    for command in commands:
        words = [sorted(Path().glob(word)) if "*" in word else [word] for word in shlex.split(command)[1:]]
        assert evaluate(*(word for several in words for word in several)).status == 0, command


# -- gates ----------------------------------------------------------------------------------------------------------


def test_gate_of_a_lowest_value(evaluate: Door) -> None:
    got = evaluate(QRELS, *RUNS, "-m", "AP", "--min", "nDCG@10=.5", "--min", "AP=.3")
    assert got.status == 1
    assert got.out.startswith(b"run ")
    assert b"nDCG" not in got.out
    assert got.err == NOTE.format("bm25: ") + "ireval: gate not met: bm25 has nDCG@10 0.4301, below 0.5\n"
    assert evaluate(QRELS, *RUNS, "--min", "nDCG@10=.4", "--min", "P(rel=2)@5=.1").status == 0


def test_gate_met_exactly(evaluate: Door) -> None:
    value = EXPECTED["colbert"]["AP"]
    assert evaluate(QRELS, COLBERT, "--min", f"AP={value!r}").status == 0
    just_above = value + 1e-9
    got = evaluate(QRELS, COLBERT, "--min", f"AP={just_above!r}")
    assert got.status == 1
    assert f"AP {value:.4f}, below" in got.err
    drop = EXPECTED["colbert"]["AP"] - EXPECTED["splade"]["AP"]
    assert evaluate(QRELS, SPLADE, "--baseline", COLBERT, "--max-drop", f"AP={drop!r}").status == 0
    assert evaluate(QRELS, SPLADE, "--baseline", COLBERT, "--max-drop", f"AP={drop - 1e-9!r}").status == 1


def test_gate_that_four_digits_do_not_tell_apart(evaluate: Door, small: tuple[Path, Path]) -> None:
    value = ((1 + 2 / 3) / 2 + 1) / 2  # AP 0.91666...
    got = evaluate(*small, "-m", "AP", "--min", "AP=.9167")
    assert got.status == 1
    assert got.err == f"ireval: gate not met: small has AP {value!r}, below 0.9167\n"


def test_gate_of_a_largest_drop(evaluate: Door) -> None:
    got = evaluate(QRELS, *RUNS, "--baseline", "colbert", "--max-drop", "AP=.1")
    assert got.status == 1
    assert got.err == NOTE.format("bm25: ") + (
        "ireval: gate not met: bm25 has AP 0.3067, 0.1693 below the baseline colbert (0.4760); allowed 0.1\n"
    )
    assert evaluate(QRELS, *RUNS, "--baseline", "bm25", "--max-drop", "AP=.01").status == 0


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        (("--min", "AP"), 'expected MEASURE=VALUE such as nDCG@10=.4, found "AP"'),
        (("--min", "AP=much"), 'expected MEASURE=VALUE such as nDCG@10=.4, found "AP=much"'),
        (("--min", "AP=nan"), 'expected MEASURE=VALUE such as nDCG@10=.4, found "AP=nan"'),
        (("--min", "runid=1"), "runid is not a number, so it cannot be a gate"),
        (("--max-drop", "AP=.1"), "--max-drop needs --baseline"),
        (("--min", "nDGC@10=.1"), 'no measure "nDGC@10"; did you mean nDCG@10'),
    ],
)
def test_gates_that_make_no_sense(evaluate: Door, gate: tuple[str, str], message: str) -> None:
    got = evaluate(QRELS, COLBERT, *gate)
    assert (got.status, got.out) == (2, b"")
    assert got.message.startswith(message)


# -- notes and silence ----------------------------------------------------------------------------------------------


def test_quiet(evaluate: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    assert evaluate(QRELS, BM25).err == NOTE.format("")
    assert evaluate(QRELS, BM25, "--quiet").err == ""
    for value, silent in (("1", True), ("yes, please", True), ("0", False), ("", False)):
        monkeypatch.setenv("IREVAL_QUIET", value)
        assert (evaluate(QRELS, BM25).err == "") is silent, value
    monkeypatch.setenv("IREVAL_QUIET", "1")
    assert evaluate(QRELS, BM25, "--min", "AP=.9").err == "ireval: gate not met: bm25 has AP 0.3067, below 0.9\n"
    assert evaluate(QRELS, BM25, "-m", "mapp").err != ""


def test_complete_evaluation_says_nothing(evaluate: Door) -> None:
    assert evaluate(QRELS, SPLADE, COLBERT).err == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "patience", "quiet", "shown"),
    [
        (Terminal, 0.0, False, True),
        (Terminal, 0.0, True, False),
        (Terminal, 60.0, False, False),
        (io.StringIO, 0.0, False, False),
    ],
    ids=["terminal", "quiet", "fast", "pipe"],
)
def test_progress(
    stream: type[io.StringIO], patience: float, quiet: bool, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    err = stream()
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(progress_module, "PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")
    with progress_module.Progress(3, "scoring", quiet) as bar:
        for done in range(1, 4):
            bar.update(done, "bm25")
    assert ("scoring bm25" in err.getvalue()) is shown
    assert shown or err.getvalue() == ""


# -- pipes and terminals --------------------------------------------------------------------------------------------


class SlowOutput:
    """Standard output without a buffer, as under PYTHONUNBUFFERED: it takes a few bytes at a time."""

    def __init__(self) -> None:
        self.taken, self.buffer = b"", self

    def isatty(self) -> bool:
        return False

    def write(self, data: bytes) -> int:
        self.taken += bytes(data[:100])
        return min(100, len(data))

    def flush(self) -> None:
        pass


def test_output_that_is_taken_in_parts(evaluate: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = evaluate(QRELS, *RUNS, "-q", "-f", "csv").out
    out = SlowOutput()
    monkeypatch.setattr(sys, "stdout", out)
    assert run_command(["eval", *map(str, (QRELS, *RUNS)), "-q", "-f", "csv"]) == 0
    assert out.taken == whole


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_closed_pipe_ends_quietly(unbuffered: str) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "eval", QRELS, *RUNS, "-q", "-m", "all_trec", "-f", "jsonl"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b'{"run": "bm25"')
    process.stdout.close()
    assert process.stderr.read().decode() == NOTE.format("bm25: ")
    process.stderr.close()
    assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("eval", QRELS, COLBERT), 0),
        (("eval", QRELS, COLBERT, "--min", "AP=.4"), 0),
        (("measures",), 0),
        (("--help",), 0),
        (("measures", "AP"), 0),
        (("eval", QRELS, COLBERT, "--min", "AP=.9"), 1),
    ],
    ids=["eval", "gate-met", "measures", "help", "explain", "gate"],
)
def test_nobody_reads_the_output(arguments: tuple[str | Path, ...], status: int) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*PROGRAM, *arguments], stdout=writer, stderr=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert done.returncode == status
    assert re.fullmatch(r"ireval: gate not met: .*\n" if status else "", done.stderr.decode())


def test_head_of_the_output() -> None:
    command = f"set -o pipefail; {shlex.join([*PROGRAM, 'eval', str(QRELS), *map(str, RUNS)])} --quiet | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout.split()[:2], done.stderr) == (0, [b"run", b"AP"], b"")


def on_terminal(*argv: str | Path, environment: Mapping[str, str] | None = None) -> str:
    """What a terminal 60 columns wide is sent, by stdout and stderr."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLORTERM")}
    settings = {**kept, "COLUMNS": "60", "LINES": "25", "TERM": "xterm-256color", **(environment or {})}
    master, slave = pty.openpty()
    process = subprocess.Popen([*PROGRAM, *map(str, argv)], stdin=slave, stdout=slave, stderr=slave, env=settings)
    os.close(slave)
    sent = b""
    while True:
        ready = select.select([master], [], [], 60)[0]
        try:
            block = os.read(master, 1 << 16) if ready else b""
        except OSError:  # the other side is closed
            block = b""
        if not block:
            break
        sent += block
    os.close(master)
    process.wait(60)
    return sent.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


STYLE = r"\x1b\[([0-9;]*)m"


def test_terminal_of_sixty_columns(tmp_path: Path) -> None:
    long = write(tmp_path / "a-name-that-is-much-longer-than-the-others-and-goes-on-and-on.run", COLBERT.read_bytes())
    options = asking("AP", "nDCG@10", "P@10", "iprec_at_recall_0.25", "nDCG(gains='1=1,2=3,3=7')@1000")
    got = on_terminal("eval", QRELS, BM25, long, *options, "--ci", "95", "--baseline", "bm25", "--quiet")
    lines = re.sub(STYLE, "", got).splitlines()
    assert max(map(len, lines)) <= 60
    assert any(re.search(r"^a-name.*….*on-and-on +0\.4760 \[\.\d+ \.\d+\]\*", line) for line in lines)
    for header in ("AP", "nDCG@10", "P@10", "iprec_at_r", "nDCG(gains", "ΔAP"):
        assert any(line.startswith("run ") and header in line for line in lines), header
    assert {code for codes in re.findall(STYLE, got) for code in codes.split(";")} >= {"1", "32"}


def test_terminal_with_topics_of_sixty_columns(tmp_path: Path) -> None:
    long = {path.name: re.sub("(?m)^3", "a-topic-with-a-long-name-3", path.read_text()) for path in (QRELS, COLBERT)}
    qrels, run = (write(tmp_path / f"{name}-with-a-long-name", text) for name, text in long.items())
    got = re.sub(STYLE, "", on_terminal("eval", qrels, run, "-q", "-m", "AP", "-m", "iprec_at_recall", "--ci", "95"))
    assert max(map(len, got.splitlines())) <= 60
    assert re.search(r"^colbert\S*….*all +0\.4760 \[\.\d+ \.\d+\]$", got, re.M)


def test_terminal_without_colour() -> None:
    got = on_terminal("eval", QRELS, *RUNS, "-m", "AP", environment={"NO_COLOR": "1"})
    codes = {code for codes in re.findall(STYLE, got) for code in codes.split(";")}
    assert codes <= {"0", "1", "2"}  # bold and faint are no colours
    assert "0.4760*" in got


@pytest.mark.parametrize("arguments", [(), ("--signature",), ("-q", "--ci", "95")])
def test_plain_when_piped(evaluate: Door, arguments: tuple[str, ...]) -> None:
    got = evaluate(QRELS, *RUNS, *arguments).out.decode()
    assert not re.search(r"[^\n -~Δ]", got)
    forced = started("eval", QRELS, *RUNS, *arguments, environment={"COLUMNS": "20", "FORCE_COLOR": "1"})
    assert forced.out.decode() == got


def test_a_wide_terminal_shows_what_a_pipe_gets(evaluate: Door) -> None:
    wide = on_terminal("eval", QRELS, *RUNS, "--signature", environment={"COLUMNS": "200"})
    piped = evaluate(QRELS, *RUNS, "--signature")
    assert re.sub(STYLE, "", wide) == piped.out.decode() + piped.err


@pytest.mark.parametrize("format_name", OUR_LAYOUTS)
def test_control_characters_never_reach_a_terminal(tmp_path: Path, format_name: str) -> None:
    """C1 controls and DEL in ids (blanks and below end a field), anything at all in file names."""
    topics = ("t\u009b31m", "t\x7f", "t\udc9b", "t\u202e")
    qrels = "".join(f"{topic} 0 d 1\n" for topic in (*topics, "missing\u009b"))
    run = "".join(f"{topic} Q0 d 1 1 tag\u009b\n" for topic in topics)
    paths = [
        write(tmp_path / name, text.encode("utf-8", "surrogateescape"))
        for name, text in (("qrels", qrels), ("\x1b[31mred\x07.run", run), ("other\n.run", run))
    ]
    got = on_terminal("eval", *paths, "-q", *asking("AP", "runid"), "-f", format_name, "--signature", "--min", "AP=1")
    assert "t\\" in got
    assert "4 of 5 judged topics scored" in got
    assert "gate not met" in got
    rest = re.sub(STYLE, "", got) if format_name == "table" else got
    assert {c for c in rest if not c.isprintable()} <= {"\n", "\t"}


def test_control_characters_in_messages(tmp_path: Path) -> None:
    broken = write(tmp_path / "bro\x1bken.run", "301 Q0 d 1 \x7f\u009bhigh t\n")
    for arguments in (
        (QRELS, broken),
        (QRELS, COLBERT, "-m", "ma\x1bp"),
        (QRELS, COLBERT, "--baseline", "\x1b"),
        (QRELS, COLBERT, "--min", "\x1b"),
        (QRELS, COLBERT, "-o", "/\x1b/x"),
        (QRELS, COLBERT, "--\x1b"),
    ):
        got = on_terminal("eval", *arguments)
        assert got.startswith("ireval: ")
        assert {c for c in got if not c.isprintable()} <= {"\n"}, arguments


def test_harmless() -> None:
    assert harmless("a\tb\nÁ 漢 é|\n") == "a\tb\nÁ 漢 é|\n"
    assert harmless("\x1b[31m \x7f \u009b \udcff\r") == "\\u001b[31m \\u007f \\u009b \\udcff\\u000d"
    assert json.loads(harmless(json.dumps({"\x7f\u009b": "\udcff"}, ensure_ascii=False))) == {"\x7f\u009b": "\udcff"}


# -- measures and completion ----------------------------------------------------------------------------------------


def test_measures_are_listed(our_command: Door) -> None:
    from ireval.measures.registry import all_measures, beyond_measures

    got = our_command("measures")
    assert got.status == 0
    assert len(got.out.decode().split("\n\n")[0].splitlines()) == 1 + len(all_measures()) + len(beyond_measures())
    assert b"Sets: official, set, all_trec" in got.out
    rows = table(our_command("measures", "-f", "csv").out)
    assert {row["trec_eval"] for row in rows} >= {"map", "ndcg_cut", "P", "prefs_simp"}
    document = json.loads(our_command("measures", "-f", "json").out)
    assert len(document["measures"]) == len(rows) == len(all_measures()) + len(beyond_measures())


def test_measures_are_explained(our_command: Door) -> None:
    got = our_command("measures", "ndcg_cut").out.decode()
    for part in ("nDCG@k", "(trec_eval: ndcg_cut)", "formula:", "k:", "gains:", "source:", "Järvelin"):
        assert part in got, part
    assert our_command("measures", "nDCG@10").out.decode().count("nDCG@k") >= 1
    wrong = our_command("measures", "nDGC", "mapp")
    assert (wrong.status, wrong.out) == (2, b"")
    assert len(wrong.err.splitlines()) == 2


def test_measures_fit_a_terminal_of_sixty_columns() -> None:
    lines = re.sub(STYLE, "", on_terminal("measures")).splitlines()
    assert max(map(len, lines)) <= 60
    assert any(re.fullmatch(r"AP +map", line) for line in lines)
    assert any(re.fullmatch(r"AP +Average precision.*…", line) for line in lines)


def test_shell_completion() -> None:
    words = {"_IREVAL_COMPLETE": "bash_complete", "COMP_WORDS": "ireval eval -m nDC", "COMP_CWORD": "3"}
    offered = started(environment=words).out.decode().split()
    assert {"plain,nDCG", "plain,nDCG@10"} <= set(offered)
    assert all(word.startswith("plain,nDC") for word in offered)
    words = {"_IREVAL_COMPLETE": "bash_complete", "COMP_WORDS": "ireval ev", "COMP_CWORD": "1"}
    assert started(environment=words).out.decode().split() == ["plain,eval"]
