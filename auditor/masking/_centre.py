"""The centre of the records that are left, kept up to date while groups are taken out of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.masking._space import Space, SpacePoint


class RunningCentre:
    """Mean of the numbers, lower median of ordered categories, mode of nominal ones (ties: the lowest code).

    The sums of the numbers are kept in twice double precision: MDAV takes out the farthest records first, and what
    rounding a sum with them in it had lost would stay when they are gone.
    """

    def __init__(self, space: Space) -> None:
        """The centre of all records."""
        self._space = space
        self._count = space.records
        self._total = np.zeros(space.points.shape[1])
        self._lost = np.zeros(space.points.shape[1])
        self._add(space.points)
        self._levels = [np.unique(space.points[:, column], return_inverse=True) for column in space.ordered]
        self._level_counts = [np.bincount(ranks, minlength=len(values)) for values, ranks in self._levels]
        self._code_counts = [np.bincount(codes) for codes in space.codes.T]

    def remove(self, rows: NDArray[np.intp]) -> None:
        """Leave out some records from now on."""
        self._count -= len(rows)
        self._add(-self._space.points[rows])
        for (_, ranks), counts in zip(self._levels, self._level_counts, strict=True):
            np.subtract.at(counts, ranks[rows], 1)
        for codes, counts in zip(self._space.codes.T, self._code_counts, strict=True):
            np.subtract.at(counts, codes[rows], 1)

    def place(self) -> SpacePoint:
        """Where the centre lies."""
        point = (self._total + self._lost) / self._count
        for column, (values, _), counts in zip(self._space.ordered, self._levels, self._level_counts, strict=True):
            point[column] = values[np.searchsorted(np.cumsum(counts), (self._count - 1) // 2, side="right")]
        return SpacePoint(point, np.array([counts.argmax() for counts in self._code_counts], np.int32))

    def _add(self, points: NDArray[np.float64]) -> None:
        """Add points to the total, and what each addition rounded off (Knuth's two-sum) to what was lost."""
        before = np.vstack((self._total, points)).cumsum(axis=0)
        sums, before = before[1:], before[:-1]
        added = sums - before
        self._lost += ((before - (sums - added)) + (points - added)).sum(axis=0)
        self._total = sums[-1].copy()
