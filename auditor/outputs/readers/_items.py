"""Item texts as conditions: ``age=26`` speaks of a column where there is one of that name, and is an item else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from auditor.outputs.published.conditions import Condition, Group, equal, group_of

Columns = frozenset[str]
"""The names that the policy or the data know."""

MOST_CONDITIONS = 2_000_000
"""Conditions of all paths of one tree together: one that somebody could read has thousands, a hostile one billions."""

_BOUND = r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|Inf|inf|∞)"
INTERVAL = re.compile(rf"([\[(])\s*({_BOUND})\s*,\s*({_BOUND})\s*([\])])", re.ASCII)
"""``[20,30)`` with its brackets and bounds, as R's `cut` and `discretize` label intervals."""


def item(text: str, columns: Columns) -> Condition:
    """The condition that an item stands for; without a known column before its first ``=``, one of column ""."""
    name, sign, value = text.partition("=")
    return equal(name, value) if sign and name in columns else equal("", text)


def items(texts: Iterable[str], columns: Columns) -> Group:
    """The records that have all of these items."""
    return group_of(item(text, columns) for text in texts)


def within(text: str, columns: Columns) -> tuple[Condition, ...]:
    """The same, where an interval ``age=[20,30)`` of a known column is its two bounds; infinite ones bound nothing."""
    condition = item(text, columns)
    found = INTERVAL.fullmatch(condition.values[0]) if condition.attribute else None
    if found is None:
        return (condition,)
    opening, low, high, closing = found.groups()
    bounds = (
        Condition(condition.attribute, ">=" if opening == "[" else ">", (low,)),
        Condition(condition.attribute, "<=" if closing == "]" else "<", (high,)),
    )
    finite = tuple(bound for bound in bounds if bound.values[0].lstrip("+-").lower() not in ("inf", "∞"))
    return finite or (Condition(condition.attribute, "not in", ()),)
