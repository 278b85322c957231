"""Maximise a quadratic function of 0-1 variables: exactly where that can be proved, between bounds where it cannot.

f(z) = sum over u < v of q_uv z_u z_v + sum over u of l_u z_u. The upper bound is the roof dual: one maximum flow
through the implication network of 2n+2 literals, which also fixes variables that have the same value in some optimum
(Hammer, Hansen & Simeone, Mathematical Programming 28, 1984; Boros & Hammer, Pseudo-Boolean Optimization, Discrete
Applied Mathematics 123, 2002). The lower bound is a local search. Where they differ, a search tree branches on the
variables that the flow left open.

The flow comes from scipy, whose capacities are 32-bit integers. Capacities are rounded down, so that every flow found
is one of the real network and its bound holds; what rounding left over is sent in another network of a finer scale.
"""

from __future__ import annotations

import heapq
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Bools = NDArray[np.bool_]

TOLERANCE = 1e-10
"""Upper and lower bound no further apart than this are called equal."""
_SMALLEST = 1e-12
"""Capacity of the network that is taken for rounding noise."""
_LOSS = 1e-11
"""What fixing variables by a flow may cost: as a flow is short of the maximum by rounding, so is what it proves."""
_UNITS = float(2**30)
"""Integer capacity of the largest flow."""


class Maximum(NamedTuple):
    """A lower and an upper bound of the maximum, and an assignment that reaches the lower one."""

    low: float
    high: float
    z: Bools


def maximise(q: Doubles, linear: Doubles, budget: float = 1.0) -> Maximum:
    """The maximum of f over z in {0, 1}^n.

    q [n, n]: symmetric, zero diagonal. linear [n]. budget: seconds, after which the bounds reached so far are returned.
    """
    deadline = time.monotonic() + budget
    count = len(linear)
    incumbent = _climb(q, linear, np.zeros(count, np.bool_))
    best = _value(q, linear, incumbent)
    # A node: minus its upper bound (so that the heap gives the highest), a number that breaks ties, and the variables
    # that are fixed: 1, 0, or -1 where still open.
    heap: list[tuple[float, int, NDArray[np.int8]]] = [(-np.inf, 0, np.full(count, -1, np.int8))]
    made = 1
    while heap:
        bound = -heap[0][0]
        if bound <= best + TOLERANCE:
            break
        if made > 1 and time.monotonic() > deadline:
            return Maximum(best, bound, incumbent)
        fixed = heapq.heappop(heap)[2]
        bound = min(bound, _tighten(q, linear, fixed))
        start = fixed == 1
        start[fixed < 0] = incumbent[fixed < 0]
        found = _climb(q, linear, start)
        reached = _value(q, linear, found)
        if reached > best:
            best, incumbent = reached, found
        left = np.flatnonzero(fixed < 0)
        if not len(left):
            continue  # the bound was the value of this very assignment
        if bound <= best + TOLERANCE:
            continue
        branch = int(left[np.argmax(np.abs(q[np.ix_(left, left)]).sum(axis=1))])
        for value in (1, 0):
            child = fixed.copy()
            child[branch] = value
            heapq.heappush(heap, (-bound, made, child))
            made += 1
    return Maximum(best, best, incumbent)


def _value(q: Doubles, linear: Doubles, z: Bools) -> float:
    chosen = np.flatnonzero(z)
    return float(linear[chosen].sum() + q[np.ix_(chosen, chosen)].sum() / 2.0)


def _climb(q: Doubles, linear: Doubles, z: Bools) -> Bools:
    """Flip the variable that gains most until none gains: a local maximum."""
    z = z.copy()
    slope = linear + q @ z  # what each variable adds when it is 1
    while len(z):
        gain = np.where(z, -slope, slope)
        at = int(np.argmax(gain))
        if gain[at] <= _SMALLEST:
            break
        slope += q[at] if not z[at] else -q[at]
        z[at] = not z[at]
    return z


def _tighten(q: Doubles, linear: Doubles, fixed: NDArray[np.int8]) -> float:
    """Upper bound of f under what is fixed; fixes further variables that keep an optimum within reach."""
    _settle(q, linear, fixed)
    ones, left = np.flatnonzero(fixed == 1), np.flatnonzero(fixed < 0)
    constant = float(linear[ones].sum() + q[np.ix_(ones, ones)].sum() / 2.0)
    if not len(left):
        return constant
    slope = linear[left] + q[np.ix_(left, ones)].sum(axis=1)
    bound, literal = _roof_dual(q[np.ix_(left, left)], slope)
    fixed[left[literal == 1]] = 1
    fixed[left[literal == 0]] = 0
    return constant + bound


