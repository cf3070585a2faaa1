"""Linear programmes solved exactly: the simplex method on a table of integers.

The programme is over variables x = (z, w), the structural z₀ … z_{p−1} and one w_t = (B z)_t for each row:

    minimise c·x   subject to   B z − w = 0,   low ≤ x ≤ high      (either end of a bound may be missing)

An equation is a row whose w has equal ends. The table is T = D·(basis)⁻¹[−B | I] with one common denominator D, the
determinant of the basis, so that every entry stays an integer (Edmonds 1967; Bareiss 1968, doi:10.1090/S0025-5718-1968-
0226829-0; "integer pivoting" in Avis's lrs). Entries live in int64 while they provably fit, and in Python's integers
otherwise; nothing is ever rounded. Ties are broken by the least index once progress stalls, so that it ends (Bland
1977, doi:10.1287/moor.2.2.103).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from copy import copy
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

IntArray = NDArray[np.int64]
Table = NDArray[Any]
Ends = tuple[int | None, int | None]

_FITS = 2**30
"""Entries below it can be multiplied and added in int64: 2·(2³⁰)² < 2⁶³."""

_STALLED = 40
"""So many steps without progress, and the least index decides."""

MAX_TABLE = 8_000_000
"""The most entries a table may have (64 MB of int64, and a few times that while it changes)."""


class Termination(Enum):
    """How a programme ended."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    UNFINISHED = "unfinished"
    """The deadline passed."""


