"""What `sigtest` says in words: what was tested, what the tables mean, and reminders."""

from __future__ import annotations

from collections.abc import Sequence

from ireval.stats.multiple import CORRECTIONS, FAMILY_WISE
from ireval.stats.unpaired import STATISTICS
from ireval.studies.sigtest import Comparison, Pair, expected_by_chance, samples_needed

FEW_PAIRS = 10
"""Up to so many pairs are shown, or named, unasked."""


def title_of(one: Comparison) -> str:
    """What was tested, in a line."""
    what = one.test.title + (f" of the {STATISTICS[one.statistic]}" if one.test.kind == "unpaired" else "")
    parts = [what, *(["exact"] if one.exact else [])]
    parts += [f"B {one.samples}, seed {one.seed}"] if one.samples else []
    parts += [f"{CORRECTIONS[one.correction]} correction"] if one.correction != "none" else []
    return f"{one.measure}, {len(one.topics)} topics, {len(one.systems)} systems: " + ", ".join(parts)


def words(one: Comparison) -> list[str]:
    """What the table means: two lines, and one for each pair of identical systems."""
    level = f"{one.alpha:g}".removeprefix("0")
    if one.test.kind == "omnibus":
        return [_omnibus_verdict(one, level), _tested(one)]
    if one.letters is not None:
        meaning = f"Systems that share a letter cannot be told apart at {level}"
    else:
        base = one.systems[one.baseline or 0]
        meaning = f"+ better, - worse than {base} at {level}, = cannot be told apart"
    differ = sum(pair.different for pair in one.pairs)
    of = f"{differ} of {len(one.pairs)} pair{'s' * (len(one.pairs) != 1)} differ{'s' * (differ == 1)}"
    lines = [f"{meaning}{_kind_of_level(one)}: {of}.", _tested(one)]
    same = [pair for pair in one.pairs if _identical(one, pair)]
    for pair in same[:FEW_PAIRS]:
        names = f"{one.systems[pair.first]} and {one.systems[pair.second]}"
        lines.append(f"{names} have the same score for every topic: p = 1.")
    if len(same) > FEW_PAIRS:
        lines.append(f"So have {len(same) - FEW_PAIRS} more pairs.")
    return lines


def _identical(one: Comparison, pair: Pair) -> bool:
    """Whether two systems have the same scores; the unpaired test counts no ties."""
    if pair.ties is not None:
        return pair.ties == len(one.topics)
    return pair.p == 1.0 and bool((one.values[pair.first] == one.values[pair.second]).all())


def _kind_of_level(one: Comparison) -> str:
    """What the level bounds, where there is more than one pair."""
    if len(one.pairs) < 2:
        return ""
    if one.correction == "bh":
        return " (false discovery rate)"
    return " (family-wise)" if one.test.kind == "family" or one.correction in FAMILY_WISE else " (each pair by itself)"


def _tested(one: Comparison) -> str:
    assumes = one.test.assumes
    that = "" if assumes.startswith("nothing") else "that "
    return f"Null hypothesis: {one.test.hypothesis}. Assumes {that}{assumes}."


def _omnibus_verdict(one: Comparison, level: str) -> str:
    assert one.anova is not None and one.anova.systems.p is not None
    p, statistic = one.anova.systems.p, f"F {one.anova.systems.f:.4f}"
    if one.friedman is not None:
        p = one.friedman.p
        degrees = "1 degree" if one.friedman.freedom == 1 else f"{one.friedman.freedom} degrees"
        statistic = f"Chi-square {one.friedman.chi_square:.4f}, {degrees} of freedom"
    verdict = "some systems differ (--test hsd says which)" if p < one.alpha else "no difference was found"
    return f"{statistic}, p {show_p(p, 4)}: at {level}, {verdict}."


def about_pairs(one: Comparison, power: bool) -> list[str]:
    """What the columns of the table of pairs are."""
    effect = "Effect: the difference in standard deviations of the differences by topic; by residual: of the ANOVA's."
    if one.test.kind == "unpaired":
        effect = "Effect: the difference of means in pooled standard deviations of the scores."
    lines = [f"Brackets: {100 * (1 - one.alpha):g} % interval ({one.test.interval}).", effect]
    if power:
        lines.append("Power: of a paired t-test for the effect found, and how many topics would make it .8.")
    return lines


def notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Reminders for stderr."""
    found = []
    one = comparisons[0]
    if one.test.kind in ("pair", "unpaired") and one.correction == "none" and len(one.pairs) > 1:
        chance = expected_by_chance(len(one.pairs), one.alpha)
        found.append(
            f"{len(one.pairs)} pairs were tested without correction: where no system differs, chance alone makes up to "
            f"{chance} of them look different on average (--correction holm)"
        )
    for one in comparisons:
        stuck = one.correction in FAMILY_WISE and any(pair.below and not pair.different for pair in one.pairs)
        if stuck and one.samples:
            needed = samples_needed(len(one.pairs), one.alpha)
            found.append(
                f"{one.measure}: B {one.samples} is too small to tell {len(one.pairs)} pairs apart after correction; "
                f"take --samples {needed}, or --test hsd"
            )
    return found


def show_p(p: float, digits: int, below: bool = False) -> str:
    """p as text, never 0. below: p is only known to be below this."""
    if below:
        return f"<{p:.4g}" if digits >= 0 else f"<{p!r}"
    if p == 0.0:
        return "<1e-300"
    if digits < 0:
        return repr(p)
    return f"{p:.{digits}f}" if p >= 10.0**-digits else f"{p:.1e}"
