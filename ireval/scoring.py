"""The corridor walked: judgements + a run -> Scores. Joins read, core and measures; all commands score through here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.align import Policy, align
from ireval.core.aligned import Aligned, concatenate
from ireval.core.columns import Doubles, Ints, RunColumns
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
    seen = np.zeros(len(names), np.bool_)
    board = _Board(judged, specs, topics.keep_nan)
    waiting: list[Aligned] = []
    rows = unjudged = repeated = lengthless = 0
    tag = b""
    for columns in batches:
        aligned, passed_over = align(columns, judged, policy, lengths)
        repeated += passed_over
        before = int(np.count_nonzero(seen))
        seen[aligned.topic if judged.parent is None else judged.parent[aligned.topic]] = True
        unjudged += len(columns.topics) - (int(np.count_nonzero(seen)) - before)
        tag = columns.tag
        if lengths is not None and lengths.default is not None:
            lengthless += int(np.count_nonzero(aligned.columns["measured"] == 0))
        if progress is not None:
            progress(len(columns.scores))
        waiting.append(aligned)
        rows += len(aligned.judgement)
        if rows >= BATCH_ROWS:
            board.post(concatenate(waiting))
            waiting, rows = [], 0
    if waiting:
        board.post(concatenate(waiting))
    missing = np.flatnonzero(~seen)
    chosen = seen.copy()
    if topics.missing != "skip" and len(missing):
        absent = missing if judged.parent is None else np.flatnonzero(np.isin(judged.parent, missing))
        names_of_columns = ("characters", "words", "measured") if lengths is not None else ()
        no_rows = {name: np.zeros(0, np.int64) for name in names_of_columns}
        nothing = Aligned(judged, np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int32), no_rows)
        one_row = topics.missing == "unjudged" and (policy.depth is None or policy.depth > 0)
        empty = nothing.with_missing(absent.astype(np.int32), 1 if one_row else 0)
        board.post(empty.condensed() if policy.condensed else empty)
        chosen[missing] = True
    if topics.only is not None:
        chosen &= np.array([name == topics.only for name in names], np.bool_)
    kept = np.flatnonzero(chosen)
    facts = RunFacts(
        tag.decode("utf-8", "surrogateescape"),
        len(kept),
        len(names),
        tuple(names[i] for i in missing.tolist()),
        unjudged,
        repeated,
        lengthless,
    )
    return Scores(
        [names[i] for i in kept.tolist()],
        board.values[:, kept],
        {v: [texts[i] for i in kept.tolist()] for v, texts in board.texts.items()},
        ~seen[kept],
        facts,
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
        count = ragged.counts(owner, len(self._judged.evaluated))
        present = np.flatnonzero(count)
        self.values[row, present] = (ragged.sums(values, owner, len(count)) / np.maximum(count, 1))[present]


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
