"""From what was judged and compared to what became of each release, and of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from auditor.errors import NotEvaluated
from auditor.gate import _changes
from auditor.gate._approvals import Approvals
from auditor.gate._cases import Candidate
from auditor.gate._committed import MOST_READ, is_blob
from auditor.gate._judgement import JudgedCase
from auditor.gate._schema import Trusted
from auditor.gate._shrinkage import by_contents, narrowed, shrunk
from auditor.gate._sides import BaseSide
from auditor.gate._waivers import Waivers, new_waivers
from auditor.policy import Policy
from auditor.policy.facts import protection_threshold
from auditor.policy.git import Git
from auditor.policy.tree import Tree
from auditor.report.redact import DEFAULT_THRESHOLD
from auditor.result import Result, Verdict
from auditor.result.comparison import Difference
from auditor.result.gate import Change, FloorResult, GateFile, GateStatus, ReleaseResult

ORDER = tuple(GateStatus)
MET = (Verdict.PASS, Verdict.WAIVED)
NOBODY = (
    "Nobody may approve it: list somebody as approver under trusted in the manifest first, in a change of its own; "
    "whom the base revision and the target branch both list may approve."
)
JUDGED = {
    Verdict.FAIL: (GateStatus.FAIL, "The policy is not met."),
    Verdict.NOT_EVALUATED: (GateStatus.NOT_EVALUATED, "Not everything could be evaluated."),
    Verdict.WAIVED: (GateStatus.WAIVED, "The policy is met only with waivers."),
    Verdict.PASS: (GateStatus.PASS, "The policy is met."),
}


class GateSummary:
    """Puts the results together."""

    def __init__(self, approvals: Approvals, waivers: Waivers, side: BaseSide | None, git: Git, top: Path) -> None:
        self.approvals = approvals
        self.waivers = waivers
        self.side = side
        self.git = git
        self.top = top

    def release(self, candidate: Candidate, judged: JudgedCase | None) -> ReleaseResult:
        """One release."""
        inside = frozenset() if judged is None else judged.inside(self.top)
        files = () if judged is None else tuple(self._since(f) if f in inside else f for f in judged.files)
        together = _waived_with_data(candidate, judged, files)
        fewer = self._shrunk(candidate, judged)
        floors = _floors(judged)
        less = _judged_by_less(candidate, together or loosened(judged), fewer)
        changes = self._changes(candidate, judged, less, fewer, floors)
        change = changes[0] if changes else None
        approval, missing = self.approvals.of(*changes) if changes else (None, "")
        unapproved = change is not None and approval is None
        status, why = self._status(candidate, judged, unapproved, missing)
        if unapproved and judged is not None and judged.head.verdict in MET:
            status, why = _beside_floors(floors, less, missing) or (status, why)
        entry = candidate.entry or candidate.old
        assert entry is not None  # noqa: S101  (a candidate stands in one of the manifests)
        refused = [] if judged is None else self.waivers.wrong(candidate.policy, candidate.base, judged.head.documents)
        if refused and status is not GateStatus.FAIL:
            status, why = GateStatus.FAIL, f"{_sentence(refused[0])} The release is judged without it."
        place = entry.mark("").origin
        return ReleaseResult(
            name=candidate.name,
            status=status,
            why=why,
            presence=_presence(candidate, self.side),
            location=None if place is None else _changes.location(place),
            policy=None if candidate.policy is None else candidate.policy.file,
            policy_sha256=None if candidate.policy is None else candidate.policy.sha256,
            recipients=entry.release.recipients,
            purpose=entry.release.purpose,
            files=files,
            head_verdict=None if judged is None else judged.head.verdict,
            base_verdict=_base_verdict(candidate, judged),
            base_failing=() if judged is None else judged.failing_under_base,
            comparison=candidate.comparison,
            changes=(*candidate.changes, *fewer),
            floors=floors,
            change=change,
            approval=approval,
            notes=(*map(_sentence, refused), *together, *self._notes(candidate, judged, files)),
            documents=() if judged is None else tuple(self._guarded(candidate, judged)),
            **self._offered(candidate, judged),
        )

    def _offered(self, candidate: Candidate, judged: JudgedCase | None) -> dict[str, Any]:
        """What would waive a release that fails its own policy, where somebody may approve it."""
        approver = self.approvals.approver
        if judged is None or judged.head.verdict is not Verdict.FAIL or candidate.policy is None or approver is None:
            return {}
        return self.waivers.offered(candidate.policy, candidate.name, judged.head.documents, approver)

    @cached_property
    def _head(self) -> Tree:
        return Tree(self.git, "HEAD", self.top)

    def _shrunk(self, candidate: Candidate, judged: JudgedCase | None) -> tuple[Difference, ...]:
        """What is judged no more of a release."""
        side, old, new = self.side, candidate.old, candidate.entry
        if side is None or old is None or new is None or judged is None or not (judged.files or judged.head.documents):
            return ()

        inside = judged.inside(self.top)

        def same(file: GateFile, tree: Tree, name: str) -> bool:
            known = tree.file(name)
            if known is None or file in inside:
                return known is not None and is_blob(self.top / file.name, file.sha256, known, ends_of_lines=True)
            # It lies where a variable leads.
            return known.size <= MOST_READ and sha256(known.read()).hexdigest() == file.sha256

        try:
            candidate.notes += narrowed(side, self.top, old, new)
            return tuple(shrunk(side, self._head, (old, new), judged, same, top=self.top))
        except NotEvaluated as reason:
            candidate.unreadable = candidate.unreadable or str(reason)
            return ()

    def _changes(
        self,
        candidate: Candidate,
        judged: JudgedCase | None,
        less: bool,
        fewer: tuple[Difference, ...],
        floors: tuple[FloorResult, ...],
    ) -> list[str]:
        """The digests of a release's weakening, one for each commit that they may be bound to; none where it has none.

        What a floor finds of the files is asked about where they meet the release's own policy.
        """
        old = None if candidate.old is None else (candidate.old.release, candidate.base)
        new = None if candidate.entry is None else (candidate.entry.release, candidate.policy)
        below = tuple(each for floor in floors for each in floor.below)
        met = judged is not None and judged.head.verdict in MET
        unmet = [each for each in floors if met and each.verdict not in MET]
        if not (less or below or unmet):
            return []
        held = [f"{floor.name} {name}" for floor in unmet for name in (*floor.failing, *floor.reasons)]
        fewer = tuple(each for each in fewer if each.verdict in _changes.WEAKENS)
        swapped = any(map(by_contents, fewer)) or _made_from_another(candidate)
        shown = () if judged is None else judged.shown_by_base
        files = [str(file.sha256) for file in judged.files] if judged is not None and (unmet or swapped) else []
        return [
            _changes.digest_of_release(
                commit, candidate.name, old, new, (*fewer, *below), unmet=(*held, *files), shown=shown
            )
            for commit in self.approvals.since
        ]

    def _status(
        self, candidate: Candidate, judged: JudgedCase | None, unapproved: bool, missing: str
    ) -> tuple[GateStatus, str]:
        """What became of a release, and why in a sentence: the first of fail, weakened, not evaluated, waived, pass."""
        if candidate.entry is None:
            if unapproved:
                return GateStatus.WEAKENED, f"The release was removed from the manifest, and {missing}."
            return GateStatus.PASS, "The release was removed from the manifest, with approval."
        assert judged is not None  # noqa: S101  (what stands in the manifest is judged)
        status, why = JUDGED[judged.head.verdict]
        if status is not GateStatus.FAIL and unapproved:
            return GateStatus.WEAKENED, f"{_weaker(candidate, judged)}, and {missing}."
        if status is not GateStatus.FAIL and candidate.unreadable is not None:
            return GateStatus.NOT_EVALUATED, "The policy could not be compared with that of the base revision."
        return status, why

    def _guarded(self, candidate: Candidate, judged: JudgedCase) -> Iterator[Result]:
        """The documents with the largest threshold of all: a change must not tell what its base or a floor hides.

        A release that is new, or whose entry changed, may be of what another one is of: what any release of the base
        revision hides stays hidden.
        """
        others = [each for each in (candidate.base, *(held.floor.policy for held in judged.floors)) if each is not None]
        if self.side is not None and self.side.manifest is not None and (candidate.old is None or candidate.changes):
            found = (self.side.policy(name) for name in self.side.manifest.entries)
            others += [each for each in found if isinstance(each, Policy)]
        if candidate.policy is None or not others:
            yield from judged.head.documents
            return
        demanded = [protection_threshold(policy) for policy in (candidate.policy, *others)]
        threshold = max(DEFAULT_THRESHOLD if each is None else each for each in demanded)
        for document in judged.head.documents:
            yield replace(document, policy=replace(document.policy, protection_threshold=threshold))

    def _notes(self, candidate: Candidate, judged: JudgedCase | None, files: Iterable[GateFile]) -> Iterable[str]:
        yield from candidate.notes
        if candidate.unreadable is not None:
            yield candidate.unreadable
        yield from (*judged.head.missing, *judged.head.notes) if judged is not None else ()
        if self.side is not None and candidate.old is None:
            yield "The release is new: the base revision has nothing to compare with it."
        changed = any(file.change in (Change.CHANGED, Change.NEW) and file.role == "data" for file in files)
        if changed and candidate.comparison is not None and candidate.comparison.differences:
            yield "The data and its policy change together; split the change, so that each can be judged by itself."

    def whole(
        self,
        releases: list[ReleaseResult],
        changed: tuple[Difference, ...],
        old: Trusted | None,
        new: Trusted,
        shortened: str | None,
        *,
        unheld: list[str],
        besides: list[str],
    ) -> dict[str, Any]:
        """The fields of the result that speak of all releases; `unheld` leaves them unsettled, `besides` does not."""
        change, approval, missing = None, None, ""
        if old is not None and _changes.weakens(changed):
            digests = [_changes.digest_of_trusted(commit, old, new, changed) for commit in self.approvals.since]
            change = digests[0]
            approval, missing = self.approvals.of(*digests)
        statuses = {release.status for release in releases}
        notes = [] if shortened is None else [shortened]
        statuses |= {GateStatus.FAIL} if notes else set()
        if unheld:
            statuses.add(GateStatus.NOT_EVALUATED)
            notes += unheld
        if change is not None and approval is None:
            statuses.add(GateStatus.WEAKENED)
            notes.append(f"The {_changes.kinds(changed)} are weakened, and {missing}.")
        if self.side is None:
            notes.append("Nothing was compared: there is no base revision, so no settings are trusted.")
        elif self.side.manifest is None:
            notes.append("The base revision has no manifest; the settings of this one are trusted once it is merged.")
        unapproved = [each.change for each in releases if each.change is not None and each.approval is None]
        unapproved += [change] if change is not None and approval is None else []
        if unapproved and self.approvals.approver is None:
            notes.append(NOBODY)
        return {
            "verdict": next(status for status in ORDER if status in statuses),
            "releases": tuple(sorted(releases, key=lambda release: ORDER.index(release.status))),
            "trusted": changed,
            "trusted_change": change,
            "trusted_approval": approval,
            **self.approvals.asked(unapproved),
            "notes": (*notes, *besides),
        }

    def _since(self, file: GateFile) -> GateFile:
        """The file with what became of it since the base revision, as far as git tells."""
        path = self.top / file.name
        if self.side is None or not path.is_file():
            return file
        try:
            known = self.side.snapshot.tree.file(file.name)
        except NotEvaluated:
            return file
        if known is None:
            return replace(file, change=Change.NEW if self._tracked(file.name) else Change.UNKNOWN)
        same = is_blob(path, file.sha256, known, ends_of_lines=True)
        return replace(file, change=Change.SAME if same else Change.CHANGED)

    def _tracked(self, name: str) -> bool:
        return bool(self.git.run("ls-files", "-z", "--full-name", "--", f":(top,literal){name}").stdout)


def _waived_with_data(candidate: Candidate, judged: JudgedCase | None, files: Iterable[GateFile]) -> list[str]:
    """What is to be said where a waiver and the data that it excuses come in one change."""
    changed = any(file.change in (Change.CHANGED, Change.NEW) and file.role == "data" for file in files)
    if judged is None or not changed:
        return []
    return [
        f"The waiver of {name} is added together with the data that it waives."
        for name in new_waivers(candidate.policy, candidate.base, judged.head.documents)
    ]


def _floors(judged: JudgedCase | None) -> tuple[FloorResult, ...]:
    """The release beside every floor; the fields below it by their places in it."""
    return tuple(
        FloorResult(
            name=held.floor.name,
            sha256=held.floor.policy.sha256,
            verdict=held.verdict,
            failing=held.failing,
            reasons=held.reasons,
            below=tuple(replace(each, path=f"floors/{held.floor.name}/{each.path}") for each in held.below),
        )
        for held in (() if judged is None else judged.floors)
    )


def _judged_by_less(candidate: Candidate, noticed: list[str], fewer: tuple[Difference, ...]) -> bool:
    """Whether a release is removed, or judged by less than at the base revision.

    `noticed` says why it is, where no field does: a new one that comes with waivers of its data, files that fail by the
    base revision's rules alone.
    """
    compared = candidate.comparison
    weaker = compared is not None and not compared.at_least_as_strict
    return candidate.entry is None or weaker or bool(noticed) or _changes.weakens((*candidate.changes, *fewer))


def _beside_floors(floors: tuple[FloorResult, ...], less: bool, missing: str) -> tuple[GateStatus, str] | None:
    """What becomes of a release whose files meet its own policy by a floor alone; None where that says nothing."""
    failing = next((each for each in floors if each.verdict is Verdict.FAIL), None)
    if failing is not None:
        return GateStatus.FAIL, f"The floor {failing.name} is not met ({', '.join(failing.failing)}), and {missing}."
    below = next((each for each in floors if each.below), None)
    unclear = next((each for each in floors if each.verdict is Verdict.NOT_EVALUATED), None)
    if below is not None and not less:
        return GateStatus.WEAKENED, f"The policy is not at least as strict as the floor {below.name}, and {missing}."
    if unclear is not None and not less:
        return GateStatus.NOT_EVALUATED, f"The floor {unclear.name} could not be evaluated, and {missing}."
    return None


def loosened(judged: JudgedCase | None) -> list[str]:
    """What is to be said where files fail by the base revision's rules, and meet those of the change."""
    if judged is None or not judged.loosened:
        return []
    if judged.failing_under_base:
        failing = ", ".join(judged.failing_under_base)
        return [f"It fails under the rules of the base revision ({failing}), but not under these"]
    return ["Read as the base revision's manifest says, its files cannot be evaluated"]


