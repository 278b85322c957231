"""ndeval's layout: comma-separated values with six decimals, a row a topic, means in a row named amean."""

from __future__ import annotations

from ireval.write.table import Table, number


def write_ndeval(table: Table) -> str:
    """A table of runs and topics; the row of all topics (the last of each run) becomes amean."""
    lines = [",".join(["runid", "topic", *(column.name for column in table.columns[2:])])]
    for at, (run, topic, *cells) in enumerate(table.rows):
        values = [f"{number(cell) or 0.0:.6f}" for cell in cells]
        last = at + 1 == len(table.rows) or table.rows[at + 1][0] != run
        lines.append(",".join([str(run), "amean" if last else str(topic), *values]))
    return "\n".join(lines) + "\n"
