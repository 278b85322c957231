"""`gdeval -help`, in our own words, and where the door differs."""

from __future__ import annotations

USAGE = """\
Usage: gdeval [options] QRELS RUN
`ireval gdeval -help` says more; `ireval --help` tells what else ireval does.
"""

OPTIONS = (
    ("-k K", "rank to cut at (default 20)"),
    ("-c", "divide by all topics of the judgements that have a relevant document"),
    ("-baseline RUN", "print differences to this run"),
    ("-riskAlpha A", "with -baseline: differences to the worse count 1 + A times (default 0)"),
    ("-version, -help", "the version, this text"),
    ("--risk-id YEAR", "(ireval's) form of the run's name with -baseline: 2013 (default), which has commas, or 2014"),
)
"""Option and what it does. Help and man page list them."""

DESCRIPTION = (
    "nDCG (gains 2^level - 1) and ERR (levels up to 4) as gdeval.pl 1.3 of the TREC Web Track prints them, byte for "
    "byte. Documents are ordered by score, ties by document number from high to low. Topics may have a prefix that "
    "ends with a hyphen (wt09-12). A link named gdeval.pl works."
)

DIFFERENCES = (
    ("bad numbers", "Scores and levels that are not numbers are refused, with file, line and reason."),
    ("the fields that nobody uses", "The second field and the rank of a run are not checked, and its name may be 0."),
    ("topics", "01 and 1 are two topics; gdeval.pl takes them for one in some places."),
    (
        "files",
        "gz, bz2 and xz files are read whatever they are called, - is standard input; blank lines, comments and a "
        "byte-order mark do no harm.",
    ),
    ("messages", "Messages on stderr and the text of -help are our own; no warnings about undefined values."),
    ("empty files", "They are refused; gdeval.pl prints means of 0."),
    (
        "exit status",
        "255 usage, 2 when a file cannot be opened, 25 for every other failure, as gdeval.pl ends on Linux.",
    ),
)
"""Where the door differs from gdeval on purpose."""

COPIED = (
    ("the top level", "ERR takes 4 for the highest level, whatever the judgements hold. `ireval eval` looks at them."),
    (
        "topics without relevant documents",
        "They have no row and are never counted, with -c either. `ireval eval` scores them 0 and counts them.",
    ),
    ("no common topic", "The means are 0.00000, and the exit status 0. `ireval eval` ends with status 4."),
    ("repeated documents", "Each one gains, so that nDCG can exceed 1. `ireval eval` refuses them."),
    (
        "repeated judgements",
        "All of them enter the ideal ranking, the lowest one counts for the run. `ireval eval` refuses them.",
    ),
    (
        "baselines that leak",
        "With -c, a topic that neither the run nor the baseline has takes the baseline of the missing topic before it. "
        "`ireval eval --baseline` does not.",
    ),
)
"""Where gdeval surprises and the door copies it."""

HELP = USAGE.splitlines()[0] + f"\n\n{DESCRIPTION}\n\n" + "".join(f"  {name:<16s} {text}\n" for name, text in OPTIONS)
