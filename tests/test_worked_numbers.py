"""Worked numbers of the sources, each with its place: mission.md A, answers.md, and the papers behind them.

Lecture: Sakai, Metrics, Statistics, Tests (2014). OneDoc: Sakai, On the Task of Finding One Highly Relevant Document
with High Precision (2006). A ranking is written as levels from rank 1 on, `-` for a document without judgement.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from worlds import Topic, score_world

import ireval
from ireval.measures.cascade import _stopping
from ireval.measures.spec import parse_measures


def topic(ranking: str, judged: str = "", lengths: str = "") -> Topic:
    """judged: levels of relevant documents not retrieved; lengths: `characters/words` in rank order."""
    names = [b"d%04d" % at for at in range(len(ranking.split()))]
    known = {name: int(level) for name, level in zip(names, ranking.split(), strict=True) if level != "-"}
    known.update({b"x%04d" % at: int(level) for at, level in enumerate(judged.split())})
    sizes = [tuple(map(int, size.split("/"))) for size in lengths.split()]
    return Topic(
        [(name, str(-at)) for at, name in enumerate(names)],
        known,
        lengths=dict(zip(names, sizes, strict=False)),  # type: ignore[arg-type]
    )


def value(folder: Path, measure: str, one: Topic, *others: Topic) -> float:
    """The value of the first topic; the others belong to the collection."""
    request = parse_measures([measure])[0]
    world = {b"%d" % at: some for at, some in enumerate([one, *others])}
    return float(score_world(folder, world, [request.spec], request.spec.measure.needs).values[0, 0])


HIGHLY = topic("0", "3")
"""A topic that makes 3 the highest level of the collection, though no run finds that document."""

A5 = ("0 3 0 1 0", "1")  # output `- 3 - 1 -`, ideal 3 1 1
Q6 = ("1 0 3 2 0 1", "1")  # ideal 3 2 1 1 1
ONE_EACH = "gains='1:2:3'"  # OneDoc: B 1, A 2, S 3


@pytest.mark.parametrize(
    ("source", "measure", "ranking", "judged", "want", "places"),
    [
        # nDCG
        ("mission A; answers, nDCG: Microsoft", "nDCG@5", *A5, 0.562456, 6),
        ("mission A: 2.3235/4.1309", "DCG@5", *A5, 2.3235, 4),
        ("answers, nDCG: original, b=2", "nDCGjk@5", *A5, 0.755788, 6),
        ("answers, nDCG: original, b=10", "nDCGjk(b=10)@5", *A5, 0.8, 12),
        ("answers, nDCG: 1 + log2", "nDCGjk08@5", *A5, 0.471676, 6),
        # Q and its relatives
        ("answers, Q@l", "Q", *Q6, 128 / 231, 12),
        ("answers, Q@l", "Q@3", *Q6, 7 / 18, 12),
        ("answers, AP@l", "nAP@3", *Q6, 5 / 9, 12),
        ("answers, AP@l over R", "AP@3", *Q6, 1 / 3, 12),
        ("answers, R-measure", "R-measure", *Q6, 9 / 13, 12),
        ("answers, P@3", "P@3", *Q6, 2 / 3, 12),
        ("answers, P+@3", "P+@3", *Q6, 7 / 12, 12),
        ("answers, P+@2", "P+@2", *Q6, 1 / 2, 12),
        # OneDoc: one document of each level, gains 3:2:1
        ("mission A; OneDoc Fig. 3, system X: B at 1", f"O-measure({ONE_EACH})", "1 0 0", "2 3", 0.5, 12),
        ("mission A; OneDoc Fig. 3, system Y: S at 2", f"O-measure({ONE_EACH})", "0 3 0", "1 2", 4 / 7, 12),
        ("OneDoc 3.3: P = O for X", f"P-measure({ONE_EACH})", "1 0 0", "2 3", 0.5, 12),
        ("OneDoc 3.3: P = O for Y", f"P-measure({ONE_EACH})", "0 3 0", "1 2", 4 / 7, 12),
        ("mission A; OneDoc 3.3, system Z: B at 1, S at 2", f"P-measure({ONE_EACH})", "1 3 0", "2", 6 / 7, 12),
        ("OneDoc 3.3: Z and X are equal for O", f"O-measure({ONE_EACH})", "1 3 0", "2", 0.5, 12),
        ("OneDoc 3.3: the inverse of the ideal list", f"P-measure({ONE_EACH})", "1 2 3", "", 1.0, 12),
        ("mission A; OneDoc (7)", f"P+({ONE_EACH})", "1 2 3", "", (2 / 4 + 5 / 7 + 1) / 3, 12),
        ("mission A: 0.738", f"P+({ONE_EACH})", "1 2 3", "", 0.738, 3),
        # WRR, NWRR
        ("mission A; OneDoc 3.2: S at 3", "NWRR", "0 0 3", "", 0.2, 12),
        ("OneDoc (4): S at 3", "WRR", "0 0 3", "", 1 / 2.5, 12),
        ("OneDoc 3.2: NWRR does not see how many there are", "NWRR", "0 0 3", "3 3", 0.2, 12),
        ("mission A; OneDoc 3.2: O, the only relevant one", "O-measure", "0 0 3", "", 2 / 3, 12),
        ("mission A; OneDoc 3.2: O, three S", "O-measure", "0 0 3", "3 3", 1 / 3, 12),
        ("OneDoc 3.2: NWRR prefers X to Y", "NWRR", "1 0 0", "2 3", (1 - 1 / 2) / (1 - 1 / 4), 12),
        ("OneDoc 3.2: NWRR prefers X to Y", "NWRR", "0 3 0", "1 2", (1 - 1 / 2) / (2 - 1 / 2), 12),
        # ERR
        ("answers, ERR: levels 0,3,1", "ERR", "0 3 1", "", 0.442708, 6),
        ("answers, nERR: levels 0,3,1", "nERR", "0 3 1", "", 0.501475, 6),
        ("answers, ERR: levels 0,2,1, H=2", "ERR", "0 2 1", "", 0.395833, 6),
        ("answers, ERR: levels 0,2,1, H=3 given", "ERR(top=3)", "0 2 1", "", 0.213542, 6),
        # RBP
        ("mission A; Lecture note 4: R=10, p=.95", "RBP(p=0.95)", " ".join("1" * 10), "", 0.4013, 4),
        ("Lecture note 4: (1 - p) sum of p^(r-1)", "RBP(p=0.95)", " ".join("1" * 10), "", 1 - 0.95**10, 12),
        # bpref family: condensed N R R N N R, R = 4
        ("answers, bpref, N=3", "bpref", "0 1 1 0 0 1", "1", 1 / 3, 12),
        ("answers, bpref_R, N=3", "bpref_R", "0 1 1 0 0 1", "1", 7 / 16, 12),
        ("answers, bpref_N, N=3", "bpref_N", "0 1 1 0 0 1", "1", 1 / 3, 12),
        ("answers, bpref, N=6", "bpref", "0 1 1 0 0 1", "1 0 0 0", 7 / 16, 12),
        ("answers, bpref_R, N=6", "bpref_R", "0 1 1 0 0 1", "1 0 0 0", 7 / 16, 12),
        ("answers, bpref_N, N=6", "bpref_N", "0 1 1 0 0 1", "1 0 0 0", 13 / 24, 12),
        ("answers, bpref_N under its other name", "RankEff", "0 1 1 0 0 1", "1 0 0 0", 13 / 24, 12),
        ("answers, AP'", "AP'", "0 1 1 0 0 1", "1", 5 / 12, 12),
        ("Lecture (21): unjudged documents are left out", "AP'", "- 0 1 - 1 0 - - 0 1 -", "1", 5 / 12, 12),
        ("answers, bpref: unjudged documents do not count", "bpref", "- 0 1 - 1 0 - - 0 1 -", "1", 1 / 3, 12),
        ("Lecture 2.2: unjudged, nonrelevant, relevant -> rank 2", "RR'", "- 0 1", "", 1 / 2, 12),
        ("answers, bpref: N=0, no penalty", "bpref_N", "1 1", "", 1.0, 12),
        # top heaviness, Lecture on AP and on bpref with R = N = 500
        ("Lecture on AP: from rank 2 to 1", "RR", "0 1", "", 0.5, 12),
        ("Lecture on bpref: rank 2 of 500", "bpref_N", "0 1", " ".join(["0"] * 499), 0.9980, 4),
        ("Lecture on bpref: rank 100 of 500", "bpref_N", "0 " * 99 + "1", " ".join(["0"] * 401), 0.8020, 4),
        # discounts, Lecture on (6)
        ("Lecture on (6): 3 at rank 1", "DCG@7", "3 0 0 0 0 0 0", "", 3.0, 12),
        ("Lecture on (6): 3 at rank 7", "DCG@7", "0 0 0 0 0 0 3", "", 1.0, 12),
        # sets, Lecture (1) and (4): |D* or D| - |D* and D| over |D*| + |D|
        ("Lecture (1)", "E", "1 0 1 0 0", "1", (6 - 2) / (3 + 5), 12),
        ("Lecture (5)", "F", "1 0 1 0 0", "1", 1 - (6 - 2) / (3 + 5), 12),
        ("Lecture (4): beta = 2", "E(beta=2)", "1 0 1 0 0", "1", 1 - 5 * 0.4 * (2 / 3) / (4 * 0.4 + 2 / 3), 12),
    ],
    ids=str,
)
def test_worked_number(
    source: str, measure: str, ranking: str, judged: str, want: float, places: int, tmp_path: Path
) -> None:
    got = value(tmp_path, measure, topic(ranking, judged))
    assert got == pytest.approx(want, abs=0.5000001 * 10**-places), source


def test_ideal_dcg_of_the_ndcg_example(tmp_path: Path) -> None:
    """mission A: 2.3235/4.1309 = 0.5625."""
    assert value(tmp_path, "IdealDCG", topic(*A5)) == pytest.approx(4.1309, abs=5e-5)


def test_err_knows_the_top_level_of_the_collection(tmp_path: Path) -> None:
    """answers, ERR: H is the collection's top level, never the topic's: .213542 with H=3, .395833 with H=2."""
    assert value(tmp_path, "ERR", topic("0 2 1"), HIGHLY) == pytest.approx(0.213542, abs=5e-7)
    assert value(tmp_path, "ERR", topic("0 2 1")) == pytest.approx(0.395833, abs=5e-7)


def test_original_ndcg_does_not_see_order_up_to_b(tmp_path: Path) -> None:
    """Lecture on (6): with b = 10, a relevant document at rank 1 and one at rank 10 cannot be told apart."""
    first, tenth = (topic(" ".join(ranking)) for ranking in ("1000000000", "0000000001"))
    assert value(tmp_path, "nDCGjk(b=10)@10", first) == value(tmp_path, "nDCGjk(b=10)@10", tenth) == 1.0
    assert value(tmp_path, "nDCGjk08(b=10)@10", tenth) == pytest.approx(1 / 2)


@pytest.mark.parametrize(("level", "chance"), [("1", 1 / 8), ("2", 3 / 8), ("3", 7 / 8)])
def test_satisfaction(level: str, chance: float, tmp_path: Path) -> None:
    """Lecture (15) and mission A: 1/8, 3/8, 7/8 with three levels. At rank 1, ERR is just that."""
    assert value(tmp_path, "ERR", topic(level), HIGHLY) == chance


def test_stopping_probabilities(tmp_path: Path) -> None:
    """Lecture on (15), mission A: at rank 2 .8750 after a nonrelevant document, .1094 after a highly relevant one."""
    after_nonrelevant = 2 * value(tmp_path, "ERR", topic("0 3"))
    after_relevant = 2 * (value(tmp_path, "ERR", topic("3 3")) - value(tmp_path, "ERR", topic("3 0", "3")))
    assert after_nonrelevant == pytest.approx(0.8750, abs=1e-12)
    assert after_relevant == pytest.approx(0.1094, abs=5e-5)
    assert _stopping(np.array([7 / 8, 7 / 8]), np.array([0, 2])).tolist() == [7 / 8, (1 - 7 / 8) * 7 / 8]


def test_blended_ratio_of_one_document(tmp_path: Path) -> None:
    """Lecture Fig. 3, R = 5, binary: BR(r_1) = 1/r_1 up to R, then (1 + beta)/(r_1 + beta R)."""
    for beta in (0.5, 1.0, 10.0):
        for rank in (1, 3, 5, 6, 12):
            ranking = topic(" ".join(["0"] * (rank - 1) + ["1"]), "1 1 1 1")
            want = 1 / rank if rank <= 5 else (1 + beta) / (rank + beta * 5)
            assert value(tmp_path, f"O-measure(beta={beta})", ranking) == pytest.approx(want, abs=1e-12)


def japanese_034() -> Topic:
    """OneDoc, appendix: NTCIR-5 Japanese 034. r_1 = 2 (B), r_p = 424 (S), above it 137 A and 29 B; 5 S, 288 A and 61 B
    in all. Where those stand is not told: B from rank 2 on, then A."""
    ranking = ["0", *["1"] * 29, *["2"] * 137, *["0"] * (423 - 1 - 29 - 137), "3"]
    return topic(" ".join(ranking), " ".join(["3"] * 4 + ["2"] * (288 - 137) + ["1"] * (61 - 29)))


def test_ntcir_5_japanese_034(tmp_path: Path) -> None:
    """mission A; OneDoc, appendix: P 473/1076 = 0.440, O 0.250. (P+ 0.454 needs the ranks, which are not printed.)"""
    one = japanese_034()
    assert value(tmp_path, f"rp({ONE_EACH})", one) == 424 and value(tmp_path, "r1", one) == 2
    assert value(tmp_path, f"P-measure({ONE_EACH})", one) == pytest.approx(473 / 1076, abs=1e-12)
    assert value(tmp_path, f"O-measure({ONE_EACH})", one) == 0.25


TBG_LONG = ("0 1", "0/1000 0/50")
TBG_SHORT = ("1 1", "0/10 0/50")


def test_tbg(tmp_path: Path) -> None:
    """answers, Lengths: nonrelevant (1000 words) then relevant .471233; relevant (10 words) then relevant .971313."""
    assert value(tmp_path, "TBG", topic(TBG_LONG[0], "", TBG_LONG[1])) == pytest.approx(0.471233, abs=5e-7)
    assert value(tmp_path, "TBG", topic(TBG_SHORT[0], "", TBG_SHORT[1])) == pytest.approx(0.971313, abs=5e-7)


@pytest.mark.parametrize(("one", "gained", "time"), [(TBG_LONG, 0.0, 10.062), (TBG_SHORT, 0.4928, 5.107)])
def test_time_to_reach_rank_2(one: tuple[str, str], gained: float, time: float, tmp_path: Path) -> None:
    """Lecture after (18), mission A: T(2) = T_S + 10.062, or T_S + 5.107. With half-life h the gain is g 2^(-T/h)."""
    got = value(tmp_path, "TBG", topic(one[0], "", one[1])) - gained
    assert -224 * np.log2(got / 0.4928) == pytest.approx(4.4 + time, abs=5e-4)


def test_u_measure(tmp_path: Path) -> None:
    """answers, Lengths: levels 0,1,0,3 with 5000 and 3000 characters at ranks 2 and 4: .982765."""
    one = topic("0 1 0 3", "", "7/7 5000/7 9/9 3000/7")
    assert value(tmp_path, "U", one) == pytest.approx(0.982765, abs=5e-7)
    by_hand = 1 / 8 * (1 - (400 + 1000) / 132000) + 7 / 8 * (1 - (800 + 1600) / 132000)
    assert value(tmp_path, "U", one) == pytest.approx(by_hand, abs=1e-12)


def test_geometric_mean_has_trec_evals_floor() -> None:
    """mission A: GMAP floors at 0.00001 as trec_eval does: topics with AP 1, 1/2 and 0."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0, "b": 2.0}, "3": {"b": 1.0}}
    found = ireval.evaluate(qrels, {"x": run}, ["GMAP", "AP"]).summary()["x"]
    assert found["GMAP"] == pytest.approx((1 * 0.5 * 0.00001) ** (1 / 3), abs=1e-12)
    assert found["AP"] == 0.5
