"""Scores that were computed before: every layout, the same cube, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner
from conftest import TESTDATA

import ireval
from ireval.cli.cube import compared, compared_files, compared_options
from ireval.cli.main import run as run_command
from ireval.cli.options import measure_option
from ireval.core.cube import chosen_measures, common_topics, grouped_systems
from ireval.core.scores import ScoreCube
from ireval.errors import IrevalError
from ireval.read.source import Source

SAMPLE = TESTDATA / "sample"
QRELS = str(SAMPLE / "qrels")
RUNS = [str(SAMPLE / f"{name}.run") for name in ("bm25", "splade", "colbert")]

WIDE = "topic,A,B\n301,.5,.25\n302,1,0\n0303,0.125,1e-1\n"
VALUES = {"A": [0.125, 0.5, 1.0], "B": [0.1, 0.25, 0.0]}


def put(path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def by_system(cube: ScoreCube, measure: int = 0) -> dict[str, list[float]]:
    return {system: cube.values[s, measure].tolist() for s, system in enumerate(cube.systems)}


# -- layouts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        WIDE,
        WIDE.replace(",", "\t"),
        WIDE.replace("\n", "\r\n"),
        "\ufeff" + WIDE,
        "# a comment\n\n" + WIDE + "# AP|n:3|ireval:0.1.0\n",
        WIDE.replace("topic", ""),
        WIDE.replace("topic", "qid").replace(",", " , "),
        '"topic","A","B"\n"301","0.5","0.25"\n302,1,0\n0303,.125,.1\nall,0.5,0.1\n',
        WIDE.rstrip("\n"),
    ],
    ids=["csv", "tsv", "crlf", "bom", "comments", "no corner", "blanks", "quoted and summary", "no newline"],
)
def test_wide_table(tmp_path: Path, text: str) -> None:
    cube = ireval.read_scores(put(tmp_path / "ndcg.csv", text))
    assert cube.topics == ("0303", "301", "302"), "in byte order, as they are written"
    assert by_system(cube) == VALUES
    assert cube.measures == ("ndcg",)
    assert not cube.missing.any()


@pytest.mark.parametrize("head", ["run,topic,AP,RR", "System,AP,Topic,RR"])
def test_tall_table(tmp_path: Path, head: str) -> None:
    rows = [(s, t, str(v), "1") for s in VALUES for t, v in zip(("0303", "301", "302"), VALUES[s], strict=True)]
    order = [{"run": 0, "system": 0, "topic": 1, "ap": 2, "rr": 3}[column] for column in head.lower().split(",")]
    text = "\n".join([head, *(",".join(row[i] for i in order) for row in rows)])
    cube = ireval.read_scores(put(tmp_path / "x", text))
    assert cube.measures == ("AP", "RR")
    assert by_system(cube) == VALUES
    assert by_system(cube, 1) == {"A": [1.0] * 3, "B": [1.0] * 3}
    assert ireval.read_scores(tmp_path / "x", "RR").measures == ("RR",)
    assert ireval.read_scores(tmp_path / "x", ["recip_rank", "map"]).measures == ("RR", "AP"), "other names for them"


@pytest.mark.parametrize("separator", [" ", "\t", ",", "   "])
def test_bare_matrix(tmp_path: Path, separator: str) -> None:
    """NTCIREVAL's Topicsys-matrix: topics x runs, one blank between numbers, no names."""
    text = "\n".join(separator.join(row) for row in (("0.5000", "0.2500"), ("1.0000", "0.0000"))) + "\n"
    matrix, names = put(tmp_path / "nDCG@0010", text), put(tmp_path / "runlist", "A\nB\n")
    for run_list in (names, ["A", "B"], Source(names)):
        cube = ireval.read_scores(matrix, run_list=run_list)  # type: ignore[arg-type]
        assert cube.topics == ("1", "2")
        assert cube.measures == ("nDCG@0010",)
        assert by_system(cube) == {"A": [0.5, 1.0], "B": [0.25, 0.0]}
    other = put(tmp_path / "Q@0010", text)
    assert ireval.read_scores([matrix, other], run_list=names).measures == ("nDCG@0010", "Q@0010")


