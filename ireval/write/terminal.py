"""The table on a terminal: as wide as the window, the best values in bold and colour. Only this writer knows rich."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from ireval.write.plain import GAP, laid_out
from ireval.write.table import Table

NARROWEST = 40


def print_table(table: Table) -> None:
    """Write the table to standard output, in several blocks where it is wider than the window."""
    console = Console(highlight=False, soft_wrap=True)
    width = max(NARROWEST, console.width)
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
    if table.signature:
        console.print(Text(table.signature, "dim"))
