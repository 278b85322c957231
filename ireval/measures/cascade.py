"""Cascade measures: the user goes down the ranking until a document satisfies her; its worth depends on the rank.

Each relevant document satisfies with a probability that depends on its level; the probability of getting to rank r
unsatisfied is the product of what the documents above left over.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles, Int32s, Ints
from ireval.core.numeric import ratio
from ireval.errors import MeasureError
from ireval.measures.differences import Cascade, Relevance, by_gains, by_level
from ireval.measures.gains import CHANCE, GAINS, LEVEL_GAINS, decay, highest_gain, ideal
from ireval.measures.graded import BETA, LECTURE, blended_ratio, graded
from ireval.measures.precision import RANKS
from ireval.measures.registry import LEVEL, Choice, Number, measure

SATISFIED = Choice(
    "sat",
    "exp2",
    "Probability of satisfaction: exp2 is (2^level - 1)/2^top, gain is gain/(top + 1).",
    choices=("exp2", "gain"),
)
TOP = Number(
    "top",
    None,
    "Highest level (sat=exp2) or gain (sat=gain); by default that of the whole judgement file (topic: of the topic).",
    low=0.0,
    open_low=True,
    words=("topic",),
)
PATIENCE = Number("p", 0.99, "Probability of going on after a rank.", low=0.0, high=1.0)
CHAPELLE = "Chapelle, Metzler, Zhang & Grinspan, Expected Reciprocal Rank for Graded Relevance, CIKM 2009"
SAKAI_EBR = "Sakai, NTCIREVAL; Amigó, Spina & Carrillo-de-Albornoz, RBU, SIGIR 2018"
COMMON = (GAINS, LEVEL, SATISFIED, TOP)
Worth = Callable[[Doubles, Ints], Doubles]
"""(probability of stopping, rank) -> what stopping there adds."""
Top = float | str | None


def probability(a: Aligned, topic: Ints, level: Int32s, gain: Doubles, gains: str, sat: str, top: Top) -> Doubles:
    """Probability that a document of a topic (0 to T-1) satisfies, from its level or gain; all arrays [n]."""
    if sat == "gain":
        return satisfying(level, gain, sat, highest_gain(a, gains, top)[topic])
    if a.judgements.worth is not None:
        return a.judgements.worth.chance[level]
    if top == "topic":
        highest = a.judgements.top_levels()[a.topic]
    else:
        highest = np.full(len(a), a.judgements.scale.top_levels().max(initial=0) if top is None else top)
    return satisfying(level, gain, sat, highest[topic].astype(np.float64))


def satisfying(level: Int32s, gain: Doubles, sat: str, highest: Doubles) -> Doubles:
    """Probability of satisfaction when the highest level (or gain) is known; all arrays [n]."""
    if sat == "gain":
        return gain / (highest + 1.0)
    above = np.flatnonzero(level > highest)
    if len(above):
        raise MeasureError(f"top: level {int(level[above].max())} is judged, which is above {highest[above[0]]:g}")
    return np.exp2(level - highest) - np.exp2(-highest)  # (2^level - 1) / 2^highest, for any levels


def _stopping(chance: Doubles, off: Ints) -> Doubles:
    """Probability of stopping at each relevant document: unsatisfied by all above it, satisfied by it."""
    left = ragged.running_product(1.0 - chance, off)
    first = np.zeros(len(chance), np.bool_)
    first[off[:-1][np.diff(off) > 0]] = True
    before = np.where(first, 1.0, np.append(1.0, left[:-1])[: len(left)])
    return before * chance


def _expected(a: Aligned, gains: str, rel: int, sat: str, top: Top, k: int | None, worth: Worth) -> Doubles:
    """Sum over relevant documents of the probability of stopping there times what it is worth."""
    rows = graded(a, gains, rel)
    stop = a.once(
        ("stopping", gains, rel, sat, top),
        lambda: _stopping(probability(a, rows.topic, rows.level, rows.gain, gains, sat, top), rows.off),
    )
    value = worth(stop, rows.rank)
    seen = rows.rank <= k if k is not None else np.ones(len(value), np.bool_)
    return ragged.sums(value[seen], rows.topic[seen], len(a))


def _best(a: Aligned, gains: str, rel: int, sat: str, top: Top, k: int | None, worth: Worth) -> Doubles:
    """The same of the ideal ranking."""
    judged = a.judgements
    by_chance = LEVEL_GAINS if judged.worth is None else CHANCE
    best = ideal(judged, by_chance if sat == "exp2" else gains, rel)
    level = best.level if best.level is not None else np.zeros(len(best.gain), np.int32)  # needed only by level
    every = Aligned(judged, np.arange(len(judged), dtype=np.int32), best.off, np.zeros(0, np.int32))
    stop = _stopping(probability(every, ragged.owners(best.off), level, best.gain, gains, sat, top), best.off)
    return best.total(worth(stop, best.rank), k)[a.topic]


def _satisfaction(top_grade: int, gains: str, rel: int, sat: str, top: Top) -> Relevance:
    """Probability of satisfaction of each grade, for MED; a topic's own top is that of the grades."""
    level = np.arange(top_grade + 1, dtype=np.int32)
    given = by_gains(top_grade, gains)
    usual = given.top if sat == "gain" else float(top_grade)
    highest = np.full(len(level), usual if top is None or isinstance(top, str) else top)
    return Relevance(satisfying(level, given.values, sat, highest) * by_level(top_grade, max(rel, 1)).values)


