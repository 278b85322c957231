"""What was retrieved and judged: counts, the run's name, the relevance string."""

from __future__ import annotations

import numpy as np

from ireval.core.aligned import Aligned
from ireval.core.columns import Ints
from ireval.core.scores import RunFacts
from ireval.measures.registry import LEVEL, Numbers, measure


@measure("runid", kind="summary", aggregate="none", bounds=(None, None))
def runid(facts: RunFacts) -> str:
    """Name of the run: the tag on its last line."""
    return facts.tag


@measure("num_q", label="NumQ", kind="summary", aggregate="none", bounds=(0, None))
def num_q(facts: RunFacts) -> int:
    """Number of topics that the summary is about."""
    return facts.topics


@measure("num_ret", label="NumRet", kind="count", aggregate="sum", bounds=(0, None), formula="n")
def num_ret(a: Aligned) -> Ints:
    """Number of documents retrieved (after cutting and condensing); the summary is the sum over topics."""
    return a.retrieved


@measure("num_rel", label="NumRel", params=(LEVEL,), kind="count", aggregate="sum", bounds=(0, None), formula="R")
def num_rel(a: Aligned, rel: int) -> Ints:
    """Number of documents judged relevant, retrieved or not; the summary is the sum over topics."""
    return a.number_relevant(rel)


@measure("num_rel_ret", label="NumRelRet", params=(LEVEL,), kind="count", aggregate="sum", bounds=(0, None))
def num_rel_ret(a: Aligned, rel: int) -> Ints:
    """Number of relevant documents retrieved; the summary is the sum over topics."""
    return a.relevant_retrieved(rel)


@measure(
    "num_nonrel_judged_ret",
    label="NumNonrelJudgedRet",
    params=(LEVEL,),
    kind="count",
    aggregate="sum",
    bounds=(0, None),
)
def num_nonrel_judged_ret(a: Aligned, rel: int) -> Ints:
    """Number of retrieved documents that were judged and found nonrelevant; the summary is the sum over topics."""
    judged = np.bincount(a.row_topic[a.judged], minlength=len(a))
    return judged - a.relevant_retrieved(rel)


@measure(
    "relstring",
    kind="text",
    aggregate="none",
    bounds=(None, None),
    params=(Numbers("length", (10.0,), "How many of the first documents to show."),),
)
def relstring(a: Aligned, length: tuple[float, ...]) -> list[str]:
    """Levels of the first retrieved documents, one character each.

    A digit is the level, `>` a level above 9, `-` a document that is not in the judgement file, `.` one that is in it
    but was not judged. Shown for single topics only.
    """
    first = max(0, int(length[0]))
    signs = np.array([ord(c) for c in ".-0123456789>"], np.uint8)
    rows = np.minimum(a.retrieved, first)
    at = np.repeat(a.off[:-1], rows) + np.arange(int(rows.sum())) - np.repeat(np.cumsum(rows) - rows, rows)
    text = signs[np.minimum(a.relevance[at], 10) + 2].tobytes().decode("ascii")
    ends = np.cumsum(rows).tolist()
    return [text[end - many : end] for end, many in zip(ends, rows.tolist(), strict=True)]
