"""Approved weakenings: who may approve stands in the base revision, what is approved is one change and no other.

That somebody did approve is declared, not verified: git does not prove it. What it does tell is used: whoever wrote the
change (the authors of the commits since the base revision) cannot approve it. A commit that touches nothing but the
file of approvals makes nobody an author of the change.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from auditor.gate._schema import Weakening
from auditor.policy.git import Git
from auditor.policy.waivers import folded
from auditor.result import Approval


class Approvals:
    """The approvals that a head declares, as the base revision lets them count."""

    def __init__(
        self, declared: Iterable[Weakening], approvers: Iterable[str], authors: frozenset[str], as_of: date
    ) -> None:
        """`approvers` are those of the base revision, `authors` who wrote the change."""
        self._declared = tuple(declared)
        self._approvers = {folded(name) for name in approvers}
        self._authors = authors
        self._as_of = as_of

    def of(self, change: str) -> tuple[Approval | None, str]:
        """The approval of a change; or None, and why there is none that counts."""
        why = "nobody has approved it"
        for entry in self._declared:
            if change not in ((entry.change,) if isinstance(entry.change, str) else entry.change):
                continue
            wrong = self._wrong(entry)
            if wrong is None:
                expires = None if entry.expires is None else entry.expires.isoformat()
                said = entry.model_dump(exclude={"change", "expires"})
                return Approval(**said, change=change, expires=expires), ""
            why = wrong
        return None, why

    def _wrong(self, entry: Weakening) -> str | None:
        """Why an approval does not count."""
        approver = folded(entry.approved_by)
        if approver not in self._approvers:
            return f"{entry.approved_by} is no approver of the base revision"
        if approver in self._authors:
            return f"{entry.approved_by} wrote the change and cannot approve it"
        if entry.expires is not None and entry.expires < self._as_of:
            return f"the approval by {entry.approved_by} has expired"
        return None


def authors_since(git: Git, base: str, approvals: Path | None) -> frozenset[str]:
    """The addresses and names of who wrote the commits from a base revision to the head.

    Args:
        git: the repository.
        base: the base revision.
        approvals: the file of approvals, relative to the top; what touches it alone is not counted.
    """
    paths = [] if approvals is None else ["--", ":(top)", f":(top,exclude,literal){approvals.as_posix()}"]
    told = git.text("log", "--no-show-signature", "--full-history", "--format=%ae%x00%an", f"{base}..HEAD", *paths)
    return frozenset(folded(name) for line in told.splitlines() for name in line.split("\0"))
