"""Writing a release: the COPY statement for the format that a file's name tells."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from auditor.engines._locate import COMPRESSED, FORMATS, format_of
from auditor.engines.duckdb import _sql
from auditor.engines.duckdb._csv import DELIMITERS
from auditor.errors import UsageError

RAW = "\ue000"
"""What the name of a column with JSON values begins with."""


@dataclass(frozen=True)
class Json:
    """JSON lines with their values as texts, as everybody reads them, and besides as they are.

    Args:
        relation: what to read; its columns are named as the keys.
        values: the expression of each key's JSON value.
    """

    relation: str
    values: Mapping[str, str]

    @classmethod
    def of(cls, files: str, names: Sequence[str]) -> Json | None:
        """Of a list of files; None where a key could be taken for the name of such a column."""
        if any(name.startswith(RAW) for name in names):
            return None
        keys = {name: _sql.identifier(name) for name in names}
        raw = {name: _sql.identifier(RAW + name) for name in names}
        types = ", ".join(f"{key}: 'JSON'" for key in keys.values())
        columns = ", ".join(f"{keys[name]} ->> '$' AS {keys[name]}, {keys[name]} AS {raw[name]}" for name in names)
        return cls(f"(SELECT {columns} FROM read_json({files}, columns={{{types}}}, hive_partitioning=false))", raw)


def check_name(target: Path) -> None:
    """Refuse a name whose format is not written; `UsageError` says which are."""
    *_, ending = ["", *(suffix.lower() for suffix in target.suffixes if suffix.lower() not in COMPRESSED)]
    packed = target.suffix.lower() in COMPRESSED
    if FORMATS.get(ending) not in (("csv", "json") if packed else ("csv", "json", "parquet")):
        raise UsageError(f"{target.name}: a release is written as .csv, .tsv, .parquet or .jsonl (text also .gz, .zst)")


def check_folder_name(target: Path) -> None:
    """Refuse the name of a folder whose files would be of another format than Parquet; `UsageError` says so."""
    if any(FORMATS.get(suffix.lower(), "parquet") != "parquet" for suffix in target.suffixes):
        raise UsageError(f"{target.name}: a cluster writes a folder of Parquet files; name it without another ending")


def is_text(target: Path) -> bool:
    """Whether a file holds nothing but text, so that columns have no types."""
    return format_of(target) == "csv"


def as_text(columns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Expressions and their types as texts, named by their places: c0, c1 and on.

    A line with nothing in it is no record, so in a table of one column a missing value is written as an empty text.
    """
    texts = [_sql.text(expression, kind) for expression, kind in columns]
    if len(texts) == 1:
        texts = [f"coalesce({texts[0]}, '')"]
    return [(text, f"c{place}") for place, text in enumerate(texts)]


def copy(statement: str, target: Path, names: Sequence[str] | None, delimiter: str) -> str:
    """The statement that writes what a SELECT finds.

    Args:
        statement: the SELECT.
        target: the file; its name tells the format and the compression.
        names: the header of a CSV file.
        delimiter: the delimiter of a CSV file; a .tsv file has tabs.
    """
    suffixes = [suffix.lower() for suffix in target.suffixes]
    if names is not None:
        options = _csv_options(names, "\t" if ".tsv" in suffixes else delimiter)
    elif format_of(target) == "parquet":
        options = ["FORMAT parquet", "COMPRESSION zstd"]
    else:
        options = ["FORMAT json"]
    if suffixes[-1] in COMPRESSED:
        options.append(f"COMPRESSION {'gzip' if suffixes[-1] == '.gz' else 'zstd'}")
    return f"COPY ({statement}) TO {_sql.literal(str(target))} ({', '.join(options)})"


def _csv_options(names: Sequence[str], delimiter: str) -> list[str]:
    """The header is ours, because DuckDB would rename names that differ only in case.

    Names are quoted where one holds what might be taken for the delimiter.
    """
    doubtful = any(character in name for name in names for character in DELIMITERS)
    header = io.StringIO()
    style: Literal[0, 1] = csv.QUOTE_ALL if doubtful else csv.QUOTE_MINIMAL
    csv.writer(header, delimiter=delimiter, lineterminator="\n", quoting=style).writerow(names)
    return [
        "FORMAT csv",
        "HEADER false",
        f"DELIMITER {_sql.literal(delimiter)}",
        f"PREFIX {_sql.literal(header.getvalue())}",
        "SUFFIX '\n'",
    ]
