"""How much a file says: where that is little, its digest confirms a guess of what it holds."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from pathlib import Path

LITTLE = 64 << 10
"""A file that compresses to fewer bytes says little: some thousand records, or many of few values."""
_CHUNK = 1 << 20


class Compressed:
    """What some bytes compress to, counted up to `LITTLE`."""

    def __init__(self) -> None:
        self._state = zlib.compressobj(1)
        self._size = 0

    def add(self, chunk: bytes | memoryview) -> None:
        """The next bytes."""
        if self.counting:
            self._size += len(self._state.compress(chunk))

    @property
    def counting(self) -> bool:
        """Whether it is still little."""
        return self._size < LITTLE

    def size(self) -> int:
        """The size, or `LITTLE` where it is larger; nothing can be added any more."""
        return min(LITTLE, self._size + len(self._state.flush()))


def is_little(sizes: Iterable[int]) -> bool:
    """Whether files of these compressed sizes say little together."""
    return sum(sizes) < LITTLE


def says_little(path: Path) -> bool:
    """Whether a file compresses to little: then so few files look like it that they could be tried.

    Raises:
        OSError: it cannot be read.
    """
    compressed = Compressed()
    with path.open("rb", buffering=0) as file:
        while compressed.counting and (chunk := file.read(_CHUNK)):
            compressed.add(chunk)
    return is_little([compressed.size()])
