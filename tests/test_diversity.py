"""Measures of diversity: against slow twins, by identities that must hold, and with worked numbers from the papers."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import oracle
import oracle_diversity
import pytest
from conftest import TESTDATA, Door
from worlds import NAVIGATIONAL, PROBABILITY, World, random_world, score_world, specs_for, specs_of

import ireval
from ireval.errors import DataError, InputError, MeasureError, UsageError
from ireval.measures import novelty
from ireval.measures.registry import all_measures
from ireval.measures.spec import Spec, label, parse_measure, parse_measures

WORLD = TESTDATA / "golden" / "worlds" / "diversity"


def spec(text: str) -> Spec:
    (request,) = parse_measure(text, {})
    return request.spec


def twins(world: World, rel: int = 1) -> dict[bytes, oracle_diversity.Topic]:
    """The topics of a world as the oracle wants them, with the intents that have a document at a level."""
    top = max(level for t in world.values() for group in t.groups.values() for level in group.values())
    every = {max(level, 0) for t in world.values() for group in t.groups.values() for level in group.values()}
    found, everywhere = {}, tuple(sorted(every))
    for name, t in world.items():
        served = [g for g, judged in t.groups.items() if any(level >= max(rel, 1) for level in judged.values())]
        ids = sorted(served, key=_order)
        intents = [
            oracle_diversity.Intent(
                PROBABILITY[g], g in NAVIGATIONAL, {d: max(level, 0) for d, level in t.groups[g].items()}
            )
            for g in ids
        ]
        judged = sorted({d for group in t.groups.values() for d in group})
        characters = {d: length[0] for d, length in t.lengths.items()}
        found[name] = oracle_diversity.Topic(oracle.rank(t.scored), intents, judged, top, characters, everywhere)
    return found


def _order(name: bytes) -> tuple[bool, int, bytes]:
    return (not name.isdigit(), int(name) if name.isdigit() else 0, name)


def close(got: float, want: float) -> bool:
    return abs(got - want) <= 1e-12 * max(1.0, abs(want))


# -- twins ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_measures_of_intents(seed: int, tmp_path: Path) -> None:
    world = random_world(700 + seed, topics=25, top=3, depth=8)
    rng = random.Random(seed)
    specs = [
        s for s in specs_for("intents") if dict(s.params).get("k") != 1000 or dict(s.params).get("ideal") != "exact"
    ]
    specs = rng.sample(specs, 160)
    scores = score_world(tmp_path, world, specs, "intents")
    by_level, compared = {rel: twins(world, rel) for rel in range(4)}, 0
    for row, one in enumerate(specs):
        topics = by_level[dict(one.params).get("rel", 1)]
        if dict(one.params).get("ideal") == "exact" and dict(one.params)["k"] > 3:
            continue  # the twin tries every ranking
        for t, name in enumerate(scores.topics):
            want = oracle_diversity.MEASURES[one.name](topics[name], **dict(one.params))
            assert close(scores.values[row, t], want), (one, name, scores.values[row, t], want)
            compared += 1
    assert compared > 3000


@pytest.mark.parametrize("seed", range(3))
def test_intent_aware(seed: int, tmp_path: Path) -> None:
    """The IA lens on every graded measure that has a twin."""
    world = random_world(720 + seed, topics=20, top=3)
    rng, specs = random.Random(seed), []
    for name in sorted(oracle_diversity.oracle_graded.MEASURES):
        record = all_measures()[name]
        usable = [s for s in specs_of(record) if dict(s.params).get("top", "?") != 12.0]
        if record.needs in ("levels", "lengths") and name != "tbg":  # whose lengths are words
            specs += [replace(s, lens="IA") for s in rng.sample(usable, min(4, len(usable)))]
    scores = score_world(tmp_path, world, specs, "intents")
    by_level, compared = {rel: twins(world, rel) for rel in range(4)}, 0
    for row, one in enumerate(specs):
        topics = by_level[dict(one.params).get("rel", 1)]
        for t, name in enumerate(scores.topics):
            want = oracle_diversity.intent_aware(topics[name], one.name, **dict(one.params))
            assert close(scores.values[row, t], want), (one, name, scores.values[row, t], want)
            compared += 1
    assert compared > 2000


@pytest.mark.parametrize("seed", range(3))
def test_global_gains(seed: int, tmp_path: Path) -> None:
    world = random_world(740 + seed, topics=40, top=3)
    asked = {
        "D-nDCG(gains=exp2)@7": ("D-nDCG", {"k": 7, "gains": "exp2"}),
        "D-nDCG@3": ("D-nDCG", {"k": 3, "gains": "level"}),
        "DIN-nDCG(gains=exp2)@7": ("DIN-nDCG", {"k": 7, "gains": "exp2"}),
        "D-Q(gains='1:3:7',rel=2,beta=0.5)@7": ("D-Q", {"k": 7, "gains": "1:3:7", "rel": 2, "beta": 0.5}),
        "D-Q@1000": ("D-Q", {"k": 1000, "gains": "level", "rel": 1, "beta": 1.0}),
        "DIN-Q@7": ("DIN-Q", {"k": 7, "gains": "level", "rel": 1, "beta": 1.0}),
        "D-ERR@7": ("D-ERR", {"k": 7, "rel": 1}),
        "D-ERR(rel=2)@7": ("D-ERR", {"k": 7, "rel": 2}),
        "DIN-ERR@7": ("DIN-ERR", {"k": 7, "rel": 1}),
        "D-U": ("D-U", {"rel": 1, "limit": 132000.0, "snippet": 200.0, "share": 0.2}),
        "D-U(L=3000,share=0.5)": ("D-U", {"rel": 1, "limit": 3000.0, "snippet": 200.0, "share": 0.5}),
    }
    scores = score_world(tmp_path, world, [spec(text) for text in asked], "intents")
    varied = 0
    for row, (text, (name, params)) in enumerate(asked.items()):
        topics = twins(world, params.get("rel", 1))
        for t, topic in enumerate(scores.topics):
            want = oracle_diversity.LENSES[name](topics[topic], **params)
            assert close(scores.values[row, t], want), (text, topic, scores.values[row, t], want)
            varied += 0 < want < 1
    assert varied > 150


# -- identities -----------------------------------------------------------------------------------------------------


def scored(world: World, folder: Path, *texts: str) -> list[np.ndarray]:
    return list(score_world(folder, world, [spec(text) for text in texts], "intents").values)


@pytest.mark.parametrize("seed", range(5))
def test_sharp_is_between_its_parts(seed: int, tmp_path: Path) -> None:
    """D#(gamma=0) = D, D#(gamma=1) = I-rec, in between the weighted sum (eq. 29); so for DIN# and P+Q#."""
    world = random_world(760 + seed, top=3)
    for plain, sharp in (("D-nDCG@5", "D#-nDCG{}@5"), ("DIN-Q@5", "DIN#-Q{}@5"), ("P+Q@5", "P+Q#{}@5")):
        texts = [plain, "I-rec@5", *(sharp.format(f"(gamma={g})") for g in ("0", "1", "0.3")), sharp.format("")]
        measure, recall, zero, one, some, half = scored(world, tmp_path, *texts)
        assert np.array_equal(zero, measure) and np.array_equal(one, recall)
        assert np.allclose(some, 0.3 * recall + 0.7 * measure, rtol=0, atol=1e-15)
        assert np.allclose(half, 0.5 * recall + 0.5 * measure, rtol=0, atol=1e-15)
        assert (measure != recall).any()


