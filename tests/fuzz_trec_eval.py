"""Differential fuzzing of the trec_eval door: random worlds through ireval and through trec_eval itself.

Not collected by pytest; `make fuzz` runs it. The reference programs come from the environment, TREC_EVAL for
version 10 and TREC_EVAL_9 for version 9; a version without a program is passed over.

    TREC_EVAL=... TREC_EVAL_9=... python tests/fuzz_trec_eval.py --worlds 2000 --seed 1

Each world is a judgement file and a run, evaluated with several random command lines. Standard output and exit status
have to agree byte for byte, apart from the deliberate differences named in `EXCUSES`. What differs is made smaller line
by line and shown; `--keep DIR` writes it there. World I of a seed is made again by `--only I`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shlex
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing import Pool
from pathlib import Path

from ireval import scoring
from ireval.compat import trec_eval as door
from ireval.read import blocks

PROGRAMS = {10: "TREC_EVAL", 9: "TREC_EVAL_9"}
COMMANDS_PER_WORLD = 3
SUBPROCESS_EVERY = 40
"""Each so many worlds, ireval is also started as a program, once with the run as a file, once on standard input."""
TIMEOUT = 60

EXCUSES = {
    "crash": "a topic has only negative levels, or a judge contradicts himself: the reference was ended by a signal",
    "slow": "the reference did not finish in time",
    "rbp": "the reference starts its search for the range of gains from whatever other measures left in memory;\n"
    "    asked for rbp alone it agrees with ireval",
    "repeats": "a document is repeated, but only runid and num_q are asked for: ireval looks, the reference does not",
    "below 0": "several levels of a preference group are not positive: the reference counts beyond the lowest of them",
    "unjudged": "a topic has only negative levels: the reference fails, or counts levels of the topic before it again",
}
"""Outcomes that are counted but are no fault of ireval."""

Option = tuple[str, ...]
"""One option with its value, as it stands on the command line."""


@dataclass(frozen=True)
class World:
    """A judgement file and a run, line by line. block, batch: how ireval is made to cut its input into pieces."""

    name: str
    format: str
    judgements: tuple[bytes, ...]
    run: tuple[bytes, ...]
    faulty: bool
    """A document is repeated within a topic, or a judge contradicts himself."""
    block: int
    batch: int


@dataclass(frozen=True)
class Case:
    """A world and a command line for one version. zscores: lines of the file given with -Z."""

    world: World
    version: int
    options: tuple[Option, ...]
    zscores: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What a program printed and its exit status (negative: the signal that ended it; None: it took too long)."""

    status: int | None
    out: bytes
    err: bytes = b""


@dataclass
class Report:
    """What became of some worlds."""

    counts: Counter[tuple[int, str]] = field(default_factory=Counter)
    faults: list[tuple[Case, str]] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.counts.update(other.counts)
        self.faults += other.faults


# -- worlds ---------------------------------------------------------------------------------------------------------

TOPIC_STYLES: tuple[Callable[[int], str], ...] = (
    lambda n: str(300 + n),
    lambda n: f"{198 + n:04d}",
    lambda n: f"{106 + n // 3}_{n % 3}",
    lambda n: f"q-{n}",
    lambda n: f"MB{n * 7:03d}",
    lambda n: f"<dbpedia:Á{n}>",
    lambda n: str(n + 8),
    lambda n: "t" * (n + 1),
)
LEVELS = (
    (0, 1),
    (0, 1),
    (0, 1, 2),
    (0, 1, 2, 3),
    (0, 1, 2, 3, 4, 5),
    (0, 2, 5),
    (0, 3),
    (1,),
    (4,),
    (0,),
    (0, 0, 0, 1),
    (-1, 0, 1),
    (-2, -1, 0, 1, 2),
    (-1, 0),
    (-1, 1),
    (-2, 3),
    (-1,),
    (-2,),
    (0, 1, 12),
    (0, 7, 100),
    (-5, 0, 2),
)
ASCII = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:/"
ANY_BYTES = bytes([*range(33, 127), *range(128, 256)])


HUGE = (
    "1e39",
    "1e38",
    "3.4028235e38",
    "3.4028236e38",
    "1e-46",
    "1e-45",
    "-1e39",
    "1e308",
    "1e309",
    "-1e400",
    "inf",
    "-inf",
    "0",
    "-0",
    "+0.0",
    "1e-320",
    "4.9e-324",
    "1e-400",
    "16777216",
    "16777217",
    "9007199254740993",
    "9007199254740992",
    "123456789012345678901234567890",
    ".5",
    "5.",
    "+5",
    "005",
    "0x1.8p1",
    "INF",
    "Infinity",
)
"""Scores at the edges of floats and doubles, and unusual ways to write a number."""
COMMENT = b"# a comment, known to version 10 only\n"


