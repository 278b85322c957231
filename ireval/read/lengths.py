"""Document lengths: `document characters [words]`."""

from __future__ import annotations

import numpy as np

from ireval.core.columns import Ints, Texts, join_texts
from ireval.core.lengths import UNKNOWN, Lengths
from ireval.read.blocks import LineBlocks
from ireval.read.convert import NotANumber, integers
from ireval.read.formats import LENGTHS
from ireval.read.source import Source
from ireval.read.tokens import Fields, split_fields
from ireval.read.trec import no_lines, number_fault


def read_lengths(source: Source, default: tuple[int, int] | None = None) -> Lengths:
    """Lengths from a file; with or without words on every line. default: characters and words of documents that it
    lacks."""
    blocks = LineBlocks(source)
    documents: list[Texts] = []
    numbers: list[list[Ints]] = [[], [], []]
    width = 0
    while blocks.read():
        width = width or two_or_three_fields(blocks)
        fields = split_fields(blocks.buffer, blocks.size, width, width, blocks.line)
        characters = _column(blocks, fields, 1)
        words = _column(blocks, fields, 2) if width == 3 else np.full(len(characters), UNKNOWN)
        if fields.fault is not None:
            raise blocks.line_fault(
                fields.fault, f"{width} fields ({' '.join(LENGTHS.fields[:width])}) as on the first line"
            )
        column = fields.texts(0)
        documents.append(Texts(blocks.keep(), column.start, column.length))
        for parts, part in zip(numbers, (characters, words, fields.lines), strict=True):
            parts.append(part)
        blocks.drop_all()
    if not documents:
        raise no_lines(source, LENGTHS.expected)
    characters, words, lines = (np.concatenate(parts) for parts in numbers)
    return Lengths(source.name, join_texts(documents), characters, words, lines, default)


def two_or_three_fields(blocks: LineBlocks) -> int:
    """Two or three fields a line: as the first line with data has them."""
    for line in blocks.buffer[: blocks.size].tobytes().split(b"\n"):
        if line.strip() and not line.lstrip().startswith(b"#"):
            return 3 if len(line.split()) >= 3 else 2
    return 2


def _column(blocks: LineBlocks, fields: Fields, column: int) -> Ints:
    expected = "a number of " + LENGTHS.fields[column]
    try:
        values = integers(fields.texts(column))
    except NotANumber as bad:
        raise number_fault(blocks, fields, column, bad.row, LENGTHS.fields[column], expected) from None
    negative = np.flatnonzero(values < 0)
    if len(negative):
        raise number_fault(blocks, fields, column, int(negative[0]), LENGTHS.fields[column], expected)
    return values
