"""CSV with Spark's reader, held to what DuckDB's reads: texts, doubled quotes, as many fields as the header has.

Spark is lenient where DuckDB is not. What would be read otherwise is made an error: records with other numbers of
fields (FAILFAST, without leaving columns out while parsing), text after a closing quote, bytes of another encoding.
A field in quotes may hold line ends. Then a file cannot be shared out among executors, so this is looked for first.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Sequence
from typing import Any

from pyspark.sql import functions as fn

from auditor.dialect import CsvDialect
from auditor.engines._locate import Files
from auditor.engines.duckdb import csv_files
from auditor.engines.spark._cluster import SparkCluster
from auditor.errors import DataError, Unsupported

MOST_COLUMNS = 20_000
REPLACED = "\ufffd"
"""What Spark puts where bytes are none of the encoding."""
_BY_LINES = ("utf-8", "utf-8-sig", "ascii", "iso8859-1", "cp1252", "iso8859-15")
"""Encodings in which the bytes of quotes and line ends are those of ASCII."""


def local(
    cluster: SparkCluster, files: Files, paths: Sequence[str], dialect: CsvDialect, base: str
) -> tuple[Any, tuple[str, ...], str]:
    """The files as texts, their columns, and the delimiter of what is made from them.

    Headers are read here, as DuckDB's are. `base` is the folder above their partitions.
    """
    import duckdb

    with duckdb.connect() as database:
        head = csv_files.shared_head(files.paths, dialect, database)
    known = {name.casefold() for name in head.names}
    twice = [name for name in files.partitions if name.casefold() in known]
    if twice:
        raise DataError(
            f"{files.name}: {twice[0]!r} is a column of the files and of the folders named column=value; rename one"
        )
    own = [f"auditor_{place}" for place in range(len(head.names))]
    frame = _read(
        cluster,
        files.name,
        paths,
        head,
        [*own, *files.partitions],
        base=base if files.partitions else None,
        check=False,
    )
    return frame, (*head.names, *files.partitions), "," if ".tsv" in files.paths[0].suffixes else head.delimiter


def remote(
    cluster: SparkCluster, data: str, files: Sequence[str], dialect: CsvDialect
) -> tuple[Any, tuple[str, ...], str]:
    """Files that only the cluster sees: the header is the first line of the first file, and Spark checks the others.

    What comes back is what comes back of `local`.
    """
    if any("=" in part for path in files for part in path.split("/")[:-1]):
        raise Unsupported(f"{data}: the engine spark reads no CSV below folders named column=value at an address")
    encoding = codecs.lookup(dialect.encoding).name if dialect.encoding else "utf-8"
    first = cluster.session.read.option("encoding", encoding).text(files[0]).limit(1)
    lines = cluster.arrow(first)["value"].to_pylist()
    line = lines[0].lstrip("\ufeff") if lines else ""
    tabs = ".tsv" in files[0].rsplit("/", 1)[-1]
    counted = "".join(line.split(dialect.quote)[::2]).count
    delimiter = dialect.delimiter or ("\t" if tabs else max(csv_files.DELIMITERS, key=counted))
    names = next(csv.reader(io.StringIO(line), delimiter=delimiter, quotechar=dialect.quote), [])
    csv_files.check_names(files[0].rsplit("/", 1)[-1], names)
    head = csv_files.CsvHead(tuple(names), delimiter, dialect.quote, encoding)
    frame = _read(cluster, data, files, head, names, base=None, check=True)
    return frame, tuple(names), "," if tabs else delimiter


def _read(
    cluster: SparkCluster,
    what: str,
    paths: Sequence[str],
    head: csv_files.CsvHead,
    columns: Sequence[str],
    *,
    base: str | None,
    check: bool,
) -> Any:
    from pyspark.sql.types import StringType, StructField, StructType

    whole = _quotes_span_lines(cluster, what, paths, head)
    options = {
        "header": "true",
        "enforceSchema": str(not check).lower(),
        "sep": head.delimiter,
        "quote": head.quote,
        "escape": head.quote,
        "encoding": "utf-8" if head.encoding == "utf-8-sig" else head.encoding.replace("iso8859", "iso-8859"),
        "mode": "FAILFAST",
        "columnPruning": "false",
        "unescapedQuoteHandling": "RAISE_ERROR",
        "multiLine": str(whole).lower(),
        "maxColumns": str(MOST_COLUMNS),
        **({"basePath": base} if base else {}),
    }
    schema = StructType([StructField(name, StringType()) for name in columns])
    frame = cluster.session.read.format("csv").options(**options).schema(schema).load(list(paths))
    checked = [_text(frame[f"`{name.replace('`', '``')}`"], head.encoding).alias(name) for name in columns]
    return frame.select(
        *(fn.when(column != "", column).alias(name) for column, name in zip(checked, columns, strict=True))
    )


def _text(column: Any, encoding: str) -> Any:
    """A text that was decoded; an error where bytes were none of the encoding."""
    trouble = fn.raise_error(fn.lit(f"{BYTES} {encoding.upper()}"))
    return fn.when(fn.contains(column, fn.lit(REPLACED)), trouble.cast("string")).otherwise(column)


BYTES = "auditor: bytes that are not"
"""What begins the message with which a cluster refuses bytes of another encoding."""


def _quotes_span_lines(cluster: SparkCluster, what: str, paths: Sequence[str], head: csv_files.CsvHead) -> bool:
    """Whether a field in quotes may hold a line end: where every line has an even number of quotes, none does.

    Raises:
        Unsupported: a file of one column has empty lines, which are records without a value, and which Spark skips.
    """
    if head.encoding not in _BY_LINES:
        return True
    line = fn.col("value")
    quotes = fn.length(line) - fn.length(fn.replace(line, fn.lit(head.quote), fn.lit("")))
    found = cluster.arrow(
        cluster.session.read.text(list(paths)).agg(
            fn.max((quotes % 2).cast("int")).alias("odd"), fn.max((fn.trim(line) == "").cast("int")).alias("blank")
        )
    ).to_pylist()[0]
    if found["blank"] and len(head.names) == 1:
        raise Unsupported(f"{what}: empty lines in a file of one column are records, which Spark's reader leaves out")
    return bool(found["odd"])
