"""Temporary folders that are gone afterwards, whatever happens.

A folder is locked as long as the process lives that made it. One that nobody holds a lock on was left by a run that was
killed: the next run that makes one of the same kind in the same place removes it. A system without POSIX locks has the
folders, and does not remove what killed runs left.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

COPIES = "auditor-copies-"
"""What the names of folders for copies of files begin with."""


class PrivateFolder:
    """A new folder that nobody else may read, with a name that cannot be guessed; what dead runs left is removed.

    It is removed by `remove`, at the end of a ``with``, and at the latest when the program ends.
    """

    def __init__(self, parent: Path, prefix: str) -> None:
        """Make the folder in `parent`; `prefix` is what the names of its kind begin with, and nothing else's.

        Raises:
            OSError: no folder can be made there.
        """
        remove_what_was_left(parent, prefix)
        self._locks: list[int] = []
        while True:
            self.path = parent / f"{prefix}{uuid4().hex}"
            # Before the folder is there: whenever an interrupt strikes, it is removed.
            self._remove = weakref.finalize(self, _removed, self.path, self._locks)
            self.path.mkdir(mode=0o700)
            if _locked(self.path, self._locks):
                return
            self._remove()  # another run took it for a dead one's before it was locked

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def for_copies() -> PrivateFolder:
    """A new folder among the machine's temporary ones, for files that are read by their paths: a revision's, a test's.

    Raises:
        OSError: no folder can be made there.
    """
    return PrivateFolder(Path(tempfile.gettempdir()), COPIES)


def remove_what_was_left(parent: Path, prefix: str) -> None:
    """Remove the folders of this kind whose processes are no more; those of other users stay."""
    with suppress(OSError), os.scandir(parent) as found:
        for entry in found:
            if entry.name.startswith(prefix):
                with suppress(OSError, ImportError):  # its process lives, another run was faster, or there are no locks
                    _remove_unless_locked(Path(entry.path))


def _locked(folder: Path, locks: list[int]) -> bool:
    """Lock a folder; False where it is no longer there."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        locks.append(_opened(folder))
        with suppress(OSError):  # a file system without locks: what is left there stays until removed by hand
            fcntl.flock(locks[-1], fcntl.LOCK_EX)
    except FileNotFoundError:
        return False
    return folder.exists()


def _opened(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _removed(folder: Path, locks: list[int]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    while locks:
        os.close(locks.pop())


def _remove_unless_locked(folder: Path) -> None:
    import fcntl

    lock = _opened(folder)
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
    finally:
        os.close(lock)
