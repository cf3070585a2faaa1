"""The patterns' supporters while a method takes items out."""

from __future__ import annotations

from auditor.outputs.hiding._problem import HidingProblem
from auditor.outputs.hiding._transactions import Edit, Itemset


class Working:
    """Which transactions still support each pattern, and what was taken out so far."""

    def __init__(self, problem: HidingProblem) -> None:
        self._problem = problem
        self.left = {pattern: set(rows.tolist()) for pattern, rows in problem.supporters.items()}
        self.removed: set[tuple[int, int]] = set()
        self._holding: dict[int, list[Itemset]] = {}
        for pattern in problem.patterns:
            for item in pattern:
                self._holding.setdefault(item, []).append(pattern)

    def excess(self, pattern: Itemset) -> int:
        """How many of its supporters are still too many; 0 or less where it is hidden."""
        return len(self.left[pattern]) - self._problem.ceiling

    def remove(self, row: int, item: int) -> None:
        """Take `item` out of a transaction that holds it."""
        self._problem.check_time()
        self.removed.add((row, item))
        for pattern in self._holding.get(item, ()):
            self.left[pattern].discard(row)

    def conflict(self, row: int) -> int:
        """The degree of conflict of a transaction: how many patterns it supports."""
        return sum(row in rows for rows in self.left.values())

    def change(self) -> Edit:
        """All that was taken out."""
        return Edit(removed=frozenset(self.removed))
