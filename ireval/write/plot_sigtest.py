"""The picture of `sigtest`: means with their intervals, and the differences of one pair by topic, sorted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ireval.write.plot import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def _plain(text: str) -> str:
    """Text in which matplotlib sees no formula."""
    return text.replace("$", r"\$")


def draw(panels: Sequence[Mapping[str, Any]]) -> Figure:
    """One row of two pictures for each measure.

    A panel has measure, systems with means, half (widths of the intervals) and letters, best first; confidence; pair
    (two names) and their differences, sorted.
    """
    tallest = max(len(panel["systems"]) for panel in panels)
    figure = new_figure(10.0, max(3.2, 0.22 * tallest + 1.2) * len(panels))
    grid = figure.subplots(len(panels), 2, squeeze=False)
    for (left, right), panel in zip(grid, panels, strict=True):
        places = list(range(len(panel["systems"])))
        left.errorbar(panel["means"], places, xerr=panel["half"], fmt="o", capsize=3, color="tab:blue")
        names = zip(panel["systems"], panel["letters"], strict=True)
        left.set_yticks(places, [_plain(f"{name}  {letters}".rstrip()) for name, letters in names])
        left.invert_yaxis()
        measure, (first, second) = _plain(panel["measure"]), map(_plain, panel["pair"])
        left.set_xlabel(f"{measure}, {panel['confidence']:g} % interval of each mean")
        right.bar(range(1, len(panel["differences"]) + 1), panel["differences"], color="tab:orange", width=0.9)
        right.axhline(0.0, color="black", linewidth=0.8)
        right.set_xlabel("topics, by difference")
        right.set_ylabel(f"{measure}: {first} - {second}")
    return figure
