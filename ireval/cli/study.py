"""What the commands that evaluate the evaluation share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ireval.cli.progress import Progress
from ireval.cli.scored import score, settings_of
from ireval.write.table import Cell, Table

if TYPE_CHECKING:
    from ireval.api import Results
    from ireval.cli.cube import Compared
    from ireval.read.source import Source
    from ireval.studying import Collection, Keeper

MARKS = ((0.01, "‡"), (0.05, "†"))
"""Levels of significance and their marks, strictest first."""


def signed(tables: Sequence[Table], made: str, given: dict[str, Any]) -> list[Table]:
    """The signature after the last table, where it is asked for."""
    return [*tables[:-1], replace(tables[-1], signature=made if given["signature"] else "")]


def ticking(bar: Progress) -> Callable[[int, int], None]:
    """The callback of studies and statistics, as a progress bar."""
    return lambda done, _: bar.update(done)


def known(value: float) -> float | None:
    """A number, or nothing where it is not defined (NaN)."""
    return None if value != value else value


def mark(p: float) -> str:
    """The mark of the strictest level that p is below; nothing where it is not significant."""
    return next((sign for alpha, sign in MARKS if p < alpha), "")


def p_cell(p: float, given: dict[str, Any]) -> Cell:
    """A p-value for a table of programs: significant digits, so that a small one never reads as 0."""
    if p != p:
        return None
    if given["format_name"] in ("json", "jsonl") or given["digits"] < 0:
        return p
    return f"{p:.{max(given['digits'], 1)}g}"


def collected(
    files: Sequence[str], measures: Sequence[str], given: dict[str, Any], keeper: Keeper
) -> tuple[Results, Collection, tuple[Source, ...]]:
    """QRELS RUN... scored and kept in memory, by each measure and, unless --plain-only, its condensed version."""
    from ireval.api import as_source
    from ireval.measures.spec import parse_measures, with_condensed
    from ireval.studying import Collection, check_scores

    requests = parse_measures(measures, settings_of(given))
    if not (given["plain_only"] or given["condensed"]):
        requests = with_condensed(requests)
    check_scores(requests)
    sources = tuple(as_source(file) for file in files)
    results = score(sources[0], sources[1:], requests, given, scorer=keeper)
    return results, Collection.of(results, keeper), sources


def records(table: Table) -> list[dict[str, Any]]:
    """The rows of a table, for JSON."""
    return [dict(zip((column.name for column in table.columns), row, strict=True)) for row in table.rows]


def rows_of(scored: Compared, names: Sequence[str], asked: Sequence[str], given: dict[str, Any]) -> list[int]:
    """Rows of the scores that hold some (names) of the measures asked for."""
    from ireval.measures.spec import parse_measures

    if given["scores"]:
        if len(asked) == len(scored.cube.measures):  # a file may know a measure by another name
            return [list(asked).index(name) for name in dict.fromkeys(names)]
        labels = list(names)
    else:
        labels = [request.label for request in parse_measures(names, settings_of(given))] if names else []
    return [scored.cube.measures.index(label) for label in dict.fromkeys(labels)]
