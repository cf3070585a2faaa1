"""The baseline: failures that were there before, excused while they get no worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from auditor.judge._waivers import names, reached, reaches
from auditor.models import TOLERANCE
from auditor.policy import Policy, demands
from auditor.policy.baseline import KnownFailure
from auditor.policy.waivers import NEAR_EXPIRY_DAYS
from auditor.result import Finding, RequirementResult, Status, WaiverFacts

REASON = "a known failure, recorded in the baseline"


def excuse(policy: Policy, result: RequirementResult, as_of: date) -> WaiverFacts | None:
    """What excuses a failed requirement: a known failure that has not lapsed and got no worse; None where none does."""
    for entry in policy.baseline:
        if entry.requirement == result.id and entry.expires >= as_of and no_worse(policy, entry, result):
            return WaiverFacts(
                kind="baseline",
                reason=REASON,
                owner=policy.owner or "not said",
                approved_by="nobody",
                expires=entry.expires.isoformat(),
                days_left=(entry.expires - as_of).days,
                at_least=dict(entry.achieved) or None,
            )
    return None


def no_worse(policy: Policy, entry: KnownFailure, result: RequirementResult) -> bool:
    """Whether a table is at least as good as the recorded one, in every number that was recorded."""
    if not names(policy, result):
        return False
    if entry.records is not None and (result.records_violating is None or result.records_violating > entry.records):
        return False
    measured = reached(policy, result)
    return all(
        name in measured and reaches(measured[name][0], _slack(recorded, measured[name][1]), measured[name][1])
        for name, recorded in entry.achieved.items()
    )


def _slack(recorded: float, comparison: str) -> Fraction:
    """A recorded number; one that is not a whole number was rounded when it was written."""
    exact = Fraction(repr(recorded))
    if isinstance(recorded, int):
        return exact
    return exact * (1 + Fraction(TOLERANCE) * (-1 if comparison == ">=" else 1) * (1 if exact >= 0 else -1))


def doubts(policy: Policy, results: Sequence[RequirementResult], as_of: date) -> Iterator[Finding]:
    """What is to be said about the policy's known failures: lapsed, worse than recorded, near their end, mended."""
    found = {result.id: result for result in results}
    for entry in policy.baseline:
        said = _said(policy, entry, found.get(entry.requirement), as_of)
        if said is not None:
            yield Finding(requirement=entry.requirement, level=said[0], message=said[1])


def _said(policy: Policy, entry: KnownFailure, result: RequirementResult | None, as_of: date) -> tuple[str, str] | None:
    days = (entry.expires - as_of).days
    if result is None or result.status is Status.NOT_EVALUATED:
        return None
    if result.status is Status.PASS:
        return "warning", "The known failure is fixed: remove it from the baseline."
    if days < 0:
        return "error", "The known failure has lapsed; the requirement is judged without it."
    if not no_worse(policy, entry, result):
        return "error", "The known failure is worse than the baseline records."
    return (
        ("warning", f"The known failure lapses within {NEAR_EXPIRY_DAYS} days.") if days <= NEAR_EXPIRY_DAYS else None
    )


def known_failures(
    policy: Policy, results: Sequence[RequirementResult], expires: date
) -> tuple[list[dict[str, Any]], list[str]]:
    """The baseline that excuses what failed, as plain values, and sentences on what it does not excuse.

    Args:
        policy: the policy.
        results: what a table achieved.
        expires: the last day on which it is excused.
    """
    own = demands.named(policy)
    entries, refused = [], []
    for result in results:
        if result.status is not Status.FAIL:
            continue
        achieved = {name: number for name, (number, _) in reached(policy, result).items()}
        if result.id not in own or own[result.id].terms.hard:
            refused.append(f"{result.id}: is hard, so it is not in the baseline")
            continue
        if not achieved and result.records_violating is None:
            refused.append(f"{result.id}: has no number that could get worse, so it is not in the baseline")
            continue
        entry: dict[str, Any] = {"requirement": result.id}
        entry |= {"achieved": achieved} if achieved else {}
        entry |= {"records": result.records_violating} if result.records_violating is not None else {}
        entries.append({**entry, "expires": expires.isoformat()})
    return entries, refused