class Simplex:
    """A vertex of a polytope, and the way to better ones.

    Args:
        rows: int64[m, p], the matrix B.
        row_ends: the ends of each row's w.
        ends: the ends of each z.

    After a call of `minimise` the point can be read with `point`, and the multipliers that prove it with `multipliers`.
    """

    def __init__(self, rows: csr_array, row_ends: Sequence[Ends], ends: Sequence[Ends]) -> None:
        self.answers, self.structural = rows.shape
        self.table: Table = np.hstack([-rows.toarray(), np.eye(self.answers, dtype=np.int64)])
        self._keep_small()
        self.denominator = 1
        self.low = [low for low, _ in ends] + [low for low, _ in row_ends]
        self.high = [high for _, high in ends] + [high for _, high in row_ends]
        self.basis: IntArray = np.arange(self.structural, self.structural + self.answers)
        self.row_of: IntArray = np.full(self.structural + self.answers, -1, dtype=np.int64)
        self.row_of[self.basis] = np.arange(self.answers)
        self.at: list[int] = [_start(low, high) for low, high in zip(self.low, self.high, strict=True)]
        self.rises, self.falls = (np.zeros(len(self.at), dtype=np.bool_) for _ in range(2))
        for variable in range(self.structural):
            self._stand(variable, self.at[variable])
        self.values: Table = self._basic_values()
        self.costs: Table = np.zeros(0, dtype=np.int64)

    def clone(self) -> Simplex:
        """Another vertex to move on its own."""
        other = copy(self)
        for name in ("table", "basis", "row_of", "values", "rises", "falls"):
            setattr(other, name, getattr(self, name).copy())
        other.low, other.high, other.at = list(self.low), list(self.high), list(self.at)
        return other

    def restrict(self, variable: int, low: int | None, high: int | None) -> None:
        """Give a variable other ends; the next `minimise` finds a vertex within them."""
        self.low[variable], self.high[variable] = low, high
        if self.row_of[variable] < 0:
            kept = self.at[variable]
            moved = low if low is not None and kept < low else high if high is not None and kept > high else kept
            if moved not in (low, high):
                moved = _start(low, high)
            self.values = self.values - self.table[:, variable].astype(object) * (moved - kept)
            self._stand(variable, moved)

    def minimise(self, cost: Mapping[int, int], deadline: float = math.inf) -> Termination:
        """Move to a vertex where c·x is least; `cost` maps variables to their cⱼ.

        `deadline` is a time of `time.monotonic`.
        """
        outcome = self._feasible(deadline)
        return self._descend(cost, deadline) if outcome is Termination.OPTIMAL else outcome

    def value(self, variable: int) -> Fraction:
        """What a variable is at this vertex."""
        row = self.row_of[variable]
        return Fraction(self.at[variable]) if row < 0 else Fraction(int(self.values[row]), self.denominator)

    def point(self) -> list[Fraction]:
        """The z of this vertex."""
        return [self.value(variable) for variable in range(self.structural)]

    def multipliers(self) -> dict[int, Fraction]:
        """The y_t ≠ 0, by row, with c·z = Σ y_t w_t + Σ dⱼ zⱼ where dⱼ ≥ 0 unless zⱼ is at its high end, then ≤ 0.

        Of the last `minimise` that was optimal. Where none was feasible, Σ y_t w_t + Σ dⱼ zⱼ is above 0 for any values
        within the ends although it is identically 0 (Farkas).
        """
        of_rows = self.costs[self.structural :]
        return {int(t): Fraction(int(of_rows[t]), self.denominator) for t in np.flatnonzero(of_rows)}

    def _feasible(self, deadline: float) -> Termination:
        """Reduce the sum of what basic variables are beyond their ends to zero."""
        stalled = 0
        while outside := self._outside():
            if time.monotonic() > deadline:
                return Termination.UNFINISHED
            self.costs = self._reduced(outside)
            entering = self._entering(bland=stalled > _STALLED)
            if entering < 0:
                return Termination.INFEASIBLE
            stalled = 0 if self._step(entering, outside, bland=stalled > _STALLED) else stalled + 1
        return Termination.OPTIMAL

    def _descend(self, cost: Mapping[int, int], deadline: float) -> Termination:
        stalled = 0
        while True:
            self.costs = self._reduced(cost)
            entering = self._entering(bland=stalled > _STALLED)
            if entering < 0:
                return Termination.OPTIMAL
            if time.monotonic() > deadline:
                return Termination.UNFINISHED
            moved = self._step(entering, {}, bland=stalled > _STALLED)
            if moved is None:
                return Termination.UNBOUNDED
            stalled = 0 if moved else stalled + 1

    def _outside(self) -> dict[int, int]:
        """Variables beyond an end: −1 where too low, 1 where too high; their sum is what is left to repair."""
        found = {}
        for row, variable in enumerate(self.basis.tolist()):
            low, high, value = self.low[variable], self.high[variable], self.values[row]
            if low is not None and value < low * self.denominator:
                found[variable] = -1
            elif high is not None and value > high * self.denominator:
                found[variable] = 1
        return found

    def _reduced(self, cost: Mapping[int, int]) -> Table:
        """D·(cⱼ − c_basis · Tⱼ/D), the change of c·x for each unit of a variable outside the basis."""
        costs: Table = np.zeros(self.table.shape[1], dtype=self.table.dtype)
        for variable, weight in cost.items():
            row = self.row_of[variable]
            if row < 0:
                costs[variable] += weight * self.denominator
            else:
                costs -= weight * self.table[row]
        costs[self.basis] = 0
        return costs

    def _entering(self, *, bland: bool) -> int:
        """A variable outside the basis whose move lowers the cost, or −1."""
        candidates = np.flatnonzero(((self.costs < 0) & self.rises) | ((self.costs > 0) & self.falls))
        if not len(candidates):
            return -1
        return int(candidates[0] if bland else candidates[np.abs(self.costs[candidates]).argmax()])

    def _step(self, entering: int, outside: Mapping[int, int], *, bland: bool) -> bool | None:
        """Move a variable until something stops it; whether anything changed, None where nothing stops it."""
        up = self.costs[entering] < 0
        target = self.high[entering] if up else self.low[entering]
        row, length, end = self._blocking(entering, up, outside, bland=bland)
        if target is not None and (row < 0 or abs(target - self.at[entering]) < length):
            self.values = self.values - self.table[:, entering].astype(object) * (target - self.at[entering])
            self._stand(entering, target)
            return True
        if row < 0:
            return None
        self._pivot(row, entering, end)
        return length > 0

    def _blocking(
        self, entering: int, up: bool, outside: Mapping[int, int], *, bland: bool
    ) -> tuple[int, Fraction, int]:
        """The row that stops the move first, how far that is, and the end it stops at."""
        column = self.table[:, entering]
        found, least, stop, key = -1, Fraction(0), 0, (0, 0)
        for row in np.flatnonzero(column).tolist():
            entry = int(column[row])
            rate = -entry if up else entry
            variable = int(self.basis[row])
            end = self._end_ahead(variable, rate > 0, outside.get(variable, 0))
            if end is None:
                continue
            length = Fraction(end * self.denominator - int(self.values[row]), rate)
            rank = (0 if bland else abs(entry), variable)
            if found < 0 or length < least or (length == least and rank < key):
                found, least, stop, key = row, length, end, rank
        return found, least, stop

    def _end_ahead(self, variable: int, rising: bool, beyond: int) -> int | None:
        """Where a moving basic variable is stopped; one that is beyond an end is stopped when it gets back to it."""
        if beyond < 0:
            return self.low[variable] if rising else None
        if beyond > 0:
            return None if rising else self.high[variable]
        return self.high[variable] if rising else self.low[variable]

    def _pivot(self, row: int, entering: int, end: int) -> None:
        """Exchange the basic variable of a row, which leaves at `end`, for the entering one."""
        leaving = int(self.basis[row])
        column = self.table[:, entering].copy()
        pivot, sign = int(column[row]), 1 if column[row] > 0 else -1
        values = self.values + column.astype(object) * self.at[entering]
        kept, kept_value = self.table[row].copy(), values[row]
        column[row] = 0
        values = (values * pivot - column.astype(object) * kept_value) // self.denominator * sign
        values[row] = kept_value * sign
        self._eliminate(column, kept, pivot)
        self.table[row] = kept * sign
        self.denominator = abs(pivot)
        self._keep_small()
        self.basis[row], self.row_of[entering], self.row_of[leaving] = entering, row, -1
        self.rises[entering] = self.falls[entering] = False
        self._stand(leaving, end)
        self.values = values - self.table[:, leaving].astype(object) * end

    def _eliminate(self, column: Table, kept: Table, pivot: int) -> None:
        """T ← (T·pivot − column ⊗ kept)/D with the sign of the pivot; the division is exact, and |T| < 2³⁰ in int64."""
        sign = 1 if pivot > 0 else -1
        if abs(pivot) == self.denominator:
            block = np.ix_(np.flatnonzero(column), np.flatnonzero(kept))
            outer = np.outer(column[block[0][:, 0]], kept[block[1][0]])
            self.table[block] -= outer * sign // self.denominator
        else:
            self.table = (self.table * pivot - np.outer(column, kept)) // (self.denominator * sign)

    def _stand(self, variable: int, value: int) -> None:
        """Put a variable outside the basis at a value, and note where it may move."""
        low, high = self.low[variable], self.high[variable]
        self.at[variable] = value
        self.rises[variable] = high is None or value < high
        self.falls[variable] = low is None or value > low

    def _keep_small(self) -> None:
        """Int64 where the next pivot cannot overflow, Python's integers otherwise."""
        largest = max(int(self.table.max(initial=0)), -int(self.table.min(initial=0)))
        wanted = np.dtype(np.int64) if largest < _FITS else np.dtype(object)
        if self.table.dtype != wanted:
            self.table = self.table.astype(wanted)

    def _basic_values(self) -> Table:
        """D·(the value of each basic variable), from those outside the basis."""
        outside = np.flatnonzero(self.row_of < 0)
        values: Table = np.zeros(self.answers, dtype=object)
        for variable in outside.tolist():
            if self.at[variable]:
                values = values - self.table[:, variable].astype(object) * self.at[variable]
        return values


def _start(low: int | None, high: int | None) -> int:
    """Where a variable outside the basis stands at first."""
    return low if low is not None else high if high is not None else 0
