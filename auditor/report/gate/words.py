"""The words that every readable format of the gate's result shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from auditor.report import words
from auditor.report.comparison import TITLES, sentence
from auditor.result.comparison import Difference
from auditor.result.gate import Approval, FloorResult, GateResult, ReleaseResult

SYMBOLS = {"fail": "✗", "weakened": "▼", "not-evaluated": "?", "waived": "~", "pass": "✓"}
STATUSES = {
    "fail": "not met",
    "weakened": "weakened",
    "not-evaluated": "not evaluated",
    "waived": "waived",
    "pass": "met",
}
HEADLINES = {
    "fail": "The gate is closed: a release does not meet its policy",
    "weakened": "The gate is closed: a policy is weakened without approval",
    "not-evaluated": "The gate is closed: not everything could be evaluated",
    "waived": "The gate is open, with waivers",
    "pass": "The gate is open: every release meets its policy",
}
WEAKER = ("weaker", "incomparable")
MOST_DIGESTS = 3
"""So many digests stand in one line; each stands with its release, too."""
PRESENCE = {
    "new": "new",
    "removed": "removed",
    "changed": "rules changed",
    "same": "rules unchanged",
    "unknown": "not compared",
}


FILES = {
    "new": "new",
    "removed": "removed",
    "changed": "changed",
    "same": "unchanged",
    "unknown": "unknown at the base revision",
}


def notes_of(release: ReleaseResult) -> list[str]:
    """What is noted of a release, and what warnings say of requirements that it meets."""
    found = (each for audit in release.documents for each in words.doubted(audit))
    doubts = (f"{requirement.id}: {message}" for requirement, message in found)
    return [*release.notes, *dict.fromkeys(doubts)]


def why(shown: GateResult) -> str:
    """How many releases there are and what became of them."""
    total = words.counted(len(shown.releases), "release")
    parts = []
    for status, said in STATUSES.items():
        names = [release.name for release in shown.releases if release.status == status]
        if names and status != "pass":
            parts.append((len(names), f"{said} ({words.listed(names, 3)})"))
    return " ".join([words.of_total(parts, total), *approvals(shown)])


def base(shown: GateResult) -> str:
    """What was compared with what."""
    head = f"the working tree on {shown.head[:12]}" if shown.head else "the working tree"
    if shown.base is None:
        return f"{head}, compared with nothing"
    return f"{head}, compared with {shown.base.commit[:12]} ({shown.base.found})"


def failing(release: ReleaseResult) -> list[str]:
    """What is not met, or could not be evaluated, in the words of the audits."""
    return [
        f"{requirement.id}: {words.detail(requirement)}"
        for audit in release.documents
        for requirement in words.by_urgency(audit.requirements)
        if requirement.status in ("fail", "not-evaluated")
    ]


def changed(release: ReleaseResult) -> list[Difference]:
    """Every difference of a release's rules, those that need an approval first."""
    compared = release.comparison.differences if release.comparison else ()
    order = list(TITLES)
    below = [each for floor in release.floors for each in floor.below]
    found = [*compared, *release.changes, *below]
    return sorted(found, key=lambda difference: order.index(difference.verdict))


def floors(release: ReleaseResult) -> list[str]:
    """Which floor holds for a release, and whether it is met."""
    return [f"floor {floor.name}: {_floor(floor)}" for floor in release.floors]


def _floor(floor: FloorResult) -> str:
    said = words.STATUSES[floor.verdict]
    named = [*floor.failing, *floor.reasons]
    said += f" ({words.listed(named, 4)})" if named else ""
    return f"{said}; the policy is not at least as strict" if floor.below else said


def weaker(differences: Sequence[Difference]) -> list[str]:
    """The differences that need an approval, as sentences."""
    return [difference_line(each) for each in differences if each.verdict in WEAKER]


def difference_line(difference: Difference) -> str:
    """``weaker: requirements/k/k: 11 → 5 (policies/p.yaml:4)``."""
    origin = difference.new_origin or difference.old_origin
    place = f" ({words.where(origin)})" if origin else ""
    return f"{TITLES[difference.verdict].lower()}: {sentence(difference)}{place}"


def judged_by_both(release: ReleaseResult) -> str | None:
    """What the same files are under the base's policy, where that is not what they are under the head's."""
    old, new = release.base_verdict, release.head_verdict
    if old is None or new is None or old == new:
        return None
    failing = f" ({words.listed(release.base_failing, 4)})" if release.base_failing else ""
    said = words.STATUSES
    return f"Under the policy of the base revision: {said[old]}{failing}; under this one: {said[new]}."


