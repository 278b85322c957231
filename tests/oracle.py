"""Slow twins of every measure: plain loops over one topic, no numpy, nothing of ireval.

Written from the definitions and from what trec_eval's loops do where a definition leaves a choice open. A ranking is a
list of codes in rank order: the level of a judged document, -1 for a document that is not in the judgement file, -2
for one that is in it with a negative level. `levels` are the levels of all documents in the judgement file, as given.

    MEASURES[name](codes, levels, **parameters)        measures of levels
    PREFERENCES[name](ranking, lines)                  measures of preferences; see `judges`

A measure averaged over judgement groups is its base measure on each group, then `mean_over_groups`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

NOT_IN_POOL, UNJUDGED = -1, -2
NAN, INFINITY = math.nan, math.inf


def rank(documents: Sequence[tuple[bytes, float]], *, ascending: bool = False) -> list[bytes]:
    """Document ids by score, highest first; equal scores by id, highest first (ascending: lowest first)."""
    ranked: list[tuple[bytes, float]] = []
    for document, score in documents:
        at = 0
        while at < len(ranked) and (
            ranked[at][1] > score or (ranked[at][1] == score and (ranked[at][0] < document) == ascending)
        ):
            at += 1
        ranked.insert(at, (document, score))
    return [document for document, _ in ranked]


def codes_of(ranking: Sequence[bytes], judged: dict[bytes, int]) -> list[int]:
    """The ranking as codes."""
    return [(judged[d] if judged[d] >= 0 else UNJUDGED) if d in judged else NOT_IN_POOL for d in ranking]


def divided(a: float, b: float) -> float:
    """a / b as C divides."""
    if b != 0:
        return a / b
    return NAN if a == 0 or a != a else INFINITY if a > 0 else -INFINITY


def log2_as_c(x: float) -> float:
    """log2 as C answers outside of its domain."""
    return math.log2(x) if x > 0 else -INFINITY if x == 0 else NAN


def relevant_in_file(levels: Sequence[int], rel: int) -> int:
    """R."""
    count = 0
    for level in levels:
        if level >= 0 and level >= rel:
            count += 1
    return count


def relevant_retrieved(codes: Sequence[int], rel: int) -> int:
    """Judged relevant documents in the ranking; a threshold below 0 does not make unjudged ones relevant."""
    count = 0
    for code in codes:
        if code >= 0 and code >= rel:
            count += 1
    return count


def relevant_within(codes: Sequence[int], rel: int, k: int) -> int:
    """Documents at or above the threshold among the first k, whatever they are."""
    count = 0
    for code in codes[:k]:
        if code >= rel:
            count += 1
    return count


# -- counts ---------------------------------------------------------------------------------------------------------


def num_ret(codes, levels):
    return len(codes)


def num_rel(codes, levels, rel):
    return relevant_in_file(levels, rel)


def num_rel_ret(codes, levels, rel):
    return relevant_retrieved(codes, rel)


def num_nonrel_judged_ret(codes, levels, rel):
    judged = 0
    for code in codes:
        if code >= 0:
            judged += 1
    return judged - relevant_retrieved(codes, rel)


def relstring(codes, levels, length):
    text = ""
    for code in codes[: max(0, int(length[0]))]:
        if code > 9:
            text += ">"
        elif code >= 0:
            text += str(code)
        else:
            text += "-" if code == NOT_IN_POOL else "."
    return text


# -- precision and recall -------------------------------------------------------------------------------------------


def precision(codes, levels, k, rel):
    return relevant_within(codes, rel, k) / k


def recall(codes, levels, k, rel):
    total = relevant_in_file(levels, rel)
    return relevant_within(codes, rel, k) / total if total else 0.0


def relative_precision(codes, levels, k, rel):
    total = relevant_in_file(levels, rel)
    return relevant_within(codes, rel, k) / min(k, total) if total else 0.0


def success(codes, levels, k, rel):
    return 1.0 if relevant_within(codes, rel, k) else 0.0


def r_precision(codes, levels, rel):
    total = relevant_in_file(levels, rel)
    return relevant_within(codes, rel, total) / total if total else 0.0


def r_precision_multiple(codes, levels, multiple, rel):
    cut = int(multiple * relevant_in_file(levels, rel) + 0.9)
    if cut > len(codes):
        return relevant_retrieved(codes, rel) / cut
    found = relevant_retrieved(codes, rel)  # counted down from the end of the ranking
    for at in range(len(codes), 0, -1):
        if found <= 0:
            break
        if at == cut:
            return found / at
        if codes[at - 1] >= rel:
            found -= 1
    return 0.0


def reciprocal_rank(codes, levels, rel):
    for at, code in enumerate(codes):
        if code >= rel:
            return 1 / (at + 1)
    return 0.0


def reciprocal_rank_cut(codes, levels, k, rel):
    return reciprocal_rank(codes[:k], levels, rel)


def unjudged(codes, levels, k):
    count = 0
    for code in codes[:k]:
        if code < 0:
            count += 1
    return count / k


def judged(codes, levels, k):
    count = 0
    for code in codes[:k]:
        if code >= 0:
            count += 1
    return count / k


def needed_documents(fraction: float, total: int, rounding: str) -> int:
    """A recall point as a number of relevant documents: version 10 rounds, version 9 rounds up, more or less."""
    if rounding == "up":
        return int(fraction * total + 0.9)
    exact = fraction * total
    whole = math.floor(exact) if exact >= 0 else math.ceil(exact)
    return whole + (1 if exact - whole >= 0.5 else -1 if whole - exact >= 0.5 else 0)


def interpolated_points(codes, levels, points, rel, rounding):
    """Interpolated precision at each of some recall points, by trec_eval's walk from the end of the ranking."""
    cuts = [needed_documents(point, relevant_in_file(levels, rel), rounding) for point in points]
    values = [0.0] * len(cuts)
    found = relevant_retrieved(codes, rel)
    current = len(cuts) - 1
    while current >= 0 and cuts[current] > found:
        current -= 1
    best = divided(found, len(codes))
    at = len(codes)
    while at > 0 and found > 0:
        best = max(best, found / at)
        if codes[at - 1] >= rel:
            while current >= 0 and found == cuts[current]:
                values[current] = best
                current -= 1
            found -= 1
        at -= 1
    while current >= 0:
        values[current] = best
        current -= 1
    return values


