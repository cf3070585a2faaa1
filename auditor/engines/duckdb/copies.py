"""Writing a release: the COPY statement for the format that a file's name tells."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal

from auditor.dialect import CsvDialect
from auditor.engines._locate import COMPRESSED, FORMATS, format_of
from auditor.engines.duckdb import column_sql, sql
from auditor.engines.duckdb._names import restore
from auditor.engines.duckdb.connection import Connection
from auditor.engines.duckdb.csv_files import DELIMITERS
from auditor.engines.duckdb.notation import USUAL, Notation
from auditor.engines.foreign._write import is_written
from auditor.engines.foreign._write import write as write_sheet
from auditor.errors import DataError, DeliveryError, UsageError

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


@dataclass(frozen=True)
class CsvForm:
    """How a CSV file is written: the delimiter, and how the values of columns that were read in that notation are."""

    delimiter: str = ","
    notation: Notation = USUAL

    @classmethod
    def of(cls, dialect: CsvDialect, columns: Sequence[tuple[str, str, str]]) -> CsvForm:
        """That of a table which is no CSV file, and is written as one; texts stay as they are.

        Columns are (name, SQL expression, type).
        """
        typed = [name for name, _, kind in columns if kind != "VARCHAR"]
        return cls(dialect.released, Notation.everywhere(dialect, typed))


PLAIN = CsvForm()


def check_name(target: Path) -> None:
    """Refuse a name whose format is not written; `UsageError` says which are."""
    *_, ending = ["", *(suffix.lower() for suffix in target.suffixes if suffix.lower() not in COMPRESSED)]
    packed = target.suffix.lower() in COMPRESSED
    written = FORMATS.get(ending) in (("csv", "json") if packed else ("csv", "json", "parquet"))
    if not written and (packed or not is_sheet(target)):
        raise UsageError(
            f"{target.name}: a release is written as .csv, .tsv, .parquet, .jsonl (text also .gz, .zst), .xlsx or .ods"
        )


def check_folder_name(target: PurePath) -> None:
    """Refuse the name of a folder whose files would be neither Parquet nor CSV; `UsageError` says so."""
    suffixes = [suffix.lower() for suffix in target.suffixes]
    packed = bool(suffixes) and suffixes[-1] in COMPRESSED
    others = {FORMATS.get(suffix, "parquet") for suffix in suffixes} - {"parquet"}
    if not is_text_folder(target) and (packed or others):
        raise UsageError(
            f"{target.name}: a cluster writes a folder of Parquet files, or of CSV files where its name ends in .csv "
            "or .tsv; name it without another ending"
        )


def is_text_folder(target: PurePath) -> bool:
    """Whether the files in a folder of that name hold nothing but text."""
    return FORMATS.get(target.suffix.lower()) == "csv"


def is_text(target: Path) -> bool:
    """Whether a file is written from texts, so that columns have no types."""
    return format_of(target) == "csv" or is_sheet(target)


def is_sheet(target: PurePath) -> bool:
    """Whether a file is a workbook."""
    return is_written(target.suffix[1:].lower())


def deliver(connection: Connection, statement: str, target: Path, columns: Sequence[str], csv: CsvForm) -> None:
    """Write what a SELECT finds, in the format that the target's name tells.

    Raises:
        DeliveryError: the disk is full or takes no writing, or the format does not hold it.
    """
    try:
        if is_sheet(target):
            write_sheet(connection.frame(target.name, statement, columns, "pandas"), target)
            return
        names = columns if is_text(target) else None
        if names is not None:
            statement = _noted(statement, names, csv.notation)
        connection.run(target.name, copy(statement, target, names, csv.delimiter))
        restore(target, columns)
    except DataError as error:
        raise DeliveryError(f"{error}; nothing was written") from None
    except OSError as error:
        raise DeliveryError(f"{target.name}: could not be written ({error.strerror})") from None


def as_text(columns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Expressions and their types as texts, named by their places: c0, c1 and on.

    A line with nothing in it is no record, so in a table of one column a missing value is written as an empty text.
    """
    texts = [column_sql.row_text(expression, kind) for expression, kind in columns]
    if len(texts) == 1:
        texts = [f"coalesce({texts[0]}, '')"]
    return [(text, f"c{place}") for place, text in enumerate(texts)]


