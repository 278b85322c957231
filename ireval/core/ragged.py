"""Algebra on flat arrays cut into segments by offsets: segment i is values[off[i]:off[i+1]]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ireval.core.columns import Doubles, Ints


def offsets(lengths: NDArray[np.integer]) -> Ints:
    """Offsets [T+1] of segments with these lengths [T]."""
    off = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=off[1:])
    return off


def distinct(numbers: NDArray[np.integer]) -> list[int]:
    """The different values among small non-negative integers, ascending; `np.unique` would load numpy.ma."""
    return np.flatnonzero(np.bincount(numbers)).tolist()


def owners(off: Ints) -> Ints:
    """For each element, the segment it lies in; shape [N]."""
    return np.repeat(np.arange(len(off) - 1), np.diff(off))


def positions(off: Ints) -> Ints:
    """For each element, its place within its segment, from 0; shape [N]."""
    return np.arange(off[-1]) - np.repeat(off[:-1], np.diff(off))


def ranges(start: Ints, length: Ints) -> Ints:
    """start[0], start[0]+1, ... (length[0] of them), start[1], ...; shape [sum(length)]."""
    off = offsets(length)
    return np.arange(off[-1]) + np.repeat(start - off[:-1], length)


def running_sum(values: Doubles, off: Ints) -> Doubles:
    """Running sum within each segment, added strictly from left to right as a C loop would; shape [N]."""
    return _running(values, off, np.add, 0.0)


def running_product(values: Doubles, off: Ints) -> Doubles:
    """Running product within each segment, from left to right; shape [N]."""
    return _running(values, off, np.multiply, 1.0)


def _running(values: Doubles, off: Ints, combine: np.ufunc, neutral: float) -> Doubles:
    """Running combination within each segment.

    Segments of similar length are padded into one matrix, because only an accumulation along an axis goes in order; one
    over everything would carry rounding from one segment into the next.
    """
    out = np.empty_like(values)
    length = np.diff(off)
    size_class = np.frexp(length)[1]  # 1, 2-3, 4-7, 8-15, ...: at most half of each matrix is padding
    for size in distinct(size_class[length > 0]):
        chosen = np.flatnonzero((size_class == size) & (length > 0))
        width = int(length[chosen].max())
        at = ranges(off[chosen], length[chosen])
        slot = ranges(np.arange(len(chosen)) * width, length[chosen])
        padded = np.full(len(chosen) * width, neutral)
        padded[slot] = values[at]
        out[at] = combine.accumulate(padded.reshape(-1, width), axis=1).ravel()[slot]
    return out


def sums(values: Doubles, owner: NDArray[np.integer], count: int) -> Doubles:
    """Sum of values by owner, added in order; shape [count]."""
    total: Doubles = np.bincount(owner, weights=values, minlength=count)  # type: ignore[assignment]
    return total


def counts(owner: NDArray[np.integer], count: int) -> Ints:
    """How many elements each owner has; shape [count]."""
    return np.bincount(owner, minlength=count)


def running_max_from_end(values: Doubles, off: Ints) -> Doubles:
    """For each element, the maximum of it and all later ones of its segment; shape [N]."""
    best, owner, step = values.copy(), owners(off), 1
    longest = int(np.diff(off).max(initial=0))
    while step < longest:  # after each pass, best covers twice as many elements
        within = owner[:-step] == owner[step:]
        best[:-step] = np.where(within, np.maximum(best[:-step], best[step:]), best[:-step])
        step *= 2
    return best


def value_at(running: Doubles, topic: Ints, rank: Ints, wanted_topic: Ints, wanted_rank: Ints) -> Doubles:
    """A running value as it stands after a rank, 0 before its first element; shape [len(wanted_topic)].

    running, topic, rank [N]: the value after each element, sorted by topic, then rank.
    """
    reach = max(int(rank.max(initial=0)), int(wanted_rank.max(initial=0))) + 1
    at = np.searchsorted(topic * reach + rank, wanted_topic * reach + wanted_rank, side="right") - 1
    known = np.append(running, 0.0)
    return np.where((at >= 0) & (np.append(topic, -1)[at] == wanted_topic), known[at], 0.0)
