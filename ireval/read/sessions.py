"""Sessions of several ranked lists, what was clicked on in them, and what they are about."""

from __future__ import annotations

import numpy as np

from ireval.core.columns import ClickColumns, Doubles, Int32s, Ints, SessionColumns, Texts, join_texts
from ireval.errors import DuplicateError, printable
from ireval.read.blocks import LineBlocks
from ireval.read.convert import doubles, integers, within
from ireval.read.formats import CLICKS, SESSION_TOPICS, SESSIONS
from ireval.read.source import Source
from ireval.read.tokens import split_fields
from ireval.read.trec import HEADER, Number, no_lines, number_columns, numbered, segments

_SESSION, _QUERY, _DOCUMENT, _RANK, _SCORE, _TAG = range(6)
MOST_QUERIES = 10_000


_QUERY_NUMBER = Number(
    _QUERY, within(integers, 1, MOST_QUERIES), "query", f"its number in the session, 1 to {MOST_QUERIES}"
)
_CLICKED = Number(2, within(integers, 1, 2**31 - 1), "rank", "a rank from 1 on")
_LENGTH = Number(3, within(integers, 0, 2**53), "length", "a number of characters")


def read_sessions(source: Source, *, with_ranks: bool = False) -> SessionColumns:
    """All ranked lists of a file of sessions, in any order."""
    blocks = LineBlocks(source, header=HEADER)
    index: dict[bytes, int] = {}
    sessions: list[Int32s] = []
    documents: list[Texts] = []
    queries: list[Int32s] = []
    lines: list[Int32s] = []
    ranks: list[Ints] = []
    scores: list[Doubles] = []
    tag = b""
    wanted = [_QUERY_NUMBER, Number(_SCORE, doubles, "score")]
    if with_ranks:
        wanted.append(Number(_RANK, integers, "rank", "a whole number"))
    while blocks.read():
        fields = split_fields(blocks.buffer, blocks.size, len(SESSIONS.fields), None, blocks.line)
        query, score, *rank = number_columns(blocks, fields, *wanted)
        if fields.fault is not None:
            raise blocks.line_fault(fields.fault, SESSIONS.expected)
        sessions.append(numbered(*segments(fields.texts(_SESSION)), index))
        documents.append(fields.texts(_DOCUMENT).packed())
        scores.append(score)
        queries.append(query.astype(np.int32))
        lines.append(fields.lines.astype(np.int32))
        ranks += rank
        tag = fields.texts(_TAG)[-1] if len(score) else tag
        blocks.drop_all()
    if not index:
        raise no_lines(source, SESSIONS.expected)
    return SessionColumns(
        source.name,
        list(index),
        np.concatenate(sessions),
        np.concatenate(queries),
        join_texts(documents),
        np.concatenate(scores),
        np.concatenate(ranks) if with_ranks else None,
        np.concatenate(lines),
        tag,
    )


def read_clicks(source: Source) -> ClickColumns:
    """All clicks of a file, in the order of its lines, which is that of time."""
    blocks = LineBlocks(source)
    index: dict[bytes, int] = {}
    sessions: list[Int32s] = []
    numbers: list[list[Ints]] = [[], [], [], []]
    width = len(CLICKS.fields)
    while blocks.read():
        fields = split_fields(blocks.buffer, blocks.size, width, width, blocks.line)
        columns = number_columns(blocks, fields, _QUERY_NUMBER, _CLICKED, _LENGTH)
        if fields.fault is not None:
            raise blocks.line_fault(fields.fault, CLICKS.expected)
        sessions.append(numbered(*segments(fields.texts(_SESSION)), index))
        for parts, part in zip(numbers, (*columns, fields.lines), strict=True):
            parts.append(part)
        blocks.drop_all()
    if not index:
        raise no_lines(source, CLICKS.expected)
    return ClickColumns(source.name, list(index), np.concatenate(sessions), *map(np.concatenate, numbers))


def read_session_topics(source: Source) -> dict[bytes, bytes]:
    """Session -> the topic that it is about."""
    blocks = LineBlocks(source)
    found: dict[bytes, bytes] = {}
    lines: dict[bytes, int] = {}
    while blocks.read():
        fields = split_fields(blocks.buffer, blocks.size, len(SESSION_TOPICS.fields), None, blocks.line)
        sessions, topics = fields.texts(0).to_list(), fields.texts(1).to_list()
        for session, topic, line in zip(sessions, topics, fields.lines.tolist(), strict=True):
            if session in found:
                why = f'expected each session once, found "{printable(session)}" again (first on line {lines[session]})'
                raise DuplicateError(source.name, line, "session", why)
            found[session], lines[session] = topic, line
        if fields.fault is not None:
            raise blocks.line_fault(fields.fault, SESSION_TOPICS.expected)
        blocks.drop_all()
    if not found:
        raise no_lines(source, SESSION_TOPICS.expected)
    return found
