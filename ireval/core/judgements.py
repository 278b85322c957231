"""Judgements, grouped by topic in byte order of the topic ids, with an index that finds a topic's document.

Everything that depends on the judgements alone (how many are relevant, the ideal order) is computed here once and
shared by all runs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ireval.core.columns import Bools, Doubles, Int32s, Ints, QrelsColumns, Texts, Words
from ireval.core.index import DocumentIndex
from ireval.core.ragged import offsets
from ireval.errors import DuplicateError, UsageError, printable

if TYPE_CHECKING:
    from ireval.core.intents import Intents

UNJUDGED = -2
"""Relevance of a document that is in the judgement file with a negative level: pooled, not judged."""
NOT_IN_POOL = -1
"""Relevance of a document that is not in the judgement file."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class Preferences:
    """Preference lines, sorted by topic: each says that a group (and subgroup) gave a document a level.

    document: index into the judgements; group, subgroup: numbered in byte order of their ids; off: by topic [T+1].
    """

    off: Ints
    document: Int32s
    group: Int32s
    subgroup: Int32s
    level: Doubles


@dataclass(frozen=True, eq=False, repr=False)
class Worth:
    """What levels are worth, where they only number what a document is worth (see `intents.globally`).

    gain, chance [L]: gain of each level, and its probability of satisfying a user. Both are 0 for level 0.
    """

    gain: Doubles
    chance: Doubles


@dataclass(frozen=True, eq=False, repr=False)
class Judgements:
    """The judged documents of some topics.

    topics: ids in byte order. off [T+1]: rows of each topic. level [N]: as given. documents [N].
    parent [T]: None, or for each (topic, group) in `topics` the number of its topic in `parents`.
    intents: what the documents are worth for each intent of their topic; `level` is then the highest of them.
    worth: what the levels are worth, whatever gains a measure is asked for.
    whole: the judgements of which these are a part (see `part`), if they are one.
    """

    file: str
    topics: list[bytes]
    off: Ints
    level: Int32s
    documents: Texts
    keys: Words
    lines: Int32s
    parents: list[bytes] | None = None
    parent: Int32s | None = None
    preferences: Preferences | None = None
    intents: Intents | None = None
    worth: Worth | None = None
    whole: Judgements | None = None
    _cache: dict[Hashable, object] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.topics)

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The value of compute(), kept for the next time the same key is asked for."""
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]  # type: ignore[return-value]

    @property
    def evaluated(self) -> list[bytes]:
        """The topics that scores are about: the parents where topics are (topic, group) pairs."""
        return self.topics if self.parents is None else self.parents

    @property
    def scale(self) -> Judgements:
        """The judgements that tell which levels there are: a part of the collection is judged on the whole's scale."""
        return self if self.whole is None else self.whole.scale

    @property
    def topic_of(self) -> Int32s:
        """Topic of each judgement; shape [N]."""
        return self.once("topic_of", lambda: np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.off)))

    @property
    def relevance(self) -> Int32s:
        """Level of each judgement, any negative one as UNJUDGED; shape [N]."""

        def coded() -> Int32s:
            negative = self.level < 0
            return np.where(negative, np.int32(UNJUDGED), self.level) if bool(negative.any()) else self.level

        return self.once("relevance", coded)

    def number_relevant(self, level: int) -> Ints:
        """Judged documents at or above a level, by topic; shape [T]."""

        def count() -> Ints:
            chosen = (self.level >= level) & (self.level >= 0)
            return np.bincount(self.topic_of[chosen], minlength=len(self))

        return self.once(("number_relevant", level), count)

    def number_nonrelevant(self, level: int) -> Ints:
        """Judged documents below a level, by topic; shape [T]."""
        return self.once(
            ("number_nonrelevant", level), lambda: self.number_relevant(0) - self.number_relevant(max(level, 0))
        )

    def top_levels(self) -> Int32s:
        """Highest level of each topic, -1 where none is judged; shape [T]."""

        def top() -> Int32s:
            highest = np.full(len(self), -1, np.int32)
            np.maximum.at(highest, self.topic_of, np.maximum(self.level, -1))
            return highest

        return self.once("top_levels", top)

    # -- the index ------------------------------------------------------------------------------------------------

    @property
    def _index(self) -> DocumentIndex:
        return self.once("index", lambda: DocumentIndex(self.off, self.keys, self.documents, self._duplicate))

    def find(self, topic: NDArray[np.integer], off: Ints, keys: Words, documents: Texts) -> Int32s:
        """The judgement of each document, -1 where it has none; shape [N].

        topic [T], off [T+1]: documents off[i]:off[i+1] belong to topic[i]; keys, documents [N].
        """
        return self._index.find(topic, off, keys, documents)

    def _duplicate(self) -> DuplicateError:
        repeats, firsts = repeated_rows(self.topic_of, self.keys, self.documents)
        pick = int(np.argmin(self.lines[repeats]))
        row, first = int(repeats[pick]), int(self.lines[firsts[pick]])
        name = self.topics[self.topic_of[row]].replace(b"\x00", b", group ")  # see _split_by_group
        document, topic = printable(self.documents[row]), printable(name)
        return DuplicateError(
            self.file,
            int(self.lines[row]),
            "document",
            f'expected one judgement for each document, found "{document}" of topic {topic} again '
            f"(first on line {first})",
        )

    def children(self) -> dict[int, list[int]]:
        """The (topic, group) pairs of each topic, where there are groups."""
        found: dict[int, list[int]] = {}
        for child, parent in enumerate([] if self.parent is None else self.parent.tolist()):
            found.setdefault(parent, []).append(child)
        return found

    def check_duplicates(self) -> None:
        """Raise DuplicateError when a document is judged twice for a topic."""
        _ = self._index


