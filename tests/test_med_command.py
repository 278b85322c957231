"""`ireval med`: what it prints, draws and refuses."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import TESTDATA, Door

import ireval

SAMPLE = TESTDATA / "sample"
BM25, SPLADE, COLBERT, QRELS = (SAMPLE / name for name in ("bm25.run", "splade.run", "colbert.run", "qrels"))
OLD, NEW = SAMPLE / "old.passages", SAMPLE / "new.passages"


@pytest.fixture
def med(our_command: Door) -> Door:
    """`ireval med`."""
    return partial(our_command, "med")


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs over two topics: one unchanged, one with two documents swapped and one replaced."""
    files = tmp_path / "old.run", tmp_path / "new.run"
    rankings = ({"1": "abcd", "2": "abcd"}, {"1": "abcd", "2": "bacx"})
    for file, topics in zip(files, rankings, strict=True):
        lines = [
            f"{topic} Q0 {document} {rank} {9 - rank} tag\n"
            for topic, documents in topics.items()
            for rank, document in enumerate(documents, 1)
        ]
        file.write_text("".join(lines))
    return files


def test_two_runs(med: Door, pair: tuple[Path, Path]) -> None:
    done = med(*pair, "-m", "nDCG@4", "-m", "AP@4", "--signature")
    assert done.status == 0 and not done.err
    assert done.out.decode() == (
        "old against new, 2 topics\n"
        "topic  MED-nDCG@4  MED-AP@4  proof\n"
        "2          0.3122    0.3125  exact\n"
        "1          0.0000    0.0000  exact\n"
        "mean       0.1561    0.1562  exact\n"
        "MED-AP@4: 2 of 2 values proved exact (100.0 %).\n"
        "\n"
        "Ranks of the documents whose move counts most (-: not there)\n"
        "topic  moved  old  new\n"
        "2      d        4    -\n"
        "2      x        -    4\n"
        "2      a        1    2\n"
        f"MED-nDCG@4,MED-AP@4|grade:2|short:filled|normalise:paper|ties:docno-desc|n:2|budget:1s|gains:exp2|ireval:{ireval.__version__}\n"
    )


def test_fewer_topics_and_documents(med: Door, pair: tuple[Path, Path]) -> None:
    lines = med(*pair, "-m", "P@4", "--top", "1", "--documents", "0").out.decode().splitlines()
    assert lines == ["old against new, 2 topics", "topic  MED-P@4", "2       0.2500", "mean    0.1250"]
    lines = med(*pair, "-m", "P@4", "--top", "0").out.decode().splitlines()
    assert lines == ["old against new, 2 topics", "topic  MED-P@4", "mean    0.1250"]


def test_every_topic(med: Door, pair: tuple[Path, Path]) -> None:
    rows = med(*pair, "-m", "P@4", "-q", "--top", "0").out.decode().splitlines()[2:]
    assert [row.split() for row in rows] == [["1", "0.0000"], ["2", "0.2500"], ["mean", "0.1250"]]


def test_sixty_columns_are_enough(med: Door) -> None:
    out = med(BM25, SPLADE).out.decode()
    assert max(map(len, out.splitlines())) <= 60


def test_several_runs(med: Door) -> None:
    done = med(BM25, SPLADE, COLBERT, "-m", "P@10", "-m", "RBO")
    text = done.out.decode()
    assert "MED-P@10, mean over topics\nrun        bm25  splade  colbert\n" in text
    assert "RBO, mean over topics" in text
    assert done.err == "ireval: 2 topics only in splade, left out\nireval: 2 topics only in colbert, left out\n"
    matrix = ireval.med([BM25, SPLADE, COLBERT], "P@10").matrix()
    assert f"{matrix[0, 1]:.4f}" in text and f"{matrix[1, 2]:.4f}" in text


@pytest.mark.parametrize("format_name", ["csv", "tsv"])
def test_delimited(med: Door, format_name: str) -> None:
    out = med(BM25, SPLADE, "-m", "nDCG@10", "-m", "AP@20", "-q", "-f", format_name, "--digits", "-1").out.decode()
    rows = list(csv.reader(io.StringIO(out), delimiter="," if format_name == "csv" else "\t"))
    assert rows[0] == ["first", "second", "topic", "MED-nDCG@10", "MED-AP@20", "MED-AP@20 upper"]
    found = ireval.med([BM25, SPLADE], ["nDCG@10", "AP@20"]).per_topic()
    assert len(rows) == len(found) + 2
    for row in rows[1:-1]:
        assert row[:2] == ["bm25", "splade"]
        assert float(row[3]) == found[row[2]]["MED-nDCG@10"][0]
        assert (float(row[4]), float(row[5])) == found[row[2]]["MED-AP@20"]
    assert rows[-1][2] == "all"


