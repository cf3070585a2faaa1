"""A sparse integer programme, written down row by row and solved by HiGHS, each independent part of it on its own.

HiGHS: Huangfu & Hall 2018, doi:10.1007/s12532-017-0130-5, through `scipy.optimize.milp`. Two parts are independent
where no row has a variable of both: then the least of the whole is the sum of theirs, and so is what is proved of it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Places = NDArray[np.int64]
Floats = NDArray[np.float64]
Matrix: TypeAlias = "csr_array[np.float64]"
Term = tuple[int, float]
"""A variable and its coefficient."""
INFEASIBLE = 2
"""The status of `milp` for a programme without a solution."""
MOST_TERMS = 1_500_000
"""HiGHS takes minutes for larger ones before it looks at its time limit."""
LEAST_SECONDS = 0.05
"""What each attempt gets, at least, however many there are."""
WHOLE_SHARE, LEADING_SHARE = 0.4, 0.7
"""Of a part's time: for all of it at once; of what is then left, for its leading variables."""


@dataclass(frozen=True)
class Solved:
    """The best that was found (None where nothing was), its cost, and the least that any solution can cost."""

    values: NDArray[np.int64] | None
    objective: float
    bound: float
    feasible: bool

    @property
    def proved(self) -> bool:
        """Whether nothing costs less."""
        return self.values is not None and self.objective - self.bound < 1 - TOLERANCE


TOLERANCE = 1e-4
"""Costs are whole numbers, so a bound that is less than 1 below one proves it."""


class TooLarge(Exception):  # noqa: N818  (an outcome within this room, no error that a user meets)
    """A programme has more terms than can be solved, or cannot be written down in the time."""


