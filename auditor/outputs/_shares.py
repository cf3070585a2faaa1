"""Shares in tables become the counts that they are, where the data, the file or another output says of how many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

from auditor.errors import NotEvaluated
from auditor.outputs.linked import cell_group
from auditor.outputs.linked import counted as numbers_of
from auditor.outputs.published.conditions import EVERYBODY, Group, equal
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Cell, FrequencyTable, GroupStatistics, Published, Stated, Statistic
from auditor.outputs.readers import IMPOSSIBLE, counted

OF_UNKNOWN = "neither the file nor the data says how many records its shares refer to: no count follows from them"
DOUBTFUL = (
    "whole numbers that add up to 100, but not to the number of records, are counts or percentages: if counts, give "
    "--type frequency-table; if percentages, call the column percent, or write 12% in the fields"
)
TAKEN = "whole numbers that add up to 100 were taken for counts, not for percentages"


def with_counts_of_shares(output: Published, counts: Counts | None, others: Sequence[Published] = ()) -> Published:
    """The output with a count in place of each share, or with the ends of those that are written so.

    A share whose total is not known, by the data, the output or `others`, stays one, and the output is unread.
    """
    if not isinstance(output, FrequencyTable):
        return output
    if output.may_be_shares:
        return _weighed(output, counts, others)
    if output.share_of is None:
        return output
    possible = [_counted(output, of, counts, others) for of in output.share_of]
    return next((each for each in possible if counts is not None and _fits(each, counts)), possible[0])


def _weighed(output: FrequencyTable, counts: Counts | None, others: Sequence[Published]) -> FrequencyTable:
    """Whole numbers that come to 100: the counts that they are, or are of the percentages, whichever fits."""
    plain = replace(output, may_be_shares=False)
    inner = [cell.count for cell in output.cells if None not in cell.key]
    own, cells = sum(count for count in inner if count is not None), []
    for cell in output.cells:
        share = None if cell.count is None else Stated(Fraction(cell.count, 100), 2)
        cells.append(replace(cell, count=None, share=share))
    as_shares = replace(plain, cells=tuple(cells), share_of=((),))
    if counts is not None:
        found = _counted(as_shares, (), counts, others)
        return plain if _fits(plain, counts) or not _fits(found, counts) else found
    totals = _totals(as_shares, {}, others)
    if not totals:
        return replace(plain, notes=(*plain.notes, TAKEN))
    if len(totals) == 1 and min(totals) < own:
        return _counted(as_shares, (), None, others)
    return plain if totals == {own} else replace(plain, unread=(*plain.unread, DOUBTFUL))


def _counted(
    output: FrequencyTable, of: tuple[str, ...], counts: Counts | None, others: Sequence[Published]
) -> FrequencyTable:
    """The output with its shares as those of the margins over the columns `of`."""
    cells, unread = [], set()
    for cell in output.cells:
        if cell.share is None or cell.count is not None:
            cells.append(replace(cell, share=None))
            continue
        total = _total(output, of, cell, counts, others)
        if total is None or (counts is None and len(output.share_of or ()) > 1):
            cells.append(cell)
            unread.add(OF_UNKNOWN)
        else:
            cells.append(_as_count(output, cell, total, counts))
            if not counted(cell.share, total):
                unread.add(IMPOSSIBLE)
    more = tuple(each for each in sorted(unread) if each not in output.unread)
    said = tuple(each for each in output.unread if each != OF_UNKNOWN)
    left = output.share_of if OF_UNKNOWN in unread else None
    return replace(output, cells=tuple(cells), share_of=left, unread=(*said, *more))


def _fits(output: FrequencyTable, counts: Counts) -> bool:
    """Whether each count, or what is known of it, is the data's."""
    for cell in output.cells:
        if cell.share is not None and cell.most is None:
            return False
        try:
            count = counts.count(cell_group(output, cell.key))
        except NotEvaluated:
            return False
        least, most = (cell.count, cell.count) if cell.count is not None else (cell.least, cell.most)
        if not (least or 0) <= count <= (count if most is None else most):
            return False
    return True


def _as_count(output: FrequencyTable, cell: Cell, total: int, counts: Counts | None) -> Cell:
    """The count that a share is, or the ends of those that it may be: the data's, where it is that one exactly."""
    share = cell.share
    assert share is not None  # noqa: S101  (who calls has looked)
    fitting = counted(share, total)
    if counts is not None and len(fitting) > 1:
        of_data = counts.count(cell_group(output, cell.key))
        fitting = range(of_data, of_data + 1) if share.value * total == of_data else fitting
    if len(fitting) == 1:
        return replace(cell, count=fitting[0], share=None)
    return replace(cell, least=fitting[0], most=fitting[-1]) if fitting else cell


