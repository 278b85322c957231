"""Slow twins of the measures that trec_eval does not have: plain loops over one topic, no numpy, nothing of ireval.

Written from the formulas of Sakai, Metrics, Statistics, Tests (2014), of Sakai, On the Task of Finding One Highly
Relevant Document with High Precision (2006), of the papers that they name, and from the choices of answers.md. Codes of
documents and gain maps are those of oracle.py.

    MEASURES[name](topic, **parameters)

A document is relevant from level `rel` on. A relevant document without gain counts in C(r) and R, but adds no term.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from oracle import gain_entries, gain_of, ideal_gains, relevant_in_file, relevant_retrieved, relevant_within


class Ranked(NamedTuple):
    """A topic: codes in rank order, levels in the judgement file, levels of all topics, lengths in rank order."""

    codes: Sequence[int]
    levels: tuple[int, ...]
    everywhere: tuple[int, ...]
    lengths: Sequence[tuple[int, int]] = ()
    """Characters and words."""


@cache
def entries_of(levels: tuple[int, ...], gains: str) -> list[tuple[float, int, int]]:
    return gain_entries(levels, gains)


def gain(t: Ranked, level: int, gains: str) -> float:
    return gain_of(level, entries_of(t.levels, gains))


def top_gain(t: Ranked, gains: str) -> float:
    """Highest gain of the whole judgement file, 1 where nothing has a gain."""
    return highest_gain(t.everywhere, gains) or 1.0


@cache
def highest_gain(levels: tuple[int, ...], gains: str) -> float:
    highest = 0.0
    for level in levels:
        if level >= 0:
            highest = max(highest, gain_of(level, entries_of(levels, gains)))
    return highest


def ideal(t: Ranked, gains: str, rel: int) -> list[float]:
    """Positive gains of the relevant documents, from high to low."""
    return ideal_of(t.levels, gains, rel)


@cache
def ideal_of(levels: tuple[int, ...], gains: str, rel: int) -> list[float]:
    found = []
    for level in levels:
        one = gain_of(level, entries_of(levels, gains))
        if level >= max(rel, 0) and one > 0:
            found.append(one)
    return sorted(found, reverse=True)


class Hit(NamedTuple):
    """A relevant document retrieved: rank, C(r), level, gain, cg(r)."""

    rank: int
    nth: int
    level: int
    gain: float
    cg: float


def hits(t: Ranked, gains: str, rel: int) -> Iterator[Hit]:
    nth, cg = 0, 0.0
    for at, code in enumerate(t.codes):
        if code >= 0 and code >= rel:
            nth += 1
            cg += gain(t, code, gains)
            yield Hit(at + 1, nth, code, gain(t, code, gains), cg)


def cg_star(t: Ranked, gains: str, rel: int, rank: int) -> float:
    """cg*(r), flat after the last relevant document."""
    total = 0.0
    for one in ideal(t, gains, rel)[:rank]:
        total += one
    return total


def blended_ratio(t: Ranked, hit: Hit, gains: str, rel: int, beta: float) -> float:
    """BR(r) = (C(r) + beta cg(r)) / (r + beta cg*(r)); Lecture (11)."""
    return (hit.nth + beta * hit.cg) / (hit.rank + beta * cg_star(t, gains, rel, hit.rank))


def over(a: float, b: float) -> float:
    """a / b, 0 where there is nothing to divide by."""
    return a / b if b else 0.0


# -- AP@l over min(l, R), Q-measure, R-measure ----------------------------------------------------------------------


def ap_cut_min(t, k, rel):
    total = 0.0
    for hit in hits(t, "level", rel):
        if hit.rank <= k:
            total += hit.nth / hit.rank
    return over(total, min(k, relevant_in_file(t.levels, rel)))


def q_measure_cut(t, k, gains, rel, beta):
    total = 0.0
    for hit in hits(t, gains, rel):
        if hit.rank <= k and hit.gain > 0:
            total += blended_ratio(t, hit, gains, rel, beta)
    return over(total, min(k, relevant_in_file(t.levels, rel)))


def q_measure(t, gains, rel, beta):
    return q_measure_cut(t, math.inf, gains, rel, beta)


def r_measure(t, gains, rel, beta):
    size, found, cg = relevant_in_file(t.levels, rel), 0, 0.0
    for hit in hits(t, gains, rel):
        if hit.rank <= size:
            found, cg = hit.nth, hit.cg
    return over(found + beta * cg, size + beta * cg_star(t, gains, rel, size))


# -- finding one document -------------------------------------------------------------------------------------------


def worth(hit: Hit, by: str) -> float:
    return hit.gain if by == "gains" else hit.level


def preferred(t, gains, rel, by, k=math.inf):
    """The first of the most relevant documents within the first k; None where there is none."""
    best = None
    for hit in hits(t, gains, rel):
        if hit.rank <= k and worth(hit, by) > 0 and (best is None or worth(hit, by) > worth(best, by)):
            best = hit
    return best


def r1(t, rel):
    for at, code in enumerate(t.codes):
        if code >= rel:
            return at + 1
    return 0


def rp(t, gains, rel, by):
    best = preferred(t, gains, rel, by)
    return best.rank if best else 0


def o_measure(t, gains, rel, beta, by):
    for hit in hits(t, gains, rel):
        if hit.gain > 0 or by == "levels":
            return blended_ratio(t, hit, gains, rel, beta)
    return 0.0


def p_measure(t, gains, rel, beta, by):
    best = preferred(t, gains, rel, by)
    return blended_ratio(t, best, gains, rel, beta) if best else 0.0


def p_plus(t, gains, rel, beta, by, k=math.inf):
    best, total, count = preferred(t, gains, rel, by, k), 0.0, 0
    for hit in hits(t, gains, rel):
        if best and hit.rank <= best.rank:
            if hit.gain > 0:
                total += blended_ratio(t, hit, gains, rel, beta)
            if hit.gain > 0 or by == "levels":
                count += 1
    return over(total, count)


def p_plus_cut(t, k, gains, rel, beta):
    return p_plus(t, gains, rel, beta, "gains", k)


def less_than_a_rank(level: int, penalties: str) -> float:
    """1/beta(level); nothing for a document that is not relevant."""
    return 1 / float(penalties.split(":")[level - 1]) if level > 0 else 0.0


def wrr(t, penalties, rel):
    rank = r1(t, rel)
    return 1 / (rank - less_than_a_rank(t.codes[rank - 1], penalties)) if rank else 0.0


def nwrr(t, penalties, rel):
    return (1 - less_than_a_rank(max(t.levels), penalties)) * wrr(t, penalties, rel)


# -- normalised cumulative utility ----------------------------------------------------------------------------------


def ncu(t, stop, utility, gains, rel, beta, gamma, p, stops, share, k=math.inf):
    held = min(k, relevant_in_file(t.levels, rel))
    whole = 0.0
    if stop == "gu":
        for one in ideal(t, stops or gains, rel)[:held]:
            whole += one
    else:
        for n in range(held):
            whole += gamma**n if stop == "rb" else 1.0
    if share == "min" and k < math.inf:
        whole = held
    total = 0.0
    for hit in hits(t, gains, rel):
        if hit.rank <= k and hit.gain > 0:
            weight = {"u": 1.0, "rb": gamma ** (hit.nth - 1), "gu": gain(t, hit.level, stops or gains)}[stop]
            if utility == "BR":
                total += weight * blended_ratio(t, hit, gains, rel, beta)
            else:
                total += weight * (hit.nth / hit.rank if utility == "P" else p**hit.rank)
    return over(total, whole)


def ncu_cut(t, k, **params):
    return ncu(t, **params, k=k)


# -- graded average precision ---------------------------------------------------------------------------------------


def gap(t, gains, rel, by, k=math.inf):
    """Every pair of relevant documents, the lower one not below rank k, shares m(m+1), m the lower value of the two."""
    scheme, total, most, above = gains if by == "gains" else "level", 0.0, 0.0, []
    for hit in hits(t, scheme, rel):
        above.append(max(hit.gain, 0.0))
        if hit.rank <= k:
            shared = 0.0
            for other in above:
                shared += min(other, above[-1]) * (min(other, above[-1]) + 1)
            total += shared / hit.rank
    for at, value in enumerate(ideal(t, scheme, rel)):
        if at < k:
            most += value * (value + 1)
    return over(total, most)


def gap_cut(t, k, gains, rel, by):
    return gap(t, gains, rel, by, k)


def g_ap(t, gains, rel):
    total, most = 0.0, 0.0
    for hit in hits(t, gains, rel):
        if hit.gain > 0:
            total += hit.cg / hit.rank
    for rank in range(1, len(ideal(t, gains, rel)) + 1):
        most += cg_star(t, gains, rel, rank) / rank
    return over(total, most)


def gain_retrieved(t, gains, rel):
    total = 0.0
    for hit in hits(t, gains, rel):
        total += hit.gain
    return total


def g_precision(t, gains, rel):
    return over(gain_retrieved(t, gains, rel), len(t.codes) * top_gain(t, gains))


def g_recall(t, gains, rel):
    return over(gain_retrieved(t, gains, rel), cg_star(t, gains, rel, len(t.levels)))


def pres(t, nmax, rel):
    """Magdy and Jones: the i-th relevant document, where it is not among the first nmax, stands at nmax + i."""
    size, found, ranks = relevant_in_file(t.levels, rel), 0, 0.0
    if not size:
        return 0.0
    for hit in hits(t, "level", rel):
        if hit.rank <= nmax:
            found += 1
            ranks += hit.rank
    for i in range(found + 1, size + 1):
        ranks += nmax + i
    return 1 - (ranks / size - (size + 1) / 2) / nmax


# -- cascades -------------------------------------------------------------------------------------------------------


def satisfied(t, level, gain, gains, sat, top):
    """Pr(r): (2^l - 1)/2^H with the highest level H of the collection, or g/(H + 1) with the highest gain H."""
    if sat == "gain":
        return gain / ((top_gain(t, gains) if top is None else top) + 1)
    return (2**level - 1) / 2 ** (max(0, *t.everywhere) if top is None else top)


def cascade(chances_and_worths):
    """Sum of dsat(r-1) Pr(r) worth(r)."""
    total, unsatisfied = 0.0, 1.0
    for chance, value in chances_and_worths:
        total += unsatisfied * chance * value
        unsatisfied *= 1 - chance
    return total


def expected(t, gains, rel, sat, top, worth, k=math.inf):
    return cascade(
        (satisfied(t, hit.level, hit.gain, gains, sat, top), worth(hit)) for hit in hits(t, gains, rel) if hit.rank <= k
    )


def best_expected(t, gains, rel, sat, top, worth, k=math.inf):
    """The same of the ideal list: by level or by gain, as satisfaction goes."""
    values = ideal(t, "level" if sat == "exp2" else gains, rel)
    return cascade(
        (satisfied(t, value, value, gains, sat, top), worth(at + 1)) for at, value in enumerate(values) if at < k
    )


def err(t, gains, rel, sat, top, k=math.inf):
    return expected(t, gains, rel, sat, top, lambda hit: 1 / hit.rank, k)


def nerr(t, gains, rel, sat, top, k=math.inf):
    return over(err(t, gains, rel, sat, top, k), best_expected(t, gains, rel, sat, top, lambda rank: 1 / rank, k))


def ebr(t, gains, rel, sat, top, beta, k=math.inf):
    return expected(t, gains, rel, sat, top, lambda hit: blended_ratio(t, hit, gains, rel, beta), k)


def nebr(t, gains, rel, sat, top, beta, k=math.inf):
    """The blended ratio of an ideal list is 1."""
    return over(ebr(t, gains, rel, sat, top, beta, k), best_expected(t, gains, rel, sat, top, lambda rank: 1.0, k))


def irbu(t, gains, rel, sat, top, p, k=math.inf):
    return expected(t, gains, rel, sat, top, lambda hit: p**hit.rank, k)


def nirbu(t, gains, rel, sat, top, p, k=math.inf):
    return over(irbu(t, gains, rel, sat, top, p, k), best_expected(t, gains, rel, sat, top, lambda rank: p**rank, k))


# -- rank-biased precision ------------------------------------------------------------------------------------------


def any_gains(t, gains):
    """Gains in rank order, without a threshold."""
    entries = entries_of(t.levels, gains)
    return [gain_of(code, entries) for code in t.codes]


def biased_sum(gains, p, k):
    total = 0.0
    for at, one in enumerate(gains):
        if at < k:
            total += one * p**at
    return total


def rbp_graded(t, p, gains, top, k=math.inf):
    return (1 - p) * biased_sum(any_gains(t, gains), p, k) / (top_gain(t, gains) if top is None else top)


def rbp_residual(t, p, k=math.inf):
    total = p ** min(k, len(t.codes))
    for at, code in enumerate(t.codes):
        if at < k and code < 0:
            total += (1 - p) * p**at
    return total


def nrbp(t, p, gains, k=math.inf):
    return over(biased_sum(any_gains(t, gains), p, k), biased_sum(ideal_gains(entries_of(t.levels, gains)), p, k))


# -- cumulative gain ------------------------------------------------------------------------------------------------


def discounted(gains, discount, k=math.inf):
    total = 0.0
    for at, one in enumerate(gains):
        if at < k:
            total += one / discount(at + 1)
    return total


def over_ideal(t, gains, discount, k=math.inf):
    most = discounted(ideal_gains(entries_of(t.levels, gains)), discount, k)
    return discounted(any_gains(t, gains), discount, k) / most if most > 0 else 0.0


def flat(rank):
    return 1.0


def original(b):
    """No discount for r <= b, then log_b(r); base 0 is NTCIREVAL's: ln(r) from rank 2 on, although 2 < e."""
    return lambda rank: 1.0 if rank <= max(b, 1) else math.log(rank) / math.log(b or math.e)


