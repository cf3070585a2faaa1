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
from auditor.errors import DataError, Unsupported, UsageError

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
    copied = (_copy_sqlite if table.format == "sqlite" else _copy_postgres)(connection, table)
    connection.lock([])
    return copied


def select_of(table: Table, dialect: str) -> str:
    """The one SELECT that reads the table; a query must be a single SELECT."""
    if table.table is not None:
        return "SELECT * FROM " + ".".join(identifier(part) for part in table.table.split("."))
    import sqlglot
    from sqlglot import exp

    try:
        statements = sqlglot.parse(table.query or "", dialect=dialect)
    except sqlglot.errors.SqlglotError:
        raise UsageError(f"{table.name}: the query cannot be parsed as {dialect}") from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise UsageError(f"{table.name}: the query must be one SELECT")
    return str(table.query).rstrip().rstrip(";")


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


def _copy_postgres(connection: Connection, table: Table) -> tuple[str, list[str]]:
    """Copy through Arrow: measured faster than grouping in the server, unless rows may not leave it."""
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise Unsupported('PostgreSQL needs the extra "postgres": pip install "auditor[postgres]"') from None
    try:
        with dbapi.connect(table.address) as server, server.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")  # a WITH in a SELECT can write
            cursor.execute(select_of(table, "postgres"))
            reader = cursor.fetch_record_batch()
            names = [str(name) for name in reader.schema.names]
            connection.raw.register("postgres_stream", reader)
            connection.raw.execute("CREATE TEMP TABLE postgres_input AS SELECT * FROM postgres_stream")
            connection.raw.unregister("postgres_stream")
    except dbapi.Error as error:
        # The driver's message may repeat the address with its password.
        raise DataError(
            f"{table.name}: the server refused or the table cannot be read ({type(error).__name__})"
        ) from None
    return "postgres_input", names


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
