"""`ireval med`: how far apart are the rankings of two or more runs?"""

from __future__ import annotations

from typing import Any

import click

from ireval.cli.options import check_format, emit, output_options, plot_option, tell
from ireval.errors import UsageError
from ireval.write.plot import check_plot

EXAMPLES = """\b
Examples:
  ireval med testdata/sample/bm25.run testdata/sample/splade.run
  ireval med testdata/sample/bm25.run testdata/sample/splade.run -m AP@100 -m ERR@20 --top 3
  ireval med testdata/sample/bm25.run testdata/sample/splade.run testdata/sample/colbert.run -m nDCG@20 -m RBO
  ireval med testdata/sample/bm25.run testdata/sample/splade.run --qrels testdata/sample/qrels -q -f tsv
  ireval med testdata/sample/old.passages testdata/sample/new.passages -m U@12000
"""

MANUAL = (
    (
        "DISTANCES",
        "MED of a measure is the largest difference of the two scores that any assignment of relevance to the "
        "documents allows; documents with a judgement keep theirs (Tan & Clarke 2015). No judgements are needed, "
        "and however the documents turn out, the scores differ by no more. P@k, nDCG@k and its relatives, RBP and "
        "U@l are exact in closed form. AP@k, nAP@k and ERR are searched with bounds: a value is exact when they "
        "meet, and printed as lo..hi when the time budget ends before (only such values depend on the machine); "
        "the share proved exact is told. A measure without a MED is refused by name. nDCG stands for nDCG@20, AP "
        "for AP@100, RBP for RBP(p=0.9) and U for U@12000, as in the paper.",
        "Beside MED: RBO(p=0.9,ties=a,part=ext), with part ext (point estimate), min or res and ties a, b or w as "
        "Corsi & Urbano (2024) define them; overlap@k, the share of the first k documents in common; "
        "AnchorMap(anchor=both)@k, average precision of a list when the other one's first k documents are the "
        "relevant ones; Kendall, the share of the pairs of common documents that stand in opposite order.",
    ),
    (
        "NORMALISATION",
        "Grades become relevance as the paper has it, 2^level - 1 over 2^G, and MED divides as the paper does: "
        "nDCG by the value of a list of nothing but the highest grade, AP by k. With --normalise qrels grades and "
        "divisor are those of eval; complete judgements and --short ended then give the difference of the scores "
        "that eval prints, and topics without judgements are left out. --gains, or the gains of a measure such as "
        "nDCG(gains=level)@20, go before both.",
        "Lists that end before the cutoff go on with documents of their own, of which nothing is known (--short "
        "filled): two identical short lists are then not at distance 0, nor are any two lists for RBP and ERR, "
        "which have no last rank. With --short ended the lists end, and what follows counts as nonrelevant.",
    ),
    (
        "PASSAGES",
        "U@l compares what readers see of passages, character by character, down to l characters: a character "
        "that is first seen at place i is worth up to (1 - i/l)/2. It is the U-measure of Tan & Clarke, not that "
        "of document lengths. Each line of its runs has five fields: topic, document, offset, length, score. "
        "Offset (from 0) and length count characters; passages are read from the highest score on, equal scores "
        "as they stand.",
    ),
    (
        "DIFFERENCE FROM THE PUBLISHED PROGRAM",
        "The program that the paper's authors published takes a document at the last rank of the other list for "
        "absent: two documents that change places are 0.142 apart in nDCG@20 there. That is a slip of one, and "
        "contradicts the paper; here they are 0.052 apart (--short ended).",
    ),
)
"""What the manual says beside the options: sections of paragraphs."""

EPILOG = "\n\n".join(
    [
        EXAMPLES.rstrip("\n"),
        *(paragraph for _, *paragraphs in MANUAL for paragraph in paragraphs),
        "Exit status: 0 done, 2 usage or bad input, 4 no topic in common.",
    ]
)


