"""Records by their keys: whole numbers for key values, and how large each record's group is.

Keys are int64[n, m]: 0 is missing, everything else stands for a value of its column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from auditor.microdata import Categorical, Microdata

Keys: TypeAlias = NDArray[np.int64]
Number = TypeVar("Number", np.int64, np.float64)


def keys_of(data: Microdata, names: Sequence[str]) -> Keys:
    """The keys of a table; numbers are equal when they are exactly equal."""
    keys = np.zeros((data.records, len(names)), np.int64)
    for place, name in enumerate(names):
        column = data[name]
        present = ~column.missing
        values = column.codes if isinstance(column, Categorical) else column.values
        keys[present, place] = 1 + np.unique(values[present], return_inverse=True)[1]
    return keys


def row_ids(keys: Keys) -> NDArray[np.intp]:
    """intp[n]: equal numbers for equal rows, from 0 up; with no column, all rows are equal."""
    ids = np.zeros(len(keys), np.intp)
    for column in keys.T:
        ids = np.unique(ids * (column.max(initial=0) + 1) + column, return_inverse=True)[1]
    return ids


def sizes_by_value(keys: Keys) -> NDArray[np.int64]:
    """int64[n]: how many records have the same keys, missing being a value like any other."""
    ids = row_ids(keys)
    return np.bincount(ids)[ids] if len(ids) else np.zeros(0, np.int64)


def sizes_by_wildcard(keys: Keys) -> NDArray[np.int64]:
    """int64[n]: how many records have the same keys wherever neither is missing; a record is one of them itself."""
    ids = row_ids(keys)
    weights = np.bincount(ids)
    patterns = np.zeros((len(weights), keys.shape[1]), np.int64)
    patterns[ids] = keys
    shapes, shape_of = np.unique(patterns == 0, axis=0, return_inverse=True)
    members = [np.flatnonzero(shape_of.ravel() == place) for place in range(len(shapes))]
    sizes = np.zeros(len(patterns), np.int64)
    for shape, mine in zip(shapes, members, strict=True):
        for other, theirs in zip(shapes, members, strict=True):
            shared = ~(shape | other)
            both = row_ids(np.concatenate([patterns[mine][:, shared], patterns[theirs][:, shared]]))
            found = np.bincount(both[len(mine) :], weights[theirs], minlength=len(both))
            sizes[mine] += found[both[: len(mine)]].astype(np.int64)
    return sizes[ids]


def over_subsets(numbers: NDArray[Number]) -> NDArray[Number]:
    """For each set, the sum of the numbers of its subsets; set i of 2^m holds element j where bit j of i is 1."""
    shaped = numbers.reshape((2,) * (len(numbers).bit_length() - 1))
    for axis in range(shaped.ndim):
        shaped = np.cumsum(shaped, axis=axis)
    return shaped.ravel()
