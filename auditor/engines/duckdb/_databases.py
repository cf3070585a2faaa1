"""Tables of databases as something DuckDB reads."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path

from auditor.engines._beside import DELETED
from auditor.engines._locate import DatabaseTable, parts_of
from auditor.engines._object_texts import number_text
from auditor.engines.duckdb import _remains
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.sql import identifier, literal
from auditor.errors import DataError

_CHUNK_ROWS = 50_000
_MOST_PROBLEMS = 2**31 - 1
"""So many problems are asked for, or others would hide the one that is looked for."""
_ONCE = "auditor_read_once"
_OURS = "memory"
"""The catalog of the connection itself, in which there is nothing but what we put there."""
_WORD = re.compile(r"\w+|--|/\*")
DEFINED = (
    "The file's definitions (of tables, indices, triggers, types or macros, with comments and defaults) hold texts "
    "that nobody judges; an export of the table leaves them out."
)
_USUAL = frozenset(
    _WORD.findall(
        "create table text integer int bigint smallint real float double precision numeric decimal blob varchar char "
        "boolean date datetime timestamp not null primary key unique autoincrement"
    )
)
"""What the definition of a table is made of, besides names."""
_TEXTS_OF_DUCKDB = " UNION ALL ".join(
    f"SELECT 1 FROM system.main.duckdb_{kind}() WHERE database_name = 'source' AND {told}"
    for kind, told in {
        "schemas": "NOT internal AND lower(schema_name) <> {schema}",
        "tables": "(lower(table_name) <> {name} OR comment IS NOT NULL OR sql ILIKE '%CHECK(%')",
        "columns": "NOT internal AND (comment IS NOT NULL OR column_default IS NOT NULL)",
        "types": "NOT internal",
        "functions": "NOT internal",
        "sequences": "true",
        "indexes": "true",
    }.items()
)


def attach(connection: Connection, table: DatabaseTable) -> tuple[str, list[str]]:
    """Make a table or query readable in `connection` and lock it.

    Returns:
        The relation to select from, and the names of its columns as the database has them.
    """
    if table.format == "duckdb":
        return _attach_duckdb(connection, table)
    copied = _copy_sqlite(connection, table)
    connection.lock([])
    return copied


def beside(connection: Connection, table: DatabaseTable) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What else a database file holds, and what is to be told of it.

    Its other tables that have rows, its views, whatever they show, and rows that were deleted. A table of another
    schema than the one that everybody begins in is named ``schema.table``.
    """
    found = _others(connection, table)
    if table.format == "duckdb":
        stored = "SELECT 1 FROM system.main.duckdb_tables() WHERE {} = lower(table_name) AND database_name = 'source'"
        parts = [""] if table.table is None else [part.lower() for part in parts_of(table.table)]
        name, schema = parts[-1], parts[-2] if len(parts) > 1 else "main"
        is_stored = bool(connection.raw.execute(stored.format(literal(name))).fetchall())
        deleted, freed = _remains.of_duckdb(connection, table, _qualified(table) if is_stored else "")
        told = connection.raw.execute(_TEXTS_OF_DUCKDB.format(name=literal(name), schema=literal(schema))).fetchall()
        notes = (*([_remains.FREED] if freed else []), *([DEFINED] if told else []))
    else:
        deleted, moved = _remains.of_sqlite(Path(table.address))
        deleted = deleted or _has_lost_pages(table)
        notes = (*([_remains.MOVED] if moved else []), *([DEFINED] if _defines_more(table) else []))
    return (*found, *([DELETED] if deleted else ())), notes


def _others(connection: Connection, table: DatabaseTable) -> tuple[str, ...]:
    if table.format == "duckdb":
        shown = (
            "SELECT schema_name, {0}_name, {1} FROM system.main.duckdb_{0}s() WHERE database_name = 'source' "
            "AND NOT internal"
        )
        both = " UNION ALL ".join((shown.format("table", "false"), shown.format("view", "true")))
        found = [(str(schema), str(name), bool(view)) for schema, name, view in connection.raw.execute(both).fetchall()]
        return _named(found, table, lambda asked: bool(connection.raw.execute(f"{asked} LIMIT 1").fetchall()))
    with closing(opened_sqlite(table)) as source:
        listed: list[tuple[str, int]] = source.execute(
            "SELECT name, type = 'view' FROM sqlite_master "
            "WHERE type IN ('table', 'view') AND name <> 'sqlite_sequence'"
        ).fetchall()
        if any(name == "sqlite_sequence" for (name,) in source.execute("SELECT name FROM sqlite_master")):
            # It holds the last number of each table, and whatever else somebody writes into it.
            more = "name NOT IN (SELECT name FROM sqlite_master WHERE type = 'table') OR typeof(seq) <> 'integer'"
            listed += source.execute(
                f"SELECT 'sqlite_sequence', 0 FROM sqlite_sequence WHERE {more} LIMIT 1"
            ).fetchall()
        found = [("main", str(name), bool(view)) for name, view in listed]
        return _named(found, table, lambda asked: bool(source.execute(f"{asked} LIMIT 1").fetchall()))