def _noted(statement: str, names: Sequence[str], notation: Notation) -> str:
    """A SELECT of texts as `as_text` names them, whose values are written as those of the columns are."""
    listed = {f"c{place}": notation.written(name, f"c{place}") for place, name in enumerate(names)}
    if all(name == text for name, text in listed.items()):
        return statement
    return f"SELECT {', '.join(f'{text} AS {name}' for name, text in listed.items())} FROM ({statement})"


def as_json(columns: Mapping[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Expressions and their types, by name, whose values JSON has: no number is NaN, which is missing."""
    return {
        name: (column_sql.value(expression, kind) if kind.startswith(sql.FLOATS) else expression, kind)
        for name, (expression, kind) in columns.items()
    }


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
        options = _csv_options(names, delimiter_of(target, delimiter))
    elif format_of(target) == "parquet":
        options = ["FORMAT parquet", "COMPRESSION zstd"]
    else:
        options = ["FORMAT json"]
    if suffixes[-1] in COMPRESSED:
        options.append(f"COMPRESSION {'gzip' if suffixes[-1] == '.gz' else 'zstd'}")
    return f"COPY ({statement}) TO {sql.literal(str(target))} ({', '.join(options)})"


def delimiter_of(target: PurePath, delimiter: str) -> str:
    """The delimiter of a text: tabs where its name says so, else the one that was told."""
    return "\t" if ".tsv" in (suffix.lower() for suffix in target.suffixes) else delimiter


def lines(table: str, columns: Sequence[tuple[str, str]], delimiter: str) -> str:
    """The SELECT of each record's line, without its end, as COPY writes it.

    A missing value is nothing; an empty text, and one that holds the delimiter, a quote, a line end or the sign of
    comments, stands in quotes, doubled within.

    Args:
        table: what is read.
        columns: expressions over it, and their types.
        delimiter: what stands between the fields.
    """
    texts = as_text(columns)
    inner = ", ".join(f"{text} AS {name}" for text, name in texts)
    fields = f" || {sql.literal(delimiter)} || ".join(_field(name, delimiter) for _, name in texts)
    return f"SELECT {fields} AS value FROM (SELECT {inner} FROM {table})"


def _field(name: str, delimiter: str) -> str:
    special = [*map(sql.literal, (delimiter, '"', "#")), "chr(10)", "chr(13)"]
    quoted = " OR ".join([f"{name} = ''", *(f"contains({name}, {each})" for each in special), *_alike(name, delimiter)])
    return f"CASE WHEN {quoted} THEN '\"' || replace({name}, '\"', '\"\"') || '\"' ELSE coalesce({name}, '') END"


def _alike(name: str, delimiter: str) -> Iterator[str]:
    """COPY takes every character for the delimiter that begins with the same byte of UTF-8."""
    continuing = len(delimiter.encode()) - 1
    if continuing:
        first = ord(delimiter) >> 6 * continuing << 6 * continuing
        last, least = first + (1 << 6 * continuing) - 1, (0, 0x80, 0x800, 0x10000)[continuing]
        yield f"regexp_matches({name}, '[\\x{{{max(first, least):x}}}-\\x{{{min(last, 0x10FFFF):x}}}]')"


def header(names: Sequence[str], delimiter: str) -> str:
    """The first line of a text, with its end.

    Names are quoted where one holds what might be taken for the delimiter.
    """
    doubtful = any(character in name for name in names for character in DELIMITERS)
    text = io.StringIO()
    style: Literal[0, 1] = csv.QUOTE_ALL if doubtful else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=style).writerow(names)
    return text.getvalue()


def _csv_options(names: Sequence[str], delimiter: str) -> list[str]:
    """The header is ours, because DuckDB would rename names that differ only in case."""
    return [
        "FORMAT csv",
        "HEADER false",
        f"DELIMITER {sql.literal(delimiter)}",
        f"PREFIX {sql.literal(header(names, delimiter))}",
        "SUFFIX '\n'",
    ]
