"""The hand-over from read to core: plain columns over numpy arrays, in file order.

Ids are bytes. A document number is stored once, in a shared buffer, and compared as 8-byte words.

The dataclasses that hold arrays have no `==` and no `repr`: neither says anything useful about arrays, and making them
takes time at every start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
Doubles = NDArray[np.float64]
Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]

PADDING = 16
"""Readable bytes that must follow the last text in a buffer, so that whole words can be gathered."""

_KEEP = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)
_ODD = [np.uint64((0x9E3779B97F4A7C15 * (2 * n + 1) ^ 0x2545F4914F6CDD1D << n) & (2**64 - 1) | 1) for n in range(64)]
_SHIFT29, _SHIFT32 = np.uint64(29), np.uint64(32)
_ROWS_AT_ONCE = 1 << 18  # keeps what a computation needs beside its result small
_FINAL = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, eq=False, repr=False)
class Texts:
    """Many short byte strings in one buffer: `buffer[start[i] : start[i] + length[i]]`.

    The buffer has `PADDING` bytes after the last text. No text contains a NUL byte (readers refuse them).
    """

    buffer: Bytes
    start: Ints | Int32s
    length: Ints | Int32s

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, i: int) -> bytes:
        start = int(self.start[i])
        return self.buffer[start : start + int(self.length[i])].tobytes()

    def take(self, rows: NDArray[np.integer] | slice) -> Texts:
        """The chosen texts, over the same buffer."""
        return Texts(self.buffer, self.start[rows], self.length[rows])

    def packed(self) -> Texts:
        """The same texts over a buffer of their own, with nothing else in it."""
        length = self.length.astype(np.int32)
        start = np.cumsum(length, dtype=np.int64) - length
        size = int(length.sum())
        buffer = np.zeros(size + PADDING, np.uint8)
        buffer[:size] = self.buffer[np.arange(size) + np.repeat(self.start - start, length)]
        return Texts(buffer, start, length)

    def to_list(self) -> list[bytes]:
        """All texts as Python bytes."""
        whole = self.buffer.tobytes()
        return [whole[s : s + n] for s, n in zip(self.start.tolist(), self.length.tolist(), strict=True)]

    def word(self, j: int) -> Words:
        """Bytes 8j to 8j+7 of each text as a little-endian word, zero beyond its end; shape [n]."""
        words = np.ndarray((max(0, len(self.buffer) - 7),), np.dtype("<u8"), self.buffer, strides=(1,))
        if j == 0:
            return words[self.start] & _KEEP[np.minimum(self.length, 8)]
        kept: Words = words[np.minimum(self.start + 8 * j, len(words) - 1)]
        kept &= _KEEP[np.minimum(np.maximum(self.length - 8 * j, 0), 8)]
        return kept

    def word_count(self) -> int:
        """How many words the longest text has."""
        return (int(self.length.max()) + 7) // 8 if len(self) else 0

    def keys(self) -> Words:
        """A 64-bit key for each text: equal texts have equal keys, whatever else is in the buffer; shape [n].

        A zero word adds nothing, so the key does not depend on how long the other texts are.
        """
        key = np.zeros(len(self), np.uint64)
        for start in range(0, len(self), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            some, part = self.take(rows), key[rows]
            for j in range(some.word_count()):
                word = some.word(j)
                word ^= word >> _SHIFT29
                word *= _ODD[j % len(_ODD)]
                part += word
            part ^= part >> _SHIFT32
            part *= _FINAL
        return key

    def equal(self, rows: NDArray[np.integer], other: Texts, other_rows: NDArray[np.integer]) -> Bools:
        """Whether text rows[i] of self and other_rows[i] of other are the same bytes; shape [len(rows)]."""
        mine, theirs = self.take(rows), other.take(other_rows)
        same: Bools = mine.length == theirs.length
        for j in range(min(mine.word_count(), theirs.word_count())):
            same &= mine.word(j) == theirs.word(j)
        return same

    def same_as_previous(self) -> Bools:
        """Whether text i equals text i-1 (the first is never the same); shape [n]."""
        same = np.zeros(len(self), np.bool_)
        if len(self) > 1:
            same[1:] = self.length[1:] == self.length[:-1]
            for j in range(self.word_count()):
                word = self.word(j)
                same[1:] &= word[1:] == word[:-1]
        return same

    def sort_columns(self) -> list[Words]:
        """Words that compare as the texts do byte by byte, most significant first."""
        return [self.word(j).byteswap() for j in range(self.word_count())]


def texts_from(items: Sequence[bytes]) -> Texts:
    """Texts from Python bytes."""
    length = np.fromiter((len(item) for item in items), np.int64, len(items))
    start = np.zeros(len(items), np.int64)
    if len(items):
        np.cumsum(length[:-1], out=start[1:])
    buffer = np.frombuffer(b"".join(items) + bytes(PADDING), np.uint8)
    return Texts(buffer, start, length)


def join_texts(parts: Sequence[Texts]) -> Texts:
    """Several Texts one after the other, over a common buffer. Offsets take four bytes where that is enough."""
    shifts = np.cumsum([0] + [len(part.buffer) for part in parts])
    size = np.int32 if shifts[-1] < 2**31 - 2**20 else np.int64  # room for words read beyond a start
    starts = [(part.start + shift).astype(size) for part, shift in zip(parts, shifts.tolist(), strict=False)]
    return Texts(
        np.concatenate([part.buffer for part in parts]),
        np.concatenate(starts),
        np.concatenate([part.length.astype(np.int32) for part in parts]),
    )


@dataclass(frozen=True, eq=False, repr=False)
class RunColumns:
    """Whole topics of one run, rows in file order, grouped: rows off[i]:off[i+1] belong to topics[i]."""

    file: str
    topics: list[bytes]
    off: Ints
    documents: Texts
    scores: Doubles
    ranks: Ints | None
    """The rank column; read only when the order asks for it."""
    lines: Ints | Int32s
    """Line number of each row, for messages."""
    tag: bytes
    """Run id on the last of these lines."""
    first_tag: bytes = b""
    """Run id on the first line, where the whole run was read at once."""


@dataclass(frozen=True, eq=False, repr=False)
class IntentColumns:
    """What is known of intents, one row each, in file order; None where the file has no such column."""

    file: str
    topics: list[bytes]
    intents: list[bytes]
    probability: Doubles | None
    navigational: Bools | None


@dataclass(frozen=True, eq=False, repr=False)
class QrelsColumns:
    """All judgements of one file, rows in file order."""

    file: str
    topics: list[bytes]
    topic: Int32s
    """Row -> index into topics."""
    documents: Texts
    levels: Doubles | Int32s
    lines: Int32s
    groups: Texts | None = None
    """Judgement group (second field of qrels_jg, qrels_prefs and prefs), or intent (of diversity judgements)."""
    subgroups: Texts | None = None
    """Judgement sub-group (third field of prefs)."""


@dataclass(frozen=True, eq=False, repr=False)
class SessionColumns:
    """The ranked lists of some sessions, rows in file order."""

    file: str
    sessions: list[bytes]
    session: Int32s
    """Row -> index into sessions."""
    query: Int32s
    """Number of the query in its session, from 1."""
    documents: Texts
    scores: Doubles
    ranks: Ints | None
    """The rank column; read only when the order asks for it."""
    lines: Int32s
    tag: bytes


@dataclass(frozen=True, eq=False, repr=False)
class ClickColumns:
    """Clicks of some sessions, rows in the order of time."""

    file: str
    sessions: list[bytes]
    session: Int32s
    """Row -> index into sessions."""
    query: Ints
    rank: Ints
    length: Ints
    """Characters of the document clicked on."""
    lines: Ints