def test_sharp_without_a_cutoff_takes_the_whole_ranking(tmp_path: Path) -> None:
    measure, recall, both = scored(random_world(765, top=3), tmp_path, "D(RBP)", "I-rec", "D#(RBP)")
    assert np.allclose(both, (measure + recall) / 2, rtol=0, atol=1e-15)


def only(world: World, groups: set[bytes]) -> World:
    """A world with some of its intents, where a topic has any of them."""
    kept = {
        name: replace(topic, groups={g: judged for g, judged in topic.groups.items() if g in groups})
        for name, topic in world.items()
    }
    return {name: topic for name, topic in kept.items() if topic.groups}


@pytest.mark.parametrize("seed", range(5))
def test_din_is_d_when_all_intents_are_informational(seed: int, tmp_path: Path) -> None:
    world = only(random_world(770 + seed, top=3), {b"g1", b"g10"})
    assert not {b"g1", b"g10"} & NAVIGATIONAL
    for inner in ("nDCG@5", "Q@5", "nERR@5", "RBP"):
        d, din = scored(world, tmp_path, f"D({inner})", f"DIN({inner})")
        assert np.array_equal(d, din) and len(np.unique(d)) > 3


@pytest.mark.parametrize("seed", range(3))
def test_one_intent_is_the_topic(seed: int, tmp_path: Path) -> None:
    """IA and D with one intent of probability 1 are the measure itself; alpha-nDCG at alpha 0 is binary nDCG."""
    world = {n: t for n, t in random_world(780 + seed, top=3).items() if any(v > 0 for v in t.judged.values())}
    judged = {n.decode(): {d.decode(): max(v, 0) for d, v in t.judged.items()} for n, t in world.items()}
    run = {n.decode(): {d.decode(): float(s) for d, s in t.retrieved} for n, t in world.items()}
    by_intent = {topic: {"1": levels} for topic, levels in judged.items()}
    names = [
        "nDCG@5",
        "Q",
        "AP",
        "ERR@5",
        "RBP",
        "bpref",
        "P@3",
        "nERR(sat=gain)@5",
        "EBR@5",
        "R-measure",
        "GAP(by=gains)",
    ]
    plain = ireval.evaluate(judged, run, names)["run1"].values
    for lens in ("IA", "D"):
        seen = ireval.evaluate(by_intent, run, [f"{lens}({name})" for name in names])["run1"].values
        assert np.allclose(seen, plain, rtol=0, atol=1e-15), [names[i] for i in np.flatnonzero((seen != plain).any(1))]
    binary = {topic: {d: min(level, 1) for d, level in levels.items()} for topic, levels in judged.items()}
    want = ireval.evaluate(binary, run, ["nDCG@5"])["run1"].values
    assert np.allclose(ireval.evaluate(by_intent, run, ["alpha-nDCG(alpha=0)@5"])["run1"].values, want, atol=1e-15)


