"""compute, gcompute and GFRcompute of the NTCIREVAL door: which measures, with which parameters, in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ireval.compat.door import DoorError
from ireval.compat.ntcir_eval import EXIT_USAGE, MOST_CLASSES, Given, failure, value_line
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles, texts_from
from ireval.core.judgements import NOT_IN_POOL, Judgements
from ireval.core.numeric import log
from ireval.measures.dcg import original_discount
from ireval.measures.gains import Ideal, ideal, parse_gains, take_as_ideal
from ireval.measures.graded import blended_ratio, graded
from ireval.measures.ntcir_names import Line, NtcirSet, cut_lines, whole_lines
from ireval.measures.registry import Value, find_measure
from ireval.measures.spec import make_spec
from ireval.read import ntcir
from ireval.read.source import Source

LEVEL = 1
"""A document is relevant from this level on, whatever its gain."""


@dataclass(frozen=True)
class Topic:
    """One topic and everything that the lines need to know."""

    given: Given
    aligned: Aligned
    gains: str
    top: float
    by: str
    """Where levels and gains are two things (compute): levels."""
    stops: str = ""

    @property
    def found(self) -> Doubles:
        """Gain of each document of the list."""
        return parse_gains(self.gains).of(self.aligned.relevance)

    @property
    def best(self) -> Doubles:
        """Gains of the ideal ranking."""
        return ideal(self.aligned.judgements, self.gains, LEVEL).gain

    @property
    def rbu(self) -> float | None:
        """Persistence of iRBU and NCUrb,IE; None where release 190111 was not asked for it."""
        old = self.given.release == "190111"
        return self.given.number("-rbup", 0.0 if old else 0.99, high=1.0) or (None if old else 0.0)

    @property
    def rbp(self) -> float:
        """Persistence of RBP; gcompute takes 0 for the default."""
        return self.given.number("-rbp", 0.95, high=1.0) or (0.95 if self.by == "gains" else 0.0)

    @property
    def names(self) -> NtcirSet:
        """The set of measures that these options ask for."""
        number = self.given.number
        return NtcirSet(
            top=self.top,
            by=self.by,
            beta=number("-beta", 1.0),
            gamma=number("-gamma", 0.95, high=1.0),
            rbp=self.rbp,
            rbu=self.rbu,
            base=_base(self.given),
            gap="-gap" in self.given.flags,
            stops=self.stops,
            release=self.given.release,
        )


# -- topics ---------------------------------------------------------------------------------------------------------


def aligned_topic(judged: list[int], found: list[int]) -> Aligned:
    """One ranking of documents with these levels, under judgements with those; documents may stand twice."""
    levels = np.array(judged, np.int32)
    none = texts_from([])
    judgements = Judgements(
        file="",
        topics=[b""],
        off=np.array([0, len(judged)]),
        level=levels,
        documents=none,
        keys=none.keys(),
        lines=np.zeros(len(judged), np.int32),
    )
    return ranking(judgements, found)


def ranking(judgements: Judgements, found: list[int]) -> Aligned:
    """Documents with these levels; they come from the labelled list, not from the judgements."""
    rows = np.full(len(found), -1, np.int32)
    a = Aligned(judgements=judgements, topic=np.zeros(1, np.int32), off=np.array([0, len(found)]), judgement=rows)
    a.once("relevance", lambda: np.array(found, np.int32))
    return a


def _refuse_hopeless(given: Given, file: str, relevant: int, nonrelevant: int) -> None:
    """NTCIREVAL has no lines for a topic without relevant documents, nor for bpref without nonrelevant ones."""
    if not relevant:
        raise failure(file, "no relevant document, so there is nothing to print")
    if "-j" in given.flags and not nonrelevant:
        raise failure(file, "-j needs documents judged nonrelevant, and there is none")


def compute(given: Given) -> bytes:
    """Measures of a list with relevance labels."""
    file, separator = given.values["-r"], given.separator
    gains = given.by_level("-g")
    stops = given.by_level("-s") if "-s" in given.values else []
    if stops and (len(stops) != len(gains) or stops[0] == 0):
        raise DoorError(EXIT_USAGE, f"ireval: -s: expected {len(gains)} values above 0, as many as -g has\n")
    top = len(gains)
    if "-ec" in given.flags:
        judged = ntcir.read_class_levels(Source(file), separator, top, MOST_CLASSES)
    else:
        judged = ntcir.read_levels(Source(file), separator, top)
    relevant = sum(level > 0 for level in judged)
    _refuse_hopeless(given, file, relevant, len(judged) - relevant)
    found = ntcir.read_labelled(Source(given.ranking), separator, top)
    trace = b"".join(
        b"# gain[ %d ]=%f stop[ %d ]=%f\n" % (level, gain, level, stop)
        for level, (gain, stop) in enumerate(zip([0.0, *gains], [0.0, *(stops or gains)], strict=True))
    )
    topic = Topic(given, aligned_topic(judged, found), _written(gains), gains[-1], "levels", _written(stops))
    return (trace if "-v" in given.flags else b"") + _report(topic)


def gcompute(given: Given) -> bytes:
    """Measures of a list with gains. Each different gain becomes a level, so that the measures see what they know."""
    file = given.values["-I"]
    judged = [gain for _, gain in ntcir.read_ideal(Source(file), given.separator)]
    relevant = sum(gain > 0 for gain in judged)
    _refuse_hopeless(given, file, relevant, len(judged) - relevant)
    if not any(judged[:relevant]):
        raise failure(file, f"expected documents in order of gain, found no gain on the first {relevant} lines")
    labelled = ntcir.read_gained(Source(given.ranking), given.separator)
    found = [max(gain or 0.0, 0.0) for gain in labelled if gain is not None or "-j" not in given.flags]
    different = sorted({*judged, *found} - {0.0})
    level = {gain: n for n, gain in enumerate([0.0, *different])}
    a = aligned_topic([level[gain] for gain in judged], [level[gain] for gain in found])
    gains = _written(different)
    # The user sorts the file: what stands first in it is the ideal ranking.
    take_as_ideal(a.judgements, gains, Ideal(np.array(judged[:relevant]), np.array([0, relevant])))
    return _report(Topic(given, a, gains, max(judged), "gains"))


def _written(values: list[float]) -> str:
    """As a gain map that gives back the very same numbers."""
    return ":".join(map(repr, values))


# -- lines ----------------------------------------------------------------------------------------------------------


def _base(given: Given) -> float:
    """Base of the logarithm in the original nDCG; 0 is the natural one."""
    base = given.number("-logb", 2.0)
    return base if base == 0 else given.number("-logb", 2.0, low=1.0)


def _judged_lines(topic: Topic) -> Iterator[tuple[Aligned, Line]]:
    """The bpref family, for condensed lists. A document without a gain counts as relevant, but adds nothing."""
    a = topic.aligned
    unrewarded = (a.relevance >= LEVEL) & (topic.found == 0)
    # As an unjudged document it is neither added up nor nonrelevant.
    passed_over = ranking(a.judgements, np.where(unrewarded, NOT_IN_POOL, a.relevance).tolist())
    rewarded = [level for level, gain in parse_gains(topic.gains).pairs if gain > 0]
    first: dict[str, Value] = {"first": "zero"}
    for name in ("bpref", "bpref_R", "bpref_N"):
        yield passed_over, Line(name, name, {})
    yield a, Line("bpref_relative", "bpref_relative", {**first, "least": rewarded[0]})
    yield a, Line("rpref_N", "rpref_N", {"top": topic.top}, over_ideal=True)
    yield a, Line("rpref_relative", "rpref_relative", first, over_ideal=True)
    yield a, Line("rpref_relative2", "rpref_relative2", {}, over_ideal=True)


def _value(topic: Topic, line: Line, a: Aligned | None = None, k: int | None = None) -> float:
    """The value of a line."""
    if line.over_ideal:
        depth = 1 if line.params.get("b") == 1 else k  # to base 1, every rank but the first is discounted to nothing
        if line.measure == "nirbu_cut" and line.params["p"] == 0:
            return float("nan")
        if not topic.best[:depth].any():
            return float("inf") if topic.found[:depth].any() else float("nan")
    record = find_measure(line.measure)
    params = line.params if k is None else {**line.params, "k": k}
    spec = make_spec(record, params, {"gains": topic.gains, "level": LEVEL})
    return float(record.compute(topic.aligned if a is None else a, **dict(spec.params))[0])


def _report(topic: Topic) -> bytes:
    """Everything that compute and gcompute print after their first trace."""
    given, a = topic.given, topic.aligned
    relevant, nonrelevant = int(a.number_relevant(LEVEL)[0]), int(a.number_nonrelevant(LEVEL)[0])
    first = _value(topic, Line("", "r1", {}))
    preferred = _value(topic, Line("", "rp", {"by": topic.by}))
    with np.errstate(all="ignore"):
        out = [given.prefix + b" # syslen=%d jrel=%d jnonrel=%d\n" % (a.off[-1], relevant, nonrelevant)]
        if "-v" in given.flags:
            out += _trace(topic)
        out.append(given.prefix + b" # r1=%d rp=%d\n" % (first, preferred))
        out += [value_line(given.prefix, line.name, _value(topic, line)) for line in whole_lines(topic.names)]
        for k in given.cutoffs():
            out += [
                value_line(given.prefix, line.name, _value(topic, line, k=k), k=k) for line in cut_lines(topic.names)
            ]
        if "-j" in given.flags:
            judged = _judged_lines(topic)
            out += [value_line(given.prefix, line.name, _value(topic, line, rows)) for rows, line in judged]
    return b"".join(out)


def _trace(topic: Topic) -> Iterator[bytes]:
    """-v: cumulative gains of the ideal ranking and of the list, rank by rank."""
    a, given = topic.aligned, topic.given
    relevant = int(a.number_relevant(LEVEL)[0])
    longest = max(relevant, int(a.off[-1]))
    rank = np.arange(1, longest + 1)
    discounts = (np.ones(longest), original_discount(_base(given))(rank), log(rank.astype(np.float64) + 1.0))

    def running(gain: Doubles) -> list[Doubles]:
        whole = np.append(gain, np.zeros(longest - len(gain)))
        return [np.cumsum(whole / discount) for discount in discounts]

    yield b"\n"
    for i, sums in enumerate(zip(*running(topic.best), strict=True), 1):
        yield b"#%d CGi=%.4f DCGi=%.4f msDCGi=%.4f\n" % (i, *sums)
    yield b"\n"
    rows, ratios = graded(a, topic.gains, LEVEL), blended_ratio(a, topic.gains, LEVEL, given.number("-beta", 1.0))
    mine = list(zip(*running(topic.found), strict=True))
    for i, nth, gain, ratio in zip(rows.rank, rows.nth, rows.gain, ratios, strict=True):
        if gain > 0:
            yield b"#%d count=%d Gs=%.4f CGs=%.4f DCGs=%.4f msDCGs=%.4f BR=%.4f\n" % (i, nth, gain, *mine[i - 1], ratio)
    yield b"\n"


# -- groups ---------------------------------------------------------------------------------------------------------


def group_compute(given: Given) -> bytes:
    """Group fairness of a list with relevance labels and group memberships."""
    from ireval.measures.fairness import DIVERGENCES, group_fairness

    gains = given.by_level("-g")
    groups = given.whole("-ngroups") or 0
    if groups < 2:
        raise DoorError(EXIT_USAGE, "ireval: -ngroups: expected at least 2 groups\n")
    target = ntcir.read_target(Source(given.values["-gdistr"]), given.separator, groups)
    judged = ntcir.read_levels(Source(given.values["-r"]), given.separator, len(gains))
    _refuse_hopeless(given, given.values["-r"], sum(level > 0 for level in judged), 0)
    rows = ntcir.read_grouped(Source(given.ranking), given.separator, len(gains), groups)
    topic = Topic(given, aligned_topic(judged, [level for level, _ in rows]), _written(gains), gains[-1], "levels")
    chances = (topic.found / (topic.top + 1.0)).tolist()
    memberships = [membership for _, membership in rows]
    fair = {name: group_fairness(chances, memberships, target, how) for name, how in DIVERGENCES.items()}
    cascade: dict[str, Value] = {"sat": "gain", "top": topic.top}
    lines = [Line("ERR", "err", cascade), Line("iRBU", "irbu", {**cascade, "p": topic.rbu})]
    out = [value_line(given.prefix, line.name, _value(topic, line)) for line in lines]
    out += [value_line(given.prefix, f"GF-{name}", after[-1]) for name, after in fair.items()]
    for k in given.cutoffs():
        cut = [replace(line, measure=f"{line.measure}_cut") for line in lines]
        out += [value_line(given.prefix, line.name, _value(topic, line, k=k), k=k) for line in cut]
        out += [value_line(given.prefix, f"GF-{name}", after[min(k, len(rows))], k=k) for name, after in fair.items()]
    return b"".join(out)
