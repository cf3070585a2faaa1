"""How far the totals of a large part can be moved from a known solution, by programmes in floating point.

What is said of a move is proved: by rounding it to whole steps and multiplying it out in integers, or, of reals, by
`_moves.Confirming`. What the multipliers of a programme say is proved by `_bounds`. What is not proved is not said.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from auditor.inference.integer._moves import STILL, Around, Confirming, FloatArray, Vertex
from auditor.inference.integer.parts import ProgrammePart

_FIRST = 8
"""How many directions are tried before the first moves are to be proved."""


class Large:
    """Moves from the solution `at`, in units.

    `down` ≤ 0 ≤ `up` are float64[p]: each variable of the part takes its value in `at` plus either in some solution.
    """

    def __init__(self, part: ProgrammePart, at: Sequence[Fraction], enough: float, deadline: float) -> None:
        self.part, self.at, self.deadline = part, at, deadline
        self.around = Around(part, at, max(16 * enough, 1.0))
        self.down, self.up = np.zeros(len(at)), np.zeros(len(at))
        self._generator = np.random.default_rng(0)
        self._pending: list[FloatArray] = []
        self._sum, self._met = np.zeros(len(at)), 1
        self._confirming: Confirming | None = None
        self._whole = _WholeSteps(part, at)

    @staticmethod
    def takes(part: ProgrammePart) -> bool:
        """Whether a part is large, asks for one value of each row, and is of reals or of whole numbers only."""
        return (
            part.large()
            and len(set(part.steps)) == 1
            and part.steps[0] in (0, part.unit)
            and all(low == high and low is not None for low, high in part.row_ends)
            and max([abs(end) for pair in part.ends for end in pair if end is not None], default=0) < 10**300
            and int(np.abs(part.rows.data.astype(np.float64)).max(initial=0)) < 2**52
        )

    def spread(self, open_: NDArray[np.bool_]) -> bool:
        """One round of random directions among those that are open; whether there was time for it."""
        for _ in range(_FIRST // 2 if self._met == 1 else 1):
            weights = np.where(open_, self._generator.standard_normal(len(open_)), 0.0)
            # Both ways, for what is at one end in one direction is often at the other in the opposite one.
            for sign in (1, -1):
                vertex = self.around.least(sign * weights, self.deadline)
                if vertex is None:
                    return False
                self._meet(vertex)
        self._confirm()
        return True

    def towards(self, position: int, sign: int) -> FloatArray | None:
        """Move one variable as far down (sign 1) or up (−1) as it goes: the multipliers of its least or most."""
        cost = np.zeros(len(self.at))
        cost[position] = sign
        vertex = self.around.least(cost, self.deadline, far=math.inf)
        if vertex is None:
            return None
        self._meet(vertex)
        self._confirm()
        multipliers: FloatArray = sign * self.around.scales[position] * vertex.multipliers
        return multipliers

    def _meet(self, vertex: Vertex) -> None:
        self._pending.append(vertex.move)
        self._sum += vertex.move
        self._met += 1

    def _confirm(self) -> None:
        """Prove the moves to the vertices met since the last time."""
        pending, self._pending = self._pending, []
        if not self.part.steps[0]:
            self._renew(pending)
        for vertex in pending:
            move = self._whole.move(vertex * self.around.scales)
            if move is None and not self.part.steps[0]:
                move = self._real(vertex)
            if move is not None:
                np.minimum(self.down, move, out=self.down)
                np.maximum(self.up, move, out=self.up)

    def _renew(self, pending: Sequence[FloatArray]) -> None:
        """Choose anew where to correct, when something moves that did not before."""
        if self._confirming is not None:
            still = self._confirming.still()
            if not any((np.abs(vertex[still]) > STILL).any() for vertex in pending):
                return
        self._confirming = Confirming(self.around, self._sum / self._met)

    def _real(self, vertex: FloatArray) -> FloatArray | None:
        confirming = self._confirming
        return confirming.move(vertex) if confirming is not None and confirming.usable else None


class _WholeSteps:
    """Proves moves in whole steps, by multiplying them out; vertices of reals are often such, in units, too."""

    def __init__(self, part: ProgrammePart, at: Sequence[Fraction]) -> None:
        self._rows, self._unit = part.rows.astype(np.int64), part.steps[0] or 1
        down = [_MOST if low is None else (x - low) // self._unit for x, (low, _) in zip(at, part.ends, strict=True)]
        up = [_MOST if high is None else (high - x) // self._unit for x, (_, high) in zip(at, part.ends, strict=True)]
        self._low = -np.array([min(steps, _MOST) for steps in down], dtype=np.int64)
        self._high = np.array([min(steps, _MOST) for steps in up], dtype=np.int64)
        self._heaviest = int(abs(part.rows.astype(np.float64)).sum(axis=1).max(initial=0)) + 1

    def move(self, vertex: FloatArray) -> FloatArray | None:
        """The whole move next to one in units, in units; None where it is none or leaves the ends."""
        steps = np.clip(np.rint(vertex / self._unit), -_MOST, _MOST).astype(np.int64)
        if int(np.abs(steps).max(initial=0)) * self._heaviest >= 2**62:
            return None
        if (steps < self._low).any() or (steps > self._high).any() or (self._rows @ steps).any():
            return None
        moved: FloatArray = steps.astype(np.float64) * self._unit
        return moved


_MOST = 2**40
"""The farthest a whole number is moved, in steps: such moves are exact in floating point."""
