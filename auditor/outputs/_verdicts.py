"""The limits of the policy's rules on outputs, judged: one requirement of the result for each declared limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from auditor.direction import Stricter
from auditor.outputs._checked import Checked, Violation
from auditor.outputs._waivers import Waived, shown
from auditor.policy import Policy
from auditor.policy.outputs import Output, Widths
from auditor.policy.reading import directions
from auditor.policy.waivers import Waiver
from auditor.result import Finding, Kind, Location, RequirementResult, Status
from auditor.spec import specs

_COMPARISONS = {Stricter.HIGHER: ">=", Stricter.LOWER: "<="}
"""How a number stands to its bound: at least a bound that is stricter when higher."""

MISMATCH = "mismatch"
CONFIDENTIAL = "confidential"

_MODELS = {
    "min_support_count": "low-support",
    "min_antecedent_count": "low-antecedent",
    "min_exceptions": "few-exceptions",
    "max_confidence": "high-confidence",
    "forbidden": "forbidden-item",
    "channels": "inference-channel",
    "min_leaf": "small-leaf",
    "min_class_count": "small-class",
    "min_cell": "small-cell",
    "max_share_of_margin": "group-disclosure",
    "protection": "suppressed-cell-recoverable",
    "rounded_to": "rounding",
    "min_n": "small-cell",
    "extremes": "extreme",
    "min_dof": "low-dof",
    "min_indicator": "small-indicator",
    "min_size": "small-cluster",
    "p_percent": "p-percent",
}
"""What a limit's requirement is called: the reason with which an item breaks it. A tree's confidence is a purity."""

_ALWAYS = frozenset({"protection"})
"""Limits that hold without being declared: what was suppressed must not be computable."""

_BY_DEFAULT = frozenset({"extremes", "identical", "centres"})
"""Limits that deny by default, and that often only the data can answer."""


@dataclass(frozen=True)
class Judged:
    """One rule of the policy, what it says of each output of its type, and the waiver of each, if there is one."""

    index: int
    rule: Output
    checked: Sequence[Checked]
    waived: Sequence[Waived | None]
    as_of: date

    def excused_by(self, limit: str) -> Waiver | None:
        """The waiver that excuses every output that breaks a limit; None where one is not excused."""
        broken = [
            waived
            for each, waived in zip(self.checked, self.waived, strict=True)
            if any(violation.limit == limit for violation in each.violations)
        ]
        excused = [waived.waiver for waived in broken if waived is not None and waived.excuses(limit)]
        return min(excused, key=lambda w: w.expires) if excused and len(excused) == len(broken) else None


def declared(rule: Output) -> tuple[str, ...]:
    """The limits that a rule sets."""
    return tuple(name for name in rule.LIMITS if name in _ALWAYS or _is_set(rule, name))


def _is_set(rule: Output, name: str) -> bool:
    """Whether a rule sets a limit: a share of at most 0 is the strictest one, a least number of 0 is none."""
    value = getattr(rule, name)
    if type(value) in (int, float) and not value:
        return directions(type(rule))[name] is Stricter.LOWER
    return value not in (None, False, (), {}, "allow")


def requirement_id(rule: Output, limit: str) -> str:
    """``association-rules-min-support-count``."""
    return f"{rule.id}-{limit.replace('_', '-')}"


def model_of(rule: Output, limit: str) -> str:
    """The reason with which an item breaks a limit."""
    if rule.type == "decision-tree" and limit == "max_confidence":
        return "pure-leaf"
    return _MODELS.get(limit, limit.removeprefix("min_").removeprefix("max_").replace("_", "-"))


def is_secret(policy: Policy, index: int, limit: str) -> bool:
    """Whether a rule's limit came from the environment, so that it must not be shown."""
    place = f"outputs/{index}/{limit}"
    return any(path == place or path.startswith(f"{place}/") for path in policy.secret_names)


def requirements(
    policy: Policy, judged: Sequence[Judged], exposed: Callable[[Sequence[Violation]], int | None]
) -> tuple[RequirementResult, ...]:
    """Every declared limit of every rule that had something to judge. `exposed` counts the records of violations."""
    return tuple(found for each in judged for found in _of_rule(policy, each, exposed))


def _of_rule(
    policy: Policy, judged: Judged, exposed: Callable[[Sequence[Violation]], int | None]
) -> Iterable[RequirementResult]:
    for limit in declared(judged.rule):
        if limit not in unsaid(judged):
            yield _of_limit(policy, judged, limit, exposed)
    if _touched(judged, MISMATCH):
        yield _of_limit(policy, judged, MISMATCH, exposed)


