"""What is released now gives away what an earlier release had suppressed.

Every suppressed cell that the ledger remembers is asked for once more, in the system of all outputs: what follows now
and did not follow before is this run's doing, whatever the type of its outputs. What already followed from the ledger
alone is told, and no output is blamed for it. The same goes for suppressed sums, for unions of suppressed cells, for
suppressed supports of itemsets and rules, each by what is told of its own items, and for means of 0 and 1 that were
released without n, once n is told.

Outputs that contradict each other are of different records. Which are of the same the data says; without it, what
follows from those that fit together may follow, and is no pass: an output that fits nothing else hides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from auditor.errors import NotEvaluated
from auditor.outputs._examination import PROTECTION, Context, Examination, Violation
from auditor.outputs._shares import told_of
from auditor.outputs.checks._gathering import Gathering
from auditor.outputs.checks._ones import hold_ones
from auditor.outputs.checks._releases import Released, columns_of
from auditor.outputs.checks._sums import joints_of_sums
from auditor.outputs.checks._together import Joint, joints_of, least_count, narrowed, recovered, small_unions, width_of
from auditor.outputs.checks._unions import judge_unions as judge_unions_of_sums
from auditor.outputs.linked import UNKNOWN, Bits, Column, cell_group, cell_name
from auditor.outputs.published.conditions import Group
from auditor.outputs.published.outputs import (
    AssociationRules,
    Cell,
    FrequencyTable,
    FrequentItemsets,
    GroupStatistics,
    MagnitudeTable,
    Published,
)
from auditor.policy import Policy
from auditor.policy.outputs import FrequencyTableLimits as FrequencyRule
from auditor.policy.outputs import MagnitudeTableLimits as MagnitudeRule
from auditor.policy.outputs import StatisticsLimits as StatisticsRule

BEFORE = "suppressed cells of an earlier release follow from the ledger, even without this output"
NEAR = "of what the ledger has suppressed, only what follows from numbers over the same columns was examined: {}"
APART = (
    "outputs contradict each other, so not all are of the same records; what was suppressed follows from some that may "
    "be of the same; give the data, which shows which outputs are of its records"
)
_MANY = "the ledger holds outputs of too many different sets of records to examine each with its like"


@dataclass(frozen=True)
class _Given:
    """A suppressed cell that is given away, how narrow it is then, and the outputs that it follows from."""

    violation: Violation
    reached: Fraction
    rests_on: Bits


@dataclass
class _GivenAway:
    """What is given away, by which outputs of the run; whether something followed before; what was left open."""

    given: dict[tuple[str, str], tuple[Violation, frozenset[int]]] = field(default_factory=dict)
    before: bool = False
    open_limits: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def judge_earlier(output: Published, context: Context) -> Examination:
    """Suppressed cells of the ledger that follow now, as violations of the outputs of the run that they follow from."""
    if PROTECTION not in context.shared:
        context.shared[PROTECTION] = _told(context)
    told: _GivenAway = context.shared[PROTECTION]
    checked = Examination(open_limits=dict(told.open_limits), notes=[BEFORE] * told.before + told.notes)
    for violation, outputs in told.given.values():
        if id(output) in outputs:
            checked.violations.append(violation)
            checked.reach(PROTECTION, violation.reached or 0, least=True)
    return checked


def _told(context: Context) -> _GivenAway:
    released, told = Released.of(context.together[0], context), _GivenAway()
    remembered = {id(each) for each in context.remembered}
    before = [each for each in released.outputs[: released.earlier] if id(each) in remembered]
    owners = [each for each in before if _hides(each)]
    run = released.outputs[released.earlier :]
    _means(run, before, context, told)
    _supports(released, before, context, told)
    if not any(map(_hides, (*before, *run))):
        return told
    try:
        if joints_of(released, context):
            _judge_level(released, owners, before, context, told)
        else:
            _judge_apart(Gathering(released, context), [*owners, *filter(_hides, run)], before, context, told)
    except NotEvaluated as reason:
        for within in dict.fromkeys(map(_columns, owners)):
            mine = [each for each in owners if _columns(each) == within]
            _judge_near(replace(released, within=within), mine, before, context, told)
        if PROTECTION not in told.open_limits:
            told.notes.append(NEAR.format(reason))
    return told


def _means(run: Sequence[Published], before: Sequence[Published], context: Context, told: _GivenAway) -> None:
    """Means and shares of 0 and 1 that were released without n: now that others tell n, they are counts."""
    rules = [rule for rule in context.policy.outputs if isinstance(rule, FrequencyRule | StatisticsRule)]
    least = max((n for rule in rules if (n := least_count(rule)) is not None), default=None)
    for each in (one for one in before if isinstance(one, GroupStatistics)):
        asked = [
            (cell_name(each, cell.key), group, None, {name.lower(): stated for name, stated in cell.values})
            for cell in each.cells
            if cell.n is None and cell.values and told_of(group := cell_group(each, cell.key), before) is None
        ]
        held = Examination()
        hold_ones(each, asked, ("min_n", least), held, context)
        _leave_open(held, told.open_limits)
        for violation in held.violations:
            found = replace(
                violation, limit=PROTECTION, hidden_by=violation.limit, item=f"{violation.item}, of {each.source}"
            )
            told.given[found.item, found.reason] = found, frozenset(map(id, run))


def _supports(released: Released, before: Sequence[Published], context: Context, told: _GivenAway) -> None:
    """Suppressed supports of itemsets and rules, each in the system of its own columns, where the run speaks of any."""
    run = replace(released, outputs=released.outputs[released.earlier :], earlier=0)
    known = [UNKNOWN] * len(run.outputs)
    spoken = {columns_of(number.group) for number in run.numbers(context.policy, known, counts=context.counts)}
    for owner in before:
        for within in dict.fromkeys(columns_of(group) for group in _hidden(owner)):
            if not any(each <= within for each in spoken if each):
                continue
            level = replace(released, within=within)
            try:
                if not joints_of(level, context):  # others are of other records
                    outputs = (owner, *released.outputs[released.earlier :])
                    level = Released(outputs, 1, 1, within)
                _judge_level(level, [owner], before, context, told)
            except NotEvaluated as reason:
                told.open_limits[PROTECTION] = str(reason)


def _hidden(output: Published) -> Iterator[Group]:
    """The groups whose supports were suppressed."""
    if isinstance(output, FrequentItemsets):
        yield from (each.items for each in output.itemsets if each.support is None and each.support_share is None)
    elif isinstance(output, AssociationRules):
        hidden = (each for each in output.rules if each.support is None and each.support_share is None)
        yield from (each.antecedent | each.consequent for each in hidden)


def _hides(output: Published) -> bool:
    """Whether it is a table with suppressed counts, or suppressed sums."""
    return isinstance(output, FrequencyTable) and any(_suppressed(cell, output) for cell in output.cells)


def _suppressed(cell: Cell, table: FrequencyTable) -> bool:
    return cell.count is None or (isinstance(table, MagnitudeTable) and cell.sum is None)


def _judge_apart(
    gathering: Gathering, owners: Sequence[Published], before: Sequence[Published], context: Context, told: _GivenAway
) -> None:
    """Outputs that contradict each other: with data those of its records, without it no more than what may follow."""
    if context.counts is not None:
        _judge_level(gathering.of_data(context.counts), owners, before, context, told)
        return
    perhaps = _GivenAway()
    for level in gathering.around(owners):
        _judge_level(level, owners, before, context, perhaps)
    if perhaps.given or not gathering.settled:
        told.open_limits[PROTECTION] = APART if gathering.settled else _MANY


def _judge_near(
    level: Released, owners: Sequence[Published], before: Sequence[Published], context: Context, told: _GivenAway
) -> None:
    """Where all columns together are too many: those of some tables with suppressed cells."""
    try:
        _judge_level(level, owners, before, context, told)
    except NotEvaluated as reason:
        told.open_limits[PROTECTION] = str(reason)


def _columns(output: Published) -> frozenset[Column]:
    assert isinstance(output, FrequencyTable)  # noqa: S101  (only tables have suppressed cells)
    return frozenset(output.by) | columns_of(output.where)


def _judge_level(
    level: Released, owners: Sequence[Published], before: Sequence[Published], context: Context, told: _GivenAway
) -> None:
    """What follows of the suppressed cells in outputs that fit together, less what follows of them without the run."""
    run = level.outputs[level.earlier :]
    now = _following(level, owners, context, told.open_limits) if owners else {}
    if not now:
        return
    kept = tuple(each for each in level.outputs if any(each is other for other in before))
    known = _following(Released(kept, 0, len(kept), level.within), owners, context, {})
    for key, each in now.items():
        if key in known and known[key].reached <= each.reached:
            told.before = True
            continue
        from_ = {id(own) for at, own in enumerate(run, level.earlier) if each.rests_on >> at & 1} or set(map(id, run))
        told.given[key] = each.violation, told.given.get(key, (None, frozenset()))[1] | from_


def _following(
    level: Released, owners: Sequence[Published], context: Context, open_limits: dict[str, str]
) -> dict[tuple[str, str], _Given]:
    """What follows of suppressed cells from some outputs: by the cell and the reason."""
    found: dict[tuple[str, str], _Given] = {}
    places = [at for at, each in enumerate(level.outputs) if any(each is owner for owner in owners)]
    if not places:
        return found
    for each in (*_counts(level, places, context, open_limits), *_sums(level, places, context, open_limits)):
        key = each.violation.item, each.violation.reason
        if key not in found or each.reached < found[key].reached:
            found[key] = each
    return found


def _counts(level: Released, places: Sequence[int], context: Context, open_limits: dict[str, str]) -> Iterator[_Given]:
    joints = joints_of(level, context)
    for joint in joints:
        for rules, group in _by_rules(level, places, context.policy):
            widths = [_exactly(width) for rule in rules if (width := width_of(rule)[0]) is not None]
            yield from _cells(joint, group, max(widths, default=None), context, open_limits)
            least = max((rule.min_cell for rule in rules if rule.min_cell is not None), default=None)
            for place in group if least is not None else ():
                checked, owner = Examination(), level.outputs[place]
                for violation, rests_on in small_unions(joint.around(place), least or 0, checked, context):
                    yield _Given(_of(violation, owner), Fraction(0), rests_on)
                _leave_open(checked, open_limits)


def _sums(level: Released, places: Sequence[int], context: Context, open_limits: dict[str, str]) -> Iterator[_Given]:
    """The same of sums: of each column of which sums were suppressed, and of which the run tells sums."""
    columns = dict.fromkeys(each.of for each in level.outputs if isinstance(each, MagnitudeTable))
    for column in columns:
        own = [at for at in places if isinstance(table := level.outputs[at], MagnitudeTable) and table.of == column]
        if not own or not any(_tells_sums(each, column) for each in context.together):
            continue
        for joint in joints_of_sums(replace(level, place=own[0]), column, context):
            for rules, group in _by_rules(level, own, context.policy):
                sums = [rule for rule in rules if isinstance(rule, MagnitudeRule)]
                widths = [rule.protection.sum for rule in sums if rule.protection and rule.protection.sum is not None]
                width = max(map(_exactly, widths), default=None)
                yield from _cells(joint, group, width, context, open_limits)
                for rule, place in ((rule, place) for rule in sums for place in group):
                    checked = Examination()
                    judge_unions_of_sums(joint.around(place), rule, checked, context, column)
                    yield from _as_given(checked, level.outputs[place], {})


def _tells_sums(output: Published, column: str) -> bool:
    return isinstance(output, MagnitudeTable | GroupStatistics) and output.of == column


def _exactly(width: float) -> Fraction:
    return Fraction(repr(width))


def _by_rules(
    level: Released, places: Sequence[int], policy: Policy
) -> Iterator[tuple[list[FrequencyRule | MagnitudeRule], list[int]]]:
    """The outputs of each type, with the rules of the policy on it."""
    for kind in dict.fromkeys(level.outputs[at].type for at in places):
        rules = [
            rule for rule in policy.outputs if isinstance(rule, FrequencyRule | MagnitudeRule) and rule.type == kind
        ]
        yield rules, [at for at in places if level.outputs[at].type == kind]


def _cells(
    joint: Joint, places: Sequence[int], width: Fraction | None, context: Context, open_limits: dict[str, str]
) -> Iterator[_Given]:
    """Suppressed cells that follow, or lie in an interval below the protection."""
    asked = [at for at, number in enumerate(joint.numbers) if number.suppressed and number.output in places]
    checked = Examination()
    for number, reached, rests_on in narrowed(joint, asked, width, checked, context):
        if reached == 0 or (width is not None and reached < width):
            violation = recovered(number, reached, width, context)
            yield _Given(_of(violation, joint.released.outputs[number.output]), reached, rests_on)
    open_limits.update(checked.open_limits)


def _as_given(checked: Examination, owner: Published, open_limits: dict[str, str]) -> Iterator[_Given]:
    """Violations of an earlier output, as those of what is released now."""
    _leave_open(checked, open_limits)
    for each in checked.violations:
        yield _Given(_of(each, owner), Fraction(0), 0)


def _leave_open(checked: Examination, open_limits: dict[str, str]) -> None:
    """Limits of an earlier output that were left open leave this one open."""
    for reason in checked.open_limits.values():
        open_limits[PROTECTION] = reason


def _of(violation: Violation, owner: Published) -> Violation:
    """A violation that says in which output the cell was suppressed."""
    sentence = _NEARLY if violation.reached and violation.limit == PROTECTION else _FOLLOWS
    return replace(
        violation,
        limit=PROTECTION,
        hidden_by=violation.limit,
        item=f"{violation.item}, suppressed in {owner.source}",
        sentence=sentence,
    )


_FOLLOWS = "What an earlier release had suppressed follows from what is published now."
_NEARLY = "What an earlier release had suppressed is narrowed by what is published now, further than its protection."
