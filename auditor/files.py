"""Opening files that a stranger may have put there, and finding programs that no stranger put there."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

BEGINNING = 8000
"""So many bytes git looks at to tell whether a file is a text."""


def opened(path: Path) -> BinaryIO:
    """A file open for reading, whatever it is; whether it is a regular one, `os.fstat` of it tells for certain.

    A named pipe that nobody writes to is not waited for.

    Raises:
        OSError, ValueError: as of `open`; a folder is an `IsADirectoryError`.
    """
    return open(path, "rb", opener=_without_waiting)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def program(name: str) -> str:
    """A program, by its whole path: of the folders of ``PATH``, those that begin at the root.

    Others (``.``, an empty one) are below the current folder, which may be a stranger's checkout; Windows would look
    there first of all.

    Raises:
        FileNotFoundError: there is none.
    """
    file = f"{name}.exe" if os.name == "nt" else name
    for folder in map(Path, os.get_exec_path()):
        if folder.is_absolute() and os.access(folder / file, os.X_OK) and (folder / file).is_file():
            return str(folder / file)
    raise FileNotFoundError(file)


def text_digest(path: Path) -> str:
    """The SHA-256 of a file as git stores a text: its lines ended by LF, as a checkout may write them otherwise.

    What has a zero byte in its beginning is no text to git, and is taken as it is.
    """
    content = path.read_bytes()
    return sha256(content if b"\0" in content[:BEGINNING] else content.replace(b"\r\n", b"\n")).hexdigest()


def shown_name(path: str | os.PathLike[str]) -> str:
    """A file as given where that is relative, else its last part: a result says nothing of a machine's folders.

    >>> shown_name("out/a.csv"), shown_name("/home/ann/out/a.csv")
    ('out/a.csv', 'a.csv')
    """
    return Path(path).name if Path(path).is_absolute() else os.fspath(path)
