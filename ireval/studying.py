"""What the studies need from files: preferences matched with scores, teams with runs, runs aligned once and kept."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ireval.core.align import Policy
from ireval.core.columns import Bools, Doubles, Int32s, RunColumns
from ireval.core.judgements import Judgements, Part
from ireval.core.lengths import Lengths
from ireval.core.scores import ScoreCube, Scores, aggregate
from ireval.errors import DataError, UsageError, printable
from ireval.measures.spec import Request, Spec
from ireval.read.run_preferences import read_run_preferences
from ireval.read.source import Source
from ireval.read.teams import Entry, read_teams
from ireval.read.trec import read_run
from ireval.scoring import AlignedRun, align_run, score_aligned
from ireval.stats.resample import Progress, in_threads
from ireval.studies.concordance import Preferences
from ireval.studies.loo import LeaveOneOut, leave_one_out, pool_rows, rebuilt_pools


def preferences_for(cube: ScoreCube, source: Source) -> tuple[Preferences, str]:
    """The preferences of a file about runs and topics that have scores, and a sentence about the others.

    A run is called by its name or by its file's.
    """
    read = read_run_preferences(source)
    topics = {name: i for i, name in enumerate(cube.topics)}
    runs = {name: i for i, name in enumerate(cube.systems)}
    rows, unknown_runs, unknown_topics = [], 0, 0
    for topic, first, second, verdict in zip(read.topics, read.first, read.second, read.verdicts, strict=True):
        one, two = (runs.get(name, runs.get(_bare(name, cube.systems), -1)) for name in (first, second))
        if one < 0 or two < 0:
            unknown_runs += 1
        elif topic not in topics:
            unknown_topics += 1
        else:
            rows.append((topics[topic], one, two, verdict))
    if not rows:
        known = ", ".join(printable(name, 40) for name in cube.systems[:5])
        raise DataError(f"{source.name}: no preference is about two of the runs ({known}, ...) and a topic with scores")
    left = [
        f"{count} about {what}"
        for count, what in ((unknown_runs, "runs that are not here"), (unknown_topics, "topics without scores"))
        if count
    ]
    note = f"{source.name}: {len(rows)} of {len(read.topics)} preferences used; left out: {', '.join(left)}"
    columns = np.array(rows, np.int64).T
    return Preferences(*columns), note if left else ""


def _bare(name: str, known: Sequence[str]) -> str:
    """The run that a file name means: the longest name that it begins with, path left out."""
    base = os.path.basename(name)
    fitting = [run for run in known if base == run or base.startswith(run + ".")]
    return max(fitting, key=len, default=name)


# -- runs that are scored again and again ---------------------------------------------------------------------------


class Keeper:
    """Scores runs as `api.score_all` does, and keeps them aligned, so that they can be scored under other judgements.

    pool_depth, pool_order: also keep what each run puts forward for a pool of this depth, in this order (none: the
    order in which it is scored).
    """

    def __init__(self, pool_depth: int | None = None, pool_order: str | None = None) -> None:
        self._pool_depth, self._pool_order = pool_depth, pool_order
        self.kept: list[AlignedRun] = []
        self.pools: list[Int32s] = []
        self._condensed = False

    def __call__(
        self,
        judged: Judgements,
        names: Sequence[str],
        inputs: Sequence[Source | RunColumns],
        specs: Sequence[Spec],
        policy: Policy,
        jobs: int,
        progress: Callable[[str, int], None] | None,
        lengths: Lengths | None = None,
    ) -> list[Scores]:
        """Scores of every run under all judgements."""
        self._condensed = policy.condensed
        policy = replace(policy, condensed=False)
        judged.check_duplicates()  # which makes the index, before threads ask for it

        def load(run: Source | RunColumns) -> tuple[AlignedRun, Int32s]:
            by_rank = "rank" in (policy.order, self._pool_order)
            columns = run if isinstance(run, RunColumns) else read_run(run, with_ranks=by_rank)
            kept = align_run(judged, columns, policy, lengths=lengths)
            return kept, self._pool_of(judged, columns, policy, kept)

        every = []
        for name, (kept, pool) in zip(names, in_threads(load, inputs, jobs), strict=True):
            self.kept.append(kept)
            self.pools.append(pool)
            topics = list(judged.evaluated)
            values = self.values(len(self.kept) - 1, specs)
            every.append(Scores(topics, values, {}, kept.missing, kept.facts))
            if progress is not None:
                progress(name, 0)
        return every

    def _pool_of(self, judged: Judgements, columns: RunColumns, policy: Policy, kept: AlignedRun) -> Int32s:
        if self._pool_depth is None:
            return np.zeros(0, np.int32)
        order = self._pool_order or policy.order
        if order == policy.order and (policy.depth or self._pool_depth) >= self._pool_depth:
            ranking = replace(kept.aligned, _cache={})
        else:
            ranking = align_run(judged, columns, replace(policy, order=order, depth=self._pool_depth)).aligned
        return pool_rows(ranking, self._pool_depth)

    def values(self, run: int, specs: Sequence[Spec], part: Part | None = None) -> Doubles:
        """Scores [V, T] of a run under a part of the judgements, or all of them."""
        aligned = self.kept[run].aligned
        # what scoring computes on the way is not kept: it takes more memory than the run
        fresh = replace(aligned, _cache={}) if part is None else aligned.with_judgements(part)
        return score_aligned(fresh, specs, condensed=self._condensed)


class Results(Protocol):
    """What is needed of `api.Results`."""

    @property
    def runs(self) -> tuple[str, ...]:
        """Names."""

    @property
    def requests(self) -> tuple[Request, ...]:
        """The measures."""

    @property
    def scores(self) -> tuple[Scores, ...]:
        """One a run."""

    @property
    def judged(self) -> Judgements:
        """What they were scored against."""


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """Judgements and runs that stay in memory. kept [T]: which topics scores are about."""

    judged: Judgements
    runs: tuple[str, ...]
    requests: tuple[Request, ...]
    keeper: Keeper
    kept: Bools

    @classmethod
    def of(cls, results: Results, keeper: Keeper) -> Collection:
        """What a keeper kept while these results were made."""
        scored = set(results.scores[0].topics)
        kept = np.array([name in scored for name in results.judged.evaluated], np.bool_)
        return cls(results.judged, results.runs, results.requests, keeper, kept)

    def values(self, run: int, part: Part | None = None) -> Doubles:
        """Scores [V, T] of a run."""
        return self.keeper.values(run, [request.spec for request in self.requests], part)[:, self.kept]

    def summary(self, run: int, part: Part | None = None) -> Doubles:
        """Scores [V] of a run over all topics."""
        values = self.values(run, part)
        return np.array([aggregate(row, one.how) for row, one in zip(values, self.requests, strict=True)])

    def cube(self, part: Part | None = None) -> ScoreCube:
        """The scores of all runs by topic."""
        names = [name.decode("utf-8", "surrogateescape") for name in self.judged.evaluated]
        return ScoreCube(
            self.runs,
            tuple(request.label for request in self.requests),
            tuple(name for name, kept in zip(names, self.kept.tolist(), strict=True) if kept),
            np.stack([self.values(run, part) for run in range(len(self.runs))]),
            np.stack([run.missing[self.kept] for run in self.keeper.kept]),
            tuple(request.spec.measure.better for request in self.requests),
        )


def check_scores(requests: Sequence[Request]) -> None:
    """Refuse measures that have no number for each topic."""
    for request in requests:
        if request.spec.measure.kind not in ("score", "count"):
            raise UsageError(f"{request.label} has no number for each topic, so runs cannot be ranked by it")


# -- teams ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Teams:
    """names: of the teams. team_of: number of each run's team. pooled: whether the run went into the pool."""

    names: tuple[str, ...]
    team_of: tuple[int, ...]
    pooled: tuple[bool, ...]

    @property
    def pooled_team_of(self) -> list[int]:
        """As team_of, -1 for runs that did not go into the pool."""
        return [team if pooled else -1 for team, pooled in zip(self.team_of, self.pooled, strict=True)]


