"""The verbs: read judgements and runs, evaluate. Commands are a skin over this; Python users call it directly.

import ireval
results = ireval.evaluate("qrels", ["bm25.run", "splade.run"], ["AP", "nDCG@10"])
results.summary()          {"bm25": {"AP": 0.25, "nDCG@10": 0.40}, "splade": {...}}
results.per_topic("bm25")  {"301": {"AP": 0.31, ...}, ...}
results["bm25"].values     a numpy array, measures x topics
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from ireval.core.align import DUPLICATES, ORDERS, Policy
from ireval.core.columns import Doubles, RunColumns
from ireval.core.judgements import Judgements, judgements
from ireval.core.lengths import Lengths
from ireval.core.scores import RunFacts, ScoreCube, Scores, aggregate, normal_share, standardise
from ireval.errors import DataError, DuplicateError, InputError, UsageError
from ireval.measures.spec import (
    NICKNAMES,
    SINCE_10,
    TREC_ORDER,
    Request,
    Settings,
    parse_measures,
    trec_label,
    trec_requests,
)
from ireval.read.formats import DIVERSITY, JUDGEMENTS, RUN
from ireval.read.objects import is_one_run, nested_from_lines, qrels_columns, run_columns
from ireval.read.source import Source
from ireval.read.trec import read_judgements
from ireval.scoring import OpenRun, TopicPolicy, open_run, score_run

if TYPE_CHECKING:
    from ireval.studies.med_results import Distances
    from ireval.studies.sigtest import Comparison

TOPIC_SETS = ("qrels", "both")
OVER = ("relevant", "all")
SHORT = ("filled", "ended")
NORMALISATIONS = ("paper", "qrels")
Qrels = Any
"""A path, {topic: {document: level}}, columns (a DataFrame or a dict of lists), or Judgements."""
Run = Any
"""A path, {topic: {document: score}}, columns (a DataFrame or a dict of lists), or RunColumns."""


@dataclass(frozen=True)
class ScoredRuns:
    """Scores of some runs (or sessions, answers, summaries of some systems) by some measures.

    runs: names in the order given. requests: the measures. scores: one Scores a run, all about the same topics.
    """

    runs: tuple[str, ...]
    requests: tuple[Request, ...]
    scores: tuple[Scores, ...]

    def __getitem__(self, run: str) -> Scores:
        return self.scores[self._number(run)]

    def _number(self, run: str) -> int:
        if run not in self.runs:
            raise KeyError(f"no run {run!r}; there are {', '.join(self.runs)}")
        return self.runs.index(run)

    @property
    def measures(self) -> tuple[str, ...]:
        """Labels of the measures, in the order given."""
        return tuple(request.label for request in self.requests)

    @property
    def topics(self) -> list[str]:
        """Ids of the topics, in byte order."""
        return [_text(topic) for topic in self.scores[0].topics]

    def cube(self) -> Doubles:
        """All values as one array [runs, measures, topics]."""
        return np.stack([scores.values for scores in self.scores])

    def score_cube(self, rows: Sequence[int] | None = None) -> ScoreCube:
        """The values of some measures (all of them by default), for tests and studies."""
        chosen = list(range(len(self.requests)) if rows is None else rows)
        for row in chosen:
            if self.requests[row].spec.measure.kind not in ("score", "count"):
                raise UsageError(
                    f"{self.measures[row]} has no number for each topic, so it cannot be compared by topic"
                )
        return ScoreCube(
            self.runs,
            tuple(self.measures[row] for row in chosen),
            tuple(self.topics),
            self.cube()[:, chosen, :],
            np.stack([scores.missing for scores in self.scores]),
            tuple(self.requests[row].spec.measure.better for row in chosen),
        )

    def value(self, run: int, row: int) -> float | int | str | None:
        """The summary value of one run and measure; None where a measure has none."""
        record, scores = self.requests[row].spec.measure, self.scores[run]
        if record.kind == "summary":
            found: float | int | str = record.compute(scores.facts)
            return found
        if record.kind == "text":
            return None
        total = aggregate(scores.values[row], self.requests[row].how)
        return int(total) if record.kind == "count" and self.requests[row].how == "sum" else total

    def summary(self) -> dict[str, dict[str, float | int | str | None]]:
        """{run: {measure: value over all topics}}."""
        rows = range(len(self.requests))
        return {name: {self.measures[row]: self.value(i, row) for row in rows} for i, name in enumerate(self.runs)}

    def topic_value(self, run: int, row: int, topic: int) -> float | int | str | None:
        """The value of one run, measure and topic; None where a measure has none."""
        record, scores = self.requests[row].spec.measure, self.scores[run]
        if record.kind == "text":
            return scores.texts[row][topic]
        if record.kind == "summary" or not record.per_topic:
            return None
        value = float(scores.values[row, topic])
        whole = record.kind == "count" and not self.requests[row].aggregate  # a standardised count is no count
        return int(value) if whole else value

    def per_topic(self, run: str | None = None) -> dict[str, dict[str, float | int | str | None]]:
        """{topic: {measure: value}} of one run (the only one, if there is just one)."""
        if run is None and len(self.runs) > 1:
            raise UsageError(f"per_topic: expected the name of a run, one of {', '.join(self.runs)}")
        index = 0 if run is None else self._number(run)
        rows = range(len(self.requests))
        return {
            topic: {self.measures[row]: self.topic_value(index, row, t) for row in rows}
            for t, topic in enumerate(self.topics)
        }

    def to_dataframe(self, per_topic: bool = True) -> Any:
        """A pandas DataFrame with columns run, topic (unless per_topic is False) and one for each measure."""
        try:
            import pandas
        except ImportError:
            raise UsageError("to_dataframe needs pandas, which is not installed") from None
        if not per_topic:
            return pandas.DataFrame([{"run": run, **row} for run, row in self.summary().items()])
        return pandas.DataFrame(
            [{"run": run, "topic": t, **row} for run in self.runs for t, row in self.per_topic(run).items()]
        )


@dataclass(frozen=True)
class Results(ScoredRuns):
    """Scores of ranked lists, and the judgements they were made with."""

    judged: Judgements


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def read_qrels(
    qrels: Qrels,
    *,
    format: str = "qrels",
    on_duplicate: str = "error",
    intents: str | os.PathLike[str] | Source | None = None,
    over: str = "relevant",
) -> Judgements:
    """Judgements from a path, a dict of dicts, columns, or as they are.

    Of diversity judgements (format "diversity" or "ntcir_diversity"), intents: a file of their probabilities and
    types; over: "relevant" counts the intents that have a relevant document, "all" all that are named.
    """
    return qrels_and_repeats(qrels, format, on_duplicate, intents, over)[0]


def qrels_and_repeats(
    qrels: Qrels, format: str, on_duplicate: str, intents: Any = None, over: str = "relevant"
) -> tuple[Judgements, int]:
    """Judgements, and how many repeated ones were passed over."""
    if isinstance(qrels, Judgements):
        return qrels, 0
    if format not in JUDGEMENTS and format not in DIVERSITY:
        raise UsageError(f"no judgement format {format}; there are {', '.join((*JUDGEMENTS, *DIVERSITY))}")
    is_file = isinstance(qrels, str | os.PathLike | Source)
    columns = read_judgements(as_source(qrels), format) if is_file else qrels_columns(qrels, format in DIVERSITY)
    keep_first = on_duplicate == "first"
    if format in DIVERSITY:
        from ireval.core.intents import judgements_by_intent
        from ireval.read.intents import read_intents

        known = read_intents(as_source(intents)) if intents is not None else None
        return judgements_by_intent(columns, known, over, keep_first=keep_first)
    if intents is not None:
        raise UsageError("intents need judgements in the format diversity or ntcir_diversity")
    judged, repeated = judgements(columns, by_group=format == "qrels_jg", keep_first=keep_first)
    try:
        judged.check_duplicates()
    except DuplicateError as error:
        if is_file and format == "qrels" and _are_of_intents(as_source(qrels)):
            error.why += "; these look like judgements of intents: --qrels-format diversity"
        raise
    return judged, repeated


def _are_of_intents(source: Source) -> bool:
    """Whether judgements that repeat documents do not when their second field is an intent."""
    if source.path == "-":
        return False
    from ireval.core.intents import judgements_by_intent

    try:
        judgements_by_intent(read_judgements(source, "diversity"))
    except InputError:
        return False
    return True


def read_run(run: Run, *, order: str = "score") -> RunColumns:
    """A whole run from a path, a dict of dicts, columns, or as it is."""
    from ireval.read.trec import read_run as read_file

    source = _as_run(run, "run")
    return source if isinstance(source, RunColumns) else read_file(source, with_ranks=order == "rank")


def read_scores(
    scores: Any,
    measures: str | Iterable[str] = (),
    *,
    run_list: str | os.PathLike[str] | Source | Sequence[str] | None = None,
    topics: str = "qrels",
) -> ScoreCube:
    """Scores by topic from files that some tool wrote: what `ireval sigtest --scores` takes.

    scores: a path or several. measures: those wanted (none: all but counts). run_list: names of the columns of a bare
    matrix, or a file of them. topics: "qrels" counts a missing score as 0, "both" leaves out topics that a run lacks.
    """
    from ireval.comparing import read_cube
    from ireval.read.matrix import read_names

    if topics not in TOPIC_SETS:
        raise UsageError(f"topics: expected {' or '.join(TOPIC_SETS)}, found {topics}")
    one = isinstance(scores, str | os.PathLike | Source)
    sources = [as_source(path) for path in ([scores] if one else scores)]
    if not sources:
        raise UsageError("no file of scores is given")
    names: Sequence[str] | None = None
    if run_list is not None:
        is_file = isinstance(run_list, str | os.PathLike | Source)
        names = read_names(as_source(run_list)) if is_file else list(run_list)  # type: ignore[arg-type]
    wanted = [measures] if isinstance(measures, str) else list(measures)
    return read_cube(sources, run_names([source.name for source in sources]), names, wanted, topics)


def sigtest(
    scores: Any,
    measures: str | Iterable[str] = (),
    *,
    test: str = "",
    baseline: str | None = None,
    correction: str = "holm",
    alpha: float = 0.05,
    samples: int = 10_000,
    seed: int = 1,
    statistic: str = "mean",
    power: bool = False,
    systems: Mapping[str, Sequence[str]] | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Comparison]:
    """Are differences between systems real? One Comparison for each measure.

    scores: Results of `evaluate`, a ScoreCube, or files as `read_scores` takes them. measures: names of some of them
    (none: all). test: bootstrap, randomisation, sign, t, wilcoxon, unpaired, hsd, tukey, anova or friedman; by default
    randomised Tukey HSD (hsd) for three systems or more, else the randomisation test. correction: none, bonferroni,
    holm or bh, for tests of pairs. systems: {name: runs that are averaged}. jobs: threads.
    """
    from ireval.core.cube import grouped_systems
    from ireval.stats.registry import Resampling
    from ireval.studies.sigtest import Request as TestRequest
    from ireval.studies.sigtest import compare

    cube = cube_of(scores, measures)
    cube = grouped_systems(cube, systems or {})
    how = Resampling(samples, seed, alpha, jobs=jobs, progress=progress)
    own_topics = not isinstance(scores, Results | ScoreCube)
    request = TestRequest(test, correction, baseline, statistic, power, own_topics, how)
    return [compare(cube, row, request) for row in range(len(cube.measures))]


def cube_of(scores: Any, measures: str | Iterable[str]) -> ScoreCube:
    """Some of the scores (no names: all) of Results, a ScoreCube, or files as `read_scores` takes them."""
    from ireval.core.cube import chosen_measures

    wanted = [measures] if isinstance(measures, str) else list(measures)
    cube = scores.score_cube() if isinstance(scores, Results) else scores
    if not isinstance(cube, ScoreCube):
        return read_scores(scores, wanted)
    for name in wanted:
        if name not in cube.measures:
            raise UsageError(f"no measure {name}; there are {', '.join(cube.measures)}")
    return chosen_measures(cube, [cube.measures.index(name) for name in wanted]) if wanted else cube


def as_source(path: str | os.PathLike[str] | Source) -> Source:
    """A Source from a path, or as it is."""
    return path if isinstance(path, Source) else Source(path)


def _as_run(run: Run, name: str) -> Source | RunColumns:
    if isinstance(run, str | os.PathLike | Source):
        return as_source(run)
    if isinstance(run, RunColumns):
        return run
    columns = run_columns(run, name)
    if not columns.topics:
        raise InputError(name, None, "", "expected scores, found an empty run")
    return columns


_SUFFIXES = tuple(
    ".gz .bz2 .xz .run .txt .res .trec .csv .tsv .json .jsonl .out .sessions .matches .mat .answers".split()
)


def run_names(paths: Sequence[str]) -> list[str]:
    """The shortest distinct ending of each path, without the usual suffixes where it stays distinct."""
    endings = [_endings(path) for path in paths]
    owners = Counter(ending for own in endings for ending in set(own))
    return [next((e for e in own if owners[e] == 1), path) for path, own in zip(paths, endings, strict=True)]


def _endings(path: str) -> list[str]:
    """What a path may be called, shortest first: its last parts, each time first without suffixes, then as they are."""
    parts = path.replace(os.sep, "/").split("/")
    whole = ["/".join(parts[-count:]) for count in range(1, len(parts) + 1)]
    return [name for ending in whole for name in (_without_suffixes(ending), ending)]


def _without_suffixes(name: str) -> str:
    for suffix in _SUFFIXES:
        if name.endswith(suffix) and len(os.path.basename(name)) > len(suffix):
            return _without_suffixes(name[: -len(suffix)])
    return name


def _named_runs(runs: Any) -> tuple[list[str], list[Source | RunColumns]]:
    """Names and inputs of the runs, from one run, a sequence, or {name: run}."""
    if isinstance(runs, Mapping) and not is_one_run(runs):
        return [str(n) for n in runs], [_as_run(run, str(n)) for n, run in runs.items()]
    one = isinstance(runs, str | os.PathLike | Source | RunColumns | Mapping) or hasattr(runs, "columns")
    runs = [runs] if one else list(runs)
    paths = [
        run.name if isinstance(run, Source) else os.fspath(run) if isinstance(run, str | os.PathLike) else f"run{i}"
        for i, run in enumerate(runs, 1)
    ]
    if len(set(paths)) < len(paths):
        raise UsageError("the same run is given twice")
    names = run_names(paths)
    return names, [_as_run(run, name) for run, name in zip(runs, names, strict=True)]


def evaluate(
    qrels: Qrels,
    runs: Any,
    measures: str | Iterable[str] | Iterable[Request] = ("official",),
    *,
    format: str = "qrels",
    level: int | None = None,
    gains: str | None = None,
    docs: int | None = None,
    order: str = "score",
    depth: int | None = None,
    condensed: bool = False,
    topics: str = "qrels",
    on_duplicate: str = "error",
    lengths: Any = None,
    default_length: tuple[int, int] | None = None,
    intents: str | os.PathLike[str] | Source | None = None,
    over: str = "relevant",
    jobs: int = 1,
    progress: Callable[[str, int], None] | None = None,
    scorer: Callable[..., list[Scores]] | None = None,
) -> Results:
    """Score runs against judgements.

    qrels: a path, {topic: {document: level}}, columns or Judgements. runs: one run or several (paths, dicts of dicts,
    columns), or {name: run}. measures: in trec_eval's grammar or ir_measures' (see `ireval measures`).
    level: lowest relevant level. gains: gain of each level. docs: size of the collection. order: score, rank or file.
    depth: documents looked at. condensed: leave unjudged documents out. topics: "qrels" scores missing topics as empty
    rankings, "both" leaves out topics that a run lacks. on_duplicate: "error" or "first". lengths: a file of document
    lengths, for U and TBG; default_length: characters and words of documents that it lacks. intents, over: as in
    read_qrels; measures of diversity make it read judgements of intents. jobs: runs scored at once.
    scorer: for studies, which score the same runs again (see `ireval.studying.Keeper`).
    """
    _check_choices(
        order=(order, ORDERS),
        topics=(topics, TOPIC_SETS),
        on_duplicate=(on_duplicate, DUPLICATES),
        over=(over, OVER),
    )
    for name, number, least in (("level", level, 0), ("docs", docs, 0), ("depth", depth, 1), ("jobs", jobs, 0)):
        if number is not None and number < least:
            raise UsageError(f"{name}: expected a number from {least} on, found {number}")
    settings: Settings = {"level": level, "gains": gains, "docs": docs}
    asked = [measures] if isinstance(measures, str) else list(measures)
    names = [measure for measure in asked if isinstance(measure, str)]
    requests = parse_measures(names, settings) if names else [r for r in asked if isinstance(r, Request)]
    if not requests:
        raise UsageError("no measure is asked for")
    if format == "qrels" and (intents is not None or any(r.spec.needs == "intents" for r in requests)):
        format = "diversity"
    judged, repeated = qrels_and_repeats(qrels, format, on_duplicate, intents, over)
    run_labels, inputs = _named_runs(runs)
    if not inputs:
        raise UsageError("no run is given")
    policy = Policy(
        order=order,
        depth=depth,
        condensed=condensed,
        on_duplicate=on_duplicate,
        ties_ascending=judged.preferences is not None,
    )
    specs = [request.spec for request in requests]
    known = _read_lengths(lengths, default_length)
    every = (scorer or score_all)(judged, run_labels, inputs, specs, policy, jobs, progress, known)
    if repeated:
        every = [_with_repeated(scores, repeated) for scores in every]
    if topics == "both":
        every = common_topics(every)
    if not every[0].topics or all(scores.missing.all() for scores in every):
        raise DataError("no topic has both judgements and results")
    return Results(tuple(run_labels), tuple(requests), tuple(every), judged)


def med(
    runs: Any,
    measures: str | Iterable[str] = (),
    *,
    qrels: Qrels | None = None,
    format: str = "qrels",
    progress: Callable[[str, int], None] | None = None,
    **wishes: Any,
) -> Distances:
    """How far apart are the rankings of two or more runs: MED of measures, and RBO, overlap, AnchorMap, Kendall.

    runs: paths, dicts of dicts, columns, or {name: run}; for U@l, paths of passage runs. measures: such as nDCG@20,
    RBP(p=0.9), AP@100, ERR@20, RBO; by default nDCG@20, RBP(p=0.9) and RBO. qrels: judgements, which fix the relevance
    of the documents they cover. Further wishes, with their defaults:

    max_grade: highest grade of documents without judgement (the highest one judged; 2 without judgements).
    short: lists that end before the cutoff are "filled" with free variables (default), or have "ended".
    normalise: as the "paper" does (default; gains are then exp2), or by the "qrels", as `evaluate` does.
    budget: seconds that the search for a topic's value may take (1.0).
    top: topics that changed most, kept with the documents that moved (20).
    keep_topics: keep every topic's values (True); otherwise only means and the topics that changed most.
    level, gains, order, depth, on_duplicate: as for `evaluate`.
    """
    from ireval.distances import Wishes, distances_between

    unknown = set(wishes) - {field.name for field in fields(Wishes)}
    if unknown:
        raise TypeError(f"med() has no argument {', '.join(sorted(unknown))}")
    wish = Wishes(**wishes)
    _check_choices(
        order=(wish.order, ORDERS),
        short=(wish.short, SHORT),
        normalise=(wish.normalise, NORMALISATIONS),
        on_duplicate=(wish.on_duplicate, DUPLICATES[:2]),
    )
    names, inputs = _named_runs(runs)
    judged = None if qrels is None else qrels_and_repeats(qrels, format, wish.on_duplicate)[0]
    texts = [measures] if isinstance(measures, str) else list(measures)
    return distances_between(names, inputs, texts, judged, wish, progress)


def _check_choices(**given: tuple[str, tuple[str, ...]]) -> None:
    """Refuse a word that is not among those allowed."""
    for name, (value, allowed) in given.items():
        if value not in allowed:
            raise UsageError(f"{name}: expected {' or '.join(allowed)}, found {value}")


def _reference_name(request: Request) -> str:
    """What a measure is called in a file of means and deviations: as trec_eval prints it where it has it."""
    return trec_label(request.spec) if request.spec.measure.trec else request.label


def _score_rows(results: Results) -> list[int]:
    return [row for row, request in enumerate(results.requests) if request.spec.measure.kind in ("score", "count")]


def _means_and_deviations(results: Results) -> tuple[Doubles, Doubles]:
    """Mean and standard deviation over the runs of each measure and topic; two [measures, topics]."""
    cube = results.cube()
    if len(cube) < 2:
        raise UsageError("means and deviations over runs need two runs at least")
    same = (cube == cube[0]).all(axis=0)  # otherwise equal scores would have a mean and deviation of rounding noise
    return np.where(same, cube[0], cube.mean(axis=0)), np.where(same, 0.0, cube.std(axis=0, ddof=1))


def zscore_lines(results: Results) -> bytes:
    """Mean and deviation over the runs of each topic and measure, as trec_eval's -Z reads them."""
    mean, deviation = _means_and_deviations(results)
    lines = [
        f"{topic}\t{_reference_name(results.requests[row])}\t{float(mean[row, t])!r}\t{float(deviation[row, t])!r}\n"
        for row in _score_rows(results)
        for t, topic in enumerate(results.topics)
    ]
    return "".join(lines).encode("utf-8", "surrogateescape")


