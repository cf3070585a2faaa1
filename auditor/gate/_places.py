"""Where a manifest may point: files of the repository, and what a trusted variable names.

A manifest may come from a stranger's branch, and what it points to is opened on a machine that has secrets. A place is
a path inside the repository, or begins with a variable that the base revision lists under ``trusted.env``: then it
stays inside the folder that the variable names, or is a database whose address the variable gives. Links are resolved
before a path is believed, and none is followed while folders are searched.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from urllib.parse import parse_qs

from auditor.engines import DatabaseTable, Files, entries, locate, located, says_nothing
from auditor.errors import DataError
from auditor.gate._manifest import ManifestEntry
from auditor.policy.reading import Mark, Problems, quoted, reachable

VARIABLE = re.compile(r"\$\{([^}]*)\}")
NAMED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SERVER = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
ASKED = re.compile(r"(/[^?&#@]*)?(?:[?&](.*))?", re.DOTALL)
"""What may follow the variable of a server: a database, and what is asked of it."""
FILE_DATABASE = re.compile(r"(duckdb|sqlite):(?://)?([^?]*)(\?.*)?", re.DOTALL)
NO_PATH = (OSError, ValueError, IndexError, RuntimeError)
"""What Python's paths and globs raise for names that are none: too long, ill-formed, links in a circle."""
LOGS = ("-wal", "-journal", ".wal")
"""What SQLite and DuckDB put behind a database's name for changes that are not in its file yet, or to be undone."""
MOST_FILES = 100_000
"""So many files one place may name."""


def path_of(text: str) -> str | None:
    """The path in the repository that a place names, of a database its file; None where it begins with a variable."""
    database = FILE_DATABASE.fullmatch(text)
    return None if VARIABLE.match(text) else database[2] if database else text


