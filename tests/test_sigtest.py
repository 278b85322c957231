"""`ireval sigtest` from the command line and from Python: what it prints, where, and how it ends."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from conftest import TESTDATA, Door, Outcome

import ireval
from ireval.cli import progress as progress_module
from ireval.cli import sigtest as module
from ireval.cli.main import run as run_command
from ireval.cli.sigtest_words import show_p
from ireval.stats.multiple import CORRECTIONS
from ireval.stats.registry import all_tests
from ireval.studies.sigtest import expected_by_chance, samples_needed

SAMPLE = TESTDATA / "sample"
QRELS, BM25, SPLADE, COLBERT = (str(SAMPLE / name) for name in ("qrels", "bm25.run", "splade.run", "colbert.run"))
RUNS = (BM25, SPLADE, COLBERT)


@pytest.fixture
def sigtest(our_command: Door) -> Door:
    """`ireval sigtest`."""
    return partial(our_command, "sigtest")


def put(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def matrix(path: Path, values: np.ndarray, names: str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ") -> Path:
    """Scores as a CSV table; values [S, T]."""
    head = ",".join(["topic", *names[: len(values)]])
    rows = [",".join([f"q{t:02d}", *map(repr, column)]) for t, column in enumerate(values.T.tolist())]
    return put(path, "\n".join([head, *rows]) + "\n")


def some_scores(systems: int = 4, topics: int = 25) -> np.ndarray:
    rng = np.random.default_rng(31)
    noise = rng.normal(0.0, 0.1, (systems, topics))
    return np.round(rng.beta(2, 3, (1, topics)) + noise + np.arange(systems)[:, None] * 0.05, 3)


def document(found: Outcome) -> dict:
    assert found.status == 0, found.err
    return json.loads(found.out)


# -- what people see ------------------------------------------------------------------------------------------------


def test_default_for_three_systems(sigtest: Door) -> None:
    found = sigtest(QRELS, *RUNS, "-m", "nDCG@10")
    assert found.status == 0
    lines = found.out.decode().splitlines()
    assert lines[:5] == [
        "nDCG@10, 30 topics, 3 systems: randomised Tukey HSD, B 10000, seed 1",
        "system   nDCG@10  groups",
        "colbert   0.6278  a",
        "splade    0.5574  a",
        "bm25      0.4301    b",
    ]
    assert lines[5] == ("Systems that share a letter cannot be told apart at .05 (family-wise): 2 of 3 pairs differ.")
    assert lines[6] == (
        "Null hypothesis: all systems are alike, so that each topic's scores could be exchanged among them. "
        "Assumes nothing about how topics were chosen."
    )
    assert max(map(len, lines[1:5])) <= 60
    assert re.fullmatch(r"colbert - bm25 +\+0\.1978 \[\.\d+ \.\d+\]  <0\.0001 +1\.19 +1\.50  26/0/4", lines[11])
    assert found.err == (
        "ireval: bm25: 28 of 30 judged topics scored; 2 missing (307, 319), counted as 0; "
        "--topics both leaves them out\n"
    )
    assert sigtest(QRELS, *RUNS, "-m", "nDCG@10").out == found.out, "the same bytes each time"
    assert sigtest(QRELS, *RUNS[::-1], "-m", "nDCG@10").out == found.out, "in whatever order the runs are given"


def test_default_for_two_systems(sigtest: Door) -> None:
    found = sigtest(QRELS, BM25, SPLADE, "-m", "AP")
    lines = found.out.decode().splitlines()
    assert lines[0] == "AP, 30 topics, 2 systems: randomisation test, B 10000, seed 1"
    assert lines[4].startswith("Systems that share a letter cannot be told apart at .05: 1 of 1 pair differs.")


def test_default_measures_and_several_tables(sigtest: Door) -> None:
    text = sigtest(QRELS, *RUNS, "-B", "100").out.decode()
    assert [line for line in text.splitlines() if "topics, 3 systems" in line] == [
        f"{measure}, 30 topics, 3 systems: randomised Tukey HSD, B 100, seed 1" for measure in module.DEFAULT_MEASURES
    ]


def test_baseline(sigtest: Door) -> None:
    for name in ("bm25", BM25):
        found = sigtest(QRELS, *RUNS, "-m", "AP", "--test", "t", "--baseline", name, "--power")
        lines = found.out.decode().splitlines()
        assert lines[:6] == [
            "AP, 30 topics, 3 systems: paired t-test, Holm correction",
            "system       AP  against bm25",
            "colbert  0.4760  +",
            "splade   0.4398  +",
            "bm25     0.3067",
            "+ better, - worse than bm25 at .05, = cannot be told apart (family-wise): 2 of 2 pairs differ.",
        ]
        assert lines[8:10][1].split()[-4:] == ["power", "topics", "for", ".8"]
        assert lines[10].split()[-2:] == ["1.00", "6"]


def test_lower_is_better(sigtest: Door, tmp_path: Path) -> None:
    """E is an error: the lowest mean comes first, and a lower score beats the baseline."""
    rng = np.random.default_rng(1)
    levels = {"A": 0.7, "B": 0.2}
    rows = [f"{s},{t},{v:.3f}" for s, level in levels.items() for t, v in enumerate(level + rng.random(9) / 9)]
    path = put(tmp_path / "e.csv", "\n".join(["run,topic,E", *rows]))
    assert ireval.read_scores(path).better == ("low",)
    lines = sigtest("--scores", path, "--baseline", "A").out.decode().splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["B", "A"]
    assert lines[2].endswith("+")


def test_pairs_on_request(sigtest: Door, tmp_path: Path) -> None:
    path = matrix(tmp_path / "ap.csv", some_scores(6))
    assert b"pairs\n" not in sigtest("--scores", path, "-B", "200").out, "15 pairs"
    text = sigtest("--scores", path, "-B", "200", "--pairs").out.decode()
    assert len(re.findall(r"^[A-F] - [A-F] ", text, re.M)) == 15
    assert b"pairs\n" not in sigtest(QRELS, *RUNS, "-m", "AP", "-B", "200", "--no-pairs").out


def test_identical_systems(sigtest: Door, tmp_path: Path) -> None:
    values = some_scores(3)
    values[2] = values[0]
    path = matrix(tmp_path / "ap.csv", values)
    for test in [name for name, one in all_tests().items() if one.kind != "omnibus"]:
        found = sigtest("--scores", path, "--test", test, "-B", "200")
        assert "A and C have the same score for every topic: p = 1." in found.out.decode(), test
        pairs = document(sigtest("--scores", path, "--test", test, "-B", "200", "-f", "json"))["measures"][0]["pairs"]
        same = next(pair for pair in pairs if pair["systems"] == ["A", "C"])
        assert (same["p"], same["different"], same["difference"], same["effect"]) == (1.0, False, 0.0, 0.0)
        assert same["ties"] == (None if test == "unpaired" else 25)


def test_anova_and_friedman(sigtest: Door) -> None:
    lines = sigtest(QRELS, *RUNS, "-m", "AP", "--test", "anova").out.decode().splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["source", "systems", "topics", "residual"]
    assert lines[5] == "F 26.6310, p 6.2e-09: at .05, some systems differ (--test hsd says which)."
    lines = sigtest(QRELS, *RUNS, "-m", "AP", "--test", "friedman").out.decode().splitlines()
    assert lines[2].split() == ["colbert", "0.4760", "1.5333"]
    assert lines[5].startswith("Chi-square 24.8000, 2 degrees of freedom, p 4.1e-06: at .05, some systems differ")
    lines = sigtest(QRELS, SPLADE, COLBERT, "-m", "AP", "--test", "friedman").out.decode().splitlines()
    assert ", 1 degree of freedom, p " in lines[4]
    lines = sigtest(QRELS, SPLADE, COLBERT, "-m", "RR", "--test", "anova").out.decode().splitlines()
    assert lines[5].endswith("at .05, no difference was found.")


def test_unpaired_with_other_topics(sigtest: Door, tmp_path: Path) -> None:
    """Lecture 4.3: different topics, different numbers of them; missing scores are left out, not 0."""
    rng = np.random.default_rng(2)
    rows = [f"x,{t},{v:.3f}" for t, v in enumerate(0.3 + rng.random(20) / 5)]
    rows += [f"y,{t + 100},{v:.3f}" for t, v in enumerate(0.32 + rng.random(35) / 5)]
    path = put(tmp_path / "s.csv", "\n".join(["run,topic,AP", *rows]))
    for statistic in ("mean", "gmean", "median"):
        found = document(sigtest("--scores", path, "--test", "unpaired", "--statistic", statistic, "-f", "json"))
        one = found["measures"][0]
        assert 0.35 < one["systems"][0]["mean"] < 0.45
        assert one["pairs"][0]["wins"] is None
        assert f"statistic:{statistic}" in found["signature"]
    assert sigtest("--scores", path, "--test", "unpaired").out.decode().splitlines()[0] == (
        "AP, 55 topics, 2 systems: unpaired bootstrap test of the mean, B 10000, seed 1"
    )
    assert sigtest("--scores", path, "--test", "unpaired").err.splitlines()[0] == (
        "ireval: x: 35 of 55 topics missing (100, 101, 102, 103, 104, ...), left out of its scores"
    )
    assert sigtest("--scores", path, "--test", "t", "--topics", "both").status == 4


# -- notes ----------------------------------------------------------------------------------------------------------


def test_tukey_does_not_claim_more_digits_than_it_has(sigtest: Door, tmp_path: Path) -> None:
    """The integral over the studentised range is right to 12 places; beyond, only a bound is known."""
    values = some_scores(3)
    values[2] += 5.0
    path = matrix(tmp_path / "ap.csv", values)
    assert "<1e-12" in sigtest("--scores", path, "--test", "tukey").out.decode()
    pair = document(sigtest("--scores", path, "--test", "tukey", "-f", "json"))["measures"][0]["pairs"][0]
    assert (pair["p"], pair["below"], pair["p_adjusted"], pair["different"]) == (0.0, True, 1e-12, True)
    rows = list(csv.DictReader(io.StringIO(sigtest("--scores", path, "--test", "tukey", "-f", "csv").out.decode())))
    assert (rows[0]["p"], rows[0]["p_adjusted"]) == ("<1e-12", "<1e-12")
    assert rows[2]["below"] == "no"


def test_reminder_without_correction(sigtest: Door, tmp_path: Path) -> None:
    path = matrix(tmp_path / "ap.csv", some_scores(6))
    found = sigtest("--scores", path, "--test", "t", "--correction", "none")
    assert found.err == (
        "ireval: 15 pairs were tested without correction: where no system differs, chance alone makes up to 1 of them "
        "look different on average (--correction holm)\n"
    )
    assert "(each pair by itself)" in found.out.decode()
    assert sigtest("--scores", path, "--test", "t", "--correction", "none", "--quiet").err == ""
    assert sigtest("--scores", path, "--test", "t").err == ""
    assert "(false discovery rate)" in sigtest("--scores", path, "--test", "t", "--correction", "bh").out.decode()


def test_too_few_samples_for_a_correction(sigtest: Door, tmp_path: Path) -> None:
    values = some_scores(4)
    values[3] += 1.0
    path = matrix(tmp_path / "ap.csv", values)
    found = sigtest("--scores", path, "--test", "bootstrap", "-B", "50", "--correction", "bonferroni")
    assert found.err == (
        "ireval: ap: B 50 is too small to tell 6 pairs apart after correction; take --samples 120, or --test hsd\n"
    )
    assert sigtest("--scores", path, "--test", "bootstrap", "-B", "120", "--correction", "bonferroni").err == ""
    assert (expected_by_chance(15, 0.05), expected_by_chance(100, 0.05), samples_needed(6, 0.05)) == (1, 5, 120)


# -- scores of other commands ------------------------------------------------------------------------------------------


def test_measures_of_intents(sigtest: Door) -> None:
    """--qrels-format and --intents do what they do for eval: the means are eval's."""
    folder = TESTDATA / "diversity"
    runs = sorted(map(str, folder.glob("*.run")))
    means = []
    for more in ({}, {"intents": str(folder / "intents")}):
        argv = ["--qrels-format", "diversity", *(word for name, value in more.items() for word in (f"--{name}", value))]
        done = document(sigtest(folder / "qrels", *runs, "-m", "D#-nDCG@5", "-B", "50", "-f", "json", *argv))
        found = {system["name"]: system["mean"] for system in done["measures"][0]["systems"]}
        expected = ireval.evaluate(folder / "qrels", runs, ["D#-nDCG@5"], format="diversity", **more)
        scores = expected.score_cube().values[:, 0].mean(axis=1)
        assert found == pytest.approx(dict(zip(expected.runs, scores.tolist(), strict=True)))
        means.append(found)
    assert means[0] != means[1]


