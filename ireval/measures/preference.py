"""Preference measures: how many of the judges' "this rather than that" a ranking keeps.

A judgement group (a judge) prefers a document to another when one of its subgroups gives it a higher level. Each
preference is one row of a flat table; every measure counts rows of that table.

    retrieved: both documents are in the ranking    implied: only one is    absent: neither is
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Bools, Doubles, Ints
from ireval.core.judgements import Preferences
from ireval.core.numeric import divide, ratio
from ireval.errors import DataError, printable
from ireval.measures.registry import measure


class Entries(NamedTuple):
    """Preference lines of the aligned topics, sorted by topic, group, subgroup, level (high first), place.

    place: the document's place among the topic's judged documents, retrieved ones first in rank order, then the
    others in byte order. judge: number of the (topic, group). Arrays [M].
    """

    judge: Ints
    subgroup: Ints
    level: Doubles
    place: Ints


class Table(NamedTuple):
    """All preferences. better, worse: places; judge: number of the (topic, group); all [P], sorted by judge.

    The rest describes judges [J] and documents. partial [J]: the judge has several subgroups.
    """

    judge: Ints
    better: Ints
    worse: Ints
    worse_in_last: Bools
    """The worse document is in its judge's lowest class (judges with one subgroup)."""
    worse_nth: Ints
    """Which document of that class it is, by place, from 0."""
    better_dropped: Bools
    worse_dropped: Bools
    """Nonrelevant documents beyond the first R, by place (judges with several subgroups)."""
    topic: Ints
    """Topic of each judge [J]."""
    reach: Ints
    """Retrieved judged documents in the judge's topic [J]."""
    relevant: Ints
    nonrelevant: Ints
    relevant_retrieved: Ints
    nonrelevant_retrieved: Ints
    lowest: Ints
    """Size of the lowest class [J]."""
    lowest_retrieved: Ints
    partial: Bools


def _entries(a: Aligned, prefs: Preferences) -> tuple[Entries, Ints, Ints]:
    """The sorted entries, the topic of each judge [J], and the number of retrieved judged documents [T]."""
    judged = a.judgements
    rows = np.flatnonzero(a.judgement >= 0)
    row_topic = a.row_topic[rows]
    retrieved = np.bincount(row_topic, minlength=len(a))
    known = np.diff(judged.off)[a.topic]
    off = ragged.offsets(known)
    document = ragged.ranges(judged.off[:-1][a.topic], known)  # judged documents of the topics, in byte order
    owner = ragged.owners(off)
    place = np.full(len(document), -1, np.int64)
    slot = off[row_topic] + a.judgement[rows] - judged.off[:-1][a.topic[row_topic]]
    place[slot] = np.arange(len(rows)) - ragged.offsets(retrieved)[row_topic]
    absent = np.flatnonzero(place < 0)
    absent_off = ragged.offsets(np.bincount(owner[absent], minlength=len(a)))
    place[absent] = retrieved[owner[absent]] + np.arange(len(absent)) - absent_off[owner[absent]]

    number = np.diff(prefs.off)[a.topic]
    lines = ragged.ranges(prefs.off[:-1][a.topic], number)
    line_topic = np.repeat(np.arange(len(a)), number)
    line_place = place[off[line_topic] + prefs.document[lines] - judged.off[:-1][a.topic[line_topic]]]
    group, subgroup, level = (
        prefs.group[lines].astype(np.int64),
        prefs.subgroup[lines].astype(np.int64),
        prefs.level[lines],
    )
    order = np.lexsort((line_place, -level, subgroup, group, line_topic))
    line_topic, group = line_topic[order], group[order]
    new = np.append(True, (line_topic[1:] != line_topic[:-1]) | (group[1:] != group[:-1]))[: len(order)]
    judge = np.cumsum(new) - 1
    return Entries(judge, subgroup[order], level[order], line_place[order]), line_topic[new], retrieved


def _table(a: Aligned) -> Table:
    """The preferences of the aligned topics under their rankings."""
    return a.once("preferences", lambda: _build_table(a))