@dataclass(frozen=True)
class DataPlace:
    """What a manifest names: `shown` as it stands there, `address` as it is opened, `root` as far as it may reach.

    `unset` is a trusted variable that has no value here; `root` is None for a database server. `committed` says that it
    lies in the repository: what leaves the house is then the file, and not what is asked of it.
    """

    shown: str
    address: str
    root: Path | None
    unset: str | None = None
    committed: bool = False

    def located(self) -> Files | DatabaseTable:
        """What is to be opened: a table of a database, or the files as they are now.

        Raises:
            DataError: there is no such file, or one leads out.
        """
        with self._reachable():
            database = FILE_DATABASE.fullmatch(self.address)
            if self.root is None or database:
                found = replace(locate(self.address), name=self.shown)
                return found if database is None or not self.committed else _released(found, Path(database[2]))
            path = Path(self.address)
            self._unambiguous(path)
            if path.is_dir():
                return located(self.shown, self._read_in(path), path, entries(path))
            folders = self._folders(path)
            if not folders:
                return located(self.shown, self.files(), self._fixed(path) if self._is_glob else path.parent)
            beside = [*self._matched(path), *(each for folder in folders for each in entries(folder))]
            files = [*self._matched(path), *(file for folder in folders for file in self._read_in(folder))]
            return located(self.shown, list(dict.fromkeys(files)), self._fixed(path), list(dict.fromkeys(beside)))

    def files(self) -> tuple[Path, ...]:
        """The files that a path or glob names, with all that is in folders that the glob matches, sorted.

        Raises:
            DataError: there is no such file, or one leads out.
        """
        with self._reachable():
            path = Path(self.address)
            self._unambiguous(path)
            if not self._is_glob or path.is_file():
                return (self._regular(path),)
            inside = (each for folder in self._folders(path) for each in entries(folder) if not says_nothing(each))
            found = sorted({*self._matched(path), *map(self._regular, inside)})
            if not found:
                raise DataError(f"{self.shown}: matches no file")
            return tuple(found)

    @property
    def _is_glob(self) -> bool:
        """Whether the path is a glob; the folders down to the root are called what they are, as ``work [old]``."""
        path = Path(self.address)
        return self._fixed(path) != path

    def _fixed(self, pattern: Path) -> Path:
        """The folders of a glob before its first wildcard."""
        root = self.root or Path(pattern.anchor)
        return root.joinpath(*takewhile(lambda part: not glob.has_magic(part), pattern.relative_to(root).parts))

    def _regular(self, path: Path) -> Path:
        """A path of a file that is one; `DataError` for others."""
        self._confine(path)
        if not path.is_file():
            what = "is not a regular file" if path.exists() else "there is no such file"
            raise DataError(f"{self.shown}: {what}")
        return path

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        """Say in the manifest's words why a place cannot be reached."""
        if self.unset is not None:
            raise DataError(f"{self.shown}: the variable {self.unset} is not set here, so the data cannot be read")
        try:
            yield
        except NO_PATH:
            raise DataError(f"{self.shown}: is not a path or glob that can be read") from None

    def _unambiguous(self, path: Path) -> None:
        """`DataError` where a file or folder is named like a glob of others: nobody could tell which are released."""
        if self._is_glob and path.exists() and any(file != path for file in self._matched(path)):
            raise DataError(f"{self.shown}: is the name of one file or folder, and a glob that matches others")

    def _folders(self, pattern: Path) -> list[Path]:
        """The folders that a glob matches, as programs write them that name a folder ``a.csv``: all in them is data.

        One that ends in ``**/*`` is one of the files in all folders.
        """
        if not self._is_glob or pattern.exists() or pattern.parts[-2:] == ("**", "*"):
            return []
        return sorted({path for path in self._globbed(pattern) if path.is_dir() and not path.name.startswith(".")})

    def _read_in(self, folder: Path) -> list[Path]:
        """The files in a folder that readers look at."""
        self._confine(folder)
        return [file for file in self._taken(folder.glob("**/*")) if not _hidden(file, folder)]

    def _matched(self, pattern: Path) -> list[Path]:
        return self._taken(self._globbed(pattern))

    def _globbed(self, pattern: Path) -> Iterator[Path]:
        """What a glob names; ``**`` also goes through links to folders that it would not come to otherwise."""
        fixed = self._fixed(pattern)
        self._confine(fixed)  # before it is searched: it may lead to a whole machine
        parts = pattern.relative_to(fixed).parts
        yield from fixed.glob("/".join(parts))
        waiting, known = [fixed] if "**" in parts else [], [fixed.resolve()]
        while waiting:
            for link in _links(waiting.pop()):
                final = link.resolve()
                if _resolves_inside(link, self.root or final) and not any(map(final.is_relative_to, known)):
                    found = link.glob("/".join(parts[parts.index("**") :]))
                    yield from (path for path in found if not any(map(path.resolve().is_relative_to, known)))
                    waiting.append(link)
                    known.append(final)

    def _taken(self, paths: Iterable[Path]) -> list[Path]:
        found = set()
        for file in paths:
            if file.is_file() and not file.name.startswith("."):
                self._confine(file)
                found.add(file)
            if len(found) > MOST_FILES:
                raise DataError(f"{self.shown}: names more than {MOST_FILES} files")
        return sorted(found)

    def _confine(self, file: Path) -> None:
        if self.root is None or not reachable(file.resolve(), (self.root,)):
            raise DataError(f"{self.shown}: leads out of the repository (or of the folder that its variable names)")


def only_asks(server: str, rest: str) -> bool:
    """Whether what follows a server's address leads to no other server, to which its password would be sent."""
    found = ASKED.fullmatch(rest)
    if found is None or (found[1] and "?" in server):
        return False
    return parse_qs(found[2] or "", keep_blank_values=True).keys() <= {"table", "query"}


def _released(found: Files | DatabaseTable, path: Path) -> Files | DatabaseTable:
    """A table whose file is released; `DataError` where what it holds depends on a log that lies beside it."""
    beside = dict.fromkeys((path, path.resolve()))
    for log in (each.with_name(f"{each.name}{ending}") for each in beside for ending in LOGS):
        if log.is_file() and log.stat().st_size:
            raise DataError(f"{found.name}: {log.name} holds changes that are not in the file; close the database")
    return replace(found, released=True) if isinstance(found, DatabaseTable) else found


