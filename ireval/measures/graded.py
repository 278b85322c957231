"""Graded relevance: Q-measure and its relatives, from cumulative gain and the blended ratio.

Notation of Sakai, Metrics, Statistics, Tests (2014): I(r) is 1 when the document at rank r is relevant, C(r) counts
the relevant documents down to rank r, cg(r) and cg*(r) are the cumulative gains of the ranking and of the ideal one,
and BR(r) = (C(r) + beta cg(r)) / (r + beta cg*(r)) is the blended ratio.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Bools, Doubles, Int32s, Ints
from ireval.core.numeric import divide, ratio
from ireval.errors import DataError, MeasureError
from ireval.measures.gains import GAINS, decay, gain_map, ideal, top_gain
from ireval.measures.precision import RANKS, first_rank
from ireval.measures.registry import LEVEL, Choice, Number, Param, measure

LECTURE = "Sakai, Metrics, Statistics, Tests (2014)"
ONEDOC = "Sakai, On the Task of Finding One Highly Relevant Document with High Precision (2006)"
BETA = Number("beta", 1.0, "Weight of cumulative gain in the blended ratio; 0 makes it precision.", low=0.0)
PERSISTENCE = Number("gamma", 0.95, "Probability of going on after a relevant document (stop=rb).", low=0.0, high=1.0)
EFFORT = Number("p", 0.99, "Probability of going on after a rank (utility=IE).", low=0.0, high=1.0)
BY = Choice(
    "by",
    "gains",
    "What makes a document relevant and preferred: gains, or levels as in NTCIREVAL; they "
    "differ only where a level has no gain or two levels have the same.",
    choices=("gains", "levels"),
)


class Graded(NamedTuple):
    """Retrieved relevant documents in rank order, flat with offsets [T+1]; nth is C(r), cg the gain so far."""

    topic: Ints
    rank: Ints
    nth: Ints
    level: Int32s
    gain: Doubles
    cg: Doubles
    off: Ints


def graded(a: Aligned, gains: str, rel: int) -> Graded:
    """The retrieved documents at or above a level, with their gains."""

    def compute() -> Graded:
        hits = a.judged_hits(rel)
        level = a.relevance[a.off[hits.topic] + hits.rank - 1]
        gain = gain_map(a.judgements, gains).of(level)
        return Graded(hits.topic, hits.rank, hits.nth, level, gain, ragged.running_sum(gain, hits.off), hits.off)

    return a.once(("graded", gains, rel), compute)


def ideal_cumulative(a: Aligned, gains: str, rel: int, topic: Ints, rank: Ints) -> Doubles:
    """cg* after these ranks of these topics (0 to T-1); it stays as it is after the last relevant document."""
    best = ideal(a.judgements, gains, rel)
    running = a.judgements.once(("ideal_cg", gains, rel), lambda: ragged.running_sum(best.gain, best.off))
    start, length = best.off[:-1][a.topic[topic]], np.diff(best.off)[a.topic[topic]]
    place = np.minimum(rank, length)
    return np.where(place > 0, np.append(running, 0.0)[np.maximum(start + place - 1, 0)], 0.0)


def blended_ratio(a: Aligned, gains: str, rel: int, beta: float) -> Doubles:
    """BR at the rank of each retrieved relevant document; shape of graded()."""

    def compute() -> Doubles:
        rows = graded(a, gains, rel)
        return (rows.nth + beta * rows.cg) / (rows.rank + beta * ideal_cumulative(a, gains, rel, rows.topic, rows.rank))

    return a.once(("blended_ratio", gains, rel, beta), compute)


def _sum(a: Aligned, rows: Graded, values: Doubles, chosen: Bools) -> Doubles:
    """Sum of the chosen rows' values by topic."""
    return ragged.sums(values[chosen], rows.topic[chosen], len(a))


# -- average precision with a reachable 1, Q-measure ----------------------------------------------------------------


