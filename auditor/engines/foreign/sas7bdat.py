"""SAS's tables."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from auditor.dialect import CsvDialect
from auditor.engines.foreign._base import ForeignTable
from auditor.engines.foreign._readstat import names, table

NAMES = partial(names, "read_sas7bdat")


def read(path: Path, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of a file."""
    return table(path, dialect, most, "read_sas7bdat", user_missing=True)
