"""Unions that follow where many unknowns hang together: looked for by integer programmes, proved by certificates.

A union of cells follows if its indicator u is a combination of the rows: u = Bᵀ y with y rational. Which of all these
breaks a rule is a programme over u of 0 and 1 and free y: the rule's two sides are linear once it is said which
contributions are the largest ones, and picking these is linear, too: whoever is picked, the true largest ones hold no
less, so that a union which breaks the rule by anybody's contributions breaks it. HiGHS looks for the union that breaks
it most; what it finds is proved exactly. That there is none is its word, taken only where it is clear of its tolerance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from auditor.inference import Equations, RowSpace
from auditor.outputs.linked._reduction import Bits, Row

SECONDS = 20.0
"""How long one programme may take."""
_TOLERANCE = 1e-5
FloatArray = NDArray[np.float64]

KnownCount = tuple[frozenset[int], Fraction, Bits]
"""Some cells, what their numbers come to, and the outputs that it follows from."""


@dataclass(frozen=True, slots=True)
class Pick:
    """A contribution of `who` to a column, and what it counts for where it is picked for a slot."""

    slot: int
    who: int
    column: int
    value: float


@dataclass(frozen=True)
class UnionQuestion:
    """Which union has the least Σ cost, less what is picked of contributions; one below `below` is asked for.

    Args:
        cost: of each column.
        picks: contributions that may be picked, each one for one slot.
        slots: how many may be picked for each; for the first one it is one or more.
        somebody: columns of which one has to be in the union; any, where there are none.
        left_out: columns that may not be in it.
        most: the union's number is 1 to `most`; None where any is asked for.
        below: what the sum has to stay below.
    """

    cost: FloatArray
    picks: Sequence[Pick] = ()
    slots: Sequence[int] = ()
    somebody: Sequence[int] = ()
    left_out: Sequence[int] = ()
    most: int | None = None
    below: float = 0.0


@dataclass
class Tangle:
    """Rows that share unknowns, and the kinds of these; `members` are the unknowns of each column."""

    rows: list[Row]
    matrix: csr_array
    members: list[list[int]]
    cuts: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        columns = self.matrix.shape[1]
        self._space = RowSpace(Equations(self.matrix, np.ones(columns, dtype=np.int64)), seed=0)

    def forget(self, groups: Sequence[frozenset[int]]) -> None:
        """Leave out the unions that have one of these groups inside, for they are known."""
        column = {unknown: at for at, of in enumerate(self.members) for unknown in of}
        for group in groups:
            if group and group <= column.keys():
                self.cuts.append(sorted({column[unknown] for unknown in group}))

    def worst(self, asked: UnionQuestion, deadline: float) -> tuple[KnownCount | None, bool]:
        """A union that breaks a rule, as far as is known, each once; without one, whether it is sure that none does."""
        programme = _TangleProgramme(self.rows, self.matrix, self.cuts, asked)
        chosen, sure = programme.solve(deadline)
        certificate = self._space.certificate(dict.fromkeys(chosen, 1)) if chosen else None
        if certificate is None:
            return None, sure and not chosen
        self.cuts.append(chosen)
        number = sum((y * (self.rows[row].ends.low or 0) for row, y in certificate.items()), Fraction(0))
        bits = 0
        for row in certificate:
            bits |= self.rows[row].rests_on
        return (frozenset(unknown for at in chosen for unknown in self.members[at]), number, bits), False


class _TangleProgramme:
    """Variables: u of each column, y of each row, and one for each contribution that may be picked."""

    def __init__(
        self, rows: Sequence[Row], matrix: csr_array, cuts: Sequence[Sequence[int]], asked: UnionQuestion
    ) -> None:
        self.answers, self.columns = [float(row.ends.low or 0) for row in rows], matrix.shape[1]
        self.matrix, self.cuts, self.asked = matrix, cuts, asked
        self.first = self.columns + len(rows)
        self._entries: list[tuple[int, int, float]] = []
        self._ends: list[tuple[float, float]] = []

    def solve(self, deadline: float) -> tuple[list[int], bool]:
        """The columns of the best union, none where there is none; and whether that is sure."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        seconds = min(SECONDS, deadline - time.monotonic())
        if seconds <= 0:
            return [], False
        self._write()
        asked, size = self.asked, self.first + len(self.asked.picks)
        cost = np.zeros(size)
        cost[: self.columns] = asked.cost
        cost[self.first :] = [-pick.value for pick in asked.picks]
        scale = float(np.abs(cost).max(initial=0)) or 1.0
        low, high, whole = np.zeros(size), np.ones(size), np.ones(size, dtype=np.int64)
        low[self.columns : self.first], high[self.columns : self.first] = -np.inf, np.inf
        whole[self.columns : self.first] = 0
        high[list(asked.left_out)] = 0
        rows, columns, values = zip(*self._entries, strict=True)
        matrix = csr_array((values, (rows, columns)), shape=(len(self._ends), size))
        found = milp(
            cost / scale,
            integrality=whole,
            bounds=Bounds(low, high),
            constraints=LinearConstraint(matrix, *np.array(self._ends).T),
            options={"mip_rel_gap": 0.0, "time_limit": seconds},
        )
        if found.status == _INFEASIBLE:
            return [], True
        if found.x is not None and found.fun < asked.below / scale + _TOLERANCE:
            return np.flatnonzero(found.x[: self.columns] > 0.5).tolist(), False
        bound = found.mip_dual_bound
        return [], bound is not None and bound >= asked.below / scale + _TOLERANCE

    def _write(self) -> None:
        """The rows: u = Bᵀ y; who is picked is in the union; the slots; what is known; and what is asked for."""
        transposed, asked = csr_array(self.matrix.T), self.asked
        for at in range(self.columns):
            inside = slice(transposed.indptr[at], transposed.indptr[at + 1])
            pairs = zip(transposed.indices[inside].tolist(), transposed.data[inside].tolist(), strict=True)
            self._row([(at, 1.0), *((self.columns + row, -float(value)) for row, value in pairs)], 0, 0)
        of_one: dict[int, list[int]] = {}
        of_slot: dict[int, list[int]] = {}
        for at, pick in enumerate(asked.picks, self.first):
            self._row([(at, 1.0), (pick.column, -1.0)], -math.inf, 0)
            of_one.setdefault(pick.who, []).append(at)
            of_slot.setdefault(pick.slot, []).append(at)
        for slot, mine in of_slot.items():
            self._row([(at, 1.0) for at in mine], -math.inf if slot else 1, asked.slots[slot])
        for mine in of_one.values():
            self._row([(at, 1.0) for at in mine], -math.inf, 1)
        for cut in self.cuts:
            self._row([(at, 1.0) for at in cut], -math.inf, len(cut) - 1)
        self._row([(at, 1.0) for at in asked.somebody or range(self.columns)], 1, math.inf)
        if asked.most is not None:
            self._row([(self.columns + at, each) for at, each in enumerate(self.answers)], 0.5, asked.most + 0.5)

    def _row(self, entries: Sequence[tuple[int, float]], low: float, high: float) -> None:
        self._entries += [(len(self._ends), column, value) for column, value in entries]
        self._ends.append((low, high))


_INFEASIBLE = 2
"""The status of `milp` for a programme without a solution."""
