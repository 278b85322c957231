"""Discriminative power and the swap method: twins from the figures, facts, the command."""

from __future__ import annotations

import csv
import io
import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import oracle_sigtest
import oracle_studies as oracle
import pytest
from conftest import TESTDATA, Door

from ireval.core.scores import ScoreCube
from ireval.stats.resample import draw_topics
from ireval.stats.tukey import permutations
from ireval.studies.discrim import best_first, discriminate, discriminate_all
from ireval.studies.swap import split_orders, swap_all, swap_rates

TEAMS = TESTDATA / "teams"
RUNS = sorted(TEAMS.glob("T0*.run.gz"))


def world(seed: int, systems: int = 5, topics: int = 9) -> np.ndarray:
    """Scores of a few decimals, so that equal means happen; systems differ a little."""
    rng = np.random.default_rng(seed)
    return np.clip(rng.random((systems, topics)) * 0.6 + np.linspace(0, 0.4, systems)[:, None], 0, 1).round(2)


# -- tests of pairs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_bootstrap_sensitivity_against_figures_5_to_7(seed: int) -> None:
    """OneDoc Fig. 5, 6 and 7 in exact fractions, with the same topics drawn."""
    values, samples, alpha = world(seed), 60, 0.1
    found = discriminate(values, "m", "bootstrap", samples=samples, seed=seed, alpha=alpha)
    draws = draw_topics(values.shape[1], samples, seed).tolist()
    rows = oracle_sigtest.fractions(values.tolist())
    pairs = list(combinations(rows, 2))
    asl = [oracle_sigtest.bootstrap_count(x, y, draws) / samples for x, y in pairs]
    assert found.asl.tolist() == asl
    assert found.significant == sum(level < alpha for level in asl) and found.pairs == 10
    needed = [oracle_sigtest.required_difference(x, y, draws, int(samples * alpha)) for x, y in pairs]
    assert found.required == pytest.approx(float(max(needed)), abs=1e-14)
    assert found.curve.tolist() == sorted(asl, reverse=True)


@pytest.mark.parametrize("seed", range(4))
def test_hsd_against_figure_15(seed: int) -> None:
    values, samples, alpha = world(seed, systems=4), 60, 0.3
    found = discriminate(values, "m", "hsd", samples=samples, seed=seed, alpha=alpha)
    orders = [order.tolist() for order in permutations(4, values.shape[1], samples, seed)]
    rows = oracle_sigtest.fractions(values.tolist())
    asl = [count / samples for count in oracle_sigtest.tukey_counts(rows, orders)]
    assert found.asl.tolist() == asl
    apart = [abs(float(oracle_sigtest.mean(x) - oracle_sigtest.mean(y))) for x, y in combinations(rows, 2)]
    significant = [d for d, level in zip(apart, asl, strict=True) if level < alpha]
    assert found.significant == len(significant) > 0
    assert found.required == pytest.approx(min(significant))


def cube_of(*measures: np.ndarray) -> ScoreCube:
    systems, topics = measures[0].shape
    return ScoreCube(
        tuple(f"s{i}" for i in range(systems)),
        tuple(f"m{i}" for i in range(len(measures))),
        tuple(f"t{i}" for i in range(topics)),
        np.stack(measures, axis=1),
        np.zeros((systems, topics), bool),
        ("high",) * len(measures),
    )


def test_best_first_on_the_same_resamples() -> None:
    good = world(1, systems=6, topics=30)
    noise = np.random.default_rng(2).random((6, 30))
    found = discriminate_all(cube_of(noise, good, good), "bootstrap", samples=200)
    assert found[1].asl.tolist() == found[2].asl.tolist()  # the same scores, the same resamples
    assert [one.measure for one in best_first(found)] == ["m1", "m2", "m0"]
    assert found[1].share == found[1].significant / 15


@pytest.mark.parametrize("test", ["bootstrap", "hsd"])
def test_identical_systems_are_never_significant(test: str) -> None:
    values = np.repeat(np.random.default_rng(3).random((1, 12)), 3, axis=0)
    found = discriminate(values, "m", test, samples=50)
    assert found.significant == 0 and found.asl.tolist() == [1.0, 1.0, 1.0]
    assert math.isnan(found.required)  # no difference is known to be enough


@pytest.mark.parametrize("test", ["bootstrap", "hsd"])
def test_batch_and_jobs_change_nothing(test: str) -> None:
    values = world(4, systems=7, topics=20)
    whole = discriminate(values, "m", test, samples=130, seed=5)
    for batch, jobs in ((1, 1), (7, 2), (1000, 2)):
        again = discriminate(values, "m", test, samples=130, seed=5, batch=batch, jobs=jobs)
        assert again.asl.tolist() == whole.asl.tolist() and again.required == whole.required


def test_an_unknown_test() -> None:
    with pytest.raises(ValueError, match="expected one of bootstrap, hsd, found z"):
        discriminate(world(1), "m", "z")


