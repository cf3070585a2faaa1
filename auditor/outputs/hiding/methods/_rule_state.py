"""The cells of the transactions while Verykios et al.'s algorithms change them, and the supports that follow."""

from __future__ import annotations

from auditor.outputs.hiding._problem import HidingProblem, Rule
from auditor.outputs.hiding._transactions import Edit, Itemset


class RuleCells:
    """Transactions that can lose and gain items; an itemset's supporters are kept up to date from the first look on."""

    def __init__(self, problem: HidingProblem) -> None:
        self._problem = problem
        self._items: dict[int, set[int]] = {}
        self._supporters: dict[Itemset, set[int]] = {}
        self._holders: dict[int, set[int]] = {}
        self._removed: set[tuple[int, int]] = set()
        self._added: set[tuple[int, int]] = set()

    def items(self, row: int) -> set[int]:
        """What the transaction holds now."""
        if row not in self._items:
            self._items[row] = set(self._problem.transactions.items_of(row))
        return self._items[row]

    def supporters(self, itemset: Itemset) -> set[int]:
        """The transactions that hold all of `itemset` now."""
        if itemset not in self._supporters:
            rows = set(self._problem.transactions.supporters(itemset).tolist())
            changed = {row for row, _ in self._removed | self._added}
            rows = {row for row in rows | changed if row not in changed or self.items(row).issuperset(itemset)}
            self._supporters[itemset] = rows
        return self._supporters[itemset]

    def support(self, item: int) -> int:
        """How many transactions hold `item` now."""
        return len(self.supporters((item,)))

    def remove(self, row: int, item: int) -> None:
        """Take an item out of a transaction that holds it."""
        self._problem.check_time()
        self.items(row).discard(item)
        self._removed.add((row, item))
        for itemset, rows in self._supporters.items():
            if item in itemset:
                rows.discard(row)

    def add(self, row: int, item: int) -> None:
        """Put an item into a transaction that lacks it."""
        self._problem.check_time()
        held = self.items(row)
        held.add(item)
        self._added.add((row, item))
        for itemset, rows in self._supporters.items():
            if item in itemset and held.issuperset(itemset):
                rows.add(row)

    def hidden(self, rule: Rule) -> bool:
        """Whether the rule is hidden now."""
        support, antecedent = len(self.supporters(rule.itemset)), len(self.supporters(rule.antecedent))
        return self._problem.rule_hidden(rule, support, antecedent)

    def change(self) -> Edit:
        """All that was taken out and put in; what was taken out and put in again is neither."""
        return Edit(frozenset(self._removed - self._added), frozenset(self._added - self._removed))
