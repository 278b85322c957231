"""What holds for every registered measure, so that a new one is tested before its author writes a test."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from worlds import (
    FORMATS,
    TREC_EVAL,
    Topic,
    World,
    judgement_lines,
    lengths_for,
    policy_for,
    random_preferences,
    random_world,
    read_back,
    run_lines,
    score_lines,
    score_world,
    specs_of,
)

import ireval.scoring
from ireval.core.align import align
from ireval.core.scores import Scores, aggregate
from ireval.errors import DataError, MeasureError, UsageError
from ireval.measures.registry import CUTOFFS, Measure, Number, Whole, all_measures, find_measure, measure, variant
from ireval.measures.spec import (
    NICKNAMES,
    SINCE_10,
    TREC_ORDER,
    Spec,
    label,
    make_spec,
    parse_measure,
    parse_measures,
    trec_label,
    trec_requests,
)
from ireval.read.source import Source
from ireval.read.trec import read_run
from ireval.scoring import score_run

RECORDS = all_measures()
SCORED = [record for record in RECORDS.values() if record.kind in ("score", "count")]


def world_for(needs: str, seed: int, topics: int = 30) -> World:
    return random_preferences(seed, topics) if needs == "preferences" else random_world(seed, topics, top=3)


def family(record: Measure) -> str:
    """What is tested together: the measures of one file with the same needs."""
    return f"{record.needs} {record.compute.__module__.rpartition('.')[2]}"


FAMILIES = sorted({family(record) for record in SCORED})


def specs_of_family(name: str) -> tuple[str, list[Spec]]:
    """The needs of a family and its measures, each with up to thirty settings."""
    specs: list[Spec] = []
    for record in SCORED:
        if family(record) == name:
            all_of_it = specs_of(record, odd=True)
            specs += random.Random(record.name).sample(all_of_it, min(30, len(all_of_it)))
    if name.startswith("intents"):
        specs += SEEN_THROUGH_A_LENS
    return name.split()[0], specs + (specs_of(RECORDS["relstring"]) if name == "levels counts" else [])


SEEN_THROUGH_A_LENS = [
    request.spec
    for inner in ("nDCG@7", "Q(gains=exp2)", "AP", "nERR@7", "ERR(sat=gain,top=topic)", "RBP", "U", "bpref", "P+")
    for request in parse_measures([f"{lens}({inner})" for lens in ("IA", "D", "DIN", "D#", "DIN#", "I2")])
]


def same_scores(got: Scores, want: Scores, specs: list[Spec]) -> None:
    """Equal to the last bit, topic by topic."""
    for row, spec in enumerate(specs):
        assert np.array_equal(got.values[row], want.values[row], equal_nan=True), spec
    assert got.texts == want.texts


def spec_of(name: str, **params: object) -> Spec:
    return make_spec(RECORDS[name], params, {})  # type: ignore[arg-type]


# -- bounds ---------------------------------------------------------------------------------------------------------


def usual(spec: Spec) -> bool:
    """Not the cases pinned below: under trec_eval's gains the ideal ranking need not be the best one."""
    params = dict(spec.params)
    if spec.name == "Rndcg" and params["rel"] == 0:
        return False
    if params.get("share") == "min":  # NTCIREVAL's divisor: stopping weights above 1 may then add up to more than 1
        return False
    return not str(params.get("gains", "")).startswith("trec:")


@pytest.mark.parametrize("record", SCORED, ids=lambda r: r.name)
def test_values_stay_inside_their_bounds(record: Measure, tmp_path: Path) -> None:
    specs = [spec for spec in specs_of(record) if usual(spec)]
    scores = score_world(tmp_path, world_for(record.needs, 400, 120), specs, record.needs)
    values = scores.values
    if record.aggregate == "geometric":  # the values are logarithms; the bounds speak of what becomes of them
        values = np.array([[aggregate(row, "geometric")] for row in values])
    low, high = record.bounds
    assert not np.isnan(values).any()
    assert low is None or float(values.min()) >= low
    assert high is None or float(values.max()) <= high + 1e-12
    assert len(np.unique(values)) > 1, "a measure that never varies is not tested by its bounds"


