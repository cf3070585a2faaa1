"""Integer programmes solved exactly: branch and bound over exact linear programmes.

Where the least point of a linear programme gives a variable that must be whole the value v, every solution has it at
most ⌊v⌋ or at least ⌈v⌉: both are followed, each while it can still be better than the best solution found (Land & Doig
1960, doi:10.2307/1910129). A branch without solutions is one whose linear programme has none, which is decided in
integers, so that "none" is a proof.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from auditor.inference.integer.parts import ProgrammePart
from auditor.inference.integer.simplex import Simplex, Termination


@dataclass(frozen=True)
class Optimum:
    """`outcome` is optimal with the least `point`, infeasible where there is none, or unfinished with the best yet."""

    outcome: Termination
    point: list[Fraction] | None = None


def least(
    part: ProgrammePart,
    start: Simplex,
    cost: Mapping[int, int],
    *,
    below: Fraction | None = None,
    first: bool = False,
    branches: int,
    deadline: float = math.inf,
) -> Optimum:
    """A solution of least cost.

    Args:
        part: what is to be whole.
        start: a vertex of its linear programme to begin at; it stays as it is.
        cost: by variable.
        below: look for costs below it only.
        first: stop at the first solution, which is then called optimal.
        branches: stop unfinished after so many linear programmes.
        deadline: a time of `time.monotonic`.
    """
    best, point = below, None
    stack = [start.clone()]
    for _ in range(branches):
        if not stack:
            break
        simplex = stack.pop()
        outcome = simplex.minimise(cost, deadline)
        if outcome in (Termination.UNFINISHED, Termination.UNBOUNDED):
            return Optimum(Termination.UNFINISHED, point)
        if outcome is Termination.INFEASIBLE:
            continue
        value = sum((weight * simplex.value(variable) for variable, weight in cost.items()), Fraction(0))
        if best is not None and value >= best:
            continue
        split = _fractional(part, simplex, cost)
        if split is not None:
            stack.extend(_branches(part, simplex, split))
            continue
        best, point = value, simplex.point()
        if first:
            return Optimum(Termination.OPTIMAL, point)
    if stack:
        return Optimum(Termination.UNFINISHED, point)
    return Optimum(Termination.INFEASIBLE if point is None else Termination.OPTIMAL, point)


def _fractional(part: ProgrammePart, simplex: Simplex, cost: Mapping[int, int]) -> int | None:
    """A variable that must be whole and is not: one with a cost if there is, for that raises the bound at once."""
    for variable in cost:
        if part.steps[variable] and simplex.value(variable) % part.steps[variable]:
            return variable
    return part.off_step(simplex.point())


def _branches(part: ProgrammePart, simplex: Simplex, variable: int) -> list[Simplex]:
    """The two ways to be whole; the nearer one is followed first."""
    value, step = simplex.value(variable), part.steps[variable]
    floor = math.floor(value / step) * step
    low, high = simplex.low[variable], simplex.high[variable]
    below, above = simplex.clone(), simplex
    below.restrict(variable, low, floor)
    above.restrict(variable, floor + step, high)
    return [below, above] if 2 * (value - floor) > step else [above, below]
