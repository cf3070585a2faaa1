"""Engines turn data into class tables. `open_data` opens anything that the contract calls data."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from auditor import registry
from auditor.dialect import CsvDialect
from auditor.engines import duckdb
from auditor.engines._address import Address, Storage, Stores
from auditor.engines._append import CannotAdd
from auditor.engines._beside import DELETED, entries, is_named, says_nothing
from auditor.engines._digest import combined
from auditor.engines._frame_columns import is_read_as_text
from auditor.engines._frames import as_type, kind_of_frame, notes_of, readable, shaped_like, with_index, without_column
from auditor.engines._limits import RunLimits
from auditor.engines._locate import FOREIGN, DatabaseTable, Files, locate, located, without_credentials
from auditor.engines._object_texts import json_text
from auditor.engines._preview import Known, Preview
from auditor.engines._protocol import (
    Allowed,
    ClassReading,
    Coded,
    Column,
    ColumnUse,
    Counted,
    Engine,
    EngineFacts,
    Kind,
    Recoding,
    Regrouping,
    ReleaseRequest,
    Rewritten,
    RowKeys,
    RowSnapshot,
    Source,
    SourceFacts,
)
from auditor.engines._spill import Spill
from auditor.engines.duckdb import BYTES_PER_COMBINATION, DuckDB, Earlier, Keeping, is_counts, kept_in
from auditor.errors import UsageError
from auditor.stages import Stage, done_by, stage

DELIMITERS = duckdb.DELIMITERS
"""The delimiters of CSV files that are found in the header."""
check_name = duckdb.check_name
check_folder_name = duckdb.check_folder_name

__all__ = [
    "BYTES_PER_COMBINATION",
    "DELETED",
    "DELIMITERS",
    "FOREIGN",
    "Address",
    "Allowed",
    "CannotAdd",
    "ClassReading",
    "Coded",
    "Column",
    "ColumnUse",
    "Counted",
    "DatabaseTable",
    "DuckDB",
    "Earlier",
    "Engine",
    "EngineFacts",
    "Files",
    "Keeping",
    "Kind",
    "Known",
    "Preview",
    "Recoding",
    "Regrouping",
    "ReleaseRequest",
    "Rewritten",
    "RowKeys",
    "RowSnapshot",
    "RunLimits",
    "Source",
    "SourceFacts",
    "Spill",
    "Storage",
    "Stores",
    "as_type",
    "check_folder_name",
    "check_name",
    "choices",
    "chosen",
    "column_names",
    "combined",
    "counting_statement",
    "engine_for",
    "entries",
    "is_choice",
    "is_counts",
    "is_named",
    "is_read_as_text",
    "json_text",
    "kept_in",
    "kind_of_frame",
    "locate",
    "located",
    "look_at",
    "open_data",
    "says_nothing",
    "shaped_like",
    "with_index",
    "without_column",
    "without_credentials",
]


def look_at(
    data: str | os.PathLike[str] | Files | DatabaseTable,
    *,
    limits: RunLimits | None = None,
    csv: CsvDialect | None = None,
) -> Preview:
    """What can be known of data without reading it: its columns, its bytes, and about how many rows.

    Raises:
        DataError: there is no such data, or its header cannot be read.
        UsageError: an option makes no sense.
    """
    found = data if isinstance(data, Files | DatabaseTable) else locate(os.fspath(data))
    limits = limits or RunLimits.of()
    if isinstance(found, DatabaseTable) and found.format == "postgresql":
        from auditor.engines.postgres.preview import preview as of_server

        return of_server(found, limits)
    from auditor.engines.duckdb.preview import preview

    return preview(found, csv or CsvDialect(), limits)


def column_names(path: Path) -> list[str]:
    """What a file of a workbook or a statistics package calls its columns, fast; nothing if that cannot be read."""
    from auditor.engines.foreign import _read

    return _read.column_names(path)


def open_data(
    data: Any,
    *,
    limits: RunLimits | None = None,
    csv: CsvDialect | None = None,
    workspace: Path | None = None,
    engine: Engine | None = None,
    weight: str | None = None,
) -> Source:
    """Open data for counting.

    Args:
        data: a path, glob or folder of files; a database URL; either of these as `locate` found it; or any object with
            ``__arrow_c_stream__`` (pandas, Polars and Arrow tables, DuckDB relations).
        limits: memory and time; by default half of the machine's memory and no time limit.
        csv: how CSV files are written; what it leaves open is found in the files.
        workspace: an empty folder for temporary files, which is created if it does not exist, and removed with the
            source; by default a new one.
        engine: what counts the data; by default Spark for a Spark DataFrame, otherwise DuckDB in this process.
        weight: the column that says how many records each row represents, a whole number from 1; by default one.

    Raises:
        DataError: there is no such data, or it cannot be read.
        UsageError: an option makes no sense.
    """
    if engine is None or isinstance(engine, DuckDB):
        engine = _fitting(data) or engine or DuckDB()
    with stage(Stage.OPENING):
        opened = engine.open(readable(data), csv or CsvDialect(), limits or RunLimits.of(), workspace)
    done_by(opened.engine.name, opened.engine.version)
    if isinstance(opened, duckdb.DuckDBSource):
        opened.note(notes_of(data))
    if weight is not None:
        _weigh(opened, weight)
    return opened


def _weigh(source: Source, column: str) -> None:
    """Let each row of a source stand for as many records as a column says."""
    with ExitStack() as failing:
        failing.push(source)
        if not isinstance(source, duckdb.DuckDBSource):
            raise UsageError("--weight is for data that is counted in this process")
        source.weigh(column)
        failing.pop_all()


def counting_statement(table: str, numbers: Mapping[str, bool], dialect: str, weight: str) -> str:
    """The GROUP BY that counts a table in a warehouse, its columns as text.

    `numbers` has the columns, and whether the values of each are numbers: NaN then means missing. `weight` is what the
    column with the number of records is called.

    Raises:
        UsageError: the dialect or the table's name is none.
        Unsupported: a name cannot be written in the dialect.
    """
    from auditor.engines import _grouping

    _grouping.check_dialect(dialect)
    columns = [
        _grouping.ReadColumn(name, _grouping.ValueKind.COUNTED, name, nan=not number)
        for name, number in numbers.items()
    ]
    return _grouping.grouped(_grouping.table(table, dialect), columns, dialect, weight)


def choices() -> tuple[str, ...]:
    """The engines that a user can name: the modules of this room that have `chosen`."""
    return tuple(name for name in registry.names(__name__) if is_choice(name))


def is_choice(name: str) -> bool:
    """Whether a user can name an engine so."""
    return name in registry.names(__name__) and hasattr(registry.module(__name__, name), "chosen")


def chosen(name: str, settings: Mapping[str, str]) -> Engine:
    """The engine of that name, one of `choices`.

    Raises:
        UsageError: the engine does not take the settings.
    """
    engine: Engine = registry.module(__name__, name).chosen(settings)
    return engine


def engine_for(data: Any, engine: Engine | None) -> Engine | None:
    """The engine for data and for what is made of it: Spark for its DataFrames, whoever was chosen for the rest."""
    return _fitting(data) if kind_of_frame(data) == "spark" and engine is None else engine


def _fitting(data: Any) -> Engine | None:
    """What reads data that DuckDB does not: it copies a table of a server to this process; Spark has its DataFrames."""
    if type(data).__module__.startswith("pyspark."):
        from auditor.engines.spark import Spark

        return Spark(data.sparkSession)
    if isinstance(data, str) and data.startswith("postgres"):
        data = locate(data)
    if isinstance(data, DatabaseTable) and data.format == "postgresql":
        from auditor.engines.postgres import PostgreSQL

        return PostgreSQL(push_down=False)
    return None
