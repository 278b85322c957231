"""`ireval session`: several ranked lists about one need, scored together."""

from __future__ import annotations

from typing import Any

import click

from ireval.cli.beyond import beyond_measure_option, check_request, refuse_two_pipes, show
from ireval.cli.options import output_options, report_options
from ireval.cli.scored import duplicate_option, gains_option, order_option, topics_option
from ireval.notes import Terms

TERMS = Terms("session", "judged sessions")

EPILOG = """\b
Examples:
  ireval session testdata/beyond/session.qrels testdata/beyond/plain.sessions
  ireval session testdata/beyond/session.qrels testdata/beyond/*.sessions -m sDCG@10 -m "sDCG(form=2008)@10"
  ireval session testdata/beyond/session.qrels testdata/beyond/plain.sessions --clicks testdata/beyond/plain.clicks
  ireval session testdata/beyond/session.qrels testdata/beyond/*.sessions -m nsDCG@10 -q -f csv

Exit status: 0 done, 2 usage or bad input, 4 nothing to evaluate.
"""


@click.command("session", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("sessions", nargs=-1, required=True, type=click.Path(allow_dash=True))
@beyond_measure_option("sessions", "sDCG@10, sDCG(form=2008), nsDCG(ideal=repeated)@10, ClickU")
@click.option(
    "--clicks",
    multiple=True,
    type=click.Path(allow_dash=True),
    help="Clicks in the order of time (session query rank length), for ClickU and --truncate click; with several "
    "systems one file for each, in the same order.",
)
@click.option(
    "--session-topics",
    type=click.Path(allow_dash=True),
    help="The topic that each session is about (session topic), where the judgements are those of topics.",
)
@click.option(
    "--repeats",
    type=click.Choice(["keep", "drop", "zero"]),
    help="Documents that an earlier list of the session has shown: keep, drop (what follows moves up), or no gain "
    "(default: drop for nsDCG with a single ideal list, else keep).",
)
@click.option(
    "--truncate",
    type=click.Choice(["no", "click"]),
    help="click: each list ends at its lowest click; one without clicks is not looked at.",
)
@gains_option
@click.option(
    "--qrels-format",
    type=click.Choice(["qrels", "ntcir"]),
    default="qrels",
    show_default=True,
    help="Format of the judgements; ntcir has three fields and levels such as L2.",
)
@topics_option
@order_option
@duplicate_option
@report_options
@output_options
def command(qrels: str, sessions: tuple[str, ...], measures: tuple[str, ...], **given: Any) -> int:
    """Score SESSIONS, a file for each system, against the judgements QRELS.

    A session is several ranked lists, one for each query that its user tried: `session query document rank score tag`
    on each line, queries numbered from 1. The judgements of a session are those of the topic with its name, or of the
    topic that --session-topics names.

    By default sDCG@10 and nsDCG@10, and with clicks ClickU.
    """
    from ireval.beyond.sessions import SESSION_MEASURES, evaluate_sessions
    from ireval.beyond.systems import requests_for
    from ireval.cli.progress import Progress
    from ireval.measures.gains import parse_gains
    from ireval.read.source import Source

    if given["gains"] is not None:
        parse_gains(given["gains"])
    settings = {name: given[name] for name in ("gains", "repeats", "truncate")}
    usual = (*SESSION_MEASURES, "ClickU") if given["clicks"] else SESSION_MEASURES
    requests = requests_for(measures or usual, "sessions", settings)
    check_request(requests, len(sessions), given)
    about = given["session_topics"]
    refuse_two_pipes((qrels, *sessions, *given["clicks"], about))
    judgements, systems, clicks = Source(qrels), [Source(p) for p in sessions], [Source(p) for p in given["clicks"]]
    topics = [Source(about)] if about else []
    with Progress(len(systems) * len(requests), "scoring", given["quiet"]) as bar:
        results = evaluate_sessions(
            judgements,
            systems,
            requests,
            clicks=clicks or None,
            session_topics=topics[0] if topics else None,
            format=given["qrels_format"],
            progress=bar.update,
            **{name: given[name] for name in ("order", "on_duplicate", "topics")},
        )
    files = [source.name for source in systems]
    show(results, (judgements, *systems, *clicks, *topics), files, given, _signature(results, given), TERMS)
    return 0


def _signature(results: Any, given: dict[str, Any]) -> list[str]:
    """How the scores were made."""
    parts = [
        "ties:docno-desc" if given["order"] == "score" else f"order:{given['order']}",
        f"topics:{given['topics']}",
        f"n:{len(results.topics)}",
    ]
    parts += [f"{name}:{given[name]}" for name in ("gains", "repeats", "truncate") if given[name]]
    parts += [f"{name.replace('_', '-')}:file" for name in ("clicks", "session_topics") if given[name]]
    if given["qrels_format"] != "qrels":
        parts.append(f"qrels:{given['qrels_format']}")
    if given["on_duplicate"] != "error":
        parts.append(f"duplicates:{given['on_duplicate']}")
    return parts
