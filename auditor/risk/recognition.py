"""Which record of the original a released one plainly is, by what it holds, whatever else is said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from auditor.microdata import Microdata, Numeric, Variable, as_categories, side_by_side
from auditor.risk._input import Floats, standardised
from auditor.risk.own_scale import ranks
from auditor.risk.rows import row_codes

NEAR = 0.25
"""A released record plainly is the original one that it lies within this part of that one's distance to any other."""
MOST = 1.0
"""No farther than this part of a standard deviation, however far the others are, times NEAR."""
FAR = 1e3
"""So many standard deviations two categories lie apart: they are the same, or they are not."""
TRIED = 2
"""Up to so many columns of numbers every combination of reversed ones is tried."""


def recognised(original: Microdata, released: Microdata, *, as_released: bool = False) -> NDArray[np.intp]:
    """The row of the original that each row of the release plainly is, each once; −1 where it is none.

    Numbers are standardised, each table by its own mean and deviation, or, `as_released` or where the tables have not
    equally many records, both by the original's; categories are the same or not. Row y of the release is row x of the
    original where x is the nearest to y, and |y − x| ≤ NEAR · min(MOST, |x − x'|) with x' the nearest other row of the
    original. By chance that is rare: masking that moves records farther than their neighbours lie apart puts them
    anywhere, and noise that moves them less leaves them nearest to themselves. Equal rows are paired in their order.

    Raises:
        DataError: the tables have other columns.
    """
    return _plain(*_space(original, released, own=not as_released and original.records == released.records))


def recognised_by_ranks(original: Microdata, released: Microdata) -> NDArray[np.intp]:
    """As `recognised`, with the ranks of numbers in place of the numbers, and the frequencies of categories.

    So the rows are found whatever keeps the order of a column or reverses it (log x, −x, 1/x), and whatever names
    categories have. Which columns are reversed is tried where there are two of numbers; where there are more, it is
    what most rows say that are found by their distance from the middle rank, which no reversal changes. Both tables
    need about equally many records.

    Raises:
        DataError: the tables have other columns.
    """
    pairs = [(original[name], released[name]) for name in original.names]
    numbers = np.array([all(isinstance(variable, Numeric) for variable in pair) for pair in pairs])
    before, after = (
        _stacked([_ranked(v) if n else _frequencies(v) for v, n in zip(side, numbers, strict=True)])
        for side in zip(*pairs, strict=True)
    )
    tried = (_plain(before, after * signs) for signs in _reversals(before, after, numbers))
    return max(tried, key=lambda found: int((found >= 0).sum()))


def _reversals(before: Floats, after: Floats, numbers: NDArray[np.bool_]) -> Iterator[Floats]:
    signs = np.ones(len(numbers))
    places = np.flatnonzero(numbers)
    if len(places) <= TRIED:
        for each in product((1.0, -1.0), repeat=len(places)):
            signs[places] = each
            yield signs.copy()
        return
    yield signs
    found = _plain(np.where(numbers, np.abs(before), before), np.where(numbers, np.abs(after), after))
    there = found >= 0
    along = (before[found[there]] * after[there]).sum(axis=0)
    reversed_ = numbers & (along < 0)
    if reversed_.any():
        yield np.where(reversed_, -1.0, 1.0)


def _ranked(variable: Variable) -> Floats:
    """float64[n] from −1, the least value, to 1, the largest; 0 is missing, or in the middle."""
    values = variable.values if isinstance(variable, Numeric) else np.empty(0)
    there = ~np.isnan(values)
    out = np.zeros(len(values))
    out[there] = (2 * ranks(values[there]) - 1) / max(int(there.sum()), 1) - 1
    return out


def _frequencies(variable: Variable) -> Floats:
    """float64[n]: how many categories are rarer than a record's own, times FAR."""
    codes = as_categories(variable).codes
    counts = np.bincount(codes + 1)
    rarer = np.unique(counts, return_inverse=True)[1].astype(np.float64)
    return np.asarray(FAR * rarer[codes + 1])


def _plain(before: Floats, after: Floats) -> NDArray[np.intp]:
    from scipy.spatial import cKDTree

    codes, first, _ = row_codes(before)
    distinct = before[first]
    tree = cKDTree(distinct)
    found = np.full(len(after), -1, np.intp)
    if len(distinct) < 2:
        return found
    distance, place = map(np.asarray, tree.query(after))
    apart = np.asarray(tree.query(distinct, k=2)[0])[:, 1]
    plain = distance <= NEAR * np.minimum(apart, MOST)[place]
    free: list[list[int]] = [[] for _ in first]
    for row in range(len(before) - 1, -1, -1):
        free[codes[row]].append(row)
    for row in np.flatnonzero(plain).tolist():
        if free[place[row]]:
            found[row] = free[place[row]].pop()
    return found


def _space(original: Microdata, released: Microdata, *, own: bool) -> tuple[Floats, Floats]:
    pairs = [(original[name], released[name]) for name in original.names]
    both = [side_by_side(*pair) for pair in pairs]
    numbers = [all(isinstance(variable, Numeric) for variable in pair) for pair in pairs]
    columns = [_column(*side, number=number, own=own) for side, number in zip(both, numbers, strict=True)]
    return _stacked([was for was, _ in columns]), _stacked([now for _, now in columns])


def _column(was: Floats, now: Floats, *, number: bool, own: bool) -> tuple[Floats, Floats]:
    if not number:
        return FAR * np.nan_to_num(was, nan=-1.0), FAR * np.nan_to_num(now, nan=-1.0)
    return standardised(was[:, None])[:, 0], standardised(now[:, None], None if own else was[:, None])[:, 0]


def _stacked(columns: Sequence[Floats]) -> Floats:
    return np.ascontiguousarray(np.column_stack(columns))
