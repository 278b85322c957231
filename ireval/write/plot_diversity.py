"""Intent recall against D-nDCG, as at NTCIR's INTENT tasks: who is diverse, who is relevant, and who is both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ireval.write.plot import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def recall_against_relevance(points: Mapping[str, tuple[float, ...]], names: Sequence[str], gamma: float) -> Figure:
    """One point (I-rec, D-nDCG) for each run; lines on which D# = gamma I-rec + (1 - gamma) D-nDCG is the same.

    names: of the two axes and of D#.
    """
    import numpy as np

    figure = new_figure(6.0, 6.0)
    axes = figure.add_subplot()
    x, y = (np.array([point[i] for point in points.values()]) for i in (0, 1))
    span = max(0.1, float(np.ptp(x)), float(np.ptp(y))) * 0.65
    middle = [(float(values.max()) + float(values.min())) / 2 for values in (x, y)]
    edges = [(max(0.0, m - span), min(1.0, m + span)) for m in middle]
    grid = np.meshgrid(np.linspace(*edges[0], 50), np.linspace(*edges[1], 50))
    lines = axes.contour(*grid, gamma * grid[0] + (1 - gamma) * grid[1], levels=8, colors="0.7", linewidths=0.8)
    axes.clabel(lines, fmt="%.2f", fontsize=8)
    axes.plot(x, y, "o", color="tab:blue")
    for name, point in points.items():
        axes.annotate(name, (point[0], point[1]), xytext=(5, 4), textcoords="offset points", fontsize=9)
    axes.set(xlabel=names[0], ylabel=names[1], title=f"lines of equal {names[2]}", xlim=edges[0], ylim=edges[1])
    return figure