@measure(
    "ap_cut_min",
    properties="normalised",
    label="nAP",
    params=(RANKS, LEVEL),
    trec=False,
    formula="(1/min(k, R)) sum over relevant ranks r <= k of P(r)",
    cite=f"{LECTURE}, eq. 10",
)
def average_precision_normalised(a: Aligned, k: int, rel: int) -> Doubles:
    """Average precision of the first k documents, divided by min(k, R): a perfect top k scores 1.

    trec_eval's map_cut (here AP@k) divides by R instead. NTCIREVAL calls this one AP@k.
    """
    hits = a.judged_hits(rel)
    seen = hits.rank <= k
    total = ragged.sums(hits.nth[seen] / hits.rank[seen], hits.topic[seen], len(a))
    return ratio(total, np.minimum(k, a.number_relevant(rel)))


@measure(
    "q_measure",
    properties="normalised",
    label="Q",
    params=(GAINS, LEVEL, BETA),
    trec=False,
    aliases=("Q-measure",),
    formula="(1/R) sum over relevant ranks r of BR(r)",
    cite=f"{LECTURE}, eq. 12",
)
def q_measure(a: Aligned, gains: str, rel: int, beta: float) -> Doubles:
    """Q-measure: average precision for graded relevance, with the blended ratio in precision's place.

    beta = 0 gives average precision.
    """
    rows = graded(a, gains, rel)
    return ratio(_sum(a, rows, blended_ratio(a, gains, rel, beta), rows.gain > 0), a.number_relevant(rel))


@measure(
    "q_measure_cut",
    properties="normalised",
    label="Q",
    params=(RANKS, GAINS, LEVEL, BETA),
    trec=False,
    aliases=("Q-measure",),
    formula="(1/min(k, R)) sum over relevant ranks r <= k of BR(r)",
    cite=f"{LECTURE}, eq. 13",
)
def q_measure_cut(a: Aligned, k: int, gains: str, rel: int, beta: float) -> Doubles:
    """Q-measure of the first k documents, divided by min(k, R)."""
    rows = graded(a, gains, rel)
    chosen = (rows.gain > 0) & (rows.rank <= k)
    return ratio(_sum(a, rows, blended_ratio(a, gains, rel, beta), chosen), np.minimum(k, a.number_relevant(rel)))


@measure(
    "r_measure",
    properties="normalised",
    label="R-measure",
    params=(GAINS, LEVEL, BETA),
    trec=False,
    formula="BR(R)",
    cite=LECTURE,
)
def r_measure(a: Aligned, gains: str, rel: int, beta: float) -> Doubles:
    """The blended ratio at rank R, as R-precision is the precision there."""
    rows, total = graded(a, gains, rel), a.number_relevant(rel)
    topic = np.arange(len(a))
    found = ragged.value_at(rows.nth.astype(np.float64), rows.topic, rows.rank, topic, total)
    gain = ragged.value_at(rows.cg, rows.topic, rows.rank, topic, total)
    return ratio(found + beta * gain, total + beta * ideal_cumulative(a, gains, rel, topic, total))


# -- finding one document -------------------------------------------------------------------------------------------


def preferred_rank(a: Aligned, gains: str, rel: int, k: int | None, by: str = "gains") -> Ints:
    """r_p: rank of the first document with the highest gain (level) found within the first k; 0 where none is."""
    rows = graded(a, gains, rel)
    worth = rows.gain if by == "gains" else rows.level.astype(np.float64)
    seen = (rows.rank <= k) & (worth > 0) if k is not None else worth > 0
    topic, rank, gain = rows.topic[seen], rows.rank[seen], worth[seen]
    top = np.zeros(len(a))
    np.maximum.at(top, topic, gain)
    best = gain == top[topic]
    first = np.zeros(len(a), np.int64)
    first[topic[best][::-1]] = rank[best][::-1]  # the last one written is the first in the ranking
    return first


def _ratio_at(a: Aligned, rank: Ints, gains: str, rel: int, beta: float) -> Doubles:
    """BR at one rank of each topic, 0 where the rank is 0."""
    rows = graded(a, gains, rel)
    value = ragged.value_at(blended_ratio(a, gains, rel, beta), rows.topic, rows.rank, np.arange(len(a)), rank)
    return np.where(rank > 0, value, 0.0)


