"""Runs and judgements in TREC's line formats.

A run is read block by block. Where each topic stands in one piece, batches of whole topics are handed on and
forgotten; where a topic comes back later, `NotGrouped` is raised and the caller reads the whole run at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ireval.core.columns import Doubles, Int32s, Ints, QrelsColumns, RunColumns, Texts, Words, join_texts
from ireval.core.ragged import offsets
from ireval.errors import InputError, printable
from ireval.read.blocks import LineBlocks
from ireval.read.convert import NotANumber, doubles, integers
from ireval.read.formats import DIVERSITY, JUDGEMENTS, RUN, Format
from ireval.read.source import Source
from ireval.read.tokens import Fields, split_fields

_TOPIC, _DOCUMENT, _RANK, _SCORE, _TAG = 0, 2, 3, 4, 5
_LEVEL_LIMIT = 2**31 - 1
HEADER = (b"<SYSDESC>", b"</SYSDESC>")
"""NTCIR runs begin with a description of the system between these."""


class NotGrouped(Exception):
    """A topic's lines are not together in the file."""


class _Once:
    """Watches that no topic comes back, by 8 bytes for each: keys are looked through when their number has doubled.

    Two topics may share a key; the caller then reads the whole run, with the same answer.
    """

    def __init__(self) -> None:
        self._checked: Words = np.zeros(0, np.uint64)
        self._new: list[Words] = []
        self._number = 0

    def meet(self, topics: Texts) -> None:
        """Some more topics, different from each other."""
        self._new.append(topics.keys())
        self._number += len(topics)
        if self._number > max(len(self._checked), 1000):
            self.check()

    def check(self) -> None:
        """Raise NotGrouped when a topic came twice."""
        self._checked = np.concatenate([self._checked, *self._new])
        self._checked.sort()
        self._new, self._number = [], 0
        if bool((self._checked[1:] == self._checked[:-1]).any()):
            raise NotGrouped


class _Rows(NamedTuple):
    """The lines of one block of a run, converted. `topics[i]` has rows first[i]:first[i+1]."""

    fields: Fields
    topics: list[bytes]
    first: Ints
    documents: Texts
    scores: Doubles
    ranks: Ints | None
    tag: bytes
    first_tag: bytes


def segments(texts: Texts) -> tuple[list[bytes], Ints]:
    """Runs of equal neighbours: their texts and first rows, with the row count at the end."""
    first = np.flatnonzero(~texts.same_as_previous())
    return texts.take(first).to_list() if len(first) > 64 else [texts[i] for i in first.tolist()], np.append(
        first, len(texts)
    )


def numbered(names: list[bytes], first: Ints, index: dict[bytes, int]) -> Int32s:
    """The number of each row's name in order of first appearance; `index` learns new ones. names, first: segments."""
    numbers = [index.setdefault(name, len(index)) for name in names]
    return np.repeat(np.array(numbers, np.int32), np.diff(first))


def number_fault(blocks: LineBlocks, fields: Fields, column: int, row: int, field: str, expected: str) -> InputError:
    """An error about one field that is not the number it should be."""
    start, end = int(fields.start(column)[row]), int(fields.ends[row, column])
    why = f'expected {expected}, found "{printable(fields.buffer[start:end].tobytes())}"'
    return blocks.fault(int(fields.lines[row]), start, end, field, why)


class Number(NamedTuple):
    """A column of numbers: where it stands, how it is read, and what an error calls it."""

    column: int
    read: Callable[[Texts], Any]
    field: str
    expected: str = "a number"


def number_columns(blocks: LineBlocks, fields: Fields, *wanted: Number) -> list[Any]:
    """Some columns of a block as arrays [lines], or an error for the first bad line."""
    columns, bad = [], []
    for number in wanted:
        try:
            columns.append(number.read(fields.texts(number.column)))
        except NotANumber as error:
            bad.append((error.row, number.column, number))
    if bad:
        row, column, number = min(bad, key=lambda fault: fault[:2])
        raise number_fault(blocks, fields, column, row, number.field, number.expected)
    return columns


def _run_rows(blocks: LineBlocks, with_ranks: bool) -> _Rows:
    """Convert the whole lines in the buffer, or raise for the first bad one."""
    fields = split_fields(blocks.buffer, blocks.size, len(RUN.fields), None, blocks.line)
    wanted = [Number(_SCORE, doubles, "score")]
    if with_ranks:
        wanted.append(Number(_RANK, integers, "rank", "a whole number"))
    scores, *ranks = number_columns(blocks, fields, *wanted)
    if fields.fault is not None:
        raise blocks.line_fault(fields.fault, RUN.expected)
    topics, first = segments(fields.texts(_TOPIC))
    tags = fields.texts(_TAG)
    tag, first_tag = (tags[-1], tags[0]) if len(scores) else (b"", b"")
    return _Rows(fields, topics, first, fields.texts(_DOCUMENT), scores, ranks[0] if ranks else None, tag, first_tag)


def no_lines(source: Source, expected: str) -> InputError:
    """An error about a file without any data."""
    return source.fail(f"expected lines of {expected}, found an empty file")


