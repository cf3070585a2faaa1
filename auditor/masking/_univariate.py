"""Groups of the values of one column: optimal ones, and ones of fixed size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError
from auditor.masking._mdav import require_records
from auditor.masking._path import best_runs


def optimal_univariate(values: NDArray[np.float64], k: int) -> NDArray[np.int32]:
    """int32[n]: the number of each value's group, from the group of the lowest values; the SSE is least.

    The SSE is the sum of the squared differences of the values from their group's mean. No partition into groups of
    at least k has a smaller one; its groups are runs of k to 2k − 1 of the sorted values. Equal values count as sorted
    by their row, and may fall into two groups; of several best partitions it is one. O(n log n + n k).

    Raises:
        DataError: fewer than k values, or one that is missing or infinite.
        UsageError: k below 1.
    """
    if not np.isfinite(values).all():
        raise DataError("some values are missing or infinite, so they have no mean; all must be finite numbers")
    return best_in_order(values[:, None], values, k)


def best_in_order(points: NDArray[np.float64], keys: NDArray[np.float64], k: int) -> NDArray[np.int32]:
    """int32[n]: the runs of least SSE of float64[n, p] points in the order of float64[n] keys (ties: by row)."""
    require_records(len(points), k)
    order = np.argsort(keys, kind="stable")
    groups = np.empty(len(points), np.int32)
    groups[order] = best_runs(points[order], k)
    return groups


def fixed_size(keys: NDArray[np.generic], k: int) -> NDArray[np.int32]:
    """int32[n]: groups of k in the order of the keys (ties: by row); the last one has k to 2k − 1."""
    require_records(len(keys), k)
    groups = np.empty(len(keys), np.int32)
    groups[np.argsort(keys, kind="stable")] = np.minimum(np.arange(len(keys)) // k, len(keys) // k - 1)
    return groups
