"""Integer programmes put to HiGHS, whose word is checked where it can be.

HiGHS (Huangfu & Hall 2018, doi:10.1007/s12532-017-0130-5; through `scipy.optimize.milp`) computes in floating point. A
solution it finds is rounded and checked exactly, so it is one or it is not used. That there is none is only its word,
which is to be asked for twice, in two ways, and not taken at all where numbers are too large for its tolerances.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from auditor.inference.integer._branch import Optimum
from auditor.inference.integer.parts import ProgrammePart
from auditor.inference.integer.simplex import Ends, Termination

FloatArray = NDArray[np.float64]

TRUSTED = 10**6
"""With ends and coefficients up to it, HiGHS's tolerance of 10⁻⁶ is far from telling two whole numbers apart."""


def solution(
    part: ProgrammePart,
    cost: Mapping[int, int],
    *,
    within: Mapping[int, Ends] | None = None,
    deadline: float = math.inf,
) -> Optimum:
    """A solution of least cost, as far as HiGHS can tell; `within` narrows the ends of some variables.

    A point is a solution, checked exactly. Infeasible is HiGHS's word, and never said where numbers are too large.
    """
    narrowed = dict(within or {})
    ends = [narrowed.get(variable, own) for variable, own in enumerate(part.ends)]
    left = deadline - time.monotonic()
    if left <= 0:
        return Optimum(Termination.UNFINISHED)
    status, rounded = _run(part, cost, ends, left)
    if rounded is not None:
        point = _exactly(part, cost, ends, rounded, deadline)
        return Optimum(Termination.UNFINISHED if point is None else Termination.OPTIMAL, point)
    return Optimum(Termination.INFEASIBLE if status == _INFEASIBLE and _trusted(part) else Termination.UNFINISHED)


_INFEASIBLE = 2
"""The status of `milp` for a programme without a solution."""

_LONGEST = 1e6
"""Seconds that stand for no limit."""


def _run(
    part: ProgrammePart, cost: Mapping[int, int], ends: list[Ends], seconds: float
) -> tuple[int, list[Fraction] | None]:
    """The status of `milp` and what it found, rounded to steps.

    It is asked in steps from the low end of each variable: HiGHS 1.12 ends some infeasible programmes with a negative
    end in a solve error.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    scales = [step or part.unit for step in part.steps]
    weights = np.zeros(len(ends))
    for variable, weight in cost.items():
        weights[variable] = weight * (scales[variable] / part.unit)
    starts = [low if low is not None else high if high is not None else 0 for low, high in ends]
    moved = [int(part.left(row, starts)) for row in range(len(part.row_ends))]
    rows = part.rows.astype(np.float64)
    rows.data *= np.array([scale / part.unit for scale in scales])[rows.indices]
    found = milp(
        weights,
        integrality=np.array([int(step > 0) for step in part.steps]),
        bounds=Bounds(*_floats(ends, starts, scales)),
        constraints=LinearConstraint(rows, *_floats(part.row_ends, moved, [part.unit] * len(moved))) if moved else None,
        options={"mip_rel_gap": 0.0, "time_limit": min(seconds, _LONGEST)},
    )
    if found.x is None:
        return found.status, None
    triples = zip(found.x.tolist(), scales, starts, strict=True)
    return found.status, [Fraction(round(value)) * scale + start for value, scale, start in triples]


def _floats(ends: list[Ends], starts: list[int], scales: list[int]) -> tuple[FloatArray, FloatArray]:
    triples = list(zip(ends, starts, scales, strict=True))
    low = [-math.inf if low is None else (low - start) / scale for (low, _), start, scale in triples]
    high = [math.inf if high is None else (high - start) / scale for (_, high), start, scale in triples]
    return np.array(low), np.array(high)


def _exactly(
    part: ProgrammePart, cost: Mapping[int, int], ends: list[Ends], rounded: list[Fraction], deadline: float
) -> list[Fraction] | None:
    """The point itself if all of it comes in steps; else the best that goes with what does."""
    point = rounded
    if not all(part.steps):
        if part.too_large():
            return None
        simplex = part.simplex()
        for variable, step in enumerate(part.steps):
            low, high = ends[variable]
            simplex.restrict(variable, *((int(point[variable]),) * 2 if step else (low, high)))
        if simplex.minimise(cost, deadline) is not Termination.OPTIMAL:
            return None
        point = simplex.point()
    return point if part.satisfied_by(point) else None


def _trusted(part: ProgrammePart) -> bool:
    ends = [abs(end) / part.unit for pair in (*part.ends, *part.row_ends) for end in pair if end is not None]
    return (
        max([*ends, *(step / part.unit for step in part.steps), int(np.abs(part.rows.data).max(initial=0))]) <= TRUSTED
    )
