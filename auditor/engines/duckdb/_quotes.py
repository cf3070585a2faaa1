"""Spaces around quoted fields of CSV, which DuckDB drops and other readers keep.

To a spreadsheet, pandas or Spark ` "p"` is a text of four characters, to DuckDB it is p: two values would be one.
"""

from __future__ import annotations

import csv
import gzip
import mmap
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from auditor.engines._locate import COMPRESSED
from auditor.engines.duckdb import csv_files
from auditor.engines.duckdb.connection import Connection
from auditor.errors import DataError

CHUNK = 1 << 22
"""Bytes of a compressed file that are looked at together."""


def refuse_spaces(connection: Connection, paths: Sequence[Path], head: csv_files.CsvHead) -> None:
    """Refuse files with a space before the quote that opens a field, or behind the one that closes it.

    Raises:
        DataError: says in which line.
    """
    for path in paths:
        try:
            seen = _may_have_spaces(connection, path, head)
            line = _first_line(_lines(connection, path, head), head) if seen else None
        except (EOFError, OSError, zlib.error):
            raise DataError(f"{path.name}: cannot be read, or decompressed") from None
        if line is not None:
            raise DataError(
                f"{path.name}:{line}: has a space or text before or after a quoted field, which only some readers "
                "take as part of it; remove it, or quote it"
            )


def _may_have_spaces(connection: Connection, path: Path, head: csv_files.CsvHead) -> bool:
    """Whether there is such a place, be it inside a quoted field; most files have none, and are looked at once."""
    width = "utf-16-le" if head.encoding == "utf-16" else head.encoding.removesuffix("-sig")
    space, quote, delimiter, *ends = (re.escape(c.encode(width)) for c in (" ", head.quote, head.delimiter, "\r", "\n"))
    edge = b"|".join((delimiter, *ends))
    spaced = re.compile(b"(?:\\A|%b)(?:%b)+%b|%b(?:%b)+(?:%b|\\Z)" % (edge, space, quote, quote, space, edge))
    pairs = [f" {head.quote}".encode(width), f"{head.quote} ".encode(width)]
    if path.suffix.lower() not in COMPRESSED:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return any(content.find(pair) >= 0 for pair in pairs) and spaced.search(content) is not None
    return any(
        any(pair in line for pair in pairs) and spaced.search(line) for line in _decompressed(connection, path, head)
    )


def _decompressed(connection: Connection, path: Path, head: csv_files.CsvHead) -> Iterator[bytes]:
    """Parts of a file that end where a line does."""
    if path.suffix.lower() != ".gz":
        yield from (line.encode() for line in _lines(connection, path, head))
        return
    with gzip.open(path) as file:
        while lines := file.readlines(CHUNK):
            yield b"".join(lines)


def _lines(connection: Connection, path: Path, head: csv_files.CsvHead) -> Iterator[str]:
    """The lines of a file, as texts; DuckDB reads what Python cannot decompress."""
    encoding = "utf-8-sig" if head.encoding == "utf-8" else head.encoding
    if path.suffix.lower() not in COMPRESSED:
        with path.open(encoding=encoding, errors="replace", newline="") as text:
            yield from text
    elif path.suffix.lower() == ".gz":
        with gzip.open(path, "rt", encoding=encoding, errors="replace", newline="") as text:
            yield from text
    else:
        reading = connection.raw.cursor().execute(csv_files.whole_lines(path))
        while rows := reading.fetchmany(10_000):
            yield from (f"{line or ''}\n" for (line,) in rows)


def _first_line(lines: Iterable[str], head: csv_files.CsvHead) -> int | None:
    """The number of the first line with a space around a quoted field."""
    record: list[str] = []

    def kept() -> Iterator[str]:
        for line in lines:
            record.append(line)
            yield line

    reader = csv.reader(kept(), delimiter=head.delimiter, quotechar=head.quote, strict=True)
    quote, delimiter = re.escape(head.quote), re.escape(head.delimiter)
    # a field in quotes, or the spaces before a quote that another field begins with
    field = re.compile(f"{quote}(?:[^{quote}]|{quote}{quote})*{quote}|( +{quote})?[^{delimiter}\r\n]*")
    try:
        for row in reader:
            if any(each[:1] == " " and each.lstrip(" ")[:1] == head.quote for each in row):
                text, place = "".join(record), 0
                for _ in row:
                    found = field.match(text, place)
                    if found is None or found[1]:
                        return reader.line_num
                    place = found.end() + 1
            record.clear()
    except csv.Error:  # text behind a closing quote: a space, or what DuckDB refuses
        return reader.line_num
    return None
