"""Looking at files without reading them: only footers, headers and first bytes."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from auditor.dialect import CsvDialect
from auditor.engines._layout import layout_of
from auditor.engines._limits import RunLimits
from auditor.engines._locate import COMPRESSED, DatabaseTable, Files
from auditor.engines._preview import Known, Preview
from auditor.engines.duckdb import _footers, _partitions, _preview_tables, csv_files, sql
from auditor.engines.duckdb._names import names_of_object
from auditor.engines.duckdb._preview_tables import Named
from auditor.engines.duckdb._source import described, register
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.errors import translated
from auditor.engines.foreign._read import read as read_foreign
from auditor.errors import DataError, Unsupported


def preview(found: Files | DatabaseTable, dialect: CsvDialect, limits: RunLimits) -> Preview:
    """What can be known of data without reading it.

    Raises:
        DataError: there is no such data, or its header cannot be read.
    """
    connection = Connection(limits, threads=1)
    try:
        with translated(found.name, limits):
            if isinstance(found, DatabaseTable):
                return _preview_tables.preview(found, connection)
            match found.format:
                case "csv" | "fixed":
                    return _csv_files(found, dialect, connection)
                case "parquet":
                    return _parquet(found, connection)
                case "json":
                    return _json(found)
                case "arrow":
                    return _arrow(found)
                case _:
                    return _foreign(found, dialect, limits, connection)
    except OSError as error:
        raise DataError(f"{found.name}: cannot be read ({error.strerror})") from None
    finally:
        connection.close()


def _csv_files(files: Files, dialect: CsvDialect, connection: Connection) -> Preview:
    layout = layout_of(files, dialect)
    if layout is not None:
        return _of_lines(files, [(column.name, "VARCHAR") for column in layout.columns], headers=0)
    head = csv_files.shared_head(files.paths, dialect, connection.raw)
    return _of_lines(files, [(name, "VARCHAR") for name in head.names], headers=len(files.paths))


def _json(files: Files) -> Preview:
    """The keys of the objects that the first bytes hold."""
    names: dict[str, None] = {}
    for line in _first_lines(files.paths[0]):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            names |= dict.fromkeys(value)
    if not names:
        raise DataError(f"{files.name}: does not begin with a JSON object with keys; write one object per line")
    return _of_lines(files, [(name, "VARCHAR") for name in names], headers=0)


def _of_lines(files: Files, columns: Named, headers: int) -> Preview:
    """Files of lines, of which `headers` are no records."""
    size = _size(files)
    read, lines, ended = _sampled(files.paths[0])
    if not read or (not lines and read < size):
        return _of_files(files, columns, None, "unknown")
    rows = round(size * lines / read) + (read == size and not ended)
    return _of_files(files, columns, max(0, rows - headers), "estimated")


def _sampled(path: Path) -> tuple[int, int, bool]:
    """How many bytes of a file were looked at, how many lines end there, and whether the last one does.

    Larger uncompressed files are looked at in the beginning, in the middle and at the end: numbers grow longer.
    """
    size, part = path.stat().st_size, csv_files.HEAD_BYTES
    if path.suffix.lower() in COMPRESSED or size <= 3 * part:
        wanted = min(size, 3 * part)
        head = _head(path, wanted)
        return (wanted if head else 0), head.count(b"\n"), head.endswith(b"\n")
    lines = 0
    with path.open("rb") as file:
        for place in (0, (size - part) // 2, size - part):
            file.seek(place)
            lines += file.read(part).count(b"\n")
    return 3 * part, lines, True


def _head(path: Path, size: int = csv_files.HEAD_BYTES) -> bytes:
    """The text of a file's first bytes, as they stand on the disk; nothing where it cannot be had from them alone."""
    with path.open("rb") as file:
        raw = file.read(size)
    match path.suffix.lower():
        case ".gz":
            return zlib.decompressobj(wbits=31).decompress(raw)
        case ".zst":
            return b""
    return raw


def _first_lines(path: Path) -> list[bytes]:
    """The whole lines in a file's first bytes."""
    head = _head(path)
    lines = head.split(b"\n")
    return lines if len(head) < csv_files.HEAD_BYTES else lines[:-1]


def _parquet(files: Files, connection: Connection) -> Preview:
    """Rows and the bytes of each column, from the footers."""
    listed = sql.files(files.paths, text=False)
    footers = _footers.footers(connection, files)
    reader = footers.reader(files.paths, _partitions.option(files))
    columns = [(name, kind) for name, _, kind in described(connection, files.name, reader, footers.names)]
    (rows,) = connection.rows(files.name, f"SELECT sum(num_rows) FROM parquet_file_metadata({listed})")[0]
    parts = connection.rows(
        files.name,
        "SELECT split_part(path_in_schema, ', ', 1) AS name, sum(total_compressed_size) "
        f"FROM parquet_metadata({listed}) GROUP BY name",
    )
    of_column = {str(name): int(size) for name, size in parts}
    return _of_files(files, columns, int(rows or 0), "exact", of_column, partitioned=True)


def _arrow(files: Files) -> Preview:
    """Rows and columns from the footers; of a stream, which has none, the columns alone."""
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError:
        raise Unsupported("Arrow files need the package pyarrow: pip install pyarrow") from None
    paths = [str(path) for path in files.paths]
    try:
        found = dataset.dataset(paths, format="ipc")
        return _of_files(files, _named(found.schema), int(found.count_rows()), "exact")
    except pa.ArrowException:
        pass
    try:
        with pa.memory_map(paths[0]) as mapped, pa.ipc.open_stream(mapped) as stream:
            return _of_files(files, _named(stream.schema), None, "unknown")
    except (pa.ArrowException, OSError):
        raise DataError(f"{files.name}: is not a readable Arrow file") from None


def _foreign(files: Files, dialect: CsvDialect, limits: RunLimits, connection: Connection) -> Preview:
    """Rows and columns of files of other programs, which are read whole: they are small."""
    frame = read_foreign(files, dialect, limits.own_memory).frame
    register(connection, frame)
    columns = described(connection, files.name, "object_input", names_of_object(frame))
    named = [(name, kind) for name, _, kind in columns]
    return _of_files(files, named, len(frame), "exact", partitioned=True)


def _named(schema: Any) -> Named:
    return [(str(each.name), str(each.type).upper()) for each in schema]


def _of_files(
    files: Files,
    columns: Named,
    rows: int | None,
    known: Known,
    of_column: dict[str, int] | None = None,
    *,
    partitioned: bool = False,
) -> Preview:
    own = [name for name, _ in columns]
    beside = [] if partitioned else [(name, kind) for name, _, kind in _partitions.columns(files, own)]
    return Preview(
        name=files.name,
        format=files.format,
        files=len(files.paths),
        bytes=_size(files),
        rows=rows,
        known="unknown" if rows is None else known,
        columns=_preview_tables.columns_of([*columns, *beside]),
        of_column=of_column or {},
    )


def _size(files: Files) -> int:
    return sum(path.stat().st_size for path in files.paths)
