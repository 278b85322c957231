"""Nugget measures: an answer is one text, and what counts are the pieces of information in it.

Each nugget has a weight and a vital length, the number of characters that the shortest text with it needs; each match
says how far from its beginning the reader has to read the answer to get the nugget. Source of all: Sakai, Kato & Song,
Click the Search Button and Be Happy: Evaluating Direct and Immediate Information Access, CIKM 2011; Sakai & Kato,
One Click One Revisited: Enhancing Evaluation based on Information Units, AIRS 2012. Precision with an allowance, from
question answering: Dang & Lin, Different Structures for Evaluating Answers to Complex Questions, ACL 2007.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Nugget:
    """A piece of information: what it is worth and how many characters it takes at least."""

    weight: float
    length: int


@dataclass(frozen=True)
class Match:
    """A nugget found in an answer, and where its text ends there."""

    nugget: Nugget
    offset: int


@dataclass(frozen=True)
class Answer:
    """The answer to one topic.

    nuggets: what should be in it. matches: what is. length: in characters. dense: the same without white space (as long
    where nobody knows). shares: how far each nugget is in it, where texts were compared.
    """

    nuggets: tuple[Nugget, ...]
    matches: tuple[Match, ...]
    length: int
    dense: int
    shares: tuple[float, ...] | None = None


def _over(a: float, b: float) -> float:
    """a / b as the hardware divides: 0/0 is NaN."""
    return a / b if b else (math.copysign(math.inf, a) if a else math.nan)


def recall(matches: Sequence[Match], nuggets: Sequence[Nugget]) -> float:
    """Nuggets found / nuggets."""
    return _over(len(matches), len(nuggets))


def weighted_recall(matches: Sequence[Match], nuggets: Sequence[Nugget]) -> float:
    """W-recall: sum of w over the nuggets found / sum of w over all."""
    return _over(sum_of(m.nugget.weight for m in matches), sum_of(n.weight for n in minimal_output(nuggets)))


def minimal_place(weight: float, length: int) -> tuple[float, int]:
    """What the pseudo minimal output is ordered by: the heaviest nuggets first, of these the shortest."""
    return -weight, length


def minimal_output(nuggets: Sequence[Nugget]) -> list[Nugget]:
    """The pseudo minimal output: the shortest text that has everything, in the best order."""
    return sorted(nuggets, key=lambda nugget: minimal_place(nugget.weight, nugget.length))


def sum_of(values: Iterable[float]) -> float:
    """Sum from left to right (Python's own sum compensates for rounding since 3.12, C's loops do not)."""
    total = 0.0
    for value in values:
        total += value
    return total


def _immediacy(pairs: Sequence[tuple[float, int]], limit: float) -> float:
    """Sum of w x max(0, L - offset)."""
    return sum_of(weight * (limit - offset) for weight, offset in pairs if offset < limit)


def ideal_immediacy(nuggets: Sequence[Nugget], limit: float) -> float:
    """What the minimal output reaches: sum of w x max(0, L - offset*), offset* the vital lengths so far."""
    read, pairs = 0, []
    for nugget in minimal_output(nuggets):
        read += nugget.length
        pairs.append((nugget.weight, read))
    return _immediacy(pairs, limit)


def s_measure(matches: Sequence[Match], nuggets: Sequence[Nugget], limit: float) -> float:
    """S-measure: sum over matches of w x max(0, L - offset) / the same of the minimal output; it can exceed 1.

    limit: L, the number of characters after which the reader has lost patience.
    """
    found = _immediacy([(m.nugget.weight, m.offset) for m in matches], limit)
    return _over(found, ideal_immediacy(nuggets, limit))


def t_measure(matches: Sequence[Match], length: int) -> float:
    """T-measure: vital lengths of the nuggets found / length of the answer; 0 for an empty answer."""
    return sum(m.nugget.length for m in matches) / length if length else 0.0


def flat(value: float) -> float:
    """S-flat and T-flat: min(1, value)."""
    return 1.0 if value > 1.0 else value


def f_measure(precision: float, recall: float, beta: float) -> float:
    """(1 + beta^2) P R / (beta^2 P + R), 0 when neither is positive. S# (F-flat) is that of T-flat and S-flat."""
    both = precision > 0 or recall > 0
    return _over((1 + beta * beta) * precision * recall, beta * beta * precision + recall) if both else 0.0


def allowed_precision(found: int, length: int, allowance: float) -> float:
    """1 - max(0, l - allow) / l with allow = so many characters for each nugget found; 1 up to there."""
    allow = allowance * found
    return 1.0 if length <= allow else 1.0 - (length - allow) / length


def soft_recall(shares: Sequence[float], nuggets: Sequence[Nugget]) -> float:
    """W-recall where a nugget can be found in part: sum of w x share / sum of w."""
    found = sum_of(nugget.weight * share for nugget, share in zip(nuggets, shares, strict=True))
    return _over(found, sum_of(nugget.weight for nugget in nuggets))
