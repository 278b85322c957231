"""Passages of documents, as retrieved: the hand-over to MED-U."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ireval.core import ragged
from ireval.core.columns import Doubles, Ints, Texts


@dataclass(frozen=True, eq=False, repr=False)
class PassageColumns:
    """All passages of one run, in the order in which they are read: rows off[i]:off[i+1] belong to topics[i].

    offset, length [N]: the characters offset to offset + length - 1 of the document.
    """

    file: str
    topics: list[bytes]
    off: Ints
    documents: Texts
    offset: Ints
    length: Ints


def in_reading_order(
    file: str, topics: list[bytes], topic: Ints, documents: Texts, offset: Ints, length: Ints, score: Doubles | None
) -> PassageColumns:
    """Passages by topic, then by score from high to low (None: as they stand); equal scores as they stand."""
    order = np.argsort(topic, kind="stable") if score is None else np.lexsort((-score, topic))
    off = ragged.offsets(np.bincount(topic, minlength=len(topics)))
    return PassageColumns(file, topics, off, documents.take(order), offset[order], length[order])


def choose_topics(run: PassageColumns, chosen: Ints) -> PassageColumns:
    """Some topics, by number, in the order given."""
    rows = ragged.ranges(run.off[chosen], np.diff(run.off)[chosen])
    return PassageColumns(
        run.file,
        [run.topics[i] for i in chosen.tolist()],
        ragged.offsets(np.diff(run.off)[chosen]),
        run.documents.take(rows),
        run.offset[rows],
        run.length[rows],
    )
