"""SPSS's files (not compressed ones, .zsav, in which more can stand than is read)."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from auditor.dialect import CsvDialect
from auditor.engines.foreign._base import ForeignTable
from auditor.engines.foreign._readstat import table
from auditor.errors import DataError

CASES = slice(80, 84)
"""Where the header says how many records follow."""
ALL = b"\xff" * 4
"""As many as the file holds."""


def read(path: Path, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of a file.

    Raises:
        DataError: it holds other records than its header says, something follows its end, or it cannot be read.
    """
    found = table(path, dialect, most, "read_sav", user_missing=True)
    content = path.read_bytes()
    seen = _Followed(content)
    whole = content if content[CASES] == ALL else content[: CASES.start] + ALL + content[CASES.stop :]
    if _records(seen) != len(found.frame) or _records(BytesIO(whole)) != len(found.frame) or seen.last < len(content):
        raise DataError(f"{path.name}: holds more than the records that its header tells of; write the file again")
    return found


class _Followed(BytesIO):
    """Bytes, and how far they were read: of records that are not compressed to the last one."""

    last = 0

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        self.last = max(self.last, self.tell())
        return found


def _records(file: BytesIO) -> int | None:
    from pyreadstat import ReadstatError, read_sav

    try:
        return len(read_sav(file, output_format="pandas")[0])
    except ReadstatError:
        return None
