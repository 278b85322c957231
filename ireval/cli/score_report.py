"""Scores of several runs as a table and as a document: what every command that scores something prints alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ireval.api import ScoredRuns
from ireval.cli.provenance import document, signature
from ireval.read.source import Source
from ireval.stats.resample import RESAMPLES, bootstrap_means, percentile_interval
from ireval.write.table import Cell, Column, Estimate, Table
from ireval.write.trec import number, whole


class ScoreReport:
    """Scores made ready for printing.

    shown: how many of the measures are for the table (the rest serve gates). inputs: all files. files:
    the name of each run's file. options: format_name, digits, signature, per_topic, ci and seed. baseline: the run
    that the others are compared with. scoring: how the scores were made, as parts of the signature.
    """

    def __init__(
        self,
        results: ScoredRuns,
        shown: int,
        inputs: Sequence[Source],
        files: Sequence[str],
        options: Mapping[str, Any],
        scoring: Sequence[str],
        *,
        baseline: int | None = None,
    ) -> None:
        self.results, self.shown, self.inputs, self.files = results, shown, inputs, files
        self.options, self.scoring, self.baseline = options, scoring, baseline
        self._intervals = self._bootstrap() if options["ci"] else {}

    # -- numbers ----------------------------------------------------------------------------------------------------

    def _bootstrap(self) -> dict[tuple[int, int], tuple[float, float]]:
        """Interval of each mean: {(run, measure): (low, high)}; the same resamples for all of them."""
        chosen = [
            row
            for row, request in enumerate(self.results.requests[: self.shown])
            if request.how in ("mean", "geometric") and request.spec.measure.kind == "score"
        ]
        if not chosen:
            return {}
        values = self.results.cube()[:, chosen, :]
        replicates = bootstrap_means(values, RESAMPLES, self.options["seed"])
        low, high = percentile_interval(replicates, self.options["ci"] / 100.0)
        found = {}
        for run in range(len(self.results.runs)):
            for i, row in enumerate(chosen):
                bounds = (float(low[run, i]), float(high[run, i]))
                if self.results.requests[row].how == "geometric":
                    bounds = (math.exp(bounds[0]), math.exp(bounds[1]))
                found[run, row] = bounds
        return found

    def _summary_cell(self, run: int, row: int) -> Cell:
        value = self.results.value(run, row)
        bounds = self._intervals.get((run, row))
        return Estimate(float(value), *bounds) if bounds is not None and isinstance(value, float) else value

    def _difference(self, run: int, row: int) -> Cell:
        value, base = self.results.value(run, row), self.results.value(self.baseline or 0, row)
        if run == self.baseline or isinstance(value, str) or isinstance(base, str) or value is None or base is None:
            return None
        return float(value) - float(base)

    # -- table ------------------------------------------------------------------------------------------------------

    def table(self) -> Table:
        """One row a run (and topic), one column a measure; a single run's summary is laid out the other way."""
        single = len(self.results.runs) == 1 and not self.options["per_topic"]
        wide = not (single and self.options["format_name"] in ("table", "markdown", "latex"))
        if self.options["format_name"] == "matrix":
            columns, rows = self._matrix()
        else:
            columns, rows = self._wide() if wide else self._tall()
        made = self.signature()
        return Table(
            tuple(columns),
            rows,
            digits=self.options["digits"],
            signature=made if self.options["signature"] else "",
            records=self.records_of(self.options["format_name"]),
            document=self._document(made) if self.options["format_name"] == "json" else {},
        )

    def records_of(self, format_name: str) -> list[tuple[str, str, str]]:
        """Lines for the layouts that are no tables."""
        return self._records() if format_name == "trec" else []

    def trec_names(self) -> list[str]:
        """What the measures are called in trec_eval's layout."""
        return list(self.results.measures[: self.shown])

    def signature(self) -> str:
        """How the numbers were made, in one line."""
        parts = [",".join(self.results.measures[: self.shown]), *self.scoring]
        if self.options["ci"]:
            parts.append(f"ci:{self.options['ci']:g},bootstrap,B:{RESAMPLES},seed:{self.options['seed']}")
        return signature(parts)

    def _matrix(self) -> tuple[list[Column], list[tuple[Cell, ...]]]:
        """One row a topic, one column a run, of the only measure."""
        results = self.results
        rows: list[tuple[Cell, ...]] = [
            (topic, *(results.topic_value(run, 0, t) for run in range(len(results.runs))))
            for t, topic in enumerate(results.topics)
        ]
        return [Column("topic", "text"), *(Column(name) for name in results.runs)], rows

    def _tall(self) -> tuple[list[Column], list[tuple[Cell, ...]]]:
        name = self.results.runs[0]
        rows: list[tuple[Cell, ...]] = [
            (self.results.measures[row], self._summary_cell(0, row))
            for row in range(self.shown)
            if self.results.requests[row].spec.measure.kind != "text"
        ]
        return [Column("measure", "text"), Column(name)], rows

    def _wide(self) -> tuple[list[Column], list[tuple[Cell, ...]]]:
        results, per_topic = self.results, self.options["per_topic"]
        kinds = [results.requests[row].spec.measure.kind for row in range(self.shown)]
        measures = [row for row in range(self.shown) if per_topic or kinds[row] != "text"]
        columns = [Column("run", "text"), *([Column("topic", "text")] if per_topic else [])]
        for row in measures:
            several = len(results.runs) > 1 and not per_topic
            record = results.requests[row].spec.measure
            marked = several and kinds[row] == "score" and bool(record.better)
            columns.append(Column(results.measures[row], "number", marked, record.better == "low"))
            if self._compared(row):
                columns.append(Column(f"Δ{results.measures[row]}", "difference"))
        rows: list[tuple[Cell, ...]] = []
        for run, name in enumerate(results.runs):
            if per_topic:
                for t, topic in enumerate(results.topics):
                    cells: list[Cell] = [name, topic]
                    for row in measures:
                        cells.append(results.topic_value(run, row, t))
                        if self._compared(row):
                            cells.append(self._topic_difference(run, row, t))
                    rows.append(tuple(cells))
            cells = [name, *(["all"] if per_topic else [])]
            for row in measures:
                cells.append(self._summary_cell(run, row))
                if self._compared(row):
                    cells.append(self._difference(run, row))
            rows.append(tuple(cells))
        return columns, rows

    def _compared(self, row: int) -> bool:
        return self.baseline is not None and self.results.requests[row].spec.measure.kind == "score"

    def _topic_difference(self, run: int, row: int, topic: int) -> Cell:
        value, base = (self.results.topic_value(r, row, topic) for r in (run, self.baseline or 0))
        if run == self.baseline or not isinstance(value, float) or not isinstance(base, float):
            return None
        return value - base

    def _records(self) -> list[tuple[str, str, str]]:
        """Lines in trec_eval's layout: each run's topics, then its summary; several runs each begin with a runid."""
        results = self.results
        records: list[tuple[str, str, str]] = []
        names = self.trec_names()
        has_id = any(request.spec.name == "runid" for request in results.requests[: self.shown])
        for run, run_name in enumerate(results.runs):
            if len(results.runs) > 1 and not has_id:
                records.append(("runid", "all", run_name))
            for t, topic in enumerate(results.topics if self.options["per_topic"] else []):
                for row, name in enumerate(names):
                    value = results.topic_value(run, row, t)
                    if value is not None:
                        records.append((name, topic, f"'{value}'" if isinstance(value, str) else self._as_trec(value)))
            for row, name in enumerate(names):
                value = results.value(run, row)
                if value is not None:
                    records.append((name, "all", value if isinstance(value, str) else self._as_trec(value)))
        return records

    def _as_trec(self, value: float | int) -> str:
        if isinstance(value, int):
            return whole(value)
        digits = self.options["digits"]
        return number(value) if digits == 4 else repr(value) if digits < 0 else f"{value:.{digits}f}"

    def _document(self, made: str) -> dict[str, Any]:
        """Everything, at full precision."""
        results = self.results
        runs = []
        for run, name in enumerate(results.runs):
            facts = results.scores[run].facts
            entry: dict[str, Any] = {
                "name": name,
                "file": self.files[run],
                "tag": facts.tag,
                "topics": facts.topics,
                "missing": [topic.decode("utf-8", "surrogateescape") for topic in facts.missing],
                "unjudged_topics": facts.unjudged,
                "summary": {results.measures[row]: results.value(run, row) for row in range(self.shown)},
            }
            if self._intervals:
                entry["intervals"] = {
                    results.measures[row]: list(bounds) for (r, row), bounds in self._intervals.items() if r == run
                }
            if self.baseline is not None:
                entry["difference"] = {
                    results.measures[row]: self._difference(run, row)
                    for row in range(self.shown)
                    if self._compared(row)
                }
            if self.options["per_topic"]:
                entry["per_topic"] = {
                    topic: {results.measures[row]: results.topic_value(run, row, t) for row in range(self.shown)}
                    for t, topic in enumerate(results.topics)
                }
            runs.append(entry)
        return document(made, self.inputs, runs=runs)
