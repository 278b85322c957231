"""`ireval correlate` and random shares of the judgements."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from conftest import TESTDATA, Door
from worlds import read_back

from ireval.api import evaluate, read_qrels
from ireval.cli.correlate import means
from ireval.core.judgements import unjudged_part
from ireval.core.scores import ScoreCube
from ireval.stats.correlation import kendall, pearson, spearman, tau_ap
from ireval.stats.rbo import rbo_of_scores
from ireval.studies.correlate import correlate, correlate_all
from ireval.studies.downsample import samples
from ireval.studying import Keeper, qrels_lines

TEAMS = TESTDATA / "teams"
RUNS = sorted(TEAMS.glob("T0*.run.gz"))


def table(out: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out.decode())))


def test_all_coefficients_of_two_rankings() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.random(12), rng.random(12)
    found = correlate(x, y, ("x", "y"), persistence=0.8)
    assert (found.tau, found.p, found.tau_b) == (kendall(x, y).tau, kendall(x, y).p, kendall(x, y).tau_b)
    assert (found.tau_ap, found.tau_ap_rev) == (tau_ap(x, y).second_given_first, tau_ap(y, x).second_given_first)
    assert found.pearson == pearson(x, y) and found.spearman == spearman(x, y)
    assert found.rbo == pytest.approx(float(rbo_of_scores(x, y, 0.8).extrapolated[0]))
    assert not found.tied_first and not found.tied_second
    assert correlate(x, x).rbo == pytest.approx(1.0) and correlate(x, x).tau == 1.0


def test_rounding_noise_is_a_tie_in_rank_biased_overlap_too() -> None:
    noisy, exact, other = [0.1 + 0.2, 0.3, 0.1], [0.3, 0.3, 0.1], [0.1, 0.2, 0.3]
    assert correlate(noisy, other).rbo == correlate(exact, other).rbo
    assert correlate(noisy, other).tied_first


def test_every_two_rankings() -> None:
    found = correlate_all(np.random.default_rng(2).random((4, 9)), list("abcd"))
    assert [(one.first, one.second) for one in found] == [(a, b) for i, a in enumerate("abcd") for b in "abcd"[i + 1 :]]


# -- the command ----------------------------------------------------------------------------------------------------


def test_matrix_and_pairs(our_command: Door) -> None:
    argv = ["correlate", TEAMS / "qrels", *RUNS, "-m", "AP", "-m", "nDCG@10", "-m", "RR"]
    means = evaluate(TEAMS / "qrels", RUNS, ["AP", "nDCG@10", "RR"]).summary()
    x, y = ([float(row[name]) for row in means.values()] for name in ("AP", "nDCG@10"))
    lines = our_command(*argv).out.decode().splitlines()
    assert lines[0] == f"tau, {len(RUNS)} systems" and lines[1].split() == ["tau", "AP", "nDCG@10", "RR"]
    assert lines[2].split()[1:3] == ["-", f"{kendall(x, y).tau:.4f}‡"]
    pairs = table(our_command(*argv, "-f", "csv", "--digits", "-1").out)
    assert len(pairs) == 3 and float(pairs[0]["tau_ap"]) == tau_ap(x, y).second_given_first
    assert float(pairs[0]["p"]) == kendall(x, y).p and pairs[0]["tied_first"] == "no"
    matrix = table(our_command(*argv, "-f", "csv", "-c", "tau_ap", "--digits", "-1").out)
    assert float(matrix[0]["nDCG@10"]) == tau_ap(x, y).second_given_first
    assert float(matrix[1]["AP"]) == tau_ap(y, x).second_given_first and matrix[0]["AP"] == "1.0"
    document = json.loads(our_command(*argv, "-f", "json").out)
    assert len(document["correlations"]) == 3 and "rbo:0.9,a" in document["signature"]


def test_two_rankings_show_everything(our_command: Door) -> None:
    done = our_command("correlate", TEAMS / "qrels", *RUNS, "-m", "AP", "-m", "nDCG@10")
    names = [line.split()[0] for line in done.out.decode().splitlines()[1:]]
    assert names == "systems tau z p tau_b tau_ap tau_ap_rev tau_ap_sym pearson spearman rbo".split()


def test_ties_are_told(our_command: Door, tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("topic,a,b,c\n1,.5,.5,.1\n2,.2,.2,.3\n")
    (tmp_path / "other.csv").write_text("topic,a,b,c\n1,.5,.4,.1\n2,.2,.2,.3\n")
    done = our_command(
        "correlate", "--scores", tmp_path / "scores.csv", "--scores", tmp_path / "other.csv", "-f", "csv"
    )
    (pair,) = table(done.out)
    assert (pair["tied_first"], pair["tau_ap"]) == ("yes", "") and pair["tau_ap_rev"] and pair["tau_ap_sym"]
    assert "some runs are tied" in done.err


def test_other_judgements(our_command: Door) -> None:
    argv = ["correlate", TEAMS / "qrels", *RUNS, "-m", "AP", "--qrels", TEAMS / "qrels.second", "-f", "json"]
    (pair,) = json.loads(our_command(*argv).out)["correlations"]
    x, y = (
        [float(row["AP"]) for row in evaluate(TEAMS / file, RUNS, ["AP"]).summary().values()]
        for file in ("qrels", "qrels.second")
    )
    assert (pair["first"], pair["second"], pair["tau"]) == ("AP (qrels)", "AP (qrels.second)", kendall(x, y).tau)


def test_a_measure_that_should_be_low() -> None:
    """It is turned round before rankings are compared."""
    values = np.random.default_rng(4).random((6, 1, 5))
    cube = ScoreCube(
        tuple("abcdef"),
        ("gain", "loss"),
        tuple("12345"),
        np.concatenate([values, -values], axis=1),
        np.zeros((6, 5), bool),
        ("high", "low"),
    )
    gain, loss = means(cube)
    assert kendall(gain, loss).tau == 1.0 and np.array_equal(gain, loss)


def test_what_is_drawn_out_stays_in_the_pool(tmp_path: Path) -> None:
    """Scores under a share are those of a file in which the others have level -1, which infAP allows for."""
    keeper, measures = Keeper(), ["AP", "infAP", "bpref", "nDCG@10", "AP'", "num_rel"]
    results = evaluate(TEAMS / "qrels", RUNS[:2], measures, scorer=keeper)
    specs = [request.spec for request in results.requests]
    (sample,) = samples(results.judged, [30], 1, 5)
    under = [keeper.values(run, specs, unjudged_part(results.judged, sample.keep)) for run in range(2)]
    lines = zip(qrels_lines(results.judged), sample.keep.tolist(), strict=True)
    thinned = [line if kept else line.rsplit(b" ", 1)[0] + b" -1\n" for line, kept in lines]
    (tmp_path / "qrels").write_bytes(b"".join(thinned))
    thin = evaluate(tmp_path / "qrels", RUNS[:2], measures)
    for found, scores in zip(under, thin.scores, strict=True):
        assert np.array_equal(found, scores.values)
        assert not np.allclose(found[0], found[1])  # infAP is not AP


def test_documents_without_judgement_are_not_drawn() -> None:
    judged = read_qrels({"1": {"a": -1, "b": -1, "c": 0, "d": 1, "e": -1}})
    for sample in samples(judged, [1, 50], 3, 1):
        assert sample.keep[2] and sample.keep[3]  # one of each that there is


def test_downsample_on_the_command_line(our_command: Door, tmp_path: Path) -> None:
    argv = ["correlate", TEAMS / "qrels", *RUNS, "-m", "AP", "--downsample", "20,60", "--draws", 3]
    lines = our_command(*argv, "--plot", tmp_path / "tau.png").out.decode().splitlines()
    assert lines[0] == "tau with the full judgements, mean of 3 draws"
    assert lines[1].split() == ["measure", "20%", "60%", "all"]
    plain, condensed = ([float(x) for x in line.split()[1:]] for line in lines[2:])
    assert plain[0] < plain[1] < plain[2] == 1.0 and condensed[0] > plain[0]  # as Sakai's slides have it
    assert (tmp_path / "tau.png").exists()
    assert our_command(*argv).out == our_command(*argv, "-j", 2).out != our_command(*argv, "--seed", 7).out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-m", "AP"], "expected two measures or two files of judgements at least, found one ranking"),
        (["-m", "AP", "-m", "RR", "-f", "csv", "-c", "tau", "-c", "rbo"], "-f csv takes one --coefficient, found 2"),
        (["-m", "AP", "-m", "RR", "--plot", "x.png"], "--plot draws tau against the share of judgements"),
        (["-m", "AP", "--downsample", "50", "-c", "tau"], "--downsample compares with the full judgements"),
        (["-m", "AP", "--qrels", "-"], "--qrels has the runs read again, so none of the files can be standard input"),
        (["-m", "AP", "-m", "RR", "-f", "nev"], "-f nev is a layout of scores"),
    ],
)
def test_what_makes_no_sense(our_command: Door, argv: list[str], message: str) -> None:
    done = our_command("correlate", TEAMS / "qrels", *RUNS[:3], *argv)
    assert done.status == 2 and done.message.startswith(message)


# -- random shares --------------------------------------------------------------------------------------------------


def test_shares_of_the_judgements() -> None:
    judged = read_back(TEAMS / "qrels")
    found = samples(judged, (10, 50, 90), 2, seed=3)
    assert [(s.share, s.draw) for s in found] == [(10, 0), (50, 0), (90, 0), (10, 1), (50, 1), (90, 1)]
    for small, large in ((found[0], found[1]), (found[1], found[2]), (found[3], found[4])):
        assert bool((~small.keep | large.keep).all())  # smaller shares are parts of larger ones
    assert not np.array_equal(found[0].keep, found[3].keep)
    relevant = judged.level >= 1
    for sample in found:
        for kind in (relevant, ~relevant):
            have = np.bincount(judged.topic_of[kind], minlength=len(judged))
            kept = np.bincount(judged.topic_of[kind & sample.keep], minlength=len(judged))
            wanted = np.maximum(np.minimum(have, 1), np.floor(have * sample.share / 100 + 0.5))
            assert kept.tolist() == wanted.tolist()
    again = samples(judged, (50,), 1, seed=3)[0]
    assert np.array_equal(again.keep, found[1].keep)  # whatever else is asked for
    with pytest.raises(ValueError, match="between 0 and 100"):
        samples(judged, (100,), 1, seed=3)
