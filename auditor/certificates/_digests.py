"""Digests of files by their names: SHA-256, or keyed (HMAC) where a file is small enough to be guessed.

A plain digest of a tiny or guessable table confirms a guess to everybody who sees it. A keyed one tells nothing to
those who lack the key, and cannot be verified by them either.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.engines import Files, Table, locate
from auditor.errors import DataError, Unsupported, UsageError
from auditor.stages import Stage, stage

PLAIN, KEYED = "sha256", "hmacSha256"
"""The names of the algorithms in a certificate's digests."""
SHORTEST_KEY = 16


@dataclass(frozen=True)
class Key:
    """A secret from the environment; never shown."""

    secret: bytes

    @classmethod
    def from_environment(cls, name: str) -> Key:
        """The key in a variable; `UsageError` where there is none, or a short one."""
        value = os.environ.get(name, "").encode()
        if len(value) < SHORTEST_KEY:
            raise UsageError(f"the environment variable {name!r} holds no key of at least {SHORTEST_KEY} bytes")
        return cls(value)

    def __repr__(self) -> str:
        return "Key(…)"


@dataclass(frozen=True, order=True)
class Named:
    """A file as a certificate names it, and its digest. `role` is data, outputs, reference, policy, or input."""

    name: str
    digest: str
    role: str = "data"


def algorithm(key: Key | None) -> str:
    """What the digests are called that are made with a key, or without."""
    return PLAIN if key is None else KEYED


def digest_of(path: Path, key: Key | None) -> str:
    """The digest of a file's bytes, in hexadecimal."""
    state = hashlib.sha256() if key is None else hmac.new(key.secret, digestmod=hashlib.sha256)
    try:
        with stage(Stage.HASHING) as here, path.open("rb", buffering=0) as file:
            done, size = 0.0, path.stat().st_size / 1e6
            while chunk := file.read(1 << 20):
                state.update(chunk)
                done += len(chunk) / 1e6
                here.tell(done, size, "MB")
    except OSError as wrong:
        raise DataError(f"{path.name}: cannot be read ({wrong.strerror})") from None
    return state.hexdigest()


def digests_of(data: str, key: Key | None = None, role: str = "data") -> tuple[Named, ...]:
    """Every file behind a path, glob or folder, by its name below the folder that all of them share.

    Raises:
        DataError: there is no such data.
        Unsupported: the data is a table of a database, which has no bytes to be bound to.
    """
    found = locate(data)
    if isinstance(found, Table):
        raise Unsupported(f"{found.name}: a table of a database cannot be certified; write it to a file first")
    return named(found, key, role)


def named(files: Files, key: Key | None, role: str) -> tuple[Named, ...]:
    """The digests of files that were found."""
    root = _common([path.parent for path in files.paths])
    return tuple(sorted(Named(path.relative_to(root).as_posix(), digest_of(path, key), role) for path in files.paths))


def _common(folders: Sequence[Path]) -> Path:
    return Path(os.path.commonpath(folders)) if folders[0].parts else folders[0]
