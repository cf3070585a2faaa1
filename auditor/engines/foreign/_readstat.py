"""Files of SPSS, Stata and SAS, which ReadStat reads: codes as they are, without their labels.

A user's missing values (99 for "refused") are values: whoever reads the file tells them apart. Where the policy wants
them missing, it lists them in `missing_values`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from auditor.dialect import CsvDialect
from auditor.engines.foreign._base import ForeignTable, tidied
from auditor.errors import DataError, Unsupported

BYTES_PER_VALUE = 100
"""About what a value takes while it is read: a Python object, and its place in lists and arrays."""
NOTES = "notes in the file"
UNUSED = "column {!r} has labels of values that no record has ({}); whoever gets the file reads them"


def table(path: Path, dialect: CsvDialect, most: int, name: str, **how: Any) -> ForeignTable:
    """A file as one of the functions of pyreadstat reads it.

    Raises:
        DataError: the file cannot be read, or two values of a column have one label.
        Unsupported: the file is too large.
        ModuleNotFoundError: pyreadstat is not installed.
    """
    import pyreadstat

    read = getattr(pyreadstat, name)
    shape = _called(path, read, encoding=dialect.encoding, metadataonly=True)[1]
    # A file that does not say how many records it holds has at least a byte for each value.
    values = path.stat().st_size if shape.number_rows is None else shape.number_rows * shape.number_columns
    size = values * BYTES_PER_VALUE
    if size > most:
        raise Unsupported(
            f"{path.name}: would be read in about {size >> 20:,} MiB of memory; give --memory more, or write the table "
            "as Parquet"
        )
    frame, about = _called(path, read, encoding=dialect.encoding, output_format="pandas", **how)
    _refuse_rounded(path, frame, read, encoding=dialect.encoding, **how)
    unused = [_unused(path, frame, column, labels) for column, labels in about.variable_value_labels.items()]
    unread = (NOTES,) if any(about.notes or ()) else ()
    return ForeignTable(tidied(frame), unread, tuple(note for note in unused if note))


def _refuse_rounded(path: Path, frame: Any, read: Callable[..., Any], **how: Any) -> None:
    """Refuse days and times of which several values are read as one, such as days with a time that is not shown.

    Raises:
        DataError: says in which column.
    """
    exact, _ = _called(path, read, output_format="pandas", disable_datetime_conversion=True, **how)
    rounded = [name for name in frame.columns if frame[name].nunique() < exact[name].nunique()]
    if rounded:
        raise DataError(
            f"{path.name}: column {rounded[0]!r} has days or times that differ by less than is shown; round them "
            "where the file was written"
        )


def _called(path: Path, read: Callable[..., Any], **how: Any) -> Any:
    from pyreadstat import ReadstatError

    try:
        return read(path, **how)
    except (ReadstatError, UnicodeDecodeError, ValueError, OverflowError) as error:
        told = "in another encoding" if isinstance(error, UnicodeDecodeError) else f"no readable {path.suffix} file"
        raise DataError(f"{path.name}: is {told}; declare the encoding, or write the file again") from None


def _unused(path: Path, frame: Any, column: str, labels: Mapping[Any, str]) -> str | None:
    """What is to be said of the labels of a column's values.

    Raises:
        DataError: two values that records have bear one label: whoever reads the file takes them for the same.
    """
    values = set(frame[column].dropna().unique()) if column in frame.columns else set()
    shown = [str(labels[value]).strip() for value in labels if value in values]
    if len(set(shown)) < len(shown):
        raise DataError(
            f"{path.name}: column {column!r} has several values with the same label, which its readers take for one; "
            "give them one value, or labels of their own"
        )
    unused = len(labels) - len(shown)
    return UNUSED.format(column, unused) if unused else None
