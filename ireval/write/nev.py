"""NTCIREVAL's layouts: value lines, the topic-by-run matrix, means of runs."""

from __future__ import annotations

from ireval.write.table import Table, number


def write_matrix(table: Table) -> str:
    """One line a topic, one column a run, no header: what Topicsys-matrix makes and Discpower reads."""
    return "".join(" ".join(f"{number(cell) or 0.0:.4f}" for cell in row[1:]) + "\n" for row in table.rows)


def write_means(table: Table) -> str:
    """A run and its mean on each line, as NEV2mean prints them."""
    return "".join(f"{row[0]} {number(row[1]) or 0.0:.4f}\n" for row in table.rows)


def write_nev(table: Table) -> str:
    """The table's records: topic, name padded to 21 characters, value; a comment has no value."""
    return "".join(
        f"{topic} {name + '=':<21s}{value}\n" if value else f"{topic} {name}\n" for name, topic, value in table.records
    )
