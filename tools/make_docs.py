"""Writes the man pages and the README's generated parts from the registries: `make docs`.

With --check nothing is written; the exit status says whether everything is current (the tests ask).
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import click

from ireval import __version__
from ireval.cli.main import COMMANDS, DOORS, EPILOG, group
from ireval.cli.measures import in_order, usual_name
from ireval.compat import gdeval_help, ndeval_help, ntcir_eval_help, trec_eval_help
from ireval.measures.registry import Measure
from ireval.measures.spec import LENSES, NICKNAMES
from ireval.read.formats import (
    CLICKS,
    DIVERSITY,
    INTENTS,
    JUDGEMENTS,
    LENGTHS,
    MATCHES,
    NUGGET_TEXTS,
    NUGGETS,
    RUN,
    RUN_PREFERENCES,
    SESSION_TOPICS,
    SESSIONS,
    TEAMS,
    TEXTS,
)
from ireval.stats.registry import SignificanceTest, all_tests

ROOT = Path(__file__).parent.parent
ENVIRONMENT = {
    "IREVAL_COMPAT": "Version of trec_eval that its door agrees with: 9 or 10.",
    "IREVAL_DEBUG": "When set, an internal error shows where it happened.",
    "IREVAL_FORMAT": "Output format of our own commands when -f is not given.",
    "IREVAL_QUIET": "When set (and not 0), no notes on stderr.",
    "IREVAL_SEED": "Seed of random draws when --seed is not given.",
    "NO_COLOR": "When set, no colour on a terminal.",
}


# -- roff -----------------------------------------------------------------------------------------------------------


def roff(text: str) -> str:
    """Text made safe for roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti")
    return "".join(c if ord(c) < 128 else f"\\[u{ord(c):04X}]" for c in text)


def paragraph(text: str) -> str:
    """Running text."""
    lines = textwrap.wrap(" ".join(text.split()), 100, break_long_words=False, break_on_hyphens=False)
    return "\n".join(guard(roff(line)) for line in lines)


def guard(line: str) -> str:
    """A line that begins like a request is text all the same."""
    return "\\&" + line if line[:1] in (".", "'") or line.startswith("\\(aq") else line


def listing(text: str) -> str:
    """Text to be shown as it stands."""
    body = "\n".join(guard(roff(line)) for line in textwrap.dedent(text).strip("\n").splitlines())
    return f".PP\n.nf\n.RS 4\n{body}\n.RE\n.fi"


def entry(term: str, text: str) -> str:
    """A term and what it means."""
    return f".TP\n.B {guard(roff(term))}\n{paragraph(text)}"


def page(name: str, summary: str, sections: Iterable[tuple[str, str]]) -> str:
    """A whole man page."""
    body = "\n".join(f".SH {title}\n{text}" for title, text in sections)
    head = f'.TH {name.upper()} 1 "" "ireval {__version__}" "ireval"'
    return f"{head}\n.SH NAME\n{roff(name)} \\- {roff(summary)}\n{body}\n"


# -- pages ----------------------------------------------------------------------------------------------------------


def options_of(command: click.Command) -> str:
    """The options of a command."""
    ctx = click.Context(command)
    entries = []
    for param in command.get_params(ctx):
        record = None if isinstance(param, click.Argument) else param.get_help_record(ctx)
        if record is not None:
            entries.append(entry(*record))
    return "\n".join(entries)


def examples_of(epilog: str) -> str:
    """The lines of an epilog that call ireval."""
    return listing("\n".join(line.strip() for line in epilog.splitlines() if re.match(r"\s+(ireval|zcat) ", line)))


def seen_also(own: str) -> str:
    """The other pages."""
    names = ["ireval", *(f"ireval-{name}" for name in (*COMMANDS, *DOORS))]
    return ", ".join(f"\\fB{roff(name)}\\fR(1)" for name in names if name != own)


def formats() -> str:
    """The input formats."""
    beyond = (SESSIONS, SESSION_TOPICS, CLICKS, NUGGETS, MATCHES, NUGGET_TEXTS, TEXTS)
    known = (RUN, *JUDGEMENTS.values(), *DIVERSITY.values(), INTENTS, LENGTHS, TEAMS, RUN_PREFERENCES, *beyond)
    return "\n".join(entry(f"{fmt.name}: {' '.join(fmt.fields)}", fmt.help) for fmt in known)