@pytest.mark.parametrize("layout", ["csv", "tsv", "json", "jsonl"])
@pytest.mark.parametrize(
    ("argv", "measure", "systems"),
    [
        (["session", "session.qrels", "plain.sessions", "suggest.sessions"], "sDCG@10", ["suggest", "plain"]),
        (["answers", "nuggets", "terse.matches", "verbose.matches"], "S#", ["terse", "verbose"]),
    ],
    ids=["session", "answers"],
)
def test_scores_of_other_commands(
    argv: list[str], measure: str, systems: list[str], layout: str, sigtest: Door, tmp_path: Path
) -> None:
    command, *files = argv
    path = tmp_path / "scores"
    given = [command, *(str(TESTDATA / "beyond" / file) for file in files), "-q", "-f", layout, "-o", str(path)]
    assert run_command(given) == 0
    one = document(sigtest("--scores", path, "-m", measure, "-f", "json"))["measures"][0]
    assert one["measure"] == measure
    assert sorted(system["name"] for system in one["systems"]) == sorted(systems)


@pytest.mark.parametrize("layout", ["csv", "tsv", "json", "jsonl"])
def test_scores_of_rouge(layout: str, sigtest: Door, tmp_path: Path) -> None:
    """One system a call, so one file a system."""
    folder = TESTDATA / "beyond"
    scores = []
    for system in ("lead", "extract"):
        scores += ["--scores", str(tmp_path / system)]
        given = ["rouge", str(folder / f"{system}.tsv"), str(folder / "reference1.tsv"), "-q", "-f", layout]
        assert run_command([*given, "-o", scores[-1]]) == 0
    found = document(sigtest(*scores, "-f", "json"))["measures"]
    assert [one["measure"] for one in found] == ["ROUGE-1", "ROUGE-2", "ROUGE-SU4"]
    assert {system["name"] for system in found[0]["systems"]} == {"lead", "extract"}


