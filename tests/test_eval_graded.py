"""`ireval eval` with graded measures: aggregates, standardised scores, document lengths, NTCIR's files."""

from __future__ import annotations

import csv
import io
import json
import math
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import TESTDATA, Door, Outcome

import ireval
from ireval.errors import UsageError
from ireval.measures.registry import PROPERTIES, all_measures

SAMPLE = TESTDATA / "sample"
QRELS, BM25, SPLADE, COLBERT, LENGTHS = (
    SAMPLE / name for name in ("qrels", "bm25.run", "splade.run", "colbert.run", "lengths")
)
RUNS = (BM25, SPLADE, COLBERT)


def rows(outcome: Outcome) -> list[dict[str, str]]:
    assert outcome.status == 0, outcome.err
    return list(csv.DictReader(io.StringIO(outcome.out.decode())))


def per_topic(our_command: Door, *argv: str | Path) -> dict[str, dict[str, dict[str, float]]]:
    """{run: {topic: {measure: value}}} at full precision."""
    done = our_command("eval", *argv, "-q", "-f", "json")
    assert done.status == 0, done.err
    return {run["name"]: run["per_topic"] for run in json.loads(done.out)["runs"]}


# -- condensed beside plain -----------------------------------------------------------------------------------------


def test_condensed_stands_beside_plain_in_one_table(our_command: Door) -> None:
    measures = ["AP", "AP'", "SetP", "SetP'", "Judged@1", "Judged'@1"]
    both = rows(our_command("eval", QRELS, BM25, *(part for m in measures for part in ("-m", m)), "-f", "csv"))[0]
    alone = rows(our_command("eval", QRELS, BM25, "-m", "AP", "--condensed", "-f", "csv"))[0]
    assert list(both) == ["run", *measures] and both["AP'"] == alone["AP"]
    assert float(both["AP"]) < float(both["AP'"]) and float(both["SetP"]) < float(both["SetP'"])


def test_score_and_residual(our_command: Door) -> None:
    got = rows(our_command("eval", QRELS, BM25, "-m", "RBP(p=0.8,residual=yes)", "-f", "csv"))[0]
    assert list(got) == ["run", "RBP(p=0.8)", "RBPres(p=0.8)"]
    assert 0 < float(got["RBPres(p=0.8)"]) < 1


def test_mean_of_ranks_is_not_cut_to_a_whole_number(our_command: Door) -> None:
    topics = per_topic(our_command, QRELS, BM25, "-m", "r1")["bm25"]
    mean = statistics.fmean(topic["r1"] for topic in topics.values())
    assert all(isinstance(topic["r1"], int) for topic in topics.values()) and mean != int(mean)
    done = our_command("eval", QRELS, BM25, "-m", "r1", "-f", "json")
    assert json.loads(done.out)["runs"][0]["summary"]["r1"] == pytest.approx(mean, abs=1e-12)


# -- aggregates -----------------------------------------------------------------------------------------------------


def test_aggregates(our_command: Door) -> None:
    topics = per_topic(our_command, QRELS, BM25, "-m", "AP", "-m", "Q@10")["bm25"]
    done = our_command(
        "eval", QRELS, BM25, "-m", "AP", "-m", "Q@10", "-m", "NumRel", "--aggregate", "mean,gmean, median", "-f", "json"
    )
    got = json.loads(done.out)["runs"][0]["summary"]
    assert list(got) == ["AP", "gmean:AP", "median:AP", "Q@10", "gmean:Q@10", "median:Q@10", "NumRel"]
    for name in ("AP", "Q@10"):
        values = [topic[name] for topic in topics.values()]
        assert min(values) == 0.0, "two topics are missing, so that the floor matters"
        assert got[name] == pytest.approx(statistics.fmean(values), abs=1e-12)
        assert got[f"gmean:{name}"] == pytest.approx(statistics.geometric_mean(max(v, 1e-5) for v in values), abs=1e-12)
        assert got[f"median:{name}"] == pytest.approx(statistics.median(values), abs=1e-12)


def test_geometric_mean_of_ap_is_gmap(our_command: Door) -> None:
    got = rows(our_command("eval", QRELS, BM25, "-m", "AP", "-m", "GMAP", "--aggregate", "gmean", "-f", "csv"))[0]
    assert got["gmean:AP"] == got["GMAP"] != "0.0000"


