"""Opening data with Spark: files and folders, addresses that the cluster knows, tables of its catalog, DataFrames."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.dialect import CsvDialect
from auditor.engines._beside import entries, says_nothing
from auditor.engines._digest import FileDigest, digest_later
from auditor.engines._locate import FORMATS, DatabaseTable, Files, locate
from auditor.engines._protocol import SourceFacts
from auditor.engines.duckdb import arrow_tables
from auditor.engines.duckdb.csv_files import check_names
from auditor.engines.spark import _csv
from auditor.engines.spark._cluster import SparkCluster
from auditor.errors import DataError, Unsupported, UsageError

CATALOG = "table:"
"""What begins the name of a table in the cluster's catalog."""
FOOTERS_AT_ONCE = 8
"""So many files are asked for their columns at a time."""
_READ = ("csv", "parquet", "orc")


@dataclass(frozen=True)
class Opened:
    """Data as a DataFrame whose columns are x0, x1, … and the names that they have in the data.

    `delimiter` is that of CSV files, None where the data is none. `at_rest` raises `DataError` where files are no more
    what they were when they were opened.
    """

    frame: Any
    names: tuple[str, ...]
    facts: SourceFacts
    digests: Future[dict[Path, FileDigest]] | None = None
    delimiter: str | None = None
    at_rest: Callable[[], None] = lambda: None


def opened(cluster: SparkCluster, data: Any, dialect: CsvDialect) -> Opened:
    """Open data of any kind that this engine reads.

    Raises:
        DataError: there is no such data, or it cannot be read.
        Unsupported: this engine does not read such data.
    """
    if isinstance(data, Files):
        return _files(cluster, data, dialect)
    if isinstance(data, DatabaseTable):
        raise _no_database(data.name)
    if isinstance(data, str | os.PathLike):
        return _named(cluster, os.fspath(data), dialect)
    home = type(data).__module__.split(".")[0]
    if home == "pyspark":
        return _frame(data, f"{home} DataFrame", "memory")
    if hasattr(data, "__arrow_c_stream__"):
        import pyarrow as pa

        return _frame(cluster.frame(_with_nanoseconds(pa.table(data))), f"{home} {type(data).__name__}", "memory")
    raise UsageError(f"data of type {type(data).__name__!r} cannot be opened; give a path, a URL or a dataframe")


