"""The keys of a release and of the population that it was taken from, in the same codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError, UsageError
from auditor.microdata import MISSING, Categorical, Microdata
from auditor.risk._keys import Codes, Counts, key_codes

Keys = NDArray[np.integer] | Microdata


def same_codes(release: Keys, population: Keys) -> tuple[Codes, Codes]:
    """int32[n, d] and int32[N, d]: the codes of both, equal where the categories are.

    Tables are brought together by the names of columns and the labels of categories, in the release's order of columns;
    the population may have more columns. Arrays are taken as they are.

    Raises:
        DataError: a table has no record or a column that is not one of categories, or the population lacks a column.
        UsageError: one is a table and the other an array, or the arrays have different numbers of keys.
    """
    if isinstance(release, Microdata) and isinstance(population, Microdata):
        population = population.only(release.names)
        released, everybody = key_codes(release), key_codes(population)
        for i, (ours, theirs) in enumerate(zip(release.variables, population.variables, strict=True)):
            if isinstance(ours, Categorical) and isinstance(theirs, Categorical):
                everybody[:, i] = _recoded(theirs, ours)
        return released, everybody
    if isinstance(release, Microdata) or isinstance(population, Microdata):
        raise UsageError("the release and the population are both tables, or both arrays of codes")
    released, everybody = key_codes(release), key_codes(population)
    if released.shape[1] != everybody.shape[1]:
        raise UsageError(f"the release has {released.shape[1]} keys and the population {everybody.shape[1]}")
    return released, everybody


def _recoded(theirs: Categorical, ours: Categorical) -> NDArray[np.int32]:
    """The population's codes into the release's labels; labels that the release does not have come after them."""
    place = {label: code for code, label in enumerate(ours.labels)}
    table = [place.setdefault(label, len(place)) for label in theirs.labels]
    return np.array([*table, MISSING], dtype=np.int32)[theirs.codes]


def persons(counts: NDArray[np.integer] | None, rows: int) -> Counts:
    """int64[N]: how many persons each row of the population is about; 1 where nothing is said.

    Raises:
        DataError: one is negative.
        UsageError: there is not one integer for each row.
    """
    if counts is None:
        return np.ones(rows, dtype=np.int64)
    given = np.asarray(counts)
    if given.shape != (rows,) or not np.issubdtype(given.dtype, np.integer):
        raise UsageError(f"counts: there must be one integer for each of the {rows} rows of the population")
    if given.min() < 0:
        raise DataError("counts: one is negative; it is how many persons a row of the population is about")
    return given.astype(np.int64)