# -- layouts --------------------------------------------------------------------------------------------------------


def test_json(sigtest: Door) -> None:
    found = document(sigtest(QRELS, *RUNS, "-m", "AP", "-m", "RR", "-f", "json", "--power"))
    assert found["signature"] == (
        "AP,RR|rel:1|ties:docno-desc|topics:qrels|n:30|test:hsd,B:10000,seed:1|alpha:0.05|ireval:" + ireval.__version__
    )
    assert [len(entry["sha256"]) for entry in found["inputs"]] == [64] * 4
    assert [one["measure"] for one in found["measures"]] == ["AP", "RR"]
    one = found["measures"][0]
    assert [system["name"] for system in one["systems"]] == ["colbert", "splade", "bm25"]
    assert [system["letters"] for system in one["systems"]] == [["a"], ["a"], ["b"]]
    pair = one["pairs"][1]
    assert pair["systems"] == ["colbert", "bm25"]
    assert (pair["count"], pair["samples"], pair["p"], pair["p_adjusted"], pair["below"]) == (0, 10000, 0.0, 1e-4, True)
    assert pair["low"] < pair["difference"] < pair["high"]
    assert pair["wins"] + pair["ties"] + pair["losses"] == 30
    assert pair["topics_needed"] == 6 and 0.99 < pair["power"] <= 1
    assert one["anova"]["residual"]["freedom"] == 58
    scores = ireval.evaluate(QRELS, RUNS, ["AP"]).score_cube().values[:, 0]
    residual = one["anova"]["residual"]["mean_square"]
    assert pair["residual_effect"] == pytest.approx((scores[2].mean() - scores[0].mean()) / residual**0.5)