def main_page() -> str:
    """ireval(1)."""
    commands = "\n".join(entry(name, text) for name, (_, text) in COMMANDS.items())
    doors = "\n".join(entry(name, text) for name, text in DOORS.items())
    return page(
        "ireval",
        "evaluate search engines",
        [
            (
                "SYNOPSIS",
                "\\fBireval\\fR [\\fItrec_eval options\\fR] \\fIqrels run\\fR\n.br\n\\fBireval\\fR \\fIcommand\\fR ...",
            ),
            (
                "DESCRIPTION",
                paragraph(
                    "ireval scores what a search engine retrieved (a run) against what people found relevant "
                    "(judgements). Called with trec_eval's options it is trec_eval: the same output to the last "
                    "byte, and the same exit status. The first argument decides: the name of a command opens that"
                    " command (write ./eval for a file of that name); --help, --version and no arguments are "
                    "ireval's own; anything else is trec_eval's. A link named trec_eval is trec_eval too."
                ),
            ),
            ("COMMANDS", commands + "\n.SS Tools that ireval stands in for\n" + doors),
            (
                "INPUT",
                paragraph(
                    "Lines of fields separated by blanks or tabs, plain or compressed with gzip, bzip2 or xz "
                    "(told by their first bytes); - is standard input. A byte-order mark, blank lines, lines that"
                    " begin with #, carriage returns and a missing last newline do no harm. What cannot be read "
                    "is refused with file, line and reason, and nothing is written."
                )
                + "\n"
                + formats(),
            ),
            ("ENVIRONMENT", "\n".join(entry(name, text) for name, text in ENVIRONMENT.items())),
            (
                "EXIT STATUS",
                paragraph(
                    "Of our own commands: 0 done, 1 a gate was not met, 2 usage or bad input, 4 nothing to evaluate. "
                    "The trec_eval door keeps trec_eval's: 1 usage, 2 reading, 4 evaluation, 7 no common topic "
                    "(version 9)."
                ),
            ),
            (
                "SHELL COMPLETION",
                paragraph("click provides it; put one of these lines into the start file of your shell:")
                + "\n"
                + listing("""
            eval "$(_IREVAL_COMPLETE=bash_source ireval)"          # ~/.bashrc
            eval "$(_IREVAL_COMPLETE=zsh_source ireval)"           # ~/.zshrc
            _IREVAL_COMPLETE=fish_source ireval | source           # ~/.config/fish/completions/ireval.fish
            """),
            ),
            ("EXAMPLES", examples_of(EPILOG)),
            ("SEE ALSO", seen_also("ireval")),
        ],
    )


def command_page(name: str) -> str:
    """The page of one of our commands."""
    command = group.get_command(click.Context(group), name)
    assert command is not None
    pieces = command.collect_usage_pieces(click.Context(command))
    sections = [
        ("SYNOPSIS", f"\\fBireval {name}\\fR " + roff(" ".join(pieces))),
        ("DESCRIPTION", "\n.PP\n".join(paragraph(p) for p in (command.help or "").split("\n\n"))),
        ("OPTIONS", options_of(command)),
    ]
    if name == "measures":
        sections.append(("MEASURES", "\n".join(measure_entry(record) for record in in_order())))
        lenses = paragraph("With judgements of intents, any measure becomes one of diversity:")
        sections.append(("INTENTS", lenses + "\n" + "\n".join(entry(*lens) for lens in LENSES.values())))
        sections.append(("SETS", "\n".join(entry(k, ", ".join(v)) for k, v in NICKNAMES.items())))
    for title, *paragraphs in getattr(import_module(COMMANDS[name][0]), "MANUAL", ()):
        sections.append((title, "\n.PP\n".join(map(paragraph, paragraphs))))
    if name == "sigtest":
        sections.append(("TESTS", "\n".join(test_entry(test) for test in all_tests().values())))
    sections += [("EXAMPLES", examples_of(command.epilog or "")), ("SEE ALSO", seen_also(f"ireval-{name}"))]
    return page(f"ireval-{name}", COMMANDS[name][1].rstrip("."), sections)


def measure_entry(record: Measure) -> str:
    """A measure: names, documentation, formula, parameters, source."""
    names = [
        usual_name(record),
        *([record.name] if record.trec and record.name != record.label else []),
        *record.aliases,
    ]
    parts = [f".TP\n.B {guard(roff(', '.join(dict.fromkeys(names))))}"]
    parts += [paragraph(p) + "\n.br" for p in record.documentation.split("\n\n")]
    if record.formula:
        parts.append("Formula: " + roff(record.formula) + "\n.br")
    parts += [paragraph(f"{param.name}: {param.described}") + "\n.br" for param in record.params]
    if record.cite:
        parts.append(paragraph(f"Source: {record.cite}."))
    return "\n".join(parts)