def test_d_u_is_u_ia_without_strictly_local_documents(tmp_path: Path) -> None:
    """Intuitive, section 3: equal when no document is relevant to one covered intent and not to another."""
    equal = different = 0
    for seed in range(12):
        world = random_world(790 + seed, top=3)
        d_u, u_ia = scored(world, tmp_path, "D-U", "U-IA")
        topics = twins(world)
        for t, name in enumerate(sorted(world)):
            topic = topics[name]
            covered = [
                i for i in topic.intents if any(oracle_diversity.serves(i, document, 1) for document in topic.ranking)
            ]
            strict = [
                document
                for document in topic.ranking
                if 0 < sum(oracle_diversity.serves(i, document, 1) for i in covered) < len(covered)
            ]
            if not strict:  # one covered intent is a case of this
                assert close(d_u[t], u_ia[t])
                equal += d_u[t] > 0
            else:
                different += abs(d_u[t] - u_ia[t]) > 1e-9
    assert equal > 30 and different > 30


def test_d_u_and_u_ia_are_close(tmp_path: Path) -> None:
    """Intuitive, section 3: they are very similar, on texts of usual length."""
    rng = random.Random(5)
    world = random_world(800, topics=200, top=3)
    for topic in world.values():
        topic.lengths.update({d: (rng.randrange(1000, 9000), 100) for d, _ in topic.retrieved})
    d_u, u_ia = scored(world, tmp_path, "D-U", "U-IA")
    assert np.corrcoef(d_u, u_ia)[0, 1] > 0.999
    assert 0 < np.abs(d_u - u_ia).max() < 0.05 and (d_u <= u_ia + 1e-12).all()