def in_topic_order(columns: QrelsColumns) -> tuple[list[bytes], Ints, Ints]:
    """Topics in byte order, rows sorted by topic (file order within), offsets."""
    by_name = sorted(range(len(columns.topics)), key=columns.topics.__getitem__)
    place = np.empty(len(by_name), np.int64)
    place[by_name] = np.arange(len(by_name))
    topic = place[columns.topic]
    order = np.argsort(topic, kind="stable") if bool((topic[1:] < topic[:-1]).any()) else np.arange(len(topic))
    off = offsets(np.bincount(topic, minlength=len(by_name)))
    return [columns.topics[i] for i in by_name], order, off


def judgements(columns: QrelsColumns, *, by_group: bool = False, keep_first: bool = False) -> tuple[Judgements, int]:
    """Judgements from columns, and how many repeated ones were passed over.

    by_group: each (topic, group) becomes a topic of its own, with its parent. keep_first: of repeated judgements the
    first counts; otherwise they raise DuplicateError when first looked up.
    """
    if columns.subgroups is not None or (columns.groups is not None and not by_group):
        return _preference_judgements(columns), 0
    if by_group:
        columns = _split_by_group(columns)
    topics, order, off = in_topic_order(columns)
    documents = columns.documents.take(order)
    whole = Judgements(
        columns.file,
        topics,
        off,
        columns.levels[order].astype(np.int32),
        documents,
        documents.keys(),
        columns.lines[order],
    )
    repeated = 0
    if keep_first:
        repeats = repeated_rows(whole.topic_of, whole.keys, documents)[0]
        if len(repeats):
            repeated = len(repeats)
            keep = np.ones(len(order), np.bool_)
            keep[repeats] = False
            whole = select(whole, keep)
    if by_group:
        names = [topic.split(b"\x00")[0] for topic in topics]
        parents = sorted(set(names))
        number = {name: i for i, name in enumerate(parents)}
        parent = np.array([number[name] for name in names], np.int32)
        whole = Judgements(
            whole.file, topics, whole.off, whole.level, whole.documents, whole.keys, whole.lines, parents, parent
        )
    return whole, repeated


def select(whole: Judgements, keep: Bools) -> Judgements:
    """The judgements where keep [N] is true; every topic stays, perhaps with none."""
    off = offsets(np.bincount(whole.topic_of[keep], minlength=len(whole)))
    return Judgements(
        whole.file,
        whole.topics,
        off,
        whole.level[keep],
        whole.documents.take(np.flatnonzero(keep)),
        whole.keys[keep],
        whole.lines[keep],
        whole.parents,
        whole.parent,
        intents=whole.intents.of_part(keep, whole.topic_of) if whole.intents is not None else None,
    )


class Part(NamedTuple):
    """Some judgements of a whole. number [N + 1]: of each of the whole's judgements in the part, -1 where it is not.

    The last entry is -1 too, so that a document without a judgement (-1) stays without.
    """

    judgements: Judgements
    number: Int32s


_NO_PART = "preferences cannot be left out one by one"


def part(whole: Judgements, keep: Bools) -> Part:
    """The judgements where keep [N] is true, as if the others had never been made; every topic stays.

    A document whose judgement is left out is NOT_IN_POOL; numbers of relevant documents and ideals follow. What belongs
    to the scale and not to the judgements (the collection's highest level) stays that of the whole.
    """
    if whole.preferences is not None:
        raise UsageError(_NO_PART)
    number = np.append(np.cumsum(keep, dtype=np.int32) - np.int32(1), np.int32(-1))
    number[:-1][~keep] = -1
    return Part(replace(select(whole, keep), whole=whole), number)


