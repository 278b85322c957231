"""Rank-biased overlap of two rankings, with lists of unequal length and ties.

Webber, Moffat & Zobel, A similarity measure for indefinite rankings (ACM TOIS 28(4), 2010); ties by Corsi & Urbano, The
Treatment of Ties in Rank-Biased Overlap (SIGIR 2024): an item of a tie group that begins at rank t and ends at rank b
belongs to the first d ranks with a contribution c(d) between 0 and 1, and the overlap at depth d is the sum over items
of the product of their contributions in the two rankings.

- `a`: c(d) = (d-t+1)/(b-t+1) inside the group. The mean over all ways of breaking the ties.
- `b`: contributions as in `a`, agreement divided by both rankings' norms, so that a ranking agrees with itself fully.
- `w`: c(d) = 1 from t on: the items of a group share its first rank. Webber's own suggestion.

All functions take many pairs of rankings at once, flat, cut by offsets.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ireval.core.ragged import counts, offsets, owners, positions, ranges, sums

Doubles = NDArray[np.float64]
Longs = NDArray[np.int64]
Ties = Literal["a", "b", "w"]

TIES: tuple[Ties, ...] = ("a", "b", "w")
"""The three treatments of ties; without ties they agree."""


@dataclass(frozen=True)
class Rankings:
    """Some rankings, one after the other: ranking i has the rows off[i]:off[i+1], best first."""

    off: Longs
    """[T+1]"""
    tied: NDArray[np.bool_]
    """[N] whether a row is tied with the row before it; False on the first row of a ranking"""

    @property
    def length(self) -> Longs:
        """Items in each ranking; [T]."""
        found: Longs = np.diff(self.off)
        return found

    def tie_bounds(self) -> tuple[Longs, Longs]:
        """First and last rank (from 1) of each row's tie group; two [N]."""
        head = np.flatnonzero(~self.tied)
        size = np.diff(np.append(head, len(self.tied)))
        top = np.repeat(positions(self.off)[head] + 1, size)
        return top, top + np.repeat(size, size) - 1


@dataclass(frozen=True)
class RankBiasedOverlap:
    """RBO of T pairs of rankings; arrays [T]."""

    minimum: Doubles
    """what the two lists prove, were nothing below them in common (Webber et al., (11))"""
    extrapolated: Doubles
    """the point estimate: the agreement seen goes on below (their (32)); nan when a list is empty"""
    residual: Doubles
    """how much the part that was not seen could still add; minimum + residual is the maximum"""

    @property
    def maximum(self) -> Doubles:
        """The largest value that longer lists could have; [T]."""
        return self.minimum + self.residual


def rbo(first: Rankings, second: Rankings, partner: Longs, p: float, ties: Ties = "a") -> RankBiasedOverlap:
    """Rank-biased overlap of T pairs of rankings.

    partner [rows of first]: the row of `second` that holds the same item (in the ranking of the same pair), or -1. No
    item may occur twice in a ranking. p: persistence, between 0 and 1, both excluded.
    """
    if not 0.0 < p < 1.0:
        raise ValueError(f"p must lie between 0 and 1, found {p}")
    if ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}, found {ties!r}")
    seen = _Seen.of(first, second, partner, ties)
    head = _agreement(seen, seen.overlap, ties)
    last_shared = np.append(head, np.nan)[np.where(seen.short > 0, seen.off[:-1] + seen.short - 1, len(head))]
    below = seen.depth > seen.short[seen.owner]  # depths that only the longer list reaches
    new, new_average, new_best = _unmatched(first, second, partner, seen, below, ties)

    scale = (1.0 - p) / p
    longest = int((seen.short + seen.long).max(initial=0))
    power = p ** np.arange(longest + 2.0)
    log_terms = np.concatenate([[0.0], np.cumsum(power[1:] / np.arange(1, longest + 2))])  # sum of p^d/d up to d
    weight = power[seen.depth]

    def weighted(agreement: Doubles) -> Doubles:
        return sums(agreement * weight, seen.owner, len(seen.short))

    best = seen.overlap.copy()
    best[below] += new_best
    extended = seen.overlap.copy()
    extended[below] += new * last_shared[seen.owner[below]] * new_average

    common, short, long = seen.common, seen.short, seen.long
    tail = np.log(1.0 / (1.0 - p)) - log_terms[long]
    minimum = scale * (weighted(head) + common * tail)
    meet = long + short - common  # from this depth on, two lists that overlap as far as they can agree fully
    partly = 2.0 * (power[long + 1] - power[meet + 1]) / (1.0 - p) - meet * (log_terms[meet] - log_terms[long])
    maximum = scale * (weighted(_agreement(seen, best, ties)) + partly + power[meet + 1] / (1.0 - p))
    with np.errstate(invalid="ignore", divide="ignore"):
        at_end = (common + (long - short) * last_shared) / long
        extrapolated = scale * (weighted(_agreement(seen, extended, ties)) + at_end * power[long + 1] / (1.0 - p))
    return RankBiasedOverlap(minimum, extrapolated, maximum - minimum)