def standardised(results: Results, how: str, reference: Source | None = None) -> Results:
    """Scores as deviations from the mean of their topic (z), or as their place in the normal distribution (cdf).

    Means and deviations come from the runs themselves, or from a file. Webber, Moffat & Zobel, Score Standardization
    for Inter-Collection Comparison of Retrieval Systems, SIGIR 2008.
    """
    every = [scores.values.copy() for scores in results.scores]
    mean, deviation = _means_and_deviations(results) if reference is None else (None, None)
    known = None
    if reference is not None:
        from ireval.read.zscores import read_zscores

        known = read_zscores(reference)
    for row in _score_rows(results):
        if known is not None:
            from ireval.read.zscores import lookup

            name = _reference_name(results.requests[row]).encode("utf-8", "surrogateescape")
            means, deviations = lookup(known, results.scores[0].topics, name)
            lacking = int(np.count_nonzero(np.isnan(means)))
            if lacking:
                shown = name.decode("utf-8", "surrogateescape")
                raise DataError(f"the reference has no mean and deviation of {shown} for {lacking} of the topics")
        else:
            assert mean is not None and deviation is not None
            means, deviations = mean[row], deviation[row]
        for values in every:
            values[row] = standardise(values[row], means, deviations)
            if how == "cdf":
                values[row] = normal_share(values[row])
    requests = tuple(
        replace(request, label=f"{how}:{request.label}", aggregate=request.aggregate or "mean")
        if row in _score_rows(results)
        else request
        for row, request in enumerate(results.requests)
    )
    scores = tuple(replace(old, values=values) for old, values in zip(results.scores, every, strict=True))
    return replace(results, requests=requests, scores=scores)


