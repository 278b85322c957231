"""Which of several things lie close together: average-linkage clustering of a distance matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


class Tree(NamedTuple):
    """A clustering ready to be drawn: the leaves from left to right, and each joint as a bracket of four points.

    x, y [n-1, 4]: leaf i of the order stands at 10 i + 5; y is the distance at which two clusters join.
    """

    leaves: list[int]
    x: Doubles
    y: Doubles


def cluster(distance: Doubles) -> Tree:
    """Average linkage (Sokal & Michener 1958) of a symmetric matrix [n, n], n from 2 on, whose diagonal is not used."""
    from scipy.cluster.hierarchy import dendrogram, linkage
    from scipy.spatial.distance import squareform

    clean = np.array(distance, np.float64)
    np.fill_diagonal(clean, 0.0)
    drawn = dendrogram(linkage(squareform(clean, checks=False), "average"), no_plot=True)
    return Tree(drawn["leaves"], np.array(drawn["icoord"]), np.array(drawn["dcoord"]))
