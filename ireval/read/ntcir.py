"""Files of NTCIREVAL, read as strictly as it reads them.

A line is cut at the characters of the separator (a blank unless told otherwise; a tab is no separator), several in a
row count as one. Every line ends with a newline, the last one too; blank lines are faults, and there are no comments.
Ranked lists are not cut at all: the whole line is the document. A carriage return stays in a text and is ignored after
a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from ireval.errors import InputError, printable
from ireval.read.source import Source

MOST_INTENTS = 64
TOP_LEVEL = 15
_BLOCK = 1 << 16
T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """The fields of one line, and what is needed to complain about them."""

    file: str
    line: int
    fields: tuple[bytes, ...]

    def fault(self, field: str, expected: str, found: bytes | None) -> InputError:
        """An InputError about one field (None: it is missing)."""
        what = "nothing" if found is None else f'"{printable(found)}"'
        return InputError(self.file, self.line, field, f"expected {expected}, found {what}")

    def text(self, at: int, field: str) -> bytes:
        """A field that has to be there."""
        if at >= len(self.fields):
            raise self.fault(field, "one more field", None)
        return self.fields[at]

    def number(self, at: int, field: str, least: float = -math.inf) -> float:
        """A field as a finite number."""
        kind = "a number" + (f" of at least {least:g}" if least > -math.inf else "")
        return self._converted(at, field, kind, number, least)

    def whole(self, at: int, field: str, least: float = -math.inf) -> int:
        """A field as a whole number."""
        kind = "a whole number" + (f" of at least {least:g}" if least > -math.inf else "")
        return self._converted(at, field, kind, whole_number, least)

    def level(self, at: int, top: int) -> int:
        """A relevance label, L0 to L15, as its level, which may not exceed top."""
        label = self.text(at, "label")
        level = whole_number(label[1:]) if label.startswith(b"L") else None
        if level is None or not 0 <= level <= TOP_LEVEL:
            raise self.fault("label", f"L0 to L{TOP_LEVEL}", label)
        if level > top:
            raise self.fault("label", f"a level that -g has a gain for (up to L{top})", label)
        return level

    def _converted(self, at: int, field: str, expected: str, convert: Callable[[bytes], T | None], least: float) -> T:
        given = self.text(at, field)
        value = convert(given)
        if value is None or value < least:  # type: ignore[operator]
            raise self.fault(field, expected, given)
        return value


def number(text: bytes) -> float | None:
    """A finite decimal number, None when the text is none."""
    if not re.fullmatch(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\r?", text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def whole_number(text: bytes) -> int | None:
    """A whole number of at most 18 digits, None when the text is none."""
    return int(text) if re.fullmatch(rb"[+-]?\d{1,18}\r?", text) else None


# -- lines ----------------------------------------------------------------------------------------------------------


def lines(source: Source) -> list[bytes]:
    """All lines of a file without their ends."""
    stream, pieces, buffer = source.open(), [], bytearray(_BLOCK)
    while got := stream.fill(memoryview(buffer)):
        pieces.append(bytes(buffer[:got]))
    whole = b"".join(pieces)
    found = whole.split(b"\n")
    if found.pop():
        raise source.fail("expected a newline at the end of the last line, found none", len(found) + 1)
    if b"\x00" in whole:
        raise source.fail("expected text, found a NUL byte", whole.count(b"\n", 0, whole.index(b"\x00")) + 1)
    return found


def cut(line: bytes, separator: bytes) -> list[bytes]:
    """The fields of a line: what stands between the characters of the separator."""
    first = separator[:1]
    if len(separator) > 1:
        line = line.translate(bytes.maketrans(separator, first * len(separator)))
    return [field for field in (line.split(first) if first else [line]) if field]


def rows(source: Source, separator: bytes) -> Iterator[Row]:
    """All lines of a file, cut into fields."""
    for place, line in enumerate(lines(source), 1):
        row = Row(source.name, place, tuple(cut(line, separator)))
        if not row.fields:
            raise row.fault("", "a document", line)
        yield row


# -- files ----------------------------------------------------------------------------------------------------------


def read_labels(source: Source, separator: bytes) -> list[tuple[bytes, bytes]]:
    """`document label` as they stand: whether a label means anything is no matter here."""
    return [(row.fields[0], row.text(1, "label")) for row in rows(source, separator)]


def read_classes(source: Source, separator: bytes, most: int) -> list[tuple[bytes, bytes, int]]:
    """`document label class`: equivalence classes are numbered from 1."""
    return [(row.fields[0], row.text(1, "label"), _class(row, most)) for row in rows(source, separator)]


def _class(row: Row, most: int) -> int:
    found = row.whole(2, "class")
    if not 1 <= found <= most:
        raise row.fault("class", f"a number from 1 to {most}", row.fields[2])
    return found


def read_levels(source: Source, separator: bytes, top: int) -> list[int]:
    """The levels of a judgement file, one a line."""
    return [row.level(1, top) for row in rows(source, separator)]


def read_class_levels(source: Source, separator: bytes, top: int, most: int) -> list[int]:
    """The highest level of each equivalence class; classes without a relevant document are left out."""
    highest: dict[int, int] = {}
    for row in rows(source, separator):
        level, number = row.level(1, top), _class(row, most)
        highest[number] = max(level, highest.get(number, 0))
    return [level for level in highest.values() if level > 0]


def read_labelled(source: Source, separator: bytes, top: int) -> list[int]:
    """The level of each line of a labelled ranked list, 0 where there is no label."""
    return [row.level(1, top) if len(row.fields) > 1 else 0 for row in rows(source, separator)]


def read_ideal(source: Source, separator: bytes) -> list[tuple[bytes, float]]:
    """`document gain`, best first; a gain of 0 means judged and not relevant."""
    return [(row.fields[0], row.number(1, "gain", 0.0)) for row in rows(source, separator)]


def read_gained(source: Source, separator: bytes) -> list[float | None]:
    """The gain of each line of a ranked list with gains, None where there is none."""
    return [row.number(1, "gain") if len(row.fields) > 1 else None for row in rows(source, separator)]


@dataclass(frozen=True)
class Share:
    """What a document is worth to an intent: the intent's probability times its gain."""

    intent: int
    navigational: bool
    gain: float


