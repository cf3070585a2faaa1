"""Rows that are read once, and written with other values in some columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.engines._locate import format_of
from auditor.engines._protocol import ColumnUse, Rewritten
from auditor.engines.duckdb import column_sql, copies, sql
from auditor.engines.duckdb._rows import coded_texts
from auditor.engines.duckdb.connection import Connection

SNAPSHOT = "snapshot"


class DuckDBSnapshot:
    """Some columns of a relation, its rows numbered and kept by the engine, which can spill them."""

    def __init__(
        self,
        connection: Connection,
        what: str,
        relation: str,
        columns: Sequence[str],
        *,
        uses: Sequence[ColumnUse],
        expressions: Mapping[str, tuple[str, str]],
        csv: copies.CsvForm = copies.PLAIN,
        json: copies.Json | None = None,
    ) -> None:
        """Keep `columns` and code `uses`; the other arguments are those of `DuckDBCounted`."""
        self._connection = connection
        self._what = what
        self._json = json
        self._csv = csv
        names = dict.fromkeys((*columns, *(use.name for use in uses)))
        self._inner = {name: f"x{place}" for place, name in enumerate(names)}
        self._types = {name: expressions[name][1] for name in names}
        kept = {inner: expressions[name][0] for name, inner in self._inner.items()}
        if json is not None:
            kept |= {f"j{inner}": json.values[name] for name, inner in self._inner.items()}
        connection.run(what, sql.number_rows(SNAPSHOT, relation if json is None else json.relation, kept))
        texts = {
            f"c{i}": column_sql.row_text(self._inner[use.name], self._types[use.name], use.missing_values)
            for i, use in enumerate(uses)
        }
        connection.run(what, sql.rows_as_texts("texts", SNAPSHOT, texts))
        self.coded = coded_texts(connection, what, "texts", len(uses))

    def write(self, columns: Sequence[str], rewritten: Sequence[Rewritten], target: Path) -> None:
        """Write columns, some with other values, in the format that the name tells; rows sorted by what is written.

        Raises:
            DeliveryError: the disk is full, or takes no writing.
        """
        statement = self._statement(columns, rewritten, target)
        copies.deliver(self._connection, statement, target, columns, self._csv)

    def frame(self, columns: Sequence[str], rewritten: Sequence[Rewritten], kind: str) -> Any:
        """The same as a table in memory: ``pandas``, ``polars`` or ``arrow``."""
        return self._connection.frame(self._what, self._statement(columns, rewritten, None), columns, kind)

    def places(self, columns: Sequence[str], rewritten: Sequence[Rewritten], target: Path | None) -> NDArray[np.intp]:
        """intp[n]: of each row that is written to a target (None: of a frame) its place among the rows of the data."""
        listed, _ = self._listed(columns, rewritten, target)
        statement = sql.rewritten(SNAPSHOT, listed, len(rewritten), places=True)
        found: NDArray[np.intp] = self._connection.arrays(self._what, statement)["place"].astype(np.intp)
        return found

    def _statement(self, columns: Sequence[str], rewritten: Sequence[Rewritten], target: Path | None) -> str:
        """The SELECT of what a target (None: a frame) holds."""
        listed, outer = self._listed(columns, rewritten, target)
        return sql.shown(sql.rewritten(SNAPSHOT, listed, len(rewritten)), outer)

    def _listed(
        self, columns: Sequence[str], rewritten: Sequence[Rewritten], target: Path | None
    ) -> tuple[list[tuple[str, str]], list[str]]:
        """The expression and the name of each column that is sorted, and what of these a target (None: a frame) holds.

        Nothing for the latter where it is the same.
        """
        as_json = target is not None and format_of(target) == "json"
        shown = self._shown(columns, rewritten, json=as_json and self._json is not None)
        if as_json:
            shown = copies.as_json(shown)
        if target is not None and copies.is_text(target):
            return copies.as_text(list(shown.values())), []
        return sql.without_enumerations(shown)

    def _shown(
        self, columns: Sequence[str], rewritten: Sequence[Rewritten], *, json: bool
    ) -> dict[str, tuple[str, str]]:
        """The expression and the type of each column; what is rewritten is put in place first."""
        codes = {f"c{i}": each.codes for i, each in enumerate(rewritten)}
        records = len(self.coded.codes)
        self._connection.store(self._what, "rewritten", {"place": np.arange(records), **codes})
        if json:
            shown = {name: (f"source.j{self._inner[name]}", "JSON") for name in columns}
        else:
            shown = {name: (f"source.{self._inner[name]}", self._types[name]) for name in columns}
        for i, each in enumerate(rewritten):
            labels = np.array([*each.labels, None], dtype=object)
            self._connection.store(self._what, f"m{i}", {"code": np.arange(len(labels)), "label": labels})
            kind = self._kind(f"m{i}", each.column, json=json)
            shown[each.column] = (f"CAST(m{i}.label AS {kind})", kind)
        return {name: shown[name] for name in columns}

    def _kind(self, labels: str, column: str, *, json: bool) -> str:
        """The first type, from the column's own to text, that holds every label without loss."""
        own = self._types[column]
        numbers = sql.is_number(own) or (json and self._holds_numbers(column))
        kinds = ["BIGINT", "DOUBLE"] if numbers else []
        tried = [own, *kinds] if not numbers or sql.is_number(own) else kinds
        return next((kind for kind in tried if self._without_loss(labels, kind)), "VARCHAR")

    def _without_loss(self, labels: str, kind: str) -> bool:
        return bool(self._connection.rows(self._what, sql.without_loss(labels, kind))[0][0])

    def _holds_numbers(self, column: str) -> bool:
        """Whether the JSON values of a column are numbers, not texts that look like some."""
        kind = f"json_type(j{self._inner[column]})"
        numbers = f"{kind} IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')"
        statement = f"SELECT coalesce(bool_and({numbers}), false) FROM {SNAPSHOT} WHERE {kind} <> 'NULL'"
        return bool(self._connection.rows(self._what, statement)[0][0])