def test_json(med: Door) -> None:
    read = json.loads(med(BM25, SPLADE, COLBERT, "-m", "ERR@10", "--qrels", QRELS, "-f", "json").out)
    assert read["signature"].startswith("MED-ERR@10|grade:3|")
    assert [entry["file"] for entry in read["inputs"]] == [str(BM25), str(SPLADE), str(COLBERT), str(QRELS)]
    assert [(pair["first"], pair["second"]) for pair in read["pairs"]] == [
        ("bm25", "splade"),
        ("bm25", "colbert"),
        ("splade", "colbert"),
    ]
    expected = ireval.med([BM25, SPLADE], "ERR@10", qrels=QRELS)
    assert read["pairs"][0]["mean"]["MED-ERR@10"] == expected.pair().mean(0)[0]
    assert read["pairs"][0]["share_exact"] == {"MED-ERR@10": 1.0}


def test_json_of_two_runs_has_the_documents(med: Door, pair: tuple[Path, Path]) -> None:
    read = json.loads(med(*pair, "-m", "nDCG@4", "-q", "-f", "json").out)["pairs"][0]
    assert read["per_topic"]["1"] == {"MED-nDCG@4": 0.0}
    assert read["changed_most"][0]["topic"] == "2"
    assert {"document": "x", "first": None, "second": 4} in read["changed_most"][0]["moved"]


@pytest.mark.parametrize("format_name", ["jsonl", "markdown", "latex"])
def test_other_layouts(med: Door, format_name: str) -> None:
    done = med(BM25, SPLADE, "-m", "nDCG@10", "-f", format_name)
    assert done.status == 0
    assert "0.9169" in done.out.decode() or "0.91687" in done.out.decode()


@pytest.mark.parametrize("format_name", ["trec", "nev", "matrix", "means"])
def test_layouts_that_make_no_sense(med: Door, format_name: str) -> None:
    done = med(BM25, SPLADE, "-f", format_name)
    assert done.status == 2
    assert done.message.startswith(f"-f {format_name} is a layout of scores; this takes table")


