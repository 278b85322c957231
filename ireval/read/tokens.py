"""A block of whole lines -> the bounds of its fields. Knows bytes and lines, not what the fields mean.

Blanks, tabs, form feeds and carriage returns separate fields. Blank lines and lines whose first field starts with
`#` are passed over. Two ways to the same answer: a quick one for blocks in which every line has just the wanted
fields with one separator between them, and a careful one for everything else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ireval.core.columns import Bytes, Ints, Texts

_TAB, _NEWLINE, _BLANK, _HASH = 9, 10, 32, ord("#")


@dataclass(frozen=True, eq=False, repr=False)
class Fault:
    """A line without the expected number of fields, or (count -1) with bytes that are not text."""

    line: int
    start: int
    end: int
    count: int


@dataclass(frozen=True, eq=False, repr=False)
class Fields:
    """Bounds of the wanted fields of each line that has any.

    starts, ends [lines, width]; starts is None where each field starts one byte after the one before it ends.
    lines [lines]: line numbers. When a line is short or holds a control character, the rows stop before it and
    `fault` names it.
    """

    buffer: Bytes
    starts: Ints | None
    ends: Ints
    lines: Ints
    fault: Fault | None

    def start(self, column: int) -> Ints:
        """Where the fields of a column start; shape [lines]."""
        if self.starts is not None:
            return np.ascontiguousarray(self.starts[:, column])
        if column:
            return self.ends[:, column - 1] + 1
        return np.append(0, self.ends[:-1, -1] + 1)

    def texts(self, column: int) -> Texts:
        """A column as texts over the buffer."""
        start = self.start(column)
        return Texts(self.buffer, start, self.ends[:, column] - start)


def split_fields(buffer: Bytes, size: int, width: int, most: int | None, first_line: int) -> Fields:
    """Fields of the lines in buffer[:size], which ends with a newline.

    width: fields wanted from each line; most: fields allowed (None: any number, the rest is passed over);
    first_line: the number of the first line.
    """
    block = buffer[:size]
    gap = block <= _BLANK
    at = np.flatnonzero(gap)
    lines = len(at) // width
    newlines = int(np.count_nonzero(block == _NEWLINE))
    if (
        lines == newlines
        and len(at) == lines * width
        and bool((block[at[width - 1 :: width]] == _NEWLINE).all())
        and not gap[0]
        and not bool((gap[1:] & gap[:-1]).any())
    ):
        # Fields and gaps alternate, and each width-th gap is a newline: just width fields a line. What remains to be
        # seen is that the other gaps are blanks or tabs (not control characters) and that no line is a comment.
        separators = int(np.count_nonzero(block == _BLANK)) + newlines
        if separators == len(at) or separators + int(np.count_nonzero(block == _TAB)) == len(at):
            fields = Fields(buffer, None, at.reshape(-1, width), np.arange(first_line, first_line + lines), None)
            if not bool((block[fields.start(0)] == _HASH).any()):
                return fields
    return _split_carefully(buffer, block, width, most, first_line)


def _split_carefully(buffer: Bytes, block: Bytes, width: int, most: int | None, first_line: int) -> Fields:
    """As split_fields, for lines of any shape."""
    gap = np.concatenate(([True], block <= _BLANK))
    edges = np.flatnonzero(gap[1:] != gap[:-1])
    starts, ends = edges[0::2], edges[1::2]  # the block ends with a newline, so every field ends within it
    newlines = np.flatnonzero(block == _NEWLINE)
    line_of = np.searchsorted(newlines, starts)
    count = np.bincount(line_of, minlength=len(newlines))
    first = np.searchsorted(line_of, np.arange(len(newlines)))
    used = np.flatnonzero(count > 0)
    used = used[block[starts[first[used]]] != _HASH]
    fault: Fault | None = None
    wrong = used[(count[used] < width) | (count[used] > (most or np.iinfo(np.int64).max))]
    odd = np.flatnonzero((block < _BLANK) & ((block < 9) | (block > 13)))
    if len(odd):  # a control character is no separator and has no place in an id: this is not a text file
        bad = int(np.searchsorted(newlines, odd[0]))
        if not len(wrong) or bad <= wrong[0]:
            fault = Fault(first_line + bad, int(odd[0]), int(odd[0]) + 1, -1)
            used = used[used < bad]
    if fault is None and len(wrong):
        bad = int(wrong[0])
        begin = int(newlines[bad - 1]) + 1 if bad else 0
        fault = Fault(first_line + bad, begin, int(newlines[bad]), int(count[bad]))
        used = used[used < bad]
    chosen = first[used][:, None] + np.arange(width)
    return Fields(buffer, starts[chosen], ends[chosen], first_line + used, fault)