def random_documents(rng: random.Random, count: int) -> list[bytes]:
    """Distinct document numbers of 1 to 40 bytes."""
    style = rng.choice(("short", "numbered", "prefix", "ascii", "bytes", "mixed"))
    found: dict[bytes, None] = {}
    while len(found) < count:
        alphabet = ANY_BYTES if style in ("bytes", "mixed") else ASCII
        if style == "numbered":
            name = f"FT{rng.randrange(911, 945)}-{rng.randrange(1 + count * 4)}".encode()
        elif style == "prefix":
            name = b"clueweb12-0000tw-00-"[: rng.choice((7, 8, 9, 16, 20))] + b"%d" % rng.randrange(count * 3 + 9)
        else:
            longest = 2 if style == "short" and count < 900 else 9 if style == "short" else 40
            name = bytes(rng.choices(alphabet, k=rng.randint(1, longest)))
        if not name.startswith((b"#", b"\xef\xbb\xbf")):
            found[name] = None
    return list(found)


def random_scores(rng: random.Random, count: int) -> list[str]:
    """Scores as texts, in no order."""
    styles = ("distinct", "ties", "float", "digits", "negative", "scientific", "huge")
    style = rng.choice((*styles, "distinct", "rank", "equal", "double", "mixed"))
    base = rng.choice((0.1, 1.0, 3.14159, 27.5, 1000.25, 1e5 + 0.3))

    def one(i: int, style: str) -> str:
        if style == "rank":
            return str(count - i)
        if style == "equal":
            return "7.5"
        if style == "ties":
            return f"{rng.randint(0, max(1, count // 4)) / 4}"
        if style == "float":  # many doubles that are one float
            return repr(base + rng.randint(0, 40) * base * 6e-9)
        if style == "double":  # many texts that are one double
            return f"{base:.17g}" + rng.choice(("", "0", "1", "4")) * (rng.random() < 0.8)
        if style == "digits":
            return f"{rng.random() * base:.17f}"
        if style == "negative":
            return f"{-rng.random() * 100:.{rng.randint(0, 9)}f}"
        if style == "scientific":
            return f"{rng.uniform(-1, 1):.{rng.randint(0, 17)}{rng.choice('eEgG')}}"
        if style == "huge":
            return rng.choice(HUGE)
        return f"{rng.random() * 30:.{rng.randint(1, 8)}f}"

    return [one(i, rng.choice(styles) if style == "mixed" else style) for i in range(count)]


def random_depth(rng: random.Random) -> int:
    """Documents retrieved for a topic, mostly few."""
    low, high = rng.choices(((1, 1), (2, 5), (6, 30), (31, 200), (201, 1100), (1101, 3000)), (8, 20, 40, 25, 6, 1))[0]
    return rng.randint(low, high)


