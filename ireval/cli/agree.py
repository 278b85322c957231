"""`ireval agree`: how far assessors agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from ireval.cli.options import READING, check_format, emit, output_options, tell
from ireval.cli.study import known, signed
from ireval.errors import UsageError
from ireval.write.table import Cell, Column, Table

if TYPE_CHECKING:
    from ireval.studies.agreement import Agreement, RaterPair

EPILOG = """\b
Examples:
  ireval agree testdata/teams/qrels testdata/teams/qrels.second
  ireval agree testdata/teams/qrels testdata/teams/qrels.second --binary --level 2
  ireval agree testdata/teams/qrels testdata/teams/qrels.second --confusion -f csv

Exit status: 0 done, 2 usage or bad input, 4 no document in common.
"""


@click.command("agree", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("--binary", is_flag=True, help="Only whether a document is relevant (see --level), not how much.")
@click.option("--level", type=click.IntRange(0), default=1, show_default=True, help="Lowest relevant level.")
@click.option("--confusion", is_flag=True, help="Confusion matrices of more than two raters too; in csv, instead.")
@click.option(
    "--qrels-format",
    type=click.Choice(["qrels", "ntcir", "diversity"]),
    default="qrels",
    show_default=True,
    help="Format of the judgements; ntcir has three fields and levels such as L2; diversity compares what was said of "
    "each document and intent.",
)
@click.option(
    "--on-duplicate",
    type=click.Choice(["error", "first"]),
    default="error",
    show_default=True,
    help="A document judged twice in one file: refuse, or take the first.",
)
@output_options
def command(qrels: tuple[str, ...], **given: Any) -> None:
    """Compare the judgements of two or more assessors, one file each.

    Counted are the documents that all of them judged (a negative level is no judgement). kappa is Cohen's; linear and
    quadratic are the weighted kappas, in which a disagreement counts by the distance of the levels or its square.
    overlap is the share of documents that both find relevant among those that either does, averaged over topics.
    """
    from ireval.api import as_source, read_qrels, run_names
    from ireval.cli.provenance import signature
    from ireval.studies.agreement import agree

    check_format(given)
    if len(qrels) < 2:
        raise UsageError("expected the judgements of two assessors at least, found one file")
    if list(qrels).count("-") > 1 or len(set(qrels)) < len(qrels):
        raise UsageError("the same file is given twice")
    sources = [as_source(file) for file in qrels]
    by_intent = given["qrels_format"] == "diversity"  # so that (topic, intent) is what a document is judged for
    options = {"format": "qrels_jg" if by_intent else given["qrels_format"], "on_duplicate": given["on_duplicate"]}
    raters = [read_qrels(source, **options) for source in sources]
    found = agree(raters, run_names(qrels), level=given["level"], binary=given["binary"])
    parts = ["agree", f"rel:{given['level']}", f"n:{found.documents}", *(["binary:yes"] if given["binary"] else [])]
    parts += ["by:intent"] if by_intent else []
    made = signature(parts)
    tables = _reading(found, given) if given["format_name"] in READING else [_tidy(found, given, made, sources)]
    emit(signed(tables, made, given), given["format_name"], given["output"])
    tell(_notes(found), given["quiet"])


_NUMBERS = ("documents", "agreement", "kappa", "linear", "quadratic", "overlap")


def _row(pair: RaterPair) -> tuple[Cell, ...]:
    numbers = [getattr(pair, name) for name in _NUMBERS]
    return pair.first, pair.second, *(known(n) if isinstance(n, float) else n for n in numbers)


def _pairs(found: Agreement, given: dict[str, Any]) -> Table:
    columns = (Column("first", "text"), Column("second", "text"), *(Column(name) for name in _NUMBERS))
    return Table(columns, [_row(pair) for pair in found.pairs], given["digits"])


def _reading(found: Agreement, given: dict[str, Any]) -> list[Table]:
    """Two raters have their numbers below each other and the confusion matrix; more have a row for each pair."""
    if len(found.pairs) == 1:
        pair = found.pairs[0]
        rows: list[tuple[Cell, ...]] = list(zip(_NUMBERS, _row(pair)[2:], strict=True))
        rows.append(("Fleiss", known(found.fleiss)))
        first = Table((Column("", "text"), Column(f"{pair.first}, {pair.second}")), rows, given["digits"])
        return [first, _confusion(found, pair, given)]
    everybody = f"all {len(found.raters)}: Fleiss' kappa {found.fleiss:.{max(given['digits'], 0)}f}, overlap "
    footer = (everybody + f"{found.overlap:.{max(given['digits'], 0)}f}",)
    from dataclasses import replace

    tables = [replace(_pairs(found, given), footer=footer)]
    return tables + ([_confusion(found, pair, given) for pair in found.pairs] if given["confusion"] else [])


def _confusion(found: Agreement, pair: RaterPair, given: dict[str, Any]) -> Table:
    columns = (Column(pair.first, "text"), *(Column(str(level)) for level in found.categories), Column("all"))
    rows: list[tuple[Cell, ...]] = [
        (str(level), *row, sum(row)) for level, row in zip(found.categories, pair.table.tolist(), strict=True)
    ]
    totals = pair.table.sum(axis=0).tolist()
    rows.append(("all", *totals, sum(totals)))
    return Table(columns, rows, given["digits"], title=f"level by {pair.first} (rows) and {pair.second} (columns)")


def _tidy(found: Agreement, given: dict[str, Any], made: str, sources: Sequence[Any]) -> Table:
    from dataclasses import replace

    from ireval.cli.provenance import document

    if given["format_name"] == "json":
        content = {
            "levels": list(found.categories),
            "documents": found.documents,
            "topics": found.topics,
            "judged": dict(zip(found.raters, found.judged, strict=True)),
            "pairs": [
                {**dict(zip(("first", "second", *_NUMBERS), _row(pair), strict=True)), "confusion": pair.table.tolist()}
                for pair in found.pairs
            ],
            "fleiss": known(found.fleiss),
            "overlap": known(found.overlap),
        }
        return replace(_pairs(found, given), document=document(made, sources, **content))
    if not given["confusion"]:
        return _pairs(found, given)
    names = ("first", "second", "level_first", "level_second", "documents")
    rows: list[tuple[Cell, ...]] = [
        (pair.first, pair.second, a, b, int(pair.table[i, j]))
        for pair in found.pairs
        for i, a in enumerate(found.categories)
        for j, b in enumerate(found.categories)
    ]
    return Table(tuple(Column(name, "text" if i < 2 else "number") for i, name in enumerate(names)), rows)


def _notes(found: Agreement) -> list[str]:
    return [
        f"{name}: {judged - found.documents} of {judged} judged documents left out, which not all raters judged"
        for name, judged in zip(found.raters, found.judged, strict=True)
        if judged > found.documents
    ]
