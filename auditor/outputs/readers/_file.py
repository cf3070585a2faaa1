"""The bytes of a file that is to be read, whoever wrote it: a regular file of bounded size, or a clear error."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NoReturn, TypedDict

from auditor import files
from auditor.errors import DataError

MOST_BYTES = 128 << 20
"""A larger file is no output that anybody could look at, and is refused before it is read."""
MOST_LINES = 1_000_000
MOST_VALUES = 5_000_000
"""Lines and values of a file: a value takes a hundred times its bytes in memory, and would fill it."""
LONGEST_TEXT = 100_000
"""Characters of one name or value; more is not a name, and would be copied into every condition."""


class Provenance(TypedDict):
    """Where an output is from: the fields that every `Published` has."""

    source: str
    format: str
    sha256: str


@dataclass(frozen=True)
class File:
    """A file's name as it was given, and its bytes."""

    name: str
    content: bytes

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the bytes, in hexadecimal."""
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def text(self) -> str:
        """The content as UTF-8, without a byte order mark."""
        try:
            text = self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.content.count(b"\n", 0, error.start) + 1
            self.wrong(line, "bytes that are not UTF-8", "convert the file first (iconv -t UTF-8)")
        place = text.find("\0")
        if place >= 0:
            self.wrong(text.count("\n", 0, place) + 1, "a NUL character", "a text file")
        return text

    def limit(self, most: int, *separators: bytes) -> None:
        """Refuse a file with more than so many separators, before anything is made of what stands between them."""
        if sum(self.content.count(each) for each in separators) > most:
            self.wrong("", f"more than {most:,} lines or values", "a mining output that is smaller")

    def provenance(self, form: str) -> Provenance:
        """The fields of a `Published` that say where it is from; `form` names the format."""
        return Provenance(source=self.name, format=form, sha256=self.sha256)

    def wrong(self, place: int | str, what: str, right: str) -> NoReturn:
        """The file is not what it should be: where, what was found (never its text), what would be right."""
        where = f"{self.name}:{place}" if isinstance(place, int) else f"{self.name}: {place}".rstrip(": ")
        raise DataError(f"{where}: {what}; {right}")


def opened(path: Path) -> File:
    """The bytes of a regular file; any other, empty, too large or unreadable one is a `DataError`."""
    name = files.shown_name(path)
    try:
        with files.opened(path) as stored:
            return File(name, _content(name, stored))
    except FileNotFoundError:
        raise DataError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise DataError(f"{name}: a folder; name the files in it") from None
    except OSError as error:
        raise DataError(f"{name}: cannot be read ({error.strerror or 'input/output error'})") from error
    except ValueError:  # a NUL in the name
        raise DataError("a file name with a NUL character; a path to a file") from None


def _content(name: str, stored: BinaryIO) -> bytes:
    status = os.fstat(stored.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise DataError(f"{name}: not a regular file; write the output to a file first")
    if status.st_size > MOST_BYTES:
        raise DataError(f"{name}: more than {MOST_BYTES >> 20} MiB; a mining output that is smaller")
    content = stored.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise DataError(f"{name}: more than {MOST_BYTES >> 20} MiB; a mining output that is smaller")
    if not content.strip():
        raise DataError(f"{name}: an empty file; a mining output")
    return content