def _build_table(a: Aligned) -> Table:
    prefs = a.judgements.preferences
    if prefs is None:
        raise DataError("preference measures need judgements in the format prefs or qrels_prefs")
    e, topic, retrieved = _entries(a, prefs)
    judges = len(topic)
    reach = retrieved[topic]
    off = ragged.offsets(np.bincount(e.judge, minlength=judges))
    # Each entry is preferred to those after it in its subgroup whose level is lower.
    cell = np.append(True, (e.judge[1:] != e.judge[:-1]) | (e.subgroup[1:] != e.subgroup[:-1]))[: len(e.judge)]
    tier = cell | np.append(True, e.level[1:] != e.level[:-1])[: len(e.judge)]
    cell_number, tier_number = np.cumsum(cell) - 1, np.cumsum(tier) - 1
    cell_end = np.append(np.flatnonzero(cell), len(cell))[cell_number + 1]
    tier_end = np.append(np.flatnonzero(tier), len(tier))[tier_number + 1]
    partial = np.bincount(e.judge[cell], minlength=judges) > 1
    worse_count = cell_end - tier_end
    better_at, worse_at = np.repeat(np.arange(len(e.judge)), worse_count), ragged.ranges(tier_end, worse_count)
    judge, better, worse = e.judge[better_at], e.place[better_at], e.place[worse_at]
    tier_start = np.flatnonzero(tier)[tier_number]
    in_last = tier_end == off[1:][e.judge]
    nth = np.arange(len(e.judge)) - tier_start
    relevant = np.bincount(e.judge[e.level > 0], minlength=judges)
    nonrelevant = np.bincount(e.judge[e.level <= 0], minlength=judges)
    found = e.place < reach[e.judge]
    relevant_retrieved = np.bincount(e.judge[(e.level > 0) & found], minlength=judges)
    nonrelevant_retrieved = np.bincount(e.judge[(e.level <= 0) & found], minlength=judges)
    worse_in_last, worse_nth = in_last[worse_at], nth[worse_at]
    better_dropped, worse_dropped = np.zeros(len(judge), np.bool_), np.zeros(len(judge), np.bool_)

    extra: list[tuple[int, Ints, Ints, Bools, Bools]] = []
    for j in np.flatnonzero(partial).tolist():
        here = slice(int(off[j]), int(off[j + 1]))
        name = f"{printable(a.judgements.file, 400)}: topic {printable(a.judgements.topics[a.topic[topic[j]]])}"
        size, levels = _document_levels(e.place[here], e.level[here], name)
        rows = judge == j
        pairs = _closure(better[rows], worse[rows], size, name)
        present = levels >= 0  # documents that this judge judged
        relevant[j], nonrelevant[j] = int((levels > 0).sum()), int((levels[present] == 0).sum())
        relevant_retrieved[j] = int((levels[: reach[j]] > 0).sum())
        nonrelevant_retrieved[j] = int((levels[: reach[j]] == 0).sum())
        none = np.flatnonzero(levels == 0)
        dropped = np.zeros(size, np.bool_)
        dropped[none[int(relevant[j]) :]] = True
        extra.append((j, *pairs, dropped[pairs[0]], dropped[pairs[1]]))
    if extra:
        keep = ~partial[judge]
        judge = np.concatenate([judge[keep], *(np.full(len(x[1]), x[0]) for x in extra)])
        better = np.concatenate([better[keep], *(x[1] for x in extra)])
        worse = np.concatenate([worse[keep], *(x[2] for x in extra)])
        filler = [np.zeros(len(x[1]), np.bool_) for x in extra]
        worse_in_last = np.concatenate([worse_in_last[keep], *filler])
        worse_nth = np.concatenate([worse_nth[keep], *(f.astype(np.int64) for f in filler)])
        better_dropped = np.concatenate([better_dropped[keep], *(x[3] for x in extra)])
        worse_dropped = np.concatenate([worse_dropped[keep], *(x[4] for x in extra)])
    lowest = np.bincount(e.judge[in_last], minlength=judges)
    lowest_retrieved = np.bincount(e.judge[in_last & found], minlength=judges)
    return Table(
        judge,
        better,
        worse,
        worse_in_last,
        worse_nth,
        better_dropped,
        worse_dropped,
        topic,
        reach,
        relevant,
        nonrelevant,
        relevant_retrieved,
        nonrelevant_retrieved,
        lowest,
        lowest_retrieved,
        partial,
    )


