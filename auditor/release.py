"""Writing data: the only place that does.

A release is written into a folder beside its target, audited there, and renamed into place only then; so the target is
either what it was or the whole, audited release. The folder's name says whose it is: what a killed run left behind is
recognized, and removed by the next one (see `auditor.folders`).
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from auditor.dialect import CsvDialect
from auditor.engines import DELIMITERS, Address, Engine, RunLimits, Storage, open_data
from auditor.errors import DeliveryError, InternalError, NotEvaluated, UsageError
from auditor.folders import PrivateFolder
from auditor.report.delivery import files_of
from auditor.result import Result
from auditor.stages import Stage, stage

MARK = ".auditor-tmp-"
"""What the name of a folder with an unfinished release contains."""
NAME_BYTES = 120
"""So much of the target's name is repeated in the folder's, which has to stay within 255 bytes."""


def check_targets(targets: Mapping[str, Path | None], inputs: Sequence[Any], *, folders: Collection[str] = ()) -> None:
    """Refuse files to be written that cannot be meant.

    That is: an input, another file to be written, something that is no file, or in a folder that is not there.

    Args:
        targets: each file by the option that names it.
        inputs: what is read; only paths among them can be overwritten.
        folders: the options whose target will be a folder of files, which must not be there yet.

    Raises:
        UsageError: says which option is wrong, and why.
    """
    known: dict[Path, str] = {}
    read = [file for given in inputs if isinstance(given, str | os.PathLike) for file in files_of(os.fspath(given))]
    for option, target in targets.items():
        if target is None:
            continue
        place = _place(option, target, new=option in folders)
        if place in known:
            raise UsageError(f"{option} {target}: is also what {known[place]} names; two results cannot go to one file")
        known[place] = option
        for file in read:
            inside = file.is_dir() and place.is_relative_to(file.resolve())
            if inside or (file.exists() and target.exists() and target.samefile(file)):
                raise UsageError(f"{option} {target}: is an input of this command and would be overwritten")


def _place(option: str, target: Path, *, new: bool) -> Path:
    """Where a target really lies, behind links."""
    try:
        place = target.resolve()
        exists, regular, folder = place.exists(), place.is_file(), place.parent.is_dir()
    except (OSError, RuntimeError):  # a name too long, a loop of links
        raise UsageError(f"{option} {target}: cannot be the name of a file") from None
    if not folder:
        raise UsageError(f"{option} {target}: there is no folder {target.parent}")
    if new and (exists or target.is_symlink()):
        raise UsageError(f"{option} {target}: already exists, and the release will be a folder; name a new one")
    if exists and not regular:
        raise UsageError(f"{option} {target}: is not a regular file")
    return place


def check_address(target: Address, inputs: Sequence[Any], storage: Storage) -> None:
    """Refuse an address that cannot be meant: something is there, or an input is what it lies in.

    Raises:
        UsageError: says what is wrong.
    """
    place = storage.qualified(target)
    for given in inputs:
        address = Address.of(given)
        read = Path(given).absolute().as_uri() if address is None and isinstance(given, str | os.PathLike) else None
        if address is not None and address.partition(":")[0] == target.partition(":")[0]:
            read = storage.qualified(address)
        if read is not None and f"{_one_slash(place)}/".startswith(f"{_one_slash(read)}/"):
            raise UsageError(f"-o {target.name}: is an input of this command, or lies in one")
    if storage.exists(target):
        raise UsageError(f"-o {target.name}: already exists, and the release will be a folder; name a new one")


def _one_slash(address: str) -> str:
    return re.sub("^file:/+", "file:/", address)


@contextmanager
def unfinished_at(target: Address, storage: Storage) -> Iterator[Address]:
    """An address beside `target` for a release in the making; gone afterwards, whatever happens but a kill.

    Raises:
        DeliveryError: nothing can be made there.
    """
    beside = target.parent / f"{_prefix(target)}{uuid4().hex}"
    try:
        storage.make(beside)
        yield beside
    finally:
        with suppress(NotEvaluated):  # what is wrong there has been told
            storage.remove(beside)


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """A folder beside `target` for a release in the making; gone afterwards, whatever happens.

    Raises:
        DeliveryError: the folder of the target cannot be written to.
    """
    target = target.resolve()
    try:
        folder = PrivateFolder(target.parent, _prefix(target))
    except OSError as error:
        raise DeliveryError(f"{target.name}: its folder cannot be written to ({error.strerror})") from None
    with folder:
        yield folder.path


class Deferral:
    """Finished files that wait beside their places until whatever goes with them can be delivered, too."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._waiting: list[Callable[[], None]] = []

    def take(self, written: Path, target: Path) -> None:
        """Keep a finished file, in a folder beside its place that outlives the one it was made in."""
        folder = self._stack.enter_context(unfinished(target))
        try:
            waiting = written.rename(folder / written.name)
        except OSError as error:
            raise DeliveryError(
                f"{target.name}: could not be written ({error.strerror}); it was left unchanged"
            ) from None
        self._waiting.append(lambda: _put(waiting, target))

    def take_at(self, written: Address, target: Address, storage: Storage) -> None:
        """Keep a finished folder of another file system, as `take` keeps a file."""
        waiting = self._stack.enter_context(unfinished_at(target, storage)) / target.name
        storage.rename(written, waiting)
        self._waiting.append(lambda: storage.rename(waiting, target))

    def put(self) -> None:
        """Put all of them in place."""
        for put in self._waiting:
            put()


