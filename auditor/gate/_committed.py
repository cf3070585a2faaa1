"""What was judged beside what the head's commit has: the gate judges the working tree, and says where that is another.

It is told by the bytes of the files, whatever the index, ignored files, sparse checkouts, attributes and filters say.
Ends of lines do not count, as git may write them otherwise; nor does it that Git LFS stores a pointer.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha1, sha256
from itertools import product
from os.path import isdir, isfile, lexists, normpath, relpath
from pathlib import Path

from auditor.certificates.digests import placed
from auditor.errors import NotEvaluated
from auditor.files import BEGINNING
from auditor.gate._manifest import LoadedManifest, ManifestEntry
from auditor.gate._places import path_of
from auditor.gate._shrinkage import ROLES, matched, name_of
from auditor.gate._twins import around, is_matched, nearly, spelled, twins
from auditor.gate.signatures.signers import names_of
from auditor.policy.git import Git
from auditor.policy.lock import NAME as LOCK
from auditor.policy.reading import Problems, destination, quoted, read_tree
from auditor.policy.tree import Blob, Tree

LFS = b"version https://git-lfs.github.com/spec/v1\n"
MOST_READ = 64 << 20
MOST_ASKED = 1000
"""So many names are given to git at once."""
MOST_NAMED = 20
"""So many files are named."""
Named = tuple[Path, str]
"""The folder of a manifest, and a place as it is written there."""
RULES = (".yaml", ".yml", ".lock")
IDENT = re.compile(rb"\$Id:([^$\n][^$\n ]* ?)?\$")
"""What git writes into a checkout in place of ``$Id$``, and replaces there whatever is stored."""


class Committed:
    """The commit that is checked out, beside the working tree."""

    def __init__(self, git: Git, top: Path) -> None:
        self._git = git
        self._tree = Tree(git, "HEAD", top)
        self._top = top

    def other(self, files: Iterable[Path]) -> Iterator[str]:
        """The names of files, from the top, that the commit does not have as they are; those outside are left out.

        Through links, a name may lead elsewhere in the commit; one that leads to the same file there is told by that.
        """
        read = {each: destination(each) for each in files}
        read |= {final: final for final in read.values()}
        read |= dict(self._linked(set(read.values())))
        for file, final in read.items():
            name = self._name(Path(normpath(file)))
            if name is not None and final.is_relative_to(self._top) and (file == final or not self._leads(name, final)):
                known = self._known(name)
                if known is None or not is_blob(final, None, known, ends_of_lines=True):
                    yield name

    def _linked(self, read: set[Path]) -> Iterator[tuple[Path, Path]]:
        """The links to what was read, of all names of the commit, and where they lead: rules are told without them."""
        names = {each for name in (*self._tree.files, *self._tree.links) for each in (name, *around(name))}
        for name in names:
            link = self._top / name
            if link.is_symlink():
                final = destination(link)
                if final in self._top.parents and self._leads_out(name):
                    continue  # all of the repository lies below it; who reads by its name is told by `_strays`
                below = (each for each in read if each.is_relative_to(final))
                yield from ((link / each.relative_to(final), each) for each in below)

    def _strays(self, files: Iterable[Path]) -> set[str]:
        """The links of the commit to what was read that lead there by the name of this folder, or of one above.

        A revision cannot be told from its objects what they led to, so the next change would be held to nothing. The
        name of this folder stands in the link, or in a place that goes through a link to a folder above.
        """
        read = {file: destination(file) for file in files}
        found = set()
        for name in self._tree.links:
            link = self._top / name
            if link.is_symlink() and self._leads_out(name):
                final = destination(link)
                if final.is_relative_to(self._top) and any(each.is_relative_to(final) for each in read.values()):
                    found.add(name)
        ways = (self._name(file) for file, final in read.items() if final.is_relative_to(self._top))
        return found | {[way, *self._tree.walk(way)[1]][-1] for way in ways if way is not None and self._leads_out(way)}

    def _leads_out(self, name: str) -> bool:
        try:
            return self._tree.walk(name)[0] is None
        except NotEvaluated:
            return False

    def _leads(self, name: str, final: Path) -> bool:
        """Whether a name leads in the commit to the file that it leads to here."""
        try:
            return self._tree.walk(name)[0] == self._name(final)
        except NotEvaluated:
            return False

    def rules(self) -> Iterator[Path]:
        """The files of rules that the commit has, as far as they are there."""
        names = (name for name in (*self._tree.files, *self._tree.links) if name.endswith(RULES))
        yield from (file for name in names if (file := self._top / name).is_file())

    def note(self, files: Iterable[Path], named: Iterable[Named]) -> Iterator[str]:
        """Which files that were read, or are named, are not what the commit has: one sentence, or none."""
        names = [*self.other(file for file in files if file.is_file())]
        names += [name for name in self.absent(named) if not self._index.get(name)]
        if names:
            yield f"The working tree was judged. These files differ from its commit: {_listed(names)}."

    def pending(self, files: Iterable[Path], named: Iterable[Named]) -> Iterator[str]:
        """Why a verdict on these files says nothing of the commit: one sentence, or none.

        What git is told to ignore is not part of any commit, and is judged as it lies here.
        """
        names = list(self.other(file for file in files if file.is_file()))
        ignored = self.ignored(names)
        names = [*(name for name in names if name not in ignored), *self.absent(named)]
        if names:
            yield f"These files differ from the commit: {_listed(names)}; commit or stash them."

    def unkept(self, kept: Iterable[Path], rules: Iterable[Path], judged: Iterable[Path]) -> Iterator[str]:
        """Why no later change would be held to what stands here: one sentence, or none.

        A revision is read as git stores it, which attributes may make another text than a checkout has.

        Args:
            kept: what is found in the revision by its bytes, or missed there.
            rules: what is read as UTF-8.
            judged: the files of releases, and others that may have an encoding of their own.
        """
        held = self._names(kept)
        exact = held | self._names(rules)
        others = {name: blob for name in exact | self._names(judged) if (blob := self._otherwise(name)) is not None}
        stored = {name for name in held & others.keys() if _is_packed(others[name].read())}
        names = sorted(stored | self.ignored(held) | set(self._translated(others, exact)))
        if names:
            why = "git ignores these files, or stores them in another form, so no later change would be held to them"
            yield f"{why}: {_listed(names)}; see .gitignore and .gitattributes."

    def _names(self, files: Iterable[Path]) -> set[str]:
        """The names of files and of what they lead to, from the top, as far as they are there."""
        there = {each for file in files if file.is_file() for each in (file, destination(file))}
        return {name for file in there if (name := self._name(file)) is not None}

    def _otherwise(self, name: str) -> Blob | None:
        """What git stores of a file that has other bytes here; None for the same, or nothing."""
        known = self._known(name)
        return None if known is None or _is_exactly(self._top / name, known) else known

    def _translated(self, others: Mapping[str, Blob], exact: Container[str]) -> Iterator[str]:
        """The texts that git stores in another encoding than they have here, or with words of their own in ``$Id$``.

        A filter may make any text of another; where a single line is the same, it has changed what stands between.

        Args:
            others: what git stores of files that have other bytes here, by their names.
            exact: the names of those that are read as UTF-8.
        """
        for name, attribute, said in self._attributes(others):
            if said not in ("unspecified", "unset"):
                here, stored = _of_lines(self._top / name), others[name].read()
                if attribute == "filter":
                    lines, kept = (set(text.split(b"\n")) for text in (here, stored))
                    other = name in exact and not stored.startswith(LFS) and not lines & kept - {b""}
                elif attribute == "ident":
                    other = IDENT.sub(b"$Id$", stored) != stored
                else:
                    other = not stored.startswith(LFS) and (name in exact or not _is_same_text(here, stored, said))
                if other and here != stored:
                    yield name

    def _attributes(self, others: Mapping[str, Blob]) -> Iterator[tuple[str, str, str]]:
        """The attributes of files by which git writes them otherwise: as they are here, and in the index.

        A checkout goes by the index: files of attributes may be written otherwise themselves.
        """
        inside: dict[Path, list[str]] = {}
        for name, blob in others.items():
            # Names begin in the folder where git runs; a submodule has attributes of its own.
            folder = self._top if blob.git == self._git else blob.git.folder or self._top
            inside.setdefault(folder, []).append(relpath(self._top / name, folder))
        for folder, names in inside.items():
            for at, where in product(range(0, len(names), MOST_ASKED), ((), ("--cached",))):
                asked = ("filter", "ident", "working-tree-encoding", "--", *names[at : at + MOST_ASKED])
                told = Git(folder).run("check-attr", "-z", *where, *asked).stdout
                words = told.decode("utf-8", "surrogateescape").split("\0")
                for path, attribute, said in zip(words[::3], words[1::3], words[2::3], strict=False):
                    yield (folder / path).relative_to(self._top).as_posix(), attribute, said

    def ignored(self, names: Iterable[str]) -> set[str]:
        """Those of some files that git does not know, and is told to ignore, or to ignore a link on the way to them."""
        ways = {name: {name, *(each for each in around(name) if (self._top / each).is_symlink())} for name in names}
        if not ways:
            return set()
        places = (f":(top,literal){name}" for name in {each for way in ways.values() for each in way})
        told = self._git.text("ls-files", "-o", "-i", "--exclude-standard", "-z", "--full-name", "--", *places)
        ignored = set(told.split("\0"))
        # The index may lack what the commit has.
        return {name for name, way in ways.items() if way & ignored and self._known(name) is None}

    def absent(self, named: Iterable[Named]) -> list[str]:
        """The files of the commit that are named, and are not there."""
        found = []
        for folder, text in named:
            try:
                found += matched(self._tree, self._top, folder, text)
            except NotEvaluated:  # a submodule that is not checked out holds nothing here
                continue
        return sorted({name for name in found if not (self._top / name).exists()})

    def gone(self, named: Iterable[Named], judged: Iterable[Path]) -> tuple[str, ...]:
        """The names that notes may tell and nobody wrote: such lay in a folder, or a pattern matches them.

        Of files that are not there, of links to those that were judged, and of what is named nearly like these.
        """
        places, paths = list(named), list(judged)
        written = {name_of(self._top, folder, text) for folder, text in places}
        own = {name for path in paths if (name := self._name(path)) is not None}
        links = {name for name in own if destination(self._top / name) != self._top / name}
        alike = {each for names in twins(self._tracked, own) for each in names}
        alike |= {name for place in places for name in self._nearly(place)}
        strays = self._strays(paths)
        # A file that is told by its own name has a place already.
        return tuple(
            name
            for name in dict.fromkeys((*self.absent(places), *sorted(links), *sorted(strays), *sorted(alike - own)))
            if name not in written
        )

    def unclear(self, files: Iterable[Path], named: Iterable[Named]) -> Iterator[str]:
        """Why others would read other files than these, one sentence each.

        Args:
            files: what was read.
            named: what is to be read, as manifests in a folder name it.
        """
        places, files = list(named), list(files)
        left_out = [name for name in self.absent(places) if self._index.get(name)]
        if left_out:
            yield f"Not checked out, and so not judged: {_listed(left_out)}; see git sparse-checkout disable."
        around = sorted({text for folder, text in places if self._goes_around(folder, text)})
        if around:
            yield f"No later change would be held to what is named by way of the folders above: {_listed(around)}."
        strays = sorted(self._strays(files))
        if strays:
            yield f"These links lead out of the repository, and back into it only here: {_listed(strays)}."
        read = {name for file in files for each in (file, destination(file)) if (name := self._name(each)) is not None}
        for names in twins(self._tracked, read):
            alike = " and ".join(quoted(placed(name)) for name in names)
            why = (
                "differ only in case or Unicode form: on systems that take them for one file, one overwrites the other"
            )
            yield f"{alike} {why}; rename one."
        others = sorted({name for place in places for name in self._nearly(place)})
        if others:
            why = "named by the manifest if case and Unicode forms are ignored"
            yield f"Not judged here, and {why}: {_listed(others)}; rename them, or the place."

    def _goes_around(self, folder: Path, text: str) -> bool:
        """Whether a place of the repository is written from a folder above it, whose name no revision knows."""
        path = path_of(text)
        if path is None or not Path(normpath(folder / path)).is_relative_to(self._top):
            return False
        way = Path(normpath(Path(relpath(folder, self._top)) / path))
        return way.is_absolute() or way.parts[:1] == ("..",)

    def _nearly(self, place: Named) -> Iterator[str]:
        """The files that a glob or a folder names on other machines, and not here."""
        folder, text = place
        if path_of(text) is None:
            return
        name = name_of(self._top, folder, text)
        # Path's own questions raise where a name is too long.
        if isdir(self._top / name):  # noqa: PTH112
            patterns = [f"{glob.escape(name)}/**"]
        else:
            patterns = [name, f"{name}/**"] if glob.has_magic(name) and not lexists(self._top / name) else []
        yield from (each for pattern in patterns for way in self._ways(pattern) for each in nearly(self._alike, way))

    def _ways(self, pattern: str) -> Iterator[str]:
        """A pattern, and what it is behind the links to folders that it goes through."""
        yield pattern
        parts = pattern.split("/")
        for link in self._tree.links:
            final = self._name(destination(self._top / link))
            if final is None:
                continue
            for end in range(1, len(parts)):
                if is_matched(link.split("/"), parts[:end]):
                    rest = parts[end - 1 :] if parts[end - 1] == "**" else parts[end:]
                    yield normpath("/".join([glob.escape(final), *rest]))

    @cached_property
    def _tracked(self) -> frozenset[str]:
        """The names in the index and in the commit."""
        return frozenset((*self._index, *self._tree.files, *self._tree.links))

    @cached_property
    def _alike(self) -> list[tuple[str, str]]:
        return spelled(self._tracked)

    @cached_property
    def _index(self) -> dict[str, bool]:
        """The names in the index, from the top, and whether git is told not to check them out."""
        told = self._git.text("ls-files", "-t", "-z", "--full-name", "--", ":/").split("\0")
        return {name: tag == "S" for tag, _, name in (each.partition(" ") for each in told) if name}

    def _name(self, file: Path) -> str | None:
        return file.relative_to(self._top).as_posix() if file.is_relative_to(self._top) else None

    def _known(self, name: str) -> Blob | None:
        try:
            return self._tree.file(name)
        except NotEvaluated:
            return None


def rules_of(manifest: LoadedManifest, top: Path) -> Iterator[Path]:
    """The manifests, the approvals and the lock file."""
    place, lock = manifest.place, manifest.file.parent / LOCK
    yield from manifest.files
    yield from () if place is None else (top / name for name in place.files(top))
    yield from (lock,) if lock.is_file() else ()


def named_by(manifest: LoadedManifest) -> list[Named]:
    """The places of rules, as a manifest names them: links may lead elsewhere."""
    trusted, tree = manifest.trusted, read_tree(manifest.file, Problems())
    keys = () if tree is None else names_of(tree)
    own = (*manifest.include, *trusted.at_least, *([trusted.ledger] if trusted.ledger else []), *keys, LOCK)
    entries = manifest.entries.values()
    return [*((manifest.file.parent, name) for name in own), *((each.folder, each.release.policy) for each in entries)]


def named_of(entries: Iterable[ManifestEntry]) -> list[Named]:
    """The places of what is judged of releases."""
    return [(each.folder, text) for each in entries for role in ROLES for text in each.release.texts(role)]


def files_at(named: Iterable[Named]) -> Iterator[Path]:
    """The files among places; what no file can be called is none."""
    # Path.is_file raises where a name is too long.
    yield from (Path(file) for folder, name in named if isfile(file := normpath(folder / name)))  # noqa: PTH113


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} others" if len(names) > MOST_NAMED else ""
    return ", ".join(quoted(placed(name)) for name in names[:MOST_NAMED]) + more


def is_blob(path: Path, digest: str | None, blob: Blob, *, ends_of_lines: bool = False) -> bool:
    """Whether a file is an object of git, or what its pointer (Git LFS) names.

    Args:
        path: the file.
        digest: its SHA-256, where that is known.
        blob: the object.
        ends_of_lines: take a text for the object that differs in nothing but CRLF for LF; git, too, takes for one what
            has no zero byte in the beginning.
    """
    size = path.stat().st_size
    if size == blob.size:
        state = (sha1 if len(blob.object) == 40 else sha256)(b"blob %d\0" % size)
        with path.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                state.update(chunk)
        return state.hexdigest() == blob.object
    if ends_of_lines and blob.size < size <= MOST_READ:
        stored = blob.read()
        # All of them: CRLF in some quoted fields alone would part values that are one.
        if b"\0" not in stored[:BEGINNING] and path.read_bytes() == stored.replace(b"\n", b"\r\n"):
            return True
    pointer = blob.read() if blob.size < 1024 else b""
    if not pointer.startswith(LFS):
        return False
    found = digest if digest is not None else _sha256(path)
    return [line for line in pointer.splitlines() if line.startswith(b"oid ")] == [f"oid sha256:{found}".encode()]


def _is_exactly(path: Path, blob: Blob) -> bool:
    """Whether a file has the bytes of an object, which need not be read for that."""
    return path.stat().st_size == blob.size and is_blob(path, None, blob)


def _of_lines(path: Path) -> bytes:
    """The bytes of a text, its lines ended as git stores them."""
    return path.read_bytes().replace(b"\r\n", b"\n")


def _is_packed(stored: bytes) -> bool:
    """Whether git stores something encrypted, or Git LFS keeps it."""
    return stored.startswith(LFS) or b"\0" in stored[:BEGINNING]


def _is_same_text(here: bytes, stored: bytes, encoding: str) -> bool:
    """Whether a text is what git stores, in an encoding that no reader of UTF-8 takes for another text.

    What is written in letters of ASCII alone is one (UTF-7 has line feeds that are none to others).
    """
    try:
        same = here.decode(encoding.upper().removesuffix("-BOM")).removeprefix("\ufeff") == stored.decode()
    except (LookupError, ValueError):
        return False
    return same and (b"\0" in here or not here.isascii())


def _sha256(path: Path) -> str:
    state = sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            state.update(chunk)
    return state.hexdigest()
