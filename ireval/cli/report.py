"""What only `eval` says about its results: trec_eval's and NTCIREVAL's names, the gates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ireval.api import Results
from ireval.cli.nev import DiversityFile, nev_records
from ireval.cli.score_report import ScoreReport
from ireval.cli.scored import scoring_signature
from ireval.measures.spec import parse_measures, trec_label
from ireval.read.source import Source

TOLERANCE = 1e-12


class Report(ScoreReport):
    """Results of `eval` made ready for printing: the table of every command, and what only `eval` has."""

    results: Results

    def __init__(
        self,
        results: Results,
        shown: int,
        qrels: Source,
        runs: Sequence[Source],
        options: Mapping[str, Any],
        *,
        baseline: int | None,
        baseline_listed: bool = True,
        further: Sequence[Source] = (),
        diversity_file: DiversityFile | None = None,
    ) -> None:
        scoring = scoring_signature(results, options)
        if options["standardise"]:
            scoring.append(f"standardise:{options['standardise']},{'file' if options['zscores'] else 'runs'}")
        files = [run.name for run in runs]
        super().__init__(results, shown, (qrels, *runs, *further), files, options, scoring, baseline=baseline)
        self.baseline_listed, self.diversity_file = baseline_listed, diversity_file

    def records_of(self, format_name: str) -> list[tuple[str, str, str]]:
        """Lines for the layouts that are no tables."""
        if self.diversity_file is not None:
            return self.diversity_file.records(self.results)
        if format_name == "nev":
            return nev_records(self.results, self.shown, self.options["level"])
        return super().records_of(format_name)

    def trec_names(self) -> list[str]:
        """trec_eval's names; our own for what it has no name for, or where two would be called the same."""
        requests = self.results.requests[: self.shown]
        plain = [trec_label(request.spec, self._settings) for request in requests]
        odd = [bool(self.options["standardise"]) or request.aggregate not in ("", "mean") for request in requests]
        return [
            request.label if odd[i] or plain.count(plain[i]) > 1 else plain[i] for i, request in enumerate(requests)
        ]

    @property
    def _settings(self) -> dict[str, Any]:
        return {name: self.options[name] for name in ("level", "gains", "docs")}

    # -- gates ------------------------------------------------------------------------------------------------------

    def gate_failures(
        self, at_least: Sequence[tuple[str, float]], max_drop: Sequence[tuple[str, float]], settings: Mapping[str, Any]
    ) -> list[str]:
        """A sentence for each run and gate that is not met."""
        failures = []
        for gates, is_drop in ((at_least, False), (max_drop, True)):
            for name, limit in gates:
                for request in parse_measures([name], settings):
                    row = next(
                        i for i, r in enumerate(self.results.requests) if (r.spec, r.how) == (request.spec, request.how)
                    )
                    sign = -1.0 if request.spec.measure.better == "low" else 1.0
                    for run, run_name in enumerate(self.results.runs):
                        value = self.results.value(run, row)
                        if not isinstance(value, int | float):
                            continue
                        if not is_drop and (run != self.baseline or self.baseline_listed) and value < limit - TOLERANCE:
                            shown = f"{_beside(value, limit)}, below {_plain(limit)}"
                            failures.append(f"gate not met: {run_name} has {request.label} {shown}")
                        if is_drop and run != self.baseline:
                            base = self.results.value(self.baseline or 0, row)
                            if isinstance(base, int | float) and sign * (base - value) > limit + TOLERANCE:
                                failures.append(
                                    f"gate not met: {run_name} has {request.label} {value:.4f}, "
                                    f"{_beside(base - value, limit)} below the baseline "
                                    f"{self.results.runs[self.baseline or 0]} ({base:.4f}); allowed {_plain(limit)}"
                                )
        return failures


def _beside(value: float, limit: float) -> str:
    """Four digits, or all of them where these would look like the limit."""
    short = f"{value:.4f}"
    return short if float(short) != limit else repr(value)


def _plain(value: float) -> str:
    return re.sub(r"\.0$", "", repr(value))
