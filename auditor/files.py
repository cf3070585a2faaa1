"""Opening files that a stranger may have put there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO


def opened(path: Path) -> BinaryIO:
    """A file open for reading, whatever it is; whether it is a regular one, `os.fstat` of it tells for certain.

    A named pipe that nobody writes to is not waited for.

    Raises:
        OSError, ValueError: as of `open`; a folder is an `IsADirectoryError`.
    """
    return open(path, "rb", opener=_without_waiting)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def shown_name(path: str | os.PathLike[str]) -> str:
    """A file as given where that is relative, else its last part: a result says nothing of a machine's folders.

    >>> shown_name("out/a.csv"), shown_name("/home/ann/out/a.csv")
    ('out/a.csv', 'a.csv')
    """
    return Path(path).name if Path(path).is_absolute() else os.fspath(path)
