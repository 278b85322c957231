"""Binary preference: judged documents only, no guess about the others."""

from __future__ import annotations

import numpy as np

from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles
from ireval.core.numeric import divide
from ireval.measures.registry import LEVEL, logarithm, measure, variant


@measure(
    "bpref",
    properties="normalised",
    label="Bpref",
    params=(LEVEL,),
    aliases=("BPref",),
    formula="(1/R) sum over relevant retrieved of 1 - min(n, R)/min(N, R), n judged nonrelevant above",
    cite="Buckley & Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004",
)
def bpref(a: Aligned, rel: int) -> Doubles:
    """Share of judged pairs in the right order: relevant above nonrelevant, at most R nonrelevant documents counted."""
    hits, relevant = a.judged_hits(rel), a.number_relevant(rel)
    running = np.append(0, np.cumsum(a.judged))
    at = a.off[hits.topic]
    nonrelevant = running[at + hits.rank - 1] - running[at] - (hits.nth - 1)
    seen = np.minimum(nonrelevant, relevant[hits.topic])
    most = np.minimum(a.number_nonrelevant(rel), relevant)[hits.topic]
    value = np.where(nonrelevant > 0, 1.0 - divide(seen, most), 1.0)
    total = a.per_topic(value, hits)
    return np.where(relevant > 0, divide(total, relevant), total)


variant(
    "gm_bpref",
    "bpref",
    label="GMBpref",
    aggregate="geometric",
    per_topic=False,
    transform=logarithm,
    formula="exp(mean of log max(bpref, 0.00001))",
    doc="Geometric mean of bpref over topics. Given for the whole run only.",
)
