"""Names that differ in case or Unicode form alone: on some file systems one such file overwrites the other.

What was judged here would be another file there. So what the gate reads must have no such twin in the repository, and a
glob or a folder must name the same files there and here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from glob import has_magic
from itertools import takewhile
from unicodedata import normalize

IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
"""Characters without a form of their own, as git has them, too, where it looks for ``.git`` on HFS+."""


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


def spelled(tracked: Iterable[str]) -> list[tuple[str, str]]:
    """Names as file systems compare them that know neither case nor Unicode forms, in order, each with its spelling."""
    return sorted((_folded(name), name) for name in tracked)


def nearly(tracked: Sequence[tuple[str, str]], pattern: str) -> Iterator[str]:
    """The names, from the top, that a pattern matches where neither case nor Unicode forms count, and not here.

    Args:
        tracked: the names, as `spelled`.
        pattern: as for `pathlib.Path.glob`: ``*`` stays within one folder, ``**`` does not.
    """
    own, alike = pattern.split("/"), _folded(pattern).split("/")
    fixed = "".join(f"{part}/" for part in takewhile(lambda part: not has_magic(part), alike[:-1]))
    for folded, name in tracked[bisect_left(tracked, (fixed, "")) :]:
        if not folded.startswith(fixed):
            return
        if is_matched(folded.split("/"), alike) and not is_matched(name.split("/"), own):
            yield name


def is_matched(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a path matches: `reached` are the places in the pattern that it can have come to, part by part."""
    reached = _closed({0}, pattern)
    for part in parts:
        further = {at if pattern[at] == "**" else at + 1 for at in reached if _takes(pattern, at, part)}
        reached = _closed(further, pattern)
    return len(pattern) in reached


def _takes(pattern: Sequence[str], at: int, part: str) -> bool:
    return at < len(pattern) and (pattern[at] == "**" or fnmatchcase(part, pattern[at]))


def _closed(reached: set[int], pattern: Sequence[str]) -> set[int]:
    """With the places behind ``**``, which may stand for no folder at all."""
    found = set(reached)
    for at, part in enumerate(pattern):
        if at in found and part == "**":
            found.add(at + 1)
    return found


def _folded(name: str) -> str:
    """A name as file systems compare it that know neither case nor Unicode forms; HFS+ leaves out what IGNORED has."""
    return normalize("NFC", normalize("NFD", IGNORED.sub("", name)).casefold())


def around(name: str) -> Iterator[str]:
    """The folders around a name."""
    while name := name.rpartition("/")[0]:
        yield name