def _read_lengths(lengths: Any, default: tuple[int, int] | None) -> Lengths | None:
    """Document lengths from a path, or as they are."""
    if lengths is None or isinstance(lengths, Lengths):
        return lengths
    from ireval.read.lengths import read_lengths

    return read_lengths(as_source(lengths), default)


def _with_repeated(scores: Scores, repeated: int) -> Scores:
    """Repeated judgements that were passed over are told together with the run's repeated documents."""
    return replace(scores, facts=replace(scores.facts, repeated=scores.facts.repeated + repeated))


def common_topics(every: list[Scores]) -> list[Scores]:
    """Only the topics that every run has."""
    keep = ~np.logical_or.reduce([scores.missing for scores in every])
    rows = np.flatnonzero(keep).tolist()
    return [
        Scores(
            [scores.topics[i] for i in rows],
            scores.values[:, keep],
            {v: [texts[i] for i in rows] for v, texts in scores.texts.items()},
            scores.missing[keep],
            replace(scores.facts, topics=len(rows)),
        )
        for scores in every
    ]


def score_all(
    judged: Judgements,
    names: Sequence[str],
    inputs: Sequence[Source | RunColumns],
    specs: Sequence[Any],
    policy: Policy,
    jobs: int,
    progress: Callable[[str, int], None] | None,
    lengths: Lengths | None = None,
) -> list[Scores]:
    """Scores of every run, some at the same time where jobs > 1; the order and the numbers do not depend on it."""
    topics = TopicPolicy(missing="empty")
    shareable = [
        i
        for i, run in enumerate(inputs)
        if isinstance(run, RunColumns) or (run.path != "-" and os.path.isfile(run.path))
    ]
    found: dict[int, Scores] = {}
    if jobs != 1 and len(shareable) > 1:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
        workers = min(len(shareable), jobs if jobs > 0 else os.cpu_count() or 1)
        shared = (judged, specs, policy, topics, lengths)
        with ProcessPoolExecutor(workers, multiprocessing.get_context(method), _share, (shared,)) as pool:
            for i, scores in zip(shareable, pool.map(_score_shared, [inputs[i] for i in shareable]), strict=True):
                found[i] = scores
                if progress:
                    progress(names[i], 0)
    left = [i for i in range(len(inputs)) if i not in found]  # among them pipes, which no other process can read for us
    coming = [_begun(inputs[i], policy) for i in left[:1]]
    try:
        for i, after in zip_longest(left, left[1:]):
            run = coming.pop()
            if after is not None:  # begin to read the next run while this one is scored
                coming.append(_begun(inputs[after], policy))
            told = partial(progress, names[i]) if progress else None
            found[i] = score_run(judged, run, specs, policy, topics, told, lengths)
    finally:
        for begun in coming:
            if isinstance(begun, OpenRun):
                begun.batches.close()
    return [found[i] for i in range(len(inputs))]


