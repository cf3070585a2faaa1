"""The cells of a clique's table, and where the records of the data stand in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from auditor.classes import BoolArray, IntArray
from auditor.errors import NotEvaluated
from auditor.outputs.linked._classes import Column, ColumnClasses
from auditor.outputs.linked._combination import NOTHING_KNOWN, EmptyCombinations, combined
from auditor.outputs.published.counts import Counts

MOST_CELLS = 400_000
"""A joint table of more cells is not looked at."""


@dataclass(frozen=True)
class TableUnknowns:
    """The cells of a table over some columns, as unknowns numbered from `first`.

    `sizes` are the numbers of classes. A cell's code is its place in the table of all combinations, row by row; `codes`
    are those of the cells that there are, ascending.
    """

    columns: tuple[Column, ...]
    sizes: tuple[int, ...]
    codes: IntArray
    first: int

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        classes: Mapping[Column, ColumnClasses],
        counts: Counts | None,
        first: int,
        known: EmptyCombinations = NOTHING_KNOWN,
    ) -> TableUnknowns:
        """All combinations of classes but those known to be of nobody.

        With data, those with other values or none only where the data has them.

        Raises:
            NotEvaluated: there are too many.
        """
        sizes = tuple(len(classes[column]) for column in columns)
        cells = combined(columns, sizes, known, MOST_CELLS - first)
        codes = np.sort(np.ravel_multi_index(tuple(cells.T), sizes)) if columns else np.zeros(1, dtype=np.int64)
        table = cls(tuple(columns), sizes, codes, first)
        if counts is None or not counts.names.issuperset(columns):
            return table
        named = np.array([len(classes[column].values) for column in columns], dtype=np.int64)
        kept: BoolArray = np.all(table.cells < named, axis=1)
        if not kept.all():
            kept[np.searchsorted(codes, codes_of_people(counts, table, classes))] = True
        return cls(tuple(columns), sizes, table.codes[kept], first)

    @cached_property
    def cells(self) -> NDArray[np.int64]:
        """int64[cells, columns]: the class of each column."""
        if not self.columns:
            return np.zeros((len(self.codes), 0), dtype=np.int64)
        return np.stack(np.unravel_index(self.codes, self.sizes), axis=1)

    def where(self, allowed: Mapping[Column, BoolArray]) -> IntArray:
        """The unknowns that are in the classes allowed."""
        inside = np.ones(len(self.codes), dtype=np.bool_)
        for place, column in enumerate(self.columns):
            if column in allowed:
                inside &= allowed[column][self.cells[:, place]]
        return np.flatnonzero(inside) + self.first

    def unknowns(self, codes: IntArray) -> IntArray:
        """The unknowns of cells that there are."""
        return np.searchsorted(self.codes, codes) + self.first


def codes_of_records(counts: Counts, table: TableUnknowns, classes: Mapping[Column, ColumnClasses]) -> IntArray:
    """int64[records]: the code of each record's cell."""
    found = np.zeros(counts.records, dtype=np.int64)
    for column, size in zip(table.columns, table.sizes, strict=True):
        labels, codes = counts.column(column)
        found = found * size + np.array([classes[column].place(label) for label in labels], dtype=np.int64)[codes]
    return found


def codes_of_people(counts: Counts, table: TableUnknowns, classes: Mapping[Column, ColumnClasses]) -> IntArray:
    """int64[people]: the same of each unit, where the policy counts these; else of each record.

    Raises:
        NotEvaluated: the records of a unit are in several cells, so that counts of units do not add up.
    """
    found = codes_of_records(counts, table, classes)
    if counts.unit is None:
        return found
    units = counts.column(counts.unit)[1]
    _, first, unit = np.unique(units, return_index=True, return_inverse=True)
    if (found != found[first][unit]).any():
        raise NotEvaluated("units have records in several cells, so that counts of units do not add up to margins")
    return found[first]
