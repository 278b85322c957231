"""The corridor of `med`: two runs -> the distances of their rankings, topic by topic.

Runs whose topics stand in the same order are read side by side and forgotten batch by batch. A topic that one run lacks
is passed over; where the orders differ, or a topic comes back later, both runs are read whole, with the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ireval.core import ragged
from ireval.core.align import Policy, with_topics
from ireval.core.columns import Doubles, Ints, RunColumns
from ireval.core.judgements import Judgements
from ireval.core.pairs import Pairs, pair_up
from ireval.core.passages import PassageColumns, choose_topics
from ireval.read.ahead import Ahead
from ireval.read.source import Source
from ireval.read.trec import NotGrouped, read_run, stream_run
from ireval.studies.med import Distance, Moved, compute, moved_documents
from ireval.studies.med_linear import Frame
from ireval.studies.med_text import trail_distance

BATCH_ROWS = 200_000
"""Rows of a whole run that are worked on together."""

Progress = Callable[[int], None]
"""Told how many topics are done since the last time."""


class OutOfStep(Exception):
    """The topics of two runs stand in different orders."""


@dataclass(frozen=True)
class Changed:
    """A topic among those that changed most. low, high [V]: its distances. moved: documents, the weightiest first."""

    topic: bytes
    low: Doubles
    high: Doubles
    moved: list[Moved]


@dataclass(frozen=True)
class PairDistances:
    """All distances between two runs.

    topics [T]: in the order met; empty where nobody wanted them. low, high [V, T]: bounds of each distance, equal where
    it is exact; nan where a topic has none. changed: the topics that changed most, by the first distance. alone: topics
    that only the first, and only the second run has. uneven: topics whose lists differ in length. unjudged: topics left
    out because they have no judgements. repeated: documents passed over.
    """

    topics: list[bytes]
    low: Doubles
    high: Doubles
    changed: list[Changed]
    alone: tuple[int, int]
    uneven: int
    unjudged: int
    repeated: int

    def mean(self, row: int) -> tuple[float, float]:
        """Mean of the lower and of the upper bounds over the topics that have one; nan where none has."""
        return exact_mean(self.low[row]), exact_mean(self.high[row])

    def share_exact(self, row: int) -> float:
        """Share of the topics whose distance is exact."""
        known = ~np.isnan(self.low[row])
        return float((self.low[row][known] == self.high[row][known]).mean()) if known.any() else math.nan


def exact_mean(values: Doubles) -> float:
    """Mean of the numbers among the values, added without rounding, so that the order of topics does not matter."""
    known = values[~np.isnan(values)]
    return math.fsum(known.tolist()) / len(known) if len(known) else math.nan


@dataclass(frozen=True)
class Plan:
    """What is to be computed, and how."""

    distances: Sequence[Distance]
    frame: Frame
    top_grade: int
    policy: Policy
    judged: Judgements | None
    top: int
    """topics to be shown with the documents that moved"""
    keep_topics: bool


def run_distances(
    first: Source | RunColumns, second: Source | RunColumns, plan: Plan, progress: Progress | None = None
) -> PairDistances:
    """Distances between two runs, side by side where their topics stand in the same order."""
    if isinstance(first, Source) and isinstance(second, Source):
        with_ranks = plan.policy.order == "rank"
        streams = [Ahead(stream_run(run, with_ranks=with_ranks)) for run in (first, second)]
        try:
            return _collect(side_by_side(*streams), plan, progress)
        except (NotGrouped, OutOfStep):
            pass
        finally:
            for stream in streams:
                stream.close()
    return _collect(_whole(load(first, plan.policy), load(second, plan.policy)), plan, progress)


def load(run: Source | RunColumns, policy: Policy) -> RunColumns:
    """A run in memory."""
    return run if isinstance(run, RunColumns) else read_run(run, with_ranks=policy.order == "rank")


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
    rows = slice(int(run.off[start]), int(run.off[start + count]))
    return RunColumns(
        run.file,
        run.topics[start : start + count],
        run.off[start : start + count + 1] - run.off[start],
        run.documents.take(rows),
        run.scores[rows],
        run.ranks[rows] if run.ranks is not None else None,
        run.lines[rows],
        run.tag,
    )


def shared_topics(first: list[bytes], second: list[bytes]) -> tuple[Ints, Ints]:
    """Numbers of the topics that two runs share, in the first one's order; two [S]."""
    place = {topic: i for i, topic in enumerate(second)}
    found = [(i, place[topic]) for i, topic in enumerate(first) if topic in place]
    one, two = np.array([i for i, _ in found], np.int64), np.array([j for _, j in found], np.int64)
    return one, two


