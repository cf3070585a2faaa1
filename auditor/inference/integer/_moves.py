"""Moves away from a known solution: linear programmes in floating point, and what is proved of their answers.

Let x be an exact solution, B x = b within the ends. Every other one is x + d with B d = 0. Moves are counted in scales,
d = S t with S a diagonal of powers of two near the width of each variable, and the rows in powers of two likewise, so
that M = (scaled) B S is exact in floating point, however far apart the numbers of a system are.

A linear programme over t gives a vertex v, as far as HiGHS can tell. That there is a move near it is then proved: take
independent rows I and as many columns J, regular together, whose variables are away from their ends. With R ≈ M_IJ⁻¹
and ‖1 − R M_IJ‖ ≤ q < 1 there is exactly one δ with M_I (t + δ) = 0 that changes J alone, and

    |δ| ≤ |R| r + |1 − R M_IJ| 1·‖|R| r‖ / (1 − q),      r = |M_I t|,  maxima as norms,

where every quantity on the right is bounded with the rounding of its own computation (Rump 2010, Verification methods,
doi:10.1017/S096249291000005X, sections 5 and 10.8). If t and its neighbours up to |δ| are within the ends, x + S(t + δ)
is a solution, and so is everything between it and x. Rows outside I depend on those inside, which is decided modulo
random primes (`linear.factors`): wrong with a chance of at most 2⁻⁶⁰.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from auditor.inference.integer.parts import ProgrammePart
from auditor.inference.linear.factors import factored

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_ROUNDING = 2.0**-52
"""Twice the unit of rounding: n of them bound the relative error of a sum of n products."""
_INWARD = 1 - 2.0**-45
_FAR = 2.0**10
"""How many scales a variable without an end may be moved."""
STILL = 1e-9
"""A variable that moves less, in scales, is held where it is."""
_MOST_ENTRIES = 2 * 10**7
"""The largest matrix whose columns are all looked at for J."""


@dataclass(frozen=True)
class Vertex:
    """Where a linear programme in floating point ended: the move t in scales, and the multipliers of the rows of B.

    `multipliers` are y with  c·S⁻¹d ≥ y·B d  up to what the ends add, c the costs of the programme.
    """

    move: FloatArray
    multipliers: FloatArray


class Around:
    """The moves away from a solution `at`, in units of the part. The rows of the part have one value each."""

    def __init__(self, part: ProgrammePart, at: Sequence[Fraction], least_scale: float) -> None:
        self.part, self.at = part, at
        low = np.array([_room(x, end, -1) for x, (end, _) in zip(at, part.ends, strict=True)])
        high = np.array([_room(x, end, 1) for x, (_, end) in zip(at, part.ends, strict=True)])
        self.scales = _scales(high - low, least_scale)
        self.low, self.high = low / self.scales, high / self.scales
        matrix = part.rows.astype(np.float64)
        matrix.data *= self.scales[matrix.indices]
        self._row_scales = _row_scales(matrix)
        matrix.data *= np.repeat(self._row_scales, np.diff(matrix.indptr))
        self.matrix: csr_array = matrix

    def least(self, cost: FloatArray, deadline: float, *, far: float = _FAR) -> Vertex | None:
        """The move of least cost, each variable without an end within `far` scales; None where there is no answer."""
        from scipy.optimize import linprog

        left = deadline - time.monotonic()
        if left <= 0:
            return None
        bounds = np.column_stack([np.maximum(self.low, -far), np.minimum(self.high, far)])
        zeros = np.zeros(self.matrix.shape[0])
        solve: Any = linprog  # it takes sparse matrices, as its documentation says and its types do not
        found = solve(
            cost, A_eq=self.matrix, b_eq=zeros, bounds=bounds, method="highs-ds", options={"time_limit": min(left, 1e6)}
        )
        if found.status != 0 or found.x is None:
            return None
        return Vertex(np.clip(found.x, self.low, self.high), found.eqlin.marginals * self._row_scales)


def _room(x: Fraction, end: int | None, sign: int) -> float:
    """How far x may move towards an end, rounded towards 0."""
    return sign * math.inf if end is None else float(end - x) * _INWARD


def _scales(widths: FloatArray, least_scale: float) -> FloatArray:
    """The power of two below each width; for those without one, what covers every other and `least_scale`."""
    finite = widths[np.isfinite(widths) & (widths > 0)]
    wide = max([least_scale, *finite.max(initial=1.0, keepdims=True).tolist()])
    filled = np.where(np.isfinite(widths), np.where(widths > 0, widths, 1.0), wide)
    scales: FloatArray = np.ldexp(1.0, np.frexp(filled)[1] - 1)
    return scales


def _row_scales(matrix: csr_array) -> FloatArray:
    largest = np.asarray(abs(matrix).max(axis=1).todense()).reshape(-1)
    scales: FloatArray = np.ldexp(1.0, -np.frexp(np.where(largest > 0, largest, 1.0))[1])
    return scales


class Confirming:
    """Proves moves, with one approximate inverse for all of them."""

    def __init__(self, around: Around, centre: FloatArray, seed: int = 0) -> None:
        """`centre` is a move, as far as one can tell, away from the ends wherever it can be."""
        self.around = around
        self._centre = centre
        margin = np.minimum(centre - around.low, around.high - centre)
        self._moving = np.flatnonzero((margin > STILL) & (np.abs(around.high - around.low) > 0))
        generator = np.random.default_rng(seed)
        rows = around.part.rows[:, self._moving]
        self._rows = factored(csr_array(rows), generator).basis
        self._inside = around.matrix[self._rows]
        self._basic = self._independent(np.minimum(margin[self._moving], 1.0), generator)
        self.usable = self._invert()

    def still(self) -> NDArray[np.bool_]:
        """The variables that are held where they are."""
        held = np.ones(len(self._centre), dtype=np.bool_)
        held[self._moving] = False
        return held

    def move(self, vertex: FloatArray) -> FloatArray | None:
        """A proved move near a vertex, in units; None where none was proved.

        Moved by any part of it between 0 and what is returned, each variable is at what some solution gives it.
        """
        for share in (2.0**-20, 2.0**-10, 2.0**-4, 0.5):
            found = self._proved((1 - share) * vertex + share * self._centre)
            if found is not None:
                return found * self.around.scales
        return None

    def _independent(self, margin: FloatArray, generator: np.random.Generator) -> IntArray:
        """J: columns that are independent in the rows I, the farthest from their ends first."""
        from scipy.linalg import qr

        chosen, count = self._moving, len(self._rows)
        if count * len(chosen) > _MOST_ENTRIES:
            most = max(4 * count, _MOST_ENTRIES // count)
            places = generator.permutation(len(chosen))[:most]
            chosen, margin = chosen[places], margin[places]
        dense = self._inside[:, chosen].toarray() * margin
        order = qr(dense, mode="r", pivoting=True)[1] if count else np.zeros(0, dtype=np.int64)
        return np.asarray(chosen[order[:count]], dtype=np.int64)

    def _invert(self) -> bool:
        """R and a bound of |1 − R M_IJ|; whether it is good enough."""
        square = self._inside[:, self._basic].toarray()
        if square.shape[0] != square.shape[1]:
            return False
        try:
            self._inverse = np.linalg.inv(square)
        except np.linalg.LinAlgError:
            return False
        size = len(square)
        self._absolute = np.abs(self._inverse)
        rounding = (size + 2) * _ROUNDING * (self._absolute @ np.abs(square))
        off = (np.abs(np.eye(size) - self._inverse @ square) + rounding).sum(axis=1) * (1 + 1e-9)
        self._off = off
        return bool(off.max(initial=0.0) < 0.5)

    def _proved(self, move: FloatArray) -> FloatArray | None:
        around, basic = self.around, self._basic
        move = np.where(self.still(), 0.0, np.clip(move, around.low, around.high))
        for _ in range(2):
            move[basic] -= self._inverse @ (self._inside @ move)
        lengths = np.diff(self._inside.indptr) + 2
        left = np.abs(self._inside @ move) + lengths * _ROUNDING * (abs(self._inside) @ np.abs(move))
        first = (self._absolute @ left) * (1 + 1e-9)
        most = first.max(initial=0.0) / (1 - self._off.max(initial=0.0))
        change = (first + self._off * most) * (1 + 1e-9)
        if (move[basic] - change < around.low[basic]).any() or (move[basic] + change > around.high[basic]).any():
            return None
        move[basic] = np.sign(move[basic]) * np.maximum(np.abs(move[basic]) - change, 0.0) * _INWARD
        return move