def _total(
    output: FrequencyTable, of: tuple[str, ...], cell: Cell, counts: Counts | None, others: Sequence[Published]
) -> int | None:
    """How many records the share of a cell is of."""
    key = tuple(value if column in of else None for column, value in zip(output.by, cell.key, strict=True))
    if counts is not None:
        try:
            return counts.count(cell_group(output, key))
        except NotEvaluated:
            return None
    values = {column: value for column, value in zip(output.by, key, strict=True) if value is not None}
    told = _totals(output, values, others)
    return told.pop() if len(told) == 1 else None if told else _of_pairs(output, key)


def _totals(output: FrequencyTable, values: dict[str, str], others: Sequence[Published]) -> set[int]:
    """How many records have these values: as the output says itself, or else as others say."""
    whole = not values and output.where == EVERYBODY
    for own in (_told(output, values), output.records if whole else None):
        if own is not None:
            return {own}
    tables = [
        each for each in others if isinstance(each, FrequencyTable | GroupStatistics) and each.where == output.where
    ]
    told = [*(_told(each, values) for each in tables), *(each.records for each in others if whole)]
    return {each for each in told if each is not None}


def told_of(group: Group, others: Sequence[Published]) -> int | None:
    """How many records a group has, as other outputs say or as their cells come to; None where they do not agree.

    Where none says it, it is what is left of a group that is told without the other values of one of its columns.
    """
    asked = frozenset(each for each in group if each.values)
    found = _said_of(asked, others) or set(_left_of(asked, others))
    return found.pop() if len(found) == 1 else None


def _said_of(asked: Group, others: Sequence[Published]) -> set[int]:
    found: set[int] = set()
    for each in others:
        where = each.where if isinstance(each, FrequencyTable | GroupStatistics) else EVERYBODY
        if not asked and where == EVERYBODY and each.records_told and each.records is not None:
            found.add(each.records)
        if isinstance(each, FrequencyTable | GroupStatistics):
            rest = asked - each.where
            if each.where <= asked and all(one.operator == "=" for one in rest):
                told = _told(each, {one.attribute: one.values[0] for one in rest})
                found |= set() if told is None else {told}
        for number in numbers_of(each, 0):
            count = number.ends.point
            if count is not None and frozenset(one for one in number.group if one.values) == asked:
                found.add(int(count))
    return found


def _left_of(asked: Group, others: Sequence[Published]) -> Iterator[int]:
    """What is left of a group with one value less, of which the other values of that column are told, too."""
    tables = [each for each in others if isinstance(each, FrequencyTable | GroupStatistics)]
    for one in (each for each in asked if each.operator == "="):
        lists = {frozenset(_values(each, one.attribute)) for each in tables if one.attribute in each.by}
        for values in (each for each in lists if one.values[0] in each and len(each) > 1):
            groups = [asked - {one} | {equal(one.attribute, value)} for value in values - set(one.values)]
            told = [_said_of(each, others) for each in (asked - {one}, *groups)]
            if all(len(each) == 1 for each in told):
                total, *parts = (each.pop() for each in told)
                yield total - sum(parts)


def _values(table: FrequencyTable | GroupStatistics, column: str) -> Iterator[str]:
    """The values of a column that a table lists."""
    at = table.by.index(column)
    yield from (cell.key[at] for cell in table.cells if cell.key[at] is not None)  # type: ignore[misc]


def _told(table: FrequencyTable | GroupStatistics, values: dict[str, str]) -> int | None:
    """How many records have these values, by a table: as it says itself, or as all its cells come to."""
    if not values.keys() <= set(table.by):
        return None
    counts = {cell.key: cell.n if isinstance(cell, Statistic) else cell.count for cell in table.cells}
    said = counts.get(tuple(values.get(column) for column in table.by))
    if said is not None:
        return said
    held = dict(zip(table.by, range(len(table.by)), strict=True))
    inside = [
        count
        for key, count in counts.items()
        if None not in key and all(key[held[column]] == value for column, value in values.items())
    ]
    known = [count for count in inside if count is not None]
    return sum(known) if inside and len(known) == len(inside) else None


def _of_pairs(output: FrequencyTable, key: tuple[str | None, ...]) -> int | None:
    """The only total with which each count beside a share has it; None where several are possible, or none."""
    least, most = Fraction(0), None
    for cell in output.cells:
        if not cell.count or cell.share is None or cell.share.ends[0] <= 0:
            continue
        if any(asked is not None and asked != value for asked, value in zip(key, cell.key, strict=True)):
            continue
        low, high = cell.count / cell.share.ends[1], cell.count / cell.share.ends[0]
        least, most = max(least, low), high if most is None else min(most, high)
    return ceil(least) if most is not None and ceil(least) == floor(most) else None
