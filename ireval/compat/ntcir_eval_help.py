"""`ntcir_eval -h`, in our own words."""

from __future__ import annotations

USAGE = """\
Usage: ntcir_eval COMMAND [options] [file]
  label | glabel | dinlabel     put labels or gains after the documents of a ranked list
  compute | gcompute            score a list that label, glabel or dinlabel has made
  irec | 1click                 intent recall; nugget measures
  GFlabel | GFRcompute          group fairness
`ireval ntcir_eval -h` says more; `ireval --help` tells what else ireval does.
"""

OPTIONS = (
    ("-r FILE", "judgements: document L0 to L15, with -ec a third field, the number of the equivalence class"),
    ("-g G1:G2:...", "gains of levels L1, L2, ...; they may not fall"),
    ("-I FILE", "ideal list: document gain, best first; a gain of 0 means judged nonrelevant"),
    ("-din FILE", "intent inf|nav document worth; a nav intent gains only from the first document about it"),
    ("-j", "judged documents only; compute and gcompute print the bpref family too"),
    ("-ec", "equivalence classes: only the first document of a class counts"),
    ("-truncate N", "label only the first N documents of the list"),
    ("-cutoffs K,...", "ranks to cut at, at most 9 (default 1000)"),
    ("-out TEXT", "what every line begins with, usually the topic"),
    ("-sep TEXT", "characters that separate fields (default one blank)"),
    ("-beta B", "weight of cumulative gain in the blended ratio (default 1); of T-flat in F-flat"),
    ("-gamma P", "persistence of NCUrb (default 0.95)"),
    ("-logb B", "base of the logarithm in nDCG (default 2; 0 is the natural one)"),
    ("-rbp P", "persistence of RBP (default 0.95)"),
    ("-rbup P", "persistence of iRBU and NCUrb,IE (default 0.99; 190111: iRBU@k of compute only, and only when given)"),
    ("-s S1:S2:...", "stopping values of levels for NCUgu, 190111 only (default the gains)"),
    ("-gap", "graded average precision as well"),
    ("-L N, -N FILE", "1click: patience in characters; nuggets: nugget weight length"),
    ("-gm FILE", "group memberships: document p1 ... pC"),
    ("-ngroups C", "number of groups"),
    ("-gdistr FILE", "distribution over groups that is wished for, one number a line"),
    ("-v", "a trace of the computation"),
    ("--release R", "(ireval's) release to agree with: 230128 (default) or 190111"),
)
"""Option and what it does. Help and man page list them."""

DESCRIPTION = """\
Scores one topic with the measures of NTCIREVAL, from files of its own formats. The list is a file or standard input,
one document a line, in the order of the ranking. label and compute work with levels, glabel and gcompute with gains;
irec takes the list, then one file of relevant documents for each intent; 1click reads an answer: its length in the
second field of the first line, then nugget and offset. GFlabel appends group memberships to the lines of a list that
label has made (a document that is not known belongs to all groups alike), and GFRcompute scores the result: these two
are written after a description of NTCIREVAL, its program was not at hand, and the bytes have not been compared."""

EXIT_STATUS = """\
0 done, 1 usage, 2 anything else: a file cannot be read, a topic has no relevant document. NTCIREVAL itself
ends with 0 whatever happens. When a command fails it prints nothing but the message."""

SYNOPSES = (
    "label [-j] [-ec] [-sep TEXT] [-truncate N] -r FILE [list]",
    "compute [-j] [-ec] [-v] [-gap] [scoring options] -r FILE -g G1:G2:... [labelled list]",
    "glabel [-j] [-sep TEXT] [-truncate N] -I FILE [list]",
    "gcompute [-j] [-v] [-gap] [scoring options] -I FILE [list with gains]",
    "dinlabel [-j] [-sep TEXT] [-truncate N] -din FILE [list]",
    "irec [-cutoffs K,...] [-sep TEXT] [-out TEXT] [-v] list documents-of-intent-1 ...",
    "1click -L N -N FILE [-beta B] [-sep TEXT] [-out TEXT] [-v] [matches]",
    "GFlabel -gm FILE -ngroups C [-sep TEXT] [-truncate N] [list]",
    "GFRcompute -r FILE -g G1:G2:... -ngroups C -gdistr FILE [-rbup P] [-cutoffs K,...] [-out TEXT] [list]",
)

