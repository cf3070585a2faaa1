"""What every analysis of bounded unknowns begins with: domains, and equations split into parts that do not touch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from auditor.inference._simplex import MAX_TABLE, Ends, Simplex
from auditor.inference.equations import Equations, IntArray


@dataclass(frozen=True)
class Domain:
    """What everybody knows of one unknown: low ≤ x ≤ high, where None is no bound; a whole number where `integer`."""

    low: Fraction | None = None
    high: Fraction | None = None
    integer: bool = False

    def __post_init__(self) -> None:
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ValueError("a domain's low end is above its high end")

    def total(self, size: int) -> tuple[Fraction | None, Fraction | None]:
        """The ends of a sum of `size` such unknowns."""
        return None if self.low is None else size * self.low, None if self.high is None else size * self.high

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
class Part:
    """Equations that share no atom with any other, in whole units of 1/`unit`.

    `answers` and `atoms` say which rows and columns of the whole they are; `right` are the answers and `ends` the ends
    of the atoms' totals, both times `unit`.
    """

    rows: csr_array
    answers: IntArray
    atoms: IntArray
    unit: int
    right: list[int]
    ends: list[Ends]

    def too_large(self) -> bool:
        """Whether a table of it would take more memory than it may."""
        m, p = self.rows.shape
        return bool(m * (m + p) > MAX_TABLE)

    def simplex(self) -> Simplex:
        """A programme over the totals: B z = b between their ends."""
        return Simplex(self.rows, [(value, value) for value in self.right], self.ends)

    def satisfied_by(self, point: Sequence[Fraction]) -> bool:
        """Whether totals in whole units solve the equations and lie between their ends, decided exactly."""
        within = all(
            (low is None or low <= z) and (high is None or z <= high)
            for z, (low, high) in zip(point, self.ends, strict=True)
        )
        return within and all(self._left(t, point) == right for t, right in enumerate(self.right))

    def _left(self, row: int, point: Sequence[Fraction]) -> Fraction:
        start, stop = self.rows.indptr[row : row + 2]
        pairs = zip(self.rows.data[start:stop].tolist(), self.rows.indices[start:stop].tolist(), strict=True)
        return sum((coefficient * point[column] for coefficient, column in pairs), Fraction(0))


def check_lengths(equations: Equations, answers: Sequence[Fraction], domains: Sequence[Domain]) -> None:
    """One answer for each row, one domain for each atom."""
    if len(answers) != equations.answers or len(domains) != equations.atoms:
        got = f"{len(answers)} answers and {len(domains)} domains"
        raise ValueError(f"{got} for {equations.answers} rows and {equations.atoms} atoms")


def parts(equations: Equations, answers: Sequence[Fraction], domains: Sequence[Domain]) -> Iterator[Part]:
    """Split equations where no atom connects them; a row that is 0 everywhere makes a part without atoms."""
    rows = csr_array(equations.rows, copy=True)
    rows.eliminate_zeros()
    m, p = rows.shape
    starts = np.concatenate([rows.indptr, np.full(p, rows.nnz)])
    graph = csr_array((np.ones(rows.nnz, dtype=np.int8), rows.indices + m, starts), shape=(m + p, m + p))
    _, labels = connected_components(graph, directed=False)
    order = np.argsort(labels, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        of_rows, of_atoms = members[members < m], members[members >= m] - m
        yield _part(
            rows[of_rows][:, of_atoms],
            (of_rows, of_atoms),
            [Fraction(answers[t]) for t in of_rows.tolist()],
            [domains[atom].total(int(equations.sizes[atom])) for atom in of_atoms.tolist()],
        )


def _part(
    rows: csr_array,
    where: tuple[IntArray, IntArray],
    right: list[Fraction],
    totals: list[tuple[Fraction | None, Fraction | None]],
) -> Part:
    """Count in units small enough for every answer and end to be whole."""
    unit = math.lcm(*(value.denominator for value in (*right, *chain(*totals)) if value is not None))
    return Part(
        rows=rows,
        answers=where[0],
        atoms=where[1],
        unit=unit,
        right=[int(value * unit) for value in right],
        ends=[(_whole(low, unit), _whole(high, unit)) for low, high in totals],
    )


def _whole(end: Fraction | None, unit: int) -> int | None:
    return None if end is None else int(end * unit)
