"""Waivers of the limits of a log: one names a limit by its id, and excuses it while the bound that it leaves holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from auditor.policy import Policy, demands, waivers
from auditor.policy.waivers import Covered
from auditor.result import Finding, RequirementResult, Status


def excused(
    judged: RequirementResult,
    policy: Policy,
    day: date,
    covered: Covered,
    again: Callable[[Policy], Iterable[RequirementResult]],
) -> RequirementResult:
    """A limit that the log breaks no further than its waiver allows is waived.

    Args:
        judged: the limit as it was judged.
        policy: the policy.
        day: the day.
        covered: the table that the log is about.
        again: judges the log by another policy.
    """
    waiver = waivers.in_force(policy.waivers, judged.id, day, covered)
    demand = demands.waivable(policy).get(judged.id)
    if judged.status is not Status.FAIL or waiver is None or demand is None:
        return judged
    if waiver.at_least:
        left = [each for each in again(demands.with_limit(demand, waiver)) if each.id == judged.id]
        if any(each.status is not Status.PASS for each in left):
            return judged
    return replace(judged, status=Status.WAIVED, waiver=waivers.shown(waiver, day))


def doubts(policy: Policy, judged: Sequence[RequirementResult], day: date) -> Iterator[Finding]:
    """What is to be said of the waivers of limits of a log."""
    limits = {demand.id for demand in demands.of_queries(policy)} & demands.waivable(policy).keys()
    for waiver in policy.waivers:
        if waiver.requirement in limits:
            yield from waivers.doubts(waiver, [each for each in judged if each.id == waiver.requirement], day)
