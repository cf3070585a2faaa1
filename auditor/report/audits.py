"""The page of an audit: its requirements, as lines and as checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from auditor.report import outputs, queries, since, words
from auditor.report.page import BrokenRule, Check, CheckOutcome, Line, Page, Place, Suite
from auditor.report.redact import Redacted
from auditor.result import RequirementResult, Result, Tool, Verdict

MOST_PROOFS = 20
ALL = frozenset({"document", "text", "markdown", "html", "lines", "suites"})


class AuditPage(Page):
    """What `check`, `remediate`, `mask`, `queries` and `outputs` found."""

    ROOM: ClassVar[str] = "auditor.report"
    MARK: ClassVar[str] = "auditorRequirement/v1"
    PARTS: ClassVar[frozenset[str]] = ALL

    document: Redacted[Result]

    @cached_property
    def shown(self) -> Result:
        """The document for the eye."""
        return words.view(self.document).result

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """See `Page`. A line for every requirement that is not simply met, and for every doubt."""
        return tuple(lines_of(self.shown))

    @cached_property
    def suites(self) -> tuple[Suite, ...]:
        """See `Page`. One check per requirement."""
        shown = self.shown
        name = shown.policy.name
        checks = tuple(check_of(name, each, _proofs(shown, each, MOST_PROOFS)) for each in shown.requirements)
        alone = Check(name, "policy", None, CheckOutcome("error", words.why(shown), "not-evaluated"))
        return (Suite(name, checks or (alone,), tuple(self._facts())),)

    def _facts(self) -> Iterator[tuple[str, str]]:
        shown = self.shown
        yield "verdict", shown.verdict
        yield "audience", self.document.audience
        yield "evaluated_on", shown.evaluated_on
        yield "policy_sha256", shown.policy.sha256
        if shown.data:
            yield from (("data", shown.data.source), ("data_sha256", shown.data.sha256 or ""))
        yield from (("not_checked", item) for item in shown.not_checked)
        yield from (("assumption", item) for item in since.assumed(shown))

    @property
    def rules(self) -> Sequence[BrokenRule]:
        """See `Page`. A rule is a model or a limit."""
        return rules_of([self.shown], self.shown.command)

    @property
    def summary(self) -> str:
        """See `Page`."""
        shown = self.shown
        said = f"{words.headline(shown)} {shown.policy.name}. {words.why(shown)}"
        said = " ".join(filter(None, (said, words.blank(shown))))
        return f"{said} Not checked: {words.listed(shown.not_checked)}." if shown.not_checked else said

    @property
    def met(self) -> bool:
        """See `Page`."""
        return self.shown.verdict is Verdict.PASS

    @property
    def file(self) -> str | None:
        """See `Page`."""
        return self.shown.policy.file

    @property
    def tool(self) -> Tool:
        """See `Page`."""
        return self.shown.tool

    @property
    def properties(self) -> Mapping[str, object]:
        """See `Page`."""
        shown = self.shown
        return {
            "verdict": shown.verdict,
            "audience": self.document.audience,
            "redacted": self.document.redacted,
            "evaluated_on": shown.evaluated_on,
            "not_checked": shown.not_checked,
            "assumptions": shown.assumptions,
        }

    @property
    def evaluated(self) -> bool:
        """See `Page`."""
        return self.shown.verdict is not Verdict.NOT_EVALUATED

    @property
    def notifications(self) -> Sequence[tuple[str, str]]:
        """See `Page`. What belongs to no single requirement, doubts, and what was not checked."""
        general = [(each.level, each.message) for each in self.shown.findings if each.requirement is None]
        notes = [("note", f"Not checked: {item}") for item in self.shown.not_checked]
        if blank := words.blank(self.shown):
            general.append(("warning", blank))
        return [*general, *(("warning", line.sentence) for line in self.lines if not line.broken), *notes]


def rules_of(audits: Sequence[Result], command: str) -> list[BrokenRule]:
    """The rules that models and limits are. What no policy declares has no explanation of its own: the command's."""
    judged = [each for audit in audits for each in audit.requirements]
    cited = {each.model for each in judged if each.citation is not None}
    return [
        BrokenRule(
            f"auditor/{model}",
            model,
            f"The policy's requirement {model} holds.",
            f"auditor explain {model}" if model in cited else f"auditor {command} --help",
        )
        for model in sorted({each.model for each in judged})
    ]


def lines_of(shown: Result) -> Iterator[Line]:
    """A line for every requirement that is not simply met, then for every doubt about one that is."""
    for requirement in shown.requirements:
        if requirement.status != "pass":
            yield _line(shown, requirement)
    for requirement, message in words.doubted(shown):
        yield replace(
            _line(shown, requirement),
            status="doubt",
            title=f"{requirement.id} met, with a doubt",
            message=message,
            sentence=f"{requirement.id}: {message}",
            broken=False,
        )


def _line(shown: Result, requirement: RequirementResult) -> Line:
    name, detail, waiver = requirement.id, words.detail(requirement), requirement.waiver
    excuse = None if waiver is None else f"{waiver.reason} (until {waiver.expires}, approved by {waiver.approved_by})"
    return Line(
        status=requirement.status,
        title=f"{name} {words.STATUSES[requirement.status]}",
        message=detail,
        sentence=words.named(requirement),
        rule=f"auditor/{requirement.model}",
        place=Place.of(requirement.location),
        identity=(shown.policy.name, name),
        proof=tuple(_proofs(shown, requirement, 1)),
        excuse=excuse,
    )


def _proofs(shown: Result, requirement: RequirementResult, most: int) -> list[str]:
    """What a query log or an output shows of a limit that it broke."""
    return queries.of_requirement(shown, requirement, most) + outputs.of_requirement(shown, requirement, most)


def check_of(group: str, requirement: RequirementResult, proofs: Sequence[str] = ()) -> Check:
    """One requirement as a check."""
    return Check(group, requirement.id, Place.of(requirement.location), _outcome(requirement, proofs))


def _outcome(requirement: RequirementResult, proofs: Sequence[str]) -> CheckOutcome:
    status, detail = requirement.status, words.detail(requirement)
    if status == "waived":
        until = words.waived_until(requirement.waiver) if requirement.waiver else ""
        return CheckOutcome("skipped", f"{detail}; waived until {until}")
    if status in ("fail", "not-evaluated"):
        text = "\n".join([detail, words.where(requirement.location), *proofs])
        return CheckOutcome("failure" if status == "fail" else "error", detail, requirement.model, text)
    return CheckOutcome("system-out", text=detail)
