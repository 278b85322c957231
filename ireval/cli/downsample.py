"""--downsample: a study again under random shares of the judgements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ireval.cli.options import READING, emit, tell
from ireval.cli.progress import Progress
from ireval.cli.scored import coverage_notes, scoring_signature
from ireval.cli.study import collected, records, signed
from ireval.errors import UsageError
from ireval.write.table import Cell, Column, Table

if TYPE_CHECKING:
    from ireval.core.scores import ScoreCube

F = TypeVar("F", bound=Callable[..., Any])
DRAWS = 5


def downsample_options(command: F) -> F:
    """--downsample, --draws and --plain-only."""
    for option in reversed(
        [
            click.option(
                "--downsample",
                metavar="PERCENT,...",
                help="The same under random shares of the judgements, such as 10,30,50,70,90: of each topic a share of "
                "the relevant and of the nonrelevant ones; the other documents count as pooled, but not judged.",
            ),
            click.option(
                "--draws",
                type=click.IntRange(1),
                metavar="N",
                help=f"With --downsample: how often judgements are drawn (default {DRAWS}).",
            ),
            click.option(
                "--plain-only",
                is_flag=True,
                help="With --downsample: without the condensed-list version of each measure.",
            ),
        ]
    ):
        command = option(command)
    return command


def refuse_downsampling(given: dict[str, Any]) -> None:
    """Options that would do nothing without --downsample."""
    for name, option in (("draws", "--draws"), ("plain_only", "--plain-only")):
        if given[name]:
            raise UsageError(f"{option} needs --downsample")


@dataclass(frozen=True)
class Downsampled:
    """One number for each measure, share and draw: found[share][draw][measure]."""

    measures: tuple[str, ...]
    shares: tuple[float, ...]
    found: dict[float, list[list[float]]]
    full: ScoreCube
    parts: tuple[str, ...]
    inputs: tuple[Any, ...]
    notes: tuple[str, ...]

    def means(self) -> dict[str, list[float]]:
        """{measure: mean over the draws, one a share}."""
        return {
            name: [sum(draw[v] for draw in self.found[share]) / len(self.found[share]) for share in self.shares]
            for v, name in enumerate(self.measures)
        }

    def emit(self, what: str, title: str, given: dict[str, Any], whole: float | Sequence[float]) -> None:
        """Tables, and the picture. what: the number's name in tidy formats. whole: its value with all judgements."""
        from ireval.cli.provenance import document, signature

        made = signature(self.parts)
        ends = [whole] * len(self.measures) if isinstance(whole, float) else list(whole)
        if given["format_name"] in READING:
            table = self._wide(title, ends, given)
        else:
            table = self._tidy(what, ends, given)
        if given["format_name"] == "json":
            from dataclasses import replace

            table = replace(table, document=document(made, self.inputs, downsample=records(table)))
        emit(signed([table], made, given), given["format_name"], given["output"])
        if given["plot"]:
            from ireval.write.plot_study import Panel, draw_panels

            curves = {
                name: ([*self.shares, 100.0], [*row, end])
                for (name, row), end in zip(self.means().items(), ends, strict=True)
            }
            draw_panels([Panel("", curves, "judgements kept (%)", title, marker="o")], given["plot"])
        tell(self.notes, given["quiet"])

    def _wide(self, title: str, ends: list[float], given: dict[str, Any]) -> Table:
        rows: list[tuple[Cell, ...]] = [
            (name, *row, end) for (name, row), end in zip(self.means().items(), ends, strict=True)
        ]
        columns = (Column("measure", "text"), *(Column(f"{share:g}%") for share in self.shares), Column("all"))
        draws = len(self.found[self.shares[0]])
        return Table(columns, rows, given["digits"], title=f"{title}, mean of {draws} draws")

    def _tidy(self, what: str, ends: list[float], given: dict[str, Any]) -> Table:
        rows: list[tuple[Cell, ...]] = [
            (name, float(share), draw + 1, values[v])
            for v, name in enumerate(self.measures)
            for share in self.shares
            for draw, values in enumerate(self.found[share])
        ]
        rows += [(name, 100.0, None, end) for name, end in zip(self.measures, ends, strict=True)]
        columns = (Column("measure", "text"), Column("share"), Column("draw"), Column(what))
        return Table(columns, rows, given["digits"])


def downsampled(
    files: Sequence[str],
    measures: Sequence[str],
    given: dict[str, Any],
    name: str,
    study: Callable[[ScoreCube, ScoreCube], list[float]],
) -> Downsampled:
    """Do a study for every share and draw. study: of the full scores and those under a share, a number a measure."""
    from ireval.core.judgements import unjudged_part
    from ireval.studies.downsample import samples
    from ireval.studying import Keeper

    shares = _shares(given["downsample"])
    if len(files) < 3:
        raise UsageError("--downsample needs QRELS and two runs at least")
    if given["systems"] or given["run_list"]:
        raise UsageError("--downsample scores the runs themselves, so it takes no --system or --run-list")
    results, collection, sources = collected(files, measures, given, Keeper())
    draws = given["draws"] or DRAWS
    full = collection.cube()
    found: dict[float, list[list[float]]] = {share: [] for share in shares}
    level = 1 if given["level"] is None else given["level"]
    with Progress(len(shares) * draws, "with less judgements", given["quiet"]) as bar:
        for done, sample in enumerate(samples(results.judged, shares, draws, given["seed"], level), 1):
            found[sample.share].append(study(full, collection.cube(unjudged_part(results.judged, sample.keep))))
            bar.update(done, f"{sample.share:g} %")
    how = f"downsample:{given['downsample']},draws:{draws},seed:{given['seed']}"
    labels = results.measures
    parts = (name, ",".join(labels), how, *scoring_signature(results, given))
    return Downsampled(labels, shares, found, full, parts, sources, tuple(coverage_notes(results, given)))


def _shares(text: str) -> tuple[float, ...]:
    try:
        shares = tuple(sorted({float(part) for part in text.split(",")}))
        if not all(0 < share < 100 for share in shares):
            raise ValueError
        return shares
    except ValueError:
        raise UsageError(f'--downsample: expected percentages such as 10,30,50, found "{text}"') from None
