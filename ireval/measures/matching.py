"""Finding nuggets in the text of an answer without an assessor, by the words they share (POURPRE's way).

Lin & Demner-Fushman, Automatically Evaluating Answers to Definition Questions, HLT/EMNLP 2005.
"""

from __future__ import annotations

from collections.abc import Sequence

from ireval.core.words import words_with_ends
from ireval.measures.nuggets import Answer, Match, Nugget


def first_ends(strings: Sequence[str], tokenising: str) -> list[dict[str, int]]:
    """For each string of an answer its words, and where each of them first ends in the whole answer.

    The strings follow each other with one blank between them.
    """
    found, before = [], 0
    for text in strings:
        ends: dict[str, int] = {}
        for word, end in words_with_ends(text, tokenising):
            ends.setdefault(word, before + end)
        found.append(ends)
        before += len(text) + 1
    return found


def best_match(words: set[str], strings: Sequence[dict[str, int]]) -> tuple[float, int]:
    """Share of a nugget's distinct words in the string that has most of them (the first such), and where they end."""
    share, end = 0.0, 0
    for ends in strings:
        shared = [ends[word] for word in words if word in ends]
        if words and len(shared) / len(words) > share:
            share, end = len(shared) / len(words), max(shared)
    return share, end


def matched_answer(
    nuggets: Sequence[Nugget], texts: Sequence[str], strings: Sequence[str], threshold: float, tokenising: str
) -> Answer:
    """An answer of some strings with the nuggets found in it. texts: of the nuggets.

    A nugget counts as found when so large a share of its words is in one string.
    """
    ends = first_ends(strings, tokenising)
    found = [best_match({word for word, _ in words_with_ends(text, tokenising)}, ends) for text in texts]
    matches = tuple(
        Match(nugget, end)
        for nugget, (share, end) in zip(nuggets, found, strict=True)
        if share > 0 and share >= threshold
    )
    length = sum(map(len, strings)) + max(0, len(strings) - 1)
    dense = sum(len("".join(text.split())) for text in strings)
    return Answer(tuple(nuggets), matches, length, dense, tuple(share for share, _ in found))
