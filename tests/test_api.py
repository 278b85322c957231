"""The Python API: ireval.evaluate on paths and objects, and pytrec_eval's interface."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import TESTDATA

import ireval
from ireval.errors import DuplicateError, UsageError

SAMPLE = TESTDATA / "sample"
QRELS, BM25, SPLADE, COLBERT = (SAMPLE / name for name in ("qrels", "bm25.run", "splade.run", "colbert.run"))

JUDGED = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1, "d4": 1}}
FIRST = {"q1": {"d3": 3.0, "d2": 2.0, "d1": 1.0}, "q2": {"d9": 2.0, "d4": 1.0}}
SECOND = {"q1": {"d2": 3.0, "d3": 2.0}, "q2": {"d1": 5.0, "d4": 4.0}}
AP = {"first": ((1 + 2 / 3) / 2 + (1 / 2) / 2) / 2, "second": ((1 / 2) / 2 + 1) / 2}


class Frame:
    """As much of a DataFrame as is asked for."""

    def __init__(self, **columns: list[Any]) -> None:
        self._data = columns

    @property
    def columns(self) -> list[str]:
        return list(self._data)

    def __getitem__(self, name: str) -> Any:
        return np.array(self._data[name], object)


def as_columns(nested: dict[str, dict[str, Any]], topic: str, document: str, number: str) -> dict[str, list[Any]]:
    rows = [(t, d, v) for t, inner in nested.items() for d, v in inner.items()]
    return {topic: [r[0] for r in rows], document: [r[1] for r in rows], number: [r[2] for r in rows]}


# -- what may be given ----------------------------------------------------------------------------------------------


def test_paths() -> None:
    expected = {"bm25": 0.3067, "colbert": 0.4760}
    for qrels, runs in (
        (str(QRELS), [str(BM25), str(COLBERT)]),
        (QRELS, (BM25, COLBERT)),
        (QRELS, (path for path in (BM25, COLBERT))),
        (QRELS, {"bm25": BM25, "colbert": str(COLBERT)}),
    ):
        found = ireval.evaluate(qrels, runs, ["AP"]).summary()
        assert {run: round(values["AP"], 4) for run, values in found.items()} == expected
    assert ireval.evaluate(QRELS, COLBERT, ["AP"]).runs == ("colbert",)
    assert ireval.evaluate(QRELS, {"mine": COLBERT}, ["AP"]).runs == ("mine",)


def test_read_once_used_often() -> None:
    judged, run = ireval.read_qrels(QRELS), ireval.read_run(COLBERT)
    once = ireval.evaluate(judged, {"c": run}, ["AP", "nDCG@10"]).summary()
    assert once == ireval.evaluate(judged, {"c": run}, ["AP", "nDCG@10"]).summary()
    assert once["c"] == ireval.evaluate(QRELS, COLBERT, ["AP", "nDCG@10"]).summary()["colbert"]
    ranked = {"c": ireval.read_run(COLBERT, order="rank")}
    assert ireval.evaluate(judged, ranked, ["AP"], order="rank").summary()["c"]["AP"] == once["c"]["AP"]


def test_dicts_of_dicts() -> None:
    assert ireval.evaluate(JUDGED, FIRST, ["AP"]).summary() == {"run1": {"AP": pytest.approx(AP["first"])}}
    found = ireval.evaluate(JUDGED, {"first": FIRST, "second": SECOND}, ["AP"]).summary()
    assert {run: values["AP"] for run, values in found.items()} == pytest.approx(AP)
    scalars = {topic: {d: np.float32(score) for d, score in inner.items()} for topic, inner in FIRST.items()}
    assert ireval.evaluate(JUDGED, scalars, ["AP"]).summary() == {"run1": {"AP": pytest.approx(AP["first"])}}
    assert list(ireval.evaluate(JUDGED, [FIRST, SECOND], ["AP"]).summary()) == ["run1", "run2"]


def arrays(**columns: list[Any]) -> dict[str, Any]:
    return {name: np.array(values) for name, values in columns.items()}


@pytest.mark.parametrize("names", ["query_id doc_id score relevance", "topic docno sim level", "qid docid value label"])
@pytest.mark.parametrize("make", [dict, Frame, arrays])
def test_columns(names: str, make: Any) -> None:
    topic, document, score, level = names.split()
    qrels = make(**as_columns(JUDGED, topic, document, level))
    runs = [make(**as_columns(run, topic, document, score)) for run in (FIRST, SECOND)]
    assert ireval.evaluate(qrels, runs[0], ["AP"]).summary()["run1"]["AP"] == pytest.approx(AP["first"])
    several = ireval.evaluate(qrels, runs, ["AP"]).summary()
    assert [values["AP"] for values in several.values()] == pytest.approx(list(AP.values()))
    named = ireval.evaluate(qrels, dict(zip(AP, runs, strict=True)), ["AP"]).summary()
    assert {run: values["AP"] for run, values in named.items()} == pytest.approx(AP)


def test_pandas_columns() -> None:
    pandas = pytest.importorskip("pandas")
    qrels = pandas.DataFrame(as_columns(JUDGED, "query_id", "doc_id", "relevance"))
    run = pandas.DataFrame(as_columns(FIRST, "query_id", "doc_id", "score"))
    assert ireval.evaluate(qrels, {"first": run}, ["AP"]).summary()["first"]["AP"] == pytest.approx(AP["first"])


def test_scattered_columns_and_ids_that_are_numbers() -> None:
    qrels = {"topic": [2, 1, 2], "doc": [7, 7, 8], "rel": [1, 1, 0]}
    run = {"topic": [1, 2, 1, 2], "doc": [9, 8, 7, 7], "score": [1, 2, np.float32(3), 1]}
    assert ireval.evaluate(qrels, run, ["RR"]).per_topic() == {"1": {"RR": 1.0}, "2": {"RR": 0.5}}


def test_topics_without_documents() -> None:
    """An empty ranking is one topic of a run, not a run."""
    found = ireval.evaluate(JUDGED, {"q1": FIRST["q1"], "q2": {}}, ["AP"])
    assert found.runs == ("run1",)
    assert found.per_topic()["q2"] == {"AP": 0.0}
    assert found["run1"].facts.missing == (b"q2",)


def test_measures_in_any_form() -> None:
    for measures in ("AP", ["AP"], ("AP",), {"AP"}, iter(["AP"])):
        assert ireval.evaluate(JUDGED, FIRST, measures).measures == ("AP",)
    official = ireval.evaluate(JUDGED, FIRST)
    assert official.measures[:2] == ("runid", "num_q")
    assert ireval.evaluate(JUDGED, FIRST, official.requests).measures == official.measures
    mixed = ireval.evaluate(JUDGED, FIRST, ["P.1,2", "nDCG@10", "P(rel=2)@1"])
    assert mixed.measures == ("P_1", "P_2", "nDCG@10", "P(rel=2)@1")


def test_options() -> None:
    def one(**options: Any) -> Any:
        return ireval.evaluate(JUDGED, FIRST, [options.pop("measure", "AP")], **options).summary()["run1"].popitem()[1]

    assert one(measure="num_rel", level=2) == 1
    assert one(measure="num_ret", depth=2) == 4
    assert one(measure="num_ret", condensed=True) == 4
    assert one(measure="P@1", order="file") == 0.5
    assert one(measure="nDCG@1", gains="1:9") == pytest.approx((9 / 9 + 0) / 2)
    assert one(measure="utility", docs=100) == pytest.approx((2 - 1 + 1 - 1) / 2)
    half = ireval.evaluate(JUDGED, {"a": FIRST, "b": {"q1": SECOND["q1"]}}, ["AP"], topics="both")
    assert half.topics == ["q1"]
    assert half.summary()["a"]["AP"] == pytest.approx((1 + 2 / 3) / 2)
    twice = {"topic": ["q1", "q1", "q1"], "doc": ["d1", "d2", "d1"], "score": [1, 2, 3]}
    found = ireval.evaluate(JUDGED, twice, ["RR"], on_duplicate="first")
    assert found.per_topic()["q1"] == {"RR": 0.5}
    assert found["run1"].facts.repeated == 1


def test_jobs_and_progress() -> None:
    seen: list[tuple[str, int]] = []
    runs = {"a": FIRST, "b": SECOND}
    alone = ireval.evaluate(JUDGED, runs, ["AP"], progress=lambda name, rows: seen.append((name, rows)))
    assert seen == [("a", 5), ("b", 4)]
    code = f"import ireval; print(ireval.evaluate({JUDGED!r}, {runs!r}, ['AP'], jobs=2).summary())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{alone.summary()}\n", done.stderr


# -- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("qrels", "run", "error", "message"),
    [
        (JUDGED, {"q1": {"d1": math.nan}}, ireval.InputError, "run1:1: score: expected a number, found nan"),
        (JUDGED, {"q1": {"d1": 1, "d2": "high"}}, ireval.InputError, "run1:2: score: expected a number, found 'high'"),
        (JUDGED, {"q1": {"d1": None}}, ireval.InputError, "run1:1: score: expected a number, found None"),
        (JUDGED, {}, ireval.InputError, "run1: expected scores, found an empty run"),
        (JUDGED, {"q1": {}}, ireval.InputError, "run1: expected scores, found an empty run"),
        (JUDGED, [], ireval.UsageError, "no run is given"),
        ({"q1": {"d1": 1.5}}, FIRST, ireval.InputError, "qrels:1: level: expected a whole number, found 1.5"),
        ({"q1": {"d1": math.inf}}, FIRST, ireval.InputError, "qrels:1: level: expected a whole number, found inf"),
        ({"q1": {"d1": 2**31}}, FIRST, ireval.InputError, "qrels:1: level: expected a whole number, found 2147483648"),
        ({"q1": {"d1": "x"}}, FIRST, ireval.InputError, "qrels:1: level: expected a number, found 'x'"),
        ({}, FIRST, ireval.InputError, "qrels: expected judgements, found none"),
        (
            JUDGED,
            {"topic": ["q1"], "score": [1]},
            ireval.InputError,
            "run1: document: expected a column named doc_id or document or docno, found none",
        ),
        (
            Frame(doc_id=["d"], rel=[1]),
            FIRST,
            ireval.InputError,
            "qrels: topic: expected a column named query_id or topic or topic_id, found none",
        ),
        (
            JUDGED,
            {"topic": ["q1"], "doc": ["d", "e"], "score": [1, 2]},
            ireval.InputError,
            "run1: score: expected columns of equal length",
        ),
        (
            JUDGED,
            {"topic": ["q1", "q1"], "doc": ["d", "d"], "score": [1, 2]},
            DuplicateError,
            'run1:2: document: expected each document once in a topic, found "d" of topic q1 again (first on line 1)',
        ),
        (JUDGED, {"other": {"d1": 1.0}}, ireval.DataError, "no topic has both judgements and results"),
        (JUDGED, [COLBERT, COLBERT], ireval.UsageError, "the same run is given twice"),
        ("/none", FIRST, ireval.InputError, "/none: no such file or directory"),
    ],
)
def test_refused(qrels: Any, run: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        ireval.evaluate(qrels, run, ["AP"])
    assert str(caught.value) == message
    assert isinstance(caught.value, ireval.IrevalError)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "best"}, "order: expected score or rank or file, found best"),
        ({"topics": "all"}, "topics: expected qrels or both, found all"),
        ({"on_duplicate": "last"}, "on_duplicate: expected error or first or keep, found last"),
        (
            {"format": "csv"},
            "no judgement format csv; there are qrels, qrels_jg, qrels_prefs, ntcir, prefs, diversity, ntcir_diversity",
        ),
        ({"measures": []}, "no measure is asked for"),
        ({"order": "rank"}, "run1: this run has no ranks to order by"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ireval.UsageError) as caught:
        ireval.evaluate(JUDGED, FIRST, **{"measures": ["AP"], **options})
    assert str(caught.value) == message


def test_all_typos_at_once() -> None:
    with pytest.raises(ireval.MeasureError) as caught:
        ireval.evaluate(JUDGED, FIRST, ["nDGC@10", "AP", "mapp"])
    assert len(str(caught.value).splitlines()) == 2


def test_errors_come_out_of_another_process() -> None:
    error = DuplicateError("f", 3, "score", "why", text=b"abc", span=(1, 2))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is DuplicateError
    assert str(again) == str(error) == "f:3: score: why\n    abc\n     ^"
    assert (again.file, again.line, again.exit_code) == ("f", 3, 2)


# -- results --------------------------------------------------------------------------------------------------------


@pytest.fixture
def results() -> ireval.Results:
    return ireval.evaluate(JUDGED, {"first": FIRST, "second": SECOND}, ["AP", "num_rel_ret", "relstring", "runid"])


def test_results_as_dicts(results: ireval.Results) -> None:
    assert results.runs == ("first", "second")
    assert results.measures == ("AP", "num_rel_ret", "relstring", "runid")
    assert results.topics == ["q1", "q2"]
    summary = results.summary()
    assert summary["first"] == {"AP": pytest.approx(AP["first"]), "num_rel_ret": 3, "relstring": None, "runid": "first"}
    assert isinstance(summary["first"]["num_rel_ret"], int)
    assert results.per_topic("second")["q1"] == {"AP": 0.25, "num_rel_ret": 1, "relstring": "02", "runid": None}
    with pytest.raises(UsageError, match="per_topic: expected the name of a run, one of first, second"):
        results.per_topic()
    with pytest.raises(KeyError, match="no run 'third'; there are first, second"):
        results.per_topic("third")


def test_results_as_arrays(results: ireval.Results) -> None:
    cube = results.cube()
    assert cube.shape == (2, 4, 2)
    assert cube[0, 0].tolist() == pytest.approx([(1 + 2 / 3) / 2, 1 / 4])
    assert np.array_equal(results["second"].values, cube[1], equal_nan=True)
    assert results["second"].topics == [b"q1", b"q2"]
    for run, name in enumerate(results.runs):
        assert results.value(run, 0) == results.summary()[name]["AP"] == pytest.approx(cube[run, 0].mean())


def test_dataframe_without_pandas(results: ireval.Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ireval.UsageError, match="to_dataframe needs pandas, which is not installed"):
        results.to_dataframe()


def test_rows_of_a_dataframe(results: ireval.Results, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda rows: rows))
    rows = results.to_dataframe()
    assert [f"{row['run']} {row['topic']}" for row in rows] == ["first q1", "first q2", "second q1", "second q2"]
    assert rows[2] == {"run": "second", "topic": "q1", **results.per_topic("second")["q1"]}
    assert results.to_dataframe(per_topic=False)[1] == {"run": "second", **results.summary()["second"]}


def test_dataframe_with_pandas(results: ireval.Results) -> None:
    pytest.importorskip("pandas")
    frame = results.to_dataframe()
    assert list(frame.columns) == ["run", "topic", *results.measures]
    assert frame.groupby("run")["AP"].mean().to_dict() == pytest.approx(AP)


def test_undecodable_ids_are_kept(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"t\xff 0 d\xfe 1\n")
    (tmp_path / "run").write_bytes(b"t\xff Q0 d\xfe 1 1 tag\xfd\n")
    found = ireval.evaluate(tmp_path / "qrels", tmp_path / "run", ["AP", "runid"])
    assert found.topics == ["t\udcff"]
    assert found.per_topic()["t\udcff"]["AP"] == 1.0
    same = ireval.evaluate({"t\udcff": {"d\udcfe": 1}}, tmp_path / "run", ["AP"])
    assert same.per_topic() == {"t\udcff": {"AP": 1.0}}


# -- pytrec_eval's interface ----------------------------------------------------------------------------------------

# the example of pytrec_eval's own documentation
EXAMPLE_QRELS = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
EXAMPLE_RUN = {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}, "q2": {"d1": 1.5, "d2": 0.2, "d3": 0.5}}


def test_relevance_evaluator_worked_out_by_hand() -> None:
    evaluator = ireval.RelevanceEvaluator(EXAMPLE_QRELS, {"map", "ndcg", "P.1,2", "num_q", "relstring"})
    second = 1 / math.log2(3)
    assert evaluator.evaluate(EXAMPLE_RUN) == {
        "q1": {"map": pytest.approx(1 / 3), "ndcg": 0.5, "P_1": 0.0, "P_2": 0.0, "num_q": 1.0, "relstring": 0.0},
        "q2": {
            "map": pytest.approx((1 / 2 + 2 / 3) / 2),
            "ndcg": pytest.approx((second + 1 / 2) / (1 + second)),
            "P_1": 0.0,
            "P_2": 0.5,
            "num_q": 1.0,
            "relstring": 0.0,
        },
    }


@pytest.mark.parametrize(
    ("measures", "labels"),
    [
        ({"map", "ndcg_cut_10"}, ["map", "ndcg_cut_10"]),
        (["P.5,10", "P_7"], ["P_5", "P_7", "P_10"]),
        ({"P", "P.5"}, ["P_5"]),
        (
            {"official", "P_3"},
            [
                "runid",
                "num_q",
                "num_ret",
                "num_rel",
                "num_rel_ret",
                "map",
                "gm_map",
                "Rprec",
                "bpref",
                "recip_rank",
                *(f"iprec_at_recall_{n / 10:.2f}" for n in range(11)),
                "P_3",
            ],
        ),
        ({"set_F.0.5", "set_F"}, ["set_F"]),
        ({"iprec_at_recall.0.25", "success_3"}, ["iprec_at_recall_0.25", "success_3"]),
        ({"ndcg_cut.5", "nDCG@10", "AP"}, ["ndcg_cut_5", "AP", "nDCG@10"]),
    ],
    ids=str,
)
def test_measures_are_combined_as_pytrec_eval_does(measures: Any, labels: list[str]) -> None:
    assert list(ireval.RelevanceEvaluator(EXAMPLE_QRELS, measures).evaluate(EXAMPLE_RUN)["q1"]) == labels


def test_relevance_evaluator_options() -> None:
    level = ireval.RelevanceEvaluator(JUDGED, {"num_rel"}, relevance_level=2).evaluate(FIRST)
    assert level == {"q1": {"num_rel": 1.0}, "q2": {"num_rel": 0.0}}
    judged = ireval.RelevanceEvaluator(JUDGED, {"recip_rank"}, judged_docs_only_flag=True).evaluate(FIRST)
    assert judged["q2"] == {"recip_rank": 1.0}
    assert ireval.RelevanceEvaluator(JUDGED, {"recip_rank"}).evaluate(FIRST)["q2"] == {"recip_rank": 0.5}


def test_relevance_evaluator_compares_floats() -> None:
    """As trec_eval 9: scores that differ only as doubles are tied, and the higher document number goes first."""
    run = {"q1": {"d1": 1.0 + 1e-12, "d2": 1.0}}
    assert ireval.RelevanceEvaluator(EXAMPLE_QRELS, {"recip_rank"}).evaluate(run) == {"q1": {"recip_rank": 1.0}}


def test_relevance_evaluator_with_little_to_do() -> None:
    evaluator = ireval.RelevanceEvaluator(EXAMPLE_QRELS, {"map"})
    assert evaluator.evaluate({}) == {}
    assert evaluator.evaluate({"other": {"d": 1.0}}) == {}
    assert evaluator.evaluate({"q1": {}}) == {"q1": {"map": 0.0}}
    assert evaluator.evaluate({"q1": {}, "q2": {"d2": 1.0, "d3": 0.0}}) == {"q1": {"map": 0.0}, "q2": {"map": 1.0}}
    assert ireval.RelevanceEvaluator({"q1": {}}, {"map"}).evaluate(EXAMPLE_RUN) == {}
    with pytest.raises(ireval.InputError):
        evaluator.evaluate({"q1": {"d1": math.nan}})
    with pytest.raises(ireval.MeasureError):
        ireval.RelevanceEvaluator(EXAMPLE_QRELS, {"mapp"})


def test_agrees_with_pytrec_eval() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    with QRELS.open() as qrels, BM25.open() as run:
        judged, ranked = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
    for options in ({}, {"relevance_level": 2}, {"judged_docs_only_flag": True}):
        measures = pytrec_eval.supported_measures
        ours = ireval.RelevanceEvaluator(judged, measures, **options).evaluate(ranked)
        theirs = pytrec_eval.RelevanceEvaluator(judged, measures, **options).evaluate(ranked)
        assert len(ours) == 28
        assert ours == theirs, options
    assert ireval.supported_measures == pytrec_eval.supported_measures
    assert ireval.supported_nicknames.keys() == pytrec_eval.supported_nicknames.keys()
    for name in ("map", "num_ret", "gm_map"):
        values = [row[name] for row in ours.values()]
        assert ireval.compute_aggregated_measure(name, values) == pytest.approx(
            pytrec_eval.compute_aggregated_measure(name, values), rel=1e-14
        )


def test_parse_run_and_qrel() -> None:
    assert ireval.parse_run(["q1 Q0 d1 1 2.5 tag\n", "\n", "q1\tQ0\td2 2 -1e3 tag", "q2 Q0 d1 1 1 tag"]) == {
        "q1": {"d1": 2.5, "d2": -1000.0},
        "q2": {"d1": 1.0},
    }
    levels = ireval.parse_qrel(["q1 0 d1 2\n", "q1 0 d2 -1\n"])
    assert levels == {"q1": {"d1": 2, "d2": -1}}
    assert isinstance(levels["q1"]["d1"], int)
    with QRELS.open() as qrels, BM25.open() as run:
        found = ireval.evaluate(ireval.parse_qrel(qrels), {"bm25": ireval.parse_run(run)}, ["AP"]).summary()
    assert found == ireval.evaluate(QRELS, BM25, ["AP"]).summary()
    for lines, message in (
        (["q1 Q0 d1 1 2.5\n"], "run:1: expected topic Q0 document rank score tag, found 5 fields"),
        (["q1 Q0 d1 1 2.5 t\n", "q1 Q0 d2 1 high t\n"], "run:2: score: expected a number, found 'high'"),
        (
            ["q1 Q0 d1 1 2 t", "q1 Q0 d1 1 1 t"],
            "run:2: document: expected each document once in a topic, found d1 of topic q1 again",
        ),
    ):
        with pytest.raises(ireval.InputError) as caught:
            ireval.parse_run(lines)
        assert str(caught.value) == message


def test_compute_aggregated_measure() -> None:
    assert ireval.compute_aggregated_measure("map", [0.2, 0.4]) == pytest.approx(0.3)
    assert ireval.compute_aggregated_measure("num_ret", [3, 4]) == 7.0
    assert ireval.compute_aggregated_measure("gm_map", [math.log(0.1), math.log(0.4)]) == pytest.approx(0.2)


# -- the package ----------------------------------------------------------------------------------------------------


def test_everything_public_is_there_and_nothing_else() -> None:
    assert all(getattr(ireval, name) is not None for name in ireval.__all__)
    with pytest.raises(AttributeError, match="module 'ireval' has no attribute 'evaluat'"):
        _ = ireval.evaluat  # type: ignore[attr-defined]


def test_attributes_are_lazy() -> None:
    code = (
        "import sys, ireval; before = 'numpy' in sys.modules; ireval.IrevalError; ireval.__version__; "
        "between = 'numpy' in sys.modules; ireval.evaluate; print(before, between, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["False", "False", "True"], done.stderr
