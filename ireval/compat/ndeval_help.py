"""`ndeval -help`, in our own words, and where the door differs."""

from __future__ import annotations

USAGE = """\
Usage: ndeval [options] QRELS RUN
`ireval ndeval -help` says more; `ireval --help` tells what else ireval does.
"""

OPTIONS = (
    ("-alpha A", "how much a document loses for each earlier one that serves the same subtopic (default 0.5)"),
    ("-beta B", "patience of NRBP: probability of going on to the next document (default 0.5)"),
    ("-traditional", "order documents by score, ties by document number from high to low; else by the rank column"),
    ("-M N", "look at the first N documents of each topic only"),
    ("-c", "divide by all topics of the judgements, not only by those that the run has too"),
    ("-baseline RUN", "print differences to this run"),
    ("-riskAlpha A", "with -baseline: differences to the worse count 1 + A times (default 0)"),
    ("-a", "accepted, as there; it does nothing"),
    ("-version, -help", "the version, this text"),
    ("--risk-id YEAR", "(ireval's) form of the run's name with -baseline: 2014 (default) or 2013, which has commas"),
)
"""Option and what it does. Help and man page list them."""

DESCRIPTION = (
    "Measures of novelty and diversity as ndeval 4.5 of the TREC Web Track prints them, byte for byte: ERR-IA, "
    "nERR-IA, alpha-DCG, alpha-nDCG, P-IA and strec at 5, 10 and 20, NRBP, nNRBP and MAP-IA, for each topic and on "
    "average. QRELS holds `topic subtopic document judgement`. Options stand before the files. A run's topics may have "
    "a prefix that ends with a hyphen (wt09-12)."
)

DIFFERENCES = (
    (
        "bad numbers",
        "Scores that are not numbers are refused, with file, line and reason; ndeval takes what is in memory.",
    ),
    ("signs", "A plus sign before a number is accepted."),
    ("options", "-alpha, -beta, -M and -riskAlpha must be numbers; ndeval reads them as far as it can."),
    (
        "files",
        "gz, bz2 and xz files are read, - is standard input; blank lines, comments and a byte-order mark do no harm.",
    ),
    ("messages", "Messages on stderr and the text of -help are our own. The exit status of a failure is 1, as there."),
)
"""Where the door differs from ndeval on purpose."""

COPIED = (
    (
        "topics without relevant documents",
        "They count, with zeros and nNRBP -nan, and the mean of nNRBP is then -nan. `ireval eval` says 0.",
    ),
    ("no common topic", "Every mean is -nan, and the exit status 0. `ireval eval` ends with status 4."),
    ("unjudged topics", "A run's topic without judgements has a row of zeros, which is not counted in the mean."),
    (
        "negative judgements",
        "They end the program, as a syntax error. `ireval eval` takes them as nonrelevant, as the track meant them.",
    ),
    (
        "repeated judgements",
        "The last one counts, but all add to the number of relevant documents, so that MAP-IA falls. `ireval eval` "
        "refuses them.",
    ),
    ("more than one level", "Every judgement above 0 is 1."),
    (
        "baselines",
        "A topic that the baseline lacks has a baseline of 0. Topics that only the baseline has are passed over "
        "without -c; the mean is over all rows printed where these are more than the judged topics.",
    ),
    ("the ideal ranking", "It is greedy, so alpha-nDCG, nERR-IA and nNRBP can exceed 1; `ireval eval` can do better."),
)
"""Where ndeval surprises and the door copies it."""

HELP = USAGE.splitlines()[0] + f"\n\n{DESCRIPTION}\n\n" + "".join(f"  {name:<16s} {text}\n" for name, text in OPTIONS)