@dataclass(frozen=True)
class _Seen:
    """What two lists show at every depth down to the longer one's end; arrays over depths are [C], others [T]."""

    off: Longs  # [T+1] offsets of the depths
    owner: Longs
    depth: Longs  # from 1
    short: Longs
    long: Longs
    common: Longs  # items in both lists
    overlap: Doubles  # [C]
    bounds: tuple[tuple[Longs, Longs], tuple[Longs, Longs]]  # [C] each: tie group that a depth falls into, both lists

    @classmethod
    def of(cls, first: Rankings, second: Rankings, partner: Longs, ties: Ties) -> _Seen:
        long = np.maximum(first.length, second.length)
        off = offsets(long)
        owner, depth = owners(off), positions(off) + 1
        top1, bottom1 = first.tie_bounds()
        top2, bottom2 = second.tie_bounds()
        row = np.flatnonzero(partner >= 0)
        mate = partner[row]
        topic = owners(first.off)[row]
        overlap = _overlap(off, topic, (top1[row], bottom1[row]), (top2[mate], bottom2[mate]), ties)
        bounds = (
            _at_depths(first, top1, bottom1, owner, depth),
            _at_depths(second, top2, bottom2, owner, depth),
        )
        common = counts(topic, len(long))
        return cls(off, owner, depth, np.minimum(first.length, second.length), long, common, overlap, bounds)


def _at_depths(ranking: Rankings, top: Longs, bottom: Longs, owner: Longs, depth: Longs) -> tuple[Longs, Longs]:
    """First and last rank of the tie group at each depth; below the end of a list there are no ties. Two [C]."""
    inside = depth <= ranking.length[owner]
    row = np.where(inside, ranking.off[owner] + depth - 1, 0)
    if not len(top):
        return depth, depth
    return np.where(inside, top[row], depth), np.where(inside, bottom[row], depth)


def _contribution(depth: Longs, top: Longs, bottom: Longs) -> Doubles:
    """How much of an item, tied from rank top to bottom, lies within a depth that reaches its group."""
    found: Doubles = np.minimum(1.0, (depth - top + 1) / (bottom - top + 1))
    return found


def _overlap(off: Longs, topic: Longs, one: tuple[Longs, Longs], two: tuple[Longs, Longs], ties: Ties) -> Doubles:
    """Sum over the common items of the product of their contributions, at every depth; [C].

    topic, one, two: of each common item, its pair and its tie groups (first rank, last rank) in both rankings.
    """
    begin = np.maximum(one[0], two[0])
    end = begin if ties == "w" else np.maximum(one[1], two[1])
    complete = np.cumsum(np.bincount(off[topic] + end - 1, minlength=int(off[-1])))
    before = np.concatenate([[0], complete])[off[:-1]]
    overlap = (complete - np.repeat(before, np.diff(off))).astype(np.float64)
    partial = end - begin  # depths at which an item lies partly inside
    item = np.repeat(np.arange(len(topic)), partial)
    depth = ranges(begin, partial)
    product = _contribution(depth, one[0][item], one[1][item]) * _contribution(depth, two[0][item], two[1][item])
    added: Doubles = overlap + sums(product, off[topic[item]] + depth - 1, int(off[-1]))
    return added


def _agreement(seen: _Seen, overlap: Doubles, ties: Ties) -> Doubles:
    """Overlap at every depth, divided by what it could be; [C]."""
    (top1, bottom1), (top2, bottom2) = seen.bounds
    if ties == "w":
        return 2.0 * overlap / (bottom1 + bottom2)
    if ties == "a":
        return overlap / seen.depth
    norms: Doubles = np.sqrt(_squares(seen.depth, top1, bottom1)) * np.sqrt(_squares(seen.depth, top2, bottom2))
    return overlap / norms