def interpolated_precision(codes, levels, recall, rel, rounding):
    return interpolated_points(codes, levels, [recall], rel, rounding)[0]


def eleven_point_average(codes, levels, recalls, rel, rounding):
    total = 0.0
    for value in reversed(interpolated_points(codes, levels, recalls, rel, rounding)):
        total += value
    return total / len(recalls)


# -- average precision ----------------------------------------------------------------------------------------------


def precision_sum(codes, rel, k=None):
    found, total = 0, 0.0
    for at, code in enumerate(codes if k is None else codes[:k]):
        if code >= rel:
            found += 1
            total += found / (at + 1)
    return total


def average_precision(codes, levels, rel):
    if not relevant_within(codes, rel, len(codes)):
        return 0.0
    return divided(precision_sum(codes, rel), relevant_in_file(levels, rel))


def average_precision_cut(codes, levels, k, rel):
    total = relevant_in_file(levels, rel)
    return precision_sum(codes, rel, k) / total if total else 0.0


def geometric(base):
    """The logarithm of another measure, floored, as it enters a geometric mean."""

    def logarithm(codes, levels, **params):
        return math.log(max(base(codes, levels, **params), 0.00001))

    return logarithm


def inferred_ap(codes, levels, rel):
    relevant = nonrelevant = unjudged = 0
    total, e = 0.0, 0.00001
    for above, code in enumerate(codes):
        if code == NOT_IN_POOL:
            continue
        if code == UNJUDGED:
            unjudged += 1
        elif code < rel:
            nonrelevant += 1
        else:
            if above == 0:
                total += 1.0
            else:
                seen = relevant + nonrelevant
                chance = (relevant + e) / (seen + 2 * e)
                total += 1.0 / (above + 1.0) + above / (above + 1.0) * ((seen + unjudged) / above) * chance
            relevant += 1
    return total / relevant_in_file(levels, rel) if relevant_in_file(levels, rel) else total


def yet_another_ap(codes, levels, rel):
    total = precision_sum(codes, rel)
    odds = divided(1.0 + total, 1.0 + relevant_in_file(levels, rel) - total)
    return math.log(odds) if odds > 0 else -INFINITY if odds == 0 else NAN


