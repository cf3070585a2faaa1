"""What an expression is worth on every row: exact numbers, dates, texts, or one of SQL's three truth values.

A value stands on a *frame*: one constant, the dictionary of a column, or the rows themselves. What speaks of one column
is worked out once per distinct value and lifted to the rows when it meets another column.

The three truth values are levels, 0 false, 1 unknown, 2 true; so AND is the minimum, OR the maximum, NOT x is 2 − x.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from auditor.classes import BoolArray
from auditor.dialect import CsvDialect
from auditor.queries.values.exact import Exact, parse_number, parse_numbers

CONSTANT = -2
ROWS = -1
FALSE, UNKNOWN, TRUE = 0, 1, 2

Levels = NDArray[np.uint8]
Reading = Literal["number", "date", "boolean", "text"]
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
BOOLEANS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}


class Refusal(Exception):  # noqa: N818  (not an error: a statement that is outside the exact subset)
    """A construct that cannot be audited exactly."""

    def __init__(self, construct: str, node: Any = None) -> None:
        self.construct = construct
        self.node = node
        super().__init__(construct)


@dataclass(frozen=True)
class Truth:
    """One of three truth values for each place of a frame."""

    levels: Levels
    frame: int = CONSTANT


@dataclass(frozen=True)
class Numbers:
    """An exact number for each place of a frame; `null` marks the missing ones. A date is its ordinal.

    `integer` says that the database has integers. `floating`: it may have floating-point numbers, so that arithmetic on
    them is rounded; `rounded`: they come from such arithmetic.
    """

    exact: Exact
    frame: int = CONSTANT
    null: BoolArray | None = None
    kind: Literal["number", "date"] = "number"
    integer: bool = False
    floating: bool = False
    rounded: bool = False


@dataclass(frozen=True)
class TextValues:
    """A text for each place of a frame, None where it is missing; `codes` has the place of each, where each is once."""

    labels: NDArray[Any]
    frame: int = CONSTANT
    codes: dict[str | None, int] | None = None


@dataclass(frozen=True)
class Word:
    """A text that SQL has not given a type yet: whatever it can be read as."""

    text: str

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """What the text can be read as."""
        found: list[Reading] = ["text"]
        if parse_number(self.text) is not None:
            found.append("number")
        if parse_date(self.text) is not None:
            found.append("date")
        if self.text.strip(" ").lower() in BOOLEANS:
            found.append("boolean")
        return tuple(found)

    def read(self, kind: Reading) -> Truth | Numbers | TextValues:
        """The text as one kind."""
        if kind == "number":
            return Numbers(Exact.constant(parse_number(self.text) or 0))
        if kind == "date":
            return Numbers(Exact.constant(parse_date(self.text) or 0), kind="date")
        if kind == "boolean":
            return Truth(np.array([TRUE if BOOLEANS[self.text.strip(" ").lower()] else FALSE], dtype=np.uint8))
        return TextValues(np.array([self.text], dtype=object))


@dataclass(frozen=True)
class Null:
    """NULL without a type."""


class PublicColumn:
    """The distinct values of a public column, and what they can be read as.

    `declared` is what the policy or the source says that the values are. A column whose type nobody says can be read
    in several ways; what is asked of it is exact only where they agree. `floating` says that the database may have its
    numbers in floating point. Where a label stands for another text of the file (`csv`: 10.02.2026, read as
    2026-02-10), nobody knows what text the database has: it is read as no text.
    """

    def __init__(
        self,
        name: str,
        labels: Sequence[str | None],
        declared: Sequence[Reading] | None = None,
        *,
        floating: bool = False,
        csv: CsvDialect | None = None,
    ) -> None:
        self.name = name
        self.csv = csv
        self.floating = floating
        self.labels = tuple(labels)
        self.declared = declared

    @cached_property
    def null(self) -> BoolArray | None:
        """Which labels are missing; None where none is."""
        missing = np.array([label is None for label in self.labels], dtype=np.bool_)
        return missing if missing.any() else None

    @cached_property
    def array(self) -> NDArray[Any]:
        """The labels as objects."""
        labels = np.empty(len(self.labels), dtype=object)
        labels[:] = self.labels
        return labels

    @cached_property
    def codes(self) -> dict[str | None, int]:
        """The place of each label."""
        return {label: code for code, label in enumerate(self.labels)}

    @cached_property
    def numbers(self) -> Exact | None:
        """The labels as numbers, where all are."""
        return parse_numbers(self.labels)

    @cached_property
    def dates(self) -> Exact | None:
        """The labels as days, where all are dates in ISO 8601."""
        days = [0 if label is None else parse_date(label) for label in self.labels]
        known = [day for day in days if day is not None]
        return Exact(np.array(known, dtype=np.int64)) if len(known) == len(days) else None

    @cached_property
    def levels(self) -> Levels | None:
        """The labels as truth values, where all are."""
        words = [None if label is None else label.strip(" ").lower() for label in self.labels]
        if any(word is not None and word not in BOOLEANS for word in words):
            return None
        found = [UNKNOWN if word is None else TRUE if BOOLEANS[word] else FALSE for word in words]
        return np.array(found, dtype=np.uint8)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """What the values can be read as."""
        possible: dict[Reading, Any] = {"number": self.numbers, "date": self.dates, "boolean": self.levels}
        fitting = [kind for kind, found in possible.items() if found is not None]
        wanted = self.declared if self.declared is not None else ("number", "date", "boolean", "text")
        texts = self.csv is None or not any(map(self.csv.reads_otherwise, self.labels))
        return tuple(kind for kind in wanted if (texts if kind == "text" else kind in fitting))

    def read(self, kind: Reading, frame: int) -> Truth | Numbers | TextValues:
        """The column as one kind."""
        if kind == "text":
            return TextValues(self.array, frame, self.codes)
        if kind == "boolean":
            return Truth(_given(self.levels), frame)
        exact = _given(self.numbers if kind == "number" else self.dates)
        whole = exact.denominator == 1
        return Numbers(exact, frame, self.null, kind, integer=whole, floating=self.floating and not whole)


def source_readings(source_type: str) -> tuple[Reading, ...] | None:
    """What the values of a column of a source can be read as; None where the source does not say.

    Text is no type: files hold everything as text, so of a text column nobody knows what the database had.
    """
    kind = source_type.upper()
    if kind == "BOOLEAN":
        return ("boolean",)
    if kind == "DATE":
        return ("date",)
    if kind.startswith(("TIME", "INTERVAL", "UUID")):
        return ("text",)
    return None if kind.startswith(("VARCHAR", "ENUM")) else ("number",)


def is_floating(source_type: str) -> bool:
    """Whether numbers of a column of a source may be in floating point: they are, or nobody knows."""
    return source_type.upper().startswith(("FLOAT", "DOUBLE", "REAL", "VARCHAR"))


def distinct_values(value: Truth | Numbers | TextValues) -> list[Any]:
    """The values of a frame as Python objects that compare as they do, None where missing."""
    if isinstance(value, TextValues):
        return list(value.labels)
    if isinstance(value, Truth):
        return [None if level == UNKNOWN else level == TRUE for level in value.levels.tolist()]
    found: list[Any] = [Fraction(int(each), value.exact.denominator) for each in value.exact.numerators]
    if value.null is not None:
        null = np.broadcast_to(value.null, len(found))
        found = [None if missing else each for each, missing in zip(found, null, strict=True)]
    return found


def _given(found: Any) -> Any:
    if found is None:
        raise Refusal("type-mismatch")
    return found


@dataclass(frozen=True)
class ColumnValue:
    """A public column, not yet read as a kind."""

    column: PublicColumn
    frame: int

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What the values can be read as."""
        return self.column.readings

    def read(self, kind: Reading) -> Truth | Numbers | TextValues:
        """The column as one kind."""
        return self.column.read(kind, self.frame)


