"""Slow twins of the measures of diversity: plain loops over one topic, no numpy, nothing of ireval.

Written from Sakai, Metrics, Statistics, Tests (2014), eq. 24-34, Clarke et al. (SIGIR 2008; ICTIR 2009) and what
ndeval prints. A topic is a ranking of documents and a list of intents; a document that was judged for any intent counts
as judged for all of them, at level 0 where nothing else is said. Negative levels are level 0.

    MEASURES[name](topic, **parameters)         measures of intents
    LENSES[name](topic, **parameters)           ordinary measures on global gains, by label
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import oracle_graded
from oracle import gain_entries, gain_of


class Intent(NamedTuple):
    """How probable, whether navigational, and the levels of the documents."""

    probability: float
    navigational: bool
    levels: dict[bytes, int]


class Topic(NamedTuple):
    """Documents in rank order, the intents that have a relevant document, all judged documents; top: highest level
    anywhere; characters of documents; everywhere: the levels of all documents and intents of all topics."""

    ranking: list[bytes]
    intents: list[Intent]
    judged: list[bytes]
    top: int
    characters: dict[bytes, int]
    everywhere: tuple[int, ...]


def serves(intent: Intent, document: bytes, rel: int) -> bool:
    return intent.levels.get(document, 0) >= max(rel, 1)


def ratio(a: float, b: float) -> float:
    return a / b if b else 0.0


# -- intents covered, precision -------------------------------------------------------------------------------------


def intent_recall(t: Topic, rel: int, k: int | None = None) -> float:
    covered = 0
    for intent in t.intents:
        if any(serves(intent, document, rel) for document in t.ranking[:k]):
            covered += 1
    return ratio(covered, len(t.intents))


def intent_recall_at_number(t: Topic, rel: int) -> float:
    return intent_recall(t, rel, len(t.intents))


def precision_ia(t: Topic, k: int, rel: int) -> float:
    served = 0
    for document in t.ranking[:k]:
        for intent in t.intents:
            served += serves(intent, document, rel)
    return ratio(served, k * len(t.intents))


def effective_precision(t: Topic, k: int, rel: int) -> float:
    count, done = 0, set()
    for document in t.ranking[:k]:
        useful = False
        for i, intent in enumerate(t.intents):
            if serves(intent, document, rel):
                if not intent.navigational or i not in done:
                    useful = True
                done.add(i)
        count += useful
    return count / k


def most_popular(t: Topic, k: int, rel: int) -> float:
    highest = max((intent.probability for intent in t.intents), default=0.0)
    popular = [intent for intent in t.intents if intent.probability == highest]
    return sum(any(serves(intent, document, rel) for intent in popular) for document in t.ranking[:k]) / k


# -- novelty --------------------------------------------------------------------------------------------------------


def novelty(t: Topic, ranking: list[bytes], alpha: float, rel: int, probs: str = "no") -> list[float]:
    """ng(r) for every rank."""
    weight = [intent.probability if probs == "yes" else 1.0 for intent in t.intents]
    gains = []
    for document in ranking:
        gain = 0.0
        for i, intent in enumerate(t.intents):
            if serves(intent, document, rel):
                gain += weight[i]
                weight[i] *= 1.0 - alpha
        gains.append(gain)
    return gains


def greedy(t: Topic, alpha: float, rel: int, probs: str = "no") -> list[float]:
    """ng(r) of the greedy ideal ranking; of equal documents the one with the larger name is taken."""
    left, ranking = sorted(t.judged), []
    while left:
        best, chosen = -1.0, b""
        for document in left:
            gain = novelty(t, [*ranking, document], alpha, rel, probs)[-1]
            if gain >= best:  # names ascend
                best, chosen = gain, document
        ranking.append(chosen)
        left.remove(chosen)
    return novelty(t, ranking, alpha, rel, probs)


def by_rank(gains: list[float], k: int) -> float:
    total = 0.0
    for r, gain in enumerate(gains[:k], 1):
        total += gain / r
    return total


def by_discount(gains: list[float], k: int) -> float:
    total = 0.0
    for r, gain in enumerate(gains[:k], 1):
        total += gain * (math.log(2.0) / math.log(r + 1.0))
    return total


def full_marks(t: Topic, alpha: float, k: int, probs: str = "no") -> list[float]:
    gain = math.fsum(i.probability for i in t.intents) if probs == "yes" else float(len(t.intents))
    gains = []
    for _ in range(k):
        gains.append(gain)
        gain *= 1.0 - alpha
    return gains


def err_ia(t: Topic, k: int, alpha: float, rel: int) -> float:
    return ratio(by_rank(novelty(t, t.ranking, alpha, rel), k), by_rank(full_marks(t, alpha, k), k))


def nerr_ia(t: Topic, k: int, alpha: float, rel: int) -> float:
    return ratio(by_rank(novelty(t, t.ranking, alpha, rel), k), by_rank(greedy(t, alpha, rel), k))


def alpha_dcg(t: Topic, k: int, alpha: float, rel: int, probs: str) -> float:
    return ratio(
        by_discount(novelty(t, t.ranking, alpha, rel, probs), k), by_discount(full_marks(t, alpha, k, probs), k)
    )


def alpha_ndcg(t: Topic, k: int, alpha: float, rel: int, probs: str, ideal: str) -> float:
    found = by_discount(novelty(t, t.ranking, alpha, rel, probs), k)
    best = greedy(t, alpha, rel, probs) if ideal == "greedy" else exhaustive(t, k, alpha, rel, probs)
    return ratio(found, by_discount(best, k))


def exhaustive(t: Topic, k: int, alpha: float, rel: int, probs: str) -> list[float]:
    """The best of all rankings of relevant documents; documents that serve the same intents are tried once."""
    relevant = [d for d in t.judged if any(serves(i, d, rel) for i in t.intents)]
    best: list[float] = []

    def go_on(ranking: list[bytes], left: list[bytes]) -> None:
        nonlocal best
        gains = novelty(t, ranking, alpha, rel, probs)
        if by_discount(gains, k) > by_discount(best, k):
            best = gains
        if len(ranking) == k:
            return
        tried = set()
        for document in left:
            kind = tuple(serves(i, document, rel) for i in t.intents)
            if kind not in tried:
                tried.add(kind)
                go_on([*ranking, document], [d for d in left if d != document])

    go_on([], relevant)
    return best


def rank_biased(t: Topic, gains: list[float], alpha: float, beta: float) -> float:
    total, decay = 0.0, 1.0
    for gain in gains:
        total += gain * decay
        decay *= beta
    return total * ratio(1 - (1 - alpha) * beta, len(t.intents))


def nrbp(t: Topic, alpha: float, beta: float, rel: int) -> float:
    return rank_biased(t, novelty(t, t.ranking, alpha, rel), alpha, beta)


def nnrbp(t: Topic, alpha: float, beta: float, rel: int) -> float:
    return ratio(nrbp(t, alpha, beta, rel), rank_biased(t, greedy(t, alpha, rel), alpha, beta))


# -- one intent at a time -------------------------------------------------------------------------------------------


def for_one(t: Topic, intent: Intent) -> oracle_graded.Ranked:
    """The topic as it is for one intent."""
    judged = {document: intent.levels.get(document, 0) for document in t.judged}
    codes = [judged.get(document, -1) for document in t.ranking]
    lengths = [(t.characters.get(document, 0), 0) for document in t.ranking]
    return oracle_graded.Ranked(codes, tuple(judged.values()), t.everywhere, lengths)


def intent_aware(t: Topic, name: str, **params: object) -> float:
    """M-IA = sum of Pr(i) M_i (eq. 26), for a measure of oracle_graded."""
    return math.fsum(i.probability * oracle_graded.MEASURES[name](for_one(t, i), **params) for i in t.intents)


def p_plus_q(t: Topic, k: int, gains: str, rel: int, beta: float) -> float:
    total = 0.0
    for intent in t.intents:
        name = "p_plus_cut" if intent.navigational else "q_measure_cut"
        total += intent.probability * oracle_graded.MEASURES[name](
            for_one(t, intent), k=k, gains=gains, rel=rel, beta=beta
        )
    return total


MEASURES: dict[str, Callable[..., float]] = {
    "i_rec": intent_recall,
    "i_rec_cut": lambda t, k, rel: intent_recall(t, rel, k),
    "i_rec_n": intent_recall_at_number,
    "p_ia": precision_ia,
    "effective_p": effective_precision,
    "pmp": most_popular,
    "p_plus_q": p_plus_q,
    "ndeval_err_ia": err_ia,
    "ndeval_nerr_ia": nerr_ia,
    "alpha_dcg": alpha_dcg,
    "alpha_ndcg": alpha_ndcg,
    "novelty_rbp": nrbp,
    "normalised_novelty_rbp": nnrbp,
}


# -- global gains ---------------------------------------------------------------------------------------------------


def local_gain(intent: Intent, document: bytes, gains: str, rel: int) -> float:
    level = intent.levels.get(document, 0)
    levels = tuple(sorted(set(intent.levels.values())))
    return gain_of(level, gain_entries(levels, gains)) if level >= max(rel, 1) else 0.0


def chance(intent: Intent, document: bytes, rel: int, top: int) -> float:
    level = intent.levels.get(document, 0)
    return (2.0**level - 1) / 2.0**top if level >= max(rel, 1) else 0.0


Local = Callable[[Intent, bytes], float]


def global_gain(t: Topic, document: bytes, local: Local) -> float:
    """GG(d) = sum over intents of Pr(i) g_i(d), eq. 27."""
    return math.fsum(intent.probability * local(intent, document) for intent in t.intents)


def global_gains(t: Topic, local: Local, first_only: bool = False) -> list[float]:
    """GG(r); with first_only, GG^DIN(r), eq. 32."""
    gains, seen = [], set()
    for document in t.ranking:
        gain = 0.0
        for i, intent in enumerate(t.intents):
            worth = local(intent, document)
            if worth and not (first_only and intent.navigational and i in seen):
                gain += intent.probability * worth
            if worth:
                seen.add(i)
        gains.append(gain)
    return gains


def ideal_gains(t: Topic, local: Local) -> list[float]:
    return sorted((g for g in (global_gain(t, d, local) for d in t.judged) if g > 0), reverse=True)


def dcg(gains: list[float], k: int) -> float:
    return sum(gain / math.log2(r + 1) for r, gain in enumerate(gains[:k], 1))


def d_ndcg(t: Topic, k: int, gains: str, first_only: bool = False) -> float:
    local: Local = lambda intent, document: local_gain(intent, document, gains, 1)  # noqa: E731
    return ratio(dcg(global_gains(t, local, first_only), k), dcg(ideal_gains(t, local), k))


def d_q(t: Topic, k: int, gains: str, rel: int, beta: float, first_only: bool = False) -> float:
    local: Local = lambda intent, document: local_gain(intent, document, gains, rel)  # noqa: E731
    best = ideal_gains(t, local)
    total, count, cg, cg_ideal = 0.0, 0, 0.0, 0.0
    for r, gain in enumerate(global_gains(t, local, first_only)[:k], 1):
        cg += gain
        cg_ideal += best[r - 1] if r <= len(best) else 0.0
        if gain > 0:
            count += 1
            total += (count + beta * cg) / (r + beta * cg_ideal)
    return ratio(total, min(k, len(best)))


def d_err(t: Topic, k: int, rel: int, first_only: bool = False) -> float:
    """ERR with the expectation over the intents of (2^level - 1)/2^top as the chance of satisfaction."""
    total, left = 0.0, 1.0
    for r, p in enumerate(global_gains(t, lambda i, d: chance(i, d, rel, t.top), first_only)[:k], 1):
        total += left * p / r
        left *= 1 - p
    return total


def d_u(t: Topic, rel: int, limit: float, snippet: float, share: float) -> float:
    """D-U, eq. 30: one trail, in which documents relevant to any intent are read."""
    total, position = 0.0, 0.0
    gains = global_gains(t, lambda i, d: chance(i, d, rel, t.top))
    for document, gain in zip(t.ranking, gains, strict=True):
        position += snippet
        if gain > 0:
            position += share * t.characters.get(document, 0)
            total += gain * max(0.0, 1 - position / limit)
    return total


LENSES: dict[str, Callable[..., float]] = {
    "D-nDCG": d_ndcg,
    "D-Q": d_q,
    "D-ERR": d_err,
    "D-U": d_u,
    "DIN-nDCG": lambda t, **params: d_ndcg(t, **params, first_only=True),
    "DIN-Q": lambda t, **params: d_q(t, **params, first_only=True),
    "DIN-ERR": lambda t, **params: d_err(t, **params, first_only=True),
}
