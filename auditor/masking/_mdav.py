"""MDAV: maximum distance to average vector, the partition of records into groups of k to 2k − 1 that lie close.

While at least 3k records are left: the record r farthest from their centre forms a group with the k − 1 nearest to it,
then the record s farthest from r among those left does. Of 2k to 3k − 1 that are left, r and its nearest form a group
and the others the last one; k to 2k − 1 are the last group. (Loops that run while more than k are left, as some texts
print, can end in a group smaller than k.)

Source: J. Domingo-Ferrer, V. Torra, Ordinal, continuous and heterogeneous k-anonymity through microaggregation, Data
Mining and Knowledge Discovery 11 (2005), https://doi.org/10.1007/s10618-005-0007-5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.errors import DataError, UsageError
from auditor.masking._centre import RunningCentre
from auditor.masking._remaining import Remaining
from auditor.masking._space import Space, points_alone


def mdav(points: NDArray[np.float64], k: int) -> NDArray[np.int32]:
    """int32[n]: the number of each record's group, for float64[n, p] points, by Euclidean distance.

    Groups are numbered from 0 in the order in which they are formed; each has k to 2k − 1 records. Distances are
    exact to double precision; of records at the same distance the lowest row comes first. Standardise first where
    the variables have units of their own. About 2n/k searches of O(n p).

    Raises:
        DataError: fewer than k records, or a number that is missing or infinite.
        UsageError: k below 1.
    """
    if not np.isfinite(points).all():
        raise DataError("some points are missing or infinite, so they have no distance; all must be finite numbers")
    return mdav_of(points_alone(points), k)


def mdav_of(space: Space, k: int) -> NDArray[np.int32]:
    """int32[n]: the number of each record's group, in a space that may have categories; see `mdav`."""
    require_records(space.records, k)
    groups = np.full(space.records, -1, np.int32)
    remaining, centre = Remaining(space), RunningCentre(space)
    formed = 0

    def form_around(row: int) -> None:
        nonlocal formed
        members = remaining.take_nearest(space.record(row), k)
        centre.remove(members)
        groups[members] = formed
        formed += 1

    while remaining.count >= 3 * k:
        one = remaining.farthest(centre.place())
        form_around(one)
        form_around(remaining.farthest(space.record(one)))
    if remaining.count >= 2 * k:
        form_around(remaining.farthest(centre.place()))
    groups[remaining.rest()] = formed
    return groups


def require_records(records: int, k: int) -> None:
    """DataError where there are fewer than k records, so no group of k; UsageError where k is below 1."""
    if k < 1:
        raise UsageError(f"a group has at least one record; k is {k}")
    if records < k:
        raise DataError(f"the table has fewer than k = {k} records, so no group of k can be formed")