@pytest.mark.parametrize(("text", "found"), [("mode", "mode"), ("mean,", ""), ("mean,gmaen", "gmaen")])
def test_aggregate_that_is_not_known(text: str, found: str, our_command: Door) -> None:
    done = our_command("eval", QRELS, BM25, "--aggregate", text)
    assert done.status == 2 and done.message == f'--aggregate: expected mean, gmean, median, found "{found}"'


# -- standardised scores --------------------------------------------------------------------------------------------


def by_hand(plain: dict[str, dict[str, dict[str, float]]], measure: str) -> dict[tuple[str, str], float]:
    """{(run, topic): z} from the runs' own means and deviations."""
    found = {}
    for topic in next(iter(plain.values())):
        values = [run[topic][measure] for run in plain.values()]
        mean, deviation = statistics.fmean(values), statistics.stdev(values)
        for run in plain:
            found[run, topic] = (plain[run][topic][measure] - mean) / deviation if deviation else 0.0
    return found


@pytest.mark.parametrize("how", ["z", "cdf"])
@pytest.mark.parametrize("measure", ["AP", "NumRelRet"])
def test_standardised_by_the_runs_themselves(how: str, measure: str, our_command: Door) -> None:
    """Webber, Moffat & Zobel; Lecture 4.3. A standardised count is no whole number any more."""
    z = by_hand(per_topic(our_command, QRELS, *RUNS, "-m", measure), measure)
    got = per_topic(our_command, QRELS, *RUNS, "-m", measure, "--standardise", how)
    for (run, topic), want in z.items():
        want = want if how == "z" else statistics.NormalDist().cdf(want)
        assert got[run][topic][f"{how}:{measure}"] == pytest.approx(want, abs=1e-9)
    means = json.loads(our_command("eval", QRELS, *RUNS, "-m", measure, "--standardise", how, "-f", "json").out)["runs"]
    average = {run["name"]: run["summary"][f"{how}:{measure}"] for run in means}
    for run, value in average.items():
        assert value == pytest.approx(statistics.fmean(t[f"{how}:{measure}"] for t in got[run].values()), abs=1e-12)
    assert sum(average.values()) == pytest.approx(0.0 if how == "z" else 1.5, abs=0.1)


def test_standardised_by_a_file_written_before(our_command: Door, tmp_path: Path) -> None:
    file = tmp_path / "z"
    done = our_command("eval", QRELS, *RUNS, "-m", "AP", "-m", "nDCG@10", "-m", "Q@10", "--write-zscores", file)
    assert done.status == 0
    lines = [line.split("\t") for line in file.read_text().splitlines()]
    assert len(lines) == 90 and {line[1] for line in lines} == {"map", "ndcg_cut_10", "Q@10"}
    measures = ["-m", "AP", "-m", "Q@10"]
    from_runs = per_topic(our_command, QRELS, *RUNS, *measures, "--standardise", "z")["bm25"]
    from_file = per_topic(our_command, QRELS, BM25, *measures, "--standardise", "z", "--zscores", file)["bm25"]
    assert from_file == from_runs
    signature = our_command("eval", QRELS, BM25, "-m", "AP", "--standardise", "z", "--zscores", file, "--signature").out
    assert b"|standardise:z,file|" in signature
    signature = our_command("eval", QRELS, *RUNS, "-m", "AP", "--standardise", "cdf", "--signature").out
    assert b"|standardise:cdf,runs|" in signature


def test_the_trec_eval_door_reads_what_was_written(our_command: Door, door: Door, tmp_path: Path) -> None:
    file = tmp_path / "z"
    our_command("eval", QRELS, *RUNS, "-m", "map", "-m", "ndcg_cut.10", "--write-zscores", file)
    done = door("-q", "-Z", file, "-m", "map", "-m", "ndcg_cut.10", QRELS, BM25)
    theirs = {tuple(line.split()[:2]): line.split()[2] for line in done.out.decode().splitlines()}
    again = ["-m", "map", "-m", "ndcg_cut.10", "--standardise", "z", "--zscores", file]
    ours = per_topic(our_command, QRELS, BM25, *again)["bm25"]
    assert len(theirs) == 2 * 28 + 2
    for (name, topic), value in theirs.items():
        if topic != "all":
            assert float(value) == pytest.approx(ours[topic][f"z:{name.removeprefix('Z')}"], abs=5.1e-5)


