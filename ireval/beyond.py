"""The verbs beyond the ranked list: sessions, answers, summaries. Read, joined and scored here, printed by commands.

import ireval
ireval.evaluate_sessions("qrels", "a.sessions", ["nsDCG@10"]).summary()
ireval.evaluate_answers("nuggets", ["a.matches", "b.matches"], ["S#"]).per_topic("a")
ireval.evaluate_texts("a.tsv", ["reference.tsv"], ["ROUGE-2"]).summary()
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ireval.api import Qrels, Results, ScoredRuns, as_source, common_topics, read_qrels, run_names
from ireval.core.align import ORDERS, Policy
from ireval.core.columns import Ints
from ireval.core.scores import RunFacts, Scores
from ireval.core.sessions import align_sessions
from ireval.core.summaries import Vocabulary, summaries
from ireval.core.words import TOKENISINGS
from ireval.errors import DataError, UsageError, printable
from ireval.measures.matching import matched_answer
from ireval.measures.nuggets import Answer, Match, Nugget, minimal_place
from ireval.measures.registry import Choice, measures_needing
from ireval.measures.spec import Request, Settings, parse_measures
from ireval.read.nuggets import NuggetLine, read_matches, read_nuggets
from ireval.read.source import Source
from ireval.read.texts import INPUTS, is_single, read_answer_texts, read_nugget_texts, read_texts, stem

Progress = Callable[[int], None]
Inputs = str | os.PathLike[str] | Source | Sequence[str | os.PathLike[str] | Source]
SESSION_MEASURES = ("sDCG@10", "nsDCG@10")
ANSWER_MEASURES = ("W-recall", "NuggetF", "S", "T", "S#")
TEXT_MEASURES = ("ROUGE-1", "ROUGE-2", "ROUGE-SU4")
THRESHOLD = 0.5
"""Share of a nugget's words that must be in an answer."""


# -- what all three share -------------------------------------------------------------------------------------------


def sources_of(inputs: Inputs) -> list[Source]:
    """One input or several, as sources."""
    several = [inputs] if isinstance(inputs, str | os.PathLike | Source) else list(inputs)
    sources = [as_source(path) for path in several]
    if not sources:
        raise UsageError("no system is given")
    if len({source.path for source in sources}) < len(sources):
        raise UsageError("the same file is given twice")
    return sources


def requests_for(
    measures: str | Iterable[str] | Iterable[Request], needs: str, settings: Mapping[str, Any]
) -> list[Request]:
    """The measures asked for, by name or as they are."""
    asked = [measures] if isinstance(measures, str) else list(measures)
    given: Settings = {name: value for name, value in settings.items() if value is not None}
    names = [measure for measure in asked if isinstance(measure, str)]
    ready = [measure for measure in asked if isinstance(measure, Request)]
    requests = [*ready, *(parse_measures(names, given, measures_needing(needs)) if names else [])]
    if not requests:
        raise UsageError("no measure is asked for")
    for request in requests:
        for param, (name, value) in zip(request.spec.measure.params, request.spec.params, strict=True):
            if isinstance(param, Choice):  # a setting comes as the caller wrote it
                _check_choice(name, value, param.choices)
    return requests


def _check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    if value not in allowed:
        raise UsageError(f"{name}: expected {', '.join(allowed)}, found {value}")


def _scored(
    data: Any,
    where: Ints,
    topics: Sequence[bytes],
    requests: Sequence[Request],
    facts: RunFacts,
    tick: Callable[[], None],
) -> Scores:
    """Scores of one system. data: what the measures take. where: the topic of each of its values; others score 0."""
    values = np.zeros((len(requests), len(topics)))
    for row, request in enumerate(requests):
        found = request.spec.measure.compute(data, **dict(request.spec.params))
        values[row, where] = np.where(np.isnan(found), 0.0, found)
        tick()
        endless = np.flatnonzero(np.isinf(values[row]))
        if len(endless):
            name = topics[int(endless[0])].decode("utf-8", "surrogateescape")
            raise DataError(f"{request.label} of topic {name} is infinite: nothing could be gained, but something was")
    missing = np.ones(len(topics), np.bool_)
    missing[where] = False
    return Scores(list(topics), values, {}, missing, facts)


def _ticker(progress: Progress | None) -> Callable[[], None]:
    """Counts scored measures and tells the caller."""
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done)

    return tick


def _facts(topics: Sequence[bytes], present: Ints, *, tag: str = "", unjudged: int = 0, repeated: int = 0) -> RunFacts:
    """What is known of a system beside its scores. present: the topics that it has."""
    has = np.zeros(len(topics), np.bool_)
    has[present] = True
    missing = tuple(topics[i] for i in np.flatnonzero(~has).tolist())
    return RunFacts(tag, len(topics), len(topics), missing, unjudged, repeated)


def _finished(every: list[Scores], topics: str, whole: str, nothing: str) -> tuple[Scores, ...]:
    """The scores of all systems about the topics wanted. whole: what all topics are called; nothing: what to say when
    there are none."""
    _check_choice("topics", topics, (whole, "both"))
    if topics == "both":
        every = common_topics(every)
    if not every[0].topics or all(scores.missing.all() for scores in every):
        raise DataError(nothing)
    return tuple(every)


