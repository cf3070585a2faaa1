"""Distances between a class's distribution p and the reference distribution q that need no ground distance.

Each function is sparse: it reads the cells of a class and never the values that the class lacks, because what those
contribute follows from what the others leave over.
"""

from __future__ import annotations

import numpy as np

from auditor.classes import Cells, FloatArray

LN2 = float(np.log(2.0))


def variational(cells: Cells) -> FloatArray:
    """float64[n]: ½ Σ |p_i − q_i|, the mass that p has too much of; in [0, 1]."""
    return cells.sum(np.maximum(cells.share - cells.reference, 0.0))


def kullback_leibler(cells: Cells) -> FloatArray:
    """float64[n]: Σ p_i (ln p_i − ln q_i) in nats; in [0, +∞], +∞ where q_i = 0 < p_i (Aggarwal eq. 20.14)."""
    with np.errstate(divide="ignore"):
        terms = cells.share * (np.log(cells.share) - np.log(cells.reference))
    divergences: FloatArray = np.maximum(cells.sum(terms), 0.0)
    return divergences


def jensen_shannon(cells: Cells) -> FloatArray:
    """float64[n]: ½ KL(p‖(p+q)/2) + ½ KL(q‖(p+q)/2) in nats; in [0, ln 2]."""
    p, q = cells.share, cells.reference
    terms = p * np.log(2 * p / (p + q))
    terms += np.where(q > 0, q * np.log(np.where(q > 0, 2 * q / (p + q), 1.0)), 0.0)
    absent = 1.0 - cells.sum(q)
    return np.maximum(0.5 * (cells.sum(terms) + LN2 * absent), 0.0)
