"""Scoring runs, as every command that takes QRELS RUN... offers it: the options, the work, and how it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ireval.errors import UsageError
from ireval.notes import RANKED, Terms, coverage

if TYPE_CHECKING:
    from ireval.api import Results, ScoredRuns
    from ireval.core.judgements import Judgements
    from ireval.measures.spec import Request
    from ireval.read.source import Source

F = TypeVar("F", bound=Callable[..., Any])

topics_option = click.option(
    "--topics",
    type=click.Choice(["qrels", "both"]),
    default="qrels",
    show_default=True,
    help="qrels: a topic that a run lacks is scored as an empty ranking; both: only topics that the "
    "judgements and all runs have.",
)

order_option = click.option(
    "--order",
    type=click.Choice(["score", "rank", "file"]),
    default="score",
    show_default=True,
    help="Order documents by score (ties: document number, high to low), by the rank column, or as they stand.",
)

gains_option = click.option(
    "--gains", help="Gains of levels 1, 2, ... such as 1:3:7; or exp2, or pairs such as 1=1,3=7."
)

duplicate_option = click.option(
    "--on-duplicate",
    type=click.Choice(["error", "first"]),
    default="error",
    show_default=True,
    help="A document twice in a topic, or judged twice: refuse, or take the first and count the others.",
)


def scoring_options(command: F) -> F:
    """How runs are read, ordered, joined with judgements and scored."""
    for option in reversed(
        [
            topics_option,
            order_option,
            click.option("--depth", type=click.IntRange(1), help="Look at the first N documents of each topic only."),
            click.option("--level", type=click.IntRange(0), help="Lowest level that counts as relevant (default 1)."),
            click.option("--condensed", is_flag=True, help="Leave unjudged documents out of the rankings."),
            gains_option,
            click.option("--docs", type=click.IntRange(0), help="Number of documents in the collection (for utility)."),
            click.option(
                "--qrels-format",
                type=click.Choice(
                    ["qrels", "ntcir", "qrels_jg", "qrels_prefs", "prefs", "diversity", "ntcir_diversity"]
                ),
                default="qrels",
                show_default=True,
                help="Format of the judgements; ntcir has three fields and levels such as L2, qrels_jg averages every "
                "measure over the groups. Measures of diversity make qrels mean diversity.",
            ),
            click.option(
                "--intents",
                type=click.Path(allow_dash=True),
                help="Intents of diversity judgements: topic, intent, probability, perhaps inf or nav on each line.",
            ),
            click.option(
                "--over",
                type=click.Choice(["relevant", "all"]),
                default="relevant",
                show_default=True,
                help="Intents that count: those with a relevant document, or all that are named.",
            ),
            click.option(
                "--lengths",
                type=click.Path(allow_dash=True),
                help="Document lengths for U and TBG: document, characters and perhaps words on each line.",
            ),
            click.option(
                "--default-length",
                metavar="CHARACTERS[:WORDS]",
                help="Length of documents that the file of lengths lacks; their number is told.",
            ),
            duplicate_option,
            click.option(
                "-j",
                "--jobs",
                type=click.IntRange(0),
                default=1,
                show_default=True,
                help="Runs scored at once; 0: as many as there are processors.",
            ),
        ]
    ):
        command = option(command)
    return command


DIVERSITY_FILES = ("Dnev", "DINnev", "nevIA", "nevPQ")
ONE_RUN = ("nev", *DIVERSITY_FILES)
"""Layouts of NTCIREVAL's that hold one run."""


def check_layout(format_name: str, shown: list[Any], runs: int) -> None:
    """NTCIREVAL's files hold one measure (matrix, means) or one run (nev)."""
    if format_name in ("matrix", "means"):
        if len(shown) != 1:
            raise UsageError(f"-f {format_name} takes one measure, found {len(shown)}")
        if shown[0].spec.measure.kind in ("text", "summary"):
            raise UsageError(f"-f {format_name} takes a measure with a number for each topic, found {shown[0].label}")
    if format_name in ONE_RUN and runs != 1:
        raise UsageError(f"-f {format_name} takes one run, found {runs}")


def settings_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """What the options set for all measures at once."""
    from ireval.measures.gains import parse_gains

    if given["gains"] is not None:
        parse_gains(given["gains"])
    return {"level": given["level"], "gains": given["gains"], "docs": given["docs"]}


