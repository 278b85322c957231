"""Scores: one number for each measure and topic of a run, and what becomes of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ireval.core.columns import Bools, Doubles
from ireval.core.numeric import exp, log, ordered_sum

MIN_GEOMETRIC = 0.00001
"""trec_eval's floor for a value that enters a geometric mean."""


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run beside its scores.

    tag: the run id in the file. topics: number of topics averaged over. judged: topics with judgements.
    missing: judged topics that the run lacks. unjudged: run topics without judgements. repeated: documents passed over.
    lengthless: retrieved documents that took a default length. lost_clicks: clicks on sessions that are not scored.
    """

    tag: str
    topics: int
    judged: int
    missing: tuple[bytes, ...]
    unjudged: int
    repeated: int
    lengthless: int = 0
    lost_clicks: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Scores of one run.

    topics [T]: ids in byte order. values [V, T]: one row a measure (NaN rows where a measure gives text or only a
    summary). texts: row -> one string a topic. missing [T]: whether the run lacked the topic.
    """

    topics: list[bytes]
    values: Doubles
    texts: dict[int, list[str]]
    missing: Bools
    facts: RunFacts


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCube:
    """Scores of several systems by several measures on the same topics: what tests and studies work on.

    values [S, V, T]: systems x measures x topics. missing [S, T]: whether the system lacked the topic (its values are
    then those of an empty ranking, or 0). better [V]: high, low or nothing, as the measure has it.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    topics: tuple[str, ...]
    values: Doubles
    missing: Bools
    better: tuple[str, ...]


def aggregate(values: Doubles, how: str, topics: int | None = None) -> float:
    """One number from the topics' values [T], added in order.

    how: mean, sum, geometric (the values are logarithms), gmean or median of plain values. topics: how many to divide
    by, when some topics that add nothing are not among the values.
    """
    count = len(values) if topics is None else topics
    if count == 0:
        return 0.0
    if how == "median":
        return float(np.median(values))
    if how == "gmean":
        return exp(float(ordered_sum(log(np.where(values > MIN_GEOMETRIC, values, MIN_GEOMETRIC)))) / count)
    total = float(ordered_sum(values))
    if how == "sum":
        return total
    if how == "geometric":
        return exp(total / count)
    return total / count


MISSING_ZSCORE = -1000000.0
"""trec_eval's value for a topic or measure that the reference file lacks."""


def standardise(values: Doubles, mean: Doubles, deviation: Doubles) -> Doubles:
    """Values in standard deviations from a mean; [T]. NaN means: no reference, so MISSING_ZSCORE.

    Without deviation the value must be the mean itself (0) or cannot be placed (MISSING_ZSCORE).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(deviation != 0, (values - mean) / deviation, np.where(values == mean, 0.0, MISSING_ZSCORE))
    return np.where(np.isnan(mean), MISSING_ZSCORE, scaled)


def normal_share(values: Doubles) -> Doubles:
    """Share of the standard normal distribution below each value; [T]."""
    return np.array([0.5 * math.erfc(-value / math.sqrt(2.0)) for value in values.tolist()], np.float64)
