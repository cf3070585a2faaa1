"""SPSS's files."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from struct import unpack_from

from auditor.dialect import CsvDialect
from auditor.engines.foreign._base import ForeignTable
from auditor.engines.foreign._readstat import SETS, names, table
from auditor.errors import DataError

LAYOUT, COMPRESSION, HEADER = 64, 72, 176
"""Where a file tells its order of bytes and whether it is compressed, and how long that header is."""
VARIABLE = 32
"""Bytes that tell of eight bytes of every record; a label and values that count as missing may follow."""
LINE = 80
"""Bytes of a line of notes."""
VARIABLES, LABELS, LABELLED, NOTES, MORE, LAST = 2, 3, 4, 6, 7, 999
"""What each part of the dictionary begins with."""
SETTINGS = {*range(3, 5), 6, *range(10, 15), 16, 20, 21, 22, 24}
"""Further parts that hold numbers, names and labels which are read, and what wrote the file."""
FURTHER = {5: "sets of columns", 7: SETS, 19: SETS}
"""Further parts that hold texts, and what they are."""
ATTRIBUTES = (17, 18)
ROLE = re.compile(rb"\$@Role\('[0-9]'\s*\)")
"""An attribute of columns that SPSS writes by itself."""
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
        dictionary = _Dictionary(content)
        end = _end(content, dictionary, len(found.frame))
    except (ValueError, struct.error, zlib.error):
        end = None
    if end != len(content):
        raise DataError(f"{path.name}: holds more than the records that its header tells of; write the file again")
    return replace(found, unread=tuple(dict.fromkeys((*found.unread, *dictionary.beside()))))


class _Dictionary:
    """What is said of the columns, part by part (PSPP's manual): how wide records are, and what is no label.

    Raises:
        ValueError, struct.error: a part is of no known kind, or longer than the file.
    """

    def __init__(self, content: bytes) -> None:
        self.order = "<" if content[LAYOUT + 3] == 0 else ">"
        self.width = 0
        self.further: dict[int, bytes] = {}
        self._content = content
        at = HEADER
        while (kind := self._number(at)) != LAST:
            behind = self._behind(kind, at + 4)
            if behind <= at:
                raise ValueError("a part without an end")
            at = behind
        self.end = at + 8

    def beside(self) -> Iterator[str]:
        """What it holds that is neither read nor a setting."""
        for kind, said in self.further.items():
            if kind in ATTRIBUTES:
                if b"(" in ROLE.sub(b"", said):
                    yield "attributes of the file or of columns"
            elif kind not in SETTINGS and said.strip(b"\0 "):
                yield FURTHER.get(kind, "parts of unknown use")

    def _number(self, at: int) -> int:
        (found,) = unpack_from(f"{self.order}i", self._content, at)
        return int(found)

    def _behind(self, kind: int, at: int) -> int:
        """Where the part ends whose contents begin there."""
        if kind == VARIABLES:
            self.width += 1
            labelled, missing = self._number(at + 4), self._number(at + 8)
            behind = at + VARIABLE - 4
            if labelled:
                behind += 4 + (self._number(behind) + 3) // 4 * 4
            return behind + 8 * abs(missing)
        if kind == LABELS:
            count, at = self._number(at), at + 4
            for _ in range(count):
                (length,) = unpack_from("B", self._content, at + 8)
                at += 8 + (length + 8) // 8 * 8
            return at
        if kind == MORE:
            number, size, count = (self._number(each) for each in range(at, at + 12, 4))
            behind = at + 12 + size * count
            self.further[number] = self.further.get(number, b"") + self._content[at + 12 : behind]
            return behind
        if kind not in (LABELLED, NOTES):
            raise ValueError("another part")
        return at + 4 + self._number(at) * (4 if kind == LABELLED else LINE)


def _end(content: bytes, dictionary: _Dictionary, records: int) -> int | None:
    """Where so many records end; None if some of their commands stand for no value (PSPP's manual)."""
    order, at, left = dictionary.order, dictionary.end, records * dictionary.width
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
