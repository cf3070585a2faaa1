"""Writing data: the only place that does.

A release is written into a folder beside its target, audited there, and renamed into place only then; so the target is
either what it was or the whole, audited release. The folder's name says whose it is, and it is locked as long as its
process lives: what a killed run left behind is recognized, and removed by the next one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from auditor.errors import DeliveryError, UsageError
from auditor.report.delivery import files_of

MARK = ".auditor-tmp-"
"""What the name of a folder with an unfinished release contains."""
NAME_BYTES = 120
"""So much of the target's name is repeated in the folder's, which has to stay within 255 bytes."""


def check_targets(targets: Mapping[str, Path | None], inputs: Sequence[Any]) -> None:
    """Refuse files to be written that cannot be meant.

    That is: an input, another file to be written, something that is no file, or in a folder that is not there.

    Args:
        targets: each file by the option that names it.
        inputs: what is read; only paths among them can be overwritten.

    Raises:
        UsageError: says which option is wrong, and why.
    """
    known: dict[Path, str] = {}
    read = [file for given in inputs if isinstance(given, str | os.PathLike) for file in files_of(os.fspath(given))]
    for option, target in targets.items():
        if target is None:
            continue
        place = _place(option, target)
        if place in known:
            raise UsageError(f"{option} {target}: is also what {known[place]} names; two results cannot go to one file")
        known[place] = option
        for file in read:
            inside = file.is_dir() and place.is_relative_to(file.resolve())
            if inside or (file.exists() and target.exists() and target.samefile(file)):
                raise UsageError(f"{option} {target}: is an input of this command and would be overwritten")


def _place(option: str, target: Path) -> Path:
    """Where a target really lies, behind links."""
    try:
        place = target.resolve()
        exists, regular, folder = place.exists(), place.is_file(), place.parent.is_dir()
    except (OSError, RuntimeError):  # a name too long, a loop of links
        raise UsageError(f"{option} {target}: cannot be the name of a file") from None
    if not folder:
        raise UsageError(f"{option} {target}: there is no folder {target.parent}")
    if exists and not regular:
        raise UsageError(f"{option} {target}: is not a regular file")
    return place


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """A folder beside `target` for a release in the making; gone afterwards, whatever happens.

    Raises:
        DeliveryError: the folder of the target cannot be written to.
    """
    target = target.resolve()
    _remove_what_was_left(target)
    try:
        folder, lock = _locked_folder(target)
    except OSError as error:
        raise DeliveryError(f"{target.name}: its folder cannot be written to ({error.strerror})") from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def put_in_place(written: Path, target: Path) -> None:
    """Rename a finished file over its target, flushed to the disk first; a target that is a link stays one.

    Raises:
        DeliveryError: it could not be; the target is as it was.
    """
    target = target.resolve()
    try:
        if target.exists():
            written.chmod(stat.S_IMODE(target.stat().st_mode))
        _flush(written)
        written.replace(target)
        _flush(target.parent)
    except OSError as error:
        raise DeliveryError(f"{target.name}: could not be written ({error.strerror}); it is as it was") from None


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _locked_folder(target: Path) -> tuple[Path, int]:
    """A new folder beside the target, and the handle by which it is locked."""
    while True:
        folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=_prefix(target)))
        lock = os.open(folder, os.O_RDONLY)
        with suppress(OSError):  # a file system without locks: its unfinished releases stay until removed by hand
            fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            return folder, lock
        os.close(lock)  # another run removed it before it was locked


def _remove_what_was_left(target: Path) -> None:
    """Remove the folders of runs for this target that are no more."""
    for folder in target.parent.glob("*"):
        if folder.name.startswith(_prefix(target)):
            with suppress(OSError):  # its process lives, or another run was faster
                _remove_unless_locked(folder)


def _remove_unless_locked(folder: Path) -> None:
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(lock)


def _prefix(target: Path) -> str:
    return f".{os.fsencode(target.name)[:NAME_BYTES].decode(errors='ignore')}{MARK}"