def _document_levels(place: Ints, level: Doubles, topic: str) -> tuple[int, Doubles]:
    """Level of each place under one judge with several subgroups (-1: not judged); the last subgroup's word counts."""
    size = int(place.max()) + 1
    levels = np.full(size, -1.0)
    for at, value in zip(place.tolist(), level.tolist(), strict=True):
        if (levels[at] > 0 and value == 0) or (levels[at] == 0 and value > 0):
            raise DataError(f"{topic}: one judgement group gives a document both a zero and a positive level")
        levels[at] = value
    return size, levels


def _closure(better: Ints, worse: Ints, size: int, topic: str) -> tuple[Ints, Ints]:
    """The preferences and all that follow from them by transitivity; an error where they contradict each other."""
    reach = np.eye(size, dtype=np.bool_)
    reach[better, worse] = True
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if bool((further == reach).all()):
            break
        reach = further
    np.fill_diagonal(reach, False)
    if bool((reach & reach.T).any()):
        raise DataError(f"{topic}: the preferences of one judgement group contradict each other")
    first, second = np.nonzero(reach)
    return first, second


class Tally(NamedTuple):
    """Preferences of each judge [J]: kept and all, among retrieved pairs, implied pairs, absent pairs."""

    kept: Ints
    retrieved: Ints
    implied_kept: Ints
    implied: Ints
    absent: Ints


def _tally(a: Aligned) -> Tally:
    def compute() -> Tally:
        t = _table(a)
        judges = len(t.topic)
        reach = t.reach[t.judge]
        better_in, worse_in = t.better < reach, t.worse < reach

        def count(mask: Bools) -> Ints:
            return np.bincount(t.judge[mask], minlength=judges)

        both = better_in & worse_in
        return Tally(
            count(both & (t.better < t.worse)),
            count(both),
            count(better_in & ~worse_in),
            count(better_in ^ worse_in),
            count(~better_in & ~worse_in),
        )

    return a.once("preference_tally", compute)


def _per_topic(a: Aligned, per_judge: Ints) -> Ints:
    total = np.bincount(_table(a).topic, weights=per_judge, minlength=len(a))
    return total.astype(np.int64)


def _simple(a: Aligned, kept: Ints, possible: Ints) -> Doubles:
    """Kept over possible preferences of each topic."""
    return ratio(_per_topic(a, kept), _per_topic(a, possible))


def _over_judges(a: Aligned, per_judge: Doubles) -> Doubles:
    """Mean over the judges of each topic; 0 where the sum is not positive (a judge's 0/0 spoils the topic)."""
    t = _table(a)
    total = ragged.sums(per_judge, t.topic, len(a))
    return np.where(total > 0, divide(total, np.bincount(t.topic, minlength=len(a))), 0.0)


def _all_kept(t: Tally) -> Ints:
    return t.kept + t.implied_kept


def _all_possible(t: Tally) -> Ints:
    return t.retrieved + t.implied + t.absent


_COUNT: dict[str, Any] = {"kind": "count", "aggregate": "sum", "needs": "preferences", "bounds": (0, None)}
_SCORE: dict[str, Any] = {"needs": "preferences"}


@measure("prefs_num_prefs_poss", **_COUNT)
def possible_preferences(a: Aligned) -> Ints:
    """Number of preferences, whether their documents were retrieved or not; the summary is the sum over topics."""
    return _per_topic(a, _all_possible(_tally(a)))


@measure("prefs_num_prefs_ful", **_COUNT)
def kept_preferences(a: Aligned) -> Ints:
    """Number of preferences the ranking keeps: the better document retrieved, and above the other or without it."""
    return _per_topic(a, _all_kept(_tally(a)))