def test_entry(test: SignificanceTest) -> str:
    """A significance test: hypothesis, assumptions, source."""
    interval = f" Confidence interval: {test.interval}." if test.interval else ""
    text = f"{test.title}. Null hypothesis: {test.hypothesis}. Assumes {assumption(test)}.{interval} {test.cite}."
    return entry(test.name, text)


def assumption(test: SignificanceTest) -> str:
    """What a test assumes, as the end of a sentence."""
    return test.assumes if test.assumes.startswith("nothing") else f"that {test.assumes}"


def trec_eval_page() -> str:
    """ireval-trec_eval(1)."""
    manual = trec_eval_help.HELP.format(formats=" ".join(JUDGEMENTS), results=RUN.name, sets=" ".join(NICKNAMES))
    options = re.findall(r"^  (-\S, \S+(?: [A-Z\[\].]+)?|--compat 9\|10) {2,}(.*)$", manual, re.M)
    after = manual.split("\n\n")[-1]
    return page(
        "ireval-trec_eval",
        "stand in for trec_eval",
        [
            ("SYNOPSIS", "\\fBireval\\fR [\\fItrec_eval\\fR] [\\fIoptions\\fR] \\fIjudgements run\\fR"),
            ("DESCRIPTION", paragraph(manual.split("\n\n")[1])),
            ("OPTIONS", "\n".join(entry(*option) for option in options) + "\n.PP\n" + paragraph(after)),
            ("DIFFERENCES FROM TREC_EVAL", "\n".join(entry(*pair) for pair in trec_eval_help.DIFFERENCES)),
            (
                "EXAMPLES",
                listing("""
            ireval -q -m map -m P.10 testdata/sample/qrels testdata/sample/bm25.run
            ireval --compat 9 -c testdata/sample/qrels testdata/sample/bm25.run
            make results TREC_EVAL=ireval
            """),
            ),
            ("SEE ALSO", seen_also("ireval-trec_eval")),
        ],
    )


def ntcir_eval_page() -> str:
    """ireval-ntcir_eval(1)."""
    synopses = "\n.br\n".join(f"\\fBireval ntcir_eval\\fR {roff(line)}" for line in ntcir_eval_help.SYNOPSES)
    copied = paragraph("Where NTCIREVAL is inconsistent or surprising, this door copies it; our own commands do not.")
    return page(
        "ireval-ntcir_eval",
        "stand in for NTCIREVAL",
        [
            ("SYNOPSIS", synopses),
            ("DESCRIPTION", paragraph(ntcir_eval_help.DESCRIPTION)),
            ("OPTIONS", "\n".join(entry(*option) for option in ntcir_eval_help.OPTIONS)),
            ("DIFFERENCES FROM NTCIREVAL", "\n".join(entry(*pair) for pair in ntcir_eval_help.DIFFERENCES)),
            ("COPIED FROM NTCIREVAL", copied + "\n" + "\n".join(entry(*pair) for pair in ntcir_eval_help.COPIED)),
            ("EXIT STATUS", paragraph(ntcir_eval_help.EXIT_STATUS)),
            (
                "EXAMPLES",
                listing("""
            ireval ntcir_eval label -r 0001.rel 0001.res > 0001.lab
            ireval ntcir_eval compute -r 0001.rel -g 1:2:3 -cutoffs 10,100 -out 0001 0001.lab
            ireval ntcir_eval glabel -I 201.Grelv 201.res | ireval ntcir_eval gcompute -I 201.Grelv -out 201
            """),
            ),
            ("SEE ALSO", seen_also("ireval-ntcir_eval")),
        ],
    )


def web_track_page(name: str, version: str, words: ModuleType, examples: str) -> str:
    """The page of a door to one of the TREC Web Track's tools."""
    copied = paragraph(f"Where {name} is surprising, this door copies it; our own commands do not.")
    return page(
        f"ireval-{name}",
        f"stand in for {version}",
        [
            ("SYNOPSIS", f"\\fBireval {name}\\fR [\\fIoptions\\fR] \\fIqrels run\\fR"),
            ("DESCRIPTION", paragraph(words.DESCRIPTION)),
            ("OPTIONS", "\n".join(entry(*option) for option in words.OPTIONS)),
            (f"DIFFERENCES FROM {name.upper()}", "\n".join(entry(*pair) for pair in words.DIFFERENCES)),
            (f"COPIED FROM {name.upper()}", copied + "\n" + "\n".join(entry(*pair) for pair in words.COPIED)),
            ("EXAMPLES", listing(examples)),
            ("SEE ALSO", seen_also(f"ireval-{name}")),
        ],
    )


