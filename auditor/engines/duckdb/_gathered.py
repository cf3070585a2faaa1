"""Codes in arrays, for tables of few combinations or many columns.

One statement codes hundreds of columns: it gathers the places of each value in each column, and lists them in the order
of the values. Dictionaries (`_joined`) take several statements a column, and planning is most of what small ones cost.
Of a small source the same statement counts the combinations, which then take no table.
The statement is DuckDB's own; an engine without ``flatten`` takes the way of dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from auditor.classes import IntArray, KeyArray, KeyLayout, count_classes, distinct
from auditor.engines.duckdb import sql
from auditor.engines.duckdb._codes import Codes
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.order import Ordered

COLUMNS_AT_ONCE = 256
CELLS_AT_ONCE = 1 << 21
"""A statement gathers so many columns or so many values: beyond, it takes more than linear time, or too much memory."""
BYTES_PER_CELL = 4
"""What a code takes at most."""
MOST_LABELS = 1000
"""The texts of so many values are gathered with the codes; of a longer list hardly any will be asked for."""
RECORDS = -1
"""Stands in place of a column's number where a statement lists how many records each combination stands for."""


def columns_at_once(combinations: int) -> int:
    """How many columns of so many combinations one statement gathers."""
    return min(COLUMNS_AT_ONCE, max(1, CELLS_AT_ONCE // max(combinations, 1)))


class GatheredCodes(Codes):
    """The codes of every combination, column by column."""

    def __init__(
        self,
        connection: Connection,
        what: str,
        combinations: str,
        columns: Sequence[Ordered],
        *,
        size: int,
        counting: str | None = None,
    ) -> None:
        """Code columns of about `size` combinations with a column ``n``: how many records each stands for.

        The combinations are in the table `combinations`. With `counting`, a query, they are what it finds, and the
        table is made when it is asked for; there may be no more columns then than one statement gathers.
        """
        super().__init__(connection, what, combinations, columns)
        self._counting = counting
        self.records = np.zeros(0, dtype=np.int64)
        self._codes: dict[str, IntArray] = {}
        self._labels: dict[str, tuple[str | None, ...]] = {}
        self.cardinality = dict.fromkeys(self._columns, 0)
        self.missing = dict.fromkeys(self._columns, False)
        alike = sorted(columns, key=lambda ordered: (ordered.type, ordered.order))
        step = columns_at_once(size)
        for start in range(0, max(len(alike), 1), step):
            self._gather(alike[start : start + step], with_records=not start)

    def _gather(self, columns: Sequence[Ordered], *, with_records: bool) -> None:
        query = self._counting or self._combinations
        statement = _statement(query, columns, table=self._counting is None, with_records=with_records)
        found = self._connection.arrays(self._what, statement)
        parts = dict(zip(found["i"].tolist(), zip(*(found[name] for name in _FOUND), strict=True), strict=True))
        if with_records and RECORDS in parts:
            records, places, *_ = parts[RECORDS]
            self.records = np.empty(len(records), dtype=np.int64)
            self.records[places] = records
        nothing = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), (), False)
        for number, ordered in enumerate(columns):
            self._take(ordered.column, *parts.get(number, nothing))

    def _take(self, column: str, lengths: IntArray, places: IntArray, labels: Sequence[str], missing: bool) -> None:
        """Take over what was gathered of a column."""
        codes = np.empty(len(places), dtype=np.min_scalar_type(max(len(lengths) - 1, 0)))
        codes[places] = np.repeat(np.arange(len(lengths), dtype=codes.dtype), lengths)
        self._codes[column] = codes
        self.cardinality[column], self.missing[column] = len(lengths), bool(missing)
        if len(lengths) <= MOST_LABELS:
            self._labels[column] = (None, *labels[1:]) if missing else tuple(labels)

    def put_values(self, column: str) -> str:
        """The name of a small table with the texts of a column's values, in a column of the same name."""
        table = f"values_{column}"
        values = f"SELECT unnest(CAST(? AS VARCHAR[])) AS {column}"
        self._connection.run(self._what, sql.store(table, values), [list(self.labels(column))])
        return table

    def reorder(self, ordered: Ordered) -> None:
        """Let the codes of a column, whose values were put, ascend by another order; equal texts become one value."""
        column, labels = ordered.column, self.labels(ordered.column)
        code = f"dense_rank() OVER (ORDER BY {ordered.order} NULLS FIRST) - 1 AS code"
        values = f"SELECT rowid AS r, {column} AS v FROM values_{column}"
        found = self._connection.arrays(self._what, f"SELECT r, {code} FROM ({values})")
        ranks = np.empty(len(labels), dtype=np.min_scalar_type(max(len(labels) - 1, 0)))
        ranks[found["r"]] = found["code"]
        self._columns[column] = ordered
        self._codes[column] = ranks[self._codes[column]]
        first = dict(zip(reversed(ranks.tolist()), reversed(labels), strict=True))
        self._labels[column] = tuple(first[code] for code in sorted(first))
        self.cardinality[column] = len(first)

    def keys(
        self,
        layout: KeyLayout,
        grouping: int,  # noqa: ARG002  (all are in one batch)
        batches: Callable[[int], int],  # noqa: ARG002
        nodes: Mapping[str, IntArray],
    ) -> Iterator[tuple[KeyArray, IntArray | None]]:
        """Packed keys, in one batch."""
        codes = [self._coded(column, nodes) for column in layout.columns]
        yield layout.pack(codes) if codes else np.zeros((len(self.records), 1), dtype=np.int64), self.records

    def class_sizes(self, columns: Sequence[str]) -> dict[int, int]:
        """Counted in the arrays."""
        layout = KeyLayout.of({column: self.cardinality[column] for column in columns})
        keys, records = next(self.keys(layout, len(columns), lambda _: 1, {}))
        sizes, where = distinct(count_classes(keys, layout, len(columns), records).rows)
        return dict(zip(sizes.tolist(), np.bincount(where).tolist(), strict=True))

    def cells(self, columns: Sequence[str], nodes: Mapping[str, IntArray]) -> int:
        """Counted in the arrays."""
        number = np.zeros(len(self.records), dtype=np.int64)
        for column in columns:
            codes = self._coded(column, nodes)
            _, number = distinct(number * (int(codes.max(initial=0)) + 1) + codes)
        return int(number.max(initial=-1)) + 1

    def _coded(self, column: str, nodes: Mapping[str, IntArray]) -> IntArray:
        codes = self._codes[column]
        return nodes[column][codes] if column in nodes else codes

    def frequencies(self, column: str, unit: str | None) -> IntArray:
        """Counted in the arrays."""
        counts = np.zeros(self.cardinality[column], dtype=np.int64)
        codes = self._codes[column].astype(np.int64)  # codes of other types are cast one by one
        if unit is None:
            np.add.at(counts, codes, self.records)
        else:
            pairs, _ = distinct(codes * self.cardinality[unit] + self._codes[unit])
            np.add.at(counts, pairs // self.cardinality[unit], 1)
        return counts

    def labels(self, column: str) -> tuple[str | None, ...]:
        """Gathered with the codes, or read from the combinations where there are many."""
        if column not in self._labels:
            ordered = self._columns[column]
            statement = (
                f"SELECT min({sql.text('v', ordered.type)}) FROM (SELECT {column} AS v FROM {self._table()}) "
                f"GROUP BY {ordered.order} ORDER BY {ordered.order} NULLS FIRST"
            )
            self._labels[column] = self._connection.texts(self._what, statement)
        return self._labels[column]

    def dictionary(self, column: str) -> str:
        """Made when it is asked for."""
        self._table()
        return self._make_dictionary(column)

    def _table(self) -> str:
        """The table of combinations, made when it is first asked for."""
        if self._counting is not None:
            self._connection.run(self._what, sql.store(self._combinations, self._counting))
            self._counting = None
        return self._combinations


_FOUND = ("lengths", "places", "labels", "missing")


def _statement(combinations: str, columns: Sequence[Ordered], *, table: bool, with_records: bool) -> str:
    """For each column, by its number: how often each value occurs, where, and its text, in the order of the values."""
    listed = "".join(f"{ordered.column}, " for ordered in columns)
    place, source = ("rowid", combinations) if table else ("row_number() OVER () - 1", f"({combinations})")
    parts = [_gathered(alike) for alike in _alike(columns)]
    if with_records:
        parts.append(
            f"SELECT {RECORDS} AS i, list(n) AS lengths, list(r) AS places, CAST([] AS VARCHAR[]) AS labels, "
            "false AS missing FROM numbered HAVING count(*) > 0"
        )
    return (
        f"WITH numbered AS MATERIALIZED (SELECT {listed}n, CAST({place} AS UINTEGER) AS r FROM {source}) "
        + " UNION ALL ".join(parts)
    )


def _gathered(columns: Sequence[tuple[int, Ordered]]) -> str:
    """What is gathered of columns of one type and one order."""
    values = ", ".join(ordered.column for _, ordered in columns)
    numbers = ", ".join(str(number) for number, _ in columns)
    ordered = columns[0][1]
    label = sql.text("k", ordered.type) if ordered.order == "v" else "k"
    return (
        "SELECT i, list(length ORDER BY k NULLS FIRST) AS lengths, "
        "flatten(list(places ORDER BY k NULLS FIRST)) AS places, "
        f"CASE WHEN count(*) <= {MOST_LABELS} THEN list(coalesce({label}, '') ORDER BY k NULLS FIRST) "
        "ELSE [] END AS labels, bool_or(k IS NULL) AS missing "
        f"FROM (SELECT i, {ordered.order} AS k, count(*) AS length, list(r) AS places "
        f"FROM (SELECT unnest([{values}]) AS v, unnest([{numbers}]) AS i, r FROM numbered) "
        f"GROUP BY i, {ordered.order}) GROUP BY i"
    )


def _alike(columns: Sequence[Ordered]) -> list[list[tuple[int, Ordered]]]:
    """The columns, with their numbers, by type and order: a list holds values of one type."""
    found: dict[tuple[str, str], list[tuple[int, Ordered]]] = {}
    for number, ordered in enumerate(columns):
        found.setdefault((ordered.type, ordered.order), []).append((number, ordered))
    return list(found.values())