def test_exact_is_at_least_greedy() -> None:
    """The exact ideal is never below the greedy one, so alpha-nDCG with it never exceeds 1."""
    rng = random.Random(810)
    documents = [f"d{n:02d}" for n in range(12)]
    judged = {
        str(topic): {str(i): {d: int(rng.random() < 0.3) for d in documents} for i in range(6)} for topic in range(150)
    }
    run = {topic: {d: rng.random() for d in documents} for topic in judged}
    found = ireval.evaluate(judged, run, ["alpha-nDCG(ideal=both)@5"])
    assert found.measures == ("alpha-nDCG(ideal=exact)@5", "alpha-nDCG(ideal=greedy)@5")
    exact, greedy = found["run1"].values
    assert (exact <= greedy + 1e-12).all() and (exact <= 1 + 1e-12).all()
    assert (exact < greedy - 1e-9).sum() > 5


# -- worked numbers -------------------------------------------------------------------------------------------------


def three(run: str, *names: str) -> list[float]:
    """a serves 1 and 3, b serves 2 and 4, c serves 3 and 4."""
    judged = {"1": {"1": {"a": 1}, "2": {"b": 1}, "3": {"a": 1, "c": 1}, "4": {"b": 1, "c": 1}}}
    ranking = {"1": {d: -float(at) for at, d in enumerate(run.split())}}
    return list(ireval.evaluate(judged, ranking, list(names))["run1"].values[:, 0])


def test_greedy_is_not_optimal() -> None:
    """answers.md: ndeval prints 1.017710 for the run b a c."""
    greedy, exact = three("b a c", "alpha-nDCG(ideal=both)@5")[::-1]
    assert round(greedy, 6) == 1.017710 and exact == 1.0


def test_global_gains_of_the_slides(tmp_path: Path) -> None:
    """P(i) = .7, P(j) = .3, gains 1/7, 1/1 and 3/0 give global gains 2.8, 1.0 and 2.1."""
    levels = {"1": {"i": {"a": 1, "b": 1, "c": 2}, "j": {"a": 3, "b": 1, "c": 0}}}
    (tmp_path / "intents").write_text("1 i 0.7\n1 j 0.3\n")
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    names = [f"D(CG(gains='1:3:7')@{k})" for k in (1, 2, 3)]
    found = ireval.evaluate(levels, run, names, intents=tmp_path / "intents")["run1"].values[:, 0]
    assert np.diff(found, prepend=0.0) == pytest.approx([2.8, 1.0, 2.1])
    (ideal,) = ireval.evaluate(levels, run, ["D-nCG(gains='1:3:7')@2"], intents=tmp_path / "intents")["run1"].values[
        :, 0
    ]
    assert ideal == pytest.approx(3.8 / 4.9)


def test_three_kinds_of_err_ia() -> None:
    """The graded expectation (Intuitive, eq. 3-4), the expectation of nERR, and ndeval's binary form all differ."""
    judged = {"1": {"1": {"a": 3, "b": 1}, "2": {"b": 2, "c": 3}}}
    run = {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}
    found = ireval.evaluate(judged, run, ["ERR-IA@3", "nERR-IA@3", "ERR_IA@3"])["run1"].values[:, 0]
    first = 1 / 8 + 7 / 8 * 7 / 8 / 2
    second = 3 / 8 + 5 / 8 * 7 / 8 / 3
    assert found[0] == pytest.approx((first + second) / 2)
    best = 7 / 8 + 1 / 8 * 1 / 8 / 2, 7 / 8 + 1 / 8 * 3 / 8 / 2
    assert found[1] == pytest.approx((first / best[0] + second / best[1]) / 2)
    assert found[2] == pytest.approx((2 + 0.5 / 2 + 0.5 / 3) / (2 + 1 / 2 + 0.5 / 3))


# -- the files of NTCIREVAL's scripts -------------------------------------------------------------------------------


def test_intents_may_be_counted_in_two_ways() -> None:
    """Lecture (24) divides by all intents, ndeval and NTCIREVAL by those with a relevant document."""
    judged = {"1": {"1": {"a": 1}, "2": {"b": 1}, "3": {"a": 0}}}
    run = {"1": {"a": 1.0}}
    for over, want in (("relevant", 1 / 2), ("all", 1 / 3)):
        assert ireval.evaluate(judged, run, ["I-rec@1"], over=over)["run1"].values[0, 0] == pytest.approx(want)


