"""Delimited text: a header and rows of as many fields, each with its line."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from io import StringIO
from typing import NoReturn

from auditor.errors import DataError
from auditor.outputs.published.outputs import Stated
from auditor.outputs.readers._file import MOST_LINES, MOST_VALUES, File
from auditor.outputs.readers._numbers import FLOAT_DIGITS, TRUSTED_DIGITS, counted, stated, whole

DELIMITERS = ",;\t"
MOST_COLUMNS = 10_000
ABSENT = frozenset({"", "nan", "na", "n/a", "none", "null", "<na>"})
"""How programs write that there is no number."""
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_DIGITS = re.compile(rf"0*[1-9][0-9]{{{FLOAT_DIGITS - 1},}}", re.ASCII)
_GROUPED = re.compile(r"[+-]?\d{1,3}(\.\d{3})+", re.ASCII)


@dataclass(frozen=True)
class CsvTable:
    """The fields of a file. `header` are the names in its first row, stripped."""

    file: File
    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]

    @cached_property
    def names(self) -> dict[str, int]:
        """The place of each name of the header in small letters; of a name that appears twice, the first."""
        return {name.lower(): place for place, name in reversed(list(enumerate(self.header)))}

    def refuse_grouped(self) -> None:
        """Refuse numbers whose point may be a decimal one or stand between groups of three digits: 5.000."""
        for line, fields in self.rows:
            if any(_GROUPED.fullmatch(text.strip()) for text in fields):
                self.file.wrong(
                    line,
                    "a number such as 1.234, which is 1234 where the policy's `reading` holds",
                    "outputs are read with a decimal point and no marks of thousands: 1234, or 1.2340",
                )

    def column(self, place: int) -> Iterator[tuple[int, str]]:
        """Each field of a column, stripped, with its line."""
        return ((line, fields[place].strip()) for line, fields in self.rows)

    def numbers(self, place: int) -> list[Stated | None]:
        """The numbers of a column; None where there is none, or an infinite one."""
        return [self.number(line, text) for line, text in self.column(place)]

    def number(self, line: int, text: str) -> Stated | None:
        """A number; None where there is none, or an infinite one."""
        if text.lower() in ABSENT or text.lower().lstrip("+-") in ("inf", "infinity"):
            return None
        number = stated(text)
        if number is None:
            self.wrong(
                line, "a field that is not a number of ordinary size", "a number such as 0.83, or an empty field"
            )
        return number

    def shares(self, place: int) -> list[Stated | None]:
        """The shares of a column: numbers from 0 to 1."""
        found = self.numbers(place)
        for (line, text), number in zip(self.column(place), found, strict=True):
            infinite = number is None and text.lower() not in ABSENT
            if infinite or (number is not None and not 0 <= number.value <= 1):
                self.wrong(line, "a share that is not between 0 and 1", "a share such as 0.25, or an empty field")
        return found

    def counts(self, place: int) -> list[int | None]:
        """The counts of a column; None where there is none."""
        return [self.count(line, text) for line, text in self.column(place)]

    def count(self, line: int, text: str) -> int | None:
        """A count; None where there is none."""
        if text.lower() in ABSENT:
            return None
        count = whole(stated(text))
        if count is None:
            self.wrong(line, "a count that is not a whole number of records", "a whole number from 0")
        return count

    def is_full(self, places: Sequence[int]) -> bool:
        """Whether numbers of these columns have all the digits of a float, so that none was rounded by a person."""
        return any(_DIGITS.search(text.replace(".", "")) for place in places for _, text in self.column(place))

    def wrong(self, line: int, what: str, right: str) -> NoReturn:
        """A row is not what it should be."""
        self.file.wrong(line, what, right)


def as_precise(column: Sequence[Stated | None], *, full: bool, records: int | None) -> list[Stated | None]:
    """A column of shares with the places that it was written with as a whole.

    Programs leave out zeros at the end: 0.25 beside 0.125 is 0.250. Where the table was not rounded at all (`full`),
    it is 0.25 as exactly as a float can say, unless N is known and the column does not hold shares of it.
    """
    known = [number for number in column if number is not None]
    if full and not (records is not None and not all(counted(_exactly(number, 2), records) for number in known)):
        return [None if number is None else _exactly(number) for number in column]
    places = max((number.places or 0 for number in known), default=0)
    return [None if number is None else replace(number, places=max(places, number.places or 0)) for number in column]


def _exactly(number: Stated, less: int = 0) -> Stated:
    """A number that was printed from a float, to its trusted digits, those before the point among them."""
    if abs(number.value) < 1:
        return replace(number, places=max(TRUSTED_DIGITS - less, number.places or 0))
    return replace(number, places=max(TRUSTED_DIGITS - less - len(str(abs(int(number.value)))), 0))


def table(file: File) -> CsvTable | None:
    """The table in a file; None where it has no header of two names or more."""
    header = file.text.lstrip("\r\n").partition("\n")[0]
    bare = _QUOTED.sub("", header)
    delimiter = max(DELIMITERS, key=bare.count)
    if delimiter not in bare:
        delimiter = " "  # R's write.table
        if '" "' not in header:
            return None
    rows = _rows(file, delimiter)
    if not rows or len(rows[0][1]) < 2:
        return None
    return _table(file, rows)


def _rows(file: File, delimiter: str) -> list[tuple[int, tuple[str, ...]]]:
    file.limit(MOST_LINES, b"\n")
    file.limit(MOST_VALUES, delimiter.encode())
    reader = csv.reader(StringIO(file.text), delimiter=delimiter, strict=True, skipinitialspace=delimiter != " ")
    try:
        return [(reader.line_num, tuple(fields)) for fields in reader if any(field.strip() for field in fields)]
    except csv.Error:
        file.wrong(reader.line_num, "a row that is not CSV", "fields of ordinary size, their quotes doubled and closed")


def _table(file: File, rows: list[tuple[int, tuple[str, ...]]]) -> CsvTable:
    _, header = rows[0]
    if len(header) > MOST_COLUMNS:
        file.wrong(rows[0][0], f"more than {MOST_COLUMNS:,} columns", "a table that somebody could look at")
    if len(rows) > 1 and len(rows[1][1]) == len(header) + 1:
        header = ("", *header)  # R's write.table: row names have no header
    for line, fields in rows[1:]:
        if len(fields) != len(header):
            file.wrong(line, "a row with another number of fields than the header", f"{len(header)} fields")
    return CsvTable(file, tuple(name.strip() for name in header), tuple(rows[1:]))


def measures(table: CsvTable, known: Sequence[str]) -> tuple[list[tuple[tuple[str, Stated], ...]], tuple[str, ...]]:
    """The other columns by row: numbers with their names; and what has to be said of those that hold none.

    A column without a name is the row's own (an index, row names), which says nothing.
    """
    found: list[dict[str, Stated]] = [{} for _ in table.rows]
    unread = 0
    for name, place in table.names.items():
        if not name or name in known or name.startswith("unnamed:"):
            continue
        try:
            numbers = table.numbers(place)
        except DataError:
            unread += 1
            continue
        for row, number in zip(found, numbers, strict=True):
            if number is not None:
                row[name] = number
    said = [f"{unread} columns that are neither numbers nor known"] if unread else []
    if len(table.names) < len(table.header):
        said.append("two columns with the same name")
    return [tuple(row.items()) for row in found], tuple(said)
