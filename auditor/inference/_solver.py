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

from auditor.inference._branch import Found
from auditor.inference._parts import Part
from auditor.inference._simplex import Ends, Outcome

TRUSTED = 10**6
"""With ends and coefficients up to it, HiGHS's tolerance of 10⁻⁶ is far from telling two whole numbers apart."""


def solution(
    part: Part, cost: Mapping[int, int], *, within: Mapping[int, Ends] | None = None, deadline: float = math.inf
) -> Found:
    """A solution of least cost, as far as HiGHS can tell; `within` narrows the ends of some variables.

    A point is a solution, checked exactly. Infeasible is HiGHS's word, and never said where numbers are too large.
    """
    narrowed = dict(within or {})
    ends = [narrowed.get(variable, own) for variable, own in enumerate(part.ends)]
    left = deadline - time.monotonic()
    if left <= 0:
        return Found(Outcome.UNFINISHED)
    status, floats = _run(part, cost, ends, left)
    if floats is not None:
        point = _exactly(part, cost, ends, floats, deadline)
        return Found(Outcome.UNFINISHED if point is None else Outcome.OPTIMAL, point)
    return Found(Outcome.INFEASIBLE if status == _INFEASIBLE and _trusted(part) else Outcome.UNFINISHED)


_INFEASIBLE = 2
"""The status of `milp` for a programme without a solution."""

_LONGEST = 1e6
"""Seconds that stand for no limit."""


def _run(part: Part, cost: Mapping[int, int], ends: list[Ends], seconds: float) -> tuple[int, np.ndarray | None]:
    """The status of `milp` and what it found, both counted from where a variable starts.

    From 0 on, that is: HiGHS 1.12 ends some infeasible programmes with a negative end in a solve error.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    weights = np.zeros(len(ends))
    for variable, weight in cost.items():
        weights[variable] = weight
    starts = [low if low is not None else high if high is not None else 0 for low, high in ends]
    moved = [int(part.left(row, starts)) for row in range(len(part.row_ends))]
    found = milp(
        weights,
        integrality=part.whole.astype(np.int64),
        bounds=Bounds(*_floats(ends, starts, part.unit)),
        constraints=LinearConstraint(part.rows, *_floats(part.row_ends, moved, part.unit)) if moved else None,
        options={"mip_rel_gap": 0.0, "time_limit": min(seconds, _LONGEST)},
    )
    return found.status, None if found.x is None else found.x + np.array([start / part.unit for start in starts])


def _floats(ends: list[Ends], starts: list[int], unit: int) -> tuple[np.ndarray, np.ndarray]:
    pairs = list(zip(ends, starts, strict=True))
    low = [-math.inf if low is None else (low - start) / unit for (low, _), start in pairs]
    return np.array(low), np.array([math.inf if high is None else (high - start) / unit for (_, high), start in pairs])


def _exactly(
    part: Part, cost: Mapping[int, int], ends: list[Ends], floats: np.ndarray, deadline: float
) -> list[Fraction] | None:
    """Round what must be whole; the rest is the best that goes with it."""
    whole = [Fraction(round(float(value))) * part.unit for value in floats]
    if not part.whole.all():
        if part.too_large():
            return None
        simplex = part.simplex()
        for variable, is_whole in enumerate(part.whole.tolist()):
            fixed = (int(whole[variable]),) * 2 if is_whole else ends[variable]
            simplex.restrict(variable, *fixed)
        if simplex.minimise(cost, deadline) is not Outcome.OPTIMAL:
            return None
        whole = simplex.point()
    return whole if part.satisfied_by(whole) else None


def _trusted(part: Part) -> bool:
    ends = [abs(end) / part.unit for pair in (*part.ends, *part.row_ends) for end in pair if end is not None]
    return max(ends, default=0) <= TRUSTED and int(np.abs(part.rows.data).max(initial=0)) <= TRUSTED