def test_a_higher_level_changes_which_intents_count() -> None:
    """Relevant from level 2 on is the same as judgements of which only these are relevant."""
    rng = random.Random(9)
    documents = [f"d{n}" for n in range(20)]

    def levels(intent: int) -> dict[str, int]:
        """The last intents seldom have a relevant document."""
        return {d: rng.choice([0, 0, 1, 1, 2, 3]) * (intent < 3 or rng.random() < 0.1) for d in documents}

    judged = {str(topic): {str(i): levels(i) for i in range(5)} for topic in range(20)}
    binary = {
        topic: {i: {d: int(level >= 2) for d, level in one.items()} for i, one in intents.items()}
        for topic, intents in judged.items()
    }
    run = {t: {d: rng.random() for d in documents} for t in judged}
    names = ["I-rec@3", "ERR_IA@5", "NRBP", "P_IA@5", "alpha-DCG@5", "alpha-nDCG@5", "IA(AP)", "D-P@5"]
    high = ireval.evaluate(judged, run, names, level=2)["run1"].values
    assert np.allclose(high, ireval.evaluate(binary, run, names)["run1"].values, rtol=0, atol=1e-15)
    assert not np.allclose(high, ireval.evaluate(judged, run, names)["run1"].values)


def test_a_top_below_the_levels_is_refused() -> None:
    for name in ("D-ERR(top=1)@5", "ERR-IA(top=1)@5"):
        with pytest.raises(MeasureError, match="top: level 2 is judged, which is above 1"):
            ireval.evaluate({"1": {"1": {"a": 2}}}, RUN, [name])


def test_negative_levels_are_nonrelevant() -> None:
    judged = {"1": {"1": {"a": -2, "b": 1}, "2": {"a": -2}}}
    found = ireval.evaluate(judged, {"1": {"a": 2.0, "b": 1.0}}, ["I-rec@1", "I-rec@2", "condensed(I-rec@1)", "P@2"])
    assert list(found["run1"].values[:, 0]) == [0.0, 1.0, 0.0, 0.5]


# -- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", [r for r in all_measures().values() if r.kind == "score"], ids=lambda r: r.name)
def test_labels_through_a_lens_are_read_back(record) -> None:
    if record.needs not in ("levels", "lengths") or not record.per_topic:
        return
    written = [one for one in specs_of(record) if dict(one.params).get("p") != 1.0]
    for one in random.Random(record.name).sample(written, min(6, len(written))):
        lenses = ["IA"] if "penalties" in dict(one.params) else ["IA", "D", "DIN"]
        for seen in [replace(one, lens=lens, condensed=c) for lens in lenses for c in (False, True)]:
            assert spec(label(seen)) == seen, label(seen)
            if seen.lens != "IA":
                for gamma in (0.5, 0.25):
                    sharp = replace(seen, gamma=gamma)
                    assert spec(label(sharp)) == sharp, label(sharp)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("MAP-IA", "IA(AP)"),
        ("nDCG-IA@10", "IA(nDCG@10)"),
        ("D-nDCG@10", "D(nDCG@10)"),
        ("D#-nDCG@10", "D#(nDCG@10)"),
        ("D#-nDCG(gamma=0.3,gains=exp2)@10", "D#(nDCG(gains=exp2)@10, gamma=0.3)"),
        ("D#-nDCG(gains=exp2,gamma=0.3)@10", "D#(nDCG(gains=exp2)@10,gamma=0.3)"),
        ("D#-Q(gamma=.5)@10", "D#-Q@10"),
        ("U-IA", "IA(U)"),
        ("D-nDCG'@10", "condensed(D-nDCG@10)"),
        ("StRecall@5", "I-rec@5"),
        ("d#-ndcg@10", "D#-nDCG@10"),
        ("ndcg-ia@10", "nDCG-IA@10"),
        ("IA(nDCG)@10", "nDCG-IA@10"),
        ("D#(Q,gamma=.3)@10", "D#-Q(gamma=0.3)@10"),
        ("alpha_nDCG@5", "alpha-nDCG@5"),
    ],
)
def test_spellings(text: str, same: str) -> None:
    assert spec(text) == spec(same)


