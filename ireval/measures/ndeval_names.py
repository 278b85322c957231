"""ndeval's columns: what it calls them, in the order in which it prints them, and what they are here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ireval.measures.registry import Value, find_measure
from ireval.measures.spec import Spec, make_spec

CUTOFFS = (5, 10, 20)


@dataclass(frozen=True)
class Column:
    """A column: its name there, and our measure."""

    name: str
    spec: Spec


def columns(alpha: float = 0.5, beta: float = 0.5) -> list[Column]:
    """All 21 of them."""
    novelty: dict[str, Value] = {"alpha": alpha}
    found = [
        _column(f"{name}@{k}", measure, {**novelty, "k": k})
        for name, measure in (
            ("ERR-IA", "ndeval_err_ia"),
            ("nERR-IA", "ndeval_nerr_ia"),
            ("alpha-DCG", "alpha_dcg"),
            ("alpha-nDCG", "alpha_ndcg"),
        )
        for k in CUTOFFS
    ]
    found.append(_column("NRBP", "novelty_rbp", {**novelty, "beta": beta}))
    found.append(_column("nNRBP", "normalised_novelty_rbp", {**novelty, "beta": beta}))
    found.append(Column("MAP-IA", replace(make_spec(find_measure("map"), {}, {}), lens="IA")))
    found += [
        _column(f"{name}@{k}", measure, {"k": k})
        for name, measure in (("P-IA", "p_ia"), ("strec", "i_rec_cut"))
        for k in CUTOFFS
    ]
    return found


def _column(name: str, measure: str, params: dict[str, Value]) -> Column:
    return Column(name, make_spec(find_measure(measure), params, {}))