def _defines_more(table: DatabaseTable) -> bool:
    """Whether the definitions in a file of SQLite say more than names of columns and usual words.

    They are kept as they were written: with comments, types of any words, defaults and checks.
    """
    own = "" if table.table is None else parts_of(table.table)[-1].lower()
    with closing(opened_sqlite(table)) as source:
        listed = source.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        for kind, name, sql in listed:
            columns = source.execute("SELECT name FROM pragma_table_info(?)", (name,)).fetchall()
            names = " ".join(str(each) for each in (name, *chain(*columns)))
            other = kind != "table" or name.lower() not in (own, "sqlite_sequence")
            if other or set(_WORD.findall(str(sql).lower())) - set(_WORD.findall(names.lower())) - _USUAL:
                return True
    return False


def _has_lost_pages(table: DatabaseTable) -> bool:
    """Whether a file of SQLite has pages that nothing leads to, as those of a table that its list names no more.

    An order of texts that only its author's program knows (``COLLATE``) keeps SQLite from looking; no order is checked.
    """
    known = set[str]()
    with closing(opened_sqlite(table)) as source:
        while True:
            try:
                found = source.execute(f"PRAGMA quick_check({_MOST_PROBLEMS})").fetchall()
            except sqlite3.Error as error:
                order = str(error).partition("no such collation sequence: ")[2]
                if not order or order in known:
                    raise DataError(f"{table.name}: cannot be read ({type(error).__name__})") from None
                known.add(order)
                source.create_collation(order, lambda _one, _other: 0)
            else:
                return any("never used" in str(told) for (told,) in found)


def _named(
    found: list[tuple[str, str, bool]], table: DatabaseTable, has_rows: Callable[[str], bool]
) -> tuple[str, ...]:
    """The names of those that are not the table itself, and that show something."""
    own = [] if table.table is None else [part.lower() for part in parts_of(table.table)]
    said = []
    for schema, name, view in found:
        catalog = "source." if table.format == "duckdb" else ""
        if own in ([name.lower()], [schema.lower(), name.lower()]) and (len(own) > 1 or schema == "main"):
            continue
        if view or has_rows(f"SELECT 1 FROM {catalog}{identifier(schema)}.{identifier(name)}"):
            said.append(name if schema == "main" else f"{schema}.{name}")
    return tuple(sorted(said))


def select_of(table: DatabaseTable, dialect: str) -> str:
    """The one SELECT that reads the table; a query must be a single SELECT."""
    if table.table is not None:
        return "SELECT * FROM " + ".".join(identifier(part) for part in parts_of(table.table))
    from auditor.engines._grouping import single_select  # it takes sqlglot along

    return single_select(table.query or "", dialect, table.name)


def _attach_duckdb(connection: Connection, table: DatabaseTable) -> tuple[str, list[str]]:
    """Locked before the query is bound: binding alone would open the files that it names.

    Only what the file's author wrote is bound in its catalog: a macro there that is named like a function would be
    taken for the function by every statement of ours.
    """
    connection.raw.execute(f"ATTACH {literal(table.address)} AS source (READ_ONLY)")
    connection.lock([Path(table.address)])
    query = select_of(table, "duckdb")
    with _in_catalog(connection):
        names = [str(row[0]) for row in connection.raw.execute(f"DESCRIBE {query}").fetchall()]
    if not _is_asked_anew(connection, table):
        return f"(SELECT * FROM {_qualified(table)})", names
    with _in_catalog(connection):
        connection.run(table.name, f"CREATE TEMP TABLE {_ONCE} AS FROM (\n{query}\n)")
    return f"temp.main.{_ONCE}", names


@contextmanager
def _in_catalog(connection: Connection) -> Iterator[None]:
    """Bind names as the attached file has them."""
    connection.raw.execute("USE source")
    yield
    connection.raw.execute(f"USE {_OURS}")


def _is_asked_anew(connection: Connection, table: DatabaseTable) -> bool:
    """Whether rows may be drawn anew at each read (random(), LIMIT).

    Those of queries and views are, and columns that a table works out from others; values that it holds are not.
    """
    if table.table is None:
        return True
    drawn = connection.raw.execute(
        "SELECT lower(view_name) FROM system.main.duckdb_views() WHERE NOT internal "
        "UNION SELECT lower(table_name) FROM system.main.duckdb_tables() WHERE sql ILIKE '%GENERATED ALWAYS%'"
    ).fetchall()
    return (parts_of(table.table)[-1].lower(),) in drawn


def _qualified(table: DatabaseTable) -> str:
    """A table of the attached file, by its whole name."""
    parts = parts_of(table.table or "")
    return ".".join(map(identifier, ["source", "main", *parts] if len(parts) == 1 else ["source", *parts[-2:]]))


def opened_sqlite(table: DatabaseTable) -> sqlite3.Connection:
    """A SQLite database, for reading; its path may begin with two slashes, and hold any character.

    Raises:
        DataError: it cannot be opened.
    """
    try:
        return sqlite3.connect(f"{Path(table.address).absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise DataError(f"{table.name}: cannot be read ({type(error).__name__})") from None


def _copy_sqlite(connection: Connection, table: DatabaseTable) -> tuple[str, list[str]]:
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
