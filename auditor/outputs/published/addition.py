"""Whether a number of a table can be what others of it come to together."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from auditor.outputs.published.outputs import Cell, Statistic

Ends = tuple[Fraction | None, Fraction | None]
"""The least and the largest that a number can be; None where nothing is known."""


def says(own: Ends, parts: Sequence[Ends], near: Fraction, far: Fraction, *, width: int) -> str:
    """How a number and others go together: it fits their sum, is less or more, or nothing is known.

    It fits what is as `near` as rounding each by half makes it, and is less or more where it is not even `far`. Numbers
    that are known to more than `width` say nothing.
    """
    low, high = _sum([low for low, _ in parts]), _sum([high for _, high in parts])
    if low is not None and own[1] is not None and own[1] < low - far:
        return "short"
    if low is None or high is None or any(b is None or a is None or b - a > width for a, b in (own, *parts)):
        return "open"
    least, most = (end if end is not None else Fraction(0) for end in own)
    if least - near <= high and most + near >= low:
        return "fits"
    return "more" if least > high + far else "open"


def _sum(numbers: Sequence[Fraction | None]) -> Fraction | None:
    known = [number for number in numbers if number is not None]
    return sum(known, Fraction(0)) if len(known) == len(numbers) else None


def numbers_of(cell: Cell | Statistic, *, sums: bool) -> tuple[Ends, ...]:
    """What is known of a cell's count, and of its sum where the table has sums."""
    if isinstance(cell, Statistic):
        total = dict(cell.values).get("sum")
        return _count(cell.n, None, None), (None, None) if total is None else total.ends
    count = _count(cell.count, cell.least, cell.most)
    if not sums:
        return (count,)
    return (count, cell.sum.ends if cell.sum is not None else cell.sum_ends)


def _count(count: int | None, least: int | None, most: int | None) -> Ends:
    if count is not None:
        return Fraction(count), Fraction(count)
    return Fraction(least or 0), None if most is None else Fraction(most)
