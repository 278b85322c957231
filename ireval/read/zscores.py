"""trec_eval's -Z file: for each topic and measure the mean and standard deviation of a reference set of runs."""

from __future__ import annotations

import numpy as np

from ireval.core.columns import Doubles
from ireval.read.blocks import LineBlocks
from ireval.read.convert import doubles
from ireval.read.formats import ZSCORES
from ireval.read.source import Source
from ireval.read.tokens import split_fields
from ireval.read.trec import Number, no_lines, number_columns

_MEAN, _DEVIATION = 2, 3

Zscores = dict[tuple[bytes, bytes], tuple[float, float]]


def read_zscores(source: Source) -> Zscores:
    """(topic, measure name) -> (mean, standard deviation)."""
    blocks = LineBlocks(source)
    width = len(ZSCORES.fields)
    found: Zscores = {}
    while blocks.read():
        fields = split_fields(blocks.buffer, blocks.size, width, width, blocks.line)
        means, deviations = number_columns(
            blocks, fields, Number(_MEAN, doubles, "mean"), Number(_DEVIATION, doubles, "deviation")
        )
        if fields.fault is not None:
            raise blocks.line_fault(fields.fault, ZSCORES.expected)
        topics, names = fields.texts(0).to_list(), fields.texts(1).to_list()
        pairs = zip(means.tolist(), deviations.tolist(), strict=True)
        found.update(zip(zip(topics, names, strict=True), pairs, strict=True))
        blocks.drop_all()
    if not found:
        raise no_lines(source, ZSCORES.expected)
    return found


def lookup(zscores: Zscores, topics: list[bytes], name: bytes) -> tuple[Doubles, Doubles]:
    """Means and deviations of one measure for these topics, NaN where the file has none; two [T]."""
    pairs = [zscores.get((topic, name), (np.nan, np.nan)) for topic in topics]
    table = np.array(pairs, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]