def teams_of(runs: Sequence[str], teams: str | Mapping[str, str] | None, by: str = "team") -> Teams:
    """The team of each run, from a file of them, a regular expression whose first group is the team, or a mapping.

    by: "run" makes every run a team of its own; a file then only says which runs were pooled.
    """
    entries: list[Entry]
    if isinstance(teams, Mapping):
        entries = [Entry(teams.get(run, run), True) for run in runs]
    elif teams is not None and os.path.exists(teams):
        entries = _entries(runs, Source(teams))
    elif teams is not None and by == "team":
        entries = [Entry(_matched(run, teams), True) for run in runs]
    elif by == "team":
        raise UsageError("expected --teams FILE or REGEX, or --by run")
    elif teams is not None:
        raise UsageError(f'--teams: no file "{teams}"; with --by run it takes a file that says which runs were pooled')
    else:
        entries = [Entry(run, True) for run in runs]
    owners = list(runs) if by == "run" else [entry.team for entry in entries]
    names = list(dict.fromkeys(owners))
    return Teams(tuple(names), tuple(names.index(own) for own in owners), tuple(entry.pooled for entry in entries))


def leave_out(collection: Collection, teams: Teams, level: int = 1, progress: Progress | None = None) -> LeaveOneOut:
    """The leave-one-out test on runs that were kept together with their pools. level: lowest relevant one."""
    judged, keeper = collection.judged, collection.keeper
    pools = rebuilt_pools(judged, keeper.pools, teams.pooled_team_of, len(teams.names))
    low = [request.spec.measure.better == "low" for request in collection.requests]
    return leave_one_out(judged, teams.names, teams.team_of, pools, collection.summary, low, level, progress)


