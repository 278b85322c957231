"""`ireval correlate`: how alike rankings of the same runs are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ireval.cli.cube import Compared, compared, compared_files, compared_options
from ireval.cli.downsample import Downsampled, downsample_options, downsampled, refuse_downsampling
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
from ireval.cli.study import known, mark, p_cell, signed
from ireval.errors import UsageError
from ireval.write.table import Cell, Column, Table

if TYPE_CHECKING:
    from ireval.core.scores import ScoreCube
    from ireval.studies.correlate import Correlation

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "RR")
COEFFICIENTS = ("tau", "tau_b", "tau_ap", "tau_ap_rev", "tau_ap_sym", "pearson", "spearman", "rbo")

EPILOG = """\b
Examples:
  ireval correlate testdata/teams/qrels testdata/teams/*.run.gz -m AP -m nDCG@10 -m RR
  ireval correlate testdata/teams/qrels testdata/teams/*.run.gz -m AP -m nDCG@10 -m RR -c tau_ap -c rbo
  ireval correlate testdata/teams/qrels testdata/teams/*.run.gz -m AP --qrels testdata/teams/qrels.second
  ireval correlate testdata/teams/qrels testdata/teams/*.run.gz -m AP -m nDCG@10 --downsample 10,30,50,70,90

Exit status: 0 done, 2 usage or bad input, 4 nothing to evaluate.
"""


@click.command("correlate", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@compared_files
@measure_option
@click.option(
    "--qrels",
    "others",
    multiple=True,
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="Other judgements of the same runs: they give rankings of their own. May be repeated.",
)
@click.option(
    "-c",
    "--coefficient",
    "coefficients",
    multiple=True,
    type=click.Choice(COEFFICIENTS),
    help="What to show as a matrix, row by column; may be repeated in formats for reading. Default: tau, and for two "
    "rankings, or in formats for programs, all of them.",
)
@click.option(
    "--rbo-p",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="Persistence of rank-biased overlap.",
)
@click.option(
    "--rbo-ties",
    type=click.Choice(["a", "b", "w"]),
    default="a",
    show_default=True,
    help="Ties in rank-biased overlap: broken in all ways (a), normed so that a ranking agrees with itself (b), or "
    "sharing the first rank (w).",
)
@downsample_options
@seed_option
@plot_option
@compared_options
@output_options
def command(files: tuple[str, ...], measures: tuple[str, ...], **given: Any) -> None:
    """Compare the rankings of runs that several measures make, or one measure under several judgements.

    tau is Kendall's (a pair tied in either ranking counts for neither side), marked ‡ or † where the normal test says
    that it is not 0 at .01 or .05. tau_ap takes the row's ranking as the truth, tau_ap_rev the column's; where the
    truth has ties they are not defined, and tau_ap_sym is Urbano and Marrero's tau_ap_b. With --downsample: tau of each
    measure under random shares of the judgements with itself under all of them.
    """
    from ireval.write.plot import check_plot

    check_format(given)
    check_plot(given["plot"])
    if given["format_name"] not in READING and len(given["coefficients"]) > 1:
        raise UsageError(f"-f {given['format_name']} takes one --coefficient, found {len(given['coefficients'])}")
    if given["downsample"]:
        if given["others"] or given["coefficients"] or given["scores"]:
            raise UsageError("--downsample compares with the full judgements, so it takes no --qrels, -c or --scores")
        _with_less(files, measures or DEFAULT_MEASURES, given)
        return
    refuse_downsampling(given)
    if given["plot"]:
        raise UsageError("--plot draws tau against the share of judgements, so it needs --downsample")
    sources, names, vectors, scored = _rankings(files, measures, given)
    _compare(sources, names, vectors, scored, given)


def _rankings(
    files: Sequence[str], measures: Sequence[str], given: dict[str, Any]
) -> tuple[list[Any], list[str], list[Any], Compared]:
    """The inputs, and for each ranking its name and the score of every run."""
    if given["others"]:
        if given["scores"]:
            raise UsageError("--qrels needs runs to judge, so it does not go with --scores")
        if "-" in (*files, *given["others"]):
            raise UsageError("--qrels has the runs read again, so none of the files can be standard input")
    scored = [compared(files, measures, given, DEFAULT_MEASURES)]
    if given["others"]:
        from ireval.api import run_names

        scored += [compared((other, *files[1:]), measures, given, DEFAULT_MEASURES) for other in given["others"]]
        labels = run_names([files[0], *given["others"]])
        names = [f"{m} ({label})" for one, label in zip(scored, labels, strict=True) for m in one.cube.measures]
        sources = [*scored[0].inputs, *(one.inputs[0] for one in scored[1:])]
    else:
        names, sources = list(scored[0].cube.measures), list(scored[0].inputs)
    vectors = [row for one in scored for row in means(one.cube)]
    if len(vectors[0]) < 2:
        raise UsageError("a ranking needs two runs at least, found one")
    if len(names) < 2:
        raise UsageError("expected two measures or two files of judgements at least, found one ranking")
    return sources, names, vectors, scored[0]


def means(cube: ScoreCube) -> list[Any]:
    """The score of every run by each measure, turned round where low is better; one [S] a measure."""
    import numpy as np

    from ireval.core.scores import aggregate

    signs = [-1.0 if better == "low" else 1.0 for better in cube.better]
    return [
        np.array([sign * aggregate(cube.values[run, v], "mean") for run in range(len(cube.systems))])
        for v, sign in enumerate(signs)
    ]


def _compare(sources: list[Any], names: list[str], vectors: list[Any], scored: Compared, given: dict[str, Any]) -> None:
    import numpy as np

    from ireval.cli.provenance import document, signature
    from ireval.studies.correlate import correlate, correlate_all

    p, ties = given["rbo_p"], given["rbo_ties"]
    found = correlate_all(np.stack(vectors), names, persistence=p, rbo_ties=ties)
    own = [correlate(row, row, (n, n), persistence=p, rbo_ties=ties) for n, row in zip(names, vectors, strict=True)]
    made = signature(
        ["correlate", ",".join(names), f"systems:{len(vectors[0])}", f"rbo:{p:g},{ties}", *scored.signature]
    )
    chosen = given["coefficients"]
    if given["format_name"] in READING:
        if len(found) == 1 and not chosen:
            tables = [_listed(found[0], given)]
        else:
            tables = [_matrix(name, [*own, *found], given) for name in chosen or ("tau",)]
    elif chosen:
        tables = [_matrix(chosen[0], [*own, *found], given)]
    else:
        tables = [_tidy(found, given)]
    if given["format_name"] == "json":
        from dataclasses import replace

        entries = [{name: known(x) if isinstance(x, float) else x for name, x in asdict(one).items()} for one in found]
        tables = [replace(tables[0], document=document(made, sources, correlations=entries))]
    emit(signed(tables, made, given), given["format_name"], given["output"])
    tied = list(
        dict.fromkeys(n for one in found for n, t in ((one.first, one.tied_first), (one.second, one.tied_second)) if t)
    )
    tell([f"{name}: some runs are tied" for name in tied] + list(scored.notes), given["quiet"])


def _listed(one: Correlation, given: dict[str, Any]) -> Table:
    """All coefficients of two rankings, below each other."""
    rows: list[tuple[Cell, ...]] = [("systems", one.n), *((name, known(getattr(one, name))) for name in COEFFICIENTS)]
    least = 10.0 ** -(given["digits"] if given["digits"] > 0 else 4)
    p = f"<{least:g}" if one.p < least / 2 else known(one.p)
    rows[2:2] = [("  z", known(one.z)), ("  p", p)]
    return Table((Column("", "text"), Column(f"{one.first}, {one.second}")), rows, given["digits"])


def _matrix(name: str, found: list[Correlation], given: dict[str, Any]) -> Table:
    """One coefficient of every two rankings, also of each with itself; the row's ranking comes first."""
    reading = given["format_name"] in READING
    names = list(dict.fromkeys(one.first for one in found))
    turned = {"tau_ap": "tau_ap_rev", "tau_ap_rev": "tau_ap"}.get(name, name)
    value: dict[tuple[str, str], Cell] = {}
    for one in found:
        sign = mark(one.p) if reading and name == "tau" and given["digits"] >= 0 else ""
        value[one.second, one.first] = known(getattr(one, turned))
        value[one.first, one.second] = known(getattr(one, name))
        if sign:
            value[one.first, one.second] = value[one.second, one.first] = f"{one.tau:.{given['digits']}f}{sign}"
        if reading and one.first == one.second:
            value[one.first, one.first] = "-"
    rows: list[tuple[Cell, ...]] = [(first, *(value[first, second] for second in names)) for first in names]
    title = f"{name}, {found[0].n} systems" if reading else ""
    return Table((Column(name, "text"), *(Column(other) for other in names)), rows, given["digits"], title=title)


def _tidy(found: list[Correlation], given: dict[str, Any]) -> Table:
    """A row for every two rankings."""
    numbers = ("n", "tau", "z", "p", *COEFFICIENTS[1:])
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        cells = {name: known(x) if isinstance(x := getattr(one, name), float) else x for name in numbers}
        ties = ("yes" if tied else "no" for tied in (one.tied_first, one.tied_second))
        rows.append((one.first, one.second, *{**cells, "p": p_cell(one.p, given)}.values(), *ties))
    texts = [Column("first", "text"), Column("second", "text")]
    tied = [Column("tied_first", "text"), Column("tied_second", "text")]
    return Table((*texts, *(Column(name) for name in numbers), *tied), rows, given["digits"])


# -- with less judgements -------------------------------------------------------------------------------------------


def _with_less(files: Sequence[str], measures: Sequence[str], given: dict[str, Any]) -> None:
    """tau of every measure under random shares of the judgements, with itself under all."""
    from ireval.stats.correlation import kendall

    def compare(full: ScoreCube, less: ScoreCube) -> list[float]:
        return [kendall(a, b).tau for a, b in zip(means(full), means(less), strict=True)]

    found: Downsampled = downsampled(files, measures, given, "correlate", compare)
    found.emit("tau", "tau with the full judgements", given, whole=1.0)
