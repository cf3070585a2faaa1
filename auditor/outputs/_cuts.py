"""Parts of a column of numbers whose labels do not say which numbers they are of: 0, 1 and 2, or child and adult.

``pandas.cut(age, …, labels=False)`` and ``age // 10`` write them, mostly under the column's own name. With data, the
counts say where the column was cut: in their order, each label is of the next so many records. Where that holds in
every line of the table, the labels are read as intervals of the column's values; they would be a mismatch otherwise.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, islice, pairwise, permutations

from auditor.errors import NotEvaluated
from auditor.interval import NUMBERS, Interval
from auditor.outputs.linked import cell_group
from auditor.outputs.published.conditions import Group
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import Cell, GroupStatistics, Published, Statistic, Table
from auditor.outputs.published.values import number_of

READ_AS_PARTS = (
    "labels that are not the data's were read as parts of a column of numbers, because their counts fit these"
)
MOST_ORDERS = 120
"""So many orders of texts are tried, those of five; numbers have one."""
Key = tuple[str | None, ...]


def with_cuts(output: Published, counts: Counts) -> Published:
    """The output with intervals as labels, where its own labels are parts of a column of the data in other words."""
    if not isinstance(output, Table) or counts.unit is not None or _agrees(output, counts):
        return output
    for at, name in enumerate(output.by):
        if name in counts.names and name not in output.missing and (found := _cut(output, at, counts)) is not None:
            return replace(found, notes=(*output.notes, READ_AS_PARTS))
    return output


def _cut(output: Table, at: int, counts: Counts) -> Table | None:
    """The table with intervals at a place of its keys; None where its counts are of no parts of the column."""
    name = output.by[at]
    values = {n: label for n, label in zip(counts.numbers(name), counts.column(name)[0], strict=True) if label}
    labels = list(dict.fromkeys(part for cell in output.cells if (part := cell.key[at]) is not None))
    if None in values or not 0 < len(labels) < len(values):
        return None
    known = {number: label for number, label in values.items() if number is not None}
    lines = list(_lines(output, at, counts))
    for order in _orders(labels) if lines else ():
        parts = _parts(order, lines, known)
        found = None if parts is None else _relabelled(output, at, parts)
        if found is not None and _agrees(found, counts):
            return found
    return None


def _orders(labels: Sequence[str]) -> Iterable[Sequence[str]]:
    """The orders in which labels may follow each other: that of numbers, or any of texts."""
    numbers = {label: number for label in labels if (number := number_of(label)) is not None}
    if len(numbers) == len(labels):
        return [sorted(labels, key=numbers.__getitem__)]
    return islice(permutations(labels), MOST_ORDERS)


def _agrees(output: Table, counts: Counts) -> bool:
    """Whether all counts that are written are those of the data; so are those that it cannot be asked for."""
    try:
        return all(
            (number := _number(cell)) is None or counts.count(_group(output, cell.key, counts)) == number
            for cell in output.cells
        )
    except NotEvaluated:
        return True


def _number(cell: Cell | Statistic) -> int | None:
    return cell.count if isinstance(cell, Cell) else cell.n


def _group(output: Table, key: Key, counts: Counts) -> Group:
    return frozenset(each for each in cell_group(output, key) if each.attribute in counts.names)


@dataclass(frozen=True)
class _CutLine:
    """The counts of a line of labels, and how many of its records have each number."""

    sizes: Mapping[str, int]
    held: Sequence[tuple[Fraction, int]]

    def cuts(self, labels: Iterable[str]) -> list[Interval[Fraction]] | None:
        """Between which two numbers each part but the last ends; None where its records cannot be cut so."""
        ends = list(accumulate((times for _, times in self.held), initial=0))
        borders = [None, *(number for number, _ in self.held), None]
        *inner, total = accumulate(self.sizes.get(label, 0) for label in labels)
        places = [bisect_left(ends, end) for end in inner]
        if total != ends[-1] or any(ends[place] != end for place, end in zip(places, inner, strict=True)):
            return None
        return [Interval(borders[place], borders[place + 1]) for place in places]


def _lines(output: Table, at: int, counts: Counts) -> Iterator[_CutLine]:
    """The lines of labels whose counts are all written."""
    lines: defaultdict[Key, dict[str, int | None]] = defaultdict(dict)
    for cell in output.cells:
        label = cell.key[at]
        if label is not None:
            lines[(*cell.key[:at], None, *cell.key[at + 1 :])][label] = _number(cell)
    numbers = dict(zip(counts.column(output.by[at])[0], counts.numbers(output.by[at]), strict=True))
    for key, line in lines.items():
        sizes = {label: number for label, number in line.items() if number is not None}
        if len(sizes) == len(line):
            people = counts.distribution(_group(output, key, counts), output.by[at]).items()
            held = [(number, times) for label, times in people if (number := numbers[label]) is not None]
            yield _CutLine(sizes, sorted(held))


def _parts(labels: Sequence[str], lines: Iterable[_CutLine], values: Mapping[Fraction, str]) -> dict[str, str] | None:
    """Of each label the interval of the values that it stands for; None where the lines fit none in this order."""
    ends = [NUMBERS] * (len(labels) - 1)
    for line in lines:
        cuts = line.cuts(labels)
        if cuts is None:
            return None
        ends = [known.intersection(cut) for known, cut in zip(ends, cuts, strict=True)]
    if any(each.width <= 0 for each in ends):
        return None
    found: dict[str, str] = {}
    borders = [-math.inf, *(each.cuts[0][0] for each in ends), math.inf]
    for label, (below, above) in zip(labels, pairwise(borders), strict=True):
        inside = sorted(number for number in values if below < number <= above)
        if not inside and label in values.values():
            return None
        first, last = (values[inside[0]], values[inside[-1]]) if inside else (label, label)
        found[label] = first if first == last else f"[{first}, {last}]"
    return found


def _relabelled(output: Table, at: int, parts: Mapping[str, str]) -> Table:
    def key(old: Key) -> Key:
        label = old[at]
        return old if label is None else (*old[:at], parts[label], *old[at + 1 :])

    if isinstance(output, GroupStatistics):
        return replace(output, cells=tuple(replace(cell, key=key(cell.key)) for cell in output.cells))
    return replace(output, cells=tuple(replace(cell, key=key(cell.key)) for cell in output.cells))
