"""The values of each column, joined into the classes that no published group tells apart."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from auditor.classes import BoolArray
from auditor.outputs.published.conditions import MISSING, Condition, Group, equal
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.totals import union_of
from auditor.outputs.published.values import number_of, same_value

Value = str | Fraction
OTHER_VALUE, NO_VALUE = "another value", "no value"
Column = str
"""The name of a column; of an item without one, the item after a NUL."""

Key = str | Fraction
"""What a value is compared by (`same_value`)."""

_COMPARED: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
}
ORDERED = frozenset(_COMPARED)
"""The operators that compare by order."""


@dataclass(frozen=True)
class ColumnClasses:
    """The classes of one column: values that some group names, and what lies between bounds that some group names.

    After these stand, where there are such records, `other` values and `none`: a record without a value meets no
    condition but that of being `missing`. A condition that all classes meet says nothing. `unions` are the labels that
    say a union of values, which are no classes of their own.
    """

    values: tuple[Value, ...]
    other: bool
    none: bool
    marks: tuple[Fraction, ...] = ()
    unions: Mapping[Value, frozenset[Value]] = field(default_factory=dict)

    @property
    def between(self) -> tuple[Fraction, ...]:
        """A number below all marks, one between each two neighbours, and one above all."""
        gaps = ((low + high) / 2 for low, high in pairwise(self.marks))
        return (self.marks[0] - 1, *gaps, self.marks[-1] + 1) if self.marks else ()

    def __len__(self) -> int:
        return len(self.values) + self.other + self.none

    def named(self, number: int) -> bool:
        """Whether a class is one of the values, not other ones or none."""
        return number < len(self.values)

    def label(self, number: int) -> str:
        """A class in words."""
        if not self.named(number):
            return OTHER_VALUE if self.other and number == len(self.values) else NO_VALUE
        value = self.values[number]
        return value if isinstance(value, str) else f"about {float(value):g}"

    def place(self, label: str | None) -> int:
        """The class of a value of the data."""
        if label is None:
            return len(self) - 1
        at, number = self._place_of.get(same_value(label)), number_of(label)
        if at is not None:
            return at
        if number is None or not self.marks:
            return len(self.values)
        return self.values.index(self.between[bisect_left(self.marks, number)])

    def met(self, condition: Condition) -> BoolArray:
        """bool[classes]: which classes meet a condition. Other values meet those that only exclude some."""
        if condition.operator in _COMPARED:
            found = [_ordered(value, condition) for value in self.values]
        else:
            asked = {same_value(each) for each in condition.values}
            listed = asked.union(*(self.unions.get(each, ()) for each in asked))
            wanted = condition.operator in ("=", "in")
            found = [(key in listed) == wanted and condition.operator != MISSING for key in self._keys]
        return np.array([*found, *self.rest(condition)], dtype=np.bool_)

    def rest(self, condition: Condition) -> list[bool]:
        """Whether other values meet a condition, and whether none does, where there are such records."""
        return [condition.operator in ("!=", "not in")] * self.other + [condition.operator == MISSING] * self.none

    @cached_property
    def _keys(self) -> list[Value]:
        """What the values are compared by."""
        return [value if isinstance(value, Fraction) else same_value(value) for value in self.values]

    @cached_property
    def _place_of(self) -> dict[Value, int]:
        return {key: at for at, key in enumerate(self._keys) if isinstance(self.values[at], str)}


def column_of(condition: Condition) -> Column:
    """The column that a condition is about; an item without one is a column of its own, with it or without."""
    return condition.attribute or f"\0{condition.values[0]}"


def classes_of(
    groups: Iterable[Group],
    full: frozenset[str],
    counts: Counts | None = None,
    *,
    lacking: frozenset[str] = frozenset(),
    published: frozenset[Condition] = frozenset(),
) -> dict[Column, ColumnClasses]:
    """The classes of every column that the groups speak of.

    Args:
        groups: what conditions are taken from.
        full: columns of which every record has one of the values named, as far as is known without data.
        lacking: those of these of which there may be records without a value.
        counts: the data, which says of its columns whether there are other values, or none.
        published: conditions of groups with a number; of these, labels such as ``F+M`` are unions of others, but where
            the data has such a value. What is suppressed beside the numbers of its parts is a value of its own.
    """
    conditions: dict[Column, set[Condition]] = defaultdict(set)
    for condition in {condition for group in groups for condition in group}:
        conditions[column_of(condition)].add(condition)
    found = {
        column: _classes(conditions[column], full=column in full, lacking=column in lacking)
        for column in sorted(conditions)
    }
    for column in {each.attribute for each in published} & found.keys():
        found[column] = _without_unions(found[column], column, published, counts)
    if counts is None:
        return found
    return {c: _as_in_data(each, c, counts) if c in counts.names else each for c, each in found.items()}


def _classes(conditions: set[Condition], *, full: bool, lacking: bool) -> ColumnClasses:
    named: dict[Value, str] = {}
    ordered = [condition for condition in conditions if condition.operator in _COMPARED]
    for condition in sorted(conditions):
        for value in condition.values if condition.operator not in _COMPARED or not full else ():
            if condition.operator == MISSING:
                continue
            named.setdefault(same_value(value), value)
    marks: set[Fraction] = set()
    if ordered and not full:
        marks = {number for value in named.values() if (number := number_of(value)) is not None}
    is_item = not next(iter(conditions)).attribute
    none = not is_item and (lacking or not full or names_missing(conditions))
    found = ColumnClasses(tuple(named.values()), other=not full, none=none, marks=tuple(sorted(marks)))
    return replace(found, values=(*found.values, *found.between))


def names_missing(conditions: Iterable[Condition]) -> bool:
    """Whether some condition asks for records without a value."""
    return any(condition.operator == MISSING for condition in conditions)


def _without_unions(
    classes: ColumnClasses, column: Column, published: frozenset[Condition], counts: Counts | None
) -> ColumnClasses:
    """The classes without the labels that are unions of others of them."""
    labels = {value for value in classes.values if isinstance(value, str)}
    held = set(counts.column(column)[0]) if counts is not None and column in counts.names else set()
    asked = {label for label in labels - held if equal(column, label) in published}
    told = {label: parts for label in asked if (parts := union_of(label, labels))}
    unions = {same_value(label): frozenset(map(same_value, parts)) for label, parts in told.items()}
    return replace(classes, values=tuple(each for each in classes.values if each not in told), unions=unions)


def _as_in_data(classes: ColumnClasses, column: Column, counts: Counts) -> ColumnClasses:
    """The classes with other values, and with none, where the data has such records."""
    labels, codes = counts.column(column)
    whole = replace(classes, other=True, none=True)
    places = {whole.place(labels[code]) for code in np.unique(codes).tolist()}
    return replace(classes, other=len(whole) - 2 in places, none=len(whole) - 1 in places)


def _ordered(value: Value, condition: Condition) -> bool:
    number = value if isinstance(value, Fraction) else number_of(value)
    bound = number_of(condition.values[0])
    return number is not None and bound is not None and _COMPARED[condition.operator](number, bound)


def masks(
    group: Group, classes: Mapping[Column, ColumnClasses], known: dict[Condition, BoolArray]
) -> dict[Column, BoolArray]:
    """Of each column that a group restricts, which classes it allows; `known` keeps what conditions come to."""
    found: dict[Column, BoolArray] = {}
    for condition in group:
        column = column_of(condition)
        if condition not in known:
            known[condition] = classes[column].met(condition)
        found[column] = found[column] & known[condition] if column in found else known[condition]
    return {column: met for column, met in found.items() if not met.all()}
