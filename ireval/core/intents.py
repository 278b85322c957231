"""Intents: what a topic may mean, how likely and of what type, and what each judged document is worth for each.

Judgements of a diversity collection hold every document of a topic once, at its highest level; beside them stand the
intents, with a cell for each (document, intent). A document that was judged for a topic counts as judged for all of
its intents: level 0 where nothing else is said. Negative levels (spam) count as nonrelevant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Bools, Doubles, Int32s, IntentColumns, Ints, QrelsColumns, Texts, texts_from
from ireval.core.judgements import Judgements, in_topic_order
from ireval.errors import DuplicateError, InputError, printable

OVER = ("relevant", "all")
"""Which intents of a topic count: those with a relevant document, or all that are named."""


@dataclass(frozen=True, eq=False, repr=False)
class Intents:
    """The intents of some topics, flat, and the levels of their documents.

    names [I]: ids, numbers in numerical order. off [T+1]: intents of each topic. probability, navigational [I].
    cell [N]: where the levels of each judged document begin in `level`; it has as many as its topic has intents.
    uniform: nobody gave probabilities. typed: somebody gave types. over: which intents are here (see OVER).
    """

    names: list[bytes]
    off: Ints
    probability: Doubles
    navigational: Bools
    cell: Ints
    level: Int32s
    uniform: bool
    typed: bool
    over: str

    @property
    def count(self) -> Ints:
        """Number of intents; shape [T]."""
        return np.diff(self.off)

    def of_part(self, keep: Bools, topic_of: Int32s) -> Intents:
        """The intents for some of the judged documents, as if the others had never been judged. keep, topic_of [N].

        Where only intents with a relevant document count, those that lost all of theirs count no more.
        """
        part = replace(self, cell=self.cell[keep])
        if self.over != "relevant":
            return part
        topic = topic_of[keep]
        many = self.count[topic]
        level = self.level[ragged.ranges(part.cell, many)]
        intent = ragged.ranges(self.off[topic], many)
        stays = np.bincount(intent[level > 0], minlength=len(self.names)) > 0
        return part if bool(stays.all()) else part._only(stays, topic, level[stays[intent]])

    def _only(self, stays: Bools, topic: Int32s, level: Int32s) -> Intents:
        """Some of the intents. stays [I]; topic [N]: of each document; level: of each (document, intent) that stays."""
        owner = ragged.owners(self.off)[stays]
        off = ragged.offsets(np.bincount(owner, minlength=len(self.off) - 1))
        many = np.diff(off)
        return replace(
            self,
            names=[name for name, stay in zip(self.names, stays.tolist(), strict=True) if stay],
            off=off,
            probability=equally_likely(many) if self.uniform else self.probability[stays],
            navigational=self.navigational[stays],
            cell=ragged.offsets(many[topic])[:-1],
            level=level,
        )


def equally_likely(many: Ints) -> Doubles:
    """The probability of each intent where nobody gave any, of topics with so many intents; [I]."""
    return np.repeat(1.0 / np.maximum(many, 1), many)


class Cells(NamedTuple):
    """Cells of all judged documents, by document, then intent: document, intent (flat) and level; each [C]."""

    document: Ints
    intent: Ints
    level: Int32s


def intents_of(judged: Judgements) -> Intents:
    """The intents of judgements that have some."""
    assert judged.intents is not None
    return judged.intents


def cells(judged: Judgements) -> Cells:
    """The cells of all judged documents."""

    def gather() -> Cells:
        intents = intents_of(judged)
        many = intents.count[judged.topic_of]
        where = ragged.ranges(intents.cell, many)
        document = np.repeat(np.arange(len(many)), many)
        intent = ragged.ranges(intents.off[judged.topic_of], many)
        return Cells(document, intent, intents.level[where])

    return judged.once("cells", gather)


class IntentHits(NamedTuple):
    """Retrieved documents that are relevant to an intent, by topic, rank, intent; each [H].

    row: of the ranking. topic (0 to T-1), rank (from 1), intent (flat), nth: which one of its intent (from 1), level.
    """

    row: Ints
    topic: Ints
    rank: Ints
    intent: Ints
    nth: Ints
    level: Int32s


def intent_hits(a: Aligned, rel: int) -> IntentHits:
    """Every (document, intent) of the rankings at or above a level."""

    def expand() -> IntentHits:
        intents = intents_of(a.judgements)
        rows = np.flatnonzero(a.judgement >= 0)
        topic = a.topic[a.row_topic[rows]]
        many = intents.count[topic]
        level = intents.level[ragged.ranges(intents.cell[a.judgement[rows]], many)]
        kept = np.flatnonzero(level >= max(rel, 1))
        row = np.repeat(rows, many)[kept]
        intent = ragged.ranges(intents.off[topic], many)[kept]
        owner = a.row_topic[row]
        return IntentHits(row, owner, row - a.off[owner] + 1, intent, _nth(intent), level[kept])

    return a.once(("intent_hits", rel), expand)


def _nth(intent: Ints) -> Ints:
    """Which one of its intent each element is, from 1; shape [H]."""
    order = np.argsort(intent, kind="stable")
    nth = np.empty(len(intent), np.int64)
    nth[order] = ragged.positions(ragged.offsets(np.bincount(intent))) + 1
    return nth


# -- intents as topics ----------------------------------------------------------------------------------------------


def split(a: Aligned) -> Aligned:
    """Each ranking once for every intent of its topic, judged for that intent alone; by topic, then intent."""

    def repeat() -> Aligned:
        judged, intents = a.judgements, intents_of(a.judgements)
        apart = split_judgements(judged)
        many = intents.count[a.topic]
        intent = ragged.ranges(intents.off[a.topic], many)
        length = np.repeat(a.retrieved, many)
        rows = ragged.ranges(np.repeat(a.off[:-1], many), length)
        shift = apart.off[intent] - np.repeat(judged.off[a.topic], many)  # a topic's documents stand in the same order
        found = a.judgement[rows]
        judgement = np.where(found >= 0, found + np.repeat(shift, length), -1).astype(np.int32)
        columns = {name: column[rows] for name, column in a.columns.items()}
        return Aligned(apart, intent.astype(np.int32), ragged.offsets(length), judgement, columns)

    return a.once("split", repeat)


def split_judgements(judged: Judgements) -> Judgements:
    """Judgements with a topic for each intent, made once. Nobody looks up documents in them."""
    return judged.once("by_intent", lambda: _judged_by_intent(judged))


def _judged_by_intent(judged: Judgements) -> Judgements:
    intents, every = intents_of(judged), cells(judged)
    order = np.argsort(every.intent, kind="stable")
    none = texts_from([])
    return Judgements(
        judged.file,
        intents.names,
        ragged.offsets(np.bincount(every.intent, minlength=len(intents.names))),
        every.level[order],
        none,
        none.keys(),
        judged.lines[every.document[order]],
        whole=split_judgements(judged.whole) if judged.whole is not None else None,
    )


def expectation(a: Aligned, values: Doubles) -> Doubles:
    """Sum over a topic's intents of probability x value, of values in the order of split(a); shape [T].

    Where nobody gave probabilities it is the mean, added up and divided once.
    """
    intents = intents_of(a.judgements)
    many = intents.count[a.topic]
    owner = np.repeat(np.arange(len(a)), many)
    if intents.uniform:
        return ragged.sums(values, owner, len(a)) / np.maximum(many, 1)
    weight = intents.probability[ragged.ranges(intents.off[a.topic], many)]
    return ragged.sums(weight * values, owner, len(a))


# -- from columns ---------------------------------------------------------------------------------------------------


def judgements_by_intent(
    columns: QrelsColumns, known: IntentColumns | None = None, over: str = "relevant", *, keep_first: bool = False
) -> tuple[Judgements, int]:
    """Judgements with intents, and how many repeated lines were passed over.

    columns.groups: the intent of each line. known: probabilities and types; an intent that it lacks must not have
    relevant documents. Without it, all intents that count are equally likely.
    """
    assert columns.groups is not None
    topics, order, _ = in_topic_order(columns)
    place = {name: i for i, name in enumerate(topics)}
    topic = np.array([place[name] for name in columns.topics], np.int64)[columns.topic[order]]
    texts = columns.documents.take(order)
    by_name = np.lexsort((*reversed(texts.sort_columns()), topic))
    order, topic, texts = order[by_name], topic[by_name], texts.take(by_name)
    new = np.ones(len(order), np.bool_)
    new[1:] = ~texts.same_as_previous()[1:] | (topic[1:] != topic[:-1])
    first = np.flatnonzero(new)
    line = _Lines(topic, np.cumsum(new) - 1, *_numbered_ids(columns.groups.take(order), known), columns.lines[order])
    level = np.maximum(columns.levels[order], 0).astype(np.int32)
    repeated = _repeated(line)
    if len(repeated) and not keep_first:
        raise _duplicate(columns.file, topics, texts, line, repeated)
    kept = np.ones(len(order), np.bool_)
    kept[repeated] = False
    line, level = line.some(kept), level[kept]

    names, pairs, probability, navigational, typed = _chosen(columns.file, topics, line, level, known, over)
    off = ragged.offsets(np.bincount(pairs // line.width, minlength=len(topics)))
    many = np.diff(off)
    cell = ragged.offsets(many[topic[first]])
    table = np.zeros(int(cell[-1]), np.int32)
    where = np.searchsorted(pairs, line.pair)
    inside = np.append(pairs, -1)[where] == line.pair
    intent = where[inside] - off[line.topic[inside]]
    table[cell[line.document[inside]] + intent] = level[inside]
    if probability is None:
        probability = equally_likely(many)
    documents = texts.take(first)
    highest = np.zeros(len(first), np.int32)
    np.maximum.at(highest, line.document, level)
    uniform = known is None or known.probability is None
    return (
        Judgements(
            columns.file,
            topics,
            ragged.offsets(np.bincount(topic[first], minlength=len(topics))),
            highest,
            documents,
            documents.keys(),
            columns.lines[order][first],
            intents=Intents(names, off, probability, navigational, cell[:-1], table, uniform, typed, over),
        ),
        len(repeated),
    )


class _Lines(NamedTuple):
    """Judgement lines by topic and document: topic, document and id (numbered), all ids in order, line number."""

    topic: Ints
    document: Ints
    id: Ints
    ids: list[bytes]
    number: Int32s

    def some(self, keep: Bools) -> _Lines:
        """The chosen lines."""
        return _Lines(self.topic[keep], self.document[keep], self.id[keep], self.ids, self.number[keep])

    @property
    def width(self) -> int:
        """How many different ids there are."""
        return max(1, len(self.ids))

    @property
    def pair(self) -> Ints:
        """(topic, intent) as one number, in order of topic, then id."""
        return self.topic * self.width + self.id


def _numbered_ids(texts: Texts, known: IntentColumns | None) -> tuple[Ints, list[bytes]]:
    """Each id as its place among all that are known, and these in order: numbers by value, then the others."""
    items = texts.to_list()
    every = {*items, *(known.intents if known is not None else ())}
    ids = sorted(every, key=lambda item: (not item.isdigit(), int(item) if item.isdigit() else 0, item))
    place = {item: i for i, item in enumerate(ids)}
    return np.array([place[item] for item in items], np.int64), ids


def _repeated(line: _Lines) -> Ints:
    """Lines whose document, topic and intent have stood before."""
    order = np.lexsort((line.number, line.id, line.document))
    same = (line.document[order[1:]] == line.document[order[:-1]]) & (line.id[order[1:]] == line.id[order[:-1]])
    return order[1:][same]


def _duplicate(file: str, topics: list[bytes], texts: Texts, line: _Lines, repeated: Ints) -> DuplicateError:
    row = int(repeated[np.argmin(line.number[repeated])])
    same = (line.document == line.document[row]) & (line.id == line.id[row])
    topic, intent = printable(topics[line.topic[row]]), printable(line.ids[line.id[row]])
    return DuplicateError(
        file,
        int(line.number[row]),
        "document",
        f'expected one judgement for each document and intent, found "{printable(texts[row])}" of topic {topic}, '
        f"intent {intent} again (first on line {int(line.number[same].min())})",
    )


def _chosen(
    file: str, topics: list[bytes], line: _Lines, level: Int32s, known: IntentColumns | None, over: str
) -> tuple[list[bytes], Ints, Doubles | None, Bools, bool]:
    """The intents that count: ids, sorted (topic, intent) pairs, probabilities, types, whether these were given."""
    relevant = np.unique(line.pair[level > 0])
    if known is None:
        pairs = relevant if over == "relevant" else np.unique(line.pair)
        ids = [line.ids[i] for i in (pairs % line.width).tolist()]
        return ids, pairs, None, np.zeros(len(pairs), np.bool_), False
    topic_number = {name: i for i, name in enumerate(topics)}
    id_number = {name: i for i, name in enumerate(line.ids)}
    place = {
        topic_number[topic] * line.width + id_number[intent]: row
        for row, (topic, intent) in enumerate(zip(known.topics, known.intents, strict=True))
        if topic in topic_number
    }
    for pair in relevant.tolist():
        if pair not in place:
            at = int(line.number[(line.pair == pair) & (level > 0)].min())
            name, topic = printable(line.ids[pair % line.width]), printable(topics[pair // line.width])
            why = f"topic {topic} has relevant documents for intent {name}, which {printable(known.file)} does not name"
            raise InputError(file, at, "intent", why)
    pairs = relevant if over == "relevant" else np.array(sorted(place), np.int64)
    chosen = [place[pair] for pair in pairs.tolist()]
    ids = [line.ids[i] for i in (pairs % line.width).tolist()]
    probability = known.probability[chosen] if known.probability is not None else None
    typed = known.navigational is not None
    types = known.navigational[chosen] if known.navigational is not None else np.zeros(len(chosen), np.bool_)
    return ids, pairs, probability, types, typed