@pytest.mark.parametrize("option", [["--standardise", "z"], ["--write-zscores", "x"]])
def test_one_run_has_no_deviation(
    option: list[str], our_command: Door, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = our_command("eval", QRELS, BM25, *option)
    assert done.status == 2 and done.message == "means and deviations over runs need two runs at least"
    assert not (tmp_path / "x").exists()


# -- lengths --------------------------------------------------------------------------------------------------------

SMALL_QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 3\n"
SMALL_RUN = "1 Q0 x 1 9 t\n1 Q0 a 2 8 t\n1 Q0 b 3 7 t\n1 Q0 c 4 6 t\n"


@pytest.fixture
def small(tmp_path: Path) -> Callable[[str], list[str]]:
    """Arguments for one topic, levels - 1 0 3, with these lengths."""
    (tmp_path / "qrels").write_text(SMALL_QRELS)
    (tmp_path / "run").write_text(SMALL_RUN)

    def arguments(lengths: str) -> list[str]:
        (tmp_path / "len").write_text(lengths)
        return ["eval", str(tmp_path / "qrels"), str(tmp_path / "run"), "--lengths", str(tmp_path / "len"), "-f", "csv"]

    return arguments


def test_lengths_without_words_serve_u(our_command: Door, small: Callable[[str], list[str]]) -> None:
    """answers: U .982765; only the lengths of the relevant documents are needed."""
    got = rows(our_command(*small("a 5000\nc 3000\n"), "-m", "U", "--digits", "6"))[0]
    assert got["U"] == "0.982765"


def test_lengths_with_words_and_comments(our_command: Door, small: Callable[[str], list[str]]) -> None:
    lengths = "a 5000 800\nb 1 1\n\nc 3000 500\nx 9 1000\n"
    got = rows(our_command(*small(lengths), "-m", "U", "-m", "TBG", "--digits", "6"))[0]
    until_a = 4.4 + 0.39 * (0.018 * 1000 + 7.8)
    until_c = until_a + 4.4 + 0.64 * (0.018 * 800 + 7.8) + 4.4 + 0.39 * (0.018 * 1 + 7.8)
    want = sum(0.4928 * math.exp(-t * math.log(2) / 224) for t in (until_a, until_c))
    assert got["U"] == "0.982765" and float(got["TBG"]) == pytest.approx(want, abs=5.1e-7)


@pytest.mark.parametrize(
    ("measure", "lengths", "message"),
    [
        ("U", "a 5000\n", "U-measure needs the characters of 1 retrieved documents that the lengths do not give"),
        ("TBG", "a 1 1\nc 1 1\n", "TBG needs the words of 2 retrieved documents that the lengths do not give"),
        ("TBG", "a 1\nb 1\nc 1\nx 1\n", "TBG needs the words of 4 retrieved documents that the lengths do not give"),
    ],
)
def test_missing_length_is_an_error(
    measure: str, lengths: str, message: str, our_command: Door, small: Callable[[str], list[str]]
) -> None:
    done = our_command(*small(lengths), "-m", measure)
    assert (done.status, done.out, done.message) == (2, b"", message)


@pytest.mark.parametrize("measure", ["U", "TBG", "condensed(U)"])
def test_no_lengths_at_all(measure: str, our_command: Door) -> None:
    done = our_command("eval", QRELS, BM25, "-m", measure)
    name = "TBG" if measure == "TBG" else "U"
    assert (done.status, done.message) == (2, f"{name} needs document lengths (--lengths FILE)")


def test_default_length_is_told_on_stderr(our_command: Door, small: Callable[[str], list[str]]) -> None:
    measures = ["-m", "U", "-m", "TBG", "--digits", "6"]
    with_default = our_command(*small("a 5000 800\n"), *measures, "--default-length", "3000:500")
    everything = our_command(*small("a 5000 800\nb 3000 500\nc 3000 500\nx 3000 500\n"), *measures)
    assert with_default.status == 0 and with_default.out == everything.out and everything.err == ""
    assert with_default.err == "ireval: 1 of 1 judged topics scored; 3 retrieved documents took the default length\n"
    assert our_command(*small("a 5000 800\n"), "-m", "U", "--default-length", "3000:500", "--quiet").err == ""
    signed = our_command(*small("a 5000\n"), "-m", "U", "--default-length", "3000", "--signature").out
    assert b"|lengths:file,default:3000|" in signed


def test_default_without_words_does_not_serve_tbg(our_command: Door, small: Callable[[str], list[str]]) -> None:
    done = our_command(*small("a 5000 800\n"), "-m", "TBG", "--default-length", "3000")
    assert done.status == 2 and done.message.startswith("TBG needs the words of 3 retrieved documents")


@pytest.mark.parametrize("text", ["x", "5:x", "", "1:2:3", "-5", "5:-1", "1.5"])
def test_default_length_that_is_none(text: str, our_command: Door, small: Callable[[str], list[str]]) -> None:
    done = our_command(*small("a 5000 800\n"), "-m", "U", f"--default-length={text}")
    assert done.status == 2
    assert done.message == f'--default-length: expected CHARACTERS[:WORDS] such as 5000:800, found "{text}"'


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ("a 5 1\nb x 1\n", 'len:2: characters: expected a number of characters, found "x"'),
        ("a 5 1\nb 5 one\n", 'len:2: words: expected a number of words, found "one"'),
        ("a 5 1\nb 5.5 1\n", 'len:2: characters: expected a number of characters, found "5.5"'),
        ("a 5\nb -5\n", 'len:2: characters: expected a number of characters, found "-5"'),
        ("a 5 1\nb 5 -1\n", 'len:2: words: expected a number of words, found "-1"'),
        (
            "a 5 1\nb 5\n",
            "len:2: line: expected 3 fields (document characters words) as on the first line, found 2 fields",
        ),
        ("a 5\nb 5 1\n", "len:2: line: expected 2 fields (document characters) as on the first line, found 3 fields"),
        ("a\n", "len:1: line: expected 2 fields (document characters) as on the first line, found 1 field"),
        (
            "a 5 1\nb 6 2\na 7 3\n",
            'len:3: document: expected one length for each document, found "a" again (first on line 1)',
        ),
        ("", "len: expected lines of 3 fields (document characters words), found an empty file"),
    ],
)
def test_faulty_lengths(lengths: str, message: str, our_command: Door, small: Callable[[str], list[str]]) -> None:
    done = our_command(*small(lengths), "-m", "U")
    assert done.status == 2 and done.message.endswith("/" + message), done.err


