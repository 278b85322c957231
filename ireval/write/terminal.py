"""The table on a terminal: as wide as the window, the best values in bold and colour. Only this writer knows rich."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from ireval.errors import printable
from ireval.write.plain import GAP, laid_out
from ireval.write.table import Table

NARROWEST = 40


def print_tables(tables: Sequence[Table]) -> None:
    """Write tables to standard output, each in several blocks where it is wider than the window."""
    console = Console(highlight=False, soft_wrap=True)
    for n, table in enumerate(tables):
        if n:
            console.print()
        _print(console, table)


def _print(console: Console, table: Table) -> None:
    width = max(NARROWEST, console.width)
    for words in textwrap.wrap(printable(table.title, 2000), width):
        console.print(Text(words, "bold"))
    for n, block in enumerate(laid_out(table, width)):
        if n:
            console.print()
        for r, cells in enumerate(block):
            line = Text()
            for i, cell in enumerate(cells):
                if i:
                    line.append(GAP)
                style = "bold" if r == 0 else "bold green" if cell.endswith("*") else ""
                line.append(cell, style)
            line.rstrip()
            console.print(line)
    for sentence in table.footer:
        for words in textwrap.wrap(printable(sentence, 2000), width):
            console.print(Text(words))
    if table.signature:
        console.print(Text(table.signature, "dim"))
