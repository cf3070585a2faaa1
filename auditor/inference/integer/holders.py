"""The integer programme of sums and extremes together (its rows are derived in `mixed`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from auditor.inference.integer.parts import ProgrammePart, UnknownDomain, in_units
from auditor.inference.integer.simplex import Simplex, Termination
from auditor.inference.linear.equations import Equations
from auditor.interval import Interval

Which = Literal["max", "min"]


@dataclass
class Draft:
    """A programme while it grows: variables by their ends and steps, rows by their coefficients and ends."""

    ends: list[Interval[Fraction]] = field(default_factory=list)
    steps: list[Fraction] = field(default_factory=list)
    rows: list[Mapping[int, int]] = field(default_factory=list)
    row_ends: list[Interval[Fraction]] = field(default_factory=list)

    def variable(self, ends: Interval[Fraction], step: Fraction) -> int:
        """Add one; it is a multiple of its step, where that is not 0."""
        self.ends.append(ends)
        self.steps.append(step)
        return len(self.ends) - 1

    def row(self, coefficients: Mapping[int, int], ends: Interval[Fraction]) -> None:
        """Ask for Σ coefficients · variables between these ends."""
        self.rows.append(coefficients)
        self.row_ends.append(ends)

    def part(self) -> ProgrammePart:
        """In units small enough for everything to be whole."""
        numbers = chain(self.steps, *(each.ends for each in (*self.ends, *self.row_ends)))
        unit = math.lcm(*(number.denominator for number in numbers))
        lengths = np.cumsum([0, *(len(row) for row in self.rows)])
        columns = np.array([column for row in self.rows for column in row], dtype=np.int64)
        data = np.array([value for row in self.rows for value in row.values()], dtype=np.int64)
        rows = csr_array((data, columns, lengths), shape=(len(self.rows), len(self.ends)))
        return ProgrammePart(
            rows=rows,
            answers=np.arange(len(self.rows)),
            atoms=np.arange(len(self.ends)),
            unit=unit,
            row_ends=[in_units(each, unit) for each in self.row_ends],
            ends=[in_units(each, unit) for each in self.ends],
            steps=[int(step * unit) for step in self.steps],
        )


@dataclass(frozen=True)
class HolderDemand:
    """Somebody in the atoms `able` has the value, their high end for a maximum, their low end for a minimum."""

    which: Which
    value: Fraction
    able: frozenset[int]


@dataclass(frozen=True)
class _Records:
    """A variable of the programme: the total of `size` records of an atom."""

    variable: int
    atom: int
    size: int


def programme(
    equations: Equations,
    right: Sequence[Fraction],
    domains: Sequence[UnknownDomain],
    demands: Sequence[HolderDemand],
    deadline: float,
) -> tuple[ProgrammePart, list[int]] | None:
    """The programme, and how many records the variable of each atom stands for; None where a bound it needs is missing.

    The first variables are those of the atoms in order: of all its records, or of one, where it can hold an answer.
    """
    draft = Draft()
    holders = frozenset().union(*(demand.able for demand in demands))
    sizes = equations.sizes.tolist()
    shares = [(atom, 1 if atom in holders else size) for atom, size in enumerate(sizes)]
    shares += [(atom, sizes[atom] - 1) for atom in sorted(holders) if sizes[atom] > 1]
    records = []
    for atom, size in shares:
        records.append(_Records(draft.variable(domains[atom].times(size), domains[atom].step), atom, size))
    for row, value in enumerate(right):
        coefficients = dict(zip(*_row(equations, row), strict=True))
        draft.row({r.variable: coefficients[r.atom] for r in records if r.atom in coefficients}, Interval.at(value))
    if not _add_holders(draft, records, domains, demands, deadline):
        return None
    return draft.part(), [size for _, size in shares[: len(sizes)]]


def _row(equations: Equations, row: int) -> tuple[list[int], list[int]]:
    start, stop = equations.rows.indptr[row : row + 2]
    return equations.rows.indices[start:stop].tolist(), equations.rows.data[start:stop].tolist()


def _add_holders(
    draft: Draft,
    records: list[_Records],
    domains: Sequence[UnknownDomain],
    demands: Sequence[HolderDemand],
    deadline: float,
) -> bool:
    """Add the indicators and their rows; False where a far end is not bounded."""
    bare: Simplex | None = None
    unit = 1
    groups: dict[tuple[Which, Fraction], list[HolderDemand]] = {}
    for demand in demands:
        if not any(_free(domains[r.atom], r.size, demand.which) for r in records if r.atom in demand.able):
            groups.setdefault((demand.which, demand.value), []).append(demand)
    for (which, _), group in groups.items():
        able = [r for r in records if any(r.atom in demand.able for demand in group)]
        ends = [domains[r.atom].low if which == "max" else domains[r.atom].high for r in able]
        for place, r in enumerate(able):
            if ends[place] is None:
                if bare is None:
                    part = draft.part()
                    bare, unit = part.simplex(), part.unit
                ends[place] = _implied(bare, unit, r.variable, which, deadline)
        far = _furthest(ends, which)
        if far is None:
            return False
        _ask(draft, able, domains, group, far)
    return True


def _free(domain: UnknownDomain, size: int, which: Which) -> bool:
    """Whether one of several can hold an answer whatever their total is: the others have no end on the far side."""
    return size > 1 and (domain.low if which == "max" else domain.high) is None


def _implied(bare: Simplex, unit: int, variable: int, which: Which, deadline: float) -> Fraction | None:
    """An end that the sums imply, moved to the next whole number beyond."""
    sign = 1 if which == "max" else -1
    if bare.minimise({variable: sign}, deadline) is not Termination.OPTIMAL:
        return None
    return Fraction(sign * math.floor(sign * bare.value(variable) / unit))


def _furthest(ends: Iterable[Fraction | None], which: Which) -> Fraction | None:
    known = list(ends)
    if any(end is None for end in known):
        return None
    pick = min if which == "max" else max
    return pick(end for end in known if end is not None)


def _ask(
    draft: Draft, able: list[_Records], domains: Sequence[UnknownDomain], group: list[HolderDemand], far: Fraction
) -> None:
    """One indicator for each who can hold the value, and one row for each demand of it."""
    which, value = group[0].which, group[0].value
    span = abs(value - far)
    indicators: dict[int, list[int]] = {}
    for r in able:
        indicator = draft.variable(Interval(Fraction(0), span), span)
        indicators.setdefault(r.atom, []).append(indicator)
        domain = domains[r.atom]
        if which == "max":
            others = (r.size - 1) * domain.low if domain.low is not None else Fraction(0)
            draft.row({r.variable: 1, indicator: -1}, Interval(others + far))
        else:
            others = (r.size - 1) * domain.high if domain.high is not None else Fraction(0)
            draft.row({r.variable: 1, indicator: 1}, Interval(high=others + far))
    for demand in group:
        draft.row({indicator: 1 for atom in demand.able for indicator in indicators[atom]}, Interval(span))
