"""What `session`, `answers` and `rouge` have in common: how measures are asked for, and how scores are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ireval.cli.options import emit, tell
from ireval.cli.scored import ONE_RUN, check_layout, coverage_notes
from ireval.errors import UsageError

if TYPE_CHECKING:
    from ireval.api import ScoredRuns
    from ireval.measures.spec import Request
    from ireval.notes import Terms
    from ireval.read.source import Source


def beyond_measure_option(needs: str, examples: str) -> Callable[[Any], Any]:
    """-m for the measures that need something other than ranked lists."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from ireval.measures.registry import measures_needing

        names = {r.label + ("@10" if r.cutoff else "") for r in measures_needing(needs).values()}
        return sorted(name for name in names if name.startswith(incomplete))

    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        shell_complete=complete,
        metavar="MEASURE",
        help=f"A measure, such as {examples}; may be repeated. `ireval measures` lists all.",
    )


all_topics_option = click.option(
    "--topics",
    type=click.Choice(["all", "both"]),
    default="all",
    show_default=True,
    help="all: a topic or text that a system lacks counts as 0; both: only those that all systems have.",
)

tokens_option = click.option(
    "--tokens",
    type=click.Choice(["words", "ascii", "blanks", "characters"]),
    default="words",
    show_default=True,
    help="What a word is: a run of letters and digits of any script, in lower case (words), of a-z and 0-9 (ascii, as "
    "the package rouge-score has it), what stands between blanks (blanks), or a single character (characters).",
)


def check_request(requests: list[Request], systems: int, given: Mapping[str, Any]) -> None:
    """Refuse layouts that have no place for these scores."""
    if given["format_name"] in (*ONE_RUN, "ndeval"):
        raise UsageError(f"-f {given['format_name']} is about ranked lists; use -f csv or -f json")
    check_layout(given["format_name"], requests, systems)


def refuse_two_pipes(paths: Sequence[str | None]) -> None:
    """Standard input can be read only once."""
    if list(paths).count("-") > 1:
        raise UsageError("standard input can be only one of the files")


def show(
    results: ScoredRuns,
    inputs: Sequence[Source],
    files: Sequence[str],
    given: Mapping[str, Any],
    scoring: Sequence[str],
    terms: Terms,
) -> None:
    """Print the scores, and what they leave out. scoring: how they were made, as parts of the signature."""
    from ireval.cli.score_report import ScoreReport

    report = ScoreReport(results, len(results.requests), inputs, files, given, scoring)
    emit(report.table(), given["format_name"], given["output"])
    tell(coverage_notes(results, given, terms), given["quiet"])
