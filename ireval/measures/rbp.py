"""Rank-biased precision as trec_eval computes it."""

from __future__ import annotations

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles
from ireval.core.numeric import divide, powers
from ireval.measures.dcg import GAINS
from ireval.measures.gains import parse_gains, trec_eval_entries
from ireval.measures.registry import Number, measure

PERSISTENCE = Number("p", 0.9, "Probability that the user goes on to the next document.")
MOFFAT = "Moffat & Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, ACM TOIS 27(1), 2008"


@measure("rbp", label="rbp", params=(PERSISTENCE, GAINS), formula="(1 - p) sum of gain x p^(rank - 1)", cite=MOFFAT)
def rank_biased_precision(a: Aligned, p: float, gains: str) -> Doubles:
    """Rank-biased precision: the gain per document of a user who goes on with probability p.

    Where gains exceed 1 or fall below 0, those of each topic are scaled to [0, 1] by its highest and lowest gain.
    """
    low, high = _gain_range(a, gains)
    scaled = (low < 0) | (high > 1)
    gain_map, counted = parse_gains(gains), a.judged
    unjudged = [level for level, _ in gain_map.pairs if level < 0]
    if unjudged:  # a gain map may name -1 and -2: documents that nobody judged
        counted = counted | np.isin(a.relevance, unjudged)
    rows = np.flatnonzero(counted)
    topic = a.row_topic[rows]
    gain = gain_map.of(a.relevance[rows])
    gain = np.where(scaled[topic], divide(gain - low[topic], (high - low)[topic]), gain)
    weight = powers(p, int(a.retrieved.max(initial=0)))[rows - a.off[topic]]
    return (1.0 - p) * ragged.sums(gain * weight, topic, len(a))


def _gain_range(a: Aligned, gains: str) -> tuple[Doubles, Doubles]:
    """Lowest and highest gain of each topic's levels and of the named ones, 0 always among them; two [T]."""
    gain_map, top = parse_gains(gains), a.judgements.top_levels()[a.topic]
    low, high = np.zeros(len(a)), np.zeros(len(a))
    for level in (np.array(ragged.distinct(top + 1), np.int64) - 1).tolist():
        entries = [gain for gain, _ in trec_eval_entries(gain_map, level)] if gain_map.rest == "level" else [
            gain_map.one(g) for g in range(level + 1)
        ]
        low[top == level] = min(entries, default=0.0)
        high[top == level] = max(entries, default=0.0)
    return np.minimum(low, 0.0), np.maximum(high, 0.0)


@measure("rbp_resid", label="rbp_resid", params=(PERSISTENCE,), formula="p^n + (1 - p) sum of p^(rank - 1) over unjudged", cite=MOFFAT)
def rank_biased_residual(a: Aligned, p: float) -> Doubles:
    """How much rank-biased precision could grow if every unjudged document were relevant.

    As in trec_eval, 0 when every retrieved document is judged (the tail beyond the ranking is then left out).
    """
    rows = np.flatnonzero(~a.judged)
    topic = a.row_topic[rows]
    weight = powers(p, int(a.retrieved.max(initial=0)) + 1)
    total = ragged.sums(weight[rows - a.off[topic]], topic, len(a))
    return np.where(np.bincount(topic, minlength=len(a)) > 0, weight[a.retrieved] + (1 - p) * total, 0.0)