def score(
    qrels: Source | Judgements,
    runs: Sequence[Source],
    requests: Sequence[Request],
    given: Mapping[str, Any],
    *,
    others: int = 0,
    scorer: Any = None,
) -> Results:
    """Every run scored by every measure, with a progress bar. others: further inputs that are standard input.

    scorer: who scores, where the runs are to be scored again (`ireval.studying.Keeper`).
    """
    from ireval.api import evaluate
    from ireval.cli.progress import Progress

    files = [getattr(qrels, "path", None), *(run.path for run in runs), given["lengths"], given["intents"]]
    if files.count("-") + others > 1:
        raise UsageError("standard input can be only one of the files")
    if given["default_length"] and not given["lengths"]:
        raise UsageError("--default-length needs --lengths")
    with Progress(len(runs), "scoring", given["quiet"]) as bar:
        finished: list[str] = []

        def tick(name: str, rows: int) -> None:
            if name not in finished:
                finished.append(name)
            bar.update(len(finished) - (1 if rows else 0), name)

        return evaluate(
            qrels,
            runs,
            requests,
            format=given["qrels_format"],
            progress=tick,
            lengths=given["lengths"],
            intents=given["intents"],
            over=given["over"],
            default_length=_default_length(given["default_length"]),
            scorer=scorer,
            **{name: given[name] for name in ("order", "depth", "condensed", "topics", "on_duplicate", "jobs")},
        )


def further_inputs(given: Mapping[str, Any]) -> list[Source]:
    """The files beside judgements and runs, for the list of inputs; standard input cannot be read again."""
    from ireval.api import as_source

    return [as_source(given[name]) for name in ("intents", "lengths") if given[name] not in (None, "-")]


def _default_length(text: str | None) -> tuple[int, int] | None:
    """`5000:800` -> characters and words; without words, TBG has no default."""
    if text is None:
        return None
    try:
        characters, _, words = text.partition(":")
        if int(characters) < 0 or int(words or 0) < 0:
            raise ValueError
        return int(characters), int(words) if words else -1
    except ValueError:
        raise UsageError(f'--default-length: expected CHARACTERS[:WORDS] such as 5000:800, found "{text}"') from None


def scoring_signature(results: Results, given: Mapping[str, Any]) -> list[str]:
    """How the scores were made: the parts of a signature that come after the names of the measures."""
    ties = "asc" if results.judged.preferences is not None else "desc"
    parts = [
        f"rel:{1 if given['level'] is None else given['level']}",
        f"ties:docno-{ties}" if given["order"] == "score" else f"order:{given['order']}",
        f"topics:{given['topics']}",
        f"n:{len(results.scores[0].topics)}",
    ]
    if given["gains"]:
        parts.append(f"gains:{given['gains']}")
    if given["depth"]:
        parts.append(f"depth:{given['depth']}")
    if given["condensed"]:
        parts.append("condensed:yes")
    intents = results.judged.intents
    if intents is not None:
        probabilities = "uniform" if intents.uniform else "file"
        parts.append(f"qrels:{'ntcir_' if given['qrels_format'].startswith('ntcir') else ''}diversity")
        parts.append(f"intents:{probabilities},over:{intents.over}")
    elif given["qrels_format"] != "qrels":
        parts.append(f"qrels:{given['qrels_format']}")
    if given["on_duplicate"] != "error":
        parts.append(f"duplicates:{given['on_duplicate']}")
    if given["lengths"]:
        parts.append("lengths:file" + (f",default:{given['default_length']}" if given["default_length"] else ""))
    return parts


def coverage_notes(results: ScoredRuns, given: Mapping[str, Any], terms: Terms = RANKED) -> list[str]:
    """One line for each run that is not complete."""
    scored = given["topics"] != "both"
    fate = "counted as 0; --topics both leaves them out" if scored else "left out for all runs"
    several = len(results.runs) > 1
    lines = [
        coverage(scores.facts, fate, name if several else "", terms)
        for name, scores in zip(results.runs, results.scores, strict=True)
    ]
    judged = getattr(results, "judged", None)
    intents = judged.intents if judged is not None else None
    if intents is not None and int(intents.count.max(initial=0)) < 2:
        lines.append("no topic has more than one intent: are these judgements of intents?")
    return [line for line in lines if line]
