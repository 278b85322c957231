"""`eval --plot`: intent recall against D-nDCG, a point for each run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ireval.api import Results
from ireval.measures.spec import GAMMA, Request, parse_measures

DEFAULT = "D#-nDCG@10"


def plot_requests(shown: Sequence[Request], settings: dict[str, Any]) -> list[Request]:
    """D#-nDCG as it was asked for (else D#-nDCG@10) and its two parts: I-rec, D-nDCG, D#-nDCG."""
    asked = [r for r in shown if r.spec.name == "ndcg_cut" and r.spec.lens == "D" and r.spec.gamma is not None]
    both = asked[0] if asked else parse_measures([DEFAULT], settings)[0]
    k = dict(both.spec.params)["k"]
    (recall,) = parse_measures([f"I-rec@{k}"], settings)
    return [recall, Request(replace(both.spec, gamma=None), f"D-nDCG@{k}"), replace(both, aggregate="")]


def draw(results: Results, plotted: Sequence[Request], path: str) -> None:
    """Write the picture."""
    from ireval.write.plot import save_figure
    from ireval.write.plot_diversity import recall_against_relevance

    rows = [
        next(i for i, r in enumerate(results.requests) if (r.spec, r.how) == (request.spec, request.how))
        for request in plotted
    ]
    points = {
        name: tuple(float(str(results.value(run, row))) for row in rows[:2]) for run, name in enumerate(results.runs)
    }
    weight = plotted[2].spec.gamma
    names = tuple(request.label for request in plotted)
    save_figure(recall_against_relevance(points, names, GAMMA if weight is None else weight), path)
