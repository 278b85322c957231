"""Discounted cumulative gain and other measures that weigh gains against the ideal ranking."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles, Ints
from ireval.core.numeric import divide, log2, log2_of_integers, ratio
from ireval.errors import MeasureError
from ireval.measures.gains import GAINS, gain_map, ideal, ideal_dcg
from ireval.measures.precision import RANKS
from ireval.measures.registry import LEVEL, Number, measure

JARVELIN = "Järvelin & Kekäläinen, Cumulated Gain-based Evaluation of IR Techniques, ACM TOIS 20(4), 2002"
DISCOUNT = "gain / log2(rank + 1)"


class Gained(NamedTuple):
    """Rows with a gain, in rank order: their topic, rank and gain, flat with offsets [T+1]."""

    topic: Ints
    rank: Ints
    gain: Doubles
    off: Ints


def gained(a: Aligned, gains: str) -> Gained:
    """The retrieved documents whose gain is not 0."""

    def compute() -> Gained:
        gain = gain_map(a.judgements, gains).of(a.relevance)
        rows = np.flatnonzero(gain != 0)
        hits = a.rows_as_hits(rows)
        return Gained(hits.topic, hits.rank, gain[rows], hits.off)

    return a.once(("gained", gains), compute)


def _discounted(rows: Gained) -> Doubles:
    return rows.gain / log2_of_integers(rows.rank + 1)


def _dcg(a: Aligned, gains: str, k: int | None = None) -> Doubles:
    """DCG of the first k documents (all of them where k is None); shape [T]."""
    rows = gained(a, gains)
    values = a.once(("discounted", gains), lambda: _discounted(rows))
    if k is None:
        return ragged.sums(values, rows.topic, len(a))
    seen = rows.rank <= k
    return ragged.sums(values[seen], rows.topic[seen], len(a))


def _ideal_dcg(a: Aligned, gains: str, k: int | None = None) -> Doubles:
    """DCG of the ideal ranking cut at k; shape [T]."""

    def compute() -> Doubles:
        running, off = ideal_dcg(a.judgements, gains)
        length = np.diff(off) if k is None else np.minimum(np.diff(off), k)
        return np.where(length > 0, np.append(running, 0.0)[np.maximum(off[:-1] + length - 1, 0)], 0.0)

    return a.judgements.once(("ideal_dcg_at", gains, k), compute)[a.topic]


@measure(
    "dcg",
    properties="recall-independent",
    label="DCG",
    params=(GAINS,),
    bounds=(None, None),
    formula=f"sum of {DISCOUNT}",
    cite=JARVELIN,
)
def dcg(a: Aligned, gains: str) -> Doubles:
    """Discounted cumulative gain of the whole ranking, not normalised."""
    return _dcg(a, gains)


@measure(
    "ideal_dcg",
    better="",
    label="IdealDCG",
    params=(GAINS,),
    bounds=(0, None),
    formula=f"sum of {DISCOUNT} over the ideal ranking",
    cite=JARVELIN,
)
def ideal_dcg_value(a: Aligned, gains: str) -> Doubles:
    """Discounted cumulative gain of the best possible ranking."""
    return _ideal_dcg(a, gains)


@measure(
    "ndcg",
    properties="normalised",
    label="nDCG",
    params=(GAINS,),
    aliases=("NDCG",),
    formula="DCG / ideal DCG",
    cite=JARVELIN,
)
def ndcg(a: Aligned, gains: str) -> Doubles:
    """Normalised discounted cumulative gain of the whole ranking.

    The discount is log2(rank + 1) from the first rank on (Burges' form); the ideal ranking holds all judged documents,
    however many were retrieved.
    """
    best = _ideal_dcg(a, gains)
    return np.where(best > 0, divide(_dcg(a, gains), best), 0.0)


@measure(
    "ndcg_cut",
    properties="normalised",
    label="nDCG",
    params=(RANKS, GAINS),
    aliases=("NDCG",),
    formula="DCG@k / ideal DCG@k",
    cite=JARVELIN,
)
def ndcg_cut(a: Aligned, k: int, gains: str) -> Doubles:
    """Normalised discounted cumulative gain of the first k documents; the ideal ranking is cut at k too."""
    best = _ideal_dcg(a, gains, k)
    return np.where(best > 0, divide(_dcg(a, gains, k), best), 0.0)


@measure(
    "ndcg_rel",
    properties="normalised",
    label="nDCGrel",
    params=(GAINS,),
    formula="nDCG averaged over the ranks of relevant documents",
    cite=JARVELIN,
)
def ndcg_at_relevant(a: Aligned, gains: str) -> Doubles:
    """nDCG averaged over the ranks at which relevant documents stand, as average precision averages precision.

    Relevant documents that were not retrieved count with the nDCG of the whole ranking.
    """
    rows = gained(a, gains)
    running = ragged.running_sum(_discounted(rows), rows.off)
    best_running, best_off = ideal_dcg(a.judgements, gains)
    best_off, possible = best_off[:-1][a.topic], np.diff(best_off)[a.topic]
    positive = rows.gain > 0
    topic, rank = rows.topic[positive], rows.rank[positive]
    # A gain map may name unjudged documents: then there can be gain in the ranking and none in the ideal one, and C
    # divides by 0.
    at = np.where(possible[topic] > 0, best_off[topic] + np.minimum(rank, possible[topic]) - 1, len(best_running))
    total = ragged.sums(divide(running[positive], np.append(best_running, 0.0)[at]), topic, len(a))
    missed = (possible - np.bincount(topic, minlength=len(a))).astype(np.float64)
    with np.errstate(invalid="ignore"):
        total = total + divide(missed * _dcg(a, gains), _ideal_dcg(a, gains))
    return np.where(total > 0, divide(total, possible), 0.0)


@measure(
    "Rndcg",
    properties="normalised",
    label="RnDCG",
    params=(GAINS, LEVEL),
    formula="mean of nDCG@c over the ranks c where the ideal gain changes",
    cite=JARVELIN,
)
def ndcg_at_gain_changes(a: Aligned, gains: str, rel: int) -> Doubles:
    """nDCG averaged over the ranks at which the ideal ranking goes from one gain to the next: R-precision for levels.

    When the ranking goes on beyond the rank after the last ideal document, nDCG of the whole ranking is one more point.
    """
    rows = gained(a, gains)
    running = ragged.running_sum(_discounted(rows), rows.off)
    best_running, best_off = ideal_dcg(a.judgements, gains)
    owner, cut = _change_points(a, gains)
    reached = ragged.value_at(running, rows.topic, rows.rank, owner, cut)
    term = divide(reached, best_running[best_off[:-1][a.topic[owner]] + cut - 1])
    total, points = ragged.sums(term, owner, len(a)), ragged.counts(owner, len(a))
    possible = np.diff(best_off)[a.topic]
    goes_on = (possible > 0) & (a.retrieved > possible + 1)
    total = np.where(goes_on, total + divide(_dcg(a, gains), _ideal_dcg(a, gains)), total)
    return np.where(a.number_relevant(rel) > 0, divide(total, points + goes_on), 0.0)


def _change_points(a: Aligned, gains: str) -> tuple[Ints, Ints]:
    """Ranks after which the ideal gain changes, the last positive one included: topics (0 to T-1) and ranks, flat."""
    best = ideal(a.judgements, gains)

    def compute() -> tuple[Ints, Ints]:
        owner, place = ragged.owners(best.off), ragged.positions(best.off) + 1
        changes = np.append(best.gain[1:] != best.gain[:-1], True) | np.append(owner[1:] != owner[:-1], True)
        at = np.flatnonzero(changes[: len(owner)])
        return place[at], ragged.offsets(np.bincount(owner[at], minlength=len(a.judgements)))

    cut, off = a.judgements.once(("change_points", gains), compute)
    number = np.diff(off)[a.topic]
    return np.repeat(np.arange(len(a)), number), cut[ragged.ranges(off[:-1][a.topic], number)]


@measure(
    "binG",
    properties="normalised",
    label="binG",
    params=(LEVEL,),
    formula="(1/R) sum over relevant of 1 / log2(2 + nonrelevant above)",
    cite="Chris Buckley, trec_eval",
)
def binary_g(a: Aligned, rel: int) -> Doubles:
    """Like average precision, but each relevant document is discounted by the nonrelevant ones above it only."""
    hits = a.hits(rel)
    total = a.per_topic(1.0 / log2_of_integers(2 + hits.rank - hits.nth), hits)
    return np.where(np.diff(hits.off) > 0, divide(total, a.number_relevant(rel)), 0.0)


@measure(
    "G",
    label="G",
    params=(GAINS,),
    formula="sum of gain / log2(2 + ideal gain so far - gain so far) over the ideal gain",
    cite="Chris Buckley, trec_eval",
)
def g_measure(a: Aligned, gains: str) -> Doubles:
    """Gain discounted by how far the ranking has fallen behind the ideal one, over the whole ideal gain.

    A rank costs its ideal gain, at least 1.
    """
    rows = gained(a, gains)
    best = ideal(a.judgements, gains)
    best_off, possible = best.off[:-1][a.topic], np.diff(best.off)[a.topic]
    gained_so_far = ragged.running_sum(rows.gain, rows.off)
    last = np.zeros(len(a), np.int64)
    np.maximum.at(last, rows.topic, rows.rank)
    off = ragged.offsets(last)
    topic, place = ragged.owners(off), ragged.positions(off)
    inside = place < possible[topic]
    price = np.where(inside, np.append(best.gain, 0.0)[np.minimum(best_off[topic] + place, len(best.gain))], 1.0)
    cost = ragged.running_sum(np.maximum(price, 1.0), off)[off[rows.topic] + rows.rank - 1]
    total = ragged.sums(divide(rows.gain, log2(2 + cost - gained_so_far)), rows.topic, len(a))
    return ratio(total, best.total(best.gain)[a.topic])


# -- cumulative gain, and other discounts ---------------------------------------------------------------------------


@measure(
    "cg",
    properties="recall-independent",
    label="CG",
    params=(GAINS,),
    trec=False,
    bounds=(None, None),
    formula="sum of gain",
    cite=JARVELIN,
)
def cumulative_gain(a: Aligned, gains: str) -> Doubles:
    """Cumulative gain of the whole ranking."""
    return _cumulative(a, gains, None, _no_discount)


@measure(
    "cg_cut",
    properties="recall-independent",
    label="CG",
    params=(RANKS, GAINS),
    trec=False,
    bounds=(None, None),
    formula="sum for r <= k of gain",
    cite=JARVELIN,
)
def cumulative_gain_cut(a: Aligned, k: int, gains: str) -> Doubles:
    """Cumulative gain of the first k documents."""
    return _cumulative(a, gains, k, _no_discount)


@measure(
    "ncg", properties="normalised", label="nCG", params=(GAINS,), trec=False, formula="CG / ideal CG", cite=JARVELIN
)
def normalised_cumulative_gain(a: Aligned, gains: str) -> Doubles:
    """Cumulative gain of the whole ranking over that of the ideal one."""
    return _normalised(a, gains, None, _no_discount)


@measure(
    "ncg_cut",
    properties="normalised",
    label="nCG",
    params=(RANKS, GAINS),
    trec=False,
    formula="CG@k / ideal CG@k",
    cite=JARVELIN,
)
def normalised_cumulative_gain_cut(a: Aligned, k: int, gains: str) -> Doubles:
    """Cumulative gain of the first k documents over that of the ideal ranking cut at k."""
    return _normalised(a, gains, k, _no_discount)


@measure(
    "dcg_cut",
    properties="recall-independent",
    label="DCG",
    params=(RANKS, GAINS),
    trec=False,
    bounds=(None, None),
    formula=f"sum for r <= k of {DISCOUNT}",
    cite=JARVELIN,
)
def dcg_cut(a: Aligned, k: int, gains: str) -> Doubles:
    """Discounted cumulative gain of the first k documents, not normalised."""
    return _dcg(a, gains, k)


BASE = Number("b", 2.0, "Base of the logarithm.", low=1.0, open_low=True)
JARVELIN_2008 = (
    "Järvelin, Price, Delcambre & Nielsen, Discounted Cumulated Gain Based Evaluation of Multiple-Query IR Sessions, "
    "ECIR 2008"
)


@measure(
    "ndcg_original",
    properties="normalised",
    label="nDCGjk",
    params=(GAINS, BASE),
    trec=False,
    formula="DCG / ideal DCG, discount log_b(r) from rank b on",
    cite=JARVELIN,
)
def ndcg_original(a: Aligned, gains: str, b: float) -> Doubles:
    """nDCG as first published: the first b ranks are not discounted at all, the others by log_b(rank)."""
    return _normalised(a, gains, None, original_discount(b))


@measure(
    "ndcg_original_cut",
    properties="normalised",
    label="nDCGjk",
    params=(RANKS, GAINS, BASE),
    trec=False,
    cite=JARVELIN,
    formula="DCG@k / ideal DCG@k, discount log_b(r) from rank b on",
)
def ndcg_original_cut(a: Aligned, k: int, gains: str, b: float) -> Doubles:
    """nDCG of the first k documents as first published: no discount up to rank b, then log_b(rank)."""
    return _normalised(a, gains, k, original_discount(b))


@measure(
    "ndcg_2008",
    properties="normalised",
    label="nDCGjk08",
    params=(GAINS, BASE),
    trec=False,
    formula="DCG / ideal DCG, discount 1 + log_b(r)",
    cite=JARVELIN_2008,
)
def ndcg_2008(a: Aligned, gains: str, b: float) -> Doubles:
    """nDCG with the discount 1 + log_b(rank), which leaves no rank undiscounted after the first."""
    return _normalised(a, gains, None, later_discount(b))


@measure(
    "ndcg_2008_cut",
    properties="normalised",
    label="nDCGjk08",
    params=(RANKS, GAINS, BASE),
    trec=False,
    cite=JARVELIN_2008,
    formula="DCG@k / ideal DCG@k, discount 1 + log_b(r)",
)
def ndcg_2008_cut(a: Aligned, k: int, gains: str, b: float) -> Doubles:
    """nDCG of the first k documents with the discount 1 + log_b(rank)."""
    return _normalised(a, gains, k, later_discount(b))


Discount = Callable[[Ints], Doubles]


def _no_discount(rank: Ints) -> Doubles:
    return np.ones(len(rank))


def _log(b: float, rank: Ints) -> Doubles:
    """Logarithm of ranks, base b (0: natural), from libm."""
    if b < 0:
        raise MeasureError(f"b: expected a base of logarithms, found {b:g}")
    table = np.array([0.0, *(math.log(r) for r in range(1, int(rank.max(initial=1)) + 1))])
    return divide(table[rank], math.log(b) if b else 1.0)


def original_discount(b: float) -> Discount:
    """1 up to rank b, then log_b(rank)."""
    return lambda rank: np.where((rank == 1) | (rank <= b), 1.0, _log(b, np.maximum(rank, 2)))


def later_discount(b: float) -> Discount:
    """1 + log_b(rank)."""
    return lambda rank: 1.0 + _log(b, rank)


def _cumulative(a: Aligned, gains: str, k: int | None, discount: Discount) -> Doubles:
    """Discounted gain of the first k documents; shape [T]."""
    rows = gained(a, gains)
    seen = rows.rank <= k if k is not None else np.ones(len(rows.rank), np.bool_)
    return ragged.sums((rows.gain / discount(rows.rank))[seen], rows.topic[seen], len(a))


def _normalised(a: Aligned, gains: str, k: int | None, discount: Discount) -> Doubles:
    """Discounted gain over that of the ideal ranking; shape [T]."""
    best = ideal(a.judgements, gains)
    most = best.total(best.gain / discount(best.rank), k)[a.topic]
    return np.where(most > 0, divide(_cumulative(a, gains, k, discount), most), 0.0)
