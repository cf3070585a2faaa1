"""Arrow and Feather files as one table, and Parquet files that DuckDB would not read exactly.

As of Parquet (see `_footers`): a column stands in the table if it stands in any of the files, and has one type, which
holds the values of all of them exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from auditor.engines._arrow_columns import exact_table
from auditor.engines._locate import NO_PARTITION, Files
from auditor.engines.duckdb import _partitions
from auditor.engines.duckdb._footers import LACKING
from auditor.errors import DataError, Unsupported

WRITTEN_BY_SPARK = b"org.apache.spark.version"
"""What the footer of a Parquet file has that Spark wrote."""


def arrow_files(files: Files) -> tuple[Any, tuple[str, ...]]:
    """The files as one table, Hive partitions as columns, and what is to be told of its columns.

    Raises:
        DataError: a file cannot be read, or no table holds the values of all of them as they are.
    """
    pa = _needed(files)
    if files.compressed:
        raise DataError(f"{files.name}: a compressed Arrow file is not read; decompress it first")
    try:
        tables = [_table(files, path) for path in files.paths]
    except (pa.ArrowException, OSError):
        raise DataError(f"{files.name}: is not a readable {files.format.title()} file") from None
    if all(table.schema.equals(tables[0].schema) for table in tables):
        return pa.concat_tables(tables), ()
    try:
        schema = _shared(tables)
        alike = [_as(table, schema) for table in tables]
    except (pa.ArrowException, ValueError):
        raise DataError(
            f"{files.name}: its files have a column in several types, and no type holds the values of all exactly; "
            "write all files with the same types"
        ) from None
    lacking = any(len(table.schema) < len(schema) for table in tables)
    return pa.concat_tables(alike), (LACKING,) if lacking else ()


def _needed(files: Files) -> Any:
    """pyarrow, without which files of a kind are not read."""
    try:
        import pyarrow as pa
    except ImportError:
        wide = "Parquet files with decimals of more than 38 digits, or with times of 96 bits,"
        kind = "Arrow files" if files.format == "arrow" else wide
        raise Unsupported(f"{files.name}: {kind} need the package pyarrow: pip install pyarrow") from None
    return pa


def _table(files: Files, path: Path) -> Any:
    """One file, with columns that DuckDB reads exactly, and its partitions."""
    import pyarrow as pa

    table = exact_table(_read(path, files.format), alike=True)  # one type in every file
    _partitions.columns(files, table.schema.names)
    for name, value in zip(files.partitions, files.values(path), strict=True):
        label = None if value == NO_PARTITION else unquote(value)
        table = table.append_column(name, pa.repeat(pa.scalar(label, pa.string()), len(table)))
    return table


def _read(path: Path, kind: str) -> Any:
    """One file: Parquet, Arrow's file format (Feather is the same, or its older version) or its stream."""
    import pyarrow as pa
    from pyarrow import feather
    from pyarrow import parquet as pq

    if kind == "parquet":
        with path.open("rb") as opened, pq.ParquetFile(opened) as file:
            return file.read()
    try:
        return feather.read_table(path, memory_map=True)
    except pa.ArrowInvalid:
        with pa.memory_map(str(path)) as mapped:
            table = pa.ipc.open_stream(mapped).read_all()
            if mapped.tell() < mapped.size():
                raise DataError(
                    f"{path.name}: goes on after the end of its stream, where a reader of one stream sees nothing; "
                    "write one stream to a file"
                ) from None
            return table


