"""Differential fuzzing of the NTCIREVAL door: random topics through ireval and through ntcir_eval itself.

Not collected by pytest; `make fuzz` runs it. The reference programs come from the environment, NTCIR_EVAL for release
230128 (or one that prints the same) and NTCIR_EVAL_190111; a release without a program is passed over.

    NTCIR_EVAL=... NTCIR_EVAL_190111=... python tests/fuzz_ntcir_eval.py --topics 1000 --seed 1

Each topic is a ranked list with judgements of every kind, and goes through all commands with random options: label and
compute, glabel, dinlabel and gcompute, irec, 1click. Standard output has to agree byte for byte; where the reference
complains on standard error (it always exits with 0), ireval has to fail. What differs is made smaller line by line and
shown; `--keep DIR` writes it there. Topic I of a seed is made again by `--only I`.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from multiprocessing import Pool
from pathlib import Path
from unittest import mock

from fuzz_trec_eval import smaller

from ireval.compat import ntcir_eval as door
from ireval.compat import ntcir_eval_scores
from ireval.compat.ntcir_eval import value_line

PROGRAMS = {"230128": "NTCIR_EVAL", "190111": "NTCIR_EVAL_190111"}
TIMEOUT = 60

EXCUSES = {
    "crash": "the reference was ended by a signal; nothing to compare with",
    "no number": "a list has a text in a gain's place, or a level that -g does not know: ireval refuses it",
    "no order": "an ideal file has no gain at all where the ideal ranking is taken from: ireval refuses it",
    "last digit": "the value lies half-way between two numbers of four digits, and the last bits of a sum decide;\n"
    "    or it is above 10^8 (gains far above those of the ideal list) and agrees to 13 digits",
}
"""Outcomes that are counted but are no fault of ireval."""

REFUSED = r"ireval: (lab|<stdin>):\d+: (gain: expected a number|label: expected a level that)"
"""Messages that stand for "no number"."""

Lines = tuple[bytes, ...]


@dataclass(frozen=True)
class Case:
    """A command line, the files that it names, and its standard input."""

    topic: str
    release: str
    command: str
    options: tuple[tuple[str, ...], ...]
    files: tuple[tuple[str, Lines], ...]
    operands: tuple[str, ...]
    stdin: str | None = None
    """The file that comes through standard input."""

    @property
    def argv(self) -> list[str]:
        return [self.command, *(word for option in self.options for word in option), *self.operands]


@dataclass(frozen=True)
class Answer:
    """What a program printed; failed: it said that something was wrong."""

    failed: bool
    out: bytes
    note: str = ""


@dataclass
class Report:
    """What became of some topics."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[tuple[Case, str]] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.counts.update(other.counts)
        self.faults += other.faults


# -- topics ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Topic:
    """Everything there is about a topic, in lines; sep is what stands between fields."""

    name: str
    sep: bytes
    top: int
    rel: Lines
    erel: Lines
    ideal: Lines
    din: Lines
    intents: tuple[Lines, ...]
    res: Lines
    nuggets: Lines
    matches: Lines


