"""Nugget measures of answers, as commands ask for them; nuggets.py has the definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ireval.core.columns import Doubles
from ireval.errors import UsageError
from ireval.measures import nuggets
from ireval.measures.graded import LECTURE
from ireval.measures.nuggets import Answer
from ireval.measures.registry import Number, Param, measure

Answers = Sequence[Answer]

QA = f"Dang & Lin, Different Structures for Evaluating Answers to Complex Questions, ACL 2007; {LECTURE}"
ONE_CLICK = f"Sakai, Kato & Song, CIKM 2011; Sakai & Kato, AIRS 2012; {LECTURE}"
ALLOWANCE = Number("allow", 100.0, "Characters that each nugget found may take.", low=0.0)
QA_BETA = Number("beta", 3.0, "How many times as important recall is as precision.", low=0.0)
SHARP_BETA = Number("beta", 1.0, "How many times as important S is as T.", low=0.0)
PATIENCE = Number(
    "L",
    1000.0,
    "Characters after which the reader has lost patience.",
    setting="patience",
    low=0.0,
    open_low=True,
)


def _each(answers: Answers, score: Callable[[Answer], float]) -> Doubles:
    """One score an answer; [T]."""
    return np.array([score(answer) for answer in answers], np.float64)


def _nugget_measure(
    name: str,
    label: str,
    formula: str,
    equation: str,
    *,
    params: tuple[Param, ...] = (),
    cite: str = QA,
    bounds: tuple[float | None, float | None] = (0.0, 1.0),
    aliases: tuple[str, ...] = (),
) -> Callable[[Callable[..., Doubles]], Callable[..., Doubles]]:
    return measure(
        name,
        label=label,
        params=params,
        needs="nuggets",
        trec=False,
        formula=formula,
        bounds=bounds,
        aliases=aliases,
        cite=f"{cite}{', ' + equation if equation else ''}",
    )


@_nugget_measure("nugget_recall", "NuggetR", "nuggets found / nuggets", "", aliases=("Recall",))
def nugget_recall(answers: Answers) -> Doubles:
    """Nugget recall: share of the nuggets that are in the answer, whatever they weigh."""
    return _each(answers, lambda a: nuggets.recall(a.matches, a.nuggets))


@_nugget_measure("weighted_recall", "W-recall", "sum of w over nuggets found / sum of w", "eq. 40", aliases=("W-Rec",))
def weighted_recall(answers: Answers) -> Doubles:
    """Weighted nugget recall: share of the weight of all nuggets that is in the answer."""
    return _each(answers, lambda a: nuggets.weighted_recall(a.matches, a.nuggets))


@_nugget_measure(
    "nugget_precision",
    "NuggetP",
    "1 - max(0, l - allow x nuggets found) / l",
    "eq. 41",
    params=(ALLOWANCE,),
    aliases=("Prec",),
)
def nugget_precision(answers: Answers, allow: float) -> Doubles:
    """Precision with an allowance: each nugget found may take so many characters; what exceeds them is noise.

    The length l is that without white space where the text is known, else as the file gives it.
    """
    return _each(answers, lambda a: nuggets.allowed_precision(len(a.matches), a.dense, allow))


@_nugget_measure(
    "nugget_f",
    "NuggetF",
    "(beta^2 + 1) NuggetP W-recall / (beta^2 NuggetP + W-recall)",
    "eq. 42",
    params=(QA_BETA, ALLOWANCE),
    aliases=("F",),
)
def nugget_f(answers: Answers, beta: float, allow: float) -> Doubles:
    """F-measure of question answering: weighted nugget recall, and precision with an allowance."""

    def score(a: Answer) -> float:
        precision = nuggets.allowed_precision(len(a.matches), a.dense, allow)
        return nuggets.f_measure(precision, nuggets.weighted_recall(a.matches, a.nuggets), beta)

    return _each(answers, score)


def _s(a: Answer, limit: float) -> float:
    return nuggets.s_measure(a.matches, a.nuggets, limit)


def _t(a: Answer) -> float:
    return nuggets.t_measure(a.matches, a.length)


_S_FORMULA = "sum over nuggets found of w max(0, L - offset) / the same of the pseudo minimal output"


@_nugget_measure(
    "s_measure",
    "S",
    _S_FORMULA,
    "eq. 43 and 44",
    params=(PATIENCE,),
    cite=ONE_CLICK,
    bounds=(0, None),
    aliases=("S-measure",),
)
def s_measure(answers: Answers, L: float) -> Doubles:  # noqa: N803 (the name of the papers)
    """S-measure: weighted recall in which a nugget is worth less the further one has to read to get it.

    It can exceed 1, since the pseudo minimal output only approximates the best text.
    """
    return _each(answers, lambda a: _s(a, L))


@_nugget_measure("s_flat", "S-flat", "min(1, S)", "eq. 46", params=(PATIENCE,), cite=ONE_CLICK)
def s_flat(answers: Answers, L: float) -> Doubles:  # noqa: N803
    """S-measure, at most 1."""
    return _each(answers, lambda a: nuggets.flat(_s(a, L)))


@_nugget_measure(
    "t_measure",
    "T",
    "sum over nuggets found of their vital lengths / length of the answer",
    "eq. 45",
    cite=ONE_CLICK,
    bounds=(0, None),
    aliases=("T-measure",),
)
def t_measure(answers: Answers) -> Doubles:
    """T-measure: share of the answer that the nuggets found need at least, a precision without an allowance."""
    return _each(answers, _t)


@_nugget_measure("t_flat", "T-flat", "min(1, T)", "eq. 46", cite=ONE_CLICK)
def t_flat(answers: Answers) -> Doubles:
    """T-measure, at most 1."""
    return _each(answers, lambda a: nuggets.flat(_t(a)))


@_nugget_measure(
    "s_sharp",
    "S#",
    "(1 + beta^2) T-flat S-flat / (beta^2 T-flat + S-flat)",
    "eq. 46",
    params=(SHARP_BETA, PATIENCE),
    cite=ONE_CLICK,
    aliases=("F-flat",),
)
def s_sharp(answers: Answers, beta: float, L: float) -> Doubles:  # noqa: N803
    """S#: F-measure of T-flat and S-flat; NTCIREVAL calls it F-flat."""
    return _each(answers, lambda a: nuggets.f_measure(nuggets.flat(_t(a)), nuggets.flat(_s(a, L)), beta))


