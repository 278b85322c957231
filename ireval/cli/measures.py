"""`ireval measures`: the registry, for people."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import partial

import click

from ireval.cli.options import complete_measure, emit, output_options
from ireval.errors import MeasureError
from ireval.measures.registry import BEYOND, NEEDS, PROPERTIES, Measure, all_measures, beyond_measures
from ireval.measures.spec import LENSES, NICKNAMES, TREC_ORDER, Spec, parse_measure, unknown_measure
from ireval.write.table import Cell, Column, Table

EPILOG = """\b
Examples:
  ireval measures
  ireval measures nDCG ndcg_cut
  ireval measures --properties
  ireval measures -f csv
"""


@click.command("measures", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, shell_complete=complete_measure)
@click.option(
    "--properties", is_flag=True, help="Show which measure has which property, as in Sakai (2014), Fig. 6 and 7."
)
@output_options
def command(
    names: tuple[str, ...],
    properties: bool,
    format_name: str,
    output: str | None,
    digits: int,
    signature: bool,
    quiet: bool,
) -> int:
    """List all measures, or explain the ones named: formula, parameters, source, names in other tools."""
    records = in_order()
    if names:
        lenses = [lens for name in names for lens in _lenses_of(name)]
        chosen = _choose([_without_lens(name) for name in names if name not in _LENS_NAMES], records)
        if format_name == "table" and not properties:
            parts = [explain_lens(lens) for lens in dict.fromkeys(lenses)]
            click.echo("\n\n".join([*parts, *(explain(record) for record in chosen)]))
            return 0
        records = chosen
    if properties:
        emit(_property_table(records), format_name, output)
        if format_name == "table":
            click.echo("\n" + "\n".join(f"{name}: {text}" for name, text in PROPERTIES.items()))
        return 0
    shorten = partial(textwrap.shorten, width=64, placeholder=" ...")
    columns = (Column("name", "text"), Column("trec_eval", "text"), Column("what it is", "text"))
    rows: list[tuple[Cell, ...]] = [
        (usual_name(r), r.name if r.trec else "", shorten(r.summary) if format_name == "table" else r.summary)
        for r in records
    ]
    document = {"measures": [_as_document(r) for r in records], "sets": {k: list(v) for k, v in NICKNAMES.items()}}
    emit(Table(columns, rows, document=document), format_name, output)
    if format_name == "table" and not names:
        click.echo(f"\nSets: {', '.join(NICKNAMES)}.")
        click.echo("Of intents, any measure as nDCG-IA, D-nDCG, D#-nDCG.")
        click.echo("`ireval measures NAME` explains a measure.")
    return 0


_LENS_NAMES = {"IA": ["IA"], "D": ["D"], "D#": ["D", "#"], "DIN": ["DIN"], "DIN#": ["DIN", "#"], "#": ["#"]}
"""What lenses are called without a measure."""


def _seen_through(name: str) -> list[Spec]:
    """The specs that a name stands for, if it is that of a measure seen through a lens."""
    try:
        found = [request.spec for request in parse_measure(name, {})]
    except MeasureError:
        return []
    return [spec for spec in found if spec.lens or spec.gamma is not None]


def _lenses_of(name: str) -> list[str]:
    """The keys of LENSES that a name makes use of."""
    keys = list(_LENS_NAMES.get(name, []))
    for spec in _seen_through(name) if not keys else []:
        keys += ["I1" if spec.lens[1:].isdigit() else spec.lens] if spec.lens else []
        keys += ["#"] if spec.gamma is not None else []
    return keys


def _without_lens(name: str) -> str:
    """The name of the measure itself."""
    seen = _seen_through(name)
    return seen[0].name if seen else name


def explain_lens(key: str) -> str:
    """What a lens does to a measure."""
    form, text = LENSES[key]
    return "\n".join([form, *textwrap.wrap(text, 76, initial_indent="  ", subsequent_indent="  ")])


def _property_table(records: Sequence[Measure]) -> Table:
    """Which measure of ranked lists has which of the lecture's properties; counts and summaries are left out."""
    shown = [r for r in records if r.kind == "score" and r.needs not in BEYOND]
    columns = (Column("name", "text"), *(Column(name, "text") for name in PROPERTIES))
    rows: list[tuple[Cell, ...]] = [
        (usual_name(r), *("yes" if p in r.properties else "" for p in PROPERTIES)) for r in shown
    ]
    document = {"measures": {usual_name(r): sorted(r.properties) for r in shown}, "properties": PROPERTIES}
    return Table(columns, rows, document=document)