def random_topic(rng: random.Random, name: str) -> Topic:
    """A topic of random size and oddity."""
    sep = rng.choice([b" "] * 12 + [b";", b",", b"::"])
    top = rng.choice([1, 1, 2, 3, 3, 3, 5, 15])
    pool = [b"%s-%d" % (rng.choice([b"doc", b"d", b"www.x.y/"]), i) for i in range(rng.choice([3, 10, 40, 120]))]
    judged = rng.sample(pool, rng.randrange(0, len(pool) + 1))
    if rng.random() < 0.1 and judged:
        judged += rng.choices(judged, k=2)  # judged twice
    weights = [rng.random() ** rng.choice([0.3, 1, 3]) for _ in range(top + 1)]
    levels = rng.choices(range(top + 1), weights, k=len(judged))
    rel = tuple(d + sep + b"L%d" % level for d, level in zip(judged, levels, strict=True))
    classes = max(1, len(judged) // rng.choice([1, 2, 4]))
    erel = tuple(line + sep + b"%d" % rng.randrange(1, classes + 1) for line in rel)
    gains = _random_gains(rng, len(judged))
    order = gains if rng.random() < 0.1 else sorted(gains, key=lambda g: -float(g))
    ideal = tuple(d + sep + gain.encode() for d, gain in zip(judged, order, strict=True))
    number = rng.choice([1, 2, 3, 6, 20])
    shares, intents = [], []
    for intent in range(1, number + 1):
        kind = rng.choice([b"inf", b"nav"])
        about = rng.sample(pool, rng.randrange(0, len(pool) // 2 + 1))
        shares += [sep.join([b"%d" % intent, kind, d, b"%.6g" % (rng.random() * rng.choice([1, 3, 7]))]) for d in about]
        intents.append(tuple(d + (sep + b"%d" % rng.randrange(1, 9) if rng.random() < 0.9 else b"") for d in about))
    if rng.random() < 0.2:
        rng.shuffle(shares)
    res = rng.sample(pool, rng.randrange(0, len(pool) + 1))
    if rng.random() < 0.3:
        res += [b"new-%d" % i for i in range(rng.randrange(30))]
        rng.shuffle(res)
    if rng.random() < 0.2 and res:
        res += rng.choices(res, k=rng.randrange(1, 4))  # retrieved twice
    if rng.random() < 0.1 and judged:
        res = sorted(judged, key=lambda d: -levels[judged.index(d)])  # about the ideal ranking
    if rng.random() < 0.05 and res:
        res[rng.randrange(len(res))] += rng.choice([b" ", b"\r", b" L3"])
    nuggets, matches = _random_nuggets(rng, sep)
    return Topic(name, sep, top, rel, erel, ideal, tuple(shares), tuple(intents), tuple(res), nuggets, matches)


def _random_gains(rng: random.Random, number: int) -> list[str]:
    kind = rng.randrange(4)
    if kind == 0:
        return [str(rng.choice([0, 1, 2, 3, 7])) for _ in range(number)]
    if kind == 1:
        return [f"{rng.choice([0, rng.random() * 5]):.4f}" for _ in range(number)]
    if kind == 2:
        return [f"{rng.choice([0, 0.5, 0.25, 1, 1.5, rng.random()]):.6g}" for _ in range(number)]
    return [f"{rng.random() * 10 ** rng.randrange(-6, 3):.6g}" for _ in range(number)]


def _random_nuggets(rng: random.Random, sep: bytes) -> tuple[Lines, Lines]:
    names = [b"N%03d" % i for i in range(rng.randrange(1, 15))]
    weights = rng.choice([[1, 2, 3], [1, 2.5, 0.1], [1]])
    nuggets = [sep.join([n, b"%g" % rng.choice(weights), b"%d" % rng.randrange(1, 80)]) for n in names]
    if rng.random() < 0.1:
        nuggets.append(nuggets[0])
    found = rng.sample(names, rng.randrange(0, len(names) + 1))
    matches = [sep.join([n, b"%d" % rng.randrange(0, 900)]) for n in found]
    length = sep.join([rng.choice([b"syslen=", b"X"]), b"%d" % rng.choice([0, 50, 300, 2000])])
    return tuple(nuggets), (length, *matches) if rng.random() < 0.95 else ()


# -- command lines --------------------------------------------------------------------------------------------------


def _cutoffs(rng: random.Random) -> list[tuple[str, ...]]:
    if rng.random() < 0.2:
        return []
    ranks = [str(rng.choice([1, 2, 3, 5, 7, 10, 20, 50, 100, 1000, 12345])) for _ in range(rng.randrange(1, 10))]
    return [("-cutoffs", ",".join(ranks))]


def _numbers(rng: random.Random, release: str, command: str) -> list[tuple[str, ...]]:
    """Random parameters of the measures."""
    some = [
        ("-beta", rng.choice(["0", "1", "10", "0.3", "100"])),
        ("-gamma", rng.choice(["0", "0.5", "0.9", "1", "0.95"])),
        ("-logb", rng.choice(["0", "1", "2", "3", "10", "2.5"])),
        ("-rbp", rng.choice(["0", "0.5", "0.8", "1", "0.99"])),
    ]
    if release != "190111" or command == "compute":
        some.append(("-rbup", rng.choice(["0", "0.9", "0.5", "1", "0.99"])))
    return [option for option in some if rng.random() < 0.25]


def _gains(rng: random.Random, top: int) -> str:
    """Gains for the levels, rising, sometimes with equal ones or zeros at the beginning."""
    kind = rng.randrange(6)
    if kind == 0:
        values: list[float] = [2**level - 1 for level in range(1, top + 1)]
    elif kind == 1:
        values = sorted(round(rng.random() * 5, 3) + 0.001 for _ in range(top))
    elif kind == 2:
        values = sorted(rng.choice([0, 0, 1, 2, 3]) for _ in range(top))
        values[-1] = max(values[-1], 1)
    elif kind == 3:
        values = sorted(rng.choice([1, 1, 2]) for _ in range(top))
    else:
        values = list(range(1, top + 1))
    return ":".join(f"{value:g}" for value in values)


def commands(rng: random.Random, topic: Topic, release: str, program: str) -> Iterator[Case]:
    """The cases of a topic. Lists for compute and gcompute are labelled by the reference."""
    sep: list[tuple[str, ...]] = [("-sep", topic.sep.decode())] if topic.sep != b" " else []

    def case(command: str, options: list[tuple[str, ...]], files: dict[str, Lines], operands: tuple[str, ...]) -> Case:
        options = [*options, *sep]
        rng.shuffle(options)
        stdin = operands[0] if command != "irec" and rng.random() < 0.1 else None
        shown = () if stdin else operands
        return Case(topic.name, release, command, tuple(options), tuple(files.items()), shown, stdin)

    def labels(command: str, options: list[tuple[str, ...]], files: dict[str, Lines]) -> tuple[Case, Lines]:
        if rng.random() < 0.3:
            options = [*options, ("-truncate", str(rng.choice([1, 3, 8, 20, 1000])))]
        made = case(command, options, {**files, "res": topic.res}, ("res",))
        return made, tuple(reference(made, program).out.splitlines())

    def scoring(command: str) -> list[tuple[str, ...]]:
        options = [*_cutoffs(rng), *_numbers(rng, release, command)]
        options += [("-out", rng.choice(["0001", "T 1", "MB-é"]))] if rng.random() < 0.7 else []
        options += [("-gap",)] if rng.random() < 0.3 else []
        return options + ([("-v",)] if rng.random() < 0.1 else [])

    for classes in (False, rng.random() < 0.3):
        name, judged = ("erel", topic.erel) if classes else ("rel", topic.rel)
        mode: list[tuple[str, ...]] = [("-ec",)] if classes else []
        condensed: list[tuple[str, ...]] = [("-j",)] if rng.random() < 0.4 else []
        made, lab = labels("label", [("-r", name), *mode, *condensed], {name: judged})
        yield made
        if rng.random() < 0.1:
            condensed = [("-j",)]  # although the list is not condensed
        gains = _gains(rng, max(1, topic.top - (rng.random() < 0.05)))
        options = [("-r", name), ("-g", gains), *mode, *condensed, *scoring("compute")]
        if rng.random() < 0.2:
            options.append(("-s", ":".join(str(n) for n in range(1, gains.count(":") + 2))))
        yield case("compute", options, {name: judged, "lab": lab}, ("lab",))
    for command, option, lines in (("glabel", "-I", topic.ideal), ("dinlabel", "-din", topic.din)):
        condensed = [("-j",)] if rng.random() < 0.4 else []
        file = {"-I": "ideal", "-din": "din"}[option]
        made, lab = labels(command, [(option, file), *condensed], {file: lines})
        yield made
        options = [("-I", "ideal"), *condensed, *scoring("gcompute")]
        yield case("gcompute", options, {"ideal": topic.ideal, "lab": lab}, ("lab",))
    intents = {f"intent{n}": lines for n, lines in enumerate(topic.intents, 1)}
    options = [*_cutoffs(rng), ("-out", "0001"), *([("-v",)] if rng.random() < 0.2 else [])]
    yield case("irec", options, {"res": topic.res, **intents}, ("res", *intents))
    options = [("-L", str(rng.choice([1, 30, 140, 500, 1000]))), ("-N", "nug")]
    options += [("-beta", rng.choice(["0", "1", "10", "0.5"]))] if rng.random() < 0.3 else []
    options += [("-v",)] if rng.random() < 0.2 else []
    yield case("1click", options, {"nug": topic.nuggets, "mat": topic.matches}, ("mat",))


# -- answers --------------------------------------------------------------------------------------------------------


def _in_folder(case: Case, folder: str) -> bytes:
    """Write the files there; the bytes of standard input."""
    for name, lines in case.files:
        Path(folder, name).write_bytes(b"".join(line + b"\n" for line in lines))
    return Path(folder, case.stdin).read_bytes() if case.stdin else b""


def reference(case: Case, program: str) -> Answer:
    """What NTCIREVAL says."""
    with tempfile.TemporaryDirectory() as folder:
        stdin = _in_folder(case, folder)
        done = subprocess.run([program, *case.argv], cwd=folder, input=stdin, capture_output=True, timeout=TIMEOUT)
    crashed = done.returncode < 0
    note = "crash" if crashed else done.stderr.decode(errors="replace")
    # Built without OUTERR it never says why it fails; then compute has not come to its last line.
    unfinished = case.command.endswith("compute") and b" Hit@" not in done.stdout
    return Answer(bool(done.stderr) or crashed or unfinished, done.stdout, note)


def ireval(case: Case) -> Answer:
    """What the door says, in this process."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        stdin = io.TextIOWrapper(io.BytesIO(_in_folder(case, folder)))
        os.chdir(folder)
        before, sys.stdin = sys.stdin, stdin
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = door.main(["--release", case.release, *case.argv])
        except Exception:
            return Answer(False, b"", traceback.format_exc())
        finally:
            sys.stdin = before
            os.chdir(here)
    return Answer(status != 0, out.buffer.getvalue(), err.getvalue())  # type: ignore[attr-defined]


def compare(case: Case) -> str:
    """ "same", "failing alike", a key of EXCUSES, or what differs."""
    theirs, ours = reference(case, os.environ[PROGRAMS[case.release]]), ireval(case)
    if ours.note.startswith("Traceback") or "Warning" in ours.note:
        return f"ireval: {ours.note}"
    if theirs.note == "crash":
        return "crash"
    if ours.failed and not ours.out and (theirs.failed or not theirs.out):
        return "failing alike"
    if theirs.failed:
        return f"ireval does not fail, though the reference says {theirs.note.strip()}"
    if ours.failed and "expected documents in order of gain" in ours.note:
        return "no order"
    if ours.failed and re.match(REFUSED, ours.note):
        return "no number"
    if ours.failed:
        return f"ireval fails: {ours.note.strip()}"
    if ours.out == theirs.out:
        return "same"
    pairs = zip(theirs.out.splitlines(), ours.out.splitlines(), strict=False)
    first = next(((a, b) for a, b in pairs if a != b), (b"(number of lines)", b""))
    if case.command.endswith("compute") and _half_way(case, theirs.out, ours.out):
        return "last digit"
    return f"expected {first[0]!r}, got {first[1]!r}"


def _half_way(case: Case, theirs: bytes, ours: bytes) -> bool:
    """Whether all that differs is the rounding of values that lie between two numbers of four digits, or are huge."""
    in_full = functools.partial(value_line, digits=12)
    with mock.patch.object(ntcir_eval_scores, "value_line", in_full):
        exact = ireval(case).out.splitlines()
    if not len(exact) == theirs.count(b"\n") == ours.count(b"\n"):
        return False
    for a, b, value in zip(theirs.splitlines(), ours.splitlines(), exact, strict=True):
        if a != b:
            (name, printed), digits = a.rsplit(b" ", 1), value.rsplit(b" ", 1)[1]
            if name != b.rsplit(b" ", 1)[0] or b"n" in printed + digits:
                return False
            apart = abs(float(digits) - float(printed))
            if abs(apart - 0.00005) > 1e-11 and not (abs(float(digits)) > 1e8 and apart < 1e-13 * abs(float(digits))):
                return False
    return True


GOOD = ("same", "failing alike", *EXCUSES)


def check_topic(task: tuple[int, int, tuple[str, ...]]) -> Report:
    """All commands of one topic, in every release."""
    seed, number, releases = task
    report = Report()
    for release in releases:
        rng = random.Random(f"{seed}:{number}")
        topic = random_topic(rng, f"{seed}:{number}")
        report.counts[release, "topics"] += 1
        for case in commands(rng, topic, release, os.environ[PROGRAMS[release]]):
            verdict = compare(case)
            report.counts[release, "runs"] += 1
            report.counts[release, verdict if verdict in GOOD else "different"] += 1
            if verdict not in GOOD:
                report.faults.append((case, verdict))
    return report


def reduce(case: Case) -> Case:
    """The case with fewer options and lines, in which there is still a difference."""

    def fails(candidate: Case) -> bool:
        return compare(candidate) not in GOOD

    needed = {"-r", "-g", "-I", "-din", "-L", "-N"}
    for option in [o for o in case.options if o[0] not in needed]:
        candidate = replace(case, options=tuple(o for o in case.options if o != option))
        case = candidate if fails(candidate) else case
    for at, (name, lines) in enumerate(case.files):

        def with_lines(kept: Lines, at: int = at, name: str = name, case: Case = case) -> Case:
            return replace(case, files=(*case.files[:at], (name, kept), *case.files[at + 1 :]))

        case = with_lines(smaller(lines, lambda kept, make=with_lines: fails(make(kept)), 0))
    return case


def show(case: Case, verdict: str, keep: str | None) -> None:
    """Print a difference, and write it to a folder of its own when asked to."""
    command = shlex.join(case.argv) + (f" < {case.stdin}" if case.stdin else "")
    print(f"topic {case.topic} release {case.release}\n  {command}\n  {verdict}")
    if sum(len(lines) for _, lines in case.files) <= 16:
        for name, lines in case.files:
            print(f"    {name}: {b' | '.join(lines)!r}")
    if keep:
        folder = Path(keep) / f"{case.topic.replace(':', '-')}-{case.release}-{case.command}"
        folder.mkdir(parents=True, exist_ok=True)
        _in_folder(case, str(folder))
        (folder / "command").write_text(f"{command}\n{verdict}\n")


def main() -> int:
    """Fuzz; 0 when nothing differs."""
    parser = argparse.ArgumentParser(description="Compare ireval with NTCIREVAL on random topics.")
    parser.add_argument("--topics", type=int, default=1000, help="how many topics (default 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--only", type=int, metavar="I", help="topic I and no other")
    parser.add_argument("--reduce", type=int, default=5, metavar="N", help="make the first N differences smaller (5)")
    parser.add_argument("--keep", metavar="DIR", help="write the differences there")
    options = parser.parse_args()
    releases = tuple(release for release, name in PROGRAMS.items() if os.environ.get(name))
    for release, name in PROGRAMS.items():
        if release not in releases:
            print(f"NTCIREVAL {release}: passed over ({name} does not name a program)")
    numbers = range(options.topics) if options.only is None else [options.only]
    tasks = [(options.seed, number, releases) for number in numbers] if releases else []
    total = Report()
    with Pool(options.jobs) if options.jobs > 1 else contextlib.nullcontext() as pool:
        for report in pool.imap_unordered(check_topic, tasks, 8) if pool else map(check_topic, tasks):
            total.add(report)
    for n, (case, verdict) in enumerate(total.faults):
        if n < options.reduce:
            case = reduce(case)
            verdict = compare(case)
        show(case, verdict, options.keep)
    for release in releases:
        counts = {name: count for (of, name), count in total.counts.items() if of == release}
        print(f"NTCIREVAL {release}: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    for excuse, why in EXCUSES.items():
        if any(name == excuse for _, name in total.counts):
            print(f"  {excuse}: {why}")
    return 1 if total.faults else 0


if __name__ == "__main__":
    sys.exit(main())