@measure("r1", label="r1", params=(LEVEL,), trec=False, kind="count", aggregate="mean", bounds=(0, None), formula="r_1")
def rank_of_first(a: Aligned, rel: int) -> Ints:
    """Rank of the first relevant document; 0 when none was retrieved."""
    return first_rank(a, rel)


@measure(
    "rp",
    label="rp",
    params=(GAINS, LEVEL, BY),
    trec=False,
    kind="count",
    aggregate="mean",
    bounds=(0, None),
    formula="r_p",
    cite=ONEDOC,
)
def rank_of_preferred(a: Aligned, gains: str, rel: int, by: str) -> Ints:
    """Preferred rank: that of the first document among the most relevant ones retrieved; 0 when there is none."""
    return preferred_rank(a, gains, rel, None, by)


@measure(
    "o_measure",
    properties="normalised",
    label="O-measure",
    params=(GAINS, LEVEL, BETA, BY),
    trec=False,
    aliases=("O",),
    formula="BR(r_1)",
    cite=f"{ONEDOC}, eq. 3",
)
def o_measure(a: Aligned, gains: str, rel: int, beta: float, by: str) -> Doubles:
    """The blended ratio at the first relevant document: reciprocal rank for graded relevance."""
    return _ratio_at(a, first_gaining_rank(a, gains, rel, by), gains, rel, beta)


def first_gaining_rank(a: Aligned, gains: str, rel: int, by: str = "gains") -> Ints:
    """r_1 among the documents with a gain, or among all relevant ones (by levels)."""
    rows = graded(a, gains, rel)
    chosen = np.flatnonzero((rows.gain > 0) | (by == "levels"))[::-1]
    first = np.zeros(len(a), np.int64)
    first[rows.topic[chosen]] = rows.rank[chosen]
    return first


@measure(
    "p_measure",
    properties="normalised",
    label="P-measure",
    params=(GAINS, LEVEL, BETA, BY),
    trec=False,
    formula="BR(r_p)",
    cite=f"{ONEDOC}, eq. 6",
)
def p_measure(a: Aligned, gains: str, rel: int, beta: float, by: str) -> Doubles:
    """The blended ratio at the preferred rank: for a user who stops at the best document found."""
    return _ratio_at(a, preferred_rank(a, gains, rel, None, by), gains, rel, beta)


def _p_plus(a: Aligned, gains: str, rel: int, beta: float, k: int | None, by: str = "gains") -> Doubles:
    rows, stop = graded(a, gains, rel), preferred_rank(a, gains, rel, k, by)
    reached = rows.rank <= stop[rows.topic]
    chosen = reached & (rows.gain > 0)
    total = _sum(a, rows, blended_ratio(a, gains, rel, beta), chosen)
    return ratio(total, np.bincount(rows.topic[chosen if by == "gains" else reached], minlength=len(a)))


@measure(
    "p_plus",
    properties="normalised",
    label="P+",
    params=(GAINS, LEVEL, BETA, BY),
    trec=False,
    aliases=("P-plus",),
    formula="(1/C(r_p)) sum over relevant ranks r <= r_p of BR(r)",
    cite=f"{ONEDOC}, eq. 7; {LECTURE}, eq. 14",
)
def p_plus(a: Aligned, gains: str, rel: int, beta: float, by: str) -> Doubles:
    """Mean blended ratio over the relevant documents down to the preferred rank."""
    return _p_plus(a, gains, rel, beta, None, by)


@measure(
    "p_plus_cut",
    properties="normalised",
    label="P+",
    params=(RANKS, GAINS, LEVEL, BETA),
    trec=False,
    aliases=("P-plus",),
    formula="(1/C(r_p)) sum over relevant ranks r <= r_p of BR(r), r_p within the first k",
    cite=f"{LECTURE}, eq. 14",
)
def p_plus_cut(a: Aligned, k: int, gains: str, rel: int, beta: float) -> Doubles:
    """P+ with the preferred rank sought among the first k documents."""
    return _p_plus(a, gains, rel, beta, k)


PENALTIES = Param(
    "penalties", "4:3:2", "beta(level) of levels 1, 2, ...: the higher, the less the level matters; inf is allowed."
)