@pytest.mark.parametrize(
    ("spec", "judged", "retrieved", "value"),
    [
        (spec_of("iprec_at_recall", recall=0.0), "a=1", "", math.nan),
        (spec_of("iprec_at_recall", recall=0.5), "a=1", "", 0.0),
        (spec_of("iprec_at_recall", recall=0.5), "a=0", "", math.nan),
        (spec_of("11pt_avg"), "a=1", "", math.nan),
        (spec_of("Rndcg", gains="trec:1=0"), "a=1", "a", math.nan),
        (spec_of("Rndcg", gains="trec:1=0"), "a=0", "a", 0.0),
        (spec_of("Rndcg", rel=0), "a=0", "a", math.nan),
        (spec_of("G", gains="trec:-1=5"), "a=1", "x a", math.nan),
        (spec_of("map", rel=-1), "a=-1", "x", math.inf),
        (spec_of("ndcg", gains="trec:-1=3"), "a=1", "x a", (3 + 1 / math.log2(3)) / 1),
        (spec_of("ndcg_rel", gains="-1=1,0=-1"), "a=0 b=0 c=0", "x a b c", math.inf),
        (spec_of("ndcg", gains="trec:1=5,1=2"), "a=1", "a", 0.4),
    ],
    ids=str,
)
def test_where_trec_eval_leaves_the_bounds(
    spec: Spec, judged: str, retrieved: str, value: float, tmp_path: Path
) -> None:
    """0/0 and odd gains, as trec_eval 10.0 computes them; an empty ranking by -M 0."""
    levels = [f"1 0 {pair.replace('=', ' ')}".encode() for pair in judged.split()]
    run = [f"1 Q0 {name} 1 {-at} t".encode() for at, name in enumerate(retrieved.split() or ["z"])]
    got = score_lines(tmp_path, run, levels, [spec], depth=None if retrieved else 0).values[0, 0]
    assert np.array_equal(got, value, equal_nan=True)


# -- indifference ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_line_order_does_not_matter(family: str, tmp_path: Path) -> None:
    needs, specs = specs_of_family(family)
    world = world_for(needs, 1)
    run, judged, lengths = run_lines(world), judgement_lines(world, needs), lengths_for(tmp_path, world, needs)
    want = score_lines(tmp_path, run, judged, specs, needs, lengths)
    for seed in range(3):
        random.Random(seed).shuffle(run)
        random.Random(seed + 1).shuffle(judged)
        same_scores(score_lines(tmp_path, run, judged, specs, needs, lengths), want, specs)


def new_names(count: int, seed: int) -> list[bytes]:
    """Ids of all lengths and bytes, in byte order."""
    rng = random.Random(seed)
    letters = [byte for byte in range(33, 256) if byte != ord("#")]
    names = {bytes(rng.choices(letters, k=rng.choice([1, 2, 7, 8, 9, 16, 17, 40]))) for _ in range(2 * count)}
    return sorted(rng.sample(sorted(names), count))


def renamed(world: World, what: str, seed: int) -> World:
    """The same world under other names, in the same order."""
    if what == "topics":
        return dict(zip(new_names(len(world), seed), (world[name] for name in sorted(world)), strict=True))
    documents = {d for t in world.values() for d, _ in t.retrieved} | {d for t in world.values() for d in t.judged}
    documents |= {d for t in world.values() for g in t.groups.values() for d in g}
    documents |= {d for t in world.values() for _, _, d, _ in t.preferences}
    name = dict(zip(sorted(documents), new_names(len(documents), seed), strict=True))
    return {
        key: Topic(
            [(name[d], s) for d, s in t.retrieved],
            {name[d]: n for d, n in t.judged.items()},
            {g: {name[d]: n for d, n in judged.items()} for g, judged in t.groups.items()},
            [(g, s, name[d], n) for g, s, d, n in t.preferences],
            {name[d]: n for d, n in t.lengths.items()},
        )
        for key, t in world.items()
    }


@pytest.mark.parametrize("what", ["topics", "documents"])
@pytest.mark.parametrize("family", FAMILIES)
def test_names_do_not_matter(family: str, what: str, tmp_path: Path) -> None:
    needs, specs = specs_of_family(family)
    world = world_for(needs, 2)
    want = score_world(tmp_path, world, specs, needs)
    for seed in range(3):
        other = renamed(world, what, seed)
        got = score_world(tmp_path, other, specs, needs)
        assert got.topics == sorted(other)
        same_scores(got, want, specs)


