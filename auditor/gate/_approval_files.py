"""Approvals as they stand in files: in the manifest, in a file of their own, or in every file that a star stands for.

Who writes a file of approvals, or its signature, alone is no author of a change. So these files hold nothing else, no
link leads to them, and a place has stars in the last part of its name alone: git and this program must mean the same
files by it.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from auditor.gate._schema import Manifest, Weakening
from auditor.gate._twins import around
from auditor.gate.signatures.signatures import is_signature
from auditor.policy.reading import (
    Mark,
    Problems,
    Scalar,
    Sequence,
    destination,
    display,
    parsed,
    quoted,
    reachable,
    read,
    read_block,
    repository_of,
)

ENDINGS = (".sig", ".asc")
"""A signature of a file stands beside it, named as ssh-keygen and gpg name it."""
YAML = (".yaml", ".yml")
RIGHT = "a YAML file of the repository, with stars only in the last part of its name: approvals/*.yaml"


@dataclass(frozen=True)
class ApprovalFile:
    """A file of approvals as it was read, and the texts of the signatures beside it by their names.

    Paths are from the top of the repository.
    """

    path: str
    content: bytes = field(repr=False)
    entries: tuple[Weakening, ...]
    signatures: dict[str, str]


@dataclass(frozen=True)
class Declared:
    """An approval, and the file of its own that it stands in; None: it stands in the manifest."""

    entry: Weakening
    file: ApprovalFile | None = None


@dataclass(frozen=True)
class ApprovalPlace:
    """Where approvals stand: a path from the top of the repository, or a pattern of paths."""

    path: str

    @property
    def is_pattern(self) -> bool:
        """Whether it is every file of a folder that the last part of its name matches."""
        return "*" in self.path

    def pathspecs(self) -> Iterator[str]:
        """What tells git to leave out the files here and their signatures."""
        escaped = re.sub(r"([\[\]?\\])", r"\\\1", self.path)
        named = f":(top,exclude,glob){escaped}" if self.is_pattern else f":(top,exclude,literal){self.path}"
        return (f"{named}{ending}" for ending in ("", *ENDINGS))

    def files(self, top: Path) -> Iterator[str]:
        """The files here, those with approvals before their signatures, from the top."""
        folder, name = posixpath.split(self.path)
        pattern = ".*".join(map(re.escape, name.split("*")))
        try:
            names = sorted(each.name for each in (top / folder).iterdir())
        except OSError:
            return
        for ending in ("", *ENDINGS):
            found = re.compile(f"(?s:{pattern}){re.escape(ending)}")
            yield from (posixpath.join(folder, each) for each in names if found.fullmatch(each))


def place_of(named: Scalar, folder: Path, problems: Problems) -> ApprovalPlace | None:
    """The place that a manifest names for its approvals; None, with a problem noted, where it may not.

    Args:
        named: what it says.
        folder: the manifest's, resolved.
        problems: where problems are noted.
    """
    path = Path(os.path.normpath(folder / named.text)) if "\0" not in named.text else folder
    top = repository_of(folder)
    if not reachable(path, (top,)):
        problems.add(named.mark, f"the file {quoted(named.text)} lies outside", RIGHT, "escape")
        return None
    place = ApprovalPlace(path.relative_to(top).as_posix())
    if "*" in posixpath.dirname(place.path) or (place.is_pattern and not place.path.endswith(YAML)):
        problems.add(named.mark, f"{quoted(named.text)} cannot hold approvals", RIGHT, "file")
        return None
    if not place.is_pattern and not os.path.lexists(path):
        problems.add(named.mark, f"the file {quoted(named.text)} does not exist", RIGHT, "file")
        return None
    return place


def approvals_at(
    place: ApprovalPlace, top: Path, problems: Problems, mark: Mark | None = None
) -> tuple[ApprovalFile, ...]:
    """The files with approvals at a place.

    Args:
        place: where they stand.
        top: the top of the repository, resolved.
        problems: where it is noted what else stands there.
        mark: the place that names them, if one does.
    """
    contents: dict[str, bytes] = {}
    for path in place.files(top):
        file = top / path
        if destination(file) != file:
            problems.add(mark or display(file), f"a link leads to {quoted(path)}", "the file itself", "escape")
        elif any((top / folder / ".git").exists() for folder in around(path)):
            # Who guards files of this repository does not guard it, and that an approval was used is not seen in it.
            problems.add(mark or display(file), f"{quoted(path)} lies in a submodule", RIGHT, "escape")
        elif (content := read(file, mark or display(file), problems)) is not None:
            contents[path] = content
    signatures = {path: text.decode("utf-8", "replace") for path, text in contents.items() if path.endswith(ENDINGS)}
    for path, text in signatures.items():
        if not is_signature(text):
            right = "what ssh-keygen -Y sign makes, or gpg --armor --detach-sign"
            problems.add(mark or display(top / path), f"{quoted(path)} is not one signature alone", right, "file")
    return tuple(
        ApprovalFile(
            path,
            content,
            entries_in(content, top / path, problems),
            {name: signatures[name] for ending in ENDINGS if (name := f"{path}{ending}") in signatures},
        )
        for path, content in contents.items()
        if path not in signatures
    )


def entries_in(content: bytes, file: Path, problems: Problems) -> tuple[Weakening, ...]:
    """The approvals in the bytes of a file of its own."""
    tree = parsed(content, file, problems)
    for key, _ in () if tree is None else tree.entries:
        if key.text not in ("weakenings", "version"):
            problems.add(key.mark, f"{quoted(key.text)} in a file of approvals", "weakenings alone", "key")
    if tree is None:
        return ()
    node = tree.get("weakenings")
    if node is None or tree.lacks("weakenings"):
        node = Sequence((), tree.mark)
    if isinstance(node, Scalar):
        problems.add(node.mark, f"{quoted(node.text)} in a file of approvals", "a list of approvals")
        return ()
    found, marks = read_block(tree.only(frozenset()).put("weakenings", node), Manifest, problems)
    if found is None:
        return ()
    check_spelling(found.weakenings, content, marks, problems)
    return found.weakenings


def check_spelling(
    entries: tuple[Weakening, ...], content: bytes, marks: Mapping[str, Mark], problems: Problems
) -> None:
    """Note digests that do not stand in their file as they are printed: nobody would find that they were used."""
    for index, entry in enumerate(entries):
        for change in (entry.change,) if isinstance(entry.change, str) else entry.change:
            if not re.search(rb"(?<!\w)" + change.encode(), content):
                right = "the digest as the gate prints it"
                problems.add(marks[f"weakenings/{index}"], "a digest that is written with escapes", right)


def declared_in(files: Iterable[ApprovalFile]) -> tuple[Declared, ...]:
    """The approvals in files, each with its file."""
    return tuple(Declared(entry, file) for file in files for entry in file.entries)