# -- the swap method ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("replacement", [True, False])
def test_swap_method_against_figure_4(seed: int, replacement: bool) -> None:
    """With one-decimal scores and few topics, many differences lie on the edges of bins."""
    values = world(seed, systems=5, topics=9).round(1)
    samples, topics = 70, 9
    found = swap_rates(values, "m", samples=samples, seed=seed, replacement=replacement, limit=0.2)
    if replacement:
        drawn = draw_topics(topics, 2 * samples, seed)
        sets = drawn[0::2].tolist(), drawn[1::2].tolist()
    else:
        orders = split_orders(topics, samples, seed)
        sets = orders[:, :4].tolist(), orders[:, 4:8].tolist()
        assert all(not set(a) & set(b) for a, b in zip(*sets, strict=True))
    count, swapped = oracle.swap_method(values.tolist(), *sets)
    assert found.count.tolist() == count and found.swapped.tolist() == swapped
    assert sum(count) == 10 * samples
    begin = oracle.required_bin(count, swapped, 0.2)
    if begin is None:
        assert math.isnan(found.required) and found.share == 0.0
    else:
        assert found.required == pytest.approx(begin / 100)
        assert found.share == pytest.approx(sum(count[begin:]) / sum(count))
        assert found.ratio == pytest.approx(found.required / found.largest_mean)
    means = [sum(row[q] for q in chosen) / len(chosen) for row in values for side in sets for chosen in side]
    assert found.largest_mean == pytest.approx(max(means))


def test_systems_that_never_swap() -> None:
    values = np.stack([np.full(8, 0.5), np.full(8, 0.57), np.full(8, 0.9)])
    found = swap_rates(values, "m", samples=20)
    assert found.swapped.sum() == 0 and found.count[7] == 20 and found.count[20] == 40
    assert found.required == pytest.approx(0.07) and found.share == 1.0
    assert found.largest_difference == pytest.approx(0.4) and found.largest_mean == pytest.approx(0.9)
    assert np.isnan(found.rate[6]) and found.rate[7] == 0.0


def test_a_tie_is_a_swap() -> None:
    found = swap_rates(np.full((2, 6), 0.3), "m", samples=10)
    assert found.rate[0] == 1.0 and math.isnan(found.required) and found.share == 0.0


def test_all_measures_see_the_same_topic_sets() -> None:
    values = world(6, topics=12)
    one, two = swap_all(cube_of(values, values), samples=30)
    assert one.count.tolist() == two.count.tolist() and one.swapped.tolist() == two.swapped.tolist()


# -- the command ----------------------------------------------------------------------------------------------------


def table(out: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out.decode())))


def test_the_tables(our_command: Door, tmp_path: Path) -> None:
    argv = ["discrim", TEAMS / "qrels", *RUNS, "-m", "RR", "-m", "AP", "-B", 200, "--signature"]
    done = our_command(*argv, "--plot", tmp_path / "asl.png")
    text = done.out.decode()
    first, second = text.split("\n\n")
    pairs = len(RUNS) * (len(RUNS) - 1) // 2
    assert first.splitlines()[0] == f"paired bootstrap test, ASL < 0.05, B 200: {len(RUNS)} systems, 30 topics"
    assert second.startswith("randomised Tukey HSD, ASL < 0.05, B 200")
    assert [line.split()[0] for line in first.splitlines()[1:]] == ["measure", "AP", "RR"]  # best first
    assert f" of {pairs}" in first and max(map(len, first.splitlines()[1:])) <= 60
    assert "discrim|RR,AP|method:bootstrap+hsd|alpha:0.05|B:200|seed:1|rel:1|" in text
    assert (tmp_path / "asl.png").read_bytes()[:4] == b"\x89PNG"


def test_curves_hold_what_the_summary_counts(our_command: Door) -> None:
    argv = ["discrim", TEAMS / "qrels", *RUNS, "-m", "RR", "-m", "AP", "-B", 150, "--method", "hsd", "--digits", "-1"]
    summary, curves = table(our_command(*argv, "-f", "csv").out), table(our_command(*argv, "-f", "csv", "--curves").out)
    for row in summary:
        own = [float(point["asl"]) for point in curves if point["measure"] == row["measure"]]
        assert own == sorted(own, reverse=True) and len(own) == int(row["pairs"])
        assert sum(asl < 0.05 for asl in own) == int(row["significant"])
    document = json.loads(our_command(*argv, "-f", "json").out)
    assert len(document["curves"]) == len(curves) and document["discrim"][0]["measure"] == summary[0]["measure"]


def test_json_holds_all_curves(our_command: Door) -> None:
    argv = ["discrim", TEAMS / "qrels", *RUNS[:4], "-m", "RR", "-B", 50, "--method", "hsd", "--method", "swap"]
    document = json.loads(our_command(*argv, "-f", "json", "--replacement", "both").out)
    assert [row["method"] for row in document["discrim"]] == ["hsd", "swap-with", "swap-without"]
    methods = [row["method"] for row in document["curves"]]
    assert methods == ["hsd"] * 6 + ["swap-with"] * 21 + ["swap-without"] * 21
    alone = json.loads(our_command(*argv[:-4], "--method", "swap", "-f", "json").out)
    assert document["curves"][6:27] == alone["curves"]
    assert our_command(*argv, "-f", "json", "--curves").status == 0


