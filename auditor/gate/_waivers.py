"""Waivers as the base revision lets them count.

A waiver excuses nothing here unless the base revision lists its approver, somebody else added it, it ends within the
longest term that the base revision allows, it says why, and it is no wider than what was found. That the approver did
approve is declared, not verified: git does not prove it. Who added it git does tell: the authors of the lines that it
stands in. A waiver that the base revision lacks is added by whoever wrote any part of the change, too: lines may lie in
a file for years until a change names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from auditor.gate._authors import author_of, is_one_of, whoever_runs
from auditor.gate._offers import waivers_offered
from auditor.gate._reference import Reference
from auditor.policy import Policy
from auditor.policy.file.insertion import insertion
from auditor.policy.git import Git
from auditor.policy.lint import SHORTEST_REASON
from auditor.policy.reading import destination
from auditor.policy.waivers import Waiver, folded
from auditor.result import RequirementResult, Result
from auditor.result import WaiverFacts as Used

UNCOMMITTED = "0" * 40
TERM = 90
"""The days that a waiver is offered for, where the base revision allows as many."""
BLAME = ("-c", "blame.ignoreRevsFile=", "blame", "--porcelain", "--no-textconv", "HEAD", "--")
"""Of the commit: git would run the filters of the repository's settings to look at the working tree."""


class Waivers:
    """Says of the waivers that a release rests on why they do not count."""

    def __init__(self, git: Git, top: Path, standing: Reference, as_of: date, wrote: Callable[[str], bool]) -> None:
        """`wrote` says who wrote the change; without a base revision `standing` lets nobody approve."""
        self._git = git
        self._top = top
        self._wrote = wrote
        self._standing = standing
        self._as_of = as_of

    def wrong(self, policy: Policy | None, old: Policy | None, documents: Iterable[Result]) -> list[str]:
        """Why waivers do not count, in words; empty where all do.

        Args:
            policy: the head's policy.
            old: the base revision's, where it has one.
            documents: what was found under the head's policy.
        """
        results = [(r, r.waiver) for document in documents for r in document.requirements if r.waiver is not None]
        found = [text for r, used in results for text in self._of(policy, old, r, used)]
        return list(dict.fromkeys(found))

    def offered(self, policy: Policy, release: str, documents: Iterable[Result], approver: str) -> dict[str, Any]:
        """What would waive a release that fails: lines to be pasted, into which file and where; none for a pack."""
        file = None if policy.file is None else self._file(policy, policy.file)
        offered = [] if file is None else waivers_offered(policy, release, documents)
        if file is None or not offered:
            return {}
        until = self._as_of + timedelta(days=min(self._standing.trusted.max_waiver_days or TERM, TERM))
        said = {"reason": "say why", "owner": "say who asks", "approved_by": approver, "expires": until.isoformat()}
        added = insertion("waivers", [{**each, **said} for each in offered], file.resolve())
        if not added.file.is_relative_to(self._top):
            return {}
        return {
            "to_waive": added.lines,
            "waive_in": added.file.relative_to(self._top).as_posix(),
            "waive_at": added.where,
        }

    def _of(self, policy: Policy | None, old: Policy | None, result: RequirementResult, used: Used) -> Iterator[str]:
        named = f"the {'known failure' if used.kind == 'baseline' else 'waiver'} of {result.id}"
        longest = self._standing.trusted.max_waiver_days
        if longest is not None and (date.fromisoformat(used.expires) - self._as_of).days > longest:
            yield f"{named} ends more than {longest} days from now, the longest term that is trusted"
        if used.kind == "baseline":
            return
        if len(used.reason.strip()) < SHORTEST_REASON:
            yield f"{named} gives hardly any reason"
        if used.wider is not None:
            yield f"{named} is wider than the finding: {used.wider}"
        approver = folded(used.approved_by)
        if approver not in self._standing.approvers:
            left = approver in map(folded, self._standing.base.approvers)
            what = "no longer an approver of the target branch" if left else "not an approver of the base revision"
            yield f"{named} is approved by {used.approved_by}, who is {what}"
        elif policy is not None:
            yield from self._authored(policy, old, result, used, named)

    def _authored(
        self, policy: Policy, old: Policy | None, result: RequirementResult, used: Used, named: str
    ) -> Iterator[str]:
        found = [(i, waiver) for i, waiver in enumerate(policy.waivers) if _is_used(waiver, result, used)]
        authors = [self._authors(policy, index) for index, _ in found]
        if not authors or None in authors:
            yield f"{named} is in a file that git does not track, so it is not known who added it"
        elif any(is_one_of(used.approved_by, each) for each in authors if each is not None):
            yield f"{named} was added by {used.approved_by}, who cannot approve it"
        elif any(is_new(waiver, old) for _, waiver in found) and self._wrote(used.approved_by):
            yield f"{named} was added by {used.approved_by}, who cannot approve it: they wrote part of the change"

    def _authors(self, policy: Policy, index: int) -> set[str] | None:
        """The folded addresses and names of who wrote the lines of a waiver; None where git does not know its file.

        Not who committed them: an approver may have rebased what they approved.
        """
        commits: set[str] = set()
        for file, lines in self._lines(policy, index).items():
            if file is None:
                return None
            blamed = self._blamed(file)
            if blamed is None or max(lines) > len(blamed):
                return None
            commits |= set(blamed[min(lines) - 1 : max(lines)])
        return {name for commit in commits for name in self._who(commit)}

    def _blamed(self, file: Path) -> list[str] | None:
        """The commit of each line of a file in the working tree; None where git does not know the file."""
        now = [line.removesuffix(b"\r") for line in file.read_bytes().split(b"\n")]
        told, found = self._git.run(*BLAME, f"{file}"), [UNCOMMITTED] * len(now)
        if told.returncode:
            place = f":(top,literal){file.relative_to(self._top).as_posix()}"
            return found if self._git.run("ls-files", "-z", "--", place).stdout else None
        lines = list(_blamed_lines(told.stdout))
        commits, then = [commit for commit, _ in lines], [line for _, line in lines]
        for at, here, length in SequenceMatcher(None, then, now, autojunk=False).get_matching_blocks():
            found[here : here + length] = commits[at : at + length]
        return found

    def _lines(self, policy: Policy, index: int) -> dict[Path | None, list[int]]:
        """The lines that a waiver stands in, by file."""
        place = f"waivers/{index}"
        found: dict[Path | None, list[int]] = {}
        for path in policy.origin_paths:
            origin = policy.origin(path)
            if origin is not None and (path == place or path.startswith(f"{place}/")):
                found.setdefault(self._file(policy, origin.file), []).append(origin.line)
        return found

    def _file(self, policy: Policy, shown: str) -> Path | None:
        """The file of a policy that a place names: of what it was read from, as two files may be shown alike."""
        places = {Path.cwd() / shown, self._top / shown}
        found = [file for file in places if file.is_relative_to(self._top) and destination(file) in policy.sources]
        return found[0] if len(found) == 1 else None

    def _who(self, commit: str) -> frozenset[str]:
        """Who wrote a commit, as was written and not as a .mailmap has it."""
        if commit == UNCOMMITTED:
            return whoever_runs(self._git)
        return author_of(self._git.output("cat-file", "commit", commit))


