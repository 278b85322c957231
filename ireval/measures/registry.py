"""What a measure is: a pure function of (Aligned, parameters) and a record of everything else there is to know.

Help, man pages, parsing, averaging and printing follow from the record; adding a measure is adding one decorated
function. `spec.py` turns text into specs and back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

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


class Cutoffs(Param):
    """Ranks to measure at. In trec_eval's grammar several may be given, and each makes a value of its own."""


class Fractions(Param):
    """As Cutoffs, but any numbers (recall points, multiples of R)."""


class Numbers(Param):
    """A list of numbers that together make one value."""


class Whole(Param):
    """One whole number."""


class Number(Param):
    """One number."""


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
    needs: "levels", "groups" or "preferences": the judgements it is computed from.
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

    @property
    def cutoff(self) -> Param | None:
        """The parameter written after `@`, if there is one."""
        return next((p for p in self.params if isinstance(p, Cutoffs | Fractions)), None)

    @property
    def summary(self) -> str:
        """The first sentence of the documentation."""
        return (self.compute.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")

    @property
    def documentation(self) -> str:
        """The whole documentation, unindented."""
        import inspect

        return inspect.cleandoc(self.compute.__doc__ or "")


_measures: dict[str, Measure] = {}


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
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as a measure. name: as trec_eval calls it; label: as we do."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if name in _measures:
            raise ValueError(f"measure {name} is defined twice")
        _measures[name] = Measure(
            name, function, label or name, params, kind, aggregate, needs, bounds, per_topic, trec, aliases, cite, formula
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
        "label": "", "params": base.params, "kind": base.kind, "aggregate": base.aggregate, "needs": base.needs,
        "bounds": base.bounds, "cite": base.cite,
    }
    measure(name, **{**record, **changes})(compute)


FAMILIES = ("counts", "average_precision", "precision", "bpref", "sets", "dcg", "rbp", "preference")
"""Modules with measures, those of trec_eval's official set first."""


def find_measure(name: str) -> Measure:
    """One measure by its registered name; imports families only until it is found. KeyError when there is none."""
    for family in FAMILIES:
        if name in _measures:
            break
        import_module(f"ireval.measures.{family}")
    return _measures[name]


def all_measures() -> dict[str, Measure]:
    """Every registered measure by name."""
    for family in FAMILIES:
        import_module(f"ireval.measures.{family}")
    return _measures


MIN_GEOMETRIC = 0.00001
"""trec_eval's floor for a value that enters a geometric mean."""


def logarithm(values: np.ndarray) -> np.ndarray:
    """log(max(value, floor)), for geometric means."""
    from ireval.core.numeric import log

    return log(np.where(values > MIN_GEOMETRIC, values, MIN_GEOMETRIC))