def test_our_matrix_and_the_others_give_the_same_cube(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ireval eval -q` in every layout that can be read back, against the scores themselves."""
    expected = ireval.evaluate(QRELS, RUNS, ["AP", "P@10"]).score_cube()

    def written(layout: str, *more: str) -> str:
        assert run_command(["eval", QRELS, *RUNS, *more, "-q", "-f", layout, "--digits", "-1", "--quiet"]) == 0
        return put(tmp_path / layout, capsysbinary.readouterr().out)

    for layout in ("csv", "tsv", "json", "jsonl"):
        cube = ireval.read_scores(written(layout, "-m", "AP", "-m", "P@10", "--signature"))
        assert (cube.systems, cube.measures, cube.topics) == (expected.systems, expected.measures, expected.topics)
        assert np.array_equal(cube.values, expected.values), layout
        assert cube.better == expected.better
        assert cube.missing.sum() == (2 if layout == "json" else 0), "only JSON says which topics a run lacked"
    names = put(tmp_path / "runs", "\n".join(expected.systems))
    bare = ireval.read_scores(written("matrix", "-m", "AP"), run_list=names)
    assert np.abs(bare.values[:, 0] - expected.values[:, 0]).max() < 5e-5 + 1e-12, "it has four digits"
    assert bare.topics[:2] == ("01", "02")


def test_trec_eval_outputs(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """One file a run, as trec_eval -q prints it; four digits."""
    from ireval.compat import trec_eval

    paths = []
    for run in RUNS:
        assert trec_eval.main(["-q", "-c", "-m", "official", "-m", "relstring", QRELS, run]) == 0
        paths.append(put(tmp_path / (Path(run).stem + ".txt"), capsysbinary.readouterr().out))
    expected = ireval.evaluate(QRELS, RUNS, ["AP"]).score_cube()
    cube = ireval.read_scores(paths, "AP")
    assert cube.systems == ("bm25", "splade", "colbert")
    assert cube.measures == ("map",)
    assert np.abs(cube.values - expected.values).max() < 5e-5 + 1e-12
    whole = ireval.read_scores(paths)
    assert "map" in whole.measures and "P_10" in whole.measures
    assert not {"num_ret", "num_rel", "runid", "relstring", "gm_map"} & set(whole.measures), "counts only when named"
    assert ireval.read_scores(paths, "num_ret").measures == ("num_ret",)
    assert ireval.read_scores(paths, ["P.5,10"]).measures == ("P_5", "P_10")


def test_missing_topics(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", "topic,A,B\n1,.5,.5\n2,,.25\n3,.1,.2\n")
    cube = ireval.read_scores(path)
    assert by_system(cube) == {"A": [0.5, 0.0, 0.1], "B": [0.5, 0.25, 0.2]}
    assert cube.missing.tolist() == [[False, True, False], [False, False, False]]
    both = ireval.read_scores(path, topics="both")
    assert both.topics == ("1", "3")
    assert by_system(both) == {"A": [0.5, 0.1], "B": [0.5, 0.2]}
    with pytest.raises(ireval.DataError, match="no topic has scores of all runs"):
        ireval.read_scores(put(tmp_path / "y", "topic,A,B\n1,.5,\n2,,.25\n"), topics="both")


def test_several_files_are_put_together(tmp_path: Path) -> None:
    a = put(tmp_path / "a.csv", "run,topic,AP\nA,1,.5\nA,2,.25\n")
    b = put(tmp_path / "b.csv", "run,topic,AP\nB,1,.1\nB,2,.2\n")
    assert by_system(ireval.read_scores([a, b])) == {"A": [0.5, 0.25], "B": [0.1, 0.2]}
    with pytest.raises(ireval.InputError, match='expected other scores than in the files before, found AP of run "A"'):
        ireval.read_scores([a, put(tmp_path / "c.csv", Path(a).read_text())])


# -- refused --------------------------------------------------------------------------------------------------------

EXPECTED = (
    "expected scores by topic: a CSV or TSV table with a header, a bare matrix with --run-list, what trec_eval -q "
    "prints, or ireval's own JSON or CSV, found "
)
REFUSED = {
    "empty": ("", "x: " + EXPECTED + "an empty file"),
    "comments only": ("# x\n\n", "x: " + EXPECTED + "an empty file"),
    "bare": ("0.1 0.2 0.3\n", "x:1: header: " + EXPECTED + "numbers without names (a bare matrix needs --run-list)"),
    "prose": ("once upon a time\n", "x:1: header: " + EXPECTED + '"once upon a time"'),
    "csv of numbers": (
        "1,.5,.3\n2,.1,.1\n",
        "x:1: header: expected names, found numbers (a bare matrix needs --run-list)",
    ),
    "no scores": ("topic\t\n1\t.5\n", "x:1: header: expected a name for each column of scores, found none"),
    "text": ("topic,A\n1,high\n", 'x:2: A: expected a number, found "high"'),
    "nan": ("topic,A\n1,.5\n2,nan\n", 'x:3: A: expected a number, found "nan"'),
    "infinite": ("topic,A\n1,inf\n", 'x:2: A: expected a number, found "inf"'),
    "underscore": ("topic,A\n1,1_0\n", 'x:2: A: expected a number, found "1_0"'),
    "short row": ("topic,A,B\n1,.5\n", "x:2: line: expected 3 columns as in the header, found 2"),
    "column twice": ("topic,A,A\n1,.5,.5\n", 'x:1: header: expected each column once, found "A" again'),
    "topic twice": (
        "topic,A\n1,.5\n1,.5\n",
        'x:3: topic: expected one score for each topic, found another of x for run "A", topic 1',
    ),
    "topic without name": ("topic,A\n,.5\n", "x:2: topic: expected the name of a topic, found nothing"),
    "nothing but names": ("topic,A\n", "x: expected a score for at least one topic, found none"),
    "quote": (
        'topic,A\n"1,.5\n',
        "x:2: line: expected cells between separators, found a fault (unexpected end of data)",
    ),
    "trec fields": ("map\t1\t0.5\nmap 2\n", "x:2: line: expected 3 fields (measure topic value), found 2"),
    "trec value": ("map\t1\t0.5\nmap 2 x\n", 'x:2: value: expected a number, found "x"'),
    "trec twice": (
        "map\t1\t0.5\nmap 1 .5\n",
        'x:2: topic: expected one score for each topic, found another of map for run "x", topic 1',
    ),
    "trec summary": (
        "runid all x\nmap\tall\t0.5\n",
        "x: expected values of single topics, found summaries only (trec_eval -q prints both)",
    ),
    "json fault": ('{"runs": [\n  oops\n', "x:2: expected JSON, found a fault (Expecting value)"),
    "json summary": (
        json.dumps({"runs": [{"name": "A", "summary": {"AP": 0.5}}]}),
        "x: expected runs with their scores by topic (as `ireval eval -q -f json` writes them), found none",
    ),
    "other json": (
        "{}",
        "x: expected runs with their scores by topic (as `ireval eval -q -f json` writes them), found none",
    ),
    "jsonl without topics": (
        '{"run": "A", "AP": 1}\n{"run": "B", "AP": 1}\n',
        "x: expected objects with run and topic (as `ireval eval -q -f jsonl` writes them)",
    ),
    "json list": (
        '{"runs": [{"name": "A", "per_topic": {"1": {"AP": [1]}}}]}',
        'x: AP, topic 1: expected a number, found "[1]"',
    ),
    "json twice": (
        '{"run": "A", "topic": "1", "AP": 1}\n{"run": "A", "topic": "1", "AP": 1}\n',
        'x: expected one score of AP for run "A", topic 1, found another',
    ),
    "nan in json": (
        '{"run": "A", "topic": "1", "AP": NaN}\n{"run": "A", "topic": "2", "AP": 1}\n',
        'x: AP, topic 1: expected a number, found "nan"',
    ),
    "binary": ("topic,A\n1,\x01\n", "x:2: expected text, found binary data (byte 0x01)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, message = REFUSED[name]
    monkeypatch.chdir(tmp_path)
    put(Path("x"), text)
    with pytest.raises(IrevalError) as caught:
        ireval.read_scores("x")
    assert str(caught.value).split("\n")[0] == message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("matrix", "names", "message"),
    [
        (".1 .2 .3\n", "A\nB\n", "x:1: line: expected 2 numbers, one for each run of the list, found 3"),
        (".1 high\n", "A\nB\n", 'x:1: score: expected a number, found "high"'),
        (".1 .2\n", "", "names: expected the name of a run on each line, found an empty file"),
        (".1 .2\n", "A\nA\n", 'names:2: run: expected each run once, found "A" again'),
    ],
)
def test_refused_bare(matrix: str, names: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(Path("x"), matrix), put(Path("names"), names)
    with pytest.raises(ireval.InputError) as caught:
        ireval.read_scores("x", run_list="names")
    assert caught.value.message() == message


def test_the_fault_is_shown(tmp_path: Path) -> None:
    with pytest.raises(ireval.InputError) as caught:
        ireval.read_scores(put(tmp_path / "x", "topic,A,B\n301,.5,high\n"))
    assert caught.value.excerpt() == ["    301,.5,high", "           ^^^^"]


def test_a_run_without_a_measure(tmp_path: Path) -> None:
    path = put(tmp_path / "x", "run,topic,AP,RR\nA,1,.5,1\nB,1,.5,\n")
    with pytest.raises(ireval.DataError, match='there are no scores of RR for run "B"'):
        ireval.read_scores(path)
    assert ireval.read_scores(path, "AP").systems == ("A", "B")


def test_a_measure_that_is_not_there(tmp_path: Path) -> None:
    path = put(tmp_path / "x", "run,topic,AP,RR\nA,1,.5,1\nB,1,.5,1\n")
    with pytest.raises(ireval.UsageError, match='the scores have no measure "nDCG@10"; there are AP, RR'):
        ireval.read_scores(path, "nDCG@10")


# -- cubes ----------------------------------------------------------------------------------------------------------


def small_cube() -> ScoreCube:
    values = np.arange(24, dtype=float).reshape(4, 2, 3)
    missing = np.zeros((4, 3), bool)
    missing[1, 2] = True
    return ScoreCube(("a1", "a2", "b", "c"), ("AP", "E"), ("1", "2", "3"), values, missing, ("high", "low"))


def test_groups_average_by_topic() -> None:
    cube = small_cube()
    grouped = grouped_systems(cube, {"a": ["a2", "a1"]})
    assert grouped.systems == ("a", "b", "c")
    assert np.array_equal(grouped.values[0], (cube.values[0] + cube.values[1]) / 2)
    assert np.array_equal(grouped.values[1:], cube.values[2:])
    assert grouped.missing.tolist() == [[False, False, True], [False] * 3, [False] * 3]
    assert grouped_systems(cube, {}) is cube
    assert grouped_systems(cube, {"b": ["b", "c"]}).systems == ("a1", "a2", "b")


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"a": ["a1", "x"]}, 'system a: no run "x"; there are a1, a2, b, c'),
        ({"a": ["a1", "b"], "d": ["b"]}, 'run "b" is in system a already'),
        ({"a": ["a1", "a1"]}, 'run "a1" is in system a already twice'),
        ({"c": ["a1", "a2"]}, "system c: there is a run of that name, and it is not in the group"),
    ],
)
def test_groups_that_make_no_sense(groups: dict[str, list[str]], message: str) -> None:
    with pytest.raises(ireval.UsageError) as caught:
        grouped_systems(small_cube(), groups)
    assert str(caught.value) == message


def test_choosing() -> None:
    cube = small_cube()
    assert common_topics(cube).topics == ("1", "2")
    assert common_topics(cube).values.shape == (4, 2, 2)
    turned = chosen_measures(cube, [1, 0])
    assert (turned.measures, turned.better) == (("E", "AP"), ("low", "high"))
    assert np.array_equal(turned.values, cube.values[:, ::-1])


# -- the shared options ---------------------------------------------------------------------------------------------


@click.command()
@compared_files
@measure_option
@compared_options
@click.option("--quiet", is_flag=True)
def probe(files: tuple[str, ...], measures: tuple[str, ...], **given: object) -> None:
    """A command that only says what it was given."""
    try:
        found = compared(files, measures, given, ["AP"])
    except IrevalError as error:
        raise click.ClickException(str(error)) from None
    cube = found.cube
    click.echo(
        json.dumps(
            {
                "systems": cube.systems,
                "measures": cube.measures,
                "shape": cube.values.shape,
                "inputs": len(found.inputs),
                "signature": found.signature,
                "notes": found.notes,
            }
        )
    )


def probed(*argv: str) -> dict:
    result = CliRunner().invoke(probe, list(argv))
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def test_scores_from_runs() -> None:
    found = probed(QRELS, *RUNS)
    assert found["shape"] == [3, 1, 30]
    assert found["inputs"] == 4
    assert found["signature"] == ["rel:1", "ties:docno-desc", "topics:qrels", "n:30"]
    assert found["notes"] == [
        "bm25: 28 of 30 judged topics scored; 2 missing (307, 319), counted as 0; --topics both leaves them out"
    ]
    grouped = probed(QRELS, *RUNS, "--system", "neural=splade,colbert", "-m", "RR", "-m", "P@5", "--topics", "both")
    assert grouped["systems"] == ["bm25", "neural"]
    assert grouped["shape"] == [2, 2, 28]
    assert grouped["signature"][-1] == "systems:neural=splade,colbert"


def test_scores_from_files(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", "topic,A,B\n" + "".join(f"{t},,.5\n" for t in range(7)) + "7,.5,.5\n")
    found = probed("--scores", path)
    assert found["signature"] == ["scores:file", "topics:qrels", "n:8"]
    assert found["notes"] == [
        "A: 7 of 8 topics missing (0, 1, 2, 3, 4, ...), counted as 0; --topics both leaves them out"
    ]
    both = probed("--scores", path, "--topics", "both")
    assert both["signature"] == ["scores:file", "topics:both", "n:1"]
    assert both["notes"] == ["A: 7 of 8 topics missing (0, 1, 2, 3, 4, ...), left out for all runs"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "expected QRELS RUN RUN..., or --scores FILE"),
        ([QRELS, RUNS[0], "--scores", "x"], "expected QRELS RUN RUN..., or --scores FILE, found both"),
        ([QRELS], "expected QRELS RUN RUN..., found no run"),
        ([QRELS, *RUNS, "--run-list", "x"], "--run-list needs --scores"),
        (["--scores", "x", "--level", "2"], "--level says how runs are scored, so it does not go with --scores"),
        (["--scores", "x", "--depth", "2"], "--depth says how runs are scored, so it does not go with --scores"),
        (["--scores", "-", "--run-list", "-"], "standard input can be only one of the files"),
        ([QRELS, *RUNS, "--system", "a"], '--system: expected NAME=RUN,RUN,..., found "a"'),
        ([QRELS, *RUNS, "--system", "a=bm25", "--system", "a=splade"], '--system: found "a" twice'),
        (
            [QRELS, *RUNS, "-m", "gm_map"],
            "gm_map is a geometric mean, which has no scores by topic; name the measure that it averages",
        ),
        ([QRELS, *RUNS, "-m", "runid"], "runid has no number for each topic, so it cannot be compared by topic"),
    ],
)
def test_usage(argv: list[str], message: str) -> None:
    result = CliRunner().invoke(probe, argv)
    assert result.exit_code == 1
    assert result.output.strip() == f"Error: {message}"


def test_numbers_are_exact(tmp_path: Path) -> None:
    values = [math.pi / 7, 1 / 3, 1e-300, 0.1 + 0.2]
    path = put(tmp_path / "x", "topic,A\n" + "".join(f"{t},{v!r}\n" for t, v in enumerate(values)))
    assert by_system(ireval.read_scores(path)) == {"A": values}
