"""The audited records as coded columns, and the profiles that they form.

Records that agree on every public column which the log uses, and on which of their protected values are missing, are in
the same query sets: they are one *profile*, and statements are worked out once per profile.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from auditor.classes import BoolArray, IntArray
from auditor.dialect import OTHER_MARKS
from auditor.engines import ColumnUse, Source
from auditor.errors import DataError
from auditor.queries._query import Quantity
from auditor.queries.records.schema import Schema, listed_values
from auditor.queries.records.validity import ALWAYS, FOREVER, Validity, moments
from auditor.queries.values.exact import Exact, Integers, largest, narrowed, parse_numbers
from auditor.queries.values.values import BOOLEANS, PublicColumn

Column = tuple[tuple[str | None, ...], NDArray[np.int32]]
Kind = Literal["number", "boolean", "category"]


class ProtectedColumn:
    """A protected column: what its values are, and each record's, exactly.

    Args:
        name: the column.
        labels: its distinct values.
        codes: int32[n], the value of each record.
        kind: what the values are; found from them where not given.
        listed: values that the policy declares besides those that occur.
    """

    def __init__(
        self,
        name: str,
        labels: Sequence[str | None],
        codes: NDArray[np.int32],
        kind: Kind | None = None,
        listed: Sequence[str] = (),
    ) -> None:
        self.name = name
        self._labels = tuple(labels)
        self._codes = codes
        self.kind: Kind = kind or self._found_kind()
        known = {label for label in labels if label is not None}
        self.values: tuple[str, ...] = (*listed, *sorted(known - set(listed))) if self.kind == "category" else ()
        if self.kind == "boolean":
            self._exact: Exact | None = Exact(np.array([self._bit(label) for label in labels], dtype=np.int64))
        else:
            self._exact = self._numbers() if self.kind == "number" else None

    def _found_kind(self) -> Kind:
        words = {label.strip(" ").lower() for label in self._labels if label is not None}
        if words and words <= BOOLEANS.keys() and not words <= {"0", "1"}:
            return "boolean"
        return "number" if parse_numbers(self._labels) is not None else "category"

    def _bit(self, label: str | None) -> int:
        if label is None:
            return 0
        word = label.strip(" ").lower()
        if word not in BOOLEANS:
            raise DataError(f"column {self.name!r} is boolean and holds values that are neither true nor false")
        return int(BOOLEANS[word])

    def _numbers(self) -> Exact:
        numbers = parse_numbers(self._labels)
        if numbers is None:
            raise DataError(
                f"column {self.name!r} is protected as a number and holds values that are not numbers; declare "
                f"the texts that mean missing under missing_values, or another type; {OTHER_MARKS}"
            )
        return numbers

    def check(self, ends: tuple[Decimal | None, Decimal | None] | None, *, whole: bool) -> None:
        """Refuse values that contradict what the policy declares, because disclosures are deduced from that."""
        if self.kind != "number" or self._exact is None:
            return
        if whole and not self.is_integer:
            raise DataError(
                f"column {self.name!r} is declared as an integer and holds fractions; declare the type number, or "
                "correct the data"
            )
        low, high = ends or (None, None)
        present = np.array([label is not None for label in self._labels], dtype=np.bool_)
        below = low is not None and (self._exact.compared("<", Exact.constant(Fraction(low))) & present).any()
        above = high is not None and (~self._exact.compared("<=", Exact.constant(Fraction(high))) & present).any()
        if below or above:
            raise DataError(
                f"column {self.name!r} holds values outside the range that the policy declares; declare a wider one, "
                "or correct the data"
            )

    @property
    def missing(self) -> BoolArray:
        """bool[n]: which records have no value."""
        none = [code for code, label in enumerate(self._labels) if label is None]
        return np.isin(self._codes, none)

    @property
    def is_integer(self) -> bool:
        """Whether every value is a whole number."""
        return self._exact is not None and self._exact.denominator == 1

    def numbers(self, value: str | None = None) -> Exact:
        """Each record's number, or 1 where it has `value`; 0 where it is missing."""
        if value is None and self._exact is not None:
            return self._exact.at(self._codes)
        ones = np.array([label is not None and label == value for label in self._labels], dtype=np.int64)
        return Exact(ones).at(self._codes)

    def of_records(self, kept: IntArray) -> ProtectedColumn:
        """The column of some of the records."""
        return ProtectedColumn(self.name, self._labels, self._codes[kept], self.kind, self.values)

    def texts(self) -> NDArray[np.object_]:
        """Each record's value as text; None where it is missing."""
        labels = np.empty(len(self._labels), dtype=object)
        labels[:] = self._labels
        return labels[self._codes]

    def digest(self) -> bytes:
        """Of the values of all records."""
        return _digest(self._labels, self._codes)

    def present(self) -> Exact:
        """1 for each record that has a value."""
        return Exact((~self.missing).astype(np.int64))


