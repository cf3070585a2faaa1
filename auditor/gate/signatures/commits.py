"""A commit as git stores it: its parents, and its signature apart from what is signed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date

from auditor.gate.signatures.keys import PublicKey
from auditor.gate.signatures.signatures import NotSigned, signed_by
from auditor.policy.git import Git

NAMESPACE = "git"
"""What git signs for with SSH keys."""
SIGNATURE = "gpgsig"
"""How the header of a signature begins, whatever made it."""


@dataclass(frozen=True)
class Commit:
    """One commit: `content` is what its signature is of."""

    name: str
    parents: tuple[str, ...]
    content: bytes
    signatures: tuple[str, ...]

    def signed_by(self, keys: tuple[PublicKey, ...], on: date, revoked: Collection[str] = ()) -> PublicKey:
        """The key, of several, that signed it; none of those that are revoked.

        Raises:
            NotSigned: none of them did, or it cannot be verified here.
        """
        if len(self.signatures) != 1:
            raise NotSigned("is missing, or one of several")
        return signed_by(self.content, self.signatures[0], keys, NAMESPACE, on, revoked=revoked)


def commit_of(name: str, stored: bytes) -> Commit:
    """A commit from its bytes."""
    head, blank, message = stored.partition(b"\n\n")
    kept, parents, signatures = [], [], []
    for key, value, header in _headers(head):
        if key.startswith(SIGNATURE):
            signatures.append(value.decode("utf-8", "replace") + "\n")
            continue
        kept.append(header)
        if key == "parent":
            parents.append(value.decode("ascii", "replace"))
    return Commit(name, tuple(parents), b"\n".join(kept) + blank + message, tuple(signatures))


def _headers(head: bytes) -> Iterator[tuple[str, bytes, bytes]]:
    """Each header: its key, its value, and how it is written; further lines of a value begin with a blank."""
    for header in re.split(rb"\n(?! )", head):
        key, _, value = header.partition(b" ")
        yield key.decode("ascii", "replace"), value.replace(b"\n ", b"\n"), header


def read_commit(git: Git, name: str) -> Commit:
    """A commit of a repository."""
    return commit_of(name, git.output("cat-file", "commit", name))