def bpref(codes, levels, rel):
    total = relevant_in_file(levels, rel)
    below = 0
    for level in levels:
        if 0 <= level < rel:
            below += 1
    nonrelevant, value = 0, 0.0
    for code in codes:
        if code < 0:
            continue
        if code < rel:
            nonrelevant += 1
        else:
            value += 1.0 - min(nonrelevant, total) / min(below, total) if nonrelevant else 1.0
    return value / total if total else value


# -- gains ----------------------------------------------------------------------------------------------------------


def named_gains(gains: str) -> list[tuple[int, float]]:
    """(level, gain) in order of mention."""
    if gains in ("level", "exp2"):
        return []
    text = gains.removeprefix("trec:")
    if "=" in text:
        return [(int(pair.split("=")[0].strip("L ")), float(pair.split("=")[1])) for pair in text.split(",")]
    return [(at + 1, float(gain)) for at, gain in enumerate(text.split(":"))]


def other_gain(level: int, gains: str) -> float:
    """Gain of a level that is not named."""
    if level <= 0:
        return 0.0
    return float(2**level - 1) if gains == "exp2" else float(level)


def merged(left: list, right: list) -> list:
    """Two lists of (gain, ...) merged as C's qsort does when it is told that gains less than 1 apart are equal."""
    result = []
    while left and right:
        if int(left[0][0] - right[0][0]) <= 0:
            result.append(left[0])
            left = left[1:]
        else:
            result.append(right[0])
            right = right[1:]
    return result + left + right


def merge_sorted(entries: list) -> list:
    if len(entries) < 2:
        return entries
    half = len(entries) // 2
    return merged(merge_sorted(entries[:half]), merge_sorted(entries[half:]))


def gain_entries(levels, gains):
    """(gain, level, documents with it) from low to high gain: the named levels, then the others of the topic.

    A list such as 1:3:7 is cut at the topic's highest level. Of a level named twice the first mention counts, except
    that trec_eval keeps both: its documents belong to the first mention, their gain is the first in sorted order.
    """
    highest, as_trec_eval = max(levels, default=-1), gains.startswith("trec:")
    entries, seen = [], set()
    for level, gain in named_gains(gains):
        if (level in seen and not as_trec_eval) or (level > highest and "=" not in gains):
            continue
        count = 0
        if level not in seen and level >= 0:
            count = sum(1 for given in levels if given == level)
        entries.append((gain, level, count))
        seen.add(level)
    for level in range(highest + 1):
        if level not in seen:
            entries.append((other_gain(level, gains), level, sum(1 for given in levels if given == level)))
    return merge_sorted(entries) if as_trec_eval else sorted(entries, key=lambda entry: entry[0])


def gain_of(code, entries):
    for gain, level, _ in entries:
        if level == code:
            return gain
    return 0.0


def ideal_gains(entries):
    """Gains of the ideal ranking; it ends at the first document whose gain is not positive."""
    ideal = []
    if entries and entries[-1][0] > 0:
        for gain, _, count in reversed(entries):
            if count and gain <= 0:
                break
            ideal += [gain] * count
    return ideal


def running_dcg(gains):
    total, running = 0.0, []
    for at, gain in enumerate(gains):
        if gain != 0:
            total += gain / math.log2(at + 2)
        running.append(total)
    return running


def last(values):
    return values[-1] if values else 0.0


def both_dcgs(codes, levels, gains, k=None):
    """Running DCG of the ranking and of the ideal ranking, and the gains of both."""
    entries = gain_entries(levels, gains)
    got, best = [gain_of(code, entries) for code in codes][:k], ideal_gains(entries)[:k]
    return running_dcg(got), running_dcg(best), got, best


def dcg(codes, levels, gains):
    return last(both_dcgs(codes, levels, gains)[0])


def ideal_dcg(codes, levels, gains):
    return last(both_dcgs(codes, levels, gains)[1])


def ndcg(codes, levels, gains):
    got, best, _, _ = both_dcgs(codes, levels, gains)
    return last(got) / last(best) if last(best) > 0 else 0.0


def ndcg_cut(codes, levels, k, gains):
    got, best, _, _ = both_dcgs(codes, levels, gains, k)
    return last(got) / last(best) if last(best) > 0 else 0.0


