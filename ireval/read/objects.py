"""Python objects -> columns: dicts of dicts, and anything with named columns (a DataFrame, a dict of lists)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ireval.core.columns import Ints, QrelsColumns, RunColumns, texts_from
from ireval.core.ragged import offsets
from ireval.errors import DuplicateError, InputError

_TOPIC = ("query_id", "topic", "topic_id", "qid", "query", "q_id")
_DOCUMENT = ("doc_id", "document", "docno", "docid", "doc", "pid", "corpus_id")
_INTENT = ("intent", "intent_id", "subtopic", "subtopic_id", "iteration")
_SCORE = ("score", "sim", "value")
_LEVEL = ("relevance", "rel", "level", "label", "grade", "judgment", "judgement")


def _as_bytes(name: object) -> bytes:
    return name if isinstance(name, bytes) else str(name).encode("utf-8", "surrogateescape")


def _column(table: Any, names: Sequence[str], what: str, source: str) -> list[Any]:
    """The first column of these names that the table has."""
    for name in names:
        try:
            column = table[name]
        except (KeyError, IndexError, TypeError, ValueError):
            continue
        return list(column.tolist() if hasattr(column, "tolist") else column)
    raise InputError(source, None, what, f"expected a column named {' or '.join(names[:3])}, found none")


def is_nested(data: object) -> bool:
    """Whether this is a dict of dicts: {topic: {document: number}}."""
    return isinstance(data, Mapping) and all(isinstance(value, Mapping) for value in data.values())


def is_one_run(data: Mapping[Any, Any]) -> bool:
    """Whether a dict is one run ({topic: {document: score}} or {column: values}) and not {name: run}."""
    if any(_is_column(value) for value in data.values()):
        return True
    if not is_nested(data):
        return False
    firsts = [value for inner in data.values() for value in islice(inner.values(), 1)]
    return not any(isinstance(value, Mapping) or _is_column(value) for value in firsts)


def _is_column(value: Any) -> bool:
    """Whether this is a list, an array or a Series, and not a single number."""
    return isinstance(value, list | tuple) or (hasattr(value, "tolist") and getattr(value, "ndim", 1) > 0)


def nested_from_lines(
    lines: Iterable[str], fields: Sequence[str], number: str, source: str
) -> dict[str, dict[str, float]]:
    """{topic: {document: number}} from lines with these fields."""
    nested: dict[str, dict[str, float]] = {}
    for row, line in enumerate(lines):
        found = line.split()
        if not found:
            continue
        if len(found) < len(fields):
            raise InputError(source, row + 1, "", f"expected {' '.join(fields)}, found {len(found)} fields")
        given = dict(zip(fields, found, strict=False))
        inner = nested.setdefault(given["topic"], {})
        if given["document"] in inner:
            why = f"expected each document once in a topic, found {given['document']} of topic {given['topic']} again"
            raise DuplicateError(source, row + 1, "document", why)
        inner[given["document"]] = _number(given[number], row, number, source)
    return nested


def _rows(
    data: Any, number: Sequence[str], what: str, source: str
) -> tuple[list[bytes], list[int], list[bytes], list[Any]]:
    """Distinct topics in order of appearance; and for each row its topic's number, document and value."""
    if is_nested(data):
        topics = [_as_bytes(topic) for topic, inner in data.items() if inner]
        topic_of = [n for n, inner in enumerate(i for i in data.values() if i) for _ in inner]
        documents = [_as_bytes(document) for inner in data.values() for document in inner]
        return topics, topic_of, documents, [value for inner in data.values() for value in inner.values()]
    names = [_as_bytes(name) for name in _column(data, _TOPIC, "topic", source)]
    index: dict[bytes, int] = {}
    topic_of = [index.setdefault(name, len(index)) for name in names]
    documents = [_as_bytes(name) for name in _column(data, _DOCUMENT, "document", source)]
    values = _column(data, number, what, source)
    if not len(names) == len(documents) == len(values):
        raise InputError(source, None, what, "expected columns of equal length")
    return list(index), topic_of, documents, values


def _lines(values: Iterable[Any]) -> Ints:
    return np.arange(1, len(list(values)) + 1, dtype=np.int64)


def run_columns(data: Any, source: str = "run") -> RunColumns:
    """A run from {topic: {document: score}} or from columns (topic, document, score)."""
    topics, topic_of, documents, values = _rows(data, _SCORE, "score", source)
    scores = np.array([_number(value, row, "score", source) for row, value in enumerate(values)], np.float64)
    topic = np.array(topic_of, np.int64)
    order = np.argsort(topic, kind="stable")
    return RunColumns(
        source,
        topics,
        offsets(np.bincount(topic, minlength=len(topics))),
        texts_from(documents).take(order),
        scores[order],
        None,
        _lines(values)[order],
        _as_bytes(source),
    )


def _flat_intents(data: Mapping[Any, Mapping[Any, Mapping[Any, Any]]]) -> dict[str, list[Any]]:
    """{topic: {intent: {document: level}}} as columns."""
    rows = [
        (topic, intent, document, level)
        for topic, intents in data.items()
        for intent, documents in intents.items()
        for document, level in documents.items()
    ]
    names = (_TOPIC[0], _INTENT[0], _DOCUMENT[0], _LEVEL[0])
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def qrels_columns(data: Any, by_intent: bool = False, source: str = "qrels") -> QrelsColumns:
    """Judgements from {topic: {document: level}} or from columns (topic, document, level).

    by_intent: from {topic: {intent: {document: level}}}, or with one column more.
    """
    if by_intent and is_nested(data):
        data = _flat_intents(data)
    topics, topic_of, documents, values = _rows(data, _LEVEL, "level", source)
    if not values:
        raise InputError(source, None, "", "expected judgements, found none")
    levels = []
    for row, value in enumerate(values):
        number = _number(value, row, "level", source)
        if not number.is_integer() or abs(number) > 2**31 - 1:
            raise InputError(source, row + 1, "level", f"expected a whole number, found {value!r}")
        levels.append(int(number))
    return QrelsColumns(
        source,
        topics,
        np.array(topic_of, np.int32),
        texts_from(documents),
        np.array(levels, np.int32),
        _lines(values).astype(np.int32),
        texts_from([_as_bytes(name) for name in _column(data, _INTENT, "intent", source)]) if by_intent else None,
    )


def _number(value: Any, row: int, what: str, source: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise InputError(source, row + 1, what, f"expected a number, found {value!r}")
    return number
