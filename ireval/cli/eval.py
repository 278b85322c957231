"""`ireval eval`: many runs, any measure, any layout."""

from __future__ import annotations

import math
import os
import sys
from typing import Any

import click

from ireval.cli.options import ci_option, emit, measure_option, output_options, per_topic_option, seed_option, tell
from ireval.cli.scored import (
    DIVERSITY_FILES,
    ONE_RUN,
    check_layout,
    coverage_notes,
    further_inputs,
    score,
    scoring_options,
    settings_of,
)
from ireval.errors import UsageError, printable
from ireval.write.output import write_whole

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "R@100", "RR")

EPILOG = """\b
Examples:
  ireval eval testdata/sample/qrels testdata/sample/*.run
  ireval eval testdata/sample/qrels testdata/sample/*.run -m AP -m nDCG@10 --ci 95
  ireval eval testdata/sample/qrels testdata/sample/bm25.run -m official -f trec
  ireval eval testdata/sample/qrels testdata/sample/bm25.run -f nev --gains 1:3:7 --cutoffs 10
  ireval eval testdata/diversity/qrels testdata/diversity/*.run -m D#-nDCG@10 -m alpha-nDCG@10
  zcat run.gz | ireval eval testdata/sample/qrels - -m "P(rel=2)@5" -q -f csv

Exit status: 0 done, 1 a gate (--min, --max-drop) was not met, 2 usage or bad input, 4 nothing to evaluate.
"""


@click.command("eval", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", nargs=-1, required=True, type=click.Path(allow_dash=True))
@measure_option
@per_topic_option
@click.option(
    "--cutoffs",
    metavar="K,K,...",
    help="Cutoffs of the measures that -f nev writes when none is named (default 1,5,10,1000); -f Dnev and its like "
    "take one (default 10).",
)
@click.option(
    "--aggregate",
    default="mean",
    show_default=True,
    metavar="mean,gmean,median",
    help="How topics are summed up; several, with commas between them, give a column each.",
)
@click.option(
    "--standardise",
    type=click.Choice(["z", "cdf"]),
    help="Scores in standard deviations from the mean over runs of their topic (z), or their place in the "
    "normal distribution (cdf).",
)
@click.option(
    "--zscores",
    type=click.Path(allow_dash=True),
    help="With --standardise: means and deviations from this file (trec_eval's -Z) instead of the runs.",
)
@click.option(
    "--write-zscores",
    type=click.Path(dir_okay=False),
    help="Write the mean and deviation of each topic and measure over the runs, as trec_eval -Z reads them.",
)
@ci_option
@seed_option
@click.option("--baseline", metavar="RUN", help="Show the difference of each run to this one (a run's file or name).")
@click.option("--min", "at_least", multiple=True, metavar="MEASURE=VALUE", help="Gate: exit 1 when a run is below.")
@click.option(
    "--max-drop",
    "max_drop",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Gate: exit 1 when a run is further below the baseline.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw I-rec against D-nDCG, a point for each run, with lines of equal D#-nDCG (png, svg or pdf; needs "
    "matplotlib, the extra `plot`, and judgements of intents).",
)
@scoring_options
@output_options
def command(qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], **given: Any) -> int:
    """Score RUNS against the judgements QRELS.

    Files are plain or compressed (gz, bz2, xz); - is standard input. Runs are named by the shortest ending of their
    path that tells them apart.
    """
    from ireval.api import as_source, standardised, zscore_lines
    from ireval.cli.diversity_plot import draw, plot_requests
    from ireval.cli.nev import FACTS, DiversityFile, cutoffs_of, nev_requests
    from ireval.measures.ndeval_names import columns as ndeval_columns
    from ireval.measures.spec import Request, parse_measures, with_aggregates
    from ireval.write.plot import check_plot

    check_plot(given["plot"])
    settings = settings_of(given)
    at_least, max_drop = ([_gate(text) for text in given[option]] for option in ("at_least", "max_drop"))
    if any(limit < 0 for _, limit in max_drop):
        raise UsageError("--max-drop: expected a drop from 0 on")
    if max_drop and not given["baseline"]:
        raise UsageError("--max-drop needs --baseline")
    source, layout = as_source(qrels), given["format_name"]
    judged: Any = source
    preset, diversity_file = [], None
    if layout in (*DIVERSITY_FILES, "ndeval"):
        _check_preset(layout, given)
    if layout in DIVERSITY_FILES:
        judged, given["depth"] = _judged_by_intent(source, given), cutoffs_of(given)[0]
        diversity_file = DiversityFile(layout, given, settings, judged)
        preset = diversity_file.requests
    elif layout == "ndeval":
        preset = [Request(column.spec, column.name) for column in ndeval_columns()]
        given["per_topic"] = True
    elif layout == "nev" and not measures:
        preset = nev_requests(given, settings)
    if preset and measures:
        raise UsageError(f"-f {layout} has its own set of measures, so that it does not go with -m")
    wanted = preset or parse_measures(measures or DEFAULT_MEASURES, settings)
    shown = with_aggregates(wanted, _aggregates(given["aggregate"]))
    check_layout(given["format_name"], shown, len(runs))
    _check_options(given)
    gated = parse_measures([name for name, _ in (*at_least, *max_drop)], settings)
    for request in gated:
        if request.spec.measure.kind == "text" or request.spec.name == "runid":
            raise UsageError(f"{request.label} is not a number, so it cannot be a gate")
    if layout == "nev":
        gated += parse_measures(FACTS, settings)  # for the comment lines that begin each topic
    plotted = plot_requests(shown, settings) if given["plot"] else []
    known = {(request.spec, request.how) for request in shown}
    extra = [request for request in (*gated, *plotted) if (request.spec, request.how) not in known]
    inputs = [as_source(run) for run in _with_baseline(runs, given["baseline"])]
    results = score(judged, inputs, [*shown, *extra], given, others=[given["zscores"]].count("-"))
    from ireval.cli.report import Report

    raw = results
    if given["standardise"]:
        results = standardised(results, given["standardise"], as_source(given["zscores"]) if given["zscores"] else None)
    report = Report(
        results,
        len(shown),
        source,
        inputs,
        given,
        further=further_inputs(given),
        baseline=_baseline_index(results.runs, inputs, given["baseline"]),
        baseline_listed=len(inputs) == len(runs),
        diversity_file=diversity_file,
    )
    emit(report.table(), given["format_name"], given["output"])
    if given["plot"]:
        draw(raw, plotted, given["plot"])
    if given["write_zscores"]:
        write_whole(given["write_zscores"], zscore_lines(raw))
    tell(coverage_notes(results, given), given["quiet"])
    failures = report.gate_failures(at_least, max_drop, settings)
    for failure in failures:
        print(f"ireval: {printable(failure, 400)}", file=sys.stderr)
    return 1 if failures else 0


