"""Measures that model reading, from document lengths: the time it takes (TBG), the text read so far (U-measure)."""

from __future__ import annotations

import math

import numpy as np

from ireval.core import ragged
from ireval.core.aligned import Aligned
from ireval.core.columns import Doubles, Ints
from ireval.core.lengths import UNKNOWN
from ireval.errors import UsageError
from ireval.measures.cascade import SATISFIED, TOP, Top, probability
from ireval.measures.gains import GAINS
from ireval.measures.graded import LECTURE, graded
from ireval.measures.registry import LEVEL, Number, measure

SMUCKER = f"Smucker & Clarke, Time-based Calibration of Effectiveness Measures, SIGIR 2012; {LECTURE}, eq. 17 and 18"
SAKAI_DOU = f"Sakai & Dou, Summaries, Ranked Retrieval and Sessions, SIGIR 2013; {LECTURE}, eq. 19 and 20"


def _known(a: Aligned, column: str, rows: Ints, name: str) -> Doubles:
    """Lengths of these rows, or an error when one of them is not known."""
    if column not in a.columns:
        raise UsageError(f"{name} needs document lengths (--lengths FILE)")
    length = a.columns[column][rows]
    unknown = int(np.count_nonzero(length == UNKNOWN))
    if unknown:
        raise UsageError(f"{name} needs the {column} of {unknown} retrieved documents that the lengths do not give")
    return length.astype(np.float64)


@measure(
    "tbg",
    label="TBG",
    needs="lengths",
    properties="recall-independent",
    bounds=(0, None),
    trec=False,
    cite=SMUCKER,
    formula="sum over relevant ranks r of g exp(-T(r) ln 2 / h), T(r) = sum for k < r of T_S + P_click(k) (a l(k) + b)",
    params=(
        LEVEL,
        Number(
            "gain",
            0.4928,
            "Gain of a relevant document: P(click) x P(save) given that it is relevant, 0.64 x 0.77.",
            low=0.0,
        ),
        Number("half", 224.0, "Half-life of the user's interest, in seconds.", low=0.0, open_low=True),
        Number("snippet", 4.4, "Seconds to read a snippet.", low=0.0),
        Number("word", 0.018, "Seconds to read a word of a document.", low=0.0),
        Number("load", 7.8, "Seconds spent on a document whatever its length.", low=0.0),
        Number("click_rel", 0.64, "Probability of a click on a relevant document.", low=0.0, high=1.0),
        Number("click_non", 0.39, "Probability of a click on another one.", low=0.0, high=1.0),
    ),
)
def time_biased_gain(
    a: Aligned,
    rel: int,
    gain: float,
    half: float,
    snippet: float,
    word: float,
    load: float,
    click_rel: float,
    click_non: float,
) -> Doubles:
    """Time-biased gain: relevant documents count less the longer it takes to get to them.

    Needs the number of words of every retrieved document.
    """
    words = _known(a, "words", np.arange(len(a.judgement)), "TBG")
    relevant = a.judged & (a.relevance >= rel)
    spent = snippet + np.where(relevant, click_rel, click_non) * (word * words + load)
    until = ragged.running_sum(spent, a.off)
    rows = np.flatnonzero(relevant)
    topic = a.row_topic[rows]
    arrival = np.where(rows > a.off[topic], np.append(0.0, until)[rows], 0.0)
    return ragged.sums(gain * np.exp(-arrival * (math.log(2.0) / half)), topic, len(a))


MOST_TEXT = Number("L", 132000.0, "Characters of text after which nothing is worth anything.", low=0.0, open_low=True)
SNIPPET = Number("snippet", 200.0, "Characters of a snippet; every rank adds one.", low=0.0)


def trail_positions(snippets: Ints, characters: Doubles, off: Ints, snippet: float, share: float) -> Doubles:
    """Where the reading of each document ends in the trail text; [N].

    snippets [N]: how many were read by then. characters [N]: of the documents read, in the order of reading. off: the
    trails (topics or sessions) that they belong to.
    """
    return snippet * snippets + ragged.running_sum(share * characters, off)


def trail_worth(position: Doubles, most: float) -> Doubles:
    """What is left of a gain at a position of the trail text, max(0, 1 - position/L); [N]."""
    return np.maximum(0.0, 1.0 - position / most)


@measure(
    "u_measure",
    label="U",
    needs="lengths",
    properties="recall-independent diminishing nonlinear",
    bounds=(0, None),
    trec=False,
    cite=SAKAI_DOU,
    formula="sum over relevant ranks r of gain x max(0, 1 - pos(r)/L), pos(r) the text read by then",
    params=(
        GAINS,
        LEVEL,
        SATISFIED,
        TOP,
        MOST_TEXT,
        SNIPPET,
        Number("share", 0.2, "Share of a relevant document that is read.", low=0.0, high=1.0),
    ),
)
def u_measure(
    a: Aligned,
    gains: str,
    rel: int,
    sat: str,
    top: Top,
    L: float,  # noqa: N803 (the name of the papers)
    snippet: float,
    share: float,
) -> Doubles:
    """U-measure: gain decays with the amount of text read, snippets and parts of the relevant documents.

    The gain of a document sits where its reading ends. Needs the characters of the relevant documents
    retrieved.
    """
    rows = graded(a, gains, rel)
    characters = _known(a, "characters", a.off[rows.topic] + rows.rank - 1, "U-measure")
    position = trail_positions(rows.rank, characters, rows.off, snippet, share)
    value = probability(a, rows.topic, rows.level, rows.gain, gains, sat, top) * trail_worth(position, L)
    return ragged.sums(value, rows.topic, len(a))
