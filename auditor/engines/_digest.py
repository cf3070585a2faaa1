"""SHA-256 of the data's files, computed beside the counting (hashing releases the interpreter)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from errno import EIO
from pathlib import Path
from threading import Thread

from auditor.entropy import Compressed

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class FileDigest:
    """One file as it was read: how many bytes, their digest, and that of the first ones where it was asked for.

    `compressed` is how many bytes they compress to, counted up to where that is no longer little.
    """

    size: int
    sha256: str
    start: str | None = None
    compressed: int = 0


def digest_later(paths: tuple[Path, ...], starts: Mapping[Path, int] | None = None) -> Future[dict[Path, FileDigest]]:
    """Begin hashing in the background; a run that ends early does not wait for it.

    `starts` says of some files after how many bytes their digest so far is wanted too.
    """
    found: Future[dict[Path, FileDigest]] = Future()

    def work() -> None:
        try:
            found.set_result({path: _of_file(path, (starts or {}).get(path)) for path in paths})
        except OSError as error:
            found.set_exception(error)
        except Exception as error:  # noqa: BLE001  (a store has its own kinds; whoever waits must not wait for ever)
            found.set_exception(OSError(EIO, type(error).__name__))

    Thread(target=work, name="sha256", daemon=True).start()
    return found


def combined(digests: Mapping[Path, str]) -> str:
    """SHA-256 of one file's bytes; of several, of the lines ``<sha256>  <name>`` in the order of their names.

    Names are relative to the files' common folder, so that moving the folder changes nothing.
    """
    if len(digests) == 1:
        return next(iter(digests.values()))
    root = _common_folder(tuple(digests))
    lines = sorted(f"{each}  {path.relative_to(root).as_posix()}\n" for path, each in digests.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _common_folder(paths: tuple[Path, ...]) -> Path:
    parents = [path.parent for path in paths]
    root = parents[0]
    while not all(parent.is_relative_to(root) for parent in parents):
        root = root.parent
    return root


def _of_file(path: Path, start: int | None) -> FileDigest:
    state, size, early, compressed = hashlib.sha256(), 0, None, Compressed()
    buffer = memoryview(bytearray(_CHUNK))
    with path.open("rb", buffering=0) as file:
        while read := file.readinto(buffer):
            if start is not None and size <= start < size + read:
                first = start - size
                state.update(buffer[:first])
                early = state.hexdigest()
                state.update(buffer[first:read])
            else:
                state.update(buffer[:read])
            size += read
            compressed.add(buffer[:read])
    if start == size:
        early = state.hexdigest()
    return FileDigest(size, state.hexdigest(), early, compressed.size())
