"""Precision and recall at ranks and recall points, and what is read off them."""

from __future__ import annotations

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles, Ints
from ireval.core.numeric import divide, ratio, round_half_away
from ireval.measures.differences import by_level, cut_weights
from ireval.measures.registry import CUTOFFS, LEVEL, Choice, Cutoffs, Fractions, Numbers, measure, variant

RANKS = Cutoffs("k", CUTOFFS, "Rank to cut at; a shorter ranking counts as filled with nonrelevant documents.")
RECALL_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
ROUNDING = Choice(
    "rounding",
    "nearest",
    "How recall x R becomes a number of documents: nearest (trec_eval 10) or up (trec_eval 9).",
    setting="rounding",
    choices=("nearest", "up"),
)


@measure(
    "P",
    properties="recall-independent",
    label="P",
    params=(RANKS, LEVEL),
    aliases=("Prec", "Precision"),
    formula="rel(k) / k",
    cite="Sakai, Metrics, Statistics, Tests (2014), eq. 1",
    med=lambda top_grade, k, rel: cut_weights(lambda rank: np.ones(len(rank)), k, by_level(top_grade, rel), None),
)
def precision(a: Aligned, k: int, rel: int) -> Doubles:
    """Precision: share of relevant documents among the first k."""
    return a.hits_within(rel, k) / k


variant("P_avgjg", "P", needs="groups", doc="Precision at k, averaged over the judgement groups of a topic.")


@measure(
    "recall",
    label="R",
    params=(RANKS, LEVEL),
    aliases=("Recall",),
    formula="rel(k) / R",
    cite="Sakai, Metrics, Statistics, Tests (2014), eq. 2",
)
def recall(a: Aligned, k: int, rel: int) -> Doubles:
    """Recall: share of the relevant documents that are among the first k."""
    return ratio(a.hits_within(rel, k), a.number_relevant(rel))


@measure("relative_P", properties="normalised", label="RelativeP", params=(RANKS, LEVEL), formula="rel(k) / min(k, R)")
def relative_precision(a: Aligned, k: int, rel: int) -> Doubles:
    """Precision at k over the highest precision possible at k: precision up to R, recall from there on."""
    return ratio(a.hits_within(rel, k), np.minimum(k, a.number_relevant(rel)))


@measure(
    "success",
    properties="normalised recall-independent",
    label="Success",
    params=(Cutoffs("k", (1, 5, 10), RANKS.help), LEVEL),
    aliases=("Hit",),
    formula="1 if rel(k) > 0, else 0",
    cite="Stephen Tomlinson",
)
def success(a: Aligned, k: int, rel: int) -> Doubles:
    """Success: 1 when a relevant document is among the first k, else 0."""
    return (a.hits_within(rel, k) > 0).astype(np.float64)


@measure(
    "Rprec",
    properties="normalised",
    label="Rprec",
    params=(LEVEL,),
    aliases=("RPrec", "R-prec"),
    formula="rel(R) / R",
    cite="Buckley & Voorhees, Retrieval System Evaluation, in TREC (MIT Press, 2005)",
)
def r_precision(a: Aligned, rel: int) -> Doubles:
    """Precision after R documents, R being the number of relevant documents: there precision equals recall."""
    hits, total = a.hits(rel), a.number_relevant(rel)
    return ratio(np.bincount(hits.topic[hits.rank <= total[hits.topic]], minlength=len(a)), total)


@measure(
    "Rprec_mult",
    label="RprecMult",
    params=(Fractions("multiple", MULTIPLES, "Multiple of R to cut at."), LEVEL),
    formula="precision at ceil(multiple x R)",
)
def r_precision_multiple(a: Aligned, multiple: float, rel: int) -> Doubles:
    """Precision at multiples of R, which tells precision-oriented rankings from recall-oriented ones."""
    hits = a.last_hits(rel)
    cut = _rounded_up(multiple, a.number_relevant(rel))
    return ratio(np.bincount(hits.topic[hits.rank <= cut[hits.topic]], minlength=len(a)), np.maximum(cut, 0))


variant(
    "Rprec_mult_avgjg",
    "Rprec_mult",
    needs="groups",
    doc="Precision at multiples of R, averaged over the judgement groups of a topic.",
)


def _rounded_up(fraction: float, total: Ints) -> Ints:
    """trec_eval's (long)(fraction x total + 0.9)."""
    return np.trunc(fraction * total + 0.9).astype(np.int64)


@measure(
    "recip_rank",
    properties="normalised recall-independent",
    label="RR",
    params=(LEVEL,),
    aliases=("MRR",),
    formula="1 / rank of the first relevant document",
    cite="Sakai, Metrics, Statistics, Tests (2014), section 2.2",
)
def reciprocal_rank(a: Aligned, rel: int) -> Doubles:
    """Reciprocal rank of the first relevant document; 0 when none was retrieved."""
    return ratio(np.ones(len(a)), first_rank(a, rel))


