"""Two runs' rankings of the same topics, joined document by document: what distances of rankings are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ireval.core import ragged
from ireval.core.align import Policy, Ranked, ranked
from ireval.core.columns import Bools, Int32s, Ints, RunColumns, Texts
from ireval.core.index import DocumentIndex
from ireval.core.judgements import NOT_IN_POOL, Judgements


@dataclass(frozen=True, eq=False, repr=False)
class Side:
    """One run's rankings of the topics: rows off[i]:off[i+1] belong to topic i, best first."""

    off: Ints
    documents: Texts
    partner: Ints
    """[N] row of the same document in the other run's ranking of the topic, -1 where that lacks it"""
    level: Int32s
    """[N] level of the document, negative where nobody judged it"""
    tied: Bools
    """[N] whether the document has the score of the one before it"""

    @cached_property
    def rank(self) -> Ints:
        """Rank of each row, from 1; [N]."""
        return ragged.positions(self.off) + 1

    @cached_property
    def owner(self) -> Ints:
        """Topic of each row; [N]."""
        return ragged.owners(self.off)

    @property
    def length(self) -> Ints:
        """Documents ranked for each topic; [T]."""
        return np.diff(self.off)


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Some topics that two runs share. judged_topic [T]: number of each topic in the judgements, -1 where it has none;
    judged: whether any document has a judgement. repeated: documents passed over in both runs."""

    topics: list[bytes]
    first: Side
    second: Side
    judged_topic: Ints
    judged: bool
    repeated: int

    def __len__(self) -> int:
        return len(self.topics)

    def swapped(self) -> Pairs:
        """The same with the runs exchanged."""
        return Pairs(self.topics, self.second, self.first, self.judged_topic, self.judged, self.repeated)


def pair_up(first: RunColumns, second: RunColumns, policy: Policy, judged: Judgements | None) -> Pairs:
    """Join the rankings of two runs, whose topics are the same, in the same order."""
    assert first.topics == second.topics
    one, two = ranked(first, policy), ranked(second, policy)
    index = DocumentIndex(two.off, two.keys, two.documents, AssertionError)  # duplicates are refused or gone by now
    partner = index.find(np.arange(len(first.topics)), one.off, one.keys, one.documents).astype(np.int64)
    back = np.full(len(two.keys), -1, np.int64)
    met = np.flatnonzero(partner >= 0)
    back[partner[met]] = met
    judged_topic, (level1, level2) = _levels(first.topics, one, two, judged)
    by_score = policy.order == "score"
    sides = (
        Side(one.off, one.documents, partner, level1, _tied(first, one, by_score)),
        Side(two.off, two.documents, back, level2, _tied(second, two, by_score)),
    )
    known = bool((level1 >= 0).any()) or bool((level2 >= 0).any())
    return Pairs(first.topics, *sides, judged_topic, known, one.repeated + two.repeated)


def _tied(run: RunColumns, ranking: Ranked, by_score: bool) -> Bools:
    tied = np.zeros(len(ranking.keys), np.bool_)
    if by_score and len(tied):
        scores = run.scores if ranking.order is None else run.scores[ranking.order]
        tied[1:] = scores[1:] == scores[:-1]
        tied[ranking.off[:-1][np.diff(ranking.off) > 0]] = False
    return tied


def _levels(
    topics: list[bytes], one: Ranked, two: Ranked, judged: Judgements | None
) -> tuple[Ints, tuple[Int32s, Int32s]]:
    """Number of each topic in the judgements, and the level of each document of both runs."""
    number = np.full(len(topics), -1, np.int64)
    level1, level2 = (np.full(len(side.keys), NOT_IN_POOL, np.int32) for side in (one, two))
    if judged is None:
        return number, (level1, level2)
    known = judged.once("topic_number", lambda: {name: i for i, name in enumerate(judged.evaluated)})
    number = np.array([known.get(name, -1) for name in topics], np.int64)
    chosen = np.flatnonzero(number >= 0)
    levels = np.append(judged.relevance, np.int32(NOT_IN_POOL))  # the last is for documents that are not found
    for side, level in ((one, level1), (two, level2)):
        length = np.diff(side.off)[chosen]
        rows = ragged.ranges(side.off[chosen], length)
        found = judged.find(number[chosen], ragged.offsets(length), side.keys[rows], side.documents.take(rows))
        level[rows] = levels[found]
    return number, (level1, level2)
