"""GROUP BY: the groups of the rows in key order, over every value that a protected key may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditor.classes import BoolArray, IntArray
from auditor.queries.records.records import grouped
from auditor.queries.sql._affine import Affine
from auditor.queries.sql._aggregates import Contribution
from auditor.queries.sql._dialects import SqlDialect
from auditor.queries.sql._rows import Frames
from auditor.queries.values.exact import Exact
from auditor.queries.values.values import (
    ColumnValue,
    Null,
    Numbers,
    Refusal,
    TextValues,
    Truth,
    Value,
    Word,
    distinct_values,
    read,
)

Key = tuple[tuple[bool, Any], ...]
"""One value for each key expression: whether it sorts as the missing value, and what it is."""


@dataclass(frozen=True)
class Keyed:
    """The keys of the selected rows: `codes` is int64[rows], −1 for rows that are not selected."""

    codes: IntArray
    keys: tuple[Key, ...]


@dataclass(frozen=True)
class RowGroup:
    """The rows of one group, under each assignment of the protected categories."""

    rows: Sequence[IntArray]

    def inside(self, found: Sequence[Contribution]) -> tuple[IntArray, list[Contribution]]:
        """The rows that contribute under any assignment, ascending, and what each of these puts in."""
        chosen = [rows[each.mask[rows]] for rows, each in zip(self.rows, found, strict=True)]
        if len(chosen) == 1:
            return chosen[0], [Contribution(np.ones(len(chosen[0]), dtype=np.bool_), found[0].worth.at(chosen[0]))]
        touched = np.unique(np.concatenate(chosen))
        masks = [np.isin(touched, rows, assume_unique=True) for rows in chosen]
        return touched, [Contribution(mask, each.worth.at(touched)) for mask, each in zip(masks, found, strict=True)]

    def everybody(self) -> tuple[list[Contribution], IntArray]:
        """What counts each row of the group once, and the rows that are in it under any assignment."""
        touched = np.unique(np.concatenate(self.rows))
        one = Affine({}, Exact.constant(1), whole=True)
        return [Contribution(np.isin(touched, rows, assume_unique=True), one) for rows in self.rows], touched

    def any_row(self) -> tuple[int, int | None]:
        """A row of the group and the assignment that puts it there: its keys are those of the group."""
        for which, rows in enumerate(self.rows):
            if len(rows):
                return which, int(rows[0])
        return 0, None


def split(of_row: Sequence[IntArray], count: int) -> list[RowGroup]:
    """The groups 0 … count − 1, given the group of each row (−1: none) under each assignment."""
    found = []
    for numbers in of_row:
        order = np.argsort(numbers, kind="stable")
        found.append(np.split(order, np.searchsorted(numbers[order], np.arange(count + 1)))[1:-1])
    return [RowGroup([rows[number] for rows in found]) for number in range(count)]


def keyed(values: Sequence[Value], selected: BoolArray, rows: Frames, dialect: SqlDialect) -> Keyed:
    """Group the selected rows by some values."""
    coded = [_coded(value, rows, dialect) for value in values]
    inside = np.flatnonzero(selected)
    first, group = grouped([(codes[inside].astype(np.int32), len(keys)) for codes, keys in coded], len(inside))
    codes = np.full(rows.length, -1, dtype=np.int64)
    codes[inside] = group
    places = inside[first]
    listed = tuple(tuple(keys[codes_of[place]] for codes_of, keys in coded) for place in places.tolist())
    return Keyed(codes, listed)


def in_order(found: Sequence[Keyed]) -> tuple[list[Key], list[IntArray]]:
    """All keys in order, and for each of several groupings the group of each row (−1: none)."""
    keys = sorted({key for each in found for key in each.keys})
    place = {key: number for number, key in enumerate(keys)}
    groups = []
    for each in found:
        numbers = np.array([*(place[key] for key in each.keys), -1], dtype=np.int64)
        groups.append(numbers[each.codes])
    return keys, groups


def _coded(value: Value, rows: Frames, dialect: SqlDialect) -> tuple[IntArray, list[tuple[bool, Any]]]:
    """A code for each row, and the key that each code stands for."""
    if isinstance(value, ColumnValue):
        value = _as_one_kind(value)
    if isinstance(value, Word | Null):
        value = read(value, "text")
    last = dialect.nulls == "last"
    plain = distinct_values(value)
    keys = sorted({_key(each, nulls_last=last) for each in plain})
    place = {key: number for number, key in enumerate(keys)}
    codes = np.array([place[_key(each, nulls_last=last)] for each in plain], dtype=np.int64)
    return rows.full(codes, value.frame), keys


def _key(value: Any, *, nulls_last: bool) -> tuple[bool, Any]:
    return ((value is None) == nulls_last, 0 if value is None else value)


def _as_one_kind(value: ColumnValue) -> Truth | Numbers | TextValues:
    """A column in the one way that its values can be told apart, if all ways agree about that."""
    distinct = len(value.column.labels)
    kinds = value.readings
    for kind in kinds:
        found = value.read(kind)
        if len(kinds) > 1 and len(set(distinct_values(found))) != distinct:
            raise Refusal("ambiguous-type")
    if not kinds:
        raise Refusal("type-mismatch")
    return value.read(kinds[0])
