"""Columns that a file does not name, found in the data: those of a crosstab's labels, and that of a statistic.

`pandas.crosstab(age, sex).to_csv()` writes the values of `sex` and not its name; ``groupby("zip")["cost"].mean()``
does not write `cost`. With data, the column is the one that the labels, or the numbers, fit; where none or several do,
nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from auditor.errors import DataError, NotEvaluated, Unsupported
from auditor.outputs._indicator import PERCENT, SHARES
from auditor.outputs.linked import cell_group
from auditor.outputs.published.conditions import NO_LABEL, Group
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import (
    UNNAMED,
    Cell,
    FrequencyTable,
    GroupStatistics,
    MagnitudeTable,
    Published,
    Stated,
    Statistic,
    Table,
    called,
)
from auditor.outputs.published.spans import span_of
from auditor.outputs.published.values import number_of, sum_slack
from auditor.outputs.readers import TAKEN_FOR_COUNTS, Unclear

FOUND = "a column that the file does not name was found in the data by its values"
FOUND_NUMBERS = "what its headings do not say of the numbers was found in the data, of which they are"
NOT_FOUND = (
    "a column that the file does not name matches none of the data's columns, or several: name it in the file, or by "
    "--by or --of"
)
MOST_CELLS = 200
"""So many cells are compared; a column that fits all of them and is another one would have to be its copy."""


def named(output: Published, counts: Counts) -> Published:
    """The output with the names of its columns, where the data tells them; else it is unread."""
    if not isinstance(output, FrequencyTable | GroupStatistics):
        return output
    possible: list[Table] = [output]
    for place in [place for place, name in enumerate(output.by) if _is_unnamed(name)]:
        possible = [_by(each, place, name) for each in possible for name in _fitting(each, place, counts)]
    if isinstance(output, MagnitudeTable | GroupStatistics) and _is_unnamed(output.of):
        numeric = [name for name in sorted(counts.names) if _is_numeric(name, counts)]
        possible = [_of(each, name) for each in possible for name in numeric if name not in each.by]
    return output if possible == [output] else _one(output, possible, counts)


def _of(output: Table, name: str) -> Table:
    return replace(output, of=name) if isinstance(output, MagnitudeTable | GroupStatistics) else output


def _fitting(output: Table, place: int, counts: Counts) -> list[str]:
    """The columns of which a place of the keys may have the values, or intervals of them."""
    return list(_with_labels(output, place, counts)) or list(_with_intervals(output, place, counts))


STATISTICS = ("sum", "mean", "min", "max", "median", "nunique")
"""What numbers may be that are no counts, and that the data tells apart."""


def as_in_the_data(read_as: Callable[[str | None], Sequence[Published]], counts: Counts) -> Sequence[Published]:
    """What a table publishes whose headings do not say what its numbers are, or of which counts were only assumed.

    Its numbers are counts if they are those of the data; else what alone of `STATISTICS` of one column gives them all.
    `read_as` reads the table as the user would say what it is of.

    Raises:
        Unsupported: the headings do not say it, and none or several of these give the numbers.
    """
    try:
        found = read_as(None)
    except Unclear:
        read = _read_with(read_as, ("count",), counts) or _read_with(read_as, STATISTICS, counts)
        if read is None:
            raise
        return read
    if any(TAKEN_FOR_COUNTS in each.notes for each in found) and not all(
        _is_of_the_data(each, counts) for each in found
    ):
        found = _read_with(read_as, STATISTICS, counts) or found
    return [replace(each, notes=tuple(note for note in each.notes if note != TAKEN_FOR_COUNTS)) for each in found]


def _read_with(
    read_as: Callable[[str | None], Sequence[Published]], statistics: Iterable[str], counts: Counts
) -> Sequence[Published] | None:
    """The tables, where one statistic alone gives all their numbers; or one for each of them; else None."""
    read: list[Sequence[Published]] = []
    for statistic in statistics:
        try:
            read.append(read_as(statistic))
        except (DataError, Unsupported):
            continue
    if len({len(found) for found in read}) != 1:
        return None
    fits = [[_is_of_the_data(each, counts) for each in found] for found in read]
    whole = [place for place, told in enumerate(fits) if all(told)]
    of_each = [
        whole if len(whole) == 1 else [place for place, fit in enumerate(told) if fit]
        for told in zip(*fits, strict=True)
    ]
    if any(len(places) != 1 for places in of_each):
        return None
    taken = [read[places[0]][at] for at, places in enumerate(of_each)]
    return [replace(each, notes=(*each.notes, FOUND_NUMBERS)) for each in taken]


def _is_of_the_data(output: Published, counts: Counts) -> bool:
    """Whether a table has the numbers of the data, and columns that are known."""
    if not isinstance(output, FrequencyTable | GroupStatistics) or NOT_FOUND in output.unread:
        return False
    of = {*output.by, *([output.of] if isinstance(output, MagnitudeTable | GroupStatistics) else [])}
    return of <= counts.names and _fits(output, counts)


def _is_unnamed(name: str) -> bool:
    return name.startswith(UNNAMED)


def _by(output: FrequencyTable | GroupStatistics, place: int, name: str) -> FrequencyTable | GroupStatistics:
    return called(output, (*output.by[:place], name, *output.by[place + 1 :]))


def _one(
    output: FrequencyTable | GroupStatistics, possible: list[FrequencyTable | GroupStatistics], counts: Counts
) -> FrequencyTable | GroupStatistics:
    """The only possibility, or the only one whose numbers are the data's; else the output, which cannot pass."""
    if len(possible) > 1 or (possible and isinstance(output, GroupStatistics | MagnitudeTable)):
        possible = [each for each in possible if _fits(each, counts)]
    if len(possible) != 1:
        return replace(output, unread=(*output.unread, NOT_FOUND))
    return replace(possible[0], notes=(*possible[0].notes, FOUND))


