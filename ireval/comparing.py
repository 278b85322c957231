"""Scores by topic from files, made into a cube that tests and studies work on."""

from __future__ import annotations

from collections.abc import Sequence

from ireval.core.cube import chosen_measures, common_topics, cube_of_scores
from ireval.core.scores import ScoreCube
from ireval.errors import MeasureError, UsageError
from ireval.measures.registry import Measure
from ireval.measures.spec import Request, Spec, parse_measures
from ireval.read.matrix import ScoreCells, read_scores
from ireval.read.source import Source


def read_cube(
    sources: Sequence[Source],
    names: Sequence[str],
    run_list: Sequence[str] | None = None,
    measures: Sequence[str] = (),
    topics: str = "qrels",
) -> ScoreCube:
    """All scores of some files together.

    names: what each file is called, in case it says nothing of its run or measure. measures: those wanted, in any
    grammar (none: all but counts). topics: "qrels" keeps every topic, a missing score is 0; "both" keeps the topics
    that all runs have.
    """
    cells = ScoreCells()
    for source, name in zip(sources, names, strict=True):
        found = read_scores(source, name, run_list)
        for (system, measure), scores in found.scores.items():
            if cells.scores.get((system, measure)):
                raise source.fail(f'expected other scores than in the files before, found {measure} of run "{system}"')
            cells.scores[system, measure] = scores
        for system, lacking in found.lacking.items():
            cells.lacking.setdefault(system, set()).update(lacking)
    labels = list(dict.fromkeys(measure for _, measure in cells.scores))
    chosen = _chosen(labels, measures)
    wanted = {key: scores for key, scores in cells.scores.items() if key[1] in chosen}
    better = {label: record.better if (record := _record(label)) else "high" for label in chosen}
    cube = cube_of_scores(wanted, cells.lacking, better)
    cube = chosen_measures(cube, [cube.measures.index(label) for label in chosen])
    return common_topics(cube) if topics == "both" else cube


def _chosen(labels: list[str], measures: Sequence[str]) -> list[str]:
    """The labels of the measures that are wanted: by name, or as another name of the same measure."""
    if not measures:
        counts = [label for label in labels if (record := _record(label)) and record.kind == "count"]
        return [label for label in labels if label not in counts] or labels
    specs = {label: spec for label in labels if (spec := _spec(label))}
    found: list[str] = []
    for text in measures:
        if text in labels:
            found.append(text)
            continue
        try:
            wanted = [request.spec for request in parse_measures([text])]
        except MeasureError:
            wanted = []
        matching = [label for spec in wanted for label, known in specs.items() if known == spec]
        if not matching:
            raise UsageError(f'the scores have no measure "{text}"; there are {", ".join(labels)}')
        found += matching
    return list(dict.fromkeys(found))


def _spec(label: str) -> Spec | None:
    """The measure that a label names, None where we do not know it."""
    try:
        requests: list[Request] = parse_measures([label])
    except MeasureError:
        return None
    return requests[0].spec if len(requests) == 1 else None


def _record(label: str) -> Measure | None:
    spec = _spec(label)
    return spec.measure if spec else None