def test_json_knows_no_infinity(sigtest: Door, tmp_path: Path) -> None:
    path = matrix(tmp_path / "x", np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]))
    for layout in ("json", "jsonl"):
        text = sigtest("--scores", path, "--test", "t", "-f", layout).out.decode()
        assert "Infinity" not in text and '"inf"' in text
    assert "<1e-300" in sigtest("--scores", path, "--test", "t").out.decode()


@pytest.mark.parametrize(("layout", "separator"), [("csv", ","), ("tsv", "\t")])
def test_tables_for_programs(sigtest: Door, layout: str, separator: str) -> None:
    out = sigtest(QRELS, *RUNS, "-m", "AP", "-m", "RR", "-f", layout, "--test", "t").out.decode()
    rows = list(csv.DictReader(io.StringIO(out), delimiter=separator))
    assert len(rows) == 6
    assert (rows[0]["measure"], rows[0]["system1"], rows[0]["system2"]) == ("AP", "colbert", "splade")
    assert (rows[0]["test"], rows[0]["correction"], rows[0]["different"]) == ("t", "holm", "no")
    assert float(rows[1]["p_adjusted"]) == pytest.approx(3 * float(rows[1]["p"]), rel=0.05)
    counted = sigtest(QRELS, *RUNS, "-m", "AP", "-f", layout, "-B", "1000").out.decode()
    assert [row["p"] for row in csv.DictReader(io.StringIO(counted), delimiter=separator)][1] == "<0.001"
    for test in ("anova", "friedman"):
        out = sigtest(QRELS, *RUNS, "-m", "AP", "-f", layout, "--test", test).out.decode()
        assert float(next(csv.DictReader(io.StringIO(out), delimiter=separator))["p"]) < 0.001


