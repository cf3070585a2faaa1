"""Databases that fit what is published of a few items: each shows what a pattern can be.

A pattern of which one database has nobody, or k people and more, is no channel. So a handful of databases clears nearly
all patterns of a few items, and only the rest need proofs (`_gaps`). They are looked for by integer programmes in
floating point, and each is checked in integers before it counts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from auditor.classes import BoolArray, IntArray
from auditor.interval import CountInterval

Signs = tuple[int, ...]
"""Of each item: 1 held, −1 not held, 0 not asked."""
_SECONDS = 2.0
"""How long one database is looked for."""


class Witnesses:
    """The least and the largest count of every pattern over the databases met so far.

    Args:
        cells: int64[c, items], 0 and 1: the ways to hold some items and not the others.
        rows: bool[r, c], which cells each published support adds up, and its ends.
        deadline: a time of `time.monotonic`.
    """

    def __init__(self, cells: IntArray, rows: BoolArray, ends: Sequence[CountInterval], deadline: float) -> None:
        from scipy.optimize import LinearConstraint

        self.cells, self._deadline = cells, deadline
        self._rows = csr_array(rows.astype(np.int64))
        self._low = np.array([each.low for each in ends], dtype=np.int64)
        self._high = np.array([_MOST if each.high is None else each.high for each in ends], dtype=np.int64)
        of_floats = self._rows.astype(np.float64)
        self._told = LinearConstraint(of_floats, self._low, self._high) if len(rows) else None
        shape = (3,) * cells.shape[1]
        self._least = np.full(shape, _MOST, dtype=np.int64)
        self._most = np.full(shape, -1, dtype=np.int64)
        self._met: dict[bytes, IntArray] = {}

    def _ends(self, signs: Signs) -> tuple[int, int]:
        return int(self._least[signs]), int(self._most[signs])

    def solutions(self) -> list[IntArray]:
        """The databases met, as counts of the cells."""
        return list(self._met.values())

    def clear(self, signs: Signs, least: int, *, possible: bool) -> bool:
        """Whether a database has `least` people with a pattern, or, unless it is asked for as `possible`, nobody.

        Where none that was met has, the two are looked for that have the most and the fewest.
        """
        for sign in (-1, 1) if possible else (1, -1):
            low, high = self._ends(signs)
            if high >= least or (low == 0 and not possible):
                return True
            if low > 0 or sign < 0:
                self._look(signs, sign)
        low, high = self._ends(signs)
        return high >= least or (low == 0 and not possible)

    def _look(self, signs: Signs, sign: int) -> None:
        """Look for a database with as few (sign 1) or as many (−1) people with a pattern as there can be."""
        from scipy.optimize import Bounds, milp

        left = min(_SECONDS, self._deadline - time.monotonic())
        if left <= 0:
            return
        asked = [self.cells[:, at] == (each > 0) for at, each in enumerate(signs) if each]
        weights = sign * np.logical_and.reduce(asked).astype(np.float64)
        found = milp(
            weights,
            integrality=np.ones(len(self.cells), dtype=np.int64),
            bounds=Bounds(0, max(_FAR, 2 * int(self._low.max(initial=0)))),
            constraints=self._told,
            options={"mip_rel_gap": 0.0, "time_limit": left},
        )
        if found.x is not None and np.abs(found.x).max(initial=0) < _MOST:
            self._meet(np.rint(found.x).astype(np.int64))

    def _meet(self, counts: IntArray) -> None:
        totals = np.asarray(self._rows @ counts)
        if (counts < 0).any() or (totals < self._low).any() or (totals > self._high).any():
            return
        self._met[counts.tobytes()] = counts
        table = np.zeros((2,) * self.cells.shape[1], dtype=np.int64)
        table[tuple(self.cells.T)] = counts
        for axis in range(table.ndim):
            without, holding = np.take(table, 0, axis), np.take(table, 1, axis)
            table = np.stack([without + holding, holding, without], axis)
        np.minimum(self._least, table, out=self._least)
        np.maximum(self._most, table, out=self._most)


_MOST = 2**40
_FAR = 10**6
"""So many people, or more, are looked for in one cell."""
