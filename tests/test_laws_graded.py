"""Laws of graded relevance: what the declared properties of a measure promise, and what ties the measures together."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from worlds import Topic, World, random_preferences, random_world, score_world, specs_of

from ireval.measures.registry import Measure, all_measures
from ireval.measures.spec import Spec, make_spec

RECORDS = all_measures()
SCORES = [record for record in RECORDS.values() if record.kind == "score"]


def with_property(name: str, needs: Sequence[str] = ("levels", "lengths")) -> list[Measure]:
    return [record for record in SCORES if name in record.properties and record.needs in needs]


def one(name: str, **params: object) -> Spec:
    return make_spec(RECORDS[name], params, {})  # type: ignore[arg-type]


def topic_of(levels: Sequence[int], judged: Sequence[int] = (), length: int = 1000) -> Topic:
    """A ranking of documents with these levels (-1: not judged), and further judgements of documents not retrieved."""
    names = [b"d%02d" % at for at in range(len(levels))]
    known = {name: level for name, level in zip(names, levels, strict=True) if level >= 0}
    known.update({b"x%02d" % at: level for at, level in enumerate(judged)})
    return Topic(
        [(name, str(-at)) for at, name in enumerate(names)],
        known or {b"none": 0},
        lengths=dict.fromkeys(names, (length, length // 5)),
    )


def score_topics(folder: Path, topics: Sequence[Topic], specs: Sequence[Spec], needs: str = "levels") -> np.ndarray:
    """Values [specs, topics]."""
    return score_world(folder, {b"%03d" % at: topic for at, topic in enumerate(topics)}, specs, needs).values


# -- normalised -----------------------------------------------------------------------------------------------------

ODD_ORDER = {"L1=1,L3=0.5"}
"""Maps under which a ranking by level is not the ideal one."""


def short_of_one(spec: Spec) -> str:
    """Why the ideal ranking does not reach 1 with these parameters; empty where it must."""
    params = dict(spec.params)
    gains, name = str(params.get("gains", "")), spec.name
    if gains in ODD_ORDER or gains.startswith("trec:"):
        return "the ranking by level is not ideal under these gains; trec_eval's ideal ranking need not be the best one"
    if str(params.get("stops")) == "1=3,2=1":
        return "stopping values that fall with the level"
    if params.get("utility") == "IE":
        return "inverse effort is p at rank 1, not 1"
    if params.get("first") == "zero":
        return "NTCIREVAL's form: the first document adds nothing"
    if params.get("least") is not None:
        return "some relevant levels are passed over"
    if params.get("share") == "min":
        return "NTCIREVAL's divisor: not what the weights add up to"
    if params.get("rel") == 0:
        return "documents of level 0 count as relevant but have no gain"
    if name in ("nirbu", "nirbu_cut") and params["p"] == 0.0:
        return "p = 0: nothing is worth anything"
    if name == "iprec_at_recall" and float(str(params["recall"])) > 1:
        return "there is no recall above 1"
    return ""


NORMALISED = with_property("normalised")
IDEAL = [3, 3, 3, 2, 2, 1, 1, 0, 0, 0, 0]
ONLY_RELEVANT = {"f_measure": "the retrieved set must be the relevant one"}


@pytest.mark.parametrize("record", NORMALISED, ids=lambda r: r.name)
def test_normalised_measures_reach_1_on_the_ideal_list(record: Measure, tmp_path: Path) -> None:
    if record.name in ONLY_RELEVANT:
        specs, ranking = [one(record.name, beta=beta) for beta in (0.5, 1.0, 2.0)], IDEAL[:7]
    else:
        specs, ranking = [spec for spec in specs_of(record) if not short_of_one(spec)], IDEAL
    assert specs
    values = score_topics(tmp_path, [topic_of(ranking), topic_of([3, 0, 0]), topic_of([2, 0])], specs, record.needs)
    if record.name in ONLY_RELEVANT:
        values = values[:, :1]
    if record.aggregate == "geometric":
        values = np.exp(values)
    for spec, row in zip(specs, values, strict=True):
        reachable = [value for value, levels in zip(row, (ranking, [3], [2]), strict=False) if levels[0] >= _rel(spec)]
        assert reachable == pytest.approx([1.0] * len(reachable), abs=ALMOST.get(spec.name, 1e-12)), spec


ALMOST = {"infAP": 1e-4}
"""Its estimate is smoothed."""


def _rel(spec: Spec) -> int:
    return int(dict(spec.params).get("rel", 1))  # type: ignore[call-overload]


@pytest.mark.parametrize("record", NORMALISED, ids=lambda r: r.name)
def test_normalised_measures_stay_between_0_and_1(record: Measure, tmp_path: Path) -> None:
    specs = [
        spec
        for spec in specs_of(record)
        if not str(dict(spec.params).get("gains", "")).startswith("trec:")
        and dict(spec.params).get("share") != "min"
        and not (spec.name == "Rndcg" and _rel(spec) == 0)
    ]
    values = score_world(tmp_path, random_world(7, 40, top=3), specs, record.needs).values
    if record.aggregate == "geometric":
        values = np.exp(values)
    assert float(values.min()) >= 0.0 and float(values.max()) <= 1 + 1e-12
    assert len(np.unique(values)) > (1 if record.name == "success" else 5)


# -- recall-independent ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", with_property("recall-independent"), ids=lambda r: r.name)
def test_recall_independent(record: Measure, tmp_path: Path) -> None:
    """More relevant documents that were not retrieved, of levels that the topic has: nothing changes."""
    specs = specs_of(record)
    rng = random.Random(3)
    rankings = [[rng.choice([0, 0, 0, 1, 2, 3, -1]) for _ in range(9)] + [3, 1] for _ in range(25)]
    before = score_topics(tmp_path, [topic_of(ranking) for ranking in rankings], specs, record.needs)
    more = [topic_of(ranking, judged=[1, 3, 3, 1]) for ranking in rankings]
    assert np.array_equal(score_topics(tmp_path, more, specs, record.needs), before)
    assert len(np.unique(before)) > (1 if record.name == "success" else 4)


RECALL_FREE_ANYWAY = {
    "utility": "missed documents cost nothing by default",
    "unj": "about judging",
    "judged": "about judging",
    "rbp_resid": "about judging",
    "rbp_residual": "about judging",
    "rbp_residual_cut": "about judging",
    "nwrr": "knows the best level of the topic, not how many there are",
}


def test_no_other_measure_is_recall_independent(tmp_path: Path) -> None:
    """The measures without the property do change, so that the property says something."""
    others = [r for r in SCORES if r.needs == "levels" and "recall-independent" not in r.properties]
    specs = [
        one(r.name, **({"k": 20} if r.cutoff and r.cutoff.name == "k" else {}))
        for r in others
        if r.cutoff is None or r.cutoff.name == "k"
    ]
    ranking = [0, 1, 3, -1, 2, 0, 1]
    before = score_topics(tmp_path, [topic_of(ranking)], specs)[:, 0]
    after = score_topics(tmp_path, [topic_of(ranking, judged=[3, 3, 1, 1, 1])], specs)[:, 0]
    same = {spec.name for spec, x, y in zip(specs, before, after, strict=True) if x == y}
    assert same == RECALL_FREE_ANYWAY.keys()


# -- diminishing return ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", with_property("diminishing"), ids=lambda r: r.name)
def test_diminishing_return(record: Measure, tmp_path: Path) -> None:
    """What a document adds is less when a document above it becomes relevant. The judgements stay the same otherwise:
    the better document is there in every case, retrieved or not."""
    specs = [
        spec
        for spec in specs_of(record)
        if dict(spec.params).get("k", 9) > 4
        and _rel(spec) == 1
        and dict(spec.params).get("p") not in (0.0, 1.0)
        and str(dict(spec.params).get("gains", "")) in ("level", "exp2", "1=2,2=7,3=9")
    ]
    assert specs
    for above in (1, 2, 3):
        for below in (1, 2, 3):
            cases = [
                topic_of([0, first, 0, second, 0], [3, *([] if first else [above]), *([] if second else [below])])
                for first in (0, above)
                for second in (0, below)
            ]
            nothing, only_below, only_above, both = score_topics(tmp_path, cases, specs, record.needs).T
            assert ((both - only_above) < (only_below - nothing)).all(), (above, below)
            assert (only_below > nothing).all()


@pytest.mark.parametrize("name", ["ebr", "nebr"])
def test_ebr_does_not_promise_diminishing_return(name: str, tmp_path: Path) -> None:
    """The user is less likely to get to the second document, but then has a higher blended ratio."""
    cases = [
        topic_of([0, first, 0, second], judged=[3, *([1] if not first else []), *([1] if not second else [])])
        for first in (0, 1)
        for second in (0, 1)
    ]
    nothing, only_below, only_above, both = score_topics(tmp_path, cases, [one(name)])[0]
    assert both - only_above > only_below - nothing and "diminishing" not in RECORDS[name].properties


@pytest.mark.parametrize("name", ["rbp_graded", "dcg", "cg", "rbp"])
def test_no_diminishing_return(name: str, tmp_path: Path) -> None:
    """Lecture on RBP: the value of a document depends on its rank alone."""
    cases = [topic_of([0, first, 0, second], judged=[3]) for first in (0, 2) for second in (0, 2)]
    nothing, only_below, only_above, both = score_topics(tmp_path, cases, [one(name)])[0]
    assert both - only_above == pytest.approx(only_below - nothing, abs=1e-15) and only_below > nothing


def test_tbg_does_not_promise_diminishing_return(tmp_path: Path) -> None:
    """Lecture after (18): a short relevant document in the place of a long nonrelevant one helps those below."""
    long, short = topic_of([0, 1]), topic_of([1, 1])
    long.lengths[b"d00"], short.lengths[b"d00"] = (0, 1000), (0, 10)
    before = score_world(tmp_path, {b"1": long}, [one("tbg")], "lengths").values[0, 0]
    after = score_world(tmp_path, {b"1": short}, [one("tbg")], "lengths").values[0, 0]
    assert after - 0.4928 > before and "diminishing" not in RECORDS["tbg"].properties


# -- graded ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", with_property("graded"), ids=lambda r: r.name)
def test_graded_measures_react_to_levels(record: Measure, tmp_path: Path) -> None:
    given = {"by": "gains"} if any(p.name == "by" for p in record.params) else {}
    specs = [one(record.name, **given, **({"k": 20} if record.cutoff else {}))]
    low, high = ([0, 1, 0, 0, 3, 1], [0, 1, 0, 0, 1, 3])
    values = score_topics(tmp_path, [topic_of(low, [3, 2]), topic_of(high, [3, 2])], specs, record.needs)[0]
    assert values[0] != values[1] or record.name in BLIND_HERE


BLIND_HERE = {
    "cg": "a sum, whatever the order",
    "cg_cut": "the cutoff is far away",
    "ncg": "a sum",
    "ncg_cut": "the cutoff is far away",
    "g_precision": "a sum",
    "g_recall": "a sum",
    "o_measure": "looks at the first relevant document only",
    "r_measure": "looks at rank R only",
    "ideal_dcg": "looks at the judgements only",
}


@pytest.mark.parametrize("name", BLIND_HERE)
def test_graded_measures_react_to_other_levels(name: str, tmp_path: Path) -> None:
    spec = one(name, **({"k": 2} if RECORDS[name].cutoff else {}))
    values = score_topics(tmp_path, [topic_of([0, 1, 0], [3]), topic_of([0, 3, 0], [3])], [spec])[0]
    assert values[0] != values[1]


# -- measures and measures ------------------------------------------------------------------------------------------

EQUAL = [
    ("q_measure", {"beta": 0.0}, "map", {}),
    ("q_measure_cut", {"beta": 0.0, "k": 5}, "ap_cut_min", {"k": 5}),
    ("r_measure", {"beta": 0.0}, "Rprec", {}),
    ("o_measure", {"beta": 0.0}, "recip_rank", {}),
    ("ncu", {"stop": "u", "utility": "P"}, "map", {}),
    ("ncu", {"stop": "u", "utility": "BR"}, "q_measure", {}),
    ("ncu", {"stop": "u", "beta": 10.0, "gains": "exp2"}, "q_measure", {"beta": 10.0, "gains": "exp2"}),
    ("ncu", {"stop": "rb", "gamma": 1.0}, "q_measure", {}),
    ("ncu", {"stop": "gu", "stops": "1:1:1"}, "q_measure", {}),
    ("ncu_cut", {"stop": "u", "utility": "P", "k": 4}, "ap_cut_min", {"k": 4}),
    ("ncu_cut", {"stop": "u", "utility": "BR", "k": 4}, "q_measure_cut", {"k": 4}),
    ("wrr", {"penalties": "inf:inf:inf"}, "recip_rank", {}),
    ("nwrr", {"penalties": "inf:inf:inf"}, "recip_rank", {}),
    ("gap", {"gains": "1:1:1", "by": "gains"}, "map", {}),
    ("g_ap", {"gains": "1:1:1"}, "map", {}),
    ("g_precision", {"gains": "1:1:1"}, "set_P", {}),
    ("g_recall", {"gains": "1:1:1"}, "set_recall", {}),
    ("f_measure", {"beta": 1.0}, "set_F", {"weight": (1.0,)}),
    ("f_measure", {"beta": 2.0}, "set_F", {"weight": (4.0,)}),
    ("rbp_graded", {"p": 0.9, "gains": "1:1:1"}, "rbp", {"p": 0.9, "gains": "1:1:1"}),
    ("ndcg_original_cut", {"b": 2.0, "k": 1}, "ndcg_cut", {"k": 1}),
    ("ndcg_original_cut", {"b": 10.0, "k": 10}, "ncg_cut", {"k": 10}),
    ("rpref_N", {"gains": "1:1:1"}, "bpref_N", {}),
    ("rpref_relative", {"gains": "1:1:1"}, "bpref_relative", {}),
    ("rpref_relative", {"gains": "1:1:1", "first": "zero"}, "bpref_relative", {"first": "zero"}),
]


@pytest.mark.parametrize(("left", "given", "right", "same"), EQUAL, ids=str)
def test_one_measure_is_another(
    left: str, given: dict[str, object], right: str, same: dict[str, object], tmp_path: Path
) -> None:
    specs = [one(left, **given), one(right, **same)]
    got, want = score_world(tmp_path, random_world(13, 60, top=3), specs).values
    assert got == pytest.approx(want, abs=1e-12) and len(np.unique(want)) > 3


def test_rpref_relative2_is_condensed_ap_when_relevance_is_binary(tmp_path: Path) -> None:
    """1 - n/r' is the precision in the condensed list; Lecture (21)."""
    specs = [one("rpref_relative2", gains="1:1:1"), replace(one("map"), condensed=True)]
    got, want = score_world(tmp_path, random_world(14, 60, top=3), specs).values
    assert got == pytest.approx(want, abs=1e-12) and len(np.unique(want)) > 3


