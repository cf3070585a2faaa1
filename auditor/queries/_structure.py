"""Limits on the shape of a log: size of query sets, overlap, number of queries.

They restrict what may be asked and prove little about what follows from the answers: a log may keep all of them and
disclose everybody (Denning, Denning & Schwartz 1979, trackers). What one of them does prove is `queries_needed`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from auditor.classes import IntArray
from auditor.policy.queries import QuerySetSize

_CHUNK = 1024
"""Queries compared at a time, so that the overlaps of a long log are never held all at once."""


def breaks_size(limit: QuerySetSize, size: int, population: int) -> bool:
    """Whether a query set is too small, or leaves too few of the `population` of records that could contribute.

    Without the upper end a whole-table query minus a large one isolates whoever is left (k ≤ |C| ≤ N − k).
    """
    return size < limit.min or (limit.both_ends and population - size < limit.min)


def largest_overlaps(memberships: csr_array, sizes: IntArray) -> IntArray:
    """int64[m]: how many records each query set shares at most with an earlier one that is not the same set.

    `memberships` is bool[m, p] over atoms of `sizes` int64[p]. A repeated set tells nothing new, so the overlap with
    itself is not counted.
    """
    members = memberships.astype(np.int64).tocsr()
    weighted = (members @ _diagonal(sizes)).tocsr()
    totals = np.asarray(weighted.sum(axis=1)).reshape(-1)
    largest = np.zeros(members.shape[0], dtype=np.int64)
    for start in range(0, members.shape[0], _CHUNK):
        stop = min(start + _CHUNK, members.shape[0])
        shared = (weighted[start:stop] @ members[:stop].T).tocoo()
        rows, columns = shared.coords[0] + start, shared.coords[1]
        same = (shared.data == totals[rows]) & (shared.data == totals[columns])
        counted = (columns < rows) & ~same
        np.maximum.at(largest, rows[counted], shared.data[counted])
    return largest


def _diagonal(sizes: IntArray) -> csr_array:
    p = len(sizes)
    return csr_array((sizes, np.arange(p), np.arange(p + 1)), shape=(p, p))


def queries_needed(smallest: int, overlap: int, known: int) -> int | None:
    """How many unweighted sums over unbounded reals are needed at least before any value can follow.

    ⌈(2k − l − 1)/r⌉ for query sets of at least k records of which two share at most r, and l values known beforehand
    (Dobkin, Jones & Lipton, TODS 4(1), 1979). None where it proves nothing: from l = k − 1 on one query suffices, and
    with r = 0 the sets are disjoint, so that nothing ever follows from sets of at least two unknown values.
    """
    if known >= smallest - 1:
        return 1
    if overlap == 0:
        return None
    return -(-(2 * smallest - known - 1) // overlap)


def beyond(limit: int | None, answered: Sequence[int]) -> list[int]:
    """The positions of the queries that come after the last one allowed."""
    return [] if limit is None else list(answered[limit:])


def smallest_set(sizes: NDArray[np.int64]) -> int:
    """k, the size of the smallest query set that is not empty; 0 without one."""
    filled = sizes[sizes > 0]
    return int(filled.min()) if len(filled) else 0
