"""Scores to compare, as every command that compares offers them: QRELS RUN..., or --scores with what was scored before.

A command takes `@compared_files`, `@measure_option`, `@compared_options` and calls `compared`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ireval.cli.scored import coverage_notes, score, scoring_options, scoring_signature, settings_of
from ireval.errors import UsageError, printable

if TYPE_CHECKING:
    from ireval.core.scores import ScoreCube
    from ireval.read.source import Source

F = TypeVar("F", bound=Callable[..., Any])

compared_files = click.argument("files", nargs=-1, metavar="[QRELS RUN...]", type=click.Path(allow_dash=True))


def compared_options(command: F) -> F:
    """--scores, --run-list, --system, and how runs are scored."""
    command = scoring_options(command)
    for option in reversed(
        [
            click.option(
                "--scores",
                multiple=True,
                type=click.Path(allow_dash=True),
                metavar="FILE",
                help="Scores by topic instead of QRELS and runs; may be repeated. A CSV or TSV table with a header "
                "(topic and a column for each run, or run, topic and a column for each measure), NTCIREVAL's bare "
                "matrix with --run-list, what trec_eval -q prints (one file a run), or JSON of ireval eval -q.",
            ),
            click.option(
                "--run-list",
                type=click.Path(allow_dash=True),
                metavar="FILE",
                help="Names of the runs that are the columns of a bare matrix, one on each line.",
            ),
            click.option(
                "--system",
                "systems",
                multiple=True,
                metavar="NAME=RUN,RUN,...",
                help="A system of several runs (seeds, folds): their scores are averaged topic by topic.",
            ),
        ]
    ):
        command = option(command)
    return command


@dataclass(frozen=True)
class Compared:
    """Scores and where they come from. signature: parts that follow the measures' names. notes: for stderr."""

    cube: ScoreCube
    inputs: tuple[Source, ...]
    signature: tuple[str, ...]
    notes: tuple[str, ...]


def compared(
    files: Sequence[str],
    measures: Sequence[str],
    given: Mapping[str, Any],
    default: Sequence[str],
    missing: str = "counted as 0; --topics both leaves them out",
) -> Compared:
    """The scores that the arguments ask for. default: measures when none is named (with --scores: all of the file).

    missing: what is said of topics that some of the --scores lack.
    """
    _leave_threads_to_us()
    if bool(files) == bool(given["scores"]):
        raise UsageError("expected QRELS RUN RUN..., or --scores FILE" + (", found both" if files else ""))
    if given["run_list"] and not given["scores"]:
        raise UsageError("--run-list needs --scores")
    found = _from_files(measures, given, missing) if given["scores"] else _from_runs(files, measures or default, given)
    groups = _groups(given["systems"])
    if not groups:
        return found
    from ireval.core.cube import grouped_systems

    spelled = ";".join(f"{name}={','.join(runs)}" for name, runs in groups.items())
    return Compared(
        grouped_systems(found.cube, groups), found.inputs, (*found.signature, f"systems:{spelled}"), found.notes
    )


def _leave_threads_to_us() -> None:
    """Tell numpy's libraries, before it is imported, to take one thread each.

    --jobs says how many threads work; products of small matrices in threads of their own only wait for each other,
    and on a busy machine take ten times as long.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def _from_runs(files: Sequence[str], measures: Sequence[str], given: Mapping[str, Any]) -> Compared:
    from ireval.api import as_source
    from ireval.measures.spec import parse_measures

    if len(files) < 2:
        raise UsageError("expected QRELS RUN RUN..., found no run")
    requests = parse_measures(measures, settings_of(given))
    for request in requests:
        if request.how == "geometric":
            why = "is a geometric mean, which has no scores by topic; name the measure that it averages"
            raise UsageError(f"{request.label} {why}")
    sources = [as_source(file) for file in files]
    results = score(sources[0], sources[1:], requests, given)
    return Compared(
        results.score_cube(),
        tuple(sources),
        tuple(scoring_signature(results, given)),
        tuple(coverage_notes(results, given)),
    )


def _from_files(measures: Sequence[str], given: Mapping[str, Any], missing: str) -> Compared:
    from ireval.api import as_source, read_scores
    from ireval.core.cube import common_topics

    _refuse_scoring_options()
    paths = [*given["scores"], *([given["run_list"]] if given["run_list"] else [])]
    if paths.count("-") > 1:
        raise UsageError("standard input can be only one of the files")
    sources = [as_source(path) for path in paths]
    run_list = sources[-1] if given["run_list"] else None
    cube = read_scores(sources[: len(given["scores"])], measures, run_list=run_list)
    both = given["topics"] == "both"
    notes = _missing_notes(cube, "left out for all runs" if both else missing)
    if both:
        cube = common_topics(cube)
    parts = ("scores:file", f"topics:{given['topics']}", f"n:{len(cube.topics)}")
    return Compared(cube, tuple(sources), parts, tuple(notes))


def _refuse_scoring_options() -> None:
    """Scores that are there already cannot be made another way; --topics and --jobs mean something all the same."""
    context = click.get_current_context()
    scoring = {param.name for param in click.command()(scoring_options(lambda: None)).params} - {"topics", "jobs"}
    for param in context.command.params:
        given = context.get_parameter_source(param.name or "") is click.core.ParameterSource.COMMANDLINE
        if given and param.name in scoring:
            raise UsageError(f"{param.opts[-1]} says how runs are scored, so it does not go with --scores")


def _missing_notes(cube: ScoreCube, fate: str) -> list[str]:
    """One line for each run that lacks topics. fate: what becomes of them."""
    notes = []
    for system, row in zip(cube.systems, cube.missing, strict=True):
        absent = [printable(cube.topics[t], 40) for t in row.nonzero()[0][:6]]
        if absent:
            shown = ", ".join(absent[:5]) + (", ..." if len(absent) > 5 else "")
            notes.append(f"{printable(system)}: {int(row.sum())} of {len(row)} topics missing ({shown}), {fate}")
    return notes


def _groups(texts: Sequence[str]) -> dict[str, list[str]]:
    """`NAME=run1,run2` -> {name: runs}."""
    groups: dict[str, list[str]] = {}
    for text in texts:
        name, _, runs = text.partition("=")
        members = [run.strip() for run in runs.split(",")]
        if not name or not all(members):
            raise UsageError(f'--system: expected NAME=RUN,RUN,..., found "{text}"')
        if name in groups:
            raise UsageError(f'--system: found "{name}" twice')
        groups[name] = members
    return groups
