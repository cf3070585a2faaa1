"""How files are written that do not say so themselves."""

from __future__ import annotations

from dataclasses import dataclass, fields

from auditor.errors import UsageError


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

    Raises:
        UsageError: what is given is not one character, or no encoding.
    """

    delimiter: str | None = None
    quote: str = '"'
    encoding: str | None = None
    sheet: str | None = None
    line_ends: str | None = None

    @property
    def released(self) -> str:
        """The delimiter of CSV files made from data that is none."""
        return self.delimiter or ","

    @property
    def options(self) -> tuple[str, ...]:
        """The options of a command that say the same; none where all is found in the file."""
        told = [each.name for each in fields(self) if getattr(self, each.name) != each.default]
        return tuple(word for name in told for word in (f"--{name.replace('_', '-')}", str(getattr(self, name))))

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
