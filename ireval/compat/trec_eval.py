"""The trec_eval door: `ireval QRELS RUN`, `ireval trec_eval ...`, or a link named trec_eval.

Version 10.0's behaviour, or 9.0.8's with `--compat 9`. This file holds the argument grammar, the order in which things
fail, and the few oddities that belong to trec_eval and not to a measure. It imports neither click nor rich.
"""

from __future__ import annotations

import getopt
import math
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ireval.compat.door import DoorError, through
from ireval.errors import DuplicateError, InputError, IrevalError, MeasureError, printable

if TYPE_CHECKING:
    from ireval.core.columns import Bools, Doubles, QrelsColumns
    from ireval.core.judgements import Judgements
    from ireval.core.scores import Scores
    from ireval.measures.spec import Request
    from ireval.read.zscores import Zscores

SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
LONG = {
    "help": "-h",
    "version": "-v",
    "query_eval_wanted": "-q",
    "measure=": "-m",
    "complete_rel_info_wanted": "-c",
    "level_for_rel=": "-l",
    "nosummary": "-n",
    "Debug_level=": "-D",
    "Judged_docs_only": "-J",
    "Number_docs_in_coll=": "-N",
    "Max_retrieved_per_topic=": "-M",
    "Rel_info_format=": "-R",
    "Results_format=": "-T",
    "Output_old_results_format=": "-o",
    "Zscore=": "-Z",
}
USAGE = """\
Usage: trec_eval [-h] [-q] {-m measure}* judgements run
   -h: how to call trec_eval, its formats, and the measures named with -m
   -q: values for every topic as well as the summary
   -m: a measure or a set of measures; official is the usual set, all_trec nearly everything
`ireval trec_eval -h` says more; `ireval --help` tells what else ireval does.
"""
EXIT_USAGE, EXIT_READ, EXIT_EVALUATE, EXIT_NO_TOPICS_9 = 1, 2, 4, 7


@dataclass(eq=False, repr=False)
class Options:
    """The command line, understood."""

    compat: int = 10
    files: list[str] = field(default_factory=list)
    help: bool = False
    per_topic: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    docs: int = 0
    depth: int | None = None
    judgement_format: str = "qrels"
    results_format: str = "trec_results"
    zscores: str | None = None
    only: bytes | None = None
    measures: dict[str, str | None] = field(default_factory=dict)
    """Measure name -> its parameters; the first given win, as in trec_eval."""


def main(argv: list[str]) -> int:
    """Run the door with these arguments (without the program's name); the exit status."""
    return through(lambda: _run(_parse(argv)), EXIT_READ)


# -- arguments ------------------------------------------------------------------------------------------------------


def _parse(argv: list[str]) -> Options:
    from ireval.core.numeric import c_long

    options = Options()
    argv = _take_compat(argv, options)
    try:
        given, options.files = getopt.gnu_getopt(argv, SHORT, list(LONG))
    except getopt.GetoptError as error:
        raise DoorError(EXIT_USAGE, f"ireval: {error.msg}\n{USAGE}") from None
    for name, value in given:
        letter = name if name in SHORT_LETTERS else LONG.get(name[2:]) or LONG[name[2:] + "="]
        if letter == "-h":
            options.help = True
        elif letter == "-v":
            from ireval import __version__

            raise DoorError(
                0, f"trec_eval version {'9.0.8' if options.compat == 9 else '10.0'} (ireval {__version__})\n"
            )
        elif letter == "-q":
            options.per_topic = True
        elif letter == "-m":
            _mark(options, value)
        elif letter == "-c":
            options.complete = True
        elif letter == "-l":
            options.level = c_long(value)
        elif letter == "-n":
            options.summary = False
        elif letter == "-D":
            if "." in value:
                options.only = os.fsencode(value.partition(".")[2])
        elif letter == "-J":
            options.judged_only = True
        elif letter == "-N":
            options.docs = c_long(value)
        elif letter == "-M":
            options.depth = c_long(value)
            if options.depth < 0:
                raise DoorError(EXIT_USAGE, f"ireval: -M: expected a number of documents, found {printable(value)}\n")
        elif letter == "-R":
            options.judgement_format = value
        elif letter == "-T":
            options.results_format = value
        elif letter == "-Z":
            options.zscores = value
    if not options.help and len(options.files) != 2:
        raise DoorError(EXIT_USAGE, _hint(options.files) + USAGE)
    return options


SHORT_LETTERS = frozenset("-" + letter for letter in SHORT.replace(":", ""))