def test_several_through_one_lens() -> None:
    assert [r.label for r in parse_measures(["IA(ndcg_cut.5,10)"])] == ["nDCG-IA@5", "nDCG-IA@10"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("D#-nDGC@10", 'no measure "D#-nDGC@10"; did you mean D#-nDCG@10'),
        ("nDGC-IA@10", 'no measure "nDGC-IA@10"; did you mean nDCG-IA@10'),
        ("NRBP@10", "NRBP@10: NRBP has no cutoff"),
        ("IA#(Q)", "IA#(Q): there is D# and DIN#, but no IA#"),
        ("I99999999999999999999(AP)", 'no measure "I99999999999999999999(AP)"'),
        ("D-ERR-IA@10", "D-ERR-IA@10: ERR-IA@10 is about intents already"),
        ("IA(alpha-nDCG@5)", "IA(alpha-nDCG@5): alpha-nDCG@5 is about intents already"),
        ("D-NWRR", "D-NWRR: NWRR is not made of gains, so there is no D-NWRR"),
        ("IA(GMAP)", "IA(GMAP): GMAP has no number for each topic from levels of relevance"),
        ("D(nDCG@10,gamma=0.3)", "D(nDCG@10,gamma=0.3): gamma weighs I-rec, which only D# has"),
        ("D#-nDCG(gamma=2)@10", 'D#-nDCG(gamma=2)@10: gamma: expected a number from 0 to 1, found "2"'),
    ],
)
def test_what_makes_no_sense(text: str, message: str) -> None:
    with pytest.raises(MeasureError) as error:
        parse_measure(text, {})
    assert str(error.value).startswith(message)


# -- data that cannot serve -----------------------------------------------------------------------------------------

JUDGED = {"1": {"1": {"a": 1}, "2": {"b": 1}}}
RUN = {"1": {"a": 1.0}}


def test_measures_need_intents() -> None:
    with pytest.raises(UsageError, match=r"D-nDCG@10 needs judgements of intents \(--qrels-format diversity\)"):
        ireval.evaluate(ireval.read_qrels({"1": {"a": 1}}), RUN, ["D-nDCG@10"])


@pytest.mark.parametrize(("name", "what"), [("P+Q@5", "P+Q"), ("EffP@5", "EffP"), ("DIN-nDCG@5", "DIN-nDCG@5")])
def test_types_are_not_guessed(name: str, what: str) -> None:
    with pytest.raises(UsageError) as error:
        ireval.evaluate(JUDGED, RUN, [name])
    assert str(error.value) == f"{what} needs the types of the intents (--intents FILE with inf or nav)"


def test_the_most_popular_intent_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "intents").write_text("1 1 0.5\n1 2 0.5\n")
    for intents in (None, tmp_path / "intents"):
        with pytest.raises(UsageError, match="PMP needs intents of different probabilities"):
            ireval.evaluate(JUDGED, RUN, ["PMP@5"], intents=intents)


