"""Which masked record is nearest to each original one, and who shares the credit: by all distances, or by a tree.

Distances are Euclidean or, `polynomial`, those of the kernel (1 + a·b)².
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from auditor.risk import _kernel
from auditor.risk._input import Floats
from auditor.risk.rows import row_codes

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
NEARLY = 0.5
"""The neighbour looked for first may be farther away than the nearest by this share: it is found much sooner."""
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

    places, first, _ = row_codes(original)
    codes, first_masked, counts = row_codes(masked)
    a, b = np.ascontiguousarray(original[first]), np.ascontiguousarray(masked[first_masked])
    s, t = _kernel.sizes(a), _kernel.sizes(b)
    norm = s if polynomial else np.sqrt(s - 1)

    def squares(points: NDArray[np.intp], rows: NDArray[np.intp]) -> Floats:
        u = np.asarray(((a[points] - b[rows]) ** 2).sum(axis=1))
        return _kernel.squared(u, s[points], t[rows]) if polynomial else u

    tree = cKDTree(b)
    near = squares(np.arange(len(a)), np.asarray(tree.query(a, eps=NEARLY, workers=-1)[1]))
    mine = squares(places, codes)
    # A record that is farther away than some other one is not the nearest. Only around the rest are all those looked
    # for that may be nearer or as near.
    linked = np.flatnonzero(mine <= _within(near, norm)[places])
    np.minimum.at(near, places[linked], mine[linked])
    bound, tied = np.zeros(len(a)), np.zeros(len(a))
    points = np.unique(places[linked])
    for start in range(0, len(points), BALLS):
        some = points[start : start + BALLS]
        within = _within(near[some], norm[some])
        if polynomial:
            of, rows = _kernel.balls(tree, a[some], b, within)
        else:
            of, rows = _kernel.members(tree, a[some], np.sqrt(within))
        distances, least = squares(some[of], rows), np.full(len(some), np.inf)
        np.minimum.at(least, of, distances)
        bound[some] = _within(least, norm[some])
        tied[some] = np.bincount(of, counts[rows] * (distances <= bound[some[of]]), minlength=len(some))
    credit = np.zeros(len(original))
    right = linked[mine[linked] <= bound[places[linked]]]
    credit[right] = 1 / tied[places[right]]
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