def later(b):
    return lambda rank: 1 + math.log(rank) / math.log(b or math.e)


# -- sets -----------------------------------------------------------------------------------------------------------


def harmonic(p, r, beta):
    return over((beta**2 + 1) * p * r, beta**2 * p + r)


def f_measure(t, beta, rel):
    found = relevant_retrieved(t.codes, rel)
    return harmonic(over(found, len(t.codes)), over(found, relevant_in_file(t.levels, rel)), beta)


def f_measure_cut(t, k, beta, rel):
    found = relevant_within(t.codes, rel, k)
    return harmonic(found / k, over(found, relevant_in_file(t.levels, rel)), beta)


# -- relatives of bpref ---------------------------------------------------------------------------------------------


def judged_gains(t, gains, rel):
    """The condensed list as (level, gain), gain 0 where a document is not relevant."""
    return [(code, gain(t, code, gains) if code >= rel else 0.0) for code in t.codes if code >= 0]


def preferences(t, rel, term):
    """(1/R) sum over relevant documents of term(nonrelevant documents above, rank, level) in the condensed list."""
    total, nonrelevant = 0.0, 0
    for at, (level, _) in enumerate(judged_gains(t, "level", rel)):
        if level < rel:
            nonrelevant += 1
        else:
            total += term(nonrelevant, at + 1, level)
    return over(total, relevant_in_file(t.levels, rel))


