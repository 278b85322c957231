"""What scoring sessions, answers and summaries has in common: systems in, scores of each of them out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ireval.api import as_source, common_topics
from ireval.core.columns import Ints
from ireval.core.scores import RunFacts, Scores
from ireval.errors import DataError, UsageError
from ireval.measures.registry import Choice, measures_needing
from ireval.measures.spec import Request, Settings, parse_measures
from ireval.read.source import Source

Progress = Callable[[int], None]
Inputs = str | os.PathLike[str] | Source | Sequence[str | os.PathLike[str] | Source]


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
                check_choice(name, value, param.choices)
    return requests


def check_choice(name: str, value: Any, allowed: Iterable[str]) -> None:
    """Refuse a setting that is none of the words allowed."""
    if value not in allowed:
        raise UsageError(f"{name}: expected {', '.join(allowed)}, found {value}")


def scored(
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
            name = as_text(topics[int(endless[0])])
            raise DataError(f"{request.label} of topic {name} is infinite: nothing could be gained, but something was")
    missing = np.ones(len(topics), np.bool_)
    missing[where] = False
    return Scores(list(topics), values, {}, missing, facts)


def ticker(progress: Progress | None) -> Callable[[], None]:
    """Counts scored measures and tells the caller."""
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done)

    return tick


def facts_of(
    topics: Sequence[bytes], present: Ints, *, tag: str = "", unjudged: int = 0, repeated: int = 0
) -> RunFacts:
    """What is known of a system beside its scores. present: the topics that it has."""
    has = np.zeros(len(topics), np.bool_)
    has[present] = True
    missing = tuple(topics[i] for i in np.flatnonzero(~has).tolist())
    return RunFacts(tag, len(topics), len(topics), missing, unjudged, repeated)


def finished(every: list[Scores], topics: str, whole: str, nothing: str) -> tuple[Scores, ...]:
    """The scores of all systems about the topics wanted. whole: what all topics are called; nothing: what to say when
    there are none."""
    check_choice("topics", topics, (whole, "both"))
    if topics == "both":
        every = common_topics(every)
    if not every[0].topics or all(scores.missing.all() for scores in every):
        raise DataError(nothing)
    return tuple(every)


def as_text(name: bytes) -> str:
    """A name as text; bytes that are no UTF-8 survive."""
    return name.decode("utf-8", "surrogateescape")
