"""What the sizes and overlaps of query sets prove: `queries_needed`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from auditor.classes import IntArray

EFFORT = 5 * 10**8
"""So many places are looked up for an overlap that no limit asks for: some seconds at most."""


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
