"""Sums together with everything else that is published about the same column."""

from __future__ import annotations

from fractions import Fraction

from auditor.errors import NotEvaluated
from auditor.outputs._examination import Context, Examination
from auditor.outputs.checks._contributions import Contributions
from auditor.outputs.checks._readings import SystemReading, nestings, once, readings
from auditor.outputs.checks._releases import Released
from auditor.outputs.checks._together import Joint, deadline_of, difference, judge_suppressed, least_count
from auditor.outputs.checks._unions import judge_unions
from auditor.outputs.linked import Contradiction, Nesting, Number, System, derived, summed
from auditor.outputs.published.outputs import GroupStatistics, MagnitudeTable, Published
from auditor.policy.outputs import MagnitudeTableLimits as MagnitudeRule
from auditor.policy.outputs import StatisticsLimits as StatisticsRule


def judge_sums(
    output: MagnitudeTable | GroupStatistics, rule: MagnitudeRule | StatisticsRule, context: Context
) -> Examination:
    """Suppressed sums that follow, and sums of small groups that follow by difference.

    Sums are taken as they were written; where they contradict each other so, they were rounded, and are known to half a
    unit of the last place. Values are of 0 or more unless the data, the policy's range, or a published number says
    otherwise.
    """
    checked = Examination()
    try:
        for found in _joints(output, context):
            if isinstance(rule, MagnitudeRule):
                width = None if rule.protection is None else rule.protection.sum
                judge_suppressed(found, width, checked, context, told=rule.told("sum"))
                judge_unions(found, rule, checked, context, output.of)
            if rule.differencing:
                _differences(found, least_count(rule), checked, context)
        checked.violations = once(checked.violations)
    except NotEvaluated as reason:
        _open(rule, checked, str(reason))
    except Contradiction:
        _open(rule, checked, "published sums do not add up, even where they are rounded")
    return checked


def _open(rule: MagnitudeRule | StatisticsRule, checked: Examination, reason: str) -> None:
    if isinstance(rule, MagnitudeRule):
        checked.open_limits["protection"] = reason
    if rule.differencing:
        checked.open_limits["differencing"] = reason


def _joints(output: MagnitudeTable | GroupStatistics, context: Context) -> list[Joint]:
    """The systems of all sums of the column, or of this run's; none where the output says no sums."""
    released = Released.of(output, context)
    levels: list[tuple[Released, str | None]] = [(released, None)]
    if released.earlier:
        levels.append((released.without_earlier(), "what was released before was added up over other records"))
    for level, left in levels:
        if not any(True for _ in summed(output, level.place, output.of, rounded=False)):
            return []
        found = joints_of_sums(level, output.of, context, left)
        if found:
            return found
    raise Contradiction


def joints_of_sums(level: Released, column: str, context: Context, left: str | None = None) -> list[Joint]:
    """The systems of all sums of a column that these outputs tell; none where they contradict each other."""
    of_sums = [
        tuple(n for at, each in enumerate(level.outputs) for n in summed(each, at, column, rounded=rounded))
        for rounded in (False, True)
    ]
    found = _of_level(level, of_sums, column, context)
    return [Joint(of_sums[each.assumed], each.system, level, left) for each in found]


def _of_level(level: Released, of_sums: list[tuple[Number, ...]], column: str, context: Context) -> list[SystemReading]:
    least = None if _negative(column, level.outputs, context) else Fraction(0)

    def build(at: int, nesting: Nesting, *, relaxed: bool) -> System:
        system = System(
            of_sums[at],
            full=level.full,
            counts=context.counts,
            relaxed=relaxed,
            whole=False,
            least=least,
            nesting=nesting,
        )
        system.check(deadline_of(context))
        return system

    return readings(len(of_sums), nestings(level.outputs, context), build, relaxed=False)


def _negative(column: str, outputs: tuple[Published, ...], context: Context) -> bool:
    """Whether a value of the column may be below 0."""
    if context.counts is not None and column in context.counts.names:
        return Contributions(context.counts, column).negative
    declared = context.policy.attributes.get(column)
    if declared is not None and declared.range is not None and declared.range[0] is not None:
        return declared.range[0] < 0
    numbers = [n for at, each in enumerate(outputs) for n in summed(each, at, column, rounded=False)]
    return any(number.ends.low is not None and number.ends.low < 0 for number in numbers)


def _differences(found: Joint, least: int | None, checked: Examination, context: Context) -> None:
    """Sums that follow of fewer than `least` records. Without data the counts alone decide (see `judge_together`)."""
    limit, system = "differencing", found.system
    if least is None or system.sizes is None:
        return
    checked.judged.add(limit)
    search = derived(system, least, deadline_of(context), sizes=system.sizes)
    if not search.settled:
        checked.open_limits[limit] = "it was not worked out whether the sum over a small group follows"
    for each in search.found:
        if each.rests_on >> found.released.place & 1:
            sentence = "The sum over a group that is too small follows from published numbers."
            checked.violations.append(difference(each, system, least, sentence))
            checked.reach(limit, each.count, least=True)
    if found.left is not None:
        checked.open_limits[limit] = found.left