class Writer:
    """Puts fields into lines the way one sloppy program would."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.gaps = rng.choice((("\t",), (" ",), (" ",), (" ", "\t", "  ", " \t "), (" ", "\v", "\f", "   ")))
        self.end = rng.choice(("\n", "\n", "\n", "\r\n", " \n", "\t\r\n"))
        self.lead = rng.choice(("", "", "", "", " ", "\t "))

    def line(self, *fields: str | bytes) -> bytes:
        text = self.lead.encode()
        for i, item in enumerate(fields):
            text += self.rng.choice(self.gaps).encode() if i else b""
            text += item if isinstance(item, bytes) else item.encode()
        return text + self.end.encode()


def random_topics(rng: random.Random) -> list[tuple[str, bool, bool]]:
    """Topic ids, each with whether it is judged and whether it is in the run."""
    style = rng.choice(TOPIC_STYLES)
    count = rng.choice((1, 1, 2, 3, 4, 5, 7, 12)) if rng.random() < 0.99 else 120
    share_judged, share_run = rng.choice(((1, 1), (1, 1), (1, 0.7), (0.7, 1), (0.8, 0.8), (0.5, 0.5)))
    topics = []
    for n in rng.sample(range(3 * count), count):
        judged, found = rng.random() < share_judged, rng.random() < share_run
        topics.append((style(n), judged, found or not judged))
    if not any(judged for _, judged, _ in topics):
        topics[0] = (topics[0][0], True, topics[0][2])
    if not any(found for _, _, found in topics):
        topics.append((style(3 * count), rng.random() < 0.5, True))
    return topics


def random_level(rng: random.Random, level: int) -> str:
    return rng.choice((f"0{level}", f"+{level}")) if level >= 0 and rng.random() < 0.01 else str(level)


def graded(rng: random.Random, writer: Writer, topic: str, documents: list[bytes], groups: int) -> list[bytes]:
    """Judgement lines of one topic, as qrels (one group) or qrels_jg."""
    lines = []
    for group in rng.sample(("0", "Q0", "anna", "b", "c1", "zoë"), groups):
        chosen = rng.sample(documents, rng.randint(1, len(documents)) if rng.random() < 0.8 else len(documents))
        levels = rng.choice(LEVELS)
        weights = [rng.random() ** 2 + 0.01 for _ in levels]
        picked = rng.choices(levels, weights, k=len(chosen))
        if max(picked) < 0 and rng.random() < (0.9 if max(picked) == -1 else 0.98):  # see EXCUSES
            picked[0] = rng.choice((0, 1))
        lines += [
            writer.line(topic, group, document, random_level(rng, level))
            for document, level in zip(chosen, picked, strict=True)
        ]
    return lines


def preferred(rng: random.Random, writer: Writer, topic: str, documents: list[bytes], subgroups: bool) -> list[bytes]:
    """Preference lines of one topic: judges that are consistent within themselves, if not with each other."""
    lines = []
    for group in rng.sample(("1", "judge2", "anna", "x", "é"), rng.choice((1, 1, 2, 3))):
        chosen = rng.sample(documents, min(len(documents), rng.choice((1, 2, 3, 5, 12, 30))))
        zeros, highest = rng.choice((0, 0.3, 0.7, 1)), rng.choice((1, 3, 20))
        lowest = 1 if rng.random() < 0.9 else -3
        liking = {d: 0 if rng.random() < zeros else rng.randint(lowest, highest) for d in chosen}
        parts = rng.choice((1, 2, 3)) if subgroups else 1
        for part in range(parts):
            members = chosen if parts == 1 else rng.sample(chosen, rng.randint(1, len(chosen)))
            scale = rng.choice(PREFERENCE_SCALES)
            for document in members:
                level = repr(scale(liking[document]))
                lines.append(writer.line(topic, group, *([f"s{part}"] if subgroups else []), document, level))
    return lines


PREFERENCE_SCALES: tuple[Callable[[int], float], ...] = (
    float,
    lambda liking: liking,
    lambda liking: liking * 0.1,
    lambda liking: liking / 3,
    lambda liking: liking * 1e-3,
    lambda liking: (liking + 2) // 3 if liking > 0 else liking,  # coarse: calls equal what another subgroup does not
    lambda liking: 1 + liking * 1e-9 if liking > 0 else float(liking),  # all the same when seen as floats
)
"""How a judge writes down what he likes: growing with the liking, 0 and the sign kept."""


def arranged(rng: random.Random, by_topic: list[list[bytes]]) -> list[bytes]:
    """The lines of all topics in some order: topic by topic, interleaved, or at random."""
    order = rng.choice(("grouped", "grouped", "shuffled", "robin", "split"))
    groups = [rng.sample(lines, len(lines)) if rng.random() < 0.5 else list(lines) for lines in by_topic]
    if order == "robin":
        longest = max(len(lines) for lines in groups)
        return [lines[i] for i in range(longest) for lines in groups if i < len(lines)]
    if order == "split":
        return [line for half in (0, 1) for lines in groups for line in lines[half::2]]
    whole = [line for lines in groups for line in lines]
    return rng.sample(whole, len(whole)) if order == "shuffled" else whole


def random_world(seed: int, number: int) -> World:
    """World `number` of a seed."""
    rng = random.Random(f"{seed}:{number}")
    fmt = rng.choices(("qrels", "qrels_jg", "prefs", "qrels_prefs"), (70, 10, 12, 8))[0]
    run_writer, judgement_writer = Writer(rng), Writer(rng)
    tags = rng.choice((["run"], ["my-run"], ["a"], ["täg"], ["x" * 30], ["first", "second", "third"]))
    extra = rng.choice((["more", "columns"], *[[]] * 15))
    judged_lines, run_lines = [], []
    faulty = False
    for topic, judged, found in random_topics(rng):
        depth = random_depth(rng) if fmt in ("qrels", "qrels_jg") else min(random_depth(rng), 150)
        others = rng.choice((0, 1, 5, 40))
        documents = random_documents(rng, depth + others)
        retrieved = documents[:depth]
        if found:
            scores = random_scores(rng, depth)
            repeated = [rng.randrange(depth)] * (rng.random() < 0.01)
            faulty |= bool(repeated)
            run_lines.append(
                [
                    run_writer.line(topic, "Q0", retrieved[i], str(rank), scores[i], rng.choice(tags), *extra)
                    for rank, i in enumerate([*range(depth), *repeated])
                ]
            )
        if judged:
            unseen = documents[depth:] or documents
            pool = rng.choice((documents, documents, retrieved, unseen, [rng.choice(documents)]))
            if fmt in ("qrels", "qrels_jg"):
                groups = 1 if fmt == "qrels" else rng.choice((1, 2, 3))
                lines = graded(rng, judgement_writer, topic, pool[:600], groups)
            else:
                lines = preferred(rng, judgement_writer, topic, pool, fmt == "prefs")
                if fmt == "prefs" and rng.random() < 0.01:  # both relevant and not
                    judge, document = lines[0].split()[1], lines[0].split()[3]
                    lines += [judgement_writer.line(topic, judge, f"s{n}", document, str(n - 8)) for n in (8, 9)]
                    faulty = True
            # Repeated judgements are refused by ireval everywhere, by trec_eval only in qrels and in topics of the run.
            twice = found and fmt in ("qrels", "qrels_jg") and rng.random() < 0.01
            faulty |= twice
            judged_lines.append(lines + [rng.choice(lines)] * twice)
    judgements, run = arranged(rng, judged_lines), arranged(rng, run_lines)
    for lines in (judgements, run):
        if rng.random() < 0.2:
            lines[-1] = lines[-1].rstrip()
    if rng.random() < 0.1:
        run.insert(rng.randrange(len(run)), rng.choice((b"\n", b"  \t\n", b"\r\n")))
    for lines in (judgements, run):
        if rng.random() < 0.05:
            lines.insert(rng.randrange(len(lines)), COMMENT)
    usual, small = (1 << 21, 400_000), (rng.randint(100, 5000), rng.randint(1, 300))
    block, batch = rng.choice((usual, (usual[0], 50), (64, usual[1]), small))
    return World(f"{seed}:{number}", fmt, tuple(judgements), tuple(run), faulty, block, batch)


# -- command lines --------------------------------------------------------------------------------------------------


def ranks(rng: random.Random) -> str:
    chosen = rng.sample((1, 2, 3, 5, 7, 10, 11, 30, 100, 999, 5000), rng.randint(1, 4))
    return ",".join(map(str, chosen))


def fractions(rng: random.Random) -> str:
    some = ("0", ".1", "0.25", "0.333", ".5", "0.75", "0.9", "1", "1.0001", "0.05", "2.5", "0.015")
    return ",".join(rng.sample(some, rng.randint(1, 5)))


def gains(rng: random.Random) -> str:
    levels = rng.sample(range(-2 if rng.random() < 0.1 else 0, 7), rng.randint(1, 4))
    values = ("1", "2", "3.5", "0.5", "0.25", "0", "7", "10", "1.5", "2.25", "0.9", "-1", "-0.5")
    return ",".join(f"{level}={rng.choice(values)}" for level in levels)


def persistence(rng: random.Random) -> str:
    return "p=" + rng.choice((".8", "0.5", "0.95", "0", "1", "0.333"))


def biased(rng: random.Random) -> str:
    given = [persistence(rng)] if rng.random() < 0.6 else []
    given += [gains(rng)] if rng.random() < 0.5 or not given else []
    return ",".join(given)


def weights(rng: random.Random) -> str:
    count = 4 if rng.random() < 0.95 else rng.randint(1, 5)
    return ",".join(rng.choice(("1", "-1", "0", "0.5", "-0.25", "0.001", "3")) for _ in range(count))


PARAMETERS: dict[str, Callable[[random.Random], str]] = {
    "P": ranks,
    "recall": ranks,
    "relative_P": ranks,
    "success": ranks,
    "map_cut": ranks,
    "ndcg_cut": ranks,
    "unj": ranks,
    "iprec_at_recall": fractions,
    "11pt_avg": fractions,
    "Rprec_mult": fractions,
    "utility": weights,
    "set_F": lambda rng: rng.choice(("0.5", "2", "1", "0", "0.001", "100")),
    "relstring": lambda rng: rng.choice(("0", "1", "5", "15", "15.7", "200", "-3")),
    "ndcg": gains,
    "dcg": gains,
    "ideal_dcg": gains,
    "Rndcg": gains,
    "ndcg_rel": gains,
    "G": gains,
    "rbp": biased,
    "rbp_resid": persistence,
    "P_avgjg": ranks,
    "Rprec_mult_avgjg": fractions,
}
SINGLES = (
    *PARAMETERS,
    "runid",
    "num_q",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "map",
    "gm_map",
    "Rprec",
    "bpref",
    "gm_bpref",
    "recip_rank",
    "infAP",
    "binG",
    "set_P",
    "set_relative_P",
    "set_recall",
    "set_map",
    "num_nonrel_judged_ret",
    "yaap",
)
PREFERENCES = (
    "prefs_num_prefs_poss",
    "prefs_num_prefs_ful",
    "prefs_num_prefs_ful_ret",
    "prefs_simp",
    "prefs_pair",
    "prefs_avgjg",
    "prefs_avgjg_Rnonrel",
    "prefs_simp_ret",
    "prefs_pair_ret",
    "prefs_avgjg_ret",
    "prefs_avgjg_Rnonrel_ret",
    "prefs_simp_imp",
    "prefs_pair_imp",
    "prefs_avgjg_imp",
)
ONLY_10 = {"dcg", "ideal_dcg", "unj", "rbp", "rbp_resid"}
GAIN_MEASURES = {"dcg", "ideal_dcg", "ndcg", "Rndcg", "ndcg_rel", "G", "rbp"}
SHARED_GAINS = {"dcg", "ideal_dcg", "ndcg"}
"""These share one table of gains in version 10, so that parameters for one leak into the others."""


ODD_MEASURES = """
    P P.0 P.5,5 P.-3 P. P.x P.5, P.,5 P.1e3 P.+5 P.007 P.2147483648 P.99999999999999999999 P_5 nosuch Map .5
    map.5 official.3 all_trec.1 recall.x success.1,1 map_cut.0 ndcg_cut.1=3 num_q.3 runid.x gm_map.1 bpref.2 infAP.1
    binG.1 prefs_simp.2 map_avgjg.1
    iprec_at_recall.x iprec_at_recall.-0.5,0.5 iprec_at_recall.0.5,.5 iprec_at_recall.123456.789 iprec_at_recall.1e-9
    Rprec_mult.-1,1 Rprec_mult.0.001 Rprec_mult.1e3 11pt_avg.0.5,.5 11pt_avg.-1,2 11pt_avg. 11pt_avg.,
    ndcg.1 ndcg.1= ndcg.=1 ndcg.1=2, ndcg.,1=2 ndcg.1=2=3 ndcg.1=2,3 ndcg.a=2 ndcg.1=2,1=3 ndcg.1=3,1=2,2=1 ndcg.1=x
    ndcg.0x1=2 ndcg.+1=5 ndcg.01=5 ndcg.1=1e3 ndcg.99=4 Rndcg.1=2,1=0.5 G.2=1,2=4 ndcg_rel.1=-3,0=0.1
    set_F.x set_F.1,2 set_F.-1 set_F.-0.5 relstring.x relstring.3,9 relstring.1e1
    utility.1 utility.1,2,3,4,5 utility.x,y,z,w