@click.command("med", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("runs", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="MED of this measure, such as nDCG@20, RBP(p=0.9), AP@100, ERR@20, P@10 or U@12000; or RBO, overlap@20, "
    "AnchorMap@20, Kendall. May be repeated; topics are listed by the first.",
)
@click.option("--qrels", type=click.Path(allow_dash=True), help="Judgements: they fix the documents that they cover.")
@click.option(
    "--qrels-format",
    type=click.Choice(["qrels", "ntcir"]),
    default="qrels",
    show_default=True,
    help="Format of the judgements.",
)
@click.option(
    "--max-grade",
    type=click.IntRange(1, 30),
    metavar="G",
    help="Highest grade of documents without judgement (default: the highest one judged; 2 without judgements).",
)
@click.option(
    "--short",
    type=click.Choice(["filled", "ended"]),
    default="filled",
    show_default=True,
    help="Lists shorter than the cutoff go on with documents of their own, or end.",
)
@click.option(
    "--normalise",
    type=click.Choice(["paper", "qrels"]),
    default="paper",
    show_default=True,
    help="Divide by what the paper has, or by what the judgements give, as eval does.",
)
@click.option(
    "--budget",
    type=click.FloatRange(0.0),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the search for one topic's AP or ERR may take before bounds have to do.",
)
@click.option(
    "--top",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Two runs: show so many topics, most changed first.",
)
@click.option(
    "--documents",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="Two runs: for each topic shown, so many of the documents that moved.",
)
@click.option("-q", "--per-topic", is_flag=True, help="Two runs: a row for every topic, in the first run's order.")
@click.option("--level", type=click.IntRange(0), help="Lowest level that counts as relevant (default 1).")
@click.option(
    "--gains",
    help="Gains of levels 1, 2, ... such as 1:3:7; or level, exp2, or pairs such as 1=1,3=7 (default: exp2, the "
    "paper's; with --normalise qrels those of the measure).",
)
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "file"]),
    default="score",
    show_default=True,
    help="Order documents by score (ties: document number, high to low), by the rank column, or as they stand.",
)
@click.option("--depth", type=click.IntRange(1), help="Look at the first N documents of each topic only.")
@click.option(
    "--on-duplicate",
    type=click.Choice(["error", "first"]),
    default="error",
    show_default=True,
    help="A document twice in a topic, or judged twice: refuse, or take the first and count the others.",
)
@plot_option
@output_options
def command(runs: tuple[str, ...], measures: tuple[str, ...], **given: Any) -> None:
    """How far apart are the rankings of two or more RUNS, and how much could quality have changed?

    Two runs: the topics that changed most, the documents that moved, and the mean. More runs: the mean distance of
    every two of them. Without -m: nDCG@20, RBP(p=0.9) and RBO.
    """
    from ireval.api import as_source, med
    from ireval.cli.med_report import notes, plot, tables
    from ireval.cli.progress import Progress

    check_format(given)
    if len(runs) < 2:
        raise UsageError(f"expected two runs at least, found {len(runs)}")
    if [*runs, given["qrels"]].count("-") > 1:
        raise UsageError("standard input can be only one of the files")
    if given["per_topic"] and len(runs) > 2:
        raise UsageError("--per-topic takes two runs")
    check_plot(given["plot"])
    sources = [as_source(run) for run in runs]
    judged = as_source(given["qrels"]) if given["qrels"] else None
    wishes = ("max_grade", "level", "gains", "order", "depth", "short", "normalise", "budget", "on_duplicate")
    with Progress(None, "topics", given["quiet"]) as bar:
        done = 0

        def tick(name: str, topics: int) -> None:
            nonlocal done
            done += topics
            bar.update(done, name)

        found = med(
            sources,
            measures,
            qrels=judged,
            format=given["qrels_format"],
            progress=tick,
            top=given["top"] if len(runs) == 2 else 0,
            keep_topics=given["per_topic"] or bool(given["plot"] and len(runs) == 2),
            **{name: given[name] for name in wishes},
        )
    emit(tables(found, sources, judged, given), given["format_name"], given["output"])
    if given["plot"]:
        plot(found, given["plot"])
    tell(notes(found, given), given["quiet"])
