"""The corridor of `med`: runs -> the distances of their rankings, topic by topic and pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from ireval.core import ragged
from ireval.core.align import Policy, shortened, with_topics
from ireval.core.columns import RunColumns
from ireval.core.judgements import Judgements
from ireval.core.pairs import pair_up
from ireval.core.passages import PassageColumns, choose_topics
from ireval.errors import DataError, UsageError
from ireval.pairing import OutOfStep, Step, in_memory, load, shared_topics, side_by_side
from ireval.read.ahead import Ahead
from ireval.read.passages import read_passages
from ireval.read.source import Source
from ireval.read.trec import NotGrouped, stream_run
from ireval.studies.med import (
    DEFAULT_DISTANCES,
    DEFAULT_GRADE,
    PAPER_GAINS,
    Distance,
    compute,
    parse_distances,
    trail_length,
)
from ireval.studies.med_linear import Frame
from ireval.studies.med_results import Changed, Distances, MostChanged, PairDistances, Tallying
from ireval.studies.med_text import trail_distance

Progress = Callable[[int], None]
"""Told how many topics are done since the last time."""


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
    """whether the values of every topic are kept"""


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
    return _collect(in_memory(load(first, plan.policy.order), load(second, plan.policy.order)), plan, progress)


def _collect(steps: Iterator[Step], plan: Plan, progress: Progress | None) -> PairDistances:
    """Compute every distance of every step, and keep the numbers."""
    searched = any(distance.searched(plan.top_grade) for distance in plan.distances)
    empty = np.zeros((len(plan.distances), 0))
    topics: list[bytes] = []
    kept_low, kept_high = [empty], [empty]
    tallying = Tallying(len(plan.distances), searched)
    best = MostChanged(plan.top, plan.distances[0].closer == "high")
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
        low = np.array([bounds.low for bounds in found])
        high = np.array([bounds.high for bounds in found]) if searched else low
        tallying.meet(low, high)
        uneven += int(np.count_nonzero(pairs.first.length != pairs.second.length))
        if plan.keep_topics:
            topics += pairs.topics
            kept_low.append(low)
            kept_high.append(high)
        best.meet(pairs, low, high)
    every_low = np.concatenate(kept_low, axis=1)
    every_high = np.concatenate(kept_high, axis=1) if searched else every_low
    return PairDistances(
        tallying.count,
        tallying.tallies(),
        topics,
        every_low,
        every_high,
        best.topics(),
        alone,
        uneven,
        unjudged,
        repeated,
    )


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
    tallying = Tallying(len(lengths), searched=False)
    tallying.meet(values, values)
    return PairDistances(tallying.count, tallying.tallies(), mine.topics, values, values, changed, alone, uneven, 0, 0)


@dataclass(frozen=True)
class Wishes:
    """How distances are to be taken, in the words of the options."""

    max_grade: int | None = None
    level: int | None = None
    gains: str | None = None
    order: str = "score"
    depth: int | None = None
    short: str = "filled"
    normalise: str = "paper"
    budget: float = 1.0
    top: int = 20
    keep_topics: bool = True
    on_duplicate: str = "error"

    @property
    def gains_by_default(self) -> str | None:
        """Gains of measures that do not say: the paper's where it normalises, else (None) the measure's own."""
        return PAPER_GAINS if self.gains is None and self.normalise == "paper" else self.gains


def distances_between(
    names: Sequence[str],
    runs: Sequence[Source | RunColumns],
    texts: Sequence[str],
    judged: Judgements | None,
    wishes: Wishes,
    progress: Callable[[str, int], None] | None = None,
) -> Distances:
    """Every distance between every two runs. texts: what is asked for, as users write it."""
    texts = texts or DEFAULT_DISTANCES
    if len(runs) < 2:
        raise UsageError(f"distances need two runs at least, found {len(runs)}")
    if any(trail_length(text) for text in texts):
        return _between_passages(names, runs, texts, judged, wishes)
    plan = _plan(texts, judged, wishes)
    if len(runs) > 2:  # each of them takes part in several pairs: keep what counts
        runs = [shortened(load(run, wishes.order), plan.policy) for run in runs]
    found = {}
    for i, j in combinations(range(len(runs)), 2):
        told = partial(progress, f"{names[i]}, {names[j]}") if progress else None
        found[i, j] = _with_topics(run_distances(runs[i], runs[j], plan, told), names[i], names[j])
    return Distances(
        tuple(names),
        tuple(distance.label for distance in plan.distances),
        tuple(distance.searched(plan.top_grade) for distance in plan.distances),
        tuple(distance.closer for distance in plan.distances),
        plan.top_grade,
        found,
    )


def _plan(texts: Sequence[str], judged: Judgements | None, wishes: Wishes) -> Plan:
    asked = parse_distances(texts, {"level": wishes.level, "gains": wishes.gains_by_default})
    if judged is None and wishes.normalise == "qrels":
        raise UsageError("to normalise by the judgements, judgements are needed")
    if judged is not None and (judged.preferences is not None or judged.parent is not None):
        raise UsageError("distances need judgements with one level for each document")
    highest = int(judged.level.max(initial=0)) if judged is not None else 0
    default = max(highest, 1) if judged is not None else DEFAULT_GRADE
    top_grade = default if wishes.max_grade is None else wishes.max_grade
    if highest > top_grade:
        raise UsageError(f"level {highest} is judged, which is above the highest grade, {top_grade}")
    depths = [distance.depth for distance in asked]
    limits = [] if None in depths else [max(depth for depth in depths if depth is not None)]
    if wishes.depth is not None:
        limits.append(wishes.depth)
    policy = Policy(order=wishes.order, depth=min(limits, default=None), on_duplicate=wishes.on_duplicate)
    frame = Frame(wishes.short == "filled", judged if wishes.normalise == "qrels" else None, wishes.budget)
    return Plan(asked, frame, top_grade, policy, judged, wishes.top, wishes.keep_topics)


def _with_topics(found: PairDistances, first: str, second: str) -> PairDistances:
    """The distances, or an error when there are none."""
    if found.count:
        return found
    where = "has judgements and is in both runs" if found.unjudged else "is in both runs"
    raise DataError(f"no topic {where} ({first}, {second})")


def _between_passages(
    names: Sequence[str],
    runs: Sequence[Source | RunColumns],
    texts: Sequence[str],
    judged: Judgements | None,
    wishes: Wishes,
) -> Distances:
    """MED-U, whose runs hold passages."""
    other = next((text for text in texts if trail_length(text) is None), None)
    if other is not None:
        raise UsageError(f"U@l is about passages, {other} about documents: they do not go together")
    if judged is not None:
        raise UsageError("U@l takes no judgements: they are about documents, not about passages")
    if wishes.order == "rank":
        raise UsageError("passages have no ranks to order by")
    for name in ("max_grade", "level", "gains", "depth"):
        if getattr(wishes, name) is not None:
            raise UsageError(f"U@l takes no {name.replace('_', ' ')}: its characters are relevant or not")
    sources = [run for run in runs if isinstance(run, Source)]
    if len(sources) < len(runs):
        raise UsageError("U@l needs files of passages")
    lengths = list(dict.fromkeys(length for length in map(trail_length, texts) if length is not None))
    read = [read_passages(run, as_they_stand=wishes.order == "file") for run in sources]
    found = {}
    for i, j in combinations(range(len(read)), 2):
        between = passage_distances(read[i], read[j], lengths, wishes.short == "filled", wishes.top)
        found[i, j] = _with_topics(between, names[i], names[j])
    count = len(lengths)
    labels = tuple(f"MED-U@{length}" for length in lengths)
    return Distances(tuple(names), labels, (False,) * count, ("low",) * count, 1, found, of_passages=True)