def _entries(runs: Sequence[str], source: Source) -> list[Entry]:
    known = read_teams(source)
    by_run = {_bare(name, runs): entry for name, entry in known.items()} | known
    lacking = [run for run in runs if run not in by_run]
    if lacking:
        raise UsageError(f"{source.name}: no team for {', '.join(printable(run, 60) for run in lacking[:5])}")
    return [by_run[run] for run in runs]


def _matched(run: str, pattern: str) -> str:
    try:
        found = re.search(pattern, run)
    except re.error as error:
        raise UsageError(f'--teams: no file "{pattern}", and no regular expression: {error}') from None
    if found is None:
        raise UsageError(f'--teams: "{pattern}" is no file, and as a regular expression it does not match run {run}')
    return found[1] if found.re.groups and found[1] is not None else found[0]


def qrels_lines(judged: Judgements) -> list[bytes]:
    """Each judgement [N] as a line of `topic iteration document level`, or with intents as a line for each of them.

    The iteration is the intent where there are intents, the group where there are groups, else 0.
    """
    names, levels = judged.documents.to_list(), judged.level.tolist()
    heads = [topic.partition(b"\x00") for topic in judged.topics]
    if judged.intents is None:
        return [
            b"%s %s %s %d\n" % (heads[t][0], heads[t][2] or b"0", document, level)
            for t, document, level in zip(judged.topic_of.tolist(), names, levels, strict=True)
        ]
    intents, off = judged.intents, judged.intents.off.tolist()
    every = intents.level.tolist()
    lines = []
    for t, document, cell in zip(judged.topic_of.tolist(), names, intents.cell.tolist(), strict=True):
        marks = list(zip(intents.names[off[t] : off[t + 1]], every[cell : cell + off[t + 1] - off[t]], strict=True))
        marks = marks or [(b"0", 0)]  # judged, and nonrelevant to whatever the topic may mean
        lines.append(b"".join(b"%s %s %s %d\n" % (heads[t][0], intent, document, level) for intent, level in marks))
    return lines
