"""Distances between the rankings of two runs: which there are, how they are written, and how they are computed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ireval.core.columns import Doubles
from ireval.core.pairs import Pairs
from ireval.errors import MeasureError, printable
from ireval.measures.differences import Cascade, Difference, PrecisionSum, RankWeights
from ireval.measures.registry import all_measures
from ireval.measures.spec import Settings, Spec, given_params, parse_measures
from ireval.studies.comparisons import COMPARISONS, Comparison
from ireval.studies.med_ap import ap_distance
from ireval.studies.med_err import err_distance
from ireval.studies.med_linear import Bounds, Frame, linear_distance

DEFAULT_DISTANCES = ("nDCG@20", "RBP(p=0.9)", "RBO")
"""What is computed when nobody asks: closed forms, so that a million topics take seconds."""
PAPER_DEFAULTS = {"nDCG": "nDCG@20", "AP": "AP@100", "MAP": "AP@100", "RBP": "RBP(p=0.9)", "U": "U@12000"}
"""What a bare name stands for: the parameters of the paper's experiments."""
PAPER_GAINS = "exp2"
"""The paper's (15), up to a factor that the normalisation takes out."""
DEFAULT_GRADE = 2
"""Highest grade where no judgements tell it: that of the paper's experiments."""
TRAIL = "U"
"""The paper's U-measure over the text of passages; its runs have a format of their own."""

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Distance:
    """One thing that is computed for every topic."""

    label: str
    spec: Spec | None
    """the measure whose MED it is; None for a comparison"""
    comparison: Comparison | None
    params: tuple[tuple[str, Any], ...] = ()

    def model(self, top_grade: int) -> Difference | None:
        """What the measure says of itself; None for a comparison."""
        if self.spec is None or self.spec.measure.med is None:
            return None
        made: Difference = self.spec.measure.med(top_grade, **dict(self.spec.params))
        return made

    def searched(self, top_grade: int) -> bool:
        """Whether it takes a search, which may end with bounds."""
        return isinstance(self.model(top_grade), PrecisionSum | Cascade)

    @property
    def closer(self) -> str:
        """Which values mean that the rankings are alike."""
        return self.comparison.closer if self.comparison is not None else "low"

    @property
    def depth(self) -> int | None:
        """Ranks that it looks at, None where it looks at all of them."""
        given = dict(self.spec.params if self.spec is not None else self.params)
        whole = self.comparison is not None and self.comparison.label != "overlap"
        cut = given.get("k")
        return cut if isinstance(cut, int) and not whole else None


def parse_distances(texts: Sequence[str], settings: Settings) -> list[Distance]:
    """What `-m` asks for, in order, each once; everything that is not understood is told at once."""
    found: dict[str, Distance] = {}
    faults = []
    for text in texts:
        try:
            for distance in _parse(text.strip(), settings):
                found.setdefault(distance.label, distance)
        except MeasureError as error:
            faults.append(str(error))
    if faults:
        raise MeasureError("\n".join(faults))
    return list(found.values())


def trail_length(text: str) -> int | None:
    """`U@12000` -> 12000; None for everything else."""
    found = re.fullmatch(rf"{TRAIL}@([0-9]{{1,9}})", _in_full(text))
    return int(found[1]) if found and int(found[1]) > 0 else None


def _in_full(text: str) -> str:
    """What a user wrote, without MED before it, and with the paper's parameters where there are none."""
    name = text.strip().removeprefix("MED-")
    return PAPER_DEFAULTS.get(name, name)


