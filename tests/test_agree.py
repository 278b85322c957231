"""`ireval agree`: judgement files as raters."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import pytest
from conftest import TESTDATA, Door

from ireval.core.judgements import Judgements, judgements
from ireval.errors import DataError
from ireval.read.objects import qrels_columns
from ireval.stats.agreement import cohen_kappa, fleiss_kappa
from ireval.studies.agreement import agree

TEAMS = TESTDATA / "teams"


def rater(levels: dict[str, dict[str, int]]) -> Judgements:
    return judgements(qrels_columns(levels))[0]


def slides() -> tuple[dict[str, int], dict[str, int]]:
    """The table of Sakai's slides: 50, 30, 10 and 10 documents."""
    cells = [(1, 1)] * 50 + [(1, 0)] * 30 + [(0, 1)] * 10 + [(0, 0)] * 10
    return ({f"d{i}": a for i, (a, _) in enumerate(cells)}, {f"d{i}": b for i, (_, b) in enumerate(cells)})


def test_the_slides_table() -> None:
    first, second = slides()
    found = agree([rater({"t": first}), rater({"t": second})], ["A", "B"])
    (pair,) = found.pairs
    assert pair.kappa == pytest.approx(4 / 44) and pair.agreement == 0.6 and pair.overlap == pytest.approx(50 / 90)
    assert pair.table.tolist() == [[10, 10], [30, 50]]


def test_only_what_all_judged_counts() -> None:
    """In other orders, with other topics, and a negative level, which is no judgement."""
    one = rater({"t1": {"a": 1, "b": 0, "c": 2, "x": 1}, "t2": {"a": 0, "d": -1}, "t3": {"a": 1}})
    two = rater({"t2": {"d": 1, "a": 0}, "t1": {"c": 1, "b": 1, "a": 1, "y": 2}, "t9": {"a": 1}})
    found = agree([one, two], ["one", "two"])
    assert (found.documents, found.topics, found.categories) == (4, 2, (0, 1, 2)) and found.judged == (6, 7)
    assert found.pairs[0].table.tolist() == [[1, 1, 0], [0, 1, 0], [0, 1, 0]]
    assert found.pairs[0].overlap == pytest.approx(2 / 3)  # t2 has nothing relevant


def test_three_raters_against_a_slow_count() -> None:
    rng = random.Random(1)
    levels = [
        {f"t{t}": {f"d{d}": rng.choice([0, 0, 1, 2]) for d in rng.sample(range(12), 9)} for t in range(5)}
        for _ in "abc"
    ]
    found = agree([rater(one) for one in levels], list("abc"), level=2)
    common = [(t, d) for t in levels[0] for d in levels[0][t] if all(d in one[t] for one in levels)]
    assert found.documents == len(common)
    for pair, (i, j) in zip(found.pairs, [(0, 1), (0, 2), (1, 2)], strict=True):
        cells = [
            [sum(levels[i][t][d] == a and levels[j][t][d] == b for t, d in common) for b in range(3)] for a in range(3)
        ]
        assert pair.table.tolist() == cells
        assert pair.linear == cohen_kappa(cells, "linear") and pair.quadratic == cohen_kappa(cells, "quadratic")
    counts = [[sum(one[t][d] == level for one in levels) for level in range(3)] for t, d in common]
    assert found.fleiss == pytest.approx(fleiss_kappa(counts))
    shares = []
    for t in levels[0]:
        sets = [{d for x, d in common if x == t and one[t][d] >= 2} for one in levels]
        if set.union(*sets):
            shares.append(len(set.intersection(*sets)) / len(set.union(*sets)))
    assert found.overlap == pytest.approx(sum(shares) / len(shares))
    binary = agree([rater(one) for one in levels], list("abc"), level=2, binary=True)
    assert binary.categories == (0, 1) and binary.pairs[0].overlap == found.pairs[0].overlap


def test_nothing_in_common() -> None:
    with pytest.raises(DataError, match="no document is judged by all"):
        agree([rater({"1": {"a": 1}}), rater({"1": {"b": 1}})], ["x", "y"])


# -- the command ----------------------------------------------------------------------------------------------------


def test_two_files(our_command: Door) -> None:
    done = our_command("agree", TEAMS / "qrels", TEAMS / "qrels.second", "--signature")
    lines = done.out.decode().splitlines()
    assert done.status == 0 and lines[0].split() == ["qrels,", "qrels.second"]
    assert [
        line.split()[0] for line in lines[1:8]
    ] == "documents agreement kappa linear quadratic overlap Fleiss".split()
    assert lines[9] == "level by qrels (rows) and qrels.second (columns)"
    assert lines[-1].startswith("agree|rel:1|n:")


def test_formats(our_command: Door, tmp_path: Path) -> None:
    (tmp_path / "third").write_text((TEAMS / "qrels").read_text().replace(" 3\n", " 2\n") + "401 0 extra 1\n")
    files = [TEAMS / "qrels", TEAMS / "qrels.second", tmp_path / "third"]
    done = our_command("agree", *files)
    assert "all 3: Fleiss' kappa 0." in done.out.decode() and "level by" not in done.out.decode()
    assert "third: 1 of" in done.err and "left out, which not all raters judged" in done.err
    assert our_command("agree", *files, "--confusion").out.decode().count("level by") == 3
    rows = list(csv.DictReader(io.StringIO(our_command("agree", *files, "-f", "csv").out.decode())))
    assert len(rows) == 3 and rows[0]["first"] == "qrels"
    cells = list(csv.DictReader(io.StringIO(our_command("agree", *files, "--confusion", "-f", "csv").out.decode())))
    assert len(cells) == 3 * 16 and sum(int(row["documents"]) for row in cells) == 3 * int(rows[0]["documents"])
    document = json.loads(our_command("agree", *files, "-f", "json").out)
    assert document["pairs"][0]["confusion"][0][0] == int(cells[0]["documents"])
    assert document["levels"] == [0, 1, 2, 3] and len(document["inputs"]) == 3


def test_what_makes_no_sense(our_command: Door, tmp_path: Path) -> None:
    done = our_command("agree", TEAMS / "qrels")
    assert (done.status, done.message) == (2, "expected the judgements of two assessors at least, found one file")
    assert our_command("agree", TEAMS / "qrels", TEAMS / "qrels").message == "the same file is given twice"
    (tmp_path / "other").write_text("1 0 x 1\n")
    done = our_command("agree", TEAMS / "qrels", tmp_path / "other")
    assert (done.status, done.message) == (4, "no document is judged by all of the files")


def test_judgements_of_intents(our_command: Door, tmp_path: Path) -> None:
    """A document is judged for each intent; topics of the overlap are intents then."""
    (tmp_path / "one").write_text("1 a x 1\n1 b x 0\n1 a y 1\n1 b y 2\n")
    (tmp_path / "two").write_text("1 b x 0\n1 a x 1\n1 a y 0\n1 b y 2\n1 c y 1\n")
    argv = ["agree", tmp_path / "one", tmp_path / "two", "-f", "json"]
    document = json.loads(our_command(*argv, "--qrels-format", "diversity").out)
    (pair,) = document["pairs"]
    assert (pair["documents"], pair["agreement"], pair["overlap"]) == (4, 0.75, 0.75)
    assert pair["confusion"] == [[1, 0, 0], [1, 1, 0], [0, 0, 1]] and "by:intent" in document["signature"]
    assert our_command(*argv).message.endswith("--qrels-format diversity")
