"""Measures of sessions: several ranked lists, for one query after the other, about one need.

The discounts: "2011" is the lecture's (35), rank in all lists put together, so that a later list is never worth more;
"2008" is the first one, in which each list begins again at rank 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ireval.core import ragged
from ireval.core.columns import Doubles, Ints
from ireval.core.numeric import divide
from ireval.core.sessions import Sessions
from ireval.errors import UsageError
from ireval.measures.dcg import BASE, JARVELIN_2008, later_discount
from ireval.measures.gains import GAINS, ideal, parse_gains
from ireval.measures.graded import LECTURE
from ireval.measures.reading import MOST_TEXT, SAKAI_DOU, SNIPPET, trail_positions, trail_worth
from ireval.measures.registry import CUTOFFS, Choice, Cutoffs, Number, measure

KANOULAS = (
    f"Kanoulas, Carterette, Clough & Sanderson, Evaluating Multi-Query Sessions, SIGIR 2011; {LECTURE}, eq. 35; "
    f"{JARVELIN_2008}"
)
QUERY_BASE = Number("bq", 4.0, "Base of the logarithm that discounts later queries.", low=1.0, open_low=True)
DISCOUNT = Choice(
    "form",
    "2011",
    "2011: log_bq(query + bq - 1) log_b(rank + b - 1), rank in all lists together; 2008: (1 + log_bq(query)) "
    "(1 + log_b(rank)), rank in its own list.",
    choices=("2011", "2008"),
)
REPEATS = Choice(
    "repeats",
    "auto",
    "Documents that an earlier list has shown: keep them, drop them (what follows moves up), or let them gain nothing "
    "(zero). auto: drop for nsDCG with a single ideal list, else keep.",
    setting="repeats",
    choices=("auto", "keep", "drop", "zero"),
)
TRUNCATE = Choice(
    "truncate",
    "no",
    "click: each list ends at its lowest click, and one without clicks has nothing to show.",
    setting="truncate",
    choices=("no", "click"),
)
IDEAL = Choice(
    "ideal",
    "single",
    "single: all relevant documents, best first, in one list for one query, at most k for each query of the session; "
    "repeated: the same ideal list, at most k documents, for every query (repeats are kept, and 2011 can then "
    "exceed 1).",
    choices=("single", "repeated"),
)
RANKS = Cutoffs("k", CUTOFFS, "Rank at which each list is cut.")
COMMON = (GAINS, BASE, QUERY_BASE, DISCOUNT, REPEATS, TRUNCATE)


def _shifted_log(base: float, numbers: Ints) -> Doubles:
    """log_base(n + base - 1), which is 1 for n = 1, from libm; [N]."""
    table = np.array([math.log(n + base - 1.0) for n in range(1, int(numbers.max(initial=0)) + 1)], np.float64)
    return table[numbers - 1] / math.log(base)


def discount(query: Ints, rank: Ints, b: float, bq: float, form: str) -> Doubles:
    """What gains are divided by. rank [N]: in all lists together (2011) or in its own (2008)."""
    if form == "2008":
        return later_discount(bq)(query) * later_discount(b)(rank)
    return _shifted_log(bq, query) * _shifted_log(b, rank)


def session_dcg(
    s: Sessions, gains: str, b: float, bq: float, form: str, repeats: str, truncate: str, k: int | None = None
) -> Doubles:
    """Discounted gain of the sessions' lists, each cut at rank k; shape [S]."""
    keep = np.ones(len(s.keys), np.bool_) if k is None else s.list_rank <= k
    if truncate == "click":
        if s.clicks is None:
            raise UsageError("truncate=click needs clicks (--clicks FILE)")
        keep &= s.list_rank <= s.lowest_click[s.row_list]
    rows = np.flatnonzero(keep)
    repeated = s.repeated(rows) if repeats in ("drop", "zero") else None
    if repeats == "drop" and repeated is not None:
        rows = rows[~repeated]
    session = s.rows.row_topic[rows]
    rank = s.list_rank[rows]
    if repeats == "drop" or form == "2011":  # ranks in what is left, of all lists or of each
        owner, count = (session, len(s)) if form == "2011" else (s.row_list[rows], len(s.list_query))
        rank = ragged.positions(ragged.offsets(np.bincount(owner, minlength=count))) + 1
    gain = parse_gains(gains).of(s.rows.relevance[rows])
    if repeats == "zero" and repeated is not None:
        gain[repeated] = 0.0
    at = np.flatnonzero(gain)
    query = s.list_query[s.row_list[rows[at]]]
    return ragged.sums(gain[at] / discount(query, rank[at], b, bq, form), session[at], len(s))


def _single_ideal(s: Sessions, gains: str, b: float, form: str, k: int | None) -> Doubles:
    """Discounted gain of all relevant documents in one list for one query; shape [S]."""
    best = ideal(s.rows.judgements, gains)
    topic, rank = ragged.owners(best.off), best.rank
    worth = best.gain / discount(np.ones(len(rank), np.int64), rank, b, 2.0, form)
    room = np.full(len(s.rows.judgements), np.iinfo(np.int64).max)
    if k is not None:
        room[s.rows.topic] = min(k, 2**31) * s.queries  # whatever k is, this fits
    inside = rank <= room[topic]
    return ragged.sums(worth[inside], topic[inside], len(s.rows.judgements))[s.rows.topic]


