"""Digests of files by their names: SHA-256, or keyed (HMAC) where a file is small enough to be guessed.

A plain digest of a tiny or guessable table confirms a guess to everybody who sees it. A keyed one tells nothing to
those who lack the key, and cannot be verified by them either. So a certificate is keyed as soon as one of its files
says little, or has values of the data in its name: where no key is given, with a new one in a file beside it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.engines import DatabaseTable, Files, locate
from auditor.entropy import says_little
from auditor.errors import DataError, Unsupported, UsageError, without_partitions
from auditor.stages import Stage, stage

PLAIN, KEYED = "sha256", "hmacSha256"
"""The names of the algorithms in a certificate's digests."""
SHORTEST_KEY = 16
KEY_ENDING = ".key"
"""What the file of a certificate's own key is called, after the certificate."""
GUESSED = ("data", "outputs", "reference", "input")
"""The roles of files that hold data."""


@dataclass(frozen=True)
class SecretKey:
    """A secret from the environment; never shown."""

    secret: bytes

    @classmethod
    def from_environment(cls, name: str) -> SecretKey:
        """The key in a variable; `UsageError` where there is none, or a short one."""
        value = os.environ.get(name, "").encode()
        if len(value) < SHORTEST_KEY:
            raise UsageError(f"the environment variable {name!r} holds no key of at least {SHORTEST_KEY} bytes")
        return cls(value)

    @classmethod
    def new(cls) -> SecretKey:
        """A random key of 256 bits, as text."""
        return cls(secrets.token_hex(32).encode())

    @classmethod
    def beside(cls, certificate: Path) -> SecretKey | None:
        """The key in the file beside a certificate; None where there is none, or no key in it."""
        file = certificate.with_name(certificate.name + KEY_ENDING)
        try:
            content = file.read_bytes() if file.is_file() and file.stat().st_size < 1024 else b""
        except OSError:
            return None
        found = re.fullmatch(rb"([0-9a-f]{64})\n?", content)
        return None if found is None else cls(found[1])

    def of(self, text: str) -> str:
        """The keyed digest of a text."""
        return hmac.digest(self.secret, text.encode("utf-8", "surrogateescape"), "sha256").hex()

    def __repr__(self) -> str:
        return "SecretKey(…)"


@dataclass(frozen=True, order=True)
class Named:
    """A file as a certificate names it, and its digest. `role` is data, outputs, reference, policy, or input.

    A name with values of the data in it, as ``diagnosis=HIV/part.parquet``, stands as a place, ``diagnosis=…``;
    `sealed` is then the keyed digest of the name itself.
    """

    name: str
    digest: str
    role: str = "data"
    sealed: str | None = None

    @property
    def known_by(self) -> str:
        """What tells it from others, whoever names it."""
        return self.sealed or self.name


@dataclass(frozen=True)
class BoundFile:
    """A file that a certificate is to be bound to, under a name; `sha256` is what was judged, where that is known."""

    path: Path
    name: str
    role: str
    sha256: str | None = None


def key_for(files: Iterable[BoundFile], of_people: Iterable[Path] = ()) -> SecretKey | None:
    """A new key where files could be guessed from plain digests or have values in their names; None where neither.

    `of_people` are files that hold data whatever their role is.
    """
    told = (file for file in files if file.role in GUESSED)
    guessed = any(placed(file.name) != file.name or _says_little(file.path) for file in told)
    return SecretKey.new() if guessed or any(map(_says_little, of_people)) else None


def bound(files: Iterable[BoundFile], key: SecretKey | None) -> tuple[Named, ...]:
    """The digests of files, by their names.

    Raises:
        DataError: a file cannot be read, or is not what was judged.
    """
    found = []
    for file in files:
        if file.sha256 is not None and key is not None and digest_of(file.path, None) != file.sha256:
            raise DataError(f"{placed(file.name)}: changed since it was judged, so it cannot be certified")
        digest = file.sha256 if file.sha256 is not None and key is None else digest_of(file.path, key)
        found.append(called(file.name, digest, file.role, key))
    return tuple(found)


def called(name: str, digest: str, role: str, key: SecretKey | None) -> Named:
    """A file under the name that a certificate may show."""
    place = placed(name)
    return Named(name, digest, role) if key is None or place == name else Named(place, digest, role, key.of(name))


def placed(name: str) -> str:
    """A name without the values of its partitions."""
    return without_partitions(name)


def _says_little(path: Path) -> bool:
    """Whether a file says so little that its digest would confirm a guess."""
    try:
        return says_little(path)
    except OSError as wrong:
        raise DataError(f"{path.name}: cannot be read ({wrong.strerror})") from None


def algorithm(key: SecretKey | None) -> str:
    """What the digests are called that are made with a key, or without."""
    return PLAIN if key is None else KEYED


def digest_of(path: Path, key: SecretKey | None) -> str:
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


def files_of(data: str, role: str = "data") -> tuple[BoundFile, ...]:
    """Every file behind a path, glob or folder, by its name below the folder that all of them share.

    Raises:
        DataError: there is no such data.
        Unsupported: the data is a table of a database, which has no bytes to be bound to.
    """
    found = locate(data)
    if isinstance(found, DatabaseTable):
        raise Unsupported(f"{found.name}: a table of a database cannot be certified; write it to a file first")
    return named(found, role)


def digests_of(data: str, key: SecretKey | None = None, role: str = "data") -> tuple[Named, ...]:
    """The digests of `files_of`."""
    return tuple(sorted(bound(files_of(data, role), key)))


def named(files: Files, role: str) -> tuple[BoundFile, ...]:
    """Files that were found, by their names."""
    root = _common([path.parent for path in files.paths])
    return tuple(BoundFile(path, path.relative_to(root).as_posix(), role) for path in sorted(files.paths))


def _common(folders: Sequence[Path]) -> Path:
    return Path(os.path.commonpath(folders)) if folders[0].parts else folders[0]
