"""How far judgement files agree, as raters of the same documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ireval.core import ragged
from ireval.core.judgements import Judgements
from ireval.errors import DataError
from ireval.stats.agreement import WEIGHTS, cohen_kappa, confusion, fleiss_kappa, overlap

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Ratings:
    """Documents that all raters judged. levels [R, N]; topic [N]; topics: how many; judged: what each rater judged."""

    levels: Ints
    topic: Ints
    topics: int
    judged: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class RaterPair:
    """Two raters. table [C, C]: first by second. overlap: mean over topics in which either finds anything relevant."""

    first: str
    second: str
    documents: int
    agreement: float
    kappa: float
    linear: float
    quadratic: float
    overlap: float
    table: Ints


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """All pairs of raters, and all together. categories: levels in use."""

    raters: tuple[str, ...]
    categories: tuple[int, ...]
    documents: int
    topics: int
    judged: tuple[int, ...]
    pairs: tuple[RaterPair, ...]
    fleiss: float
    overlap: float


def common_ratings(raters: Sequence[Judgements]) -> Ratings:
    """What all raters judged; a negative level is no judgement. The order is that of the first rater's file."""
    first = raters[0]
    kept = first.level >= 0
    levels = [first.level]
    for other in raters[1:]:
        found = _found_in(first, other)
        level = np.append(other.level, -1)[found]
        levels.append(level)
        kept &= level >= 0
    judged = tuple(int(np.count_nonzero(rater.level >= 0)) for rater in raters)
    table = np.stack([level[kept].astype(np.int64) for level in levels])
    return Ratings(table, first.topic_of[kept].astype(np.int64), len(first), judged)


def _found_in(first: Judgements, other: Judgements) -> NDArray[np.int32]:
    """The other's judgement of each document of the first, -1 where it has none; [N]."""
    number = {name: i for i, name in enumerate(other.topics)}
    shared = np.array([i for i, name in enumerate(first.topics) if name in number], np.int64)
    rows = ragged.ranges(first.off[shared], np.diff(first.off)[shared])
    off = ragged.offsets(np.diff(first.off)[shared])
    topic = np.array([number[first.topics[i]] for i in shared.tolist()], np.int32)
    found = np.full(len(first.level), -1, np.int32)
    found[rows] = other.find(topic, off, first.keys[rows], first.documents.take(rows))
    return found


def agree(raters: Sequence[Judgements], names: Sequence[str], *, level: int = 1, binary: bool = False) -> Agreement:
    """Agreement on the documents that all raters judged. level: lowest relevant one. binary: relevant or not, only."""
    ratings = common_ratings(raters)
    levels = ratings.levels
    if not levels.shape[1]:
        raise DataError("no document is judged by all of the files")
    relevant = levels >= level
    if binary:
        levels = relevant.astype(np.int64)
    categories = np.unique(levels)
    pairs = []
    for a, b in combinations(range(len(raters)), 2):
        table = confusion(levels[a], levels[b], categories)
        plain, linear, quadratic = (cohen_kappa(table, weights, categories) for weights in WEIGHTS)
        pairs.append(
            RaterPair(
                names[a],
                names[b],
                levels.shape[1],
                float(np.trace(table)) / levels.shape[1],
                plain,
                linear,
                quadratic,
                _mean_overlap(relevant[[a, b]], ratings),
                table,
            )
        )
    counts = np.stack([(levels == category).sum(axis=0) for category in categories.tolist()], axis=1)
    return Agreement(
        tuple(names),
        tuple(categories.tolist()),
        levels.shape[1],
        len(np.unique(ratings.topic)),
        ratings.judged,
        tuple(pairs),
        fleiss_kappa(counts),
        _mean_overlap(relevant, ratings),
    )


def _mean_overlap(relevant: NDArray[np.bool_], ratings: Ratings) -> float:
    by_topic = overlap(relevant, ratings.topic, ratings.topics)
    known = by_topic[~np.isnan(by_topic)]
    return float(np.cumsum(known)[-1] / len(known)) if len(known) else float("nan")
