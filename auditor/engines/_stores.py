"""Objects of stores (S3, Google Cloud Storage, Azure), copied once so that what is hashed is what is counted.

Every byte is needed for the digest, and a text is read more than once: one copy costs less than reading the store each
time, and cannot change in between. Where a policy forbids copies in the clear, nothing is fetched.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path, PurePosixPath
from typing import Any

from auditor.distribution import installation
from auditor.engines._limits import RunLimits
from auditor.engines._locate import Files, locate, located, without_credentials
from auditor.errors import AuditorError, DataError, DeliveryError, Unsupported

EXTRAS = {"s3": "s3", "gs": "gs", "gcs": "gs", "az": "az", "abfs": "az", "abfss": "az"}
"""The extra that reads each scheme of addresses."""
_AT_ONCE = 8 << 20


def is_stored(data: Any) -> bool:
    """Whether data is named by the address of an object store that is read."""
    return isinstance(data, str) and "://" in data and data.partition("://")[0] in EXTRAS


def fetched(data: str, limits: RunLimits, folder: Path) -> Files:
    """Copies of the objects that an address names: one, those below a prefix, or those that a glob matches.

    Args:
        data: such as ``s3://bucket/visits.parquet``; credentials are those that the environment has for the store.
        limits: its time is kept; its form of temporary data has to allow copies in the clear.
        folder: a private folder, in which the copies keep their names below what the address names.

    Raises:
        DataError: there are no such objects, or they cannot be read.
        Unsupported: the package for the store is missing, or the policy allows no copy.
    """
    name = without_credentials(data)
    if limits.spill.form is not None:
        raise Unsupported(
            f"{name}: objects of a store are read through copies on the disk, but the policy says spill: "
            f"{limits.spill.form}; mount the bucket, or read the copy of a place that may hold one"
        )
    with _told(name):
        store, place = _store(data, name)
        objects, root = _listed(store, place)
        targets = {each: folder / _below(name, each, root) for each in objects}
        for each, target in targets.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            with store.open(each, "rb") as source, target.open("xb") as copy:
                while part := source.read(_AT_ONCE):
                    limits.check()
                    copy.write(part)
    if not targets:
        raise DataError(f"{name}: there is no such object, prefix or glob")
    if glob.has_magic(place):
        return located(name, list(targets.values()), folder, list(targets.values()))
    alone = next(iter(targets.values())) if list(targets) == [place] else folder
    return replace(_files(alone), name=name)


def _files(path: Path) -> Files:
    found = locate(str(path))
    assert isinstance(found, Files)  # noqa: S101  (a path is no database)
    return found


def _store(data: str, name: str) -> tuple[Any, str]:
    """The store of an address, and the place in it."""
    extra = EXTRAS[data.partition("://")[0]]
    try:
        from fsspec.core import url_to_fs

        store, place = url_to_fs(data)
    except (ImportError, ValueError):  # an address that no installed package knows
        raise Unsupported(f"{name}: {extra}:// needs a package that is not installed: {installation(extra)}") from None
    store.invalidate_cache()
    return store, str(place)


def _listed(store: Any, place: str) -> tuple[list[str], str]:
    """The objects that a place names, and the place that their names are told below."""
    if glob.has_magic(place):
        fixed = re.split(r"[*?\[]", place, maxsplit=1)[0].rpartition("/")[0]
        found = [each for each, told in store.glob(place, detail=True).items() if told["type"] == "file"]
        return sorted(found), fixed
    if store.isfile(place):
        return [place], place.rpartition("/")[0]
    # An object whose name ends in a slash is how some programs show a folder: it holds nothing.
    found = [each for each, told in store.find(place, detail=True).items() if told["size"] or not each.endswith("/")]
    return sorted(found), place.rstrip("/")


def _below(name: str, place: str, root: str) -> PurePosixPath:
    """The name of an object below a place, as a path that leads nowhere else."""
    parts = place.removeprefix(f"{root}/").split("/")
    if not all(parts) or any(part in (".", "..") or "\0" in part or "\\" in part or ":" in part for part in parts):
        raise DataError(f"{name}: an object has a name that is no path; copy it under another one")
    return PurePosixPath(*parts)


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
        if error.errno != ENOSPC:
            raise DataError(f"{name}: the store cannot be read ({type(error).__name__})") from None
        raise DeliveryError(f"{name}: the disk is full; name a folder with room for a copy (--spill DIR)") from None
    except Exception as error:  # noqa: BLE001
        raise DataError(f"{name}: the store cannot be read ({type(error).__name__})") from None
