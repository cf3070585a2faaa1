"""Local suppression where a missing key is a value of its own: it agrees with a missing key and nothing else.

Records share a group when they lack the same cells and agree on the others. Taking a value away makes the group that
the record leaves smaller, so others than those short of k are changed only where their group can spare them, or as a
whole.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from auditor.masking._key_groups import Keys, over_subsets, row_ids, sizes_by_value


def suppressed(keys: Keys, k: int, costs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """bool[n, m]: which cells become missing so that every record shares its keys with k, itself counted.

    Sets of columns are tried from the cheapest to all: records short of k that agree without the set, k of them or
    together with a group that already lacks it, are settled there. Fewer than k can be left over; each of them gets
    companions that groups of more than k can spare, or joins a group that gives up the columns in which they differ. If
    all that comes dearer than suppressing all keys of all records short of k, that is done.

    Args:
        keys: see `auditor.masking._key_groups`; at least k rows.
        k: the least size of a group.
        costs: float64[m], above 0, of one cell of each column.
    """
    columns = keys.shape[1]
    price = ((np.arange(2**columns)[:, None] >> np.arange(columns)) & 1) @ costs
    cheapest_first = np.argsort(price, kind="stable")[1:]
    ways = [_KeyTable(keys, k, price, sets).settled() for sets in (cheapest_first, cheapest_first[-1:])]
    cells = [(after == 0) & (keys != 0) for after in ways]
    return min(cells, key=lambda each: float(each.sum(axis=0) @ costs))


class _KeyTable:
    """The table as it stands: its keys, and which records are short of k."""

    def __init__(self, keys: Keys, k: int, price: NDArray[np.float64], sets: NDArray[np.intp]) -> None:
        self.keys = keys.copy()
        self.k = k
        self.price = price
        self.sets = sets
        self.bits = 1 << np.arange(keys.shape[1])
        self.short = sizes_by_value(keys) < k

    def settled(self) -> Keys:
        """The keys after suppression."""
        for columns in self.sets:
            if not self.short.any():
                break
            self._pool((columns & self.bits) != 0)
        while self.short.any():
            self._borrow(int(np.flatnonzero(self.short)[0]))
        return self.keys

    def _pool(self, lacking: NDArray[np.bool_]) -> None:
        """Settle the records short of k that agree, without a set of columns, with enough others of them."""
        rows = np.flatnonzero(self.short)
        new = np.where(lacking, 0, self.keys[rows])
        there = self.keys[~self.short]
        there = there[(there[:, lacking] == 0).all(axis=1)]
        ids = row_ids(np.concatenate([new, there]))
        counts = np.bincount(ids)
        # A group that is there has k members already, so that whoever joins it is one of more than k.
        enough = counts[ids[: len(new)]] >= self.k
        self.keys[rows[enough]] = new[enough]
        self.short[rows[enough]] = False

    def _borrow(self, record: int) -> None:
        """Settle a record with companions that groups of more than k can spare, or with a group that is given up.

        The way is taken that costs less for each record short of k that it settles.
        """
        apart = (self.keys != self.keys[record]) @ self.bits
        missing = (self.keys == 0) @ self.bits

        def dearness(way: tuple[int, NDArray[np.intp]]) -> float:
            columns, rows = way
            cost = self.price[columns] - self.price[missing[rows] & columns]
            return float(cost.sum()) / np.count_nonzero(self.short[rows])

        kept = np.flatnonzero(~self.short)
        groups = row_ids(self.keys[kept])
        ways = [*self._spared(apart, missing, kept, groups), *self._given_up(apart, missing, kept, groups)]
        columns, rows = min(ways, key=dearness)
        self.keys[np.ix_(rows, (columns & self.bits) != 0)] = 0
        self.short[rows] = False

    def _spared(
        self, apart: NDArray[np.intp], missing: NDArray[np.intp], kept: NDArray[np.intp], groups: NDArray[np.intp]
    ) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """The cheapest set without which k records agree that are short of k or more than their groups need, and they.

        `apart` is where a row differs from the record, `missing` what it lacks; `kept` are the rows that have k, with
        the numbers of their `groups`.
        """
        spare = self.short.copy()
        spare[kept] = _place_within(groups) >= self.k
        found = over_subsets(np.bincount(apart[spare], minlength=len(self.price)))
        for columns in self.sets[found[self.sets] >= self.k][:1].tolist():
            rows = np.flatnonzero(spare & (apart & ~columns == 0))
            # All that are short of k, then those whose cells are missing already.
            rows = rows[np.lexsort((-self.price[missing[rows] & columns], ~self.short[rows]))]
            yield columns, rows[: max(self.k, np.count_nonzero(self.short[rows]))]

    def _given_up(
        self, apart: NDArray[np.intp], missing: NDArray[np.intp], kept: NDArray[np.intp], groups: NDArray[np.intp]
    ) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """The group that costs least to merge with, the columns in which it differs, and all rows that merge."""
        if len(kept):
            columns = np.where(np.isin(apart[kept], self.sets), apart[kept], self.sets[-1])
            cost = np.bincount(groups, self.price[columns] - self.price[missing[kept] & columns])
            merged = groups == np.argmin(cost)
            without = int(columns[merged][0])
            yield without, np.concatenate([np.flatnonzero(self.short & (apart & ~without == 0)), kept[merged]])


def _place_within(groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """intp[n]: how many earlier rows belong to the same group."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    place = np.empty(len(groups), np.intp)
    place[order] = np.arange(len(groups)) - np.searchsorted(ordered, ordered)
    return place
