"""That a file which was judged is the file whose hash is named.

Hashing and counting open a file twice. Whoever swaps it in between (or a link on the way to it, and back again) would
have one file judged and another one certified. A seal remembers the hash of every file, and of everything on its way
what the file system says of it; after the judgement all of that must be the same.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from auditor.entropy import says_little
from auditor.errors import DataError

Trace = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Seal:
    """Files, their SHA-256, which of them say so little that it would confirm a guess, and their traces on the disk."""

    digests: dict[Path, str]
    guessable: dict[Path, bool]
    traces: dict[Path, Trace]

    def check(self, shown: str) -> None:
        """`DataError` where a file is no longer what was hashed."""
        for path, trace in self.traces.items():
            if _trace(path) != trace:
                raise DataError(f"{shown}: changed while it was judged, so it is not known what was judged")


def seal(paths: Sequence[Path], shown: str) -> Seal:
    """Hash the files and remember them."""
    traces = {path: _trace(path) for path in paths}
    try:
        digests = {path: _digest(path) for path in paths}
        guessable = {path: says_little(path) for path in paths}
    except OSError as wrong:
        raise DataError(f"{shown}: cannot be read ({wrong.strerror})") from None
    sealed = Seal(digests, guessable, traces)
    sealed.check(shown)
    return sealed


def _digest(path: Path) -> str:
    with path.open("rb", buffering=0) as file:
        return file_digest(file, "sha256").hexdigest()


def _trace(path: Path) -> Trace:
    """What the file system says of a file, of every link that leads to it, and of the folders around.

    Of folders only which ones they are: what else is written into them changes their times.
    """
    return tuple(_facts(each) for each in _way(path))


def _way(path: Path) -> Iterator[Path]:
    here = Path(path.anchor)
    links = 0
    waiting = list(path.absolute().parts[1:])
    yield here
    while waiting:
        part = waiting.pop(0)
        here = here.parent if part == ".." else here / part
        yield here
        if here.is_symlink():
            links += 1
            if links > 40:
                raise DataError(f"{path.name}: its links form a circle")
            target = here.readlink()
            waiting = [*(target.parts[1:] if target.is_absolute() else target.parts), *waiting]
            here = Path(target.anchor) if target.is_absolute() else here.parent


def _facts(path: Path) -> tuple[int, ...]:
    try:
        found = path.lstat()
    except OSError:
        return ()
    if stat.S_ISDIR(found.st_mode):
        return found.st_dev, found.st_ino
    return found.st_dev, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns
