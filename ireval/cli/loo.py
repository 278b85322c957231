"""`ireval loo`: is the collection reusable? Leave one team out of the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ireval.cli.options import READING, check_format, emit, measure_option, output_options, plot_option, tell
from ireval.cli.progress import Progress
from ireval.cli.scored import coverage_notes, scoring_options, scoring_signature
from ireval.cli.study import collected, known, records, signed, ticking
from ireval.errors import UsageError, printable
from ireval.write.table import Cell, Column, Table

if TYPE_CHECKING:
    from ireval.studies.loo import LeaveOneOut
    from ireval.studying import Collection, Teams

DEFAULT_MEASURES = ("AP", "nDCG@10")

EPILOG = """\b
Examples:
  ireval loo testdata/teams/qrels testdata/teams/*.run.gz --teams "^(T[0-9]+)-" --pool-depth 15
  ireval loo testdata/teams/qrels testdata/teams/*.run.gz --by run --pool-depth 15 -m AP -m Q
  ireval loo testdata/teams/qrels testdata/teams/*.run.gz --teams "^(T[0-9]+)-" --pool-depth 15 --rows runs -f csv

Exit status: 0 done, 2 usage or bad input, 4 nothing to evaluate.
"""


@click.command("loo", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", nargs=-1, required=True, type=click.Path(allow_dash=True))
@measure_option
@click.option(
    "--teams",
    metavar="FILE|REGEX",
    help="Which team submitted which run: a file of lines `run team` (and perhaps a third field yes or no: whether the "
    "run went into the pool), or a regular expression whose first group, searched in the run's name, is the team.",
)
@click.option(
    "--pool-depth", type=click.IntRange(1), required=True, metavar="K", help="Documents of each run that were pooled."
)
@click.option(
    "--pool-order",
    type=click.Choice(["score", "rank", "file"]),
    help="Order in which runs were pooled (default: that in which they are scored, --order).",
)
@click.option(
    "--by",
    type=click.Choice(["team", "run"]),
    default="team",
    show_default=True,
    help="Leave out whole teams, or single runs.",
)
@click.option("--plain-only", is_flag=True, help="Without the condensed-list version of each measure.")
@click.option(
    "--write-qrels", type=click.Path(file_okay=False), metavar="DIR", help="Keep the judgements without each team here."
)
@click.option(
    "--rows",
    type=click.Choice(["measures", "teams", "runs"]),
    help="Which table: a row for each measure, for each team and measure, or for each run and measure. Default: the "
    "first two, or in formats for programs the last.",
)
@plot_option
@scoring_options
@output_options
def command(qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], **given: Any) -> None:
    """Find out whether a pooled collection is fair to systems that did not contribute to it.

    For each team, the documents that only its runs brought into the pool lose their judgements, and its runs are scored
    again. In the table of teams, tau compares the ranking of all runs with the one in which this team alone is scored
    so; in the table of measures, with the one in which every run is scored without its own team.
    """
    from ireval.api import as_source, run_names
    from ireval.studying import Keeper, leave_out, teams_of
    from ireval.write.output import make_folder
    from ireval.write.plot import check_plot

    check_format(given)
    check_plot(given["plot"])
    if given["write_qrels"]:
        make_folder(given["write_qrels"])
    teams = teams_of(run_names([as_source(run).name for run in runs]), given["teams"], given["by"])
    keeper = Keeper(given["pool_depth"], given["pool_order"])
    results, collection, sources = collected([qrels, *runs], measures or DEFAULT_MEASURES, given, keeper)
    if len(results.runs) < 2:
        raise UsageError("leaving a team out needs two runs at least, found one")
    level = 1 if given["level"] is None else given["level"]
    with Progress(len(teams.names), f"leaving out one {given['by']}", given["quiet"]) as bar:
        study = leave_out(collection, teams, level, ticking(bar))
    made = _signature(collection, teams, [*scoring_signature(results, given)], given)
    emit(
        signed(_tables(study, collection, given, made, sources), made, given),
        given["format_name"],
        given["output"],
    )
    if given["write_qrels"]:
        _write_qrels(study, collection, given)
    if given["plot"]:
        _draw(study, collection, given)
    tell([*_notes(study), *coverage_notes(results, given)], given["quiet"])


def _signature(collection: Collection, teams: Teams, parts: list[str], given: dict[str, Any]) -> str:
    from ireval.cli.provenance import signature

    labels = ",".join(request.label for request in collection.requests)
    order = f",order:{given['pool_order']}" if given["pool_order"] else ""
    pool = f"pool:{given['pool_depth']}{order}"
    return signature([f"loo:{given['by']}", labels, pool, f"groups:{len(teams.names)}", *parts])


def _tables(
    study: LeaveOneOut, collection: Collection, given: dict[str, Any], made: str, inputs: tuple[Any, ...]
) -> list[Table]:
    makers = {"measures": _measures, "teams": _teams, "runs": _runs}
    if given["rows"]:
        chosen = [given["rows"]]
    else:
        chosen = ["measures", "teams"] if given["format_name"] in READING else ["runs"]
    tables = [makers[name](study, collection, given) for name in chosen]
    if given["format_name"] == "json":
        from dataclasses import replace

        from ireval.cli.provenance import document

        everything = {name: records(maker(study, collection, given)) for name, maker in makers.items()}
        return [replace(tables[0], document=document(made, inputs, **everything))]
    return tables


def _labels(collection: Collection) -> list[str]:
    return [request.label for request in collection.requests]


def _measures(study: LeaveOneOut, collection: Collection, given: dict[str, Any]) -> Table:
    """What leaving out does, measure by measure, over all runs."""
    rows: list[tuple[Cell, ...]] = []
    for v, label in enumerate(_labels(collection)):
        change, moved = study.change[:, v], abs(study.rank_change[:, v])
        largest = float(change[abs(change).argmax()])
        mean = float(change.mean())
        tau, ap = known(study.tau[v]), known(study.tau_ap[v])
        rows.append((label, mean, largest, float(moved.mean()), int(moved.max()), tau, ap))
    columns = [Column("measure", "text"), Column("change", "difference"), Column("largest", "difference")]
    columns += [Column(name) for name in ("ranks", "most", "tau", "tau_ap")]
    title = f"{len(study.rank)} runs, each scored without {'its own team' if given['by'] == 'team' else 'itself'}"
    footer = ("change, ranks: means over the runs (ranks up or down); largest, most: of a single run.",)
    return Table(tuple(columns), rows, given["digits"], title=title, footer=footer)


def _teams(study: LeaveOneOut, collection: Collection, given: dict[str, Any]) -> Table:
    """What each team contributed, and what becomes of it."""
    columns = [Column(given["by"], "text"), Column("measure", "text")]
    columns += [Column(name) for name in ("runs", "pooled", "unique", "rel")]
    columns += [Column("change", "difference"), Column("ranks"), Column("tau"), Column("tau_ap")]
    rows: list[tuple[Cell, ...]] = []
    for team in study.teams:
        own = list(team.runs)
        for v, label in enumerate(_labels(collection)):
            change, moved = study.change[own, v], study.rank_change[own, v]
            most = int(moved[abs(moved).argmax()])
            name: str = team.team
            brought: tuple[Cell, ...] = (len(own), team.contributed, team.unique, team.relevant)
            if v and given["format_name"] in READING:  # as in the row above
                name, brought = "", ("",) * len(brought)
            tail = (float(change[abs(change).argmax()]), most, known(team.tau[v]), known(team.tau_ap[v]))
            rows.append((name, label, *brought, *tail))
    footer = ("change, ranks: of the run of the team that changes most; ranks: places that it falls.",)
    return Table(tuple(columns), rows, given["digits"], title="each alone left out", footer=footer)


def _runs(study: LeaveOneOut, collection: Collection, given: dict[str, Any]) -> Table:
    """Every run and measure, both ways."""
    columns = [
        Column(name, "text") for name in ("run", given["by"] if given["by"] == "team" else "left_out", "measure")
    ]
    columns += [Column(name) for name in ("score", "without")]
    columns += [Column("change", "difference"), Column("rank"), Column("rank_without"), Column("ranks")]
    rows: list[tuple[Cell, ...]] = [
        (
            run,
            study.teams[study.team_of[r]].team,
            label,
            float(study.score[r, v]),
            float(study.left_score[r, v]),
            float(study.change[r, v]),
            int(study.rank[r, v]),
            int(study.left_rank[r, v]),
            int(study.rank_change[r, v]),
        )
        for r, run in enumerate(collection.runs)
        for v, label in enumerate(_labels(collection))
    ]
    return Table(tuple(columns), rows, given["digits"])


def _notes(study: LeaveOneOut) -> list[str]:
    """What the rebuilt pools say about the depth that was given."""
    pools = study.pools
    notes = []
    if pools.unjudged:
        share = 100 * pools.unjudged / pools.rows
        notes.append(f"{share:.1f} % of the documents in the rebuilt pools have no judgement: is the pool depth right?")
    if pools.outside:
        judged = pools.contributed.shape[1]
        notes.append(f"{pools.outside} of {judged} judgements are of documents outside the rebuilt pools; they stay")
    for team in study.teams:
        if team.emptied:
            what = "topic has" if team.emptied == 1 else "topics have"
            notes.append(f"without {printable(team.team)}, {team.emptied} {what} no judgement left (scored as 0)")
    return notes


def _write_qrels(study: LeaveOneOut, collection: Collection, given: dict[str, Any]) -> None:
    import os
    from itertools import compress

    from ireval.studying import qrels_lines
    from ireval.write.output import write_whole

    lines = qrels_lines(collection.judged)
    taken: set[str] = set()
    for number, team in enumerate(study.teams):
        name = "qrels.without-" + "".join(c if c.isalnum() or c in "-_.+" else "_" for c in team.team)
        if name in taken:
            name += f"-{number + 1}"
        taken.add(name)
        kept = compress(lines, (~study.pools.unique[number]).tolist())
        write_whole(os.path.join(given["write_qrels"], name), b"".join(kept))


def _draw(study: LeaveOneOut, collection: Collection, given: dict[str, Any]) -> None:
    from ireval.write.plot_loo import draw_leave_one_out

    series = {
        label: (study.score[:, v].tolist(), study.left_score[:, v].tolist())
        for v, label in enumerate(_labels(collection))
    }
    draw_leave_one_out(series, given["by"], given["plot"])