def test_o_p_and_p_plus_agree_when_the_first_is_the_best(tmp_path: Path) -> None:
    """OneDoc: "P+-measure = P-measure = O-measure holds if there is no relevant document above r_p"."""
    specs = [one(name) for name in ("r1", "rp", "o_measure", "p_measure", "p_plus")]
    first, best, o, p, plus = score_world(tmp_path, random_world(15, 200, top=3), specs).values
    agree = (first == best) & (first > 0)
    assert 20 < np.count_nonzero(agree) < len(agree) - 20
    assert np.array_equal(o[agree], p[agree]) and np.array_equal(p[agree], plus[agree])
    assert (np.abs(o - p)[~agree & (first > 0)] > 0).any()


def test_p_plus_of_a_deep_cutoff_is_p_plus(tmp_path: Path) -> None:
    deep, plain, shallow = score_world(
        tmp_path, random_world(16, 60, top=3), [one("p_plus_cut", k=1000), one("p_plus"), one("p_plus_cut", k=2)]
    ).values
    assert np.array_equal(deep, plain) and not np.array_equal(shallow, plain)


@pytest.mark.parametrize("k", [None, 1, 3, 20])
@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
def test_residual_bounds_what_unjudged_documents_can_add(k: int | None, p: float, tmp_path: Path) -> None:
    """Judge them, some as highly relevant: the score grows, but not beyond the residual, which they use up together."""
    cut = {} if k is None else {"k": k}
    tail = "" if k is None else "_cut"
    specs = [one("rbp_graded" + tail, p=p, top=3.0, **cut), one("rbp_residual" + tail, p=p, **cut)]
    world = random_world(17, 60, top=3)
    score, residual = score_world(tmp_path, world, specs).values
    rng, grown = random.Random(1), {}
    for share in (0.3, 1.0):
        for name, topic in world.items():
            found = {
                d: rng.choice([1, 2, 3]) if share < 1 else 3
                for d, _ in topic.retrieved
                if topic.judged.get(d, -1) < 0 and rng.random() < share
            }
            grown[name] = replace(topic, judged={**topic.judged, **found})
        after, left = score_world(tmp_path, grown, specs).values
        assert (after >= score - 1e-15).all() and (after - score <= residual + 1e-12).all() and (after > score).any()
        assert (left <= residual + 1e-15).all()
    depth = np.array([min(len(world[name].retrieved), k or 999) for name in sorted(world)])
    assert after - score == pytest.approx(residual - p**depth, abs=1e-12), "all relevant: only the tail is left"
    assert left == pytest.approx(p**depth, abs=1e-12)