Value = Truth | Numbers | TextValues | Word | Null | ColumnValue
"""What an expression over public columns is worth."""


def parse_date(text: str) -> int | None:
    """The ordinal of a day in ISO 8601 (``2024-02-29``); None where a text is none."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return dt.date.fromisoformat(text).toordinal()
    except ValueError:
        return None


def readings(value: Value) -> tuple[Reading, ...]:
    """The kinds that a value can be read as."""
    if isinstance(value, Truth):
        return ("boolean", "number")
    if isinstance(value, Numbers):
        return (value.kind,)
    if isinstance(value, TextValues):
        return ("text",)
    return ("number", "date", "boolean", "text") if isinstance(value, Null) else value.readings


@overload
def read(value: Value, kind: Literal["boolean"]) -> Truth: ...
@overload
def read(value: Value, kind: Literal["number", "date"]) -> Numbers: ...
@overload
def read(value: Value, kind: Literal["text"]) -> TextValues: ...
@overload
def read(value: Value, kind: Reading) -> Truth | Numbers | TextValues: ...
def read(value: Value, kind: Reading) -> Truth | Numbers | TextValues:
    """A value as one kind that it can be read as."""
    if isinstance(value, Null):
        return _null(kind)
    if isinstance(value, Word | ColumnValue):
        if kind not in value.readings:
            raise Refusal("type-mismatch")
        return value.read(kind)
    if isinstance(value, Truth) and kind == "number":
        unknown = value.levels == UNKNOWN
        numbers = Exact((value.levels == TRUE).astype(np.int64))
        return Numbers(numbers, value.frame, unknown if unknown.any() else None, integer=True)
    if kind not in readings(value):
        raise Refusal("type-mismatch")
    return value


def _null(kind: Reading) -> Truth | Numbers | TextValues:
    if kind == "text":
        return TextValues(np.array([None], dtype=object))
    if kind == "boolean":
        return Truth(np.array([UNKNOWN], dtype=np.uint8))
    return Numbers(Exact.constant(0), null=np.array([True]), kind=kind)


def constant(truth: bool) -> Truth:
    """TRUE or FALSE."""
    return Truth(np.array([TRUE if truth else FALSE], dtype=np.uint8))


def number(value: Fraction | int, *, integer: bool = False) -> Numbers:
    """One number."""
    return Numbers(Exact.constant(value), integer=integer)
