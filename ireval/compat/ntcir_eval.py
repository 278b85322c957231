"""The NTCIREVAL door: `ireval ntcir_eval COMMAND ...`, or a link named ntcir_eval.

Release 230128's behaviour, or 190111's with `--release 190111`. This file holds the argument grammar and the commands
that label lists or look at nuggets, intents and groups; compute and gcompute are in ntcir_eval_scores.py. It imports
neither click nor rich. Unlike the original, a command that fails says so with its exit status and prints nothing.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from ireval.compat.door import DoorError, through
from ireval.compat.ntcir_eval_help import HELP, USAGE
from ireval.errors import printable

RELEASES = ("190111", "230128")
MOST_CUTOFFS = 9
MOST_LEVELS = 15
MOST_CLASSES = 1024
DEFAULT_CUTOFF = 1000
EXIT_USAGE, EXIT_FAILURE = 1, 2


def usage_error(message: str) -> DoorError:
    """Something is wrong with the command line."""
    return DoorError(EXIT_USAGE, f"ireval: {message}\n{USAGE}")


def failure(file: str, why: str) -> DoorError:
    """The files can be read, but there is nothing to be done with them."""
    return DoorError(EXIT_FAILURE, f"ireval: {printable(file)}: {why}\n")


def main(argv: list[str]) -> int:
    """Run the door with these arguments (without the program's name); the exit status."""
    return through(lambda: _run(argv), EXIT_FAILURE)


def _run(argv: list[str]) -> int:
    release, argv = _take_release(argv)
    if not argv:
        raise DoorError(EXIT_USAGE, USAGE)
    name, rest = argv[0], argv[1:]
    if name in ("-h", "--help", "help"):
        sys.stdout.write(HELP)
        return 0
    if name not in COMMANDS:
        raise usage_error(f'no command "{printable(name)}"; there are {", ".join(COMMANDS)}')
    command = COMMANDS[name]
    if release not in command.releases:
        raise usage_error(f"{name} is not in release {release}")
    given = _parse(name, command, rest, release)
    if given is None:
        sys.stdout.write(HELP)
        return 0
    from ireval.write.output import put

    put(command.run(given))
    return 0


# -- arguments ------------------------------------------------------------------------------------------------------


@dataclass
class Given:
    """The arguments of a command: options by name (of one given twice the last counts), and the files that are left."""

    release: str
    flags: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    @property
    def separator(self) -> bytes:
        """Characters between fields."""
        return os.fsencode(self.values.get("-sep", " "))

    @property
    def prefix(self) -> bytes:
        """What every line of output begins with."""
        return os.fsencode(self.values.get("-out", ""))

    @property
    def ranking(self) -> str:
        """The ranked list: the last file, or standard input."""
        return self.files[-1] if self.files else "-"

    def number(self, name: str, default: float, low: float = 0.0, high: float = math.inf) -> float:
        """An option as a number within bounds."""
        return self._number(name, self.values[name], low, high) if name in self.values else default

    def _number(self, name: str, text: str, low: float, high: float) -> float:
        from ireval.read.ntcir import number

        value = number(os.fsencode(text))
        if value is None or not low <= value <= high:
            bounds = f"from {low:g} to {high:g}" if high < math.inf else f"of at least {low:g}"
            raise DoorError(EXIT_USAGE, f'ireval: {name}: expected a number {bounds}, found "{printable(text)}"\n')
        return value

    def whole(self, name: str, default: int | None = None) -> int | None:
        """An option as a whole number from 1 on."""
        return int(self._number(name, self.values[name], 1, 10**9)) if name in self.values else default

    def cutoffs(self) -> list[int]:
        """The ranks to cut at, in the order given."""
        if "-cutoffs" not in self.values:
            return [DEFAULT_CUTOFF]
        parts = [part for part in self.values["-cutoffs"].split(",") if part]
        if not 1 <= len(parts) <= MOST_CUTOFFS:
            raise DoorError(EXIT_USAGE, f"ireval: -cutoffs: expected 1 to {MOST_CUTOFFS} ranks, found {len(parts)}\n")
        return [int(self._number("-cutoffs", part, 1, 10**9)) for part in parts]

    def by_level(self, name: str) -> list[float]:
        """Values for levels 1, 2, ... such as 1:2:3, which may not fall, and of which the last is above 0."""
        parts = [part for part in self.values[name].split(":") if part]
        if not 1 <= len(parts) <= MOST_LEVELS:
            raise DoorError(EXIT_USAGE, f"ireval: {name}: expected 1 to {MOST_LEVELS} values, found {len(parts)}\n")
        values = [self._number(name, part, 0, math.inf) for part in parts]
        if values != sorted(values) or values[-1] == 0:
            found = printable(self.values[name])
            raise DoorError(EXIT_USAGE, f'ireval: {name}: expected rising values, the last above 0, found "{found}"\n')
        return values


@dataclass(frozen=True)
class Command:
    """A command: what it prints, its options without and with a value, and those it cannot do without."""

    run: Callable[[Given], bytes]
    flags: str
    values: str
    required: str
    releases: tuple[str, ...] = RELEASES
    list_first: bool = False
    """Whether everything after the first file is a file too."""


def _take_release(argv: list[str]) -> tuple[str, list[str]]:
    """Our own option, known only when spelled in full."""
    release, rest, at = RELEASES[-1], [], 0
    while at < len(argv):
        if argv[at] == "--release" and at + 1 < len(argv):
            release, at = argv[at + 1], at + 1
        elif argv[at].startswith("--release="):
            release = argv[at].partition("=")[2]
        else:
            rest.append(argv[at])
        at += 1
    if release not in RELEASES:
        raise usage_error(f'--release: expected {" or ".join(RELEASES)}, found "{printable(release)}"')
    return release, rest


def _parse(name: str, command: Command, argv: list[str], release: str) -> Given | None:
    """The arguments after the command; None when help is asked for."""
    given, at = Given(release), 0
    flags, values = command.flags.split(), command.values.split()
    if release == "190111" and name == "gcompute":
        values.remove("-rbup")
    while at < len(argv):
        word = argv[at]
        if word in flags:
            given.flags.add(word)
        elif word in values:
            at += 1
            if at == len(argv):
                raise usage_error(f"{name}: {word}: expected a value, found none")
            given.values[word] = argv[at]
        elif word in ("-h", "--help"):
            return None
        elif word.startswith("-") and word != "-" and not os.path.exists(word):
            raise usage_error(f'{name}: no option or file "{printable(word)}"')
        else:
            given.files.append(word)
            if command.list_first:
                given.files += argv[at + 1 :]
                break
        at += 1
    lacking = [word for word in command.required.split() if word not in given.values]
    if lacking:
        raise usage_error(f"{name}: {' and '.join(lacking)} must be given")
    return given


# -- labelling ------------------------------------------------------------------------------------------------------


def _ranked(given: Given) -> list[bytes]:
    """The documents of the ranked list, down to -truncate."""
    from ireval.read.ntcir import lines
    from ireval.read.source import Source

    return lines(Source(given.ranking))[: given.whole("-truncate")]


def _labelled(given: Given, label_of: Callable[[bytes], list[bytes] | None]) -> bytes:
    """The ranked list with labels after the documents; -j leaves out those that have none (None)."""
    out = []
    for document in _ranked(given):
        labels = label_of(document)
        if labels is not None:
            out.append(given.separator.join([document, *labels]))
        elif "-j" not in given.flags:
            out.append(document)
    return b"".join(line + b"\n" for line in out)


def label(given: Given) -> bytes:
    """Relevance labels after the documents of a ranked list."""
    from ireval.read.ntcir import read_classes, read_labels
    from ireval.read.source import Source

    source = Source(given.values["-r"])
    if "-ec" not in given.flags:
        labels: dict[bytes, bytes] = {}
        for document, text in read_labels(source, given.separator):
            labels.setdefault(document, text)
        return _labelled(given, lambda document: [labels[document]] if document in labels else None)
    known: dict[bytes, tuple[bytes, int]] = {}
    for document, text, number in read_classes(source, given.separator, MOST_CLASSES - 1):
        known.setdefault(document, (text, number))
    seen: set[int] = set()

    def of_class(document: bytes) -> list[bytes] | None:
        if document not in known:
            return None
        text, number = known[document]
        if number in seen:  # another document of this class stands above: bare, even with -j
            return []
        seen.add(number)
        return [text, b"%d" % number]

    return _labelled(given, of_class)


def glabel(given: Given) -> bytes:
    """Gains after the documents of a ranked list."""
    from ireval.read.ntcir import read_ideal
    from ireval.read.source import Source

    gains: dict[bytes, float] = {}
    judged = read_ideal(Source(given.values["-I"]), given.separator)
    if not any(gain > 0 for _, gain in judged):
        raise failure(given.values["-I"], "no document has a gain")
    for document, gain in judged:
        gains.setdefault(document, gain)
    return _labelled(given, lambda document: [b"%.4f" % gains[document]] if document in gains else None)


def dinlabel(given: Given) -> bytes:
    """Gains after the documents, where a navigational intent gains only from the first document about it."""
    from ireval.read.ntcir import read_shares
    from ireval.read.source import Source

    shares = read_shares(Source(given.values["-din"]), given.separator)
    if not shares:
        raise failure(given.values["-din"], "expected at least one line, found none")
    covered: set[int] = set()

    def worth(document: bytes) -> list[bytes] | None:
        if document not in shares:
            return None
        gain = 0.0
        for share in shares[document]:
            if not (share.navigational and share.intent in covered):
                gain += share.gain
            covered.add(share.intent)
        return [b"%.4f" % gain]

    return _labelled(given, worth)


# -- intents and nuggets --------------------------------------------------------------------------------------------


def value_line(prefix: bytes, name: str, value: float, digits: int = 4, k: int | None = None) -> bytes:
    """`prefix name= value` with the value in column 21, as far as the name leaves room for it."""
    at = "" if k is None else f"@{k:04d}"
    pad = " " * (20 - len(name) - (5 if at else 0))
    text = "-nan" if math.isnan(value) else f"{value:.{digits}f}"
    return prefix + f" {name}{at}={pad}{text}\n".encode()


def irec(given: Given) -> bytes:
    """Share of the intents that the first documents cover."""
    from ireval.measures.intents import covered_intents
    from ireval.read.ntcir import MOST_INTENTS, lines, read_documents
    from ireval.read.source import Source

    if len(given.files) < 2:
        raise usage_error("irec: expected a ranked list and a list of relevant documents for each intent")
    number = len(given.files) - 1
    if number > MOST_INTENTS:
        raise usage_error(f"irec: expected at most {MOST_INTENTS} intents, found {number}")
    intents = [read_documents(Source(file), given.separator) for file in given.files[1:]]
    documents = lines(Source(given.files[0]))
    covered, cutoffs = covered_intents(documents, intents), given.cutoffs()
    out = [given.prefix + b" #intent_num=%d\n" % number]
    for rank, document in enumerate(documents, 1):
        if "-v" in given.flags:
            about = [b" %d" % i for i, intent in enumerate(intents, 1) if document in intent]
            out.append(b"#" + document + b"".join(about) + b"\n")
        out += [value_line(given.prefix, "I-rec", covered[rank] / number, k=k) for k in cutoffs if k == rank]
        if rank == number:
            out.append(value_line(given.prefix, "I-rec@n", covered[rank] / number))
    out += [value_line(given.prefix, "I-rec", covered[-1] / number, k=k) for k in cutoffs if k > len(documents)]
    if number > len(documents):
        out.append(value_line(given.prefix, "I-rec@n", covered[-1] / number))
    return b"".join(out)


def one_click(given: Given) -> bytes:
    """Nugget measures of an answer."""
    from ireval.measures import nuggets as measures
    from ireval.read.ntcir import read_matches, read_nuggets
    from ireval.read.source import Source

    limit = given.whole("-L")
    assert limit is not None  # it is required
    gold = [
        (name, measures.Nugget(weight, length))
        for name, weight, length in read_nuggets(Source(given.values["-N"]), given.separator)
    ]
    if not gold:
        raise failure(given.values["-N"], "expected at least one nugget, found none")
    gold.sort(key=lambda pair: measures.minimal_place(pair[1].weight, pair[1].length))
    known: dict[bytes, measures.Nugget] = {}
    for name, nugget in gold:
        known.setdefault(name, nugget)
    length, found = read_matches(Source(given.ranking), given.separator)
    for name, _, row in found:
        if name not in known:
            raise row.fault("nugget", f"one of {given.values['-N']}", name)
    matches = [measures.Match(known[name], offset) for name, offset, _ in found]
    nuggets = [nugget for _, nugget in gold]
    s = measures.s_measure(matches, nuggets, limit)
    t = measures.t_measure(matches, length)
    values = {
        "Recall": measures.recall(matches, nuggets),
        "W-recall": measures.weighted_recall(matches, nuggets),
        "S-measure": s,
        "S-flat": measures.flat(s),
        "T-measure": t,
        "T-flat": measures.flat(t),
        "F-flat": measures.f_measure(measures.flat(t), measures.flat(s), given.number("-beta", 1.0)),
    }
    head = b" #nuggets= %d #matched= %d #syslen= %d\n" % (len(nuggets), len(matches), length)
    trace = []
    if "-v" in given.flags:
        read = 0
        for name, nugget in gold:
            read += nugget.length
            trace.append(b"#%s w= %f vl= %d offset*= %d\n" % (name, nugget.weight, nugget.length, read))
        weight = measures.sum_of(nugget.weight for nugget in nuggets)
        best = measures.ideal_immediacy(nuggets, limit)
        trace.append(b"#wrec_denom= %f S-measure_denom= %f\n" % (weight, best))
        trace += [b"#matched=%s w=%f offset=%d\n" % (name, known[name].weight, offset) for name, offset, _ in found]
    lines = [value_line(given.prefix, name, value, digits=3) for name, value in values.items()]
    return b"".join([*trace, given.prefix + head, *lines])


# -- scores ---------------------------------------------------------------------------------------------------------


def compute(given: Given) -> bytes:
    """Measures of a list with relevance labels."""
    from ireval.compat import ntcir_eval_scores

    return ntcir_eval_scores.compute(given)


def gcompute(given: Given) -> bytes:
    """Measures of a list with gains."""
    from ireval.compat import ntcir_eval_scores

    return ntcir_eval_scores.gcompute(given)


def group_label(given: Given) -> bytes:
    """Group memberships after the lines of a list; a document that is not known belongs to all groups alike."""
    from ireval.read.ntcir import cut, read_memberships
    from ireval.read.source import Source

    groups = given.whole("-ngroups", 0) or 0
    known = read_memberships(Source(given.values["-gm"]), given.separator, groups)

    def memberships(line: bytes) -> list[bytes]:
        document = (cut(line, given.separator) or [b""])[0]
        return [b"%.4f" % share for share in known.get(document, [1.0 / groups] * groups)]

    return _labelled(given, memberships)


def group_compute(given: Given) -> bytes:
    """Group fairness of a list with relevance labels and group memberships."""
    from ireval.compat import ntcir_eval_scores

    return ntcir_eval_scores.group_compute(given)


SCORING = "-out -sep -beta -gamma -logb -rbp -rbup -cutoffs"
COMMANDS = {
    "label": Command(label, "-j -ec", "-sep -truncate -r", "-r"),
    "compute": Command(compute, "-j -ec -v -gap", f"{SCORING} -r -g -s", "-r -g"),
    "glabel": Command(glabel, "-j", "-sep -truncate -I", "-I"),
    "gcompute": Command(gcompute, "-j -v -gap", f"{SCORING} -I", "-I"),
    "dinlabel": Command(dinlabel, "-j", "-sep -truncate -din", "-din"),
    "irec": Command(irec, "-v", "-cutoffs -sep -out", "", list_first=True),
    "1click": Command(one_click, "-v", "-sep -out -beta -L -N", "-L -N"),
    "GFlabel": Command(group_label, "", "-sep -truncate -gm -ngroups", "-gm -ngroups", RELEASES[1:]),
    "GFRcompute": Command(
        group_compute, "", "-sep -out -cutoffs -rbup -r -g -ngroups -gdistr", "-r -g -ngroups -gdistr", RELEASES[1:]
    ),
}
