"""Groups that two outputs count differently, by few records: the two are of records that differ by so few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs.checks._releases import Released
from auditor.outputs.linked import UNKNOWN
from auditor.outputs.published.conditions import Group, equal, told
from auditor.outputs.published.outputs import Published
from auditor.outputs.published.totals import union_of


def counted_apart(output: Published, least: int, checked: Examination, context: Context) -> None:
    """One group with two counts that differ by fewer than `least`: the records of two outputs differ by so few."""
    released = Released.of(output, context)
    known = [UNKNOWN] * len(released.outputs)
    said: dict[int, dict[Group, int]] = {}
    names: dict[Group, str] = {}
    for number in released.numbers(context.policy, known):
        if (told_count := number.ends.point) is not None:
            said.setdefault(number.output, {})[_same(number.group)] = int(told_count)
            if number.output == released.place:
                names[_same(number.group)] = number.name
    counts = {place: held | _unions(held, frozenset().union(*said.values())) for place, held in said.items()}
    mine = counts.pop(released.place, {})
    for group, count in ((group, count) for held in counts.values() for group, count in held.items() if group in mine):
        apart = abs(mine[group] - count)
        if 0 < apart < least:
            checked.violations.append(
                Violation(
                    item=names.get(group, told(group)),
                    limit="differencing",
                    sentence="Another output counts the same group, and few records lie between the two counts.",
                    reached=apart,
                    needed=least,
                    records_count=apart,
                    about=group,
                )
            )
            checked.reach("differencing", apart, least=True)


def _unions(held: Mapping[Group, int], groups: Iterable[Group]) -> dict[Group, int]:
    """What an output says of groups that are, by a label of another (``F+M``), unions of its own."""
    labels: dict[str, set[str]] = {}
    for condition in (each for group in held for each in group if each.operator == "="):
        labels.setdefault(condition.attribute, set()).add(condition.values[0])
    found = {}
    for group in groups:
        for condition in (each for each in group if each.operator == "=" and each.attribute in labels):
            parts = union_of(condition.values[0], labels[condition.attribute])
            own = [group - {condition} | {equal(condition.attribute, part)} for part in parts]
            if own and group not in held and all(each in held for each in own):
                found[group] = sum(held[each] for each in own)
    return found


def _same(group: Group) -> Group:
    """A group without the conditions that only ask for a value."""
    return frozenset(each for each in group if each.values)
