"""Sessions of several ranked lists, scored."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ireval.api import Qrels, Results, as_source, qrels_and_repeats, run_names
from ireval.beyond.systems import (
    Inputs,
    Progress,
    as_text,
    check_choice,
    facts_of,
    finished,
    requests_for,
    scored,
    sources_of,
    ticker,
)
from ireval.core.align import ORDERS, Policy
from ireval.core.judgements import Judgements
from ireval.core.sessions import SessionsRead, align_sessions, judgements_of_sessions
from ireval.errors import UsageError
from ireval.measures.spec import Request
from ireval.read.sessions import read_clicks, read_session_topics, read_sessions
from ireval.read.source import Source

SESSION_MEASURES = ("sDCG@10", "nsDCG@10")


def evaluate_sessions(
    qrels: Qrels,
    sessions: Inputs,
    measures: str | Iterable[str] | Iterable[Request] = SESSION_MEASURES,
    *,
    clicks: Inputs | None = None,
    session_topics: str | os.PathLike[str] | Source | Mapping[str, str] | None = None,
    format: str = "qrels",
    gains: str | None = None,
    repeats: str | None = None,
    truncate: str | None = None,
    order: str = "score",
    on_duplicate: str = "error",
    topics: str = "qrels",
    progress: Progress | None = None,
) -> Results:
    """Score sessions of several ranked lists against the judgements of the topics with their names.

    sessions: one file or several, a system each (`session query document rank score tag`). clicks: a file for each of
    these (`session query rank length`, in the order of time). session_topics: a file (`session topic`) or {session:
    topic}, where the judgements are those of topics that sessions are about. repeats, truncate: defaults of these
    parameters of sDCG and nsDCG. The other parameters are those of `evaluate`. progress: called with the number of
    scored measures.
    """
    check_choice("order", order, ORDERS)
    check_choice("on_duplicate", on_duplicate, ("error", "first"))
    settings = {"gains": gains, "repeats": repeats, "truncate": truncate}
    requests = requests_for(measures, "sessions", settings)
    inputs = sources_of(sessions)
    clicked = sources_of(clicks) if clicks is not None else []
    if clicked and len(clicked) != len(inputs):
        raise UsageError(f"expected as many files of clicks as of sessions ({len(inputs)}), found {len(clicked)}")
    judged, repeats_judged = qrels_and_repeats(qrels, format, on_duplicate)
    if judged.parent is not None or judged.preferences is not None:
        raise UsageError("sessions need judgements with levels, without groups or preferences")
    if session_topics is not None:
        judged = judgements_of_sessions(judged, _topic_of(session_topics))
    policy = Policy(order=order, on_duplicate=on_duplicate)
    every, tick = [], ticker(progress)
    for number, source in enumerate(inputs):
        found, tag = _read(source, clicked[number] if clicked else None, judged, policy)
        where = found.sessions.rows.topic.astype(np.int64)
        repeated = found.repeated + repeats_judged
        facts = facts_of(judged.topics, where, tag=tag, unjudged=found.unjudged, repeated=repeated)
        facts = replace(facts, lost_clicks=found.lost_clicks)
        every.append(scored(found.sessions, where, judged.topics, requests, facts, tick))
        del found  # before the next system is read
    scores = finished(every, topics, "qrels", "no session has both judgements and ranked lists")
    return Results(tuple(run_names([source.name for source in inputs])), tuple(requests), scores, judged)


def _read(source: Source, clicks: Source | None, judged: Judgements, policy: Policy) -> tuple[SessionsRead, str]:
    """The judged sessions of a file and its tag. The columns that no measure needs are let go on return."""
    columns = read_sessions(source, with_ranks=policy.order == "rank")
    found = align_sessions(columns, judged, policy, read_clicks(clicks) if clicks else None)
    return found, as_text(columns.tag)


def _topic_of(given: str | os.PathLike[str] | Source | Mapping[str, str]) -> dict[bytes, bytes]:
    """Session -> topic, from a file or as it is."""
    if isinstance(given, Mapping):
        return {str(session).encode(): str(topic).encode() for session, topic in given.items()}
    return read_session_topics(as_source(given))