class Programme:
    """min Σ cost · x with rows low ≤ Σ a · x ≤ high and 0 ≤ x ≤ upper; every variable whole unless said otherwise."""

    def __init__(self) -> None:
        self._cost: list[float] = []
        self._upper: list[float] = []
        self._whole: list[int] = []
        self._leading: list[int] = []
        self._low: list[float] = []
        self._high: list[float] = []
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._values: list[float] = []

    def variable(self, cost: float, upper: float, *, whole: bool = True, leading: bool = False) -> int:
        """A new variable; its number. With the `leading` ones fixed, the rest of a hard programme is easy."""
        self._cost.append(cost)
        self._upper.append(upper)
        self._whole.append(int(whole))
        self._leading.append(int(leading))
        return len(self._cost) - 1

    def row(self, terms: Iterable[Term], *, low: float = -math.inf, high: float = math.inf) -> None:
        """A new row; `TooLarge` where there are too many terms."""
        for column, value in terms:
            self._rows.append(len(self._low))
            self._columns.append(column)
            self._values.append(value)
        self._low.append(low)
        self._high.append(high)
        if len(self._values) > MOST_TERMS:
            raise TooLarge

    def reach(self, terms: Iterable[Term]) -> float:
        """The most that a sum with positive coefficients can be."""
        return sum(value * self._upper[column] for column, value in terms)

    def solve(self, deadline: float = math.inf) -> Solved:
        """The least cost, as far as it can be found and proved before `deadline` (on the monotonic clock)."""
        matrix = self._matrix()
        parts = self._parts(matrix)
        values = np.zeros(len(self._cost), dtype=np.int64)
        objective = bound = 0.0
        complete = feasible = True
        for done, (columns, rows) in enumerate(parts):
            left = max(LEAST_SECONDS, (deadline - time.monotonic()) / (len(parts) - done))
            found = self._solve_part(matrix, columns, rows, left)
            feasible = feasible and found.feasible
            complete = complete and found.values is not None
            objective += found.objective
            bound += found.bound
            if found.values is not None:
                values[columns] = found.values
        return Solved(values if complete else None, objective, bound, feasible)

    def _matrix(self) -> Matrix:
        from scipy.sparse import csr_array

        places = (np.array(self._rows, dtype=np.int64), np.array(self._columns, dtype=np.int64))
        return csr_array((np.array(self._values), places), shape=(len(self._low), len(self._cost)))

    def _parts(self, matrix: Matrix) -> list[tuple[Places, Places]]:
        """The variables and rows of each independent part, small ones first."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        _, width = matrix.shape
        places = matrix.tocoo()
        edges = (np.ones(matrix.nnz), (places.coords[1], places.coords[0] + width))
        graph = coo_array(edges, shape=(sum(matrix.shape), sum(matrix.shape)))
        count, labels = connected_components(graph, directed=False)
        order = np.argsort(labels, kind="stable")
        ends = np.searchsorted(labels[order], np.arange(1, count))
        parts = [(part[part < width], part[part >= width] - width) for part in np.split(order, ends)]
        return sorted(parts, key=lambda part: len(part[0]))

    def _solve_part(self, matrix: Matrix, columns: Places, rows: Places, seconds: float) -> Solved:
        """One part: as a whole and, where that takes too long, its leading variables first."""
        part = _Part(
            cost=_chosen(self._cost, columns),
            whole=_chosen(self._whole, columns),
            upper=_chosen(self._upper, columns),
            matrix=matrix[rows][:, columns],
            low=_chosen(self._low, rows),
            high=_chosen(self._high, rows),
        )
        leading = _chosen(self._leading, columns)
        if not leading.any():
            return part.solve(part.whole, part.upper, seconds)
        started = time.monotonic()
        found = part.solve(part.whole, part.upper, seconds * WHOLE_SHARE)
        if found.proved or not found.feasible:
            return found
        return _better(found, part.leading_first(leading, seconds - (time.monotonic() - started)))


@dataclass(frozen=True)
class _Part:
    """A part as arrays; `whole` says which variables are whole numbers."""

    cost: Floats
    whole: Floats
    upper: Floats
    matrix: Matrix
    low: Floats
    high: Floats

    def solve(self, whole: Floats, upper: Floats, seconds: float) -> Solved:
        """With these variables whole, and these upper ends."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        if not len(self.cost):  # rows without a variable say whether 0 lies between their ends
            fits = bool((self.low <= 0).all() and (self.high >= 0).all())
            return Solved(np.zeros(0, dtype=np.int64) if fits else None, 0.0, 0.0, fits)
        found = milp(
            self.cost,
            integrality=whole.astype(np.int64),
            bounds=Bounds(0, upper),
            constraints=LinearConstraint(self.matrix, self.low, self.high) if len(self.low) else None,
            options={"mip_rel_gap": 0.0, "time_limit": max(LEAST_SECONDS, seconds)},
        )
        dual = getattr(found, "mip_dual_bound", None)
        bound = 0.0 if dual is None or not math.isfinite(dual) else float(dual)
        if found.x is None:
            return Solved(None, math.inf, bound, found.status != INFEASIBLE)
        return Solved(np.rint(found.x).astype(np.int64), float(found.fun), bound, feasible=True)

    def leading_first(self, leading: Floats, seconds: float) -> Solved:
        """The leading variables with all others continuous, which bounds the whole; then the others below them."""
        started = time.monotonic()
        relaxed = self.solve(leading, self.upper, seconds * LEADING_SHARE)
        if relaxed.values is None:
            return relaxed
        upper = np.where(leading > 0, np.minimum(relaxed.values, self.upper), self.upper)
        found = self.solve(self.whole, upper, seconds - (time.monotonic() - started))
        return Solved(found.values, found.objective, relaxed.bound, feasible=True)


def _better(one: Solved, other: Solved) -> Solved:
    """The cheaper solution, with the better of two bounds."""
    best = one if one.objective <= other.objective else other
    return Solved(best.values, best.objective, max(one.bound, other.bound), one.feasible)


def _chosen(values: Sequence[float], places: Places) -> Floats:
    return np.array(values, dtype=np.float64)[places]
