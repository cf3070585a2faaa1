"""What the measures of this room are given: matrices of numbers, or tables whose variables of numbers are taken."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError, UsageError
from auditor.microdata import Microdata, Numeric

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.float64] | Microdata
"""float64[n, p] with NaN for what is missing, or a table, of which the variables of numbers count."""


def named(data: Numbers) -> tuple[tuple[str, ...], Floats]:
    """The names of the variables of numbers, and their values float64[n, p]. A matrix's are called 1, 2, ….

    Raises:
        DataError: no record, no variable of numbers, or an infinite value.
        UsageError: an array that is no matrix.
    """
    if isinstance(data, Microdata):
        names = tuple(variable.name for variable in data.variables if isinstance(variable, Numeric))
        values = data.numbers(names) if names else np.empty((data.records, 0))
    else:
        values = np.asarray(data, np.float64)
        if values.ndim != 2:
            raise UsageError(f"an array of {values.ndim} dimensions was given, where a matrix of records is needed")
        names = tuple(str(1 + column) for column in range(values.shape[1]))
    if not names:
        raise DataError("the table has no column of numbers, so there is no loss of numbers to measure")
    if not len(values):
        raise DataError("the table has no records, so there is no loss to measure")
    refuse_infinite(names, values)
    return names, values


def refuse_infinite(names: tuple[str, ...], values: Floats) -> None:
    """DataError where a value is infinite."""
    infinite = np.isinf(values).any(0)
    if infinite.any():
        raise DataError(f"column {names[int(infinite.argmax())]!r} holds an infinite value; numbers must be finite")


def alike(names: tuple[str, ...], masked: Numbers) -> Floats:
    """float64[m, p]: a masked table's values of the original's variables; it may have fewer records, or none.

    Raises:
        DataError: a variable is not there or holds categories, a value is infinite, or a matrix has other columns.
    """
    if isinstance(masked, Microdata):
        values = masked.numbers(names)
    else:
        values = np.asarray(masked, np.float64)
        if values.ndim != 2 or values.shape[1] != len(names):
            raise DataError(f"the masked numbers have the shape {values.shape}; the original has {len(names)} columns")
    refuse_infinite(names, values)
    return values


def both(original: Numbers, masked: Numbers) -> tuple[tuple[str, ...], Floats, Floats]:
    """Names and values of two tables of which row i is the same record.

    Raises:
        DataError: as `named` and `alike`, or the tables have different numbers of records.
    """
    names, before = named(original)
    after = alike(names, masked)
    if len(after) != len(before):
        raise DataError(
            f"the masked table has {len(after)} records and the original {len(before)}; row i must be the same record"
        )
    return names, before, after
