"""Which masked record is nearest to each original one, in a space of Euclidean distances, and who shares the credit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from auditor.risk._checked import Floats
from auditor.risk._rows import row_codes

TIED = 1e-9
"""Distances d from a point a are tied with the least one, d₀, where d ≤ d₀ + TIED · (1 + |a| + d₀).

Coordinates are in standard deviations and carry an error of some 1e-16 of their size; records that lie at the same
distance in exact arithmetic must tie although their distances are rounded differently.
"""
DENSE = 3_000
"""Up to so many records all distances are computed, which is cheaper than a tree; the result is the same."""
BLOCK = 1 << 16
"""How many distances are held at a time, so that they stay in the processor's cache."""


def radius(least: Floats, norm: Floats) -> Floats:
    """float64[n]: the largest distance that is tied with the least one, from points of the given norms."""
    return np.asarray(least + TIED * (1 + norm + least))


def credits_of_prefixes(original: Floats, masked: Floats, *, polynomial: bool = False) -> Iterator[Floats]:
    """float64[n] for the first 1, 2, …, p coordinates: each original record's credit, by computing all distances.

    The distances are Euclidean or, `polynomial`, those of the kernel (1 + a·b)².
    """
    records, coordinates = original.shape
    rows = max(1, BLOCK // records)
    credit = np.empty((coordinates, records))
    for start in range(0, records, rows):
        part = slice(start, min(start + rows, records))
        squares = np.zeros((part.stop - start, records))
        sizes, masked_sizes = np.zeros(part.stop - start), np.zeros(records)
        for place in range(coordinates):
            step = np.subtract.outer(original[part, place], masked[:, place])
            squares += np.square(step, out=step)
            sizes += original[part, place] ** 2
            masked_sizes += masked[:, place] ** 2
            if polynomial:
                distances, norm = _polynomial(squares, sizes, masked_sizes), 1 + sizes
            else:
                distances, norm = squares, np.sqrt(sizes)
            credit[place, part] = _credit_of_block(distances, norm, start)
    yield from credit


def _polynomial(squares: Floats, sizes: Floats, masked_sizes: Floats) -> Floats:
    """k(a,a) − 2 k(a,b) + k(b,b) for k = (1 + a·b)², from |a − b|², |a|² and |b|², without cancellation.

    With s = 1 + |a|², t = 1 + |b|² and u = |a − b|² it is (s − t)²/2 + u (s + t − u/2), and the last factor is at
    least 2.
    """
    return np.asarray(
        np.subtract.outer(sizes, masked_sizes) ** 2 / 2
        + squares * (2 + np.add.outer(sizes, masked_sizes) - squares / 2)
    )


def _credit_of_block(squares: Floats, norm: Floats, start: int) -> Floats:
    """float64[rows]: the credit of some original records, from their squared distances to all masked ones."""
    within = radius(np.sqrt(squares.min(axis=1)), norm) ** 2
    own = squares[np.arange(len(squares)), np.arange(start, start + len(squares))]
    credit = np.zeros(len(squares))
    linked = np.flatnonzero(own <= within)
    credit[linked] = 1 / np.count_nonzero(squares[linked] <= within[linked, None], axis=1)
    return credit


def credits_by_tree(original: Floats, masked: Floats) -> Floats:
    """float64[n]: each original record's credit by Euclidean distance, by a k-d tree over the distinct masked rows."""
    from scipy.spatial import cKDTree

    codes, first, counts = row_codes(masked)
    distinct = masked[first]
    tree = cKDTree(distinct)
    least = np.asarray(tree.query(original, workers=-1)[0])
    norm = np.sqrt((original**2).sum(axis=1))
    within = radius(least, norm)
    own = np.sqrt(((original - distinct[codes]) ** 2).sum(axis=1))
    linked = np.flatnonzero(own <= within)
    credit = np.zeros(len(original))
    if len(linked):
        credit[linked] = 1 / _members(tree.query_ball_point(original[linked], within[linked]), counts)
    return credit


def _members(balls: NDArray[np.object_], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[m]: how many masked records the balls hold, given the distinct rows in each."""
    starts = np.cumsum([0, *(len(ball) for ball in balls[:-1])])
    return np.add.reduceat(counts[np.concatenate(balls).astype(np.intp)], starts)
