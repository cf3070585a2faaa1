"""Asking git, and nothing but asking: the only place of the program that runs it.

A repository may hold a stranger's branch. Nothing is checked out, no hook, filter, pager or monitor runs, nothing is
fetched even where objects are missing, no lock is taken, and what a user or an environment names stands behind the end
of the options.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import UsageError

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


@dataclass(frozen=True)
class Git:
    """The repository around a folder (None: the current one)."""

    folder: Path | None = None

    def run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """What git answers, whatever it is."""
        try:
            return subprocess.run(  # noqa: S603  (a list of words, no shell; options end before what a user gave)
                ["git", "--no-pager", *SETTINGS, *arguments],  # noqa: S607  (the user's git, as everywhere)
                capture_output=True,
                cwd=self.folder,
                env={**os.environ, **NO_SIDE_EFFECTS},
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=SECONDS,
            )
        except FileNotFoundError:
            raise UsageError("git is needed to read a revision, and is not installed") from None
        except subprocess.TimeoutExpired:
            raise UsageError(f"git gave no answer within {SECONDS} seconds") from None

    def output(self, *arguments: str) -> bytes:
        """What git prints; `UsageError` with its reason where it fails."""
        done = self.run(*arguments)
        if done.returncode:
            why = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise UsageError(f"git could not be read: {why[-1] if why else 'no reason given'}")
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
                f"{revision!r} is no revision of this git repository; a shallow clone may have to fetch it"
            )
        return known.stdout.decode().strip()

    def objects(self, commit: str) -> dict[str, tuple[str, int]]:
        """Object and size of every regular file of a commit, by its path; links and submodules are none."""
        found = {}
        for entry in self.text("ls-tree", "-r", "-z", "-l", "--full-tree", commit).split("\0"):
            facts, _, path = entry.partition("\t")
            if facts.startswith("100") and not NEVER & set(path.lower().split("/")):
                _, _, name, size = facts.split()
                found[path] = (name, int(size) if size.isdigit() else 0)
        return found

    def blob(self, name: str) -> bytes:
        """The bytes of an object, as they are stored."""
        return self.output("cat-file", "blob", name)