def test_jsonl(sigtest: Door) -> None:
    out = sigtest(QRELS, *RUNS, "-m", "AP", "-f", "jsonl", "--signature").out.decode()
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row.get("p") for row in rows][1] == 0.0
    assert rows[1]["below"] is True and rows[1]["count"] == 0
    assert list(rows[-1]) == ["signature"]
    out = sigtest(QRELS, *RUNS, "-m", "AP", "-f", "jsonl", "--test", "anova").out.decode()
    assert [json.loads(line)["source"] for line in out.splitlines()] == ["systems", "topics", "residual"]


def test_latex_is_ready_to_paste(sigtest: Door) -> None:
    text = sigtest(QRELS, *RUNS, "-m", "AP", "-m", "nDCG@10", "-f", "latex").out.decode()
    assert r"colbert & \textbf{0.4760}$^{\mathrm{a}}$ & \textbf{0.6278}$^{\mathrm{a}}$ \\" in text
    assert r"bm25 & 0.3067$^{\mathrm{b}}$ & 0.4301$^{\mathrm{b}}$ \\" in text
    assert text.count(r"\begin{tabular}") == 1
    comments = [line for line in text.splitlines() if line.startswith("% ")]
    assert comments[0] == "% AP, 30 topics, 3 systems: randomised Tukey HSD, B 10000, seed 1"
    both = sigtest(QRELS, *RUNS, "-m", "AP", "-f", "latex", "--baseline", "bm25", "--test", "t").out.decode()
    assert r"colbert & \textbf{0.4760}$^{+}$ \\" in both
    assert both.count(r"\begin{tabular}") == 2