def _is_file(source: Source) -> bool:
    """Whether another process can read it: a pipe can be read only here."""
    return source.path != "-" and os.path.isfile(source.path)


def _begun(run: Source | RunColumns, policy: Policy) -> OpenRun | RunColumns:
    return run if isinstance(run, RunColumns) else open_run(run, policy)


_shared: Any = None


def _share(shared: Any) -> None:
    global _shared
    _shared = shared


def _score_shared(run: Source | RunColumns) -> Scores:
    judged, specs, policy, topics, lengths = _shared
    return score_run(judged, run, specs, policy, topics, None, lengths)


# -- pytrec_eval's interface ----------------------------------------------------------------------------------------

supported_measures = frozenset(NICKNAMES["all_trec"]) - SINCE_10
supported_nicknames = {name: set(members) - SINCE_10 for name, members in NICKNAMES.items()}


class RelevanceEvaluator:
    """pytrec_eval's class of the same name: `from ireval import RelevanceEvaluator`, or `import ireval as pytrec_eval`.

    Same arguments, same results (which are trec_eval 9's): values for each topic that the run and the judgements share.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Any,
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        """query_relevance: {topic: {document: level}}; measures: `map`, `ndcg_cut_10`, `P.5,10`, `official`, ..."""
        self._requests = _combined(measures, {"level": relevance_level, "rounding": "up", "compat": 9})
        judged = {topic: inner for topic, inner in query_relevance.items() if inner}
        self._judged = read_qrels(judged) if judged else None
        self._policy = Policy(single=True, condensed=judged_docs_only_flag)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """{topic: {measure: value}} of a run {topic: {document: score}}."""
        if not scores or self._judged is None:
            return {}
        specs = [request.spec for request in self._requests]
        topics = TopicPolicy("skip" if all(scores.values()) else "empty", keep_nan=True)
        found = score_run(self._judged, run_columns(scores), specs, self._policy, topics)
        values = {request.label: self._row(found, row) for row, request in enumerate(self._requests)}
        ids = {str(topic) for topic in scores}  # a topic without documents is scored, one that is not there is not
        return {
            topic: {name: row[t] for name, row in values.items()}
            for t, topic in enumerate(map(_text, found.topics))
            if topic in ids
        }

    def _row(self, found: Scores, row: int) -> list[float]:
        """One measure's values. As there: a text is 0.0, the number of topics is 1.0 for each of them."""
        record = self._requests[row].spec.measure
        if record.name == "num_q":
            return [1.0] * len(found.topics)
        if record.kind in ("text", "summary"):
            return [0.0] * len(found.topics)
        return [float(v) for v in found.values[row]]


