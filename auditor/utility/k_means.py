"""k-means: centres and nearest records in turns, the best of several seeded starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.utility._numbers import Floats

STARTS = 10
ROUNDS = 300
"""No start of the tests or of the public tables needs as many; a bound all the same."""


@dataclass(frozen=True, eq=False)
class KMeans:
    """Centres float64[k, p], the nearest one of every record int64[n], and the sum of squared distances to it."""

    centres: Floats
    labels: NDArray[np.int64]
    within: float


def k_means(x: Floats, k: int, generator: np.random.Generator, starts: int = STARTS) -> KMeans:
    """Lloyd's algorithm on x: float64[n, p] without missing values, 1 ≤ k ≤ n; deterministic given the generator.

    A cluster that loses its last record keeps its centre, so fewer than k may have records.
    """
    found = [_lloyd(x, seeded(x, k, generator)) for _ in range(starts)]
    return min(found, key=lambda clusters: clusters.within)


def seeded(x: Floats, k: int, generator: np.random.Generator) -> Floats:
    """float64[k, p]: records drawn as centres, each with a chance by its squared distance to those before it.

    Source: D. Arthur, S. Vassilvitskii, k-means++: the advantages of careful seeding, SODA 2007.
    """
    centres = [x[generator.integers(len(x))]]
    squared = ((x - centres[0]) ** 2).sum(1)
    for _ in range(k - 1):
        total = squared.sum()
        # Where every record is a centre already, any record is as good.
        chance = squared / total if total > 0 else None
        centres.append(x[generator.choice(len(x), p=chance)])
        squared = np.minimum(squared, ((x - centres[-1]) ** 2).sum(1))
    return np.array(centres)


def _lloyd(x: Floats, centres: Floats) -> KMeans:
    labels, squared = _nearest(x, centres)
    for _ in range(ROUNDS):
        sizes = np.bincount(labels, minlength=len(centres))
        sums = np.column_stack([np.bincount(labels, column, len(centres)) for column in x.T])
        centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
        before = labels
        labels, squared = _nearest(x, centres)
        if np.array_equal(labels, before):
            break
    return KMeans(centres, labels, float(squared.sum()))


def _nearest(x: Floats, centres: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The nearest centre of every record, and the squared distance to it; no threads, so that runs are the same."""
    from scipy.spatial.distance import cdist

    squared = cdist(x, centres, "sqeuclidean")
    labels = squared.argmin(1)
    return labels.astype(np.int64), squared[np.arange(len(x)), labels]