def _penalty(text: str, level: Ints | Int32s) -> Doubles:
    """1/beta of each level."""
    try:
        inverse = [0.0, *(1.0 / float(part) for part in text.split(":"))]
    except (ValueError, ZeroDivisionError):
        raise MeasureError(f'penalties: expected numbers above 1 such as 4:3:2, found "{text}"') from None
    if any(not 0 <= value < 1 for value in inverse):
        raise MeasureError(f'penalties: expected numbers above 1 such as 4:3:2, found "{text}"')
    if len(level) and int(level.max()) >= len(inverse):
        raise DataError(
            f"level {int(level.max())} is judged, but penalties are given only up to level {len(inverse) - 1}"
        )
    return np.array(inverse)[np.maximum(level, 0)]


def _weighted_reciprocal(a: Aligned, rel: int, penalties: str) -> Doubles:
    rank = first_rank(a, rel)
    at = np.maximum(a.off[:-1] + rank - 1, 0)
    level = np.where(rank > 0, np.append(a.relevance, 0)[np.minimum(at, len(a.relevance))], 0)
    return np.where(rank > 0, divide(1.0, rank - _penalty(penalties, level)), 0.0)


@measure(
    "wrr",
    properties="recall-independent",
    label="WRR",
    params=(PENALTIES, LEVEL),
    trec=False,
    bounds=(0, None),
    formula="1 / (r_1 - 1/beta(L_1))",
    cite=f"{ONEDOC}, eq. 4",
)
def weighted_reciprocal_rank(a: Aligned, penalties: str, rel: int) -> Doubles:
    """Weighted reciprocal rank: reciprocal rank that knows the level L_1 of the first relevant document; exceeds 1."""
    return _weighted_reciprocal(a, rel, penalties)


@measure(
    "nwrr",
    properties="normalised",
    label="NWRR",
    params=(PENALTIES, LEVEL),
    trec=False,
    formula="(1 - 1/beta(M)) / (r_1 - 1/beta(L_1))",
    cite=f"{ONEDOC}, eq. 5",
)
def normalised_weighted_reciprocal_rank(a: Aligned, penalties: str, rel: int) -> Doubles:
    """WRR over the highest value possible for the topic, whose highest level is M."""
    best = 1.0 - _penalty(penalties, np.maximum(a.judgements.top_levels()[a.topic], 0))
    return best * _weighted_reciprocal(a, rel, penalties)


# -- normalised cumulative utility ----------------------------------------------------------------------------------

STOP = Choice(
    "stop",
    "rb",
    "Where users stop: u (uniformly over the relevant documents), gu (by their gain), rb (rank-biased).",
    choices=("u", "gu", "rb"),
)
UTILITY = Choice(
    "utility",
    "BR",
    "What they have by then: P (precision), BR (blended ratio), IE (inverse effort p^r).",
    choices=("P", "BR", "IE"),
)
STOPS = Param("stops", "", "Stopping values of levels 1, 2, ... for stop=gu; the gains when empty.")
SHARE = Choice(
    "share",
    "weights",
    "What the sum is divided by at a cutoff: the weights that fit into it, or min(k,R) as NTCIREVAL does.",
    choices=("weights", "min"),
)
NCU_PARAMS = (STOP, UTILITY, GAINS, LEVEL, BETA, PERSISTENCE, EFFORT, STOPS, SHARE)
NCU_CITE = "Sakai & Robertson, Modelling A User Population for Designing Information Retrieval Metrics, EVIA 2008"


