"""The records that are in no group yet, and which of them is farthest from a place or nearest to it, exactly and fast.

A query looks at all of them in single precision, by one product of a matrix with a vector, and computes the distances
in double precision of those alone that the first look cannot rule out.

The first look. With x a record and q the place, both centred and divided by the largest coordinate,
|x − q|² − |q|² = |x|² − 2 x·q: the rows of `_look` are the p coordinates and |x|². Rounding moves the computed sum of
p + 1 products by at most γ (|x|² + 2 |x||q|) ≤ γ (2|x|² + |q|²), where γ = (p + 1 + the roundings of the factors)
units of 2⁻²⁴. So |x|² (1 ∓ 2γ) − 2 x·q ∓ γ|q|² are bounds from below and from above, at no further cost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.masking._space import Space, SpacePoint, squared_distances

_TINY = 1e-35
"""More than single precision loses by underflow in a sum of a few products of numbers up to 1."""
_LEAST_BLOCKS = 512


class Remaining:
    """The records of a space that are left; a query breaks ties by the lowest row."""

    def __init__(self, space: Space) -> None:
        """All records are left."""
        self.count = space.records
        self._points = space.points.copy()
        self._codes = space.codes.copy()
        self._rows = np.arange(space.records)
        self._centre = space.points.mean(axis=0)
        centred = space.points - self._centre
        self._scale = float(np.abs(centred).max(initial=0.0)) or 1.0
        centred /= self._scale
        self._look = np.empty((space.points.shape[1] + 1, space.records), np.float32)
        self._look[:-1] = centred.T
        self._look[-1] = np.square(centred).sum(axis=1)
        self._look_codes = space.codes.T.copy()
        self._gamma = 2 * (space.points.shape[1] + space.codes.shape[1] + 8) * 2.0**-24

    def farthest(self, place: SpacePoint) -> int:
        """The row of the record that is farthest from a place."""
        bounds, moved = self._bounds(place, self._gamma)
        first = np.array([bounds.argmax()])
        least = self._distances(first, place)[0] / self._scale**2 - moved
        maybe = np.flatnonzero(bounds >= np.float32(least - _slack(least)))
        distances = self._distances(maybe, place)
        return int(self._rows[maybe[distances == distances.max()]].min())

    def take_nearest(self, place: SpacePoint, k: int) -> NDArray[np.intp]:
        """The rows of the k records nearest to a place; they are left no longer."""
        bounds, moved = self._bounds(place, -self._gamma)
        some = np.flatnonzero(bounds <= _at_least_kth(bounds, k))
        most = np.partition(self._distances(some, place), k - 1)[k - 1] / self._scale**2 + moved
        maybe = np.flatnonzero(bounds <= np.float32(most + _slack(most)))
        nearest = maybe[np.lexsort((self._rows[maybe], self._distances(maybe, place)))[:k]]
        rows = self._rows[nearest]
        self._drop(nearest)
        return rows

    def rest(self) -> NDArray[np.intp]:
        """The rows of all that are left."""
        return self._rows[: self.count]

    def _bounds(self, place: SpacePoint, gamma: float) -> tuple[NDArray[np.float32], float]:
        """float32[count]: bounds of (distance² / scale²) − |q|², and what else a threshold has to be moved by.

        From above with gamma, from below with −gamma; a threshold t of distance² / scale² becomes t + moved from
        below and t − moved from above, both of which already take off |q|².
        """
        centred = (place.point - self._centre) / self._scale
        square = float(centred @ centred)
        factors = np.append(-2 * centred, 1 + 2 * gamma).astype(np.float32)
        bounds = factors @ self._look[:, : self.count]
        unequal = np.float32(1 / self._scale**2)
        for codes, code in zip(self._look_codes, place.codes, strict=True):
            bounds += (codes[: self.count] != code) * unequal
        margin = abs(gamma) * (square + len(place.codes) * float(unequal)) + _TINY
        return bounds, margin - square if gamma < 0 else margin + square

    def _distances(self, positions: NDArray[np.intp], place: SpacePoint) -> NDArray[np.float64]:
        return squared_distances(self._points[positions], self._codes[positions], place)

    def _drop(self, positions: NDArray[np.intp]) -> None:
        """Fill the gaps with the last ones, so that what is left stays together."""
        left = self.count - len(positions)
        gaps = positions[positions < left]
        last = np.ones(self.count - left, np.bool_)
        last[positions[positions >= left] - left] = False
        movers = left + np.flatnonzero(last)
        for by_row in (self._points, self._codes, self._rows):
            by_row[gaps] = by_row[movers]
        for by_column in (self._look, self._look_codes):
            by_column[:, gaps] = by_column[:, movers]
        self.count = left


def _at_least_kth(values: NDArray[np.float32], k: int) -> np.float32:
    """A number that at least k of the values do not exceed, near the k-th smallest of them.

    It is the k-th smallest of the minima of interleaved blocks: far cheaper than the k-th smallest of all.
    """
    blocks = min(len(values), max(4 * k, _LEAST_BLOCKS))
    deep = len(values) // blocks
    minima = values[: deep * blocks].reshape(deep, blocks).min(axis=0)
    kth: np.float32 = np.partition(minima, k - 1)[k - 1]
    return kth


def _slack(threshold: float) -> float:
    """What rounding a threshold to single precision may move it by."""
    return float(abs(threshold) * 2.0**-22)
