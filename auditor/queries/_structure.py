"""Limits on the shape of a log: size of query sets, overlap, number of queries.

They restrict what may be asked and prove little about what follows from the answers: a log may keep all of them and
disclose everybody (Denning, Denning & Schwartz 1979, trackers). What one of them does prove is `queries_needed`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.sparse import csr_array

from auditor.classes import IntArray
from auditor.policy.queries import QuerySetSize

_CHUNK = 1024
"""Queries compared at a time, so that the overlaps of a long log are never held all at once."""
EFFORT = 5 * 10**8
"""So many places are looked up for an overlap that no limit asks for: some seconds at most."""


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


def largest_overlap(sets: Iterable[IntArray], sizes: IntArray, effort: int = EFFORT) -> int | None:
    """How many records two different query sets share at most; None where that takes too long to find.

    Each set holds places in `sizes`, and none twice; the sets come with the most records first. Two sets share no more
    records than the smaller one has, so those that are no larger than an overlap already found are not compared.
    """
    largest, compared = 0, 0
    larger: list[IntArray] = []
    for mine in sets:
        total = int(sizes[mine].sum())
        if total <= largest:
            break
        inside = np.zeros(len(sizes), dtype=np.int64)
        inside[mine] = sizes[mine]
        for other in larger:
            compared += len(other)
            if compared > effort:
                return None
            shared = int(inside[other].sum())
            if shared < total or len(other) > len(mine):  # else it is the same set
                largest = max(largest, shared)
        larger.append(mine)
    return largest


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