# -- condensed ------------------------------------------------------------------------------------------------------


def condensed_world(world: World) -> World:
    return {
        name: replace(topic, retrieved=[(d, s) for d, s in topic.retrieved if topic.judged.get(d, -1) >= 0])
        for name, topic in world.items()
    }


CONDENSED_NEEDS = ("levels", "lengths")


@pytest.mark.parametrize("record", [r for r in RECORDS.values() if r.kind in ("score", "count")], ids=lambda r: r.name)
def test_condensed_is_the_measure_on_the_condensed_run(record: Measure, tmp_path: Path) -> None:
    needs = record.needs
    specs = specs_of(record, odd=True)
    specs = random.Random(record.name).sample(specs, min(20, len(specs)))
    if needs not in CONDENSED_NEEDS:  # groups judge each on its own, preferences have no levels: only that it works
        world = random_preferences(18, 10) if needs == "preferences" else random_world(18, 10, top=3)
        primed = score_world(tmp_path, world, [replace(spec, condensed=True) for spec in specs], needs).values
        assert np.array_equal(primed, score_world(tmp_path, world, specs, needs, condensed=True).values, equal_nan=True)
        return
    world = random_world(18, 40)
    kept = {name: topic for name, topic in condensed_world(world).items() if topic.retrieved}
    world = {name: world[name] for name in kept}
    primed = [replace(spec, condensed=True) for spec in specs]
    both = score_world(tmp_path, world, [*specs, *primed], needs).values
    assert np.array_equal(both[len(specs) :], score_world(tmp_path, kept, specs, needs).values, equal_nan=True)
    indifferent = {
        "num_rel",
        "num_rel_ret",
        "num_nonrel_judged_ret",
        "set_recall",
        "ideal_dcg",
        "bpref",
        "gm_bpref",
        "g_recall",
        "bpref_R",
        "bpref_N",
        "bpref_relative",
        "rpref_N",
        "rpref_relative",
        "rpref_relative2",
    }
    if record.name not in indifferent:
        assert not np.array_equal(both[: len(specs)], both[len(specs) :], equal_nan=True)


@pytest.mark.parametrize("name", ["bpref", "bpref_R", "bpref_N", "bpref_relative", "rpref_N", "rpref_relative2"])
def test_preferences_look_at_judged_documents_only(name: str, tmp_path: Path) -> None:
    specs = [one(name), replace(one(name), condensed=True)]
    plain, condensed = score_world(tmp_path, random_world(19, 60, top=3), specs).values
    assert np.array_equal(plain, condensed) and len(np.unique(plain)) > 5
