"""The ndeval and gdeval doors where the golden cases do not go: options, bad files, repeated lines, links."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Door

QRELS = "1 1 a 1\n1 2 b 1\n1 1 c 0\n2 1 a 0\n"
RUN = "1 Q0 a 1 3 alpha\n1 Q0 b 2 2 alpha\n1 Q0 c 3 1 omega\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("graded").write_text("1 0 a 2\n1 0 b 1\n1 0 c -2\n2 0 a 0\n")
    Path("run").write_text(RUN)


def rows(out: bytes) -> dict[str, dict[str, str]]:
    """Each row by topic."""
    head, *lines = [line.split(",") for line in out.decode().splitlines()]
    return {line[1]: dict(zip(head, line, strict=True)) for line in lines}


# -- ndeval ---------------------------------------------------------------------------------------------------------


def test_ndeval_takes_the_first_tag_and_gdeval_the_last(ndeval_door: Door, gdeval_door: Door) -> None:
    assert rows(ndeval_door("qrels", "run").out)["amean"]["runid"] == "alpha"
    assert rows(gdeval_door("graded", "run").out)["amean"]["runid"] == "omega"


def test_ndeval_topics_without_relevant_documents(ndeval_door: Door) -> None:
    """A row of zeros and -nan, counted, and the mean of nNRBP is -nan; only when the run has the topic."""
    assert list(rows(ndeval_door("qrels", "run").out)) == ["1", "amean"]
    Path("run").write_text(RUN + "2 Q0 a 1 1 alpha\n")
    got = rows(ndeval_door("qrels", "run").out)
    assert (got["2"]["nNRBP"], got["amean"]["nNRBP"]) == ("-nan", "-nan")
    assert (got["2"]["strec@5"], got["amean"]["strec@5"]) == ("0.000000", "0.500000")


def test_ndeval_unjudged_topics_have_a_row_and_do_not_count(ndeval_door: Door) -> None:
    Path("run").write_text(RUN + "9 Q0 a 1 1 alpha\n")
    got = rows(ndeval_door("qrels", "run").out)
    assert (got["9"]["strec@5"], got["amean"]["strec@5"]) == ("0.000000", "1.000000")


def test_ndeval_without_a_common_topic(ndeval_door: Door) -> None:
    Path("run").write_text("9 Q0 a 1 1 alpha\n")
    done = ndeval_door("qrels", "run")
    assert done.status == 0 and set(list(rows(done.out)["amean"].values())[2:]) == {"-nan"}


def test_ndeval_repeated_judgements(ndeval_door: Door) -> None:
    """The last one counts, all are counted: MAP-IA falls from 1 to 2/3 (tools.md, 1.2)."""
    Path("qrels").write_text("1 1 a 1\n1 1 b 1\n")
    Path("run").write_text("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n")
    assert rows(ndeval_door("qrels", "run").out)["1"]["MAP-IA"] == "1.000000"
    Path("qrels").write_text("1 1 a 1\n1 1 b 1\n1 1 a 1\n")
    assert rows(ndeval_door("qrels", "run").out)["1"]["MAP-IA"] == "0.666667"
    Path("qrels").write_text("1 1 a 1\n1 1 b 1\n1 1 a 0\n")
    got = rows(ndeval_door("qrels", "run").out)["1"]
    assert (got["MAP-IA"], got["P-IA@5"]) == ("0.250000", "0.200000")


@pytest.mark.parametrize("prefix", ["wt09-", "x-", "-"])
def test_prefixes_of_topics(ndeval_door: Door, gdeval_door: Door, prefix: str) -> None:
    plain, graded = ndeval_door("qrels", "run").out, gdeval_door("graded", "run").out
    Path("run").write_text("".join(f"{prefix}{line}\n" for line in RUN.splitlines()))
    assert ndeval_door("qrels", "run").out == plain and gdeval_door("graded", "run").out == graded


def test_risk_forms(ndeval_door: Door, gdeval_door: Door) -> None:
    for door, judged, usual in ((ndeval_door, "qrels", "2014"), (gdeval_door, "graded", "2013")):
        plain = door("-baseline", "run", "-riskAlpha", "2.50", judged, "run").out
        for year, sign in (("2013", ", "), ("2014", "; ")):
            out = door("--risk-id", year, "-baseline", "run", "-riskAlpha", "2.50", judged, "run").out
            assert f"rel to. {'alpha' if judged == 'qrels' else 'omega'}{sign}rs=1+a{sign}a=2.50)," in out.decode()
            assert (out == plain) == (year == usual)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("qrels", "1 1 a 1\n1 1 b -2\n", "qrels:2: judgement: expected a number from 0 on, found -2"),
        ("qrels", "x1 1 a 1\n", 'qrels:1: topic: expected a number, found "x1"'),
        ("qrels", "1 one a 1\n", 'qrels:1: subtopic: expected a number, found "one"'),
        ("qrels", "1 1 a\n", "qrels:1: line: expected 4 fields (topic intent document level), found 3"),
        ("run", "1 Q0 a 1 1 t\n1 Q0 b 1 1 t\n", "run:2: rank: expected each rank once in a topic, found 1 of"),
        ("run", "1 Q0 a -1 1 t\n", "run:1: rank: expected a whole number from 0 to 1000009, found -1"),
        ("run", "1 Q0 a 1.5 1 t\n", 'run:1: rank: expected a whole number, found "1.5"'),
        ("run", "1 Q0 a 1 high t\n", 'run:1: score: expected a number, found "high"'),
        ("run", "1 Q0 a 1 1 t\n1 Q0 a 2 1 t\n", 'run:2: document: expected each document once in a topic, found "a"'),
        ("run", "", "run: expected lines of 6 fields (topic Q0 document rank score tag), found an empty file"),
    ],
)  # fmt: skip
def test_ndeval_bad_files(ndeval_door: Door, file: str, text: str, message: str) -> None:
    Path(file).write_text(text)
    done = ndeval_door("qrels", "run")
    assert (done.status, done.out) == (1, b"") and done.message.startswith(message), done.message


def test_traditional_order_takes_equal_ranks(ndeval_door: Door) -> None:
    Path("run").write_text("1 Q0 a 1 1 t\n1 Q0 b 1 2 t\n")
    assert ndeval_door("-traditional", "qrels", "run").status == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), 'expected options and two files, found ""'),
        (("-alpha", "2", "qrels", "run"), '-alpha: expected a number from 0 to 1, found "2"'),
        (("-beta", "x", "qrels", "run"), '-beta: expected a number from 0 to 1, found "x"'),
        (("-M", "0", "qrels", "run"), '-M: expected a whole number from 1 on, found "0"'),
        (("-M", "2.5", "qrels", "run"), '-M: expected a whole number from 1 on, found "2.5"'),
        (("-riskAlpha", "-1", "qrels", "run"), '-riskAlpha: expected a number from 0 on, found "-1"'),
        (("--risk-id", "2012", "qrels", "run"), '--risk-id: expected 2013 or 2014, found "2012"'),
        (("-z", "qrels", "run"), 'expected options and two files, found "-z qrels run"'),
        (("qrels", "run", "run"), 'expected options and two files, found "qrels run run"'),
    ],
)
def test_ndeval_usage(ndeval_door: Door, words: tuple[str, ...], message: str) -> None:
    done = ndeval_door(*words)
    assert (done.status, done.out, done.message) == (1, b"", message)


def test_ndeval_flags_may_stand_together(ndeval_door: Door) -> None:
    assert ndeval_door("-ca", "qrels", "run").out == ndeval_door("-c", "qrels", "run").out
    assert ndeval_door("-version").out == b"ndeval: version 4.5 (Mon 29 Apr 2013 20:51:02 EDT)\n"
    assert b"-traditional" in ndeval_door("-help").out


# -- gdeval ---------------------------------------------------------------------------------------------------------


def test_gdeval_repeated_documents_gain_twice(gdeval_door: Door) -> None:
    Path("run").write_text("1 Q0 a 1 3 t\n1 Q0 a 2 2 t\n1 Q0 b 3 1 t\n")
    assert float(rows(gdeval_door("graded", "run").out)["1"]["ndcg@20"]) > 1


def test_gdeval_repeated_judgements(gdeval_door: Door) -> None:
    """Both enter the ideal ranking, the lower one counts for the run."""
    Path("graded").write_text("1 0 a 2\n1 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 3 t\n")
    assert rows(gdeval_door("graded", "run").out)["1"]["ndcg@20"] == f"{1 / (3 + 1 / 1.5849625007211562):.5f}"


def test_gdeval_topics_without_relevant_documents_do_not_exist(gdeval_door: Door) -> None:
    Path("run").write_text(RUN + "2 Q0 a 1 1 t\n")
    for words in ((), ("-c",)):
        got = rows(gdeval_door(*words, "graded", "run").out)
        assert list(got) == ["1", "amean"] and got["amean"]["ndcg@20"] == got["1"]["ndcg@20"]


def test_gdeval_without_a_common_topic(gdeval_door: Door) -> None:
    Path("run").write_text("9 Q0 a 1 1 t\n")
    done = gdeval_door("graded", "run")
    assert done.status == 0 and done.out == b"runid,topic,ndcg@20,err@20\nt,amean,0.00000,0.00000\n"
    Path("graded").write_text("1 0 a 0\n")
    assert gdeval_door("graded", "run").out == done.out


def test_gdeval_baselines_leak(gdeval_door: Door) -> None:
    """With -c, topic 7, which nobody has, takes the baseline of topic 5 (tools.md, 2.3)."""
    Path("graded").write_text("1 0 a 1\n5 0 a 1\n7 0 a 1\n")
    Path("base").write_text("1 Q0 a 1 1 b\n5 Q0 a 1 1 b\n")
    Path("run").write_text("1 Q0 a 1 1 t\n")
    got = rows(gdeval_door("--risk-id", "2014", "-c", "-baseline", "base", "graded", "run").out)
    assert (got["5"]["ndcg@20"], got["7"]["ndcg@20"]) == ("-1.00000", "-1.00000")


@pytest.mark.parametrize(
    ("file", "text", "status", "message"),
    [
        ("graded", "1 1 a 1\n", 25, 'graded:1: second field: expected 0, found "1" (judgements of subtopics are for '
         "ndeval)"),
        ("graded", "1 0 a 5\n", 25, "graded:1: level: expected a level up to 4, found 5"),
        ("graded", "x 0 a 1\n", 25, 'graded:1: topic: expected a number, found "x"'),
        ("run", "1 Q0 a 1 high t\n", 25, 'run:1: score: expected a number, found "high"'),
    ],
)  # fmt: skip
def test_gdeval_bad_files(gdeval_door: Door, file: str, text: str, status: int, message: str) -> None:
    Path(file).write_text(text)
    done = gdeval_door("graded", "run")
    assert (done.status, done.out, done.message) == (status, b"", message)


def test_gdeval_missing_file(gdeval_door: Door) -> None:
    done = gdeval_door("graded", "nosuch")
    assert done.status == 2 and "nosuch" in done.message


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-k", "0", "graded", "run"), '-k: expected a number from 1 on, found "0"'),
        (("graded",), 'expected options and two files, found "graded"'),
    ],
)
def test_gdeval_usage(gdeval_door: Door, words: tuple[str, ...], message: str) -> None:
    done = gdeval_door(*words)
    assert (done.status, done.out, done.message) == (255, b"", message)
    assert gdeval_door("-v").out == b"gdeval: version 1.3 (Mon Apr 29 20:50:24 EDT 2013)\n"
    assert b"-riskAlpha" in gdeval_door("-help").out


def test_leading_zeros(ndeval_door: Door, gdeval_door: Door) -> None:
    """ndeval reads topics and subtopics as numbers; gdeval keeps topics as they are written."""
    Path("qrels").write_text("01 01 a 1\n1 1 b 1\n1 2 c 1\n")
    Path("run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    got = rows(ndeval_door("qrels", "run").out)
    assert list(got) == ["1", "amean"] and got["1"]["ERR-IA@5"] == "0.453858"
    Path("graded").write_text("01 0 a 3\n02 0 a 3\n")
    Path("run").write_text("01 Q0 a 1 2 t\n02 Q0 b 2 1 t\n")
    assert list(rows(gdeval_door("graded", "run").out)) == ["01", "02", "amean"]


def test_further_fields_are_passed_over(ndeval_door: Door, gdeval_door: Door) -> None:
    plain, graded = ndeval_door("qrels", "run").out, gdeval_door("graded", "run").out
    for name in ("qrels", "graded"):
        Path(name).write_text("".join(f"{line} more\n" for line in Path(name).read_text().splitlines()))
    assert ndeval_door("qrels", "run").out == plain and gdeval_door("graded", "run").out == graded


def test_texts_after_options(ndeval_door: Door, gdeval_door: Door) -> None:
    assert ndeval_door("-c", "-version", "qrels", "run").out.startswith(b"ndeval: version")
    assert b"-riskAlpha" in gdeval_door("-c", "-help", "graded", "run").out
    assert ndeval_door("-", "qrels", "run").out == ndeval_door("qrels", "run").out


# -- links ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "judged", "header"),
    [("ndeval", "qrels", b"ERR-IA@5"), ("gdeval.pl", "graded", b"ndcg@20"), ("gdeval", "graded", b"err@20")],
)
def test_links(name: str, judged: str, header: bytes) -> None:
    code = f"import sys; sys.argv[0] = '/somewhere/{name}'; from ireval.__main__ import main; sys.exit(main())"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", code, judged, "run"], capture_output=True, env=environment, timeout=60)
    assert done.returncode == 0 and header in done.stdout.splitlines()[0]
