"""`trec_eval -h`, in our own words and from our registries."""

from __future__ import annotations

import textwrap

from ireval.measures.registry import all_measures
from ireval.measures.spec import NICKNAMES, TREC_ORDER
from ireval.read.formats import JUDGEMENTS, RUN, Format
from ireval.write.output import put

RULE = "-" * 23

HELP = """\
trec_eval [options] judgements run

Scores a run (what a system retrieved) against judgements (what people found relevant). Files are plain or compressed
(gz, bz2, xz); - is standard input. Options may stand before or after the files; long names may be shortened.

  -h, --help                        this text, and the measures named with -m
  -v, --version                     versions of trec_eval and ireval
  -q, --query_eval_wanted           values for every topic as well as the summary
  -m, --measure NAME[.PARAMETERS]   a measure or a set of measures; may be repeated (default: official)
  -c, --complete_rel_info_wanted    average over all judged topics; those that the run lacks count as 0
  -n, --nosummary                   no summary over all topics
  -l, --level_for_rel N             lowest level that counts as relevant (default 1)
  -M, --Max_retrieved_per_topic N   look at the first N documents of each topic only
  -N, --Number_docs_in_coll N       size of the collection (for utility)
  -J, --Judged_docs_only            leave unjudged documents out of the ranking
  -R, --Rel_info_format NAME        format of the judgements: {formats}
  -T, --Results_format NAME         format of the run: {results}
  -Z, --Zscore FILE                 print standard deviations from the means in FILE (topic measure mean deviation)
  -D, --Debug_level N[.TOPIC]       evaluate only TOPIC; the traces of the original are not printed
  --compat 9|10                     (ireval's) version to agree with; the variable IREVAL_COMPAT does the same

Output: name, topic (or "all"), value, separated by tabs. The summary is the mean over topics, the sum for counts.
Parameters follow the name: -m P.5,10 (cutoffs), -m ndcg.1=3,2=7 (gains of levels), -m set_F.0.5 (a number). When a
measure is named twice, the first parameters count.
Sets: {sets}.
Exit status: 0 done, 1 usage, 2 a file cannot be read, 4 it cannot be evaluated, 7 (with --compat 9) no common topic.
IREVAL_QUIET=1 silences the notes on stderr."""


DIFFERENCES = (
    (
        "missing topics",
        "Version 10.0 stops with status 4 when a judged topic is missing from the run and -c is not given, "
        "against its own help. ireval averages over the topics present, as that help and version 9 say, and says so.",
    ),
    (
        "bad numbers",
        "Text and NaN scores and text levels are refused with file, line and reason; trec_eval reads them as 0. "
        "So are levels with a fraction in qrels, which it cuts off.",
    ),
    (
        "files",
        "A byte-order mark is left out, gz, bz2 and xz files are read, - may be either file, and blank lines and "
        "comments are accepted in every file and version. Binary data is refused.",
    ),
    ("z-scores", "Entries missing from the -Z file give -1000000, as the help of trec_eval says; both versions crash."),
    ("gains", "dcg, ideal_dcg and ndcg each keep the gains they were given; in version 10.0 they share one table."),
    ("debugging", "-D restricts the evaluation to a topic; its traces are not printed."),
    (
        "negative levels",
        "A topic in which every level is negative counts as having no judgements; trec_eval goes on with "
        "the counts of the topic before it, stops with status 4, or crashes.",
    ),
    (
        "rbp",
        "trec_eval 10.0 starts from gains that it never set: after some other measures (-m ndcg_cut -m rbp) its rbp "
        "changes. ireval always prints what it prints for rbp alone.",
    ),
    ("prefs_avgjg_Rnonrel", "With several levels at or below 0 in a group, trec_eval reads beyond the lowest one."),
    (
        "repeated documents",
        "A document twice in a judged topic is refused, status 4, also where trec_eval does not look: "
        "when only runid or num_q is asked for, and in topics that the run lacks or -D leaves out. So is a document "
        "twice in one group and subgroup of preferences, where trec_eval refuses it only if the levels differ.",
    ),
    (
        "contradictory preferences",
        "They end the program with status 4 and a message that names the topic; trec_eval aborts.",
    ),
    ("a negative -M", "Refused, status 1; trec_eval crashes."),
    ("messages", "Messages on stderr and the text of -h are our own. Exit statuses are trec_eval's."),
)
"""Where this door differs from trec_eval on purpose: a key word and a sentence. README and man page list them."""


def write_help(measures: list[str], judgement_format: str, compat: int) -> None:
    """Print the manual, the formats in use and the named measures."""
    out = [HELP.format(formats=" ".join(JUDGEMENTS), results=RUN.name, sets=" ".join(NICKNAMES)), RULE]
    out += [_format_help(RUN), RULE]
    if judgement_format in JUDGEMENTS:
        out += [_format_help(JUDGEMENTS[judgement_format]), RULE]
    chosen = [name for name in TREC_ORDER if name in measures]
    if not chosen:
        out.append("No measure is named: add -m NAME to read about one, -m all_trec about nearly all.")
    for name in chosen:
        record = all_measures()[name]
        out.append(name)
        out.append(textwrap.indent(record.documentation, "    "))
        if record.formula:
            out.append(f"    Formula: {record.formula}")
        out += [f"    {param.name}: {param.described}" for param in record.params if param.setting is None]
        if record.cite:
            out.append(f"    Source: {record.cite}")
    put(("\n".join(out) + "\n").encode())


def _format_help(fmt: Format) -> str:
    return f"Format {fmt.name}: {'  '.join(fmt.fields)}\n{textwrap.indent(fmt.help, '    ')}"
