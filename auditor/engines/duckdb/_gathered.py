"""Codes in arrays, for tables of few combinations or many columns.

One statement codes hundreds of columns: it gathers the places of each value in each column, and lists them in the order
of the values. Dictionaries (`_joined`) take several statements a column, and planning is most of what small ones cost.
The statement is DuckDB's own; an engine without ``flatten`` takes the way of dictionaries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from auditor.classes import IntArray, KeyArray, KeyLayout, distinct
from auditor.engines.duckdb import _sql
from auditor.engines.duckdb._codes import Codes
from auditor.engines.duckdb._connection import Connection
from auditor.engines.duckdb._order import Ordered

COLUMNS_AT_ONCE = 256
CELLS_AT_ONCE = 1 << 21
"""A statement gathers so many columns or so many values: beyond, it takes more than linear time, or too much memory."""
BYTES_PER_CELL = 4
"""What a code takes at most."""


class GatheredCodes(Codes):
    """The codes of every combination, column by column."""

    def __init__(self, connection: Connection, what: str, combinations: str, columns: Sequence[Ordered]) -> None:
        """Code the columns of a table of combinations with a column ``n``: how many records each stands for."""
        super().__init__(connection, what, combinations, columns)
        found = connection.arrays(what, f"SELECT rowid AS r, n FROM {combinations}")
        self._records = np.empty(len(found["r"]), dtype=np.int64)
        self._records[found["r"]] = found["n"]
        self._codes = dict.fromkeys(self._columns, np.zeros(len(self._records), dtype=np.int64))
        self.cardinality = dict.fromkeys(self._columns, 0)
        self.missing = dict.fromkeys(self._columns, False)
        at_once = min(COLUMNS_AT_ONCE, max(1, CELLS_AT_ONCE // max(len(self._records), 1)))
        for alike in _alike(columns):
            for start in range(0, len(alike), at_once):
                self._gather(alike[start : start + at_once])

    def _gather(self, columns: Sequence[Ordered]) -> None:
        """Code columns of one type and one order."""
        found = self._connection.arrays(self._what, _statement(self._combinations, columns))
        lists = zip(found["i"].tolist(), found["lengths"], found["places"], found["missing"].tolist(), strict=True)
        for number, lengths, places, missing in lists:
            column = columns[number].column
            codes = np.empty(len(self._records), dtype=np.min_scalar_type(len(lengths) - 1))
            codes[places] = np.repeat(np.arange(len(lengths), dtype=codes.dtype), lengths)
            self._codes[column] = codes
            self.cardinality[column], self.missing[column] = len(lengths), missing

    def keys(self, layout: KeyLayout, grouping: int, batches: int) -> Iterator[tuple[KeyArray, IntArray | None]]:  # noqa: ARG002
        """Packed keys, in one batch."""
        codes = [self._codes[column] for column in layout.columns]
        yield layout.pack(codes) if codes else np.zeros((len(self._records), 1), dtype=np.int64), self._records

    def frequencies(self, column: str, unit: str | None) -> IntArray:
        """Counted in the arrays."""
        counts = np.zeros(self.cardinality[column], dtype=np.int64)
        codes = self._codes[column]
        if unit is None:
            np.add.at(counts, codes, self._records)
        else:
            pairs, _ = distinct(codes.astype(np.int64) * self.cardinality[unit] + self._codes[unit])
            np.add.at(counts, pairs // self.cardinality[unit], 1)
        return counts

    def labels(self, column: str) -> tuple[str | None, ...]:
        """Read from the combinations."""
        ordered = self._columns[column]
        statement = (
            f"SELECT min({_sql.text('v', ordered.type)}) FROM (SELECT {column} AS v FROM {self._combinations}) "
            f"GROUP BY {ordered.order} ORDER BY {ordered.order} NULLS FIRST"
        )
        return tuple(label for (label,) in self._connection.rows(self._what, statement))

    def dictionary(self, column: str) -> str:
        """Made when it is asked for."""
        return self._make_dictionary(column)


def _alike(columns: Sequence[Ordered]) -> list[list[Ordered]]:
    """The columns by type and order: a list holds values of one type."""
    found: dict[tuple[str, str], list[Ordered]] = {}
    for ordered in columns:
        found.setdefault((ordered.type, ordered.order), []).append(ordered)
    return list(found.values())


def _statement(combinations: str, columns: Sequence[Ordered]) -> str:
    """For each column, by its number: how often each value occurs, and where, both in the order of the values."""
    values = ", ".join(ordered.column for ordered in columns)
    order = columns[0].order
    return (
        "SELECT i, list(length ORDER BY k NULLS FIRST) AS lengths, "
        "flatten(list(places ORDER BY k NULLS FIRST)) AS places, bool_or(k IS NULL) AS missing "
        f"FROM (SELECT i, {order} AS k, count(*) AS length, list(r) AS places "
        f"FROM (SELECT unnest([{values}]) AS v, unnest(range({len(columns)})) AS i, rowid AS r FROM {combinations}) "
        f"GROUP BY i, {order}) GROUP BY i"
    )