def judged_nonrelevant(t, rel):
    count = 0
    for level in t.levels:
        if 0 <= level < rel:
            count += 1
    return count


def bpref_r(t, rel):
    size = relevant_in_file(t.levels, rel)
    return preferences(t, rel, lambda n, rank, level: 1 - min(n, size) / size)


def bpref_n(t, rel):
    return preferences(t, rel, lambda n, rank, level: 1 - over(n, judged_nonrelevant(t, rel)))


def bpref_relative(t, rel, first, least):
    def term(n, rank, level):
        if least is not None and level < least:
            return 0.0
        return 1 - n / (rank - 1) if rank > 1 else {"one": 1.0, "zero": 0.0}[first]

    return preferences(t, rel, term)


def graded_preferences(t, gains, rel, term):
    """Sum over relevant documents of gain x term(penalty, rank), over the ideal gain.

    The penalty is, for every document above of lower gain, the share of gain that it lacks.
    """
    total, above = 0.0, []
    for at, (level, own) in enumerate(judged_gains(t, gains, rel)):
        if level >= rel:
            penalty = 0.0
            for other in above:
                if 0 < own > other:
                    penalty += (own - other) / own
            total += own * term(penalty, at + 1)
        above.append(own)
    return over(total, cg_star(t, gains, rel, len(t.levels)))


