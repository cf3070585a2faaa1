"""Lines of a transaction file as bytes: plain, .gz or .zst; and writing them."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from auditor.errors import DataError, Unsupported

FIMI, JSON_LINES = "FIMI", "JSON lines"
_FORMATS = {".dat": FIMI, ".txt": FIMI, ".jsonl": JSON_LINES, ".ndjson": JSON_LINES}
COMPRESSED = (".gz", ".zst")
LONGEST = 16 * 2**20
"""Bytes of one line: more is no transaction, and would fill the memory."""
_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"


def format_of(path: Path) -> str | None:
    """The format that a file's name means, whatever it is compressed with; None where it means none."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return _FORMATS.get(suffixes[-1]) if suffixes else None


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Each line with its number from 1, without the byte order mark of UTF-8.

    Raises:
        DataError: the file cannot be read, is damaged, is in UTF-16, or has a line of more than `LONGEST` bytes.
    """
    number = 0
    try:
        with _opened(path) as file:
            while line := file.readline(LONGEST + 1):
                number += 1
                if len(line) > LONGEST:
                    wrong(path, number, f"a line of more than {LONGEST:,} bytes", "one transaction per line")
                if number == 1:
                    if line.startswith(_MARKS):
                        wrong(path, 1, "text in UTF-16", "convert the file first (iconv -t UTF-8)")
                    line = line.removeprefix(_UTF8_MARK)
                yield number, line
    except (EOFError, gzip.BadGzipFile, zlib.error):
        wrong(path, number + 1, "a compressed file that is cut short or damaged", "a whole file")
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or 'damaged, or not what its name says'})") from error


def digest(path: Path) -> str:
    """SHA-256 of the file as it is stored, in hexadecimal."""
    try:
        with path.open("rb", buffering=0) as stored:
            return file_digest(stored, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or 'input/output error'})") from error


def wrong(path: Path, line: int, what: str, right: str) -> NoReturn:
    """The file is not what it should be: where, what was found (never its text), what would be right."""
    raise DataError(f"{path}:{line}: {what}; {right}")


@contextmanager
def written(path: Path, like: Path) -> Iterator[BinaryIO]:
    """A new file, compressed as the name `like` says; the same bytes whenever it is written."""
    suffix = like.suffix.lower()
    with path.open("xb") as stored:
        if suffix == ".gz":
            with gzip.GzipFile(filename="", fileobj=stored, mode="wb", mtime=0) as file:
                yield cast("BinaryIO", file)
        elif suffix == ".zst":
            with closing(_arrow(like).CompressedOutputStream(stored, "zstd")) as file:
                yield cast("BinaryIO", file)
        else:
            yield stored


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    suffix = path.suffix.lower()
    with path.open("rb") as stored:
        if suffix == ".gz":
            with gzip.GzipFile(fileobj=stored) as file:
                yield cast("BinaryIO", file)
        elif suffix == ".zst":
            arrow, descriptor = _arrow(path), os.dup(stored.fileno())
            with arrow.input_stream(os.fdopen(descriptor, "rb"), compression="zstd", buffer_size=2**16) as file:
                yield cast("BinaryIO", _Lines(file))
        else:
            yield stored


class _Lines:
    """`readline` over a stream that only has `read`."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._held = stream, b""

    def readline(self, most: int) -> bytes:
        while (end := self._held.find(b"\n", 0, most)) < 0 and len(self._held) < most:
            block = self._stream.read(2**16)
            if not block:
                end = len(self._held) - 1
                break
            self._held += block
        size = end + 1 if end >= 0 else most
        line, self._held = self._held[:size], self._held[size:]
        return line


def _arrow(path: Path) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise Unsupported(f"{path.name}: .zst needs pyarrow, which is not installed; use .gz") from None
    return pa