HELP = "\n".join(
    [
        *(f"ntcir_eval {line}" for line in SYNOPSES),
        "",
        DESCRIPTION,
        "",
        *(f"  {option:<16s}{text}" for option, text in OPTIONS),
        "",
        f"Exit status: {EXIT_STATUS}",
        "",
    ]
)

DIFFERENCES = (
    (
        "failures",
        "They end with status 1 (usage) or 2 (anything else) and print nothing on standard output; NTCIREVAL ends "
        "with 0 and may have printed some lines.",
    ),
    (
        "bad numbers",
        "Gains, weights, offsets, labels and options that are not numbers, or not within their range, are "
        "refused; NTCIREVAL reads them as far as it can. So are cutoffs below 1, negative gains, and levels of a "
        "list that -g has no gain for.",
    ),
    (
        "ideal lists without order",
        "gcompute refuses an ideal file that has no gain at all on as many lines as there are relevant documents,"
        " where NTCIREVAL prints infinities.",
    ),
    (
        "the last digit",
        "Where a value lies exactly between two numbers of four digits, the last bits of a sum decide which is"
        " printed, and they may differ (MSnDCG, for one, takes logarithms to base 2 here, to base e there).",
    ),
    ("broken din files", "A line that cannot be read ends dinlabel; NTCIREVAL goes on with the lines before it."),
    (
        "files",
        "gz, bz2 and xz files are read, - is standard input, a byte-order mark is left out, and lines may be of "
        "any length.",
    ),
    (
        "group fairness",
        "GFlabel and GFRcompute follow a description; how their files look in NTCIREVAL is not known to us.",
    ),
    ("messages", "Messages on stderr and the text of -h are our own."),
)
"""Where this door differs from NTCIREVAL on purpose: a key word and a sentence. README and man page list them."""

COPIED = (
    (
        "NCUrb at cutoffs",
        "NCUrb,*@k divides by min(k, R), though its weights add up to less: at k >= R it is not NCUrb. `ireval "
        "eval -m 'NCU(stop=rb)@10'` divides by the weights that fit into k.",
    ),
    (
        "topics without relevant documents",
        "They have no lines at all, so that means depend on who counts them. `ireval eval` scores them 0 and "
        "counts them.",
    ),
    (
        "duplicates",
        "A document that stands twice in a list counts twice, and AP can exceed 1; one that is judged twice "
        "counts twice in R. `ireval eval` refuses both.",
    ),
    (
        "the first rank",
        "A relevant document at rank 1 adds 0 to bpref_relative and rpref_relative. `ireval eval` adds 1.",
    ),
    (
        "levels without a gain",
        "A level whose gain is 0 counts in R, RR, Prec and Hit, but adds nothing to AP, Q and bpref. In `ireval "
        "eval` the measures of binary relevance do not know gains: a document at or above the level is relevant.",
    ),
    (
        "the preferred rank",
        "compute looks for the highest level, even where it has the same gain as a lower one. `ireval eval` looks "
        "for the highest gain.",
    ),
    (
        "the top gain",
        "ERR, EBR, iRBU, RBP and rpref_N take the last value of -g in compute, but the highest gain of the topic "
        "in gcompute, so that topics are not on one scale. `ireval eval` takes the highest of the whole judgement "
        "file.",
    ),
    (
        "ideal lists",
        "gcompute takes the first lines of the ideal file as they stand, sorted or not. `ireval eval` sorts.",
    ),
    (
        "nothing to divide by",
        "Where no gain is possible, normalised measures print -nan (or inf). `ireval eval` says 0.",
    ),
)
"""Where NTCIREVAL is inconsistent or surprising: the door copies it, our own commands do what is said here."""