def stream_run(source: Source, *, with_ranks: bool = False) -> Iterator[RunColumns]:
    """Batches of whole topics in file order.

    Raises NotGrouped when a topic comes back after another one: at the end, if not before.
    """
    blocks = LineBlocks(source, header=HEADER)
    seen = _Once()
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
            if len(set(rows.topics[:whole])) < whole:
                raise NotGrouped
            seen.meet(rows.fields.texts(_TOPIC).take(rows.first[:whole]))
            end = int(rows.first[whole])
            cut = slice(0, end)
            yield RunColumns(
                source.name,
                rows.topics[:whole],
                rows.first[: whole + 1],
                rows.documents.take(cut),
                rows.scores[cut],
                rows.ranks[cut] if rows.ranks is not None else None,
                rows.fields.lines[cut],
                rows.tag,
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
    seen.check()


def read_run(source: Source, *, with_ranks: bool = False) -> RunColumns:
    """A whole run, its topics brought together in order of first appearance, rows of a topic in file order."""
    blocks = LineBlocks(source, header=HEADER)
    index: dict[bytes, int] = {}
    topic_parts: list[Int32s] = []
    documents, scores, ranks, lines = [], [], [], []
    tag = first_tag = b""
    while blocks.read():
        rows = _run_rows(blocks, with_ranks)
        topic_parts.append(numbered(rows.topics, rows.first, index))
        documents.append(Texts(blocks.keep(), rows.documents.start, rows.documents.length))
        scores.append(rows.scores)
        if rows.ranks is not None:
            ranks.append(rows.ranks)
        lines.append(rows.fields.lines)
        tag, first_tag = rows.tag or tag, first_tag or rows.first_tag
        blocks.drop_all()
    if not index:
        raise no_lines(source, RUN.expected)
    topic = np.concatenate(topic_parts)
    order = np.argsort(topic, kind="stable")
    return RunColumns(
        source.name,
        list(index),
        offsets(np.bincount(topic, minlength=len(index))),
        join_texts(documents).take(order),
        np.concatenate(scores)[order],
        np.concatenate(ranks)[order] if with_ranks else None,
        np.concatenate(lines)[order],
        tag,
        first_tag,
    )


def read_judgements(source: Source, format_name: str = "qrels", *, extra: bool = False) -> QrelsColumns:
    """All judgements of a file in one of the formats of `formats.JUDGEMENTS` or `formats.DIVERSITY`.

    extra: further fields on a line are passed over; otherwise they are an error.
    """
    fmt = {**JUDGEMENTS, **DIVERSITY}[format_name]
    blocks = LineBlocks(source)
    index: dict[bytes, int] = {}
    topic_parts: list[Int32s] = []
    levels: list[Doubles | Int32s] = []
    roles = ("document", "group", "subgroup", "intent")
    texts: dict[str, list[Texts]] = {role: [] for role in roles if role in fmt.fields}
    lines: list[Int32s] = []
    while blocks.read():
        most = None if extra else len(fmt.fields)
        fields = split_fields(blocks.buffer, blocks.size, len(fmt.fields), most, blocks.line)
        levels.append(_levels(blocks, fields, fmt))
        if fields.fault is not None:
            raise blocks.line_fault(fields.fault, fmt.expected)
        topic_parts.append(numbered(*segments(fields.texts(_TOPIC)), index))
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
        source.name,
        list(index),
        np.concatenate(topic_parts),
        joined["document"],
        np.concatenate(levels),  # type: ignore[arg-type]
        np.concatenate(lines),
        joined.get("group", joined.get("intent")),
        joined.get("subgroup"),
    )


def _levels(blocks: LineBlocks, fields: Fields, fmt: Format) -> Doubles | Int32s:
    """The level column of a block, or an error for its first bad line."""
    column = fmt.fields.index("level")
    read, expected = (_whole_levels, "a whole number") if fmt.whole_levels else (doubles, "a number")
    texts = fields.texts(column)
    if fmt.level_prefix:
        size, expected = len(fmt.level_prefix), f"a level such as {fmt.level_prefix.decode()}1"
        without = np.flatnonzero((texts.buffer[texts.start] != fmt.level_prefix[0]) | (texts.length <= size))
        if len(without):
            raise number_fault(blocks, fields, column, int(without[0]), "level", expected)
        texts = Texts(texts.buffer, texts.start + size, texts.length - size)
    try:
        levels: Doubles | Int32s = read(texts)
    except NotANumber as bad:
        if fmt.whole_levels and texts[bad.row].lstrip(b"+-").isdigit():
            expected = "a smaller whole number"
        raise number_fault(blocks, fields, column, bad.row, "level", expected) from None
    return levels


def _whole_levels(texts: Texts) -> Int32s:
    """Levels that fit into four bytes; shape [n]."""
    try:
        levels, bad = integers(texts), len(texts)
    except NotANumber as error:
        bad = error.row
        levels = integers(texts.take(slice(0, bad)))
    large = np.flatnonzero(np.abs(levels) > _LEVEL_LIMIT)
    if len(large) or bad < len(texts):
        raise NotANumber(int(large[0]) if len(large) else bad)
    return levels.astype(np.int32)
