"""Transactions as numbers: which items each holds, and which transactions hold an itemset.

Symbols: n transactions (0-based rows), an item is a code from 0 in the order of the items' names, an itemset a sorted
tuple of codes. A transaction is a set: an item stands in it once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Rows = NDArray[np.int64]
Itemset = tuple[int, ...]
"""Item codes, ascending."""


@dataclass(frozen=True, eq=False)
class Transactions:
    """The items of each transaction, one after the other.

    Transaction t holds ``codes[starts[t]:starts[t + 1]]``, ascending and without repeats. `names` gives each code its
    text; `numeric` says that every item was a whole number where it was read, so that it is written as one.
    """

    names: tuple[str, ...]
    starts: Rows
    codes: Codes
    numeric: bool = False

    def __len__(self) -> int:
        """The number of transactions, the empty ones included."""
        return len(self.starts) - 1

    @cached_property
    def lengths(self) -> Rows:
        """int64[n]: how many items each transaction holds."""
        return np.diff(self.starts)

    @cached_property
    def rows(self) -> Rows:
        """int64[cells]: the transaction that each entry of `codes` stands in."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)

    @cached_property
    def supports(self) -> Rows:
        """int64[items]: how many transactions hold each item."""
        return np.bincount(self.codes, minlength=len(self.names)).astype(np.int64)

    @cached_property
    def _by_item(self) -> tuple[Rows, Rows]:
        order = np.argsort(self.codes, kind="stable")
        return self.rows[order], np.concatenate(([0], np.cumsum(self.supports)))

    def holders(self, item: int) -> Rows:
        """The rows of the transactions that hold `item`, ascending."""
        rows, starts = self._by_item
        return rows[starts[item] : starts[item + 1]]

    def supporters(self, itemset: Itemset) -> Rows:
        """The rows of the transactions that hold every item of `itemset`, ascending; all of them for the empty one."""
        if not itemset:
            return np.arange(len(self), dtype=np.int64)
        first, *others = sorted(itemset, key=lambda item: int(self.supports[item]))
        rows = self.holders(first)
        for item in others:
            rows = rows[np.isin(rows, self.holders(item), assume_unique=True, kind="sort")]
        return rows

    def support(self, itemset: Itemset) -> int:
        """The number of transactions that hold every item of `itemset`."""
        return len(self.supporters(itemset))

    def items_of(self, row: int) -> Itemset:
        """The items of one transaction."""
        return tuple(self.codes[self.starts[row] : self.starts[row + 1]].tolist())


@dataclass(frozen=True)
class Edit:
    """What a method does to the transactions: cells taken out, cells put in, whole transactions taken out.

    A cell is the pair (row, item). Rows are those of the transactions before the change.
    """

    removed: frozenset[tuple[int, int]] = frozenset()
    added: frozenset[tuple[int, int]] = frozenset()
    dropped: frozenset[int] = frozenset()

    def applied_to(self, transactions: Transactions) -> Transactions:
        """The transactions after the change, in their order."""
        width = len(transactions.names)
        keys = transactions.rows * width + transactions.codes
        keys = keys[~np.isin(keys, _keys(self.removed, width))]
        if self.added:
            keys = np.union1d(keys, _keys(self.added, width))
        rows, codes = (keys // width, keys % width) if width else (keys, keys)
        lengths = np.bincount(rows, minlength=len(transactions))
        kept = np.ones(len(transactions), dtype=bool)
        kept[sorted(self.dropped)] = False
        starts = np.concatenate(([0], np.cumsum(lengths[kept])))
        return Transactions(
            transactions.names, starts.astype(np.int64), codes[kept[rows]].astype(np.int32), transactions.numeric
        )


def _keys(cells: Iterable[tuple[int, int]], width: int) -> Rows:
    pairs = np.array(sorted(cells), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0] * width + pairs[:, 1]