@_nugget_measure(
    "pourpre",
    "POURPRE",
    "NuggetF with sum of w match / sum of w as recall, match = words of the nugget in the best string / its words, and "
    "an allowance for every match above 0",
    "",
    params=(QA_BETA, ALLOWANCE),
    cite="Lin & Demner-Fushman, Automatically Evaluating Answers to Definition Questions, HLT/EMNLP 2005",
)
def pourpre(answers: Answers, beta: float, allow: float) -> Doubles:
    """POURPRE: F-measure of question answering without an assessor, from words that nuggets and answers share.

    The match of a nugget is the share of its distinct words in that string of the answer which has most of them, so
    that a nugget can be found in part. Recall is the mean match, weighted by w: with 1 for vital and 0 for okay nuggets
    that of the vital ones. Every nugget with a match above 0, whatever its weight, adds its allowance. Words count
    alike (no idf) and as they stand (no stemming), none is left out, and the mean is over nuggets, not over words:
    a tool that stems or weights words gives other figures. Needs texts (--texts); --threshold does not touch it.
    """

    def score(a: Answer) -> float:
        if a.shares is None:
            raise UsageError("POURPRE needs texts of nuggets and answers (--texts)")
        precision = nuggets.allowed_precision(sum(share > 0 for share in a.shares), a.dense, allow)
        return nuggets.f_measure(precision, nuggets.soft_recall(a.shares, a.nuggets), beta)

    return _each(answers, score)
