"""Cluster-based loss: whether who is found together in the original is found together in the masked file.

Both files, standardised by the original's means and standard deviations, are clustered alike, crisply (k-means) and
fuzzily (fuzzy c-means), and the partitions are compared. What does not vary in the original is left out; a missing
value counts as the original's mean.

Clusterings are not unique: another start finds another partition where the data has no k clear groups. `repeated` says
how much: it compares two clusterings of the original itself. A masked file that agrees as much has lost nothing.

Source: V. Torra, S. Ladra, Cluster-specific information loss measures in data privacy: a review, International
Conference on Availability, Reliability and Security (ARES), 2008, doi:10.1109/ARES.2008.87.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError, UsageError
from auditor.utility._numbers import Floats, Numbers, alike, named
from auditor.utility.fuzzy_c_means import fuzzy_c_means
from auditor.utility.fuzzy_partitions import FuzzyAgreement, fuzzy_agreement
from auditor.utility.k_means import k_means
from auditor.utility.partitions import Agreement, agreement


@dataclass(frozen=True)
class ClusteringLoss:
    """How the clusterings of the original and of the masked file agree.

    `percent` is 100 (1 − adjusted Rand) of the crisp ones, at most 100: 0 the same clusters, 100 no more alike than by
    chance. `repeated` is the agreement of two clusterings of the original with other starts.
    """

    clusters: int
    crisp: Agreement
    fuzzy: FuzzyAgreement
    repeated: Agreement
    percent: float


class ClusteredOriginal:
    """The clusters of an original by k-means, with which those of masked tables are compared."""

    def __init__(self, original: Numbers, clusters: int, seed: int = 0) -> None:
        """Cluster the original; the same seed finds the same clusters.

        Raises:
            DataError, UsageError: as `clustering_loss`, of what is wrong with the original or the call.
        """
        if clusters < 2:
            raise UsageError(f"{clusters} clusters were asked for; a partition to compare has at least 2")
        self.names, x = named(original)
        if len(x) < clusters:
            raise DataError(f"the table has {len(x)} records, of which no {clusters} clusters can be made")
        self.clusters, self._seed = clusters, seed
        self._scale = _Standard(x)
        self.values = self._scale.of(x)
        self._labels = self._clustered(self.values)

    def standardised(self, masked: Numbers) -> Floats:
        """float64[n, p]: a masked table's values on the scale of the original; DataError as for `clustering_loss`."""
        values = alike(self.names, masked)
        if len(values) != len(self.values):
            raise DataError(
                f"the masked table has {len(values)} records and the original {len(self.values)}; row i must be the "
                "same record"
            )
        return self._scale.of(values)

    def agreement(self, masked: Numbers) -> Agreement:
        """How the clusters of a masked table agree with the original's; DataError where it does not fit."""
        return agreement(self._labels, self._clustered(self.standardised(masked)))

    @cached_property
    def repeated(self) -> Agreement:
        """How two clusterings of the original agree, the second with other starts."""
        return agreement(self._labels, self._clustered(self.values, 1))

    def start(self, other: int = 0) -> np.random.Generator:
        """The random numbers of a clustering."""
        return np.random.default_rng([self._seed, other])

    def _clustered(self, values: Floats, other: int = 0) -> NDArray[np.int64]:
        return k_means(values, self.clusters, self.start(other)).labels


def clustering_loss(original: Numbers, masked: Numbers, clusters: int, seed: int = 0) -> ClusteringLoss:
    """Cluster both files, row i the same record, and compare; the same seed gives the same figures.

    Raises:
        DataError: fewer records than clusters, no variable that varies, other variables or records, infinite values.
        UsageError: fewer than 2 clusters.
    """
    first = ClusteredOriginal(original, clusters, seed)
    crisp = first.agreement(masked)
    files = (first.values, first.standardised(masked))
    fuzzy = fuzzy_agreement(*(fuzzy_c_means(file, clusters, first.start()).memberships for file in files))
    return ClusteringLoss(clusters, crisp, fuzzy, first.repeated, lost(crisp))


def lost(found: Agreement) -> float:
    """100 (1 − adjusted Rand), at most 100: 0 the same clusters, 100 no more alike than by chance."""
    return min(100 * (1 - found.adjusted_rand), 100.0)


class _Standard:
    """The means and standard deviations of what varies in an original."""

    def __init__(self, x: Floats) -> None:
        known = ~np.isnan(x).all(0)
        varies = np.zeros(x.shape[1], np.bool_)
        varies[known] = np.nanmax(x[:, known], axis=0) > np.nanmin(x[:, known], axis=0)
        if not varies.any():
            raise DataError("no column of the original varies, so it has no clusters")
        self._varies = varies
        self._mean, self._deviation = np.nanmean(x[:, varies], axis=0), np.nanstd(x[:, varies], axis=0)

    def of(self, values: Floats) -> Floats:
        """float64[n, p] of the columns that vary; a missing value is the mean."""
        scaled = (values[:, self._varies] - self._mean) / self._deviation
        return np.asarray(np.nan_to_num(scaled, nan=0.0), np.float64)
