"""`ireval discrim`: which measure tells systems apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from ireval.cli.cube import Compared, compared, compared_files, compared_options
from ireval.cli.downsample import downsample_options, downsampled, refuse_downsampling
from ireval.cli.options import (
    READING,
    check_format,
    emit,
    measure_option,
    output_options,
    plot_option,
    seed_option,
    tell,
)
from ireval.cli.progress import Progress
from ireval.cli.study import known, records, signed
from ireval.errors import UsageError
from ireval.write.table import Cell, Column, Table

if TYPE_CHECKING:
    from ireval.core.scores import ScoreCube
    from ireval.studies.discrim import Discrimination
    from ireval.studies.swap import Swaps

DEFAULT_MEASURES = ("AP", "Q", "nDCG@10", "P@10", "RR")
METHODS = {"bootstrap": "paired bootstrap test", "hsd": "randomised Tukey HSD", "swap": "swap method"}

EPILOG = """\b
Examples:
  ireval discrim testdata/teams/qrels testdata/teams/*.run.gz -m AP -m nDCG@10 -m RR
  ireval discrim testdata/teams/qrels testdata/teams/*.run.gz -m AP -m RR --method swap
  ireval discrim testdata/teams/qrels testdata/teams/*.run.gz --method hsd --curves -f csv
  ireval discrim testdata/teams/qrels testdata/teams/*.run.gz -m AP -m nDCG@10 --downsample 10,50 --draws 2
  ireval eval testdata/teams/qrels testdata/teams/*.run.gz -m AP -m RR -q -f csv | ireval discrim --scores -

Exit status: 0 done, 2 usage or bad input, 4 nothing to evaluate.
"""


@click.command("discrim", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@compared_files
@measure_option
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice(list(METHODS)),
    help="Test every pair of systems by the paired bootstrap (bootstrap) or all pairs together by the randomised Tukey "
    "HSD (hsd), or see how often two sets of topics contradict each other (swap); may be repeated. Default: the first "
    "two.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level; for swap the swap rate that is acceptable.",
)
@click.option(
    "-B",
    "--samples",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Resamples, or draws of topic sets.",
)
@click.option(
    "--replacement",
    type=click.Choice(["with", "without", "both"]),
    default="with",
    show_default=True,
    help="swap: two bootstrap samples of all topics, two halves that share no topic, or both in turn.",
)
@click.option(
    "--bin-width",
    type=click.FloatRange(0, min_open=True),
    default=0.01,
    show_default=True,
    help="swap: width of the 21 bins of differences; the last has no upper end.",
)
@click.option("--curves", is_flag=True, help="A row for each point of the curves (pair of systems, bin) instead.")
@downsample_options
@seed_option
@plot_option
@compared_options
@output_options
def command(files: tuple[str, ...], measures: tuple[str, ...], **given: Any) -> None:
    """Find out which of several measures tells systems apart best.

    Discriminative power: the share of pairs of systems whose achieved significance level (ASL) is below alpha, on the
    same resamples for every measure, best first. The difference needed is Sakai's estimate for the bootstrap (the
    largest of all pairs), and the smallest difference found significant for HSD. The swap method gives the difference
    from which on two topic sets seldom contradict each other, and the share of comparisons that reach it. With
    --downsample: the share under random shares of the judgements.
    """
    from ireval.write.plot import check_plot

    check_format(given)
    check_plot(given["plot"])
    methods = list(dict.fromkeys(given["methods"]))
    _check_curves(methods, given)
    _check_swap_options(methods)
    if given["downsample"]:
        if given["scores"] or given["curves"] or len(methods) > 1 or given["replacement"] == "both":
            why = "one --method and one --replacement, and no --scores or --curves"
            raise UsageError(f"--downsample scores the runs again and again, so it takes {why}")
        _with_less(files, measures or DEFAULT_MEASURES, (methods or ["bootstrap"])[0], given)
        return
    refuse_downsampling(given)
    scored = compared(files, measures, given, DEFAULT_MEASURES)
    _check_enough(scored.cube)
    _report(scored, methods or ["bootstrap", "hsd"], given)


def _check_curves(methods: Sequence[str], given: dict[str, Any]) -> None:
    """A table has one kind of rows; JSON holds all curves anyway."""
    if given["curves"] and given["format_name"] in READING:
        raise UsageError("--curves has many rows, for programs: it takes -f csv, tsv, json or jsonl")
    if given["curves"] and given["format_name"] != "json" and "swap" in methods and len(methods) > 1:
        raise UsageError("--curves takes tests (bootstrap, hsd) or the swap method, not both at once, but in -f json")


def _check_swap_options(methods: Sequence[str]) -> None:
    """Options that would do nothing without the swap method."""
    context = click.get_current_context()
    for name in ("replacement", "bin_width"):
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and "swap" not in methods:
            raise UsageError(f"--{name.replace('_', '-')} needs --method swap")


def _check_enough(cube: ScoreCube) -> None:
    if len(cube.systems) < 2 or len(cube.topics) < 2:
        raise UsageError(f"expected two systems and two topics, found {len(cube.systems)} and {len(cube.topics)}")


def _report(scored: Compared, methods: Sequence[str], given: dict[str, Any]) -> None:
    from ireval.cli.provenance import document, signature

    how = [f"method:{'+'.join(methods)}", f"alpha:{given['alpha']:g}", f"B:{given['samples']}", f"seed:{given['seed']}"]
    if "swap" in methods:
        how += [f"replacement:{given['replacement']}", f"bin:{given['bin_width']:g}"]
    made = signature(["discrim", ",".join(scored.cube.measures), *how, *scored.signature])
    tests: list[Discrimination] = []
    swaps: list[tuple[str, Swaps]] = []
    sides = {"both": ("with", "without")}.get(given["replacement"], (given["replacement"],))
    steps = len([m for m in methods if m != "swap"]) + (len(sides) if "swap" in methods else 0)
    with Progress(steps * len(scored.cube.measures), "testing", given["quiet"]) as bar:
        for method in methods:
            done = len(tests) + len(swaps)
            if method == "swap":
                for side in sides:
                    swaps += [(side, one) for one in _swapped(scored.cube, side, given, bar, len(tests) + len(swaps))]
            else:
                tests += _tested(scored.cube, method, given, bar, done)
    if given["format_name"] in READING:
        tables = _reading(tests, swaps, scored, given)
    elif given["curves"] or given["format_name"] == "json":
        tables = _curves(tests, swaps, scored.cube.systems, given)
    else:
        tables = [_tidy(tests, swaps, given)]
    if given["format_name"] == "json":
        from dataclasses import replace

        curves = [row for table in tables for row in records(table)]
        summary = records(_tidy(tests, swaps, given))
        tables = [replace(tables[0], document=document(made, scored.inputs, discrim=summary, curves=curves))]
    emit(signed(tables, made, given), given["format_name"], given["output"])
    if given["plot"]:
        _draw(tests, swaps, given)
    tell(scored.notes, given["quiet"])


def _ticking(cube: ScoreCube, bar: Progress, before: int, method: str) -> Callable[[int, int], None]:
    """The callback of a method on all measures; before: how many measures other methods have done already."""
    return lambda done, of: bar.update(before + len(cube.measures) * done / of, method)


def _tested(cube: ScoreCube, method: str, given: dict[str, Any], bar: Progress, done: int) -> list[Discrimination]:
    from ireval.studies.discrim import best_first, discriminate_all

    how = {name: given[name] for name in ("samples", "seed", "alpha", "jobs")}
    return best_first(discriminate_all(cube, method, **how, progress=_ticking(cube, bar, done, method)))


def _swapped(cube: ScoreCube, side: str, given: dict[str, Any], bar: Progress, done: int) -> list[Swaps]:
    from ireval.studies.swap import swap_all

    found = swap_all(
        cube,
        samples=given["samples"],
        seed=given["seed"],
        replacement=side == "with",
        limit=given["alpha"],
        width=given["bin_width"],
        progress=_ticking(cube, bar, done, "swap"),
    )
    return sorted(found, key=lambda one: -one.share)


# -- tables ---------------------------------------------------------------------------------------------------------


def _reading(
    tests: Sequence[Discrimination], swaps: Sequence[tuple[str, Swaps]], scored: Compared, given: dict[str, Any]
) -> list[Table]:
    """As Tables 4 and 3 of Sakai's paper of 2006: one for each test, one for the swap method."""
    size = f"{len(scored.cube.systems)} systems, {len(scored.cube.topics)} topics"
    tables = []
    for method in dict.fromkeys(one.test for one in tests):
        rows: list[tuple[Cell, ...]] = [
            (one.measure, f"{one.significant} of {one.pairs}", _percent(one.share), _two_digits(one.required))
            for one in tests
            if one.test == method
        ]
        columns = (Column("measure", "text"), *map(Column, ("pairs significant", "share", "difference needed")))
        title = f"{METHODS[method]}, ASL < {given['alpha']:g}, B {given['samples']}: {size}"
        tables.append(Table(columns, rows, given["digits"], title=title))
    for side in dict.fromkeys(side for side, _ in swaps):
        tables.append(_swap_table(side, [one for s, one in swaps if s == side], size, given))
    return tables


def _swap_table(side: str, swaps: Sequence[Swaps], size: str, given: dict[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            one.measure,
            _two_digits(one.required),
            one.largest_mean,
            one.largest_difference,
            _percent(one.ratio),
            _percent(one.share),
        )
        for one in swaps
    ]
    names = ("difference", "max mean", "max diff", "ratio", "share")
    title = f"swap rate <= {given['alpha']:g}, {side} replacement, B {given['samples']}: {size}"
    footer = ("ratio: difference needed / largest mean; share: comparisons that reach the difference.",)
    columns = (Column("measure", "text"), *map(Column, names))
    return Table(columns, rows, given["digits"], title=title, footer=footer)


def _percent(share: float) -> str:
    return "-" if share != share else f"{100 * share:.1f} %"


def _two_digits(value: float) -> str:
    """Two significant figures, as Sakai has them."""
    return "-" if value != value else f"{value:.2f}" if value >= 0.1 or value == 0 else f"{float(f'{value:.2g}'):g}"


_SUMMARY = ("pairs", "significant", "share", "required", "largest_mean", "largest_difference", "ratio")


def _tidy(tests: Sequence[Discrimination], swaps: Sequence[tuple[str, Swaps]], given: dict[str, Any]) -> Table:
    """A row for each method and measure; what a method does not have is empty."""
    rows: list[tuple[Cell, ...]] = [
        (one.test, one.measure, one.pairs, one.significant, one.share, known(one.required), None, None, None)
        for one in tests
    ]
    rows += [
        (
            f"swap-{side}",
            one.measure,
            int(one.count.sum()) // given["samples"],
            None,
            one.share,
            known(one.required),
            one.largest_mean,
            one.largest_difference,
            known(one.ratio),
        )
        for side, one in swaps
    ]
    columns = (Column("method", "text"), Column("measure", "text"), *map(Column, _SUMMARY))
    return Table(columns, rows, given["digits"])


def _curves(
    tests: Sequence[Discrimination], swaps: Sequence[tuple[str, Swaps]], names: Sequence[str], given: dict[str, Any]
) -> list[Table]:
    """The curves of the tests, then those of the swap method; names: of the systems."""
    tables = [_asl_curves(tests, names, given)] if tests else []
    return [*tables, _swap_curves(swaps, given)] if swaps else tables


def _asl_curves(tests: Sequence[Discrimination], names: Sequence[str], given: dict[str, Any]) -> Table:
    """ASL of every pair from high to low."""
    rows: list[tuple[Cell, ...]] = []
    for test in tests:
        order = sorted(range(test.pairs), key=lambda pair, asl=test.asl: (-asl[pair], pair))  # type: ignore[misc]
        for place, pair in enumerate(order, 1):
            systems = names[int(test.first[pair])], names[int(test.second[pair])]
            numbers = float(test.difference[pair]), int(test.count[pair]), float(test.asl[pair])
            rows.append((test.test, test.measure, place, *systems, *numbers))
    columns = [Column("method", "text"), Column("measure", "text"), Column("place")]
    columns += [Column("first", "text"), Column("second", "text"), Column("difference"), Column("count"), Column("asl")]
    return Table(tuple(columns), rows, given["digits"])


def _swap_curves(swaps: Sequence[tuple[str, Swaps]], given: dict[str, Any]) -> Table:
    """Swap rate of every bin."""
    rows: list[tuple[Cell, ...]] = []
    for side, one in swaps:
        for place, (count, rate) in enumerate(zip(one.count.tolist(), one.rate.tolist(), strict=True)):
            rows.append((f"swap-{side}", one.measure, place * one.width, count, int(one.swapped[place]), known(rate)))
    heads = ("from", "comparisons", "swapped", "swap_rate")
    return Table((Column("method", "text"), Column("measure", "text"), *map(Column, heads)), rows, given["digits"])


def _draw(tests: Sequence[Discrimination], swaps: Sequence[tuple[str, Swaps]], given: dict[str, Any]) -> None:
    from ireval.write.plot_study import Panel, draw_panels

    panels = []
    for method in dict.fromkeys(one.test for one in tests):
        curves = {
            one.measure: (list(range(1, one.pairs + 1)), one.curve.tolist()) for one in tests if one.test == method
        }
        panels.append(Panel(METHODS[method], curves, "pairs of systems, sorted by ASL", "ASL", given["alpha"], 0.15))
    for side in dict.fromkeys(side for side, _ in swaps):
        rates = {
            one.measure: ([place * one.width for place in range(len(one.rate))], one.rate.tolist())
            for s, one in swaps
            if s == side
        }
        panels.append(Panel(f"{side} replacement", rates, "difference", "swap rate", given["alpha"]))
    draw_panels(panels, given["plot"])


# -- with less judgements -------------------------------------------------------------------------------------------


def _with_less(files: Sequence[str], measures: Sequence[str], method: str, given: dict[str, Any]) -> None:
    """Discriminative power under random shares of the judgements."""
    quiet = Progress(1, "", quiet=True)

    def power(_: ScoreCube, less: ScoreCube) -> list[float]:
        _check_enough(less)
        if method == "swap":
            shares = {one.measure: one.share for one in _swapped(less, given["replacement"], given, quiet, 0)}
        else:
            shares = {one.measure: one.share for one in _tested(less, method, given, quiet, 0)}
        return [shares[measure] for measure in less.measures]

    found = downsampled(
        files, measures, given, f"discrim|method:{method}|alpha:{given['alpha']:g}|B:{given['samples']}", power
    )
    whole = power(found.full, found.full)
    what = "share of comparisons that reach the difference" if method == "swap" else "share of pairs significant"
    found.emit(
        "share_significant" if method != "swap" else "share_reached", f"{what} ({METHODS[method]})", given, whole
    )