def test_bounds_are_printed_as_such(med: Door, tmp_path: Path) -> None:
    """Lists of 600 that hardly differ, and no time: ERR, which has no last rank, stays open."""
    orders = list(range(600)), [i ^ 1 for i in range(600)]
    for name, order in zip(("a", "b"), orders, strict=True):
        lines = [f"1 Q0 d{d} 1 {600 - rank} t\n" for rank, d in enumerate(order)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    files = tmp_path / "a.run", tmp_path / "b.run"
    out = med(*files, "-m", "ERR", "--budget", "0").out.decode()
    low, _, high = out.splitlines()[2].split()[1].partition("..")
    assert 0 < float(low) < float(high) < 1
    assert [line.split()[-1] for line in out.splitlines()[1:4]] == ["proof", "bounds", "bounds"]
    assert "MED-ERR: 0 of 1 value proved exact (0.0 %)." in out
    read = json.loads(med(*files, "-m", "ERR", "--budget", "0", "-f", "json").out)["pairs"][0]
    assert read["mean"]["MED-ERR"] == pytest.approx([float(low), float(high)], abs=1e-4)


def test_passages(med: Door) -> None:
    done = med(OLD, NEW, "-m", "U@12000", "-m", "U@500", "--short", "ended", "--signature")
    assert done.status == 0
    text = done.out.decode()
    assert text.startswith("old.passages against new.passages, 5 topics, 4 with texts of unequal length\n")
    assert "|ties:file|" in text
    assert med(OLD, OLD, "-m", "U@100").message == "the same run is given twice"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 d1 0 10", "line: expected 5 fields (topic document offset length score), found 4 fields"),
        ("1 d1 x 10 1", 'offset: expected a whole number, found "x"'),
        ("1 d1 -1 10 1", 'offset: expected a whole number from 0 to 2147483647, found "-1"'),
        ("1 d1 0 0 1", 'length: expected a whole number from 1 to 2147483647, found "0"'),
        ("1 d1 0 5 high", 'score: expected a number, found "high"'),
    ],
)
def test_malformed_passages(med: Door, tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "bad").write_text(f"1 d0 0 10 3\n{line}\n")
    done = med(tmp_path / "bad", NEW, "-m", "U@100")
    assert done.status == 2
    assert done.message == f"{tmp_path}/bad:2: {message}"
    (tmp_path / "empty").write_text("")
    assert "found an empty file" in med(tmp_path / "empty", NEW, "-m", "U@100").message


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_pictures(med: Door, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    for runs in ((BM25, SPLADE), (BM25, SPLADE, COLBERT)):
        files = [tmp_path / f"{len(runs)}{n}.{suffix}" for n in (1, 2)]
        for file in files:
            assert med(*runs, "-m", "nDCG@10", "-m", "RBO", "--plot", file).status == 0
        assert files[0].stat().st_size > 3000
        assert files[0].read_bytes() == files[1].read_bytes()


def test_pictures_tell_runs_apart_and_bounds_from_values(med: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    drawn: list[Any] = []
    monkeypatch.setattr("ireval.write.plot.save_figure", lambda figure, path: drawn.append(figure))
    asked = ("-m", "nDCG@10", "-m", "ERR", "--budget", "0", "--plot", "x.png")
    med(BM25, SPLADE, COLBERT, *asked)
    med(BM25, SPLADE, *asked)
    maps = [axes for axes in drawn[0].axes if axes.get_images()]
    assert [axes.get_title() for axes in maps] == ["MED-nDCG@10", "MED-ERR, lower bounds"]
    shown = maps[0].get_images()[0].get_array()
    assert shown.mask.tolist() == [[i == j for j in range(3)] for i in range(3)]  # the diagonal takes no colour
    curves = drawn[1].axes[0].get_lines()
    assert [curve.get_label() for curve in curves] == ["MED-nDCG@10", "MED-ERR, lower bounds"]
    assert [len(curve.get_ydata()) for curve in curves] == [28, 28]


def test_clusters() -> None:
    """Two near each other join first, at their distance; average linkage (UPGMA) by hand."""
    import numpy as np

    from ireval.stats.clusters import cluster

    tree = cluster(np.array([[9, 8, 2.0], [8, 9, 6], [2, 6, 9]]))
    assert sorted(tree.leaves[1:]) == [0, 2] or sorted(tree.leaves[:2]) == [0, 2]
    assert sorted(tree.y.max(axis=1).tolist()) == [2.0, 7.0]


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        ([BM25], 2, "expected two runs at least, found 1"),
        (["-", "-"], 2, "standard input can be only one of the files"),
        ([BM25, SPLADE, COLBERT, "-q"], 2, "--per-topic takes two runs"),
        ([BM25, SPLADE, "-m", "Rprec"], 2, "Rprec has no MED; P@k"),
        ([BM25, SPLADE, "--normalise", "qrels"], 2, "to normalise by the judgements, judgements are needed"),
        ([BM25, SPLADE, "--qrels", QRELS, "--max-grade", "2"], 2, "level 3 is judged, which is above"),
        ([BM25, SPLADE, "--plot", "x.gif"], 2, "--plot: expected a file ending in"),
        ([BM25, SPLADE, "-m", "U@100"], 2, f"{BM25}:1: "),
    ],
    ids=lambda value: "" if isinstance(value, int) else None,
)
def test_refusals(med: Door, argv: list[str | Path], status: int, message: str) -> None:
    done = med(*argv)
    assert done.status == status
    assert done.message.startswith(message)


def test_nothing_in_common(med: Door, tmp_path: Path) -> None:
    (tmp_path / "other.run").write_text("x Q0 d 1 1 t\n")
    done = med(BM25, tmp_path / "other.run")
    assert done.status == 4
    assert done.message == "no topic is in both runs (bm25, other)"


def test_standard_input(med: Door) -> None:
    piped = med("-", SPLADE, "-m", "nDCG@10", "-f", "tsv", stdin=BM25.read_bytes())
    named = med(BM25, SPLADE, "-m", "nDCG@10", "-f", "tsv")
    assert piped.status == 0
    assert piped.out.split(b"\t")[-1] == named.out.split(b"\t")[-1]


def test_the_readme_shows_what_is_printed(med: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    root = TESTDATA.parent
    monkeypatch.chdir(root)
    shown = re.search(r"^```\n\$ ireval med (.*?)\n(.*?)^```", (root / "README.md").read_text(), re.S | re.M)
    assert shown
    done = med(*shown[1].split())
    assert done.out.decode() + done.err == shown[2]


def test_the_manual_tells_where_we_differ() -> None:
    manual = (TESTDATA.parent / "man" / "ireval-med.1").read_text().replace("\\-", "-")
    for fact in ("0.142", "0.052", "topic, document, offset, length, score", "two identical short lists"):
        assert fact in " ".join(manual.split())


def test_progress_is_told() -> None:
    told: list[tuple[str, int]] = []
    ireval.med([BM25, SPLADE], ["AP@10"], progress=lambda name, topics: told.append((name, topics)))
    assert {name for name, _ in told} == {"bm25, splade"}
    assert sum(topics for _, topics in told) == 28
