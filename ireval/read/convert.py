"""Fields -> numbers, exactly as C would read them, all rows at once; anything unusual goes one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ireval.core.columns import Bools, Doubles, Ints, Texts, Words

_TEN = np.array([10.0**n for n in range(23)])
_EXACT = 2**53
_WIDE = (
    np.finfo(np.longdouble).nmant == 63 and np.dtype(np.longdouble).itemsize == 16
)  # x87: 64-bit mantissa, so that 18 digits divide in one rounding
_TEN_WIDE = np.multiply.accumulate(np.array([1] + [10] * 27, np.longdouble))  # 10**27 is the last exact one
_DIGITS = 18


class NotANumber(ValueError):
    """Row `row` is the first that cannot be read as the number that was expected."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class _Decimals(NamedTuple):
    """Texts taken apart, each [n]; only where `plain` do the others mean anything.

    Plain: an optional sign, one to 18 digits, at most one point, nothing else.
    """

    mantissa: Ints
    decimals: Ints
    negative: Bools
    pointed: Bools
    plain: Bools


def _repeat(byte: int) -> np.uint64:
    """A word of eight times the same byte."""
    return np.uint64(byte * 0x0101010101010101)


_ONES, _HIGHS, _POINTS, _ZEROS = _repeat(0x01), _repeat(0x80), _repeat(ord(".")), _repeat(ord("0"))
_SIX, _UPPER, _THREES = _repeat(0x06), _repeat(0xF0), _repeat(0x33)
_BYTE, _ONE, _FOUR, _SEVEN, _SIXTEEN, _TOP = (np.uint64(n) for n in (8, 1, 4, 7, 16, 56))
_PAIR, _HALF = np.uint64(0x000000FF000000FF), np.uint64(32)
_HUNDRED, _MILLION = np.uint64(0x000F424000000064), np.uint64(0x0000271000000001)
_SHIFT = np.array([63, *range(56, -8, -8)], np.uint64)  # by digit count; none at all is patched below
_FILL = np.array([int(_ZEROS) >> (8 * n) for n in range(9)], np.uint64)
_POWER = np.array([10**n for n in range(9)], np.int64)


def _decimals(texts: Texts) -> _Decimals:
    """Eight characters at a time, all rows at once, as integer arithmetic on words (one byte a character)."""
    lead = texts.buffer[texts.start]
    negative = lead == ord("-")
    signed = negative | (lead == ord("+"))
    if bool(signed.any()):
        texts = Texts(texts.buffer, texts.start + signed, texts.length - signed)
    n, length = len(texts), texts.length
    mantissa = np.zeros(n, np.int64)
    decimals = np.zeros(n, np.int64)
    pointed = np.zeros(n, np.bool_)
    plain: Bools = (length > 0) & (length <= _DIGITS + 1)
    for j in range(min(texts.word_count(), 3)):
        word = texts.word(j)
        marks: Words = word ^ _POINTS
        marks = (marks - _ONES) & ~marks & _HIGHS
        marks &= ~marks + _ONE  # the lowest mark: high bit of the first point's byte
        here: Bools = marks != 0
        before = (marks >> _SEVEN) - _ONE  # the bytes before the point; all of them where there is none
        word = (word & before) | ((word >> _BYTE) & ~before)
        digits = np.minimum(np.maximum(length - 8 * j, 0), 8) - here
        word = np.where(digits > 0, word << _SHIFT[digits], 0) | _FILL[digits]  # right-aligned, zeros in front
        plain &= ((word & _UPPER) | (((word + _SIX) & _UPPER) >> _FOUR)) == _THREES
        plain &= ~(here & pointed)
        word -= _ZEROS
        word = word * np.uint64(10) + (word >> _BYTE)
        value = ((word & _PAIR) * _HUNDRED + ((word >> _SIXTEEN) & _PAIR) * _MILLION) >> _HALF
        mantissa = mantissa * _POWER[digits] + value.astype(np.int64)
        place = (((before & _ONES) * _ONES) >> _TOP).astype(np.int64)
        decimals += np.where(pointed, digits, np.where(here, digits - place, 0))
        pointed |= here
    return _Decimals(mantissa, decimals, negative, pointed, plain & (length > pointed) & (length - pointed <= _DIGITS))


def doubles(texts: Texts) -> Doubles:
    """Each text as the double that strtod gives; shape [n]. NaN and anything that is no number raise NotANumber."""
    if not len(texts):
        return np.zeros(0)
    mantissa, decimals, negative, _, plain = _decimals(texts)
    value = mantissa / _TEN[np.minimum(decimals, 22)]
    large = plain & (mantissa >= _EXACT)
    if bool(large.any()):
        if _WIDE:
            # One division in 64-bit precision, then one rounding to 53 bits. The two roundings agree with a single
            # one unless the 64-bit result lies exactly halfway, which is seen in its last eleven bits.
            rows = np.flatnonzero(large)
            wide = mantissa[rows].astype(np.longdouble) / _TEN_WIDE[decimals[rows]]
            value[rows] = wide.astype(np.float64)
            halfway = (wide.view(np.uint64)[0::2] & np.uint64(0x7FF)) == np.uint64(0x400)
            plain[rows[halfway]] = False
        else:
            plain &= ~large
    value = np.where(negative, -value, value)
    odd = np.flatnonzero(~plain)
    if len(odd):
        value[odd] = _one_by_one(texts, odd)
    return value


def _one_by_one(texts: Texts, rows: Ints) -> Doubles:
    """Rows that need Python's own conversion: all in one go where they are plain decimal numbers."""
    words = texts.take(rows).to_list()
    if not any(b"_" in word or b"n" in word.lower() for word in words):  # 1_0 and nan are no numbers here
        try:
            return np.array([float(word) for word in words], np.float64)
        except ValueError:
            pass
    return np.array([_double(texts, row) for row in rows.tolist()], np.float64)


def _double(texts: Texts, row: int) -> float:
    """One text as a double, through Python's correctly rounded conversion."""
    text = texts[row]
    try:
        if b"_" in text:
            raise ValueError
        value = float.fromhex(text.decode()) if b"x" in text.lower() else float(text)
    except (ValueError, UnicodeDecodeError):
        raise NotANumber(row) from None
    except OverflowError:  # only a hexadecimal number can say so
        value = -math.inf if text.startswith(b"-") else math.inf
    if math.isnan(value):
        raise NotANumber(row)
    return value


def integers(texts: Texts) -> Ints:
    """Each text as a whole number; shape [n]. Anything else (also 1.5 and 1.) raises NotANumber."""
    if not len(texts):
        return np.zeros(0, np.int64)
    mantissa, _, negative, pointed, plain = _decimals(texts)
    bad = np.flatnonzero(~plain | pointed)
    if len(bad):
        raise NotANumber(int(bad[0]))
    return np.where(negative, -mantissa, mantissa)


def within(read: Callable[[Texts], Any], low: float, high: float) -> Callable[[Texts], Any]:
    """A reader of numbers between two bounds: the first text that is none, or is outside, raises NotANumber."""

    def bounded(texts: Texts) -> Any:
        try:
            values, bad = read(texts), len(texts)
        except NotANumber as error:
            bad = error.row
            values = read(texts.take(slice(0, bad)))
        outside = np.flatnonzero((values < low) | (values > high))
        if len(outside) or bad < len(texts):
            raise NotANumber(int(outside[0]) if len(outside) else bad)
        return values

    return bounded