def read_shares(source: Source, separator: bytes) -> dict[bytes, list[Share]]:
    """`intent inf|nav document worth`, by document in file order."""
    shares: dict[bytes, list[Share]] = {}
    for row in rows(source, separator):
        intent, kind = row.whole(0, "intent", 1), row.text(1, "kind")
        if intent > MOST_INTENTS:
            raise row.fault("intent", f"a number from 1 to {MOST_INTENTS}", row.fields[0])
        if kind not in (b"inf", b"nav"):
            raise row.fault("kind", "inf or nav", kind)
        share = Share(intent, kind == b"nav", row.number(3, "worth"))
        shares.setdefault(row.text(2, "document"), []).append(share)
    return shares


def read_documents(source: Source, separator: bytes) -> set[bytes]:
    """The first field of each line."""
    return {row.fields[0] for row in rows(source, separator)}


def read_nuggets(source: Source, separator: bytes) -> list[tuple[bytes, float, int]]:
    """`nugget weight length`."""
    found = []
    for row in rows(source, separator):
        weight = row.number(1, "weight")
        if weight <= 0:
            raise row.fault("weight", "a number above 0", row.fields[1])
        found.append((row.fields[0], weight, row.whole(2, "length", 1)))
    return found


def read_matches(source: Source, separator: bytes) -> tuple[int, list[tuple[bytes, int, Row]]]:
    """The length of an answer, second field of the first line, then `nugget offset`; no lines: an empty answer."""
    length, matches = 0, []
    for place, row in enumerate(rows(source, separator)):
        if place == 0:
            length = row.whole(1, "length", 0)
        else:
            matches.append((row.fields[0], row.whole(1, "offset"), row))
    return length, matches


def read_memberships(source: Source, separator: bytes, groups: int) -> dict[bytes, list[float]]:
    """`document p1 ... pC`: how far each document belongs to each group; the first line of a document counts."""
    found: dict[bytes, list[float]] = {}
    for row in rows(source, separator):
        found.setdefault(row.fields[0], _distribution(row, 1, groups))
    return found


def _distribution(row: Row, start: int, groups: int) -> list[float]:
    values = [row.number(start + at, "membership", 0.0) for at in range(groups)]
    if len(row.fields) > start + groups:
        raise row.fault("membership", f"{groups} numbers", row.fields[start + groups])
    if abs(sum(values) - 1.0) > 0.01:
        why = f"expected numbers that add up to 1, found a sum of {sum(values):g}"
        raise InputError(row.file, row.line, "membership", why)
    return values


def read_target(source: Source, separator: bytes, groups: int) -> list[float]:
    """The distribution over groups that is wished for, one number a line."""
    values = [row.number(0, "probability", 0.0) for row in rows(source, separator)]
    if len(values) != groups:
        raise source.fail(f"expected {groups} lines (-ngroups), found {len(values)}")
    if abs(sum(values) - 1.0) > 0.01:
        raise source.fail(f"expected probabilities that add up to 1, found a sum of {sum(values):g}")
    return values


def read_grouped(source: Source, separator: bytes, top: int, groups: int) -> list[tuple[int, list[float]]]:
    """`document [label] p1 ... pC`: level (0 without a label) and memberships of each line."""
    found = []
    for row in rows(source, separator):
        labelled = len(row.fields) > 1 + groups
        found.append((row.level(1, top) if labelled else 0, _distribution(row, 2 if labelled else 1, groups)))
    return found
