"""Rank-biased precision: as trec_eval computes it, and as its authors define it."""

from __future__ import annotations

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles
from ireval.core.numeric import divide, powers, ratio
from ireval.measures.dcg import gained
from ireval.measures.gains import GAINS, TOP_GAIN, decay, gain_map, highest_gain, ideal
from ireval.measures.precision import RANKS
from ireval.measures.registry import Number, measure

PERSISTENCE = Number(
    "p", 0.9, "Probability that the user goes on to the next document.", low=0.0, high=1.0, open_high=True
)
MOFFAT = "Moffat & Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, ACM TOIS 27(1), 2008"


@measure(
    "rbp",
    properties="recall-independent",
    label="rbp",
    params=(PERSISTENCE, GAINS),
    formula="(1 - p) sum of gain x p^(rank - 1)",
    cite=MOFFAT,
)
def rank_biased_precision(a: Aligned, p: float, gains: str) -> Doubles:
    """Rank-biased precision: the gain per document of a user who goes on with probability p.

    Where gains exceed 1 or fall below 0, those of each topic are scaled to [0, 1] by its highest and lowest gain.
    """
    low, high = _gain_range(a, gains)
    scaled = (low < 0) | (high > 1)
    scheme, counted = gain_map(a.judgements, gains), a.judged
    unjudged = [level for level, _ in scheme.pairs if level < 0]
    if unjudged:  # a gain map may name -1 and -2: documents that nobody judged
        counted = counted | np.isin(a.relevance, unjudged)
    rows = np.flatnonzero(counted)
    topic = a.row_topic[rows]
    gain = scheme.of(a.relevance[rows])
    gain = np.where(scaled[topic], divide(gain - low[topic], (high - low)[topic]), gain)
    weight = powers(p, int(a.retrieved.max(initial=0)))[rows - a.off[topic]]
    return (1.0 - p) * ragged.sums(gain * weight, topic, len(a))


def _gain_range(a: Aligned, gains: str) -> tuple[Doubles, Doubles]:
    """Lowest and highest gain of each topic's levels and of the named ones, 0 always among them; two [T].

    A list such as 1:3:7 counts only up to the topic's highest level.
    """
    scheme, top = gain_map(a.judgements, gains), np.maximum(a.judgements.top_levels()[a.topic], 0)
    named, given = [level for level, _ in scheme.pairs], [gain for _, gain in scheme.pairs]
    if scheme.rest == "error":
        scheme.of(top)  # refuses levels that the list does not know
        return np.minimum.accumulate([0.0, *given])[top], np.maximum.accumulate([0.0, *given])[top]
    for _ in named:  # the highest level that is not named has the highest gain of those
        top = np.where(np.isin(top, named), top - 1, top)
    low, high = min([0.0, *given]), max([0.0, *given])
    return np.full(len(a), low), np.maximum(scheme.of(np.maximum(top, 0)), high)


@measure(
    "rbp_resid",
    better="",
    label="rbp_resid",
    params=(PERSISTENCE,),
    formula="p^n + (1 - p) sum of p^(rank - 1) over unjudged",
    cite=MOFFAT,
)
def rank_biased_residual(a: Aligned, p: float) -> Doubles:
    """How much rank-biased precision could grow if every unjudged document were relevant.

    As in trec_eval, 0 when every retrieved document is judged (the tail beyond the ranking is then left out).
    """
    rows = np.flatnonzero(~a.judged)
    topic = a.row_topic[rows]
    weight = powers(p, int(a.retrieved.max(initial=0)) + 1)
    total = ragged.sums(weight[rows - a.off[topic]], topic, len(a))
    return np.where(np.bincount(topic, minlength=len(a)) > 0, weight[a.retrieved] + (1 - p) * total, 0.0)


# -- graded, as defined by its authors ------------------------------------------------------------------------------

P95 = Number("p", 0.95, "Probability that the user goes on to the next document.", low=0.0, high=1.0, open_high=True)
RBP_CITE = f"{MOFFAT}; Sakai, Metrics, Statistics, Tests (2014), eq. 16"


def _weighted_gain(a: Aligned, gains: str, p: float, k: int | None) -> Doubles:
    """Sum of gain x p^(rank - 1); shape [T]."""
    rows = gained(a, gains)
    seen = rows.rank <= k if k is not None else np.ones(len(rows.rank), np.bool_)
    weight = decay(p, int(a.retrieved.max(initial=0)))[rows.rank - 1]
    return ragged.sums((rows.gain * weight)[seen], rows.topic[seen], len(a))


