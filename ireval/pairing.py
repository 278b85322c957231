"""Two runs side by side: the topics that both have, batch by batch.

Runs whose topics stand in the same order are read together and forgotten. A topic that one run lacks is passed over;
where the orders differ, or a topic comes back later, both runs are read whole, with the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ireval.core.align import with_rows, with_topics
from ireval.core.columns import Ints, RunColumns
from ireval.read.source import Source
from ireval.read.trec import read_run

BATCH_ROWS = 200_000
"""Rows of a whole run that are worked on together."""


class OutOfStep(Exception):
    """The topics of two runs stand in different orders."""


Step = tuple[RunColumns, RunColumns] | tuple[int, int]
"""The same topics of both runs; or how many topics only the first, and only the second one has."""


def side_by_side(first: Iterator[RunColumns], second: Iterator[RunColumns]) -> Iterator[Step]:
    """Topics that two streams share, as they come. OutOfStep when a topic was passed over that the other has later."""
    streams = (first, second)
    batch: list[RunColumns | None] = [next(first, None), next(second, None)]
    at = [0, 0]
    passed: tuple[set[bytes], set[bytes]] = (set(), set())

    def pass_over(side: int, count: int) -> None:
        run = batch[side]
        assert run is not None
        names = run.topics[at[side] : at[side] + count]
        if not passed[1 - side].isdisjoint(names):
            raise OutOfStep
        passed[side].update(names)
        at[side] += count

    while True:
        for side in (0, 1):
            run = batch[side]
            if run is not None and at[side] == len(run.topics):
                batch[side], at[side] = next(streams[side], None), 0
        one, two = batch
        if one is None or two is None:
            for side, run in enumerate(batch):
                while run is not None:
                    pass_over(side, len(run.topics) - at[side])
                    run = batch[side] = next(streams[side], None)
                    at[side] = 0
            yield len(passed[0]), len(passed[1])
            return
        left, right = one.topics[at[0] :], two.topics[at[1] :]
        same = min(len(left), len(right))
        if left[:same] != right[:same]:
            same = next(i for i in range(same) if left[i] != right[i])
        if same:
            yield _cut(one, at[0], same), _cut(two, at[1], same)
            at = [at[0] + same, at[1] + same]
            continue
        ahead = left.index(right[0]) if right[0] in left else None
        behind = right.index(left[0]) if left[0] in right else None
        if ahead is not None and (behind is None or ahead <= behind):
            pass_over(0, ahead)
        elif behind is not None:
            pass_over(1, behind)
        else:
            pass_over(0, 1)
            pass_over(1, 1)


def _cut(run: RunColumns, start: int, count: int) -> RunColumns:
    """Some neighbouring topics of a batch."""
    if start == 0 and count == len(run.topics):
        return run
    off = run.off[start : start + count + 1]
    return with_rows(run, run.topics[start : start + count], off - off[0], slice(int(off[0]), int(off[-1])))


def shared_topics(first: list[bytes], second: list[bytes]) -> tuple[Ints, Ints]:
    """Numbers of the topics that two runs share, in the first one's order; two [S]."""
    place = {topic: i for i, topic in enumerate(second)}
    found = [(i, place[topic]) for i, topic in enumerate(first) if topic in place]
    one, two = np.array([i for i, _ in found], np.int64), np.array([j for _, j in found], np.int64)
    return one, two


def in_memory(first: RunColumns, second: RunColumns) -> Iterator[Step]:
    """The topics that two runs in memory share, some at a time."""
    one, two = shared_topics(first.topics, second.topics)
    rows = np.cumsum(np.diff(first.off)[one] + np.diff(second.off)[two])
    cuts = np.flatnonzero(np.diff(rows // BATCH_ROWS)) + 1
    for mine, theirs in zip(np.split(one, cuts), np.split(two, cuts), strict=True):
        yield with_topics(first, mine), with_topics(second, theirs)
    yield len(first.topics) - len(one), len(second.topics) - len(two)


def load(run: Source | RunColumns, order: str) -> RunColumns:
    """A run in memory."""
    return run if isinstance(run, RunColumns) else read_run(run, with_ranks=order == "rank")