def collection_wide(spec: Spec) -> bool:
    """Whether it looks at the judgements of all topics: for the highest level or gain, where none is given."""
    return spec.name == "g_precision" or dict(spec.params).get("top", "not asked for") is None


@pytest.mark.parametrize("family", FAMILIES)
def test_together_or_apart(family: str, tmp_path: Path) -> None:
    """A topic's value does not depend on the other topics of the run, nor on other topics' judgements."""
    needs, specs = specs_of_family(family)
    world = world_for(needs, 3, 15)
    together = score_world(tmp_path, world, specs, needs)
    judged = read_back(tmp_path / "judgements", needs)
    for t, name in enumerate(together.topics):
        alone = {name: world[name]}
        (tmp_path / "one").write_bytes(b"\n".join(run_lines(alone)))
        for_run = score_run(
            judged,
            Source(tmp_path / "one"),
            specs,
            policy_for(needs),
            TREC_EVAL,
            lengths=lengths_for(tmp_path, world, needs),
        )
        for_both = score_world(tmp_path, alone, specs, needs)
        for row, spec in enumerate(specs):
            want = together.values[row, t]
            assert np.array_equal(for_run.values[row, 0], want, equal_nan=True), spec
            assert np.array_equal(for_both.values[row, 0], want, equal_nan=True) or collection_wide(spec), spec
        texts = {row: texts[t] for row, texts in together.texts.items()}
        assert texts == {row: texts[0] for row, texts in for_run.texts.items()}
        assert texts == {row: texts[0] for row, texts in for_both.texts.items()}


@pytest.mark.parametrize("family", FAMILIES)
def test_topics_without_judgements_do_not_matter(family: str, tmp_path: Path) -> None:
    needs, specs = specs_of_family(family)
    world = world_for(needs, 4)
    want = score_world(tmp_path, world, specs, needs)
    extra = {b"a": Topic([(b"d001", "1")]), **world, b"t0155": Topic([(b"x", "2")]), b"zz": Topic([(b"x", "2")])}
    lengths = lengths_for(tmp_path, world, needs)
    got = score_lines(tmp_path, run_lines(extra), judgement_lines(world, needs), specs, needs, lengths)
    assert got.topics == want.topics and got.facts.unjudged == 3
    same_scores(got, want, specs)


