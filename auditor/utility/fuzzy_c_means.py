r"""Fuzzy c-means: every record belongs to every cluster, the more the nearer its centre is.

In turns, with the exponent m > 1, until no membership moves by more than 1e-6::

    v_c  = Σ_i u_ic^m x_i / Σ_i u_ic^m
    u_ic = 1 / Σ_d (|x_i − v_c| / |x_i − v_d|)^(2/(m−1))

which lessens Σ_i Σ_c u_ic^m |x_i − v_c|². A record on a centre belongs to it alone (to several, in equal shares).

Source: J. C. Bezdek, Pattern Recognition with Fuzzy Objective Function Algorithms, 1981, doi:10.1007/978-1-4757-0450-1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auditor.utility._numbers import Floats
from auditor.utility.k_means import seeded

FUZZIFIER = 2.0
STILL = 1e-6
ROUNDS = 1000


@dataclass(frozen=True, eq=False)
class FuzzyClusters:
    """Centres float64[k, p], memberships float64[n, k] with rows of sum 1, what was minimised.

    `converged` is whether the memberships stood still within 1,000 rounds.
    """

    centres: Floats
    memberships: Floats
    within: float
    converged: bool


def fuzzy_c_means(x: Floats, k: int, generator: np.random.Generator, fuzzifier: float = FUZZIFIER) -> FuzzyClusters:
    """Cluster x: float64[n, p] without missing values, 1 ≤ k ≤ n; deterministic given the generator."""
    squared = _squared(x, seeded(x, k, generator))
    u, moved = memberships(squared, fuzzifier), np.inf
    for _ in range(ROUNDS):
        weight = u**fuzzifier
        total = weight.sum(0)[:, None]
        # A centre to which nobody belongs in the least cannot be: every record off the centres belongs to all.
        centres = weight.T @ x / np.where(total > 0, total, 1)
        squared = _squared(x, centres)
        before, u = u, memberships(squared, fuzzifier)
        moved = float(np.abs(u - before).max())
        if moved <= STILL:
            break
    return FuzzyClusters(centres, u, float((u**fuzzifier * squared).sum()), moved <= STILL)


def memberships(squared: Floats, fuzzifier: float = FUZZIFIER) -> Floats:
    """float64[n, k]: the memberships of records at these squared distances from the centres."""
    least = squared.min(1, keepdims=True)
    # In shares of the nearest centre's distance, so that no power overflows.
    ratio = np.divide(least, squared, out=np.ones_like(squared), where=squared > 0)
    weight = np.where(least > 0, ratio ** (1 / (fuzzifier - 1)), squared == 0)
    return np.asarray(weight / weight.sum(1, keepdims=True), np.float64)


def _squared(x: Floats, centres: Floats) -> Floats:
    from scipy.spatial.distance import cdist

    return cdist(x, centres, "sqeuclidean")
