"""Counting the columns of a table: distinct values, missing ones, uniqueness alone and together, shapes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from auditor.classes import prefix_sizes
from auditor.engines import Allowed, Column, ColumnUse, Counted, Source
from auditor.looks import LOOKS, Look, look_of, words
from auditor.profile._ladders import Distribution
from auditor.stages import tell
from auditor.values import LONGEST_NUMBER, NUMBER

MOST_LABELS = 200_000
"""Distinct values that are looked at one by one; of larger columns the engine counts the shapes."""
CELLS_AT_ONCE = 2_000_000
COLUMNS_AT_ONCE = 25
MOST_COMBINED = 25
"""Quasi-identifiers that are counted together."""

Labels = tuple[str, ...]
_WHOLE = re.compile(r"-?[0-9]+(\.0+)?")
"""A whole number as engines write one, of columns of fractions, too."""
_PADDED = re.compile(r"[+-]?0[0-9]")


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column. Counts are records, but for `distinct`, which counts values.

    `unique` records stand alone with their value. `numeric`: numbers alone, and no codes such as 01. `binary`: no
    number but 0 and 1; `whole`: whole numbers alone. `longest` is the length of the longest value in characters, and
    `found` the values themselves, which ladders are made from (None: too many to look at).
    """

    name: str
    usable: bool = True
    records: int = 0
    missing: int = 0
    distinct: int = 0
    unique: int = 0
    numeric: bool = False
    look: str | None = None
    longest: int = 0
    binary: bool = False
    whole: bool = False
    found: Distribution | None = field(default=None, repr=False, compare=False)

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
    return Profile(source.records(), tuple(measured(source)))


def measured(source: Source) -> Iterator[ColumnProfile]:
    """Every column of a table, in its order; some are counted together."""
    records, columns = source.records(), source.columns
    at_once = max(1, min(COLUMNS_AT_ONCE, CELLS_AT_ONCE // max(records, 1)))
    for start in range(0, len(columns), at_once):
        tell(start, len(columns), "columns")
        some = columns[start : start + at_once]
        found = {column.name: column for column in _counted(source, [each.name for each in some if each.usable])}
        for column in some:
            yield found.get(column.name) or _unusable(column, records)


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
    numeric = _are_numbers(labels)
    look = look_of(labels, present.tolist())
    told = None if look is None else look.name
    longest = max(map(len, labels), default=0)
    binary = numeric and {float(label) for label in labels} <= {0.0, 1.0}
    whole = numeric and all(map(_WHOLE.fullmatch, labels))
    found = Distribution(labels, tuple(present.tolist()))
    shown = replace(plain, look=told, longest=longest, found=found)
    return replace(shown, numeric=numeric, binary=binary, whole=whole)


def _are_numbers(labels: Labels) -> bool:
    """Whether all values are finite numbers, as ladders read them; 01 is a code."""
    return bool(labels) and all(map(_is_number, labels))


def _is_number(label: str) -> bool:
    plain = len(label) <= LONGEST_NUMBER and NUMBER.fullmatch(label) and not _PADDED.match(label)
    return bool(plain) and math.isfinite(float(label))


def _look_of_column(source: Source, column: ColumnProfile) -> str | None:
    def holds(look: Look) -> bool:
        others = source.outside(ColumnUse(column.name), Allowed(pattern=look.pattern))
        return column.present - others >= look.share * column.present

    return next((look.name for look in LOOKS if holds(look)), None)