def _squares(depth: Longs, top: Longs, bottom: Longs) -> Doubles:
    """Sum of the squared contributions of a ranking's items to a depth; [C]."""
    within = (depth - top + 1).astype(np.float64)
    partly: Doubles = within * within / (bottom - top + 1)
    return partly + (top - 1)


def _unmatched(
    first: Rankings, second: Rankings, partner: Longs, seen: _Seen, below: NDArray[np.bool_], ties: Ties
) -> tuple[Longs, Doubles, Doubles]:
    """The longer list's items that the shorter one lacks, at the depths that only the longer one reaches; three [B].

    Returned for each such depth: how many items the shorter list does not show, the mean contribution of the longer
    list's unmatched items there, and the sum of their contributions when as many as possible turn up.
    """
    owner, depth = seen.owner[below], seen.depth[below]
    hidden = depth - seen.short[owner]
    if ties == "w" or not len(owner):
        return hidden, np.ones(len(owner)), hidden.astype(np.float64)
    matched = np.zeros(len(second.tied), bool)
    matched[partner[partner >= 0]] = True
    lone1 = np.concatenate([[0], np.cumsum(partner < 0)])
    lone2 = np.concatenate([[0], np.cumsum(~matched)])
    first_longer = (first.length > second.length)[owner]
    (top1, bottom1), (top2, bottom2) = seen.bounds
    top = np.where(first_longer, top1[below], top2[below])
    bottom = np.where(first_longer, bottom1[below], bottom2[below])
    start1, start2 = first.off[owner], second.off[owner]

    def lone_within(rank: Longs) -> Longs:
        """Unmatched items of the longer list down to a rank."""
        of_first = lone1[np.where(first_longer, start1 + rank, 0)] - lone1[np.where(first_longer, start1, 0)]
        of_second = lone2[np.where(first_longer, 0, start2 + rank)] - lone2[np.where(first_longer, 0, start2)]
        found: Longs = np.where(first_longer, of_first, of_second)
        return found

    whole = lone_within(np.where(depth == bottom, depth, top - 1))
    partly = lone_within(bottom) - whole
    share = _contribution(depth, top, bottom)
    mean = (whole + partly * share) / (whole + partly)
    best = np.minimum(hidden, whole) + np.clip(hidden - whole, 0, partly) * share
    return hidden, mean, best


# -- rankings from Python objects ------------------------------------------------------------------------------------


def rankings_from_groups(groups: Iterable[Iterable[Hashable]]) -> tuple[list[Hashable], Rankings]:
    """One ranking from its tie groups, best first: the items in order, and the ranking."""
    items: list[Hashable] = []
    tied: list[bool] = []
    for group in groups:
        members = list(group)
        items += members
        tied += [place > 0 for place in range(len(members))]
    if len(set(items)) != len(items):
        raise ValueError("an item occurs twice in a ranking")
    return items, Rankings(np.array([0, len(items)], np.int64), np.array(tied, bool))


def rbo_of_groups(
    first: Iterable[Iterable[Hashable]], second: Iterable[Iterable[Hashable]], p: float, ties: Ties = "a"
) -> RankBiasedOverlap:
    """RBO of one pair of rankings, given as tie groups: [["a"], ["b", "c"]] has b and c tied at rank 2."""
    items1, ranking1 = rankings_from_groups(first)
    items2, ranking2 = rankings_from_groups(second)
    place = {item: row for row, item in enumerate(items2)}
    partner = np.array([place.get(item, -1) for item in items1], np.int64)
    return rbo(ranking1, ranking2, partner, p, ties)


def rbo_of_scores(first: ArrayLike, second: ArrayLike, p: float, ties: Ties = "a") -> RankBiasedOverlap:
    """RBO of the rankings that two score vectors [N] give to the same N items, highest first; equal scores are ties."""
    scores = [np.asarray(one, np.float64) for one in (first, second)]
    if scores[0].ndim != 1 or scores[0].shape != scores[1].shape:
        raise ValueError("two score vectors of the same length are needed")
    order = [np.argsort(-one, kind="stable") for one in scores]
    off = np.array([0, len(scores[0])], np.int64)
    ranked = [one[by] for one, by in zip(scores, order, strict=True)]
    tied = [np.concatenate([[False], one[1:] == one[:-1]])[: len(one)] for one in ranked]
    place = np.empty(len(order[1]), np.int64)
    place[order[1]] = np.arange(len(order[1]))
    return rbo(Rankings(off, tied[0]), Rankings(off, tied[1]), place[order[0]], p, ties)
