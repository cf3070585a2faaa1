"""Columns that a file does not name, found in the data: those of a crosstab's labels, and that of a statistic.

`pandas.crosstab(age, sex).to_csv()` writes the values of `sex` and not its name; ``groupby("zip")["cost"].mean()``
does not write `cost`. With data, the column is the one that the labels, or the numbers, fit; where none or several do,
nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from auditor.errors import NotEvaluated
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
    called,
)
from auditor.outputs.published.spans import span_of
from auditor.outputs.published.values import number_of, sum_slack

FOUND = "a column that the file does not name was found in the data by its values"
NOT_FOUND = "a column that the file does not name matches none of the data's columns, or several: name it in the file"
MOST_CELLS = 200
"""So many cells are compared; a column that fits all of them and is another one would have to be its copy."""


def named(output: Published, counts: Counts) -> Published:
    """The output with the names of its columns, where the data tells them; else it is unread."""
    if not isinstance(output, FrequencyTable | GroupStatistics):
        return output
    for place in [place for place, name in enumerate(output.by) if _is_unnamed(name)]:
        fits = list(_with_labels(output, place, counts)) or list(_with_intervals(output, place, counts))
        output = _one(output, [_by(output, place, name) for name in fits], counts)
    if (
        isinstance(output, MagnitudeTable | GroupStatistics)
        and _is_unnamed(output.of)
        and not any(map(_is_unnamed, output.by))
    ):
        others = [name for name in sorted(counts.names) if name not in output.by]
        output = _one(output, [replace(output, of=name) for name in others if _is_numeric(name, counts)], counts)
    return output


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
        if whole and cell.count is not None and not isinstance(output, MagnitudeTable):
            return counts.count(group) == cell.count
        stated: tuple[tuple[str, Stated], ...] = () if cell.sum is None else (("sum", cell.sum),)
    else:
        stated = cell.values
    of = output.of if isinstance(output, MagnitudeTable | GroupStatistics) else UNNAMED
    return _is_unnamed(of) or not whole or _met(stated, _values(of, group, counts), counts.roundoff(of))


def _met(stated: Iterable[tuple[str, Stated]], values: list[tuple[Fraction, int]], roundoff: Fraction) -> bool:
    """Whether the sum, the mean and the ends of these values, each with its number of records, are as stated."""
    n, total = sum(times for _, times in values), sum((value * times for value, times in values), Fraction(0))
    if not n:
        return False
    known = {"sum": total, "min": min(values)[0], "max": max(values)[0], **dict.fromkeys(SHARES, total / n)}
    known |= dict.fromkeys(PERCENT, 100 * total / n)
    of_sum = sum_slack(n, sum((abs(value) * times for value, times in values), Fraction(0)), roundoff)
    slack = {"sum": of_sum, **dict.fromkeys(SHARES, of_sum / n), **dict.fromkeys(PERCENT, 100 * of_sum / n)}
    return all(number.is_met_by(known[name], slack.get(name, Fraction(0))) for name, number in stated if name in known)


def _values(name: str, group: Group, counts: Counts) -> list[tuple[Fraction, int]]:
    """The distinct numbers of a column in a group, and how many records have each."""
    codes = counts.column(name)[1]
    times = np.bincount(codes[counts.members(group)], minlength=len(counts.column(name)[0]))
    numbers = counts.amounts(name)
    return [(number, int(n)) for number, n in zip(numbers, times, strict=True) if n and number is not None]