def test_lengths_from_standard_input_and_in_python(our_command: Door, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(SMALL_QRELS)
    (tmp_path / "run").write_text(SMALL_RUN)
    (tmp_path / "len").write_text("a 5000\nc 3000\n")
    done = our_command(
        "eval",
        tmp_path / "qrels",
        tmp_path / "run",
        "-m",
        "U",
        "--lengths",
        "-",
        "-f",
        "csv",
        "--digits",
        "6",
        stdin=b"a 5000\nc 3000\n",
    )
    assert rows(done)[0]["U"] == "0.982765"
    found = ireval.evaluate(tmp_path / "qrels", tmp_path / "run", ["U"], lengths=tmp_path / "len")
    assert found.summary()["run"]["U"] == pytest.approx(0.982765, abs=5e-7)
    with pytest.raises(UsageError, match="needs document lengths"):
        ireval.evaluate(tmp_path / "qrels", tmp_path / "run", ["U"])


def test_lengths_of_the_sample(our_command: Door) -> None:
    got = rows(our_command("eval", QRELS, *RUNS, "-m", "U", "-m", "TBG", "--lengths", LENGTHS, "-f", "csv"))
    assert [row["run"] for row in got] == ["bm25", "splade", "colbert"]
    assert all(0 < float(row["TBG"]) < float(row["U"]) for row in got)


# -- NTCIR ----------------------------------------------------------------------------------------------------------


def as_ntcir(qrels: Path) -> str:
    lines = (line.split() for line in qrels.read_text().splitlines())
    return "".join(f"{topic} {document} L{level}\n" for topic, _, document, level in lines)


def test_ntcir_judgements(our_command: Door, tmp_path: Path) -> None:
    (tmp_path / "n").write_text(as_ntcir(QRELS))
    measures = ["-m", "AP", "-m", "Q@10", "-m", "nERR@10", "-q", "-f", "csv"]
    ntcir = our_command("eval", tmp_path / "n", BM25, "--qrels-format", "ntcir", *measures)
    assert ntcir.out == our_command("eval", QRELS, BM25, *measures).out and ntcir.status == 0
    assert b"|qrels:ntcir|" in our_command("eval", tmp_path / "n", BM25, "--qrels-format", "ntcir", "--signature").out


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 a L1\n1 b X2\n", 'n:2: level: expected a level such as L1, found "X2"'),
        ("1 a L1\n1 b L\n", 'n:2: level: expected a level such as L1, found "L"'),
        ("1 a L1\n1 b 2\n", 'n:2: level: expected a level such as L1, found "2"'),
        ("1 a L1\n1 b L1.5\n", 'n:2: level: expected a level such as L1, found "L1.5"'),
        ("1 a LL1\n", 'n:1: level: expected a level such as L1, found "LL1"'),
        ("1 0 a L1\n", "n:1: line: expected 3 fields (topic document level), found 4 fields"),
    ],
)
def test_faulty_ntcir_judgements(lines: str, message: str, our_command: Door, tmp_path: Path) -> None:
    (tmp_path / "n").write_text(lines)
    done = our_command("eval", tmp_path / "n", BM25, "--qrels-format", "ntcir")
    assert done.status == 2 and done.message.endswith("/" + message), done.err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_may_begin_with_its_description(jobs: str, our_command: Door, tmp_path: Path) -> None:
    for name in (BM25, SPLADE):
        (tmp_path / name.name).write_bytes(b"<SYSDESC>BM25 with three fields 1 2 3</SYSDESC>\n" + name.read_bytes())
    got = our_command(
        "eval", QRELS, tmp_path / "bm25.run", tmp_path / "splade.run", "-m", "AP", "-j", jobs, "-f", "csv"
    )
    assert got.out == our_command("eval", QRELS, BM25, SPLADE, "-m", "AP", "-f", "csv").out and got.status == 0