def _repeated_ideal(s: Sessions, gains: str, b: float, bq: float, form: str, k: int | None) -> Doubles:
    """Discounted gain of the ideal list, at most k documents, shown for every query; shape [S]."""
    best = ideal(s.rows.judgements, gains)
    length = np.diff(best.off)[s.rows.topic]
    if k is not None:
        length = np.minimum(length, k)
    lists = ragged.offsets(s.queries)  # each session once for every query
    session, query = ragged.owners(lists), ragged.positions(lists) + 1
    rows = ragged.offsets(length[session])
    own, place = ragged.owners(rows), ragged.positions(rows)
    gain = best.gain[best.off[:-1][s.rows.topic[session[own]]] + place]
    before = (query[own] - 1) * length[session[own]] if form == "2011" else 0
    return ragged.sums(gain / discount(query[own], before + place + 1, b, bq, form), session[own], len(s))


def _sdcg(s: Sessions, repeats: str, k: int | None = None, **params: Any) -> Doubles:
    return session_dcg(s, repeats="keep" if repeats == "auto" else repeats, k=k, **params)


def _nsdcg(s: Sessions, ideal: str, repeats: str, k: int | None = None, **params: Any) -> Doubles:
    if repeats == "auto":
        repeats = "drop" if ideal == "single" else "keep"
    found = session_dcg(s, repeats=repeats, k=k, **params)
    gains, b, bq, form = (params[name] for name in ("gains", "b", "bq", "form"))
    most = _single_ideal(s, gains, b, form, k) if ideal == "single" else _repeated_ideal(s, gains, b, bq, form, k)
    return np.where(most > 0, divide(found, most), 0.0)


def _register(name: str, label: str, compute: Callable[..., Doubles], formula: str, doc: str, normalised: bool) -> None:
    """A measure of whole lists, and one of lists cut at a rank."""
    params = (*COMMON, IDEAL) if normalised else COMMON
    for cut in (False, True):

        def computed(s: Sessions, **given: Any) -> Doubles:
            return compute(s, **given)

        computed.__doc__ = doc + (" Each list is cut at rank k." if cut else "")
        measure(
            f"{name}_cut" if cut else name,
            label=label,
            params=((RANKS, *params) if cut else params),
            needs="sessions",
            trec=False,
            bounds=(None, None),
            formula=formula,
            properties="normalised" if normalised else "recall-independent",
            cite=KANOULAS,
        )(computed)


_register(
    "sdcg",
    "sDCG",
    _sdcg,
    "sum of gain / (log_bq(query + bq - 1) log_b(rank + b - 1)), rank in all lists together",
    "Session DCG: gains are discounted by rank and by how many queries it took to get there.",
    False,
)
_register(
    "nsdcg",
    "nsDCG",
    _nsdcg,
    "sDCG / sDCG of an ideal session",
    "Session DCG over that of an ideal session, in which one list has everything, or every list is ideal.",
    True,
)


@measure(
    "click_u",
    label="ClickU",
    needs="sessions",
    trec=False,
    bounds=(0, None),
    cite=f"{SAKAI_DOU}; Fig. 9",
    formula="sum over clicks of gain x max(0, 1 - pos/L), pos the text read by then",
    properties="recall-independent diminishing nonlinear",
    params=(
        Number("gain", 0.5, "Gain of a document clicked on, (2^1 - 1)/2^1.", low=0.0),
        MOST_TEXT,
        SNIPPET,
        Number("share", 0.2, "Share of a document clicked on that is read.", low=0.0, high=1.0),
        Choice(
            "traversal",
            "clicks",
            "clicks: documents are read in the order of the clicks; linear: query by query, from the top of each list.",
            choices=("clicks", "linear"),
        ),
    ),
)
def click_u(
    s: Sessions,
    gain: float,
    L: float,  # noqa: N803 (the name of the papers)
    snippet: float,
    share: float,
    traversal: str,
) -> Doubles:
    """U-measure of a session from its clicks: snippets down to each click, then part of the document clicked on.

    A snippet is read once, however often its list is come back to; a document, each time it is clicked on.
    Needs clicks with the lengths of the documents.
    """
    if s.clicks is None:
        raise UsageError("ClickU needs clicks (--clicks FILE)")
    c = s.clicks
    session = ragged.owners(c.off)
    order = np.lexsort((c.rank, c.list, session)) if traversal == "linear" else np.arange(len(c.rank))
    lists, rank, length = c.list[order], c.rank[order], c.length[order]
    # How far down its list the user has read, after each click: a running maximum within each list. Lists are laid end
    # to end, so that one accumulation does them all: whatever belongs to a later list is higher.
    by_list = np.argsort(lists, kind="stable")
    base = lists[by_list] * (int(rank.max(initial=0)) + 1)
    deepest = np.maximum.accumulate(base + rank[by_list]) - base
    again = np.append(False, lists[by_list][1:] == lists[by_list][:-1])[: len(lists)]
    before = np.where(again, np.append(0, deepest[:-1])[: len(lists)], 0)
    new = np.zeros(len(lists), np.int64)
    new[by_list] = deepest - before
    snippets = np.cumsum(new)
    snippets -= np.append(0, snippets)[c.off[:-1]][session]
    position = trail_positions(snippets, length.astype(np.float64), c.off, snippet, share)
    return ragged.sums(gain * trail_worth(position, L), session, len(s))
