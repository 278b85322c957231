"""Comma- and tab-separated values, one header line. An interval takes two columns of its own, `_low` and `_high`."""

from __future__ import annotations

import csv
import io

from ireval.write.table import Cell, Estimate, Table, number


def flat_names(table: Table) -> list[str]:
    """Column names with those of the interval bounds."""
    names: list[str] = []
    for i, column in enumerate(table.columns):
        names.append(column.name)
        if has_interval(table, i):
            names += [f"{column.name}_low", f"{column.name}_high"]
    return names


def flat_cells(table: Table, row: tuple[Cell, ...]) -> list[Cell]:
    """The cells of a row, intervals spread over three."""
    cells: list[Cell] = []
    for i, cell in enumerate(row):
        if has_interval(table, i):
            cells += [cell.value, cell.low, cell.high] if isinstance(cell, Estimate) else [number(cell), None, None]
        else:
            cells.append(cell)
    return cells


def has_interval(table: Table, column: int) -> bool:
    """Whether any row has an interval in this column."""
    return any(isinstance(row[column], Estimate) for row in table.rows)


def _write(table: Table, separator: str) -> str:
    out = io.StringIO()
    lines = csv.writer(out, delimiter=separator, lineterminator="\n")
    lines.writerow(flat_names(table))
    for row in table.rows:
        lines.writerow([table.show(cell) for cell in flat_cells(table, row)])
    return out.getvalue() + (f"# {table.signature}\n" if table.signature else "")


def write_csv(table: Table) -> str:
    """Comma-separated values."""
    return _write(table, ",")


def write_tsv(table: Table) -> str:
    """Tab-separated values."""
    return _write(table, "\t")
