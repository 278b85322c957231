"""Diversity: how many intents of a topic a ranking serves, and how often it says the same again.

Measures of ordinary judgements become measures of diversity through a lens (see lens.py): `ERR-IA@10`, `D-nDCG@10`,
`D#-Q@10`, `DIN-nDCG@10`. Here are those that look at intents themselves.
"""

from __future__ import annotations

import numpy as np

from ireval.core.aligned import Aligned
from ireval.core.columns import Bools, Doubles, Ints
from ireval.core.intents import expectation, intent_hits, intents_of, split
from ireval.core.numeric import powers, ratio
from ireval.errors import UsageError
from ireval.measures.gains import GAINS
from ireval.measures.graded import BETA as BLEND
from ireval.measures.graded import LECTURE, p_plus_cut, q_measure_cut
from ireval.measures.novelty import Gained, discount, exact_ideal, full_marks, greedy_ideal, novelty_gains
from ireval.measures.registry import LEVEL, Choice, Cutoffs, Number, measure

RANKS = Cutoffs("k", (5, 10, 20), "Rank to cut at.")
ALPHA = Number(
    "alpha", 0.5, "How much a document loses for each earlier one that serves the same intent.", low=0.0, high=1.0
)
BETA = Number("beta", 0.5, "Probability of going on to the next document.", low=0.0, high=1.0)
PROBS = Choice(
    "probs", "no", "Whether intents count by their probabilities (yes) or all alike (no).", choices=("no", "yes")
)
IDEAL = Choice(
    "ideal",
    "greedy",
    "The ideal ranking: greedy as in ndeval (values above 1 are possible) or exact, where that can be proved; "
    "both gives the two side by side.",
    choices=("greedy", "exact"),
)
CLARKE = "Clarke et al., Novelty and Diversity in Information Retrieval Evaluation, SIGIR 2008"
CASCADES = "Clarke, Craswell, Soboroff & Ashkan, A Comparative Analysis of Cascade Measures for Novelty, WSDM 2011"
NRBP_CITE = "Clarke, Kolla & Vechtomova, An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR 2009"
SONG = "Sakai & Song, Evaluating Diversified Search Results Using Per-intent Graded Relevance, SIGIR 2011"
NAVIGATIONAL = "Sakai, Evaluation with Informational and Navigational Intents, WWW 2012"


# -- intents covered ------------------------------------------------------------------------------------------------


def _first_hits(a: Aligned, rel: int) -> tuple[Ints, Ints]:
    """Topic and rank of the first document for each intent that is served at all."""
    hits = intent_hits(a, rel)
    first = hits.nth == 1
    return hits.topic[first], hits.rank[first]


def intent_recall(a: Aligned, k: int | Ints | None, rel: int) -> Doubles:
    """Share of the intents that count which the first k documents (all where k is None) serve; shape [T]."""
    topic, rank = _first_hits(a, rel)
    last = np.broadcast_to(np.iinfo(np.int64).max if k is None else k, len(a))
    covered = np.bincount(topic[rank <= last[topic]], minlength=len(a))
    return ratio(covered, intents_of(a.judgements).count[a.topic])


@measure(
    "i_rec",
    properties="normalised",
    label="I-rec",
    params=(LEVEL,),
    trec=False,
    needs="intents",
    aliases=("StRecall", "strec"),
    formula="intents covered / intents",
    cite=f"{LECTURE}, eq. 24",
)
def intent_recall_whole(a: Aligned, rel: int) -> Doubles:
    """Intent recall (subtopic recall): share of a topic's intents that have a relevant document in the ranking.

    By default the intents that have a relevant document at all are counted (--over all counts every intent named).
    """
    return intent_recall(a, None, rel)


@measure(
    "i_rec_cut",
    label="I-rec",
    params=(RANKS, LEVEL),
    trec=False,
    needs="intents",
    aliases=("StRecall", "strec"),
    formula="intents covered by the first k documents / intents",
    cite=f"{LECTURE}, eq. 24",
)
def intent_recall_cut(a: Aligned, k: int, rel: int) -> Doubles:
    """Intent recall of the first k documents."""
    return intent_recall(a, k, rel)


@measure(
    "i_rec_n",
    label="I-recN",
    params=(LEVEL,),
    trec=False,
    needs="intents",
    formula="I-rec@n, n the number of intents of the topic",
    cite=SONG,
)
def intent_recall_at_number(a: Aligned, rel: int) -> Doubles:
    """Intent recall after as many documents as the topic has intents. NTCIREVAL calls it I-rec@n."""
    return intent_recall(a, intents_of(a.judgements).count[a.topic], rel)


# -- precision ------------------------------------------------------------------------------------------------------


@measure(
    "p_ia",
    properties="recall-independent",
    label="P_IA",
    params=(RANKS, LEVEL),
    trec=False,
    needs="intents",
    formula="sum for r <= k of the number of intents that document r serves, over k x intents",
    cite="Clarke, Craswell & Soboroff, Overview of the TREC 2009 Web Track (ndeval's P-IA)",
)
def intent_aware_precision(a: Aligned, k: int, rel: int) -> Doubles:
    """Precision over documents and intents, all intents alike: ndeval's P-IA. P-IA@k weighs by probability."""
    hits = intent_hits(a, rel)
    served = np.bincount(hits.topic[hits.rank <= k], minlength=len(a))
    return ratio(served, k * intents_of(a.judgements).count[a.topic])


