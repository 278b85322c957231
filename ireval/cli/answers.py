"""`ireval answers`: texts that answer a question, scored by the pieces of information in them."""

from __future__ import annotations

from typing import Any

import click

from ireval.cli.beyond import (
    all_topics_option,
    beyond_measure_option,
    check_request,
    refuse_two_pipes,
    show,
    tokens_option,
)
from ireval.cli.options import check_format, emit, output_options, report_options
from ireval.errors import UsageError
from ireval.notes import Terms

TERMS = Terms("topic", "topics", "nuggets", "match")

EPILOG = """\b
Examples:
  ireval answers testdata/beyond/nuggets testdata/beyond/*.matches
  ireval answers testdata/beyond/nuggets testdata/beyond/terse.matches -m S -m T -m "S#(beta=10)" -L 500
  ireval answers testdata/beyond/nuggets --minimal
  ireval answers --texts testdata/beyond/nuggets.tsv testdata/beyond/*.answers.tsv -m POURPRE -m NuggetF -q

Exit status: 0 done, 2 usage or bad input, 4 nothing to evaluate.
"""


@click.command("answers", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("nuggets", type=click.Path(allow_dash=True))
@click.argument("answers", nargs=-1, metavar="MATCHES...", type=click.Path(allow_dash=True))
@beyond_measure_option("nuggets", "W-recall, NuggetF(beta=3), S(L=500), T, S#(beta=1), POURPRE")
@click.option(
    "-L",
    "--patience",
    type=click.FloatRange(0, min_open=True),
    metavar="CHARACTERS",
    help="Length after which the reader has lost patience, for S and S# (default 1000).",
)
@click.option(
    "--texts",
    is_flag=True,
    help="Read texts, with tabs between the fields: nuggets as topic, nugget, weight, text; answers as topic, text "
    "(several lines of a topic: several strings). Nuggets are found by the words they share with a string.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="With --texts: share of a nugget's words that one string of the answer must have; POURPRE, in which a nugget "
    "can be found in part, has none.",
)
@tokens_option
@click.option(
    "--minimal",
    is_flag=True,
    help="Show the pseudo minimal output of each topic instead of scores: its nuggets in the best order, and where "
    "they would end.",
)
@all_topics_option
@report_options
@output_options
def command(nuggets: str, answers: tuple[str, ...], measures: tuple[str, ...], **given: Any) -> int:
    """Score answers by the nuggets found in them. MATCHES: a file for each system.

    NUGGETS has `topic nugget weight length` on each line, MATCHES `topic nugget offset` (where the nugget's text ends
    in the answer) and, once for each topic, `topic syslen= length`. Files of NTCIREVAL's 1click, which are about one
    topic and do not name it, are read too. Of a nugget found several times the first place counts.

    By default W-recall, NuggetF, S, T and S#, with --texts POURPRE too.
    """
    from ireval.beyond.answers import ANSWER_MEASURES, evaluate_answers
    from ireval.beyond.systems import requests_for
    from ireval.cli.progress import Progress
    from ireval.read.source import Source

    gold = Source(nuggets)
    _check_options(given)
    if given["minimal"]:
        if answers or measures:
            raise UsageError("--minimal is about the nuggets only and takes no answers and no measures")
        _show_minimal(gold, given)
        return 0
    if not answers:
        raise UsageError("expected a file of matches, found none")
    usual = (*ANSWER_MEASURES, "POURPRE") if given["texts"] else ANSWER_MEASURES
    requests = requests_for(measures or usual, "nuggets", {"patience": given["patience"]})
    check_request(requests, len(answers), given)
    refuse_two_pipes((nuggets, *answers))
    systems = [Source(path) for path in answers]
    with Progress(len(systems) * len(requests), "scoring", given["quiet"]) as bar:
        results = evaluate_answers(
            gold,
            systems,
            requests,
            progress=bar.update,
            **{name: given[name] for name in ("texts", "threshold", "tokens", "topics")},
        )
    scoring = [f"topics:{given['topics']}", f"n:{len(results.topics)}"]
    if given["patience"] is not None:
        scoring.append(f"L:{given['patience']:g}")
    if given["texts"]:
        scoring.append(f"matched:unigrams,{given['threshold']:g}")
        scoring.append(f"tokens:{given['tokens']}")
    show(results, (gold, *systems), [source.name for source in systems], given, scoring, TERMS)
    return 0


def _check_options(given: dict[str, Any]) -> None:
    """Refuse options that would do nothing."""
    source = click.get_current_context().get_parameter_source
    for name in ("threshold", "tokens"):
        if not given["texts"] and source(name) is click.core.ParameterSource.COMMANDLINE:
            raise UsageError(f"--{name} needs --texts")


def _show_minimal(gold: Any, given: dict[str, Any]) -> None:
    """The pseudo minimal output of each topic as a table."""
    from ireval.beyond.answers import minimal_outputs
    from ireval.cli.provenance import document, signature
    from ireval.write.table import Cell, Column, Table

    check_format(given)
    found = minimal_outputs(gold, texts=given["texts"])
    names = ("topic", "nugget", "weight", "length", "offset")
    columns = [Column(name, "text" if place < 2 else "number") for place, name in enumerate(names)]
    rows: list[tuple[Cell, ...]] = [(topic, *nugget) for topic, nuggets in found.items() for nugget in nuggets]
    made = signature(["pseudo minimal output", f"n:{len(found)}"])
    listed = {topic: [dict(zip(names[1:], one, strict=True)) for one in inner] for topic, inner in found.items()}
    table = Table(
        tuple(columns),
        rows,
        digits=given["digits"],
        signature=made if given["signature"] else "",
        document=document(made, [gold], topics=listed) if given["format_name"] == "json" else {},
    )
    emit(table, given["format_name"], given["output"])
