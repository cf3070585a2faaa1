"""What lies in a folder beside the files that a reader takes.

It leaves the house with them, so it is told (`Files.unread`), unless it says nothing: an empty file under one of a few
exact names, and the checksums that Hadoop writes beside each file, held against that file. A Parquet folder's
`_metadata` is no such file: it holds the least and the largest values.
"""

from __future__ import annotations

import os
import stat
import zlib
from fnmatch import fnmatchcase
from pathlib import Path

EMPTY = ("_SUCCESS", ".gitkeep", ".keep")
"""The names of files that say by being there what they are for, and are empty."""
DELETED = "(deleted rows)"
"""What rows are called that were deleted of a database and stand in its file yet, among its tables."""
MAGIC = b"crc\0"
"""What a file of checksums begins with; the number of bytes that each is of follows, in four bytes."""
MOST_AT_ONCE = 1 << 20


def entries(folder: Path) -> list[Path]:
    """All that lies below a folder and is no folder itself; links to folders are not followed."""
    return sorted(path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())


def says_nothing(path: Path) -> bool:
    """Whether a file beside the data holds nothing that the data does not."""
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode):
            return False
        if path.name in EMPTY:
            return found.st_size == 0
        name = path.name[1:-4]
        beside = path.with_name(name) if path.name == f".{name}.crc" and name else None
        return beside is not None and stat.S_ISREG(beside.lstat().st_mode) and _are_checksums(path, beside)
    except OSError:
        return False


def _are_checksums(path: Path, of: Path) -> bool:
    """Whether a file is the checksums of another, as Hadoop's file systems write them, and nothing else."""
    with path.open("rb") as told, of.open("rb") as file:
        if told.read(4) != MAGIC:
            return False
        each, size = int.from_bytes(told.read(4), "big"), file.seek(0, os.SEEK_END)
        if not 0 < each <= MOST_AT_ONCE or path.stat().st_size != 8 - 4 * (-size // each):
            return False
        file.seek(0)
        while part := file.read(each):
            if told.read(4) != zlib.crc32(part).to_bytes(4, "big"):
                return False
    return True


def is_named(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a name below a folder is one of the names or globs; ``*`` stays within one folder."""
    parts = name.split("/")
    return any(
        len(parts) == len(wanted := pattern.split("/")) and all(map(fnmatchcase, parts, wanted)) for pattern in patterns
    )
