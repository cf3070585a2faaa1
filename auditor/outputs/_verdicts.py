"""The limits of the policy's rules on outputs, judged: one requirement of the result for each declared limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from auditor.judge import Evidence, Granted, decided
from auditor.models import Requirement
from auditor.outputs._examination import UNDECLARED, Examination, Violation
from auditor.outputs._waivers import Waived
from auditor.policy import Policy, demands
from auditor.policy.demands import Demand, limit_id
from auditor.policy.outputs import Output, OutputLimit, ProtectionWidths
from auditor.policy.terms import Terms
from auditor.result import Kind, Location, RequirementResult, Status
from auditor.spec import limits


@dataclass(frozen=True)
class Judged:
    """One rule of the policy, what it says of each output of its type, and the waivers of each."""

    index: int
    rule: Output
    checked: Sequence[Examination]
    waived: Sequence[Sequence[Waived]]

    def evidence(self, limit: str) -> list[Evidence]:
        """Of each output, whether it breaks a limit, what was left open, and what excuses it."""
        return [
            Evidence(
                each.breaks(limit),
                each.open(limit),
                next((one.waiver for one in waived if one.excuses(limit)), None) if each.breaks(limit) else None,
            )
            for each, waived in zip(self.checked, self.waived, strict=True)
        ]


def requirements(
    granted: Granted, judged: Sequence[Judged], exposed: Callable[[Sequence[Violation]], int | None]
) -> tuple[RequirementResult, ...]:
    """Every declared limit of every rule that had something to judge. `exposed` counts the records of violations."""
    return tuple(
        decided(frame, each.evidence(limit), granted)
        for each in judged
        for limit, frame in _of_rule(granted.policy, each, exposed)
    )


def _of_rule(
    policy: Policy, judged: Judged, exposed: Callable[[Sequence[Violation]], int | None]
) -> Iterable[tuple[str, RequirementResult]]:
    """Each limit of a rule, with what is said of it before it is judged."""
    for demand in demands.of_rule(policy, judged.index):
        if demand.parameter not in unsaid(judged):
            yield demand.parameter, _of_limit(judged, demand, exposed)
    for limit, model in UNDECLARED.items():
        if limit not in limits(type(judged.rule)) and _touched(judged, limit):
            yield limit, _of_undeclared(policy, judged, limit, model, exposed)


def unsaid(judged: Judged) -> frozenset[str]:
    """Limits that hold by default and that these outputs give no means to judge, although nobody asked for them.

    They are listed as not checked; a limit that the policy does write down is then not evaluated. So is one that an
    output leaves open by something in it that is not understood: no data would tell.
    """
    unread = {limit for each in judged.checked for limit in each.unread}
    set_by_default = (
        (name, limit)
        for name, limit in demands.set_by(judged.rule)
        if name not in judged.rule.model_fields_set and name not in unread
    )
    means = {True: _touched, False: _settled}
    return frozenset(name for name, limit in set_by_default if not means[limit.always](judged, name))


def _settled(judged: Judged, limit: str) -> bool:
    return any(
        (limit in each.judged and limit not in each.open_limits) or each.breaks(limit) for each in judged.checked
    )


def _touched(judged: Judged, limit: str) -> bool:
    return any(limit in each.judged or limit in each.open_limits or each.breaks(limit) for each in judged.checked)


def _of_limit(
    judged: Judged, demand: Demand[OutputLimit], exposed: Callable[[Sequence[Violation]], int | None]
) -> RequirementResult:
    name = demand.parameter
    bound, comparison = _bound(demand)
    reached = None if demand.confidential else _worst(judged.checked, name, comparison)
    return RequirementResult(
        **_said(judged, name, exposed, demand.terms),
        id=demand.id,
        model=demand.limit.name,
        parameters=demand.with_beside(),
        achieved=number(reached),
        kind=demand.limit.kind.value,
        bound=demand.shown if demand.confidential and bound is not None else bound,
        comparison=comparison,
        demand=demand.limit.demand or None,
        location=demand.location,
        citation=demand.limit.source,
    )


def _of_undeclared(
    policy: Policy, judged: Judged, limit: str, model: str, exposed: Callable[[Sequence[Violation]], int | None]
) -> RequirementResult:
    """A demand that no policy has to declare: how many items break it."""
    origin = policy.origin(f"outputs/{judged.index}")
    return RequirementResult(
        **_said(judged, limit, exposed, Terms()),
        id=limit_id(judged.rule, limit),
        model=model,
        parameters={},
        achieved=sum(v.limit == limit for each in judged.checked for v in each.violations),
        kind=Kind.COUNT.value,
        bound=0,
        comparison="<=",
        location=None if origin is None else Location(file=origin.file, line=origin.line),
    )


def _said(
    judged: Judged, limit: str, exposed: Callable[[Sequence[Violation]], int | None], terms: Terms | Requirement
) -> dict[str, Any]:
    """What every limit's requirement says: whom it exposes, and why it is demanded."""
    violations = [v for each in judged.checked for v in each.violations if v.limit == limit]
    return {
        "severity": terms.severity,
        "status": Status.NOT_EVALUATED,
        "records_violating": exposed(violations) if violations else None,
        "because": terms.because or judged.rule.because,
    }


def _bound(demand: Demand[OutputLimit]) -> tuple[float | None, str | None]:
    bound = demand.bound
    if isinstance(bound, ProtectionWidths):
        return number(bound.count if bound.sum is None else bound.sum), ">="
    return (None, None) if demand.comparison is None else (number(bound), demand.comparison)


def _worst(checked: Sequence[Examination], limit: str, comparison: str | None) -> int | Fraction | None:
    numbers = [each.worst[limit] for each in checked if limit in each.worst]
    return (max if comparison == "<=" else min)(numbers, default=None)


def number(value: float | Fraction | None) -> int | float | None:
    """A number as JSON has it: an integer where it is one."""
    if value is None or isinstance(value, int | float):
        return value
    return value.numerator if value.denominator == 1 else float(value)


def sentences(judged: Sequence[Judged]) -> dict[str, str]:
    """What is said of each limit that is broken, by the id of its result: the sentence of its first violation."""
    return {
        limit_id(each.rule, v.limit): v.sentence for each in judged for c in each.checked for v in c.violations[::-1]
    }