def unsaid(judged: Judged) -> frozenset[str]:
    """Limits that hold by default and that these outputs give no means to judge, although nobody asked for them.

    They are listed as not checked; a limit that the policy does write down is then not evaluated. So is one that an
    output leaves open by something in it that is not understood: no data would tell.
    """
    found = {limit for limit in _ALWAYS if not _touched(judged, limit)}
    found |= {limit for limit in _BY_DEFAULT if not _settled(judged, limit)}
    found -= {limit for each in judged.checked for limit in each.unread}
    return frozenset(found.intersection(declared(judged.rule)) - judged.rule.model_fields_set)


def _settled(judged: Judged, limit: str) -> bool:
    return any(
        (limit in each.judged and limit not in each.open_limits) or any(v.limit == limit for v in each.violations)
        for each in judged.checked
    )


def _touched(judged: Judged, limit: str) -> bool:
    return any(
        limit in each.judged or limit in each.open_limits or any(v.limit == limit for v in each.violations)
        for each in judged.checked
    )


def _of_limit(
    policy: Policy, judged: Judged, limit: str, exposed: Callable[[Sequence[Violation]], int | None]
) -> RequirementResult:
    rule = judged.rule
    violations = [v for each in judged.checked for v in each.violations if v.limit == limit]
    reasons = dict.fromkeys(filter(None, (_open(each, limit) for each in judged.checked)))
    waiver = judged.excused_by(limit)
    secret = is_secret(policy, judged.index, limit)
    bound, comparison = (0, "<=") if limit == MISMATCH else _bound(rule, limit)
    achieved = len(violations) if limit == MISMATCH else _worst(judged.checked, limit, comparison)
    origin = policy.origin(f"outputs/{judged.index}/{limit}") or policy.origin(f"outputs/{judged.index}")
    return RequirementResult(
        id=requirement_id(rule, limit),
        model=model_of(rule, limit),
        parameters={} if limit == MISMATCH else {limit: CONFIDENTIAL if secret else _shown(getattr(rule, limit))},
        severity="error",
        status=_status(violations, reasons, waiver),
        achieved=None if secret else number(achieved),
        kind=(Kind.COUNT if limit == MISMATCH else specs(type(rule))[limit].kind).value,
        bound=CONFIDENTIAL if secret and bound is not None else bound,
        comparison=comparison,
        records_violating=exposed(violations) if violations else None,
        location=None if origin is None else Location(file=origin.file, line=origin.line),
        because=rule.because,
        reason=None if (violations and waiver is None) or not reasons else "; ".join(reasons),
        waiver=None if waiver is None or reasons else shown(waiver, judged.as_of),
    )


def _status(violations: Sequence[Violation], reasons: Mapping[str, None], waiver: Waiver | None) -> Status:
    if violations and waiver is None:
        return Status.FAIL
    return Status.NOT_EVALUATED if reasons else Status.WAIVED if violations else Status.PASS


def _open(checked: Checked, limit: str) -> str | None:
    """Why a limit was not judged; None where it was. What a check forgot is never a pass."""
    reason = checked.open_limits.get(limit) or checked.open_limits.get("")
    if reason is None and limit not in checked.judged and limit != MISMATCH:
        return "nothing in the file says enough to judge it"
    return reason


def _bound(rule: Output, limit: str) -> tuple[float | None, str | None]:
    value = getattr(rule, limit, None)
    if isinstance(value, Widths):
        return number(value.count if value.sum is None else value.sum), ">="
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return None, None
    comparison = _COMPARISONS.get(next(m for m in type(rule).model_fields[limit].metadata if isinstance(m, Stricter)))
    return (None, None) if comparison is None else (number(value), comparison)


def _worst(checked: Sequence[Checked], limit: str, comparison: str | None) -> int | Fraction | None:
    numbers = [each.worst[limit] for each in checked if limit in each.worst]
    return (max if comparison == "<=" else min)(numbers, default=None)


def _shown(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_shown(each) for each in value]
    return value.model_dump() if hasattr(value, "model_dump") else value


def number(value: float | Fraction | None) -> int | float | None:
    """A number as JSON has it: an integer where it is one."""
    if value is None or isinstance(value, int | float):
        return value
    return value.numerator if value.denominator == 1 else float(value)


def findings(found: Sequence[RequirementResult], judged: Sequence[Judged]) -> tuple[Finding, ...]:
    """What the reader should act on: for every limit that is broken or was not judged, one sentence."""
    sentences = {
        requirement_id(each.rule, v.limit): v.sentence
        for each in judged
        for c in each.checked
        for v in c.violations[::-1]
    }
    return tuple(
        Finding(
            requirement=result.id,
            message=sentences[result.id] if result.status is Status.FAIL else f"Not evaluated: {result.reason}.",
            records_count=result.records_violating,
            location=result.location,
        )
        for result in found
        if result.status in (Status.FAIL, Status.NOT_EVALUATED)
    )
