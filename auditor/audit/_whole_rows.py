"""Rows of the original that a release holds whole as other records, more of them than its masking puts there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from auditor.microdata import Microdata, Numeric, side_by_side

Rows = NDArray[np.float64]
Places = NDArray[np.intp]
Find = Callable[[Microdata, Microdata], Places]
TRIES = 4
"""Chance is what so many releases hold of which each column is mixed on its own."""
NEARBY = 10
"""A column is mixed among so many records of about the same original value: masking keeps values there, too."""


def columns_of(one: Microdata, other: Microdata) -> tuple[Rows, Rows]:
    """Both tables as float64[n, p] that are equal where their values are."""
    was, now = zip(*(side_by_side(one[name], other[name]) for name in one.names), strict=True)
    return np.column_stack(was), np.column_stack(now)


def by_rows(was: Rows, now: Rows) -> Places:
    """The row of the original that each row of the release equals, each once, in order; −1 where it equals none."""
    from auditor.risk.rows import row_codes

    codes, _, _ = row_codes(was, now)
    free: dict[int, list[int]] = {}
    for row in range(len(was) - 1, -1, -1):
        free.setdefault(int(codes[row]), []).append(row)
    found = np.full(len(now), -1, np.intp)
    for place, code in enumerate(codes[len(was) :].tolist()):
        if free.get(code):
            found[place] = free[code].pop()
    return found


def whole_elsewhere(one: Microdata, other: Microdata, rows: Places, find: Find | None = None) -> Places:
    """The row of the original that each row of the release is, most beyond chance as other records; −1 where none.

    `rows` says which row of the original each row of the release is said to be. Counted are rows that differ in two
    columns from the one that they are said to be, for who exchanges a single column makes rows of the original out of
    it; chance is how many there are when each column is mixed on its own among records with about its value. In a table
    of one column of numbers, chance is how many of the numbers between the least and the largest the original holds.
    All are −1 where chance explains the count. `find` finds rows that are not equal (`auditor.risk.recognition`).
    """
    from auditor.risk.own_scale import beyond_chance

    nothing = np.full(other.records, -1, np.intp)
    share = _share(one, other, rows, find)
    if len(one.names) == 1:
        chance = _occupied(one, other)
    else:
        tries = TRIES if find is None else 1
        draw = np.random.default_rng(0)
        mixed = [_share(one, _mixed(one, other, rows, draw), rows, find) for _ in range(tries)] if share else []
        chance = (sum(mixed) + 1 / max(other.records, 1)) / tries
    if not beyond_chance(share, chance, other.records):
        return nothing
    return find(one, other) if find is not None else _in_place_first(*columns_of(one, other), rows)


def _share(one: Microdata, other: Microdata, rows: Places, find: Find | None) -> float:
    """The share of rows of the release that are rows of the original, but not the one that they are said to be."""
    was, now = columns_of(one, other)
    two = min(2, was.shape[1])
    if find is not None:
        found = find(one, other)
        there = np.flatnonzero(found >= 0)
        return float((_differing(was[found[there]], was[rows[there]]) >= two).sum()) / max(len(now), 1)
    from auditor.risk.rows import row_codes

    differing = _differing(now, was[rows])
    free = np.ones(len(was), np.bool_)
    free[rows[differing == 0]] = False
    codes, first, _ = row_codes(was[free], now[differing >= two])
    mine, theirs = (np.bincount(part, minlength=len(first)) for part in np.split(codes, [int(free.sum())]))
    return float(np.minimum(mine, theirs).sum()) / max(len(now), 1)


def _differing(one: Rows, other: Rows) -> NDArray[np.intp]:
    """In how many columns rows differ; missing equals missing."""
    return np.asarray(((one != other) & ~(np.isnan(one) & np.isnan(other))).sum(axis=1), np.intp)


def _in_place_first(was: Rows, now: Rows, rows: Places) -> Places:
    """As `by_rows`; a row that is the one that it is said to be is no other one."""
    own = _differing(now, was[rows]) == 0
    free = np.setdiff1d(np.arange(len(was)), rows[own])
    found = np.where(own, rows, -1)
    left = np.flatnonzero(~own)
    others = by_rows(was[free], now[left])
    found[left[others >= 0]] = free[others[others >= 0]]
    return found


def _mixed(one: Microdata, other: Microdata, rows: Places, draw: np.random.Generator) -> Microdata:
    """The release with each column mixed on its own among the records that had about the same value."""

    def order(name: str) -> Places:
        values = side_by_side(one[name], other[name])[0][rows]
        ranked = np.lexsort((draw.random(len(values)), values))
        out = np.empty(len(values), np.intp)
        out[ranked] = ranked[np.argsort(np.arange(len(values)) + draw.uniform(0, NEARBY, len(values)))]
        return out

    return Microdata(tuple(Microdata((each,)).rows(order(each.name))[each.name] for each in other.variables))


def _occupied(one: Microdata, other: Microdata) -> float:
    """The share of the numbers that a column could hold which its original holds, by the least step between numbers."""
    (was,), (now,) = one.variables, other.variables
    if not (isinstance(was, Numeric) and isinstance(now, Numeric)):
        return 1.0
    own = np.unique(was.values[~was.missing])
    both = np.unique(np.concatenate((own, now.values[~now.missing])))
    if len(both) < 2:
        return 1.0
    return float(min(1.0, len(own) / ((both[-1] - both[0]) / np.diff(both).min() + 1)))
