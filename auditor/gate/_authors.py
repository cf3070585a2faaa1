"""Who wrote a change: authors, committers and co-authors of its commits, and the keys that its commits are signed with.

Whoever runs the gate is one of them where the working tree is not what was committed. What touches nothing but
approvals and their signatures makes nobody an author, nor does a merge that decides nothing: who approves a change may
merge it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha1, sha256
from pathlib import Path

from auditor.gate._approval_files import ApprovalPlace
from auditor.gate.signatures.commits import commit_of
from auditor.gate.signatures.keys import PublicKey
from auditor.gate.signatures.signatures import is_named
from auditor.policy.git import Git
from auditor.policy.waivers import folded

AUTHOR = re.compile(rb"^author (.*>)", re.MULTILINE)
COMMITTER = re.compile(rb"^committer (.*>)", re.MULTILINE)
CO_AUTHORS = re.compile(rb"^[ \t]*co-authored-by[ \t]*:(.*(?:\n {4}[ \t]+.*)*)", re.MULTILINE | re.IGNORECASE)
"""A trailer as git takes it: with blanks before its colon, and with lines that go on, further in than the message."""
ADDRESS = re.compile(r"[^\s<>()\[\],;:\"']+@[^\s<>()\[\],;:\"']+")


@dataclass(frozen=True)
class Authors:
    """The authors of what came since a base revision; `place` is where approvals stand, None for the manifest."""

    git: Git
    base: str
    place: ApprovalPlace | None

    @cached_property
    def names(self) -> frozenset[str]:
        """Their addresses and names, as `folded`."""
        found = frozenset(name for each in self._commits for name in people_of(each))
        if self._uncommitted():
            found |= whoever_runs(self.git)
        return found

    @cached_property
    def signatures(self) -> frozenset[str]:
        """What its commits are signed with, verified or not."""
        return frozenset(text for each in self._commits for text in commit_of("", each).signatures)

    @cached_property
    def _commits(self) -> tuple[bytes, ...]:
        """The commits as they are stored, whatever encoding they name: read in another one, an author is nobody."""
        words = ("log", "-z", "--encoding=none", "--no-show-signature", "--full-history", "--format=raw")
        records = (record.partition(b"\n") for record in self.git.output(*words, *self._range).split(b"\0"))
        named = ((first.split()[1].decode(), stored) for first, _, stored in records if first)
        return tuple(stored for name, stored in named if not self._joins(name, commit_of(name, stored).parents))

    def _joins(self, name: str, parents: tuple[str, ...]) -> bool:
        """Whether a commit merges two branches and has every file as one of them left it that changed it."""
        since = self.git.run("merge-base", "--all", *parents).stdout.decode().split() if len(parents) == 2 else []
        if len(since) != 1:
            return False
        made, one, other = (self._changed(since[0], each) for each in (name, *parents))
        return made == one | other == other | one

    def _changed(self, since: str, until: str) -> dict[str, str]:
        """What a commit has of each path that is another one than in an earlier commit: modes and names of objects."""
        told = self.git.text("diff-tree", "-r", "-z", "--ignore-submodules=none", since, until).split("\0")
        return dict(zip(told[1::2], told[::2], strict=False))

    def hold(self, keys: tuple[PublicKey, ...]) -> bool:
        """Whether a commit is signed with one of the keys, whatever name stands in it."""
        return bool(keys) and any(is_named(text, keys) for text in self.signatures)

    @property
    def _range(self) -> tuple[str, ...]:
        left_out = () if self.place is None else self.place.pathspecs()
        return (f"{self.base}..HEAD", "--", ":(top)", *left_out)

    def _uncommitted(self) -> bool:
        """Whether a YAML file, as rules are, is not what was committed.

        Git would run the filters of the repository's settings to tell, so the files are hashed here as git stores them.
        """
        top = Path(self.git.text("rev-parse", "--show-toplevel").rstrip("\n"))
        known = {name: blob for name, (blob, _) in self.git.objects("HEAD").items() if name.endswith((".yaml", ".yml"))}
        for name in () if self.place is None else self.place.files(top):
            known.pop(name, None)
        return any(_blob(top / name, len(blob)) != blob for name, blob in known.items())


def is_one_of(who: str, names: AbstractSet[str]) -> bool:
    """Whether somebody is one of the people, as `folded`: by the whole name, or by an address in ``Name <address>``."""
    return not names.isdisjoint({folded(who), *map(folded, ADDRESS.findall(who))})


def people_of(commit: bytes) -> frozenset[str]:
    """Author, committer and co-authors of a commit as it is stored: their addresses and names, as `folded`."""
    head, _, text = commit.partition(b"\n\n")
    return author_of(commit) | _folded(COMMITTER.findall(head)) | _folded(CO_AUTHORS.findall(text))


def author_of(commit: bytes) -> frozenset[str]:
    """The author of a commit as it is stored: address and name, as `folded`."""
    return _folded(AUTHOR.findall(commit.partition(b"\n\n")[0]))


def whoever_runs(git: Git) -> frozenset[str]:
    """The author whom git would write into a commit that was made now."""
    return _folded([git.run("var", "GIT_AUTHOR_IDENT").stdout])


def _folded(names: Iterable[bytes]) -> frozenset[str]:
    return frozenset(folded(part) for name in names for part in _parts(name.decode("utf-8", "replace")))


def _blob(file: Path, digits: int) -> str | None:
    """The name that git gives a file's contents; None where it cannot be read."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    return (sha1 if digits == 40 else sha256)(b"blob %d\0" % len(content) + content).hexdigest()


def _parts(name: str) -> list[str]:
    """A name as it is, the name and the address of ``Name <address> …``, and whatever else looks like an address."""
    person, bracket, rest = name.partition("<")
    return [name, *([person, rest.partition(">")[0]] if bracket else []), *ADDRESS.findall(name)]