def _rbp(a: Aligned, gains: str, p: float, top: float | str | None, k: int | None) -> Doubles:
    return (1.0 - p) * _weighted_gain(a, gains, p, k) / highest_gain(a, gains, top)


@measure(
    "rbp_graded",
    residual="RBPres",
    properties="recall-independent",
    label="RBP",
    params=(P95, GAINS, TOP_GAIN),
    trec=False,
    cite=RBP_CITE,
    formula="(1 - p) sum of p^(r - 1) gain(r) / top gain",
)
def graded_rbp(a: Aligned, p: float, gains: str, top: float | str | None) -> Doubles:
    """Rank-biased precision with graded gains, scaled by the highest gain of the collection.

    `RBP(p=0.8,residual=yes)` asks for the score and its residual together.
    """
    return _rbp(a, gains, p, top, None)


@measure(
    "rbp_graded_cut",
    residual="RBPres",
    properties="recall-independent",
    label="RBP",
    params=(RANKS, P95, GAINS, TOP_GAIN),
    trec=False,
    cite=RBP_CITE,
    formula="(1 - p) sum for r <= k of p^(r - 1) gain(r) / top gain",
)
def graded_rbp_cut(a: Aligned, k: int, p: float, gains: str, top: float | str | None) -> Doubles:
    """Rank-biased precision of the first k documents."""
    return _rbp(a, gains, p, top, k)


def _residual(a: Aligned, p: float, k: int | None) -> Doubles:
    """Weight of the ranks that nobody judged: unjudged documents, and all ranks after the last one looked at."""
    rows = np.flatnonzero(~a.judged)
    topic = a.row_topic[rows]
    place = rows - a.off[topic]
    depth = a.retrieved if k is None else np.minimum(a.retrieved, k)
    weight = decay(p, int(a.retrieved.max(initial=0)) + 1)
    seen = place < depth[topic]
    return weight[depth] + (1.0 - p) * ragged.sums(weight[place[seen]], topic[seen], len(a))


@measure(
    "rbp_residual",
    better="",
    label="RBPres",
    params=(P95,),
    trec=False,
    cite=RBP_CITE,
    formula="p^n + (1 - p) sum of p^(r - 1) over unjudged ranks r",
)
def graded_residual(a: Aligned, p: float) -> Doubles:
    """Residual of RBP: how much the score can still grow, whatever the unjudged documents and the tail hold."""
    return _residual(a, p, None)


@measure(
    "rbp_residual_cut",
    better="",
    label="RBPres",
    params=(RANKS, P95),
    trec=False,
    cite=RBP_CITE,
    formula="p^min(n, k) + (1 - p) sum of p^(r - 1) over unjudged ranks r <= k",
)
def graded_residual_cut(a: Aligned, k: int, p: float) -> Doubles:
    """Residual of RBP when only the first k documents are looked at."""
    return _residual(a, p, k)


def _normalised(a: Aligned, gains: str, p: float, k: int | None) -> Doubles:
    best = ideal(a.judgements, gains)
    weight = decay(p, int(best.rank.max(initial=1)))[best.rank - 1]
    most = best.total(best.gain * weight, k)[a.topic]
    return ratio(_weighted_gain(a, gains, p, k), most)


@measure(
    "nrbp",
    properties="normalised",
    label="nRBP",
    params=(P95, GAINS),
    trec=False,
    cite="Sakai, NTCIREVAL",
    formula="sum of p^(r - 1) gain(r) over the same of the ideal ranking",
)
def normalised_rbp(a: Aligned, p: float, gains: str) -> Doubles:
    """Rank-biased precision over that of the ideal ranking."""
    return _normalised(a, gains, p, None)


@measure(
    "nrbp_cut",
    properties="normalised",
    label="nRBP",
    params=(RANKS, P95, GAINS),
    trec=False,
    cite="Sakai, NTCIREVAL",
    formula="sum for r <= k of p^(r - 1) gain(r) over the same of the ideal ranking",
)
def normalised_rbp_cut(a: Aligned, k: int, p: float, gains: str) -> Doubles:
    """Rank-biased precision of the first k documents over that of the ideal ranking cut at k."""
    return _normalised(a, gains, p, k)