def ladder(path: Path, systems: int = 80) -> Path:
    """So many systems that neighbours on the ladder share many letters."""
    rng = np.random.default_rng(6)
    values = rng.normal(0.4, 0.1, (1, 30)) + rng.normal(0.0, 0.05, (systems, 30)) + np.arange(systems)[:, None] * 0.01
    names = [f"run{s:02d}" for s in range(systems)]
    rows = [",".join([str(t), *(f"{v:.4f}" for v in column)]) for t, column in enumerate(values.T)]
    return put(path, "\n".join([",".join(["topic", *names]), *rows]) + "\n")


def test_many_letters(sigtest: Door, tmp_path: Path) -> None:
    """Neighbouring letters become a range, which says the same in 60 columns; JSON has each letter."""
    path = ladder(tmp_path / "ap.csv")
    named = document(sigtest("--scores", path, "-f", "json", "-B", "300"))["measures"][0]["systems"]
    every = sorted({mark for system in named for mark in system["letters"]}, key=lambda mark: (len(mark), mark))
    assert len(every) > 26
    lines = sigtest("--scores", path, "-B", "300").out.decode().splitlines()
    assert max(map(len, lines[1:82])) <= 60
    latex = sigtest("--scores", path, "-B", "300", "-f", "latex").out.decode().splitlines()
    for system, line, row in zip(named, lines[2:82], latex[4:], strict=False):
        shown = line.split()[2:]
        read = []
        for word in shown:
            first, _, last = word.partition("-")
            read += every[every.index(first) : every.index(last or first) + 1]
        assert read == system["letters"]
        if len(system["letters"]) > 1:
            assert rf"\textsuperscript{{{' '.join(shown).replace('-', '--')}}}" in row
    assert lines[84] == "A range stands for all letters in it: a-d for a, b, c and d."
    assert latex[-1] == "% " + lines[84]
    few = sigtest(QRELS, *RUNS, "-m", "AP", "-B", "100").out.decode()
    assert "A range" not in few


def test_markdown(sigtest: Door) -> None:
    text = sigtest(QRELS, *RUNS, "-m", "AP", "-f", "markdown", "--pairs", "--signature").out.decode()
    assert "| colbert | **0.4760**<sup>a</sup> |" in text
    assert "| colbert - bm25 | +0.1693 [" in text
    assert text.rstrip().endswith(f"ireval:{ireval.__version__} -->")


def test_output_file(sigtest: Door, tmp_path: Path) -> None:
    out = tmp_path / "sig.txt"
    found = sigtest(QRELS, *RUNS, "-m", "AP", "-o", out, "--signature", "--quiet")
    assert (found.status, found.out, found.err) == (0, b"", "")
    assert out.read_text().splitlines()[-1].startswith("AP|rel:1|")


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_plot(sigtest: Door, tmp_path: Path, suffix: str) -> None:
    path = matrix(tmp_path / "ap.csv", some_scores(4), names="A$B_")
    picture = tmp_path / f"p.{suffix}"
    found = sigtest("--scores", path, "-B", "100", "--plot", picture)
    assert found.status == 0, found.err
    first = picture.read_bytes()
    assert len(first) > 5000
    sigtest("--scores", path, "-B", "100", "--plot", picture)
    assert picture.read_bytes() == first, "the same bytes each time"


# -- systems of several runs ----------------------------------------------------------------------------------------


def test_groups(sigtest: Door, tmp_path: Path) -> None:
    values = some_scores(4)
    path = matrix(tmp_path / "ap.csv", values)
    averaged = matrix(tmp_path / "bp.csv", np.stack([(values[0] + values[1]) / 2, *values[2:]]), "XCD")
    grouped = document(sigtest("--scores", path, "--system", "X=A,B", "-f", "json"))
    plain = document(sigtest("--scores", averaged, "-f", "json"))
    assert grouped["measures"][0]["pairs"] == plain["measures"][0]["pairs"]
    assert "systems:X=A,B" in grouped["signature"]


