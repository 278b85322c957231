"""Names of measures that look at intents through a lens: `D-nDCG@10`, `D#(Q@10,gamma=0.3)`, `ERR-IA@10`, `P+Q#@10`.

Upper and lower case do not matter in the lens; a cutoff may stand behind the parenthesis, `IA(nDCG)@10`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from ireval.errors import MeasureError, printable
from ireval.measures.registry import Number, all_measures
from ireval.measures.spec import (
    GAMMA,
    ParameterError,
    Request,
    Settings,
    Spec,
    label,
    near_measures,
    parse_measure,
    value_of,
)

_WRAPPED = (
    r"(?is)(?P<lens>IA|DIN|D|I[1-9][0-9]{0,5})(?P<sharp>#?)"
    r"\((?P<inner>.+?)(?:,\s*gamma\s*=\s*(?P<gamma>[^(),]+))?\)(?P<cut>@[^@()]+)?"
)
_BEFORE = r"(?is)(?P<lens>D|DIN)(?P<sharp>#?)-(?P<inner>.+)"
_AFTER = r"(?is)(?P<name>[^()@\s]+)-IA(?P<rest>[(@].*)?"
_SHARP = r"(?is)(?P<name>P\+Q)#(?P<rest>[(@].*)?"
_GAMMA = r"(?P<before>[(,])\s*gamma\s*=\s*(?P<gamma>[^(),]+)(?P<after>[,)])"
_WEIGHT = Number("gamma", GAMMA, "Weight of I-rec.", low=0.0, high=1.0)


class Seen(NamedTuple):
    """A measure and the lens it is seen through. sharp: combined with I-rec, whose weight is gamma (as text)."""

    lens: str
    sharp: bool
    inner: str
    gamma: str | None = None


def _read(text: str) -> Seen | None:
    """The parts of a name; None when it is none of these."""
    if found := re.fullmatch(_WRAPPED, text):
        inner = found["inner"] + (found["cut"] or "")
        return Seen(found["lens"].upper(), bool(found["sharp"]), inner, found["gamma"])
    if found := re.fullmatch(_BEFORE, text):
        return _with_weight(Seen(found["lens"].upper(), bool(found["sharp"]), found["inner"]))
    if found := re.fullmatch(_AFTER, text):
        return Seen("IA", False, found["name"] + (found["rest"] or ""))
    if found := re.fullmatch(_SHARP, text):
        return _with_weight(Seen("", True, found["name"] + (found["rest"] or "")))
    return None


def _with_weight(seen: Seen) -> Seen:
    """Take gamma out of the measure's own parameters; a measure with a gamma of its own needs the other notation."""
    found = re.search(_GAMMA, seen.inner) if seen.sharp else None
    if found is None:
        return seen
    between = {"(,": "(", "()": "", ",,": ",", ",)": ")"}[found["before"] + found["after"]]
    return seen._replace(inner=seen.inner[: found.start()] + between + seen.inner[found.end() :], gamma=found["gamma"])


def through_lens(text: str, settings: Settings) -> list[Request]:
    """The requests that a name stands for; empty when it is no measure seen through a lens."""
    seen = _read(text)
    if seen is None:
        return []
    if seen.sharp and seen.lens not in ("", "D", "DIN"):
        raise ParameterError(f"{text}: there is D# and DIN#, but no {seen.lens}#")
    if seen.gamma is not None and not seen.sharp:
        raise ParameterError(f"{text}: gamma weighs I-rec, which only {seen.lens}# has")
    weight = GAMMA if seen.gamma is None else float(str(value_of(_WEIGHT, seen.gamma, text)))
    requests = []
    for request in _inner(seen, text, settings):
        if seen.lens:
            _check(request.spec, seen.lens, text)
        spec = replace(request.spec, lens=seen.lens, gamma=weight if seen.sharp else None)
        requests.append(Request(spec, text if request.label == seen.inner else label(spec, settings)))
    return requests


def _inner(seen: Seen, text: str, settings: Settings) -> list[Request]:
    """The requests of the measure itself; a typo in it is told with the lens."""
    try:
        return parse_measure(seen.inner, settings)
    except ParameterError:
        raise
    except MeasureError:
        usable = {name: r for name, r in all_measures().items() if r.needs in ("levels", "lengths") and r.per_topic}
        wrong = re.split(r"[(@]", seen.inner)[0]
        near = [text.replace(wrong, re.split(r"[(@]", name)[0], 1) for name in near_measures(seen.inner, usable)]
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise MeasureError(f'no measure "{printable(text)}"{hint}') from None


def _check(spec: Spec, lens: str, text: str) -> None:
    """Refuse measures that have no meaning for intents."""
    record = spec.measure
    if spec.needs == "intents":
        raise ParameterError(f"{text}: {label(spec)} is about intents already")
    if record.kind not in ("score", "count") or record.needs not in ("levels", "lengths") or not record.per_topic:
        raise ParameterError(f"{text}: {record.label} has no number for each topic from levels of relevance")
    if lens in ("D", "DIN") and any(param.name == "penalties" for param in record.params):
        raise ParameterError(f"{text}: {record.label} is not made of gains, so there is no {lens}-{record.label}")
