"""Passage runs: `topic document offset length score`."""

from __future__ import annotations

import numpy as np

from ireval.core.columns import Texts, join_texts
from ireval.core.passages import PassageColumns, in_reading_order
from ireval.read.blocks import LineBlocks
from ireval.read.convert import doubles, integers
from ireval.read.formats import PASSAGES
from ireval.read.source import Source
from ireval.read.tokens import split_fields
from ireval.read.trec import Number, no_lines, number_columns, number_fault, segments

_OFFSET, _LENGTH, _SCORE = 2, 3, 4
_LONGEST = 2**31 - 1


def read_passages(source: Source, *, as_they_stand: bool = False) -> PassageColumns:
    """A whole passage run, its topics in order of first appearance."""
    blocks = LineBlocks(source)
    index: dict[bytes, int] = {}
    topic_parts, documents, offsets, lengths, scores = [], [], [], [], []
    wanted = (
        Number(_OFFSET, integers, "offset", "a whole number"),
        Number(_LENGTH, integers, "length", "a whole number"),
        Number(_SCORE, doubles, "score"),
    )
    while blocks.read():
        fields = split_fields(blocks.buffer, blocks.size, len(PASSAGES.fields), None, blocks.line)
        offset, length, score = number_columns(blocks, fields, *wanted)
        for column, values, least, name in ((_OFFSET, offset, 0, "offset"), (_LENGTH, length, 1, "length")):
            bad = np.flatnonzero((values < least) | (values > _LONGEST))
            if len(bad):
                expected = f"a whole number from {least} to {_LONGEST}"
                raise number_fault(blocks, fields, column, int(bad[0]), name, expected)
        if fields.fault is not None:
            raise blocks.line_fault(fields.fault, PASSAGES.expected)
        topics, first = segments(fields.texts(0))
        numbers = [index.setdefault(topic, len(index)) for topic in topics]
        topic_parts.append(np.repeat(np.array(numbers, np.int64), np.diff(first)))
        column_texts = fields.texts(1)
        documents.append(Texts(blocks.keep(), column_texts.start, column_texts.length))
        offsets.append(offset)
        lengths.append(length)
        scores.append(score)
        blocks.drop_all()
    if not index:
        raise no_lines(source, PASSAGES.expected)
    return in_reading_order(
        source.name,
        list(index),
        np.concatenate(topic_parts),
        join_texts(documents),
        np.concatenate(offsets),
        np.concatenate(lengths),
        None if as_they_stand else np.concatenate(scores),
    )