def refuse_nanoseconds(files: Files) -> None:
    """Refuse Parquet files with times of 96 bits that are finer than microseconds, which Spark cuts off.

    Files that Spark wrote have none.

    Raises:
        DataError: a file cannot be read.
        Unsupported: a file has such times.
    """
    pa = _needed(files)
    from pyarrow import parquet as pq

    for path in files.paths:
        try:
            footer = pq.read_metadata(path)
            columns = [footer.schema.column(place) for place in range(len(footer.schema))]
            names = [] if WRITTEN_BY_SPARK in (footer.metadata or {}) else columns
            fine, _ = _finer(path, [each.name for each in names if each.physical_type == "INT96"])
        except (pa.ArrowException, OSError):
            raise DataError(f"{path.name}: is not a readable Parquet file") from None
        if fine:
            raise Unsupported(
                f"{path.name}: has times of 96 bits with nanoseconds, which Spark cuts off; read it with DuckDB"
            )


def have_nanoseconds(files: Files, names: Sequence[str]) -> bool:
    """Whether times of 96 bits in Parquet files are finer than microseconds.

    Raises:
        DataError: some are, beside others that nanoseconds do not reach (before 1677 or after 2262).
        Unsupported: pyarrow is not installed.
    """
    pa = _needed(files)
    try:
        found = [_finer(path, names) for path in files.paths]
    except (pa.ArrowException, OSError):
        raise DataError(f"{files.name}: is not a readable Parquet file") from None
    fine = any(each for each, _ in found)
    if fine and any(far for _, far in found):
        raise DataError(
            f"{files.name}: holds times with nanoseconds, and others that nanoseconds do not reach; write them as text"
        )
    return fine


def _finer(path: Path, names: Sequence[str]) -> tuple[bool, bool]:
    """Whether times in a Parquet file have nanoseconds; whether there are some that nanoseconds do not reach."""
    import numpy as np
    from pyarrow import parquet as pq
    from pyarrow import types

    fine = far = False
    with (
        path.open("rb") as one,
        path.open("rb") as other,
        pq.ParquetFile(one) as nano,
        pq.ParquetFile(other, coerce_int96_timestamp_unit="us") as micro,
    ):
        names = [each.name for each in nano.schema_arrow if each.name in names and types.is_timestamp(each.type)]
        batches = (file.iter_batches(columns=names) for file in (nano, micro))
        for pair in zip(*batches, strict=True) if names else ():
            for columns in zip(*(batch.columns for batch in pair), strict=True):
                ns, us = (column.cast("int64").fill_null(0).to_numpy(zero_copy_only=False) for column in columns)
                near = np.abs(us) < np.iinfo(np.int64).max // 1000
                far |= not near.all()
                fine |= bool((ns[near] % 1000).any())
    return fine, far


def _shared(tables: Sequence[Any]) -> Any:
    """The columns of all tables, in types that may hold the values of each."""
    import pyarrow as pa

    schemas = [pa.schema([_kind(table, place) for place in range(table.num_columns)]) for table in tables]
    return pa.unify_schemas(schemas, promote_options="permissive")


def _kind(table: Any, place: int) -> Any:
    """The name and type of a column; one without values has no type, and texts have one, however they are stored."""
    import pyarrow as pa

    field, column = table.schema.field(place), table.column(place)
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    return pa.field(field.name, pa.null() if column.null_count == len(column) else kind)


def _as(table: Any, schema: Any) -> Any:
    """A table with the columns of a schema; `ValueError` where one has values that the other type does not hold."""
    import pyarrow as pa

    columns = []
    for field in schema:
        if field.name not in table.schema.names:
            columns.append(pa.nulls(len(table), field.type))
            continue
        column = table.column(field.name)
        if column.null_count == len(column):
            columns.append(pa.nulls(len(table), field.type))
            continue
        if _inexact(column.type, field.type):
            raise ValueError(field.name)
        columns.append(column.cast(field.type))  # an error where a number is none of the other type
    return pa.table(columns, schema=schema)


def _inexact(own: Any, wanted: Any) -> bool:
    """Whether values of one type become others without an error."""
    from pyarrow import types

    decimal = types.is_decimal(own) and types.is_floating(wanted)
    text = types.is_string(own) or types.is_large_string(own)
    return decimal or (text and "binary" in str(wanted)) or types.is_decimal256(wanted)  # which DuckDB does not read
