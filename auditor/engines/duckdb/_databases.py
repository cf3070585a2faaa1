"""Tables of databases as something DuckDB reads."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from auditor.engines._locate import Table, parts_of
from auditor.engines._object_texts import number_text
from auditor.engines.duckdb._connection import Connection
from auditor.engines.duckdb._sql import identifier, literal
from auditor.errors import DataError

_CHUNK_ROWS = 50_000
_ONCE = "auditor_read_once"


def attach(connection: Connection, table: Table) -> tuple[str, list[str]]:
    """Make a table or query readable in `connection` and lock it.

    Returns:
        The relation to select from, and the names of its columns as the database has them.
    """
    if table.format == "duckdb":
        return _attach_duckdb(connection, table)
    copied = _copy_sqlite(connection, table)
    connection.lock([])
    return copied


def select_of(table: Table, dialect: str) -> str:
    """The one SELECT that reads the table; a query must be a single SELECT."""
    if table.table is not None:
        return "SELECT * FROM " + ".".join(identifier(part) for part in parts_of(table.table))
    from auditor.engines._grouping import single_select  # it takes sqlglot along

    return single_select(table.query or "", dialect, table.name)


def _attach_duckdb(connection: Connection, table: Table) -> tuple[str, list[str]]:
    """Locked before the query is bound: binding alone would open the files that it names."""
    connection.raw.execute(f"ATTACH {literal(table.address)} AS source (READ_ONLY); USE source")
    connection.lock([Path(table.address)])
    query = select_of(table, "duckdb")
    names = [str(row[0]) for row in connection.raw.execute(f"DESCRIBE {query}").fetchall()]
    if not _is_asked_anew(connection, table):
        return f"({query})", names
    connection.run(table.name, f"CREATE TEMP TABLE {_ONCE} AS FROM (\n{query}\n)")
    return f"temp.main.{_ONCE}", names


def _is_asked_anew(connection: Connection, table: Table) -> bool:
    """Whether rows may be drawn anew at each read (random(), LIMIT).

    Those of queries and views are, and columns that a table works out from others; values that it holds are not.
    """
    if table.table is None:
        return True
    drawn = connection.raw.execute(
        "SELECT lower(view_name) FROM duckdb_views() WHERE NOT internal "
        "UNION SELECT lower(table_name) FROM duckdb_tables() WHERE sql ILIKE '%GENERATED ALWAYS%'"
    ).fetchall()
    return (parts_of(table.table)[-1].lower(),) in drawn


def opened_sqlite(table: Table) -> sqlite3.Connection:
    """A SQLite database, for reading; its path may begin with two slashes, and hold any character.

    Raises:
        DataError: it cannot be opened.
    """
    try:
        return sqlite3.connect(f"{Path(table.address).absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise DataError(f"{table.name}: cannot be read ({type(error).__name__})") from None


def _copy_sqlite(connection: Connection, table: Table) -> tuple[str, list[str]]:
    """Copy through text: SQLite's columns have no types of their own, only its values do."""
    import pandas as pd

    source = opened_sqlite(table)
    try:
        cursor = source.execute(select_of(table, "sqlite"))
        names = [str(column[0]) for column in cursor.description]
        own = [f"c{i}" for i in range(len(names))]
        connection.raw.execute(f"CREATE TEMP TABLE sqlite_input ({', '.join(f'{name} VARCHAR' for name in own)})")
        while rows := cursor.fetchmany(_CHUNK_ROWS):
            chunk = pd.DataFrame([[_as_text(value) for value in row] for row in rows], columns=own, dtype="object")
            connection.raw.register("sqlite_chunk", chunk)
            connection.raw.execute("INSERT INTO sqlite_input SELECT * FROM sqlite_chunk")
            connection.raw.unregister("sqlite_chunk")
    except sqlite3.Error as error:
        raise DataError(f"{table.name}: cannot be read ({type(error).__name__})") from None
    finally:
        source.close()
    return "sqlite_input", names


def _as_text(value: object) -> str | None:
    if isinstance(value, bytes):
        raise DataError("a column of the SQLite table is binary; it has no values to group by")
    text = number_text(value)  # to SQLite 1 and 1.0 are equal, in one column
    return None if text is None else str(text)
