"""NTCIREVAL's files: which measures they hold, under which names, and their lines.

nev has the measures of ordinary judgements. Of diversity judgements there are Dnev (global gains, intent recall, D#),
DINnev (the same with DIN), nevIA (every intent, and the expectation over them) and nevPQ (every intent, and P+Q). Where
NTCIREVAL is inconsistent (NCU at cutoffs), we are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ireval.api import Results
from ireval.core.intents import at_level, intents_of
from ireval.core.judgements import Judgements
from ireval.errors import UsageError
from ireval.measures.gains import parse_gains
from ireval.measures.ntcir_names import Line, NtcirSet, cut_lines, whole_lines
from ireval.measures.registry import find_measure
from ireval.measures.spec import GAMMA, Request, Spec, make_spec, parse_measures

Record = tuple[str, str, str]
"""Name, what the line begins with, value; a comment has no value."""
FACTS = ("num_ret", "num_rel", "r1", "rp")
"""What the comments that begin a topic tell."""
SHARP = {"Q": "Q", "MSnDCG": "MSnDCG", "RBP": "RBP", "EBR": "EBR", "iRBU": "RBU"}
"""Measures that are combined with intent recall, and what they are called there."""
EXPECTED = ("Q", "MSnDCG", "iRBU")
"""Measures whose expectation over intents nevIA holds."""


def cutoffs_of(given: Mapping[str, Any]) -> list[int]:
    """The ranks of --cutoffs."""
    usual = "1,5,10,1000" if given["format_name"] == "nev" else "10"
    try:
        cutoffs = [int(part) for part in (given["cutoffs"] or usual).split(",")]
        if min(cutoffs) < 1:
            raise ValueError
    except ValueError:
        raise UsageError(f'--cutoffs: expected ranks such as 1,5,10, found "{given["cutoffs"]}"') from None
    return cutoffs


def _lines(ours: NtcirSet, cutoffs: list[int]) -> Iterator[tuple[Line, int | None]]:
    """The whole set, first of whole rankings, then at each cutoff."""
    yield from ((line, None) for line in whole_lines(ours))
    yield from ((line, k) for k in cutoffs for line in cut_lines(ours))


def _request(line: Line, k: int | None, settings: Mapping[str, Any]) -> Request:
    params = line.params if k is None else {**line.params, "k": k}
    name = line.name if k is None else f"{line.name}@{k:04d}"
    return Request(make_spec(find_measure(line.measure), params, settings), name)


def nev_requests(given: Mapping[str, Any], settings: Mapping[str, Any]) -> list[Request]:
    """The set of a plain nev file."""
    pairs = parse_gains(given["gains"]).pairs if given["gains"] else ()
    top = max((gain for _, gain in pairs), default=None)
    ours = NtcirSet(top=top, share="weights")
    return [_request(line, k, settings) for line, k in _lines(ours, cutoffs_of(given))]


def nev_records(results: Results, shown: int, level: int | None) -> list[Record]:
    """The lines of a plain nev file, topic by topic."""
    row_of = {request.spec.name: row for row, request in enumerate(results.requests)}
    nonrelevant = results.judged.number_nonrelevant(1 if level is None else level)
    number_of = {name: i for i, name in enumerate(results.judged.evaluated)}
    records: list[Record] = []
    for t, topic in enumerate(results.topics):
        values = [results.topic_value(0, row_of[name], t) for name in FACTS]
        records += _facts(topic, values, int(nonrelevant[number_of[results.scores[0].topics[t]]]))
        for row in range(shown):
            value = results.topic_value(0, row, t)
            if value is not None and not isinstance(value, str):
                records.append((results.measures[row], topic, f"{value:.4f}"))
    return records


def _facts(begin: str, values: list[Any], nonrelevant: int) -> list[Record]:
    """The comments that begin a topic: documents retrieved, relevant, nonrelevant; first and preferred rank."""
    retrieved, relevant, first, preferred = values
    return [
        (f"# syslen={retrieved} jrel={relevant} jnonrel={nonrelevant}", begin, ""),
        (f"# r1={first} rp={preferred}", begin, ""),
    ]


# -- diversity ------------------------------------------------------------------------------------------------------


class DiversityFile:
    """A Dnev, DINnev, nevIA or nevPQ file of one run at one cutoff."""

    def __init__(self, layout: str, given: Mapping[str, Any], settings: Mapping[str, Any], judged: Judgements) -> None:
        cutoffs = cutoffs_of(given)
        if len(cutoffs) != 1:
            raise UsageError(f"-f {layout} takes one cutoff (--cutoffs 10), found {len(cutoffs)}")
        self.layout, self.k = layout, cutoffs[0]
        self.intents = intents_of(at_level(judged, 1 if given["level"] is None else given["level"]))
        self._number = {name: i for i, name in enumerate(judged.topics)}
        self._judged = judged
        most = int(self.intents.count.max(initial=0))
        if most > self.k:
            raise UsageError(f"-f {layout}: expected a cutoff from {most} on, the number of intents of a topic")
        if layout in ("DINnev", "nevPQ") and not self.intents.typed:
            raise UsageError(f"-f {layout} needs the types of the intents (--intents FILE with inf or nav)")
        self.requests: list[Request] = []
        self._row: dict[tuple[str, str], int] = {}
        settings = {**settings, "gains": settings.get("gains") or "exp2"}
        plain = [
            _request(line, k, settings)
            for line, k in _lines(NtcirSet(top="topic", by="gains", share="weights"), [self.k])
        ]
        self.names = [request.label for request in plain]
        facts = [Request(make_spec(find_measure(name), {}, settings), name) for name in FACTS]
        if layout in ("Dnev", "DINnev"):
            lens = layout.removesuffix("nev")
            for request in (*facts, *plain):
                self._ask(lens, request)
                if request.label in (f"{name}@{self.k:04d}" for name in SHARP):
                    self._ask(f"{lens}#", request)
            for name in ("I-recN", f"I-rec@{self.k}"):
                self._ask("", parse_measures([name], settings)[0])
        else:
            for n in range(1, most + 1):
                for request in (*facts, *plain):
                    self._ask(f"I{n}", request)
            if layout == "nevIA":
                for request in plain:
                    if request.label in (f"{name}@{self.k:04d}" for name in EXPECTED):
                        self._ask("IA", request)
            else:
                self._ask("", parse_measures([f"P+Q@{self.k}"], settings)[0])

    def _ask(self, lens: str, request: Request) -> None:
        spec: Spec = replace(request.spec, lens=lens.removesuffix("#"), gamma=GAMMA if lens.endswith("#") else None)
        self._row[lens, request.label] = len(self.requests)
        self.requests.append(Request(spec, f"{lens} {request.label}".strip()))

    def records(self, results: Results) -> list[Record]:
        """The lines, topic by topic."""
        records: list[Record] = []
        for t, topic in enumerate(results.topics):
            number = self._number[results.scores[0].topics[t]]

            def value(lens: str, name: str, t: int = t) -> Any:
                return results.topic_value(0, self._row[lens, name], t)

            if self.layout in ("Dnev", "DINnev"):
                records += self._global(topic, int(self.intents.count[number]), value)
            else:
                records += self._each(topic, number, value)
        return records

    def _global(self, topic: str, many: int, value: Any) -> Iterator[Record]:
        """Lines of a topic with global gains."""
        lens, k = self.layout.removesuffix("nev"), self.k
        yield from _facts(topic, [value(lens, name) for name in FACTS], 0)  # its files never hold nonrelevant documents
        for name in self.names:
            yield name, topic, f"{value(lens, name):.4f}"
        yield f"#intent_num={many}", topic, ""
        yield "I-rec@n", topic, f"{value('', 'I-recN'):.4f}"
        yield f"I-rec@{k:04d}", topic, f"{value('', f'I-rec@{k}'):.4f}"
        for name, called in SHARP.items():
            yield f"{lens}#-{called}@{k:04d}", topic, f"{value(f'{lens}#', f'{name}@{k:04d}'):.4f}"

    def _each(self, topic: str, number: int, value: Any) -> Iterator[Record]:
        """Lines of a topic's intents, and what becomes of them."""
        first, last = self.intents.off[number], self.intents.off[number + 1]
        for n, i in enumerate(range(first, last), 1):
            name, share = self.intents.names[i].decode("utf-8", "surrogateescape"), f"{self.intents.probability[i]:.4f}"
            kind = "nav" if self.intents.navigational[i] else "inf"
            begin = f"{topic} {name} {share}" if self.layout == "nevIA" else f"{topic} {name} {kind} {share}"
            yield from _facts(begin, [value(f"I{n}", fact) for fact in FACTS], 0)
            for line in self.names:
                yield line, begin, f"{value(f'I{n}', line):.4f}"
        total = f"SUMp= {float(self.intents.probability[first:last].sum()):.4f}"
        if self.layout == "nevIA":
            for name in EXPECTED:
                at = f"{name}@{self.k:04d}"
                yield f"{total} IA-{at}= {value('IA', at):.4f}", topic, ""
        else:
            yield f"{total} PplusQ@{self.k:04d}= {value('', f'P+Q@{self.k}'):.4f}", topic, ""
