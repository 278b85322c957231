"""The parity rules: how to compute so that the last printed digit is the one a C program prints.

- Sums run in order (`ordered_sum`, `np.bincount`), never pairwise as `np.sum` and `np.mean` do.
- Logarithms come from `math.log2`, which is libm's; `np.log2` differs from it for some integers.
- Divide by a discount, never multiply by its reciprocal.
- Where no C program has to be matched, `ExactSum` adds without rounding: no order of topics, no batch changes the sum.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ireval.core.columns import Doubles

_log2_table = np.array([0.0, 0.0])


def log2_of_integers(n: NDArray[np.integer]) -> Doubles:
    """log2 of positive integers, through a table that grows on demand."""
    global _log2_table
    table = _log2_table  # another thread may put a new one in its place
    need = int(n.max(initial=1)) + 1
    if need > len(table):
        table = _log2_table = np.array([0.0, *map(math.log2, range(1, max(need, 2 * len(table), 1024)))])
    return table[n]


def log2(x: Doubles) -> Doubles:
    """log2 of any numbers, one call of libm per distinct value; 0 gives minus infinity, below it NaN, as in C."""
    distinct, where = np.unique(x, return_inverse=True)
    return np.array([_or_c(math.log2, v) for v in distinct.tolist()], np.float64)[where.reshape(x.shape)]


def log(x: Doubles) -> Doubles:
    """Natural logarithm by libm; 0 gives minus infinity, below it NaN, as in C."""
    return np.array([_or_c(math.log, v) for v in x.tolist()], np.float64)


def _or_c(logarithm: Callable[[float], float], v: float) -> float:
    """Python raises an error where C answers."""
    return logarithm(v) if v > 0 else -math.inf if v == 0 else math.nan


def exp(x: float) -> float:
    """e to the power of x by libm; too large is infinite, as in C."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def ordered_sum(values: Doubles) -> Doubles:
    """Sum along the last axis, added from left to right; shape values.shape[:-1]."""
    if values.shape[-1] == 0:
        return np.zeros(values.shape[:-1])
    summed: Doubles = np.cumsum(values, axis=-1)[..., -1]
    return summed


def powers(p: float, count: int) -> Doubles:
    """1, p, p*p, ... by repeated multiplication; shape [count]."""
    steps = np.full(max(count, 1), p)
    steps[0] = 1.0
    return np.multiply.accumulate(steps)[:count]


def divide(a: NDArray[np.generic] | float, b: NDArray[np.generic] | float) -> Doubles:
    """a / b with IEEE results (0/0 is NaN, 1/0 is infinite) and no warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.true_divide(a, b)  # type: ignore[arg-type, return-value]


def ratio(a: NDArray[np.generic], b: NDArray[np.generic]) -> Doubles:
    """a / b, and 0 where b is 0."""
    return np.where(b != 0, divide(a, np.where(b != 0, b, 1)), 0.0)


def round_half_away(x: Doubles) -> NDArray[np.int64]:
    """C's lround."""
    whole = np.trunc(x)
    return (whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0)).astype(np.int64)


_C_NUMBER = (  # compiled when first needed: start-up counts
    r"[+-]?(?:0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?"
    r"|inf(?:inity)?|nan)"
)
_LONG_LIMIT = 2**63


def c_double(text: str) -> float:
    """C's atof: the longest prefix that is a number, 0 when there is none."""
    found = re.match(_C_NUMBER, text.lstrip(" \t\n\v\f\r"), re.ASCII | re.IGNORECASE)
    if not found:
        return 0.0
    number = found[0].lower()
    try:
        return float.fromhex(number) if "x" in number else float(number)
    except OverflowError:  # only a hexadecimal number can say so
        return -math.inf if number.startswith("-") else math.inf


def c_long(text: str) -> int:
    """C's atol: optional sign and leading digits, 0 when there are none; it stops at the largest number it knows."""
    found = re.match(r"[+-]?[0-9]+", text.lstrip(" \t\n\v\f\r"))
    return max(-_LONG_LIMIT, min(int(found[0]), _LONG_LIMIT - 1)) if found else 0


def glibc_merge_sort(items: Sequence[int], compare: Sequence[float]) -> list[int]:
    """Sort items by compare[item] the way glibc's qsort does when the comparison truncates to an integer.

    trec_eval orders gains by `(int)(gain1 - gain2)`: gains less than 1 apart are "equal", which is no order at all,
    so the outcome depends on the algorithm. This is a merge sort that halves as glibc does.
    """
    if len(items) <= 1:
        return list(items)
    half = len(items) // 2
    left, right = glibc_merge_sort(items[:half], compare), glibc_merge_sort(items[half:], compare)
    merged: list[int] = []
    while left and right:
        merged.append(left.pop(0) if _c_int(compare[left[0]] - compare[right[0]]) <= 0 else right.pop(0))
    return merged + left + right


def _c_int(x: float) -> int:
    """C's (int)x as x86 does it: what does not fit is the smallest integer."""
    return int(x) if -(2**31) - 1 < x < 2**31 else -(2**31)


class ExactSum:
    """A sum of finite doubles that keeps every bit, so that it is the same in whatever order and batches they come."""

    def __init__(self) -> None:
        self._units: dict[int, int] = {}  # exponent -> sum of the mantissas with that exponent, as integers

    def add(self, values: Doubles) -> None:
        """Add some values [n]."""
        mantissa, exponent = np.frexp(values)
        whole = (mantissa * 2.0**53).astype(np.int64)
        high, low = whole >> 26, whole & (2**26 - 1)  # halves, whose sums fit into 64 bits
        lowest = int(exponent.min(initial=0))
        for e in (np.flatnonzero(np.bincount(exponent - lowest)) + lowest).tolist():
            chosen = exponent == e
            units = (int(high[chosen].sum()) << 26) + int(low[chosen].sum())
            self._units[e] = self._units.get(e, 0) + units

    def value(self) -> float:
        """The sum, rounded once."""
        from fractions import Fraction  # slow to load, and seldom needed

        return float(sum((units * Fraction(2) ** (e - 53) for e, units in self._units.items()), Fraction(0)))
