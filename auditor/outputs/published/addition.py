"""Whether a number of a table can be what others of it come to together."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from auditor.interval import NUMBERS, Interval
from auditor.outputs.published.outputs import Cell, Statistic

CellNumbers = tuple[Interval[Fraction], ...]
"""What is known of a cell's count, and of its sum."""


def says(
    own: Interval[Fraction], parts: Sequence[Interval[Fraction]], near: Fraction, far: Fraction, *, width: int
) -> str:
    """How a number and others go together: it fits their sum, is less or more, or nothing is known.

    It fits what is as `near` as rounding each by half makes it, and is less or more where it is not even `far`. Numbers
    that are known to more than `width` say nothing.
    """
    low, high = _sum([each.low for each in parts]), _sum([each.high for each in parts])
    if low is not None and own.high is not None and own.high < low - far:
        return "short"
    if low is None or high is None or any(each.width > width for each in (own, *parts)):
        return "open"
    least, most = own.low or Fraction(0), own.high or Fraction(0)
    if least - near <= high and most + near >= low:
        return "fits"
    return "more" if least > high + far else "open"


def _sum(numbers: Sequence[Fraction | None]) -> Fraction | None:
    known = [number for number in numbers if number is not None]
    return sum(known, Fraction(0)) if len(known) == len(numbers) else None


def numbers_of(cell: Cell | Statistic, *, sums: bool) -> CellNumbers:
    """What is known of a cell's count, and of its sum where the table has sums."""
    if isinstance(cell, Statistic):
        total = dict(cell.values).get("sum")
        return _count(cell.n, None, None), NUMBERS if total is None else Interval(*total.ends)
    count = _count(cell.count, cell.least, cell.most)
    if not sums:
        return (count,)
    return (count, Interval(*cell.sum.ends) if cell.sum is not None else cell.sum_ends)


def _count(count: int | None, least: int | None, most: int | None) -> Interval[Fraction]:
    if count is not None:
        return Interval.at(Fraction(count))
    return Interval(Fraction(least or 0), None if most is None else Fraction(most))
