"""trec_eval's -Z file: for each topic and measure the mean and standard deviation of a reference set of runs."""

from __future__ import annotations

import numpy as np

from ireval.core.columns import Doubles
from ireval.read.blocks import LineBlocks
from ireval.read.convert import NotANumber, doubles
from ireval.read.formats import ZSCORES
from ireval.read.source import Source
from ireval.read.tokens import Fields, split_fields
from ireval.read.trec import no_lines, number_fault

Zscores = dict[tuple[bytes, bytes], tuple[float, float]]


def read_zscores(source: Source) -> Zscores:
    """(topic, measure name) -> (mean, standard deviation)."""
    blocks = LineBlocks(source)
    width = len(ZSCORES.fields)
    found: Zscores = {}
    while blocks.read():
        fields = split_fields(blocks.buffer, blocks.size, width, width, blocks.line)
        means, deviations = _column(blocks, fields, 2), _column(blocks, fields, 3)
        if fields.fault is not None:
            raise blocks.line_fault(fields.fault, ZSCORES.expected)
        topics, names = fields.texts(0).to_list(), fields.texts(1).to_list()
        pairs = zip(means.tolist(), deviations.tolist(), strict=True)
        found.update(zip(zip(topics, names, strict=True), pairs, strict=True))
        blocks.drop_all()
    if not found:
        raise no_lines(source, ZSCORES.expected)
    return found


def _column(blocks: LineBlocks, fields: Fields, column: int) -> Doubles:
    try:
        return doubles(fields.texts(column))
    except NotANumber as bad:
        raise number_fault(blocks, fields, column, bad.row, ZSCORES.fields[column], "a number") from None


def lookup(zscores: Zscores, topics: list[bytes], name: bytes) -> tuple[Doubles, Doubles]:
    """Means and deviations of one measure for these topics, NaN where the file has none; two [T]."""
    pairs = [zscores.get((topic, name), (np.nan, np.nan)) for topic in topics]
    table = np.array(pairs, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]