def ndcg_rel(codes, levels, gains):
    got, best, got_gains, best_gains = both_dcgs(codes, levels, gains)
    total, found = 0.0, 0
    for at, gain in enumerate(got_gains):
        if gain > 0:
            total += divided(got[at], best[min(at, len(best) - 1)] if best else 0.0)
            found += 1
    total += divided((len(best_gains) - found) * last(got), last(best))
    return divided(total, len(best_gains)) if total > 0 else 0.0


def ndcg_at_gain_changes(codes, levels, gains, rel):
    if not relevant_in_file(levels, rel):
        return 0.0
    got, best, _, best_gains = both_dcgs(codes, levels, gains)
    total, points = 0.0, 0
    for at in range(1, len(best_gains) + 1):
        if at == len(best_gains) or best_gains[at] != best_gains[at - 1]:
            total += divided(got[min(at, len(got)) - 1] if got else 0.0, best[at - 1])
            points += 1
    if best_gains and len(codes) > len(best_gains) + 1:
        total += divided(last(got), last(best))
        points += 1
    return divided(total, points)


def binary_g(codes, levels, rel):
    total, found = 0.0, 0
    for at, code in enumerate(codes):
        if code >= rel:
            found += 1
            total += 1.0 / math.log2(3 + at - found)
    return divided(total, relevant_in_file(levels, rel)) if found else 0.0


def g_measure(codes, levels, gains):
    entries = gain_entries(levels, gains)
    best = ideal_gains(entries)
    total, gained, cost = 0.0, 0.0, 0.0
    for at, code in enumerate(codes):
        gain = gain_of(code, entries)
        gained += gain
        cost += max(best[at] if at < len(best) else 0.0, 1.0)
        if gain != 0:
            total += divided(gain, log2_as_c(2 + cost - gained))
    whole = 0.0
    for gain in best:
        whole += gain
    return total / whole if whole else 0.0


def rank_biased_precision(codes, levels, p, gains):
    entries = gain_entries(levels, gains)
    low, high = 0.0, 0.0
    for gain, _, _ in entries:
        low, high = min(low, gain), max(high, gain)
    if low < 0 or high > 1:
        entries = [((gain - low) / (high - low), level, count) for gain, level, count in entries]
    total, weight = 0.0, 1.0
    for code in codes:
        total += gain_of(code, entries) * weight
        weight *= p
    return (1.0 - p) * total


def rank_biased_residual(codes, levels, p):
    total, weight, unseen = 0.0, 1.0, 0
    for code in codes:
        if code < 0:
            unseen += 1
            total += weight
        weight *= p
    return weight + (1 - p) * total if unseen else 0.0


# -- sets -----------------------------------------------------------------------------------------------------------


def set_precision(codes, levels, rel):
    return relevant_retrieved(codes, rel) / len(codes) if codes else 0.0


def set_relative_precision(codes, levels, rel):
    most = min(len(codes), relevant_in_file(levels, rel))
    return relevant_retrieved(codes, rel) / most if most else 0.0


def set_recall(codes, levels, rel):
    total = relevant_in_file(levels, rel)
    return relevant_retrieved(codes, rel) / total if total else 0.0


def set_average_precision(codes, levels, rel):
    found, size = relevant_retrieved(codes, rel), len(codes) * relevant_in_file(levels, rel)
    return found * found / size if size else 0.0


def set_f(codes, levels, weight, rel):
    found = relevant_retrieved(codes, rel)
    if not found:
        return 0.0
    p, r, x = found / len(codes), found / relevant_in_file(levels, rel), weight[0]
    return (x + 1.0) * p * r / (x * p + r)


def utility(codes, levels, weights, rel, docs):
    found, total = relevant_retrieved(codes, rel), relevant_in_file(levels, rel)
    cells = (found, len(codes) - found, total - found, docs + found - len(codes) - total)
    value = weights[0] * cells[0]
    for weight, cell in zip(weights[1:], cells[1:], strict=True):
        value += weight * cell
    return value