def in_order() -> list[Measure]:
    """All measures, trec_eval's in its order, then the others, those of ranked lists first."""
    records = all_measures()
    rest = [r for n, r in records.items() if n not in TREC_ORDER]
    return [*(records[n] for n in TREC_ORDER), *rest, *beyond_measures().values()]


def usual_name(record: Measure) -> str:
    """The label, with the places of its cutoff and of a number after it shown."""
    number = record.suffix.name if record.suffix else ""
    return record.label + number + (f"@{record.cutoff.name}" if record.cutoff else "")


def _choose(names: Sequence[str], records: Sequence[Measure]) -> list[Measure]:
    chosen: list[Measure] = []
    faults = []
    for name in names:
        head = name.split("@")[0].split("(")[0]
        members = NICKNAMES.get(head, ())
        bare = head.rstrip("0123456789")
        found = [r for r in records if head in (r.name, r.label, *r.aliases) or r.name in members]
        found = found or [r for r in records if r.suffix is not None and bare == r.label]
        found = found or [r for r in records if head.lower() in {n.lower() for n in (r.name, r.label, *r.aliases)}]
        if not found:
            faults.append(unknown_measure(name))
        chosen += [r for r in found if r not in chosen]
    if faults:
        raise MeasureError("\n".join(faults))
    return chosen


def explain(record: Measure) -> str:
    """All there is to know about one measure."""
    theirs = f"   (trec_eval: {record.name})" if record.trec and record.name != record.label else ""
    lines = [usual_name(record) + theirs]
    lines += textwrap.indent(record.documentation, "  ").splitlines()
    facts = []
    if record.formula:
        facts.append(("formula", record.formula))
    low, high = record.bounds
    if (low, high) != (None, None):
        facts.append(("range", f"{'-inf' if low is None else f'{low:g}'} to {'inf' if high is None else f'{high:g}'}"))
    facts.append(
        (
            "summary",
            {
                "mean": "mean over topics",
                "sum": "sum over topics",
                "geometric": "geometric mean over topics",
                "none": "none",
            }[record.aggregate],
        )
    )
    if record.needs != "levels":
        facts.append(("needs", NEEDS[record.needs]))
    if record.properties:
        facts.append(("properties", ", ".join(p for p in PROPERTIES if p in record.properties)))
    if record.med is not None:
        facts.append(("distance", "has a MED, see `ireval med`"))
    facts += [(param.name, param.described) for param in record.params]
    if record.aliases:
        facts.append(("also", ", ".join(record.aliases)))
    if record.cite:
        facts.append(("source", record.cite))
    for name, text in facts:
        lines += textwrap.wrap(text, 76, initial_indent=f"    {name + ':':<12}", subsequent_indent=" " * 16)
    return "\n".join(lines)


def _as_document(record: Measure) -> dict[str, object]:
    return {
        "name": usual_name(record),
        "trec_eval": record.name if record.trec else None,
        "aliases": list(record.aliases),
        "documentation": record.documentation,
        "formula": record.formula,
        "range": list(record.bounds),
        "summary": record.aggregate,
        "needs": record.needs,
        "source": record.cite,
        "properties": sorted(record.properties),
        "med": record.med is not None,
        "parameters": [{"name": p.name, "default": p.default, "help": p.help} for p in record.params],
    }
