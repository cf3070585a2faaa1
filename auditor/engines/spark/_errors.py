"""Spark's errors as ours: what went wrong, without its stack trace, a value of the data, or an address with a key.

Spark repeats records, paths with credentials and whole plans in its messages. Only the kind of trouble is taken over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from auditor.engines._limits import RunLimits
from auditor.errors import AuditorError, DataError, Interrupted, OutOfMemory, Unsupported

_TROUBLES: tuple[tuple[str, type[AuditorError], str], ...] = (
    (r"cancelled|OPERATION_CANCELED|INTERRUPTED", Interrupted, "interrupted; nothing was written"),
    (
        r"auditor: bytes that are not ([A-Z0-9-]+)",
        DataError,
        "holds bytes that are not {0}; declare its encoding (--encoding latin-1, …)",
    ),
    (
        r"No module named '(\w+)'",
        Unsupported,
        "the Python of Spark's executors has no module {0}; auditor and its dependencies must be installed there",
    ),
    (
        (
            r"OutOfMemoryError|Java heap space|GC overhead|maxResultSize|UNABLE_TO_ACQUIRE_MEMORY|MemoryError"
            r"|running beyond physical memory"
        ),
        OutOfMemory,
        "Spark ran out of memory; give its executors or its driver more, or group by fewer columns",
    ),
    (r"No space left|Disk quota exceeded", OutOfMemory, "Spark needs temporary space that a disk does not have"),
    (r"TABLE_OR_VIEW_NOT_FOUND|SCHEMA_NOT_FOUND|CATALOG_NOT_FOUND", DataError, "there is no such table in the catalog"),
    (r"PATH_NOT_FOUND|Path does not exist", DataError, "there is no such file or folder"),
    (
        r"/blockmgr-|temp_shuffle_|shuffle_\d+_\d+",
        DataError,
        "an executor of Spark has lost the folder of its temporary files (spark.local.dir); audit it again",
    ),
    (
        r"FAILED_READ_FILE\.FILE_NOT_EXIST|FileNotFoundException|underlying files have been updated|FILE_NOT_EXIST",
        DataError,
        "a file is gone, or has changed since it was opened",
    ),
    (
        r"MALFORMED_RECORD|MalformedCSV|MALFORMED_CSV|Unescaped quote|TextParsingException",
        DataError,
        "a record has more or fewer fields than the header, or a quote out of place",
    ),
    (
        r"COLUMN_ALREADY_EXISTS|AMBIGUOUS_REFERENCE|duplicate column|DUPLICATED_FIELD_NAME",
        DataError,
        "has column names that differ only in case, which Spark treats as one; rename one of them",
    ),
    (r"UNRESOLVED_COLUMN|FIELD_NOT_FOUND|cannot resolve", DataError, "a column is gone since the data was opened"),
    (
        r"No FileSystem for scheme|UnsupportedFileSystemException|S3AFileSystem not found|ClassNotFoundException",
        Unsupported,
        "Spark has no reader for this; add its package with --spark-conf spark.jars.packages=…",
    ),
    (
        r"AccessControlException|AccessDenied|Permission denied|Forbidden|INSUFFICIENT_PERMISSIONS|Unauthorized",
        DataError,
        "may not be read: no permission, or no credentials that Spark knows of",
    ),
    (
        r"Parquet type:? .*\bFLOAT16\b",
        Unsupported,
        "has a column of half floats (float16), which Spark does not read; write it as float32, or use --engine duckdb",
    ),
    (
        r"\[PARQUET_TYPE_\w+\] .*?: ([A-Z][A-Za-z0-9_ (),]*[A-Za-z0-9)])",
        Unsupported,
        "has a column of the Parquet type {0}, which Spark does not read; write it as another, or use --engine duckdb",
    ),
    (
        (
            r"CANNOT_READ_FILE_FOOTER|not a Parquet file|FAILED_READ_FILE|Malformed ORC|UNABLE_TO_INFER_SCHEMA"
            r"|PARQUET_COLUMN_DATA_TYPE_MISMATCH|PARQUET_CONVERSION_FAILURE|PARQUET_TYPE"
        ),
        DataError,
        "cannot be read: a file is damaged, is of another kind, or differs from the others in its columns",
    ),
    (
        r"worker exited unexpectedly|Python worker failed|ExecutorLostFailure|FetchFailed|executor .* exited",
        DataError,
        "an executor of Spark ended and could not be replaced; its memory may have been too small",
    ),
    (
        (
            r"Answer from Java side is empty|Connection refused|Connection reset|Error while sending or receiving"
            r"|stopped SparkContext|UNAVAILABLE|SESSION_CLOSED|Connection aborted|failed to connect"
        ),
        DataError,
        "the connection to Spark was lost",
    ),
)


@contextmanager
def translated(what: str, limits: RunLimits) -> Iterator[None]:
    """Run calls of Spark about `what`; whatever they raise becomes an `AuditorError`."""
    try:
        yield
    except (AuditorError, KeyboardInterrupt, SystemExit):
        raise
    except Exception as error:  # noqa: BLE001  (PySpark's, Py4J's, gRPC's and sockets': none of their texts is safe)
        limits.check()
        raise trouble(what, error) from None


def trouble(what: str, error: Exception) -> AuditorError:
    """What an error of Spark's means, about `what`."""
    text = f"{type(error).__name__}: {error}"
    for pattern, kind, told in _TROUBLES:
        found = re.search(pattern, text)
        if found:
            return kind(told if kind is Interrupted else f"{what}: {told.format(*found.groups())}")
    condition = getattr(error, "getCondition", lambda: None)()
    return DataError(f"{what}: Spark could not read it ({condition or type(error).__name__})")
