"""Answers scored by the nuggets in them, given or found by words."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import numpy as np

from ireval.api import ScoredRuns, as_source, run_names
from ireval.beyond.systems import (
    Inputs,
    Progress,
    as_text,
    check_choice,
    facts_of,
    finished,
    requests_for,
    scored,
    sources_of,
    ticker,
)
from ireval.core.words import TOKENISINGS
from ireval.errors import UsageError, printable
from ireval.measures.matching import matched_answer
from ireval.measures.nuggets import Answer, Match, Nugget, minimal_place
from ireval.measures.spec import Request
from ireval.read.nuggets import NuggetLine, read_matches, read_nuggets
from ireval.read.source import Source
from ireval.read.texts import read_answer_texts, read_nugget_texts, stem

ANSWER_MEASURES = ("W-recall", "NuggetF", "S", "T", "S#")
THRESHOLD = 0.5
"""Share of a nugget's words that must be in an answer."""


def evaluate_answers(
    nuggets: str | os.PathLike[str] | Source,
    answers: Inputs,
    measures: str | Iterable[str] | Iterable[Request] = ANSWER_MEASURES,
    *,
    texts: bool = False,
    threshold: float = THRESHOLD,
    tokens: str = "words",
    patience: float | None = None,
    topics: str = "all",
    progress: Progress | None = None,
) -> ScoredRuns:
    """Score answers by the nuggets in them.

    nuggets: `topic nugget weight length`. answers: one file or several, a system each, with the nuggets found
    (`topic nugget offset`, and `topic syslen= length`). texts: both are texts instead, separated by tabs (`topic nugget
    weight text`, `topic text`), and a nugget counts as found when a share of its words (threshold) is in one string;
    tokens: what a word is. patience: L of the S-measure. topics: "all" scores a missing answer as 0, "both" leaves
    out topics that a system lacks. progress: called with the number of scored measures.
    """
    requests = requests_for(measures, "nuggets", {"patience": patience})
    source, inputs = as_source(nuggets), sources_of(answers)
    check_choice("tokens", tokens, TOKENISINGS)
    if not 0 <= threshold <= 1:
        raise UsageError(f"threshold: expected a share from 0 to 1, found {threshold:g}")
    gold = nuggets_of(source, texts)
    names = sorted(gold)
    every, tick = [], ticker(progress)
    for answered in inputs:
        if texts:
            found, unknown = _matched_texts(answered, gold, threshold, tokens)
            repeated = 0
        else:
            found, unknown, repeated = _given_matches(answered, gold, source)
        where = np.array([i for i, name in enumerate(names) if name in found], np.int64)
        facts = facts_of(names, where, unjudged=unknown, repeated=repeated)
        every.append(scored([found[names[i]] for i in where.tolist()], where, names, requests, facts, tick))
    scores = finished(every, topics, "all", "no topic has both nuggets and an answer")
    return ScoredRuns(tuple(run_names([one.name for one in inputs])), tuple(requests), scores)


def nuggets_of(source: Source, texts: bool = False) -> dict[bytes, list[NuggetLine]]:
    """The nuggets of each topic. A file of one topic that does not name it names it by its own name: 0001.nug."""
    gold = read_nugget_texts(source) if texts else read_nuggets(source)
    return {name or os.fsencode(stem(source.name)): lines for name, lines in gold.items()}


def minimal_outputs(
    nuggets: str | os.PathLike[str] | Source, *, texts: bool = False
) -> dict[str, list[tuple[str, float, int, int]]]:
    """The pseudo minimal output of each topic: nuggets in the best order as (name, weight, length, offset).

    Lecture, 3.3: the heaviest first, of these the shortest; the offset is where the vital string would end.
    """
    found = {}
    for topic, lines in sorted(nuggets_of(as_source(nuggets), texts).items()):
        ordered = sorted(lines, key=lambda line: minimal_place(line.weight, line.length))
        ends = np.cumsum([line.length for line in ordered]).tolist()
        found[as_text(topic)] = [
            (as_text(line.name), line.weight, line.length, end) for line, end in zip(ordered, ends, strict=True)
        ]
    return found


def _given_matches(
    answered: Source, gold: Mapping[bytes, list[NuggetLine]], source: Source
) -> tuple[dict[bytes, Answer], int, int]:
    """The answers of a file of matches; how many topics have no nuggets, how many matches were passed over.

    Of a nugget that is in an answer several times, the first place counts.
    """
    unknown: set[bytes] = set()

    def topic_of(given: bytes) -> bytes | None:
        if given in gold:
            return given
        if not given and len(gold) == 1:
            return next(iter(gold))
        if not given:
            raise answered.fail(f"expected lines that begin with a topic, as {source.name} has several, found none")
        unknown.add(given)
        return None

    found: dict[bytes, Answer] = {}
    repeated = 0
    for topic, lines in read_matches(answered, topic_of).items():
        known = {line.name: Nugget(line.weight, line.length) for line in gold[topic]}
        offset: dict[bytes, int] = {}
        for match in lines.matches:
            if match.name not in known:
                why = f'expected a nugget of {source.name}, found "{printable(match.name)}"'
                raise answered.fail(why, match.line, "nugget")
            repeated += match.name in offset
            offset[match.name] = min(match.offset, offset.get(match.name, match.offset))
        length = lines.length or 0
        matches = tuple(Match(known[name], end) for name, end in offset.items())
        found[topic] = Answer(tuple(known.values()), matches, length, length)
    return found, len(unknown), repeated


def _matched_texts(
    answered: Source, gold: Mapping[bytes, list[NuggetLine]], threshold: float, tokens: str
) -> tuple[dict[bytes, Answer], int]:
    """The answers of a file of texts, matched with the nuggets; how many topics have no nuggets."""
    found: dict[bytes, Answer] = {}
    given = read_answer_texts(answered)
    for topic, strings in given.items():
        if topic in gold:
            nuggets = [Nugget(line.weight, line.length) for line in gold[topic]]
            wanted = [line.text for line in gold[topic]]
            found[topic] = matched_answer(nuggets, wanted, strings, threshold, tokens)
    return found, len(given) - len(found)
