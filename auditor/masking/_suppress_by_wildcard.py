"""Local suppression where a missing key agrees with every value.

Taking a value away then makes nobody's group smaller, so records are brought to k one by one, and stay there. What
later suppressions made superfluous is given back in a second round.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.masking._key_groups import Keys, over_subsets, row_ids, sizes_by_wildcard


def suppressed(keys: Keys, k: int, costs: NDArray[np.float64]) -> NDArray[np.bool_]:
    """bool[n, m]: which cells become missing so that every record agrees with k, itself counted.

    First, each record that does not is given the cheapest set of cells that brings it to k as the table then stands;
    among equally cheap ones, that which brings it together with most others that were short of k. Then each of them,
    those with the dearest sets first, gets back what it and all others can do without. No record is given more than
    all its cells, so the whole costs at most what suppressing the keys of all those records costs.

    O(V D m) for V records short of k and D distinct keys.

    Args:
        keys: see `auditor.masking._key_groups`; at least k rows.
        k: the least size of a group.
        costs: float64[m], above 0, of one cell of each column.
    """
    table = _KeyCounts(keys, k, costs)
    changed = [record for record in table.short.tolist() if table.bring_to_k(record)]
    table.count()
    for record in sorted(changed, key=lambda record: -float(table.price[table.lacking[record]])):
        table.give_back(record)
    return np.asarray((table.now == 0) & (keys != 0))


class _KeyCounts:
    """The table as it stands: its distinct keys, and how many records, and records short of k, have each.

    A set of columns is a number whose bit j stands for column j.
    """

    def __init__(self, keys: Keys, k: int, costs: NDArray[np.float64]) -> None:
        sizes = sizes_by_wildcard(keys)
        short = np.flatnonzero(sizes < k)
        self.keys = keys
        self.now = keys.copy()
        self.k = k
        self.bits = 1 << np.arange(keys.shape[1])
        self.subsets = np.arange(2 ** keys.shape[1])
        self.price = ((self.subsets[:, None] & self.bits) != 0) @ costs
        self.short = short[np.argsort(sizes[short], kind="stable")]
        """Those with the smallest groups first: what they need helps those who need less."""
        self.pattern = row_ids(keys)
        self.used = int(self.pattern.max(initial=-1)) + 1
        # Every suppression adds one row at most.
        self.patterns = np.zeros((self.used + len(short), keys.shape[1]), np.int64)
        self.patterns[self.pattern] = keys
        self.weights = np.bincount(self.pattern, minlength=len(self.patterns)).astype(np.float64)
        self.shorts = np.bincount(self.pattern[short], minlength=len(self.patterns)).astype(np.float64)
        self.lacking = dict.fromkeys(short.tolist(), 0)
        self.sizes = np.zeros(0, np.int64)

    def bring_to_k(self, record: int) -> bool:
        """Make the cheapest set of cells of a record missing that is enough; False where none is needed any more."""
        apart = self._apart(record)
        agreeing = self._without(apart, self.weights)
        if agreeing[0] >= self.k:
            return False
        enough = self._possible(record, agreeing >= self.k)
        short = self._without(apart, self.shorts)
        self._set(record, int(enough[np.lexsort((-short[enough], self.price[enough]))[0]]))
        return True

    def count(self) -> None:
        """Count each pattern's group anew."""
        self.sizes = np.zeros(self.used, np.int64)
        self.sizes[self.pattern] = sizes_by_wildcard(self.now)

    def give_back(self, record: int) -> None:
        """Make only the cheapest set of cells of a record missing that it and everybody whom it helps need."""
        apart = self._apart(record)
        before = self.lacking[record]
        helped = self._without(apart, np.where(self.sizes <= self.k, self.weights[: self.used], 0))
        enough = self._without(apart, self.weights) >= self.k
        enough &= (helped == helped[before]) & (self.subsets & ~before == 0)
        possible = self._possible(record, enough)
        columns = int(possible[np.argmin(self.price[possible])])
        lost = (apart & ~before == 0) & (apart & ~columns != 0)
        self.sizes[lost] -= 1
        self._set(record, columns)
        self.sizes[self.pattern[record]] = self.weights[: self.used][apart & ~columns == 0].sum()

    def _apart(self, record: int) -> NDArray[np.int64]:
        """int64[patterns]: the columns in which a record's first keys and a pattern differ, neither being missing."""
        key, patterns = self.keys[record], self.patterns[: self.used]
        return np.asarray(((patterns != key) & (patterns != 0) & (key != 0)) @ self.bits)

    def _without(self, apart: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[2^m]: the weight of the patterns that a record agrees with without each set of columns."""
        return over_subsets(np.bincount(apart, weights[: self.used], len(self.subsets)).astype(np.float64))

    def _possible(self, record: int, enough: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The sets that are enough and hold no cell that was missing from the start."""
        present = int((self.keys[record] != 0) @ self.bits)
        return np.flatnonzero(enough & (self.subsets & ~present == 0))

    def _set(self, record: int, columns: int) -> None:
        """Make this set of a record's cells missing, and only it; the record has a pattern row of its own then."""
        if not self.lacking[record]:
            self.weights[self.pattern[record]] -= 1
            self.shorts[self.pattern[record]] -= 1
            self.pattern[record] = self.used
            self.weights[self.used] = 1
            self.used += 1
        self.lacking[record] = columns
        self.now[record] = np.where((columns & self.bits) != 0, 0, self.keys[record])
        self.patterns[self.pattern[record]] = self.now[record]
