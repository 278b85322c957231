"""Measures as users write them: condensed lists, residuals, choices and penalties."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ireval.errors import MeasureError
from ireval.measures.registry import Choice, all_measures
from ireval.measures.spec import Spec, label, make_spec, parse_measure, parse_measures, trec_label, with_aggregates

RECORDS = all_measures()


def one(name: str, **params: object) -> Spec:
    return make_spec(RECORDS[name], params, {})  # type: ignore[arg-type]


def primed(name: str, **params: object) -> Spec:
    return replace(one(name, **params), condensed=True)


@pytest.mark.parametrize(
    ("text", "spec", "printed"),
    [
        ("condensed(AP)", primed("map"), "AP'"),
        ("AP'", primed("map"), "AP'"),
        ("condensed(nDCG@10)", primed("ndcg_cut", k=10), "nDCG'@10"),
        ("nDCG'@10", primed("ndcg_cut", k=10), "nDCG'@10"),
        ("P'(rel=2)@5", primed("P", k=5, rel=2), "P'(rel=2)@5"),
        ("condensed(P(rel=2)@5)", primed("P", k=5, rel=2), "P'(rel=2)@5"),
        ("condensed(map)", primed("map"), "map'"),
        ("map'", primed("map"), "map'"),
        ("condensed(P_10)", primed("P", k=10), "P_10'"),
        ("Q'(beta=10)@20", primed("q_measure_cut", k=20, beta=10.0), "Q'(beta=10)@20"),
        ("condensed(Q(gains='1:3:7'))", primed("q_measure", gains="1:3:7"), "Q'(gains='1:3:7')"),
        ("condensed(condensed(AP))", primed("map"), "AP'"),
    ],
)
def test_condensed(text: str, spec: Spec, printed: str) -> None:
    (request,) = parse_measure(text, {})
    assert (request.spec, request.label) == (spec, printed)
    assert [r.spec for r in parse_measure(request.label, {})] == [spec]
    assert [r.spec for r in parse_measure(label(spec), {})] == [spec]


@pytest.mark.parametrize("record", [r for r in RECORDS.values() if r.kind != "summary"], ids=lambda r: r.name)
def test_every_measure_has_a_condensed_version(record: object) -> None:
    name = record.name  # type: ignore[attr-defined]
    cut = RECORDS[name].cutoff
    spec = primed(name, **({cut.name: 7 if cut.name == "k" else 0.5} if cut else {}))
    assert [r.spec for r in parse_measure(label(spec), {})] == [spec]
    assert label(spec).count("'") == 1 and label(replace(spec, condensed=False)) == label(spec).replace("'", "")
    if record.trec:  # type: ignore[attr-defined]
        assert [r.spec for r in parse_measure(trec_label(spec), {})] == [spec]


def test_a_set_of_measures_can_be_condensed() -> None:
    plain, condensed = parse_measure("official", {}), parse_measure("condensed(official)", {})
    assert [replace(request.spec, condensed=True) for request in plain] == [request.spec for request in condensed]
    assert [request.label for request in condensed][5:8] == ["map'", "gm_map'", "Rprec'"]


@pytest.mark.parametrize(
    ("text", "specs", "labels"),
    [
        (
            "RBP(p=.8,residual=yes)",
            [one("rbp_graded", p=0.8), one("rbp_residual", p=0.8)],
            ["RBP(p=.8)", "RBPres(p=.8)"],
        ),
        ("RBP(residual=yes)", [one("rbp_graded"), one("rbp_residual")], ["RBP", "RBPres"]),
        (
            "RBP( residual=yes , p=.8)@10",
            [one("rbp_graded_cut", k=10, p=0.8), one("rbp_residual_cut", k=10, p=0.8)],
            ["RBP(p=.8)@10", "RBPres(p=.8)@10"],
        ),
        ("condensed(RBP(residual=yes))", [primed("rbp_graded"), primed("rbp_residual")], ["RBP'", "RBPres'"]),
    ],
)
def test_score_and_residual_in_one_request(text: str, specs: list[Spec], labels: list[str]) -> None:
    requests = parse_measure(text, {})
    assert ([r.spec for r in requests], [r.label for r in requests]) == (specs, labels)


def test_rbp_of_trec_eval_and_ours_are_told_apart() -> None:
    assert parse_measure("rbp", {})[0].spec == one("rbp") and parse_measure("RBP", {})[0].spec == one("rbp_graded")


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("NCU(stop=gu,utility=P)@10", one("ncu_cut", k=10, stop="gu", utility="P")),
        ("NCU(stop=gu,stops='1:2:3')", one("ncu", stop="gu", stops="1:2:3")),
        ("ERR(sat=gain,top=3)@20", one("err_cut", k=20, sat="gain", top=3.0)),
        ("NWRR(penalties='inf:3:2')", one("nwrr", penalties="inf:3:2")),
        ("WRR(penalties=4:3:2)", one("wrr")),
        ("nDCGjk(b=10)@5", one("ndcg_original_cut", k=5, b=10.0)),
        ("Q-measure", one("q_measure")),
        ("O", one("o_measure")),
        ("P+@10", one("p_plus_cut", k=10)),
        ("P-plus", one("p_plus")),
        ("RankEff", one("bpref_N")),
        ("bpref", one("bpref")),
        ("bpref_R", one("bpref_R")),
        ("gAP", one("g_ap")),
        ("GAP", one("gap")),
        ("F(beta=2)@10", one("f_measure_cut", k=10, beta=2.0)),
        ("TBG(half=100)", one("tbg", half=100.0)),
        ("U(L=12000,share=0.5)", one("u_measure", L=12000.0, share=0.5)),
        ("U(sat=gain,gains='1:3:7')", one("u_measure", sat="gain", gains="1:3:7")),
    ],
)
def test_parameters_are_read_and_printed(text: str, spec: Spec) -> None:
    assert [r.spec for r in parse_measure(text, {})] == [spec]
    assert [r.spec for r in parse_measure(label(spec), {})] == [spec]


@pytest.mark.parametrize(
    ("record", "param"),
    [(r, p) for r in RECORDS.values() for p in r.params if isinstance(p, Choice)],
    ids=lambda x: getattr(x, "name", ""),
)
def test_choices(record: object, param: Choice) -> None:
    name, cut = record.label, "@5" if record.cutoff and record.cutoff.name == "k" else ""  # type: ignore[attr-defined]
    if record.cutoff and not cut:  # type: ignore[attr-defined]
        cut = "@0.5"
    assert len(param.choices) > 1 and param.default in param.choices
    for choice in param.choices:
        (request,) = parse_measure(f"{name}({param.name}={choice}){cut}", {})
        assert dict(request.spec.params)[param.name] == choice
    with pytest.raises(MeasureError) as error:
        parse_measure(f"{name}({param.name}=nosuch){cut}", {})
    assert str(error.value).endswith(f': {param.name}: expected {" or ".join(param.choices)}, found "nosuch"')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ER@10", "no measure"),
        ("Q-mesure", 'no measure "Q-mesure"; did you mean Q-measure'),
        ("condensed(AQP)", 'no measure "AQP"; did you mean'),
        ("nDGC'@10", 'no measure "nDGC@10"; did you mean nDCG@10'),
        ("condensed()", "no measure"),
        ("condensed(AP", "no measure"),
        ("'", "no measure"),
        ("AP(residual=yes)", "AP(residual=yes): AP has no parameter residual (it has rel)"),
        ("RBP(residual=no)", "RBP(residual=no): RBP has no parameter residual (it has p, gains, top)"),
        ("ERR(top=x)", 'ERR(top=x): top: expected a number above 0 or topic, found "x"'),
        ("ERR(satt=gain)", "ERR(satt=gain): ERR has no parameter satt (it has gains, rel, sat, top)"),
        ("TBG@10", "TBG@10: TBG has no cutoff"),
        ("Q(beta=)", 'Q(beta=): beta: expected a number from 0, found ""'),
    ],
)
def test_typos(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as error:
        parse_measure(text, {})
    assert str(error.value).startswith(message)


def test_settings_of_the_request_reach_the_new_measures() -> None:
    (request,) = parse_measures(["Q'@10"], {"level": 2, "gains": "1:3:7"})
    assert request.spec == primed("q_measure_cut", k=10, rel=2, gains="1:3:7") and request.label == "Q'@10"


def test_aggregates_are_for_scores() -> None:
    requests = with_aggregates(parse_measures(["AP", "NumRel", "gm_map", "r1"]), ["mean", "gmean", "median"])
    assert [(r.label, r.how) for r in requests] == [
        ("AP", "mean"),
        ("gmean:AP", "gmean"),
        ("median:AP", "median"),
        ("NumRel", "sum"),
        ("gm_map", "geometric"),
        ("r1", "mean"),
    ]
