"""What the doors of the TREC Web Track's tools, ndeval and gdeval, have in common."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ireval.core import ragged
from ireval.core.align import Policy
from ireval.core.columns import Doubles, Ints, QrelsColumns, RunColumns
from ireval.core.judgements import Judgements
from ireval.core.numeric import divide, ordered_sum
from ireval.errors import InputError, printable
from ireval.measures.spec import Spec
from ireval.read.source import Source
from ireval.read.trec import read_run
from ireval.scoring import TopicPolicy, score_run

RISK_FORMS = {
    "2013": " (rel to. {base}, rs=1+a, a={alpha})",
    "2014": " (rel to. {base}; rs=1+a; a={alpha})",
}
"""How the tools of each year write a run that is compared with a baseline; the commas of 2013 break CSV."""

Topic = Callable[[bytes], bytes | None]
"""From a topic as it stands in a file to its number, None when it has none."""


def numbered(
    file: str, topics: list[bytes], number: Topic, first_line: Callable[[int], int]
) -> tuple[list[bytes], Ints]:
    """The different numbers of topics, and for each topic the place of its number; InputError when it has none."""
    place: dict[bytes, int] = {}
    where = []
    for i, topic in enumerate(topics):
        name = number(topic)
        if name is None:
            raise InputError(file, first_line(i), "topic", f'expected a number, found "{printable(topic)}"')
        where.append(place.setdefault(name, len(place)))
    return list(place), np.array(where, np.int64)


def numbered_qrels(columns: QrelsColumns, number: Topic) -> QrelsColumns:
    """The judgements with numbers for topics."""
    topics, where = numbered(
        columns.file, columns.topics, number, lambda i: int(columns.lines[np.argmax(columns.topic == i)])
    )
    return replace(columns, topics=topics, topic=where[columns.topic].astype(np.int32))


def read_numbered_run(source: Source, number: Topic) -> RunColumns:
    """A whole run with numbers for topics; rows of a topic in file order."""
    run = read_run(source, with_ranks=True)
    topics, where = numbered(run.file, run.topics, number, lambda i: int(run.lines[run.off[i]]))
    row_topic = np.repeat(where, np.diff(run.off))
    order = np.lexsort((run.lines, row_topic))
    assert run.ranks is not None
    return RunColumns(
        run.file,
        topics,
        ragged.offsets(np.bincount(row_topic, minlength=len(topics))),
        run.documents.take(order),
        run.scores[order],
        run.ranks[order],
        run.lines[order],
        run.tag,
        run.first_tag,
    )


@dataclass(frozen=True)
class Scored:
    """A run's values by topic. judged: how many of its topics have judgements. tag: what it is called."""

    tag: str
    values: dict[bytes, Doubles]
    judged: int


def scored(judged: Judgements, run: RunColumns, tag: bytes, specs: Sequence[Spec], policy: Policy) -> Scored:
    """The values of the run's judged topics, 0/0 left as it is."""
    scores = score_run(judged, run, specs, policy, TopicPolicy("skip", keep_nan=True))
    values = {topic: scores.values[:, t] for t, topic in enumerate(scores.topics)}
    return Scored(tag.decode("utf-8", "surrogateescape"), values, len(values))


def against_baseline(value: Doubles, base: Doubles, alpha: float) -> Doubles:
    """Differences, those to the worse (1 + alpha) times as heavy."""
    gap = value - base
    return np.where(value >= base, gap, (alpha + 1.0) * gap)


def mean(rows: list[Doubles], count: int, width: int) -> Doubles:
    """Sum of the rows, added in order, over a number of topics; 0/0 is NaN."""
    total = ordered_sum(np.stack(rows, axis=1)) if rows else np.zeros(width)
    return divide(total, float(count))


def csv_line(tag: str, topic: bytes, values: Doubles, digits: int) -> bytes:
    """`tag,topic,value,...`; NaN as x86 C prints it."""
    numbers = ["-nan" if math.isnan(v) else f"{v:.{digits}f}" for v in values.tolist()]
    return ",".join([tag, topic.decode(), *numbers]).encode("utf-8", "surrogateescape") + b"\n"


def risk_tag(tag: str, base: str, alpha: str, form: str) -> str:
    """What a run is called when it is compared with a baseline."""
    return tag + RISK_FORMS[form].format(base=base, alpha=alpha)


# -- command lines --------------------------------------------------------------------------------------------------


@dataclass
class Options:
    """What both tools can be asked for. complete: the mean is over all judged topics."""

    complete: bool = False
    baseline: str | None = None
    risk: float = 0.0
    risk_text: str = "0"
    risk_form: str = "2014"
    files: list[str] = field(default_factory=list)

    VALUED: ClassVar[tuple[str, ...]] = ("-baseline", "-riskAlpha", "--risk-id")
    """Options with a value."""

    def take(self, word: str, text: str) -> None:
        """Set an option with a value."""
        if word == "-baseline":
            self.baseline = text
        elif word == "-riskAlpha":
            self.risk, self.risk_text = number_of(word, text, 0.0), text
        elif text in RISK_FORMS:
            self.risk_form = text
        else:
            raise BadOption(f'{word}: expected {" or ".join(RISK_FORMS)}, found "{printable(text)}"')


class BadOption(Exception):
    """Something is wrong with the command line."""


def number_of(word: str, text: str, low: float, high: float = math.inf, whole: bool = False) -> float:
    """The value of an option: a number within a range."""
    number = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
    if re.fullmatch(number, text) and low <= float(text) <= high and (float(text).is_integer() or not whole):
        return float(text)
    kind = "a whole number" if whole else "a number"
    limits = f"from {low:g} on" if high == math.inf else f"from {low:g} to {high:g}"
    raise BadOption(f'{word}: expected {kind} {limits}, found "{printable(text)}"')


def parse(options: Options, argv: list[str], flag: Callable[[str], bool], texts: tuple[str, ...]) -> str:
    """Read a command line as both tools do: options are looked for until two arguments are left.

    flag: takes a word that is an option without a value; False when it is none. texts: words that ask for a text to be
    printed; that word is given back, else nothing.
    """
    rest = list(argv)
    while len(rest) != 2:
        word = rest[0] if rest else ""
        if word in texts:
            return word
        if word in options.VALUED and len(rest) >= 4:
            options.take(word, rest[1])
            rest = rest[2:]
        elif len(rest) >= 3 and flag(word):
            rest = rest[1:]
        else:
            raise BadOption(f'expected options and two files, found "{printable(" ".join(rest))}"')
    options.files = rest
    return ""