def _with_nanoseconds(table: Any) -> Any:
    """An Arrow table whose times Spark reads exactly: those with nanoseconds, which it would cut off, as texts."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_timestamp(kind) and kind.unit == "ns":
            column = table.column(place).cast(kind)
            fine = any(each is not None and each % 1000 for each in column.cast(pa.int64()).to_pylist())
            plain = column.cast(pa.int64()).cast(pa.timestamp("ns")).cast(pa.string())
            read = plain if fine else column.cast(pa.timestamp("us", kind.tz))
            table = table.set_column(place, field.name, read)
    return table


def _named(cluster: SparkCluster, data: str, dialect: CsvDialect) -> Opened:
    if data.startswith(CATALOG):
        name = data.removeprefix(CATALOG)
        if not name:
            raise UsageError("name a table of the catalog, as table:clinic.visits")
        with cluster.planning():
            return _frame(cluster.session.table(name), data, "table")
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):/", data)
    if scheme and scheme[1] in ("postgresql", "postgres", "duckdb", "sqlite", "http", "https", "ftp", "hf"):
        raise _no_database(re.sub(r"//[^/@]*@", "//", data.split("?", 1)[0]))
    if scheme and scheme[1] != "file":
        return _remote(cluster, data, dialect)
    path = data.removeprefix("file://")
    return _files(cluster, _orc(path) or locate(path), dialect)


def _orc(data: str) -> Files | None:
    """ORC files, which no other engine reads: one, a folder, or a glob."""
    path = Path(data)
    found = [path] if path.is_file() else path.rglob("*.orc") if path.is_dir() else map(Path, glob.glob(data))  # noqa: PTH207
    paths = tuple(sorted(each for each in found if each.suffix.lower() == ".orc" and each.is_file()))
    root = path if path.is_dir() else Path(os.path.commonpath([each.parent for each in paths])) if paths else path
    if any("=" in part for each in paths for part in each.relative_to(root).parent.parts):
        raise Unsupported(f"{data}: ORC below folders named column=value is read from the catalog only (table:NAME)")
    read, everything = set(paths), entries(path) if path.is_dir() else paths
    unread = tuple(e.relative_to(root).as_posix() for e in everything if e not in read and not says_nothing(e))
    return Files(data, "orc", paths, root, unread=unread) if paths else None


def _address(path: Path) -> str:
    """The address of a local file; Spark takes names for globs."""
    return "file://" + re.sub(r"([\\*?\[\]{}])", r"\\\1", str(path.absolute()))


def _no_database(name: str) -> Unsupported:
    return Unsupported(f"{name}: the engine spark reads files, tables of its catalog (table:NAME) and DataFrames")


def _frame(frame: Any, name: str, kind: str) -> Opened:
    names = tuple(frame.columns)
    check_names(name, list(names))
    return Opened(_numbered(frame), names, SourceFacts(name, kind))


def _numbered(frame: Any) -> Any:
    """The DataFrame with columns named by their places: names may differ in case only, or hold dots."""
    return frame.toDF(*(f"x{place}" for place in range(len(frame.columns))))


def _files(cluster: SparkCluster, files: Files | DatabaseTable, dialect: CsvDialect) -> Opened:
    """Files that this process sees too: found as DuckDB finds them, with partitions as texts."""
    if isinstance(files, DatabaseTable):
        raise _no_database(files.name)
    if files.format not in _READ:
        raise Unsupported(f"{files.name}: the engine spark reads CSV, Parquet and ORC, and this is {files.format}")
    _refuse_escapes(files)
    before = _states(files)
    digests = digest_later(files.paths)
    paths = [_address(path) for path in files.paths]
    delimiter = None
    with cluster.planning():
        if files.format == "csv":
            frame, names, delimiter = _csv.local(cluster, files, paths, dialect, _base(files))
        else:
            frame, names = _columnar(cluster, files, paths)
    check_names(files.name, list(names))

    def at_rest() -> None:
        if _states(files) != before:
            raise DataError(f"{files.name}: the data changed while it was read; audit it again once it is at rest")

    facts = SourceFacts(files.name, files.format, len(files.paths), unread=files.unread)
    return Opened(_numbered(frame), names, facts, digests, delimiter, at_rest)


def _refuse_escapes(files: Files) -> None:
    """Refuse folders whose names Spark reads otherwise: percent signs beyond ASCII, and Hive's name for nothing."""
    values = {value for path in files.paths for value in files.values(path)}
    if any(re.search("%[89A-Fa-f][0-9A-Fa-f]", value) or value == "__HIVE_DEFAULT_PARTITION__" for value in values):
        raise Unsupported(
            f"{files.name}: has folders named column=value with %-signs for letters beyond ASCII, or Hive's default "
            "partition, which Spark reads otherwise; read them with DuckDB, or from the catalog (table:NAME)"
        )


def _base(files: Files) -> str:
    """The folder below which folders named column=value are partitions."""
    return f"file://{files.root.absolute()}"


def _states(files: Files) -> list[tuple[int, int, int]] | None:
    """Size, time of change and number of each file; None where one is gone."""
    try:
        found = [path.stat() for path in files.paths]
    except OSError:
        return None
    return [(each.st_size, each.st_mtime_ns, each.st_ino) for each in found]


