"""How files are written that do not say so themselves."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args

from auditor.errors import UsageError

DateForm = Literal[
    "DD.MM.YYYY", "DD/MM/YYYY", "DD-MM-YYYY", "MM/DD/YYYY", "MM-DD-YYYY", "YYYY/MM/DD", "YYYY.MM.DD", "YYYYMMDD"
]
"""How days are written, where not as ISO 8601 has it (2026-02-10)."""
OTHER_MARKS = 'if their decimal mark is a comma, say so: `reading: {decimal: ","}`'
"""What is said of texts that were to be numbers."""
SEVERAL_WAYS = re.compile(r"utf-7|hz|iso2022_.*|(raw-)?unicode-escape|punycode|idna")
"""Encodings in which a text can be written in several ways: values that are one here differ for who gets the file."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d*(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_LONG = re.compile(r"[+-]?\d{4}", re.ASCII)
DecimalMark = Literal[".", ","]
ThousandsMark = Literal[".", ",", " ", "'", "’", "\u00a0", "\u202f"]


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """How a CSV file is written, and which sheet of a workbook is the table.

    Args:
        delimiter: one character; None: found in the header.
        quote: the quote character.
        encoding: the name of one that Python knows; None: UTF-8, or what the byte order mark says; of files of
            statistics packages, what the file says.
        line_ends: ``any``: a line may end with LF, CR LF or CR, whatever the others end with; None: all end alike.
        sheet: the sheet of a workbook (Excel, OpenDocument); None: the only one that holds anything.
        columns: the file that says where the columns of fixed-width files stand; None: the files have delimiters.
        decimal: the mark before the decimals of numbers, a point or a comma; None: a point.
        thousands: the mark between groups of three digits; None: there is none.
        dates: how days are written, one of `DateForm`; None: as ISO 8601 has it.

    Raises:
        UsageError: what is given is not one character, no encoding, one that writes a text in several ways, or no such
            mark or form.
    """

    delimiter: str | None = None
    quote: str = '"'
    encoding: str | None = None
    sheet: str | None = None
    line_ends: str | None = None
    columns: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None

    @property
    def released(self) -> str:
        """The delimiter of CSV files made from data that is none."""
        return self.delimiter or ","

    @property
    def options(self) -> tuple[str, ...]:
        """The options of a command that say the same; none where all is found in the file."""
        told = [each.name for each in fields(self) if getattr(self, each.name) != each.default]
        return tuple(word for name in told for word in (f"--{name.replace('_', '-')}", str(getattr(self, name))))

    @property
    def notation(self) -> tuple[str, ...]:
        """How numbers and days are written: the decimal mark, that of thousands, the form of days; none if as usual."""
        told = (self.decimal or ".", self.thousands or "", self.dates or "")
        return () if told == (".", "", "") else told

    def reads_otherwise(self, read: str | None) -> bool:
        """Whether a value as it was read may stand for another text of the file."""
        if read is None or not self.notation:
            return False
        days = self.dates is not None and _DAY.match(read) is not None
        marked = ("." in read and self.decimal == ",") or (self.thousands is not None and _LONG.match(read) is not None)
        return days or (marked and _NUMBER.fullmatch(read) is not None)

    def filled(self, decimal: str | None, thousands: str | None, dates: str | None) -> CsvDialect:
        """The same, where it does not say how numbers or days are written, with what somebody else says of that."""
        return replace(
            self,
            decimal=self.decimal or decimal,
            thousands=self.thousands or thousands,
            dates=self.dates or dates,
        )

    def __post_init__(self) -> None:
        for name, character in (("delimiter", self.delimiter), ("quote", self.quote)):
            if character is not None and (len(character) != 1 or character in "\r\n\0"):
                raise UsageError(f"--{name} {character!r} is not one character; write for example --{name} ';'")
        if self.line_ends not in (None, "any"):
            raise UsageError(f"--line-ends {self.line_ends!r} is unknown; write --line-ends any")
        if self.encoding is not None:
            try:
                " ".encode(self.encoding)
            except (LookupError, UnicodeError):  # of `undefined` nothing can be written
                raise UsageError(
                    f"--encoding {self.encoding!r} is unknown; write for example utf-8, latin-1, cp1252"
                ) from None
            if SEVERAL_WAYS.fullmatch(codecs.lookup(self.encoding).name):
                raise UsageError(
                    f"--encoding {self.encoding!r} writes one text in several ways, which whoever gets the file can "
                    "tell apart; write the file in UTF-8"
                )
        for name, given, form in (
            ("decimal", self.decimal, DecimalMark),
            ("thousands", self.thousands, ThousandsMark),
            ("dates", self.dates, DateForm),
        ):
            if given is not None and given not in get_args(form):
                raise UsageError(f"--{name} {given!r} is unknown; write one of {', '.join(map(repr, get_args(form)))}")
        if self.thousands is not None and self.thousands == (self.decimal or "."):
            raise UsageError(
                f"--thousands {self.thousands!r} is the decimal mark, too; a number needs two different marks"
            )
