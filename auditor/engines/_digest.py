"""SHA-256 of the data's files, computed beside the counting (hashing releases the interpreter)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from threading import Thread

_CHUNK = 1 << 20


def digest_later(paths: tuple[Path, ...]) -> Future[str]:
    """Begin hashing in the background; a run that ends early does not wait for it."""
    found: Future[str] = Future()

    def work() -> None:
        try:
            found.set_result(digest(paths))
        except OSError as error:
            found.set_exception(error)

    Thread(target=work, name="sha256", daemon=True).start()
    return found


def digest(paths: tuple[Path, ...]) -> str:
    """SHA-256 of one file's bytes; of several, of the lines ``<sha256>  <name>`` in the order of their names.

    Names are relative to the files' common folder, so that moving the folder changes nothing.
    """
    return combined({path: _of_file(path) for path in paths})


def combined(digests: Mapping[Path, str]) -> str:
    """The digest of files whose own are known, as `digest`."""
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


def _of_file(path: Path) -> str:
    state = hashlib.sha256()
    buffer = memoryview(bytearray(_CHUNK))
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(buffer):
            state.update(buffer[:size])
    return state.hexdigest()