def _links(folder: Path) -> Iterator[Path]:
    """The links to folders below a folder."""
    yield from (path for path in folder.rglob("*") if path.is_symlink() and path.is_dir())


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(root).parts)


def _resolves_inside(path: Path, root: Path) -> bool:
    try:
        return reachable(path.resolve(), (root,))
    except NO_PATH:
        return False


class Places:
    """Reads the places of one repository's manifests; notes problems."""

    def __init__(self, top: Path, trusted: frozenset[str], environment: Mapping[str, str], problems: Problems) -> None:
        """`top` is the repository, resolved; `trusted` are the variables that the base revision lists."""
        self.top = top
        self.trusted = trusted
        self.environment = environment
        self.problems = problems

    def of(self, entry: ManifestEntry, field: str, text: str) -> DataPlace | None:
        """The place that a field of a release names; None, with a problem noted, where it may not."""
        mark = entry.mark(field)
        values = {name: self._value(name, mark) for name in VARIABLE.findall(text)}
        if None in values.values():
            return None
        if values and not VARIABLE.match(text):
            # No revision tells what it was there, so the next change would be held to nothing.
            right = "a path without one, or a place that begins with ${NAME}"
            self.problems.add(mark, f"{quoted(text)} has a variable that it does not begin with", right, "escape")
            return None
        unset = next((name for name, value in values.items() if not value), None)
        if unset is not None:
            return DataPlace(text, "", None, unset)
        first = VARIABLE.match(text)
        expanded = VARIABLE.sub(lambda found: str(values[found[1]]), text)
        if first is None:
            found = self._path(entry.folder, text, expanded, self.top, mark)
            return None if found is None else replace(found, committed=True)
        if SERVER.match(str(values[first[1]])):
            return self._server(text, expanded, (str(values[first[1]]), text[first.end() :]), mark)
        root = Path(os.path.realpath(self.top / str(values[first[1]])))
        return self._path(self.top, text, expanded, root, mark)

    def _value(self, variable: str, mark: Mark) -> str | None:
        """The value of a trusted variable, empty where it has none; None, with a problem noted, for another."""
        if not NAMED.fullmatch(variable) or variable not in self.trusted:
            right = "list it under trusted.env; it counts once the base revision has it"
            self.problems.add(mark, f"the variable {quoted(variable)} is not trusted", right, "untrusted")
            return None
        return self.environment.get(variable, "")

    def _server(self, text: str, expanded: str, parts: tuple[str, str], mark: Mark) -> DataPlace | None:
        """A place in a server, by the `parts` of its address: the value of the variable, and what stands behind it."""
        if only_asks(parts[0], VARIABLE.sub("", parts[1])):
            return DataPlace(text, expanded, None)
        right = "?table=… or ?query=… behind the variable, which alone says what server is asked, and how"
        self.problems.add(mark, f"{quoted(text)} says more of a server than what is read", right, "escape")
        return None

    def _path(self, folder: Path, text: str, expanded: str, root: Path, mark: Mark) -> DataPlace | None:
        database = FILE_DATABASE.fullmatch(expanded)
        if SERVER.match(expanded) and not database:
            right = "name a database server by a variable of trusted.env: ${DATABASE}?table=…"
            self.problems.add(mark, f"{quoted(text)} is an address on a network", right, "escape")
            return None
        name = database[2] if database else expanded
        path = Path(os.path.normpath(folder / name))
        if "\0" in name or not reachable(path, (root,)):
            right = "a path inside the repository, or one that begins with ${NAME} of trusted.env"
            self.problems.add(mark, f"{quoted(text)} lies outside", right, "escape")
            return None
        if database and not _resolves_inside(path, root):
            self.problems.add(mark, f"{quoted(text)} is a link that leads out", "a file of the repository", "escape")
            return None
        return DataPlace(text, f"{database[1]}:{path}{database[3] or ''}" if database else str(path), root)
