"""Slow twins of the measures of sessions, answers and summaries: plain loops after the papers, nothing of ireval."""

from __future__ import annotations

import math
import re
from collections import Counter

# -- sessions -------------------------------------------------------------------------------------------------------

Lists = dict[int, list[str]]
"""Number of the query -> documents, best first."""


def shown(
    lists: Lists, k: int | None, lowest: dict[int, int] | None, repeats: str
) -> list[tuple[int, int, int, str, bool]]:
    """(query, rank in its list, rank in all lists, document, whether it gains) of what the user sees."""
    rows: list[tuple[int, int, int, str, bool]] = []
    seen: set[str] = set()
    for query in sorted(lists):
        rank = 0
        for place, document in enumerate(lists[query], 1):
            if k is not None and place > k:
                continue
            if lowest is not None and place > lowest.get(query, 0):
                continue
            again = document in seen
            seen.add(document)
            if again and repeats == "drop":
                continue
            rank = rank + 1
            rows.append((query, rank, len(rows) + 1, document, not (again and repeats == "zero")))
    return rows


def discount(query: int, own: int, overall: int, b: float, bq: float, form: str) -> float:
    """Lecture (35) with its bases as parameters, and the form of 2008."""
    if form == "2008":
        return (1 + math.log(own, b)) * (1 + math.log(query, bq))
    return math.log(query + bq - 1, bq) * math.log(overall + b - 1, b)


def sdcg(
    lists: Lists,
    gain: dict[str, float],
    *,
    k: int | None = None,
    b: float = 2.0,
    bq: float = 4.0,
    form: str = "2011",
    repeats: str = "keep",
    lowest: dict[int, int] | None = None,
) -> float:
    """Session DCG of one session."""
    total = 0.0
    for query, own, overall, document, gains in shown(lists, k, lowest, repeats):
        if gains:
            total += gain.get(document, 0.0) / discount(query, own, overall, b, bq, form)
    return total


def ideal_sdcg(
    queries: int,
    gain: dict[str, float],
    ideal: str,
    *,
    k: int | None = None,
    b: float = 2.0,
    bq: float = 4.0,
    form: str = "2011",
) -> float:
    """sDCG of the ideal session."""
    best = sorted((g for g in gain.values() if g > 0), reverse=True)
    if ideal == "single":
        best = best if k is None else best[: k * queries]
        return sum(g / discount(1, r, r, b, bq, form) for r, g in enumerate(best, 1))
    best = best if k is None else best[:k]
    total, overall = 0.0, 0
    for query in range(1, queries + 1):
        for own, g in enumerate(best, 1):
            overall += 1
            total += g / discount(query, own, overall, b, bq, form)
    return total


def click_u(
    clicks: list[tuple[int, int, int]],
    gain: float = 0.5,
    most: float = 132000,
    snippet: float = 200,
    share: float = 0.2,
) -> float:
    """Lecture, Fig. 9, line by line. clicks: query number, clicked rank, document length, sorted by time."""
    pos = u = 0.0
    snippetdone: dict[int, set[int]] = {}
    for query, clicked, length in clicks:
        if query not in snippetdone:
            snippetdone[query] = set()
        for r in range(1, clicked + 1):
            if r not in snippetdone[query]:
                pos += snippet
                snippetdone[query].add(r)
        pos += share * length
        u += gain * max(0.0, 1 - pos / most)
    return u


# -- answers --------------------------------------------------------------------------------------------------------

Gold = dict[str, tuple[float, int]]
"""Nugget -> weight and vital length."""


def f_measure(precision: float, recall: float, beta: float) -> float:
    below = beta * beta * precision + recall
    return (1 + beta * beta) * precision * recall / below if below else 0.0


def answer_scores(gold: Gold, found: dict[str, int], length: int, limit: float, beta: float) -> dict[str, float]:
    """Lecture (40) to (46). found: nugget -> offset."""
    weight = sum(w for w, _ in gold.values())
    recall = sum(gold[v][0] for v in found) / weight
    allow = 100 * len(found)
    precision = 1.0 if length <= allow else 1 - max(0, length - allow) / length
    ideal, read = 0.0, 0
    for w, vital in sorted(gold.values(), key=lambda nugget: (-nugget[0], nugget[1])):
        read += vital
        ideal += w * max(0.0, 1 - read / limit)
    s = sum(gold[v][0] * max(0.0, 1 - pos / limit) for v, pos in found.items()) / ideal if ideal else 0.0
    t = sum(gold[v][1] for v in found) / length if length else 0.0
    return {
        "NuggetR": len(found) / len(gold),
        "W-recall": recall,
        "NuggetP": precision,
        "NuggetF": f_measure(precision, recall, 3.0),
        "S": s,
        "S-flat": min(1.0, s),
        "T": t,
        "T-flat": min(1.0, t),
        "S#": f_measure(min(1.0, t), min(1.0, s), beta),
    }


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def pourpre(nuggets: list[tuple[float, str]], strings: list[str], beta: float = 3.0) -> float:
    """Unigram matching of nuggets (weight, text) with the strings of an answer."""
    shares = []
    for _, text in nuggets:
        wanted = set(words(text))
        shares.append(max(len(wanted & set(words(string))) / len(wanted) for string in strings))
    recall = sum(w * share for (w, _), share in zip(nuggets, shares, strict=True)) / sum(w for w, _ in nuggets)
    length = sum(len(re.sub(r"\s", "", string)) for string in strings)
    allow = 100 * sum(1 for share in shares if share > 0)
    precision = 1.0 if length <= allow else 1 - (length - allow) / length
    return f_measure(precision, recall, beta)


# -- summaries ------------------------------------------------------------------------------------------------------


def pieces(text: list[str], kind: str, number: int | None) -> Counter[tuple[str, ...]]:
    """n-grams ("n"), pairs with at most so many words between ("s"), or these and single words ("su")."""
    if kind == "n":
        assert number is not None
        return Counter(tuple(text[i : i + number]) for i in range(len(text) - number + 1))
    found: Counter[tuple[str, ...]] = Counter()
    for i in range(len(text)):
        for j in range(i + 1, len(text)):
            if number is None or j - i - 1 <= number:
                found[text[i], text[j]] += 1
    if kind == "su":
        found.update((word,) for word in text)
    return found


def rouge(text: str, reference: str, kind: str, number: int | None, beta: float = 1.0) -> dict[str, float]:
    """Lecture (36) to (39)."""
    ours, theirs = pieces(words(text), kind, number), pieces(words(reference), kind, number)
    both = sum(min(count, theirs[piece]) for piece, count in ours.items())
    precision = both / sum(ours.values()) if ours else 0.0
    recall = both / sum(theirs.values()) if theirs else 0.0
    return {"precision": precision, "recall": recall, "f": f_measure(precision, recall, beta)}
