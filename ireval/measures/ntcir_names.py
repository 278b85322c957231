"""NTCIREVAL's set of measures: what it calls them, in the order in which it prints them, and what they are here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ireval.measures.registry import Value


@dataclass(frozen=True)
class Line:
    """A line of its output: its name, our measure, the parameters.

    over_ideal: divided by the gain of the ideal ranking, so that NTCIREVAL prints -nan (or inf) where that is 0.
    """

    name: str
    measure: str
    params: dict[str, Value]
    over_ideal: bool = False


@dataclass(frozen=True)
class NtcirSet:
    """The options that its measures depend on; by default those of release 230128.

    top: highest gain (topic: of each topic; None: of the collection). by: whether levels or gains tell documents apart.
    rbu: None where release 190111 was not asked for iRBU. share: what NCU is divided by at a cutoff (see graded.SHARE).
    """

    top: float | str | None
    by: str = "levels"
    beta: float = 1.0
    gamma: float = 0.95
    rbp: float = 0.95
    rbu: float | None = 0.99
    base: float = 2.0
    gap: bool = False
    stops: str = ""
    release: str = "230128"
    share: str = "min"

    @property
    def old(self) -> bool:
        """Whether this is release 190111."""
        return self.release == "190111"

    @property
    def cascade(self) -> dict[str, Value]:
        """Parameters of the cascade measures."""
        return {"sat": "gain", "top": self.top}


def whole_lines(s: NtcirSet) -> Iterator[Line]:
    """The measures of the whole ranking."""
    beta: dict[str, Value] = {"beta": s.beta}
    by: dict[str, Value] = {**beta, "by": s.by}
    yield Line("RR", "recip_rank", {})
    yield Line("O-measure", "o_measure", by)
    yield Line("P-measure", "p_measure", by)
    yield Line("P-plus", "p_plus", by)
    yield Line("AP", "ncu", {"stop": "u", "utility": "P"})
    yield Line("Q-measure", "q_measure", beta)
    if s.old and s.by == "levels":
        for utility in ("P", "BR"):
            params: dict[str, Value] = {"stop": "gu", "utility": utility, "stops": s.stops, **beta}
            yield Line(f"NCUgu,{utility}", "ncu", params, over_ideal=not s.stops)
    yield from _rank_biased(s, "ncu")
    if s.gap:
        yield Line("GAP", "gap", {"by": s.by})
    yield Line("RBP", "rbp_graded", {"p": s.rbp, "top": s.top})
    yield Line("ERR", "err", s.cascade)
    yield Line("EBR", "ebr", {**s.cascade, **beta})
    if not s.old:
        yield Line("iRBU", "irbu", {**s.cascade, "p": s.rbu})


def _rank_biased(s: NtcirSet, measure: str) -> Iterator[Line]:
    """NCU with rank-biased stopping."""
    for utility in ("P", "BR") if s.old else ("P", "BR", "IE"):
        params: dict[str, Value] = {
            "stop": "rb",
            "utility": utility,
            "gamma": s.gamma,
            "share": s.share,
            "beta": s.beta,
        }
        yield Line(f"NCUrb,{utility}", measure, params | ({"p": s.rbu} if utility == "IE" else {}))


def cut_lines(s: NtcirSet) -> Iterator[Line]:
    """The measures of the first documents; each takes a cutoff k."""
    beta: dict[str, Value] = {"beta": s.beta}
    patient: dict[str, Value] = {**s.cascade, "p": s.rbu}
    yield Line("AP", "ncu_cut", {"stop": "u", "utility": "P"})
    yield Line("Q", "q_measure_cut", beta)
    if not s.old:
        yield from _rank_biased(s, "ncu_cut")
    if s.gap:
        yield Line("GAP", "gap_cut", {"by": s.by}, over_ideal=s.by == "gains")
    yield Line("nDCG", "ndcg_original_cut", {"b": s.base}, over_ideal=True)
    yield Line("MSnDCG", "ndcg_cut", {}, over_ideal=True)
    yield Line("P" if s.old else "Prec", "P", {})
    yield Line("RBP", "rbp_graded_cut", {"p": s.rbp, "top": s.top})
    if not s.old:
        yield Line("nRBP", "nrbp_cut", {"p": s.rbp}, over_ideal=True)
    yield Line("ERR", "err_cut", s.cascade)
    yield Line("nERR", "nerr_cut", s.cascade, over_ideal=True)
    yield Line("EBR", "ebr_cut", {**s.cascade, **beta})
    if not s.old:
        yield Line("nEBR", "nebr_cut", {**s.cascade, **beta}, over_ideal=True)
    if s.rbu is not None:
        yield Line("iRBU", "irbu_cut", patient)
    if not s.old:
        yield Line("niRBU", "nirbu_cut", patient, over_ideal=True)
    yield Line("Hit", "success", {})
