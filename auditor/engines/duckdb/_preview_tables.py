"""Looking at tables of databases without reading them: their columns, and what the database itself estimates."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from auditor.engines._locate import DatabaseTable
from auditor.engines._preview import Known, Preview
from auditor.engines._protocol import Column
from auditor.engines.duckdb import _databases, sql
from auditor.engines.duckdb.connection import Connection
from auditor.errors import DataError

Named = Sequence[tuple[str, str]]
"""Columns by name and type."""


def preview(table: DatabaseTable, connection: Connection) -> Preview:
    """What a database file says of a table or a query."""
    return _duckdb(table, connection) if table.format == "duckdb" else _sqlite(table)


def _duckdb(table: DatabaseTable, connection: Connection) -> Preview:
    relation, names = _databases.attach(connection, table)
    kinds = [str(row[1]) for row in connection.raw.execute(f"DESCRIBE {relation}").fetchall()]
    rows = None
    if table.table is not None:
        name = table.table.split(".")[-1]
        found = connection.rows(
            table.name,
            "SELECT sum(estimated_size) FROM duckdb_tables() WHERE database_name = 'source' AND table_name = ?",
            [name],
        )
        rows = None if found[0][0] is None else int(found[0][0])
    return _of_table(table, list(zip(names, kinds, strict=True)), rows, Path(table.address).stat().st_size)


def _sqlite(table: DatabaseTable) -> Preview:
    """The number of the last row stands for the number of rows: rows that were deleted count."""
    try:
        with closing(_databases.opened_sqlite(table)) as source:
            select = _databases.select_of(table, "sqlite")
            cursor = source.execute(f"SELECT * FROM ({select}) LIMIT 0")
            names = [str(column[0]) for column in cursor.description]
            rows = None
            if table.table is not None:
                rows = _last_row(source, select)
    except sqlite3.Error as error:
        raise DataError(f"{table.name}: cannot be read ({type(error).__name__})") from None
    return _of_table(
        table, [(name, "VARCHAR") for name in names], rows, Path(table.address).stat().st_size, copied=True
    )


def _last_row(source: sqlite3.Connection, select: str) -> int | None:
    """None for a view, and for a table without row numbers."""
    try:
        found = source.execute(select.replace("SELECT *", "SELECT max(rowid)", 1)).fetchone()
    except sqlite3.Error:
        return None
    return int(found[0] or 0)


def _of_table(table: DatabaseTable, named: Named, rows: int | None, size: int, *, copied: bool = False) -> Preview:
    known: Known = "unknown" if rows is None else "estimated"
    return Preview(table.name, table.format, 1, size, rows, known, columns_of(named), {}, copied)


def columns_of(named: Named) -> tuple[Column, ...]:
    """Columns as engines describe them."""
    return tuple(Column(name, kind, sql.is_usable(kind), sql.is_number(kind)) for name, kind in named)