# -- sessions -------------------------------------------------------------------------------------------------------


def evaluate_sessions(
    qrels: Qrels,
    sessions: Inputs,
    measures: str | Iterable[str] | Iterable[Request] = SESSION_MEASURES,
    *,
    clicks: Inputs | None = None,
    format: str = "qrels",
    gains: str | None = None,
    repeats: str | None = None,
    truncate: str | None = None,
    order: str = "score",
    on_duplicate: str = "error",
    topics: str = "qrels",
    progress: Progress | None = None,
) -> Results:
    """Score sessions of several ranked lists against the judgements of the topics with their names.

    sessions: one file or several, a system each (`session query document rank score tag`). clicks: a file for each of
    these (`session query rank length`, in the order of time). repeats, truncate: defaults of these parameters of
    sDCG and nsDCG. The other parameters are those of `evaluate`. progress: called with the number of scored measures.
    """
    from ireval.read.sessions import read_clicks, read_sessions

    _check_choice("order", order, ORDERS)
    _check_choice("on_duplicate", on_duplicate, ("error", "first"))
    settings = {"gains": gains, "repeats": repeats, "truncate": truncate}
    requests = requests_for(measures, "sessions", settings)
    inputs = sources_of(sessions)
    clicked = sources_of(clicks) if clicks is not None else []
    if clicked and len(clicked) != len(inputs):
        raise UsageError(f"expected a file of clicks for each of the {len(inputs)} systems, found {len(clicked)}")
    judged = read_qrels(qrels, format=format, on_duplicate=on_duplicate)
    if judged.parent is not None or judged.preferences is not None:
        raise UsageError("sessions need judgements with levels, without groups or preferences")
    policy = Policy(order=order, on_duplicate=on_duplicate)
    every, tick = [], _ticker(progress)
    for number, source in enumerate(inputs):
        columns = read_sessions(source, with_ranks=order == "rank")
        log = read_clicks(clicked[number]) if clicked else None
        found = align_sessions(columns, judged, policy, log)
        where = found.sessions.rows.topic.astype(np.int64)
        facts = _facts(judged.topics, where, tag=_text(columns.tag), unjudged=found.unjudged, repeated=found.repeated)
        facts = replace(facts, lost_clicks=found.lost_clicks)
        every.append(_scored(found.sessions, where, judged.topics, requests, facts, tick))
    scores = _finished(every, topics, "qrels", "no session has both judgements and ranked lists")
    return Results(tuple(run_names([source.name for source in inputs])), tuple(requests), scores, judged)


# -- answers --------------------------------------------------------------------------------------------------------


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
    _check_choice("tokens", tokens, TOKENISINGS)
    if not 0 <= threshold <= 1:
        raise UsageError(f"threshold: expected a share from 0 to 1, found {threshold:g}")
    gold = nuggets_of(source, texts)
    names = sorted(gold)
    every, tick = [], _ticker(progress)
    for answered in inputs:
        if texts:
            found, unknown = _matched_texts(answered, gold, threshold, tokens)
            repeated = 0
        else:
            found, unknown, repeated = _given_matches(answered, gold, source)
        where = np.array([i for i, name in enumerate(names) if name in found], np.int64)
        facts = _facts(names, where, unjudged=unknown, repeated=repeated)
        every.append(_scored([found[names[i]] for i in where.tolist()], where, names, requests, facts, tick))
    scores = _finished(every, topics, "all", "no topic has both nuggets and an answer")
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
        found[_text(topic)] = [
            (_text(line.name), line.weight, line.length, end) for line, end in zip(ordered, ends, strict=True)
        ]
    return found


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


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


# -- texts ----------------------------------------------------------------------------------------------------------


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
    _check_choice("tokens", tokens, TOKENISINGS)
    _check_choice("kind", kind, INPUTS)
    inputs, against = _text_inputs(systems), _text_inputs(references)
    single = [isinstance(one, Source) and is_single(one, kind) for one in (*inputs, *against)]
    if any(single) and not all(single):
        odd = (*inputs, *against)[single.index(True)]
        assert isinstance(odd, Source)
        raise UsageError(f"{printable(odd.name)} is one text and does not go with folders or TSV files (--input tells)")
    gold = [_read_texts(one, kind) for one in against]
    names = sorted({name for found in gold for name in found})
    every, tick = [], _ticker(progress)
    for one in inputs:
        given = _read_texts(one, kind)
        where = np.array([i for i, name in enumerate(names) if name in given], np.int64)
        ids = [names[i] for i in where.tolist()]
        data = summaries(given, gold, ids, Vocabulary(tokens))
        facts = _facts(names, where, unjudged=len(given) - len(ids))
        every.append(_scored(data, where, names, requests, facts, tick))
    scores = _finished(every, topics, "all", "no text has a reference")
    labels = run_names([one.name if isinstance(one, Source) else f"system{i}" for i, one in enumerate(inputs, 1)])
    return ScoredRuns(tuple(labels), tuple(requests), scores)


__all__ = ["ScoredRuns", "evaluate_answers", "evaluate_sessions", "evaluate_texts"]
