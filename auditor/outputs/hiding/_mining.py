"""Mining: every frequent itemset with its support, by Eclat on bitsets.

Zaki, "Scalable algorithms for association mining", IEEE TKDE 12(3), 2000, doi:10.1109/69.846291. An itemset's
supporters are a bitset; extending it by an item intersects two of them. Here the transactions are projected on each
first item (so that bitsets are as short as its support), and all extensions of an itemset are intersected in one array
operation.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.errors import OutOfMemory, OutOfTime
from auditor.outputs.hiding._transactions import Itemset, Rows, Transactions

Bits = NDArray[np.uint64]

MOST_ITEMSETS = 2_000_000
"""So many itemsets fill about a gigabyte; more are no collection that anybody reads."""


def frequent_itemsets(
    transactions: Transactions, min_support: int, *, most: int = MOST_ITEMSETS, deadline: float = math.inf
) -> dict[Itemset, int]:
    """Every non-empty itemset that at least `min_support` (≥ 1) transactions hold, with their number.

    Raises:
        OutOfMemory: there are more than `most`.
        OutOfTime: `deadline`, on the monotonic clock, has passed.
    """
    found: dict[Itemset, int] = {}
    search = _ItemsetSearch(min_support, most, deadline, found)
    ranks = _by_support(transactions, min_support)
    for item, extensions, bits in _projections(transactions, ranks, min_support):
        found[(item,)] = int(transactions.supports[item])
        search.extend((item,), extensions, bits)
    return {tuple(sorted(itemset)): support for itemset, support in found.items()}


def maximal(itemsets: dict[Itemset, int]) -> dict[Itemset, int]:
    """Those of a downward closed collection that no larger one of it contains: its positive border."""
    inner = {itemset[:i] + itemset[i + 1 :] for itemset in itemsets for i in range(len(itemset))}
    return {itemset: support for itemset, support in itemsets.items() if itemset not in inner}


def _by_support(transactions: Transactions, min_support: int) -> Rows:
    """The frequent items, the rarest first: so the projections on the first of an itemset are small."""
    frequent = np.flatnonzero(transactions.supports >= max(min_support, 1))
    return np.asarray(frequent[np.argsort(transactions.supports[frequent], kind="stable")], dtype=np.int64)


def _projections(transactions: Transactions, ranks: Rows, min_support: int) -> Iterator[tuple[int, Rows, Bits]]:
    """Each frequent item, the later ones that are frequent with it, and the bitsets of both together."""
    position = np.full(len(transactions.names), -1, dtype=np.int64)
    position[ranks] = np.arange(len(ranks))
    places = position[transactions.codes]
    for rank, item in enumerate(ranks.tolist()):
        rows = transactions.holders(item)
        cells = _cells(transactions, rows)
        columns = places[cells]
        inside = np.repeat(np.arange(len(rows)), transactions.lengths[rows])
        later = columns > rank
        columns, inside = columns[later], inside[later]
        counts = np.bincount(columns, minlength=len(ranks))
        kept = np.flatnonzero(counts >= min_support)
        yield item, ranks[kept], _bitsets(columns, inside, kept, len(rows), len(ranks))


def _cells(transactions: Transactions, rows: Rows) -> Rows:
    """Where the items of these transactions stand, one transaction after the other."""
    lengths = transactions.lengths[rows]
    ends = np.cumsum(lengths)
    shifts = np.repeat(transactions.starts[rows] - (ends - lengths), lengths)
    return shifts + np.arange(len(shifts), dtype=np.int64)


def _bitsets(columns: Rows, inside: Rows, kept: Rows, height: int, width: int) -> Bits:
    """uint64[kept, words]: bit i of a row is set where the i-th transaction of the projection holds its item."""
    place = np.full(width, -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    dense = np.zeros((len(kept), -(-height // 64) * 64), dtype=bool)
    chosen = place[columns] >= 0
    dense[place[columns[chosen]], inside[chosen]] = True
    return np.packbits(dense, axis=1).view(np.uint64)


@dataclass(frozen=True)
class _ItemsetSearch:
    """The depth-first search below one itemset after the other, and the limits of all of it."""

    min_support: int
    most: int
    deadline: float
    found: dict[Itemset, int]

    def extend(self, prefix: Itemset, items: Rows, bits: Bits) -> None:
        """Add every frequent itemset that is `prefix` with some of `items`; `bits` are of `prefix` with each one."""
        if len(self.found) > self.most:
            raise OutOfMemory(f"more than {self.most:,} itemsets are frequent; give a larger --min-support")
        if time.monotonic() > self.deadline:
            raise OutOfTime("the time limit was reached while mining; give a larger --min-support, or more time")
        supports = np.bitwise_count(bits).sum(axis=1)
        for i, item in enumerate(items.tolist()):
            itemset = (*prefix, item)
            self.found[itemset] = int(supports[i])
            if i + 1 == len(items):
                continue
            both = bits[i + 1 :] & bits[i]
            kept = np.bitwise_count(both).sum(axis=1) >= self.min_support
            if kept.any():
                self.extend(itemset, items[i + 1 :][kept], both[kept])
