"""MED of expected reciprocal rank: branch and bound over the documents that both lists hold.

Expected reciprocal rank grows with the relevance of every document, so with some documents undecided the difference is
at most that of a first list in which they are all relevant and a second one in which none is. Deciding a document takes
one of the two back. What lies below a depth D is worth at most the chance to get there times T(D) = sum over i > D of
(r/i)(1-r)^(i-D-1), which is what a list of nothing but the best has there: tighter than the paper's (24). Tan & Clarke
(2015), section V.

Many problems (a topic in one direction) are searched side by side, one decision after the other. Of two nodes whose
lists are the same from the first undecided rank on, and which get there with the same chances, only the better one is
followed: lists that hardly differ would have too many otherwise.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ireval.core import ragged
from ireval.core.columns import Bools, Doubles, Ints
from ireval.core.pairs import Pairs, Side
from ireval.measures.differences import Cascade
from ireval.studies.med_linear import Bounds, Frame

TOLERANCE = 1e-10
"""Bounds no further apart than this are called equal."""
FIRST_DEPTH = 20
"""Ranks looked at first, where more than twice as many count."""
NODES = 2000
"""Undecided nodes of a problem that are followed at first."""
TOGETHER = 256
"""Topics searched side by side."""
_CELLS = 2_000_000
"""Nodes x ranks that may be in memory together."""

Progress = Callable[[int], None]


def err_distance(model: Cascade, pairs: Pairs, frame: Frame, progress: Progress | None = None) -> Bounds:
    """Largest possible difference of expected reciprocal rank, proved or between bounds."""
    low, high = np.zeros(len(pairs)), np.zeros(len(pairs))
    for start in range(0, len(pairs), TOGETHER):
        topics = np.arange(start, min(start + TOGETHER, len(pairs)))
        for one, two in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
            found_low, found_high = _search(model, one, two, topics, frame)
            low[topics] = np.maximum(low[topics], found_low)
            high[topics] = np.maximum(high[topics], found_high)
        if progress is not None:
            progress(len(topics))
    return Bounds(low, np.where(high - low <= TOLERANCE, low, high))


def _search(model: Cascade, one: Side, two: Side, topics: Ints, frame: Frame) -> tuple[Doubles, Doubles]:
    """Bounds for some topics in one direction: wide first, then deeper and with more nodes where time allows."""
    if model.depth is None:
        longest, shallow = np.maximum(one.length[topics], two.length[topics]), False
    else:
        longest, shallow = np.full(len(topics), model.depth), model.depth <= 2 * FIRST_DEPTH
    low, high = np.zeros(len(topics)), np.full(len(topics), np.inf)
    depth, nodes = int(longest.max()) if shallow else FIRST_DEPTH, NODES
    left = np.arange(len(topics))
    began = time.monotonic()
    while len(left):
        reach = np.minimum(depth, np.maximum(longest[left], 1))
        for size in ragged.distinct(reach):
            of_size = left[reach == size]
            followed = min(nodes, _CELLS // size)
            step = max(1, _CELLS // (followed * size))
            for some in np.split(of_size, np.arange(step, len(of_size), step)):
                problems = _problems(model, one, two, topics[some], size, frame.filled)
                found_low, found_high = _branch(problems, followed, low[some], began + frame.budget * len(left) / 2.0)
                low[some] = np.maximum(low[some], found_low)
                high[some] = np.minimum(high[some], found_high)
        left = np.flatnonzero(high - low > TOLERANCE)
        if not len(left) or time.monotonic() - began > frame.budget * len(left) / 2.0:
            break
        deepest = depth >= int(longest[left].max())
        if deepest and nodes * depth > _CELLS:
            break
        depth, nodes = (depth, nodes * 8) if deepest else (depth * 2, nodes * 2)
    return low, np.maximum(high, low)


@dataclass(frozen=True)
class _Problems:
    """Problems of one depth D: what stands at each rank of both lists, and the documents to be decided.

    top: relevance of an undecided document that is taken for relevant. mine, theirs [P, D]: relevance at each rank,
    that of undecided documents as best for the difference (relevant in the first list, not in the second). mine_at,
    theirs_at [P, M]: places of the documents to be decided, in the order of their first appearance; number [P] of them.
    rest [P, 2]: what the first list may be, and is at least, worth below D, once one gets there; cost [P, 2]: what the
    second may be worth, and what it may be when nothing below D is relevant without a judgement that says so. open
    [P, D]: documents of the first list that the second has below D.
    """

    top: float
    mine: Doubles
    theirs: Doubles
    mine_at: Ints
    theirs_at: Ints
    number: Ints
    rest: Doubles
    cost: Doubles
    open: Bools


@lru_cache(maxsize=64)
def tail_worth(top: float, start: int) -> float:
    """T(start): expected reciprocal rank of endlessly many documents of relevance `top` after the first `start` ranks.

    By the recurrence T(n) = top/(n+1) + (1 - top) T(n+1), from so far below that where one begins cannot be seen.
    """
    worth = 0.0
    for n in range(start + math.ceil(38.0 / top), start - 1, -1):
        worth = top / (n + 1) + (1.0 - top) * worth
    return worth


def _problems(model: Cascade, one: Side, two: Side, topics: Ints, depth: int, filled: bool) -> _Problems:
    top, count = model.relevance.top, len(topics)
    mine = np.full((count, depth), top if filled else 0.0)
    theirs = np.zeros((count, depth))
    owner, rows, place = _within(one, topics, depth)
    limit = np.inf if model.depth is None else float(model.depth)
    partner = one.partner[rows]
    other = np.where(partner >= 0, two.rank[partner], 0) if len(two.rank) else np.zeros(len(rows), np.int64)
    known = one.level[rows] >= 0
    mine[owner, place] = np.where(known, model.relevance.of(np.maximum(one.level[rows], 0)), top)
    their_owner, their_rows, their_place = _within(two, topics, depth)
    judged = two.level[their_rows] >= 0
    theirs[their_owner, their_place] = np.where(judged, model.relevance.of(np.maximum(two.level[their_rows], 0)), 0.0)
    # To be decided: unjudged documents within the depth in both lists. What one list holds below it stays open; the
    # bounds allow for it, whichever way it goes.
    beyond = np.zeros((count, depth), np.bool_)
    beyond[owner, place] = ~known & (other > depth) & (other <= limit)
    chosen = np.flatnonzero(~known & (other > 0) & (other <= depth))
    owner, place, other = owner[chosen], place[chosen], other[chosen] - 1
    order = np.lexsort((np.maximum(place, other), np.minimum(place, other), owner))
    owner, place, other = owner[order], place[order], other[order]
    number = ragged.counts(owner, count)
    slot = ragged.positions(ragged.offsets(number))
    mine_at = np.zeros((count, int(number.max(initial=0))), np.int64)
    theirs_at = np.zeros_like(mine_at)
    mine_at[owner, slot], theirs_at[owner, slot] = place, other
    rest, cost = np.zeros((count, 2)), np.zeros((count, 2))
    if depth < limit:
        below = tail_worth(top, depth)
        longer, their_longer = one.length[topics] > depth, two.length[topics] > depth
        rest[:, 0] = np.where(longer | filled, below, 0.0)
        rest[:, 1] = np.where(~longer & filled & (model.depth is None), below, 0.0)
        judged_below = np.bincount(two.owner[(two.level >= 0) & (two.rank > depth)], minlength=len(two.length))[topics]
        cost[:, 0] = np.where(their_longer, below, 0.0)
        cost[:, 1] = np.where(judged_below > 0, below, 0.0)
    return _Problems(top, mine, theirs, mine_at, theirs_at, number, rest, cost, beyond)


def _within(side: Side, topics: Ints, depth: int) -> tuple[Ints, Ints, Ints]:
    """Rows of some topics down to a depth: number of the topic among them, row, place from 0."""
    length = np.minimum(side.length[topics], depth)
    rows = ragged.ranges(side.off[topics], length)
    owner = np.repeat(np.arange(len(topics)), length)
    return owner, rows, side.rank[rows] - 1


def _err(values: Doubles) -> tuple[Doubles, Doubles]:
    """Expected reciprocal rank of lists [N, D], and the chance to get to their end; two [N]."""
    left: Doubles = np.multiply.accumulate(1.0 - values, axis=1)
    before = np.ones_like(values)
    before[:, 1:] = left[:, :-1]
    worth = (values * before) @ (1.0 / np.arange(1, values.shape[1] + 1))
    return worth, left[:, -1]


def _branch(problems: _Problems, nodes: int, known: Doubles, deadline: float) -> tuple[Doubles, Doubles]:
    """Decide one document after the other; lower and upper bounds, two [P].

    nodes: how many of a problem are followed at most. known [P]: values reached before. deadline: when to stop.
    """
    count = len(problems.number)
    low = np.maximum(known, _climb(problems))
    high = low.copy()
    problem = np.arange(count)
    mine, theirs = problems.mine, problems.theirs
    (worth, left), (price, _) = _err(mine), _err(theirs)
    plus = worth + left * problems.rest[:, 0]
    minus = price
    for step in range(problems.mine_at.shape[1] + 1):
        ended = problems.number[problem] == step
        if bool(ended.any()):
            leaf = problem[ended]
            np.maximum.at(high, leaf, plus[ended] - minus[ended])
            np.maximum.at(low, leaf, _certain(problems, leaf, mine[ended], theirs[ended]))
        go = np.flatnonzero(~ended)
        if len(go) and time.monotonic() > deadline:
            np.maximum.at(high, problem[go], plus[go] - minus[go])
            break
        if not len(go):
            break
        problem, mine, theirs, plus, minus = problem[go], mine[go], theirs[go], plus[go], minus[go]
        at, their_at = problems.mine_at[problem, step], problems.theirs_at[problem, step]
        row = np.arange(len(problem))
        without, with_it = mine.copy(), theirs.copy()
        without[row, at] = 0.0
        with_it[row, their_at] = problems.top
        worth, left = _err(without)
        less, more = worth + left * problems.rest[problem, 0], _err(with_it)[0]
        bound = np.concatenate([less - minus, plus - more])
        both = np.concatenate([problem, problem])
        kept = np.flatnonzero(bound > low[both] + TOLERANCE)
        kept = _fewer(kept, both, bound, nodes, high)
        problem = both[kept]
        mine = np.concatenate([without, mine])[kept]
        theirs = np.concatenate([theirs, with_it])[kept]
        plus, minus = np.concatenate([less, plus])[kept], np.concatenate([minus, more])[kept]
        if len(problem) > 4 * count:
            kept = _undominated(problems, step + 1, problem, mine, theirs, plus - minus)
            problem, mine, theirs, plus, minus = problem[kept], mine[kept], theirs[kept], plus[kept], minus[kept]
    return low, np.maximum(high, low)


def _fewer(kept: Ints, problem: Ints, bound: Doubles, nodes: int, high: Doubles) -> Ints:
    """The most promising nodes of problems that have too many; what is dropped raises their upper bound."""
    number = ragged.counts(problem[kept], len(high))
    if int(number.max(initial=0)) <= nodes:
        return kept
    order = kept[np.lexsort((-bound[kept], problem[kept]))]
    place = ragged.positions(ragged.offsets(number))
    dropped = order[place >= nodes]
    np.maximum.at(high, problem[dropped], bound[dropped])
    return order[place < nodes]


def _undominated(problems: _Problems, step: int, problem: Ints, mine: Doubles, theirs: Doubles, bound: Doubles) -> Ints:
    """Nodes without those that can come to nothing better than another one.

    All ranks above the next document to be decided are settled. Nodes of a problem with the same lists from there on,
    and as many relevant documents above, go on alike; so the higher bound belongs to the better node.
    """
    depth = mine.shape[1]
    places = np.minimum(problems.mine_at, problems.theirs_at)
    following = np.full(len(places), depth)
    undecided = problems.number > step
    following[undecided] = places[undecided, min(step, places.shape[1] - 1)]
    changed = np.concatenate([mine == 0.0, theirs == problems.top], axis=1)
    ahead = np.tile(np.arange(depth), 2) >= following[problem][:, None]
    above = changed & ~ahead
    state = np.column_stack([problem, above[:, :depth].sum(axis=1), above[:, depth:].sum(axis=1)])
    pattern = np.packbits(changed & ahead, axis=1)
    words = np.zeros((len(problem), -(-pattern.shape[1] // 8) * 8), np.uint8)
    words[:, : pattern.shape[1]] = pattern
    key = np.column_stack([state, words.view(np.int64)])
    order = np.lexsort((-bound, *key.T))
    same = (key[order[1:]] == key[order[:-1]]).all(axis=1)
    return np.sort(order[np.append(True, ~same)])


def _certain(problems: _Problems, problem: Ints, mine: Doubles, theirs: Doubles) -> Doubles:
    """Difference that is reached whatever lies below the depth; [N]."""
    (worth, left), (price, their_left) = _err(mine), _err(theirs)
    reached: Doubles = worth + left * problems.rest[problem, 1] - price - their_left * problems.cost[problem, 0]
    if bool(problems.cost.any()):  # or let what goes on below the depth be nonrelevant, in both lists
        worth, left = _err(np.where(problems.open[problem], 0.0, mine))
        without = worth + left * problems.rest[problem, 1] - price - their_left * problems.cost[problem, 1]
        reached = np.maximum(reached, without)
    return reached


def _climb(problems: _Problems) -> Doubles:
    """Values of good assignments, from flipping one document at a time; [P]."""
    count, width = problems.mine_at.shape
    every = np.arange(count)
    inside = np.arange(width) < problems.number[:, None]
    relevant = inside & (problems.mine_at < problems.theirs_at)
    best = _certain(problems, every, *_assigned(problems, every, relevant))
    if not width:
        return best
    problem, slot = np.nonzero(inside)
    for _ in range(4 * width):
        flipped = relevant[problem]
        flipped[np.arange(len(problem)), slot] ^= True
        value = _certain(problems, problem, *_assigned(problems, problem, flipped))
        table = np.full((count, width), -np.inf)
        table[problem, slot] = value
        choice = np.argmax(table, axis=1)
        gained = table[every, choice]
        better = gained > best + TOLERANCE
        if not bool(better.any()):
            break
        best = np.where(better, gained, best)
        relevant[every[better], choice[better]] ^= True
        on = better[problem]
        problem, slot = problem[on], slot[on]
    return best


def _assigned(problems: _Problems, problem: Ints, relevant: Bools) -> tuple[Doubles, Doubles]:
    """Both lists with every document decided: relevant [N, M]."""
    mine, theirs = problems.mine[problem].copy(), problems.theirs[problem].copy()
    row, slot = np.nonzero(np.arange(relevant.shape[1]) < problems.number[problem][:, None])
    value = np.where(relevant[row, slot], problems.top, 0.0)
    mine[row, problems.mine_at[problem[row], slot]] = value
    theirs[row, problems.theirs_at[problem[row], slot]] = value
    return mine, theirs
