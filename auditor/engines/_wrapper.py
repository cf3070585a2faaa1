"""What a compressed file carries that no reader of its contents sees: comments, extra fields, frames that are skipped.

Looked for in the header of every member of a gzip file, and among the frames of a zstd file (RFC 1952, RFC 8878). What
programs write is left: the name of the file that was compressed, and the length of what follows, which parallel
compressors note, if it is that length.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO

from auditor.errors import DataError

EXTRA, NAME, COMMENT = 4, 8, 16
"""Flags of a gzip header."""
HEADER = 10
"""So many bytes begin each gzip member, before what its flags announce."""
BLOCK = re.compile(rb"\x06\0BC\x02\0(..)", re.DOTALL)
"""The extra field of bgzip: how long the member is, less one."""
LONGEST_NAME = 255
"""No file system has a longer one."""
MEMBER = re.compile(rb"\x1f\x8b\x08[\0-\x1f]")
"""What a gzip member begins with; what is compressed may look so by chance, once in 128 MiB."""
CHUNK = 1 << 20
FRAME, SKIPPED = 0xFD2FB528, 0x184D2A50
"""What zstd frames begin with; the last four bits of one that is skipped are free."""
SKIPPED_FRAME = "a frame that is skipped"
EMPTY_FRAME, EMPTY_MEMBER = "a frame without contents", "a part without contents"


def refuse_hidden(path: Path) -> None:
    """Refuse a compressed file with something beside its contents.

    Raises:
        DataError: it has a comment, an extra field, a name that is none, a frame that readers skip, or a part without
            contents before another one.
    """
    kind = path.suffix.lower()
    if kind not in (".gz", ".zst") or not path.stat().st_size:
        return
    with path.open("rb") as file:
        found = _in_gzip(file) if kind == ".gz" else _in_zstd(file)
    if found is not None:
        raise DataError(f"{path.name}: has {found} beside its contents, which no policy judges; compress it again")


@dataclass(frozen=True)
class _Member:
    """The header of a gzip member: what its fields hold, and where it ends."""

    flags: int
    extra: bytes
    name: int
    end: int

    @property
    def hidden(self) -> str | None:
        """What it carries that no program writes."""
        if self.flags & COMMENT:
            return "a comment in its header"
        if self.flags & EXTRA and not BLOCK.fullmatch(self.extra):
            return "an extra field in its header"
        return "a name in its header that no file has" if self.name > LONGEST_NAME else None

    def states(self, length: int) -> bool:
        """Whether the length that it notes, if any, is its own."""
        noted = BLOCK.fullmatch(self.extra)
        return noted is None or int.from_bytes(noted[1], "little") + 1 == length


def _in_gzip(file: BinaryIO) -> str | None:
    """Only a file that may have several members is decompressed: where one ends, nothing else tells."""
    with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        first = _member(content, 0)
        if first is None or first.hidden:
            return None if first is None else first.hidden
        if not first.flags & EXTRA and MEMBER.search(content, first.end) is None:
            return None
        return next(_in_members(content), None)


def _in_members(content: mmap) -> Iterator[str]:
    """What members carry; one that is broken is for the decompressor to refuse."""
    start, was_empty = 0, False
    while (member := _member(content, start)) is not None:
        if was_empty:
            yield EMPTY_MEMBER
        if member.hidden:
            yield member.hidden
        end, was_empty = _end_of_member(content, start)
        if not member.states(end - start):
            yield "an extra field in its header"
        if was_empty and start and member.flags & NAME:
            yield EMPTY_MEMBER
        start = end


def _member(content: mmap, start: int) -> _Member | None:
    """The header of the member that begins here, if one does."""
    if MEMBER.match(content, start) is None or len(content) < start + HEADER:
        return None
    flags, at, extra, name = content[start + 3], start + HEADER, b"", 0
    if flags & EXTRA:
        extra = content[at : at + 2 + int.from_bytes(content[at : at + 2], "little")]
        at += len(extra)
    if flags & NAME:
        name = content.find(b"\0", at) - at
        at += name + 1 if name >= 0 else 0
    return _Member(flags, extra, name, at)


def _end_of_member(content: mmap, start: int) -> tuple[int, bool]:
    """Where a member ends, and whether nothing is in it; of one that is broken, the end of the file."""
    stream, at, is_empty = zlib.decompressobj(16 + zlib.MAX_WBITS), start, True
    try:
        while not stream.eof and (stream.unconsumed_tail or at < len(content)):
            given = stream.unconsumed_tail or content[at : at + CHUNK]
            at += 0 if stream.unconsumed_tail else len(given)
            is_empty &= not stream.decompress(given, CHUNK)
    except zlib.error:
        return len(content), False
    return at - len(stream.unused_data), is_empty


def _in_zstd(file: BinaryIO) -> str | None:
    """Walk over the frames; one that is broken is for the decompressor to refuse.

    pzstd writes before each frame how long it is, in a frame that is skipped.
    """
    noted, was_empty = None, False
    while len(head := file.read(4)) == 4:
        magic = int.from_bytes(head, "little")
        start = file.tell() - 4
        if magic & ~15 == SKIPPED:
            size, stated = (int.from_bytes(file.read(4), "little") for _ in range(2))
            if noted is not None or magic != SKIPPED or size != 4:
                return SKIPPED_FRAME
            noted = stated
            continue
        if was_empty:
            return EMPTY_FRAME
        contents = _skip_frame(file) if magic == FRAME else None
        if contents is None:
            return None
        if noted not in (None, file.tell() - start):
            return SKIPPED_FRAME
        noted, was_empty = None, not contents
    return SKIPPED_FRAME if noted is not None else None


def _skip_frame(file: BinaryIO) -> int | None:
    """Go to the end of a frame whose magic number was read.

    Returns:
        0 if nothing is in it; None if it has no end.
    """
    described = file.read(1)
    if not described:
        return None
    flags = described[0]
    single = flags >> 5 & 1
    content = (single, 2, 4, 8)[flags >> 6]
    file.seek((1 - single) + (0, 1, 2, 4)[flags & 3] + content, os.SEEK_CUR)
    last, contents = False, 0
    while not last:
        head = file.read(3)
        if len(head) < 3:
            return None
        block = int.from_bytes(head, "little")
        last = bool(block & 1)
        contents += block >> 3
        file.seek(1 if block >> 1 & 3 == 1 else block >> 3, os.SEEK_CUR)
    file.seek(4 * (flags >> 2 & 1), os.SEEK_CUR)
    return contents
