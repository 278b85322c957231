"""The corridor walked: judgements + a run -> Scores. Joins read, core and measures; all commands score through here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.align import Policy, align
from ireval.core.aligned import Aligned, concatenate
from ireval.core.columns import Bools, Doubles, Ints, RunColumns
from ireval.core.judgements import Judgements
from ireval.core.lengths import Lengths
from ireval.core.scores import RunFacts, Scores
from ireval.errors import UsageError
from ireval.measures.lens import compute
from ireval.measures.spec import Spec, label
from ireval.read.ahead import Ahead
from ireval.read.source import Source
from ireval.read.trec import NotGrouped, read_run, stream_run

BATCH_ROWS = 400_000
"""Aligned rows gathered before measures are computed: few enough for memory, many enough for numpy."""

Progress = Callable[[int], None]


@dataclass(frozen=True)
class TopicPolicy:
    """What becomes of judged topics that a run lacks.

    missing: "skip" them, score them as an "empty" ranking, or as one of a single "unjudged" document (trec_eval 10 -c).
    only: evaluate this one topic. keep_nan: leave 0/0 as trec_eval does; otherwise it counts as 0.
    """

    missing: str = "empty"
    only: bytes | None = None
    keep_nan: bool = False


class OpenRun(NamedTuple):
    """A run that is being read already."""

    source: Source
    batches: Ahead[RunColumns]


def open_run(source: Source, policy: Policy) -> OpenRun:
    """Begin to read a run, in a thread of its own. Whatever is wrong with it is told when it is scored."""
    return OpenRun(source, Ahead(stream_run(source, with_ranks=policy.order == "rank")))


def score_run(
    judged: Judgements,
    run: Source | OpenRun | RunColumns,
    specs: Sequence[Spec],
    policy: Policy,
    topics: TopicPolicy,
    progress: Progress | None = None,
    lengths: Lengths | None = None,
) -> Scores:
    """Scores of one run for every spec. Streams the run where its topics stand together."""
    if isinstance(run, RunColumns):
        return _score(judged, iter([run]), specs, policy, topics, progress, lengths)
    if isinstance(run, Source):
        run = open_run(run, policy)
    try:
        try:
            return _score(judged, run.batches, specs, policy, topics, progress, lengths)
        finally:
            run.batches.close()
    except NotGrouped:
        whole = read_run(run.source, with_ranks=policy.order == "rank")
        return _score(judged, iter([whole]), specs, policy, topics, progress, lengths)


class AlignedRun(NamedTuple):
    """A whole run in memory, to be scored under several judgements.

    aligned: every judged topic, in the order of the judgements; one that the run lacks is an empty ranking.
    missing [T]: whether the run lacks the topic.
    """

    aligned: Aligned
    missing: Bools
    facts: RunFacts


def align_run(
    judged: Judgements,
    run: Source | RunColumns,
    policy: Policy,
    progress: Progress | None = None,
    lengths: Lengths | None = None,
) -> AlignedRun:
    """One run joined with the judgements, all of it. Not for condensed lists: what is judged may change later."""
    if policy.condensed:
        raise AssertionError("condense after the judgements are chosen")
    columns = run if isinstance(run, RunColumns) else read_run(run, with_ranks=policy.order == "rank")
    reading = _Reading(judged, policy, lengths, progress)
    aligned = concatenate([reading.align(columns), reading.absent_as_empty(0)])
    order = np.argsort(aligned.topic, kind="stable")
    return AlignedRun(aligned.take(order), ~reading.seen, reading.facts(len(judged.evaluated)))


def score_aligned(aligned: Aligned, specs: Sequence[Spec], *, condensed: bool = False) -> Doubles:
    """Values [V, T] of an aligned run; 0/0 counts as 0. condensed: without the documents that are not judged."""
    board = _Board(aligned.judgements, specs, keep_nan=False)
    board.post(aligned.condensed() if condensed else aligned)
    return board.values


class _Reading:
    """What is learnt of a run while its batches are aligned."""

    def __init__(
        self, judged: Judgements, policy: Policy, lengths: Lengths | None, progress: Progress | None = None
    ) -> None:
        self._judged, self._policy, self._lengths, self._progress = judged, policy, lengths, progress
        self.seen = np.zeros(len(judged.evaluated), np.bool_)
        self._unjudged = self._repeated = self._lengthless = 0
        self._tag = b""

    def align(self, columns: RunColumns) -> Aligned:
        """The rankings of one batch."""
        aligned, passed_over = align(columns, self._judged, self._policy, self._lengths)
        self._repeated += passed_over
        before = int(np.count_nonzero(self.seen))
        self.seen[aligned.topic if self._judged.parent is None else self._judged.parent[aligned.topic]] = True
        self._unjudged += len(columns.topics) - (int(np.count_nonzero(self.seen)) - before)
        self._tag = columns.tag
        if self._lengths is not None and self._lengths.default is not None:
            self._lengthless += int(np.count_nonzero(aligned.columns["measured"] == 0))
        if self._progress is not None:
            self._progress(len(columns.scores))
        return aligned

    def absent_as_empty(self, rows: int) -> Aligned:
        """The judged topics that were not seen, as rankings of so many documents that nobody judged."""
        judged, missing = self._judged, np.flatnonzero(~self.seen)
        absent = missing if judged.parent is None else np.flatnonzero(np.isin(judged.parent, missing))
        names_of_columns = ("characters", "words", "measured") if self._lengths is not None else ()
        no_rows = {name: np.zeros(0, np.int64) for name in names_of_columns}
        nothing = Aligned(judged, np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int32), no_rows)
        empty = nothing.with_missing(absent.astype(np.int32), rows)
        return empty.condensed() if self._policy.condensed else empty

    def facts(self, kept: int) -> RunFacts:
        """All of it, where so many topics are averaged over."""
        names = self._judged.evaluated
        return RunFacts(
            self._tag.decode("utf-8", "surrogateescape"),
            kept,
            len(names),
            tuple(names[i] for i in np.flatnonzero(~self.seen).tolist()),
            self._unjudged,
            self._repeated,
            self._lengthless,
        )


def _score(
    judged: Judgements,
    batches: Iterator[RunColumns],
    specs: Sequence[Spec],
    policy: Policy,
    topics: TopicPolicy,
    progress: Progress | None,
    lengths: Lengths | None,
) -> Scores:
    names = judged.evaluated
    board = _Board(judged, specs, topics.keep_nan)
    reading = _Reading(judged, policy, lengths, progress)
    waiting: list[Aligned] = []
    rows = 0
    for columns in batches:
        aligned = reading.align(columns)
        waiting.append(aligned)
        rows += len(aligned.judgement)
        if rows >= BATCH_ROWS:
            board.post(concatenate(waiting))
            waiting, rows = [], 0
    if waiting:
        board.post(concatenate(waiting))
    chosen = reading.seen.copy()
    if topics.missing != "skip" and not chosen.all():
        one_row = topics.missing == "unjudged" and (policy.depth is None or policy.depth > 0)
        board.post(reading.absent_as_empty(1 if one_row else 0))
        chosen[:] = True
    if topics.only is not None:
        chosen &= np.array([name == topics.only for name in names], np.bool_)
    kept = np.flatnonzero(chosen)
    return Scores(
        [names[i] for i in kept.tolist()],
        board.values[:, kept],
        {v: [texts[i] for i in kept.tolist()] for v, texts in board.texts.items()},
        ~reading.seen[kept],
        reading.facts(len(kept)),
    )


class _Board:
    """Where the values of the batches are put down, by topic."""

    def __init__(self, judged: Judgements, specs: Sequence[Spec], keep_nan: bool) -> None:
        self._judged, self._specs, self._keep_nan = judged, specs, keep_nan
        self.values: Doubles = np.full((len(specs), len(judged.evaluated)), np.nan)
        self.texts: dict[int, list[str]] = {}

    def post(self, aligned: Aligned) -> None:
        """Compute every spec on some topics."""
        condensed = aligned.condensed() if any(spec.condensed for spec in self._specs) else aligned
        if not len(aligned):
            return
        done: dict[Spec, int] = {}
        for row, spec in enumerate(self._specs):
            record = spec.measure
            if record.kind == "summary":
                continue
            if spec in done and record.kind != "text":  # asked for twice, summed up in different ways
                topics = aligned.topic if self._judged.parent is None else self._judged.parent[aligned.topic]
                self.values[row, topics] = self.values[done[spec], topics]
                continue
            done[spec] = row
            check_needs(spec, self._judged, "characters" in aligned.columns)
            result = compute(spec, condensed if spec.condensed else aligned)
            if record.kind == "text":
                if self._judged.parent is not None:
                    raise UsageError(f"{record.label} is a text, which cannot be averaged over judgement groups")
                texts = self.texts.setdefault(row, [""] * len(self._judged.evaluated))
                for topic, text in zip(aligned.topic.tolist(), result, strict=True):
                    texts[topic] = text
                continue
            values = np.asarray(result, np.float64)
            if not self._keep_nan:
                values = np.where(np.isnan(values), 0.0, values)
            self._put(row, aligned, values)

    def _put(self, row: int, aligned: Aligned, values: Doubles) -> None:
        parent = self._judged.parent
        if parent is None:
            self.values[row, aligned.topic] = values
            return
        owner: Ints = parent[aligned.topic].astype(np.int64)
        self.values[row, owner] = 0.0
        # a group without judgements, which only a part of them can have, has no say
        counts = np.diff(self._judged.off)[aligned.topic] > 0
        owner, values = owner[counts], values[counts]
        count = ragged.counts(owner, len(self._judged.evaluated))
        present = np.flatnonzero(count)
        self.values[row, present] = ragged.sums(values, owner, len(count))[present] / count[present]


def check_needs(spec: Spec, judged: Judgements, with_lengths: bool) -> None:
    """Refuse a measure that the judgements cannot serve."""
    needs, name = spec.measure.needs, spec.measure.label
    if spec.needs == "intents" and judged.intents is None:
        raise UsageError(f"{label(spec)} needs judgements of intents (--qrels-format diversity)")
    if needs == "preferences" and judged.preferences is None:
        raise UsageError(f"{name} needs judgements in the format prefs or qrels_prefs")
    if needs == "lengths" and not with_lengths:
        raise UsageError(f"{name} needs document lengths (--lengths FILE)")
    if needs != "preferences" and judged.preferences is not None:
        raise UsageError(f"{name} needs judgements with levels, not preferences")
    if needs == "groups" and judged.parent is None:
        raise UsageError(f"{name} needs judgements in the format qrels_jg")
