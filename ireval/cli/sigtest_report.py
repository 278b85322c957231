"""What `sigtest` shows: systems with their letters, pairs, a tidy table for programs, JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

from ireval.cli.cube import Compared
from ireval.cli.provenance import document, signature
from ireval.cli.sigtest_words import FEW_PAIRS, about_pairs, show_p, title_of, words
from ireval.stats.anova import Source as VarianceRow
from ireval.stats.multiple import CORRECTIONS
from ireval.studies.sigtest import Comparison, Pair
from ireval.write.table import Cell, Column, Estimate, Marked, Table

_FEW_LETTERS = 10
"""Up to so many groups each have a column of their own; beyond, neighbouring letters are drawn together."""


def tables(comparisons: Sequence[Comparison], found: Compared, given: Mapping[str, Any]) -> list[Table]:
    """Everything to be written, in the layout asked for."""
    made = _signature(comparisons, found, given)
    layout = given["format_name"]
    shown = made if given["signature"] else ""
    if layout == "json":
        content = document(made, found.inputs, measures=[_document(one) for one in comparisons])
        return [Table((), [], document=content)]
    if layout in ("csv", "tsv", "jsonl"):
        return [replace(_tidy(comparisons, given["digits"], layout == "jsonl"), signature=shown)]
    several: list[Table] = []
    if layout in ("latex", "markdown") and comparisons[0].pairs:
        several.append(_joint(comparisons, given["digits"]))
    for one in comparisons:
        if layout == "table" or not one.pairs:
            several.append(_systems(one, given["digits"]))
        few = len(one.pairs) <= FEW_PAIRS and (layout == "table" or one.baseline is not None)
        if one.pairs and (few if given["pairs"] is None else given["pairs"]):
            several.append(_pairs(one, given["digits"], given["power"]))
    return [*several[:-1], replace(several[-1], signature=shown)]


def _signature(comparisons: Sequence[Comparison], found: Compared, given: Mapping[str, Any]) -> str:
    one = comparisons[0]
    draws = f",B:{given['samples']},seed:{given['seed']}" if any(c.samples for c in comparisons) else ""
    parts = [",".join(found.cube.measures), *found.signature, f"test:{one.test.name}{draws}", f"alpha:{one.alpha:g}"]
    if one.test.kind in ("pair", "unpaired") and len(one.pairs) > 1:
        parts.append(f"correction:{one.correction}")
    if one.baseline is not None:
        parts.append(f"baseline:{one.systems[one.baseline]}")
    if one.test.kind == "unpaired":
        parts.append(f"statistic:{one.statistic}")
    return signature(parts)


# -- tables ---------------------------------------------------------------------------------------------------------


def _marks(one: Comparison) -> list[list[str]]:
    """What stands beside each system: its letters, or how it compares with the baseline; in the order of the cube."""
    if one.letters is not None:
        return [list(own) for own in one.letters]
    marks: list[list[str]] = [[] for _ in one.systems]
    for pair in one.pairs:
        ahead = (pair.difference > 0) != (one.better == "low")
        marks[pair.first] = [("+" if ahead else "-") if pair.different else "="]
    return marks


def _alphabet(marks: list[list[str]]) -> list[str]:
    """All letters that are used, in order; none against a baseline, where marks are signs."""
    return sorted({mark for own in marks for mark in own if mark.isalpha()}, key=lambda mark: (len(mark), mark))


def _spread(marks: list[list[str]]) -> list[str]:
    """Letters each in a column of its own, where there are few of them."""
    every = _alphabet(marks)
    if len(every) > _FEW_LETTERS or not every:
        return [_drawn_together(own, every) for own in marks]
    return [" ".join(mark if mark in own else " " * len(mark) for mark in every).rstrip() for own in marks]


def _drawn_together(own: list[str], every: list[str]) -> str:
    """Letters of a system with three or more neighbours as a range: `a c-f h`."""
    followers = dict(pairwise(every))
    runs: list[list[str]] = []
    for mark in own:
        if runs and followers.get(runs[-1][-1]) == mark:
            runs[-1].append(mark)
        else:
            runs.append([mark])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else " ".join(run) for run in runs)


def _about_ranges(marks: list[list[str]]) -> list[str]:
    """What a range of letters means, where there are any."""
    every = _alphabet(marks)
    ranges = len(every) > _FEW_LETTERS and any("-" in _drawn_together(own, every) for own in marks)
    return ["A range stands for all letters in it: a-d for a, b, c and d."] if ranges else []


def _systems(one: Comparison, digits: int) -> Table:
    """Systems, best first, with their means and letters; or what an omnibus test has to show."""
    if one.test.name == "anova" and one.anova is not None:
        numbers = map(Column, ("squares", "freedom", "mean square", "F"))
        columns = [Column("source", "text"), *numbers, Column("p", "text")]
        rows: list[tuple[Cell, ...]] = [
            (r.name, r.squares, r.freedom, r.mean_square, r.f, "" if r.p is None else show_p(r.p, digits))
            for r in one.anova.rows
        ]
    else:
        name = one.measure if one.statistic == "mean" else f"{one.measure} ({one.statistic})"
        columns = [Column("system", "text"), Column(name)]
        beside: Sequence[Cell]
        if one.friedman is not None:
            columns.append(Column("mean rank"))
            beside = one.friedman.mean_ranks
        else:
            against = "groups" if one.baseline is None else f"against {one.systems[one.baseline]}"
            columns.append(Column(against, "text"))
            beside = _spread(_marks(one))
        rows = [(one.systems[s], one.means[s], beside[s]) for s in one.order]
    footer = (*words(one), *_about_ranges(_marks(one)))
    return Table(tuple(columns), rows, digits, title=title_of(one), footer=footer)


def short_marks(one: Comparison) -> list[str]:
    """What stands beside each system, without blanks where there are few letters; in the order of the cube."""
    marks = _marks(one)
    every = _alphabet(marks)
    return [_drawn_together(own, every) if len(every) > _FEW_LETTERS else "".join(own) for own in marks]


def _joint(comparisons: Sequence[Comparison], digits: int) -> Table:
    """All measures side by side, letters as superscripts; sorted by the first measure."""
    columns = [Column("system", "text")]
    footer: list[str] = []
    for one in comparisons:
        columns.append(Column(one.measure, mark_best=bool(one.better), lower_is_better=one.better == "low"))
        footer += [title_of(one), words(one)[0]]
    marks = [short_marks(one) for one in comparisons]
    ranges = dict.fromkeys(line for one in comparisons for line in _about_ranges(_marks(one)))
    rows: list[tuple[Cell, ...]] = [
        (comparisons[0].systems[s], *(Marked(c.means[s], marks[i][s]) for i, c in enumerate(comparisons)))
        for s in comparisons[0].order
    ]
    return Table(tuple(columns), rows, digits, footer=(*footer, *words(comparisons[0])[1:2], *ranges))


def _pairs(one: Comparison, digits: int, power: bool) -> Table:
    """One row a pair."""
    p_name = "p" if one.correction == "none" else f"p ({CORRECTIONS[one.correction]})"
    columns = [Column("pair", "text"), Column("difference", "difference"), Column(p_name, "text"), Column("effect")]
    paired = one.test.kind != "unpaired"
    columns += [Column("by residual"), Column("won/tied/lost", "text")] if paired else []
    columns += [Column("power"), Column("topics for .8", "number")] if power else []
    rows: list[tuple[Cell, ...]] = []
    for pair in one.pairs:
        cells: list[Cell] = [
            f"{one.systems[pair.first]} - {one.systems[pair.second]}",
            Estimate(pair.difference, pair.low, pair.high),
            show_p(pair.adjusted, digits, pair.below),
            f"{pair.effect:.2f}",
        ]
        if paired:
            cells += [f"{pair.residual_effect:.2f}", f"{pair.wins}/{pair.ties}/{pair.losses}"]
        if power:
            cells += [f"{pair.power:.2f}", pair.needed if pair.needed is not None else "more than any"]
        rows.append(tuple(cells))
    return Table(tuple(columns), rows, digits, title=f"{one.measure}, pairs", footer=tuple(about_pairs(one, power)))


def _pair_facts(pair: Pair) -> dict[str, Any]:
    """All that is known of a pair, under names for programs."""
    facts = {**asdict(pair), "p_adjusted": pair.adjusted, "topics_needed": pair.needed}
    names = "difference low high p p_adjusted below different count samples statistic effect residual_effect wins ties"
    return {name: facts[name] for name in (names + " losses power topics_needed").split()}


def _tidy(comparisons: Sequence[Comparison], digits: int, numbers: bool) -> Table:
    """One row a measure and pair, or source of variation, for programs. numbers: p as numbers, else never 0."""
    if comparisons[0].test.kind == "omnibus":
        return _tidy_omnibus(comparisons, digits, numbers)
    rows: list[dict[str, Any]] = []
    for one in comparisons:
        for pair in one.pairs:
            facts = {
                "measure": one.measure,
                "test": one.test.name,
                "correction": one.correction,
                "system1": one.systems[pair.first],
                "system2": one.systems[pair.second],
                "mean1": one.means[pair.first],
                "mean2": one.means[pair.second],
                **_pair_facts(pair),
            }
            if not numbers:
                least = 1.0 / pair.samples if pair.samples else pair.adjusted  # what is not counted is not corrected
                raw = least if pair.below else pair.p
                facts["p"], facts["p_adjusted"] = (show_p(p, digits, pair.below) for p in (raw, pair.adjusted))
                facts |= {name: "yes" if facts[name] else "no" for name in ("below", "different")}
            rows.append(_finite(facts) if numbers else facts)
    return _table_of(rows, digits)


def _tidy_omnibus(comparisons: Sequence[Comparison], digits: int, numbers: bool) -> Table:
    rows: list[dict[str, Any]] = []
    for one in comparisons:
        head = {"measure": one.measure, "test": one.test.name}
        if one.friedman is not None:
            f = one.friedman
            found: list[dict[str, Any]] = [
                {"source": "systems", "freedom": f.freedom, "chi_square": f.chi_square, "p": f.p}
            ]
        else:
            assert one.anova is not None
            found = [{"source": r.name, **_source_facts(r)} for r in one.anova.rows]
        for facts in found:
            if not numbers and facts["p"] is not None:
                facts["p"] = show_p(facts["p"], digits)
            rows.append({**head, **(_finite(facts) if numbers else facts)})
    return _table_of(rows, digits)


def _table_of(rows: list[dict[str, Any]], digits: int) -> Table:
    """Rows with names as a table."""
    return Table(tuple(Column(name) for name in rows[0]), [tuple(row.values()) for row in rows], digits)


def _source_facts(row: VarianceRow) -> dict[str, Any]:
    return {"squares": row.squares, "freedom": row.freedom, "mean_square": row.mean_square, "f": row.f, "p": row.p}


def _document(one: Comparison) -> dict[str, Any]:
    """One measure for JSON, at full precision."""
    found: dict[str, Any] = {
        "measure": one.measure,
        "test": one.test.name,
        "title": one.test.title,
        "hypothesis": one.test.hypothesis,
        "assumes": one.test.assumes,
        "alpha": one.alpha,
        "correction": one.correction,
        "samples": one.samples,
        "seed": one.seed,
        "exact": one.exact,
        "topics": len(one.topics),
        "baseline": None if one.baseline is None else one.systems[one.baseline],
        "statistic": one.statistic,
        "systems": [
            {"name": one.systems[s], "mean": one.means[s], "letters": list(one.letters[s]) if one.letters else None}
            for s in one.order
        ],
        "interval": one.test.interval,
        "test_statistic": one.statistic_name or None,
        "pairs": [
            {"systems": [one.systems[pair.first], one.systems[pair.second]], **_finite(_pair_facts(pair))}
            for pair in one.pairs
        ],
    }
    if one.anova is not None:
        found["anova"] = {row.name: _finite(_source_facts(row)) for row in one.anova.rows}
    if one.friedman is not None:
        f = one.friedman
        ranks = {one.systems[s]: f.mean_ranks[s] for s in one.order}
        found["friedman"] = {"chi_square": f.chi_square, "freedom": f.freedom, "p": f.p, "mean_ranks": ranks}
    return found


def _finite(facts: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity: it becomes a word."""
    return {
        name: ("inf" if value > 0 else "-inf") if isinstance(value, float) and abs(value) == float("inf") else value
        for name, value in facts.items()
    }
