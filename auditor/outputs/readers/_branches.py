"""Splits of scikit-learn's trees as conditions: a number at most, or above, a threshold."""

from __future__ import annotations

from fractions import Fraction

from auditor.outputs.published.conditions import Condition
from auditor.outputs.published.values import number_of
from auditor.outputs.readers._indicators import indicator
from auditor.outputs.readers._items import Columns

ONE_HOT = "splits of one-hot columns are taken for values of the column they were made of; missing values meet neither"


def branch(feature: str, threshold: str, columns: Columns, *, above: bool) -> tuple[Condition, bool]:
    """The condition of one side of a split, and whether it is a value of the column behind a one-hot column."""
    value = number_of(threshold)
    behind = indicator(feature, columns)
    if behind is not None and value is not None and Fraction(0) <= value < 1:
        return Condition(behind.attribute, "=" if above else "!=", behind.values), True
    return Condition(feature, ">" if above else "<=", (threshold,)), False
