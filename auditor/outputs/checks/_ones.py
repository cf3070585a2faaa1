"""The counts that means and sums of a column of 0 and 1 are: held to the least count, on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs._indicator import PARTS, codes, is_described, ones, rarer
from auditor.outputs._shares import told_of
from auditor.outputs.published.conditions import Condition, Group, equal
from auditor.outputs.published.outputs import INDICATOR, GroupStatistics, MagnitudeTable, Stated
from auditor.policy.outputs import FrequencyTableLimits as FrequencyRule

Told = tuple[str, Group, int | None, Mapping[str, Stated]]
"""A group of an output with its name, its n and its statistics."""
SENTENCE = (
    "A mean or sum of 0 and 1, or of two other numbers, is a count, of a group that is too small to be published."
)
STRICTER = (
    "means or sums of a column of 0 and 1 are counts, and the least count of this rule is below that of the rule for "
    "tables of counts"
)
UNDECLARED = (
    "a column that may hold only two numbers, such as 0 and 1, has means or sums that would then be counts of too few; "
    "declare its type or range in the policy, or give the data"
)
OF_OTHERS = "a share is of other records than those counted beside it, and does not say of which"
A_SHARE = "a share of a column with more than two values counts too few records, and does not say of which value"


@dataclass(frozen=True)
class Ones:
    """A group of which a mean or sum of 0 and 1 stands in the output, its n, and the ends of the number of ones.

    `no` and `yes` are the conditions that the column is 0, and 1; `rarer` the ends of the number of whichever is rarer.
    """

    name: str
    group: Group
    n: int | None
    ends: tuple[int, int]
    no: Condition
    yes: Condition
    rarer: tuple[int, int] | None = None


def hold_ones(
    output: GroupStatistics | MagnitudeTable,
    groups: Iterable[Told],
    held: tuple[str, int | None],
    checked: Examination,
    context: Context,
) -> None:
    """Hold the counts that means and sums are to a limit and its least count, and to that of a rule for tables.

    Of a column of which neither the data nor the policy says what it holds, numbers that may be counts of too few are
    no pass; of one of other values, its shares. An n that is not written is the one that other outputs tell.
    """
    others, (limit, least) = (*context.before, *context.together), held
    groups = [
        (name, group, told_of(group, others) if n is None and values else n, values)
        for name, group, n, values in groups
    ]
    if output.values_of is not None:
        smallest = judge_ones(_found_in(output, groups, output.values_of), limit, least, checked)
        _hold_to_tables(smallest, limit, least, checked, context)
        return
    described = is_described(output.of, context.policy, context.counts)
    if not described and any(_is_of_others(n, values) for _, _, n, values in groups):
        checked.open_limits.setdefault(limit if least is not None else "", OF_OTHERS)
    if described:
        groups = [(*each[:3], {name: of for name, of in each[3].items() if name in PARTS}) for each in groups]
    needed = max([least or 0, *_least_of_tables(context)])
    for told in (INDICATOR,) if described else (INDICATOR, CODES):
        smallest = judge_ones(_fitting(output, groups, told), limit, None, Examination())
        if smallest is not None and smallest < needed:
            checked.open_limits.setdefault(limit if least is not None else "", A_SHARE if described else UNDECLARED)


def _is_of_others(n: int | None, values: Mapping[str, Stated]) -> bool:
    """Whether a share is written that no number of a group's records is of them."""
    ends = ones({name: value for name, value in values.items() if name in PARTS}, n)
    return n is not None and ends is not None and not max(ends[0], 0) <= min(ends[1], n)


CODES = ("1", "2")
"""How questionnaires write no and yes."""


def _fitting(output: GroupStatistics | MagnitudeTable, groups: Sequence[Told], told: tuple[str, str]) -> list[Ones]:
    """The groups as those of a column of these two numbers; none where the numbers of a group do not fit it."""
    known = [each for each in groups if each[2] is not None and each[3]]
    of = codes(told)
    ends = [end for _, _, n, values in known for end in (ones(values, n, of), rarer(values, n, of)) if end is not None]
    extremes = (values[name].value for _, _, _, values in known for name in ("min", "max") if name in values)
    if any(low > high for low, high in ends) or not set(extremes) <= set(of):
        return []
    return list(_found_in(output, known, told))


def _found_in(
    output: GroupStatistics | MagnitudeTable, groups: Iterable[Told], told: tuple[str, str]
) -> Iterator[Ones]:
    """The groups of which a number of ones follows."""
    no, yes = (equal(output.of, value) for value in told)
    of = codes(told)
    for name, group, n, values in groups:
        ends, few = ones(values, n, of), rarer(values, n, of)
        if ends is None and few is not None and n is not None:
            ends = few[0], n - few[0]
        if ends is not None and ends[0] <= ends[1]:
            yield Ones(name, group, n, ends, no, yes, few if few is not None and few[0] <= few[1] else None)


def judge_ones(groups: Iterable[Ones], limit: str, least: int | None, checked: Examination) -> int | None:
    """Judge how many have the value, and how many have not; the least number of a group that is known to be so small.

    Only a count that is known to lie in 1 … least − 1 violates: a mean that is rounded so far that 0 or more than these
    would do tells of no small group.
    """
    smallest: int | None = None
    for each in groups:
        low, high = each.ends
        sides = [(each.yes, low, high)]
        if each.n is not None:
            sides.append((each.no, each.n - high, each.n - low))
        for side, fewest, most in sides:
            if not 0 < fewest <= most:
                continue
            smallest = most if smallest is None else min(smallest, most)
            if least is None:
                continue
            if fewest == most:
                checked.reach(limit, fewest, least=True)
            if most < least:
                checked.violations.append(_violation(each, side, limit, (fewest, most), least))
        if each.rarer is not None and each.rarer[0] > 0:
            smallest = each.rarer[1] if smallest is None else min(smallest, each.rarer[1])
            told = {each.ends[1], (each.n or 0) - each.ends[0]}
            if least is not None and each.rarer[1] < least <= min(told):
                checked.violations.append(_of_either(each, limit, least))
    return smallest


def _of_either(each: Ones, limit: str, least: int) -> Violation:
    """A spread, or a share, tells how many have the rarer of the two values, and not which it is."""
    low, high = each.rarer or (0, 0)
    count = low if low == high else None
    return Violation(
        item=f"{each.name}: {each.no} or {each.yes}",
        limit=limit,
        sentence="A standard deviation, variance or share tells how few have the rarer of two values.",
        reached=count,
        needed=least,
        records_count=count,
        about=each.group,
    )


def _violation(each: Ones, held: Condition, limit: str, ends: tuple[int, int], least: int) -> Violation:
    count = ends[0] if ends[0] == ends[1] else None
    return Violation(
        item=f"{each.name}: {held}",
        limit=limit,
        sentence=SENTENCE,
        reached=count,
        needed=least,
        records_count=count,
        about=each.group | {held},
    )


def _hold_to_tables(
    smallest: int | None, limit: str, least: int | None, checked: Examination, context: Context
) -> None:
    """What this rule lets stand and a rule for tables of counts would not: it is a count, and so it is no pass."""
    needed = _least_of_tables(context)
    if smallest is not None and needed and (least or 0) <= smallest < max(needed):
        checked.open_limits[limit if least is not None else ""] = STRICTER


def _least_of_tables(context: Context) -> list[int]:
    return [rule.min_cell for rule in context.policy.outputs if isinstance(rule, FrequencyRule) and rule.min_cell]