def rpref_n(t, gains, rel, top):
    highest = top_gain(t, gains) if top is None else top
    judged = relevant_in_file(t.levels, rel) + judged_nonrelevant(t, rel)
    room = judged - cg_star(t, gains, rel, len(t.levels)) / highest
    return graded_preferences(t, gains, rel, lambda penalty, rank: 1 - over(penalty, room))


def rpref_relative(t, gains, rel, first):
    alone = {"one": 1.0, "zero": 0.0}[first]
    return graded_preferences(t, gains, rel, lambda penalty, rank: 1 - penalty / (rank - 1) if rank > 1 else alone)


def rpref_relative2(t, gains, rel):
    return graded_preferences(t, gains, rel, lambda penalty, rank: 1 - penalty / rank)


# -- reading --------------------------------------------------------------------------------------------------------


def tbg(t, rel, gain, half, snippet, word, load, click_rel, click_non):
    total, time = 0.0, 0.0
    for code, (_, words) in zip(t.codes, t.lengths, strict=True):
        relevant = code >= 0 and code >= rel
        if relevant:
            total += gain * math.exp(-time * math.log(2) / half)
        time += snippet + (click_rel if relevant else click_non) * (word * words + load)
    return total


def u_measure(t, gains, rel, sat, top, L, snippet, share):  # noqa: N803
    """Every rank adds a snippet, a relevant document the part of it that is read; its gain sits at the end of that."""
    total, read = 0.0, 0.0
    for code, (characters, _) in zip(t.codes, t.lengths, strict=True):
        read += snippet
        if code >= 0 and code >= rel:
            read += share * characters
            total += satisfied(t, code, gain(t, code, gains), gains, sat, top) * max(0.0, 1 - read / L)
    return total