@measure(
    "effective_p",
    properties="recall-independent",
    label="EffP",
    params=(RANKS, LEVEL),
    trec=False,
    needs="intents",
    formula="documents among the first k that serve an informational intent, or a navigational one first, over k",
    cite=f"{NAVIGATIONAL}; {LECTURE}, section 3.1",
)
def effective_precision(a: Aligned, k: int, rel: int) -> Doubles:
    """Effective precision: precision without documents that only repeat what a navigational intent has already."""
    check_types(a, "EffP")
    hits = intent_hits(a, rel)
    useful = (hits.nth == 1) | ~intents_of(a.judgements).navigational[hits.intent]
    return _documents(a, hits.row[useful & (hits.rank <= k)]) / k


@measure(
    "pmp",
    properties="recall-independent",
    label="PMP",
    params=(RANKS, LEVEL),
    trec=False,
    needs="intents",
    formula="documents among the first k that are relevant to the most probable intent, over k",
    cite=f"{LECTURE}, section 3.1",
)
def precision_for_most_popular(a: Aligned, k: int, rel: int) -> Doubles:
    """Precision for the most popular intent. Where several are equally probable, a document may serve any of them."""
    popular = _most_popular(a)
    if bool(popular.all()) and len(popular) > len(a.judgements):
        raise UsageError("PMP needs intents of different probabilities (--intents FILE)")
    hits = intent_hits(a, rel)
    return _documents(a, hits.row[popular[hits.intent] & (hits.rank <= k)]) / k


def _documents(a: Aligned, rows: Ints) -> Ints:
    """How many different rows there are, by topic; shape [T]."""
    different = np.flatnonzero(np.bincount(rows, minlength=len(a.judgement)))
    return np.bincount(a.row_topic[different], minlength=len(a))


def _most_popular(a: Aligned) -> Bools:
    """Whether each intent is the most probable of its topic; shape [I]."""
    intents = intents_of(a.judgements)
    owner = np.repeat(np.arange(len(a.judgements)), intents.count)
    highest = np.zeros(len(a.judgements))
    np.maximum.at(highest, owner, intents.probability)
    return intents.probability >= highest[owner]


def check_types(a: Aligned, name: str) -> None:
    """Refuse a measure that tells informational from navigational intents where nobody has."""
    if not intents_of(a.judgements).typed:
        raise UsageError(f"{name} needs the types of the intents (--intents FILE with inf or nav)")


@measure(
    "p_plus_q",
    label="P+Q",
    params=(Cutoffs("k", (10,), "Rank to cut at."), GAINS, LEVEL, BLEND),
    trec=False,
    needs="intents",
    formula="sum over informational intents of Pr(i) Q_i@k + sum over navigational ones of Pr(j) P+_j@k",
    cite=f"{NAVIGATIONAL}; {LECTURE}, eq. 34",
)
def p_plus_q(a: Aligned, k: int, gains: str, rel: int, beta: float) -> Doubles:
    """Q-measure for informational intents, P+ for navigational ones, weighted by their probabilities.

    P+Q# combines it with I-rec.
    """
    check_types(a, "P+Q")
    each = split(a)
    wanted = intents_of(a.judgements).navigational[each.topic]
    found = np.where(wanted, p_plus_cut(each, k, gains, rel, beta), q_measure_cut(each, k, gains, rel, beta))
    return expectation(a, found)


# -- novelty, as ndeval computes it ---------------------------------------------------------------------------------


def _by_rank(rows: Gained) -> Doubles:
    return rows.gain / rows.rank


def _by_discount(rows: Gained) -> Doubles:
    return rows.gain * discount(rows.rank)


def _err(a: Aligned, k: int, alpha: float, rel: int) -> tuple[Doubles, Doubles]:
    """Novelty-biased ERR@k of the rankings and of the greedy ideal ones, over full marks; two [T]."""
    full = full_marks(a, alpha, k, "no", np.arange(1.0, k + 1.0), by_factor=False)
    rows, best = novelty_gains(a, alpha, rel, "no"), greedy_ideal(a.judgements, alpha, rel, "no")
    ideal = best.total(_by_rank(best), len(a.judgements), k)[a.topic]
    return ratio(rows.total(_by_rank(rows), len(a), k), full), ratio(ideal, full)


def _dcg(a: Aligned, k: int, alpha: float, rel: int, probs: str) -> tuple[Doubles, Doubles]:
    """alpha-DCG@k of the rankings, over full marks; and full marks; two [T]."""
    full = full_marks(a, alpha, k, probs, discount(np.arange(1, k + 1)), by_factor=True)
    rows = novelty_gains(a, alpha, rel, probs)
    return ratio(rows.total(_by_discount(rows), len(a), k), full), full


