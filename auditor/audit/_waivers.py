"""Waivers: which hold on the day for this data, what bound they leave standing, and what is to be said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from auditor.errors import UsageError
from auditor.models import ClassModel, ColumnRequirement, RecordRequirement, Requirement, TableModel, holds, one_step
from auditor.policy import Policy, waivers
from auditor.policy.waivers import NEAR_EXPIRY_DAYS, Covered, Waiver
from auditor.result import Finding, RequirementResult, Status
from auditor.result import Waiver as WaiverFacts


@dataclass(frozen=True)
class Granted:
    """The policy's waivers, as they stand on a day for some data."""

    policy: Policy
    as_of: date
    covered: Covered

    def of(self, requirement: str) -> Waiver | None:
        """The waiver of a requirement that holds."""
        return waivers.in_force(self.policy.waivers, requirement, self.as_of, self.covered)

    def shown(self, waiver: Waiver, result: RequirementResult) -> WaiverFacts:
        """The waiver as a result has it."""
        requirement = next((r for r in self.policy.requirements if r.id == result.id), None)
        return waivers.facts(waiver, self.as_of, wider(waiver, requirement, result))

    def doubts(self, results: Sequence[RequirementResult]) -> Iterator[Finding]:
        """What is to be said about the policy's waivers: of nothing, lapsed, near their end, not needed, too wide."""
        known = {str(requirement.id) for requirement in self.policy.requirements} | {result.id for result in results}
        violated = {r.id: r for r in results if r.status not in (Status.PASS, Status.NOT_EVALUATED)}
        for waiver in self.policy.waivers:
            for level, text in self._said(waiver, known, violated.get(waiver.requirement)):
                yield Finding(requirement=waiver.requirement, message=text, level=level)

    def _said(self, waiver: Waiver, known: set[str], result: RequirementResult | None) -> Iterator[tuple[str, str]]:
        days = (waiver.expires - self.as_of).days
        if waiver.requirement not in known:
            yield "warning", "The waiver names a requirement that the policy does not have, or that was not judged."
        elif waiver.is_self_approved:
            yield "error", "The waiver is approved by its owner; it excuses nothing."
        elif days < 0:
            yield (
                "error" if result is not None else "warning",
                "The waiver has lapsed; the requirement is judged without it.",
            )
        elif not waivers.covers(waiver, self.covered):
            yield "warning", "The waiver is limited to other data; the requirement is judged without it."
        elif result is None:
            yield "warning", "The waiver is not needed: the requirement holds."
        else:
            if result.waiver is not None and result.waiver.wider is not None:
                yield "error", f"The waiver is wider than the finding: {result.waiver.wider}."
            if days <= NEAR_EXPIRY_DAYS:
                yield "warning", f"The waiver ends within {NEAR_EXPIRY_DAYS} days."


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


def wider(waiver: Waiver, requirement: Requirement | None, result: RequirementResult) -> str | None:
    """How a waiver excuses more than was found; None where it does not.

    A bound is too wide where the same bound one step stricter (1, or 1 in the last decimal) would cover what was found,
    too. A waiver bound to the data's digest covers nothing but what was found.
    """
    if waiver.sha256 is not None:
        return None
    if requirement is None or isinstance(requirement, ColumnRequirement):
        if waiver.columns - set(result.columns):
            return "it names columns that comply"
        return None if waiver.columns or requirement is not None else "it names no columns"
    bounds = bounds_of(requirement, result)
    if bounds and not waiver.at_least:
        return "it leaves no bound standing"
    for name, (achieved, comparison) in bounds.items():
        at_least = waiver.at_least.get(name)
        if at_least is None or achieved is None:
            continue
        stricter = Fraction(repr(one_step(at_least, 1 if comparison == ">=" else -1)))
        if reaches(achieved, stricter, comparison):
            return f"the data achieves more than its bound of {name}"
    return None


def bounds_of(requirement: Requirement | None, result: RequirementResult) -> dict[str, tuple[float | None, str]]:
    """What was achieved of each parameter that bounds a number, and how it must stand to it."""
    if not isinstance(requirement, ClassModel | TableModel | RecordRequirement):
        return {}
    sizes = {each.parameter: (each.achieved, ">=") for each in result.also}
    return {requirement.bound_field: (result.achieved, requirement.comparison), **sizes}


def reached(policy: Policy, result: RequirementResult) -> dict[str, tuple[float, str]]:
    """What the data reached of each number that bounds a requirement of the policy, and how it must stand to it."""
    requirement = next((r for r in policy.requirements if r.id == result.id), None)
    found = bounds_of(requirement, result).items()
    return {name: (number, comparison) for name, (number, comparison) in found if number is not None}


def reaches(achieved: float, bound: Fraction, comparison: str) -> bool:
    """Whether a number stands on the right side of a bound, as `comparison` has it."""
    if achieved in (float("inf"), float("-inf")):
        return (achieved > 0) is (comparison == ">=")
    return holds(Fraction(repr(achieved)), bound, comparison)  # type: ignore[arg-type]  # one of the three
