"""What was judged beside what the head's commit has: the gate judges the working tree, and says where that is another.

It is told by the bytes of the files, whatever the index, ignored files, sparse checkouts, attributes and filters say.
Ends of lines do not count, as git may write them otherwise; nor does it that Git LFS stores a pointer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha1, sha256
from pathlib import Path

from auditor.errors import NotEvaluated
from auditor.policy.git import Git
from auditor.policy.tree import Blob, Tree

LFS = b"version https://git-lfs.github.com/spec/v1\n"
MOST_READ = 64 << 20
RULES = (".yaml", ".yml", ".lock")


class Committed:
    """The commit that is checked out, beside the working tree."""

    def __init__(self, git: Git, top: Path) -> None:
        self._tree = Tree(git, "HEAD", top)
        self._top = top

    def other(self, files: Iterable[Path]) -> Iterator[str]:
        """The names of files, from the top, that the commit does not have as they are; those outside are left out."""
        for file in dict.fromkeys(each.resolve() for each in files):
            if file.is_relative_to(self._top):
                name = file.relative_to(self._top).as_posix()
                known = self._known(name)
                if known is None or not is_blob(file, None, known, ends_of_lines=True):
                    yield name

    def rules(self) -> Iterator[Path]:
        """The files of rules that the commit has, as far as they are there."""
        names = (name for name in self._tree.files if name.endswith(RULES))
        yield from (file for name in names if (file := self._top / name).is_file())

    def _known(self, name: str) -> Blob | None:
        try:
            return self._tree.file(name)
        except NotEvaluated:
            return None


def is_blob(path: Path, digest: str | None, blob: Blob, *, ends_of_lines: bool = False) -> bool:
    """Whether a file is an object of git, or what its pointer (Git LFS) names.

    Args:
        path: the file.
        digest: its SHA-256, where that is known.
        blob: the object.
        ends_of_lines: take a file for the object that differs in nothing but CRLF for LF.
    """
    size = path.stat().st_size
    if size == blob.size:
        state = (sha1 if len(blob.object) == 40 else sha256)(b"blob %d\0" % size)
        with path.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                state.update(chunk)
        return state.hexdigest() == blob.object
    if ends_of_lines and blob.size < size <= MOST_READ and path.read_bytes().replace(b"\r\n", b"\n") == blob.read():
        return True
    pointer = blob.read() if blob.size < 1024 else b""
    if not pointer.startswith(LFS):
        return False
    found = digest if digest is not None else _sha256(path)
    return f"sha256:{found}".encode() in pointer


def _sha256(path: Path) -> str:
    state = sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            state.update(chunk)
    return state.hexdigest()
