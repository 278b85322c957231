"""The concordance test and predictive power: twins, facts that hold by construction, the command."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import oracle_studies as oracle
import pytest
from conftest import TESTDATA, Door

from ireval.core.scores import ScoreCube
from ireval.stats.proportion import sign_test, wilson_interval
from ireval.studies.concordance import (
    Concordance,
    Preferences,
    broken_transitivity,
    chain,
    concordance,
    covering,
    predictive_power,
    significantly_better,
)

TEAMS = TESTDATA / "teams"


def cube_of(values: np.ndarray, better: tuple[str, ...] | None = None) -> ScoreCube:
    """A cube [S, V, T] with made-up names."""
    systems, measures, topics = values.shape
    return ScoreCube(
        tuple(f"s{i}" for i in range(systems)),
        tuple(f"m{i}" for i in range(measures)),
        tuple(f"t{i}" for i in range(topics)),
        values,
        np.zeros((systems, topics), bool),
        better or ("high",) * measures,
    )


def test_the_figures_twin() -> None:
    """Intuitive Fig. 3 with one gold, another, and both; scores of one decimal, so that ties are many."""
    rng = np.random.default_rng(1)
    for _ in range(8):
        cube = cube_of(rng.random((5, 4, 7)).round(1))
        for pair in concordance(cube, [0, 1], [[2], [3], [2, 3]]):
            golds = [int(name[1:]) for name in pair.golds]
            scores = [cube.values[:, v, :].tolist() for v in range(4)]
            wanted = oracle.concordance(scores[0], scores[1], [scores[g] for g in golds])
            found = (
                pair.disagreements,
                pair.concordant_first,
                pair.concordant_second,
                pair.wins_first,
                pair.wins_second,
            )
            assert found == wanted
            assert pair.comparisons == 10 * 7
            if len(golds) == 1:
                assert pair.wins_first == pair.disagreements - pair.concordant_second


def test_a_measure_never_disagrees_with_itself() -> None:
    cube = cube_of(np.random.default_rng(2).random((6, 2, 9)))
    (pair,) = concordance(cube, [0, 0], [[1]])
    assert pair.disagreements == 0 and math.isnan(pair.share_first) and pair.p == 1.0


def test_d_sharp_against_d_with_intent_recall_as_gold() -> None:
    """D# = (I-rec + D) / 2: where it disagrees with D, it is I-rec that turned it round. 100 % and 0 %."""
    rng = np.random.default_rng(3)
    recall = rng.integers(0, 5, (17, 50)) / 4
    gain = rng.random((17, 50))
    (pair,) = concordance(cube_of(np.stack([(recall + gain) / 2, gain, recall], axis=1)), [0, 1], [[2]])
    assert pair.disagreements > 500
    assert (pair.share_first, pair.share_second) == (1.0, 0.0)
    assert (pair.wins_first, pair.wins_second) == (pair.disagreements, 0) and pair.p < 1e-100


def test_a_measure_that_should_be_low() -> None:
    rng = np.random.default_rng(4)
    values = rng.random((5, 3, 8))
    turned = values.copy()
    turned[:, 1] = 1 - turned[:, 1]
    plain = concordance(cube_of(values), [0, 1], [[2]])
    assert concordance(cube_of(turned, ("high", "low", "high")), [0, 1], [[2]]) == plain


def test_the_lectures_sign_test() -> None:
    """592 against 130 wins."""
    z, p = sign_test(592, 130)
    assert z == pytest.approx(17.19, abs=0.005) and 0 < p < 1e-60
    assert sign_test(273, 250)[1] == pytest.approx(0.336, abs=0.001)  # Intuitive's footnote 11: not significant
    assert sign_test(0, 0) == (0.0, 1.0) and sign_test(3, 3)[1] == 1.0
    assert sign_test(5, 0)[1] == pytest.approx(2 / 32)


