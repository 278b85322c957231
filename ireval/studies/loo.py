"""Is the collection reusable? Leave one team out of the pool and see what becomes of its runs.

Sakai's lecture, section 5.4; Zobel, How Reliable Are the Results of Large-Scale Information Retrieval Experiments?
(SIGIR 1998), who left out single runs; Voorhees, The Philosophy of Information Retrieval Evaluation (CLEF 2001), teams.
A team's unique contributions are the judged documents that only its runs brought into the pool, relevant or not.
Without them the judgements are what they would have been had the team stayed away. Judged documents that no run of ours
brought into the pool stay: they came from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ireval.core.aligned import Aligned
from ireval.core.judgements import Judgements, Part, part
from ireval.stats.correlation import competition_ranks, kendall, tau_ap
from ireval.stats.resample import Progress

Bools = NDArray[np.bool_]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
Score = Callable[[int, Part | None], Doubles]
"""Scores [V] of a run (by number) under a part of the judgements, or all of them."""


@dataclass(frozen=True, eq=False, repr=False)
class Pools:
    """What each team brought into the pool.

    contributed, unique [G, N]: teams x judgements. outside: judgements that no pooled run explains. rows, unjudged:
    documents that the runs put forward, each counted as often as that, and those among them without a judgement.
    """

    contributed: Bools
    unique: Bools
    outside: int
    unjudged: int
    rows: int


def pool_rows(ranking: Aligned, depth: int) -> Int32s:
    """Judgements of the first `depth` documents of each topic, -1 where a document has none."""
    return ranking.judgement[ranking.rank <= depth]


def rebuilt_pools(judged: Judgements, tops: Sequence[Int32s], team: Sequence[int], teams: int) -> Pools:
    """The pools, team by team.

    tops: `pool_rows` of each run, in pool order. team: number of each run's team, -1 for a run that was not pooled.
    """
    contributed = np.zeros((teams, len(judged.level)), np.bool_)
    rows = unjudged = 0
    for top, own in zip(tops, team, strict=True):
        if own >= 0:
            contributed[own, top[top >= 0]] = True
            rows += len(top)
            unjudged += int(np.count_nonzero(top < 0))
    count = contributed.sum(axis=0)
    return Pools(contributed, contributed & (count == 1), int(np.count_nonzero(count == 0)), unjudged, rows)


@dataclass(frozen=True)
class LeftOut:
    """One team without its unique contributions.

    runs: numbers of its runs. contributed, unique, relevant: judged documents that it brought into the pool, that only
    it did, and how many of those are relevant. emptied: topics that lose all their judgements, in which every document
    counts as nonrelevant then. tau, tau_ap [V]: between the ranking of all runs under all judgements
    and the one in which the team's runs have their scores without its contributions.
    """

    team: str
    runs: tuple[int, ...]
    contributed: int
    unique: int
    relevant: int
    emptied: int
    tau: tuple[float, ...]
    tau_ap: tuple[float, ...]


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut:
    """The whole study. Arrays [S, V]: runs x measures.

    score, rank: under all judgements. left_score: under the judgements without the run's own team. left_rank: its rank
    when its team alone is scored so. tau, tau_ap [V]: between the ranking of all runs and the one in which every run
    has its left_score.
    """

    teams: tuple[LeftOut, ...]
    team_of: tuple[int, ...]
    score: Doubles
    left_score: Doubles
    rank: Ints
    left_rank: Ints
    tau: tuple[float, ...]
    tau_ap: tuple[float, ...]
    pools: Pools

    @property
    def change(self) -> Doubles:
        """What leaving its team out does to each run's score; [S, V]."""
        return self.left_score - self.score

    @property
    def rank_change(self) -> Ints:
        """Ranks that each run falls (positive) or rises; [S, V]."""
        return self.left_rank - self.rank


def leave_one_out(
    judged: Judgements,
    names: Sequence[str],
    team_of: Sequence[int],
    pools: Pools,
    score: Score,
    low_is_better: Sequence[bool],
    level: int = 1,
    progress: Progress | None = None,
) -> LeaveOneOut:
    """Every run under all judgements, and under those without its team.

    names: of the teams. team_of: of each run, the number of its team. low_is_better: of each measure. level: lowest
    relevant one, for the counts.
    """
    sign = np.where(np.array(low_is_better, np.bool_), -1.0, 1.0)
    full = np.stack([score(run, None) for run in range(len(team_of))])
    left, rank, left_rank = full.copy(), _ranks(full * sign), np.empty(full.shape, np.int64)
    relevant = judged.level >= max(level, 0)
    found = []
    for number, name in enumerate(names):
        runs = [run for run, own in enumerate(team_of) if own == number]
        unique = pools.unique[number]
        if bool(unique.any()):  # otherwise nothing can change
            without = part(judged, ~unique)
            for run in runs:
                left[run] = score(run, without)
        world = full.copy()
        world[runs] = left[runs]
        left_rank[runs] = _ranks(world * sign)[runs]
        tau, ap = _correlations(full * sign, world * sign)
        found.append(
            LeftOut(
                name,
                tuple(runs),
                int(np.count_nonzero(pools.contributed[number])),
                int(np.count_nonzero(unique)),
                int(np.count_nonzero(unique & relevant)),
                _emptied(judged, unique),
                tau,
                ap,
            )
        )
        if progress is not None:
            progress(number + 1, len(names))
    tau, ap = _correlations(full * sign, left * sign)
    return LeaveOneOut(tuple(found), tuple(team_of), full, left, rank, left_rank, tau, ap, pools)


def _emptied(judged: Judgements, gone: Bools) -> int:
    """How many topics have no judgement but those that are gone."""
    owner = judged.topic_of if judged.parent is None else judged.parent[judged.topic_of]
    left = np.bincount(owner[~gone], minlength=len(judged.evaluated))
    return int(np.count_nonzero(left == 0))


def _ranks(scores: Doubles) -> Ints:
    """Rank of each run by each measure; [S, V]."""
    return np.stack([competition_ranks(column) for column in scores.T], axis=1)


def _correlations(full: Doubles, other: Doubles) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """tau and tau_ap of two sets of scores, by measure. The full judgements' ranking is the truth; has it ties, then
    tau_ap is the symmetric form that allows for them."""
    tau, ap = [], []
    for a, b in zip(full.T, other.T, strict=True):
        tau.append(kendall(a, b).tau)
        both = tau_ap(a, b)
        ap.append(both.symmetric if np.isnan(both.second_given_first) else both.second_given_first)
    return tuple(tau), tuple(ap)