"""
"""Parameters that nobody should write; what matters is that both programs refuse or take them alike."""
ODD_OPTIONS: tuple[Option, ...] = (
    ("-x",),
    ("-v",),
    ("--Re", "qrels"),
    ("-R", "nosuch"),
    ("-T", "nosuch"),
    ("-o",),
    ("--query=1",),
    ("-q", "-q"),
    ("-l", "x"),
    ("-l", "2.7"),
    ("-l", "1000"),
    ("-N", "-5"),
    ("-N", "x"),
    ("-M", "x"),
    ("-M", "7.9"),
    ("--",),
    ("-qcn",),
    ("--nosuch",),
    ("extra-file",),
    ("-m", ""),
    ("--Number_docs_in_coll", "77"),
    ("-c", "-c"),
    ("-M", "99999999999"),
)


def random_measures(rng: random.Random, fmt: str, version: int, may_misfit: bool) -> list[Option]:
    """-m options; none means trec_eval's default. may_misfit: sometimes ask for what makes no sense."""
    fitting = {
        "qrels": (("official", "set", "all_trec", "all_trec", "all_trec"), [m for m in SINGLES if "avgjg" not in m]),
        "qrels_jg": (("qrels_jg", "qrels_jg"), ["map_avgjg", "P_avgjg", "Rprec_mult_avgjg", "runid", "num_q"]),
        "prefs": (("prefs", "all_prefs", "all_prefs"), [*PREFERENCES, "runid", "num_q"]),
        "qrels_prefs": (("prefs", "all_prefs", "all_prefs"), [*PREFERENCES, "runid", "num_q"]),
    }
    sets, singles = fitting[fmt]
    if may_misfit and rng.random() < 0.01:  # a measure that the format cannot serve
        sets, singles = fitting[rng.choice(list(fitting))]
    names = [m for m in singles if version == 10 or m not in ONLY_10]
    chosen: list[str] = []
    if rng.random() < 0.5:
        chosen += rng.sample(sets, rng.choice((1, 1, 2)))
    if rng.random() < 0.6 or (not chosen and fmt != "qrels"):
        for name in rng.choices(names, k=rng.randint(1, 5)):
            chosen.append(f"{name}.{PARAMETERS[name](rng)}" if name in PARAMETERS and rng.random() < 0.7 else name)
    if may_misfit and rng.random() < 0.03:
        chosen.insert(0, rng.choice(ODD_MEASURES.split()))
    given = [c for c in chosen if c.partition(".")[0] in SHARED_GAINS]
    if version == 10 and any("." in c for c in given):
        keep = next(c for c in given if "." in c)
        chosen = [c for c in chosen if c not in given or c == keep]
        if keep.partition(".")[0] != "ndcg":
            chosen = [c for c in chosen if c != "all_trec"]  # it has ndcg
    return [rng.choice((("-m", c), ("-m", c), (f"-m{c}",), ("--measure", c), (f"--meas={c}",))) for c in chosen]


