"""Asking git, and nothing but asking: the only place of the program that runs it.

A repository may hold a stranger's branch. Nothing is checked out, no hook, filter, pager or monitor runs, nothing is
fetched even where objects are missing, no lock is taken, and what a user or an environment names stands behind the end
of the options. Which repository it is tells the folder alone: variables that name another one (``GIT_DIR``, as hooks of
other repositories leave it), another index or other objects are not handed on.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from auditor.errors import UsageError
from auditor.files import program

SECONDS = 60
NEVER = frozenset({".git", "..", ".", ""})
"""No part of an honest path in a revision."""
NO_SIDE_EFFECTS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "LC_ALL": "C",
}
"""For git: take no lock, ask nobody, fetch nothing even where objects are missing, read what is signed."""
HANDED_ON = re.compile(
    "GIT_(CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|CONFIG_.*|EXEC_PATH|AUTHOR_.*|COMMITTER_.*|TRACE.*)"
)
"""The variables of git that say nothing of which repository is read, and how."""
PLAIN = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.warnAmbiguousRefs=true",
    "log.diffMerges=separate",
    *(f"color.{answer}=false" for answer in ("ui", "diff", "grep", "blame")),
)
SETTINGS = tuple(word for setting in PLAIN for word in ("-c", setting))
"""What a user may have set otherwise, and changes what is run or how git answers."""
EMBEDDED = ("-c", "safe.bareRepository=explicit")
"""Inside a working tree: a folder of it that looks like a repository is a stranger's files, and no repository."""
FILE, LINK, SUBMODULE = "100", "120", "160"
"""How the modes of entries begin."""


class TreeEntry(NamedTuple):
    """An entry of a commit: `mode` as git has it, the name of its object, and the size of a file."""

    mode: str
    object: str
    size: int


@dataclass(frozen=True)
class Git:
    """The repository around a folder (None: the current one)."""

    folder: Path | None = None

    def run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """What git answers, whatever it is."""
        try:
            return subprocess.run(  # noqa: S603  (a list of words, no shell; options end before what a user gave)
                [program("git"), "--no-pager", *SETTINGS, *self._bare(), *arguments],
                capture_output=True,
                cwd=self.folder,
                env=_environment(os.environ),
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=SECONDS,
            )
        except FileNotFoundError:
            raise UsageError("git is needed to read a revision, and is not installed") from None
        except subprocess.TimeoutExpired:
            raise UsageError(f"git gave no answer within {SECONDS} seconds") from None

    def _bare(self) -> tuple[str, ...]:
        """What keeps git from taking a folder of a working tree for a repository."""
        here = (self.folder or Path.cwd()).absolute()
        return EMBEDDED if any((folder / ".git").exists() for folder in (here, *here.parents)) else ()

    def output(self, *arguments: str) -> bytes:
        """What git prints; `UsageError` with its reason where it fails."""
        done = self.run(*arguments)
        if done.returncode:
            why = done.stderr.decode("utf-8", "replace").strip().splitlines()
            ignored = "; GIT_DIR is ignored: the folder determines the repository" if "GIT_DIR" in os.environ else ""
            raise UsageError(f"git could not be read: {why[-1] if why else 'no reason given'}{ignored}")
        return done.stdout

    def text(self, *arguments: str) -> str:
        """What git prints, as text."""
        return self.output(*arguments).decode("utf-8", "surrogateescape")

    def commit(self, revision: str) -> str:
        """The full name of a commit; a name that means a branch and a tag is refused."""
        known = self.run("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        if b"ambiguous" in known.stderr:
            raise UsageError(f"{revision!r} names several things here; write refs/heads/… or refs/tags/…")
        if known.returncode:
            self.text("rev-parse", "--git-dir")
            raise UsageError(
                f"{revision!r} is not a revision of this git repository; a shallow clone may have to fetch it"
            )
        return known.stdout.decode().strip()

    def entries(self, commit: str) -> dict[str, TreeEntry]:
        """Every file, link and submodule of a commit, by its path; `UsageError` where git has lost one."""
        found = {}
        for entry in self.text("ls-tree", "-r", "-z", "-l", "--full-tree", commit).split("\0"):
            facts, _, path = entry.partition("\t")
            if facts and not NEVER & set(path.lower().split("/")):
                mode, _, name, size = facts.split()
                if size == "BAD":
                    raise UsageError(f"git could not be read: the object {name} is missing")
                found[path] = TreeEntry(mode, name, int(size) if size.isdigit() else 0)
        return found

    def objects(self, commit: str) -> dict[str, tuple[str, int]]:
        """Object and size of every regular file of a commit, by its path; links and submodules are none."""
        return {path: (e.object, e.size) for path, e in self.entries(commit).items() if e.mode.startswith(FILE)}

    def top(self) -> Path | None:
        """The working tree, resolved; None where there is none."""
        told = self.run("rev-parse", "--show-toplevel")
        return None if told.returncode else Path(os.fsdecode(told.stdout.rstrip(b"\n"))).resolve()

    def blob(self, name: str) -> bytes:
        """The bytes of an object, as they are stored."""
        return self.output("cat-file", "blob", name)


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """The variables that git gets."""
    kept = {name: text for name, text in given.items() if not name.startswith("GIT_") or HANDED_ON.fullmatch(name)}
    return {**kept, **NO_SIDE_EFFECTS}
