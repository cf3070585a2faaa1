"""Policies of a git revision: ``main:policies/clinic.yaml``.

A stranger's revision is read, never checked out (`auditor.policy.git`). The policy, what it extends and the files that
it names are written into a temporary folder, which is all that loading may read of it.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import NotEvaluated, UsageError
from auditor.folders import for_copies
from auditor.policy._load import load_policy
from auditor.policy.file.files import display
from auditor.policy.file.nodes import Mapping, Node, PolicySource, Scalar, Sequence
from auditor.policy.file.problems import Problems, TooManyProblems
from auditor.policy.file.yaml import MAX_BYTES, parse
from auditor.policy.git import Git
from auditor.policy.schema import Policy
from auditor.policy.tree import Tree

MOST_FILES = 200
MOST_BYTES = 256 << 20
"""What the files of one policy may come to; a revision may be hostile."""
INHERITED = ("extends", "at_least")
"""The keys of a policy that name other policies."""


@contextmanager
def policy_at(place: str) -> Iterator[Policy]:
    """The policy in a file, of a starter pack's name, or at ``REV:path``; its files last as long as the context.

    As in git, a path begins at the top of the repository, and one that begins with ``./`` in the current folder.

    Raises:
        PolicyError: as `load_policy`.
        UsageError: there is no such revision, or no git repository.
    """
    revision, colon, path = place.partition(":")
    if not colon or Path(place).exists() or (len(revision) < 2 and os.name == "nt"):
        yield load_policy(place)
        return
    git = Git()
    commit = git.commit(revision)
    prefix = git.text("rev-parse", "--show-prefix").rstrip("\n") if path.startswith(("./", "../")) else ""
    path = posixpath.normpath(posixpath.join(prefix, path))
    with for_copies() as folder:
        copy = RevisionFiles(Tree(git, commit, git.top()), commit, folder.path.resolve())
        copy.policy(path)
        if copy.tree.file(path) is None:
            raise UsageError(f"{place}: there is no such file in this revision")
        found = load_policy(copy.top / path)
        top = git.top()
        # A folder of AUDITOR_POLICIES may lie in the repository: what a policy names there by its path is of today.
        today = [file for file in found.sources if top in file.parents and copy.top not in file.parents]
        if today:
            raise UsageError(f"{place}: reads {display(today[0])} of the working tree; name it relative to the policy")
        yield found


class RevisionFiles:
    """Files of one revision, copied into a folder as they are asked for."""

    def __init__(self, tree: Tree, commit: str, top: Path, most_files: int | None = None) -> None:
        """An empty copy in the folder `top`, which becomes the root that loading keeps to."""
        self.tree = tree
        self.top = top
        self.commit = commit
        self.bytes = 0
        self.copied: set[str] = set()
        self._most_files = MOST_FILES if most_files is None else most_files
        (top / ".git").touch()

    def policy(self, path: str) -> None:
        """Copy a policy with everything that it extends and names."""
        waiting = [path]
        while waiting:
            path = waiting.pop()
            real = self.tree.walk(path)[0]
            if not self.file(path) or real is None:
                continue
            root = self._parsed(real)
            texts = list(_texts(root)) if root else []
            policies = set(_policies(root))
            # What a policy names begins where its file stands, what tests name where a link to theirs does.
            for folder in dict.fromkeys(posixpath.dirname(each) for each in (real, path)):
                for text in dict.fromkeys(texts):
                    named = posixpath.join(folder, text)
                    if text in policies:
                        waiting.append(named)
                    else:
                        self.file(named)

    def file(self, path: str) -> bool:
        """Copy a file, and the links on the way to it; whether there is one that was not copied before."""
        real, crossed = self.tree.walk(path)
        blob = None if real is None else self.tree.files.get(real)
        if real is None or blob is None:
            return False
        for link in crossed:
            self._link(link)
        if real in self.copied:
            return False
        self.bytes += blob.size
        if len(self.copied) >= self._most_files or self.bytes > MOST_BYTES:
            most = f"{self._most_files} files or {MOST_BYTES >> 20} MiB"
            raise UsageError(f"{self.commit[:12]}:{path}: the policy names more than {most}")
        target = self.top / real
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(target):
            where = f"{self.commit[:12]}:{path}"
            raise NotEvaluated(f"{where}: another file of that revision has the same name here, but for case")
        target.write_bytes(blob.read())
        self.copied.add(real)
        return True

    def _link(self, path: str) -> None:
        """A link of the revision, which leads to the copy of what it led to there."""
        link, leads = self.top / path, self.tree.walk(path)[0]
        if leads is not None and not link.is_symlink():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(self.top / leads)

    def _parsed(self, path: str) -> Node | None:
        """The file as a tree; what is wrong in it is for loading to say."""
        with (self.top / path).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        try:
            return parse(content, PolicySource(path, self.top, (self.top,)), Problems())
        except TooManyProblems:
            return None


def _policies(root: Node | None) -> Iterator[str]:
    """The texts that name other policies."""
    if isinstance(root, Mapping):
        for key in INHERITED:
            yield from _texts(root.get(key))


def _texts(node: Node | None) -> Iterator[str]:
    """Every text in a tree: any may be the name of a file."""
    if isinstance(node, Scalar):
        yield node.text
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item)
    elif isinstance(node, Mapping):
        for _, item in node.entries:
            yield from _texts(item)