@dataclass(frozen=True)
class RecordProfiles:
    """The profiles of n records: `of_record` is int64[n], `sizes` int64[p], `codes` int32[p, d] of the public columns.

    `missing` says for each protected column which profiles lack it (where nobody knows that, none does).
    """

    schema: Schema
    columns: tuple[PublicColumn, ...]
    codes: NDArray[np.int32]
    of_record: IntArray
    sizes: IntArray
    protected: dict[str, ProtectedColumn]
    missing: dict[str, BoolArray]
    keys: Sequence[str]
    units: NDArray[np.int32] | None = None
    validity: Validity | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def records(self) -> int:
        """n, how many records there are."""
        return len(self.of_record)

    def digest(self) -> str:
        """SHA-256 of what was read of every record: public columns, protected ones, keys and units."""
        found = hashlib.sha256()
        for i, column in enumerate(self.columns):
            found.update(column.name.encode() + _digest(column.labels, self.codes[self.of_record, i]))
        for name, protected in self.protected.items():
            found.update(name.encode() + protected.digest())
        found.update(json.dumps(list(self.keys)).encode())
        if self.units is not None:
            found.update(self.units.tobytes())
        if self.validity is not None:
            found.update(self.validity.since[self.of_record].tobytes() + self.validity.until[self.of_record].tobytes())
        return found.hexdigest()

    def numbers(self, quantity: Quantity) -> Exact:
        """Each record's number; 0 where it has none."""
        column = self.protected[quantity.attribute]
        return column.present() if quantity.presence else column.numbers(quantity.value)

    @cached_property
    def _totals(self) -> dict[Quantity, Exact]:
        return {}

    def totals(self, quantity: Quantity) -> Exact:
        """The sum of each profile's numbers."""
        if quantity not in self._totals:
            numbers = self.numbers(quantity)
            self._totals[quantity] = Exact(
                group_sums(numbers.numerators, self.of_record, len(self)), numbers.denominator
            )
        return self._totals[quantity]

    def extreme(self, quantity: Quantity, which: Literal["max", "min"], members: BoolArray) -> Fraction | None:
        """The largest or smallest number among the records of some profiles; None where there is none."""
        inside = members[self.of_record] & ~self.protected[quantity.attribute].missing
        if not inside.any():
            return None
        numbers = self.numbers(quantity).at(np.flatnonzero(inside))
        chosen = numbers.numerators.max() if which == "max" else numbers.numerators.min()
        return Fraction(int(chosen), numbers.denominator)


