"""Objects of stores (S3, Google Cloud Storage, Azure), read so that what is hashed is what is counted.

Parquet on S3 is read where it is (`auditor.engines.duckdb.stored_objects`). All else is copied once: a text is read
more than once, and a copy cannot change in between. Where a policy forbids copies in the clear, nothing is fetched.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from errno import EBUSY, ENOSPC
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from auditor.distribution import installation
from auditor.engines._limits import RunLimits
from auditor.engines._locate import STORES, Files, below, located, without_credentials
from auditor.errors import AuditorError, DataError, DeliveryError, Unsupported

_AT_ONCE = 8 << 20


def is_stored(data: Any) -> bool:
    """Whether data is named by the address of an object store that is read."""
    return isinstance(data, str) and "://" in data and data.partition("://")[0] in STORES


@dataclass(frozen=True)
class Objects:
    """What an address names: some objects, in the order of their names, or none.

    `listed` has what the store tells of each, by its name in the store; `root` is what all lie below.
    """

    name: str
    store: Any
    place: str
    listed: Mapping[str, Mapping[str, Any]]
    root: str

    def in_place(self) -> Files | None:
        """The objects as they are, where they are Parquet of a store that holds reads to them (S3); else None."""
        if "s3" not in self.store.protocol:
            return None
        from auditor.engines.duckdb.stored_objects import FOLDER, PinnedObjects, StoredObject

        pinned = PinnedObjects(
            self.store, {str(_below(self.name, each, self.root)): told for each, told in self.listed.items()}
        )
        with _told(self.name):  # checksums beside the data are read
            found = replace(self._files(pinned.paths(), StoredObject(FOLDER)), store=pinned)
        return found if found.format == "parquet" and not found.compressed else None

    def copies(self, folder: Path, limits: RunLimits) -> Files:
        """Copies of them in a private folder, in which they keep their names below what the address names."""
        targets = {each: folder / _below(self.name, each, self.root) for each in self.listed}
        with _told(self.name):
            for each, target in targets.items():
                with self.store.open(each, "rb") as source, _new(target, self.name) as copy:
                    while part := source.read(_AT_ONCE):
                        limits.check()
                        copy.write(part)
        return self._files(list(targets.values()), folder)

    def _files(self, paths: Sequence[Path], root: Path) -> Files:
        """The files that the address names among paths."""
        if list(self.listed) == [self.place]:
            return located(self.name, paths, root)
        return located(self.name, paths, root, paths) if glob.has_magic(self.place) else below(self.name, root, paths)


def objects(data: str) -> Objects:
    """The objects that an address names: one, those below a prefix, or those that a glob matches.

    Args:
        data: such as ``s3://bucket/visits.parquet``; credentials are those that the environment has for the store.

    Raises:
        DataError: there are no such objects, or they cannot be read.
        Unsupported: the package for the store is missing.
    """
    name = without_credentials(data)
    with _told(name):
        store, place = _store(data, name)
        listed, root = _listed(store, place, is_prefix=data.endswith("/"))
    if not listed:
        raise DataError(f"{name}: there is no such object, prefix or glob")
    return Objects(name, store, place, dict(sorted(listed.items())), root)


def refuse_copies(name: str, limits: RunLimits) -> None:
    """Refuse what would be read through a copy in the clear where the policy allows none."""
    if limits.spill.form is not None:
        raise Unsupported(
            f"{name}: objects of a store are read through copies on the disk, but for Parquet on S3, and the policy "
            f"says spill: {limits.spill.form}; mount the bucket, or read the copy of a place that may hold one"
        )


def _store(data: str, name: str) -> tuple[Any, str]:
    """The store of an address, and the place in it."""
    extra = STORES[data.partition("://")[0]]
    if "::" in data:  # fsspec takes what follows for the address of another store
        raise Unsupported(f"{name}: an address with :: cannot be read; copy the object under another name")
    try:
        from fsspec.core import url_to_fs

        store, place = url_to_fs(data)
    except (ImportError, ValueError):  # an address that no installed package knows
        raise Unsupported(f"{name}: {extra}:// needs a package that is not installed: {installation(extra)}") from None
    store.invalidate_cache()
    return store, str(place)


def _listed(store: Any, place: str, *, is_prefix: bool) -> tuple[dict[str, Any], str]:
    """The objects that a place names, and the place that their names are told below.

    As of files: what has the very name comes before what a glob finds, and a glob that finds a folder finds all in it.
    """
    if not is_prefix and store.isfile(place):
        return {place: store.info(place)}, place.rpartition("/")[0]
    if not glob.has_magic(place):
        return _objects(store, place), place.rstrip("/")
    found: dict[str, Any] = {}
    for each, told in store.glob(place, detail=True).items():
        found |= {each: told} if told["type"] == "file" else _objects(store, each)
    return found, re.split(r"[*?\[]", place, maxsplit=1)[0].rpartition("/")[0]


def _objects(store: Any, place: str) -> dict[str, Any]:
    """The objects below a prefix."""
    # An object whose name ends in a slash is how some programs show a folder: it holds nothing.
    found = store.find(place, detail=True)
    return {each: told for each, told in found.items() if told["size"] or not each.endswith("/")}


def _below(name: str, place: str, root: str) -> PurePosixPath:
    """The name of an object below a place, as a path that leads nowhere else."""
    parts = place.removeprefix(f"{root}/").split("/")
    if not all(parts) or any(part in (".", "..") or "\0" in part or "\\" in part or ":" in part for part in parts):
        raise DataError(f"{name}: an object has a name that is no path; copy it under another one")
    return PurePosixPath(*parts)


def _new(target: Path, name: str) -> BinaryIO:
    """A new file; names that are one's and another's folder, or too long for a file, are told."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return target.open("xb")
    except OSError as error:
        if error.errno == ENOSPC:
            raise
        raise DataError(
            f"{name}: an object has a name that no file can have here ({error.strerror}); copy it under another one"
        ) from None


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Errors of a store as ours: each has its own kinds, and what they say may hold what nobody else may see."""
    try:
        yield
    except AuditorError:
        raise
    except FileNotFoundError:
        raise DataError(f"{name}: there is no such object, prefix or glob") from None
    except OSError as error:
        if error.errno == EBUSY:
            raise DataError(f"{name}: was replaced in the store while it was read; run it again") from None
        if error.errno != ENOSPC:
            raise DataError(f"{name}: the store cannot be read ({type(error).__name__})") from None
        raise DeliveryError(f"{name}: the disk is full; name a folder with room for a copy (--spill DIR)") from None
    except Exception as error:  # noqa: BLE001
        raise DataError(f"{name}: the store cannot be read ({type(error).__name__})") from None
