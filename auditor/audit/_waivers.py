"""Waivers: which hold on the day, and what bound they leave standing."""

from __future__ import annotations

from datetime import date

from auditor.errors import UsageError
from auditor.models import Requirement
from auditor.policy import Policy, waivers
from auditor.policy.waivers import Waiver
from auditor.result import Finding
from auditor.result import Waiver as WaiverFacts

NEAR_EXPIRY_DAYS = 30
"""A waiver that ends within so many days is pointed out."""


def in_force(policy: Policy, requirement: str, as_of: date) -> Waiver | None:
    """The policy's waiver of a requirement that holds on a day."""
    return waivers.in_force(policy.waivers, requirement, as_of)


def relaxed(requirement: Requirement, waiver: Waiver | None) -> Requirement | None:
    """The requirement with the bound that its waiver leaves standing; None where it leaves none."""
    if waiver is None or not waiver.at_least:
        return None
    unknown = [name for name in waiver.at_least if name not in type(requirement).model_fields]
    if unknown:
        raise UsageError(
            f"the waiver of {waiver.requirement!r} bounds {unknown[0]!r}, which is no parameter of {requirement.name}"
        )
    return type(requirement).model_validate({**requirement.model_dump(), **waiver.at_least})


def shown(waiver: Waiver, as_of: date) -> WaiverFacts:
    """The waiver as a result has it."""
    return WaiverFacts(
        reason=waiver.reason,
        owner=waiver.owner,
        approved_by=waiver.approved_by,
        ticket=waiver.ticket,
        expires=waiver.expires.isoformat(),
        days_left=(waiver.expires - as_of).days,
        at_least=dict(waiver.at_least) or None,
    )


def doubts(policy: Policy, violated: set[str], as_of: date) -> list[Finding]:
    """What is to be said about the policy's waivers: lapsed, near expiry, of nothing, or not needed."""
    known = {requirement.id for requirement in policy.requirements}
    found = []
    for waiver in policy.waivers:
        days = (waiver.expires - as_of).days
        if waiver.requirement not in known:
            text, level = "The waiver names a requirement that the policy does not have.", "warning"
        elif days < 0:
            text, level = "The waiver has lapsed; the requirement is judged without it.", "warning"
        elif waiver.requirement not in violated:
            text, level = "The waiver is not needed: the requirement holds.", "note"
        elif days <= NEAR_EXPIRY_DAYS:
            text, level = f"The waiver ends within {NEAR_EXPIRY_DAYS} days.", "warning"
        else:
            continue
        found.append(Finding(requirement=waiver.requirement, message=text, level=level))
    return found