def _whole(first: RunColumns, second: RunColumns) -> Iterator[Step]:
    """The topics that two runs in memory share, some at a time."""
    one, two = shared_topics(first.topics, second.topics)
    rows = np.cumsum(np.diff(first.off)[one] + np.diff(second.off)[two])
    cuts = np.flatnonzero(np.diff(rows // BATCH_ROWS)) + 1
    for mine, theirs in zip(np.split(one, cuts), np.split(two, cuts), strict=True):
        yield with_topics(first, mine), with_topics(second, theirs)
    yield len(first.topics) - len(one), len(second.topics) - len(two)


def _collect(steps: Iterator[Step], plan: Plan, progress: Progress | None) -> PairDistances:
    """Compute every distance of every step, and keep the numbers."""
    searched = any(distance.searched(plan.top_grade) for distance in plan.distances)
    topics: list[bytes] = []
    low: list[Doubles] = []
    high: list[Doubles] = []
    best = _Best(plan.top, plan.distances[0].closer == "high")
    alone, uneven, unjudged, repeated = (0, 0), 0, 0, 0
    for one, two in steps:
        if isinstance(one, int) or isinstance(two, int):
            assert isinstance(one, int) and isinstance(two, int)
            alone = (one, two)
            continue
        pairs = pair_up(one, two, plan.policy, plan.judged)
        repeated += pairs.repeated
        if plan.frame.judged is not None:
            kept = np.flatnonzero(pairs.judged_topic >= 0)
            unjudged += len(pairs) - len(kept)
            if len(kept) < len(pairs):
                pairs = pair_up(with_topics(one, kept), with_topics(two, kept), plan.policy, plan.judged)
        ticks = progress if searched and len(plan.distances) == 1 else None
        found = [compute(distance, pairs, plan.frame, plan.top_grade, ticks) for distance in plan.distances]
        if progress is not None and ticks is None:
            progress(len(pairs))
        low.append(np.array([bounds.low for bounds in found]))
        high.append(np.array([bounds.high for bounds in found]))
        uneven += int(np.count_nonzero(pairs.first.length != pairs.second.length))
        if plan.keep_topics:
            topics += pairs.topics
        best.meet(pairs, low[-1], high[-1])
    empty = np.zeros((len(plan.distances), 0))
    every_low, every_high = np.concatenate([empty, *low], axis=1), np.concatenate([empty, *high], axis=1)
    return PairDistances(topics, every_low, every_high, best.topics(), alone, uneven, unjudged, repeated)


class _Best:
    """The topics that changed most so far, by the first distance."""

    def __init__(self, count: int, similarity: bool) -> None:
        self._count, self._sign = count, -1.0 if similarity else 1.0
        self._found: list[tuple[float, Changed]] = []

    def meet(self, pairs: Pairs, low: Doubles, high: Doubles) -> None:
        """Look at some more topics."""
        if not self._count or not len(pairs):
            return
        change = np.nan_to_num(self._sign * low[0], nan=-np.inf)
        enough = self._found[-1][0] if len(self._found) == self._count else -np.inf
        for topic in np.argsort(-change, kind="stable")[: self._count].tolist():
            if change[topic] <= enough:
                break
            moved = moved_documents(pairs, topic)
            self._found.append(
                (float(change[topic]), Changed(pairs.topics[topic], low[:, topic], high[:, topic], moved))
            )
        self._found.sort(key=lambda entry: -entry[0])
        del self._found[self._count :]

    def topics(self) -> list[Changed]:
        """Those that changed most, first."""
        ordered = sorted(self._found, key=lambda entry: (-entry[0], entry[1].topic))
        return [changed for _, changed in ordered]


def passage_distances(
    first: PassageColumns, second: PassageColumns, lengths: Sequence[int], filled: bool, top: int
) -> PairDistances:
    """MED-U at some lengths between two passage runs."""
    one, two = shared_topics(first.topics, second.topics)
    mine, theirs = choose_topics(first, one), choose_topics(second, two)
    values = np.array([trail_distance(mine, theirs, length, filled) for length in lengths])
    order = sorted(range(len(one)), key=lambda t: (-values[0, t], mine.topics[t]))[:top]
    changed = [Changed(mine.topics[t], values[:, t], values[:, t], []) for t in order]
    alone = (len(first.topics) - len(one), len(second.topics) - len(two))
    shown = [ragged.sums(run.length.astype(np.float64), ragged.owners(run.off), len(one)) for run in (mine, theirs)]
    uneven = int(np.count_nonzero(shown[0] != shown[1]))
    return PairDistances(mine.topics, values, values, changed, alone, uneven, 0, 0)
