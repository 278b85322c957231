"""The table of input formats: which fields a line has and what they mean. A new format is a new row."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False, repr=False)
class Format:
    """One line-based format. `fields`: role of each column, in order."""

    name: str
    fields: tuple[str, ...]
    whole_levels: bool
    """Levels are whole numbers (otherwise any number)."""
    extra: bool
    """Further columns may follow and are passed over."""
    help: str
    level_prefix: bytes = b""
    """What a level begins with."""

    @property
    def expected(self) -> str:
        """What a line should look like, for messages."""
        return f"{len(self.fields)} fields ({' '.join(self.fields)})"


RUN = Format(
    "trec_results",
    ("topic", "Q0", "document", "rank", "score", "tag"),
    False,
    True,
    "One line a retrieved document. Documents are ordered by score, highest first; equal scores by document number,\n"
    "highest byte order first. The second field and the rank are not used (our own commands can order by rank or by\n"
    "line). The tag names the run; the last line's tag is shown. Scores are decimal or scientific numbers.",
)

PASSAGES = Format(
    "passages",
    ("topic", "document", "offset", "length", "score"),
    False,
    True,
    "One line a retrieved passage, for MED-U: where it begins in its document and how long it is, in characters. The\n"
    "text that a reader sees is that of the passages, highest score first; equal scores as they stand.",
)

LENGTHS = Format(
    "lengths",
    ("document", "characters", "words"),
    True,
    False,
    "Length of each document in characters and, for TBG, in words (the third field may be left out in all lines).",
)

SESSIONS = Format(
    "sessions",
    ("session", "query", "document", "rank", "score", "tag"),
    False,
    True,
    "The ranked lists of a session: as trec_results, but the second field is the number of the query in its session,\n"
    "from 1 on. The judgements of a session are those of the topic with its name.",
)

SESSION_TOPICS = Format(
    "session topics",
    ("session", "topic"),
    True,
    True,
    "The topic that each session is about, where the judgements are those of topics and not of sessions.",
)

CLICKS = Format(
    "clicks",
    ("session", "query", "rank", "length"),
    True,
    False,
    "Clicks of a session in the order of time: number of the query, rank clicked on, characters of the document.",
)

NUGGETS = Format(
    "nuggets",
    ("topic", "nugget", "weight", "length"),
    False,
    False,
    "Pieces of information that answer a topic: weight, and characters of the shortest text with it (vital string).\n"
    "NTCIREVAL's files of one topic lack the first field.",
)

MATCHES = Format(
    "matches",
    ("topic", "nugget", "offset"),
    True,
    False,
    "Nuggets found in an answer and where their text ends in it. A line with syslen= in place of the nugget gives the\n"
    "length of the answer. NTCIREVAL's files of one topic lack the first field.",
)

NUGGET_TEXTS = Format(
    "nugget texts",
    ("topic", "nugget", "weight", "text"),
    False,
    False,
    "Nuggets with their texts, separated by tabs.",
)

TEXTS = Format(
    "texts",
    ("id", "text"),
    False,
    False,
    "A text on each line, after its id and a tab.",
)

ZSCORES = Format(
    "zscores",
    ("topic", "measure", "mean", "deviation"),
    False,
    False,
    "Mean and standard deviation of a measure over a reference set of runs, for each topic.",
)

RUN_PREFERENCES = Format(
    "preferences between runs",
    ("topic", "runA", "runB", "preferred"),
    False,
    False,
    "Which of two runs somebody preferred for a topic: A, B, or = for neither. One line a judgement.",
)

TEAMS = Format(
    "teams",
    ("run", "team", "pooled"),
    False,
    False,
    "The team that submitted each run. A third field `no` says that the run did not go into the pool (it may be left\n"
    "out in all lines; then all runs did).",
)

INTENTS = Format(
    "intents",
    ("topic", "intent", "probability", "type"),
    False,
    False,
    "How likely each intent of a topic is (0 to 1) and whether it is informational (inf) or navigational (nav).\n"
    "Either of the two may be left out in all lines.",
)

JUDGEMENTS = {
    fmt.name: fmt
    for fmt in (
        Format(
            "qrels",
            ("topic", "iteration", "document", "level"),
            True,
            False,
            "One line a judged document. The level is a whole number: 0 and below the -l threshold is nonrelevant,\n"
            "from the threshold on relevant, negative means pooled but not judged (infAP estimates from these).\n"
            "The second field is not used.",
        ),
        Format(
            "qrels_jg",
            ("topic", "group", "document", "level"),
            True,
            False,
            "As qrels, but the second field names a judgement group, for instance an assessor: each group judges the\n"
            "topic on its own, and the measures ending in _avgjg average over the groups.",
        ),
        Format(
            "qrels_prefs",
            ("topic", "group", "document", "level"),
            False,
            False,
            "As qrels_jg, but the levels (any numbers, 0 means nonrelevant) only say which document of a group is\n"
            "preferred to which: the higher level wins, equal levels express no preference.",
        ),
        Format(
            "ntcir",
            ("topic", "document", "level"),
            True,
            False,
            "NTCIR's judgements: three fields, levels written L0, L1, L2, ...",
            b"L",
        ),
        Format(
            "prefs",
            ("topic", "group", "subgroup", "document", "level"),
            False,
            False,
            "Preferences: within one subgroup the higher level is preferred. A group may have several\n"
            "subgroups; preferences that follow by transitivity count too, and must not contradict each other.",
        ),
    )
}

DIVERSITY = {
    fmt.name: fmt
    for fmt in (
        Format(
            "diversity",
            ("topic", "intent", "document", "level"),
            True,
            False,
            "TREC's diversity judgements: one line for each document and intent (subtopic) of a topic. Negative\n"
            "levels (spam) count as nonrelevant.",
        ),
        Format(
            "ntcir_diversity",
            ("topic", "intent", "document", "level"),
            True,
            False,
            "NTCIR's diversity judgements: as diversity, with levels written L0, L1, L2, ...",
            b"L",
        ),
    )
}
"""Judgements of each intent of a topic."""