def _settle(q: Doubles, linear: Doubles, fixed: NDArray[np.int8]) -> None:
    """Fix variables whose slope has one sign whatever the others are; cheaper than a flow."""
    while True:
        left = np.flatnonzero(fixed < 0)
        ones = np.flatnonzero(fixed == 1)
        slope = linear[left] + q[np.ix_(left, ones)].sum(axis=1)
        inner = q[np.ix_(left, left)]
        up = slope + np.minimum(inner, 0.0).sum(axis=1) >= 0
        down = ~up & (slope + np.maximum(inner, 0.0).sum(axis=1) <= 0)
        fixed[left[up]] = 1
        fixed[left[down]] = 0
        if not bool(up.any() or down.any()):
            return


def _roof_dual(q: Doubles, linear: Doubles) -> tuple[float, NDArray[np.int8]]:
    """Upper bound of f, and the value of each variable that the flow settles (-1: it does not); [n].

    Literals are numbered: z_u is u, its negation n+u, "true" (the source) 2n, "false" (the sink) 2n+1. -f, which is to
    be minimised, is written as a sum of positive terms; a term a x p x q of literals p and q gives the arcs p -> not q
    and q -> not p of capacity a/2.
    """
    count = len(linear)
    true, false = 2 * count, 2 * count + 1
    capacity = np.zeros((2 * count + 2, 2 * count + 2))
    upper = np.triu(q, 1)
    joint, apart = np.maximum(upper, 0.0) / 2.0, np.maximum(-upper, 0.0) / 2.0
    straight, negated = slice(0, count), slice(count, 2 * count)
    # q_uv < 0: the term |q| z_u z_v
    capacity[straight, negated] += apart + apart.T
    # q_uv > 0: -q z_u z_v = -q z_u + q z_u (not z_v)
    capacity[straight, straight] += joint
    capacity[negated, negated] += joint.T
    slope = -linear - 2.0 * joint.sum(axis=1)
    capacity[true, negated] = capacity[straight, false] = np.maximum(slope, 0.0) / 2.0
    capacity[true, straight] = capacity[negated, false] = np.maximum(-slope, 0.0) / 2.0
    flow = _maximum_flow(capacity, true, false)
    return -(float(np.minimum(slope, 0.0).sum()) + flow), _settled(capacity)


def _settled(residual: Doubles) -> NDArray[np.int8]:
    """Values of variables that the residual network [2n+2, 2n+2] settles (-1: it does not); [n].

    -f is a constant plus, for each arc p -> q that is left, its capacity times p x (not q). Make true the literals that
    can be reached from "true" while their negations cannot: terms that begin there end there, and vanish; so no
    assignment gets worse, except by the capacity of arcs that lead out. Those are too small to be followed, but are
    added up, and where they come to more than _LOSS nothing is settled.
    """
    count = len(residual) // 2 - 1
    true = 2 * count
    negation = np.concatenate([np.arange(count, 2 * count), np.arange(count), [true + 1, true]])
    # The flow need not treat p -> q and (not q) -> (not p) alike; the mean of it and its mirror image does.
    residual = (residual + residual[np.ix_(negation, negation)].T) / 2.0
    reached = _connected(residual, true, 10.0 * _SMALLEST)
    made_true = reached & ~reached[negation]
    literal = np.full(count, -1, np.int8)
    if made_true[true] and 2.0 * float(residual[np.ix_(made_true, ~made_true)].sum()) <= _LOSS:
        literal[made_true[:count]] = 1
        literal[made_true[count:true]] = 0
    return literal


def _maximum_flow(capacity: Doubles, source: int, sink: int) -> float:
    """Value of a flow that exists, short of the maximum by rounding only. capacity [nodes, nodes]: what it leaves."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_flow

    value = 0.0
    most = min(float(capacity[source].sum()), float(capacity[:, sink].sum()))
    while most > _SMALLEST:
        scale = _UNITS / most
        units = (np.minimum(capacity, most) * scale).astype(np.int32)
        found = maximum_flow(csr_matrix(units), source, sink)
        value += found.flow_value / scale
        sent = found.flow.tocoo()
        capacity[sent.row, sent.col] -= sent.data / scale
        np.maximum(capacity, 0.0, out=capacity)
        reached = _connected(capacity, source, 2.0 / scale)
        if reached[sink]:
            reached = _connected(capacity, source, 4.0 * len(capacity) / scale)
        # A cut bounds what the rounding down has left to send.
        most = float(capacity[np.ix_(reached, ~reached)].sum()) if not reached[sink] else 0.0
    return value


def _connected(capacity: Doubles, source: int, least: float) -> Bools:
    """Nodes that can be reached over arcs of more than some capacity; [nodes]."""
    open_arcs = capacity > least
    reached = np.zeros(len(capacity), np.bool_)
    reached[source] = True
    edge = reached
    while bool(edge.any()):
        edge = open_arcs[edge].any(axis=0) & ~reached
        reached = reached | edge
    return reached
