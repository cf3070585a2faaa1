"""Files of SPSS, Stata and SAS, which ReadStat reads: codes as they are, without their labels.

A user's missing values (99 for "refused") are values: whoever reads the file tells them apart. Where the policy wants
them missing, it lists them in `missing_values`.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from auditor.dialect import CsvDialect
from auditor.engines.foreign._base import ROUNDED, ForeignTable, refuse_larger, tidied
from auditor.errors import DataError

BYTES_PER_VALUE = 100
"""About what a value takes while it is read: a Python object, and its place in lists and arrays."""
NOTES = "notes in the file"
TITLE = "a label of the file"
SETS = "sets of multiple responses"
UNATTACHED = "labels of values that no column has"
LABELS = (
    "Columns, or values of them, have labels: texts that no policy judges, and that whoever gets the file reads. See "
    "that none names a person."
)
UNUSED = "Columns have labels of values that no record has; whoever gets the file reads them."
SECONDS = "Lengths of time are read as the numbers that the file holds."
TIMES = ("date", "datetime", "datetime64", "time", "timedelta", "timedelta64", "mixed")
"""What pandas calls columns of days and times, some of which may lack."""


def table(path: Path, dialect: CsvDialect, most: int, name: str, **how: Any) -> ForeignTable:
    """A file as one of the functions of pyreadstat reads it.

    Raises:
        DataError: the file cannot be read, or two values of a column have one label.
        Unsupported: the file is too large.
        ModuleNotFoundError: pyreadstat is not installed.
    """
    import pyreadstat

    read = getattr(pyreadstat, name)
    encoding = _iconv_name(dialect.encoding)
    shape = _called(path, read, path, encoding=encoding, metadataonly=True)[1]
    # A file that does not say how many records it holds has at least a byte for each value.
    values = path.stat().st_size if shape.number_rows is None else shape.number_rows * shape.number_columns
    refuse_larger(path, values * BYTES_PER_VALUE, most)
    frame, about = _called(path, read, path, encoding=encoding, output_format="pandas", **how)
    exact = _exactly(path, frame, read, encoding=encoding, **how)
    for column, labels in about.variable_value_labels.items():
        _refuse_alike(path, frame, column, labels)
    unused = any(set(labels) - set(frame[column]) for column, labels in about.variable_value_labels.items())
    labelled = bool(about.variable_value_labels) or any(about.column_labels)
    beside = {
        NOTES: any(about.notes or ()),
        TITLE: (about.file_label or "").strip(),
        SETS: about.mr_sets,
        UNATTACHED: set(about.value_labels) - set(about.variable_to_label.values()),
    }
    notes = {LABELS: labelled, UNUSED: unused, SECONDS: exact}
    return ForeignTable(
        tidied(frame), *(tuple(text for text, holds in each.items() if holds) for each in (beside, notes))
    )


def names(read: str, path: Path) -> list[str]:
    """What its columns are called.

    Raises:
        DataError: the file cannot be read.
        ModuleNotFoundError: pyreadstat is not installed.
    """
    import pyreadstat

    found: list[str] = _called(path, getattr(pyreadstat, read), path, metadataonly=True)[1].column_names
    return found


def _iconv_name(encoding: str | None) -> str | None:
    """What ReadStat calls an encoding that Python knows."""
    return None if encoding is None else codecs.lookup(encoding).name


def _exactly(path: Path, frame: Any, read: Callable[..., Any], **how: Any) -> bool:
    """Whether lengths of time were read as times of a day, and several as one; now they are the file's numbers.

    Raises:
        DataError: several days are read as one, such as days with a time that is not shown; says in which column.
    """
    from pandas.api.types import infer_dtype

    times = [name for name in frame.columns if infer_dtype(frame[name], skipna=True) in TIMES]
    if not times:
        return False
    exact, _ = _called(path, read, path, usecols=times, output_format="pandas", disable_datetime_conversion=True, **how)
    rounded = [name for name in times if frame[name].nunique() < exact[name].nunique()]
    for name in rounded:
        if infer_dtype(frame[name], skipna=True) != "time":
            raise DataError(f"{path.name}: column {name!r} has {ROUNDED}")
        frame[name] = exact[name]
    return bool(rounded)


def _called(path: Path, read: Callable[..., Any], file: Any, **how: Any) -> Any:
    from pyreadstat import ReadstatError

    try:
        return read(file, **how)
    except (ReadstatError, UnicodeDecodeError, ValueError, OverflowError) as error:
        told = "in another encoding" if isinstance(error, UnicodeDecodeError) else f"no readable {path.suffix} file"
        raise DataError(f"{path.name}: is {told}; declare the encoding, or write the file again") from None


def _refuse_alike(path: Path, frame: Any, column: str, labels: Mapping[Any, str]) -> None:
    """Refuse two values with one label, which whoever reads the file takes for the same.

    Raises:
        DataError: records have such values.
    """
    values = set(frame[column])
    shown = [str(label).strip() for value, label in labels.items() if value in values]
    if len(set(shown)) < len(shown):
        raise DataError(
            f"{path.name}: column {column!r} has several values with the same label, which its readers take for one; "
            "give them one value, or labels of their own"
        )
