"""Curves, one a measure: significance levels, swap rates, what becomes of a measure with less judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ireval.write.plot import new_figure, save_figure

Curves = Mapping[str, tuple[Sequence[float], Sequence[float]]]
_STYLES = ("-", "--", ":", "-.")
_COLOURS = 10
"""So many has matplotlib; then the lines change."""


class Panel(NamedTuple):
    """Curves {name: (x values, y values)} and their axes. level: a thin line across; top: end of the y axis."""

    title: str
    curves: Curves
    x: str
    y: str
    level: float | None = None
    top: float | None = None
    marker: str = ""


def draw_panels(panels: Sequence[Panel], path: str) -> None:
    """Panels side by side; a name looks the same in all of them, whatever its place there."""
    number = {name: i for i, name in enumerate(dict.fromkeys(name for panel in panels for name in panel.curves))}
    figure = new_figure(1.2 + 4.6 * len(panels), 4.2)
    for place, panel in enumerate(panels, 1):
        axes = figure.add_subplot(1, len(panels), place)
        for name, (xs, ys) in panel.curves.items():
            turn, colour = divmod(number[name], _COLOURS)
            style, marker = _STYLES[turn % len(_STYLES)], panel.marker or None
            axes.plot(xs, ys, color=f"C{colour}", linestyle=style, marker=marker, markersize=4, label=name)
        if panel.level is not None:
            axes.axhline(panel.level, color="0.5", linewidth=0.8)
        if panel.top is not None:
            axes.set_ylim(0, panel.top)
        axes.set_title(panel.title, fontsize="medium")
        axes.set_xlabel(panel.x)
        axes.set_ylabel(panel.y)
        axes.legend(fontsize="small", ncols=1 + len(panel.curves) // 12)
    save_figure(figure, path)