def first_rank(a: Aligned, rel: int) -> Ints:
    """Rank of the first hit, 0 where there is none; shape [T]."""
    hits = a.hits(rel)
    first = np.zeros(len(a), np.int64)
    at = np.flatnonzero(hits.nth == 1)
    first[hits.topic[at]] = hits.rank[at]
    return first


@measure(
    "recip_rank_cut",
    properties="normalised recall-independent",
    label="RR",
    trec=False,
    aliases=("MRR",),
    formula="1 / rank, 0 beyond k",
    params=(Cutoffs("k", (10,), "Last rank looked at."), LEVEL),
)
def reciprocal_rank_cut(a: Aligned, k: int, rel: int) -> Doubles:
    """Reciprocal rank of the first relevant document among the first k; 0 when there is none."""
    first = first_rank(a, rel)
    return ratio(np.ones(len(a)), np.where(first <= k, first, 0))


@measure("unj", better="", label="Unjudged", params=(Cutoffs("k", (5, 10, 20), RANKS.help),), formula="unjudged(k) / k")
def unjudged(a: Aligned, k: int) -> Doubles:
    """Share of the first k ranks taken by documents without a judgement."""
    rows = np.flatnonzero(~a.judged)
    topic = a.row_topic[rows]
    return np.bincount(topic[rows - a.off[topic] < k], minlength=len(a)) / k


@measure("judged", label="Judged", trec=False, params=(Cutoffs("k", (10,), RANKS.help),), formula="judged(k) / k")
def judged_share(a: Aligned, k: int) -> Doubles:
    """Share of the first k ranks taken by judged documents: how far a score can be trusted."""
    rows = np.flatnonzero(a.judged)
    topic = a.row_topic[rows]
    return np.bincount(topic[rows - a.off[topic] < k], minlength=len(a)) / k


# -- interpolated precision ----------------------------------------------------------------------------------------


def _best_from_here(a: Aligned, rel: int) -> tuple[Doubles, Ints]:
    """For each hit, the highest precision at it or at a later hit, flat with offsets, plus one slot a topic.

    The last slot of each topic holds the precision of the whole ranking; an empty ranking's 0/0 comes in there.
    """

    def compute() -> tuple[Doubles, Ints]:
        hits = a.last_hits(rel)
        off = hits.off + np.arange(len(a) + 1)
        values = np.empty(int(off[-1]))
        at = np.arange(len(hits.rank)) + hits.topic
        values[at] = hits.nth / hits.rank
        values[off[1:] - 1] = divide(a.relevant_retrieved(rel), a.retrieved)
        return ragged.running_max_from_end(values, off), off

    return a.once(("best_from_here", rel), compute)


def _interpolated(a: Aligned, needed: Ints, rel: int) -> Doubles:
    """Highest precision at or after the needed-th hit; of the whole ranking where needed is not positive."""
    best, off = _best_from_here(a, rel)
    found = a.relevant_retrieved(rel)
    at = off[:-1] + np.clip(needed - 1, 0, found)
    return np.where(needed > found, 0.0, best[at])


def _needed(fraction: float, total: Ints, rounding: str) -> Ints:
    return (
        round_half_away(fraction * total.astype(np.float64)) if rounding == "nearest" else _rounded_up(fraction, total)
    )


@measure(
    "iprec_at_recall",
    properties="normalised",
    label="IPrec",
    aliases=("iPrec",),
    formula="max precision at any rank with recall >= x",
    params=(Fractions("recall", RECALL_POINTS, "Recall point."), LEVEL, ROUNDING),
    cite="Sakai, Metrics, Statistics, Tests (2014), eq. 7",
)
def interpolated_precision(a: Aligned, recall: float, rel: int, rounding: str) -> Doubles:
    """Interpolated precision at a recall point: the points of a recall-precision curve."""
    return _interpolated(a, _needed(recall, a.number_relevant(rel), rounding), rel)


@measure(
    "11pt_avg",
    properties="normalised",
    label="11ptAP",
    formula="mean of interpolated precision over the recall points",
    params=(Numbers("recalls", RECALL_POINTS, "Recall points to average over."), LEVEL, ROUNDING),
    cite="Sakai, Metrics, Statistics, Tests (2014), eq. 8",
)
def eleven_point_average(a: Aligned, recalls: tuple[float, ...], rel: int, rounding: str) -> Doubles:
    """Interpolated precision averaged over recall points (eleven by default).

    Points should ascend. As in trec_eval, where they do not, each point after (in reading order: before) a lower one
    is taken as recall 0.
    """
    total, found = a.number_relevant(rel), a.relevant_retrieved(rel)
    value = np.zeros(len(a))
    last = np.full(len(a), np.iinfo(np.int64).max)
    for recall in reversed(recalls):
        needed = _needed(recall, total, rounding)
        skipped = (last == np.iinfo(np.int64).max) & (needed > found)
        blocked = ~skipped & ((needed > last) | (needed <= 0))
        needed = np.where(blocked, 0, needed)
        value = np.where(skipped, value, value + _interpolated(a, needed, rel))
        last = np.where(skipped, last, np.where(blocked, -1, needed))
    return value / len(recalls)