@measure("prefs_num_prefs_ful_ret", **_COUNT)
def kept_retrieved_preferences(a: Aligned) -> Ints:
    """Number of preferences kept among those of which both documents were retrieved."""
    return _per_topic(a, _tally(a).kept)


@measure("prefs_simp", **_SCORE, formula="kept / possible")
def prefs_simple(a: Aligned) -> Doubles:
    """Share of all preferences of a topic that the ranking keeps."""
    t = _tally(a)
    return _simple(a, _all_kept(t), _all_possible(t))


@measure("prefs_simp_ret", **_SCORE, formula="kept / possible, both documents retrieved")
def prefs_simple_retrieved(a: Aligned) -> Doubles:
    """Share of the preferences kept among those of which both documents were retrieved."""
    t = _tally(a)
    return _simple(a, t.kept, t.retrieved)


@measure("prefs_simp_imp", **_SCORE, formula="kept / possible, at least one document retrieved")
def prefs_simple_implied(a: Aligned) -> Doubles:
    """Share of the preferences kept among those of which at least one document was retrieved."""
    t = _tally(a)
    return _simple(a, _all_kept(t), t.retrieved + t.implied)


@measure("prefs_avgjg", **_SCORE, formula="mean over groups of kept / possible")
def prefs_by_group(a: Aligned) -> Doubles:
    """Share of preferences kept within each judgement group, averaged over the groups: each judge has equal weight."""
    t = _tally(a)
    return _over_judges(a, ratio(_all_kept(t), _all_possible(t)))


@measure("prefs_avgjg_ret", **_SCORE, formula="mean over groups of kept / possible, both documents retrieved")
def prefs_by_group_retrieved(a: Aligned) -> Doubles:
    """As prefs_avgjg, for preferences of which both documents were retrieved."""
    t = _tally(a)
    return _over_judges(a, ratio(t.kept, t.retrieved))


@measure("prefs_avgjg_imp", **_SCORE, formula="mean over groups of kept / possible, at least one document retrieved")
def prefs_by_group_implied(a: Aligned) -> Doubles:
    """As prefs_avgjg, for preferences of which at least one document was retrieved."""
    t = _tally(a)
    return _over_judges(a, ratio(_all_kept(t), t.retrieved + t.implied))


# -- nonrelevant documents limited to R -----------------------------------------------------------------------------


def _limited(a: Aligned, retrieved_only: bool) -> Doubles:
    """Kept over possible for each judge when only the first R nonrelevant documents count; [J], NaN for 0/0."""
    t, n = _table(a), _tally(a)
    judges = len(t.topic)
    r = t.relevant_retrieved if retrieved_only else t.relevant
    nonrelevant = t.nonrelevant_retrieved if retrieved_only else t.nonrelevant
    # As many relevant documents as nonrelevant ones or more: pretend there were R nonrelevant ones, all kept.
    kept = n.kept if retrieved_only else _all_kept(n)
    possible = n.retrieved if retrieved_only else _all_possible(n)
    filled = divide(kept + t.relevant_retrieved * (r - nonrelevant), possible + t.relevant * (r - nonrelevant))
    # Otherwise count again without the nonrelevant documents beyond the first R.
    reach, limit = t.reach[t.judge], r[t.judge]
    better_in, worse_in = t.better < reach, t.worse < reach
    counted = np.where(
        t.partial[t.judge], ~t.better_dropped & ~t.worse_dropped, ~t.worse_in_last | (t.worse_nth < limit)
    )
    if retrieved_only:
        counted &= better_in & worse_in
    kept = np.bincount(t.judge[counted & better_in & (t.better < t.worse)], minlength=judges)
    possible = np.bincount(t.judge[counted], minlength=judges)
    # trec_eval pairs the lowest class with its own first R documents as well (one subgroup only).
    first = np.minimum(r, t.lowest_retrieved) if retrieved_only else np.minimum(r, t.lowest)
    own = t.lowest_retrieved * first if retrieved_only else t.lowest * first
    ahead = t.lowest_retrieved  # the k-th document of the class has min(k, ahead) retrieved ones before it
    inside = np.minimum(first, ahead)
    own_kept = inside * (inside - 1) // 2 + np.maximum(first - ahead, 0) * ahead
    whole = ~t.partial
    recount = divide(kept + np.where(whole, own_kept, 0), possible + np.where(whole, own, 0))
    return np.where(r >= nonrelevant, filled, recount)


