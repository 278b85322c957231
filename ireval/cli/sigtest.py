"""`ireval sigtest`: is the difference real?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ireval.cli.cube import Compared, compared, compared_files, compared_options
from ireval.cli.options import check_format, emit, measure_option, output_options, plot_option, seed_option, tell
from ireval.errors import UsageError

if TYPE_CHECKING:
    from ireval.studies.sigtest import Comparison

DEFAULT_MEASURES = ("AP", "nDCG@10")
TESTS = ("bootstrap", "randomisation", "sign", "t", "wilcoxon", "unpaired", "hsd", "tukey", "anova", "friedman")
CORRECTIONS = ("none", "bonferroni", "holm", "bh")

EPILOG = """\b
Examples:
  ireval sigtest testdata/sample/qrels testdata/sample/*.run -m nDCG@10
  ireval sigtest testdata/sample/qrels testdata/sample/*.run -m AP --test t --baseline bm25 --power
  ireval sigtest testdata/sample/qrels testdata/sample/*.run -m AP -m nDCG@10 -f latex
  ireval eval testdata/sample/qrels testdata/sample/*.run -m AP -q -f csv | ireval sigtest --scores - --test bootstrap

Exit status: 0 done (whether systems differ or not), 2 usage or bad input, 4 nothing to test.
"""


@click.command("sigtest", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@compared_files
@measure_option
@click.option(
    "--test",
    type=click.Choice(TESTS),
    help="Of pairs: bootstrap (paired, studentised), randomisation, sign, t (paired), wilcoxon, unpaired (bootstrap of "
    "any --statistic). Of all systems at once: hsd (randomised Tukey HSD), tukey (on the two-way ANOVA). Whether any "
    "systems differ: anova, friedman. Default: hsd for three systems or more, randomisation for two.",
)
@click.option("--baseline", metavar="SYSTEM", help="Compare each system with this one only.")
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default="holm",
    show_default=True,
    help="For tests of pairs: keeps the chance of any error (bonferroni, holm) or the share of errors among the pairs "
    "found (bh, Benjamini-Hochberg) below alpha.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level; intervals are of 1 - alpha.",
)
@click.option(
    "-B",
    "--samples",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Resamples or permutations.",
)
@seed_option
@click.option(
    "--statistic",
    type=click.Choice(["mean", "gmean", "median"]),
    default="mean",
    show_default=True,
    help="What --test unpaired compares: mean, geometric mean or median.",
)
@click.option("--power", is_flag=True, help="Power of a paired t-test for the effect found, and topics for 80 %.")
@click.option("--pairs/--no-pairs", default=None, help="Show each pair (by default when there are at most 10).")
@plot_option
@compared_options
@output_options
def command(files: tuple[str, ...], measures: tuple[str, ...], **given: Any) -> int:
    """Test whether differences between systems are real.

    Give judgements and runs, or scores by topic that some tool has computed (--scores). Systems are sorted by their
    mean; those that share a letter cannot be told apart. With every p stand the difference, its confidence interval,
    the effect size and the topics won, tied and lost. --jobs is also the number of threads that resample.
    """
    from ireval.write.plot import check_plot

    _check(given)
    check_plot(given["plot"])
    own = {"missing": "left out of its scores"} if given["test"] == "unpaired" else {}
    found = compared(files, measures, given, DEFAULT_MEASURES, **own)
    comparisons = _tested(found, files, given)
    from ireval.cli.sigtest_report import tables
    from ireval.cli.sigtest_words import notes

    emit(tables(comparisons, found, given), given["format_name"], given["output"])
    if given["plot"]:
        from ireval.write.plot import save_figure
        from ireval.write.plot_sigtest import draw

        save_figure(draw([_panel(one) for one in comparisons]), given["plot"])
    tell([*found.notes, *notes(comparisons)], given["quiet"])
    return 0


def _check(given: dict[str, Any]) -> None:
    """Refuse what would do nothing."""
    check_format(given)
    if given["plot"] and given["test"] == "unpaired":
        raise UsageError("--plot shows differences by topic, which the unpaired test does not look at")
    source = click.get_current_context().get_parameter_source
    asked = source("correction") is click.core.ParameterSource.COMMANDLINE
    if asked and given["test"] in ("hsd", "tukey", "anova", "friedman"):
        raise UsageError(f"the p of --test {given['test']} hold for all pairs together, so --correction does nothing")


def _tested(found: Compared, files: Sequence[str], given: dict[str, Any]) -> list[Comparison]:
    """Every measure tested, with a progress bar."""
    from ireval.cli.progress import Progress
    from ireval.stats.registry import Resampling
    from ireval.studies.sigtest import Request, compare

    with Progress(1, "testing", given["quiet"]) as bar:
        comparisons = []
        for row, measure in enumerate(found.cube.measures):

            def tick(done: int, total: int, measure: str = measure) -> None:
                bar.update(done, measure, total)

            how = Resampling(given["samples"], given["seed"], given["alpha"], jobs=given["jobs"], progress=tick)
            request = Request(
                given["test"] or "",
                given["correction"],
                _baseline(found, files, given["baseline"]),
                given["statistic"],
                given["power"],
                bool(given["scores"]),
                how,
            )
            comparisons.append(compare(found.cube, row, request))
    return comparisons


def _baseline(found: Compared, files: Sequence[str], baseline: str | None) -> str | None:
    """The system that is meant: by its name, or by the file of a run."""
    if baseline is None or baseline in found.cube.systems or baseline not in files[1:]:
        return baseline
    from ireval.api import run_names

    return run_names(files[1:])[files[1:].index(baseline)]


def _panel(one: Comparison) -> dict[str, Any]:
    """Plain numbers of a comparison, for the picture."""
    from ireval.cli.sigtest_report import short_marks
    from ireval.stats.effect import t_half_widths

    marks = short_marks(one)
    order = list(one.order)
    half = t_half_widths(one.values, one.alpha)
    base = one.baseline if one.baseline is not None else order[1]
    top = next(system for system in order if system != base)
    return {
        "measure": one.measure,
        "systems": [one.systems[s] for s in order],
        "means": [float(one.values[s].mean()) for s in order],
        "half": [float(half[s]) for s in order],
        "letters": [marks[s] for s in order],
        "confidence": 100 * (1 - one.alpha),
        "pair": (one.systems[top], one.systems[base]),
        "differences": sorted((one.values[top] - one.values[base]).tolist(), reverse=True),
    }