def _combined(measures: Iterable[str], settings: Settings) -> list[Request]:
    """The requests as pytrec_eval makes them: all numbers given for a measure are put together and replace its own."""
    numbers: dict[str, set[str]] = {}
    others = []
    for text in sorted({name for given in measures for name in supported_nicknames.get(given, (given,))}):
        found = re.fullmatch(r"(.+?)[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)", text)
        if text in supported_measures:
            numbers.setdefault(text, set())
        elif found and found[1] in supported_measures:
            numbers.setdefault(found[1], set()).update(found[2].split(","))
        else:
            others.append(text)
    return [
        request if request.spec.measure.cutoff else replace(request, label=name)
        for name in TREC_ORDER
        if name in numbers
        for request in trec_requests(name, ",".join(sorted(numbers[name])) or None, settings)
    ] + parse_measures(others, settings)


def parse_run(lines: Iterable[str]) -> dict[str, dict[str, float]]:
    """pytrec_eval's function: the lines of a run as {topic: {document: score}}."""
    return nested_from_lines(lines, RUN.fields, "score", "run")


def parse_qrel(lines: Iterable[str]) -> dict[str, dict[str, int]]:
    """pytrec_eval's function: the lines of a judgement file as {topic: {document: level}}."""
    nested = nested_from_lines(lines, JUDGEMENTS["qrels"].fields, "level", "qrels")
    return {topic: {document: int(level) for document, level in inner.items()} for topic, inner in nested.items()}


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """pytrec_eval's helper: sum of num_*, geometric mean of gm_* (whose values are logarithms), else the mean."""
    how = "sum" if measure.startswith("num_") else "geometric" if measure.startswith("gm_") else "mean"
    return aggregate(np.asarray(values, np.float64), how)


__all__ = [
    "Judgements",
    "RelevanceEvaluator",
    "Results",
    "RunFacts",
    "ScoreCube",
    "ScoredRuns",
    "Scores",
    "compute_aggregated_measure",
    "evaluate",
    "med",
    "parse_qrel",
    "parse_run",
    "read_qrels",
    "read_run",
    "read_scores",
    "sigtest",
    "supported_measures",
    "supported_nicknames",
]