def random_options(rng: random.Random, world: World, version: int) -> tuple[Option, ...]:
    """A command line for this world."""
    # With two reasons to fail, no common topic and no fitting measure, ireval may tell the other one first.
    topics, found = topics_of(world.judgements), topics_of(world.run)
    one_topic = rng.random() < 0.02 and not world.faulty  # ireval looks for faults in every topic
    may_misfit = not one_topic and not set(topics).isdisjoint(found)
    options = random_measures(rng, world.format, version, may_misfit)
    if world.format != "qrels":
        fmt = world.format
        options.append(rng.choice((("-R", fmt), (f"--Rel_info_format={fmt}",), ("--Rel", fmt))))

    def maybe(chance: float, *forms: Option) -> None:
        if rng.random() < chance:
            options.append(rng.choice(forms))

    maybe(0.7, ("-q",), ("--query_eval_wanted",), ("--que",))
    maybe(0.4, ("-c",), ("--complete_rel_info_wanted",), ("--comp",))
    maybe(0.07, ("-n",), ("--nosummary",), ("--no",))
    level = str(rng.choice((0, 1, 2, 2, 3, 4, 4, -1, -3)))
    maybe(0.3, ("-l", level), (f"-l{level}",), ("--level_for_rel", level))
    depth = str(rng.choice((0, 1, 2, 5, 10, 50, 100, 1000)))
    maybe(0.2, ("-M", depth), (f"--Max={depth}",))
    maybe(0.2, ("-N", str(rng.choice((0, 100, 5000, 1000000)))))
    maybe(0.2, ("-J",), ("--Judged_docs_only",))
    maybe(0.03, ("-T", "trec_results"))
    maybe(0.01, ("-D", "0"))
    if one_topic:
        options.append(("-D", f"0.{rng.choice(topics).decode()}"))
    rng.shuffle(options)
    if rng.random() < 0.02:
        options.append(rng.choice(ODD_OPTIONS))
    return tuple(options)