MEASURES = {
    "num_ret": num_ret,
    "num_rel": num_rel,
    "num_rel_ret": num_rel_ret,
    "num_nonrel_judged_ret": num_nonrel_judged_ret,
    "relstring": relstring,
    "P": precision,
    "recall": recall,
    "relative_P": relative_precision,
    "success": success,
    "Rprec": r_precision,
    "Rprec_mult": r_precision_multiple,
    "recip_rank": reciprocal_rank,
    "recip_rank_cut": reciprocal_rank_cut,
    "unj": unjudged,
    "judged": judged,
    "iprec_at_recall": interpolated_precision,
    "11pt_avg": eleven_point_average,
    "map": average_precision,
    "gm_map": geometric(average_precision),
    "map_cut": average_precision_cut,
    "infAP": inferred_ap,
    "yaap": yet_another_ap,
    "bpref": bpref,
    "gm_bpref": geometric(bpref),
    "dcg": dcg,
    "ideal_dcg": ideal_dcg,
    "ndcg": ndcg,
    "ndcg_cut": ndcg_cut,
    "ndcg_rel": ndcg_rel,
    "Rndcg": ndcg_at_gain_changes,
    "binG": binary_g,
    "G": g_measure,
    "rbp": rank_biased_precision,
    "rbp_resid": rank_biased_residual,
    "set_P": set_precision,
    "set_relative_P": set_relative_precision,
    "set_recall": set_recall,
    "set_map": set_average_precision,
    "set_F": set_f,
    "utility": utility,
}

GROUPS = {"map_avgjg": average_precision, "P_avgjg": precision, "Rprec_mult_avgjg": r_precision_multiple}
"""Measures averaged over judgement groups, and what is averaged."""


def mean_over_groups(base, ranking, groups: dict[bytes, dict[bytes, int]], **params):
    """The mean of a measure over the judgement groups of a topic, added in byte order of their names."""
    total = 0.0
    for name in sorted(groups):
        total += base(codes_of(ranking, groups[name]), list(groups[name].values()), **params)
    return total / len(groups)


# -- preferences ----------------------------------------------------------------------------------------------------


class Judge:
    """One judgement group: its preferences as (better, worse) places, and what the R-nonrelevant measures ask.

    The place of a document: retrieved judged documents in rank order, then the others in byte order; `reach` documents
    were retrieved.
    """

    def __init__(self, lines: list[tuple[bytes, int, float]], reach: int, places: int) -> None:
        subgroups = sorted({subgroup for subgroup, _, _ in lines})
        self.partial = len(subgroups) > 1
        self.reach = reach
        self.level: dict[int, float] = {}
        self.pairs: set[tuple[int, int]] = set()
        for name in subgroups:
            members = [(place, level) for subgroup, place, level in lines if subgroup == name]
            for place, level in members:
                self.level[place] = level
                for other, lower in members:
                    if lower < level:
                        self.pairs.add((place, other))
        if self.partial:
            self.close_transitively(places)

    def close_transitively(self, places: int) -> None:
        for middle in range(places):
            for better in range(places):
                for worse in range(places):
                    if (better, middle) in self.pairs and (middle, worse) in self.pairs:
                        self.pairs.add((better, worse))

    def kept(self, better: int, worse: int) -> bool:
        return better < worse and better < self.reach

    def count(self, *, retrieved: Sequence[int]) -> tuple[int, int]:
        """Kept and possible preferences with so many documents retrieved (any of the numbers given)."""
        kept = possible = 0
        for better, worse in self.pairs:
            if (better < self.reach) + (worse < self.reach) in retrieved:
                possible += 1
                kept += self.kept(better, worse)
        return kept, possible

    def relevant(self, *, retrieved_only: bool) -> int:
        return sum(1 for place, level in self.level.items() if level > 0 and (place < self.reach or not retrieved_only))

    def nonrelevant(self, *, retrieved_only: bool) -> int:
        """Level 0; without subgroups any level that is not positive."""
        return sum(
            1
            for place, level in self.level.items()
            if (level == 0 or (level < 0 and not self.partial)) and (place < self.reach or not retrieved_only)
        )

    def limited(self, *, retrieved_only: bool) -> float:
        """Kept over possible when there are as many nonrelevant documents as relevant ones."""
        r = self.relevant(retrieved_only=retrieved_only)
        n = self.nonrelevant(retrieved_only=retrieved_only)
        if r >= n:
            kept, possible = self.count(retrieved=[2] if retrieved_only else [0, 1, 2])
            kept += self.relevant(retrieved_only=True) * (r - n)
            possible += self.relevant(retrieved_only=False) * (r - n)
            return divided(kept, possible)
        kept = possible = 0
        for better, worse in self.recounted(r):
            if not retrieved_only or (better < self.reach and worse < self.reach):
                possible += 1
                kept += self.kept(better, worse)
        return divided(kept, possible)

    def recounted(self, r: int) -> list[tuple[int, int]]:
        """The preferences that remain when nonrelevant documents beyond the first R are left out."""
        if self.partial:
            zero = sorted(place for place, level in self.level.items() if level == 0)
            left_out = set(zero[self.relevant(retrieved_only=False) :])
            return [pair for pair in self.pairs if not left_out & set(pair)]
        lowest = min(self.level.values())
        bottom = sorted(place for place, level in self.level.items() if level == lowest)
        pairs = [pair for pair in self.pairs if self.level[pair[1]] != lowest]
        # trec_eval holds every class against the first R of the lowest one, that class itself included
        return pairs + [(place, other) for place in self.level for other in bottom[:r]]


