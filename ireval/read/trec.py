"""Runs and judgements in TREC's line formats.

A run is read block by block. Where each topic stands in one piece, batches of whole topics are handed on and
forgotten; where a topic comes back later, `NotGrouped` is raised and the caller reads the whole run at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ireval.core.columns import Doubles, Int32s, Ints, QrelsColumns, RunColumns, Texts, join_texts
from ireval.core.ragged import offsets
from ireval.errors import InputError
from ireval.read.blocks import LineBlocks
from ireval.read.convert import NotANumber, doubles, integers
from ireval.read.formats import JUDGEMENTS, RUN, Format
from ireval.read.source import Source
from ireval.read.tokens import Fields, split_fields

_TOPIC, _DOCUMENT, _RANK, _SCORE, _TAG = 0, 2, 3, 4, 5
_LEVEL_LIMIT = 2**31 - 1


class NotGrouped(Exception):
    """A topic's lines are not together in the file."""


class _Rows(NamedTuple):
    """The lines of one block of a run, converted. `topics[i]` has rows first[i]:first[i+1]."""

    fields: Fields
    topics: list[bytes]
    first: Ints
    documents: Texts
    scores: Doubles
    ranks: Ints | None
    tag: bytes


def _segments(texts: Texts) -> tuple[list[bytes], Ints]:
    """Runs of equal neighbours: their texts and first rows, with the row count at the end."""
    first = np.flatnonzero(~texts.same_as_previous())
    return texts.take(first).to_list() if len(first) > 64 else [texts[i] for i in first], np.append(first, len(texts))


def number_fault(blocks: LineBlocks, fields: Fields, column: int, row: int, field: str, expected: str) -> InputError:
    """An error about one field that is not the number it should be."""
    start, end = int(fields.start(column)[row]), int(fields.ends[row, column])
    found = fields.buffer[start:end].tobytes().decode("utf-8", "backslashreplace")
    why = f'expected {expected}, found "{found}"'
    return blocks.fault(int(fields.lines[row]), start, end, field, why)


def _run_rows(blocks: LineBlocks, with_ranks: bool) -> _Rows:
    """Convert the whole lines in the buffer, or raise for the first bad one."""
    fields = split_fields(blocks.buffer, blocks.size, len(RUN.fields), None, blocks.line)
    try:
        scores = doubles(fields.texts(_SCORE))
    except NotANumber as bad:
        raise number_fault(blocks, fields, _SCORE, bad.row, "score", "a number") from None
    ranks = None
    if with_ranks:
        try:
            ranks = integers(fields.texts(_RANK))
        except NotANumber as bad:
            raise number_fault(blocks, fields, _RANK, bad.row, "rank", "a whole number") from None
    if fields.fault is not None:
        raise blocks.line_fault(fields.fault, RUN.expected)
    topics, first = _segments(fields.texts(_TOPIC))
    tag = fields.texts(_TAG)[-1] if len(scores) else b""
    return _Rows(fields, topics, first, fields.texts(_DOCUMENT), scores, ranks, tag)


def no_lines(source: Source, expected: str) -> InputError:
    """An error about a file without any data."""
    return source.fail(f"expected lines of {expected}, found an empty file")


def stream_run(source: Source, *, with_ranks: bool = False) -> Iterator[RunColumns]:
    """Batches of whole topics in file order.

    Raises NotGrouped when a topic comes back after another one.
    """
    blocks = LineBlocks(source)
    seen: set[bytes] = set()
    empty = True
    while blocks.read():
        rows = _run_rows(blocks, with_ranks)
        whole = len(rows.topics)
        if not blocks.ended:
            whole -= 1  # the last topic may go on in the next block
        if whole <= 0 and not blocks.ended and rows.topics:
            blocks.grow()
            continue
        if whole > 0:
            empty = False
            if not seen.isdisjoint(rows.topics[:whole]) or len(set(rows.topics[:whole])) < whole:
                raise NotGrouped
            seen.update(rows.topics[:whole])
            end = int(rows.first[whole])
            cut = slice(0, end)
            yield RunColumns(
                source.name, rows.topics[:whole], rows.first[: whole + 1], rows.documents.take(cut), rows.scores[cut],
                rows.ranks[cut] if rows.ranks is not None else None, rows.fields.lines[cut], rows.tag,
            )
        if blocks.ended:
            break
        if rows.topics:
            row = int(rows.first[whole])
            blocks.drop(int(rows.fields.start(0)[row]), int(rows.fields.lines[row]))
        else:
            blocks.drop_all()
    if empty:
        raise no_lines(source, RUN.expected)