def _parse(text: str, settings: Settings) -> list[Distance]:
    call = re.fullmatch(r"(?P<name>[^()@\s]+)(?:\((?P<params>.*)\))?(?:@(?P<cut>[^@]+))?", text)
    entry = next((e for name, e in COMPARISONS.items() if call and name.lower() == call["name"].lower()), None)
    if call and entry is not None:
        return [_comparison(entry, call["params"] or "", call["cut"], text)]
    if call and call["name"].removeprefix("MED-") == TRAIL and call["cut"]:  # what is right never comes here
        raise MeasureError(f"{printable(text)}: expected a number of characters from 1 on, such as {TRAIL}@12000")
    requests = parse_measures([_in_full(text)], settings)
    for request in requests:
        if request.spec.measure.med is None or not _plain(request.spec):
            raise MeasureError(_refusal(request.spec, request.label))
    return [Distance(f"MED-{request.label}", request.spec, None) for request in requests]


def _comparison(entry: Comparison, params: str, cut: str | None, text: str) -> Distance:
    if cut is not None and entry.cutoff is None:
        raise MeasureError(f"{printable(text)}: {entry.label} has no cutoff")
    if cut is not None:
        params = f"{params},k={cut}" if params else f"k={cut}"
    given = given_params(entry.label, entry.params, params, text)
    usual: dict[str, Any] = {p.name: p.default[0] if isinstance(p.default, tuple) else p.default for p in entry.params}
    values = {**usual, **given}
    shown = [f"{name}={value}" for name, value in values.items() if name != "k" and value != usual[name]]
    label = entry.label + (f"({','.join(shown)})" if shown else "") + (f"@{values['k']}" if "k" in values else "")
    return Distance(label, None, entry, tuple(values.items()))


def _plain(spec: Spec) -> bool:
    """Whether the measure is taken as it is: not on condensed lists, nor over intents."""
    return not spec.condensed and not spec.lens and spec.gamma is None


def _refusal(spec: Spec, label: str) -> str:
    """Why a measure has no MED, and what has one instead."""
    name = spec.measure.label
    relatives = [r for r in all_measures().values() if r.label == name and r.med is not None and r.cutoff is not None]
    if relatives and _plain(spec):
        return f"{label} has no MED without a cutoff; {name}@20 has"
    return f"{label} has no MED; {', '.join(measures_with_med())} have, and {TRAIL}@l for passages"


def measures_with_med() -> list[str]:
    """Names of the measures that MED is known for."""
    names = [r.label + ("@k" if r.cutoff is not None else "") for r in all_measures().values() if r.med is not None]
    return list(dict.fromkeys(names))


def compute(distance: Distance, pairs: Pairs, frame: Frame, top_grade: int, progress: Progress | None = None) -> Bounds:
    """One distance of every topic."""
    if distance.comparison is not None:
        values: Doubles = distance.comparison.compute(pairs, **dict(distance.params))
        return Bounds(values, values)
    model = distance.model(top_grade)
    if isinstance(model, RankWeights):
        return linear_distance(model, pairs, frame)
    if isinstance(model, PrecisionSum):
        return ap_distance(model, pairs, frame, progress)
    assert isinstance(model, Cascade)
    return err_distance(model, pairs, frame, progress)


@dataclass(frozen=True)
class Moved:
    """A document that the two lists rank differently; a rank is None where the list lacks it."""

    document: bytes
    first: int | None
    second: int | None


def moved_documents(pairs: Pairs, topic: int) -> list[Moved]:
    """Documents of a topic whose rank differs, those first whose move counts most: by 1/log2(rank + 1), 0 if absent."""
    one, two = pairs.first, pairs.second
    found = []
    for row in range(int(one.off[topic]), int(one.off[topic + 1])):
        mate = int(one.partner[row])
        second = int(two.rank[mate]) if mate >= 0 else None
        if second != int(one.rank[row]):
            found.append(Moved(one.documents[row], int(one.rank[row]), second))
    for row in range(int(two.off[topic]), int(two.off[topic + 1])):
        if two.partner[row] < 0:
            found.append(Moved(two.documents[row], None, int(two.rank[row])))
    return sorted(found, key=lambda moved: (-abs(_weight(moved.first) - _weight(moved.second)), moved.document))


def _weight(rank: int | None) -> float:
    return 0.0 if rank is None else 1.0 / float(np.log2(rank + 1.0))
