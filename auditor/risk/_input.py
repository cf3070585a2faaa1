"""What every measure of risk reads: two tables of numbers, row i of the masked one being the record of row i."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError

Floats: TypeAlias = NDArray[np.float64]
CONSTANT = 1e-14
"""A variable whose standard deviation is at most this share of its largest absolute value is held to be constant."""
FARTHEST = 1e100
"""No value lies farther from another table's mean, in units of its largest value: squares stay finite."""


def table_of(values: Floats, name: str) -> Floats:
    """A table as float64[n, p] with n, p ≥ 1.

    Raises:
        DataError: it has no record or no variable, or holds an infinity.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise DataError(
            f"the {name} table has the shape {table.shape}; it must have records and variables, at least one of each"
        )
    if np.isinf(table).any():
        column = int(np.flatnonzero(np.isinf(table).any(axis=0))[0]) + 1
        raise DataError(
            f"variable {column} of the {name} table holds an infinite value; numbers must be finite, or missing"
        )
    return table


def pair(original: Floats, masked: Floats) -> tuple[Floats, Floats]:
    """Both tables as float64[n, p] with n, p ≥ 1.

    Raises:
        DataError: they have different shapes, no record or no variable, or hold an infinity.
    """
    tables = table_of(original, "original"), table_of(masked, "masked")
    if tables[0].shape != tables[1].shape:
        raise DataError(
            f"the original table has the shape {tables[0].shape} and the masked one {tables[1].shape}; "
            "they must have the same records in the same order, and the same variables"
        )
    return tables


def standardised(table: Floats, by: Floats | None = None) -> Floats:
    """float64[n, p]: (x − mean)/sd of each variable, by the mean and sd (divisor n) of what is there in `by`.

    `by` is the table itself unless another one is given. A variable that is constant there is 0 everywhere: it tells no
    record from another. A missing value is 0, the mean: whoever reads the table knows no better.
    """
    own = by is None
    by = table if by is None else by
    # By powers of two, which change no digit, so that no square of a huge or a tiny value is an infinity or 0: every
    # record would stand at the mean, and none would be linked.
    present = ~np.isnan(by)
    exponents = np.frexp(np.where(present, np.abs(by), 0.0).max(axis=0))[1]
    by = np.ldexp(by, -exponents)
    count = np.maximum(present.sum(axis=0), 1)
    # Distances to the least value are exact for integers, however far from 0 they lie; sums of the values are not.
    base = np.where(present, by, np.inf).min(axis=0)
    base[np.isinf(base)] = 0
    from_base = np.where(present, by - base, 0.0)
    mean = from_base.sum(axis=0) / count
    centred = np.where(present, from_base - mean, 0.0)
    deviation = np.sqrt((centred**2).sum(axis=0) / count)
    constant = deviation <= CONSTANT * np.where(present, np.abs(by), 0.0).max(axis=0)
    if not own:
        with np.errstate(over="ignore"):
            centred = np.clip(np.nan_to_num(np.ldexp(table, -exponents) - base - mean, nan=0.0), -FARTHEST, FARTHEST)
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, deviation))