_DEFERRAL: ContextVar[Deferral | None] = ContextVar("deferral", default=None)


@contextmanager
def deferral() -> Iterator[Deferral]:
    """Hold back what `put_in_place` is asked for meanwhile; what was not put in the end is gone."""
    with ExitStack() as stack:
        found = Deferral(stack)
        token = _DEFERRAL.set(found)
        stack.callback(_DEFERRAL.reset, token)
        yield found


def put_in_place(written: Path, target: Path) -> None:
    """Rename a finished file over its target, flushed to the disk first; a target that is a link stays one.

    A finished folder is renamed too, where nothing is in its place. Inside `deferral` it waits until it is put.

    Raises:
        DeliveryError: it could not be; the target is as it was.
    """
    waiting = _DEFERRAL.get()
    (_put if waiting is None else waiting.take)(written, target.resolve())


def put_in_place_at(written: Address, target: Address, storage: Storage) -> None:
    """Rename a finished folder of another file system into place; inside `deferral` it waits until it is put.

    Raises:
        DeliveryError: it could not be, or something is there meanwhile.
    """
    waiting = _DEFERRAL.get()
    if waiting is None:
        storage.rename(written, target)
    else:
        waiting.take_at(written, target, storage)


def put_beside_release(target: Path, content: bytes) -> None:
    """Write a file that goes with a release, whole or not at all, and with it or not at all.

    Raises:
        DeliveryError: it could not be; the target is as it was.
    """
    with unfinished(target) as folder:
        written = folder / target.name
        try:
            written.write_bytes(content)
        except OSError as error:
            raise DeliveryError(
                f"{target.name}: could not be written ({error.strerror}); it was left unchanged"
            ) from None
        put_in_place(written, target)


def _put(written: Path, target: Path) -> None:
    try:
        if written.is_dir():
            if target.exists():
                raise DeliveryError(f"{target.name}: was created in the meantime; it was left unchanged")
            for path in written.rglob("*"):
                _flush(path)
        elif target.exists():
            written.chmod(stat.S_IMODE(target.stat().st_mode))
        _flush(written)
        written.replace(target)
        _flush(target.parent)
    except OSError as error:
        raise DeliveryError(f"{target.name}: could not be written ({error.strerror}); it was left unchanged") from None