def is_new(waiver: Waiver, old: Policy | None) -> bool:
    """Whether the base revision lacks a waiver."""
    return old is None or waiver not in old.waivers


def new_waivers(policy: Policy | None, old: Policy | None, documents: Iterable[Result]) -> list[str]:
    """The ids of the requirements that are waived by what the base revision lacks."""
    if policy is None:
        return []
    results = [r for document in documents for r in document.requirements]
    return [
        r.id
        for r in results
        if r.waiver is not None
        and r.waiver.kind == "waiver"
        and any(_is_used(w, r, r.waiver) and is_new(w, old) for w in policy.waivers)
    ]


def _is_used(waiver: Waiver, result: RequirementResult, used: Used) -> bool:
    """Whether a result rests on this waiver, or on one that cannot be told from it.

    A rule on outputs, and a requirement on several columns, has several results: their ids begin with its own.
    """
    names = result.id == waiver.requirement or result.id.startswith(f"{waiver.requirement}-")
    return names and (waiver.approved_by, waiver.expires.isoformat()) == (used.approved_by, used.expires)


def _blamed_lines(porcelain: bytes) -> Iterator[tuple[str, bytes]]:
    """The commit of each line, and the line: it stands behind a tab, below a head that begins with the commit."""
    commit = ""
    for line in porcelain.split(b"\n"):
        first, _, rest = line.partition(b" ")
        if line.startswith(b"\t"):
            yield commit, line[1:].removesuffix(b"\r")
        elif len(first) in (40, 64) and rest[:1].isdigit():
            commit = first.decode()
