"""Which masked record is nearest to each original one, and who shares the credit: by all distances, or by a tree.

Distances are Euclidean or, `polynomial`, those of the kernel (1 + a·b)².
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from auditor.risk import _kernel
from auditor.risk._checked import Floats
from auditor.risk._rows import row_codes

TIED = 1e-9
"""Distances d from a point a are tied with the least one, d₀, where d ≤ d₀ + TIED · (1 + |a| + d₀).

Coordinates are in standard deviations and carry an error of some 1e-16 of their size; records that lie at the same
distance in exact arithmetic must tie although their distances are rounded differently. For the polynomial kernel |a|
stands for 1 + |a|², the length of a in the kernel's own space.
"""
DENSE = 1_500
"""Up to so many records all distances are computed, which is cheaper than a tree; the result is the same."""
BLOCK = 1 << 16
"""How many distances are held at a time, so that they stay in the processor's cache."""
BALLS = 1 << 14
"""Around how many records neighbours are looked for at a time, so that they fit in memory."""


def credits_of_prefixes(
    original: Floats, masked: Floats, *, polynomial: bool = False, only_last: bool = False
) -> Iterator[Floats]:
    """float64[n] for the first 1, 2, …, p coordinates (or all p): each record's credit, by computing all distances."""
    records, coordinates = original.shape
    rows = max(1, BLOCK // records)
    credit = np.zeros((coordinates, records))
    for start in range(0, records, rows):
        own = np.arange(start, min(start + rows, records))
        squares = np.zeros((len(own), records))
        for place in range(coordinates):
            step = np.subtract.outer(original[own, place], masked[:, place])
            squares += np.square(step, out=step)
            if only_last and place < coordinates - 1:
                continue
            s = _kernel.sizes(original[own, : place + 1])
            if polynomial:
                credit[place, own] = _polynomial_credits(squares, own, s, _kernel.sizes(masked[:, : place + 1]))
            else:
                credit[place, own] = _credits(squares, own, np.sqrt(s - 1))
    yield from credit[-1:] if only_last else credit


def credits_by_tree(original: Floats, masked: Floats, *, polynomial: bool = False) -> Floats:
    """float64[n]: each original record's credit, by a k-d tree over the distinct masked rows."""
    from scipy.spatial import cKDTree

    codes, first, counts = row_codes(masked)
    distinct = np.ascontiguousarray(masked[first])
    tree = cKDTree(distinct)
    neighbour = np.asarray(tree.query(original, workers=-1)[1])
    s, t = _kernel.sizes(original), _kernel.sizes(distinct)

    def squares(records: NDArray[np.intp] | slice, rows: NDArray[np.intp]) -> Floats:
        u = np.asarray(((original[records] - distinct[rows]) ** 2).sum(axis=1))
        return _kernel.squared(u, s[records], t[rows]) if polynomial else u

    norm = s if polynomial else np.sqrt(s - 1)
    mine, within = squares(slice(None), codes), _within(squares(slice(None), neighbour), norm)
    credit = np.zeros(len(original))
    # A record farther away than some other one is not the nearest; around the rest, all that are nearer are looked for.
    linked = np.flatnonzero(mine <= within)
    for start in range(0, len(linked), BALLS):
        some = linked[start : start + BALLS]
        if polynomial:
            of, rows = _kernel.balls(tree, original[some], distinct, within[some])
        else:
            of, rows = _kernel.members(tree, original[some], np.sqrt(within[some]))
        distances, least = squares(some[of], rows), np.full(len(some), np.inf)
        np.minimum.at(least, of, distances)
        bound = _within(least, norm[some])
        tied = np.bincount(of, counts[rows] * (distances <= bound[of]), minlength=len(some))
        credit[some] = np.where(mine[some] <= bound, 1 / tied, 0)
    return credit


def _within(least: Floats, norm: Floats) -> Floats:
    """float64[n]: the largest squared distance that is tied with the least, itself squared, from points of a norm."""
    root = np.sqrt(least)
    return np.asarray((root + TIED * (1 + norm + root)) ** 2)


def _credits(squares: Floats, own: NDArray[np.intp], norm: Floats) -> Floats:
    """float64[m]: the credit of the records `own`, from their squared distances to all masked ones."""
    within = _within(squares.min(axis=1), norm)
    linked = np.flatnonzero(squares[np.arange(len(own)), own] <= within)
    credit = np.zeros(len(own))
    credit[linked] = 1 / np.count_nonzero(squares[linked] <= within[linked, None], axis=1)
    return credit


def _polynomial_credits(squares: Floats, own: NDArray[np.intp], s: Floats, t: Floats) -> Floats:
    """The same by the kernel, worked out only for records that are not farther away than the Euclidean neighbour."""
    everyone, neighbour = np.arange(len(own)), squares.argmin(axis=1)
    mine = _kernel.squared(squares[everyone, own], s, t[own])
    near = _kernel.squared(squares[everyone, neighbour], s, t[neighbour])
    some = np.flatnonzero(mine <= _within(near, s))
    credit = np.zeros(len(own))
    if len(some):
        credit[some] = _credits(_kernel.squared(squares[some], s[some, None], t), own[some], s[some])
    return credit