def _ncu(
    a: Aligned,
    k: int | None,
    stop: str,
    utility: str,
    gains: str,
    rel: int,
    beta: float,
    gamma: float,
    p: float,
    stops: str,
    share: str,
) -> Doubles:
    rows, total = graded(a, gains, rel), a.number_relevant(rel)
    chosen = rows.gain > 0 if k is None else (rows.gain > 0) & (rows.rank <= k)
    held = total if k is None else np.minimum(total, k)
    if stop == "u":
        weight, whole = np.ones(len(rows.rank)), held.astype(np.float64)
    elif stop == "rb":
        steps = decay(gamma, max(int(total.max(initial=0)), int(rows.nth.max(initial=0))) + 1)
        weight = steps[rows.nth - 1]
        whole = np.append(0.0, np.cumsum(steps))[held]
    else:
        scheme = stops or gains
        weight = gain_map(a.judgements, scheme).of(rows.level)
        best = ideal(a.judgements, scheme, rel)
        running = ragged.running_sum(best.gain, best.off)
        place = np.minimum(held, np.diff(best.off)[a.topic])
        whole = np.where(place > 0, np.append(running, 0.0)[np.maximum(best.off[:-1][a.topic] + place - 1, 0)], 0.0)
    if k is not None and share == "min":
        whole = held.astype(np.float64)
    if utility == "P":
        value = rows.nth / rows.rank
    elif utility == "BR":
        value = blended_ratio(a, gains, rel, beta)
    else:
        value = decay(p, int(a.retrieved.max(initial=0)) + 1)[rows.rank]
    return ratio(_sum(a, rows, weight * value, chosen), whole)


@measure(
    "ncu",
    properties="normalised",
    label="NCU",
    params=NCU_PARAMS,
    trec=False,
    formula="sum over relevant ranks r of stop(r) x utility(r)",
    cite=NCU_CITE,
)
def normalised_cumulative_utility(
    a: Aligned,
    stop: str,
    utility: str,
    gains: str,
    rel: int,
    beta: float,
    gamma: float,
    p: float,
    stops: str,
    share: str,
) -> Doubles:
    """Normalised cumulative utility: what users have when they stop, averaged over where they stop.

    stop=u with utility=P is average precision, with utility=BR it is Q-measure.
    """
    return _ncu(a, None, stop, utility, gains, rel, beta, gamma, p, stops, share)


@measure(
    "ncu_cut",
    properties="normalised",
    label="NCU",
    params=(RANKS, *NCU_PARAMS),
    trec=False,
    cite=NCU_CITE,
    formula="sum over relevant ranks r <= k of stop(r) x utility(r), over the stopping weight that fits into k",
)
def normalised_cumulative_utility_cut(
    a: Aligned,
    k: int,
    stop: str,
    utility: str,
    gains: str,
    rel: int,
    beta: float,
    gamma: float,
    p: float,
    stops: str,
    share: str,
) -> Doubles:
    """Normalised cumulative utility of the first k documents."""
    return _ncu(a, k, stop, utility, gains, rel, beta, gamma, p, stops, share)


# -- graded average precision ---------------------------------------------------------------------------------------

GAP_BY = Choice("by", "levels", "What is compared: levels or gains.", choices=("levels", "gains"))
GAP_CITE = "Robertson, Kanoulas & Yilmaz, Extending Average Precision to Graded Relevance Judgments, SIGIR 2010"


def _so_far(chosen: Bools, rows: Graded) -> Ints:
    """How many of the chosen rows the topic has down to each row."""
    running = np.append(0, np.cumsum(chosen))
    return running[1:] - running[rows.off[:-1][rows.topic]]


def _gap(a: Aligned, k: int | None, gains: str, rel: int, by: str) -> Doubles:
    """GAP with threshold weights that grow with the level, as NTCIREVAL has it: m(m+1) for a pair of minimum m."""
    rows = graded(a, gains, rel)
    value = rows.level.astype(np.float64) if by == "levels" else rows.gain
    scheme = "level" if by == "levels" else gains
    shared = np.zeros(len(value))
    for step in np.unique(value[value > 0]).tolist():
        # Pairs whose minimum is `step`. Values that a topic does not have add 0, so that it does not depend on others.
        with_less = _so_far(value == step, rows) * (step * (step + 1))
        shared += np.where(value > step, with_less, 0.0)
        shared += np.where(value == step, _so_far(value >= step, rows) * (step * (step + 1)), 0.0)
    chosen = np.ones(len(value), np.bool_) if k is None else rows.rank <= k
    best = ideal(a.judgements, scheme, rel)
    most = best.total(best.gain * (best.gain + 1), k)[a.topic]
    return ratio(_sum(a, rows, shared / rows.rank, chosen), most)


