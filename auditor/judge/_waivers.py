"""Waivers: which hold on a day for some data, what bound they leave standing, and what is to be said of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property

from auditor.models import ColumnRequirement, Requirement, holds, one_step
from auditor.policy import Policy, demands, waivers
from auditor.policy.waivers import NEAR_EXPIRY_DAYS, Covered, Waiver
from auditor.result import Finding, RequirementResult, Status, WaiverFacts


@dataclass(frozen=True)
class Granted:
    """The policy's waivers, as they stand on a day for some data: a table, or several outputs."""

    policy: Policy
    as_of: date
    covered: tuple[Covered, ...]

    def of(self, demand: str) -> Waiver | None:
        """The waiver of a demand that holds for the data."""
        return waivers.in_force(self.policy.waivers, demand, self.as_of, self.covered)

    def shown(self, waiver: Waiver, result: RequirementResult) -> WaiverFacts:
        """The waiver as a result has it."""
        return waivers.facts(waiver, self.as_of, self._wider(waiver, result))

    def doubts(
        self, results: Sequence[RequirementResult], excusable: Mapping[str, Collection[str]]
    ) -> Iterator[Finding]:
        """What is to be said of the waivers; `excusable` has what one may name, and the ids that it may excuse."""
        for waiver in self.policy.waivers:
            if waiver.requirement in excusable:
                ids = excusable[waiver.requirement]
                for level, text in self._said(waiver, [each for each in results if each.id in ids]):
                    yield Finding(requirement=waiver.requirement, message=text, level=level)

    def _said(self, waiver: Waiver, results: Sequence[RequirementResult]) -> Iterator[tuple[str, str]]:
        days = (waiver.expires - self.as_of).days
        judged = [each for each in results if each.status is not Status.NOT_EVALUATED]
        broken = [each for each in judged if each.status is not Status.PASS]
        if waiver.is_self_approved:
            yield "error", "The waiver is approved by its owner; it excuses nothing."
        elif days < 0:
            yield "error" if broken else "warning", "The waiver has lapsed; the requirement is judged without it."
        elif not judged:
            yield "warning", "The waiver excuses nothing: its requirement was not judged."
        elif not any(waivers.covers(waiver, each) for each in self.covered):
            yield "warning", "The waiver is limited to other data; the requirement is judged without it."
        elif not broken:
            yield "warning", "The waiver is not needed: the requirement holds."
        else:
            yield from _used(broken, days)

    def _wider(self, waiver: Waiver, result: RequirementResult) -> str | None:
        """How a waiver excuses more than was found; None where it does not.

        A bound is too wide where the same bound one step stricter (1, or 1 in the last decimal) would cover what was
        found, too. A waiver bound to the data's digest covers nothing but what was found.
        """
        if waiver.sha256 is not None:
            return None
        requirement = self._requirements.get(result.id)
        if isinstance(requirement, ColumnRequirement) or (
            requirement is None and result.id in demands.OF_EVERY_RELEASE
        ):
            if waiver.columns - set(result.columns):
                return "it names columns that comply"
            return None if waiver.columns or requirement is not None else "it names no columns"
        if not waiver.at_least:
            return "it leaves no bound standing"
        for name, (achieved, comparison) in reached(self.policy, result).items():
            at_least = waiver.at_least.get(name)
            if at_least is None:
                continue
            stricter = Fraction(repr(one_step(at_least, 1 if comparison == ">=" else -1)))
            if reaches(achieved, stricter, comparison):
                return f"the data achieves more than its bound of {name}"
        return None

    @cached_property
    def _requirements(self) -> dict[str, Requirement]:
        return {str(each.id): each for each in self.policy.requirements}


def _used(broken: Sequence[RequirementResult], days: int) -> Iterator[tuple[str, str]]:
    """What is to be said of a waiver that speaks of what was found, and ends in some days."""
    wider = [each.waiver.wider for each in broken if each.waiver is not None and each.waiver.wider is not None]
    if wider:
        yield "error", f"The waiver is wider than the finding: {wider[0]}."
    if all(each.status is Status.FAIL for each in broken):
        yield "warning", "The waiver does not excuse this: the violation goes beyond it."
    if days <= NEAR_EXPIRY_DAYS:
        yield "warning", f"The waiver ends within {NEAR_EXPIRY_DAYS} days."


def relaxed(requirement: Requirement, waiver: Waiver | None) -> Requirement | None:
    """The requirement with the bound that its waiver leaves standing; None where it leaves none."""
    return None if waiver is None or not waiver.at_least else demands.relaxed(requirement, waiver)


def reached(policy: Policy, result: RequirementResult) -> dict[str, tuple[float, str]]:
    """What was reached of each parameter that bounds a number of a demand, and how it must stand to it."""
    parameter = _bounded(policy, result)
    if parameter is None:
        return {}
    every = {parameter: (result.achieved, result.comparison or "")}
    every |= {each.parameter: (each.achieved, ">=") for each in result.also}
    return {name: (number, comparison) for name, (number, comparison) in every.items() if number is not None}


def names(policy: Policy, result: RequirementResult) -> bool:
    """Whether a result is of the demand that its id names: a limit may have the id of a requirement."""
    requirement = next((each for each in policy.requirements if each.id == result.id), None)
    return requirement is None or requirement.name == result.model


def _bounded(policy: Policy, result: RequirementResult) -> str | None:
    """The parameter that bounds the number of a demand; None where it bounds none, or must not be told."""
    demand = demands.named(policy).get(result.id)
    if demand is None or not names(policy, result):
        return None
    told = demand.limit is None or (demand.comparison is not None and not demand.confidential)
    return demand.parameter or None if told else None


def reaches(achieved: float, bound: Fraction, comparison: str) -> bool:
    """Whether a number stands on the right side of a bound, as `comparison` has it."""
    if achieved in (float("inf"), float("-inf")):
        return (achieved > 0) is (comparison == ">=")
    return holds(Fraction(repr(achieved)), bound, comparison)  # type: ignore[arg-type]  # one of the three
