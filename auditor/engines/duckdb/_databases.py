"""Tables of databases, and Arrow files, as something DuckDB reads."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from auditor.engines._locate import Files, Table
from auditor.engines.duckdb import _partitions
from auditor.engines.duckdb._connection import Connection
from auditor.engines.duckdb._sql import identifier, literal
from auditor.errors import DataError, Unsupported

_CHUNK_ROWS = 50_000
NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""The folder name that stands for a missing value."""


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
        return "SELECT * FROM " + ".".join(identifier(part) for part in table.table.split("."))
    from auditor.engines._grouping import single_select  # it takes sqlglot along

    return single_select(table.query or "", dialect, table.name)


def _attach_duckdb(connection: Connection, table: Table) -> tuple[str, list[str]]:
    """Locked before the query is bound: binding alone would open the files that it names."""
    connection.raw.execute(f"ATTACH {literal(table.address)} AS source (READ_ONLY); USE source")
    connection.lock([Path(table.address)])
    query = select_of(table, "duckdb")
    return f"({query})", [str(row[0]) for row in connection.raw.execute(f"DESCRIBE {query}").fetchall()]


def _copy_sqlite(connection: Connection, table: Table) -> tuple[str, list[str]]:
    """Copy through text: SQLite's columns have no types of their own, only its values do."""
    import pandas as pd

    source = sqlite3.connect(f"file:{table.address}?mode=ro", uri=True)
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
    if value is None or isinstance(value, str):
        return value
    return repr(value)


def arrow_files(files: Files) -> Any:
    """Arrow or Feather files as one table, Hive partitions as columns."""
    try:
        import pyarrow as pa
    except ImportError:
        raise Unsupported("Arrow files need the package pyarrow: pip install pyarrow") from None
    if files.compressed:
        raise DataError(f"{files.name}: a compressed Arrow file is not read; decompress it first")
    try:
        return pa.concat_tables([_arrow_table(files, path) for path in files.paths])
    except (pa.ArrowException, OSError):
        raise DataError(f"{files.name}: is not a readable Arrow file, or its files differ in columns") from None


def _arrow_table(files: Files, path: Path) -> Any:
    """One file, in the file format (Feather is the same, or its older version) or as a stream."""
    import pyarrow as pa
    from pyarrow import feather

    try:
        table = feather.read_table(path, memory_map=True)
    except pa.ArrowInvalid:
        with pa.memory_map(str(path)) as mapped:
            table = pa.ipc.open_stream(mapped).read_all()
    _partitions.columns(files, table.schema.names)
    for name, value in zip(files.partitions, files.values(path), strict=True):
        label = None if value == NO_PARTITION else unquote(value)
        table = table.append_column(name, pa.repeat(pa.scalar(label, pa.string()), len(table)))
    return table