@measure(
    "gap",
    properties="normalised",
    label="GAP",
    params=(GAINS, LEVEL, GAP_BY),
    trec=False,
    formula="sum of (1/i) sum over j <= i of m(m+1), m = min(level_i, level_j), over the sum of l(l+1)",
    cite=GAP_CITE,
)
def graded_average_precision(a: Aligned, gains: str, rel: int, by: str) -> Doubles:
    """Graded average precision: average precision expected when users differ in the level that satisfies them.

    The weights of the thresholds grow with the level, as in NTCIREVAL.
    """
    return _gap(a, None, gains, rel, by)


@measure(
    "gap_cut",
    properties="normalised",
    label="GAP",
    params=(RANKS, GAINS, LEVEL, GAP_BY),
    trec=False,
    cite=GAP_CITE,
    formula="GAP of the first k documents, over the first min(k, R) of the ideal ranking",
)
def graded_average_precision_cut(a: Aligned, k: int, gains: str, rel: int, by: str) -> Doubles:
    """Graded average precision of the first k documents."""
    return _gap(a, k, gains, rel, by)


@measure(
    "g_ap",
    properties="normalised",
    label="gAP",
    params=(GAINS, LEVEL),
    trec=False,
    formula="sum over relevant ranks r of cg(r)/r, over sum for r <= R of cg*(r)/r",
    cite="Kishida, Property of Average Precision and Its Generalization, NII 2005",
)
def generalised_average_precision(a: Aligned, gains: str, rel: int) -> Doubles:
    """Generalised average precision: mean gain at each relevant document, over the same of the ideal ranking."""
    rows, best = graded(a, gains, rel), ideal(a.judgements, gains, rel)
    most = best.total(ragged.running_sum(best.gain, best.off) / best.rank)[a.topic]
    return ratio(_sum(a, rows, rows.cg / rows.rank, rows.gain > 0), most)


GENERALISED = "Kekäläinen & Järvelin, Using Graded Relevance Assessments in IR Evaluation, JASIST 53(13), 2002"


@measure(
    "g_precision",
    properties="recall-independent",
    label="gP",
    params=(GAINS, LEVEL),
    trec=False,
    formula="sum of gain / top gain over n",
    cite=GENERALISED,
)
def generalised_precision(a: Aligned, gains: str, rel: int) -> Doubles:
    """Generalised precision: mean gain of the retrieved documents, as a share of the highest gain in the collection."""
    rows = graded(a, gains, rel)
    return ratio(ragged.sums(rows.gain, rows.topic, len(a)), a.retrieved * top_gain(a.judgements, gains))


@measure(
    "g_recall",
    properties="normalised",
    label="gR",
    params=(GAINS, LEVEL),
    trec=False,
    formula="gain retrieved / gain of all judged documents",
    cite=GENERALISED,
)
def generalised_recall(a: Aligned, gains: str, rel: int) -> Doubles:
    """Generalised recall: share of all the gain there is that was retrieved."""
    rows, best = graded(a, gains, rel), ideal(a.judgements, gains, rel)
    whole = best.total(best.gain)[a.topic]
    return ratio(ragged.sums(rows.gain, rows.topic, len(a)), whole)


@measure(
    "pres",
    properties="normalised",
    label="PRES",
    params=(Number("nmax", 1000.0, "Documents that the user is ready to look at.", low=1.0), LEVEL),
    trec=False,
    formula="1 - (mean rank of the relevant documents - (R+1)/2) / N, those not found after N",
    cite="Magdy & Jones, PRES: A Score Metric for Evaluating Recall-oriented IR Applications, SIGIR 2010",
)
def pres(a: Aligned, nmax: float, rel: int) -> Doubles:
    """Patent retrieval evaluation score: recall with a reward for early documents.

    Relevant documents that are not among the first nmax count as ranked right after them.
    """
    hits, total = a.judged_hits(rel), a.number_relevant(rel)
    seen = hits.rank <= nmax
    found = np.bincount(hits.topic[seen], minlength=len(a))
    ranks = ragged.sums(hits.rank[seen].astype(np.float64), hits.topic[seen], len(a))
    missed = (total - found) * nmax + (total * (total + 1) - found * (found + 1)) / 2
    return np.where(total > 0, 1.0 - (divide(ranks + missed, total) - (total + 1) / 2) / nmax, 0.0)
