"""A table together with everything else that is published: suppressed cells, and small groups by difference.

Outputs that are released together, and those that a ledger remembers, are taken to be of the same records, each with
one of the values that the tables list, and a value of every column. Where the numbers contradict each other, records
may have none of them; then others, which a table leaves out. Where they still do, what was released before was counted
from other records: it is left aside, and differences to it are open; and so on down to the table alone, whose own
contradictions are a mismatch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from auditor.errors import NotEvaluated
from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs.checks._apart import counted_apart
from auditor.outputs.checks._readings import SystemReading, nestings, once, readings
from auditor.outputs.checks._releases import Assumed, Released
from auditor.outputs.linked import (
    Bits,
    Contradiction,
    Derived,
    Nesting,
    Number,
    SumInterval,
    System,
    derived,
)
from auditor.outputs.published.outputs import FrequencyTable, Published
from auditor.policy.outputs import FrequencyTableLimits as FrequencyRule
from auditor.policy.outputs import MagnitudeTableLimits as MagnitudeRule
from auditor.policy.outputs import StatisticsLimits as StatisticsRule
from auditor.policy.outputs import TableLimits


@dataclass(frozen=True)
class Joint:
    """The system that an output is judged in, and what it was made of. `left` says what had to be left aside."""

    numbers: tuple[Number, ...]
    system: System
    released: Released
    left: str | None
    relaxed: System | None = None

    def suppressed(self) -> list[int]:
        """The suppressed cells of the output, by their places among the numbers."""
        place = self.released.place
        return [at for at, number in enumerate(self.numbers) if number.output == place and number.suppressed]

    def around(self, place: int) -> Joint:
        """The same system, with another output as the one that is looked at."""
        return replace(self, released=replace(self.released, place=place))

    def rounded(self) -> list[int]:
        """The cells of the output that are published as rounded counts, by their places among the numbers."""
        place = self.released.place
        mine = ((at, number) for at, number in enumerate(self.numbers) if number.output == place)
        return [at for at, number in mine if not number.suppressed and number.ends.point is None]

    def bounds(self, asked: Sequence[int], enough: Fraction, deadline: float) -> list[SumInterval]:
        """How far some numbers can go. Where the tables are linked in a circle, first without their joint table.

        A number that is narrow so is narrow in the joint table too; the others are looked for in it.
        """
        found: dict[int, SumInterval] = {}
        if self.relaxed is not None:
            rows = [self.relaxed.of_number[at] for at in asked]
            near = zip(asked, self.relaxed.bounds(rows, enough, deadline), strict=True)
            found = {at: bound for at, bound in near if bound.settled and bound.width < enough}
        left = [at for at in asked if at not in found]
        rows = [self.system.of_number[at] for at in left]
        found.update(zip(left, self.system.bounds(rows, enough, deadline), strict=True))
        return [found[at] for at in asked]


SECONDS = 120
"""So long programmes go on where nobody set a limit; what is not settled then is not evaluated."""


def deadline_of(context: Context) -> float:
    """When programmes are to end."""
    return min(context.deadline, time.monotonic() + SECONDS) if math.isinf(context.deadline) else context.deadline


def joints(output: Published, context: Context) -> list[Joint]:
    """The system of all outputs, or of as many as do not contradict each other, in each reading that fits (`readings`).

    Raises:
        Contradiction: the output contradicts itself.
        NotEvaluated: there are too many combinations.
    """
    released = Released.of(output, context)
    levels: list[tuple[Released, str | None]] = [(released, None)]
    if released.earlier:
        levels.append(
            (released.without_earlier(), "what was released before, or is beside it, was counted from other records")
        )
    if len(released.outputs) - released.earlier > 1:
        levels.append((released.alone(), "the outputs that are released together contradict each other"))
    for level, left in levels:
        found = joints_of(level, context, left)
        if found:
            return found
    raise Contradiction


def joints_of(level: Released, context: Context, left: str | None = None) -> list[Joint]:
    """The systems of these outputs, in each reading that fits; none where they contradict each other."""
    key = (tuple(map(id, level.outputs)), level.within)
    if key not in context.shared:
        context.shared[key] = _systems(level, context)
    return [Joint(numbers, system, level, left, near) for numbers, system, near in context.shared[key]]


def lacking_in(outputs: Sequence[Published], context: Context) -> int | None:
    """In how many columns records may lack a value that is listed, so that some database fits the counts of all.

    None, where no database does.
    """
    level = Released(tuple(outputs), 0, 0)
    try:
        assumed, found = _read(level, context)
    except NotEvaluated:
        return None
    if not found:
        return None
    last = assumed[found[-1].assumed]
    return len(last.lacking | (level.full - last.full))


def _systems(level: Released, context: Context) -> list[tuple[tuple[Number, ...], System, System | None]]:
    """The numbers of some outputs, their systems, and the relaxed ones; none where they contradict each other."""
    assumed, found = _read(level, context)
    return [(assumed[each.assumed].numbers, each.system, each.relaxed) for each in found]


def _read(level: Released, context: Context) -> tuple[list[Assumed], list[SystemReading]]:
    """What may be assumed of some outputs, what says most first, and the readings that fit."""
    assumed, deadline = level.assumed(context), deadline_of(context)
    ruled_out: dict[tuple[frozenset[str], frozenset[str], int, int], Contradiction | None] = {}

    def made(each: Assumed, nesting: Nesting, *, relaxed: bool) -> System:
        if time.monotonic() > deadline:
            raise NotEvaluated("there was not enough time to work out which records lack values")
        found = System(
            each.numbers,
            full=each.full,
            lacking=each.lacking,
            counts=context.counts,
            relaxed=relaxed,
            nesting=nesting,
        )
        found.check(deadline)
        return found

    def contradicts(each: Assumed, nesting: Nesting) -> Contradiction | None:
        key = each.full, each.lacking, id(each.numbers), id(nesting)
        if key not in ruled_out:
            ruled_out[key] = None
            for relaxed in (False, True):
                try:
                    made(each, nesting, relaxed=relaxed)
                except Contradiction as error:
                    ruled_out[key] = error
                except NotEvaluated:
                    continue  # more columns may be too many, where one of them is not
                break
        return ruled_out[key]

    def build(at: int, nesting: Nesting, *, relaxed: bool) -> System:
        for each in assumed[at].weaker():
            if (error := contradicts(each, nesting)) is not None:
                raise error.with_traceback(None)
        return made(assumed[at], nesting, relaxed=relaxed)

    return assumed, readings(len(assumed), nestings(level.outputs, context), build)


def judge_suppressed(
    found: Joint, protection: float | None, checked: Examination, context: Context, *, told: bool = True
) -> None:
    """Suppressed cells that follow from what is published, or lie in an interval below the protection.

    Where `told` is off, the limit's width is of other numbers than these: the narrowest is then none of it.
    """
    limit, width = "protection", Fraction(repr(protection)) if protection is not None else None
    checked.judged.add(limit)
    for number, reached, _ in narrowed(found, found.suppressed(), width, checked, context):
        if told or reached == 0:
            checked.reach(limit, reached, least=True)
        if reached == 0 or (width is not None and reached < width):
            checked.violations.append(recovered(number, reached, width, context))


def narrowed(
    found: Joint, places: Sequence[int], width: Fraction | None, checked: Examination, context: Context
) -> Iterator[tuple[Number, Fraction, Bits]]:
    """Suppressed cells with two ends: how far these are apart, and the outputs that this follows from, by bits."""
    bounds = found.bounds(places, max(width or Fraction(1), Fraction(1)), deadline_of(context))
    for number, bound in zip((found.numbers[at] for at in places), bounds, strict=True):
        if not bound.settled:
            checked.open_limits["protection"] = "it was not settled in time how far a suppressed cell can be narrowed"
        elif bound.low is not None and bound.high is not None:
            yield number, bound.high - bound.low, bound.rests_on


def judge_rounded(found: Joint, rule: FrequencyRule, checked: Examination, context: Context) -> None:
    """Counts of somebody that rounding hides and that follow all the same; with `min_cell`, those below it."""
    limit, places = "protection", found.rounded()
    bounds = found.bounds(places, Fraction(1), deadline_of(context))
    for number, bound in zip((found.numbers[at] for at in places), bounds, strict=True):
        if not bound.settled:
            checked.open_limits[limit] = "there was not enough time to work out whether a rounded count follows exactly"
        elif (count := bound.point) is not None:
            small = rule.min_cell is None or count < rule.min_cell
            if small and (count or rule.zeros_disclosive):
                sentence = "The count behind a rounded one follows from what is published beside it."
                checked.reach(limit, 0, least=True)
                checked.violations.append(replace(recovered(number, Fraction(0), None, context), sentence=sentence))


def judge_left_out(found: Joint, checked: Examination) -> None:
    """Cells that a table does not list, although its margins tell that somebody is in them, and how many."""
    system, place = found.system, found.released.place
    table = found.released.outputs[place]
    by = frozenset(table.by) if isinstance(table, FrequencyTable) else frozenset[str]()
    for unknown, known in system.reduced.known.items():
        if known.value and not known.published and known.rests_on >> place & 1 and system.is_left_out(unknown, by):
            checked.violations.append(
                Violation(
                    item=system.described([unknown]),
                    limit="protection",
                    sentence="A cell that the table leaves out follows from what is published beside it.",
                    reached=Fraction(0),
                    records_count=int(known.value),
                    rows=system.rows_of([unknown]),
                )
            )


def recovered(number: Number, reached: Fraction, width: Fraction | None, context: Context) -> Violation:
    exact = "The suppressed cell follows from what is published beside it."
    near = "The suppressed cell lies in an interval that is narrower than the protection asked for."
    return Violation(
        item=number.name,
        limit="protection",
        sentence=near if reached else exact,
        reached=reached,
        needed=width,
        records_count=None if context.counts is None else context.counts.count(number.group),
        about=number.group,
    )


def judge_differences(found: Joint, least: int | None, checked: Examination, context: Context) -> None:
    """Groups of fewer than `least` whose counts follow from this output and others."""
    limit = "differencing"
    if least is None:
        checked.open_limits[limit] = "differences need a least count, which the rule does not set"
        return
    place, system = found.released.place, found.system
    if context.counts is None and not any(number.output == place for number in found.numbers):
        checked.open_limits[limit] = "the file states no counts, so differences are unknown; give the data"
        return
    checked.judged.add(limit)
    known = id(system), least
    if known not in context.shared:
        context.shared[known] = derived(system, least, deadline_of(context))
    search = context.shared[known]
    for each in search.found:
        if not each.rests_on >> place & 1:
            continue
        sentence = "The count of a group that is too small follows from published numbers."
        checked.violations.append(difference(each, system, least, sentence))
        checked.reach(limit, each.count, least=True)
    if not search.settled:
        checked.open_limits[limit] = "there was not enough time to work out whether a small group follows"
    elif found.left is not None:
        checked.open_limits[limit] = found.left


def told_inside(found: Joint) -> frozenset[int]:
    """The cells of the joint table that are inside published inner cells of the output."""
    place = found.released.place
    inner = (
        row
        for number, row in zip(found.numbers, found.system.of_number, strict=True)
        if number.output == place and not number.suppressed and number.is_inner
    )
    return frozenset(unknown for row in inner for unknown in row.unknowns)


def small_unions(found: Joint, least: int, checked: Examination, context: Context) -> Iterator[tuple[Violation, Bits]]:
    """Several suppressed cells whose counts together follow: they are a cell that is published."""
    system, told, known = found.system, told_inside(found), (id(found.system), least)
    if known not in context.shared:
        context.shared[known] = derived(system, least, deadline_of(context))
    search = context.shared[known]
    for each in search.found:
        if len(each.unknowns) == 1:
            continue  # one cell that follows is told of as one that is recoverable
        if each.rests_on >> found.released.place & 1 and told.isdisjoint(each.unknowns):
            sentence = "The count of suppressed cells together follows from what is published, and is too small."
            violation = difference(each, system, least, sentence)
            yield replace(violation, limit="min_cell"), each.rests_on
    if not search.settled:
        reason = "there was not enough time to work out whether a small union of suppressed cells follows"
        checked.open_limits["min_cell"] = reason


def difference(each: Derived, system: System, least: int, sentence: str) -> Violation:
    """A group of fewer than `least` of which a number follows, with its records where there is data."""
    unknowns = sorted(each.unknowns)
    return Violation(
        item=system.described(unknowns),
        limit="differencing",
        sentence=sentence,
        reached=each.count,
        needed=least,
        records_count=each.count,
        rows=system.rows_of(unknowns),
    )


def least_count(rule: TableLimits | StatisticsRule) -> int | None:
    """The least count that a rule lets be told; without a threshold, the base that counts are rounded to hide it."""
    if isinstance(rule, StatisticsRule):
        return rule.min_n
    return rule.min_cell or (rule.rounded_to if isinstance(rule, FrequencyRule) else None)


def width_of(rule: TableLimits) -> tuple[float | None, bool]:
    """The least width of a suppressed count, and whether the limit `protection` tells of counts."""
    if isinstance(rule, MagnitudeRule):
        return None if rule.protection is None else rule.protection.count, rule.told("count")
    return rule.protection if isinstance(rule, FrequencyRule) else None, True


def judge_together(output: Published, rule: TableLimits | StatisticsRule, context: Context) -> Examination:
    """What the counts of an output give away together with all others."""
    checked = Examination()
    least, differencing = least_count(rule), rule.differencing
    try:
        read = joints(output, context)
        for found in read:
            if isinstance(rule, TableLimits):
                width, told = width_of(rule)
                judge_suppressed(found, width, checked, context, told=told)
            if isinstance(rule, FrequencyRule) and rule.rounded_to is not None:
                judge_rounded(found, rule, checked, context)
            if differencing:
                judge_differences(found, least, checked, context)
            elif (
                least is not None and isinstance(rule, TableLimits) and rule.min_cell is not None and found.suppressed()
            ):
                for violation, _ in small_unions(found, least, checked, context):
                    checked.violations.append(violation)
                    checked.reach("min_cell", violation.reached or 0, least=True)
        if isinstance(rule, TableLimits):
            judge_left_out(read[-1], checked)
        checked.violations = once(checked.violations)
    except Contradiction:
        checked.violations.append(
            Violation(
                item=output.source,
                limit="mismatch",
                sentence="The numbers of the output contradict each other: no database fits them.",
            )
        )
        _open(checked, "the numbers of the output contradict each other", differencing)
    except NotEvaluated as reason:
        _open(checked, str(reason), differencing)
    if differencing and least is not None:
        counted_apart(output, least, checked, context)
    return checked


def _open(checked: Examination, reason: str, differencing: bool) -> None:
    checked.open_limits.setdefault("protection", reason)
    if differencing:
        checked.open_limits.setdefault("differencing", reason)