@pytest.mark.parametrize("test", ["bootstrap", "hsd", "swap"])
def test_progress_is_told_within_a_measure(test: str) -> None:
    values = np.random.default_rng(2).random((60, 5))
    told: list[tuple[int, int]] = []

    def note(done: int, of: int) -> None:
        told.append((done, of))

    if test == "swap":
        swap_all(cube_of(values, values), samples=4000, progress=note)
    else:
        discriminate_all(cube_of(values, values), test, samples=4000, progress=note)
    shares = [done / of for done, of in told]
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert sum(share < 0.5 for share in shares) >= 2 and 0.5 in shares


def test_swap_command(our_command: Door, tmp_path: Path) -> None:
    argv = ["discrim", TEAMS / "qrels", *RUNS, "-m", "RR", "-m", "AP", "-B", 100, "--method", "swap"]
    done = our_command(*argv, "--replacement", "both", "--plot", tmp_path / "swap.svg")
    blocks = done.out.decode().split("\n\n")
    assert [block.splitlines()[0].split(",")[1].strip() for block in blocks] == [
        "with replacement",
        "without replacement",
    ]
    assert max(map(len, blocks[0].splitlines()[1:-1])) <= 60
    curves = table(our_command(*argv, "--curves", "-f", "tsv").out.replace(b"\t", b","))
    assert len(curves) == 2 * 21 and curves[20]["from"] == "0.2000"
    assert (tmp_path / "swap.svg").exists()


def test_scores_instead_of_runs(our_command: Door) -> None:
    measures = ["-m", "AP", "-m", "RR"]
    scores = our_command("eval", TEAMS / "qrels", *RUNS, *measures, "-q", "-f", "csv", "--digits", "-1").out
    direct = our_command("discrim", TEAMS / "qrels", *RUNS, *measures, "-f", "csv").out
    assert our_command("discrim", "--scores", "-", "-f", "csv", stdin=scores).out == direct


def test_jobs_change_nothing_on_the_command_line(our_command: Door) -> None:
    argv = ["discrim", TEAMS / "qrels", *RUNS, "-m", "AP", "-f", "csv", "--digits", "-1", "-B", 120]
    assert our_command(*argv).out == our_command(*argv, "-j", 2).out
    assert our_command(*argv).out != our_command(*argv, "--seed", 2).out


def test_downsample(our_command: Door, tmp_path: Path) -> None:
    argv = ["discrim", TEAMS / "qrels", *RUNS, "-m", "AP", "-B", 100, "--downsample", "10,50", "--draws", 2]
    done = our_command(*argv, "--plot", tmp_path / "less.pdf")
    lines = done.out.decode().splitlines()
    assert lines[0] == "share of pairs significant (paired bootstrap test), mean of 2 draws"
    assert lines[1].split() == ["measure", "10%", "50%", "all"]
    assert [line.split()[0] for line in lines[2:]] == ["AP", "AP'"]
    whole = table(our_command("discrim", TEAMS / "qrels", *RUNS, "-m", "AP", "-B", 100, "-f", "csv").out)[0]["share"]
    assert lines[2].split()[-1] == whole
    tidy = table(our_command(*argv, "-f", "csv", "--plain-only").out)
    assert [(row["share"], row["draw"]) for row in tidy][:3] == [("10.0000", "1"), ("10.0000", "2"), ("50.0000", "1")]
    assert (tmp_path / "less.pdf").read_bytes()[:4] == b"%PDF"
    swap = our_command(*argv, "--method", "swap", "-f", "json")
    assert json.loads(swap.out)["downsample"][0]["share_reached"] >= 0


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--curves"], "--curves has many rows, for programs"),
        (["--curves", "-f", "csv", "--method", "swap", "--method", "hsd", "-B", "5"], "--curves takes tests"),
        (["-f", "matrix"], "-f matrix is a layout of scores"),
        (["--replacement", "both"], "--replacement needs --method swap"),
        (["--bin-width", "0.02", "--method", "hsd"], "--bin-width needs --method swap"),
        (["--draws", "3"], "--draws needs --downsample"),
        (["--plain-only"], "--plain-only needs --downsample"),
        (["--downsample", "0,50"], '--downsample: expected percentages such as 10,30,50, found "0,50"'),
        (["--downsample", "5", "--method", "hsd", "--method", "swap"], "--downsample scores the runs again"),
        (["-m", "runid"], "runid has no number for each topic"),
    ],
)
def test_what_makes_no_sense(our_command: Door, argv: list[str], message: str) -> None:
    done = our_command("discrim", TEAMS / "qrels", *RUNS[:3], *argv)
    assert done.status == 2 and done.message.startswith(message)


def test_one_run_cannot_be_compared(our_command: Door) -> None:
    done = our_command("discrim", TEAMS / "qrels", RUNS[0], "-m", "AP")
    assert (done.status, done.message) == (2, "expected two systems and two topics, found 1 and 30")
