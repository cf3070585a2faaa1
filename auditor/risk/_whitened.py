"""Coordinates in which the Mahalanobis distance between two tables is Euclidean."""

from __future__ import annotations

import numpy as np

from auditor.risk._input import Floats

SINGULAR = 1e-10
"""A variable of which the ones before explain all but this share of its variance adds nothing to the distance."""


def whitened(original: Floats, masked: Floats) -> tuple[Floats, Floats]:
    """Coordinates of two centred float64[n, p] with |a − b|² = (a−b)' (V(a) + V(b))⁺ (a−b), ⁺ the pseudo-inverse.

    Coordinate j is what variable j adds to those before it, over its standard deviation: z = L⁻¹ x, with V = L L' and L
    lower triangular. So the first h coordinates are those of the first h variables alone. Where V is singular, the
    variable that the ones before explain has the coordinate 0: both tables lie in the range of V, where leaving it
    out is what the pseudo-inverse does.
    """
    covariance = (original.T @ original + masked.T @ masked) / len(original)
    variables = len(covariance)
    lower = np.zeros_like(covariance)
    tables = original.copy(), masked.copy()
    for j in range(variables):
        for k in range(j):
            if lower[k, k]:
                lower[j, k] = (covariance[j, k] - lower[j, :k] @ lower[k, :k]) / lower[k, k]
        pivot = covariance[j, j] - lower[j, :j] @ lower[j, :j]
        lower[j, j] = np.sqrt(pivot) if pivot > SINGULAR * covariance[j, j] else 0
        for table in tables:
            # Element by element, so that equal rows have equal coordinates to the last bit.
            for k in range(j):
                table[:, j] -= lower[j, k] * table[:, k]
            table[:, j] = table[:, j] / lower[j, j] if lower[j, j] else 0
    return tables
