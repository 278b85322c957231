"""`ireval rouge`: summaries, scored against those that people wrote."""

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
from ireval.cli.options import output_options, report_options
from ireval.notes import Terms

TERMS = Terms("text", "texts with a reference", "a reference", "text")
PARTS = ("f", "recall", "precision")

EPILOG = """\b
Examples:
  ireval rouge testdata/beyond/lead.tsv testdata/beyond/reference1.tsv testdata/beyond/reference2.tsv
  ireval rouge testdata/beyond/lead.tsv testdata/beyond/reference1.tsv -m ROUGE-2 -m ROUGE-SU4 --part all
  ireval rouge testdata/beyond/lead.tsv testdata/beyond/reference1.tsv --system testdata/beyond/extract.tsv -q -f csv

Exit status: 0 done, 2 usage or bad input, 4 nothing to evaluate.
"""


@click.command("rouge", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("system", type=click.Path(allow_dash=True))
@click.argument("references", metavar="REFERENCE...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@beyond_measure_option("texts", "ROUGE-2, ROUGE-S4, ROUGE-SU4(part=recall)")
@click.option(
    "--system",
    "further",
    multiple=True,
    type=click.Path(allow_dash=True),
    help="A further system to be scored against the same references; may be repeated.",
)
@click.option(
    "--part",
    type=click.Choice([*PARTS, "all"]),
    default="f",
    show_default=True,
    help="F-measure, recall, precision, or all three of each measure that does not say.",
)
@click.option(
    "--references",
    "refs",
    type=click.Choice(["average", "best"]),
    default="average",
    show_default=True,
    help="Several references: the average over them, or the best of them by F.",
)
@click.option(
    "--input",
    "kind",
    type=click.Choice(["auto", "texts", "tsv"]),
    default="auto",
    show_default=True,
    help="A file is one text, or lines of an id, a tab and a text; auto: by its name, which ends in .tsv or not.",
)
@tokens_option
@all_topics_option
@report_options
@output_options
def command(system: str, references: tuple[str, ...], measures: tuple[str, ...], **given: Any) -> int:
    """Score the texts of SYSTEM against one or several REFERENCEs by ROUGE.

    Each of them is a file with one text, a folder of files that are named alike, or a file of lines `id <tab> text`.
    Texts are taken as a whole, so that pieces may span sentences; words are not stemmed, and none is left out.

    By default ROUGE-1, ROUGE-2 and ROUGE-SU4.
    """
    from ireval.beyond.systems import requests_for
    from ireval.beyond.texts import TEXT_MEASURES, evaluate_texts
    from ireval.cli.progress import Progress
    from ireval.read.source import Source
    from ireval.read.texts import files_of

    parts = PARTS if given["part"] == "all" else (given["part"],)
    requests = []
    for name in measures or TEXT_MEASURES:
        for part in parts:
            for request in requests_for(name, "texts", {"part": part, "refs": given["refs"]}):
                requests.append(_named(request, part))
    requests = list(dict.fromkeys(requests))
    paths = [system, *given["further"]]
    check_request(requests, len(paths), given)
    refuse_two_pipes((*paths, *references))
    systems, against = [Source(path) for path in paths], [Source(path) for path in references]
    with Progress(len(systems) * len(requests), "scoring", given["quiet"]) as bar:
        results = evaluate_texts(
            systems,
            against,
            requests,
            progress=bar.update,
            **{name: given[name] for name in ("tokens", "kind", "topics")},
        )
    scoring = [
        f"references:{len(against)},{given['refs']}",
        f"tokens:{given['tokens']}",
        f"topics:{given['topics']}",
        f"n:{len(results.topics)}",
    ]
    inputs = [file for source in (*systems, *against) for file in files_of(source)]
    show(results, inputs, [source.name for source in systems], given, scoring, TERMS)
    return 0


def _named(request: Any, part: str) -> Any:
    """The request with its part in its name, where the command line and not the name says which."""
    from dataclasses import replace

    from ireval.measures.spec import label

    given = dict(request.spec.params)["part"]
    return replace(request, label=label(request.spec)) if part == given and part != "f" else request
