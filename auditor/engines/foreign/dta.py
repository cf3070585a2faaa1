"""Stata's files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from auditor.dialect import CsvDialect
from auditor.engines.foreign._base import ForeignTable
from auditor.engines.foreign._readstat import names, table
from auditor.errors import DataError

BEGINNING, END = b"<stata_dta>", b"</stata_dta>"
"""What a file begins and ends with since Stata 13."""

NAMES = partial(names, "read_dta")


def read(path: Path, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of a file.

    Raises:
        DataError: something follows its end, it is of a version that tells no end, or it cannot be read.
    """
    found = table(path, dialect, most, "read_dta", user_missing=True)
    with path.open("rb") as file:
        begins = file.read(len(BEGINNING)) == BEGINNING
        file.seek(-len(END) - 1, 2)
        ends = file.read().removesuffix(b"\n").endswith(END)  # git's hooks end files in a line
    if not (begins and ends):
        raise DataError(
            f"{path.name}: is a file of Stata 12 or older, or something follows its end, which no policy judges; "
            "save it in the format of Stata 13 or newer (pandas: version=118)"
        )
    return found