def unjudged_part(whole: Judgements, keep: Bools) -> Part:
    """As `part`, but documents that are left out were pooled all the same (level -1), which infAP allows for.

    Where there are intents, whose measures know no such documents, they are just left out.
    """
    if whole.intents is not None:
        return part(whole, keep)
    if whole.preferences is not None:
        raise UsageError(_NO_PART)
    unjudged = replace(whole, level=np.where(keep, whole.level, np.int32(-1)), whole=whole, _cache={})
    return Part(unjudged, np.append(np.arange(len(keep), dtype=np.int32), np.int32(-1)))


def _split_by_group(columns: QrelsColumns) -> QrelsColumns:
    """Each (topic, group) as a topic `topic NUL group`, which sorts by topic, then group."""
    assert columns.groups is not None
    names = [
        columns.topics[t] + b"\x00" + g for t, g in zip(columns.topic.tolist(), columns.groups.to_list(), strict=True)
    ]
    index: dict[bytes, int] = {}
    topic = np.array([index.setdefault(name, len(index)) for name in names], np.int32)
    return QrelsColumns(columns.file, list(index), topic, columns.documents, columns.levels, columns.lines)


def _numbered(texts: Texts) -> Int32s:
    """Each text as a number that orders as the bytes do; shape [n]."""
    items = texts.to_list()
    number = {item: i for i, item in enumerate(sorted(set(items)))}
    return np.array([number[item] for item in items], np.int32)


def _preference_judgements(columns: QrelsColumns) -> Judgements:
    """Distinct documents of each topic in byte order, and the preference lines about them."""
    assert columns.groups is not None
    topics, order, _ = in_topic_order(columns)
    place = {name: i for i, name in enumerate(topics)}
    topic = np.array([place[name] for name in columns.topics], np.int64)[columns.topic[order]]
    names = columns.documents.take(order).to_list()
    index: dict[tuple[int, bytes], int] = {}
    for pair in sorted(set(zip(topic.tolist(), names, strict=True))):
        index[pair] = len(index)
    document = np.array([index[pair] for pair in zip(topic.tolist(), names, strict=True)], np.int32)
    group = _numbered(columns.groups)[order]
    subgroup = _numbered(columns.subgroups)[order] if columns.subgroups is not None else np.zeros(len(order), np.int32)
    level = np.asarray(columns.levels, np.float64)[order]
    lines = columns.lines[order]
    line_key = np.lexsort((lines, document, subgroup, group, topic))
    for a, b in zip(line_key[:-1].tolist(), line_key[1:].tolist(), strict=True):
        if document[a] == document[b] and group[a] == group[b] and subgroup[a] == subgroup[b]:
            raise DuplicateError(
                columns.file,
                int(lines[b]),
                "document",
                f'expected a document once in each group, found "{printable(names[b])}" of topic '
                f"{printable(topics[topic[b]])} again (first on line {int(lines[a])})",
            )
    first = np.zeros(len(index), np.int64)
    first[document[::-1]] = np.arange(len(document))[::-1]
    documents = columns.documents.take(order).take(first)
    highest = np.full(len(index), -(2**31), np.int32)
    np.maximum.at(highest, document, level.astype(np.int32))
    preferences = Preferences(offsets(np.bincount(topic, minlength=len(topics))), document, group, subgroup, level)
    return Judgements(
        columns.file,
        topics,
        offsets(np.bincount(topic[first], minlength=len(topics))),
        highest,
        documents,
        documents.keys(),
        lines[first],
        preferences=preferences,
    )


def repeated_rows(owner: NDArray[np.integer], keys: Words, documents: Texts) -> tuple[Ints, Ints]:
    """Rows whose document stands earlier under the same owner, and the row where it stands first; sorted by row."""
    order = np.lexsort((keys, owner))
    close = (keys[order[1:]] == keys[order[:-1]]) & (owner[order[1:]] == owner[order[:-1]])
    if not bool(close.any()):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    suspects = np.unique(np.concatenate((order[1:][close], order[:-1][close])))
    seen: dict[tuple[int, bytes], int] = {}
    repeats, firsts = [], []
    for row in suspects.tolist():  # equal keys are all but always equal documents, so these are few
        name = (int(owner[row]), documents[row])
        if name in seen:
            repeats.append(row)
            firsts.append(seen[name])
        else:
            seen[name] = row
    return np.array(repeats, np.int64), np.array(firsts, np.int64)
