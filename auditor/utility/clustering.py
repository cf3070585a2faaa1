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

import numpy as np

from auditor.errors import DataError, UsageError
from auditor.utility._numbers import Floats, Numbers, both
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


def clustering_loss(original: Numbers, masked: Numbers, clusters: int, seed: int = 0) -> ClusteringLoss:
    """Cluster both files, row i the same record, and compare; the same seed gives the same figures.

    Raises:
        DataError: fewer records than clusters, no variable that varies, other variables or records, infinite values.
        UsageError: fewer than 2 clusters.
    """
    if clusters < 2:
        raise UsageError(f"{clusters} clusters were asked for; a partition to compare has at least 2")
    _, x, y = both(original, masked)
    if len(x) < clusters:
        raise DataError(f"the table has {len(x)} records, of which no {clusters} clusters can be made")
    x, y = _standardised(x, y)

    def start(other: int = 0) -> np.random.Generator:
        return np.random.default_rng([seed, other])

    first, second, again = (
        k_means(*run).labels for run in ((x, clusters, start()), (y, clusters, start()), (x, clusters, start(1)))
    )
    crisp = agreement(first, second)
    fuzzy = fuzzy_agreement(*(fuzzy_c_means(file, clusters, start()).memberships for file in (x, y)))
    return ClusteringLoss(clusters, crisp, fuzzy, agreement(first, again), min(100 * (1 - crisp.adjusted_rand), 100.0))


def _standardised(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    known = ~np.isnan(x).all(0)
    x, y = x[:, known], y[:, known]
    varies = np.nanmax(x, axis=0) > np.nanmin(x, axis=0) if x.size else np.zeros(x.shape[1], np.bool_)
    if not varies.any():
        raise DataError("no column of the original varies, so it has no clusters")
    x, y = x[:, varies], y[:, varies]
    mean, deviation = np.nanmean(x, axis=0), np.nanstd(x, axis=0)
    one, other = (np.nan_to_num((file - mean) / deviation, nan=0.0) for file in (x, y))
    return one, other
