"""Random shares of the judgements: how measures behave when a collection is judged less completely.

Buckley & Voorhees, Retrieval Evaluation with Incomplete Information (SIGIR 2004): of every topic a share of the
relevant and the same share of the nonrelevant judgements is kept, at least one of each that there is. Smaller shares of
a draw are parts of the larger ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ireval.core.judgements import Judgements

Bools = NDArray[np.bool_]


class Sample(NamedTuple):
    """A share (percent) of the judgements, one of several draws. keep [N]: which ones."""

    share: float
    draw: int
    keep: Bools


def check_shares(shares: Sequence[float]) -> None:
    """Shares are percentages."""
    if not all(0 < share < 100 for share in shares):
        raise ValueError("shares are percentages between 0 and 100")


def samples(judged: Judgements, shares: Sequence[float], draws: int, seed: int, level: int = 1) -> list[Sample]:
    """Every share of every draw. level: the lowest relevant one. Documents that are not judged (level < 0) stay so."""
    check_shares(shares)
    stratum = judged.topic_of.astype(np.int64) * 3 + np.where(judged.level < 0, 2, judged.level >= max(level, 0))
    size = np.bincount(stratum, minlength=3 * len(judged))
    start = np.concatenate([[0], np.cumsum(size)[:-1]])
    found = []
    for draw in range(draws):
        order = np.lexsort((np.random.default_rng([seed, draw]).random(len(stratum)), stratum))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order)) - start[stratum[order]]
        for share in shares:
            wanted = np.maximum(1, np.floor(size * share / 100.0 + 0.5)).astype(np.int64)
            found.append(Sample(share, draw, place < wanted[stratum]))
    return found
