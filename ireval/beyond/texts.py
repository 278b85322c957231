"""Texts scored against reference texts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ireval.api import ScoredRuns, as_source, run_names
from ireval.beyond.systems import (
    Inputs,
    Progress,
    check_choice,
    facts_of,
    finished,
    requests_for,
    scored,
    sources_of,
    ticker,
)
from ireval.core.summaries import Vocabulary, summaries
from ireval.core.words import TOKENISINGS
from ireval.errors import UsageError, printable
from ireval.measures.spec import Request
from ireval.read.source import Source
from ireval.read.texts import INPUTS, is_single, read_texts

TEXT_MEASURES = ("ROUGE-1", "ROUGE-2", "ROUGE-SU4")
TextInput = Source | Mapping[str, str]
TextInputs = Inputs | Mapping[str, str] | Sequence[Mapping[str, str]]


def _text_inputs(inputs: TextInputs) -> list[TextInput]:
    """One input or several: sources, or texts by their ids."""
    if isinstance(inputs, Mapping):
        return [inputs]
    if not isinstance(inputs, str | os.PathLike | Source) and any(isinstance(one, Mapping) for one in inputs):
        return [one if isinstance(one, Mapping) else as_source(one) for one in inputs]
    return list(sources_of(inputs))  # type: ignore[arg-type]


def _read_texts(given: TextInput, kind: str) -> Mapping[bytes, str]:
    if isinstance(given, Source):
        return read_texts(given, kind)
    return {str(name).encode("utf-8", "surrogateescape"): text for name, text in given.items()}


def evaluate_texts(
    systems: TextInputs,
    references: TextInputs,
    measures: str | Iterable[str] | Iterable[Request] = TEXT_MEASURES,
    *,
    part: str | None = None,
    refs: str | None = None,
    tokens: str = "words",
    kind: str = "auto",
    topics: str = "all",
    progress: Progress | None = None,
) -> ScoredRuns:
    """Score texts against references by ROUGE.

    systems, references: files, folders of files, TSV files (`id text`) or {id: text}, one or several; references are
    averaged, or the best of them counts (refs). part: f, recall or precision, where a measure does not say. tokens:
    what a word is. kind: "texts", "tsv", or "auto": what ends in .tsv is one. topics: "all" scores a missing text as
    0, "both" leaves out texts that a system lacks. progress: called with the number of scored measures.
    """
    requests = requests_for(measures, "texts", {"part": part, "refs": refs})
    check_choice("tokens", tokens, TOKENISINGS)
    check_choice("kind", kind, INPUTS)
    inputs, against = _text_inputs(systems), _text_inputs(references)
    single = [isinstance(one, Source) and is_single(one, kind) for one in (*inputs, *against)]
    if any(single) and not all(single):
        odd = (*inputs, *against)[single.index(True)]
        assert isinstance(odd, Source)
        raise UsageError(f"{printable(odd.name)} is one text and does not go with folders or TSV files (--input tells)")
    gold = [_read_texts(one, kind) for one in against]
    names = sorted({name for found in gold for name in found})
    every, tick = [], ticker(progress)
    for one in inputs:
        given = _read_texts(one, kind)
        where = np.array([i for i, name in enumerate(names) if name in given], np.int64)
        ids = [names[i] for i in where.tolist()]
        data = summaries(given, gold, ids, Vocabulary(tokens))
        facts = facts_of(names, where, unjudged=len(given) - len(ids))
        every.append(scored(data, where, names, requests, facts, tick))
    scores = finished(every, topics, "all", "no text has a reference")
    labels = run_names([one.name if isinstance(one, Source) else f"system{i}" for i, one in enumerate(inputs, 1)])
    return ScoredRuns(tuple(labels), tuple(requests), scores)
