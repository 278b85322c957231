"""Intents of topics: `topic intent probability [inf|nav]`, or `topic intent inf|nav`."""

from __future__ import annotations

import numpy as np

from ireval.core.columns import Bools, Doubles, IntentColumns
from ireval.errors import InputError, printable
from ireval.read.blocks import LineBlocks
from ireval.read.convert import doubles
from ireval.read.formats import INTENTS
from ireval.read.source import Source
from ireval.read.tokens import Fields, split_fields
from ireval.read.trec import Number, no_lines, number_columns, number_fault

ROUNDING = 0.01
"""How far beyond 1 the probabilities of a topic may add up."""
TYPES = {b"inf": False, b"nav": True}
"""Informational intents want many documents, navigational ones a single one."""


def read_intents(source: Source) -> IntentColumns:
    """Probabilities and types; every line has the fields that the first one has."""
    blocks = LineBlocks(source)
    names: list[tuple[bytes, bytes]] = []
    lines: dict[tuple[bytes, bytes], int] = {}
    probabilities: list[Doubles] = []
    types: list[Bools] = []
    columns: tuple[str, ...] = ()
    while blocks.read():
        columns = columns or _columns(blocks)
        width = len(columns)
        fields = split_fields(blocks.buffer, blocks.size, width, width, blocks.line)
        if "probability" in columns:
            probabilities.append(_probabilities(blocks, fields))
        if "type" in columns:
            types.append(_types(blocks, fields, width - 1))
        if fields.fault is not None:
            raise blocks.line_fault(fields.fault, f"{width} fields ({' '.join(columns)}) as on the first line")
        block = zip(fields.texts(0).to_list(), fields.texts(1).to_list(), fields.lines.tolist(), strict=True)
        for topic, intent, line in block:
            if (topic, intent) in lines:
                why = f"expected each intent once, found {printable(intent)} of topic {printable(topic)} again"
                raise InputError(source.name, line, "intent", f"{why} (first on line {lines[topic, intent]})")
            lines[topic, intent] = line
            names.append((topic, intent))
        blocks.drop_all()
    if not names:
        raise no_lines(source, INTENTS.expected)
    if probabilities:
        _check_sums(source, names, lines, np.concatenate(probabilities))
    return IntentColumns(
        source.name,
        [topic for topic, _ in names],
        [intent for _, intent in names],
        np.concatenate(probabilities) if probabilities else None,
        np.concatenate(types) if types else None,
    )


def _check_sums(
    source: Source, names: list[tuple[bytes, bytes]], lines: dict[tuple[bytes, bytes], int], values: Doubles
) -> None:
    """Refuse a topic whose probabilities exceed 1 by more than rounding, or are all 0. Less than 1 is allowed."""
    total: dict[bytes, float] = {}
    for (topic, _), value in zip(names, values.tolist(), strict=True):
        total[topic] = total.get(topic, 0.0) + value
    for topic, intent in names:
        if not 0 < total[topic] <= 1 + ROUNDING:
            why = f"expected probabilities of topic {printable(topic)} that add up to 1, found {total[topic]:g}"
            raise InputError(source.name, lines[topic, intent], "probability", why)


def _columns(blocks: LineBlocks) -> tuple[str, ...]:
    """The fields of the first line with data."""
    topic, intent, probability, kind = INTENTS.fields
    for line in blocks.buffer[: blocks.size].tobytes().split(b"\n"):
        words = line.split()
        if words and not words[0].startswith(b"#"):
            if len(words) == 3:
                return (topic, intent, kind if words[2] in TYPES else probability)
            break
    return INTENTS.fields


def _probabilities(blocks: LineBlocks, fields: Fields) -> Doubles:
    expected = "a probability from 0 to 1"
    values: Doubles = number_columns(blocks, fields, Number(2, doubles, "probability", expected))[0]
    outside = np.flatnonzero((values < 0) | (values > 1))
    if len(outside):
        raise number_fault(blocks, fields, 2, int(outside[0]), "probability", expected)
    return values


def _types(blocks: LineBlocks, fields: Fields, column: int) -> Bools:
    words = fields.texts(column).to_list()
    for row, word in enumerate(words):
        if word not in TYPES:
            raise number_fault(blocks, fields, column, row, "type", "inf or nav")
    return np.array([TYPES[word] for word in words], np.bool_)
