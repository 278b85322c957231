"""Relatives of bpref: other denominators, and rpref for graded relevance. Judged documents only."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles, Ints
from ireval.core.numeric import ratio
from ireval.measures.gains import GAINS, TOP_GAIN, gain_map, highest_gain, ideal
from ireval.measures.registry import LEVEL, Choice, Whole, measure

FIRST = Choice(
    "first",
    "one",
    "What a relevant document above all judged ones adds to the relative forms: one, or zero as in NTCIREVAL.",
    choices=("one", "zero"),
)
LEAST = Whole("least", None, "Lowest level that is added up, rel by default; NTCIREVAL leaves out those without gain.")
SAKAI_ALT = "Sakai, Alternatives to Bpref, SIGIR 2007; Sakai, Metrics, Statistics, Tests (2014), eq. 22 and 23"
DE_BEER = "De Beer & Moens, Rpref: A Generalization of Bpref towards Graded Relevance Judgments, SIGIR 2006"


class _Judged(NamedTuple):
    """Relevant retrieved documents among the judged ones: topic, judged documents above, nonrelevant ones above."""

    topic: Ints
    above: Ints
    nonrelevant: Ints


def _judged_above(a: Aligned, rel: int) -> _Judged:
    hits = a.judged_hits(rel)
    running = np.append(0, np.cumsum(a.judged))
    at = a.off[hits.topic]
    above = running[at + hits.rank - 1] - running[at]
    return _Judged(hits.topic, above, above - (hits.nth - 1))


def _mean_over_relevant(a: Aligned, topic: Ints, value: Doubles, rel: int) -> Doubles:
    return ratio(ragged.sums(value, topic, len(a)), a.number_relevant(rel))


@measure(
    "bpref_R",
    properties="normalised",
    label="bpref_R",
    params=(LEVEL,),
    trec=False,
    formula="(1/R) sum over relevant retrieved of 1 - min(n, R)/R",
    cite=SAKAI_ALT,
)
def bpref_r(a: Aligned, rel: int) -> Doubles:
    """bpref with R in the denominator however many nonrelevant documents were judged."""
    rows, relevant = _judged_above(a, rel), a.number_relevant(rel)
    total = relevant[rows.topic]
    return _mean_over_relevant(a, rows.topic, 1.0 - np.minimum(rows.nonrelevant, total) / np.maximum(total, 1), rel)


@measure(
    "bpref_N",
    properties="normalised",
    label="bpref_N",
    params=(LEVEL,),
    trec=False,
    aliases=("RankEff",),
    formula="(1/R) sum over relevant retrieved of 1 - n/N",
    cite=SAKAI_ALT,
)
def bpref_n(a: Aligned, rel: int) -> Doubles:
    """bpref over all N judged nonrelevant documents: the share of all judged pairs in the right order, also RankEff."""
    rows = _judged_above(a, rel)
    penalty = ratio(rows.nonrelevant, a.number_nonrelevant(rel)[rows.topic])
    return _mean_over_relevant(a, rows.topic, 1.0 - penalty, rel)


@measure(
    "bpref_relative",
    properties="normalised",
    label="bpref_relative",
    params=(LEVEL, FIRST, LEAST),
    trec=False,
    formula="(1/R) sum over relevant retrieved of 1 - n/(r' - 1), r' the rank among judged documents",
    cite=SAKAI_ALT,
)
def bpref_relative(a: Aligned, rel: int, first: str, least: int | None) -> Doubles:
    """bpref that compares with the judged documents above, so that early ranks matter more."""
    rows = _judged_above(a, rel)
    value = np.where(rows.above > 0, 1.0 - ratio(rows.nonrelevant, rows.above), 1.0 if first == "one" else 0.0)
    if least is not None:
        hits = a.judged_hits(rel)
        value = np.where(a.relevance[a.off[hits.topic] + hits.rank - 1] >= least, value, 0.0)
    return _mean_over_relevant(a, rows.topic, value, rel)


def _rpref(a: Aligned, gains: str, rel: int, ratio_of: Callable[[_Judged, Doubles], Doubles]) -> Doubles:
    """Gain-weighted mean of 1 - penalty / something, over the ideal gain."""
    rows = _judged_above(a, rel)
    hits = a.judged_hits(rel)
    scheme = gain_map(a.judgements, gains)
    judged_rows = np.flatnonzero(a.judged)
    all_gain = np.where(a.relevance[judged_rows] >= rel, scheme.of(a.relevance[judged_rows]), 0.0)
    own = scheme.of(a.relevance[a.off[hits.topic] + hits.rank - 1])
    start = np.searchsorted(judged_rows, a.off[hits.topic])
    penalty = np.zeros(len(own))
    for value in np.unique(all_gain).tolist():
        running = np.append(0, np.cumsum(all_gain == value))
        number = running[start + rows.above] - running[start]
        lacking = ratio(own - value, np.maximum(own, 0.0))
        penalty += np.where(own > value, number * lacking, 0.0)
    best = ideal(a.judgements, gains, rel)
    whole = best.total(best.gain)[a.topic]
    return ratio(ragged.sums(own * ratio_of(rows, penalty), rows.topic, len(a)), whole)


@measure(
    "rpref_N",
    properties="normalised",
    label="rpref_N",
    params=(GAINS, LEVEL, TOP_GAIN),
    trec=False,
    formula="sum of gain x (1 - penalty/(R + N - cg*/top)) over cg*, penalty the sum of (g_i - g_j)+/g_i above",
    cite=DE_BEER,
)
def rpref_n(a: Aligned, gains: str, rel: int, top: float | str | None) -> Doubles:
    """bpref_N for graded relevance: being below a document of lower gain costs the share of gain it lacks."""
    best = ideal(a.judgements, gains, rel)
    whole = best.total(best.gain)[a.topic]
    highest = highest_gain(a, gains, top)
    room = a.number_relevant(rel) + a.number_nonrelevant(rel) - whole / highest
    return _rpref(a, gains, rel, lambda rows, penalty: 1.0 - ratio(penalty, room[rows.topic]))


@measure(
    "rpref_relative",
    properties="normalised",
    label="rpref_relative",
    params=(GAINS, LEVEL, FIRST),
    trec=False,
    formula="sum of gain x (1 - penalty/(r' - 1)) over cg*",
    cite=DE_BEER,
)
def rpref_relative(a: Aligned, gains: str, rel: int, first: str) -> Doubles:
    """bpref_relative for graded relevance."""
    alone = 1.0 if first == "one" else 0.0
    return _rpref(
        a, gains, rel, lambda rows, penalty: np.where(rows.above > 0, 1.0 - ratio(penalty, rows.above), alone)
    )


@measure(
    "rpref_relative2",
    properties="normalised",
    label="rpref_relative2",
    params=(GAINS, LEVEL),
    trec=False,
    formula="sum of gain x (1 - penalty/r') over cg*",
    cite=SAKAI_ALT,
)
def rpref_relative2(a: Aligned, gains: str, rel: int) -> Doubles:
    """rpref_relative with the rank itself in the denominator, which mends its flaw at the first rank."""
    return _rpref(a, gains, rel, lambda rows, penalty: 1.0 - penalty / (rows.above + 1))
