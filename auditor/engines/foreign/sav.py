"""SPSS's files (not compressed ones, .zsav, in which more can stand than is read)."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from auditor.dialect import CsvDialect
from auditor.engines.foreign._base import ForeignTable
from auditor.engines.foreign._readstat import iconv_name, table
from auditor.errors import DataError

CASES = 80
"""Where the header says how many records follow."""
ALL = b"\xff" * 4
"""As many as the file holds."""


def read(path: Path, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of a file.

    Raises:
        DataError: it holds other records than its header says, something follows its end, or it cannot be read.
    """
    files: list[ByteReader] = []

    def follow(path: Path) -> ByteReader:
        files.append(ByteReader(path.read_bytes()))
        return files[0]

    found = table(path, dialect, most, "read_sav", follow, user_missing=True)
    (file,) = files
    if file.last < len(file.getbuffer()) or _records(file, iconv_name(dialect.encoding)) != len(found.frame):
        raise DataError(f"{path.name}: holds more than the records that its header tells of; write the file again")
    return found


class ByteReader(BytesIO):
    """Bytes, and how far they were read: of records that are not compressed to the last one."""

    last = 0

    def read(self, size: int | None = -1, /) -> bytes:
        """As every file reads."""
        found = super().read(size)
        self.last = max(self.last, self.tell())
        return found


def _records(file: ByteReader, encoding: str | None) -> int | None:
    """How many records a file holds, whatever its header says."""
    from pyreadstat import ReadstatError, read_sav

    file.seek(CASES)
    file.write(ALL)
    file.seek(0)
    try:
        return len(read_sav(file, encoding=encoding, output_format="pandas")[0])
    except ReadstatError:
        return None