@pytest.mark.parametrize(("block_size", "batch_rows"), [(40, 1), (200, 50), (1500, 1)])
@pytest.mark.parametrize("family", FAMILIES)
def test_streamed_or_loaded(
    family: str,
    block_size: int,
    batch_rows: int,
    tmp_path: Path,
    small_blocks: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    needs, specs = specs_of_family(family)
    world = world_for(needs, 5)
    loaded = score_world(tmp_path, world, specs, needs)
    judged = read_back(tmp_path / "judgements", needs)
    lengths = lengths_for(tmp_path, world, needs)
    at_once = score_run(
        judged, read_run(Source(tmp_path / "run")), specs, policy_for(needs), TREC_EVAL, lengths=lengths
    )
    same_scores(at_once, loaded, specs)
    small_blocks(block_size)
    monkeypatch.setattr(ireval.scoring, "BATCH_ROWS", batch_rows)
    rows_seen: list[int] = []
    streamed = score_run(
        read_back(tmp_path / "judgements", needs),
        Source(tmp_path / "run"),
        specs,
        policy_for(needs),
        TREC_EVAL,
        rows_seen.append,
        lengths,
    )
    assert len(rows_seen) > 1, "the run was not streamed"
    assert sum(rows_seen) == sum(len(topic.retrieved) for topic in world.values())
    assert (streamed.topics, streamed.facts) == (loaded.topics, loaded.facts)
    same_scores(streamed, loaded, specs)


# -- the best ranking -----------------------------------------------------------------------------------------------


def graded_topic(retrieved: list[bytes]) -> World:
    """Five relevant documents of three levels, four nonrelevant ones; every judge agrees."""
    judged = {b"a": 3, b"b": 3, b"c": 2, b"d": 1, b"e": 1, b"f": 0, b"g": 0, b"h": 0, b"i": 0}
    lines = [(g, b"s", d, float(n)) for g in (b"one", b"two") for d, n in judged.items()]
    run = [(d, str(-at)) for at, d in enumerate(retrieved)]
    return {b"1": Topic(run, judged, {b"one": judged, b"two": judged}, lines)}


RANKINGS = {
    "ideal": [b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h", b"i"],
    "relevant": [b"a", b"b", b"c", b"d", b"e"],
    "unknown": [b"u%d" % i for i in range(20)],
    "worst": [b"f", b"g", b"h", b"i"],
    "top": [b"a", b"b"],
}
BEST: dict[str, tuple[str, dict[str, list[object]]]] = {
    **dict.fromkeys(("recall", "map_cut"), ("ideal", {"k": [5, 9, 1000]})),
    **dict.fromkeys(("P", "P_avgjg"), ("ideal", {"k": [1, 4, 5]})),
    **dict.fromkeys(("Rprec_mult", "Rprec_mult_avgjg"), ("ideal", {"multiple": [0.2, 0.6, 1.0]})),
    **dict.fromkeys(("set_P", "set_map", "set_F", "f_measure"), ("relevant", {})),
    "f_measure_cut": ("ideal", {"k": [5]}),
    "e_measure": ("worst", {}),  # lower is better
    "g_precision": ("top", {}),
    "iprec_at_recall": ("ideal", {"recall": [0.0, 0.3, 1.0]}),
    "unj": ("unknown", {"k": [1, 20]}),
    **dict.fromkeys(("rbp_resid", "rbp_residual"), ("unknown", {"p": [0.5, 0.9]})),
    "rbp_residual_cut": ("unknown", {"k": [1, 20, 30]}),
    **dict.fromkeys(("p_ia", "effective_p", "pmp", "alpha_dcg", "ndeval_err_ia"), ("ideal", {"k": [1, 4, 5]})),
}
"""The ranking that reaches 1 and the parameters, where it is not the ideal one, at any cutoff and with the defaults."""

NOT_REACHED = {
    **dict.fromkeys(("rbp", "rbp_graded", "rbp_graded_cut"), "only by an endless ranking"),
    **dict.fromkeys(("err", "err_cut", "ebr", "ebr_cut"), "no document satisfies for certain"),
    **dict.fromkeys(("irbu", "irbu_cut"), "no document satisfies for certain, and p < 1"),
    "novelty_rbp": "only by an endless ranking",
}
ALMOST = {"infAP": 1e-4}  # its estimate is smoothed
NORMALISED = [r.name for r in SCORED if r.bounds == (0.0, 1.0) and r.name not in NOT_REACHED]


def test_exceptions_are_about_measures_that_exist() -> None:
    assert {*BEST, *ALMOST} <= set(NORMALISED) and NOT_REACHED.keys() <= RECORDS.keys()
    assert len(NORMALISED) >= 42


def best_ranking(name: str) -> tuple[str, dict[str, list[object]]]:
    return BEST.get(name, ("ideal", {"k": [1, 3, 9]} if RECORDS[name].cutoff is not None else {}))


def best_specs(name: str) -> list[Spec]:
    params = best_ranking(name)[1]
    return [spec_of(name, **{k: v}) for k, vs in params.items() for v in vs] or [spec_of(name)]


@pytest.mark.parametrize("name", NORMALISED)
def test_best_ranking_reaches_the_bound(name: str, tmp_path: Path) -> None:
    world, record = graded_topic(RANKINGS[best_ranking(name)[0]]), RECORDS[name]
    for row in score_world(tmp_path, world, best_specs(name), record.needs).values:
        value = math.exp(row[0]) if record.aggregate == "geometric" else row[0]
        assert value == pytest.approx(record.bounds[1], abs=ALMOST.get(name, 1e-12))


PLEASED_BY_LESS = {"unj", "rbp_resid", "rbp_residual", "rbp_residual_cut", "judged", "set_relative_P", "e_measure"}
"""Measures that a ranking without relevant documents need not bring to 0."""


@pytest.mark.parametrize("name", [name for name in NORMALISED if name not in PLEASED_BY_LESS])
def test_nothing_relevant_reaches_the_lower_bound(name: str, tmp_path: Path) -> None:
    record = RECORDS[name]
    lowest = math.log(0.00001) if record.aggregate == "geometric" else 0.0
    for row in score_world(tmp_path, graded_topic(RANKINGS["worst"]), best_specs(name), record.needs).values:
        assert row[0] == lowest


def test_a_swap_towards_the_ideal_never_hurts(tmp_path: Path) -> None:
    """Exchanging neighbours so that the better document comes first raises or keeps every measure of rank."""
    specs = [
        *map(spec_of, ("map", "ndcg", "ndcg_rel", "recip_rank", "bpref", "infAP", "binG", "G", "rbp")),
        *(spec_of(name, k=3) for name in ("P", "ndcg_cut", "map_cut", "recall")),
        spec_of("success", k=2),
        spec_of("iprec_at_recall", recall=0.5),
    ]
    rng, ideal = random.Random(8), RANKINGS["ideal"]
    level = graded_topic([])[b"1"].judged
    raised = set()
    for _ in range(200):
        ranking = rng.sample(ideal, len(ideal))
        at = rng.randrange(len(ranking) - 1)
        if level[ranking[at]] >= level[ranking[at + 1]]:
            continue
        before = score_world(tmp_path, graded_topic(ranking), specs).values[:, 0]
        ranking[at], ranking[at + 1] = ranking[at + 1], ranking[at]
        after = score_world(tmp_path, graded_topic(ranking), specs).values[:, 0]
        assert (after >= before - 1e-12).all(), [s for s, x, y in zip(specs, before, after, strict=True) if y < x]
        raised |= {spec.name for spec, x, y in zip(specs, before, after, strict=True) if y > x}
    assert raised == {spec.name for spec in specs}


# -- names ----------------------------------------------------------------------------------------------------------

SETTINGS = ({}, {"level": 2}, {"level": 2, "docs": 77, "gains": "exp2", "rounding": "up"})


def may_be_written(spec: Spec) -> bool:
    """Whether users may ask for it: the doors go where the notation does not, below level 0 and beyond the ranges."""
    params = {param.name: param for param in spec.measure.params}
    return all(
        (not isinstance(params[name], Whole) or value is None or value >= 0)
        and (not isinstance(params[name], Number) or value is None or params[name].allows(value))
        for name, value in spec.params
    )


@pytest.mark.parametrize("record", RECORDS.values(), ids=lambda r: r.name)
def test_label_is_read_back(record: Measure) -> None:
    """parse(label(spec)) == [spec], under the settings of any request."""
    for settings in SETTINGS:
        for spec in filter(may_be_written, specs_of(record, odd=True)):
            written = label(spec, settings)
            assert [request.spec for request in parse_measure(written, settings)] == [spec], written


def test_labels_are_distinct() -> None:
    specs = [spec for record in RECORDS.values() for spec in specs_of(record, odd=True)]
    assert len({label(spec) for spec in specs}) == len(set(specs)) == len(specs)


@pytest.mark.parametrize("name", TREC_ORDER)
def test_trec_eval_names_are_read_back(name: str) -> None:
    for settings in SETTINGS:
        requests = trec_requests(name, None, settings)
        assert requests == parse_measure(name, settings)
        for request in requests:
            assert request.label == trec_label(request.spec, settings)
            assert [r.spec for r in parse_measure(request.label, settings)] == [request.spec]


def test_trec_eval_order_is_complete() -> None:
    assert sorted(TREC_ORDER) == sorted(name for name, record in RECORDS.items() if record.trec)
    assert set(TREC_ORDER) >= SINCE_10 | {name for members in NICKNAMES.values() for name in members}


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("P.5", ["P_5"]),
        ("P.10,5", ["P_5", "P_10"]),
        ("P_30", ["P_30"]),
        ("ndcg_cut.4,9", ["ndcg_cut_4", "ndcg_cut_9"]),
        ("iprec_at_recall..1,.25", ["iprec_at_recall_0.10", "iprec_at_recall_0.25"]),
        ("iprec_at_recall_0.50", ["iprec_at_recall_0.50"]),
        ("ndcg.1=2,2=7", ["ndcg_1=2,2=7"]),
        ("set_F.0.5", ["set_F_0.5"]),
        ("rbp.p=0.8", ["rbp_p=0.8"]),
        ("rbp.p=0.8,1=0.5", ["rbp_p=0.8,1=0.5"]),
        ("map", ["map"]),
        ("P@5", ["P@5"]),
        ("AP", ["AP"]),
        ("success", ["success_1", "success_5", "success_10"]),
        ("Success", ["Success@1", "Success@5", "Success@10"]),
        ("nDCG", ["nDCG"]),
        ("MRR@10", ["MRR@10"]),
        (
            "qrels_jg",
            [
                "runid",
                "num_q",
                "map_avgjg",
                *(f"P_avgjg_{k}" for k in CUTOFFS),
                *(f"Rprec_mult_avgjg_{m / 5:.2f}" for m in range(1, 11)),
            ],
        ),
    ],
)
def test_requests_are_labelled_as_asked(text: str, labels: list[str]) -> None:
    assert [request.label for request in parse_measure(text, {})] == labels


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("P(rel=2)@5", spec_of("P", k=5, rel=2)),
        ("P(min_rel=2)@5", spec_of("P", k=5, rel=2)),
        ("nDCG(cutoff=7)", spec_of("ndcg_cut", k=7)),
        ("Precision(cutoff=7)", spec_of("P", k=7)),
        ("nDCG(dcg='exp-log2')@10", spec_of("ndcg_cut", k=10, gains="exp2")),
        ("nDCG(dcg=log2)@10", spec_of("ndcg_cut", k=10)),
        ("nDCG(gains='1:3:7')@10", spec_of("ndcg_cut", k=10, gains="1:3:7")),
        ('nDCG(gains="L1=1,L2=3")', spec_of("ndcg", gains="L1=1,L2=3")),
        ("ndcg@10", spec_of("ndcg_cut", k=10)),
        ("NDCG@10", spec_of("ndcg_cut", k=10)),
        ("ap@10", spec_of("map_cut", k=10)),
        ("MAP", spec_of("map")),
        ("R@100", spec_of("recall", k=100)),
        ("rr", spec_of("recip_rank")),
        ("RR@10", spec_of("recip_rank_cut", k=10)),
        ("rbp(p=0.8)", spec_of("rbp", p=0.8)),
        ("rbp.p=0.8", spec_of("rbp", p=0.8)),
        ("rbp.p=0.8,1=0.5", spec_of("rbp", p=0.8, gains="trec:1=0.5")),
        ("ndcg.1=2,2=7", spec_of("ndcg", gains="trec:1=2,2=7")),
        ("11pt_avg.0.2,0.5", spec_of("11pt_avg", recalls=(0.2, 0.5))),
        ("utility.1,-1,0,0.5", spec_of("utility", weights=(1.0, -1.0, 0.0, 0.5))),
        ("IPrec(rounding=up)@0.3", spec_of("iprec_at_recall", recall=0.3, rounding="up")),
        ("SetF(weight=2)", spec_of("set_F", weight=(2.0,))),
        ("P( rel = 2 )@5", spec_of("P", k=5, rel=2)),
        ("unj_5", spec_of("unj", k=5)),
        ("judged@10", spec_of("judged", k=10)),
    ],
)
def test_other_spellings(text: str, spec: Spec) -> None:
    assert [request.spec for request in parse_measure(text, {})] == [spec]


