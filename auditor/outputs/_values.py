"""Texts of published conditions against texts of the data: which values are the same, which meet a condition."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from auditor.errors import NotEvaluated
from auditor.outputs._conditions import Condition

LONGEST_NUMBER = 400
"""Characters of a number that is read; with an exponent of at most three digits, no number is large."""
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,3}))?", re.ASCII)
"""A decimal number; its groups are the places after the point, with digits before it and without, and the exponent."""
ROUNDOFF = Fraction(1, 2**53)
"""What one operation of floating-point numbers is off by at most, as a share of what it comes to."""
_PADDED = re.compile(r"[+-]?0\d")

_COMPARED: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
}


def number_of(text: str | None) -> Fraction | None:
    """The exact number that a text is; None for what is none, or could only be written to exhaust memory."""
    if text is None or len(text) > LONGEST_NUMBER or not NUMBER.fullmatch(text):
        return None
    return Fraction(text)


def same_value(text: str) -> str | Fraction:
    """What a value is compared by: its number, or itself. 26 and 26.0 are one number, 0126 is a text of its own."""
    number = None if _PADDED.match(text) else number_of(text)
    return text if number is None else number


def among(label: str, values: Sequence[str]) -> bool:
    """Whether a value is listed."""
    return label in values or same_value(label) in {same_value(value) for value in values}


def meets(label: str | None, condition: Condition) -> bool:
    """Whether a value meets a condition: texts by being the same, order by numbers; a missing one meets none."""
    if label is None:
        return False
    if condition.operator in ("=", "in"):
        return among(label, condition.values)
    if condition.operator in ("!=", "not in"):
        return not among(label, condition.values)
    value, bound = number_of(label), number_of(condition.values[0])
    if bound is None or value is None:
        raise not_ordered(condition)
    return _COMPARED[condition.operator](value, bound)


def sum_slack(n: int, size: Fraction) -> Fraction:
    """How far a sum of n floats may be from the exact one, whatever their order: (n + 2) · 2⁻⁵³ · `size`.

    `size` is the sum of their absolute values. n − 1 additions (Higham 2002, *Accuracy and Stability of Numerical
    Algorithms*, section 4.2), one rounding of each value that was read, and two more: of a division, and for the square
    terms of the bound.
    """
    return (n + 2) * ROUNDOFF * size


def not_ordered(condition: Condition) -> NotEvaluated:
    """The error of a comparison by order with what is no number."""
    return NotEvaluated(f"column {condition.attribute!r} is compared by order and holds values that are no numbers")
