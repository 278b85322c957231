"""The table for reading, as plain text: columns aligned, the best value of each marked with a star."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from ireval.errors import printable
from ireval.write.table import Table

GAP = "  "
SHORTEST_NAME = 8


def laid_out(table: Table, width: int | None = None) -> list[list[list[str]]]:
    """The table as blocks of rows of padded cells, header first; each block repeats the leading text columns.

    width: columns of text that a block may take (None: any number, so one block). Long names then lose their middle,
    other long texts their end; numbers are never cut.
    """
    kinds = [column.kind for column in table.columns]
    lead = next((i for i, kind in enumerate(kinds) if kind != "text"), 1)
    grid = [[printable(column.name) + " " * column.mark_best for column in table.columns]]
    for r, row in enumerate(table.rows):
        texts = [printable(table.show(cell, kind), 200) for cell, kind in zip(row, kinds, strict=True)]
        for i, column in enumerate(table.columns):
            if column.mark_best:
                texts[i] += "*" if table.is_best(r, i) else " "
        grid.append(texts)
    sizes = [max(_width(line[i]) for line in grid) for i in range(len(kinds))]
    if width is not None and sum(sizes) + len(GAP) * (len(sizes) - 1) > width:
        numbers = [i for i in range(lead, len(kinds)) if kinds[i] != "text"]
        widest = max((_width(line[i]) for line in grid[1:] for i in numbers), default=0)
        _narrow(sizes, lead, min(width // 2, width - len(GAP) * lead - widest))
        room = width - sum(sizes[:lead]) - len(GAP) * lead
        for i in range(lead, len(kinds)):
            least = max((_width(line[i]) for line in grid[1:]), default=0) if kinds[i] != "text" else 0
            sizes[i] = max(least, min(sizes[i], room))
    for line in grid:
        for i, kind in enumerate(kinds):
            text = _shortened(line[i], sizes[i], keep_end=i < lead or line is grid[0])
            fill = " " * (sizes[i] - _width(text))
            line[i] = text + fill if kind == "text" else fill + text
    return [[[*line[:lead], *(line[i] for i in block)] for line in grid] for block in _blocks(sizes, lead, width)]


def _blocks(sizes: list[int], lead: int, width: int | None) -> list[list[int]]:
    """Which of the columns after the leading ones stand side by side."""
    blocks: list[list[int]] = [[]]
    used = before = sum(sizes[:lead]) + len(GAP) * (lead - 1)
    for i in range(lead, len(sizes)):
        used += len(GAP) + sizes[i]
        if width is not None and used > width and blocks[-1]:
            blocks.append([])
            used = before + len(GAP) + sizes[i]
        blocks[-1].append(i)
    return blocks


def _narrow(sizes: list[int], lead: int, room: int) -> None:
    """Take from the widest of the leading columns until they fit; changes `sizes`."""
    while sum(sizes[:lead]) > room and max(sizes[:lead]) > SHORTEST_NAME:
        sizes[sizes.index(max(sizes[:lead]))] -= 1


def _shortened(text: str, most: int, keep_end: bool) -> str:
    """A long text with something left out: the middle, where both ends tell names apart, or else the end."""
    if _width(text) <= most:
        return text
    end = (most - 1) // 2 if keep_end else 0
    start = most - 1 - end
    while start > 1 and _width(text[:start]) + 1 + _width(text[len(text) - end :]) > most:  # wide characters
        start, end = start - 1, max(0, end - 1)
    return text[:start] + "…" + text[len(text) - end :]


def _width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def write_table(table: Table) -> str:
    """Plain text in one block, the title before and the footer after it."""
    lines = [printable(table.title, 2000)] if table.title else []
    lines += [GAP.join(cells).rstrip() for block in laid_out(table) for cells in block]
    lines += [printable(sentence, 2000) for sentence in table.footer]
    return "\n".join(lines) + "\n" + (f"{table.signature}\n" if table.signature else "")
