"""ROUGE: how much of a reference text is in a text, in pieces of a few words.

All pieces of many texts are made and counted at once: each is one number, and a sort brings those of a pair of text
and reference together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ireval.core import ragged
from ireval.core.columns import Bools, Doubles, Ints
from ireval.core.numeric import ratio
from ireval.core.summaries import Summaries, Words
from ireval.measures.graded import LECTURE
from ireval.measures.nuggets import f_measure
from ireval.measures.registry import Choice, Number, Suffix, measure

LIN = f"Lin, ROUGE: A Package for Automatic Evaluation of Summaries, ACL Workshop 2004; {LECTURE}"
PART = Choice(
    "part",
    "f",
    "Which of precision, recall and their F-measure.",
    setting="part",
    choices=("f", "recall", "precision"),
)
BETA = Number("beta", 1.0, "How many times as important recall is as precision, in F.", low=0.0)
REFERENCES = Choice(
    "refs",
    "average",
    "Several references: the average over them, or the best of them by F.",
    setting="refs",
    choices=("average", "best"),
)
SKIP = Suffix("d", None, "Words that may lie between the two of a pair; any number of them by default.")
PIECES_AT_ONCE = 1 << 21
_ROOM = 2**62

Pieces = Callable[[Words, int, Bools | None], tuple[Ints, Ints]]
"""Words, the size of the vocabulary, and the words that pieces may begin with (by number; None: any) -> the number of
each piece, and the text that it belongs to."""


def _beginning(words: Words, room: Ints, first: Bools | None) -> Ints:
    """Places of words that may begin a piece: where there is room, and of the words chosen. room: one for each word."""
    return np.flatnonzero(room > 0 if first is None else (room > 0) & first[words.number])


def _following(words: Words) -> Ints:
    """How many words follow each one in its text; [N]."""
    return np.repeat(words.off[1:], np.diff(words.off)) - np.arange(len(words.number)) - 1


def grams(n: int) -> Pieces:
    """Runs of n words."""

    def make(words: Words, vocabulary: int, first: Bools | None) -> tuple[Ints, Ints]:
        at = _beginning(words, _following(words) - n + 2, first)
        piece, size = words.number[at], vocabulary
        for step in range(1, n):
            if size > _ROOM // max(vocabulary, 1):  # too large to go on: number the pieces so far anew
                piece = np.unique(piece, return_inverse=True)[1].reshape(-1)
                size = len(at)
            piece = piece * vocabulary + words.number[at + step]
            size *= vocabulary
        return piece, ragged.owners(words.off)[at]

    return make


def skip_pairs(most: int | None, *, with_words: bool) -> Pieces:
    """Pairs of words in their order with at most so many between them, and perhaps the single words too."""

    def make(words: Words, vocabulary: int, first: Bools | None) -> tuple[Ints, Ints]:
        room = _following(words)
        at = _beginning(words, room + 1, first)
        partners = room[at] if most is None else np.minimum(room[at], most + 1)
        owner = ragged.owners(words.off)[at]
        piece = np.repeat(words.number[at] * vocabulary, partners) + words.number[ragged.ranges(at + 1, partners)]
        owners = np.repeat(owner, partners)
        if with_words:
            piece = np.append(piece, vocabulary * vocabulary + words.number[at])
            owners = np.append(owners, owner)
        return piece, owners

    return make


def _chosen(words: Words, texts: Ints) -> Words:
    """The words of some texts, in this order."""
    length = np.diff(words.off)[texts]
    return Words(words.number[ragged.ranges(words.off[:-1][texts], length)], ragged.offsets(length))


def _batches(s: Summaries, per_word: int | None) -> Iterator[slice]:
    """Pairs of text and reference, some at a time, so that their pieces stay few."""
    lengths = [np.diff(s.texts.off)[s.reference_of], np.diff(s.references.off)]
    width = [length if per_word is None else np.minimum(length, per_word) for length in lengths]
    work = np.cumsum(sum(length * (wide + 1) for length, wide in zip(lengths, width, strict=True)))
    start = 0
    while start < len(work):
        done = int(work[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(work, done + PIECES_AT_ONCE, side="right")))
        yield slice(start, end)
        start = end


def _shares(words: Words, per_word: int | None, vocabulary: int) -> Iterator[Bools | None]:
    """Words that pieces begin with, some at a time, where long texts have too many pieces to be made at once."""
    length = np.repeat(np.diff(words.off), np.diff(words.off))
    width = length if per_word is None else np.minimum(length, per_word)
    if width.sum() <= 2 * PIECES_AT_ONCE:
        yield None
        return
    share = np.cumsum(np.bincount(words.number, weights=width, minlength=vocabulary)) // PIECES_AT_ONCE
    for one in np.unique(share):
        yield share == one


def overlap(s: Summaries, pieces: Pieces, per_word: int | None) -> tuple[Ints, Ints, Ints]:
    """For each pair of text and reference: pieces in both, in the text, in the reference; three [P].

    A piece counts as often as it is in both: the smaller of its two counts. per_word: about how many pieces a word
    makes (None: as many as there are words), for the size of a batch.
    """
    both, ours, theirs = (np.zeros(len(s.reference_of), np.int64) for _ in range(3))
    for batch in _batches(s, per_word):
        size = batch.stop - batch.start
        mine = _chosen(s.texts, s.reference_of[batch])
        other = _chosen(s.references, np.arange(batch.start, batch.stop))
        joined = Words(np.append(mine.number, other.number), np.append(mine.off, mine.off[-1] + other.off[1:]))
        for first in _shares(joined, per_word, s.vocabulary):
            piece, owner = pieces(joined, s.vocabulary, first)  # made together, so that they are numbered alike
            for total, part in zip((both, ours, theirs), _counted(piece, owner, size), strict=True):
                total[batch] += part
    return both, ours, theirs


def _counted(piece: Ints, owner: Ints, size: int) -> tuple[Ints, Ints, Ints]:
    """Pieces in both, in the text, in the reference, for each of so many pairs; three [size].

    owner: the text of each piece; texts come first, then as many references.
    """
    highest = int(piece.max(initial=0)) + 1
    if highest > _ROOM // max(2 * size, 1):
        piece = np.unique(piece, return_inverse=True)[1].reshape(-1)
        highest = len(piece) + 1
    is_other = owner >= size
    pair = owner - size * is_other
    ours = np.bincount(pair[~is_other], minlength=size)
    theirs = np.bincount(pair[is_other], minlength=size)
    key = np.sort((pair * highest + piece) * 2 + is_other)
    group = key >> 1
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
    total = np.diff(np.append(starts, len(group)))
    from_other = np.diff(np.append(0, np.cumsum(key & 1))[np.append(starts, len(group))])
    shared = np.minimum(total - from_other, from_other)
    both = np.bincount(group[starts] // highest, weights=shared, minlength=size).astype(np.int64)
    return both, ours, theirs


def _score(
    s: Summaries, kind: str, number: int | None, pieces: Pieces, per_word: int | None, part: str, beta: float, refs: str
) -> Doubles:
    """One part of the score for each text, over all of its references; [T]. kind, number: what the pieces are."""
    if (kind, number) not in s.counts:
        s.counts[kind, number] = overlap(s, pieces, per_word)
    both, ours, theirs = s.counts[kind, number]
    precision, recall = ratio(both, ours), ratio(both, theirs)
    f = np.array([f_measure(p, r, beta) for p, r in zip(precision.tolist(), recall.tolist(), strict=True)], np.float64)
    value = {"precision": precision, "recall": recall, "f": f}[part]
    off = ragged.offsets(np.bincount(s.reference_of, minlength=len(s)))
    if refs == "average":
        return ratio(ragged.sums(value, s.reference_of, len(s)), np.diff(off))
    order = np.lexsort((-f, s.reference_of))  # the best of each text comes first, of equal ones the first given
    return value[order[off[:-1]]]


@measure(
    "rouge_n",
    label="ROUGE-",
    aliases=("ROUGE-N",),
    params=(Suffix("n", 1, "Words in a piece.", low=1), PART, BETA, REFERENCES),
    needs="texts",
    trec=False,
    formula="sum over n-grams of min(count in text, count in reference) / n-grams of the reference (recall) or text "
    "(precision)",
    cite=f"{LIN}, eq. 36 (its recall)",
)
def rouge_n(s: Summaries, n: int, part: str, beta: float, refs: str) -> Doubles:
    """ROUGE-N, such as ROUGE-2: runs of n words that a text shares with a reference."""
    return _score(s, "grams", n, grams(n), 1, part, beta, refs)


@measure(
    "rouge_s",
    label="ROUGE-S",
    params=(SKIP, PART, BETA, REFERENCES),
    needs="texts",
    trec=False,
    formula="as ROUGE-N, of pairs of words in their order",
    cite=f"{LIN}, eq. 37 to 39",
)
def rouge_s(s: Summaries, d: int | None, part: str, beta: float, refs: str) -> Doubles:
    """ROUGE-S, such as ROUGE-S4: pairs of words in their order, with at most d words between them, that are shared."""
    per_word = None if d is None else d + 1
    return _score(s, "pairs", d, skip_pairs(d, with_words=False), per_word, part, beta, refs)


@measure(
    "rouge_su",
    label="ROUGE-SU",
    params=(SKIP, PART, BETA, REFERENCES),
    needs="texts",
    trec=False,
    formula="as ROUGE-S, of pairs of words and single words",
    cite=LIN,
)
def rouge_su(s: Summaries, d: int | None, part: str, beta: float, refs: str) -> Doubles:
    """ROUGE-SU, such as ROUGE-SU4: as ROUGE-S, with the single words too."""
    per_word = None if d is None else d + 2
    return _score(s, "pairs and words", d, skip_pairs(d, with_words=True), per_word, part, beta, refs)
