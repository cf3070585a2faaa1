"""The page of the gate: what is weaker, and what is not met, of every release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from auditor.report import words
from auditor.report.audits import ALL, check_of, lines_of, rules_of
from auditor.report.comparison import WEAKENED
from auditor.report.gate import RedactedGate
from auditor.report.gate import words as gate
from auditor.report.page import BrokenRule, Check, CheckOutcome, Line, Page, Place, Suite
from auditor.result.comparison import Difference
from auditor.result.gate import Approval, GateResult, ReleaseResult

RULES = "at least as strict as the base revision"


class GatePage(Page):
    """What the gate found of all releases."""

    ROOM: ClassVar[str] = "auditor.report.gate"
    NAME: ClassVar[str] = "auditor gate"
    MARK: ClassVar[str] = "auditorGate/v1"
    PARTS: ClassVar[frozenset[str]] = ALL

    document: RedactedGate

    @cached_property
    def shown(self) -> GateResult:
        """The document for the eye."""
        return words.view(self.document).result

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """See `Page`. What is weaker first, then what is not met, release by release."""
        return (*_weaker(self.shown), *_not_met(self.shown))

    @cached_property
    def suites(self) -> tuple[Suite, ...]:
        """See `Page`. One suite per release, a check per requirement and floor, and one for its rules."""
        shown = self.shown
        suites = [Suite(release.name, tuple(_checks(release))) for release in shown.releases]
        if shown.trusted_change is not None:
            name = "trusted settings"
            check = _rules(name, shown.trusted, shown.trusted_change, shown.trusted_approval)
            suites.append(Suite(name, (check,)))
        return tuple(suites)

    @property
    def rules(self) -> Sequence[BrokenRule]:
        """See `Page`. A rule is a model, a limit, or ``policy/weakened``."""
        audits = [audit for release in self.shown.releases for audit in release.documents]
        return [*rules_of(audits, "gate"), WEAKENED]

    @property
    def summary(self) -> str:
        """See `Page`."""
        return f"{gate.HEADLINES[self.shown.verdict]}. {gate.why(self.shown)}"

    @property
    def met(self) -> bool:
        """See `Page`."""
        return self.shown.verdict in ("pass", "waived")

    @property
    def file(self) -> str | None:
        """See `Page`."""
        return self.shown.manifest

    @property
    def properties(self) -> Mapping[str, object]:
        """See `Page`."""
        shown = self.shown
        return {
            "verdict": shown.verdict,
            "audience": self.document.audience,
            "evaluated_on": shown.evaluated_on,
            "base": shown.base,
            "head": shown.head,
        }

    @property
    def evaluated(self) -> bool:
        """See `Page`."""
        return all(release.status != "not-evaluated" for release in self.shown.releases)

    @property
    def notifications(self) -> Sequence[tuple[str, str]]:
        """See `Page`. Why a release could not be evaluated, doubts, and notes."""
        return list(_notifications(self.shown))


def _notifications(shown: GateResult) -> Iterator[tuple[str, str]]:
    for release in shown.releases:
        if release.status == "not-evaluated":
            yield from (("error", f"{release.name}: {text}") for text in (release.why, *release.notes))
        for audit in release.documents:
            for requirement, message in words.doubted(audit):
                yield "warning", f"{release.name}: {requirement.id}: {message}"
    yield from (("note", note) for note in shown.notes)


def _weaker(shown: GateResult) -> Iterator[Line]:
    """One line per field that needs an approval, and one for a release that is gone."""
    for found in gate.weakenings(shown):
        fields = [each for each in found.differences if each.verdict in gate.WEAKER]
        said = [(each.path, gate.difference_line(each), each.new_origin or each.old_origin) for each in fields]
        excuse = None
        if found.approval:
            by = f"approved by {found.approval.approved_by}, {gate.known_by(found.approval)}"
            excuse = f"{found.approval.reason} ({by})"
        for path, text, place in said or [("releases", found.lines[0], None)]:
            yield Line(
                status="approved" if found.approval else "fail",
                title=f"{found.title} weakened",
                message=text,
                sentence=f"{found.title}: {text}",
                rule=WEAKENED.id,
                place=Place.of(place, shown.manifest),
                identity=(WEAKENED.id, *found.names, path),
                mark=(*found.names, path),
                excuse=excuse,
            )


def _not_met(shown: GateResult) -> Iterator[Line]:
    for group, release in enumerate(shown.releases, start=1):
        name, status = release.name, release.status
        if status in ("not-evaluated", "weakened"):
            yield Line(
                status="fail",
                title=f"{name} {gate.STATUSES[status]}",
                message=" ".join([release.why, *release.notes]),
                sentence=f"{name}: {release.why}",
                rule=f"auditor/{status}",
                place=Place.of(release.location),
                identity=(f"auditor/{status}", name),
                broken=False,
                group=group,
            )
        for audit in release.documents:
            for line in lines_of(audit):
                yield replace(
                    line,
                    title=f"{name} {line.title}",
                    sentence=f"{name}: {line.sentence}",
                    identity=(name, *line.identity),
                    mark=(name, line.identity[1]),
                    group=group,
                )


def _checks(release: ReleaseResult) -> Iterator[Check]:
    name = release.name
    for audit in release.documents:
        yield from (check_of(name, requirement) for requirement in audit.requirements)
    yield _rules(name, gate.changed(release), release.change, release.approval)
    for said, floor in zip(gate.floors(release), release.floors, strict=True):
        outcome = None
        if floor.verdict not in ("pass", "waived"):
            kind = "error" if floor.verdict == "not-evaluated" else "failure"
            outcome = CheckOutcome("skipped" if release.approval else kind, said, floor.verdict, said)
        yield Check(name, f"floor {floor.name}", None, outcome)
    if release.status == "not-evaluated":
        text = "\n".join([release.why, *gate.notes_of(release)])
        yield Check(name, "evaluated", None, CheckOutcome("error", release.why, "not-evaluated", text))


def _rules(name: str, differences: Sequence[Difference], change: str | None, approval: Approval | None) -> Check:
    """Whether the rules are as strict as the base revision's."""
    outcome = None
    if change is not None:
        said = gate.approval([change], approval)
        text = "\n".join([*gate.weaker(differences), said])
        outcome = CheckOutcome("skipped" if approval else "failure", said, WEAKENED.id, text)
    return Check(name, RULES, None, outcome)
