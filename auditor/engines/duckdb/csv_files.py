"""Reading CSV so that text stays text: the header and dialect are ours, the parsing is DuckDB's.

DuckDB's own detection guesses types (01234 becomes 1234), renames duplicate columns and treats names that differ only
in case as one. So the header is read here, columns get names of our own (c0, c1, …), and all of them are text.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import duckdb

from auditor.dialect import CsvDialect
from auditor.engines._locate import COMPRESSED, Files
from auditor.engines.duckdb.sql import files, literal
from auditor.errors import DataError

HEAD_BYTES = 1 << 16
MAX_LINE_BYTES = 1 << 26
DELIMITERS = ",;\t|"
NATIVE_ENCODINGS = {"utf-8": "utf-8", "utf-8-sig": "utf-8", "utf-16": "utf-16", "iso8859-1": "latin-1"}
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, slots=True)
class CsvHead:
    """The header of a CSV file and the dialect it is written in."""

    names: tuple[str, ...]
    delimiter: str
    quote: str
    encoding: str


def read_head(path: Path, dialect: CsvDialect, connection: duckdb.DuckDBPyConnection) -> CsvHead:
    """The header of a file: the names of its columns, checked, and how the file is written."""
    for size in (HEAD_BYTES, MAX_LINE_BYTES):
        raw = _first_bytes(path, connection, size)
        encoding = _encoding(raw, dialect.encoding)
        text = _decoded(path.name, raw, encoding)
        if not text.strip("\0\r\n \t"):
            raise DataError(f"{path.name}: the file is empty; a header and at least one record are needed")
        delimiter = dialect.delimiter or _delimiter(path, text, dialect.quote)
        csv.field_size_limit(MAX_LINE_BYTES)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=dialect.quote)
        names = next(lines, [])
        if len(raw) < size or lines.line_num < text.count("\n"):
            check_names(f"{path.name}:1", names)
            return CsvHead(tuple(names), delimiter, dialect.quote, encoding)
    raise DataError(f"{path.name}:1: the header is longer than the limit of 64 MiB")


def encoding_of(path: Path, dialect: CsvDialect, connection: duckdb.DuckDBPyConnection) -> str:
    """The encoding of a text, by what is declared and by its first bytes.

    Raises:
        DataError: they are not in it.
    """
    raw = _first_bytes(path, connection, HEAD_BYTES)
    encoding = _encoding(raw, dialect.encoding)
    _decoded(path.name, raw, encoding)
    return encoding


def shared_head(paths: Sequence[Path], dialect: CsvDialect, connection: duckdb.DuckDBPyConnection) -> CsvHead:
    """The header of files that are read together: the names of the columns, and how text is written, are the same.

    Raises:
        DataError: they are not.
    """
    head = read_head(paths[0], dialect, connection)
    for path in paths[1:]:
        other = read_head(path, dialect, connection)
        if other.names != head.names:
            raise DataError(f"{path.name}: its header differs from that of {paths[0].name}")
        # The header of one column shows no delimiter.
        if len(head.names) > 1 and other.delimiter != head.delimiter:
            raise DataError(f"{path.name}: has another delimiter than {paths[0].name}; write all files alike")
        if other.encoding.removesuffix("-sig") != head.encoding.removesuffix("-sig"):
            raise DataError(f"{path.name}: has another encoding than {paths[0].name}; write all files alike")
    return head


def check_names(where: str, names: list[str]) -> None:
    """Refuse headers in which a column cannot be meant by its name."""
    if any("\0" in name for name in names):
        raise DataError(f"{where}: the header holds NUL bytes; is this a CSV file?")
    if not names:
        raise DataError(f"{where}: the first line is empty; it must name the columns")
    unnamed = [str(i) for i, name in enumerate(names, 1) if not name.strip()]
    if unnamed:
        raise DataError(f"{where}: column {', '.join(unnamed[:5])} has no name; every column needs one")
    if len(set(names)) < len(names):
        # Not by the name: where there is no header, it is a value.
        first = next(names.index(name) for place, name in enumerate(names) if names.index(name) < place)
        second = names.index(names[first], first + 1)
        raise DataError(f"{where}: columns {first + 1} and {second + 1} have the same name; names must differ")


def relation(paths: tuple[Path, ...], head: CsvHead, columns: Sequence[str], hive: str) -> str:
    """The table function that reads the files as text columns of the names given."""
    listed = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in columns)
    encoding = NATIVE_ENCODINGS[head.encoding]
    quote = literal(head.quote)
    # Threads share a file out by buffers; by default one holds 16 of the longest lines, which is most files whole.
    return (
        f"read_csv({files(paths)}, delim={literal(head.delimiter)}, quote={quote}, escape={quote}, "
        f"header=true, auto_detect=false, columns={{{listed}}}, encoding='{encoding}', nullstr='', strict_mode=true, "
        f"null_padding=false, max_line_size={MAX_LINE_BYTES}, buffer_size={MAX_LINE_BYTES}, {hive})"
    )


def transcoded(given: Files, head: CsvHead, folder: Path, *, any_line_end: bool) -> tuple[Path, ...]:
    """Copies in UTF-8 of files that DuckDB does not read as they are, in folders of the same names."""
    copies = []
    encoding = head.encoding
    for number, path in enumerate(given.paths):
        if path.suffix.lower() in COMPRESSED:
            why = "whose lines end in several ways" if any_line_end else f"in {encoding}"
            raise DataError(f"{path.name}: a compressed file {why} is not read; decompress it first")
        copy = folder / "copies" / path.relative_to(given.root).parent / f"{number}.csv"
        copy.parent.mkdir(parents=True, exist_ok=True)
        ends = _LineEnds(head.quote) if any_line_end else None
        try:
            with (
                path.open(encoding=encoding, newline="") as source,
                path.open("rb") as stored,
                copy.open("w", encoding="utf-8", newline="") as target,
            ):
                while chunk := source.read(HEAD_BYTES):
                    _check_spelling(path.name, chunk, stored, encoding)
                    target.write(chunk if ends is None else ends.alike(chunk))
        except UnicodeError:
            raise DataError(f"{path.name}: holds bytes that are not {encoding.upper()}; declare its encoding") from None
        copies.append(copy)
    return tuple(copies)


def _check_spelling(name: str, text: str, stored: BinaryIO, encoding: str) -> None:
    """Refuse a piece of a file that its encoding writes otherwise: two values would be read as one.

    Some encodings have a character twice (CP932, Big5). Of Unicode's own, only the mark at the beginning may differ.
    """
    if encoding.startswith("utf-"):
        return
    written = text.encode(encoding)
    if stored.read(len(written)) != written:
        why = f"writes a character in another way than {encoding.upper()} usually does, so two values may look like one"
        raise DataError(f"{name}: {why}; write the file in UTF-8")


class _LineEnds:
    """A text, piece by piece, in which every line ends with LF; what stands in quotes stays."""

    def __init__(self, quote: str) -> None:
        self._quote = quote
        self._searched = re.compile(rf"\r\n?|{re.escape(quote)}")
        self._quoted = False
        self._cut = False

    def alike(self, piece: str) -> str:
        """A piece with its lines ended alike; an LF that continues the CR of the last piece is none."""
        if self._cut and not self._quoted and piece.startswith("\n"):
            piece = piece[1:]
        self._cut = piece.endswith("\r")
        return self._searched.sub(self._ended, piece)

    def _ended(self, found: re.Match[str]) -> str:
        if found[0] == self._quote:
            self._quoted = not self._quoted
            return found[0]
        return found[0] if self._quoted else "\n"


def is_native(encoding: str, paths: Sequence[Path], *, spared: bool) -> bool:
    """Whether DuckDB reads files in an encoding itself; `spared` where a copy in another one must not be written.

    Of UTF-16 it reads what begins with a little-endian mark; older versions refuse characters beyond the first
    65,536. Of what begins with the other mark it reads nothing, without an error.
    """
    if encoding != "utf-16":
        return encoding in NATIVE_ENCODINGS
    return spared and all(_starts_with(path, codecs.BOM_UTF16_LE) for path in paths)


def _starts_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _first_bytes(path: Path, connection: duckdb.DuckDBPyConnection, size: int) -> bytes:
    if path.suffix.lower() not in COMPRESSED:
        with path.open("rb") as file:
            return file.read(size)
    # Python 3.11 cannot read zst; DuckDB can, and a delimiter that no text file has gives whole lines.
    lines = connection.execute(f"{whole_lines(path)} LIMIT 100").fetchall()
    return "\n".join(line or "" for (line,) in lines).encode()


def whole_lines(path: Path) -> str:
    """The query of the lines of a file, unparsed."""
    return (
        f"SELECT line FROM read_csv({files([path])}, delim='\x01', quote='', escape='', header=false, "
        f"auto_detect=false, columns={{'line': 'VARCHAR'}}, max_line_size={MAX_LINE_BYTES})"
    )


def _encoding(raw: bytes, given: str | None) -> str:
    """The encoding that is given, or else that of the mark at the beginning, which also says which UTF-16 it is."""
    marked = _mark(raw)
    name = codecs.lookup(given).name if given else marked
    return marked if name.startswith(marked) else name


def _mark(raw: bytes) -> str:
    return next((encoding for mark, encoding in _MARKS if raw.startswith(mark)), "utf-8")


def _decoded(name: str, raw: bytes, encoding: str) -> str:
    try:
        return codecs.getincrementaldecoder("utf-8-sig" if encoding == "utf-8" else encoding)().decode(raw)
    except UnicodeError as error:  # UTF-16 without a byte order mark is no UnicodeDecodeError
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = raw[:start].count(b"\n") + 1
        trouble = f"holds bytes that are not {encoding.upper()}; declare its encoding (--encoding latin-1, …)"
        raise DataError(f"{name}:{line}: {trouble}") from None


def _delimiter(path: Path, text: str, quote: str) -> str:
    """A tab for .tsv; else the candidate that occurs most often in the first line, outside quotes; at last a comma."""
    if ".tsv" in path.suffixes:
        return "\t"
    first = text.split("\n", 1)[0]
    outside = "".join(first.split(quote)[::2])
    return max(DELIMITERS, key=outside.count)
