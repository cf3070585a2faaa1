"""Data that DuckDB reads; opening databases and objects that speak Arrow (files: `_files`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from auditor.classes import IntArray
from auditor.closing import Closing
from auditor.dialect import CsvDialect
from auditor.engines._append import SourceOrigin
from auditor.engines._arrow_columns import exact_stream
from auditor.engines._frame_columns import unreadable
from auditor.engines._limits import RunLimits
from auditor.engines._locate import DatabaseTable
from auditor.engines._protocol import (
    Allowed,
    Coded,
    Column,
    ColumnUse,
    EngineFacts,
    RowKeys,
    SourceFacts,
    refuse_nested,
)
from auditor.engines.duckdb import _databases, column_sql, copies, csv_files, sql
from auditor.engines.duckdb._counted import DuckDBCounted
from auditor.engines.duckdb._names import names_of_object
from auditor.engines.duckdb._rows import coded_rows, keyed_rows
from auditor.engines.duckdb._snapshot import DuckDBSnapshot
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.errors import translated
from auditor.errors import DataError, Unsupported, UsageError
from auditor.folders import PrivateFolder
from auditor.stages import Stage, stage

SMALL_ROWS = 200_000
"""Below it, sharing the work among threads would cost more than it saves."""


@dataclass(frozen=True)
class Inside:
    """What a source reads: a relation of a connection, with the SQL expression and the type of each of its columns."""

    connection: Connection
    relation: str
    expressions: Mapping[str, tuple[str, str]]
    facts: SourceFacts


class DuckDBSource(Closing):
    """Data opened in a private, locked DuckDB. Build one with `open_files`, `open_table` or `open_object`."""

    engine = EngineFacts("duckdb", duckdb.__version__)

    def __init__(
        self,
        connection: Connection,
        relation: str,
        columns: Sequence[tuple[str, str, str]],
        facts: SourceFacts,
        origin: SourceOrigin | None = None,
        *,
        cheap_rescan: bool = False,
        rows: int | None = None,
        held: Any = None,
        csv: copies.CsvForm = copies.PLAIN,
        json: copies.Json | None = None,
        weight: str | None = None,
    ) -> None:
        """`columns` are (name, SQL expression, type); `held` keeps the object alive that DuckDB reads.

        `origin` is where files come from. `rows` says about how many there are, where that is known without counting.
        `csv` is how CSV files made from this source are written; `json` reads it once more with its JSON values.
        `weight` is an expression, never below 0, that says how many records a row stands for; None where each is one.
        """
        self._weight = weight
        self._json = json
        self._connection = connection
        self._relation = relation
        self._expressions = {name: (expression, kind) for name, expression, kind in columns}
        self._facts = facts
        self.origin = origin
        self._cheap_rescan = cheap_rescan
        self._rows = rows
        self._held = held
        self._folders: list[PrivateFolder] = []
        self._csv = csv
        self.columns = tuple(Column(name, kind, sql.is_usable(kind), sql.is_number(kind)) for name, _, kind in columns)

    @property
    def inside(self) -> Inside:
        """What is read, for whatever else has to be counted of it; facts without the digest of the files."""
        return Inside(self._connection, self._relation, self._expressions, self._facts)

    @property
    def facts(self) -> SourceFacts:
        """Where the data came from; waits for the digest of its files."""
        if self.origin is None:
            return self._facts
        with stage(Stage.HASHING), translated(self._facts.name, self._connection.limits):
            try:
                sha256, guessable = self.origin.sha256(), self.origin.guessable()
            except OSError as error:
                raise DataError(f"{self._facts.name}: cannot be read ({error.strerror})") from None
        facts = self._facts
        return replace(facts, sha256=sha256, guessable=guessable)

    def note(self, notes: tuple[str, ...]) -> None:
        """Keep what is to be said of how the data was read."""
        self._facts = replace(self._facts, notes=(*self._facts.notes, *notes))

    def weigh(self, column: str) -> None:
        """Let each row stand for as many records as a column says, which is then none of the data's.

        Raises:
            UsageError: there is no such column.
            DataError: it holds something else than whole numbers from 1.
        """
        if column not in self._expressions:
            raise UsageError(f"{self._facts.name}: has no column {column!r} to weigh its rows by")
        expression, kind = self._expressions[column]
        if not sql.is_usable(kind):
            raise DataError(f"{self._facts.name}: column {column!r} is nested or binary; weights are whole numbers")
        found = self._connection.rows(self._facts.name, sql.bad_weights(self._relation, expression))[0]
        wrong = ("is missing", "is no number", "is below 1", "is not a whole number", "is too large to add up")
        for bad, what in zip(found, wrong, strict=True):
            if bad:
                raise DataError(
                    f"{self._facts.name}: a weight in column {column!r} {what}; a weight is the number of records "
                    "that a row stands for, at least 1"
                )
        self._weight = f"CAST({expression} AS BIGINT)"
        del self._expressions[column]
        self.columns = tuple(each for each in self.columns if each.name != column)

    def records(self) -> int:
        """How many records the data has."""
        statement = f"SELECT {sql.total(self._weight)} FROM {self._relation}"
        return int(self._connection.rows(self._facts.name, statement)[0][0])

    def dictionary(self, use: ColumnUse) -> tuple[tuple[str | None, ...], IntArray]:
        """The distinct values of one column, ascending, and how many records have each."""
        expression, kind = self._expressions[use.name]
        value = column_sql.value(expression, kind, use.missing_values)
        counts = sql.combinations(self._relation, {"v": value}, self._weight)
        texts = f"SELECT {sql.text('v', kind)} AS t, CAST(sum(n) AS BIGINT) AS n FROM ({counts}) GROUP BY 1"
        self._connection.run(self._facts.name, sql.store("one_dictionary", texts))
        ordered = "FROM one_dictionary ORDER BY t NULLS FIRST"
        labels = self._connection.texts(self._facts.name, f"SELECT t {ordered}")
        found = self._connection.arrays(self._facts.name, f"SELECT n {ordered}")["n"]
        self._connection.run(self._facts.name, "DROP TABLE one_dictionary")
        return labels, np.asarray(found, dtype=np.int64)

    def some(self, uses: Sequence[ColumnUse], rows: int, longest: int) -> tuple[tuple[str | None, ...], ...]:
        """The values of each column in the first rows that DuckDB comes by."""
        if not uses:
            return ()
        refuse_nested(self._facts.name, self.columns, uses)
        texts = (column_sql.row_text(*self._expressions[use.name], use.missing_values) for use in uses)
        listed = ", ".join(f"left({text}, {longest:d}) AS v{place}" for place, text in enumerate(texts))
        statement = f"SELECT {listed} FROM {self._relation} LIMIT {rows:d}"
        found = self._connection.rows(self._facts.name, statement)
        return tuple(zip(*found, strict=True)) if found else tuple(() for _ in uses)

    def fingerprint(self, columns: Sequence[str]) -> tuple[int, int]:
        """How many records the data has, and a sum over their hashes in some columns, whatever the order."""
        listed = ", ".join(self._expressions[name][0] for name in columns)
        hashes = f"hash({listed})" if self._weight is None else f"CAST(hash({listed}) AS HUGEINT) * {self._weight}"
        statement = f"SELECT {sql.total(self._weight)}, coalesce(sum({hashes}), 0) FROM {self._relation}"
        records, total = self._connection.rows(self._facts.name, statement)[0]
        return int(records), int(total)

    def outside(self, use: ColumnUse, allowed: Allowed) -> int:
        """How many records hold a value that breaks any of the conditions."""
        expression, kind = self._expressions[use.name]
        parameters = [allowed.pattern] if allowed.pattern is not None else []
        missing = use.missing_values
        statement = column_sql.outside(self._relation, expression, kind, missing, allowed, weight=self._weight)
        try:
            return int(self._connection.rows(self._facts.name, statement, parameters)[0][0])
        except DataError:
            if allowed.pattern is not None:
                self._connection.check_pattern(allowed.pattern)
            raise

    def coded(self, uses: Sequence[ColumnUse]) -> Coded:
        """Every row, as codes of its values in some columns."""
        self._refuse_counts()
        refuse_nested(self._facts.name, self.columns, uses)
        return coded_rows(self._connection, self._facts.name, self._relation, uses, self._expressions)

    def row_keys(self, use: ColumnUse) -> RowKeys:
        """What tells the values of a column apart, row by row."""
        self._refuse_counts()
        refuse_nested(self._facts.name, self.columns, [use])
        return keyed_rows(self._connection, self._facts.name, self._relation, use, self._expressions)

    def snapshot(self, columns: Sequence[str], uses: Sequence[ColumnUse]) -> DuckDBSnapshot:
        """Keep the rows of some columns, and code those of `uses`."""
        self._refuse_counts()
        refuse_nested(self._facts.name, self.columns, uses)
        return DuckDBSnapshot(
            self._connection,
            self._facts.name,
            self._relation,
            columns,
            uses=uses,
            expressions=self._expressions,
            csv=self._csv,
            json=self._json,
        )

    def _refuse_counts(self) -> None:
        if self._weight is not None:
            raise Unsupported(f"{self._facts.name}: only its counts are known; reading its records needs the table")

    def count(self, uses: Sequence[ColumnUse]) -> DuckDBCounted:
        """Count the distinct combinations of the columns."""
        refuse_nested(self._facts.name, self.columns, uses)
        return DuckDBCounted(
            self._connection,
            self._facts.name,
            self._relation,
            uses,
            self._expressions,
            cheap_rescan=self._cheap_rescan,
            rows=self._rows,
            csv=self._csv,
            json=self._json,
            weight=self._weight,
        )

    @property
    def workspace(self) -> Path:
        """The folder that this source may write to."""
        return self._connection.folder

    def hold(self, folder: PrivateFolder) -> None:
        """Keep a folder until this source is closed."""
        self._folders.append(folder)

    def close(self) -> None:
        """Let go of files, memory and temporary storage."""
        self._connection.close()
        self._held = None
        while self._folders:
            self._folders.pop().remove()


def described(
    connection: Connection, what: str, relation: str, names: Sequence[str] = ()
) -> list[tuple[str, str, str]]:
    """The columns as (name, expression, type); `names` are those of the data itself, where they are known."""
    with translated(what, connection.limits):
        found = connection.raw.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    own = [*names, *(str(row[0]) for row in found[len(names) :])]
    csv_files.check_names(what, own)
    return [(name, sql.identifier(str(row[0])), str(row[1])) for name, row in zip(own, found, strict=True)]


def open_table(
    table: DatabaseTable, dialect: CsvDialect, limits: RunLimits, workspace: Path | None = None
) -> DuckDBSource:
    """Open a table or query of a DuckDB or SQLite database."""
    connection = Connection(limits, workspace)
    try:
        with translated(table.name, limits):
            relation, names = _databases.attach(connection, table)
        columns = [
            (name, sql.exactly(expression, kind), kind)
            for name, expression, kind in described(connection, table.name, relation, names)
        ]
        with translated(table.name, limits):
            unread, notes = _databases.beside(connection, table) if table.released else ((), ())
    except BaseException:
        connection.close()
        raise
    facts = SourceFacts(table.name, table.format, unread=unread, notes=notes)
    csv = copies.CsvForm.of(dialect, columns)
    return DuckDBSource(connection, relation, columns, facts, cheap_rescan=True, csv=csv)


def register(connection: Connection, data: Any) -> None:
    """Make an object readable as object_input; one that may be read only once (a stream) is copied."""
    # Without a sample DuckDB takes every object column of pandas for text, whatever its first rows hold.
    connection.raw.execute("SET pandas_analyze_sample = 0")
    if type(data).__module__.startswith("pandas"):
        connection.raw.register("object_input", data)
        return
    reread = type(data).__module__.startswith("polars") or hasattr(data, "num_rows")
    connection.raw.register("object_input" if reread else "object_stream", data if reread else _Stream(data))
    if not reread:
        # The rows of a copy stand in the order of the stream: nothing else could tell it later.
        copy = "CREATE TEMP TABLE object_input AS SELECT * FROM object_stream"
        connection.raw.execute(f"SET preserve_insertion_order = true; {copy}; SET preserve_insertion_order = false")
        connection.raw.unregister("object_stream")


class _Stream:
    """An object reduced to its Arrow stream, so that DuckDB does not take it for one of its own kinds; exactly."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return exact_stream(self._data).__arrow_c_stream__(requested_schema)