def _take_compat(argv: list[str], options: Options) -> list[str]:
    """Our own option, known only when spelled in full, so that it never changes what an abbreviation means."""
    wanted = os.environ.get("IREVAL_COMPAT") or "10"
    rest: list[str] = []
    at = 0
    while at < len(argv):
        if argv[at] == "--":
            rest += argv[at:]
            break
        if argv[at] == "--compat" and at + 1 < len(argv):
            wanted = argv[at + 1]
            at += 1
        elif argv[at].startswith("--compat="):
            wanted = argv[at].partition("=")[2]
        else:
            rest.append(argv[at])
        at += 1
    if wanted not in ("9", "10"):
        raise DoorError(EXIT_USAGE, f"ireval: --compat: expected 9 or 10, found {printable(wanted)}\n")
    options.compat = int(wanted)
    return rest


def _hint(files: list[str]) -> str:
    """When the first word looks like a command of ours, say so."""
    from ireval.__main__ import COMMANDS

    if files and not os.path.exists(files[0]):
        import difflib

        near = difflib.get_close_matches(files[0], COMMANDS, 1)
        if near:
            return f'ireval: no command "{printable(files[0])}"; did you mean ireval {near[0]}?\n'
    return ""


def _mark(options: Options, text: str) -> None:
    """Note a measure or a set of measures, with the parameters after the first dot."""
    from ireval.measures.spec import NICKNAMES, SINCE_10, TREC_ORDER

    name, dot, params = text.partition(".")
    known = set(TREC_ORDER) - (SINCE_10 if options.compat == 9 else set())
    if dot and not params:
        raise DoorError(EXIT_USAGE, f"ireval: {printable(name)}: expected parameters after the dot, found none\n")
    if name not in NICKNAMES and name not in known:
        why = _unknown(text, name)
        raise DoorError(EXIT_USAGE, f"ireval: {why}\n")
    for member in NICKNAMES.get(name, (name,)):
        if member in known:
            options.measures.setdefault(member, None)
    if dot and options.measures.get(name, "") is None:
        options.measures[name] = params


def _unknown(text: str, name: str) -> str:
    """Why this is no measure here: it is ours, it is newer, or it is misspelt."""
    from ireval.measures.spec import NICKNAMES, TREC_ORDER, parse_measure, trec_label

    if name in TREC_ORDER:
        return f"{name} is not in trec_eval 9"
    try:
        theirs = trec_label(parse_measure(text, {})[0].spec)
    except MeasureError:
        import difflib

        near = difflib.get_close_matches(name, (*TREC_ORDER, *NICKNAMES), 3, 0.6)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        return f'no measure "{printable(text)}"{hint}'
    return f'{printable(text)} is ireval\'s name for {theirs}; `ireval eval -m "{printable(text)}"` knows it'


# -- evaluation -----------------------------------------------------------------------------------------------------


def _run(options: Options) -> int:
    if options.help:
        from ireval.compat.trec_eval_help import write_help

        write_help(list(options.measures), options.judgement_format, options.compat)
        return 0
    if not options.measures:
        _mark(options, "official")

    from ireval.core.align import Policy
    from ireval.core.judgements import judgements
    from ireval.measures.spec import TREC_ORDER, ParameterError, trec_requests
    from ireval.read.formats import JUDGEMENTS, RUN
    from ireval.read.source import Source
    from ireval.read.trec import read_judgements
    from ireval.scoring import TopicPolicy, open_run, score_run

    if options.judgement_format not in JUDGEMENTS:
        raise DoorError(
            EXIT_READ,
            f"ireval: no judgement format {printable(options.judgement_format)}; there are {', '.join(JUDGEMENTS)}\n",
        )
    if options.results_format != RUN.name:
        raise DoorError(
            EXIT_READ, f"ireval: no results format {printable(options.results_format)}; there is {RUN.name}\n"
        )
    if options.files == ["-", "-"]:
        raise DoorError(EXIT_READ, "ireval: standard input can be the judgements or the run, not both\n")
    preferences = options.judgement_format in ("prefs", "qrels_prefs")
    policy = Policy(
        single=options.compat == 9,
        ties_ascending=preferences,
        depth=options.depth,
        condensed=options.judged_only and not preferences,
    )
    run = open_run(Source(options.files[1]), policy)
    try:
        columns = read_judgements(Source(options.files[0]), options.judgement_format)
        if options.compat == 9 and preferences:
            columns = _single_precision(columns)
        by_group = options.judgement_format == "qrels_jg"
        judged = judgements(columns, by_group=by_group)[0]
        if by_group:
            judged.check_duplicates()
        zscores = None
        if options.zscores is not None:
            from ireval.read.zscores import read_zscores

            zscores = read_zscores(Source(options.zscores))
    except DuplicateError as error:
        raise DoorError(EXIT_EVALUATE if preferences else EXIT_READ, f"ireval: {error}\n") from None
    except IrevalError as error:
        raise DoorError(EXIT_READ, f"ireval: {error}\n") from None
    settings = {
        "level": options.level,
        "docs": options.docs,
        "rounding": "nearest" if options.compat == 10 else "up",
        "compat": options.compat,
    }
    try:
        requests = [
            r
            for name in TREC_ORDER
            if name in options.measures
            for r in trec_requests(name, options.measures[name], settings)
        ]
    except ParameterError as error:
        raise DoorError(EXIT_READ, f"ireval: {error}\n") from None
    if judged.parent is not None and any(
        r.spec.measure.needs == "levels" and r.spec.measure.kind != "summary" for r in requests
    ):
        raise DoorError(EXIT_EVALUATE, "ireval: the format qrels_jg serves only the measures ending in _avgjg\n")
    topics = TopicPolicy(
        missing="unjudged" if options.complete and options.compat == 10 else "skip", only=options.only, keep_nan=True
    )
    try:
        scores = score_run(judged, run, [r.spec for r in requests], policy, topics)
    except IrevalError as error:
        cannot_read = isinstance(error, InputError) and not isinstance(error, DuplicateError)
        raise DoorError(EXIT_READ if cannot_read else EXIT_EVALUATE, f"ireval: {error}\n") from None
    if not scores.topics:
        unknown = options.only is not None and options.only not in judged.evaluated
        status = EXIT_NO_TOPICS_9 if options.compat == 9 or unknown else EXIT_EVALUATE
        raise DoorError(status, "ireval: no topic has both judgements and results\n")
    from ireval.write.output import put

    put(b"".join(_output(options, requests, scores, judged, zscores)))
    _tell_coverage(scores, options)
    return 0