NDEVAL_EXAMPLES = """
ireval ndeval -c testdata/diversity/qrels testdata/diversity/bm25.run
ireval ndeval -baseline testdata/diversity/bm25.run -riskAlpha 1 testdata/diversity/qrels testdata/diversity/mmr.run
"""
GDEVAL_EXAMPLES = """
ireval gdeval -k 10 testdata/sample/qrels testdata/sample/bm25.run
ireval gdeval -c -baseline testdata/sample/bm25.run testdata/sample/qrels testdata/sample/splade.run
"""


# -- README ---------------------------------------------------------------------------------------------------------


def measures_table() -> str:
    """The measures as a Markdown table."""
    lines = ["| name | trec_eval | what it is |", "|---|---|---|"]
    for record in in_order():
        trec = f"`{record.name}`" if record.trec else ""
        lines.append(f"| `{usual_name(record)}` | {trec} | {record.summary} |")
    return "\n".join(lines)


def differences_list() -> str:
    """The deliberate differences as a Markdown list."""
    return "\n".join(f"- **{name}**: {text}" for name, text in trec_eval_help.DIFFERENCES)


def otherwise_and_copied(words: ModuleType, between: str) -> str:
    """What a door does otherwise, and what it copies, as Markdown lists."""
    otherwise, copied = (
        "\n".join(f"- **{name}**: {text}" for name, text in pairs) for pairs in (words.DIFFERENCES, words.COPIED)
    )
    return f"{otherwise}\n\n{between}\n\n{copied}"


def ntcir_eval_list() -> str:
    """The NTCIREVAL door."""
    return otherwise_and_copied(
        ntcir_eval_help, "Where NTCIREVAL is inconsistent or surprising, the door copies it; our own commands do not:"
    )


def web_track_list() -> str:
    """The doors of the TREC Web Track's tools."""
    parts = []
    for name, words in (("ndeval", ndeval_help), ("gdeval", gdeval_help)):
        between = f"Where {name} is surprising, the door copies it; our own commands do not:"
        parts.append(f"### {name}\n\n" + otherwise_and_copied(words, between))
    return "\n\n".join(parts)


def tests_table() -> str:
    """The significance tests as a Markdown table."""
    lines = ["| `--test` | what it is | null hypothesis | assumes |", "|---|---|---|---|"]
    for test in all_tests().values():
        lines.append(f"| `{test.name}` | {test.title} | {test.hypothesis} | {assumption(test)} |")
    return "\n".join(lines)


GENERATED = {
    "tests": tests_table,
    "measures": measures_table,
    "trec_eval differences": differences_list,
    "ntcir_eval differences": ntcir_eval_list,
    "web track differences": web_track_list,
}


def readme() -> str:
    """README.md with its generated parts made new."""
    text = (ROOT / "README.md").read_text()
    for name, make in GENERATED.items():
        begin, end = f"<!-- generated: {name} -->", "<!-- end -->"
        head, found, tail = text.partition(begin)
        if not found:
            raise SystemExit(f"README.md: no place for {name}")
        text = head + begin + "\n" + make() + "\n" + end + tail.partition(end)[2]
    return text


def everything() -> dict[Path, str]:
    """Each generated file and what it should hold."""
    files = {ROOT / "man" / "ireval.1": main_page(), ROOT / "man" / "ireval-trec_eval.1": trec_eval_page()}
    files[ROOT / "man" / "ireval-ntcir_eval.1"] = ntcir_eval_page()
    for name, version, words, examples in (
        ("ndeval", "ndeval 4.5", ndeval_help, NDEVAL_EXAMPLES),
        ("gdeval", "gdeval.pl 1.3", gdeval_help, GDEVAL_EXAMPLES),
    ):
        files[ROOT / "man" / f"ireval-{name}.1"] = web_track_page(name, version, words, examples)
    files |= {ROOT / "man" / f"ireval-{name}.1": command_page(name) for name in COMMANDS}
    return files | {ROOT / "README.md": readme()}


def main() -> int:
    """Write, or with --check compare."""
    stale = [path for path, text in everything().items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is stale: run `make docs`")
        return 1 if stale else 0
    for path, text in everything().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