MEASURES: dict[str, Callable[..., float]] = {
    "ap_cut_min": ap_cut_min,
    "q_measure": q_measure,
    "q_measure_cut": q_measure_cut,
    "r_measure": r_measure,
    "r1": r1,
    "rp": rp,
    "o_measure": o_measure,
    "p_measure": p_measure,
    "p_plus": p_plus,
    "p_plus_cut": p_plus_cut,
    "wrr": wrr,
    "nwrr": nwrr,
    "ncu": ncu,
    "ncu_cut": ncu_cut,
    "gap": gap,
    "gap_cut": gap_cut,
    "g_ap": g_ap,
    "g_precision": g_precision,
    "g_recall": g_recall,
    "pres": pres,
    "err": err,
    "err_cut": err,
    "nerr": nerr,
    "nerr_cut": nerr,
    "ebr": ebr,
    "ebr_cut": ebr,
    "nebr": nebr,
    "nebr_cut": nebr,
    "irbu": irbu,
    "irbu_cut": irbu,
    "nirbu": nirbu,
    "nirbu_cut": nirbu,
    "rbp_graded": rbp_graded,
    "rbp_graded_cut": rbp_graded,
    "rbp_residual": rbp_residual,
    "rbp_residual_cut": rbp_residual,
    "nrbp": nrbp,
    "nrbp_cut": nrbp,
    "cg": lambda t, gains: discounted(any_gains(t, gains), flat),
    "cg_cut": lambda t, k, gains: discounted(any_gains(t, gains), flat, k),
    "ncg": lambda t, gains: over_ideal(t, gains, flat),
    "ncg_cut": lambda t, k, gains: over_ideal(t, gains, flat, k),
    "dcg_cut": lambda t, k, gains: discounted(any_gains(t, gains), lambda rank: math.log2(rank + 1), k),
    "ndcg_original": lambda t, gains, b: over_ideal(t, gains, original(b)),
    "ndcg_original_cut": lambda t, k, gains, b: over_ideal(t, gains, original(b), k),
    "ndcg_2008": lambda t, gains, b: over_ideal(t, gains, later(b)),
    "ndcg_2008_cut": lambda t, k, gains, b: over_ideal(t, gains, later(b), k),
    "f_measure": f_measure,
    "f_measure_cut": f_measure_cut,
    "e_measure": lambda t, beta, rel: 1 - f_measure(t, beta, rel),
    "bpref_R": bpref_r,
    "bpref_N": bpref_n,
    "bpref_relative": bpref_relative,
    "rpref_N": rpref_n,
    "rpref_relative": rpref_relative,
    "rpref_relative2": rpref_relative2,
    "tbg": tbg,
    "u_measure": u_measure,
}
