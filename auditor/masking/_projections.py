"""Orders of records by one number each: what projected microaggregation forms runs of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def principal_component(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n]: the scores of standardised points (float64[n, p]) on their first principal component.

    It is the eigenvector of the correlation matrix with the largest eigenvalue; of its two directions the one in which
    its largest coordinate is positive.
    """
    _, vectors = np.linalg.eigh(points.T @ points)
    first = vectors[:, -1]
    return np.asarray(points @ (first * np.sign(first[np.abs(first).argmax()])))


def sum_of_scores(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n]: the sum of the standardised values (z-scores) of each record."""
    return np.asarray(points.sum(axis=1))


def first_column(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n]: the first column."""
    return points[:, 0]
