"""Group fairness and relevance (GFR): does a user who stops when satisfied see groups as they should be seen?

Source: Sakai, Kim & Kang, A Versatile Framework for Evaluating Ranked Lists in terms of Group Fairness and Relevance,
ACM TOIS 42(1), 2023; for NMD and RNOD: Sakai, Evaluating Evaluation Measures for Ordinal Classification and Ordinal
Quantification, ACL 2021. A distribution is a list of probabilities, one a group; groups may be in order (NMD, RNOD).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Distribution = Sequence[float]
Divergence = Callable[[Distribution, Distribution], float]


def jensen_shannon(seen: Distribution, wished: Distribution) -> float:
    """JSD, base 2: (KL(p||m) + KL(q||m)) / 2 with m = (p + q)/2; for groups without an order."""
    middle = [(p + q) / 2 for p, q in zip(seen, wished, strict=True)]
    return (_relative_entropy(seen, middle) + _relative_entropy(wished, middle)) / 2


def _relative_entropy(p: Distribution, q: Distribution) -> float:
    return sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True) if a > 0)


def match_distance(seen: Distribution, wished: Distribution) -> float:
    """NMD: sum of |difference of the cumulated distributions| / (C - 1)."""
    total = gap = 0.0
    for p, q in zip(seen, wished, strict=True):
        gap += p - q
        total += abs(gap)
    return total / (len(wished) - 1)


def order_aware_divergence(seen: Distribution, wished: Distribution) -> float:
    """RNOD: sqrt(OD / (C - 1)), OD the mean over groups i wished for of sum over j of |i - j| (p_j - q_j)^2."""
    squares = [(p - q) ** 2 for p, q in zip(seen, wished, strict=True)]
    places = [i for i, q in enumerate(wished) if q > 0]
    total = sum(abs(i - j) * square for i in places for j, square in enumerate(squares))
    return math.sqrt(total / len(places) / (len(wished) - 1))


DIVERGENCES: dict[str, Divergence] = {"JSD": jensen_shannon, "NMD": match_distance, "RNOD": order_aware_divergence}


def group_fairness(
    chances: Sequence[float], memberships: Sequence[Distribution], wished: Distribution, divergence: Divergence
) -> list[float]:
    """GF of the first r documents, for r = 0, 1, 2, ...: sum of Pr(stop at i) x (1 - divergence_i).

    chances: probability that each document satisfies. divergence_i compares the wished distribution with the mean
    membership of the documents down to rank i.
    """
    value, going_on, total = 0.0, 1.0, [0.0] * len(wished)
    after = [value]
    for rank, (chance, membership) in enumerate(zip(chances, memberships, strict=True), 1):
        total = [t + m for t, m in zip(total, membership, strict=True)]
        if chance > 0:
            value += going_on * chance * (1.0 - divergence([t / rank for t in total], wished))
            going_on *= 1.0 - chance
        after.append(value)
    return after