# -- refused --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "message", "status"),
    [
        ([QRELS, BM25], "expected two systems at least to compare, found 1", 2),
        (
            [QRELS, *RUNS, "-f", "trec"],
            "-f trec is a layout of scores; this takes table, markdown, latex, csv, tsv, json, jsonl",
            2,
        ),
        (
            [QRELS, *RUNS, "--test", "hsd", "--correction", "bh"],
            "the p of --test hsd hold for all pairs together, so --correction does nothing",
            2,
        ),
        ([QRELS, *RUNS, "--baseline", "x"], 'baseline: no system "x"; there are bm25, splade, colbert', 2),
        (
            [QRELS, *RUNS, "--baseline", "bm25", "--test", "anova"],
            "the two-way ANOVA is about all systems at once, so it takes no baseline",
            2,
        ),
        (
            [QRELS, *RUNS, "--statistic", "median", "--test", "t"],
            "the paired t-test is not about the median; take the test unpaired",
            2,
        ),
        (
            [QRELS, *RUNS, "--power", "--test", "friedman"],
            "power is that of a paired t-test, so it does not go with the Friedman test",
            2,
        ),
        (
            [QRELS, *RUNS, "--plot", "x.png", "--test", "unpaired"],
            "--plot shows differences by topic, which the unpaired test does not look at",
            2,
        ),
        ([QRELS, *RUNS, "--plot", "x.gif"], "--plot: expected a file ending in .png, .svg, .pdf, found x.gif", 2),
        ([QRELS, *RUNS, "-m", "nDGC@10"], 'no measure "nDGC@10"; did you mean nDCG@10', 2),
        ([QRELS, *RUNS, "--alpha", "0"], "Invalid value for '--alpha': 0.0 is not in the range 0<x<1.", 2),
    ],
)
def test_refused(sigtest: Door, argv: list[str], message: str, status: int) -> None:
    found = sigtest(*argv)
    assert (found.status, found.out) == (status, b"")
    assert found.message.startswith(message)


@pytest.mark.parametrize(("topics", "word"), [(1, "1 topic"), (0, "no topic")])
def test_too_few_topics(sigtest: Door, tmp_path: Path, topics: int, word: str) -> None:
    rows = "".join(f"c{t},.1,.2\n" for t in range(topics)) + "x,.1,\ny,,.1\n"
    found = sigtest("--scores", put(tmp_path / "x", "topic,A,B\n" + rows), "--topics", "both")
    assert found.status == 4
    expected = {
        1: "a test needs at least two topics that all systems share, found 1 topic",
        0: "no topic has scores of all runs",
    }
    assert found.message == expected[topics]


def test_unpaired_needs_two_topics_each(sigtest: Door, tmp_path: Path) -> None:
    found = sigtest("--scores", put(tmp_path / "x", "topic,A,B\n1,.5,\n2,.1,\n3,,.2\n"), "--test", "unpaired")
    assert found.status == 4
    assert found.message == 'a test needs at least two topics of each system, found 1 of "B"'


# -- the same answer by every way in --------------------------------------------------------------------------------


def test_jobs_and_seeds(sigtest: Door) -> None:
    for test in ("hsd", "bootstrap", "randomisation", "unpaired"):
        argv = [QRELS, *RUNS, "-m", "AP", "--test", test, "-B", "300", "-f", "csv", "--digits", "-1"]
        one = sigtest(*argv)
        assert sigtest(*argv, "-j", "2").out == one.out
        assert sigtest(*argv, "--seed", "2").out != one.out