@dataclass(frozen=True)
class AuditedRelease:
    """How a release is written so that what is audited is what is released.

    Where there is a unit, the rows are written and audited with its column, and written once more without: only that is
    the release, and it is compared with what was audited.

    Args:
        columns: the columns of the release.
        unit: the column that is counted by and not released; None where there is none.
        limits: memory and time.
        csv: how the release is written, where it is CSV and no header shows it.
        engine: what wrote the release, and reads it again; DuckDB in this process where none is given.
        storage: the file system of the targets that are addresses.
    """

    columns: tuple[str, ...]
    unit: str | None
    limits: RunLimits
    csv: CsvDialect
    engine: Engine | None = None
    storage: Storage | None = None

    @property
    def with_unit(self) -> tuple[str, ...]:
        """What is audited. The unit's column stands last, so that the order of the rows does not depend on it."""
        return self.columns if self.unit is None else (*self.columns, self.unit)

    def written(
        self,
        target: Path | Address,
        write: Callable[[tuple[str, ...], Any], None],
        audit: Callable[[Any], Result],
        records: int,
    ) -> Result:
        """Write a release of so many records to a file, and audit it.

        `write` writes the release with some columns to a target like this one, `audit` judges what was written.

        Raises:
            DeliveryError: it could not be written.
            InternalError: what was written does not hold what was to be released.
        """
        with self._to_audit(target) as audited:
            with stage(Stage.WRITING, records):
                write(self.with_unit, audited)
            with stage(Stage.AUDITING_RELEASE, records):
                after = audit(audited)
            if after.data is None or after.data.rows != records:
                raise InternalError("the release that was written does not read back with all its records")
            digest = after.data.sha256
            if audited != target:
                with stage(Stage.WRITING, records):
                    write(self.columns, target)
                with stage(Stage.AUDITING_RELEASE, records):
                    digest = self._digest_of_same(audited, target)
        return replace(after, data=replace(after.data, source=target.name, sha256=digest))

    @contextmanager
    def _to_audit(self, target: Path | Address) -> Iterator[Path | Address]:
        """What is audited: the target, or beside it what has the units, gone afterwards; another release may follow."""
        if self.unit is None:
            yield target
            return
        folder = target.parent / "with-units"
        if isinstance(folder, Path):
            folder.mkdir()
        try:
            yield folder / target.name
        finally:
            self._remove(folder)

    def _digest_of_same(self, audited: Path | Address, target: Path | Address) -> str | None:
        """The digest of the target, which holds the records that were audited."""
        how: dict[str, Any] = {"limits": self.limits, "csv": self.csv, "engine": self.engine}
        with open_data(audited, **how) as first, open_data(target, **how) as second:
            same = first.fingerprint(self.columns) == second.fingerprint(self.columns)
            if not same or [column.name for column in second.columns] != list(self.columns):
                raise InternalError("the release that was written is not the one that was audited with its units")
            return second.facts.sha256

    def _remove(self, path: Path | Address) -> None:
        if not isinstance(path, Address):
            shutil.rmtree(path)
        elif self.storage is not None:
            with suppress(NotEvaluated):  # what is wrong there has been told
                self.storage.remove(path)


def as_released(csv: CsvDialect | None) -> CsvDialect:
    """How a release is read again: in UTF-8, its numbers and days as those of its data are written.

    With the delimiter of its data, too, where no header shows which it is.
    """
    if csv is None:
        return CsvDialect()
    delimiter = None if csv.delimiter is None or csv.delimiter in DELIMITERS else csv.delimiter
    return CsvDialect(delimiter).filled(csv.decimal, csv.thousands, csv.dates)


def _flush(path: Path) -> None:
    posix = hasattr(os, "O_DIRECTORY")  # Windows opens no folder, and flushes only what is open for writing
    if path.is_dir() and not posix:
        return
    handle = os.open(path, os.O_RDONLY if posix else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _prefix(target: Path | Address) -> str:
    return f".{os.fsencode(target.name)[:NAME_BYTES].decode(errors='ignore')}{MARK}"
