"""What a file of another program is read as."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.errors import Unsupported

ROUNDED = "days or times that differ by less than is read; round them where the file was written"
EXACT = float(1 << 53)
"""Up to it every whole number is a double of its own."""


@dataclass(frozen=True, slots=True)
class ForeignTable:
    """A file as a table.

    Args:
        frame: a pandas DataFrame, a row per record, None for what is missing.
        unread: what else the file holds, which leaves the house with it.
        notes: what is to be said of how the file was read.
    """

    frame: Any
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def refuse_larger(path: Path, size: int, most: int) -> None:
    """Refuse a file that takes more bytes of memory than there are.

    Raises:
        Unsupported: it does.
    """
    if size > most:
        raise Unsupported(
            f"{path.name}: takes about {size >> 20:,} MiB of memory to read; give --memory more, or write the table as "
            "Parquet"
        )


def tidied(frame: Any) -> Any:
    """A table of values as a program keeps them, with columns of one kind where all values are of it.

    Every number is a double to these programs, so numbers without a fraction are whole numbers. A text without a
    character is a missing value. What is neither a number nor a truth value is read as text.
    """
    for place in range(frame.shape[1]):
        frame.isetitem(place, _tidied(frame.iloc[:, place]))
    return frame


def _tidied(column: Any) -> Any:
    import pandas as pd

    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind in ("integer", "floating", "mixed-integer-float"):
        doubles = column.astype("float64")
        known = doubles.dropna()
        whole = bool(((known % 1 == 0) & (known.abs() <= EXACT)).all())
        return doubles.astype("Int64") if whole else doubles
    if kind == "boolean":
        return column.astype("boolean")
    return pd.Series([_text(value) for value in column], index=column.index, dtype=object)


def _text(value: Any) -> str | None:
    """A value as a text, where the column holds texts, days, times, or values of several kinds."""
    if value is None or value == "" or value != value:  # noqa: PLR0124  (NaN, NaT)
        return None
    if isinstance(value, bool):  # in Python False is 0, and no reader takes one for the other
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) <= EXACT else repr(value)
    return str(value)