def test_the_proof_may_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(novelty, "PROOF_STEPS", 2)
    with pytest.raises(DataError, match="topic 1: no proof of the ideal ranking of 5 among 3 documents in 3 kinds"):
        three("b a c", "alpha-nDCG(ideal=exact)@5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1 0.5\n1 2 high\n", 'intents:2: probability: expected a probability from 0 to 1, found "high"'),
        ("1 1 0.5\n1 2 1.5\n", 'intents:2: probability: expected a probability from 0 to 1, found "1.5"'),
        ("1 1 0.5 inf\n1 2 0.5 navi\n", 'intents:2: type: expected inf or nav, found "navi"'),
        (
            "1 1 0.5\n1 1 0.5\n",
            "intents:2: intent: expected each intent once, found 1 of topic 1 again (first on line 1)",
        ),
        ("1 1 0.5 inf\n1 2 0.5\n", "expected 4 fields (topic intent probability type) as on the first line, found 3"),
        ("", "intents: expected lines of 4 fields (topic intent probability type), found an empty file"),
        ("1 1 0.9\n1 2 0.9\n", "1: probability: expected probabilities of topic 1 that add up to 1, found 1.8"),
        ("1 1 0\n1 2 0\n", "1: probability: expected probabilities of topic 1 that add up to 1, found 0"),
        ("1 1 1\n", "topic 1 has relevant documents for intent 2, which intents does not name"),
    ],
)
def test_bad_intents(text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("intents").write_text(text)
    with pytest.raises(InputError) as error:
        ireval.evaluate(JUDGED, RUN, ["I-rec@5"], intents="intents")
    assert message in error.value.message()


def test_types_alone_are_enough(tmp_path: Path) -> None:
    (tmp_path / "intents").write_text("1 1 nav\n1 2 inf\n")
    judged = ireval.read_qrels(JUDGED, format="diversity", intents=tmp_path / "intents")
    assert judged.intents is not None
    assert judged.intents.uniform and judged.intents.typed and judged.intents.navigational.tolist() == [True, False]


def test_repeated_judgements(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 1 a 1\n1 2 a 0\n1 1 b 0\n1 1 a 0\n")
    with pytest.raises(InputError) as error:
        ireval.evaluate(tmp_path / "qrels", RUN, ["I-rec@1"])
    assert error.value.message().endswith(
        'qrels:4: document: expected one judgement for each document and intent, found "a" of topic 1, intent 1 again '
        "(first on line 1)"
    )
    found = ireval.evaluate(tmp_path / "qrels", RUN, ["I-rec@1"], on_duplicate="first")
    assert found["run1"].values[0, 0] == 1.0 and found["run1"].facts.repeated == 1


def test_ntcir_diversity(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 1 a L2\n1 0 b L0\n")
    found = ireval.evaluate(tmp_path / "qrels", RUN, ["I-rec@1", "D-nDCG@1"], format="ntcir_diversity")
    assert found["run1"].values[:, 0].tolist() == [1.0, 1.0]


# -- kindness -------------------------------------------------------------------------------------------------------


def test_a_measure_through_a_lens_is_explained(our_command: Door) -> None:
    text = our_command("measures", "D#-nDCG@10").out.decode()
    assert "expectation of its gains" in text and "gamma I-rec" in text and "nDCG@k   (trec_eval: ndcg_cut)" in text
    assert "gamma" not in our_command("measures", "ERR-IA").out.decode()


def test_lenses_are_explained_without_a_measure(our_command: Door) -> None:
    assert "gamma I-rec" in our_command("measures", "D#").out.decode()
    assert "averaged over the intents" in our_command("measures", "IA").out.decode()


def test_one_intent_each_is_suspicious(evaluate: Door) -> None:
    done = evaluate(TESTDATA / "sample" / "qrels", TESTDATA / "sample" / "splade.run", "-m", "D#-nDCG@10")
    assert done.status == 0 and "are these judgements of intents?" in done.err


def test_json_lists_every_file(evaluate: Door) -> None:
    folder = TESTDATA / "diversity"
    words = ("--intents", folder / "intents", "--lengths", folder / "lengths", "-m", "D-U", "-f", "json")
    inputs = json.loads(evaluate(folder / "qrels", folder / "mmr.run", *words).out)["inputs"]
    assert [Path(entry["file"]).name for entry in inputs] == ["qrels", "mmr.run", "intents", "lengths"]


def test_judgements_of_intents_are_recognised(evaluate: Door) -> None:
    folder = TESTDATA / "diversity"
    done = evaluate(folder / "qrels", folder / "mmr.run")
    assert done.status == 2 and done.message.endswith("judgements of intents: --qrels-format diversity")
    assert evaluate(folder / "qrels", folder / "mmr.run", "--qrels-format", "diversity").status == 0
    assert evaluate(folder / "qrels", folder / "mmr.run", "--intents", folder / "intents").status == 0


def test_the_signature_tells_how_intents_were_counted(evaluate: Door) -> None:
    folder = TESTDATA / "diversity"
    for more, want in (
        ((), "qrels:diversity|intents:uniform,over:relevant"),
        (("--over", "all"), "qrels:diversity|intents:uniform,over:all"),
        (("--intents", folder / "intents"), "qrels:diversity|intents:file,over:relevant"),
    ):
        done = evaluate(folder / "qrels", folder / "mmr.run", "-m", "I-rec@5", "--signature", *more)
        assert want in done.out.decode()