def _with_labels(output: FrequencyTable | GroupStatistics, place: int, counts: Counts) -> Iterator[str]:
    """The columns of the data that hold all labels of a place of the keys."""
    labels = {cell.key[place] for cell in output.cells} - {None}
    if output.by[place] in output.missing:
        labels -= {NO_LABEL}
    for name in sorted(counts.names - set(output.by)):
        values = counts.column(name)[0]
        held = {*values, *(number_of(value) for value in values)} - {None}
        if all(label in held or number_of(label) in held for label in labels):
            yield name


def _with_intervals(output: FrequencyTable | GroupStatistics, place: int, counts: Counts) -> Iterator[str]:
    """The columns of numbers whose counts, or numbers, are those of a place's labels, which are intervals."""
    none = (None, NO_LABEL) if output.by[place] in output.missing else (None,)
    labels = [cell.key[place] for cell in output.cells if cell.key[place] not in none]
    if labels and all(span_of(label) is not None for label in labels if label is not None):
        for name in sorted(counts.names - set(output.by)):
            if _is_numeric(name, counts) and _fits(_by(output, place, name), counts):
                yield name


def _is_numeric(name: str, counts: Counts) -> bool:
    pairs = list(zip(counts.column(name)[0], counts.amounts(name), strict=True))
    return any(label for label, _ in pairs) and all(label is None or n is not None for label, n in pairs)


def _fits(output: FrequencyTable | GroupStatistics, counts: Counts) -> bool:
    """Whether the numbers of the first cells are those of the data."""
    for cell in output.cells[:MOST_CELLS]:
        group = frozenset(each for each in cell_group(output, cell.key) if not _is_unnamed(each.attribute))
        try:
            if not fits_cell(output, cell, group, counts):
                return False
        except NotEvaluated:
            return False
    return True


def fits_cell(output: FrequencyTable | GroupStatistics, cell: Cell | Statistic, group: Group, counts: Counts) -> bool:
    """Whether the numbers of a cell are those of a group of the data; they are, where nothing of both is known."""
    whole = not any(map(_is_unnamed, output.by))
    if isinstance(cell, Cell):
        if whole and cell.share is not None and isinstance(output, FrequencyTable) and output.share_of:
            return _is_share(output, cell, group, counts)
        if whole and cell.count is not None and not isinstance(output, MagnitudeTable):
            return cell.count in (counts.count(group), counts.records_in(group))
        stated: tuple[tuple[str, Stated], ...] = () if cell.sum is None else (("sum", cell.sum),)
    else:
        stated = cell.values
        if not stated and cell.n is not None and whole:
            return cell.n in (counts.count(group), counts.records_in(group))
    of = output.of if isinstance(output, MagnitudeTable | GroupStatistics) else UNNAMED
    return _is_unnamed(of) or not whole or _met(stated, _values(of, group, counts), counts.roundoff(of))


def _is_share(output: FrequencyTable, cell: Cell, group: Group, counts: Counts) -> bool:
    """Whether a share is that of the group in one of the margins that it may be of."""
    filtered = {condition.attribute for condition in output.where}
    margins = [frozenset(each for each in group if each.attribute in {*of, *filtered}) for of in output.share_of or ()]
    sizes = [(counts.records_in(group), counts.records_in(margin)) for margin in margins]
    return any(n and cell.share is not None and cell.share.is_met_by(Fraction(part, n)) for part, n in sizes)


def _met(stated: Iterable[tuple[str, Stated]], values: list[tuple[Fraction, int]], roundoff: Fraction) -> bool:
    """Whether the sum, the mean and the ends of these values, each with its number of records, are as stated."""
    n, total = sum(times for _, times in values), sum((value * times for value, times in values), Fraction(0))
    if not n:
        return False
    known = {"sum": total, "min": min(values)[0], "max": max(values)[0], **dict.fromkeys(SHARES, total / n)}
    known |= {**dict.fromkeys(PERCENT, 100 * total / n), "nunique": Fraction(len(values)), "median": _median(values)}
    of_sum = sum_slack(n, sum((abs(value) * times for value, times in values), Fraction(0)), roundoff)
    slack = {"sum": of_sum, **dict.fromkeys(SHARES, of_sum / n), **dict.fromkeys(PERCENT, 100 * of_sum / n)}
    return all(number.is_met_by(known[name], slack.get(name, Fraction(0))) for name, number in stated if name in known)


def _median(values: list[tuple[Fraction, int]]) -> Fraction:
    """The number in the middle, or between the two there, of numbers that each stand so many times."""
    ends = np.cumsum([times for _, times in sorted(values)])
    low, high = (int(np.searchsorted(ends, place, side="right")) for place in ((ends[-1] - 1) // 2, ends[-1] // 2))
    return (sorted(values)[low][0] + sorted(values)[high][0]) / 2


def _values(name: str, group: Group, counts: Counts) -> list[tuple[Fraction, int]]:
    """The distinct numbers of a column in a group, and how many records have each."""
    codes = counts.column(name)[1]
    times = np.bincount(codes[counts.members(group)], minlength=len(counts.column(name)[0]))
    numbers = counts.amounts(name)
    return [(number, int(n)) for number, n in zip(numbers, times, strict=True) if n and number is not None]
