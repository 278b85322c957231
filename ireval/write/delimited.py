"""Comma- and tab-separated values, one header line. An interval takes two columns of its own, `_low` and `_high`."""

from __future__ import annotations

import csv
import io

from ireval.write.table import Cell, Estimate, Table, number


def flat(table: Table) -> tuple[list[str], list[list[Cell]]]:
    """Column names and rows, with an interval spread over three columns."""
    spread = [any(isinstance(row[i], Estimate) for row in table.rows) for i in range(len(table.columns))]
    names: list[str] = []
    for column, wide in zip(table.columns, spread, strict=True):
        names += [column.name, f"{column.name}_low", f"{column.name}_high"] if wide else [column.name]
    rows: list[list[Cell]] = []
    for row in table.rows:
        cells: list[Cell] = []
        for cell, wide in zip(row, spread, strict=True):
            if not wide:
                cells.append(cell)
            elif isinstance(cell, Estimate):
                cells += [cell.value, cell.low, cell.high]
            else:
                cells += [number(cell), None, None]
        rows.append(cells)
    return names, rows


def _write(table: Table, separator: str) -> str:
    out = io.StringIO()
    lines = csv.writer(out, delimiter=separator, lineterminator="\n")
    names, rows = flat(table)
    lines.writerow(names)
    lines.writerows([table.show(cell) for cell in row] for row in rows)
    return out.getvalue() + (f"# {table.signature}\n" if table.signature else "")


def write_csv(table: Table) -> str:
    """Comma-separated values."""
    return _write(table, ",")


def write_tsv(table: Table) -> str:
    """Tab-separated values."""
    return _write(table, "\t")
