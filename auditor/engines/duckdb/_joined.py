"""Codes by way of dictionaries: a table of the values of each column, joined once to the combinations.

Everything stays with the engine, which can share it out among threads and spill it; so this serves any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from auditor.classes import IntArray, KeyArray, KeyLayout
from auditor.engines.duckdb import sql
from auditor.engines.duckdb._codes import Codes
from auditor.engines.duckdb._parts import fetches, parted
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.order import Ordered

JOINS = 32
"""So many dictionaries are joined by one statement: planning takes more than linear time in them."""


class JoinedCodes(Codes):
    """The table ``coded``, and the dictionaries that it was made with."""

    def __init__(
        self, connection: Connection, what: str, combinations: str, columns: Sequence[Ordered], *, grouped: bool
    ) -> None:
        """Code the columns; where `grouped`, a column ``n`` says how many records a combination stands for."""
        super().__init__(connection, what, combinations, columns)
        self._grouped = grouped
        self._dictionaries = {column: self._make_dictionary(column) for column in self._columns}
        self.cardinality, self.missing = self._measured()
        self._encode()

    def _measured(self) -> tuple[dict[str, int], dict[str, bool]]:
        if not self._columns:
            return {}, {}
        statement = " UNION ALL ".join(
            f"SELECT '{column}' AS c, max(code) + 1 AS size, bool_or(v IS NULL) AS missing FROM {dictionary}"
            for column, dictionary in self._dictionaries.items()
        )
        rows = self._connection.rows(self._what, statement)
        return {column: int(size or 0) for column, size, _ in rows}, {column: bool(gap) for column, _, gap in rows}

    def _encode(self) -> None:
        """Replace values by codes, so many columns at a time."""
        columns = list(self._columns)
        for start in range(0, max(len(columns), 1), JOINS):
            step = {c: (self._dictionaries[c], self._code_type(c)) for c in columns[start : start + JOINS]}
            kept = [column for column in columns if column not in step] + ["n"] * self._grouped
            source = "coded" if start else self._combinations
            self._connection.run(self._what, sql.encode("coded", source, step, kept))

    def _code_type(self, column: str) -> str:
        """The smallest type that holds the codes."""
        for kind, limit in (("UTINYINT", 1 << 8), ("USMALLINT", 1 << 16), ("UINTEGER", 1 << 32)):
            if self.cardinality[column] <= limit:
                return kind
        return "BIGINT"

    def keys(
        self, layout: KeyLayout, grouping: int, batches: Callable[[int], int], nodes: Mapping[str, IntArray]
    ) -> Iterator[tuple[KeyArray, IntArray | None]]:
        """Packed keys, packed by the engine."""
        table, counted = "coded", self._grouped
        if nodes:
            table, counted = "rolled_up", True
            self._connection.run(
                self._what, sql.store(table, self._rolled_up(list(dict.fromkeys(layout.columns)), nodes))
            )
        size = int(self._connection.rows(self._what, f"SELECT count(*) FROM {table}")[0][0])
        parts = batches(size)
        times = fetches(parts, size, layout.words + counted, self._connection.limits.key_memory)
        for fetch in range(times):
            statement = sql.packed_keys(table, layout, grouping, times, fetch, counted=counted)
            found = self._connection.arrays(self._what, statement)
            words = [found[f"w{i}"] for i in range(layout.words)]
            keys = np.stack(words, axis=1) if len(words) > 1 else words[0][:, None]
            records = found["n"] if counted else None
            del found, words
            yield from parted(keys, records, layout, grouping, -(-parts // times))
        if nodes:
            self._connection.run(self._what, f"DROP TABLE {table}")

    def cells(self, columns: Sequence[str], nodes: Mapping[str, IntArray]) -> int:
        """Counted by the engine."""
        return int(self._connection.rows(self._what, f"SELECT count(*) FROM ({self._rolled_up(columns, nodes)})")[0][0])

    def _rolled_up(self, columns: Sequence[str], nodes: Mapping[str, IntArray]) -> str:
        """The query for the distinct combinations of some columns; what it joins is put in place first."""
        tables = {column: f"nodes_{column}" for column in columns if column in nodes}
        for column, table in tables.items():
            smallest = np.min_scalar_type(int(nodes[column].max(initial=0)))
            codes = np.arange(len(nodes[column]), dtype=np.min_scalar_type(len(nodes[column])))
            self._connection.store(self._what, table, {"code": codes, "node": nodes[column].astype(smallest)})
        return sql.rolled_up("coded", columns, tables, counted=self._grouped)

    def class_sizes(self, columns: Sequence[str]) -> dict[int, int]:
        """Counted by the engine: the classes themselves stay there."""
        statement = sql.class_sizes("coded", columns, weight="n" if self._grouped else None)
        return {int(size): int(classes) for size, classes in self._connection.rows(self._what, statement)}

    def frequencies(self, column: str, unit: str | None) -> IntArray:
        """Counted by the engine: in the dictionary, or for units in all combinations."""
        if unit is None:
            statement = f"SELECT code, CAST(sum(n) AS BIGINT) AS n FROM {self._dictionaries[column]} GROUP BY code"
        else:
            statement = f"SELECT {column} AS code, count(DISTINCT {unit}) AS n FROM coded GROUP BY {column}"
        found = self._connection.arrays(self._what, statement)
        counts = np.zeros(self.cardinality[column], dtype=np.int64)
        counts[np.asarray(found["code"], dtype=np.int64)] = found["n"]
        return counts

    def labels(self, column: str) -> tuple[str | None, ...]:
        """Read from the dictionary."""
        shown = sql.text("v", self._columns[column].type)
        statement = f"SELECT min({shown}) FROM {self._dictionaries[column]} GROUP BY code ORDER BY code"
        return self._connection.texts(self._what, statement)

    def dictionary(self, column: str) -> str:
        """The dictionary that the column was coded with."""
        return self._dictionaries[column]
