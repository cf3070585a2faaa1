"""Objects of S3 read where they are, by DuckDB through fsspec: each read is held to the object that was listed.

S3 answers a part of an object on the condition that it is still the one of an entity tag (If-Match). So all readers of
a run, the one that hashes too, see the same bytes, without a copy.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from glob import escape
from pathlib import Path
from stat import S_IFREG
from typing import Any

from fsspec import AbstractFileSystem

FOLDER = "objects"
"""What all objects of a run lie below, whatever their bucket is called."""
PART_BYTES = 4 << 20
"""So much is read at once, and ahead."""
_LOCAL: type[Path] = type(Path())


class StoredObject(_LOCAL):  # type: ignore[misc, valid-type]
    """An object by its name below what the user named; as `os.fspath` tells it to a reader, it has a scheme."""

    store: PinnedObjects

    def __fspath__(self) -> str:
        """The address at which DuckDB finds it."""
        return f"{PinnedObjects.protocol}://{self.as_posix()}"

    def is_file(self, **_: bool) -> bool:
        """It is one."""
        return True

    def is_dir(self, **_: bool) -> bool:
        """It is none."""
        return False

    def lstat(self) -> os.stat_result:
        """Its kind and size."""
        return os.stat_result((S_IFREG, 0, 0, 1, 0, 0, self.store.size(self.as_posix()), 0, 0, 0))

    def stat(self, **_: bool) -> os.stat_result:
        """The same: there are no links."""
        return self.lstat()

    def with_name(self, name: str) -> StoredObject:
        """What is called so beside it, if anything is."""
        found: StoredObject = super().with_name(name)
        found.store = self.store
        return found

    def open(self, *_: Any, **__: Any) -> Any:
        """It, for reading bytes."""
        return self.store.open(self.as_posix())


class PinnedObjects(AbstractFileSystem):  # type: ignore[misc]
    """The objects of one listing, and nothing else, for reading only.

    Args:
        store: the file system of S3.
        listed: what the store told of each object, by the object's name below `FOLDER`.
    """

    protocol = "stored"
    cachable = False

    def __init__(self, store: Any, listed: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__()
        self._store = store
        self._listed = {f"{FOLDER}/{name}": told for name, told in listed.items()}

    def paths(self) -> list[StoredObject]:
        """The objects, by name."""
        found = [StoredObject(name) for name in sorted(self._listed)]
        for path in found:
            path.store = self
        return found

    def glob(self, path: str, **_: Any) -> Sequence[str]:
        """The object that an address names, whose special characters are escaped: what is not is another's name."""
        name = self._strip_protocol(path)
        return [each for each in self._listed if name == escape(each)]

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """The size of an object."""
        name = self._strip_protocol(path)
        if name not in self._listed:
            raise FileNotFoundError(path)
        return {"name": name, "size": int(self._listed[name]["size"]), "type": "file"}

    def modified(self, path: str) -> Any:
        """When an object was written."""
        return self._listed[self._strip_protocol(path)]["LastModified"]

    def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
        """An object as it was listed; each read fails that would be of another one."""
        told = self._listed[path]
        opened = self._store.open(told["name"], mode, block_size=PART_BYTES)
        if opened.details.get("ETag") != told["ETag"]:
            opened.close()
            raise OSError(f"{path} was replaced in the store")
        return opened
