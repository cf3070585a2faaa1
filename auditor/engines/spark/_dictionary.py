"""The values of a column and their codes: what Spark found, ordered and written as text by DuckDB.

So codes, texts, missing values and equal numbers mean what they mean there, and are written nowhere else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from auditor.classes import IntArray
from auditor.engines._protocol import ColumnUse
from auditor.engines.duckdb import column_sql, sql
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.errors import translated
from auditor.engines.duckdb.order import Orders


class Dictionary:
    """The distinct values of one column, in DuckDB tables of a name of their own."""

    def __init__(  # noqa: PLR0917
        self, connection: Connection, what: str, name: str, use: ColumnUse, found: Any, type_name: str
    ) -> None:
        """Order the values that an Arrow table holds: ``v``, their hashes ``h`` and how many records ``n`` have each.

        `name` is that of the tables. The type is DuckDB's.
        """
        self._connection = connection
        self._what = what
        self._table = f"d_{name}"
        self._type = type_name
        raw, values = f"r_{name}", f"v_{name}"
        with translated(what, connection.limits):
            connection.raw.register("found", found)
            connection.raw.execute(sql.store(raw, "SELECT * FROM found"))
            connection.raw.unregister("found")
        column = {"v": column_sql.value("v", type_name, use.missing_values)}
        connection.run(what, sql.store(values, sql.combinations(raw, column, "n")))
        ordered = Orders(connection, what, values).of("v", use, type_name)
        connection.run(what, sql.dictionary(self._table, values, "v", ordered.order))
        self.number = ordered.number
        coded = connection.arrays(
            what,
            f"SELECT h, code FROM (SELECT {column['v']} AS v, h FROM {raw}) AS raw "
            f"JOIN {self._table} AS d ON raw.v IS NOT DISTINCT FROM d.v",
        )
        self.hashes: IntArray = np.asarray(coded["h"], dtype=np.int64)
        self.codes: IntArray = np.asarray(coded["code"], dtype=np.int64)
        self.cardinality = int(self.codes.max()) + 1 if len(self.codes) else 0
        (missing,) = connection.rows(what, f"SELECT count(*) FROM {self._table} WHERE v IS NULL")[0]
        self.missing = bool(missing)
        connection.run(what, f"DROP TABLE {raw}; DROP TABLE {values}")

    @property
    def frequencies(self) -> IntArray:
        """int64[m]: how many records have each code."""
        statement = f"SELECT CAST(sum(n) AS BIGINT) AS n FROM {self._table} GROUP BY code ORDER BY code"
        return np.asarray(self._connection.arrays(self._what, statement)["n"], dtype=np.int64)

    @property
    def labels(self) -> tuple[str | None, ...]:
        """The value behind each code, as text; of equal numbers the text that comes first."""
        statement = f"SELECT min({sql.text('v', self._type)}) FROM {self._table} GROUP BY code ORDER BY code"
        return tuple(label for (label,) in self._connection.rows(self._what, statement))

    def drop(self) -> None:
        """Let go of the values."""
        self._connection.run(self._what, f"DROP TABLE IF EXISTS {self._table}")