def test_a_description_further_down_is_a_fault(our_command: Door, tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"301 Q0 a 1 1 t\n<SYSDESC>late</SYSDESC>\n301 Q0 b 1 1 t\n")
    done = our_command("eval", QRELS, tmp_path / "run")
    assert done.status == 2 and ":2: line: expected" in done.err


# -- properties -----------------------------------------------------------------------------------------------------

LECTURE_FIG_6 = {
    "nDCG": "graded normalised",
    "AP": "normalised",
    "Q": "graded normalised",
    "P+": "graded normalised",
    "ERR": "graded recall-independent diminishing",
    "RBP": "graded recall-independent",
    "TBG": "recall-independent lengths",
    "U": "graded recall-independent diminishing lengths nonlinear",
}
"""Sakai (2014), Fig. 6, without discriminative power. Half marks (AP graded, TBG diminishing) count as no."""


def test_properties_are_those_of_the_lecture(our_command: Door) -> None:
    done = our_command("measures", "--properties", "-f", "csv")
    found = {row["name"]: {name for name, value in row.items() if value == "yes"} for row in rows(done)}
    assert {name: found[name] for name in LECTURE_FIG_6} == {n: set(p.split()) for n, p in LECTURE_FIG_6.items()}
    assert len(found) == sum(record.kind == "score" for record in all_measures().values())
    assert "NumRel" not in found


def test_properties_are_explained(our_command: Door) -> None:
    out = our_command("measures", "--properties").out.decode()
    assert all(f"\n{name}: {text}" in out for name, text in PROPERTIES.items())
    assert out.splitlines()[0].split() == ["name", *PROPERTIES]
    chosen = our_command("measures", "--properties", "U", "TBG", "-f", "csv")
    assert [row["name"] for row in rows(chosen)] == ["U", "TBG"]
    document = json.loads(our_command("measures", "--properties", "-f", "json").out)
    assert document["measures"]["nERR@k"] == ["diminishing", "graded", "normalised"]
    assert "properties:" in our_command("measures", "U").out.decode()