def test_wilson_interval() -> None:
    """Newcombe, Statistics in Medicine 17 (1998), Table I: 81/263 and 15/148."""
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(15, 148) == pytest.approx((0.0624, 0.1605), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson_interval(0, 0) == (0.0, 1.0) and wilson_interval(7, 7)[1] == 1.0


def pair_of(first: str, second: str, wins: int, losses: int) -> Concordance:
    return Concordance(("g",), first, second, 99, 50, wins, losses, wins, losses, *sign_test(wins, losses))


def test_a_chain() -> None:
    """As the paper tells it: groups that cannot be told apart stand together."""
    pairs = [pair_of("a", "b", 20, 1), pair_of("c", "a", 1, 20), pair_of("b", "c", 5, 5)]
    relation = significantly_better(pairs, 0.05)
    assert relation == {("a", "b"), ("a", "c")} and broken_transitivity(relation) == []
    assert chain(["a", "b", "c"], relation) == [["a"], ["b", "c"]]
    assert chain(["a", "b"], set()) == [["a", "b"]]


def test_relations_that_are_no_chain() -> None:
    loose = {("a", "c"), ("a", "b"), ("b", "c"), ("d", "c")}  # d is neither above nor below a and b
    assert broken_transitivity(loose) == [] and chain(["a", "b", "c", "d"], loose) is None
    assert covering(loose) == [("a", "b"), ("b", "c"), ("d", "c")]
    broken = {("a", "b"), ("b", "c")}
    assert broken_transitivity(broken) == [("a", "b", "c")] and chain(["a", "b", "c"], broken) is None


def test_predictive_power_by_hand() -> None:
    values = np.array([[[0.9, 0.1]], [[0.5, 0.1]], [[0.1, 0.4]]])
    asked = [(0, 0, 1, 1), (0, 1, 0, 1), (1, 0, 1, 1), (1, 2, 0, 1), (0, 2, 1, 0)]
    preferences = Preferences(*np.array(asked).T)
    found = predictive_power(cube_of(values), 0, preferences)
    assert (found.right, found.wrong, found.tied, found.alike) == (2, 1, 1, 1)
    assert found.power == 0.5 and (found.low, found.high) == wilson_interval(2, 4)
    turned = predictive_power(cube_of(values, ("low",)), 0, preferences)
    assert (turned.right, turned.wrong) == (1, 2)


# -- the command ----------------------------------------------------------------------------------------------------

RUNS = sorted(TEAMS.glob("T0*.run.gz"))


def test_the_table(our_command: Door) -> None:
    done = our_command("concordance", TEAMS / "qrels", *RUNS, "-m", "nDCG@10", "-m", "AP", "-m", "RR", "--gold", "P@10")
    lines = done.out.decode().splitlines()
    assert done.status == 0 and lines[0].startswith("gold: P@10 (") and len(lines) == 5
    assert lines[1].split() == ["AP", "RR"] and lines[2].startswith("nDCG@10") and "%/" in lines[2]
    assert lines[-1].startswith("At .05: nDCG@10 >> ")


def test_the_list_and_tidy_formats(our_command: Door) -> None:
    argv = ["concordance", TEAMS / "qrels", *RUNS, "-m", "nDCG@10", "-m", "RR", "--gold", "P@10", "--gold", "AP"]
    tidy = our_command(*argv, "-f", "csv").out.decode().splitlines()
    assert [line.split(",")[0] for line in tidy] == ["gold", "P@10", "AP", "P@10+AP"]
    p = tidy[1].split(",")[-2]
    assert "e-" in p and 0 < float(p) < 1e-6  # never 0
    document = json.loads(our_command(*argv, "-f", "json").out)
    assert document["concordance"][0]["p"] == pytest.approx(float(p), rel=1e-3)
    assert document["concordance"][0]["golds"] == ["P@10"]
    assert document["signature"].startswith("concordance|candidates:nDCG@10,RR|golds:P@10,AP|rel:1|")
    assert len(document["inputs"]) == len(RUNS) + 1
    listed = our_command(*argv, "--list").out.decode()
    assert listed.count("disagree") == 3 and "<0.0001‡" in listed


def test_scores_instead_of_runs(our_command: Door, tmp_path: Path) -> None:
    measures = ["-m", "nDCG@10", "-m", "RR", "-m", "P@10"]
    table = our_command("eval", TEAMS / "qrels", *RUNS, *measures, "-q", "-f", "csv", "--digits", "-1").out
    (tmp_path / "scores.csv").write_bytes(table)
    argv = ["-m", "nDCG@10", "-m", "RR", "--gold", "P@10", "-f", "csv"]
    direct = our_command("concordance", TEAMS / "qrels", *RUNS, *argv).out
    assert our_command("concordance", "--scores", tmp_path / "scores.csv", *argv).out == direct


def test_preferences(our_command: Door, tmp_path: Path) -> None:
    done = our_command(
        "concordance", TEAMS / "qrels", *RUNS, "-m", "nDCG@10", "-m", "AP", "--preferences", TEAMS / "preferences"
    )
    assert done.status == 0 and "without a winner left out" in done.out.decode()
    assert "preferences used; left out:" in done.err and "runs that are not here" in done.err
    (tmp_path / "p").write_text("401 T01-1 T02-1 A\n401 T01-1.run.gz T02-1 B\n401 x T02-1 B\n9 T01-1 T02-1 B\n")
    argv = ["concordance", TEAMS / "qrels", *RUNS, "-m", "AP", "--preferences", tmp_path / "p"]
    done = our_command(*argv, "-f", "csv")
    assert done.out.decode().splitlines()[1].split(",")[4:] == ["1", "1", "0"]
    assert (
        "2 of 4 preferences used; left out: 1 about runs that are not here, 1 about topics without scores" in done.err
    )


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("401 T01-1 T02-1 C\n", 'p:1: preferred: expected A, B or =, found "C"'),
        ("401 T01-1 T02-1\n", "p:1: line: expected 4 fields (topic runA runB preferred), found 3 fields"),
        ("", "p: expected lines of 4 fields (topic runA runB preferred), found an empty file"),
    ],
)
def test_bad_preferences(
    our_command: Door, tmp_path: Path, lines: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "p").write_text(lines)
    monkeypatch.chdir(tmp_path)
    done = our_command("concordance", TEAMS / "qrels", *RUNS[:2], "-m", "AP", "--preferences", "p")
    assert (done.status, done.message) == (2, message)


