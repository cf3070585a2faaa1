"""What every analysis of bounded unknowns begins with: domains, and equations split into parts that do not touch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain

import numpy as np
from scipy.sparse import csr_array

from auditor.inference.integer.simplex import MAX_TABLE, Ends, Simplex
from auditor.inference.linear.equations import Equations, IntArray, connected
from auditor.interval import Interval

LARGE_TABLE = 10_000
"""Up to so many entries, integers alone take a fraction of a second."""


@dataclass(frozen=True, slots=True)
class UnknownDomain(Interval[Fraction]):
    """What everybody knows of one unknown: where it lies, its ends included.

    Where `integer`, it is a whole number, and the ends are moved to the nearest within.
    """

    integer: bool = False

    def __post_init__(self) -> None:
        if self.integer:
            object.__setattr__(self, "low", None if self.low is None else Fraction(math.ceil(self.low)))
            object.__setattr__(self, "high", None if self.high is None else Fraction(math.floor(self.high)))
        if self.width < 0:
            raise ValueError("a domain's low end is above its high end")

    @property
    def step(self) -> Fraction:
        """What it is a multiple of; 0 for any number."""
        return Fraction(int(self.integer))

    def or_nothing(self) -> UnknownDomain:
        """The same of a value that counts as 0 where it is missing."""
        low = None if self.low is None else min(self.low, Fraction(0))
        return replace(self, low=low, high=None if self.high is None else max(self.high, Fraction(0)))

    def member_low(self, size: int, total: Fraction | None) -> Fraction | None:
        """The least one of `size` unknowns can be when their sum is at least `total`: max(low, total − (size−1)·high).

        The other size − 1 are free apart from their total, so every value from there on is taken.
        """
        if total is None or (self.high is None and size > 1):
            return self.low
        end = total - (size - 1) * self.high if self.high is not None else total
        return end if self.low is None else max(self.low, end)

    def member_high(self, size: int, total: Fraction | None) -> Fraction | None:
        """The most one of `size` unknowns can be when their sum is at most `total`: min(high, total − (size−1)·low)."""
        if total is None or (self.low is None and size > 1):
            return self.high
        end = total - (size - 1) * self.low if self.low is not None else total
        return end if self.high is None else min(self.high, end)


@dataclass(frozen=True)
class ProgrammePart:
    """A programme that shares no variable with any other, in whole units of 1/`unit`.

    Its variables are the totals of `atoms` first, and others that stand for nothing outside. `answers` says which rows
    of the whole its rows are, where they are any. Each row lies between its `row_ends`, each variable between its
    `ends`, both times `unit`. A variable is a multiple of its `steps`, where that is not 0: of `unit` if it is a whole
    number, of M if it is 0 or M.
    """

    rows: csr_array
    answers: IntArray
    atoms: IntArray
    unit: int
    row_ends: list[Ends]
    ends: list[Ends]
    steps: list[int]

    def too_large(self) -> bool:
        """Whether a table of it would take more memory than it may."""
        m, p = self.rows.shape
        return bool(m * (m + p) > MAX_TABLE)

    def large(self) -> bool:
        """Whether floating point is to look first, and integers only to confirm."""
        m, p = self.rows.shape
        return bool(m * (m + p) > LARGE_TABLE)

    def simplex(self) -> Simplex:
        """The linear programme, without what `whole` asks."""
        return Simplex(self.rows, self.row_ends, self.ends)

    def satisfied_by(self, point: Sequence[Fraction]) -> bool:
        """Whether values in units solve everything, decided exactly."""
        within = all(_between(value, ends) for value, ends in zip(point, self.ends, strict=True))
        if not within or self.off_step(point) is not None:
            return False
        return all(_between(left, ends) for left, ends in zip(self._lefts(point), self.row_ends, strict=True))

    def _lefts(self, point: Sequence[Fraction]) -> Iterator[Fraction | int]:
        """What every row comes to at a point, in machine words where these hold it."""
        whole = all(value.denominator == 1 for value in point)
        farthest = max((abs(value) for value in point), default=0)
        heaviest = float(abs(self.rows.astype(np.float64)).sum(axis=1).max()) if self.rows.shape[0] else 0.0
        if whole and farthest * (int(heaviest) + 1) < 2**62:
            lefts: IntArray = self.rows.astype(np.int64) @ np.array([int(value) for value in point], dtype=np.int64)
            yield from (int(left) for left in lefts)
        else:
            yield from (self.left(row, point) for row in range(self.rows.shape[0]))

    def off_step(self, point: Sequence[Fraction]) -> int | None:
        """The first variable that is not a multiple of its step."""
        for variable, step in enumerate(self.steps):
            if step and point[variable] % step:
                return variable
        return None

    def indivisible(self) -> bool:
        """Whether a row of variables with steps cannot have its value, for that is not a multiple of their divisor.

        Branching alone would try every value of the variables before it found this.
        """
        for row, (low, high) in enumerate(self.row_ends):
            if low is None or high is None:
                continue
            start, stop = self.rows.indptr[row : row + 2]
            pairs = zip(self.rows.data[start:stop].tolist(), self.rows.indices[start:stop].tolist(), strict=True)
            moves = [coefficient * self.steps[column] for coefficient, column in pairs]
            step = math.gcd(*moves)
            if all(moves) and step and -(-low // step) * step > high:
                return True
        return False

    def left(self, row: int, point: Sequence[Fraction | int]) -> Fraction:
        """What a row comes to at a point, exactly."""
        start, stop = self.rows.indptr[row : row + 2]
        pairs = zip(self.rows.data[start:stop].tolist(), self.rows.indices[start:stop].tolist(), strict=True)
        return sum((coefficient * point[column] for coefficient, column in pairs), Fraction(0))


def _between(value: Fraction | int, ends: Ends) -> bool:
    low, high = ends
    return (low is None or low <= value) and (high is None or value <= high)


def check_lengths(equations: Equations, answers: Sequence[Fraction], domains: Sequence[UnknownDomain]) -> None:
    """One answer for each row, one domain for each atom."""
    if len(answers) != equations.answers or len(domains) != equations.atoms:
        got = f"{len(answers)} answers and {len(domains)} domains"
        raise ValueError(f"{got} for {equations.answers} rows and {equations.atoms} atoms")


def parts(
    equations: Equations, answers: Sequence[Fraction], domains: Sequence[UnknownDomain]
) -> Iterator[ProgrammePart]:
    """Split equations where no atom connects them; a row that is 0 everywhere makes a part without atoms."""
    rows = csr_array(equations.rows, copy=True)
    rows.eliminate_zeros()
    m = rows.shape[0]
    labels = np.concatenate(connected(rows))
    order = np.argsort(labels, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        of_rows, of_atoms = members[members < m], members[members >= m] - m
        yield _part(
            rows[of_rows][:, of_atoms],
            (of_rows, of_atoms),
            [Fraction(answers[t]) for t in of_rows.tolist()],
            [domains[atom] for atom in of_atoms.tolist()],
            equations.sizes[of_atoms].tolist(),
        )


def _part(
    rows: csr_array,
    where: tuple[IntArray, IntArray],
    right: list[Fraction],
    domains: list[UnknownDomain],
    sizes: list[int],
) -> ProgrammePart:
    """Count in units small enough for every answer and end to be whole."""
    totals = [domain.times(size) for domain, size in zip(domains, sizes, strict=True)]
    unit = math.lcm(*(value.denominator for value in chain(right, *(total.ends for total in totals))))
    return ProgrammePart(
        rows=rows,
        answers=where[0],
        atoms=where[1],
        unit=unit,
        row_ends=[(int(value * unit), int(value * unit)) for value in right],
        ends=[in_units(total, unit) for total in totals],
        steps=[unit if domain.integer else 0 for domain in domains],
    )


def in_units(interval: Interval[Fraction], unit: int) -> Ends:
    """Its ends in units of 1/`unit`, of which they are multiples."""
    low, high = (None if end is None else int(end * unit) for end in (interval.low, interval.high))
    return low, high


BIT = UnknownDomain(Fraction(0), Fraction(1), integer=True)
"""Of what is so, or not."""
