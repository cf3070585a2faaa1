"""The ZIP package that a workbook is: what lies in it, and that nothing else does."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from os import SEEK_CUR, SEEK_END
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from auditor.engines.foreign._base import refuse_larger
from auditor.errors import DataError

COMPOUND = b"\xd0\xcf\x11\xe0"
"""What encrypted workbooks begin with, and those of Excel before 2007."""
LAST = b"PK\x05\x06"
"""What the last record of a package begins with."""
END_BYTES = 22
"""The length of that record where no comment follows."""
DESCRIPTOR = 24
"""Bytes that may follow a part: its checksum and lengths, where its header could not know them."""
DESCRIBED = 8
"""The flag of such a part."""
MOST_EXTRA = 64
"""Bytes of extra fields that say no more than when, by whom and how long."""
EXTRAS = (0x0001, 0x000A, 0x5455, 0x5855, 0x7855, 0x7875, 0xA220)
"""What such fields begin with (APPNOTE 4.5), and Excel's, which leave room."""
MOST_OTHER = 12
"""Bytes of any other, with what it begins with: as much as aligns a part."""
GROWTH = 12
"""About how many bytes a sheet takes in memory for each of its XML."""


@contextmanager
def opened(path: Path, most: int) -> Iterator[ZipFile]:
    """The package, whose parts have names of their own and fit into so many bytes of memory.

    Raises:
        DataError: it is none, or has something beside its parts.
        Unsupported: it is too large.
    """
    with path.open("rb") as file:
        if file.read(4) == COMPOUND:
            raise DataError(
                f"{path.name}: is encrypted, or a workbook of Excel before 2007; save it as .xlsx without a password"
            )
    try:
        with ZipFile(path) as package:
            parts = package.infolist()
            names = [part.filename.casefold() for part in parts]
            if len(set(names)) < len(names):
                raise DataError(f"{path.name}: has several parts of the same name; save it again")
            if _holds_more(path, package):
                raise DataError(f"{path.name}: has something beside its parts, which no policy judges; save it again")
            refuse_larger(path, GROWTH * sum(part.file_size for part in parts), most)
            if package.testzip() is not None:  # it is longer than it says, or damaged
                raise BadZipFile
            yield package
    except (BadZipFile, NotImplementedError, EOFError, RuntimeError, struct.error):
        raise DataError(f"{path.name}: is no workbook, or is damaged; save it again") from None


def others(package: ZipFile, known: re.Pattern[str], empty: re.Pattern[str]) -> tuple[str, ...]:
    """The parts that are none of the known ones, nor empty where that is usual; they leave the house with the table."""
    left = (part for part in package.infolist() if part.file_size or not empty.fullmatch(part.filename))
    return tuple(sorted(part.filename for part in left if not known.fullmatch(part.filename)))


def _holds_more(path: Path, package: ZipFile) -> bool:
    """Whether anything stands before, between, or after the parts, in comments or in extra fields (APPNOTE 4.3)."""
    parts = sorted(package.infolist(), key=lambda part: part.header_offset)
    said = [package.comment, *(part.comment for part in parts)]
    at, room = 0, 0
    with path.open("rb") as file:
        for part in parts:
            if not 0 <= part.header_offset - at <= room:
                return True
            file.seek(part.header_offset + 26)
            name, extra = struct.unpack("<HH", file.read(4))
            file.seek(name, SEEK_CUR)
            said += [_filled(file.read(extra)), _filled(part.extra)]
            at, room = file.tell() + part.compress_size, DESCRIPTOR if part.flag_bits & DESCRIBED else 0
        file.seek(-END_BYTES, SEEK_END)
        ends = file.read(len(LAST)) == LAST
    return any(said) or not ends or not 0 <= package.start_dir - at <= room


def _filled(extra: bytes) -> bytes:
    """Extra fields that hold more than times, owners and lengths, or zeros, which leave room."""
    at = 0
    while at + 4 <= len(extra) and (kind := int.from_bytes(extra[at : at + 2], "little")) in (0, *EXTRAS):
        at += 4 + int.from_bytes(extra[at + 2 : at + 4], "little") if kind else 1
    filled = extra.replace(b"\0", b"")
    return filled if len(filled) > MOST_EXTRA else extra[at:].strip(b"\0")[MOST_OTHER:]
