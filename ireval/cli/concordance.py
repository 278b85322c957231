"""`ireval concordance`: which measure is intuitive, and which predicts what people prefer."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from ireval.cli.cube import Compared, compared, compared_files, compared_options
from ireval.cli.options import READING, check_format, complete_measure, emit, output_options, tell
from ireval.cli.study import known, mark, p_cell, rows_of, signed, ticking
from ireval.errors import UsageError
from ireval.write.table import Cell, Column, Estimate, Table

if TYPE_CHECKING:
    from ireval.studies.concordance import Concordance, PredictivePower

ALPHA = 0.05
"""Level at which one candidate is said to be better than another."""

EPILOG = """\b
Examples:
  ireval concordance testdata/teams/qrels testdata/teams/*.run.gz --candidate nDCG@10 --candidate ERR@10 --gold P@10
  ireval concordance testdata/teams/qrels testdata/teams/*.run.gz --candidate AP --candidate Q --candidate nDCG@10
    --gold P@10 --gold RR -f csv
  ireval concordance testdata/teams/qrels testdata/teams/*.run.gz --candidate AP --candidate nDCG@10
    --preferences testdata/teams/preferences

Exit status: 0 done, 2 usage or bad input, 4 nothing to evaluate.
"""


@click.command("concordance", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@compared_files
@click.option(
    "-m",
    "--candidate",
    "--measure",
    "candidates",
    multiple=True,
    required=True,
    shell_complete=complete_measure,
    metavar="MEASURE",
    help="A measure to be tested; may be repeated.",
)
@click.option(
    "--gold",
    "golds",
    multiple=True,
    shell_complete=complete_measure,
    metavar="MEASURE",
    help="A simple measure that says what is wanted, such as P@10 or I-rec@10; may be repeated. Several are asked one "
    "by one, and all together: a candidate must then contradict none of them.",
)
@click.option(
    "--preferences",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="What people preferred: lines of topic, run, run and A, B or =. Gives each candidate's predictive power.",
)
@click.option("--list", "as_list", is_flag=True, help="One row for each pair of candidates, with wins and losses.")
@compared_options
@output_options
def command(files: tuple[str, ...], candidates: tuple[str, ...], golds: tuple[str, ...], **given: Any) -> None:
    """Find out which of several measures agrees best with simple gold measures, or with people.

    The concordance test (Sakai 2013, Fig. 3): for every pair of runs and every topic on which two candidates disagree,
    count how often each of them does not contradict the gold measure. Cells read like 84%/80% † (1463): the
    concordance of the row's measure, of the column's, whether the sign test of their wins tells them apart (‡ at .01,
    † at .05), and the number of disagreements.
    """
    check_format(given)
    if bool(golds) == bool(given["preferences"]):
        raise UsageError("expected --gold MEASURE or --preferences FILE" + (", found both" if golds else ""))
    if given["preferences"] == "-" and "-" in (*files, *given["scores"]):
        raise UsageError("standard input can be only one of the files")
    asked = list(dict.fromkeys([*candidates, *golds]))
    scored = compared(files, asked, given, ())
    rows = rows_of(scored, candidates, asked, given)
    if golds and len(rows) < 2:
        raise UsageError(f"the concordance test needs two candidates at least, found {len(rows)}")
    if golds:
        tables = _concordance(scored, rows, rows_of(scored, golds, asked, given), given)
    else:
        tables = _predictive_power(scored, rows, given)
    emit(tables, given["format_name"], given["output"])
    tell(scored.notes, given["quiet"])


def _concordance(scored: Compared, candidates: list[int], golds: list[int], given: dict[str, Any]) -> list[Table]:
    from ireval.cli.progress import Progress
    from ireval.cli.provenance import document, signature
    from ireval.studies.concordance import concordance

    if len(scored.cube.systems) < 2:
        raise UsageError("the concordance test compares runs with each other, found one")
    sets = [[gold] for gold in golds] + ([golds] if len(golds) > 1 else [])
    pairs = len(candidates) * (len(candidates) - 1) // 2
    with Progress(pairs * len(sets), "comparing", given["quiet"]) as bar:
        found = concordance(scored.cube, candidates, sets, ticking(bar))
    names = [scored.cube.measures[row] for row in candidates]
    parts = [f"candidates:{','.join(names)}", f"golds:{','.join(scored.cube.measures[row] for row in golds)}"]
    made = signature(["concordance", *parts, *scored.signature])
    if given["format_name"] in READING:
        blocks = [list(block) for _, block in groupby(found, lambda pair: pair.golds)]
        tables = [_as_list(block, given) if given["as_list"] else _as_matrix(names, block, given) for block in blocks]
        tell([_warning(block) for block in blocks if _warning(block)], given["quiet"])
        return signed(tables, made, given)
    content = {"concordance": [_entry(pair) for pair in found]}
    whole = document(made, scored.inputs, **content) if given["format_name"] == "json" else {}
    return signed([_tidy(found, given, whole)], made, given)


def _percent(share: float) -> str:
    return "-" if share != share else f"{100 * share:.0f}%"


def _title(pair: Concordance) -> str:
    gold = " and ".join(pair.golds)
    return f"gold: {gold} ({pair.comparisons} pairs of ranked lists)"


def _as_matrix(names: list[str], block: list[Concordance], given: dict[str, Any]) -> Table:
    """As Table 2 of the paper: a row and a column for each candidate."""
    cell = {
        (pair.first, pair.second): f"{_percent(pair.share_first)}/{_percent(pair.share_second)}"
        f"{' ' + mark(pair.p) if mark(pair.p) else ''} ({pair.disagreements})"
        for pair in block
    }
    columns = (Column("", "text"), *(Column(name) for name in names[1:]))
    rows: list[tuple[Cell, ...]] = [
        (first, *(cell.get((first, second), "-") for second in names[1:])) for first in names[:-1]
    ]
    return Table(columns, rows, given["digits"], title=_title(block[0]), footer=tuple(_relations(names, block)))


def _as_list(block: list[Concordance], given: dict[str, Any]) -> Table:
    columns = [Column("first", "text"), Column("second", "text")]
    columns += [Column(name) for name in ("disagree", "conc 1", "conc 2", "wins 1", "wins 2", "p")]
    rows: list[tuple[Cell, ...]] = [
        (
            pair.first,
            pair.second,
            pair.disagreements,
            _percent(pair.share_first),
            _percent(pair.share_second),
            pair.wins_first,
            pair.wins_second,
            ("<0.0001" if pair.p < 0.00005 else f"{pair.p:.4f}") + mark(pair.p),
        )
        for pair in block
    ]
    names = list(dict.fromkeys(name for pair in block for name in (pair.first, pair.second)))
    return Table(tuple(columns), rows, given["digits"], title=_title(block[0]), footer=tuple(_relations(names, block)))


def _relations(names: list[str], block: list[Concordance]) -> list[str]:
    """Who is significantly better than whom, as a chain where that is possible."""
    from ireval.studies.concordance import broken_transitivity, chain, covering, significantly_better

    relation = significantly_better(block, ALPHA)
    if not relation:
        return [f"No candidate is significantly better than another at {ALPHA:g}."]
    order = chain(names, relation)
    if order is not None:
        return ["At .05: " + " >> ".join(", ".join(group) for group in order)]
    told = sorted(relation) if broken_transitivity(relation) else covering(relation)
    return ["At .05: " + "; ".join(f"{better} >> {worse}" for better, worse in told)]


def _warning(block: list[Concordance]) -> str:
    from ireval.studies.concordance import broken_transitivity, significantly_better

    broken = broken_transitivity(significantly_better(block, ALPHA))
    if not broken:
        return ""
    a, b, c = broken[0]
    gold = " and ".join(block[0].golds)
    return f"gold {gold}: not transitive: {a} >> {b} and {b} >> {c}, but not {a} >> {c}"


def _entry(pair: Concordance) -> dict[str, Any]:
    return {**asdict(pair), "share_first": known(pair.share_first), "share_second": known(pair.share_second)}


def _tidy(found: list[Concordance], given: dict[str, Any], whole: dict[str, Any]) -> Table:
    """One row for each pair of candidates and gold."""
    texts = [Column(name, "text") for name in ("gold", "first", "second")]
    numbers = ("comparisons", "disagreements", "share_first", "share_second", "wins_first", "wins_second", "z")
    rows: list[tuple[Cell, ...]] = [
        (
            "+".join(pair.golds),
            pair.first,
            pair.second,
            *(_entry(pair)[name] for name in numbers),
            p_cell(pair.p, given),
            mark(pair.p),
        )
        for pair in found
    ]
    columns = (*texts, *(Column(name) for name in numbers), Column("p"), Column("mark", "text"))
    return Table(columns, rows, given["digits"], document=whole)


def _predictive_power(scored: Compared, candidates: list[int], given: dict[str, Any]) -> list[Table]:
    from ireval.api import as_source
    from ireval.cli.provenance import document, signature
    from ireval.studies.concordance import predictive_power
    from ireval.studying import preferences_for

    source = as_source(given["preferences"])
    preferences, note = preferences_for(scored.cube, source)
    found = [predictive_power(scored.cube, row, preferences) for row in candidates]
    found.sort(key=lambda one: -one.power)
    made = signature(["predictive-power", ",".join(one.measure for one in found), "ci:95,wilson", *scored.signature])
    asked = found[0].right + found[0].wrong + found[0].tied
    alike = f"; {found[0].alike} without a winner left out" if found[0].alike else ""
    whole = {}
    if given["format_name"] == "json":
        whole = document(made, (*scored.inputs, source), predictive_power=[asdict(one) for one in found])
    tell([note] if note else [], given["quiet"])
    table = Table(
        (Column("measure", "text"), Column("power"), Column("right"), Column("wrong"), Column("tied")),
        [_power_row(one) for one in found],
        given["digits"],
        title=f"{asked} preferences between runs{alike}",
        document=whole,
    )
    return signed([table], made, given)


def _power_row(one: PredictivePower) -> tuple[Cell, ...]:
    return one.measure, Estimate(one.power, one.low, one.high), one.right, one.wrong, one.tied
