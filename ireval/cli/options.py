"""Options and output that our commands share, so that they stay alike."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import click

from ireval.errors import UsageError
from ireval.notes import quiet
from ireval.write.output import put, write_whole
from ireval.write.table import FORMATS, Table, writer

F = TypeVar("F", bound=Callable[..., Any])


def output_options(command: F) -> F:
    """-f, -o, --digits, --quiet and --signature."""
    for option in reversed(
        [
            click.option(
                "-f",
                "--format",
                "format_name",
                type=click.Choice(list(FORMATS)),
                default="table",
                show_default=True,
                envvar="IREVAL_FORMAT",
                help="Layout of the output.",
            ),
            click.option(
                "-o", "--output", type=click.Path(dir_okay=False), help="Write to this file, whole or not at all."
            ),
            click.option(
                "--digits",
                type=click.IntRange(-1, 17),
                default=4,
                show_default=True,
                help="Decimals; -1: the shortest text that reads back exactly.",
            ),
            click.option(
                "--signature", is_flag=True, help="Add a line that says how the numbers were made (JSON always has it)."
            ),
            click.option(
                "--quiet",
                is_flag=True,
                callback=lambda ctx, param, given: given or quiet(),
                help="No notes on stderr (so does IREVAL_QUIET=1).",
            ),
        ]
    ):
        command = option(command)
    return command


def report_options(command: F) -> F:
    """-q, --ci and --seed: what is said of the scores."""
    return per_topic_option(ci_option(seed_option(command)))


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of measures for the shell's completion."""
    from ireval.measures.registry import all_measures
    from ireval.measures.spec import NICKNAMES

    records = all_measures()
    names = {*NICKNAMES, *records}
    for record in records.values():
        cut = "@10" if record.cutoff else ""
        names.add(record.label + cut)
        if record.needs == "levels" and record.kind == "score" and record.per_topic:
            names |= {f"{lens}-{record.label}{cut}" for lens in ("D", "D#", "DIN", "DIN#")} | {
                f"{record.label}-IA{cut}"
            }
    return sorted(name for name in names if name.startswith(incomplete))


measure_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    shell_complete=complete_measure,
    metavar="MEASURE",
    help="A measure or set, such as AP, nDCG@10, P(rel=2)@5, ndcg_cut.5,10, official; may be repeated. "
    "`ireval measures` lists all.",
)


per_topic_option = click.option(
    "-q", "--per-topic", is_flag=True, help='A row for every topic as well as the summary (topic "all").'
)

ci_option = click.option(
    "--ci",
    type=click.FloatRange(1, 99.99),
    metavar="PERCENT",
    help="Confidence interval of each mean, by bootstrap over topics (2000 resamples).",
)

seed_option = click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, envvar="IREVAL_SEED", help="Seed of random draws."
)

plot_option = click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw a picture into this file too (png, svg or pdf; needs matplotlib, the extra `plot`).",
)

READING = ("table", "markdown", "latex")
"""Layouts for people: several tables may follow each other. The others are for programs and hold one table."""

STUDY_FORMATS = (*READING, "csv", "tsv", "json", "jsonl")
"""Layouts that any table can be written in; the others hold scores and nothing else."""


def check_format(given: Mapping[str, Any]) -> None:
    """Refuse layouts that hold scores and nothing else, before any work is done."""
    if given["format_name"] not in STUDY_FORMATS:
        raise UsageError(f"-f {given['format_name']} is a layout of scores; this takes {', '.join(STUDY_FORMATS)}")


def emit(tables: Table | Sequence[Table], format_name: str, output: str | None) -> None:
    """Write tables to the file, or to standard output (in colour where that is a terminal).

    Only the layouts of READING take several; a command hands over one tidy table for the others.
    """
    tables = [tables] if isinstance(tables, Table) else list(tables)
    if format_name not in READING and len(tables) != 1:
        raise AssertionError(f"{format_name} takes one table, found {len(tables)}")
    if output is None and format_name == "table" and sys.stdout.isatty():
        from ireval.write.terminal import print_tables

        print_tables(tables)
        return
    text = "\n".join(map(writer(format_name), tables)).encode("utf-8", "surrogateescape")
    if output is not None and output != "-":
        write_whole(output, text)
    else:
        put(text)  # when the reader has seen enough, gates count all the same


def tell(notes: Iterable[str], silent: bool) -> None:
    """Notes on stderr."""
    for note in () if silent else notes:
        print(f"ireval: {note}", file=sys.stderr)
