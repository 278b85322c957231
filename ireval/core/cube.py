"""Score cubes: made from single scores, and cut to topics, measures and systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ireval.core.scores import ScoreCube
from ireval.errors import DataError, UsageError


def cube_of_scores(
    scores: Mapping[tuple[str, str], Mapping[str, float]],
    lacking: Mapping[str, set[str]],
    better: Mapping[str, str],
) -> ScoreCube:
    """A cube from {(system, measure): {topic: score}}; 0 where a system has no score for a topic.

    lacking: further topics that a system did not answer, though it has scores for them. better: of each measure.
    """
    systems = tuple(dict.fromkeys(system for system, _ in scores))
    measures = tuple(dict.fromkeys(measure for _, measure in scores))
    topics = tuple(sorted({t for found in scores.values() for t in found}, key=_in_bytes))
    for system in systems:
        for measure in measures:
            if not scores.get((system, measure)):
                raise DataError(f'there are no scores of {measure} for run "{system}"')
    column = {topic: t for t, topic in enumerate(topics)}
    values = np.zeros((len(systems), len(measures), len(topics)))
    missing = np.zeros((len(systems), len(topics)), np.bool_)
    for s, system in enumerate(systems):
        for v, measure in enumerate(measures):
            found = scores[system, measure]
            at = [column[topic] for topic in found]
            values[s, v, at] = list(found.values())
            absent = np.ones(len(topics), np.bool_)
            absent[at] = False
            missing[s] |= absent
        missing[s, [column[topic] for topic in lacking.get(system, ()) if topic in column]] = True
    return ScoreCube(systems, measures, topics, values, missing, tuple(better[measure] for measure in measures))


def _in_bytes(topic: str) -> bytes:
    return topic.encode("utf-8", "surrogateescape")


def common_topics(cube: ScoreCube) -> ScoreCube:
    """Only the topics that no system lacks."""
    keep = np.flatnonzero(~cube.missing.any(axis=0))
    if not len(keep):
        raise DataError("no topic has scores of all runs")
    topics = tuple(cube.topics[t] for t in keep.tolist())
    return replace(cube, topics=topics, values=cube.values[:, :, keep], missing=cube.missing[:, keep])


def chosen_measures(cube: ScoreCube, rows: Sequence[int]) -> ScoreCube:
    """Only some of the measures, in this order."""
    return replace(
        cube,
        measures=tuple(cube.measures[row] for row in rows),
        values=cube.values[:, list(rows), :],
        better=tuple(cube.better[row] for row in rows),
    )


def grouped_systems(cube: ScoreCube, groups: Mapping[str, Sequence[str]]) -> ScoreCube:
    """Systems made of several runs (seeds, folds): their scores are averaged topic by topic.

    groups: {name of the system: its runs}. Runs that are in no group stay as they are; a group stands where its first
    run stood. A system lacks a topic when one of its runs does.
    """
    if not groups:
        return cube
    owner: dict[str, str] = {}
    for name, runs in groups.items():
        for run in runs:
            if run not in cube.systems:
                raise UsageError(f'system {name}: no run "{run}"; there are {", ".join(cube.systems)}')
            if run in owner:
                raise UsageError(f'run "{run}" is in system {owner[run]} already' + (" twice" * (owner[run] == name)))
            owner[run] = name
        if name in cube.systems and name not in runs:
            raise UsageError(f"system {name}: there is a run of that name, and it is not in the group")
    names = tuple(dict.fromkeys(owner.get(system, system) for system in cube.systems))
    members = [[i for i, system in enumerate(cube.systems) if owner.get(system, system) == name] for name in names]
    values = np.stack([np.cumsum(cube.values[rows], axis=0)[-1] / len(rows) for rows in members])
    missing = np.stack([cube.missing[rows].any(axis=0) for rows in members])
    return replace(cube, systems=names, values=values, missing=missing)