@measure("prefs_avgjg_Rnonrel", **_SCORE, bounds=(0, None), formula="as prefs_avgjg with just R nonrelevant documents")
def prefs_limited(a: Aligned) -> Doubles:
    """As prefs_avgjg, with as many nonrelevant documents as relevant ones in each group.

    Missing nonrelevant documents count as ranked below; those beyond the first R, in rank order, are left out. With one
    group and two levels this is akin to bpref.
    """
    return _over_judges(a, _limited(a, retrieved_only=False))


@measure(
    "prefs_avgjg_Rnonrel_ret",
    **_SCORE,
    bounds=(0, None),
    formula="as prefs_avgjg_ret with just R nonrelevant documents",
)
def prefs_limited_retrieved(a: Aligned) -> Doubles:
    """As prefs_avgjg_Rnonrel, for retrieved documents only."""
    return _over_judges(a, _limited(a, retrieved_only=True))


# -- pairs ----------------------------------------------------------------------------------------------------------


def _pairs(a: Aligned) -> tuple[Ints, Doubles, Ints]:
    """Distinct pairs about which somebody has a preference: topic, share of judges who are satisfied, and

    how many of the two documents were retrieved; sorted by topic, retrieved pairs first, then by place.
    """

    def compute() -> tuple[Ints, Doubles, Ints]:
        t = _table(a)
        topic = t.topic[t.judge]
        upper, lower = np.minimum(t.better, t.worse), np.maximum(t.better, t.worse)
        reach = t.reach[t.judge]
        found = (upper < reach).astype(np.int64) + (lower < reach)
        order = np.lexsort((lower, upper, -found, topic))
        topic, upper, lower, found = topic[order], upper[order], lower[order], found[order]
        kept = (t.better < t.worse)[order]
        new = np.append(True, (topic[1:] != topic[:-1]) | (upper[1:] != upper[:-1]) | (lower[1:] != lower[:-1]))[
            : len(order)
        ]
        pair = np.cumsum(new) - 1
        satisfied = np.bincount(pair, weights=kept) / np.bincount(pair) if len(pair) else np.zeros(0)
        return topic[new], satisfied, found[new]

    return a.once("preference_pairs", compute)


def _pair_mean(a: Aligned, at_least: int, count_from: int) -> Doubles:
    """Sum over pairs with so many documents retrieved, divided by the number of pairs with at least `count_from`."""
    topic, satisfied, found = _pairs(a)
    summed, counted = found >= at_least, found >= count_from
    total = ragged.sums(satisfied[summed], topic[summed], len(a))
    return ratio(total, np.bincount(topic[counted], minlength=len(a)))


@measure("prefs_pair", **_SCORE, formula="mean over document pairs of kept / possible")
def prefs_pairs(a: Aligned) -> Doubles:
    """Share of judges satisfied about a pair of documents, averaged over all pairs; absent pairs satisfy nobody."""
    return _pair_mean(a, 1, 0)


@measure("prefs_pair_ret", **_SCORE, formula="mean over retrieved document pairs of kept / possible")
def prefs_pairs_retrieved(a: Aligned) -> Doubles:
    """As prefs_pair, for pairs of which both documents were retrieved."""
    return _pair_mean(a, 2, 2)


@measure("prefs_pair_imp", **_SCORE, formula="mean over pairs with a retrieved document of kept / possible")
def prefs_pairs_implied(a: Aligned) -> Doubles:
    """As prefs_pair, for pairs of which at least one document was retrieved."""
    return _pair_mean(a, 1, 1)
