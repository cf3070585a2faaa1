"""What a combination of answers proves of a total, in integers.

For any rational y,  z_A = Σ y_t b_t + Σ_B d_B z_B  with  d = e_A − y B,  so that with each z_B at the end of its domain
that the sign of d_B asks for the right side is a bound of z_A. Any y gives a true bound, also one that a solver in
floating point suggests: it is only a worse one than the best.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from auditor.inference.integer.parts import ProgrammePart

_SMALL = 1000
"""Multipliers of an optimum are mostly fractions of small numbers; floating point shows those up to it."""
_FINE = 2**40


def bound(part: ProgrammePart, position: int, sign: int, y: Mapping[int, Fraction]) -> Fraction | None:
    """The least a total can be (sign 1), or the most (−1), by Σ y_t (B z)_t; None where an end is missing."""
    common = math.lcm(*(value.denominator for value in y.values()))
    left: NDArray[np.object_] = np.zeros(part.rows.shape[1], dtype=object)
    left[position] = common
    value = 0
    for row, coefficient in y.items():
        inside = slice(part.rows.indptr[row], part.rows.indptr[row + 1])
        numerator = int(coefficient * common)
        left[part.rows.indices[inside]] -= part.rows.data[inside].astype(object) * numerator
        value += numerator * int(part.row_ends[row][0] or 0)
    for variable in np.flatnonzero(left).tolist():
        low, high = part.ends[variable]
        end = low if left[variable] * sign > 0 else high
        if end is None:
            return None
        value += int(left[variable]) * end
    return Fraction(value, common)


def suggested(multipliers: NDArray[np.float64]) -> list[dict[int, Fraction]]:
    """Rational combinations near those of a solver: of small numbers, and as near as may be."""
    places = np.flatnonzero(np.abs(multipliers) > 1e-9).tolist()
    near = {row: Fraction(float(multipliers[row])).limit_denominator(_SMALL) for row in places}
    fine = {row: Fraction(round(float(multipliers[row]) * _FINE), _FINE) for row in places}
    return [{row: value for row, value in each.items() if value} for each in (near, fine)]
