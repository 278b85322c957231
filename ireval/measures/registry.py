"""What a measure is: a pure function of (Aligned, parameters) and a record of everything else there is to know.

Help, man pages, parsing, averaging and printing follow from the record; adding a measure is adding one decorated
function. `spec.py` turns text into specs and back.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ireval.core.numeric import log
from ireval.core.scores import MIN_GEOMETRIC

Value = int | float | str | tuple[float, ...] | None


@dataclass(frozen=True, eq=False, repr=False)
class Param:
    """A parameter: its name, what it is when nobody says, and a sentence about it.

    setting: the name of a setting of the whole request (level, collection size, gains, ...) that gives the default.
    """

    name: str
    default: Value
    help: str
    setting: str | None = None

    @property
    def described(self) -> str:
        """The sentence, and the default where there is one."""
        if self.default is None or self.default == "":
            return self.help
        default = ",".join(f"{v:g}" for v in self.default) if isinstance(self.default, tuple) else self.default
        return f"{self.help} Default: {default}."


class Cutoffs(Param):
    """Ranks to measure at. In trec_eval's grammar several may be given, and each makes a value of its own."""


class Fractions(Param):
    """As Cutoffs, but any numbers (recall points, multiples of R)."""


class Numbers(Param):
    """A list of numbers that together make one value."""


class Whole(Param):
    """One whole number."""