def test_scores_and_runs_give_the_same(
    sigtest: Door, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    assert run_command(["eval", QRELS, *RUNS, "-m", "AP", "-q", "-f", "json", "--quiet"]) == 0
    scores = put(tmp_path / "scores.json", capsysbinary.readouterr().out.decode())
    from_runs = document(sigtest(QRELS, *RUNS, "-m", "AP", "-f", "json"))
    from_file = document(sigtest("--scores", scores, "-f", "json"))
    assert from_file["measures"] == from_runs["measures"]
    piped = document(sigtest("--scores", "-", "-f", "json", stdin=scores.read_bytes()))
    assert piped["measures"] == from_runs["measures"]


def test_python() -> None:
    results = ireval.evaluate(QRELS, RUNS, ["AP", "RR"])
    both = ireval.sigtest(results, samples=200)
    assert [one.measure for one in both] == ["AP", "RR"]
    (one,) = ireval.sigtest(results, "AP", test="t", baseline="bm25", power=True)
    assert [(pair.first, pair.second) for pair in one.pairs] == [(2, 0), (1, 0)]
    assert one.letters is None and one.correction == "holm"
    (cube,) = ireval.sigtest(results.score_cube(), "RR", test="sign")
    assert cube.test.title == "sign test"
    (grouped,) = ireval.sigtest(results, "AP", systems={"neural": ["splade", "colbert"]}, samples=100)
    assert grouped.systems == ("bm25", "neural")
    for wrong, message in (
        ({"test": "x"}, "no test x; there are bootstrap, randomisation, sign, t, wilcoxon, unpaired, hsd, tukey, "),
        ({"correction": "x"}, "no correction x; there are none, bonferroni, holm, bh"),
        ({"statistic": "x"}, "no statistic x; there are mean, gmean, median"),
        ({"alpha": 1.0}, "alpha: expected a number between 0 and 1, found 1.0"),
        ({"samples": 0}, "samples: expected a number from 1 on, found 0"),
        ({"measures": "P@5"}, "no measure P@5; there are AP, RR"),
    ):
        with pytest.raises(ireval.UsageError) as caught:
            ireval.sigtest(results, **wrong)  # type: ignore[arg-type]
        assert str(caught.value).startswith(message)


def test_python_from_files(tmp_path: Path) -> None:
    path = matrix(tmp_path / "ap.csv", some_scores(3))
    (one,) = ireval.sigtest(path, test="t")
    (again,) = ireval.sigtest(ireval.read_scores(path), test="t")
    assert one.pairs == again.pairs


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("test", ["hsd", "bootstrap", "randomisation", "unpaired"])
def test_progress(test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long resampling shows a bar on a terminal, with the measure and how much there is to do."""
    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(progress_module, "PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    path = matrix(tmp_path / "ap.csv", some_scores(4))
    argv = ["sigtest", "--scores", str(path), "--test", test, "-B", "200", "-f", "json", "-o", str(tmp_path / "out")]
    assert run_command(argv) == 0
    assert "testing ap" in err.getvalue()
    assert ("200/200" if test in ("hsd", "unpaired") else "6/6") in err.getvalue()


# -- words ----------------------------------------------------------------------------------------------------------


def test_choices_are_those_that_exist() -> None:
    assert set(module.TESTS) == set(all_tests())
    assert tuple(CORRECTIONS) == module.CORRECTIONS


@pytest.mark.parametrize(
    ("p", "digits", "below", "text"),
    [
        (0.0123, 4, False, "0.0123"),
        (0.00001, 4, False, "1.0e-05"),
        (0.0, 4, False, "<1e-300"),
        (0.0001, 4, True, "<0.0001"),
        (1 / 3000, 4, True, "<0.0003333"),
        (0.25, -1, False, "0.25"),
        (0.001, -1, True, "<0.001"),
        (1.0, 2, False, "1.00"),
    ],
)
def test_p_in_words(p: float, digits: int, below: bool, text: str) -> None:
    assert show_p(p, digits, below) == text


def test_many_groups_have_many_letters(sigtest: Door, tmp_path: Path) -> None:
    """More than ten groups: letters stand close together, as many as there are."""
    values = some_scores(12) + np.arange(12)[:, None]
    text = sigtest("--scores", matrix(tmp_path / "x", values), "--test", "t").out.decode()
    assert [line.split()[-1] for line in text.splitlines()[2:14]] == list("abcdefghijkl")
