"""Keys: the categorical values by which an attacker could know a person, as codes, and the classes of equal keys."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError, UsageError
from auditor.microdata import MISSING, Microdata, Numeric

Codes: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]

_LARGEST = 2**62


def key_codes(keys: NDArray[np.integer] | Microdata) -> Codes:
    """int32[n, d]: the codes of n records in d keys, from an array of them or a table of categories alone.

    Raises:
        DataError: there is no record, a column holds numbers, or a code is below −1 (missing).
        UsageError: there is no key, or the array is not one of integers with a row per record.
    """
    codes = _columns(keys) if isinstance(keys, Microdata) else np.asarray(keys)
    if codes.ndim != 2 or not np.issubdtype(codes.dtype, np.integer):
        raise UsageError("keys are a table of categories, or an array of integer codes with a row per record")
    if not codes.shape[1]:
        raise UsageError("a risk on keys needs at least one key")
    if not len(codes):
        raise DataError("the table has no record; a risk needs at least one")
    low = np.flatnonzero(codes.min(axis=0) < MISSING)
    if len(low):
        raise DataError(f"key {key_names(keys)[low[0]]!r}: a code is below −1; categories start at 0, missing is −1")
    if codes.max() > np.iinfo(np.int32).max:
        raise UsageError("codes of keys are below 2³¹")
    return np.asarray(codes, dtype=np.int32)


def key_names(keys: NDArray[np.integer] | Microdata) -> tuple[str, ...]:
    """The names of the keys: those of the columns, or the positions of an array's, from 1."""
    return keys.names if isinstance(keys, Microdata) else tuple(str(i + 1) for i in range(keys.shape[1]))


def _columns(table: Microdata) -> NDArray[np.integer]:
    columns = []
    for variable in table.variables:
        if isinstance(variable, Numeric):
            raise DataError(f"column {variable.name!r} holds numbers, where categories are needed")
        columns.append(variable.codes)
    return np.stack(columns, axis=1) if columns else np.empty((0, 0), dtype=np.int32)


def packed(codes: Codes) -> Counts:
    """int64[n]: one number per record, equal where all codes are equal; a missing value equals a missing value."""
    key = np.zeros(len(codes), dtype=np.int64)
    span = 1
    for column in codes.T:
        size = int(column.max(initial=MISSING)) + 2
        if span * size > _LARGEST:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            span = int(key.max(initial=0)) + 1
        key = key * size + (column + 1)
        span *= size
    return key


def classes_of(codes: Codes) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The classes of equal keys: a record of each class, and the class of every record (intp[n])."""
    _, first, where = np.unique(packed(codes), return_index=True, return_inverse=True)
    return first, where


def per_record(values: NDArray[np.floating] | NDArray[np.integer], records: int, what: str) -> Reals:
    """float64[n]: a number for each record; UsageError where they are of another length, DataError where not finite."""
    given = np.asarray(values, dtype=np.float64)
    if given.shape != (records,):
        raise UsageError(f"{what}: there must be one for each of the {records} records")
    if not np.all(np.isfinite(given)):
        raise DataError(f"{what}: one is missing or infinite; each record needs a finite one")
    return given