def random_zscores(rng: random.Random, case: Case) -> tuple[bytes, ...]:
    """A complete -Z file for a case: trec_eval reads beyond its tables when an entry is missing."""
    topics = topics_of(case.world.judgements)
    told = reference(replace(case, options=(*case.options, ("-q",))))
    names = {line.split(b"\t")[0].rstrip() for line in told.out.splitlines() if line.count(b"\t") == 2}
    names |= {b"num_q", b"gm_map", b"gm_bpref", b"relstring"}
    lines = []
    for topic in topics:
        for name in sorted(names):
            mean = rng.choice(("0", "1", "0.0000", f"{rng.random():.4f}", f"{rng.random()}", "-2.5"))
            deviation = rng.choice(("0", "1", "0.1", f"{rng.random():.4f}", f"{rng.random()}"))
            lines.append(b"\t".join((topic, name, mean.encode(), deviation.encode())) + b"\n")
    rng.shuffle(lines)
    return tuple(lines)


def random_cases(world: World, version: int) -> Iterator[Case]:
    """The command lines that one version is asked about a world."""
    rng = random.Random(f"{world.name}:{version}")
    for _ in range(COMMANDS_PER_WORLD):
        case = Case(world, version, random_options(rng, world, version))
        if rng.random() < 0.08:
            case = replace(case, zscores=random_zscores(rng, case))
        yield case


# -- running --------------------------------------------------------------------------------------------------------


def topics_of(lines: tuple[bytes, ...]) -> list[bytes]:
    """Topic ids of some lines in byte order."""
    return sorted({line.split()[0] for line in lines if line.split() and line != COMMENT})


def asks_complete(case: Case) -> bool:
    return any(option[0] in ("-c", "-qcn") or option[0].startswith("--comp") for option in case.options)


def reference_judgements(case: Case) -> tuple[bytes, ...]:
    """The judgements that the reference is given.

    Deliberate difference: version 10 stops at a judged topic that the run lacks; ireval averages over the others, which
    is what version 10 does when it never hears of that topic.
    """
    one_topic = any(option[0] == "-D" and "." in option[1] for option in case.options)
    if case.version != 10 or asks_complete(case) or one_topic:
        return case.world.judgements
    found = set(topics_of(case.world.run))
    kept = tuple(line for line in case.world.judgements if line != COMMENT and line.split()[0] in found)
    return kept or case.world.judgements


def text(case: Case, lines: tuple[bytes, ...]) -> bytes:
    """The bytes of a file, as far as the version can read them."""
    return b"".join(line for line in lines if case.version == 10 or line != COMMENT)


@contextlib.contextmanager
def files(case: Case, judgements: tuple[bytes, ...]) -> Iterator[list[str]]:
    """The case's files, and the command line that names them."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        qrels, run, zscores = (os.path.join(folder, name) for name in ("qrels", "run", "zscores"))
        Path(qrels).write_bytes(text(case, judgements))
        Path(run).write_bytes(text(case, case.world.run))
        options = [word for option in case.options for word in option]
        if case.zscores:
            Path(zscores).write_bytes(b"".join(case.zscores))
            options += ["-Z", zscores]
        at = len(options) * (len(options) % 3 > 0)  # options may follow the files
        yield [*options[:at], qrels, run, *options[at:]]


def run_program(command: list[str], **settings: object) -> Answer:
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False, **settings)  # type: ignore[call-overload]
    except subprocess.TimeoutExpired:
        return Answer(None, b"")
    return Answer(done.returncode, done.stdout, done.stderr)


def reference(case: Case) -> Answer:
    """trec_eval's answer."""
    with files(case, reference_judgements(case)) as argv:
        return run_program([os.environ[PROGRAMS[case.version]], *argv])


class _Out(io.StringIO):
    """A standard output with bytes below it, as the real one has."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = io.BytesIO()


def ireval(case: Case) -> Answer:
    """ireval's answer, without starting a program."""
    blocks.BLOCK_SIZE = case.world.block
    scoring.BATCH_ROWS = case.world.batch
    out, err = _Out(), io.StringIO()
    with files(case, case.world.judgements) as argv, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status: int | None = door.main(["--compat", str(case.version), *argv])
        except Exception:
            status = 99
            err.write(traceback.format_exc())
    return Answer(status, out.getvalue().encode() + out.buffer.getvalue(), err.getvalue().encode("utf-8", "replace"))


def ireval_program(case: Case, from_pipe: bool) -> Answer:
    """ireval's answer as a program; from_pipe: the run comes in at standard input."""
    with files(case, case.world.judgements) as argv:
        command = [sys.executable, "-m", "ireval", "trec_eval", *argv]
        environment = {**os.environ, "IREVAL_COMPAT": str(case.version)}
        if from_pipe:
            command = [word if not word.endswith("/run") else "-" for word in command]
        return run_program(command, env=environment, input=text(case, case.world.run) if from_pipe else None)


# -- comparing ------------------------------------------------------------------------------------------------------