def data_changes(release: ReleaseResult) -> Iterator[str]:
    """What became of the files since the base revision."""
    for kind in ("changed", "new"):
        names = [file.name for file in release.files if file.change == kind]
        if names:
            yield f"{kind}: {words.listed(names, 5)}"


def waived(release: ReleaseResult) -> list[str]:
    """What is waived, until when, by whom and why."""
    return [
        f"{requirement.id}: waived {words.waived_until(requirement.waiver)}"
        for audit in release.documents
        for requirement in audit.requirements
        if requirement.waiver
    ]


def approval(changes: Sequence[str], given: Approval | None) -> str:
    """Who approved a weakening, or what an approval has to name."""
    if given is None:
        if len(changes) > MOST_DIGESTS:
            return f"an approval names {len(changes)} changes, one for each release"
        return f"an approval names the change {', '.join(changes)}"
    return f"approved by {given.approved_by} ({known_by(given)}): {given.reason}"


def to_approve(shown: GateResult) -> str:
    """Where the lines go that approve all that is weakened."""
    return f"To approve all of it, add{_place(shown.approve_in, shown.approve_at)}"


def to_waive(release: ReleaseResult) -> str:
    """Where the lines go that waive what fails."""
    return f"To waive what fails, add{_place(release.waive_in, release.waive_at)}"


def _place(file: str | None, where: str | None) -> str:
    return f" to {file}{'' if where is None else f', {where}'}" if file else ""


def known_by(given: Approval) -> str:
    """What is known of an approval besides who is said to have given it."""
    signature = given.signature
    if signature is None:
        return "declared, not verified"
    of = signature.file if signature.commit is None else f"commit {signature.commit[:12]}"
    return f"signed with the key {signature.key}, {of}"


def approvals(shown: GateResult) -> list[str]:
    """Who approved what is weaker, and how that is known: what nobody signed first."""
    given = [shown.trusted_approval, *(release.approval for release in shown.releases)]
    found = sorted((each.signature is not None, each.approved_by, known_by(each)) for each in given if each)
    return [f"Approved by {who}: {known}." for _, who, known in dict.fromkeys(found)]


class Weakened(NamedTuple):
    """What is weaker than at the base revision: the same fields of one release or of several.

    `changes` are the digests that an approval names, one for each release; `otherwise` says what is weaker where no
    field is.
    """

    names: list[str]
    differences: Sequence[Difference]
    changes: list[str]
    approval: Approval | None
    otherwise: str = ""

    @property
    def title(self) -> str:
        """The releases, as many as a line holds."""
        return words.listed(self.names, 6)

    @property
    def lines(self) -> list[str]:
        """The weaker fields, as sentences."""
        return weaker(self.differences) or [self.otherwise]

    @property
    def told(self) -> str:
        """Who approved it, or what an approval has to name."""
        return approval(self.changes, self.approval)


def weakenings(shown: GateResult) -> list[Weakened]:
    """What is weaker than at the base revision, what is not approved first."""
    found: list[Weakened] = []
    if shown.trusted_change is not None:
        settings = Weakened(["trusted settings"], shown.trusted, [shown.trusted_change], shown.trusted_approval)
        found.append(settings)
    for release in shown.releases:
        if release.change is None:
            continue
        given = release.approval
        one = Weakened([release.name], changed(release), [release.change], given, _otherwise(release))
        same = next((each for each in found if _alike(each, one)), None)
        if same is None:
            found.append(one)
        else:
            same.names.append(release.name)
            same.changes.append(release.change)
    return sorted(found, key=lambda each: each.approval is not None)


def _otherwise(release: ReleaseResult) -> str:
    """What is weaker where no field is."""
    unmet = [floor.name for floor in release.floors if floor.verdict not in ("pass", "waived")]
    if unmet:
        return f"does not meet {words.listed(unmet, 4)}, a floor of the base revision"
    said = {"removed": "removed from the manifest", "new": "new, with a waiver added together with its data"}
    return said.get(release.presence, "fails under the rules of the base revision, but not under these")


def _alike(one: Weakened, other: Weakened) -> bool:
    """Whether the same fields are weaker, and the same person approved that or nobody did."""
    given = [each.approval and replace(each.approval, change="") for each in (one, other)]
    return given[0] == given[1] and one.lines == other.lines


def data(release: ReleaseResult) -> str:
    """What became of the data since the base revision, in a word or two."""
    changes = {file.change for file in release.files if file.role == "data"}
    for change, said in (("changed", "changed"), ("new", "new"), ("unknown", "–"), ("same", "unchanged")):
        if change in changes:
            return said
    return "–"
