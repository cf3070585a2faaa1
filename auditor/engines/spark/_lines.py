"""Releases as text: the lines of CSV are made on the executors by DuckDB, so that they are those of its own files.

Every file has the header, as whoever reads one of them expects. Spark writes the lines as text, in files that it calls
``.txt``; they are renamed before anybody reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from auditor.engines.duckdb import copies
from auditor.engines.spark import _types
from auditor.errors import DeliveryError, Unsupported

LINE = "value string"
"""The rows that are written."""
WRITTEN = ".txt"
"""What Spark calls files of text."""


def lines(frame: Any, what: str, target: PurePath, delimiter: str) -> Any:
    """The lines of a release as a DataFrame of one column, in the order of its rows; each partition has the header.

    Raises:
        Unsupported: a column is nested, binary or of another type that has no text.
    """
    kinds = [_types.column(field.name, field.dataType) for field in frame.schema.fields]
    for column in kinds:
        if not column.usable:
            raise Unsupported(
                f"{what}: column {column.name!r} ({column.type}) has no text that every engine writes alike; release "
                "a folder of Parquet files, or leave the column out"
            )
    delimiter = copies.delimiter_of(target, delimiter)
    names = [f"y{place}" for place in range(len(kinds))]
    columns = [(name, column.type) for name, column in zip(names, kinds, strict=True)]
    header = copies.header(frame.columns, delimiter).removesuffix("\n")
    made = partial(lines_of_partition, statement=copies.lines("found", columns, delimiter), header=header)
    return frame.toDF(*names).mapInArrow(made, LINE)


def lines_of_partition(batches: Iterator[Any], statement: str, header: str) -> Iterator[Any]:
    """The header, and the lines that a statement of DuckDB's makes of the table `found`, for batches of records.

    The first partition has the header also where it has no records: Spark writes a file of it even then.
    """
    import duckdb
    import pyarrow as pa
    from pyspark import TaskContext

    def batch(texts: Sequence[str]) -> Any:
        return pa.RecordBatch.from_pydict({"value": pa.array(texts, pa.string())})

    task = TaskContext.get()
    headed = task is not None and task.partitionId() == 0
    if headed:
        yield batch([header])
    with duckdb.connect(config={"threads": "1", "python_enable_replacements": "false"}) as database:
        database.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
        for records in batches:
            if not headed:
                yield batch([header])
                headed = True
            database.register("found", pa.Table.from_batches([records]))
            yield from database.sql(statement).to_arrow_table().to_batches()
            database.unregister("found")


def rename_files(folder: Path, ending: str) -> None:
    """Give the files of text that Spark wrote another ending; its checksums, of files with the old names, go.

    Raises:
        DeliveryError: the folder is not there, or cannot be written to.
    """
    try:
        for path in [*folder.glob(f"part-*{WRITTEN}")]:
            path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
            path.rename(path.with_suffix(ending))
    except OSError as error:
        raise DeliveryError(f"{folder.name}: cannot be written ({error.strerror}); nothing was written") from None
