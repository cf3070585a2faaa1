"""Whether data is what was counted earlier and an append, and what of it is new.

Counts add up: the combinations of the earlier data and those of the new rows are together those of the whole. That is
so only where every earlier file is still there with the same bytes, and where new rows are read as the earlier ones
were. So whoever keeps counts also keeps what was counted (`CountOrigin`); `appended` and `prove` hold data against it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from auditor.engines._digest import FileDigest, combined
from auditor.engines._locate import Files
from auditor.entropy import is_little

KEPT_VERSION: Literal[1] = 1
"""Of the file of counts and of what its texts mean: another one is not read."""


class CannotAdd(Exception):  # noqa: N818  (an outcome that is no error: the data is counted anew)
    """Why counts that were kept cannot be added to. The text holds names, but no value of the data."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file that was counted: its name below the folder of the data, its size in bytes and their SHA-256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Reader:
    """How files are read: their format, the reader with its version, and how text is written (`Head` of CSV)."""

    format: str
    program: str
    dialect: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptColumn:
    """A column by its name, and the engine's name of its type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class CountOrigin:
    """What a file of counts was counted from.

    `columns` are all columns of the data, in its order; `counted` names those whose combinations are in the file, in
    the order in which they stand there. `records` is the sum of the counts. `salt` is drawn anew for each file: without
    it the file's digest, which a result tells everybody, would confirm a guess of what was counted.
    """

    version: Literal[1]
    reader: Reader
    columns: tuple[KeptColumn, ...]
    counted: tuple[str, ...]
    records: int
    files: tuple[KeptFile, ...]
    salt: str = field(default_factory=lambda: secrets.token_hex(32))


@dataclass(frozen=True, slots=True)
class SourcePart:
    """What of some files is to be counted.

    `paths` are read whole; of `grown`, a file of text, what follows after its first `after` bytes. `starts` are the
    files whose first bytes are to be proven, with the number of them.
    """

    paths: tuple[Path, ...]
    grown: Path | None = None
    after: int = 0

    @property
    def starts(self) -> dict[Path, int]:
        """After how many bytes the digest of a file is wanted."""
        return {} if self.grown is None else {self.grown: self.after}


@dataclass(frozen=True, slots=True)
class SourceOrigin:
    """The files that a source was opened from, how they are read, and their digests, which take a while."""

    files: Files
    reader: Reader
    digests: Future[dict[Path, FileDigest]]

    def sha256(self) -> str:
        """The digest of all files together; `OSError` where one cannot be read."""
        return combined({path: each.sha256 for path, each in self.digests.result().items()})

    def guessable(self) -> bool:
        """Whether the files together say so little that their digest would confirm a guess."""
        return is_little(each.compressed for each in self.digests.result().values())

    def kept(self) -> tuple[KeptFile, ...]:
        """The files as they are to be known again."""
        found = self.digests.result()
        names = ((_name(self.files, path), found[path]) for path in self.files.paths)
        return tuple(KeptFile(name, each.size, each.sha256) for name, each in names)


def appended(kept: CountOrigin, files: Files) -> SourcePart:
    """What of some files was not counted yet, as their names and sizes tell; `prove` looks at their bytes.

    A single file may have been renamed.

    Raises:
        CannotAdd: an earlier file is missing or has another size, and is no text that grew.
    """
    if files.format != kept.reader.format:
        raise CannotAdd(f"the data is {files.format}, and what was counted is {kept.reader.format}")
    if len(files.paths) == len(kept.files) == 1 and not files.partitions:
        return _of_one(kept.files[0], files)
    now = {_name(files, path): path for path in files.paths}
    for known in kept.files:
        if known.name not in now:
            raise CannotAdd(f"{_shown(known)} was counted earlier and is gone")
        if now[known.name].stat().st_size != known.size:
            raise CannotAdd(f"{_shown(known)} has changed since it was counted")
    known_names = {known.name for known in kept.files}
    return SourcePart(tuple(path for name, path in now.items() if name not in known_names))


def _of_one(known: KeptFile, files: Files) -> SourcePart:
    path = files.paths[0]
    size = path.stat().st_size
    if size == known.size:
        return SourcePart(())
    text = files.format in ("csv", "json")
    if path.name != known.name and (size < known.size or not text):
        raise CannotAdd(f"{_shown(known)} was counted earlier and is gone")
    if size < known.size:
        raise CannotAdd(f"{path.name} is shorter than what was counted: removed records cannot be told from counts")
    if files.compressed:
        raise CannotAdd(f"{path.name} is compressed, and has changed since it was counted")
    if not text:
        raise CannotAdd(f"{path.name} has changed since it was counted; append to {files.format} data by adding files")
    return SourcePart((), path, known.size)


def prove(kept: CountOrigin, files: Files, part: SourcePart, digests: Mapping[Path, FileDigest]) -> None:
    """Hold the bytes of every earlier file against what was counted.

    Raises:
        CannotAdd: they are others.
    """
    known = {each.name: each for each in kept.files}
    single = kept.files[0] if len(files.paths) == len(kept.files) == 1 else None
    for path in files.paths:
        if path in part.paths:
            continue
        earlier = single or known[_name(files, path)]
        found = digests[path].start if path == part.grown else digests[path].sha256
        if found != earlier.sha256:
            raise CannotAdd(f"{path.name} has changed since it was counted")


def _name(files: Files, path: Path) -> str:
    return path.relative_to(files.root).as_posix()


def _shown(known: KeptFile) -> str:
    """The last part of a name: the folders may be named for values."""
    return known.name.rpartition("/")[2]
