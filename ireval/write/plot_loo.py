"""A picture of a leave-one-out test: each run's score under all judgements against its score without its own team."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ireval.write.plot import new_figure, save_figure

Series = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def draw_leave_one_out(series: Series, by: str, path: str) -> None:
    """One panel a measure. series: {measure: (scores, scores without)}, a point a run; on the line nothing changes."""
    across = min(len(series), 2)
    down = math.ceil(len(series) / across)
    figure = new_figure(3.2 * across, 3.0 * down)
    for place, (measure, (whole, without)) in enumerate(series.items(), 1):
        axes = figure.add_subplot(down, across, place)
        low, high = min([*whole, *without]), max([*whole, *without])
        axes.plot([low, high], [low, high], color="0.7", linewidth=1)
        axes.plot(whole, without, "o", markersize=4, alpha=0.7)
        axes.set_title(measure)
        axes.set_xlabel("all judgements")
        axes.set_ylabel(f"without the run's {by}" if by == "team" else "without the run")
    save_figure(figure, path)
