"""Waivers of rules on outputs: a waiver names the rule, and covers an output as long as the bounds it leaves hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from auditor.outputs._checked import Checked
from auditor.policy import Policy, waivers
from auditor.policy.outputs import Output
from auditor.policy.waivers import NEAR_EXPIRY_DAYS, Covered, Waiver
from auditor.result import Finding, RequirementResult, Status
from auditor.result import Waiver as WaiverFacts


@dataclass(frozen=True)
class Waived:
    """The waiver that covers an output, and what its rule says of it as the waiver leaves it; None where it is off."""

    waiver: Waiver
    relaxed: Checked | None

    def excuses(self, limit: str) -> bool:
        """Whether a limit that is broken holds as far as the waiver demands."""
        return self.relaxed is None or not any(each.limit == limit for each in self.relaxed.violations)


def of(rule: Output, policy: Policy, as_of: date, covered: Covered) -> Waiver | None:
    """The waiver of a rule that holds for an output."""
    return waivers.in_force(policy.waivers, str(rule.id), as_of, covered)


def relaxed(rule: Output, waiver: Waiver) -> Output | None:
    """The rule with the bounds that its waiver leaves standing; None where it leaves none."""
    if not waiver.at_least:
        return None
    return type(rule).model_validate({**rule.model_dump(), **waiver.at_least})


def shown(waiver: Waiver, as_of: date) -> WaiverFacts:
    """The waiver as a result has it."""
    too_wide = not waiver.at_least and waiver.sha256 is None
    return waivers.facts(waiver, as_of, "it leaves no bound standing" if too_wide else None)


def doubts(policy: Policy, results: Sequence[RequirementResult], as_of: date) -> Iterator[Finding]:
    """What is to be said of the waivers of rules on outputs: lapsed, approved by who asked, near their end, unused."""
    rules = {str(rule.id) for rule in policy.outputs}
    for waiver in policy.waivers:
        if waiver.requirement in rules:
            mine = [each for each in results if each.id.startswith(f"{waiver.requirement}-")]
            for level, text in _said(waiver, mine, as_of):
                yield Finding(requirement=waiver.requirement, message=text, level=level)


def _said(waiver: Waiver, results: Sequence[RequirementResult], as_of: date) -> Iterator[tuple[str, str]]:
    days = (waiver.expires - as_of).days
    broken = any(each.status is Status.FAIL for each in results)
    excused = [each for each in results if each.status is Status.WAIVED]
    if waiver.is_self_approved:
        yield "error", "The waiver is approved by its owner; it excuses nothing."
    elif days < 0:
        yield "error" if broken else "warning", "The waiver has lapsed; the rule is judged without it."
    elif not excused:
        yield (
            "warning",
            "The waiver excuses nothing: its rule holds, is broken beyond its bounds, or covers other data.",
        )
    else:
        if any(each.waiver is not None and each.waiver.wider for each in excused):
            yield "error", "The waiver is wider than the finding: it leaves no bound standing."
        if days <= NEAR_EXPIRY_DAYS:
            yield "warning", f"The waiver ends within {NEAR_EXPIRY_DAYS} days."
