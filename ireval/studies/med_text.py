"""MED-U: the distance of two texts that readers are shown, character by character.

The U-measure of Tan & Clarke's (25): a character that is first seen at place i of the text is worth 1 - i/l times its
relevance, and one that was seen before nothing. It is linear, so a character that both texts hold counts with the
difference of its two places, and one that only one text holds with its whole worth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.columns import Doubles, Ints, Texts
from ireval.core.passages import PassageColumns, choose_topics

TOP_RELEVANCE = 0.5
"""Binary relevance by the paper's (15) with one grade above 0: (2^1 - 1) / 2^1."""
_CHARACTERS = 2_000_000
"""Characters worked on together."""


def trail_distance(first: PassageColumns, second: PassageColumns, length: int, filled: bool) -> Doubles:
    """MED-U@length of topics that two passage runs share, in the same order; [T].

    filled: texts that are shorter go on with characters of their own.
    """
    assert first.topics == second.topics
    step = max(1, _CHARACTERS // (2 * length))
    parts = []
    for start in range(0, len(first.topics), step):
        chosen = np.arange(start, min(start + step, len(first.topics)))
        parts.append(_some(choose_topics(first, chosen), choose_topics(second, chosen), length, filled))
    return np.concatenate([np.zeros(0), *parts])


class _Seen(NamedTuple):
    """Characters within the first places of the texts: topic, document, character, place (from 1); four [C]."""

    topic: Ints
    document: Ints
    character: Ints
    place: Ints


def _some(first: PassageColumns, second: PassageColumns, length: int, filled: bool) -> Doubles:
    number = _document_numbers(first, second)
    count = len(first.topics)
    texts = [
        _characters(first, number[: len(first.offset)], length),
        _characters(second, number[len(first.offset) :], length),
    ]
    topic, document, character, place = (np.concatenate(parts) for parts in zip(*texts, strict=True))
    side = np.repeat([0, 1], [len(text.place) for text in texts])
    # Equal characters side by side, each text's first sight of them first.
    order = np.lexsort((place, side, character, document))
    same = (document[order[1:]] == document[order[:-1]]) & (character[order[1:]] == character[order[:-1]])
    again = np.append(False, same & (side[order[1:]] == side[order[:-1]]))
    kept = order[~again]
    topic, document, character, place, side = topic[kept], document[kept], character[kept], place[kept], side[kept]
    worth = length - place  # in units of 1/l: whole numbers, whose sums are exact
    both = np.flatnonzero((document[1:] == document[:-1]) & (character[1:] == character[:-1]))
    gain = np.zeros((2, len(worth)))
    gain[side, np.arange(len(worth))] = worth
    change = place[both + 1] - place[both]  # the first text's row stands before the second's
    gain[0, both], gain[1, both] = np.maximum(change, 0.0), np.maximum(-change, 0.0)
    gain[:, both + 1] = 0.0
    after = np.append(np.cumsum(np.arange(length))[::-1], 0)  # worth of all places after n
    totals = []
    for run, own in ((first, gain[0]), (second, gain[1])):
        shown = np.minimum(ragged.sums(run.length.astype(np.float64), ragged.owners(run.off), count), length)
        totals.append(ragged.sums(own, topic, count) + (after[shown.astype(np.int64)] if filled else 0.0))
    return TOP_RELEVANCE * np.maximum(totals[0], totals[1]) / length


def _characters(run: PassageColumns, document: Ints, length: int) -> _Seen:
    """Every character of the first `length` places, in order."""
    owner = ragged.owners(run.off)
    cut = np.minimum(run.length, length)  # no passage shows more
    before = np.cumsum(cut) - cut
    start = before - np.append(before, 0)[run.off[:-1]][owner]
    size = np.clip(length - start, 0, cut)
    return _Seen(
        np.repeat(owner, size),
        np.repeat(document, size),
        ragged.ranges(run.offset, size),
        ragged.ranges(start + 1, size),
    )


def _document_numbers(first: PassageColumns, second: PassageColumns) -> Ints:
    """The same number for the same document of a topic in both runs, another one for every other; [N1 + N2]."""
    topic = np.concatenate([ragged.owners(run.off) for run in (first, second)])
    keys = np.concatenate([run.documents.keys() for run in (first, second)])
    order = np.lexsort((keys, topic))
    new = np.append(True, (topic[order[1:]] != topic[order[:-1]]) | (keys[order[1:]] != keys[order[:-1]]))
    number = np.empty(len(keys), np.int64)
    number[order] = np.cumsum(new) - 1
    leader = order[new][number]  # a passage with the same key
    if _all_same([first.documents, second.documents], leader):
        return number
    names = first.documents.to_list() + second.documents.to_list()  # two documents with one key: compare names
    index: dict[tuple[int, bytes], int] = {}
    return np.array([index.setdefault(pair, len(index)) for pair in zip(topic.tolist(), names, strict=True)], np.int64)


def _all_same(texts: list[Texts], leader: Ints) -> bool:
    """Whether text i and text leader[i] of both lists together are the same bytes, for all i."""
    size = len(texts[0])
    for start, mine in ((0, texts[0]), (size, texts[1])):
        rows = np.arange(len(mine))
        lead = leader[start : start + len(mine)]
        for offset, theirs in ((0, texts[0]), (size, texts[1])):
            inside = (lead >= offset) & (lead < offset + len(theirs))
            if not bool(mine.equal(rows[inside], theirs, lead[inside] - offset).all()):
                return False
    return True
