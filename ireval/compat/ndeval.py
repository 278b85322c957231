"""The ndeval door: `ireval ndeval [options] QRELS RUN`, or a link named ndeval. Version 4.5, byte for byte.

It imports neither click nor rich.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ireval.compat.door import DoorError, through
from ireval.compat.ndeval_help import HELP, USAGE
from ireval.compat.web_track import (
    BadOption,
    Options,
    Scored,
    against_baseline,
    csv_line,
    mean,
    number_of,
    numbered_qrels,
    parse,
    read_numbered_run,
    risk_tag,
    scored,
)
from ireval.core.align import Policy
from ireval.core.columns import Doubles, Ints, QrelsColumns, RunColumns, texts_from
from ireval.core.intents import intents_of, judgements_by_intent, split_judgements
from ireval.core.judgements import Judgements
from ireval.errors import InputError, printable
from ireval.measures.ndeval_names import columns as ndeval_columns
from ireval.read.source import Source
from ireval.read.trec import read_judgements
from ireval.write.output import put

VERSION = "ndeval: version 4.5 (Mon 29 Apr 2013 20:51:02 EDT)\n"
EXIT_FAILURE = 1
LARGEST = 1000009


@dataclass
class NdevalOptions(Options):
    """What the command line asks for."""

    alpha: float = 0.5
    beta: float = 0.5
    depth: int | None = None
    traditional: bool = False

    VALUED: ClassVar[tuple[str, ...]] = (*Options.VALUED, "-alpha", "-beta", "-M")

    def take(self, word: str, text: str) -> None:
        """Set an option with a value."""
        if word == "-alpha":
            self.alpha = number_of(word, text, 0.0, 1.0)
        elif word == "-beta":
            self.beta = number_of(word, text, 0.0, 1.0)
        elif word == "-M":
            self.depth = int(number_of(word, text, 1.0, whole=True))
        else:
            super().take(word, text)

    def flag(self, word: str) -> bool:
        """Set an option without a value; letters may stand together (-ca)."""
        if word == "-traditional":
            self.traditional = True
        elif re.fullmatch("-[ac]*", word):
            self.complete |= "c" in word
        else:
            return False
        return True


def main(argv: list[str]) -> int:
    """Run the door with these arguments (without the program's name); the exit status."""
    return through(lambda: _run(argv), EXIT_FAILURE)


def _run(argv: list[str]) -> int:
    options = NdevalOptions()
    try:
        asked = parse(options, argv, options.flag, ("-version", "-help"))
    except BadOption as fault:
        raise DoorError(EXIT_FAILURE, f"ireval: {fault}\n{USAGE}") from None
    if asked:
        sys.stdout.write(VERSION if asked == "-version" else HELP)
        return 0
    judged = _judgements(Source(options.files[0]))
    specs = [column.spec for column in ndeval_columns(options.alpha, options.beta)]
    policy = Policy(order="score" if options.traditional else "rank", depth=options.depth)

    names = [column.name for column in ndeval_columns()]

    def score(path: str) -> tuple[Scored, list[bytes]]:
        run = _read_run(Source(path), options)
        found = scored(judged, run, run.first_tag, specs, policy)
        for topic in _without_ideal(judged, options) & found.values.keys():
            found.values[topic][names.index("nNRBP")] = np.nan
        return found, sorted(run.topics, key=int)

    run, topics = score(options.files[1])
    base, base_topics = score(options.baseline) if options.baseline is not None else (None, [])
    tag = run.tag if base is None else risk_tag(run.tag, base.tag, options.risk_text, options.risk_form)
    nothing = np.zeros(len(specs))
    shown = sorted({*topics, *base_topics}, key=int) if base is not None and options.complete else topics
    rows: list[Doubles] = []
    for topic in shown:
        value = run.values.get(topic, nothing)
        base_value = nothing if base is None else base.values.get(topic, nothing)
        rows.append(against_baseline(value, base_value, options.risk))
    count = len(judged.topics) if options.complete else run.judged
    if base is not None:
        count = max(count, len(rows))
    header = ",".join(["runid", "topic", *names])
    out = [header.encode() + b"\n"]
    out += [csv_line(tag, topic, row, 6) for topic, row in zip(shown, rows, strict=True)]
    out.append(csv_line(tag, b"amean", mean(rows, count, len(specs)), 6))
    put(b"".join(out))
    return 0


def _without_ideal(judged: Judgements, options: NdevalOptions) -> set[bytes]:
    """Topics whose ideal NRBP is 0, where ndeval divides by it all the same."""
    nothing = 1 - (1 - options.alpha) * options.beta == 0
    return {topic for topic, n in zip(judged.topics, intents_of(judged).count, strict=True) if nothing or not n}


# -- files ----------------------------------------------------------------------------------------------------------


def _natural(text: bytes) -> bytes | None:
    """A number as ndeval reads it, without leading zeros; None when it is none."""
    return b"%d" % int(text) if re.fullmatch(rb"[0-9]{1,30}", text) and int(text) <= LARGEST else None


def _run_topic(text: bytes) -> bytes | None:
    """A run's topics may have a prefix up to the first hyphen."""
    return _natural(text if text[:1].isdigit() else text.partition(b"-")[2])


def _read_run(source: Source, options: NdevalOptions) -> RunColumns:
    run = read_numbered_run(source, _run_topic)
    assert run.ranks is not None
    bad = np.flatnonzero((run.ranks < 0) | (run.ranks > LARGEST))
    if len(bad):
        line, rank = int(run.lines[bad].min()), int(run.ranks[bad[np.argmin(run.lines[bad])]])
        raise InputError(run.file, line, "rank", f"expected a whole number from 0 to {LARGEST}, found {rank}")
    if not options.traditional:
        topic = np.repeat(np.arange(len(run.topics)), np.diff(run.off))
        order = np.lexsort((run.lines, run.ranks, topic))
        same = (run.ranks[order[1:]] == run.ranks[order[:-1]]) & (topic[order[1:]] == topic[order[:-1]])
        if bool(same.any()):
            row = int(order[1:][same][0])
            name = printable(run.topics[topic[row]])
            why = f"expected each rank once in a topic, found {int(run.ranks[row])} of topic {name} again"
            raise InputError(run.file, int(run.lines[row]), "rank", why)
    return run


def _judgements(source: Source) -> Judgements:
    """Judgements as ndeval takes them: binary; of repeated lines the last counts, and all count as relevant."""
    columns = numbered_qrels(read_judgements(source, "diversity", extra=True), _natural)
    assert columns.groups is not None
    levels = columns.levels
    if bool((levels < 0).any()):
        line = int(columns.lines[np.argmax(levels < 0)])
        raise InputError(
            columns.file, line, "judgement", f"expected a number from 0 on, found {levels[levels < 0][0]:g}"
        )
    numbers: dict[bytes, bytes] = {}
    subtopics = columns.groups.to_list()
    for row, subtopic in enumerate(subtopics):
        if subtopic not in numbers:
            number = _natural(subtopic)
            if number is None:
                why = f'expected a number, found "{printable(subtopic)}"'
                raise InputError(columns.file, int(columns.lines[row]), "subtopic", why)
            numbers[subtopic] = number
    groups = texts_from([numbers[subtopic] for subtopic in subtopics])
    columns = replace(columns, levels=np.minimum(levels, 1), groups=groups)
    last_first = np.arange(len(levels))[::-1]
    judged, repeated = judgements_by_intent(_taken(columns, last_first), keep_first=True)
    if repeated:
        _count_all(judged, columns)
    return judged


def _taken(columns: QrelsColumns, rows: Ints) -> QrelsColumns:
    """The same lines in another order, numbered in that order."""
    assert columns.groups is not None
    return replace(
        columns,
        topic=columns.topic[rows],
        documents=columns.documents.take(rows),
        levels=columns.levels[rows],
        lines=np.arange(len(rows), dtype=np.int32),
        groups=columns.groups.take(rows),
    )


def _count_all(judged: Judgements, columns: QrelsColumns) -> None:
    """Let repeated lines add to the number of relevant documents of their subtopic."""
    assert columns.groups is not None
    intents = intents_of(judged)
    owner = np.repeat(np.arange(len(judged)), intents.count)
    place = {(judged.topics[t], intents.names[i]): i for i, t in enumerate(owner.tolist())}
    number = np.zeros(len(owner), np.int64)
    rows = zip(columns.topic.tolist(), columns.groups.to_list(), columns.levels.tolist(), strict=True)
    for topic, subtopic, level in rows:
        intent = place.get((columns.topics[topic], subtopic))
        if intent is not None:
            number[intent] += int(level)
    split_judgements(judged).once(("number_relevant", 1), lambda: number)