def read_profiles(source: Source, schema: Schema, used: Collection[str]) -> RecordProfiles:
    """Read the records of a source, and group them by the public columns that are `used`."""
    public = [name for name in schema.public if name in used]
    extra = [name for name in (schema.key, schema.unit, *(schema.versions or ())) if name is not None]
    names = list(dict.fromkeys((*public, *schema.protected, *extra)))
    coded = source.coded([ColumnUse(name, schema.missing_values.get(name, ())) for name in names])
    place = {name: i for i, name in enumerate(names)}

    def column(name: str) -> Column:
        return coded.dictionaries[place[name]], coded.codes[:, place[name]]

    protected = {name: _protected(name, *column(name), schema) for name in schema.protected}
    columns = tuple(
        PublicColumn(name, column(name)[0], schema.types.get(name), floating=name in schema.floating, csv=schema.csv)
        for name in public
    )
    known = {name: each.missing for name, each in protected.items()} if schema.null_is_public else {}
    grouping = [(column(name)[1], len(column(name)[0])) for name in public]
    grouping += [(missing.astype(np.int32), 2) for missing in known.values()]
    grouping += [(column(name)[1], len(column(name)[0])) for name in schema.versions or ()]
    first, of_record = grouped(grouping, len(coded.codes))
    nobody = np.zeros(len(first), dtype=np.bool_)
    codes = np.asfortranarray(coded.codes[first][:, [place[name] for name in public]])
    return RecordProfiles(
        schema,
        columns,
        codes,
        of_record,
        np.bincount(of_record, minlength=len(first)).astype(np.int64),
        protected,
        {name: known[name][first] if name in known else nobody for name in schema.protected},
        _keys(schema, coded.dictionaries[place[schema.key]], coded.codes[:, place[schema.key]])
        if schema.key is not None
        else range_labels(len(coded.codes)),
        column(schema.unit)[1] if schema.unit is not None else None,
        None if schema.versions is None else _validity(schema.versions, column, first),
    )


def _validity(versions: tuple[str, str], column: Callable[[str], Column], first: IntArray) -> Validity:
    ends = []
    for name, missing in zip(versions, (ALWAYS, FOREVER), strict=True):
        labels, codes = column(name)
        ends.append(moments(name, labels, missing)[codes[first]])
    return Validity(*ends)


def _protected(name: str, labels: Sequence[str | None], codes: NDArray[np.int32], schema: Schema) -> ProtectedColumn:
    attribute = schema.attributes.get(name)
    declared = attribute.type if attribute is not None else None
    kinds: dict[str | None, Kind] = {"number": "number", "integer": "number", "boolean": "boolean"}
    kind: Kind | None = kinds.get(declared)
    if kind is None:
        kind = "category" if declared is not None else _source_kind(schema.types.get(name))
    column = ProtectedColumn(name, labels, codes, kind, listed_values(attribute))
    if attribute is not None:
        column.check(attribute.range, whole=declared == "integer")
    return column


def _source_kind(readings: tuple[str, ...] | None) -> Kind | None:
    if readings is None:
        return None
    return "number" if readings == ("number",) else "boolean" if readings[0] == "boolean" else "category"


def _digest(labels: Sequence[str | None], codes: NDArray[np.int32]) -> bytes:
    """SHA-256 of a column."""
    found = hashlib.sha256(json.dumps(list(labels)).encode())
    found.update(np.ascontiguousarray(codes, dtype=np.int32).tobytes())
    return found.digest()


def _keys(schema: Schema, labels: Sequence[str | None], codes: NDArray[np.int32]) -> Sequence[str]:
    repeated = len(labels) < len(codes) and schema.versions is None
    if repeated or None in labels:
        raise DataError(
            f"the key column {schema.key!r} does not name each record once; name one under queries.key that does, or "
            "leave it out"
        )
    names = np.empty(len(labels), dtype=object)
    names[:] = labels
    return list(names[codes])


def range_labels(records: int) -> Sequence[str]:
    """Names for records without a key: their 0-based rows."""
    return [str(row) for row in range(records)]


def grouped(columns: Iterable[tuple[NDArray[np.int32], int]], rows: int) -> tuple[IntArray, IntArray]:
    """Group rows that agree in every column of (codes, number of codes): a row of each group, the group of each row."""
    keys = np.zeros(rows, dtype=np.int64)
    combinations = 1
    for codes, cardinality in columns:
        if combinations * cardinality >= 2**62:
            found, keys = np.unique(keys, return_inverse=True)
            combinations = len(found)
        keys = keys * cardinality + codes
        combinations *= max(cardinality, 1)
    _, first, of_row = np.unique(keys, return_index=True, return_inverse=True)
    return first.astype(np.int64), of_row.reshape(-1).astype(np.int64)


def group_sums(values: Integers, groups: IntArray, count: int) -> Integers:
    """The sum of each group, exactly."""
    short = largest(values) * max(len(values), 1) < 2**62
    sums = np.zeros(count, dtype=np.int64 if short else object)
    np.add.at(sums, groups, values)
    return sums if short else narrowed(sums)
