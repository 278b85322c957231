"""The table for reading, as plain text: columns aligned, the best value of each marked with a star."""

from __future__ import annotations

from ireval.errors import printable
from ireval.write.table import Table

GAP = "  "


def laid_out(table: Table, width: int | None = None, shorten: int | None = None) -> list[list[list[str]]]:
    """The table as blocks of rows of padded cells, header first; each block repeats the leading text columns.

    width: columns of text that a block may take (None: any number, so one block). shorten: longest name of a row.
    """
    lead = 0
    while lead < len(table.columns) and table.columns[lead].kind == "text":
        lead += 1
    grid = [[printable(c.name) for c in table.columns]]
    for r, row in enumerate(table.rows):
        cells = []
        for i, cell in enumerate(row):
            text = printable(table.show(cell, table.columns[i].kind), 200)
            if table.columns[i].mark_best:
                text += "*" if table.is_best(r, i) else " "
            cells.append(_shortened(text, shorten) if i < lead else text)
        grid.append(cells)
    for i, column in enumerate(table.columns):
        if column.mark_best:
            grid[0][i] += " "
        size = max(len(line[i]) for line in grid)
        for line in grid:
            line[i] = line[i].ljust(size) if column.kind == "text" else line[i].rjust(size)
    sizes = [len(cell) for cell in grid[0]]
    used = sum(sizes[:lead]) + len(GAP) * max(0, lead - 1)
    blocks: list[list[int]] = []
    room = 0
    for i in range(lead, len(sizes)):
        need = sizes[i] + len(GAP)
        if not blocks or (width is not None and need > room):
            blocks.append([])
            room = (width - used) if width is not None else 0
        blocks[-1].append(i)
        room -= need
    return [[[*line[:lead], *(line[i] for i in block)] for line in grid] for block in blocks or [[]]]


def _shortened(text: str, most: int | None) -> str:
    """A long name with its middle left out: both ends tell runs apart."""
    if most is None or len(text) <= most:
        return text
    tail = (most - 1) // 2
    return text[: most - 1 - tail] + "…" + text[len(text) - tail :]


def write_table(table: Table) -> str:
    """Plain text in one block."""
    lines = [GAP.join(cells).rstrip() for block in laid_out(table) for cells in block]
    return "\n".join(lines) + "\n" + (f"{table.signature}\n" if table.signature else "")
