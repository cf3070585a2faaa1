"""Addresses that an engine writes releases to: file systems of a cluster, object stores."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any, Protocol, Self, runtime_checkable

from auditor.engines._limits import RunLimits
from auditor.errors import UsageError

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://[^/]*(/.*)?", re.DOTALL)
_NAME = re.compile(r"[^*?\[\]{}\\#%=:,\x00-\x1f]+")
"""What no reader takes for a pattern, an escape, a partition or a list."""


class Address(str):
    """An address as ``hdfs://host/releases/visits``: a text that has a name, and a folder that it lies in."""

    __slots__ = ()

    @classmethod
    def of(cls, text: Any) -> Self | None:
        """The address that a text is; None for what is none.

        >>> Address.of("s3a://bucket/out/"), Address.of("out/visits"), Address.of("file:///tmp/x").parent
        ('s3a://bucket/out', None, 'file:///tmp')
        """
        return cls(text.rstrip("/")) if isinstance(text, str) and _ADDRESS.fullmatch(text) else None

    @property
    def name(self) -> str:
        """The last part; empty where there is none."""
        found = _ADDRESS.fullmatch(self)
        return ((found and found[1]) or "").rpartition("/")[2]

    @property
    def named(self) -> PurePosixPath:
        """The name as a path, which has suffixes."""
        return PurePosixPath(self.name)

    @property
    def parent(self) -> Address:
        """What it lies in."""
        return Address(self.rpartition("/")[0])

    def __truediv__(self, name: str) -> Address:
        return Address(f"{self}/{name}")

    def check(self) -> None:
        """Refuse an address whose name would be read otherwise; `UsageError` says what is meant."""
        if not _NAME.fullmatch(self.name) or self.name.startswith((".", "_")):
            raise UsageError(
                f"-o {self.name or 'the root'}: is not a usable folder name at an address; use one without patterns "
                "or equals signs that does not begin with a dot or underscore"
            )


class Storage(Protocol):
    """The file system behind an address. All raise `DeliveryError` where it cannot be done."""

    def exists(self, address: Address) -> bool:
        """Whether anything is there."""

    def qualified(self, address: Address) -> str:
        """The address with all that is left out of it by default."""

    def make(self, address: Address) -> None:
        """Make a folder that nobody else may read, where the file system knows such."""

    def rename(self, old: Address, new: Address) -> None:
        """Give a folder another name, at which nothing may be yet."""

    def remove(self, address: Address) -> None:
        """Remove a folder with all that is in it."""


@runtime_checkable
class Stores(Protocol):
    """An engine that writes to addresses."""

    def storage(self, address: Address, limits: RunLimits) -> Storage:
        """The file system behind an address."""