def judges(ranking: Sequence[bytes], lines: Sequence[tuple[bytes, bytes, bytes, float]]) -> list[Judge]:
    """The judgement groups of a topic in byte order, from lines of (group, subgroup, document, level)."""
    known = {document for _, _, document, _ in lines}
    retrieved = [document for document in ranking if document in known]
    order = retrieved + sorted(known - set(retrieved))
    place = {document: at for at, document in enumerate(order)}
    return [
        Judge([(s, place[d], level) for g, s, d, level in lines if g == group], len(retrieved), len(order))
        for group in sorted({g for g, _, _, _ in lines})
    ]


def simple(retrieved):
    def measure(ranking, lines):
        kept = possible = 0
        for judge in judges(ranking, lines):
            more_kept, more_possible = judge.count(retrieved=retrieved)
            kept, possible = kept + more_kept, possible + more_possible
        return kept / possible if possible else 0.0

    return measure


def by_group(retrieved):
    def measure(ranking, lines):
        total, groups = 0.0, judges(ranking, lines)
        for judge in groups:
            kept, possible = judge.count(retrieved=retrieved)
            total += kept / possible if possible else 0.0
        return total / len(groups) if total > 0 else 0.0

    return measure


def limited(retrieved_only):
    def measure(ranking, lines):
        total, groups = 0.0, judges(ranking, lines)
        for judge in groups:
            total += judge.limited(retrieved_only=retrieved_only)
        return total / len(groups) if total > 0 else 0.0

    return measure


def by_pair(retrieved):
    """Mean over pairs of the share of satisfied judges; pairs with more retrieved documents are added first."""

    def measure(ranking, lines):
        groups = judges(ranking, lines)
        asked: dict[tuple[int, int, int], list[bool]] = {}
        for judge in groups:
            for better, worse in judge.pairs:
                found = (better < judge.reach) + (worse < judge.reach)
                pair = (-found, min(better, worse), max(better, worse))
                asked.setdefault(pair, []).append(judge.kept(better, worse))
        total, pairs = 0.0, 0
        for pair in sorted(asked):
            if -pair[0] in retrieved:
                total += sum(asked[pair]) / len(asked[pair])
                pairs += 1
        return total / pairs if pairs else 0.0

    return measure


def number(which, retrieved):
    def measure(ranking, lines):
        return sum(judge.count(retrieved=retrieved)[which] for judge in judges(ranking, lines))

    return measure


PREFERENCES = {
    "prefs_num_prefs_poss": number(1, [0, 1, 2]),
    "prefs_num_prefs_ful": number(0, [0, 1, 2]),
    "prefs_num_prefs_ful_ret": number(0, [2]),
    "prefs_simp": simple([0, 1, 2]),
    "prefs_simp_ret": simple([2]),
    "prefs_simp_imp": simple([1, 2]),
    "prefs_avgjg": by_group([0, 1, 2]),
    "prefs_avgjg_ret": by_group([2]),
    "prefs_avgjg_imp": by_group([1, 2]),
    "prefs_avgjg_Rnonrel": limited(False),
    "prefs_avgjg_Rnonrel_ret": limited(True),
    "prefs_pair": by_pair([0, 1, 2]),
    "prefs_pair_ret": by_pair([2]),
    "prefs_pair_imp": by_pair([1, 2]),
}
