"""Texts of published conditions against texts of the data: which values are the same, which meet a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from auditor.errors import NotEvaluated
from auditor.outputs.published.conditions import MISSING, Condition
from auditor.values import LONGEST_NUMBER, NUMBER, number_of, same_value

__all__ = ["LONGEST_NUMBER", "NUMBER", "among", "meets", "not_ordered", "number_of", "same_value"]

ROUNDOFF = Fraction(1, 2**53)
"""The largest relative error of one operation on floats of double precision."""
SINGLE = Fraction(1, 2**24)
"""The same in single precision."""

_COMPARED: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
}


def among(label: str, values: Sequence[str]) -> bool:
    """Whether a value is listed."""
    return label in values or same_value(label) in {same_value(value) for value in values}


def meets(label: str | None, condition: Condition) -> bool:
    """Whether a value meets a condition: texts by being the same, order by numbers; a missing one meets none."""
    if label is None or condition.operator == MISSING:
        return label is None and condition.operator == MISSING
    if condition.operator in ("=", "in"):
        return among(label, condition.values)
    if condition.operator in ("!=", "not in"):
        return not among(label, condition.values)
    value, bound = number_of(label), number_of(condition.values[0])
    if bound is None or value is None:
        raise not_ordered(condition)
    return _COMPARED[condition.operator](value, bound)


def sum_slack(n: int, size: Fraction, roundoff: Fraction = ROUNDOFF) -> Fraction:
    """How far a sum of n floats may be from the exact one, whatever their order: (n + 2) · `roundoff` · `size`.

    `size` is the sum of their absolute values. n − 1 additions (Higham 2002, *Accuracy and Stability of Numerical
    Algorithms*, section 4.2), one rounding of each value that was read, and two more: of a division, and for the square
    terms of the bound.
    """
    return (n + 2) * roundoff * size


def not_ordered(condition: Condition) -> NotEvaluated:
    """The error of a comparison by order with what is no number."""
    return NotEvaluated(f"column {condition.attribute!r} is compared by order and holds values that are not numbers")
