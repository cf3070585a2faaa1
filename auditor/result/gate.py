"""What the gate found: every release of a repository, judged and compared with the base revision."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from auditor.errors import EXIT_MET, EXIT_NOT_EVALUATED, EXIT_NOT_MET, EXIT_WEAKENED
from auditor.result._document import SCHEMA_VERSION, Result, Tool
from auditor.result._marks import Verdict, fact, path
from auditor.result._requirement import Location
from auditor.result.comparison import Difference, PolicyComparison


class GateStatus(StrEnum):
    """What became of a release: the first that applies."""

    FAIL = "fail"
    """The policy of the head is not met."""
    WEAKENED = "weakened"
    """The policy is not at least as strict as at the base revision, and nobody has approved that."""
    NOT_EVALUATED = "not-evaluated"
    WAIVED = "waived"
    PASS = "pass"  # noqa: S105  (a verdict, no password)


class Change(StrEnum):
    """What a release, or its data, is beside the base revision."""

    NEW = "new"
    REMOVED = "removed"
    CHANGED = "changed"
    SAME = "same"
    UNKNOWN = "unknown"
    """The base revision does not tell: the data is not in git, or nothing was compared."""


@dataclass(frozen=True, kw_only=True)
class Revision:
    """A commit, and in words how it was found."""

    commit: str = fact()
    found: str = fact()


@dataclass(frozen=True, kw_only=True)
class GateFile:
    """One file that was judged.

    `role` is data, original, previous, previous_original (of an earlier release), outputs, queries, policy, hierarchy
    or population. `guessable` is as of `DataFacts`. `found` says that nobody wrote its name: it lies in a folder, or a
    pattern matches it. Below the internal audience a place stands for such a name.
    """

    role: str = fact()
    name: str = path()
    sha256: str | None = fact()
    guessable: bool | None = fact(None)
    found: bool = fact(False)
    change: Change = fact(Change.UNKNOWN)


@dataclass(frozen=True, kw_only=True)
class Signature:
    """Who signed an approval, with a key of the base revision, and what: the file, or a commit that brought it there.

    `key` is the fingerprint. The change that the approval names is one since the commit `since`.
    """

    signer: str = fact()
    key: str = fact()
    since: str = fact()
    file: str = fact()
    commit: str | None = fact(None)
    """The commit, where it and not the file by itself is signed."""


@dataclass(frozen=True, kw_only=True)
class Approval:
    """Who approved a weakening. Without a signature, that `approved_by` did is declared, not verified."""

    change: str = fact()
    reason: str = fact()
    approved_by: str = fact()
    ticket: str | None = fact(None)
    expires: str | None = fact(None)
    signature: Signature | None = fact(None)


@dataclass(frozen=True, kw_only=True)
class FloorResult:
    """A release beside a floor of the base revision.

    `verdict` is what its files are by the floor's demands, whatever the release's own policy waives; `below` says where
    that policy is not at least as strict.
    """

    name: str = fact()
    """As the base revision's manifest has it: a file, or a starter pack."""
    sha256: str = fact()
    verdict: Verdict = fact()
    failing: tuple[str, ...] = fact(())
    """The requirements of the floor that the files do not meet."""
    reasons: tuple[str, ...] = fact(())
    """Why not everything could be evaluated."""
    below: tuple[Difference, ...] = fact(())

    @property
    def met(self) -> bool:
        """Whether the files meet the floor, and the policy is at least as strict."""
        return self.verdict in (Verdict.PASS, Verdict.WAIVED) and not self.below


@dataclass(frozen=True, kw_only=True)
class ReleaseResult:
    """One release.

    `documents` are what was found under the head's policy, one per audit. `base_verdict` is what the same files are
    under the policy of the base revision; `changes` are differences of the release's entry in the manifest. `change` is
    the digest that an approval of the weakening names, None where there is none to approve.
    """

    name: str = fact()
    status: GateStatus = fact()
    why: str = fact()
    presence: Change = fact()
    location: Location | None = fact(None)
    policy: str | None = fact(None)
    """The policy's file, or the name of a starter pack."""
    policy_sha256: str | None = fact(None)
    recipients: tuple[str, ...] = fact(())
    purpose: str | None = fact(None)
    files: tuple[GateFile, ...] = fact(())
    head_verdict: Verdict | None = fact(None)
    base_verdict: Verdict | None = fact(None)
    base_failing: tuple[str, ...] = fact(())
    """The requirements of the base revision that the files do not meet."""
    comparison: PolicyComparison | None = fact(None)
    changes: tuple[Difference, ...] = fact(())
    floors: tuple[FloorResult, ...] = fact(())
    change: str | None = fact(None)
    approval: Approval | None = fact(None)
    notes: tuple[str, ...] = fact(())
    documents: tuple[Result, ...] = fact(())
    to_waive: tuple[str, ...] = fact(())
    """The narrowest waivers of what fails, as lines of YAML; not for the public: they say what was reached."""
    waive_in: str | None = fact(None)
    """The file that these are added to."""
    waive_at: str | None = fact(None)
    """Where in that file, in words; None: at its end."""


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """Every release that was asked for, those that need somebody's attention first.

    `trusted` are differences of the trusted settings: the base revision's hold, the head's will once it is merged.
    """

    schema_version: int = fact(SCHEMA_VERSION)
    tool: Tool = fact()
    command: str = fact("gate")
    evaluated_on: str = fact()
    verdict: GateStatus = fact()
    manifest: str = fact()
    head: str | None = fact(None)
    """The commit that the working tree stands on."""
    base: Revision | None = fact(None)
    releases: tuple[ReleaseResult, ...] = fact()
    trusted: tuple[Difference, ...] = fact(())
    trusted_change: str | None = fact(None)
    ledger: str | None = fact(None)
    """The ledger of certified releases, relative to the top, where the manifest names one."""
    trusted_approval: Approval | None = fact(None)
    to_approve: tuple[str, ...] = fact(())
    """What somebody who approves of all that is weakened adds to the approvals, as lines of YAML."""
    approve_in: str | None = fact(None)
    """The file that this is added to."""
    approve_at: str | None = fact(None)
    """Where in that file, in words; None: at its end."""
    to_sign: tuple[str, ...] = fact(())
    """Commands that sign it then, of which one is enough; none where the base revision lists no key."""
    notes: tuple[str, ...] = fact(())
    gone: tuple[str, ...] = fact(())
    """Names in folders and by patterns that notes tell besides those of `files`: for the internal audience alone.

    Of files that the commit has and that are not there, of links, and of what is named nearly like a file.
    """

    def __repr__(self) -> str:
        """The verdict alone: a repr goes to logs and notebooks, which know no audience."""
        met = sum(each.status is GateStatus.PASS for each in self.releases)
        return f"<{type(self).__name__}: {self.verdict}, {met} of {len(self.releases)} releases met>"

    @property
    def exit_code(self) -> int:
        """What a command that ends with this result returns: the first of 1, 4, 3, 0 that applies."""
        return EXITS[self.verdict]

    @property
    def passed(self) -> bool:
        """Whether every release passed, without a waiver."""
        return self.verdict is GateStatus.PASS


EXITS = {
    GateStatus.FAIL: EXIT_NOT_MET,
    GateStatus.WEAKENED: EXIT_WEAKENED,
    GateStatus.NOT_EVALUATED: EXIT_NOT_EVALUATED,
    GateStatus.WAIVED: EXIT_MET,
    GateStatus.PASS: EXIT_MET,
}
