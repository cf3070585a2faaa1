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
    from scipy.cluster.vq import vq

    labels, distance = vq(x, centres)
    for _ in range(ROUNDS):
        sums, sizes = np.zeros_like(centres), np.bincount(labels, minlength=len(centres))
        np.add.at(sums, labels, x)
        centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
        before = labels
        labels, distance = vq(x, centres)
        if np.array_equal(labels, before):
            break
    return KMeans(centres, labels.astype(np.int64), float((distance**2).sum()))
