"""Counting the columns of a table: distinct values, missing ones, uniqueness alone and together, shapes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from auditor.classes import prefix_sizes
from auditor.engines import Allowed, Column, ColumnUse, Counted, Source
from auditor.looks import LOOKS, Look, look_of, words
from auditor.stages import tell

MOST_LABELS = 200_000
"""Distinct values that are looked at one by one; of larger columns the engine counts the shapes."""
CELLS_AT_ONCE = 2_000_000
COLUMNS_AT_ONCE = 25
MOST_COMBINED = 25
"""Quasi-identifiers that are counted together."""

Labels = tuple[str, ...]
_WHOLE = re.compile(r"-?[0-9]+(\.0+)?")
"""A whole number as engines write one, of columns of fractions, too."""


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column. Counts are records, but for `distinct`, which counts values.

    `unique` records stand alone with their value. `span` is the distance from the least to the largest number (None:
    not numbers, or too many to look at). `binary`: no number but 0 and 1; `whole`: whole numbers alone.
    `longest` is the length of the longest value in characters.
    """

    name: str
    usable: bool = True
    records: int = 0
    missing: int = 0
    distinct: int = 0
    unique: int = 0
    numeric: bool = False
    span: float | None = None
    look: str | None = None
    longest: int = 0
    binary: bool = False
    whole: bool = False

    @property
    def present(self) -> int:
        """Records that hold a value."""
        return self.records - self.missing

    @property
    def words(self) -> frozenset[str]:
        """The words of its name."""
        return words(self.name)

    @property
    def distinct_share(self) -> float:
        """Distinct values over the records that hold one."""
        return self.distinct / max(self.present, 1)


@dataclass(frozen=True, slots=True)
class Exposure:
    """How many records stand alone when quasi-identifiers are put together.

    `together` is for all of them, `steps` adds one at a time (empty where the table is too large for that), `left_out`
    counts those beyond `MOST_COMBINED`.
    """

    columns: int = 0
    together: int = 0
    steps: tuple[tuple[str, int], ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """A table's columns."""

    records: int
    columns: tuple[ColumnProfile, ...]

    def exposure(self, source: Source, columns: Sequence[str]) -> Exposure:
        """Put columns together, those with the fewest values first, and count who stands alone."""
        distinct = {column.name: column.distinct for column in self.columns}
        chosen = sorted(columns, key=lambda name: (distinct[name], name))[:MOST_COMBINED]
        if not chosen or not self.records:
            return Exposure()
        together, steps, batches = 0, {}, 0
        for table in source.count([ColumnUse(name) for name in chosen]).tables(chosen):
            steps = {name: int((sizes == 1).sum()) for name, sizes in prefix_sizes(table)}
            together += int((table.rows == 1).sum())
            batches += 1
        # A class of fewer columns may lie in several batches, so steps can be counted in one batch only.
        listed = tuple(steps.items()) if batches == 1 else ()
        return Exposure(len(chosen), together, listed, len(columns) - len(chosen))


def measure(source: Source) -> Profile:
    """Count every column of a table."""
    records = source.records()
    usable = [column.name for column in source.columns if column.usable]
    at_once = max(1, min(COLUMNS_AT_ONCE, CELLS_AT_ONCE // max(records, 1)))
    found: dict[str, ColumnProfile] = {}
    for start in range(0, len(usable), at_once):
        tell(start, len(usable), "columns")
        found |= {column.name: column for column in _counted(source, usable[start : start + at_once])}
    return Profile(records, tuple(found.get(column.name) or _unusable(column, records) for column in source.columns))


def _unusable(column: Column, records: int) -> ColumnProfile:
    return ColumnProfile(column.name, usable=False, records=records)


def _counted(source: Source, names: Sequence[str]) -> Iterator[ColumnProfile]:
    counted = source.count([ColumnUse(name, kind="auto") for name in names])
    for name in names:
        yield _column(source, counted, name)


def _column(source: Source, counted: Counted, name: str) -> ColumnProfile:
    counts = counted.frequencies(name)
    missing, present = 0, counts
    if counted.has_missing(name):
        missing, present = int(counts[0]), counts[1:]
    plain = ColumnProfile(
        name,
        records=counted.records,
        missing=missing,
        distinct=len(present),
        unique=int((present == 1).sum()),
        numeric=counted.is_number(name),
    )
    if len(present) > MOST_LABELS:
        return replace(plain, look=_look_of_column(source, plain))
    labels = tuple(label for label in counted.labels(name) if label is not None)
    span = _span(labels)
    look = look_of(labels, present.tolist())
    told = None if look is None else look.name
    longest = max(map(len, labels), default=0)
    binary = span is not None and {float(label) for label in labels} <= {0.0, 1.0}
    whole = span is not None and all(map(_WHOLE.fullmatch, labels))
    shown = replace(plain, span=span, look=told, longest=longest)
    return replace(shown, numeric=span is not None, binary=binary, whole=whole)


def _span(labels: Labels) -> float | None:
    """How far numbers reach; None where a value is no finite number."""
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        return None
    finite = bool(numbers) and all(map(math.isfinite, numbers)) and not any("_" in label for label in labels)
    return max(numbers) - min(numbers) if finite else None


def _look_of_column(source: Source, column: ColumnProfile) -> str | None:
    def holds(look: Look) -> bool:
        others = source.outside(ColumnUse(column.name), Allowed(pattern=look.pattern))
        return column.present - others >= look.share * column.present

    return next((look.name for look in LOOKS if holds(look)), None)