def _rows_of(data: Any) -> int | None:
    """How many rows an object says it has, if it does."""
    return len(data) if hasattr(data, "__len__") else None


def _refused_column(connection: Connection, name: str, data: Any) -> DataError | None:
    """The refusal of the first column of a table in memory that DuckDB does not read by itself, if there is one."""
    pandas, arrow = hasattr(data, "iloc"), hasattr(data, "num_rows")
    if not (pandas or arrow or hasattr(data, "dtypes")):
        return None  # a stream, which is read once
    kinds = data.schema.types if arrow else list(data.dtypes)
    for place, (column, kind) in enumerate(zip(data.column_names if arrow else data.columns, kinds, strict=True)):
        part = data.iloc[:, [place]] if pandas else data.select([place if arrow else column])
        try:
            connection.raw.register("one_column", part)
            connection.raw.execute("DESCRIBE SELECT * FROM one_column")
        except duckdb.Error:
            return unreadable(name, column, kind)
    return None


def open_object(data: Any, dialect: CsvDialect, limits: RunLimits, workspace: Path | None = None) -> DuckDBSource:
    """Open a pandas, Polars or Arrow table, or anything with ``__arrow_c_stream__``."""
    name = f"{type(data).__module__.split('.')[0]} {type(data).__name__}"
    rows = _rows_of(data)
    small = rows is not None and rows < SMALL_ROWS
    connection = Connection(limits, workspace, threads=1 if small else None)
    try:
        names = names_of_object(data)
        if names:
            csv_files.check_names(name, names)
        try:
            with translated(name, limits):
                register(connection, data)
            columns = described(connection, name, "object_input", names)
        except DataError as error:
            raise _refused_column(connection, name, data) or error from None
        connection.lock([])
    except BaseException:
        connection.close()
        raise
    facts = SourceFacts(name, "memory")
    return DuckDBSource(
        connection,
        "object_input",
        columns,
        facts,
        cheap_rescan=not small,
        rows=rows,
        csv=copies.CsvForm.of(dialect, columns),
        held=data,
    )
