"""More of the api: evaluating the evaluation. Which measure, which collection, which rankings and judgements agree?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ireval.api import Qrels, cube_of, evaluate, read_qrels, run_names
from ireval.errors import UsageError

if TYPE_CHECKING:
    from ireval.studies.agreement import Agreement
    from ireval.studies.concordance import Concordance
    from ireval.studies.correlate import Correlation
    from ireval.studies.loo import LeaveOneOut


def discrim(
    scores: Any,
    measures: str | Iterable[str] = (),
    *,
    method: str = "bootstrap",
    samples: int = 1000,
    seed: int = 1,
    alpha: float = 0.05,
    replacement: bool = True,
    bin_width: float = 0.01,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Any]:
    """Which measure tells systems apart? A Discrimination (or Swaps) for each measure, best first.

    scores, measures: as `sigtest` takes them. method: bootstrap, hsd, or swap (with or without replacement; alpha is
    then the swap rate that is acceptable, bin_width that of the bins of differences).
    """
    from ireval.studies.discrim import TESTS, best_first, discriminate_all
    from ireval.studies.swap import swap_all

    cube = cube_of(scores, measures)
    if len(cube.systems) < 2 or len(cube.topics) < 2:
        raise UsageError(f"expected two systems and two topics, found {len(cube.systems)} and {len(cube.topics)}")
    if method == "swap":
        drawn = {"samples": samples, "seed": seed}
        swaps = swap_all(cube, **drawn, replacement=replacement, limit=alpha, width=bin_width, progress=progress)
        return sorted(swaps, key=lambda one: -one.share)
    if method not in TESTS:
        raise UsageError(f"method: expected {', '.join(TESTS)} or swap, found {method}")
    return best_first(
        discriminate_all(cube, method, samples=samples, seed=seed, alpha=alpha, jobs=jobs, progress=progress)
    )


def concordance(
    scores: Any,
    candidates: Sequence[str],
    golds: Sequence[str],
    *,
    progress: Callable[[int, int], None] | None = None,
) -> list[Concordance]:
    """Which measure is intuitive? Every two candidates against each gold measure, and against all of them together.

    scores: as `sigtest` takes them; they hold the candidates and the golds.
    """
    from ireval.studies.concordance import concordance as compare

    if len(candidates) < 2 or not golds:
        raise UsageError("expected two candidates and one gold measure at least")
    cube = cube_of(scores, list(dict.fromkeys([*candidates, *golds])))
    gold_rows = [cube.measures.index(name) for name in golds]
    sets = [[row] for row in gold_rows] + ([gold_rows] if len(gold_rows) > 1 else [])
    return compare(cube, [cube.measures.index(name) for name in candidates], sets, progress)


def loo(
    qrels: Qrels,
    runs: Any,
    measures: str | Iterable[str],
    *,
    pool_depth: int,
    teams: str | Mapping[str, str] | None = None,
    by: str = "team",
    pool_order: str | None = None,
    level: int | None = None,
    **scoring: Any,
) -> LeaveOneOut:
    """Is the collection reusable? Every run under all judgements, and without the unique contributions of its team.

    teams: a file of lines `run team`, a regular expression whose first group is the team, or {run: team}; by="run"
    leaves out single runs. pool_order: score, rank or file (none: the order of scoring). scoring: as for `evaluate`.
    """
    from ireval.studying import Collection, Keeper, check_scores, leave_out, teams_of

    if by not in ("team", "run"):
        raise UsageError(f"by: expected team or run, found {by}")
    keeper = Keeper(pool_depth, pool_order)
    results = evaluate(qrels, runs, measures, level=level, scorer=keeper, **scoring)
    check_scores(results.requests)
    return leave_out(Collection.of(results, keeper), teams_of(results.runs, teams, by), 1 if level is None else level)


def correlate(
    first: Mapping[str, float] | Sequence[float],
    second: Mapping[str, float] | Sequence[float],
    *,
    persistence: float = 0.9,
    rbo_ties: Literal["a", "b", "w"] = "a",
) -> Correlation:
    """How alike are two rankings? All coefficients of the scores that two measures give to the same runs.

    first, second: {run: score} with the same runs, or scores in the same order; higher is better. persistence,
    rbo_ties: of rank-biased overlap.
    """
    from ireval.studies.correlate import correlate as compare

    if rbo_ties not in ("a", "b", "w"):
        raise UsageError(f"rbo_ties: expected a, b or w, found {rbo_ties}")
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if first.keys() != second.keys():
            raise UsageError("correlate: expected scores of the same runs")
        names = list(first)
        first, second = [first[run] for run in names], [second[run] for run in names]
    if isinstance(first, Mapping) or isinstance(second, Mapping) or len(first) != len(second):
        raise UsageError("correlate: expected two mappings, or two sequences of the same length")
    return compare(first, second, persistence=persistence, rbo_ties=rbo_ties)


def agree(
    *qrels: Qrels, level: int = 1, binary: bool = False, format: str = "qrels", on_duplicate: str = "error"
) -> Agreement:
    """How far do assessors agree? Two or more judgement files (or dicts, ...) as raters of the same documents."""
    from ireval.studies.agreement import agree as compare

    if len(qrels) < 2:
        raise UsageError("agree: expected the judgements of two assessors at least")
    raters = [read_qrels(one, format=format, on_duplicate=on_duplicate) for one in qrels]
    paths = [os.fspath(one) if isinstance(one, str | os.PathLike) else f"rater{i}" for i, one in enumerate(qrels, 1)]
    return compare(raters, run_names(paths), level=level, binary=binary)


__all__ = ["agree", "concordance", "correlate", "discrim", "loo"]