def _columnar(cluster: SparkCluster, files: Files, paths: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
    """Parquet or ORC: every file with the same columns; Spark would take those that one lacks for missing."""
    from pyspark.sql.types import StringType, StructField, StructType

    schema = _same_schema(cluster, files.format, paths)
    if files.format == "orc":
        _refuse_changing_clocks(cluster, files.name, schema)
    elif any(field.dataType.typeName().startswith("timestamp") for field in schema.fields):
        arrow_tables.refuse_nanoseconds(files)
    own = {name.casefold() for name in schema.fieldNames()}
    twice = [name for name in files.partitions if name.casefold() in own]
    if twice:
        raise DataError(
            f"{files.name}: {twice[0]!r} is a column of the files and of the folders named column=value; rename one"
        )
    told = StructType([*schema.fields, *(StructField(name, StringType()) for name in files.partitions)])
    reader = cluster.session.read.format(files.format).schema(told)
    if files.partitions:
        reader = reader.option("basePath", _base(files))
    return reader.load(list(paths)), tuple(told.fieldNames())


def _same_schema(cluster: SparkCluster, kind: str, paths: Sequence[str]) -> Any:
    """The columns of the files, which must be those of the first."""

    def of(path: str) -> Any:
        with cluster.planning():
            return cluster.session.read.format(kind).option("recursiveFileLookup", "true").load(path).schema

    first = of(paths[0])
    with ThreadPoolExecutor(FOOTERS_AT_ONCE) as pool:
        for path, schema in zip(paths[1:], pool.map(of, paths[1:]), strict=True):
            if schema != first:
                name = path.rsplit("/", 1)[-1]
                raise DataError(f"{name}: differs from the first file in its columns; write all files alike")
    return first


def _refuse_changing_clocks(cluster: SparkCluster, name: str, schema: Any) -> None:
    """Refuse ORC's times where Spark would read two of them as one.

    They are times on a clock, and Spark reads them as what the clock of its own processes shows at some instant. A
    clock that is put forward in spring shows some of them never, and Spark takes others for those.
    """
    times = [field.name for field in schema.fields if field.dataType.typeName() == "timestamp"]
    if not times:
        return
    zone = "java_method('java.util.TimeZone', 'getDefault') AS zone"
    found = cluster.arrow(cluster.session.range(1).selectExpr(zone))["zone"][0].as_py()
    if "transitions=0" not in found:
        raise Unsupported(
            f"{name}: column {times[0]!r} holds times, which Spark reads from ORC in the time zone of its executors, "
            "and theirs changes its clocks; start them with "
            "--spark-conf spark.executor.extraJavaOptions=-Duser.timezone=UTC"
        )


def _remote(cluster: SparkCluster, data: str, dialect: CsvDialect) -> Opened:
    """What only the cluster sees: an address of HDFS or an object store."""
    name = re.sub(r"//[^/@]*:[^/@]*@", "//", data.split("?", 1)[0])
    kind = next((FORMATS.get(ending, "orc") for ending in _endings(data) if ending in (*FORMATS, ".orc")), None)
    session = cluster.session
    delimiter = None
    with cluster.planning():
        listed = _listing(cluster, data)
        if not listed:
            raise DataError(f"{name}: there is no such file or folder, or it holds none")
        found = {kind} if kind else {FORMATS.get(end) for path in listed for end in _endings(path)} - {None}
        found |= {"orc"} if not kind and any(".orc" in _endings(path) for path in listed) else set()
        if len(found) != 1 or not found <= set(_READ):
            raise Unsupported(f"{name}: the engine spark reads folders of CSV, Parquet or ORC files, of one kind")
        (kind,) = found
        if kind == "csv":
            frame, names, delimiter = _csv.remote(cluster, data, sorted(listed), dialect)
        else:
            schema = _same_schema(cluster, str(kind), sorted(listed))
            if kind == "orc":
                _refuse_changing_clocks(cluster, name, schema)
            _refuse_partitions_of_columns(name, schema, listed)
            frame = session.read.format(kind).load(data)
            frame = _texts_of_partitions(frame, min(listed))
            names = tuple(frame.columns)
    check_names(name, list(names))

    def at_rest() -> None:
        if _listing(cluster, data) != listed:
            raise DataError(f"{name}: the data changed while it was read; audit it again once it is at rest")

    return Opened(_numbered(frame), names, SourceFacts(name, str(kind), len(listed)), None, delimiter, at_rest)


def _refuse_partitions_of_columns(name: str, schema: Any, paths: Iterable[str]) -> None:
    """Refuse folders named for a column of the files: Spark would read the folder's value in its place."""
    own = {field.casefold() for field in schema.fieldNames()}
    named = {part.partition("=")[0] for path in paths for part in path.split("/")[:-1] if "=" in part}
    for each in sorted(named):
        if each.casefold() in own:
            raise DataError(
                f"{name}: {each!r} is a column of the files and of the folders named column=value; rename one"
            )


def _texts_of_partitions(frame: Any, path: str) -> Any:
    """Partitions as texts: Spark would guess types, and 01 would become 1."""
    from pyspark.sql.types import StringType

    named = {part.partition("=")[0] for part in path.split("/")[:-1] if "=" in part}
    guessed = [f for f in frame.schema.fields if f.name in named and not isinstance(f.dataType, StringType)]
    if guessed:
        raise Unsupported(
            f"Spark guesses the type of the partition {guessed[0].name!r}; "
            "set spark.sql.sources.partitionColumnTypeInference.enabled=false"
        )
    return frame


def _endings(path: str) -> list[str]:
    """The endings of a name, the last one first, without those of compressed files."""
    parts = path.rstrip("/").rsplit("/", 1)[-1].lower().split(".")[1:]
    return [f".{part}" for part in reversed(parts) if part not in ("gz", "zst", "snappy", "zstd")][:1]


def _listing(cluster: SparkCluster, data: str) -> dict[str, tuple[int, str]]:
    """The files at an address, with size and time of change; their contents are not read."""
    reader = cluster.session.read.format("binaryFile").option("recursiveFileLookup", "true")
    found = cluster.arrow(reader.load(data).select("path", "length", "modificationTime"))
    return {row["path"]: (row["length"], str(row["modificationTime"])) for row in found.to_pylist()}
