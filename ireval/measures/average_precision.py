"""Average precision and its relatives."""

from __future__ import annotations

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles
from ireval.core.judgements import UNJUDGED
from ireval.core.numeric import divide, log, ratio
from ireval.measures.differences import PrecisionSum, by_level
from ireval.measures.precision import RANKS
from ireval.measures.registry import LEVEL, logarithm, measure, variant

BUCKLEY = "Buckley & Voorhees, Retrieval System Evaluation, in TREC (MIT Press, 2005)"


def _precision_sum(a: Aligned, rel: int) -> Doubles:
    """Sum of the precision at each relevant document; shape [T]."""
    hits = a.hits(rel)
    return a.once(("precision_sum", rel), lambda: a.per_topic(hits.nth / hits.rank, hits))


@measure(
    "map",
    properties="normalised",
    label="AP",
    params=(LEVEL,),
    aliases=("MAP",),
    formula="(1/R) sum over relevant ranks r of P(r)",
    cite=f"{BUCKLEY}; Sakai, Metrics, Statistics, Tests (2014), eq. 9",
)
def average_precision(a: Aligned, rel: int) -> Doubles:
    """Average precision: precision at each relevant document retrieved, averaged over all relevant documents."""
    return np.where(np.diff(a.hits(rel).off) > 0, divide(_precision_sum(a, rel), a.number_relevant(rel)), 0.0)


variant("map_avgjg", "map", needs="groups", doc="Average precision, averaged over the judgement groups of a topic.")
variant(
    "gm_map",
    "map",
    label="GMAP",
    aggregate="geometric",
    per_topic=False,
    transform=logarithm,
    formula="exp(mean of log max(AP, 0.00001))",
    doc="Geometric mean of average precision over topics: it rewards runs that fail nowhere. For whole runs only.",
)


@measure(
    "map_cut",
    label="AP",
    params=(RANKS, LEVEL),
    aliases=("MAP",),
    formula="(1/R) sum over relevant ranks r <= k of P(r)",
    med=lambda top_grade, k, rel: PrecisionSum(
        k, by_level(top_grade, rel), lambda judged: judged.number_relevant(rel).astype(np.float64)
    ),
)
def average_precision_cut(a: Aligned, k: int, rel: int) -> Doubles:
    """Average precision of the first k documents, still divided by all R relevant ones."""
    hits = a.hits(rel)
    seen = hits.rank <= k
    total = ragged.sums(hits.nth[seen] / hits.rank[seen], hits.topic[seen], len(a))
    return ratio(total, a.number_relevant(rel))


INFAP_EPSILON = 0.00001


@measure(
    "infAP",
    label="infAP",
    params=(LEVEL,),
    aliases=("InfAP",),
    formula="(1/R) sum of 1/r + (r-1)/r x pooled/(r-1) x (rel + e)/(rel + nonrel + 2e) over what stands above r",
    cite="Yilmaz & Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006",
)
def inferred_ap(a: Aligned, rel: int) -> Doubles:
    """Inferred average precision, for pools of which only a random sample was judged.

    Documents with a negative level are pooled but not judged: they are taken to be relevant as often as
    the judged ones.
    """
    hits = a.judged_hits(rel)
    at = a.off[hits.topic] + hits.rank - 1

    def above(mask: np.ndarray) -> np.ndarray:
        running = np.append(0, np.cumsum(mask))
        return running[at] - running[a.off[hits.topic]]

    before = (hits.rank - 1).astype(np.float64)
    relevant = hits.nth - 1
    nonrelevant = above(a.judged) - relevant
    pooled = relevant + nonrelevant + above(a.relevance == UNJUDGED)
    estimate = 1.0 / (before + 1.0) + (before / (before + 1.0)) * divide(pooled, before) * (
        (relevant + INFAP_EPSILON) / (relevant + nonrelevant + 2 * INFAP_EPSILON)
    )
    total = a.per_topic(np.where(hits.rank == 1, 1.0, estimate), hits)
    relevant_total = a.number_relevant(rel)
    return np.where(relevant_total > 0, divide(total, relevant_total), total)


@measure(
    "yaap",
    label="yaAP",
    params=(LEVEL,),
    bounds=(None, None),
    formula="log((1 + S) / (1 + R - S)), S = R x AP",
    cite="Robertson, On GMAP and Other Transformations, CIKM 2006",
)
def yet_another_ap(a: Aligned, rel: int) -> Doubles:
    """Average precision on a log-odds scale, so that its mean gives hard topics more weight."""
    total = _precision_sum(a, rel)
    return log(divide(1.0 + total, 1.0 + a.number_relevant(rel).astype(np.float64) - total))
