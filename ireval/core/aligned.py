"""Aligned: rankings with their judgements, for some whole topics of one run. What every measure works on.

Everything is flat with offsets. Views that several measures need are computed once and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np

from ireval.core import ragged
from ireval.core.columns import Bools, Doubles, Int32s, Ints
from ireval.core.judgements import NOT_IN_POOL, Judgements, Part

T = TypeVar("T")


class Hits(NamedTuple):
    """Retrieved relevant documents in rank order, flat: topic, rank (from 1) and which hit of its topic (from 1)."""

    topic: Ints
    rank: Ints
    nth: Ints
    off: Ints


@dataclass(frozen=True, eq=False, repr=False)
class Aligned:
    """Rankings of T topics.

    topic [T]: index into judgements.topics. off [T+1]: rows of each ranking, best first.
    judgement [N]: the judgement of each retrieved document, -1 where it has none.
    columns: further columns of the rows, each [N]: "characters", "words" and "measured" where lengths are given.
    """

    judgements: Judgements
    topic: Int32s
    off: Ints
    judgement: Int32s
    columns: dict[str, Ints] = field(default_factory=dict)
    _cache: dict[Hashable, object] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.topic)

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The value of compute(), kept for the next time the same key is asked for."""
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]  # type: ignore[return-value]

    # -- rows -----------------------------------------------------------------------------------------------------

    @property
    def retrieved(self) -> Ints:
        """Number of retrieved documents; shape [T]."""
        return self.once("retrieved", lambda: np.diff(self.off))

    @property
    def row_topic(self) -> Ints:
        """Topic (0 to T-1) of each row; shape [N]."""
        return self.once("row_topic", lambda: ragged.owners(self.off))

    @property
    def rank(self) -> Ints:
        """Rank of each row, from 1; shape [N]."""
        return self.once("rank", lambda: ragged.positions(self.off) + 1)

    @property
    def relevance(self) -> Int32s:
        """Level of each row, UNJUDGED or NOT_IN_POOL; shape [N]."""

        def look_up() -> Int32s:
            known = np.append(self.judgements.relevance, np.int32(NOT_IN_POOL))
            return known[self.judgement]  # -1 finds the last entry

        return self.once("relevance", look_up)

    @property
    def judged(self) -> Bools:
        """Whether each row has a judgement that is not negative; shape [N]."""
        return self.once("judged", lambda: self.relevance >= 0)

    # -- hits -----------------------------------------------------------------------------------------------------

    def rows_as_hits(self, rows: Ints) -> Hits:
        """Chosen rows (ascending) as hits."""
        topic = self.row_topic[rows]
        off = ragged.offsets(np.bincount(topic, minlength=len(self)))
        return Hits(topic, rows - self.off[topic] + 1, np.arange(len(rows)) - off[topic] + 1, off)

    def hits(self, level: int) -> Hits:
        """Rows at or above a relevance level."""
        return self.once(("hits", level), lambda: self.rows_as_hits(np.flatnonzero(self.relevance >= level)))

    def judged_hits(self, level: int) -> Hits:
        """As hits, but a level below 0 does not make unjudged documents relevant."""
        return self.hits(max(level, 0))

    def last_hits(self, level: int) -> Hits:
        """As hits, but only the last ones, as many as are judged: trec_eval's way where it counts from the end."""
        hits = self.hits(level)
        if level >= 0:
            return hits
        passed = np.diff(hits.off) - self.relevant_retrieved(level)
        kept = np.flatnonzero(hits.nth > passed[hits.topic])
        return self.rows_as_hits(self.off[hits.topic[kept]] + hits.rank[kept] - 1)

    def hits_within(self, level: int, k: int) -> Ints:
        """How many hits the first k ranks hold; shape [T]."""
        hits = self.hits(level)
        return np.bincount(hits.topic[hits.rank <= k], minlength=len(self))

    def per_topic(self, values: Doubles, hits: Hits) -> Doubles:
        """Sum of one value per hit over each topic, added in rank order; shape [T]."""
        return ragged.sums(values, hits.topic, len(self))

    def number_relevant(self, level: int) -> Ints:
        """Judged relevant documents, retrieved or not; shape [T]."""
        return self.judgements.number_relevant(level)[self.topic]

    def number_nonrelevant(self, level: int) -> Ints:
        """Judged nonrelevant documents, retrieved or not; shape [T]."""
        return self.judgements.number_nonrelevant(level)[self.topic]

    def relevant_retrieved(self, level: int) -> Ints:
        """Judged relevant documents that were retrieved; shape [T]."""
        return np.diff(self.judged_hits(level).off)

    # -- other rankings from this one -----------------------------------------------------------------------------

    def condensed(self) -> Aligned:
        """The same rankings without the unjudged documents."""
        keep = np.flatnonzero(self.judged)
        off = ragged.offsets(np.bincount(self.row_topic[keep], minlength=len(self)))
        columns = {name: column[keep] for name, column in self.columns.items()}
        return Aligned(self.judgements, self.topic, off, self.judgement[keep], columns)

    def with_judgements(self, part: Part) -> Aligned:
        """The same rankings under a part of the judgements; nothing is looked up again. Take it before `condensed`."""
        return Aligned(part.judgements, self.topic, self.off, part.number[self.judgement], self.columns)

    def take(self, topics: Ints) -> Aligned:
        """The rankings of some topics, in this order."""
        rows = ragged.ranges(self.off[topics], self.retrieved[topics])
        off = ragged.offsets(self.retrieved[topics])
        columns = {name: column[rows] for name, column in self.columns.items()}
        return Aligned(self.judgements, self.topic[topics], off, self.judgement[rows], columns)

    def with_missing(self, topics: Int32s, rows: int) -> Aligned:
        """These rankings, and for other topics a ranking of so many documents that nobody judged (0: an empty one)."""
        if not len(topics):
            return self
        off = np.append(self.off, self.off[-1] + rows * np.arange(1, len(topics) + 1))
        judgement = np.append(self.judgement, np.full(rows * len(topics), -1, np.int32))
        columns = {name: np.append(column, np.full(rows * len(topics), -1)) for name, column in self.columns.items()}
        return Aligned(self.judgements, np.append(self.topic, topics), off, judgement, columns)


def concatenate(parts: list[Aligned]) -> Aligned:
    """Several Aligned over the same judgements, one after the other."""
    if len(parts) == 1:
        return parts[0]
    lengths = np.concatenate([part.retrieved for part in parts])
    return Aligned(
        parts[0].judgements,
        np.concatenate([part.topic for part in parts]),
        ragged.offsets(lengths),
        np.concatenate([part.judgement for part in parts]),
        {name: np.concatenate([part.columns[name] for part in parts]) for name in parts[0].columns},
    )