@dataclass(frozen=True, eq=False, repr=False)
class Suffix(Whole):
    """A whole number written right after the name: ROUGE-2. None: nothing is written."""

    low: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Number(Param):
    """One number between low and high; an open end excludes the bound itself. words: what may stand for a number."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    words: tuple[str, ...] = ()

    def allows(self, value: float) -> bool:
        """Whether a value is finite and within the range."""
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return math.isfinite(value) and above and below

    @property
    def range(self) -> str:
        """The range in words."""
        low = "" if self.low == -math.inf else f" {'above' if self.open_low else 'from'} {self.low:g}"
        high = "" if self.high == math.inf else f" {'to below' if self.open_high else 'to'} {self.high:g}"
        return f"a number{low}{high}" + "".join(f" or {word}" for word in self.words)


class Gains(Param):
    """Gain of each relevance level: see gains.py for the notation."""


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Param):
    """One of a few words."""

    choices: tuple[str, ...] = ()


LEVEL = Whole("rel", 1, "Lowest level that counts as relevant.", setting="level")
CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False, repr=False)
class Measure:
    """The record of one measure.

    kind: "score" or "count" (a number a topic), "text" (a string a topic), "summary" (about the whole run).
    aggregate: "mean", "sum", "geometric" (the values are logarithms) or "none".
    needs: "levels", "groups", "preferences", "intents": the judgements it is computed from; "lengths": document
    lengths too; one of BEYOND: no ranked list at all, and the function takes what that command reads in place of an
    Aligned.
    bounds: lowest and highest possible value, None where there is none.
    """

    name: str
    compute: Callable[..., Any]
    label: str
    params: tuple[Param, ...]
    kind: str
    aggregate: str
    needs: str
    bounds: tuple[float | None, float | None]
    per_topic: bool
    trec: bool
    aliases: tuple[str, ...]
    cite: str
    formula: str
    properties: frozenset[str]
    """What the lecture's tables say of it: see PROPERTIES."""
    better: str = "high"
    """high or low: which values are good; empty where neither is."""
    residual: str = ""
    """Label of the measure that tells how far unjudged documents could change this one."""

    @property
    def cutoff(self) -> Param | None:
        """The parameter written after `@`, if there is one."""
        return next((p for p in self.params if isinstance(p, Cutoffs | Fractions)), None)

    @property
    def suffix(self) -> Suffix | None:
        """The parameter written right after the name, if there is one."""
        return next((p for p in self.params if isinstance(p, Suffix)), None)

    @property
    def summary(self) -> str:
        """The first sentence of the documentation."""
        return (self.compute.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")

    @property
    def documentation(self) -> str:
        """The whole documentation, unindented."""
        import inspect

        return inspect.cleandoc(self.compute.__doc__ or "")


PROPERTIES = {
    "graded": "uses the levels of relevance",
    "normalised": "1 for an ideal ranking of any topic",
    "recall-independent": "does not depend on relevant documents that were not retrieved",
    "diminishing": "a relevant document is worth less after others",
    "lengths": "uses document lengths",
    "nonlinear": "does not assume that the ranking is read from top to bottom",
}
"""The lecture's properties of measures (Sakai 2014, Fig. 6 and 7) and what they mean."""


def _known_properties(text: str, params: tuple[Param, ...], needs: str) -> frozenset[str]:
    """The properties named, and those that follow from the record."""
    found = set(text.split())
    if found - set(PROPERTIES):
        raise ValueError(f"no such property: {found - set(PROPERTIES)}")
    if any(isinstance(param, Gains) for param in params):
        found.add("graded")
    if needs == "lengths":
        found.add("lengths")
    return frozenset(found)


_measures: dict[str, Measure] = {}


NEEDS = {
    "levels": "judgements with levels",
    "groups": "judgements in the format qrels_jg",
    "preferences": "judgements in the format prefs or qrels_prefs",
    "lengths": "judgements with levels, and document lengths",
    "intents": "judgements of intents, in the format diversity or ntcir_diversity",
    "sessions": "sessions of several ranked lists (ireval session)",
    "nuggets": "nuggets and the answers they are found in (ireval answers)",
    "texts": "texts and reference texts (ireval rouge)",
}
"""What a measure can be computed from."""

BEYOND = {"sessions": "session", "nuggets": "answers", "texts": "rouge"}
"""What a measure needs that is no measure of a ranked list -> the command that computes it."""


def measure(
    name: str,
    *,
    label: str = "",
    params: tuple[Param, ...] = (),
    kind: str = "score",
    aggregate: str = "mean",
    needs: str = "levels",
    bounds: tuple[float | None, float | None] = (0.0, 1.0),
    per_topic: bool = True,
    trec: bool = True,
    aliases: tuple[str, ...] = (),
    cite: str = "",
    formula: str = "",
    properties: str = "",
    better: str = "high",
    residual: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as a measure. name: as trec_eval calls it; label: as we do."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if name in _measures:
            raise ValueError(f"measure {name} is defined twice")
        _measures[name] = Measure(
            name,
            function,
            label or name,
            params,
            kind,
            aggregate,
            needs,
            bounds,
            per_topic,
            trec,
            aliases,
            cite,
            formula,
            _known_properties(properties, params, needs),
            better,
            residual,
        )
        return function

    return register


def variant(name: str, of: str, *, transform: Callable[..., Any] | None = None, doc: str, **changes: Any) -> None:
    """Register a measure that differs from another one in its record, or by a transformation of its values."""
    base = _measures[of]

    def compute(aligned: Any, **params: Any) -> Any:
        values = base.compute(aligned, **params)
        return values if transform is None else transform(values)

    compute.__doc__ = doc
    record = {
        "label": "",
        "params": base.params,
        "kind": base.kind,
        "aggregate": base.aggregate,
        "needs": base.needs,
        "bounds": base.bounds,
        "cite": base.cite,
        "properties": " ".join(base.properties - {"graded", "lengths"}),
    }
    measure(name, **{**record, **changes})(compute)


FAMILIES = (
    "counts",
    "average_precision",
    "precision",
    "bpref",
    "sets",
    "dcg",
    "rbp",
    "graded",
    "cascade",
    "rpref",
    "reading",
    "diversity",
    "preference",
)
"""Modules with measures, those of trec_eval's official set first."""


BEYOND_FAMILIES = {"sessions": "session", "nuggets": "answer", "texts": "rouge"}
"""As FAMILIES, by what their measures need."""


def find_measure(name: str) -> Measure:
    """One measure by its registered name; imports families only until it is found. KeyError when there is none."""
    for family in (*FAMILIES, *BEYOND_FAMILIES.values()):
        if name in _measures:
            break
        import_module(f"ireval.measures.{family}")
    return _measures[name]


def all_measures() -> dict[str, Measure]:
    """Every measure of ranked lists by name."""
    for family in FAMILIES:
        import_module(f"ireval.measures.{family}")
    return {name: record for name, record in _measures.items() if record.needs not in BEYOND}


def measures_needing(needs: str) -> dict[str, Measure]:
    """Every measure by name that needs one of BEYOND."""
    import_module(f"ireval.measures.{BEYOND_FAMILIES[needs]}")
    return {name: record for name, record in _measures.items() if record.needs == needs}


def beyond_measures() -> dict[str, Measure]:
    """Every measure by name that is not about ranked lists."""
    return {name: record for needs in BEYOND for name, record in measures_needing(needs).items()}


def logarithm(values: np.ndarray) -> np.ndarray:
    """log(max(value, floor)), for geometric means."""
    return log(np.where(values > MIN_GEOMETRIC, values, MIN_GEOMETRIC))