def _reciprocal(stop: Doubles, rank: Ints) -> Doubles:
    return stop / rank


def _whole(stop: Doubles, rank: Ints) -> Doubles:
    return stop


def _blended(ratios: Doubles) -> Worth:
    return lambda stop, rank: stop * ratios


def _patient(p: float) -> Worth:
    return lambda stop, rank: stop * decay(p, int(rank.max(initial=0)) + 1)[rank]


@measure(
    "err",
    properties="recall-independent diminishing",
    label="ERR",
    params=COMMON,
    trec=False,
    formula="sum of dsat(r-1) Pr(r) / r",
    cite=f"{CHAPELLE}; {LECTURE}, eq. 15",
    med=lambda top_grade, **params: Cascade(None, _satisfaction(top_grade, **params)),
)
def expected_reciprocal_rank(a: Aligned, gains: str, rel: int, sat: str, top: Top) -> Doubles:
    """Expected reciprocal rank of the document at which the user stops, satisfied."""
    return _expected(a, gains, rel, sat, top, None, _reciprocal)


@measure(
    "err_cut",
    properties="recall-independent diminishing",
    label="ERR",
    params=(RANKS, *COMMON),
    trec=False,
    formula="sum for r <= k of dsat(r-1) Pr(r) / r",
    cite=CHAPELLE,
    med=lambda top_grade, k, **params: Cascade(k, _satisfaction(top_grade, **params)),
)
def expected_reciprocal_rank_cut(a: Aligned, k: int, gains: str, rel: int, sat: str, top: Top) -> Doubles:
    """Expected reciprocal rank within the first k documents."""
    return _expected(a, gains, rel, sat, top, k, _reciprocal)


@measure(
    "nerr",
    properties="normalised diminishing",
    label="nERR",
    params=COMMON,
    trec=False,
    formula="ERR / ideal ERR",
    cite=CHAPELLE,
)
def normalised_err(a: Aligned, gains: str, rel: int, sat: str, top: Top) -> Doubles:
    """Expected reciprocal rank over that of the ideal ranking."""
    return ratio(
        _expected(a, gains, rel, sat, top, None, _reciprocal), _best(a, gains, rel, sat, top, None, _reciprocal)
    )


@measure(
    "nerr_cut",
    properties="normalised diminishing",
    label="nERR",
    params=(RANKS, *COMMON),
    trec=False,
    formula="ERR@k / ideal ERR@k",
    cite=CHAPELLE,
)
def normalised_err_cut(a: Aligned, k: int, gains: str, rel: int, sat: str, top: Top) -> Doubles:
    """Expected reciprocal rank within the first k documents, over that of the ideal ranking cut at k."""
    return ratio(_expected(a, gains, rel, sat, top, k, _reciprocal), _best(a, gains, rel, sat, top, k, _reciprocal))


@measure("ebr", label="EBR", params=(*COMMON, BETA), trec=False, formula="sum of dsat(r-1) Pr(r) BR(r)", cite=SAKAI_EBR)
def expected_blended_ratio(a: Aligned, gains: str, rel: int, sat: str, top: Top, beta: float) -> Doubles:
    """Expected blended ratio at the document at which the user stops, satisfied."""
    return _expected(a, gains, rel, sat, top, None, _blended(blended_ratio(a, gains, rel, beta)))


