"""Intervals of numbers, whose ends may be missing, or open.

A cut is a place on the number line, before a number or after it. An interval lies between two cuts: `[65` and `(65`
begin at different ones, and one interval lies within another where its cuts do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic, Self, TypeVar

N = TypeVar("N", int, Fraction)
Cut = tuple[Fraction | float, bool]
"""A number (or an infinite one), and whether it is passed."""


@dataclass(frozen=True, slots=True)
class Interval(Generic[N]):
    """The numbers from `low` to `high`. None is no end; an end that is `open` is not one of them."""

    low: N | None = None
    high: N | None = None
    low_open: bool = False
    high_open: bool = False

    @classmethod
    def at(cls, number: N) -> Self:
        """One number."""
        return cls(number, number)

    @staticmethod
    def between(first: Cut, last: Cut) -> Interval[Fraction]:
        """What lies between two cuts."""
        low, high = (None if isinstance(cut[0], float) else cut[0] for cut in (first, last))
        return Interval(low, high, low is not None and first[1], high is not None and not last[1])

    @property
    def cuts(self) -> tuple[Cut, Cut]:
        """Where it begins and where it stops."""
        low = (-math.inf, False) if self.low is None else (self.low, self.low_open)
        return low, (math.inf, True) if self.high is None else (self.high, not self.high_open)

    @property
    def ends(self) -> tuple[N, ...]:
        """Those that there are."""
        return tuple(end for end in (self.low, self.high) if end is not None)

    @property
    def point(self) -> N | None:
        """The number, where it is one only."""
        return self.low if self.low == self.high and not (self.low_open or self.high_open) else None

    @property
    def empty(self) -> bool:
        """Whether no number is in it."""
        first, last = self.cuts
        return first >= last

    @property
    def width(self) -> Fraction | float:
        """How far its ends are apart; infinite where one is missing."""
        return math.inf if self.low is None or self.high is None else self.high - self.low

    @property
    def least(self) -> int | None:
        """The least whole number in it."""
        if self.low is None:
            return None
        return math.floor(self.low) + 1 if self.low_open else math.ceil(self.low)

    @property
    def most(self) -> int | None:
        """The largest whole number in it."""
        if self.high is None:
            return None
        return math.ceil(self.high) - 1 if self.high_open else math.floor(self.high)

    @property
    def whole(self) -> Interval[Any]:
        """The whole numbers in it, up to the next one: (65, 120] and [66, 121) have the same."""
        last = self.most
        return Interval(self.least, None if last is None else last + 1, high_open=last is not None)

    def holds(self, other: Interval[N]) -> bool:
        """Whether another interval lies within this one."""
        (first, last), (start, stop) = self.cuts, other.cuts
        return first <= start and stop <= last

    def meets(self, other: Interval[N]) -> bool:
        """Whether some number is in both."""
        (first, last), (start, stop) = self.cuts, other.cuts
        return max(first, start) < min(last, stop)

    def intersection(self, other: Interval[N]) -> Self:
        """What is in both."""
        (first, last), (start, stop) = self.cuts, other.cuts
        below: Interval[N] = self if first >= start else other
        above: Interval[N] = self if last <= stop else other
        return replace(self, low=below.low, high=above.high, low_open=below.low_open, high_open=above.high_open)

    def times(self: Interval[Fraction], number: int) -> Interval[Fraction]:
        """What so many of its numbers come to together, each as it likes."""
        low, high = (None if end is None else number * end for end in (self.low, self.high))
        return Interval(low, high, self.low_open, self.high_open)

    def moved(self: Interval[Fraction], by: Fraction) -> Interval[Fraction]:
        """Each of its numbers and another one."""
        low, high = (None if end is None else end + by for end in (self.low, self.high))
        return Interval(low, high, self.low_open, self.high_open)

    def __str__(self) -> str:
        """``(65, 66]``; the way pandas writes it."""
        if self.point is not None:
            return _text(self.point)
        low = "(-inf" if self.low is None else f"{'(' if self.low_open else '['}{_text(self.low)}"
        return f"{low}, inf)" if self.high is None else f"{low}, {_text(self.high)}{')' if self.high_open else ']'}"


@dataclass(frozen=True, slots=True)
class CountInterval(Interval[int]):
    """What is known of a count, which is 0 or more."""

    low: int = 0


NUMBERS: Interval[Fraction] = Interval()
"""All of them."""


def _text(number: int | Fraction) -> str:
    return str(number) if number.denominator == 1 else f"{float(number):g}"
