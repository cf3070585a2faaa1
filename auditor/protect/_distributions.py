"""Each masked column before and after, in bins of nobody or of many people: what a report draws.

A bin of few people tells a value of theirs, most of all at the ends. So bins of numbers end at round numbers that the
few smallest and largest values do not move, and are open at both ends. Neighbours become one until nobody or at least
`Crowd.least` people are in each, before and after; so do categories of fewer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from auditor.microdata import MISSING, Categorical, Microdata, Numeric
from auditor.result.masking import ColumnDistribution

MOST_BINS = 16
"""At most so many round widths lie between the ends of a column of numbers."""
MOST_CATEGORIES = 8
TAIL = 0.01
"""The share of the records that lie in each open end at least, so that a few large values do not flatten the rest."""

Codes = NDArray[np.intp]
"""The bin of each record, or MISSING."""
Sides = tuple[Codes, Codes]
"""Before and after."""


@dataclass(frozen=True)
class Crowd:
    """Whom records are of, and how many people a bin holds at least if it holds any.

    `units` is int[n], the person of each record; None where every record is one.
    """

    least: int
    units: NDArray[np.int32] | None = None

    def is_none_or_many(self, sides: Sides, low: int, high: int) -> bool:
        """Whether the bins from `low` to below `high`, taken as one, hold nobody or enough people, before and after."""
        held = (self._people((codes >= low) & (codes < high)) for codes in sides)
        return all(people == 0 or people >= self.least for people in held)

    def _people(self, records: NDArray[np.bool_]) -> int:
        return int(records.sum()) if self.units is None else len(np.unique(self.units[records]))

    def end(self, column: Numeric, *, largest: bool) -> float:
        """The number up to which, from the least on or from the largest, enough people and a tail of the records lie.

        Infinite where the column has not so many.
        """
        sign = -1.0 if largest else 1.0
        present = np.flatnonzero(~column.missing)
        values = sign * column.values[present]
        place = max(self.least, math.ceil(TAIL * len(values))) - 1
        if self.units is not None:
            order = np.argsort(values, kind="stable")
            first = np.sort(np.unique(self.units[present[order]], return_index=True)[1])
            place = max(place, int(first[self.least - 1])) if len(first) >= self.least else len(values)
        return sign * float(np.partition(values, place)[place]) if place < len(values) else math.inf


def distributions(
    before: Microdata, after: Microdata, names: Sequence[str], crowd: Crowd
) -> tuple[ColumnDistribution, ...]:
    """The columns that have at least two bins; not those that hold numbers before and categories after."""
    found: list[ColumnDistribution | None] = []
    for name in names:
        was, now = before[name], after[name]
        if isinstance(was, Numeric) and isinstance(now, Numeric):
            found.append(_of_numbers(was, now, crowd))
        elif isinstance(was, Categorical) and isinstance(now, Categorical):
            found.append(_of_categories(was, now, crowd))
    return tuple(each for each in found if each is not None)


def _of_numbers(before: Numeric, after: Numeric, crowd: Crowd) -> ColumnDistribution | None:
    edges = _edges(before, after, crowd)
    sides = _in_bins(before, edges), _in_bins(after, edges)
    cuts = _cuts(sides, len(edges) + 1, crowd)
    if len(cuts) < 3:
        return None
    place = np.searchsorted(cuts, np.arange(len(edges) + 1), side="right") - 1
    grouped = tuple(np.where(codes == MISSING, MISSING, place[codes]) for codes in sides)
    kept = tuple(float(edges[cut - 1]) for cut in cuts[1:-1])
    return _counted(before.name, (grouped[0], grouped[1]), len(cuts) - 1, edges=kept)


def _edges(before: Numeric, after: Numeric, crowd: Crowd) -> NDArray[np.float64]:
    """float64[e]: multiples of a round width, above the smaller of the low ends and up to the larger of the high."""
    low = min(crowd.end(column, largest=False) for column in (before, after))
    high = max(crowd.end(column, largest=True) for column in (before, after))
    if not 0 < high - low < math.inf:
        return np.empty(0)
    width = _round((high - low) / MOST_BINS)
    if all(_is_whole(column, crowd.least) for column in (before, after)):
        width = max(width, Decimal(1))
    first, last = (math.floor(Decimal(end) / width) for end in (low, high))
    return np.array([float(width * step) for step in range(first + 1, last + 1)])


def _is_whole(column: Numeric, least: int) -> bool:
    """Whether all but a few are whole numbers."""
    parts = np.floor(column.values) != column.values
    return int(np.count_nonzero(parts & ~column.missing)) < least


def _round(number: float) -> Decimal:
    """The least of 1, 2 and 5 times a power of ten that is not smaller."""
    power = Decimal(10) ** math.floor(math.log10(number))
    return next(digit * power for digit in (1, 2, 5, 10) if float(digit * power) >= number * (1 - 1e-9))


def _in_bins(column: Numeric, edges: NDArray[np.float64]) -> Codes:
    """Bin i holds what is at least edge i − 1 and below edge i."""
    return np.where(column.missing, MISSING, np.searchsorted(edges, column.values, side="right"))


def _cuts(sides: Sides, bins: int, crowd: Crowd) -> list[int]:
    """Where the groups of neighbours begin, and the number of bins; 0 alone where all bins together hold too few."""
    cuts = [0]
    for end in range(1, bins + 1):
        if crowd.is_none_or_many(sides, cuts[-1], end):
            cuts.append(end)
    while len(cuts) > 1 and cuts[-1] < bins:  # what is left over at the end joins those before it
        cuts.pop()
        if crowd.is_none_or_many(sides, cuts[-1], bins):
            cuts.append(bins)
    return cuts


def _of_categories(before: Categorical, after: Categorical, crowd: Crowd) -> ColumnDistribution | None:
    """The most frequent categories, and all others as one."""
    labels = list(dict.fromkeys((*before.labels, *after.labels)))
    places = {label: place for place, label in enumerate(labels)}
    sides = before.codes.astype(np.intp), _of_labels(after, places)
    counts = [np.bincount(codes[codes != MISSING], minlength=len(labels)) for codes in sides]
    frequent = sorted(np.flatnonzero(counts[0] + counts[1]).tolist(), key=lambda n: -max(counts[0][n], counts[1][n]))
    kept = [n for n in frequent[:MOST_CATEGORIES] if crowd.is_none_or_many(sides, n, n + 1)]
    while kept:
        shown = sorted(kept) if before.ordered else kept
        place = np.full(len(labels), len(kept), np.intp)
        place[shown] = np.arange(len(kept))
        grouped = tuple(np.where(codes == MISSING, MISSING, place[codes]) for codes in sides)
        if crowd.is_none_or_many((grouped[0], grouped[1]), len(kept), len(kept) + 1):
            rest = len(kept) < len(frequent)
            bins = len(kept) + rest
            names = tuple(labels[n] for n in shown)
            return _counted(before.name, (grouped[0], grouped[1]), bins, labels=names, rest=rest) if bins > 1 else None
        kept.pop()
    return None


def _of_labels(column: Categorical, places: dict[str, int]) -> Codes:
    own = np.array([*(places[label] for label in column.labels), MISSING], np.intp)
    return np.asarray(own[column.codes])


def _counted(
    name: str,
    sides: Sides,
    bins: int,
    *,
    edges: tuple[float, ...] | None = None,
    labels: tuple[str, ...] | None = None,
    rest: bool = False,
) -> ColumnDistribution:
    (before, gone), (after, lost) = ((_per_bin(codes, bins), int((codes == MISSING).sum())) for codes in sides)
    return ColumnDistribution(
        name=name,
        edges=edges,
        labels=labels,
        rest=rest,
        before=before,
        after=after,
        missing_before=gone,
        missing_after=lost,
    )


def _per_bin(codes: Codes, bins: int) -> tuple[int, ...]:
    return tuple(np.bincount(codes[codes != MISSING], minlength=bins).tolist())
