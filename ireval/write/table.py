"""Table: the last hand-over. A command fills it, a writer turns it into text, and neither knows the other."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple


class Estimate(NamedTuple):
    """A value with the bounds of its confidence interval."""

    value: float
    low: float
    high: float


class Marked(NamedTuple):
    """A value with a mark that is set as a superscript where the layout has any."""

    value: float
    mark: str


Cell = str | int | float | Estimate | Marked | None


@dataclass(frozen=True)
class Column:
    """A column: its name, whether it holds names, numbers or differences, and whether its best value is marked."""

    name: str
    kind: str = "number"
    """text, number or difference"""
    mark_best: bool = False
    lower_is_better: bool = False


@dataclass(frozen=True)
class Table:
    """Rows under columns, and what else is worth saying.

    title, footer: lines before and after the table, in the layouts for people. records: for the trec layout,
    (measure, topic, value) with numbers already as text. document: for JSON.
    """

    columns: tuple[Column, ...]
    rows: list[tuple[Cell, ...]]
    digits: int = 4
    signature: str = ""
    title: str = ""
    footer: tuple[str, ...] = ()
    records: list[tuple[str, str, str]] = field(default_factory=list)
    document: dict[str, Any] = field(default_factory=dict)

    def best(self, column: int) -> float | None:
        """The highest value of a column whose best is to be marked, where there is anything to choose from."""
        return self._bests[column]

    @cached_property
    def _bests(self) -> list[float | None]:
        bests: list[float | None] = []
        for i, column in enumerate(self.columns):
            values = [number(row[i]) for row in self.rows] if column.mark_best else []
            known = [v for v in values if v is not None]
            choose = min if column.lower_is_better else max
            bests.append(choose(known) if len(known) > 1 and min(known) < max(known) else None)
        return bests

    def is_best(self, row: int, column: int) -> bool:
        """Whether this cell holds the highest value of its column, as printed."""
        best = self.best(column)
        value = number(self.rows[row][column]) if best is not None else None
        return best is not None and value is not None and self.show(value) == self.show(best)

    def show(self, cell: Cell, kind: str = "number") -> str:
        """A cell as text, an interval in brackets."""
        if cell is None:
            return ""
        if isinstance(cell, Estimate):
            low, high = (_short(bound, self.digits) for bound in (cell.low, cell.high))
            return f"{self.show(cell.value, kind)} [{low} {high}]"
        if isinstance(cell, Marked):
            return f"{self.show(cell.value, kind)} {cell.mark}".rstrip()
        if isinstance(cell, float):
            text = repr(cell) if self.digits < 0 else f"{cell:.{self.digits}f}"
            return f"+{text}" if kind == "difference" and cell > 0 else text
        return str(cell)


def number(cell: Cell) -> float | None:
    """The number in a cell, None where it holds none."""
    if isinstance(cell, Estimate | Marked):
        cell = cell.value
    return None if cell is None or isinstance(cell, str) or math.isnan(cell) else float(cell)


def _short(bound: float, digits: int) -> str:
    """`.221` for 0.221: one digit less than the value, and no zero before the point."""
    text = repr(bound) if digits < 0 else f"{bound:.{max(1, digits - 1)}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


Writer = Callable[[Table], str]

FORMATS = {
    "table": "ireval.write.plain:write_table",
    "trec": "ireval.write.trec:write_trec",
    "csv": "ireval.write.delimited:write_csv",
    "tsv": "ireval.write.delimited:write_tsv",
    "json": "ireval.write.json:write_json",
    "jsonl": "ireval.write.json:write_jsonl",
    "markdown": "ireval.write.markup:write_markdown",
    "latex": "ireval.write.markup:write_latex",
    "nev": "ireval.write.nev:write_nev",
    "matrix": "ireval.write.nev:write_matrix",
    "means": "ireval.write.nev:write_means",
    "Dnev": "ireval.write.nev:write_nev",
    "DINnev": "ireval.write.nev:write_nev",
    "nevIA": "ireval.write.nev:write_nev",
    "nevPQ": "ireval.write.nev:write_nev",
    "ndeval": "ireval.write.ndeval:write_ndeval",
}
"""Every output format and where its writer is; imported when used."""


def writer(format_name: str) -> Writer:
    """The function that writes a format."""
    module, _, function = FORMATS[format_name].partition(":")
    found: Writer = getattr(import_module(module), function)
    return found
