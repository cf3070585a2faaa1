"""SPSS's files."""

from __future__ import annotations

from pathlib import Path

from auditor.dialect import CsvDialect
from auditor.engines.foreign._base import ForeignTable
from auditor.engines.foreign._readstat import table


def read(path: Path, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of a file."""
    return table(path, dialect, most, "read_sav", user_missing=True)
