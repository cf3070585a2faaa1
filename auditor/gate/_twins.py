"""Names that differ in case or Unicode form alone: on some file systems one such file overwrites the other.

What was judged here would be another file there. So what the gate reads must have no such twin in the repository.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from unicodedata import normalize


def twins(tracked: Iterable[str], read: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The names, from the top, that are taken for one, and for a file that was read or a folder around it.

    Args:
        tracked: every file, link and submodule of the repository; folders alone overwrite nothing.
        read: the files that were read.
    """
    spelled: dict[str, set[str]] = {}
    names = list(tracked)
    for name in names:
        spelled.setdefault(_folded(name), set()).add(name)
    for folder in {each for name in names for each in around(name)}:
        if (known := spelled.get(_folded(folder))) is not None:
            known.add(folder)
    wanted = {_folded(each) for name in read for each in (name, *around(name))}
    yield from (tuple(sorted(spelled[key])) for key in sorted(wanted) if len(spelled.get(key, ())) > 1)


def _folded(name: str) -> str:
    """A name as file systems compare it that know neither case nor Unicode forms."""
    return normalize("NFC", normalize("NFD", name).casefold())


def around(name: str) -> Iterator[str]:
    """The folders around a name."""
    while name := name.rpartition("/")[0]:
        yield name
