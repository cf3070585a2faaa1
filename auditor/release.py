"""Writing data: the only place that does.

A release is written into a folder beside its target, audited there, and renamed into place only then; so the target is
either what it was or the whole, audited release. The folder's name says whose it is: what a killed run left behind is
recognized, and removed by the next one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import DeliveryError, UsageError

MARK = ".auditor-tmp-"
"""What the name of a folder with an unfinished release contains, before the number of the process that writes it."""


def check_target(target: Path, inputs: Sequence[str | Path]) -> None:
    """Refuse a target that cannot be meant: an input, something that is no file, or in a folder that is not there.

    Raises:
        UsageError: says which.
    """
    if not target.parent.is_dir():
        raise UsageError(f"-o {target}: there is no folder {target.parent}")
    if target.exists() and not target.is_file():
        raise UsageError(f"-o {target}: is not a regular file")
    for given in map(Path, inputs):
        inside = given.is_dir() and target.resolve().is_relative_to(given.resolve())
        if inside or (given.exists() and target.exists() and target.samefile(given)):
            raise UsageError(f"-o {target}: is an input of this command and would be overwritten")


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """A folder beside `target` for a release in the making; gone afterwards, whatever happens.

    Raises:
        DeliveryError: the folder of the target cannot be written to.
    """
    _remove_what_was_left(target)
    try:
        folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name[:80]}{MARK}{os.getpid()}-"))
    except OSError as error:
        raise DeliveryError(f"{target}: its folder cannot be written to ({error.strerror})") from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put_in_place(written: Path, target: Path) -> None:
    """Rename a finished file over its target, flushed to the disk first.

    Raises:
        DeliveryError: it could not be; the target is as it was.
    """
    try:
        with written.open("rb") as file:
            os.fsync(file.fileno())
        written.replace(target)
    except OSError as error:
        raise DeliveryError(f"{target}: could not be written ({error.strerror}); it is as it was") from None


def _remove_what_was_left(target: Path) -> None:
    """Remove folders of runs for this target that are no more."""
    for folder in target.parent.glob(f".{_literally(target.name[:80])}{MARK}*"):
        process = folder.name.rsplit(MARK, 1)[1].split("-", 1)[0]
        if process.isdigit() and not _alive(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _literally(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
