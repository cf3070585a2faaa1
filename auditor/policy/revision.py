"""Policies of a git revision: ``main:policies/clinic.yaml``.

A stranger's revision is read, never checked out: objects come from git's store as they are, so that no hook, no filter
and no configuration of the revision runs, and nothing is fetched. The policy, what it extends and the files that it
names are written into a temporary folder, which is all that loading may read of it.
"""

from __future__ import annotations

import os
import posixpath
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from auditor.errors import UsageError
from auditor.policy._load import load_policy
from auditor.policy._nodes import Document, Mapping, Node, Scalar, Sequence
from auditor.policy._problems import Problems, TooManyProblems
from auditor.policy._yaml import MAX_BYTES, parse
from auditor.policy.schema import Policy

MOST_FILES = 200
MOST_BYTES = 256 << 20
"""What the files of one policy may come to; a revision may be hostile."""
SECONDS = 60
NEVER = frozenset({".git", "..", ".", ""})
"""No part of an honest path in a revision."""
NO_SIDE_EFFECTS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
"""For git: take no lock, ask nobody, fetch nothing even where objects are missing, read what is signed."""

SETTINGS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.warnAmbiguousRefs=true")


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
    commit = _commit(revision)
    prefix = _git("rev-parse", "--show-prefix").rstrip("\n") if path.startswith(("./", "../")) else ""
    path = posixpath.normpath(posixpath.join(prefix, path))
    with TemporaryDirectory(prefix="auditor-") as folder:
        top = Path(folder).resolve()
        (top / ".git").touch()  # the root that loading keeps to
        copy = _Copy(commit, top)
        copy.policy(path)
        if path not in copy.copied:
            raise UsageError(f"{place}: there is no such file in this revision")
        yield load_policy(top / path)


def _commit(revision: str) -> str:
    """The full name of a commit; a name that means a branch and a tag is refused."""
    known = _run("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    if b"ambiguous" in known.stderr:
        raise UsageError(f"{revision!r} names several things here; write refs/heads/… or refs/tags/…")
    if known.returncode:
        _git("rev-parse", "--git-dir")
        raise UsageError(f"{revision!r} is no revision of this git repository; a shallow clone may have to fetch it")
    return known.stdout.decode().strip()


class _Copy:
    """The files of one revision that a policy can reach, copied into a folder."""

    def __init__(self, commit: str, top: Path) -> None:
        self.top = top
        self.commit = commit
        self.objects = _objects(commit)
        self.bytes = 0
        self.copied: set[str] = set()

    def policy(self, path: str) -> None:
        """A policy with everything that it extends and names."""
        waiting = [path]
        while waiting:
            path = waiting.pop()
            if not self._file(path):
                continue
            root = self._parsed(path)
            texts = list(_texts(root)) if root else []
            inherited = set(_texts(root.get("extends"))) if isinstance(root, Mapping) else set()
            for text in dict.fromkeys(texts):
                named = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
                if named in self.copied or named not in self.objects:
                    continue
                if text in inherited:
                    waiting.append(named)
                else:
                    self._file(named)

    def _file(self, path: str) -> bool:
        """Copy a file; whether there is one that was not copied before."""
        if path in self.copied or path not in self.objects:
            return False
        name, size = self.objects[path]
        self.bytes += size
        if len(self.copied) >= MOST_FILES or self.bytes > MOST_BYTES:
            raise UsageError(
                f"{self.commit[:12]}:{path}: the policy names more than {MOST_FILES} files or {MOST_BYTES >> 20} MiB"
            )
        target = self.top / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_output("cat-file", "blob", name))
        self.copied.add(path)
        return True

    def _parsed(self, path: str) -> Node | None:
        """The file as a tree; what is wrong in it is for loading to say."""
        with (self.top / path).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        try:
            return parse(content, Document(path, self.top, (self.top,)), Problems())
        except TooManyProblems:
            return None


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


def _objects(commit: str) -> dict[str, tuple[str, int]]:
    """Object and size of every regular file of a commit, by its path; links and submodules are none."""
    found = {}
    for entry in _git("ls-tree", "-r", "-z", "-l", "--full-tree", commit).split("\0"):
        facts, _, path = entry.partition("\t")
        if facts.startswith("100") and not NEVER & set(path.lower().split("/")):
            _, _, name, size = facts.split()
            found[path] = (name, int(size) if size.isdigit() else 0)
    return found


def _git(*arguments: str) -> str:
    return _output(*arguments).decode("utf-8", "surrogateescape")


def _output(*arguments: str) -> bytes:
    done = _run(*arguments)
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(f"git could not be read: {why[-1] if why else 'no reason given'}")
    return done.stdout


def _run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603  (a list of words, no shell; options end before what a user gave)
            _command(*arguments), capture_output=True, env=_environment(), check=False, timeout=SECONDS
        )
    except FileNotFoundError:
        raise UsageError("REV:path needs git, which is not installed") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"git gave no answer within {SECONDS} seconds") from None


def _command(*arguments: str) -> list[str]:
    return ["git", "--no-pager", *SETTINGS, *arguments]


def _environment() -> dict[str, str]:
    return {**os.environ, **NO_SIDE_EFFECTS}
