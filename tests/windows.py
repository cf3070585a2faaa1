"""What Windows lacks of POSIX, and does otherwise, put upon this process: nothing here is Windows itself.

There are no locks of `fcntl`, no owners, no memory size of `sysconf`, no folders that can be opened. `os.rename`
refuses a target that is there, what is open cannot be renamed, replaced or removed, and only what is open for writing
is flushed.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

# They look at the platform when they are imported, and would import what only Windows has.
for name in (
    "asyncio", "concurrent.futures.process", "multiprocessing.pool", "multiprocessing.popen_spawn_posix",
    "multiprocessing.popen_fork", "subprocess", "tempfile", "numpy", "pandas", "duckdb", "scipy.stats", "pyarrow",
    "jinja2", "pydantic", "rich.console", "click", "sqlglot",
):  # fmt: skip
    importlib.import_module(name)

ABSENT = ("fcntl", "grp", "pwd", "resource", "termios")
LACKING = (
    "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fchmod", "fchown", "getegid", "geteuid", "getgid", "getuid",
    "killpg", "mkfifo", "sched_getaffinity", "setsid", "statvfs", "sysconf",
)  # fmt: skip
_open, _rename, _replace, _unlink, _fsync = os.open, os.rename, os.replace, os.unlink, os.fsync


def _refuse_held(path: Any) -> None:
    real = str(Path(path).resolve())
    for link in Path("/proc/self/fd").iterdir():
        try:
            held = str(link.readlink())
        except OSError:
            continue
        if held == real or held.startswith(f"{real}/"):
            raise PermissionError(13, "The process cannot access the file because it is being used", os.fspath(path))


def _opened(path: Any, flags: int, mode: int = 0o777, **told: Any) -> int:
    if not told and Path(path).is_dir():
        raise PermissionError(13, "Permission denied", os.fspath(path))
    return _open(path, flags, mode, **told)


def _renamed(source: Any, target: Any) -> None:
    if os.path.lexists(target):
        raise FileExistsError(17, "Cannot create a file when that file already exists", os.fspath(target))
    _refuse_held(source)
    _rename(source, target)


def _replaced(source: Any, target: Any) -> None:
    if Path(target).is_dir():
        raise PermissionError(13, "Access is denied", os.fspath(target))
    _refuse_held(source)
    _refuse_held(target)
    _replace(source, target)


def _unlinked(path: Any, *, dir_fd: int | None = None) -> None:
    if dir_fd is None:
        _refuse_held(path)
    _unlink(path, dir_fd=dir_fd)


def _flushed(handle: Any) -> None:
    number = handle if isinstance(handle, int) else handle.fileno()
    told = Path(f"/proc/self/fdinfo/{number}").read_text(encoding="ascii")
    flags = re.search(r"flags:\s+([0-7]+)", told)
    assert flags is not None
    if int(flags[1], 8) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(9, "Bad file descriptor")
    _fsync(number)


def take_away() -> None:
    """From now on, this process has what Windows has."""
    sys.modules.update(dict.fromkeys(ABSENT))
    for lacking in LACKING:
        if hasattr(os, lacking):
            delattr(os, lacking)
    locks = ModuleType("msvcrt")
    locks.LK_LOCK = 1
    locks.locking = lambda handle, mode, size: os.fstat(handle)
    sys.modules["msvcrt"] = locks
    sys.platform = "win32"
    os.open, os.rename, os.replace, os.fsync = _opened, _renamed, _replaced, _flushed
    os.unlink = os.remove = _unlinked
    shutil._use_fd_functions = False
