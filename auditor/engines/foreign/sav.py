"""SPSS's files."""

from __future__ import annotations

import struct
import zlib
from functools import partial
from io import BytesIO
from pathlib import Path
from struct import unpack_from

from auditor.dialect import CsvDialect
from auditor.engines.foreign._base import ForeignTable
from auditor.engines.foreign._readstat import iconv_name, names, table
from auditor.errors import DataError

LAYOUT, COMPRESSION, HEADER = 64, 72, 176
"""Where a file tells its order of bytes and whether it is compressed, and how long that header is."""
VARIABLE = 32
"""Bytes that tell of eight bytes of every record; a label and values that count as missing may follow."""
ZLIB = 2
BEGINNING, TRAILER = 24, 24
"""Bytes before blocks that zlib compressed; bytes after them, of which as many more tell of each."""
RAW, END = b"\xfd", b"\xfc"
"""Of eight commands, one by which the value follows them, and the last."""

NAMES = partial(names, "read_sav")


def read(path: Path, dialect: CsvDialect, most: int) -> ForeignTable:
    """The records of a file.

    Raises:
        DataError: it holds other records than its header says, something follows its end, or it cannot be read.
    """
    found = table(path, dialect, most, "read_sav", user_missing=True)
    content = path.read_bytes()
    try:
        end = _end(content, _beginning(content, iconv_name(dialect.encoding)), len(found.frame))
    except (struct.error, zlib.error):
        end = None
    if end != len(content):
        raise DataError(f"{path.name}: holds more than the records that its header tells of; write the file again")
    return found


def _beginning(content: bytes, encoding: str | None) -> int:
    """Where the records begin."""
    from pyreadstat import read_sav

    file = BytesIO(content)
    read_sav(file, encoding=encoding, metadataonly=True)
    return file.tell()


def _end(content: bytes, at: int, records: int) -> int | None:
    """Where so many records end that begin there; None if some of their commands stand for no value (PSPP's manual)."""
    order = "<" if content[LAYOUT + 3] == 0 else ">"
    left = records * _width(content, order)
    (compression,) = unpack_from(f"{order}i", content, COMPRESSION)
    if compression == 0:
        return at + 8 * left
    if compression == ZLIB:
        _, trailer, length = unpack_from(f"{order}3q", content, at)
        commands = _expanded(content[at + BEGINNING : trailer], 9 * left + 8)
        told = TRAILER + TRAILER * unpack_from(f"{order}i", content, trailer + 20)[0]
        whole = commands is not None and length == told and _end_of(commands, 0, left) == len(commands)
        return trailer + length if whole else None
    return _end_of(content, at, left)


def _expanded(blocks: bytes, most: int) -> bytes | None:
    """The commands of compressed blocks; None if there are more, or anything else is among them."""
    found = b""
    while blocks:
        block = zlib.decompressobj()
        found += block.decompress(blocks, most)
        if not block.eof or len(found) > most:
            return None
        blocks = block.unused_data
    return found


def _end_of(content: bytes, at: int, left: int) -> int | None:
    """Where the commands end that begin there and stand for so many values."""
    while left > 0 and at < len(content):
        commands = content[at : at + 8].replace(b"\0", b"")
        if commands[left:] not in (b"", END):
            return None
        at += 8 + 8 * commands.count(RAW)
        left -= len(commands)
    if left > 0:
        return None
    return at + 8 if content[at : at + 8] == END.ljust(8, b"\0") else at


def _width(content: bytes, order: str) -> int:
    """How many times eight bytes a record has."""
    found, at = 0, HEADER
    while unpack_from(f"{order}i", content, at) == (2,):
        _, _, labelled, missing = unpack_from(f"{order}4i", content, at)
        found, at = found + 1, at + VARIABLE
        if labelled:
            at += 4 + (unpack_from(f"{order}i", content, at)[0] + 3) // 4 * 4
        at += 8 * abs(missing)
    return found
