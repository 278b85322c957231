"""What `med` says about distances: tables, the JSON document, notes and pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ireval.cli.options import READING
from ireval.cli.provenance import document, signature
from ireval.read.source import Source
from ireval.studies.med import PAPER_GAINS
from ireval.studies.med_results import Distances, PairDistances
from ireval.write.table import Cell, Column, Table


def tables(found: Distances, runs: Sequence[Source], judged: Source | None, given: Mapping[str, Any]) -> list[Table]:
    """The tables of a layout for people, or the one of a layout for programs."""
    made = _signature(found, given)
    shown_signature = made if given["signature"] else ""
    if given["format_name"] not in READING:
        columns, rows = _tidy(found, given)
        content: dict[str, Any] = {}
        if given["format_name"] == "json":
            content = _document(found, made, [*runs, *([judged] if judged else [])], given)
        return [Table(tuple(columns), rows, digits=given["digits"], signature=shown_signature, document=content)]
    parts = _two_runs(found, given) if len(found.runs) == 2 else _several_runs(found, given)
    last = parts[-1]
    parts[-1] = Table(
        last.columns, last.rows, digits=last.digits, title=last.title, footer=last.footer, signature=shown_signature
    )
    return parts


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _cell(low: float, high: float, digits: int) -> Cell:
    """An exact value as a number, bounds as `lo..hi`, and nothing where there is no value."""
    if math.isnan(low):
        return None
    if low == high:
        return float(low)
    return f"{low:.{digits}f}..{high:.{digits}f}" if digits >= 0 else f"{low!r}..{high!r}"


# -- for people -----------------------------------------------------------------------------------------------------


def _two_runs(found: Distances, given: Mapping[str, Any]) -> list[Table]:
    between, digits = found.pair(), given["digits"]
    shown = [(changed.topic, changed.low, changed.high) for changed in between.changed]
    if given["per_topic"]:
        shown = list(zip(between.topics, between.low.T, between.high.T, strict=True))
    rows = [(_text(topic), *_cells(found, low, high, digits)) for topic, low, high in shown]
    low, high = np.array([between.mean(row) for row in range(len(found.labels))]).T
    rows.append(("mean", *_cells(found, low, high, digits)))
    columns = [Column("topic", "text"), *(Column(label) for label in found.labels)]
    if any(found.searched):
        columns.append(Column("proof", "text"))
    first, second = found.runs
    title = f"{first} against {second}, {_many(between.count, 'topic')}"
    if between.uneven:
        title += f", {between.uneven:,} with {'texts' if found.of_passages else 'lists'} of unequal length"
    made = [Table(tuple(columns), rows, digits=digits, title=title, footer=_proofs(found, [between]))]
    moved = _moved(found, given)
    return made if moved is None else [*made, moved]


def _cells(found: Distances, low: np.ndarray, high: np.ndarray, digits: int) -> list[Cell]:
    """The distances of a topic, or their means; where some take a search, whether all of them are exact."""
    cells = [_cell(float(a), float(b), digits) for a, b in zip(low, high, strict=True)]
    if any(found.searched):
        cells.append("bounds" if bool((low < high).any()) else "exact")
    return cells


def _moved(found: Distances, given: Mapping[str, Any]) -> Table | None:
    """The documents that moved, of the topics that changed most."""
    between = found.pair()
    rows: list[tuple[Cell, ...]] = []
    for changed in between.changed:
        for moved in changed.moved[: given["documents"]]:
            rows.append((_text(changed.topic), _text(moved.document), _rank(moved.first), _rank(moved.second)))
    if not rows:
        return None
    columns = (Column("topic", "text"), Column("moved", "text"), *(Column(name) for name in found.runs))
    return Table(
        columns, rows, digits=given["digits"], title="Ranks of the documents whose move counts most (-: not there)"
    )


def _rank(rank: int | None) -> Cell:
    return "-" if rank is None else rank


def _several_runs(found: Distances, given: Mapping[str, Any]) -> list[Table]:
    """A matrix for each distance."""
    made = []
    for row, label in enumerate(found.labels):
        rows: list[tuple[Cell, ...]] = []
        for i, name in enumerate(found.runs):
            cells = [
                None if i == j else _cell(*found.pair(i, j).mean(row), given["digits"]) for j in range(len(found.runs))
            ]
            rows.append((name, *cells))
        columns = (Column("run", "text"), *(Column(name) for name in found.runs))
        footer = _proof(found, row, list(found.pairs.values()))
        made.append(Table(columns, rows, digits=given["digits"], title=f"{label}, mean over topics", footer=footer))
    return made


def _proofs(found: Distances, pairs: Sequence[PairDistances]) -> tuple[str, ...]:
    return tuple(line for row in range(len(found.labels)) for line in _proof(found, row, pairs))


def _proof(found: Distances, row: int, pairs: Sequence[PairDistances]) -> tuple[str, ...]:
    """How many values of a searched distance are proved."""
    if not found.searched[row]:
        return ()
    exact = sum(pair.tallies[row].exact for pair in pairs)
    total = sum(pair.tallies[row].known for pair in pairs)
    return (f"{found.labels[row]}: {exact:,} of {_many(total, 'value')} proved exact ({100 * exact / total:.1f} %).",)


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("s" if count != 1 else "")


# -- for programs ---------------------------------------------------------------------------------------------------


def _tidy(found: Distances, given: Mapping[str, Any]) -> tuple[list[Column], list[tuple[Cell, ...]]]:
    """One row for each pair (and topic); a searched distance has a second column, its upper bound."""
    columns = [Column("first", "text"), Column("second", "text"), Column("topic", "text")]
    for label, searched in zip(found.labels, found.searched, strict=True):
        columns += [Column(label), *([Column(f"{label} upper")] if searched else [])]
    rows: list[tuple[Cell, ...]] = []
    for (i, j), between in found.pairs.items():
        names = (found.runs[i], found.runs[j])
        if given["per_topic"]:
            for t, topic in enumerate(between.topics):
                rows.append((*names, _text(topic), *_numbers(found, between.low[:, t], between.high[:, t])))
        else:
            for changed in between.changed:
                rows.append((*names, _text(changed.topic), *_numbers(found, changed.low, changed.high)))
        means = np.array([between.mean(row) for row in range(len(found.labels))])
        rows.append((*names, "all", *_numbers(found, means[:, 0], means[:, 1])))
    return columns, rows


def _numbers(found: Distances, low: np.ndarray, high: np.ndarray) -> list[Cell]:
    cells: list[Cell] = []
    for row, searched in enumerate(found.searched):
        cells.append(None if math.isnan(low[row]) else float(low[row]))
        if searched:
            cells.append(None if math.isnan(high[row]) else float(high[row]))
    return cells


def _document(found: Distances, made: str, inputs: Sequence[Source], given: Mapping[str, Any]) -> dict[str, Any]:
    """Everything, at full precision: a distance is a number where it is exact, [low, high] where it is not."""
    pairs = []
    for (i, j), between in found.pairs.items():
        entry: dict[str, Any] = {
            "first": found.runs[i],
            "second": found.runs[j],
            "topics": between.count,
            "only_in_first": between.alone[0],
            "only_in_second": between.alone[1],
            "unequal_length": between.uneven,
            "without_judgements": between.unjudged,
            "mean": {label: _json(*between.mean(row)) for row, label in enumerate(found.labels)},
            "share_exact": {
                label: between.share_exact(row) for row, label in enumerate(found.labels) if found.searched[row]
            },
            "changed_most": [
                {
                    "topic": _text(changed.topic),
                    **_values(found, changed.low, changed.high),
                    "moved": [
                        {"document": _text(m.document), "first": m.first, "second": m.second} for m in changed.moved
                    ],
                }
                for changed in between.changed
            ],
        }
        if given["per_topic"]:
            entry["per_topic"] = {
                _text(topic): _values(found, between.low[:, t], between.high[:, t])
                for t, topic in enumerate(between.topics)
            }
        pairs.append(entry)
    return document(made, inputs, max_grade=found.top_grade, pairs=pairs)


def _values(found: Distances, low: np.ndarray, high: np.ndarray) -> dict[str, Any]:
    return {label: _json(float(low[row]), float(high[row])) for row, label in enumerate(found.labels)}


def _json(low: float, high: float) -> float | list[float] | None:
    return None if math.isnan(low) else low if low == high else [low, high]


# -- words and pictures ---------------------------------------------------------------------------------------------


def _signature(found: Distances, given: Mapping[str, Any]) -> str:
    counts = {between.count for between in found.pairs.values()}
    parts = [
        ",".join(found.labels),
        f"grade:{found.top_grade}",
        f"short:{given['short']}",
        f"normalise:{given['normalise']}",
        f"ties:{'file' if found.of_passages else 'docno-desc'}"
        if given["order"] == "score"
        else f"order:{given['order']}",
        f"n:{min(counts)}" if len(counts) == 1 else f"n:{min(counts)}-{max(counts)}",
    ]
    if any(found.searched):
        parts.append(f"budget:{given['budget']:g}s")
    if not found.of_passages:
        parts.append(f"gains:{given['gains'] or (PAPER_GAINS if given['normalise'] == 'paper' else 'measure')}")
    for name in ("level", "depth"):
        if given[name] is not None:
            parts.append(f"{name}:{given[name]}")
    if given["qrels"]:
        parts.append(f"qrels:{given['qrels_format']}")
    if given["on_duplicate"] != "error":
        parts.append(f"duplicates:{given['on_duplicate']}")
    return signature(parts)


def notes(found: Distances, given: Mapping[str, Any]) -> list[str]:
    """What a reader should know beside the numbers."""
    lines = []
    for (i, j), between in found.pairs.items():
        first, second = found.runs[i], found.runs[j]
        lines += [
            f"{_many(count, 'topic')} only in {run}, left out"
            for run, count in zip((first, second), between.alone, strict=True)
            if count
        ]
        if between.unjudged:
            lines.append(f"{_many(between.unjudged, 'topic')} of {first} and {second} without judgements: left out")
        if between.repeated:
            lines.append(f"{first} and {second}: {_many(between.repeated, 'repeated document')} passed over")
        for row, label in enumerate(found.labels):
            missing = between.count - between.tallies[row].known
            if missing:
                lines.append(f"{label} of {first} and {second}: {_many(missing, 'topic')} without a value, left out")
    return lines


def plot(found: Distances, path: str) -> None:
    """A heat map and a dendrogram of several runs, curves over topics of two."""
    from ireval.stats.clusters import cluster
    from ireval.write.plot import save_figure
    from ireval.write.plot_med import draw_curves, draw_matrices

    if len(found.runs) == 2:
        between = found.pair()
        curves = [(_drawn(found, row, [between]), between.low[row]) for row in range(len(found.labels))]
        save_figure(draw_curves(f"{found.runs[0]} against {found.runs[1]}", curves), path)
        return
    matrices, orders, trees = [], [], []
    for row in range(len(found.labels)):
        matrix = found.matrix(row)
        apart = 1.0 - matrix if found.closer[row] == "high" else matrix
        tree = cluster(np.nan_to_num(apart))
        matrices.append((_drawn(found, row, list(found.pairs.values())), matrix))
        orders.append(tree.leaves)
        trees.append([(list(x), list(y)) for x, y in zip(tree.x, tree.y, strict=True)])
    save_figure(draw_matrices(found.runs, matrices, orders, trees), path)


def _drawn(found: Distances, row: int, pairs: Sequence[PairDistances]) -> str:
    """What a picture calls a distance: it shows lower bounds, and says so where they are not the values."""
    exact = all(pair.tallies[row].exact == pair.tallies[row].known for pair in pairs)
    return found.labels[row] if exact else f"{found.labels[row]}, lower bounds"