@measure(
    "ndeval_err_ia",
    properties="recall-independent diminishing",
    label="ERR_IA",
    params=(RANKS, ALPHA, LEVEL),
    trec=False,
    needs="intents",
    formula="sum for r <= k of ng(r)/r, over the same of documents that each serve all intents",
    cite=f"{CASCADES} (ndeval's ERR-IA)",
)
def ndeval_err_ia(a: Aligned, k: int, alpha: float, rel: int) -> Doubles:
    """ERR-IA of ndeval: binary relevance, normalised so that it does not depend on the collection.

    ERR-IA@k, with a hyphen, is the expectation of graded ERR over the intents.
    """
    return _err(a, k, alpha, rel)[0]


@measure(
    "ndeval_nerr_ia",
    properties="normalised diminishing",
    label="nERR_IA",
    params=(RANKS, ALPHA, LEVEL),
    trec=False,
    needs="intents",
    bounds=(0, None),
    formula="ERR_IA@k / that of the greedy ideal ranking",
    cite=f"{CASCADES} (ndeval's nERR-IA)",
)
def ndeval_nerr_ia(a: Aligned, k: int, alpha: float, rel: int) -> Doubles:
    """nERR-IA of ndeval: its ERR-IA over that of the greedy ideal ranking. nERR-IA@k is the expectation of nERR."""
    return ratio(*_err(a, k, alpha, rel))


@measure(
    "alpha_dcg",
    properties="recall-independent diminishing",
    label="alpha-DCG",
    params=(RANKS, ALPHA, LEVEL, PROBS),
    trec=False,
    needs="intents",
    aliases=("alpha_DCG", "α-DCG"),
    formula="sum for r <= k of ng(r)/log2(r + 1), over the same of documents that each serve all intents",
    cite=f"{CLARKE}; ndeval",
)
def alpha_dcg(a: Aligned, k: int, alpha: float, rel: int, probs: str) -> Doubles:
    """Novelty-biased DCG, as ndeval normalises it: by documents that serve all intents, whatever the collection has."""
    return _dcg(a, k, alpha, rel, probs)[0]


@measure(
    "alpha_ndcg",
    properties="normalised diminishing",
    label="alpha-nDCG",
    params=(RANKS, ALPHA, LEVEL, PROBS, IDEAL),
    trec=False,
    needs="intents",
    aliases=("alpha_nDCG", "α-nDCG"),
    bounds=(0, None),
    formula="sum for r <= k of ng(r)/log2(r + 1), over that of the ideal ranking",
    cite=f"{CLARKE}; {LECTURE}, eq. 25",
)
def alpha_ndcg(a: Aligned, k: int, alpha: float, rel: int, probs: str, ideal: str) -> Doubles:
    """DCG of novelty-biased gains over that of the ideal ranking: relevance is binary, repetition is discounted.

    To find the ideal ranking is NP-complete. The greedy one is not always the best, so that values above 1 happen.
    """
    found, full = _dcg(a, k, alpha, rel, probs)
    if ideal == "exact":
        best = exact_ideal(a.judgements, alpha, rel, probs, k)
    else:
        rows = greedy_ideal(a.judgements, alpha, rel, probs)
        best = rows.total(_by_discount(rows), len(a.judgements), k)
    return ratio(found, ratio(best[a.topic], full))


def _rank_biased(rows: Gained, topics: int, beta: float) -> Doubles:
    """Sum of ng(r) beta^(r-1) over whole rankings; [topics]."""
    return rows.total(rows.gain * powers(beta, int(rows.rank.max(initial=0)) + 1)[rows.rank - 1], topics)


@measure(
    "novelty_rbp",
    properties="recall-independent diminishing",
    label="NRBP",
    params=(ALPHA, BETA, LEVEL),
    trec=False,
    needs="intents",
    formula="(1 - (1 - alpha) beta)/intents x sum of ng(r) beta^(r - 1)",
    cite=NRBP_CITE,
)
def novelty_rbp(a: Aligned, alpha: float, beta: float, rel: int) -> Doubles:
    """Novelty- and rank-biased precision of the whole ranking."""
    number = intents_of(a.judgements).count[a.topic]
    total = _rank_biased(novelty_gains(a, alpha, rel, "no"), len(a), beta)
    return np.where(number > 0, total * ((1 - (1 - alpha) * beta) / np.maximum(number, 1)), 0.0)


@measure(
    "normalised_novelty_rbp",
    properties="normalised diminishing",
    label="nNRBP",
    params=(ALPHA, BETA, LEVEL),
    trec=False,
    needs="intents",
    bounds=(0, None),
    formula="NRBP / that of the greedy ideal ranking",
    cite=NRBP_CITE,
)
def normalised_novelty_rbp(a: Aligned, alpha: float, beta: float, rel: int) -> Doubles:
    """NRBP over that of the greedy ideal ranking of all relevant documents; 0 where there is none."""
    number = intents_of(a.judgements).count[a.topic]
    best = _rank_biased(greedy_ideal(a.judgements, alpha, rel, "no"), len(a.judgements), beta)[a.topic]
    ideal = np.where(number > 0, best * ((1 - (1 - alpha) * beta) / np.maximum(number, 1)), 0.0)
    return ratio(novelty_rbp(a, alpha, beta, rel), ideal)
