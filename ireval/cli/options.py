"""Options and output that our commands share, so that they stay alike."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ireval.errors import UsageError, os_reason, printable
from ireval.notes import quiet
from ireval.write.output import put
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


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of measures for the shell's completion."""
    from ireval.measures.registry import all_measures
    from ireval.measures.spec import NICKNAMES

    names = {*NICKNAMES, *(r.label + ("@10" if r.cutoff else "") for r in all_measures().values()), *all_measures()}
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


def emit(table: Table, format_name: str, output: str | None) -> None:
    """Write the table to the file, or to standard output (in colour where that is a terminal)."""
    if output is None and format_name == "table" and sys.stdout.isatty():
        from ireval.write.terminal import print_table

        print_table(table)
        return
    text = writer(format_name)(table).encode("utf-8", "surrogateescape")
    if output is not None and output != "-":
        write_whole(output, text)
    else:
        put(text)  # when the reader has seen enough, gates count all the same


def write_whole(path: str, text: bytes) -> None:
    """Write a file so that nobody ever sees half of it. A device or a pipe is written to, a link followed."""
    path = os.path.realpath(path)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as out:
                out.write(text)
            return
        handle, temporary = tempfile.mkstemp(prefix=".ireval-", dir=os.path.dirname(path))
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(text)
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise UsageError(f"{printable(path)}: cannot be written: {os_reason(error)}") from None
