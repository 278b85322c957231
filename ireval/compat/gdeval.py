"""The gdeval door: `ireval gdeval [options] QRELS RUN`, or a link named gdeval.pl. Version 1.3, byte for byte.

It imports neither click nor rich.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass

import numpy as np

from ireval.compat.door import DoorError, through
from ireval.compat.gdeval_help import HELP, USAGE
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
from ireval.core.columns import Doubles, QrelsColumns
from ireval.core.judgements import Judgements, in_topic_order, judgements
from ireval.core.numeric import c_double
from ireval.core.ragged import offsets
from ireval.errors import InputError, printable
from ireval.measures.gains import Ideal, parse_gains, take_as_ideal
from ireval.measures.registry import find_measure
from ireval.measures.spec import make_spec
from ireval.read.source import Source
from ireval.read.trec import read_judgements
from ireval.write.output import put

VERSION = "gdeval: version 1.3 (Mon Apr 29 20:50:24 EDT 2013)\n"
EXIT_FAILURE, EXIT_NO_FILE, EXIT_USAGE = 25, 2, 255
TOP_LEVEL = 4
GAINS = "exp2"


@dataclass
class GdevalOptions(Options):
    """What the command line asks for."""

    k: int = 20

    VALUED = (*Options.VALUED, "-k")

    def take(self, word: str, text: str) -> None:
        """Set an option with a value."""
        if word == "-k":
            self.k = int(number_of(word, text, 1.0))
        else:
            super().take(word, text)

    def flag(self, word: str) -> bool:
        """Set an option without a value."""
        self.complete |= word == "-c"
        return word == "-c"


def main(argv: list[str]) -> int:
    """Run the door with these arguments (without the program's name); the exit status."""
    return through(lambda: _run(argv), EXIT_FAILURE)


def _run(argv: list[str]) -> int:
    options = GdevalOptions(risk_form="2013")
    try:
        asked = argv[0] if argv[:1] in (["-v"], ["-version"]) else parse(options, argv, options.flag, ("-help",))
    except BadOption as fault:
        raise DoorError(EXIT_USAGE, f"ireval: {fault}\n{USAGE}") from None
    if asked:
        sys.stdout.write(HELP if asked == "-help" else VERSION)
        return 0
    for path in (*options.files, options.baseline or "-"):
        if path != "-" and not os.path.exists(path):
            raise DoorError(EXIT_NO_FILE, f"ireval: {printable(path)}: no such file or directory\n")
    judged = _judgements(Source(options.files[0]))
    specs = [
        make_spec(find_measure("ndcg_cut"), {"k": options.k, "gains": GAINS}, {}),
        make_spec(find_measure("err_cut"), {"k": options.k, "sat": "exp2", "top": TOP_LEVEL}, {}),
    ]
    policy = Policy(on_duplicate="keep")

    def score(path: str) -> Scored:
        run = read_numbered_run(Source(path), _topic)
        if judged is None:
            return Scored(run.tag.decode("utf-8", "surrogateescape"), {}, 0)
        return scored(judged, run, run.tag, specs, policy)

    base = score(options.baseline) if options.baseline is not None else None
    run = score(options.files[1])
    tag = run.tag if base is None else risk_tag(run.tag, base.tag, options.risk_text, options.risk_form)
    topics, rows = _rows(judged, run, base, options)
    count = run.judged if not options.complete else len(judged.topics) if judged is not None else 0
    whole = mean(rows, count, 2) if count else np.zeros(2)
    out = [f"runid,topic,ndcg@{options.k},err@{options.k}\n".encode()]
    out += [csv_line(tag, topic, row, 5) for topic, row in zip(topics, rows, strict=True)]
    out.append(csv_line(tag, b"amean", whole, 5))
    put(b"".join(out))
    return 0


def _rows(
    judged: Judgements | None, run: Scored, base: Scored | None, options: GdevalOptions
) -> tuple[list[bytes], list[Doubles]]:
    """The topics to print and their values."""
    topics = sorted(run.values, key=int)
    if base is None:
        return topics, [run.values[topic] for topic in topics]
    nothing = np.zeros(2)
    rows = [against_baseline(run.values[t], base.values.get(t, nothing), options.risk) for t in topics]
    if options.complete and judged is not None:
        last = nothing  # it is not set back: a topic that nobody has takes the baseline of the one before it
        for topic in sorted(set(judged.topics) - set(topics), key=int):
            last = base.values.get(topic, last)
            topics.append(topic)
            rows.append(against_baseline(nothing, last, options.risk))
    return topics, rows


# -- files ----------------------------------------------------------------------------------------------------------


def _topic(text: bytes) -> bytes | None:
    """What follows the last hyphen, if it is a number."""
    number = text.rpartition(b"-")[2]
    return number if re.fullmatch(rb"[0-9]+", number) else None


def _judgements(source: Source) -> Judgements | None:
    """The judgements above 0; None where there are none."""
    lines = read_judgements(source, "diversity", extra=True)  # as judgements of intents, to have the second field
    columns = numbered_qrels(lines, _topic)
    assert columns.groups is not None
    levels = columns.levels.astype(np.int32)
    if bool((levels > TOP_LEVEL).any()):
        row = int(np.argmax(levels > TOP_LEVEL))
        why = f"expected a level up to {TOP_LEVEL}, found {int(levels[row])}"
        raise InputError(columns.file, int(columns.lines[row]), "level", why)
    for row, word in enumerate(columns.groups.to_list()):
        if c_double(word.decode("utf-8", "replace")) != 0:
            why = f'expected 0, found "{printable(word)}" (judgements of subtopics are for ndeval)'
            raise InputError(columns.file, int(columns.lines[row]), "second field", why)
    relevant = np.flatnonzero(levels > 0)
    if not len(relevant):
        return None
    order = relevant[np.argsort(levels[relevant], kind="stable")]  # the lowest first: of repeated ones it counts
    used = sorted(set(columns.topic[order].tolist()))
    place = np.zeros(len(columns.topics), np.int32)
    place[used] = np.arange(len(used))
    positive = QrelsColumns(
        columns.file,
        [columns.topics[t] for t in used],
        place[columns.topic[order]],
        columns.documents.take(order),
        levels[order],
        columns.lines[order],
    )
    judged, repeated = judgements(positive, keep_first=True)
    if repeated:  # the ideal ranking holds them all
        _, by_topic, off = in_topic_order(positive)
        gain = parse_gains(GAINS).of(positive.levels[by_topic].astype(np.int32))
        best = gain[np.lexsort((-gain, np.repeat(np.arange(len(off) - 1), np.diff(off))))]
        take_as_ideal(judged, GAINS, Ideal(best, offsets(np.diff(off))))
    return judged
