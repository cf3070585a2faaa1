"""What is known of a demand, and the status that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from auditor.judge import _baseline
from auditor.judge._waivers import Granted
from auditor.policy.waivers import Waiver
from auditor.result import Kind, RequirementResult, Status


@dataclass(frozen=True)
class Evidence:
    """What a wing found of a demand in one subject: the table, the log, or one output.

    Args:
        broken: whether the subject breaks the demand.
        open: why it was not judged to the end; None where it was.
        waiver: what excuses the breach: a waiver that covers the subject, and whose bound the subject was seen to
            keep. One whose bound could not be judged to the end excuses nothing.
    """

    broken: bool
    open: str | None = None
    waiver: Waiver | None = None


def decided(
    result: RequirementResult,
    found: Sequence[Evidence],
    granted: Granted | None = None,
    *,
    breach: Status = Status.FAIL,
) -> RequirementResult:
    """A result with the status that follows from the evidence: the first line that applies.

    ===============================================  =================
    a breach that nothing excuses, severity error    `breach`
    something was left open                          not-evaluated
    a breach, severity warning                       warning
    a breach, excused by waivers or by the baseline  waived
    none                                             pass
    ===============================================  =================

    Args:
        result: what is said of the demand besides.
        found: the evidence, by subject.
        granted: the waivers and known failures of the policy; None where nothing excuses a breach.
        breach: what a breach is: not-evaluated where the demand is that everything can be read.
    """
    broken = [each for each in found if each.broken]
    reasons = tuple(dict.fromkeys(each.open for each in found if each.open))
    warns = result.severity == "warning"
    waivers = [each.waiver for each in broken if each.waiver is not None]
    known = None
    if len(waivers) < len(broken) and not warns:
        known = None if granted is None else _baseline.excuse(granted.policy, result, granted.as_of)
        if known is None:
            incomplete = tuple(f"The list is incomplete: {reason}." for reason in reasons)
            return replace(result, status=breach, notes=(*result.notes, *incomplete))
    if reasons:
        return replace(result, status=Status.NOT_EVALUATED, reason="; ".join(reasons))
    if not broken:
        return replace(result, status=Status.PASS)
    if warns:
        return replace(result, status=Status.WARNING)
    lapsing = min(waivers, key=lambda waiver: waiver.expires, default=None)
    if known is None and granted is not None and lapsing is not None:
        known = granted.shown(lapsing, result)
    return replace(result, status=Status.WAIVED, waiver=known)


def of_columns(name: str, model: str, columns: tuple[str, ...]) -> RequirementResult:
    """What is said of columns that must not be in a release and are, before it is decided."""
    return RequirementResult(
        id=name,
        model=model,
        parameters={},
        severity="error",
        status=Status.NOT_EVALUATED,
        achieved=len(columns),
        kind=Kind.COUNT.value,
        bound=0,
        comparison="<=",
        columns=columns,
    )