def test_no_preference_is_about_the_runs(our_command: Door, tmp_path: Path) -> None:
    (tmp_path / "p").write_text("401 x y A\n")
    done = our_command("concordance", TEAMS / "qrels", *RUNS[:2], "-m", "AP", "--preferences", tmp_path / "p")
    assert done.status == 4 and "no preference is about two of the runs" in done.err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-m", "AP", "-m", "RR"], "expected --gold MEASURE or --preferences FILE"),
        (["-m", "AP", "-m", "RR", "--gold", "P@5", "--preferences", "x"], "expected --gold MEASURE or --pr"),
        (["-m", "AP", "--gold", "P@5"], "the concordance test needs two candidates at least, found 1"),
        (["-m", "AP", "-m", "RR", "--gold", "P@5", "-f", "nev"], "-f nev is a layout of scores; this takes table"),
    ],
)
def test_what_makes_no_sense(our_command: Door, argv: list[str], message: str) -> None:
    done = our_command("concordance", TEAMS / "qrels", *RUNS[:2], *argv)
    assert done.status == 2 and done.message.startswith(message)


def test_the_same_candidate_twice_is_one(our_command: Door) -> None:
    done = our_command("concordance", TEAMS / "qrels", *RUNS, "-m", "AP", "-m", "AP", "--gold", "P@10")
    assert (done.status, done.message) == (2, "the concordance test needs two candidates at least, found 1")