def _single_precision(columns: QrelsColumns) -> QrelsColumns:
    """Preference levels as trec_eval 9 compares them: as floats."""
    from dataclasses import replace

    import numpy as np

    return replace(columns, levels=columns.levels.astype(np.float32).astype(np.float64))


def _tell_coverage(scores: Scores, options: Options) -> None:
    """One line on stderr when not every judged topic was in the run, or the run has others."""
    from ireval.notes import coverage, quiet

    note = coverage(scores.facts, "averaged as 0" if options.complete else "left out of the means; -c counts them as 0")
    if note and not quiet():
        sys.stderr.write(f"ireval: {note}\n")


def _output(
    options: Options, requests: list[Request], scores: Scores, judged: Judgements, zscores: Zscores | None
) -> Iterator[bytes]:
    """Lines of output, topic by topic, then the summary."""
    import numpy as np

    from ireval.core.scores import MIN_GEOMETRIC, aggregate, standardise
    from ireval.write.trec import line, number, whole

    values = scores.values.copy()
    texts = dict(scores.texts)
    if options.complete and options.compat == 10:
        _clear_missing(requests, scores.missing, values, texts)
    mark = "Z" if zscores is not None else ""
    if zscores is not None:
        from ireval.read.zscores import lookup

        for row, request in enumerate(requests):
            if request.spec.measure.kind != "text":
                mean, deviation = lookup(zscores, scores.topics, os.fsencode(request.label))
                values[row] = standardise(values[row], mean, deviation)
    if options.per_topic:
        shown = [
            (row, request, request.spec.measure.kind)
            for row, request in enumerate(requests)
            if request.spec.measure.per_topic and request.spec.measure.kind != "summary"
        ]
        for t, topic in enumerate(scores.topics):
            for row, request, kind in shown:
                if kind == "text":
                    yield line(request.label, topic, f"'{texts[row][t]}'")
                else:
                    show = whole if kind == "count" and not mark else number
                    yield line(mark + f"{request.label:<22s}", topic, show(values[row, t]))
    if not options.summary:
        return
    count = scores.facts.judged if options.complete else len(scores.topics)
    for row, request in enumerate(requests):
        record = request.spec.measure
        if record.name == "runid":
            yield line(request.label, b"all", scores.facts.tag)
        elif record.name == "num_q":
            yield line(mark + f"{request.label:<22s}", b"all", number(count) if mark else whole(count))
        elif record.kind != "text":
            total = values[row]
            if record.aggregate == "geometric":  # topics that version 9 leaves out count with the floor
                left_out = count - len(scores.topics)
                total = np.append(total, left_out * math.log(MIN_GEOMETRIC)) if left_out else total
            value = aggregate(total, record.aggregate, count)
            if record.name == "num_rel" and options.complete:
                value = float(np.count_nonzero(judged.level > 0))  # all topics, and whatever -l says
            show = whole if record.kind == "count" and not mark else number
            yield line(mark + f"{request.label:<22s}", b"all", show(value))


def _clear_missing(requests: list[Request], missing: Bools, values: Doubles, texts: dict[int, list[str]]) -> None:
    """Version 10 ranks one unjudged document for a missing topic, then takes it back from some of the values."""
    for row, request in enumerate(requests):
        if request.label in ("num_ret", "utility", "rbp_resid") or request.label.startswith("unj"):
            values[row, missing] = 0.0
        elif request.label == "relstring":
            texts[row] = ["" if gone else text for text, gone in zip(texts[row], missing.tolist(), strict=True)]
