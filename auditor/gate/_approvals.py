"""Approved weakenings: who may approve stands in the base revision, what is approved is one change and no other.

That somebody did approve is declared, not verified: git does not prove it. What it does tell is used: whoever wrote the
change (the authors, committers and co-authors of the commits since the base revision, and whoever runs the gate on what
is not committed) cannot approve it. A commit that touches nothing but the file of approvals makes nobody an author of
the change. Where approvals stand is for the base revision to say.

The digest that an approval names is of the base commit, too, and one that the target branch knows already was used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha1, sha256
from pathlib import Path

from auditor.gate._manifest import Loaded, approvals_in
from auditor.gate._schema import Weakening
from auditor.gate._sides import BaseSide
from auditor.policy.git import Git
from auditor.policy.reading import Stricter, reachable
from auditor.policy.waivers import folded
from auditor.result import Approval, Difference, Strictness

CO_AUTHORS = "%(trailers:key=Co-authored-by,valueonly,separator=%x00)"


@dataclass(frozen=True)
class Rules:
    """What an approval must be: by whom, by none of whom, until when at the longest.

    It is bound to one of the commits `since`, of which the first is printed, and is known to none of `seen_in`.
    """

    approvers: frozenset[str]
    authors: frozenset[str]
    as_of: date
    longest: int | None = None
    since: tuple[str, ...] = ("",)
    seen_in: tuple[str, ...] = ()


class Approvals:
    """The approvals that a head declares, as the base revision lets them count."""

    def __init__(self, declared: Iterable[Weakening], rules: Rules, git: Git) -> None:
        """`rules` are those of the base revision."""
        self._declared = tuple(declared)
        self._rules = rules
        self._git = git

    @property
    def since(self) -> tuple[str, ...]:
        """The commits that an approval may be bound to; the first one is printed."""
        return self._rules.since

    def block(self, changes: Sequence[str]) -> tuple[str, ...]:
        """What approves changes, as lines of YAML to be pasted where the approvals stand; none where nobody may."""
        who = next(iter(sorted(self._rules.approvers)), None)
        if not changes or who is None:
            return ()
        said: dict[str, object] = {"change": list(changes), "reason": "say why", "approved_by": who}
        if self._rules.longest is not None:
            said["expires"] = (self._rules.as_of + timedelta(days=self._rules.longest)).isoformat()
        lines = (f"{key}: {json.dumps(value)}" for key, value in said.items())
        return ("weakenings:", *(f"{'    ' if i else '  - '}{line}" for i, line in enumerate(lines)))

    def of(self, *changes: str) -> tuple[Approval | None, str]:
        """The approval of a change, by any of its digests; or None, and why there is none that counts."""
        found = [self._of(change) for change in changes]
        given = next((approval for approval, _ in found if approval is not None), None)
        why = next((why for _, why in found if why), "nobody has approved it")
        return given, "" if given is not None else why

    def _of(self, change: str) -> tuple[Approval | None, str]:
        why = ""
        for entry in self._declared:
            if change not in ((entry.change,) if isinstance(entry.change, str) else entry.change):
                continue
            wrong = self._wrong(entry, change)
            if wrong is None:
                expires = None if entry.expires is None else entry.expires.isoformat()
                said = entry.model_dump(exclude={"change", "expires"})
                return Approval(**said, change=change, expires=expires), ""
            why = wrong
        return None, why

    def _wrong(self, entry: Weakening, change: str) -> str | None:
        """Why an approval does not count."""
        rules, who = self._rules, entry.approved_by
        ends, longest = entry.expires, rules.longest
        reasons = {
            f"{who} is no approver of the base revision": folded(who) not in rules.approvers,
            f"{who} wrote the change and cannot approve it": folded(who) in rules.authors,
            f"the approval by {who} has expired": ends is not None and ends < rules.as_of,
            f"the approval by {who} does not say when it expires": longest is not None and ends is None,
            f"the approval by {who} expires later than in {longest} days": longest is not None
            and ends is not None
            and (ends - rules.as_of).days > longest,
            f"the approval by {who} was used already": any(self._has(commit, change) for commit in rules.seen_in),
        }
        return next((why for why, applies in reasons.items() if applies), None)

    def _has(self, commit: str, change: str) -> bool:
        """Whether a file of a commit names a change."""
        return self._git.run("grep", "-q", "-F", "-e", change, commit, "--").returncode == 0


def place_of(loaded: Loaded, top: Path) -> str | None:
    """Where a manifest has its approvals, from the top: a file of their own, or itself; None where it does not say."""
    if loaded.approvals_file is not None:
        return loaded.approvals_file.relative_to(top).as_posix()
    return loaded.file.resolve().relative_to(top).as_posix() if "weakenings" in loaded.marks else None


def declared(side: BaseSide | None, manifest: Loaded, top: Path) -> tuple[tuple[Weakening, ...], Path | None]:
    """The approvals that stand where the base revision has them, and the file of their own that they stand in.

    Raises:
        PolicyError: that file is wrong.
    """
    old = None if side is None else side.manifest
    if side is None or old is None or old.approvals_file is None:
        return manifest.weakenings, manifest.approvals_file
    file = top / old.approvals_file.relative_to(side.snapshot.top)
    if manifest.approvals_file == file.resolve():
        return manifest.weakenings, file
    return (approvals_in(file) if reachable(file.resolve(), (top,)) else ()), file


def moved(side: BaseSide, manifest: Loaded, top: Path) -> tuple[Difference, ...]:
    """That the approvals stand elsewhere than in the base revision, which is a weakening where that says a place."""
    assert side.manifest is not None  # noqa: S101  (asked of a base revision with a manifest)
    old, new = place_of(side.manifest, side.snapshot.top), place_of(manifest, top)
    files = [each.approvals_file for each in (side.manifest, manifest)]
    if old is None or old == new or files == [None, None]:
        return ()
    note = "approvals stand where the base revision has them"
    found = Difference(
        path="weakenings",
        old=old,
        new=new,
        old_origin=None,
        new_origin=None,
        direction=Stricter.REVIEW,
        verdict=Strictness.WEAKER,
        note=note,
    )
    return (found,)


def authors_since(git: Git, base: str, approvals: Path | None) -> frozenset[str]:
    """The addresses and names of who wrote, committed or co-authored the commits from a base revision to the head.

    Whoever runs the gate is one of them where the working tree is not what was committed.

    Args:
        git: the repository.
        base: the base revision.
        approvals: the file of approvals, relative to the top; what touches it alone is not counted.
    """
    paths = ["--", ":(top)"] + ([] if approvals is None else [f":(top,exclude,literal){approvals.as_posix()}"])
    form = f"--format=%ae%x00%an%x00%ce%x00%cn%x00{CO_AUTHORS}"
    told = git.text("log", "--no-show-signature", "--full-history", form, f"{base}..HEAD", *paths)
    names = [name for line in told.splitlines() for name in line.split("\0")]
    if _uncommitted(git, approvals):
        names.append(git.run("var", "GIT_AUTHOR_IDENT").stdout.decode("utf-8", "replace"))
    return frozenset(folded(part) for name in names for part in _parts(name))


def _uncommitted(git: Git, approvals: Path | None) -> bool:
    """Whether a YAML file, as rules are, is not what was committed.

    Git would run the filters of the repository's settings to tell, so the files are hashed here as git stores them.
    """
    top = Path(git.text("rev-parse", "--show-toplevel").rstrip("\n"))
    known = {name: blob for name, (blob, _) in git.objects("HEAD").items() if name.endswith((".yaml", ".yml"))}
    known.pop("" if approvals is None else approvals.as_posix(), None)
    return any(_blob(top / name, len(blob)) != blob for name, blob in known.items())


def _blob(file: Path, digits: int) -> str | None:
    """The name that git gives a file's contents; None where it cannot be read."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    return (sha1 if digits == 40 else sha256)(b"blob %d\0" % len(content) + content).hexdigest()


def _parts(name: str) -> list[str]:
    """A name as it is, and the name and the address of ``Name <address> …``."""
    person, bracket, rest = name.partition("<")
    return [name, person, rest.partition(">")[0]] if bracket else [name]