@measure(
    "ebr_cut",
    label="EBR",
    params=(RANKS, *COMMON, BETA),
    trec=False,
    formula="sum for r <= k of dsat(r-1) Pr(r) BR(r)",
    cite=SAKAI_EBR,
)
def expected_blended_ratio_cut(a: Aligned, k: int, gains: str, rel: int, sat: str, top: Top, beta: float) -> Doubles:
    """Expected blended ratio within the first k documents."""
    return _expected(a, gains, rel, sat, top, k, _blended(blended_ratio(a, gains, rel, beta)))


@measure(
    "nebr",
    properties="normalised",
    label="nEBR",
    params=(*COMMON, BETA),
    trec=False,
    formula="EBR / ideal EBR",
    cite=SAKAI_EBR,
)
def normalised_ebr(a: Aligned, gains: str, rel: int, sat: str, top: Top, beta: float) -> Doubles:
    """Expected blended ratio over that of the ideal ranking, whose blended ratio is 1 everywhere."""
    found = _expected(a, gains, rel, sat, top, None, _blended(blended_ratio(a, gains, rel, beta)))
    return ratio(found, _best(a, gains, rel, sat, top, None, _whole))


@measure(
    "nebr_cut",
    properties="normalised",
    label="nEBR",
    params=(RANKS, *COMMON, BETA),
    trec=False,
    formula="EBR@k / ideal EBR@k",
    cite=SAKAI_EBR,
)
def normalised_ebr_cut(a: Aligned, k: int, gains: str, rel: int, sat: str, top: Top, beta: float) -> Doubles:
    """Expected blended ratio within the first k documents, over that of the ideal ranking cut at k."""
    found = _expected(a, gains, rel, sat, top, k, _blended(blended_ratio(a, gains, rel, beta)))
    return ratio(found, _best(a, gains, rel, sat, top, k, _whole))


@measure(
    "irbu",
    properties="recall-independent diminishing",
    label="iRBU",
    params=(*COMMON, PATIENCE),
    trec=False,
    formula="sum of dsat(r-1) Pr(r) p^r",
    cite=SAKAI_EBR,
)
def intentwise_rbu(a: Aligned, gains: str, rel: int, sat: str, top: Top, p: float) -> Doubles:
    """Intentwise rank-biased utility: expected p^r at the document at which the user stops, satisfied."""
    return _expected(a, gains, rel, sat, top, None, _patient(p))


@measure(
    "irbu_cut",
    properties="recall-independent diminishing",
    label="iRBU",
    params=(RANKS, *COMMON, PATIENCE),
    trec=False,
    formula="sum for r <= k of dsat(r-1) Pr(r) p^r",
    cite=SAKAI_EBR,
)
def intentwise_rbu_cut(a: Aligned, k: int, gains: str, rel: int, sat: str, top: Top, p: float) -> Doubles:
    """Intentwise rank-biased utility within the first k documents."""
    return _expected(a, gains, rel, sat, top, k, _patient(p))


@measure(
    "nirbu",
    properties="normalised diminishing",
    label="niRBU",
    params=(*COMMON, PATIENCE),
    trec=False,
    formula="iRBU / ideal iRBU",
    cite=SAKAI_EBR,
)
def normalised_irbu(a: Aligned, gains: str, rel: int, sat: str, top: Top, p: float) -> Doubles:
    """Intentwise rank-biased utility over that of the ideal ranking."""
    return ratio(
        _expected(a, gains, rel, sat, top, None, _patient(p)), _best(a, gains, rel, sat, top, None, _patient(p))
    )


@measure(
    "nirbu_cut",
    properties="normalised diminishing",
    label="niRBU",
    params=(RANKS, *COMMON, PATIENCE),
    trec=False,
    formula="iRBU@k / ideal iRBU@k",
    cite=SAKAI_EBR,
)
def normalised_irbu_cut(a: Aligned, k: int, gains: str, rel: int, sat: str, top: Top, p: float) -> Doubles:
    """Intentwise rank-biased utility within the first k documents, over that of the ideal ranking cut at k."""
    return ratio(_expected(a, gains, rel, sat, top, k, _patient(p)), _best(a, gains, rel, sat, top, k, _patient(p)))
