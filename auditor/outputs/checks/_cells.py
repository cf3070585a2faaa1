"""What the checks of tables share: whom a cell counts, what is known of its count, and the margins above it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations
from types import MappingProxyType

from auditor.interval import CountInterval
from auditor.outputs._examination import Context, Examination, Violation
from auditor.outputs.linked import cell_group, cell_name
from auditor.outputs.published.conditions import Group
from auditor.outputs.published.outputs import FrequencyTable, GroupStatistics

Key = tuple[str | None, ...]


class TableCells:
    """The cells of a table, and what is known of their counts.

    With data, counts are those of the data. Without, they are the table's own; counts rounded to a multiple of `base`
    are known to half of it, which is what rounding to the nearest multiple leaves.
    """

    def __init__(self, table: FrequencyTable | GroupStatistics, context: Context, *, base: int | None = None) -> None:
        self.table = table
        self.counts = context.counts
        self.base = base or 1

    @cached_property
    def stated(self) -> dict[Key, int | None]:
        """The counts as they were written; None where one was suppressed."""
        if isinstance(self.table, GroupStatistics):
            return {cell.key: cell.n for cell in self.table.cells}
        return {cell.key: cell.count for cell in self.table.cells}

    @cached_property
    def written(self) -> frozenset[Key]:
        """The cells in which some number was written: a count, a sum, a statistic."""
        if isinstance(self.table, GroupStatistics):
            return frozenset(cell.key for cell in self.table.cells if cell.n is not None or cell.values)
        return frozenset(cell.key for cell in self.table.cells if cell.count is not None or cell.sum is not None)

    def group(self, key: Key) -> Group:
        """The records that a cell counts."""
        return cell_group(self.table, key)

    def named(self, key: Key) -> str:
        """A cell in words: its conditions in order, ``total`` for the margin over everything."""
        return cell_name(self.table, key)

    def range(self, key: Key) -> CountInterval | None:
        """What is known of the count of a cell or of a margin; None where nothing is."""
        if self.counts is not None:
            count = self.counts.count(self.group(key))
            return CountInterval.at(count)
        stated = self.stated.get(key)
        if stated is not None:
            return CountInterval(max(0, stated - self.base // 2), stated + self.base // 2)
        return self._added.get(key)

    def least(self, margin: Key) -> int:
        """The least that a margin can count whose count is not known: the published cells in it."""
        return self._of_inner[margin].low if margin in self._of_inner else 0

    def published(self) -> Iterator[tuple[Key, CountInterval]]:
        """The cells whose count is published, with what is known of it."""
        for key, stated in self.stated.items():
            known = self.range(key) if stated is not None else None
            if known is not None:
                yield key, known

    @cached_property
    def _of_inner(self) -> dict[Key, CountInterval]:
        """What the published inner cells of each margin come to together."""
        totals: dict[Key, CountInterval] = {}
        half = self.base // 2
        for key, stated in self.stated.items():
            if None in key or stated is None:
                continue
            for margin in margins(key):
                before = totals.get(margin, CountInterval(0, 0))
                totals[margin] = CountInterval(before.low + max(0, stated - half), (before.high or 0) + stated + half)
        return totals

    @cached_property
    def _added(self) -> dict[Key, CountInterval]:
        """The margins that the table does not write, as sums of its inner cells, where none of these is suppressed."""
        hidden = {m for key, stated in self.stated.items() if stated is None and None not in key for m in margins(key)}
        return {margin: total for margin, total in self._of_inner.items() if margin not in hidden}


def margins(key: Key) -> Iterator[Key]:
    """The margins above a cell: every key with some of its values left out."""
    given = [place for place, value in enumerate(key) if value is not None]
    for many in range(1, len(given) + 1):
        for left_out in combinations(given, many):
            yield tuple(None if place in left_out else value for place, value in enumerate(key))


def compare_counts(
    cells: TableCells, checked: Examination, also: Mapping[Key, int | None] = MappingProxyType({})
) -> None:
    """Stated counts that are neither the data's (within one base, where they are rounded) nor those `also` allowed."""
    if cells.counts is None:
        return
    checked.judged.add("mismatch")
    for key, stated in cells.stated.items():
        known = cells.range(key)
        if stated is None or known is None or abs(stated - known.low) < cells.base or stated == also.get(key):
            continue
        if any(
            part is not None and not part.strip() and of not in cells.table.missing
            for of, part in zip(cells.table.by, key, strict=True)
        ):
            continue  # a group of missing values or a total, which is unread
        checked.violations.append(
            Violation(
                item=cells.named(key),
                limit="mismatch",
                sentence="The published count differs from the count of the data.",
                reached=stated,
                needed=known.low,
                about=cells.group(key),
            )
        )


def judge_threshold(cells: TableCells, limit: str, least: int, checked: Examination, *, zeros: bool) -> None:
    """Published counts from 1 to `least` − 1, and 0 where an empty cell discloses."""
    unsure = False
    checked.judged.add(limit)
    for key, known in cells.published():
        if cells.base > 1 and cells.stated[key] == 0 and known.high and (known.low or not zeros):
            continue  # a rounded 0 names no group, whoever it rounds away; what follows of them is judged elsewhere
        if (known.low == 0 and not zeros and known.high == 0) or known.low >= least:
            if known.low:
                checked.reach(limit, known.low, least=True)
            continue
        if known.high is None or known.high >= least or (known.low == 0 and known.high and not zeros):
            unsure = True
            continue
        checked.reach(limit, known.low, least=True)
        checked.violations.append(
            Violation(
                item=cells.named(key),
                limit=limit,
                sentence="A published number counts fewer people than the policy allows."
                if known.high
                else "An empty cell shows that nobody in its row or column is in it.",
                reached=known.point,
                needed=least,
                records_count=known.point,
                about=cells.group(key),
            )
        )
    if unsure and not any(violation.limit == limit for violation in checked.violations):
        checked.judged.discard(limit)
        checked.open_limits[limit] = "counts are rounded, so a true count may lie below the bound; give the data"
