"""The revised positive border while items are taken out: which of its itemsets each transaction supports."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.outputs.hiding._problem import HidingProblem, holds, rows_of
from auditor.outputs.hiding._transactions import Edit, Itemset, Rows


class Border:
    """Supports of the border's itemsets, and their supporters among the transactions that support a pattern.

    Only itemsets that share an item with a pattern are kept: no other can lose a supporter. `holds[y, t]` says whether
    transaction `rows[t]` still supports itemset y, `supports[y]` is its support, `members[item]` the itemsets that hold
    an item, `left[pattern]` the places (in `rows`) of the pattern's supporters.
    """

    def __init__(self, problem: HidingProblem) -> None:
        self._problem = problem
        self.rows = rows_of(problem)
        sensitive = {item for pattern in problem.patterns for item in pattern}
        self.itemsets: list[Itemset] = [each for each in problem.border if not sensitive.isdisjoint(each)]
        self.before = np.array([problem.border[each] for each in self.itemsets], dtype=np.int64)
        self.supports = self.before.copy()
        self.holds = holds(problem, self.itemsets, self.rows)
        self.left: dict[Itemset, NDArray[np.bool_]] = {
            pattern: np.isin(self.rows, rows) for pattern, rows in problem.supporters.items()
        }
        self.removed: set[tuple[int, int]] = set()
        self.members: dict[int, Rows] = {
            item: np.array([y for y, each in enumerate(self.itemsets) if item in each], dtype=np.int64)
            for item in sensitive
        }

    def remove(self, place: int, item: int) -> None:
        """Take `item` out of transaction ``rows[place]``."""
        self._problem.check_time()
        self.removed.add((int(self.rows[place]), item))
        hurt = self.members[item]
        hurt = hurt[self.holds[hurt, place]]
        self.supports[hurt] -= 1
        self.holds[hurt, place] = False
        for pattern, left in self.left.items():
            if item in pattern:
                left[place] = False

    def change(self) -> Edit:
        """All that was taken out."""
        return Edit(removed=frozenset(self.removed))
