"""Who a published number is about: conditions on columns, all of which hold.

A rule's antecedent, an itemset, the path to a leaf and the key of a cell all say the same thing: which records were
counted. A missing value meets no condition but the one that asks for it (`missing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in", "not in", "missing"]

OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=", "in", "not in")
"""Those that files may write between a column and a value."""
MISSING: Operator = "missing"
NO_LABEL = ""
"""What stands in the key of a cell that counts the records without a value."""


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """One column compared with a value, or (``in``, ``not in``) with several. Values are texts, as they were written.

    An item without a column (``bread`` in a basket) has the column "" and is met by the transactions that hold it.
    """

    attribute: str
    operator: Operator
    values: tuple[str, ...]

    def __str__(self) -> str:
        """``age=26``, ``age <= 30``, ``sex in (F, M)``; ``bread`` for an item without a column."""
        if self.operator == MISSING:
            return f"{self.attribute} {MISSING}"
        if len(self.values) != 1 or self.operator in ("in", "not in"):
            return f"{self.attribute} {self.operator} ({', '.join(self.values)})"
        if not self.attribute and self.operator == "=":
            return self.values[0]
        between = "=" if self.operator == "=" else f" {self.operator} "
        return f"{self.attribute}{between}{self.values[0]}"


Group = frozenset[Condition]
"""The records that meet every condition; without any, all of them."""

EVERYBODY: Group = frozenset()


def equal(attribute: str, value: str) -> Condition:
    """The condition that a column has a value."""
    return Condition(attribute, "=", (value,))


def missing(attribute: str) -> Condition:
    """The condition that a column has no value."""
    return Condition(attribute, MISSING, (NO_LABEL,))


def group_of(items: Mapping[str, str] | Iterable[Condition]) -> Group:
    """The records with these values by column, or that meet these conditions."""
    if isinstance(items, Mapping):
        return frozenset(equal(attribute, value) for attribute, value in items.items())
    return frozenset(items)


def told(group: Group) -> str:
    """A group in words: its conditions in order, ``everybody`` for none."""
    return ", ".join(map(str, sorted(group))) or "everybody"
