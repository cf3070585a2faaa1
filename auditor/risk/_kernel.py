"""Distances of the polynomial kernel k(a, b) = (1 + a·b)², and how far away a record at such a distance can lie.

The square of the distance is k(a,a) − 2 k(a,b) + k(b,b). With s = 1 + |a|², t = 1 + |b|² and u = |a − b|² that is
(s − t)²/2 + u (s + t − u/2), a sum that loses no digits, because s + t − u/2 = 2 + |a + b|²/2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from auditor.risk._input import Floats

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

HALVINGS = 60
"""How often an interval is halved to find a radius: more often than a float64 has digits."""
ROUNDING = 1e-9
"""By how much of itself a radius is enlarged, so that rounding leaves nobody out."""


def sizes(table: Floats) -> Floats:
    """float64[n]: 1 + |a|², the length of a in the kernel's own space."""
    return np.asarray(1 + (table**2).sum(axis=1))


def squared(u: Floats, s: Floats, t: Floats) -> Floats:
    """The squared distances of the kernel, of the shape that u, s and t have together."""
    return np.asarray((s - t) ** 2 / 2 + u * (s + t - u / 2))


def balls(
    tree: cKDTree, points: Floats, distinct: Floats, squares: Floats
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs (point, row) of the tree's rows that lie within the given squared distances of the kernel, and some others.

    To the kernel −a lies nearly as near as a itself, so both are looked around. With α = |a|:

    - a·b ≥ 0 and |a − b| = w: |a + b| is at least α, w and 2α − w, so the square at least w² (2 + max(w, 2α − w)²/2);
    - a·b < 0 and |a + b| = w: |a − b| is at least α and w, so the square at least max(α, w)² (2 + w²/2).

    Both bounds grow with w, so each is reached at one radius.
    """
    norm = np.sqrt((points**2).sum(axis=1))
    around = _reach(lambda w: w**2 * (2 + np.maximum(w, 2 * norm - w) ** 2 / 2), squares)
    behind = _reach(lambda w: np.maximum(norm, w) ** 2 * (2 + w**2 / 2), squares)
    facing, opposite = np.arange(len(points)), np.flatnonzero(2 * norm**2 <= squares)
    same = members(tree, points, around)
    other = members(tree, -points[opposite], behind[opposite])
    pairs = [(facing[same[0]], same[1], True), (opposite[other[0]], other[1], False)]
    kept = []
    for of, rows, is_facing in pairs:
        keep = ((points[of] * distinct[rows]).sum(axis=1) >= 0) == is_facing
        kept.append((of[keep], rows[keep]))
    return np.concatenate([of for of, _ in kept]), np.concatenate([rows for _, rows in kept])


def members(tree: cKDTree, points: Floats, radii: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs (point, row) of the tree's rows that lie within Euclidean balls around the points."""
    if not len(points):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    found = tree.query_ball_point(points, radii * (1 + ROUNDING), workers=-1)
    lengths = np.array([len(ball) for ball in found])
    return np.repeat(np.arange(len(points)), lengths), np.concatenate(found).astype(np.intp)


def _reach(bound: Callable[[Floats], Floats], squares: Floats) -> Floats:
    """float64[m]: the largest w with bound(w) ≤ squares; the bound grows with w and is at least 2 w²."""
    low, high = np.zeros(len(squares)), np.sqrt(squares / 2)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        inside = bound(middle) <= squares
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return high
