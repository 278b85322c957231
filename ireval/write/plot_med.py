"""Pictures of distances: a heat map and a dendrogram of several runs, curves over topics of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ireval.write.plot import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Bracket = tuple[Sequence[float], Sequence[float]]
"""The x and y of the four points of a joint in a dendrogram."""


def draw_matrices(
    names: Sequence[str],
    matrices: Sequence[tuple[str, np.ndarray]],
    orders: Sequence[Sequence[int]],
    trees: Sequence[Sequence[Bracket]],
) -> Figure:
    """A row for each distance: its matrix as a heat map, the runs in the order of the dendrogram beside it.

    matrices: (label, [R, R]); the diagonal is nan and stays blank, so that the colours tell the runs apart. orders: the
    leaves of each dendrogram from left to right, which stand at 5, 15, 25, ...
    """
    size = max(3.0, 0.3 * len(names) + 1.5)
    figure = new_figure(2 * size + 1, size * len(matrices))
    axes = figure.subplots(len(matrices), 2, squeeze=False)
    for (map_axes, tree_axes), (label, matrix), order, tree in zip(axes, matrices, orders, trees, strict=True):
        shown = [names[i] for i in order]
        image = map_axes.imshow(matrix[np.ix_(order, order)], cmap="viridis")
        map_axes.set_xticks(range(len(shown)), shown, rotation=90)
        map_axes.set_yticks(range(len(shown)), shown)
        map_axes.set_title(label)
        figure.colorbar(image, ax=map_axes, shrink=0.8)
        for x, y in tree:
            tree_axes.plot(x, y, color="C0")
        tree_axes.set_xticks([10 * i + 5 for i in range(len(shown))], shown, rotation=90)
        tree_axes.set_ylabel("distance at which clusters join")
        tree_axes.set_ylim(bottom=0)
    return figure


def draw_curves(title: str, curves: Sequence[tuple[str, np.ndarray]]) -> Figure:
    """The distances of all topics between two runs, largest first: one curve for each label."""
    figure = new_figure()
    axes = figure.subplots()
    for label, values in curves:
        known = np.sort(values[~np.isnan(values)])[::-1]
        axes.plot(np.arange(1, len(known) + 1), known, label=label)
    axes.set_xlabel("topics, largest value first")
    axes.set_ylabel("value of the topic")
    axes.set_title(title)
    axes.legend()
    return figure