def _made_from_another(candidate: Candidate) -> bool:
    """Whether a release names another original, or one for the first time: who approves that, approves its contents."""
    old, new = candidate.old, candidate.entry
    roles = ("original", "previous_original")
    return (
        old is not None
        and new is not None
        and any(set(new.release.texts(role)) - set(old.release.texts(role)) for role in roles)
    )


def _weaker(candidate: Candidate, judged: JudgedCase) -> str:
    """How a release is weakened: in its fields, or in what they do."""
    compared = candidate.comparison
    fields = compared is not None and not compared.at_least_as_strict
    found = [] if fields or _changes.weakens(candidate.changes) else loosened(judged)
    return next(iter(found), "Its policy is weaker than on the base branch")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _presence(candidate: Candidate, side: BaseSide | None) -> Change:
    if candidate.entry is None:
        return Change.REMOVED
    if side is None:
        return Change.UNKNOWN
    if candidate.old is None:
        return Change.NEW
    if candidate.comparison is None:
        return Change.UNKNOWN
    return Change.CHANGED if candidate.changes or candidate.comparison.differences else Change.SAME


def _base_verdict(candidate: Candidate, judged: JudgedCase | None) -> Verdict | None:
    """What the files are under the base's policy; that of the head where the two say the same."""
    if judged is None or candidate.comparison is None:
        return None
    return judged.under_base or judged.head.verdict
