"""The studies from Python: what the commands show, as objects."""

from __future__ import annotations

import json

import pytest
from conftest import TESTDATA, Door

import ireval as package
from ireval.errors import UsageError

TEAMS = TESTDATA / "teams"
RUNS = sorted(TEAMS.glob("T0*.run.gz"))


def test_discrim_and_concordance(our_command: Door) -> None:
    results = package.evaluate(TEAMS / "qrels", RUNS, ["RR", "AP", "P@10"])
    for method in ("bootstrap", "hsd"):
        found = package.discrim(results, ["RR", "AP"], method=method, samples=100)
        argv = ["-m", "RR", "-m", "AP", "-B", 100, "--method", method, "-f", "json"]
        shown = json.loads(our_command("discrim", TEAMS / "qrels", *RUNS, *argv).out)["discrim"]
        assert [(one.measure, one.significant) for one in found] == [(r["measure"], r["significant"]) for r in shown]
    swaps = package.discrim(results, "AP", method="swap", samples=50, replacement=False)
    assert [one.measure for one in swaps] == ["AP"] and swaps[0].count.sum() == 50 * found[0].pairs
    pairs = package.concordance(results, ["AP", "RR"], ["P@10"])
    argv = ["-m", "AP", "-m", "RR", "--gold", "P@10", "-f", "json"]
    shown = json.loads(our_command("concordance", TEAMS / "qrels", *RUNS, *argv).out)["concordance"]
    assert [pair.wins_first for pair in pairs] == [row["wins_first"] for row in shown]


def test_loo(our_command: Door) -> None:
    argv = ["--teams", "T..", "--pool-depth", 15, "-m", "AP", "--plain-only", "-f", "json"]
    shown = json.loads(our_command("loo", TEAMS / "qrels", *RUNS, *argv).out)
    names = {path.name.removesuffix(".run.gz"): path.name[:3] for path in RUNS}
    for teams in ("T..", names):
        found = package.loo(TEAMS / "qrels", RUNS, "AP", pool_depth=15, teams=teams)
        assert found.left_score[:, 0].tolist() == [row["without"] for row in shown["runs"]]
        assert [team.unique for team in found.teams] == [row["unique"] for row in shown["teams"]]
        assert found.tau[0] == shown["measures"][0]["tau"]


def test_correlate_and_agree(our_command: Door) -> None:
    summary = package.evaluate(TEAMS / "qrels", RUNS, ["AP", "RR"]).summary()
    first, second = ({run: float(row[name]) for run, row in summary.items()} for name in ("AP", "RR"))
    found = package.correlate(first, dict(reversed(second.items())))
    assert found == package.correlate(list(first.values()), list(second.values()))
    (shown,) = json.loads(our_command("correlate", TEAMS / "qrels", *RUNS, "-m", "AP", "-m", "RR", "-f", "json").out)[
        "correlations"
    ]
    assert found.tau == shown["tau"] and found.rbo == shown["rbo"]
    assert package.agree({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 0}}).pairs[0].kappa == 1.0
    assert package.agree(TEAMS / "qrels", TEAMS / "qrels.second").raters == ("qrels", "qrels.second")


def test_what_makes_no_sense() -> None:
    results = package.evaluate(TEAMS / "qrels", RUNS[:2], ["AP"])
    for call, message in (
        (lambda: package.discrim(results, method="z"), "method: expected bootstrap, hsd or swap, found z"),
        (lambda: package.discrim(results, "RR"), "no measure RR; there are AP"),
        (lambda: package.concordance(results, ["AP"], ["AP"]), "expected two candidates and one gold measure"),
        (lambda: package.correlate({"a": 1.0}, {"b": 1.0}), "expected scores of the same runs"),
        (lambda: package.correlate([1.0], [1.0, 2.0]), "two sequences of the same length"),
        (lambda: package.agree({"q": {"a": 1}}), "expected the judgements of two assessors"),
        (lambda: package.loo(TEAMS / "qrels", RUNS, "AP", pool_depth=5, by="x"), "by: expected team or run, found x"),
    ):
        with pytest.raises(UsageError, match=message):
            call()
