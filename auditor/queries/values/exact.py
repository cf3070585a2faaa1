"""Arrays of exact numbers: integers over one common denominator, in machine words as long as these hold them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.classes import BoolArray

WORD = 2**62
"""Numerators below it, and the sum of any two, fit an int64."""
MAX_EXPONENT = 400
"""Larger powers of ten are no number anybody stores (a double ends at 1e308), and would only cost memory."""
MAX_DIGITS = 1000
_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?", re.ASCII)

Integers = NDArray[Any]
"""int64, or objects (Python integers) where a word is too short."""


@dataclass(frozen=True)
class Exact:
    """The numbers numerators / denominator."""

    numerators: Integers
    denominator: int = 1

    @classmethod
    def constant(cls, value: Fraction | int) -> Exact:
        """One number, which stands for any length."""
        return cls.of([Fraction(value)])

    @classmethod
    def of(cls, values: Sequence[Fraction]) -> Exact:
        """An array of fractions."""
        denominator = math.lcm(*{value.denominator for value in values}) if values else 1
        return cls(integers([value.numerator * (denominator // value.denominator) for value in values]), denominator)

    def __getitem__(self, places: Any) -> Exact:
        return Exact(self.numerators[places], self.denominator)

    def at(self, places: NDArray[Any]) -> Exact:
        """The numbers at some places; faster than an index for short codes."""
        return Exact(np.take(self.numerators, places), self.denominator)

    def fraction(self, place: int = 0) -> Fraction:
        """The number at a place."""
        return Fraction(int(self.numerators[place]), self.denominator)

    def scaled(self, factor: Fraction) -> Exact:
        """Each number times a factor."""
        common = math.gcd(factor.numerator, self.denominator)
        times = factor.numerator // common
        return Exact(_times(self.numerators, times), self.denominator // common * factor.denominator)

    def over(self, denominator: int) -> Integers:
        """The numerators over a multiple of the denominator."""
        return _times(self.numerators, denominator // self.denominator)

    def __add__(self, other: Exact) -> Exact:
        denominator = math.lcm(self.denominator, other.denominator)
        left, right = self.over(denominator), other.over(denominator)
        return Exact(left + right if largest(left) + largest(right) < WORD else _objects(left) + right, denominator)

    def __mul__(self, other: Exact) -> Exact:
        left, right = self.numerators, other.numerators
        product = left * right if largest(left) * largest(right) < WORD else _objects(left) * right
        return Exact(product, self.denominator * other.denominator)

    def __neg__(self) -> Exact:
        return Exact(-self.numerators, self.denominator)

    def where(self, condition: BoolArray, other: Exact) -> Exact:
        """Its own number where the condition holds, the other's elsewhere."""
        denominator = math.lcm(self.denominator, other.denominator)
        return Exact(np.where(condition, self.over(denominator), other.over(denominator)), denominator)

    def is_constant(self, value: int) -> bool:
        """Whether it is one number (of length 1) of that value."""
        return len(self.numerators) == 1 and self.fraction() == value

    def compared(self, operator: str, other: Exact) -> BoolArray:
        """Each comparison: ``=``, ``<`` or ``<=``."""
        if len(other.numerators) == 1 and len(self.numerators) != 1:
            return _against(self.numerators, operator, other.fraction() * self.denominator)
        denominator = math.lcm(self.denominator, other.denominator)
        left, right = self.over(denominator), other.over(denominator)
        found = left == right if operator == "=" else left < right if operator == "<" else left <= right
        return np.asarray(found, dtype=np.bool_)


def _against(numbers: Integers, operator: str, bound: Fraction) -> BoolArray:
    """Integers compared with one fraction, without leaving the integers."""
    floor = math.floor(bound)
    if operator == "=":
        found = numbers == floor if bound == floor else np.zeros(len(numbers), dtype=np.bool_)
    else:
        found = numbers < floor if operator == "<" and bound == floor else numbers <= floor
    return np.asarray(found, dtype=np.bool_)


def integers(values: Iterable[int]) -> Integers:
    """int64 where all values are short enough, else objects."""
    listed = list(values)
    short = all(-WORD < value < WORD for value in listed)
    return np.array(listed, dtype=np.int64 if short else object)


def largest(values: Integers) -> int:
    """The largest absolute value; 0 of nothing."""
    return max(abs(int(values.max())), abs(int(values.min()))) if len(values) else 0


def narrowed(values: Integers) -> Integers:
    """The same integers as int64 where they fit."""
    return values.astype(np.int64) if values.dtype == object and largest(values) < WORD else values


def _times(values: Integers, factor: int) -> Integers:
    if factor == 1:
        return values
    return values * factor if largest(values) * abs(factor) < WORD else _objects(values) * factor


def _objects(values: Integers) -> Integers:
    return values.astype(object)


def parse_number(text: str) -> Fraction | None:
    """The number that a text is, in decimal notation; None where it is none.

    >>> parse_number("0.1"), parse_number("-1e3"), parse_number("12a")
    (Fraction(1, 10), Fraction(-1000, 1), None)
    """
    if len(text) > MAX_DIGITS:
        return None
    found = _NUMBER.fullmatch(text.strip(" "))
    if not found or not (found[2] or found[3]):
        return None
    after = found[3] or ""
    exponent = int(found[4] or 0) - len(after)
    if abs(exponent) > MAX_EXPONENT + MAX_DIGITS:
        return None
    digits = int((found[2] or "") + after) * (-1 if found[1] == "-" else 1)
    return Fraction(digits * 10**exponent) if exponent >= 0 else Fraction(digits, 10**-exponent)


def parse_numbers(texts: Sequence[str | None]) -> Exact | None:
    """The numbers that texts are (0 for None); None where one of them is none."""
    plain = [text for text in texts if text is not None]
    if all(len(text) < 19 and text.isascii() and text.removeprefix("-").isdigit() for text in plain):
        return Exact(np.array([0 if text is None else int(text) for text in texts], dtype=np.int64))
    values = [Fraction(0) if text is None else parse_number(text) for text in texts]
    known = [value for value in values if value is not None]
    return Exact.of(known) if len(known) == len(values) else None
