"""What a compressed file carries that no reader of its contents sees: comments, extra fields, frames that are skipped.

Only what can be found without decompressing is looked for: in the header of a gzip file's first member, and among the
frames of a zstd file (RFC 1952, RFC 8878). The name that gzip keeps is that of the file, and is left.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from auditor.errors import DataError

EXTRA, COMMENT = 4, 16
"""Flags of a gzip header."""
SMALL = 6
"""So many bytes parallel compressors keep in a gzip member or beside a zstd frame: how long it is, and nothing else."""
FRAME, SKIPPED = 0xFD2FB528, 0x184D2A50
"""What zstd frames begin with; the last four bits of one that is skipped are free."""


def refuse_hidden(path: Path) -> None:
    """Refuse a compressed file with something beside its contents.

    Raises:
        DataError: it has a comment, an extra field or a frame that readers skip.
    """
    kind = path.suffix.lower()
    if kind not in (".gz", ".zst"):
        return
    with path.open("rb") as file:
        found = _in_gzip(file) if kind == ".gz" else _in_zstd(file)
    if found is not None:
        raise DataError(f"{path.name}: has {found} beside its contents, which nobody judges; compress it anew")


def _in_gzip(file: BinaryIO) -> str | None:
    head = file.read(12)
    flags = head[3] if len(head) == 12 and head.startswith(b"\x1f\x8b") else 0
    if flags & EXTRA and int.from_bytes(head[10:], "little") > SMALL:
        return "an extra field in its header"
    return "a comment in its header" if flags & COMMENT else None


def _in_zstd(file: BinaryIO) -> str | None:
    """Walk over the frames; one that is broken is for the decompressor to refuse."""
    while len(head := file.read(4)) == 4:
        magic = int.from_bytes(head, "little")
        if magic & ~15 == SKIPPED:
            size = int.from_bytes(file.read(4), "little")
            if size > SMALL:
                return "a frame that is skipped"
            file.seek(size, os.SEEK_CUR)
        elif magic != FRAME or not _skip_frame(file):
            return None
    return None


def _skip_frame(file: BinaryIO) -> bool:
    """Go to the end of a frame whose magic number was read; whether there is one."""
    described = file.read(1)
    if not described:
        return False
    flags = described[0]
    single = flags >> 5 & 1
    content = (single, 2, 4, 8)[flags >> 6]
    file.seek((1 - single) + (0, 1, 2, 4)[flags & 3] + content, os.SEEK_CUR)
    last = False
    while not last:
        head = file.read(3)
        if len(head) < 3:
            return False
        block = int.from_bytes(head, "little")
        last = bool(block & 1)
        file.seek(1 if block >> 1 & 3 == 1 else block >> 3, os.SEEK_CUR)
    file.seek(4 * (flags >> 2 & 1), os.SEEK_CUR)
    return True
