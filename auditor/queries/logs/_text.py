"""The lines of a log file: compressed or not, in UTF-8 or UTF-16, one at a time, none longer than `LONGEST`."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from hashlib import file_digest
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, NoReturn, cast

from auditor.errors import DataError
from auditor.values import is_unicode

LONGEST = 16 * 2**20
"""Characters of one line, statement or record: more is no log of statements, and would fill the memory."""
_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_GZIP = b"\x1f\x8b"

Line = tuple[int, str]
"""Its number from 1, and its text with the line feed."""


def lines(path: Path) -> Iterator[Line]:
    """Each line of the file; bytes that are not UTF-8 become lone surrogates (see `checked`)."""
    number = 0
    try:
        with path.open("rb") as stored, _unpacked(stored) as raw:
            encoding = _encoding(raw)
            with TextIOWrapper(raw, encoding, errors=_errors(encoding), newline="\n") as text:
                while line := text.readline(LONGEST + 1):
                    number += 1
                    if len(line) > LONGEST:
                        wrong(path, number, f"a line of more than {LONGEST:,} characters", "one statement per record")
                    yield number, line
    except UnicodeDecodeError:
        wrong(path, number + 1, "bytes that are not UTF-16", "a log in UTF-8")
    except (EOFError, gzip.BadGzipFile, zlib.error):
        wrong(path, number + 1, "a compressed file that is cut short or damaged", "a whole .gz file")
    except OSError as error:
        raise DataError(f"{path.name}: the log cannot be read ({error.strerror or 'input/output error'})") from error


def digest(path: Path) -> str:
    """SHA-256 of the file as it is stored, in hexadecimal."""
    try:
        with path.open("rb", buffering=0) as stored:
            return file_digest(stored, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"{path.name}: the log cannot be read ({error.strerror or 'input/output error'})") from error


def checked(text: str, path: Path, line: int) -> str:
    """A text that was decoded without a doubt: a literal in an unknown encoding would select other records."""
    if not is_unicode(text):
        wrong(path, line, "bytes that are not UTF-8", "convert the log first (iconv -t UTF-8)")
    return text


def wrong(path: Path, line: int, what: str, right: str) -> NoReturn:
    """The log cannot be read as what it is: where, what was found (never its text), what would be right."""
    raise DataError(f"{path.name}:{line}: {what}; {right}")


def _unpacked(stored: BinaryIO) -> BinaryIO:
    magic = stored.read(2)
    stored.seek(0)
    return cast("BinaryIO", gzip.GzipFile(fileobj=stored)) if magic == _GZIP else stored


def _encoding(raw: BinaryIO) -> str:
    start = raw.read(3)
    raw.seek(0)
    return next((encoding for bom, encoding in _BOMS if start.startswith(bom)), "utf-8")


def _errors(encoding: str) -> str:
    return "strict" if encoding == "utf-16" else "surrogateescape"
