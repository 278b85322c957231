"""What the studies need from files: preferences matched with scores, teams with runs, runs aligned once and kept."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from ireval.core.scores import ScoreCube
from ireval.errors import DataError, printable
from ireval.read.run_preferences import read_run_preferences
from ireval.read.source import Source
from ireval.studies.concordance import Preferences


def preferences_for(cube: ScoreCube, source: Source) -> tuple[Preferences, str]:
    """The preferences of a file about runs and topics that have scores, and a sentence about the others.

    A run is called by its name or by its file's.
    """
    read = read_run_preferences(source)
    topics = {name: i for i, name in enumerate(cube.topics)}
    runs = {name: i for i, name in enumerate(cube.systems)}
    rows, unknown_runs, unknown_topics = [], 0, 0
    for topic, first, second, verdict in zip(read.topics, read.first, read.second, read.verdicts, strict=True):
        one, two = (runs.get(name, runs.get(_bare(name, cube.systems), -1)) for name in (first, second))
        if one < 0 or two < 0:
            unknown_runs += 1
        elif topic not in topics:
            unknown_topics += 1
        else:
            rows.append((topics[topic], one, two, verdict))
    if not rows:
        known = ", ".join(printable(name, 40) for name in cube.systems[:5])
        raise DataError(f"{source.name}: no preference is about two of the runs ({known}, ...) and a topic with scores")
    left = [
        f"{count} about {what}"
        for count, what in ((unknown_runs, "runs that are not here"), (unknown_topics, "topics without scores"))
        if count
    ]
    note = f"{source.name}: {len(rows)} of {len(read.topics)} preferences used; left out: {', '.join(left)}"
    columns = np.array(rows, np.int64).T
    return Preferences(*columns), note if left else ""


def _bare(name: str, known: Sequence[str]) -> str:
    """The run that a file name means: the longest name that it begins with, path left out."""
    base = os.path.basename(name)
    fitting = [run for run in known if base == run or base.startswith(run + ".")]
    return max(fitting, key=len, default=name)
