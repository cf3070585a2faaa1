"""Counting groups in the data: one bit per record and condition, kept, so that a group is an AND of bits.

A million records and eight thousand rules are twenty-four thousand ANDs over 125 kB, not twenty-four thousand scans.
Units are counted by bits as well (`_layout`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from auditor.classes import BoolArray, FloatArray, IntArray
from auditor.engines import ColumnUse, Source
from auditor.errors import NotEvaluated
from auditor.interval import Interval
from auditor.outputs.published._coarse import under
from auditor.outputs.published._layout import Bits, Layout, records_in
from auditor.outputs.published.conditions import MISSING, Condition, Group
from auditor.outputs.published.spans import span_of
from auditor.outputs.published.totals import union_of
from auditor.outputs.published.values import ROUNDOFF, SINGLE, not_ordered, number_of, same_value
from auditor.policy import Policy
from auditor.truths import truth_of

__all__ = ["Bits", "Counts"]

_SINGLE_TYPES = frozenset({"FLOAT", "float", "real"})
"""What engines call floats of single precision."""
KEPT_BYTES = 256 * 2**20
"""What the bits of conditions may take; the ones not asked for longest are made again."""


class Counts:
    """The records of the data, to be counted by groups.

    Where the policy has a `unit`, what is counted are the units with a record in the group.
    """

    def __init__(self, source: Source, policy: Policy) -> None:
        self._source = source
        self._policy = policy
        self._columns = {column.name for column in source.columns if column.usable}
        self._single = {column.name for column in source.columns if column.type in _SINGLE_TYPES}
        self._read: dict[str, tuple[tuple[str | None, ...], NDArray[np.int32]]] = {}
        self._places: dict[str, dict[str | Fraction, list[int]]] = {}
        self._labels: dict[str, Mapping[str, Sequence[int]]] = {}
        self._ordered: dict[str, tuple[list[Fraction | None], FloatArray]] = {}
        self._bits: OrderedDict[Condition, Bits] = OrderedDict()
        self._counted: dict[Group, int] = {}
        self.records = source.records()
        unit = policy.unit
        self.unit = unit.column if unit is not None and unit.rows == "many-per-unit" else None
        if self.unit is not None and self.unit not in self._columns:
            raise NotEvaluated(f"the data has no column {self.unit!r}, which the policy counts by")
        self._layout = Layout(self.records, self.column(self.unit)[1] if self.unit is not None else None)
        self._everybody = self._layout.everybody()

    @property
    def names(self) -> frozenset[str]:
        """The columns of the data."""
        return frozenset(self._columns)

    @property
    def people(self) -> int:
        """How many records there are, or units where the policy counts these."""
        return self._layout.units_in(self._everybody)

    def read(self, names: Iterable[str]) -> None:
        """Read columns in one pass over the data, where they are not read yet."""
        left = sorted({name for name in names if name in self._columns and name not in self._read})
        if not left:
            return
        coded = self._source.coded([ColumnUse(name, self._missing(name)) for name in left])
        for place, name in enumerate(left):
            self._read[name] = coded.dictionaries[place], np.ascontiguousarray(coded.codes[:, place])

    def column(self, name: str) -> tuple[tuple[str | None, ...], NDArray[np.int32]]:
        """The distinct values of a column as texts, and int32[n] which of them each record has."""
        if name not in self._columns:
            raise NotEvaluated(f"the data has no column {name!r}, which an output speaks of")
        self.read([name])
        return self._read[name]

    def numbers(self, name: str) -> list[Fraction | None]:
        """The exact number behind each distinct value of `column`; None for what is none."""
        return self._numbers(name)[0]

    def amounts(self, name: str) -> list[Fraction | None]:
        """What each distinct value of a column is added up as: 0 and 1 for those of ``false`` and ``true`` alone."""
        known = {None: None, "false": Fraction(0), "true": Fraction(1)}
        words = [None if label is None else label.casefold() for label in self.column(name)[0]]
        if any(words) and known.keys() >= set(words):
            return [known[word] for word in words]
        return self.numbers(name)

    def roundoff(self, name: str) -> Fraction:
        """How far, of its size, a sum of two values of a column may be off, as programs add them up."""
        return SINGLE if name in self._single else ROUNDOFF

    def count(self, group: Group) -> int:
        """How many records (or units) meet every condition."""
        if group not in self._counted:
            self._counted[group] = self._layout.units_in(self._group(group))
        return self._counted[group]

    def records_in(self, group: Group) -> int:
        """How many records meet every condition, whatever the policy counts."""
        return self.count(group) if self.unit is None else records_in(self._group(group))

    def members(self, group: Group, without: Group | None = None) -> IntArray:
        """The rows, from 0, that meet every condition, and not every condition of the other group."""
        bits = self._group(group)
        return self._layout.rows(bits if without is None else bits & ~self._group(without))

    def rows_with(self, group: Group, none_of: Iterable[Condition]) -> IntArray:
        """The rows that meet every condition of a group, and none of some others."""
        return self._layout.rows(self._pattern(group, none_of))

    def count_with(self, group: Group, none_of: Iterable[Condition]) -> int:
        """How many records (or units) have a record that meets every condition of a group, and none of some others."""
        return self._layout.units_in(self._pattern(group, none_of))

    def holds(self, condition: Condition) -> BoolArray:
        """bool[n]: which records meet a condition."""
        held = np.zeros(self.records, dtype=np.bool_)
        held[self._layout.rows(self._condition(condition))] = True
        return held

    def bits(self, group: Group) -> Bits:
        """The records that meet every condition, to be joined with others: ``&``, ``|`` and ``& ~`` are sets."""
        return self._group(group)

    def rows_in(self, bits: Bits) -> IntArray:
        """The rows of a set of records."""
        return self._layout.rows(bits)

    def people_in(self, bits: Bits) -> int:
        """How many records (or units) have a record in the set."""
        return self._layout.units_in(bits)

    def distribution(self, group: Group, name: str) -> dict[str | None, int]:
        """How many records (or units) of a group have each value of a column."""
        return self.spread(self.members(group), name)

    def spread(self, rows: IntArray, name: str, *, units: bool = True) -> dict[str | None, int]:
        """How many of some records (or of their units) have each value of a column."""
        labels, codes = self.column(name)
        if self.unit is None or not units:
            sizes = np.bincount(codes[rows], minlength=len(labels))
        else:
            pairs = np.unique(np.stack([codes[rows], self.column(self.unit)[1][rows]]), axis=1)
            sizes = np.bincount(pairs[0], minlength=len(labels))
        return {label: int(size) for label, size in zip(labels, sizes, strict=True) if size}

    def _missing(self, name: str) -> tuple[str, ...]:
        attribute = self._policy.attributes.get(name)
        return attribute.missing_values if attribute is not None else ()

    def _group(self, group: Group) -> Bits:
        found = self._everybody
        for condition in group:
            found = found & self._condition(condition)
        return found

    def _pattern(self, group: Group, none_of: Iterable[Condition]) -> Bits:
        found = self._group(group)
        for condition in none_of:
            found = found & ~self._condition(condition)
        return found

    def _condition(self, condition: Condition) -> Bits:
        kept = self._bits.get(condition)
        if kept is not None:
            self._bits.move_to_end(condition)
            return kept
        name = condition.attribute
        met = self._met(condition) if name else self._held(condition)
        codes = self.column(name or condition.values[0])[1]
        self._bits[condition] = bits = self._layout.packed(met[codes])
        while len(self._bits) * bits.nbytes > KEPT_BYTES and len(self._bits) > 1:
            self._bits.popitem(last=False)
        return bits

    def _met(self, condition: Condition) -> BoolArray:
        """bool[m]: which distinct values meet a condition; a missing one meets none but that of being missing."""
        labels = self.column(condition.attribute)[0]
        if condition.operator == MISSING:
            return np.array([label is None for label in labels], dtype=np.bool_)
        if condition.operator in ("<", "<=", ">", ">="):
            return self._compared(condition)
        met = np.zeros(len(labels), dtype=np.bool_)
        places = self._places_of(condition.attribute)
        for value in condition.values:
            at = [*places.get(value, []), *places.get(same_value(value), [])]
            met[at] = True
            if at:
                continue
            below = self._below(condition.attribute).get(value)
            span = span_of(value)
            if below is not None:
                met[np.array(below)] = True
            elif span is not None:
                met |= self._within(condition.attribute, span)
            else:
                met[[place for part in union_of(value, places) for place in places[part]]] = True
        if condition.operator in ("!=", "not in"):
            met = ~met
            met[[place for place, label in enumerate(labels) if label is None]] = False
        return met

    def _below(self, name: str) -> Mapping[str, Sequence[int]]:
        """Which distinct values of a column stand under each coarse label of its ladder."""
        if name not in self._labels:
            self._labels[name] = under(self._policy, name, self.column(name)[0])
        return self._labels[name]

    def _held(self, condition: Condition) -> BoolArray:
        """bool[m]: an item without a column is held where the column of its name says so (one-hot data)."""
        if condition.operator != "=" or len(condition.values) != 1:
            raise NotEvaluated("an item without a column is compared with something else than being held")
        labels = self.column(condition.values[0])[0]
        held = [False if label is None else truth_of(label) for label in labels]
        if None in held:
            raise NotEvaluated("an item is named like a column of the data that does not say yes or no")
        return np.array(held, dtype=np.bool_)

    def _compared(self, condition: Condition) -> BoolArray:
        bound = number_of(condition.values[0])
        numbers = self.numbers(condition.attribute)
        labels = self.column(condition.attribute)[0]
        if bound is None or any(
            number is None and label is not None for number, label in zip(numbers, labels, strict=True)
        ):
            raise not_ordered(condition)
        return self._ordered_by(condition.attribute, condition.operator, bound)

    def _within(self, name: str, span: Interval[Fraction]) -> BoolArray:
        """bool[m]: which distinct values are numbers of an interval, as ``(0.999, 10.0]`` of `pandas.cut` is one."""
        met = ~np.isnan(self._numbers(name)[1])
        if span.low is not None:
            met &= self._ordered_by(name, ">" if span.low_open else ">=", span.low)
        if span.high is not None:
            met &= self._ordered_by(name, "<" if span.high_open else "<=", span.high)
        return met

    def _ordered_by(self, name: str, operator: str, bound: Fraction) -> BoolArray:
        """Order by the nearest floating-point numbers, and exactly where these are equal."""
        numbers, nearest = self._numbers(name)
        near = _nearest(bound)
        below, equal = nearest < near, np.zeros(len(numbers), dtype=np.bool_)
        for place in np.flatnonzero(nearest == near):
            number = numbers[place]
            below[place], equal[place] = number is not None and number < bound, number == bound
        if operator in ("<", "<="):
            return below | equal if operator == "<=" else below
        known = ~np.isnan(nearest)
        return known & ~below if operator == ">=" else known & ~below & ~equal

    def _numbers(self, name: str) -> tuple[list[Fraction | None], FloatArray]:
        if name not in self._ordered:
            numbers = [number_of(label) for label in self.column(name)[0]]
            self._ordered[name] = numbers, np.array([np.nan if each is None else _nearest(each) for each in numbers])
        return self._ordered[name]

    def _places_of(self, name: str) -> dict[str | Fraction, list[int]]:
        """Where each text, and each number, stands among the distinct values of a column."""
        if name not in self._places:
            places: dict[str | Fraction, list[int]] = {}
            for place, label in enumerate(self.column(name)[0]):
                for key in {label, same_value(label)} if label is not None else ():
                    places.setdefault(key, []).append(place)
            self._places[name] = places
        return self._places[name]


def _nearest(number: Fraction) -> float:
    """The nearest floating-point number: never in the wrong order, sometimes equal for different numbers."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