def _check_preset(layout: str, given: dict[str, Any]) -> None:
    """A layout with its own measures says nothing else about them."""
    for name in ("ci", "standardise"):
        if given[name]:
            raise UsageError(f"-f {layout} has no place for --{name}")
    if given["aggregate"] != "mean":
        raise UsageError(f"-f {layout} has no place for --aggregate {given['aggregate']}")


def _judged_by_intent(source: Any, given: dict[str, Any]) -> Any:
    """The judgements, read before the runs: how many intents there are decides what is asked for."""
    from ireval.api import read_qrels

    layout, form = given["format_name"], given["qrels_format"]
    if (source.path, given["intents"]) == ("-", "-"):
        raise UsageError("standard input can be only one of the files")
    if given["depth"] is not None:
        raise UsageError(f"-f {layout} cuts the run at its cutoff, so that it does not go with --depth")
    if form not in ("qrels", "diversity", "ntcir_diversity"):
        raise UsageError(f"-f {layout} needs judgements of intents, not {form}")
    form = "diversity" if form == "qrels" else form
    return read_qrels(
        source, format=form, on_duplicate=given["on_duplicate"], intents=given["intents"], over=given["over"]
    )


def _check_options(given: dict[str, Any]) -> None:
    """Refuse options that would do nothing beside, or against, each other."""
    if given["zscores"] and not given["standardise"]:
        raise UsageError("--zscores needs --standardise")
    if given["baseline"] and given["format_name"] in (*ONE_RUN, "ndeval", "matrix", "means"):
        raise UsageError(f"-f {given['format_name']} has no place for a baseline")
    if given["standardise"] and (given["at_least"] or given["max_drop"]):
        raise UsageError("gates are about the scores themselves, so they do not go with --standardise")
    if given["standardise"] == "z" and "gmean" in given["aggregate"]:
        raise UsageError("standard deviations may be negative, so they have no geometric mean (gmean)")


def _aggregates(text: str) -> list[str]:
    """`mean,median` -> its parts."""
    from ireval.measures.spec import AGGREGATES

    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if part not in AGGREGATES:
            raise UsageError(f'--aggregate: expected {", ".join(AGGREGATES)}, found "{part}"')
    return list(dict.fromkeys(parts))


def _gate(text: str) -> tuple[str, float]:
    """`nDCG@10=.4` -> its parts; the last = counts, since parameters may have one."""
    name, _, value = text.rpartition("=")
    try:
        if not name or math.isnan(float(value)):
            raise ValueError
        return name.strip(), float(value)
    except ValueError:
        raise UsageError(f'expected MEASURE=VALUE such as nDCG@10=.4, found "{text}"') from None


def _with_baseline(runs: tuple[str, ...], baseline: str | None) -> list[str]:
    """The runs, and the baseline before them when it is a file that is not among them; a run's name comes first."""
    from ireval.api import run_names

    if baseline is None or baseline in (*runs, *run_names(runs)) or not os.path.exists(baseline):
        return list(runs)
    if any(os.path.exists(run) and os.path.samefile(run, baseline) for run in runs):
        return list(runs)
    return [baseline, *runs]


def _baseline_index(names: tuple[str, ...], inputs: list[Any], baseline: str | None) -> int | None:
    """Which run is the baseline: by name, or by file."""
    if baseline is None:
        return None
    paths = [source.path for source in inputs]
    for known in (paths, list(names)):
        if baseline in known:
            return known.index(baseline)
    for i, path in enumerate(paths):
        if os.path.exists(baseline) and os.path.exists(path) and os.path.samefile(baseline, path):
            return i
    raise UsageError(f'--baseline: no run "{baseline}"; there are {", ".join(names)}')