def read_run(source: Source, *, with_ranks: bool = False) -> RunColumns:
    """A whole run, its topics brought together in order of first appearance, rows of a topic in file order."""
    blocks = LineBlocks(source)
    index: dict[bytes, int] = {}
    topic_parts: list[Int32s] = []
    documents, scores, ranks, lines = [], [], [], []
    tag = b""
    while blocks.read():
        rows = _run_rows(blocks, with_ranks)
        numbers = [index.setdefault(topic, len(index)) for topic in rows.topics]
        topic_parts.append(np.repeat(np.array(numbers, np.int32), np.diff(rows.first)))
        documents.append(Texts(blocks.keep(), rows.documents.start, rows.documents.length))
        scores.append(rows.scores)
        if rows.ranks is not None:
            ranks.append(rows.ranks)
        lines.append(rows.fields.lines)
        tag = rows.tag or tag
        blocks.drop_all()
    if not index:
        raise no_lines(source, RUN.expected)
    topic = np.concatenate(topic_parts)
    order = np.argsort(topic, kind="stable")
    return RunColumns(
        source.name, list(index), offsets(np.bincount(topic, minlength=len(index))),
        join_texts(documents).take(order), np.concatenate(scores)[order],
        np.concatenate(ranks)[order] if with_ranks else None, np.concatenate(lines)[order], tag,
    )


def read_judgements(source: Source, format_name: str = "qrels") -> QrelsColumns:
    """All judgements of a file in one of the formats of `formats.JUDGEMENTS`."""
    fmt = JUDGEMENTS[format_name]
    blocks = LineBlocks(source)
    index: dict[bytes, int] = {}
    topic_parts: list[Int32s] = []
    levels: list[Doubles | Int32s] = []
    texts: dict[str, list[Texts]] = {role: [] for role in ("document", "group", "subgroup") if role in fmt.fields}
    lines: list[Int32s] = []
    while blocks.read():
        fields = split_fields(blocks.buffer, blocks.size, len(fmt.fields), len(fmt.fields), blocks.line)
        levels.append(_levels(blocks, fields, fmt))
        if fields.fault is not None:
            raise blocks.line_fault(fields.fault, fmt.expected)
        topics, first = _segments(fields.texts(_TOPIC))
        numbers = [index.setdefault(topic, len(index)) for topic in topics]
        topic_parts.append(np.repeat(np.array(numbers, np.int32), np.diff(first)))
        kept = blocks.keep()
        for role, parts in texts.items():
            column = fields.texts(fmt.fields.index(role))
            parts.append(Texts(kept, column.start, column.length))
        lines.append(fields.lines.astype(np.int32))
        blocks.drop_all()
    if not index:
        raise no_lines(source, fmt.expected)
    joined = {role: join_texts(parts) for role, parts in texts.items()}
    return QrelsColumns(
        source.name, list(index), np.concatenate(topic_parts), joined["document"], np.concatenate(levels),
        np.concatenate(lines), joined.get("group"), joined.get("subgroup"),
    )


def _levels(blocks: LineBlocks, fields: Fields, fmt: Format) -> Doubles | Int32s:
    """The level column of a block, or an error for its first bad line."""
    column = fmt.fields.index("level")
    texts = fields.texts(column)
    try:
        if not fmt.whole_levels:
            return doubles(texts)
        levels = integers(texts)
    except NotANumber as bad:
        expected = "a whole number" if fmt.whole_levels else "a number"
        raise number_fault(blocks, fields, column, bad.row, "level", expected) from None
    large = np.flatnonzero(np.abs(levels) > _LEVEL_LIMIT)
    if len(large):
        raise number_fault(blocks, fields, column, int(large[0]), "level", "a smaller whole number")
    return levels.astype(np.int32)
