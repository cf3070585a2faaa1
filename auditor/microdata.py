"""Microdata: a table with one row per record in memory, as masking, risk and information loss work on it.

A number is a float64, missing is NaN; a category is a code into the column's labels, missing is −1. Row i of a masked
table is the record of row i of its original: that is how risk is measured, and why a release is written in another
order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError

MISSING = -1
"""The code of a missing category."""
LARGEST = 2.0**53
"""From here on float64 does not tell whole numbers apart."""


@dataclass(frozen=True, eq=False)
class Numeric:
    """A column of numbers: `values` is float64[n]; NaN is missing, an infinity is refused where it is read."""

    name: str
    values: NDArray[np.float64]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """bool[n]: which records have no value."""
        return np.isnan(self.values)


@dataclass(frozen=True, eq=False)
class Categorical:
    """A column of categories: `codes` is int32[n] into `labels`, or MISSING.

    Labels are distinct, and in the attribute's order where it has one (`ordered`). A label need not occur.
    """

    name: str
    codes: NDArray[np.int32]
    labels: tuple[str, ...]
    ordered: bool = False

    @property
    def missing(self) -> NDArray[np.bool_]:
        """bool[n]: which records have no value."""
        return np.asarray(self.codes == MISSING)


Variable: TypeAlias = Numeric | Categorical


@dataclass(frozen=True, eq=False)
class Microdata:
    """A table of n records; the names of its variables are distinct and each has n values."""

    variables: tuple[Variable, ...]

    @property
    def records(self) -> int:
        """How many records the table has: n."""
        return len(self.variables[0].missing) if self.variables else 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, in the table's order."""
        return tuple(variable.name for variable in self.variables)

    def __getitem__(self, name: str) -> Variable:
        """One variable by its name; DataError where there is none."""
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise DataError(f"the table has no column {name!r}; it has {', '.join(map(repr, self.names))}")

    def numeric(self, name: str) -> Numeric:
        """One variable of numbers; DataError where it holds categories."""
        variable = self[name]
        if not isinstance(variable, Numeric):
            raise DataError(f"column {name!r} holds categories, where numbers are needed")
        return variable

    def categorical(self, name: str) -> Categorical:
        """One variable of categories; DataError where it holds numbers."""
        variable = self[name]
        if not isinstance(variable, Categorical):
            raise DataError(
                f"column {name!r} holds numbers, where categories are needed; if they are codes, such as postcodes, "
                "declare type: text"
            )
        return variable

    def numbers(self, names: Sequence[str]) -> NDArray[np.float64]:
        """float64[n, p]: some variables of numbers side by side; DataError where one holds categories."""
        return np.column_stack([self.numeric(name).values for name in names])

    def replaced(self, variables: Iterable[Variable]) -> Microdata:
        """The table with these variables in the place of those of the same names."""
        new = {variable.name: variable for variable in variables}
        for name in new:
            self[name]
        return Microdata(tuple(new.get(variable.name, variable) for variable in self.variables))

    def only(self, names: Sequence[str]) -> Microdata:
        """The table of some of its variables."""
        return Microdata(tuple(self[name] for name in names))

    def rows(self, rows: NDArray[np.intp]) -> Microdata:
        """The table of some of its records, in the order of `rows`."""
        return Microdata(tuple(_rows(variable, rows) for variable in self.variables))


def _rows(variable: Variable, rows: NDArray[np.intp]) -> Variable:
    if isinstance(variable, Numeric):
        return Numeric(variable.name, variable.values[rows])
    return Categorical(variable.name, variable.codes[rows], variable.labels, variable.ordered)


def as_categories(variable: Variable) -> Categorical:
    """The variable as categories: of numbers, equal ones are one, in ascending order."""
    if isinstance(variable, Categorical):
        return variable
    values, codes = np.unique(variable.values[~variable.missing], return_inverse=True)
    every = np.full(len(variable.values), MISSING, dtype=np.int32)
    every[~variable.missing] = codes
    return Categorical(variable.name, every, tuple(map(repr, values.tolist())), ordered=True)


def side_by_side(before: Variable, after: Variable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two float64[n], equal where the columns hold the same: numbers, or codes of labels; NaN is missing."""
    if isinstance(before, Numeric) and isinstance(after, Numeric):
        return before.values, after.values
    known: dict[str, int] = {}
    columns = [_coded(variable, known) for variable in (before, after)]
    return columns[0], columns[1]


def _coded(variable: Variable, known: dict[str, int]) -> NDArray[np.float64]:
    if isinstance(variable, Numeric):
        values, places = np.unique(variable.values, return_inverse=True)
        labels = [repr(value) for value in values.tolist()]
    else:
        places, labels = variable.codes.astype(np.intp), list(variable.labels)
    numbers = np.array([*(float(known.setdefault(label, len(known))) for label in labels), np.nan])
    return np.where(variable.missing, np.nan, numbers[places])
