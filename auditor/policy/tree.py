"""The tree of a commit as its files would be found by their paths: through links, and in submodules.

A link of the tree is followed inside the tree and nowhere else. What a submodule held is read from its own repository,
where the working tree has that and it has the commit; otherwise nobody can tell what it held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import escape, has_magic
from itertools import takewhile
from pathlib import Path

from auditor.errors import NotEvaluated, without_partitions
from auditor.policy.file.files import destination
from auditor.policy.git import FILE, LINK, SUBMODULE, Git, TreeEntry

MOST_LINKS = 40
"""So many links may be on the way to a file, as in operating systems."""
MOST_NESTED = 8
"""So deep may submodules lie in each other."""
DEEPEST = 200
"""So deep is looked for files: every folder on the way takes a call of its own."""
LONGEST = 4096
"""So many bytes may the text of a link have."""


@dataclass(frozen=True)
class Blob:
    """A file of the tree, and the repository that has it."""

    git: Git
    object: str
    size: int

    def read(self) -> bytes:
        """Its bytes, as they are stored."""
        return self.git.blob(self.object)


class Tree:
    """Files by their paths from the top; where links lead; which submodules cannot be looked into."""

    def __init__(self, git: Git, commit: str, top: Path | None) -> None:
        """`top` is the working tree, in which the repositories of submodules are; None where there is none."""
        self.files: dict[str, Blob] = {}
        self.links: dict[str, Blob] = {}
        self._targets: dict[str, str] = {}
        self._closed: dict[str, str] = {}
        self._add(git, commit, top, "", MOST_NESTED)
        self._children: dict[str, set[str]] = {}
        for path in (*self.files, *self.links, *self._closed):
            while path:
                folder, _, name = path.rpartition("/")
                known = self._children.setdefault(folder, set())
                if name in known:
                    break
                known.add(name)
                path = folder  # noqa: PLW2901  (upwards, until a folder that is known)

    def _add(self, git: Git, commit: str, top: Path | None, prefix: str, depth: int) -> None:
        for name, entry in git.entries(commit).items():
            path = f"{prefix}{name}"
            if entry.mode.startswith(FILE):
                self.files[path] = Blob(git, entry.object, entry.size)
            elif entry.mode.startswith(LINK):
                self.links[path] = Blob(git, entry.object, entry.size)
            elif entry.mode.startswith(SUBMODULE):
                self._enter(top, path, entry.object, depth)

    def _enter(self, top: Path | None, path: str, commit: str, depth: int) -> None:
        inner = None if top is None else _repository(top / path)
        if inner is not None and depth and not inner.run("cat-file", "-e", f"{commit}^{{commit}}").returncode:
            self._add(inner, commit, top, f"{path}/", depth - 1)
        else:
            self._closed[path] = commit

    def walk(self, path: str) -> tuple[str | None, list[str]]:
        """Where a path leads, and the links that it crosses; None where that is out of the tree, or in a circle.

        Raises:
            NotEvaluated: it leads into a submodule that cannot be looked into.
        """
        waiting, here, crossed = path.split("/")[::-1], list[str](), list[str]()
        while waiting:
            part = waiting.pop()
            if part == "..":
                if not here:
                    return None, crossed
                here.pop()
            elif part not in ("", "."):
                here.append(part)
                known = "/".join(here)
                self._open(known)
                if known in self.links:
                    crossed.append(known)
                    target = self._target(known)
                    if len(crossed) > MOST_LINKS or not target or target.startswith("/"):
                        return None, crossed
                    here.pop()
                    waiting += target.split("/")[::-1]
        return "/".join(here), crossed

    def _target(self, link: str) -> str:
        """The text of a link; empty for one that no system would follow."""
        if link not in self._targets:
            blob = self.links[link]
            text = blob.read().decode("utf-8", "surrogateescape") if blob.size <= LONGEST else ""
            self._targets[link] = "" if "\0" in text else text
        return self._targets[link]

    def leave_out(self, later: Mapping[str, TreeEntry], top: Path) -> None:
        """Take submodules as empty that are the same in a later commit and not checked out there: as they are now."""
        for path, commit in list(self._closed.items()):
            if path in later and later[path].object == commit and not any((top / path).glob("*")):
                del self._closed[path]

    def _open(self, path: str) -> None:
        if path in self._closed:
            raise NotEvaluated(
                f"the submodule {without_partitions(path)} at {self._closed[path][:12]} is not in this clone, so its "
                "contents are not known; fetch it with its history first: git submodule update --init, and git fetch "
                "--unshallow in it"
            )

    def file(self, path: str) -> Blob | None:
        """The file that a path leads to."""
        real = self.walk(path)[0]
        return None if real is None else self.files.get(real)

    def is_folder(self, path: str) -> bool:
        """Whether a path leads to a folder of the tree."""
        return self.walk(path)[0] in self._children

    def below(self, folder: str) -> Iterator[str]:
        """Every file below a folder, by its path; links to folders are not followed."""
        for name in self._named(folder):
            path = f"{folder}/{name}" if folder else name
            if self.file(path) is not None:
                yield path
            elif self._is_own_folder(path):
                yield from self.below(path)

    def matching(self, pattern: str, *, folders: bool = False) -> Iterator[str]:
        """The files (or folders) that a glob names, as `Path.glob` finds them; ``**`` follows no link."""
        parts = [part for part in pattern.split("/") if part not in ("", ".")]
        there = self.is_folder if folders else self._is_file
        yield from dict.fromkeys(self._matching("", parts, there) if parts else ())

    def beyond(self, pattern: str, *, folders: bool = False) -> Iterator[str]:
        """What ``**`` comes to through links to folders, and in no other way: so the gate searches its places."""
        parts = pattern.split("/")
        if "**" not in parts:
            return
        fixed = "/".join(takewhile(lambda part: not has_magic(part), parts))
        waiting, known = [fixed], [self.walk(fixed)[0]]
        while waiting:
            for link in self._links(waiting.pop()):
                final = self.walk(link)[0]
                if final is not None and self.is_folder(link) and not any(_is_in(final, each) for each in known):
                    found = self.matching("/".join([escape(link), *parts[parts.index("**") :]]), folders=folders)
                    yield from (path for path in found if not any(_is_in(self.walk(path)[0], each) for each in known))
                    waiting.append(link)
                    known.append(final)

    def _links(self, folder: str) -> Iterator[str]:
        """The links below a folder, by their paths; none is followed."""
        real = self.walk(folder)[0]
        inside = (name for name in self.links if real is not None and _is_in(name, real))
        yield from (f"{folder}/{name[len(real or '') :].lstrip('/')}".lstrip("/") for name in inside)

    def _is_file(self, path: str) -> bool:
        return self.file(path) is not None

    def _matching(self, folder: str, parts: Sequence[str], there: Callable[[str], bool]) -> Iterator[str]:
        first, rest = parts[0], parts[1:]
        if first == "**":
            yield from self._matching(folder, rest, there) if rest else filter(there, self.below(folder))
            inner = (f"{folder}/{name}" if folder else name for name in self._named(folder))
            for path in inner if rest else ():
                if self._is_own_folder(path):
                    yield from self._matching(path, parts, there)
            return
        # A file called like the pattern is one of those that it matches, and stands for no other.
        names = [first] if first == ".." else [name for name in self._named(folder) if fnmatchcase(name, first)]
        for name in names:
            path = f"{folder}/{name}" if folder else name
            if rest and self.is_folder(path):
                yield from self._matching(path, rest, there)
            elif not rest and there(path):
                yield path

    def _named(self, folder: str) -> list[str]:
        """The names in a folder.

        Raises:
            NotEvaluated: it lies too deep, or in a submodule that cannot be looked into.
        """
        if folder.count("/") >= DEEPEST:
            raise NotEvaluated(f"{folder.partition('/')[0]}: has folders in each other, more than {DEEPEST} deep")
        real = self.walk(folder)[0]
        return [] if real is None else sorted(self._children.get(real, ()))

    def _is_own_folder(self, path: str) -> bool:
        """Whether a path is a folder, and no link to one."""
        folder, _, name = path.rpartition("/")
        real = self.walk(path)[0]
        return real in self._children and real == f"{self.walk(folder)[0]}/{name}".removeprefix("/")


def _is_in(path: str | None, folder: str | None) -> bool:
    """Whether a path is a folder, or below it; the top is called by no letters."""
    return path is not None and folder is not None and f"{path}/".startswith(f"{folder}/" if folder else "")


def _repository(folder: Path) -> Git | None:
    """The repository of a submodule in the working tree; None where another one, or none, stands in its place."""
    return Git(folder) if destination(folder) == folder and (folder / ".git").exists() else None