def judge(case: Case, theirs: Answer, ours: Answer) -> str:
    """same, one of EXCUSES, or what differs."""
    if theirs.status is None:
        return "slow"
    if ours.status == 99:
        return "ireval raised " + ours.err.decode().strip().splitlines()[-1]
    unjudged = has_unjudged_topic(case.world)
    if theirs.status < 0:
        known = unjudged or (case.world.faulty and "prefs" in case.world.format)
        return "crash" if known and ours.status in (0, 4, 7) else f"the reference was ended by signal {-theirs.status}"
    if theirs.status == 4 and ours.status == 0 and unjudged:
        return "unjudged"
    if case.world.faulty and (theirs.status, ours.status) == (0, 4) and measures_of(case) <= {"runid", "num_q"}:
        return "repeats"
    if theirs.status != ours.status:
        return f"exit status {theirs.status}, ireval {ours.status}: {ours.err.decode(errors='replace').strip()[:200]}"
    if theirs.status == 0 and theirs.out != ours.out:
        names, what = difference(theirs.out, ours.out)
        if not names:
            return what
        if names == {"rbp"} and lines_of("rbp", ours.out) == lines_of("rbp", reference(with_measure(case, "rbp")).out):
            return "rbp"
        if names <= {"prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"} and has_small_lowest_class(case.world):
            return "below 0"
        return "unjudged" if unjudged and names <= GAIN_MEASURES else what
    if theirs.status != 0 and ours.out:  # they may have printed some topics before failing; we never do
        return "ireval printed results and failed"
    return "same"


def has_unjudged_topic(world: World) -> bool:
    """Whether the levels of some topic (or group of one) are all negative."""
    if world.format not in ("qrels", "qrels_jg"):
        return False
    highest: dict[tuple[bytes, ...], int] = {}
    for line in world.judgements:
        if line == COMMENT:
            continue
        topic, group, _, grade = line.split()
        key = (topic, group) if world.format == "qrels_jg" else (topic,)
        highest[key] = max(highest.get(key, int(grade)), int(grade))
    return min(highest.values()) < 0


def has_small_lowest_class(world: World) -> bool:
    """Whether the lowest level of some preference group has fewer documents than trec_eval takes from it.

    It takes as many as are relevant, from the group's lowest level alone, when more are not: if several levels are not
    positive there may be fewer, and what follows them in memory is counted instead.
    """
    levels: dict[tuple[bytes, bytes], list[float]] = {}
    subgroups: dict[tuple[bytes, bytes], set[bytes]] = {}
    for line in world.judgements:
        if line != COMMENT:
            topic, group, *rest, level = line.split()
            levels.setdefault((topic, group), []).append(float(level))
            subgroups.setdefault((topic, group), set()).add(rest[0] if world.format == "prefs" else b"")
    for key, given in levels.items():
        relevant = sum(level > 0 for level in given)
        if len(subgroups[key]) == 1 and given.count(min(given)) < relevant < len(given) - relevant:
            return True
    return False


def measure_in(option: Option) -> str | None:
    """What an -m option asks for, None for other options."""
    if option[0] in ("-m", "--measure"):
        return option[1]
    for form in ("--meas=", "-m"):
        if option[0].startswith(form):
            return option[0].removeprefix(form)
    return None


def measures_of(case: Case) -> set[str]:
    """Names of the measures and sets asked for."""
    asked = {measure_in(option) for option in case.options}
    return {text.partition(".")[0] for text in asked if text is not None} or {"official"}


def with_measure(case: Case, name: str) -> Case:
    """The case with only this measure asked for, with the parameters it had."""
    asked = [(option, measure_in(option)) for option in case.options]
    kept = [option for option, text in asked if text is None or text.partition(".")[0] == name]
    return replace(case, options=(*kept, ("-m", name)))


def lines_of(name: str, out: bytes) -> list[bytes]:
    """The lines of one measure."""
    return [line for line in out.splitlines() if measure_of(line) == name]


def measure_of(line: bytes) -> str:
    """The measure that a line of output is about, without parameters."""
    label = line.split(b"\t")[0].rstrip().decode(errors="replace").removeprefix("Z")
    fitting = [name for name in (*SINGLES, *PREFERENCES) if label == name or label.startswith(f"{name}_")]
    return max(fitting, key=len, default=label)


def difference(theirs: bytes, ours: bytes) -> tuple[set[str], str]:
    """The measures that differ (none when even the lines do not correspond), and a sentence."""
    left, right = theirs.splitlines(), ours.splitlines()
    if len(left) != len(right):
        return set(), f"{len(left)} lines, ireval {len(right)}"
    wrong = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    labels = sorted({a.split(b"\t")[0].rstrip().decode(errors="replace") for a, _ in wrong})
    what = f"{wrong[0][0]!r}, ireval {wrong[0][1]!r}; {len(wrong)} lines: {' '.join(labels)}"
    return {measure_of(a) for a, _ in wrong}, what


def compare(case: Case) -> str:
    return judge(case, reference(case), ireval(case))


