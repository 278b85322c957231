"""Curves, one a measure: significance levels, swap rates, what becomes of a measure with less judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ireval.write.plot import new_figure, save_figure

Curves = Mapping[str, tuple[Sequence[float], Sequence[float]]]
_STYLES = ("-", "--", ":", "-.")
_COLOURS = 10


def draw_curves(
    curves: Curves,
    x: str,
    y: str,
    path: str,
    *,
    marker: str = "",
    level: float | None = None,
    top: float | None = None,
) -> None:
    """Curves {name: (x values, y values)} under each other. level: a thin line across; top: where the y axis ends."""
    figure = new_figure(6.4, 4.2)
    axes = figure.add_subplot()
    for i, (name, (xs, ys)) in enumerate(curves.items()):
        style = _STYLES[i // _COLOURS % len(_STYLES)]  # matplotlib has ten colours
        axes.plot(xs, ys, linestyle=style, marker=marker or None, markersize=4, label=name)
    if level is not None:
        axes.axhline(level, color="0.5", linewidth=0.8)
    if top is not None:
        axes.set_ylim(0, top)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend(fontsize="small", ncols=1 + len(curves) // 12)
    save_figure(figure, path)