def test_version_9_takes_every_key_for_a_level() -> None:
    spec = trec_requests("ndcg", "1=2,x=7", {"compat": 9})[0].spec
    assert spec == spec_of("ndcg", gains="trec:1=2,0=7")
    assert trec_requests("ndcg", "1=2,x=7", {"compat": 10})[0].spec == spec_of("ndcg", gains="trec:1=2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", 'no measure "nDGC@10"; did you mean nDCG@10'),
        ("mapp", 'no measure "mapp"; did you mean map'),
        ("zzzzzz", 'no measure "zzzzzz"'),
        ("((", 'no measure "(("'),
        ("Rprec@5", "Rprec@5: Rprec has no cutoff"),
        ("P@0", 'P@0: k: expected a rank from 1 on, found "0"'),
        ("P@x", 'P@x: k: expected a rank from 1 on, found "x"'),
        ("P(rel=x)@5", 'P(rel=x)@5: rel: expected a whole number from 0 on, found "x"'),
        ("RBP(p=x)", 'RBP(p=x): p: expected a number from 0 to below 1, found "x"'),
        ("SetF(weight=x)", 'SetF(weight=x): weight: expected a number, found "x"'),
        ("P(level=2)@5", "P(level=2)@5: P has no parameter level (it has k, rel)"),
        ("NumRet(rel=2)", "NumRet(rel=2): NumRet has no parameter rel (it has none)"),
        ("P(2)@5", 'P(2)@5: expected parameters such as rel=2, found "2"'),
        ("nDCG(gains=x)", 'gains: expected level, exp2, a list such as 1:3:7 or pairs such as 1=1,2=3, found "x"'),
        ("IPrec(rounding=down)@0.3", 'IPrec(rounding=down)@0.3: rounding: expected nearest or up, found "down"'),
        ("P.0", "P: expected cutoffs above 0, found 0"),
        ("P.5,5", "P: expected each cutoff once, found 5,5"),
        ("ndcg.1", "ndcg: expected pairs such as 1=3,2=7, found 1"),
    ],
)
def test_what_is_not_understood(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as error:
        parse_measure(text, {})
    assert str(error.value) == message or ("did you mean" in message and str(error.value).startswith(message))


def test_all_faults_at_once() -> None:
    with pytest.raises(MeasureError) as error:
        parse_measures(["nDGC@10", "AP", "P@0"])
    first, second = str(error.value).split("\n")
    assert first.startswith('no measure "nDGC@10"; did you mean nDCG@10')
    assert second == 'P@0: k: expected a rank from 1 on, found "0"'


def test_repeated_requests_count_once() -> None:
    requests = parse_measures([" map", "P@5", "map ", "P_5"])
    assert [request.label for request in requests] == ["map", "P@5", "P_5"]


# -- records --------------------------------------------------------------------------------------------------------

NO_FORMULA = {
    "runid": "a name",
    "num_q": "a count of topics",
    "num_rel_ret": "a count",
    "num_nonrel_judged_ret": "a count",
    "relstring": "a string",
    "prefs_num_prefs_poss": "a count",
    "prefs_num_prefs_ful": "a count",
    "prefs_num_prefs_ful_ret": "a count",
    "map_avgjg": "as map",
    "P_avgjg": "as P",
    "Rprec_mult_avgjg": "as Rprec_mult",
}
"""Measures without a formula, and why."""


@pytest.mark.parametrize("record", RECORDS.values(), ids=lambda r: r.name)
def test_record_is_complete(record: Measure) -> None:
    assert record.summary.endswith(".") or ":" in record.summary
    assert record.documentation.startswith(record.summary.split("\n")[0][:20])
    assert bool(record.formula) != (record.name in NO_FORMULA)
    assert record.kind in ("score", "count", "text", "summary")
    assert record.aggregate in ("mean", "sum", "geometric", "none")
    assert record.needs in FORMATS
    assert all(param.help.endswith(".") for param in record.params)
    assert record.label and not set(record.label) & set(" ()@,")


@pytest.mark.parametrize(
    ("name", "needs", "message"),
    [
        ("map", "preferences", "needs judgements with levels, not preferences"),
        ("prefs_simp", "levels", "needs judgements in the format prefs or qrels_prefs"),
        ("map_avgjg", "levels", "needs judgements in the format qrels_jg"),
    ],
)
def test_judgements_must_serve_the_measure(name: str, needs: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        score_world(tmp_path, world_for(needs, 6, 3), [spec_of(name)], needs)
    assert str(error.value) in (f"{name} {message}", f"{RECORDS[name].label} {message}")


def test_preference_measures_say_what_they_need(tmp_path: Path) -> None:
    """Also when they are called without the scoring around them."""
    score_world(tmp_path, world_for("levels", 6, 3), [spec_of("num_ret")])
    aligned = align(read_run(Source(tmp_path / "run")), read_back(tmp_path / "judgements"), policy_for("levels"))[0]
    with pytest.raises(DataError, match="preference measures need judgements in the format prefs or qrels_prefs"):
        RECORDS["prefs_simp"].compute(aligned)


def test_find_measure() -> None:
    assert find_measure("map") is RECORDS["map"]
    with pytest.raises(KeyError):
        find_measure("nosuch")


def test_find_measure_imports_no_more_than_it_must() -> None:
    code = (
        "from ireval.measures.registry import find_measure; import sys; find_measure('num_ret');"
        "print('ireval.measures.preference' in sys.modules, find_measure('prefs_simp').name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False prefs_simp\n"


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="measure map is defined twice"):
        measure("map")(lambda aligned: None)
    with pytest.raises(ValueError, match="measure gm_map is defined twice"):
        variant("gm_map", "map", doc="Again.")
    assert RECORDS["map"].compute.__name__ == "average_precision"
