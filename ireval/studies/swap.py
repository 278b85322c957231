"""The swap method: how often do two sets of topics contradict each other about two systems?

Voorhees & Buckley, The Effect of Topic Set Size on Retrieval Experiment Error (SIGIR 2002), in the form of Sakai,
Evaluating the Task of Finding One Highly Relevant Document (2006), section 4.2 and Fig. 4: two topic sets are drawn,
the first tells a difference, which is put into a bin by its size, and when the second does not confirm who is better,
that is a swap. A difference so large that swaps are rare is reliable.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ireval.core.scores import ScoreCube
from ireval.stats.pairs import pair_numbers
from ireval.stats.resample import TOLERANCE, Progress, bootstrap_means, exact_parts, exact_sums, within

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

BINS = 21
_BLOCK_CELLS = 2_000_000
_EDGE = 1e-9
"""Differences that lie so close below the edge of a bin (in bins) belong to the next one: 0.07 is not 0.06999."""


@dataclass(frozen=True, eq=False, repr=False)
class Swaps:
    """What the swap method finds for a measure.

    count, swapped [BINS]: comparisons by the first topic set's difference, and those that the second contradicts (a tie
    is no confirmation). required: lower edge of the first bin from which on all bins that are not empty have a swap
    rate of at most `limit`; NaN where there is none. share: of the comparisons that reach it. largest_mean,
    largest_difference: in either set of any draw.
    """

    measure: str
    width: float
    limit: float
    count: Ints
    swapped: Ints
    required: float
    largest_mean: float
    largest_difference: float
    share: float

    @property
    def rate(self) -> Doubles:
        """Swap rate of each bin, NaN where it is empty; [BINS]."""
        return np.where(self.count > 0, self.swapped / np.maximum(self.count, 1), np.nan)

    @property
    def ratio(self) -> float:
        """The required difference over the largest mean."""
        return self.required / self.largest_mean if self.largest_mean > 0 else float("nan")


def topic_set_means(values: Doubles, samples: int, seed: int, replacement: bool) -> tuple[Doubles, Doubles]:
    """Means over two topic sets, drawn `samples` times; two [S, B]. values [S, T].

    With replacement: two bootstrap samples of T topics each. Without: two halves that share no topic (of an odd number
    one topic is left out each time).
    """
    topics = values.shape[1]
    if replacement:
        means = bootstrap_means(values, 2 * samples, seed)
        return means[:, 0::2], means[:, 1::2]
    orders = split_orders(topics, samples, seed)
    half = topics // 2
    parts = exact_parts(values, topics)
    sides = []
    for chosen in (orders[:, :half], orders[:, half : 2 * half]):
        counts = np.zeros((topics, samples))
        np.put_along_axis(counts, chosen.T, 1.0, axis=0)
        sides.append(exact_sums(parts, counts) / half)
    return sides[0], sides[1]


def split_orders(topics: int, samples: int, seed: int) -> Ints:
    """Random orders of the topics, whose first and second half are the two sets; [samples, topics]."""
    return np.argsort(np.random.default_rng(seed).random((samples, topics)), axis=1, kind="stable")


def swap_rates(
    values: Doubles,
    measure: str,
    *,
    samples: int = 1000,
    seed: int = 1,
    replacement: bool = True,
    limit: float = 0.05,
    width: float = 0.01,
    progress: Progress | None = None,
) -> Swaps:
    """The swap method for one measure. values [S, T]. width: of a bin. limit: highest swap rate that is acceptable."""
    one, two = topic_set_means(values, samples, seed, replacement)
    first, second = pair_numbers(len(values))
    smallest = TOLERANCE * float(np.max(np.abs(values), initial=0.0))
    count, swapped, largest = np.zeros(BINS, np.int64), np.zeros(BINS, np.int64), 0.0
    step = max(1, _BLOCK_CELLS // max(1, samples))
    for start in range(0, len(first), step):
        a, b = first[start : start + step], second[start : start + step]
        here, there = one[a] - one[b], two[a] - two[b]
        for side in (here, there):
            side[np.abs(side) <= smallest] = 0.0
        size = np.abs(here)
        largest = max(largest, float(size.max()), float(np.abs(there).max()))
        place = np.minimum(np.floor(size / width + _EDGE), BINS - 1).astype(np.int64)
        count += np.bincount(place.ravel(), minlength=BINS)
        swapped += np.bincount(place[np.sign(here) * np.sign(there) <= 0], minlength=BINS)
        if progress is not None:
            progress(start + len(a), len(first))
    begin = _first_reliable(count, swapped, limit)
    return Swaps(
        measure,
        width,
        limit,
        count,
        swapped,
        float("nan") if begin is None else begin * width,
        float(max(one.max(), two.max())),
        largest,
        0.0 if begin is None else float(count[begin:].sum() / count.sum()),
    )


def _first_reliable(count: Ints, swapped: Ints, limit: float) -> int | None:
    """The first bin from which this and all higher bins that are not empty keep the limit."""
    good = swapped <= limit * count + _EDGE
    filled = np.flatnonzero(count > 0)
    begin = None
    for place in filled[::-1].tolist():
        if not good[place]:
            break
        begin = place
    return begin


def swap_all(
    cube: ScoreCube,
    *,
    samples: int = 1000,
    seed: int = 1,
    replacement: bool = True,
    limit: float = 0.05,
    width: float = 0.01,
    progress: Progress | None = None,
) -> list[Swaps]:
    """Every measure of a cube, with the same topic sets."""
    how = {"samples": samples, "seed": seed}
    found = []
    for v, measure in enumerate(cube.measures):
        values = np.ascontiguousarray(cube.values[:, v, :])
        own = within(progress, v, len(cube.measures))
        found.append(
            swap_rates(values, measure, **how, replacement=replacement, limit=limit, width=width, progress=own)
        )
    return found