def check_world(task: tuple[int, int, tuple[int, ...]]) -> Report:
    """All command lines of one world."""
    seed, number, versions = task
    world = random_world(seed, number)
    report = Report()
    for version in versions:
        report.counts[version, "worlds"] += 1
        for n, case in enumerate(random_cases(world, version)):
            ours = ireval(case)
            verdict = judge(case, reference(case), ours)
            report.counts[version, "runs"] += 1
            report.counts[version, verdict if verdict in ("same", *EXCUSES) else "different"] += 1
            report.counts[version, "failing alike"] += verdict == "same" and ours.status != 0
            if verdict not in ("same", *EXCUSES):
                report.faults.append((case, verdict))
            if n == 0 and number % SUBPROCESS_EVERY == 0 and ours.status != 99:
                for from_pipe in (False, True):
                    program = ireval_program(case, from_pipe)
                    report.counts[version, "as a program"] += 1
                    if (program.status, program.out) != (ours.status, ours.out):
                        report.counts[version, "different"] += 1
                        told = program.err.decode(errors="replace")[-300:]
                        what = f"ireval as a program (from a pipe: {from_pipe}) differs, {program.status}: {told}"
                        report.faults.append((case, what))
    return report


# -- reducing -------------------------------------------------------------------------------------------------------


def smaller(items: tuple, still_fails: Callable[[tuple], bool], least: int) -> tuple:
    """Leave out as many items as possible while the fault stays."""
    step = max(1, len(items) // 2)
    while True:
        at = 0
        while at < len(items) and len(items) > least:
            rest = items[:at] + items[at + step :]
            if len(rest) >= least and still_fails(rest):
                items = rest
            else:
                at += step
        if step == 1:
            return items
        step = max(1, step // 2)


def reduce(case: Case) -> Case:
    """The case with fewer options, topics and lines, in which there is still a difference."""

    def kind(verdict: str) -> str:
        return verdict.partition(":")[0] if verdict.startswith(("exit status", "ireval", "the")) else "output"

    def fails(candidate: Case) -> bool:
        verdict = compare(candidate)
        return verdict not in ("same", *EXCUSES) and kind(verdict) == fault

    fault = kind(compare(case))
    if not fails(case):
        return case
    for _ in range(2):
        now = case
        case = replace(now, options=smaller(now.options, lambda o, c=now: fails(replace(c, options=o)), 0))
        for part in ("run", "judgements"):
            now, world = case, case.world
            lines = smaller(
                getattr(world, part),
                lambda x, c=now, w=world, p=part: fails(replace(c, world=replace(w, **{p: x}))),
                1,
            )
            case = replace(now, world=replace(world, **{part: lines}))
    return case


def show(case: Case, verdict: str, keep: str | None) -> None:
    """Print a difference, and write it to a folder of its own when asked to."""
    words = [word for option in case.options for word in option]
    command = " ".join(map(shlex.quote, words)) + (" -Z zscores" if case.zscores else "")
    size = f"{len(case.world.judgements)} judgements, {len(case.world.run)} run lines"
    print(f"world {case.world.name} version {case.version} ({size})")
    print(f"  {command} qrels run\n  {verdict}")
    if len(case.world.judgements) + len(case.world.run) <= 12:
        for line in (*case.world.judgements, *case.world.run):
            print(f"    {line!r}")
    if keep:
        folder = Path(keep) / f"{case.world.name.replace(':', '-')}-{case.version}-{abs(hash(case.options)) % 10000}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "qrels").write_bytes(b"".join(case.world.judgements))
        (folder / "run").write_bytes(b"".join(case.world.run))
        (folder / "command").write_text(f"version {case.version}\n{command} qrels run\n{verdict}\n")
        if case.zscores:
            (folder / "zscores").write_bytes(b"".join(case.zscores))


def main() -> int:
    """Fuzz; 0 when nothing differs."""
    parser = argparse.ArgumentParser(description="Compare ireval with trec_eval on random worlds.")
    parser.add_argument("--worlds", type=int, default=2000, help="how many worlds (default 2000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--only", type=int, metavar="I", help="world I and no other")
    parser.add_argument("--reduce", type=int, default=5, metavar="N", help="make the first N differences smaller (5)")
    parser.add_argument("--keep", metavar="DIR", help="write the differences there")
    options = parser.parse_args()
    versions = tuple(version for version, name in PROGRAMS.items() if os.environ.get(name))
    for version, name in PROGRAMS.items():
        if version not in versions:
            print(f"trec_eval {version}: passed over ({name} does not name a program)")
    if not versions:
        return 0
    numbers = range(options.worlds) if options.only is None else [options.only]
    tasks = [(options.seed, number, versions) for number in numbers]
    total = Report()
    with Pool(options.jobs) if options.jobs > 1 else contextlib.nullcontext() as pool:
        for report in pool.imap_unordered(check_world, tasks, 8) if pool else map(check_world, tasks):
            total.add(report)
    for n, (case, verdict) in enumerate(total.faults):
        if n < options.reduce:
            case = reduce(case)
            verdict = compare(case) if "as a program" not in verdict else verdict
        show(case, verdict, options.keep)
    for version in versions:
        counts = {name: total.counts[key] for key in total.counts if (name := key[1]) and key[0] == version}
        print(f"trec_eval {version}: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    for excuse, why in EXCUSES.items():
        if any(name == excuse for _, name in total.counts):
            print(f"  {excuse}: {why}")
    return 1 if total.faults else 0


if __name__ == "__main__":
    sys.exit(main())
