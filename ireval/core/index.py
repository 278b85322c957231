"""Finding documents by number: one small hash table for each group of documents (a topic's judgements, all lengths)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ireval.core.columns import Int32s, Ints, Texts, Words
from ireval.core.ragged import offsets

ROWS_AT_ONCE = 1 << 18


class DocumentIndex:
    """Documents off[i]:off[i+1] form group i; each group has a table of its own, half empty at least.

    repeated: makes the error to be raised when a document stands twice in a group.
    """

    def __init__(self, off: Ints, keys: Words, documents: Texts, repeated: Callable[[], Exception]) -> None:
        self._off, self._keys, self._documents = off, keys, documents
        bits = np.maximum(1, np.frexp(np.maximum(1, 2 * np.diff(off) - 1))[1]).astype(np.int64)
        size = np.int64(1) << bits
        base = offsets(size)
        self._base, self._limit = base[:-1], size - 1
        self._shift = (64 - bits).astype(np.uint64)
        self._table = np.full(int(base[-1]), -1, np.int32)
        first = 0
        while first < len(bits):  # some groups at a time: the work needs more memory than the tables
            last = max(first + 1, int(np.searchsorted(off, off[first] + ROWS_AT_ONCE, side="right")) - 1)
            self._fill(first, last, repeated)
            first = last

    def _fill(self, first: int, last: int, repeated: Callable[[], Exception]) -> None:
        """Put every document of some groups into a free slot, all at once; who loses a slot goes on to the next."""
        keys, table = self._keys, self._table
        start, end = int(self._off[first]), int(self._off[last])
        group = np.repeat(np.arange(first, last), np.diff(self._off[first : last + 1]))
        slot = (keys[start:end] >> self._shift[group]).astype(np.int64)
        rows = np.arange(start, end)
        while len(rows):
            at = self._base[group] + slot
            free = table[at] < 0
            table[at[free]] = rows[free]
            holder = table[at]
            placed = holder == rows
            clash = np.flatnonzero(~placed & (keys[holder] == keys[rows]))
            if len(clash):
                same = self._documents.equal(rows[clash], self._documents, holder[clash])
                if bool(same.any()):
                    raise repeated()
            rows, group, slot = rows[~placed], group[~placed], slot[~placed]
            limit = self._limit[group]
            slot = (slot + _step(keys[rows], limit)) & limit

    def find(self, group: NDArray[np.integer], off: Ints, keys: Words, documents: Texts) -> Int32s:
        """The row of each document in its group, -1 where it is not there; shape [N].

        group [G], off [G+1]: documents off[i]:off[i+1] are sought in group[i]; keys, documents [N]. A match of keys
        counts only when the bytes agree.
        """
        table, length = self._table, np.diff(off)
        home = np.repeat(self._base[group], length)
        slot = (keys >> np.repeat(self._shift[group], length)).astype(np.int64)
        found = table[home + slot]
        rows = np.flatnonzero(found >= 0)
        rows = rows[self._keys[found[rows]] != keys[rows]]  # taken by another document: look on
        slot, home, key = slot[rows], home[rows], keys[rows]
        limit = self._limit[np.repeat(group, length)[rows]]
        step = _step(key, limit)
        while len(rows):
            slot = (slot + step) & limit
            candidate = table[home + slot]
            found[rows] = candidate
            on = (candidate >= 0) & (self._keys[candidate] != key)
            rows, slot, home, key, limit, step = rows[on], slot[on], home[on], key[on], limit[on], step[on]
        matched = np.flatnonzero(found >= 0)
        same = documents.equal(matched, self._documents, found[matched])
        for row in matched[~same].tolist():  # two documents with one key: compare names
            number = int(group[np.searchsorted(off, row, side="right") - 1])
            members = range(int(self._off[number]), int(self._off[number + 1]))
            found[row] = next((i for i in members if self._documents[i] == documents[row]), -1)
        return found


def _step(keys: Words, limit: Ints) -> Ints:
    """How far to go on from a taken slot: odd, so that every slot of a table is reached."""
    return (keys.astype(np.int64) & limit) | 1
