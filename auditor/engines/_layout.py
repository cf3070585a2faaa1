"""Where the columns of fixed-width files stand: a CSV file with the names, and the first and the last character."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from auditor.dialect import CsvDialect
from auditor.engines._locate import Files
from auditor.errors import DataError, UsageError

HEADERS = (("name", "start", "end"), ("name", "start", "width"), ("name", "width"))
"""What a column file may say of each column; without a start, a column begins where the one before ends."""
WIDEST = 1_000_000
"""Characters of a line at most."""


@dataclass(frozen=True, slots=True)
class FixedColumn:
    """A column: its name, its first character, counted from 1, and how many there are."""

    name: str
    start: int
    width: int

    @property
    def end(self) -> int:
        """The last character."""
        return self.start + self.width - 1


@dataclass(frozen=True, slots=True)
class LineLayout:
    """The columns of a line."""

    columns: tuple[FixedColumn, ...]

    @property
    def end(self) -> int:
        """The last character of a line that belongs to a column."""
        return max(column.end for column in self.columns)

    @property
    def gaps(self) -> tuple[FixedColumn, ...]:
        """The characters before the last one that belong to no column."""
        ends = [0, *sorted({each for column in self.columns for each in (column.start - 1, column.end)})]
        between = (FixedColumn("", first + 1, last - first) for first, last in pairwise(ends) if last > first)
        return tuple(gap for gap in between if not any(_covers(column, gap) for column in self.columns))


def layout_of(files: Files, dialect: CsvDialect) -> LineLayout | None:
    """Where the columns of files stand; None where they have delimiters.

    Raises:
        DataError: they are fixed-width files, and nobody says where.
        UsageError: the column file is none.
    """
    fixed = files.format == "fixed"
    if fixed and dialect.columns is None:
        raise DataError(
            f"{files.name}: --columns FILE has to say where the columns of a fixed-width file stand, a CSV file with "
            "the name,start,end of each; a file with delimiters is named .csv or .txt"
        )
    texts = fixed or all(".txt" in map(str.lower, path.suffixes) for path in files.paths)
    return read_layout(dialect.columns) if texts and dialect.columns is not None else None


def read_layout(path: str) -> LineLayout:
    """The layout that a column file tells.

    No error repeats what it holds: columns may be named for values, and another file may be given for it.

    Raises:
        UsageError: there is no such file, or it is none.
    """
    file = Path(path)
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            header, *rows = [row for row in csv.reader(lines) if row] or [[]]
    except (OSError, UnicodeError, csv.Error) as error:
        raise UsageError(
            f"--columns {file.name}: cannot be read ({getattr(error, 'strerror', None) or error})"
        ) from None
    names = tuple(name.strip().lower() for name in header)
    if names not in HEADERS:
        wanted = " or ".join(",".join(each) for each in HEADERS)
        raise UsageError(f"--columns {file.name}:1: the header is another one; write {wanted}")
    if not rows:
        raise UsageError(f"--columns {file.name}: names no column")
    uneven = next((line for line, row in enumerate(rows, start=2) if len(row) != len(names)), None)
    if uneven is not None:
        raise UsageError(f"--columns {file.name}:{uneven}: has another number of fields than the header")
    return LineLayout(tuple(_columns(file.name, [dict(zip(names, row, strict=True)) for row in rows])))


def _columns(where: str, told: list[dict[str, str]]) -> Iterator[FixedColumn]:
    after, known = 1, set[str]()
    for line, row in enumerate(told, start=2):
        place = f"--columns {where}:{line}"
        name = row["name"].strip()
        if not name or name in known:
            raise UsageError(f"{place}: the column {'stands there twice' if name else 'has no name'}")
        known.add(name)
        start = _whole(place, row, "start") if "start" in row else after
        width = _whole(place, row, "width") if "width" in row else _whole(place, row, "end") - start + 1
        if width < 1 or start + width > WIDEST:
            raise UsageError(f"{place}: the column ends before it begins, or beyond character {WIDEST:,}")
        after = start + width
        yield FixedColumn(name, start, width)


def _whole(place: str, row: Mapping[str, str], key: str) -> int:
    text = row[key].strip()
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0 and len(text) < 9):
        raise UsageError(f"{place}: {key} is no whole number from 1")
    return int(text)


def _covers(column: FixedColumn, gap: FixedColumn) -> bool:
    return column.start <= gap.start and gap.end <= column.end
