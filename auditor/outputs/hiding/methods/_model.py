"""The integer programme over transaction types and removal sets, which the exact methods have in common.

Transactions that hold the same of what is watched (what shall lose supporters, what shall not) are of one type and
interchangeable. n(τ, D) transactions of type τ lose the items of D, one of τ's minimal removal sets; Σ_D n(τ, D) is at
most the number of the type. A transaction with very many removal sets is written down item by item instead: a 0/1
variable says of each item whether it goes, and of each watched itemset whether it is touched. So the programme has no
product of variables, and its size grows with what differs, not with the data.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from auditor.outputs.hiding._problem import HidingProblem, holds
from auditor.outputs.hiding._transactions import Edit, Itemset, Rows
from auditor.outputs.hiding.methods._programme import Programme, Term, TooLarge
from auditor.outputs.hiding.methods._removals import Removal, mask, members, minimal_sets, undominated


@dataclass
class Model:
    """A programme in the making.

    The watched itemsets are those that shall lose supporters (`good` of them come first), then those that shall not.
    `touched[w]` are the terms whose sum is how many supporters itemset w loses. `per_transaction` counts changed
    transactions as the cost, else removed items are counted.
    """

    problem: HidingProblem
    watched: Sequence[Itemset]
    good: int
    targets: int
    """So many of the first are what removal sets are to hit."""
    per_transaction: bool = False
    programme: Programme = field(default_factory=Programme)
    touched: list[list[Term]] = field(default_factory=list)
    _choices: list[tuple[Rows, list[tuple[int, int]]]] = field(default_factory=list)
    """Of each type its transactions and, for each variable, the items that it takes out."""
    _items: list[tuple[int, dict[int, int]]] = field(default_factory=list)
    """Of each transaction written item by item, the variable of each item."""

    def __post_init__(self) -> None:
        """Write the variables and the rows on the sizes of types."""
        self.touched = [[] for _ in self.watched]
        masks = [mask(itemset) for itemset in self.watched]
        sets: dict[tuple[int, ...], list[int] | None] = {}
        for kind, rows in self._types():
            held = np.flatnonzero(kind).tolist()
            aims = tuple(masks[w] for w in held if w < self.targets)
            self.problem.check_time()
            if time.monotonic() > self.problem.solver_deadline:
                raise TooLarge
            if aims not in sets:
                sets[aims] = minimal_sets(aims)
            found = sets[aims]
            if found is None:
                for row in rows.tolist():
                    self._item_by_item(row, held, aims, masks)
            else:
                self._by_set(rows, held, found, masks)

    def _types(self) -> list[tuple[NDArray[np.bool_], Rows]]:
        """What is held by a type, and its transactions; only those that hold something to be hit."""
        transactions = self.problem.transactions
        supporters = [transactions.supporters(each) for each in self.watched[: self.targets]]
        rows = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *supporters]))
        if not len(rows):
            return []
        held = holds(self.problem, self.watched, rows).T
        kinds, numbers = np.unique(held, axis=0, return_inverse=True)
        order = np.argsort(numbers, kind="stable")
        groups = np.split(rows[order], np.cumsum(np.bincount(numbers, minlength=len(kinds)))[:-1])
        return list(zip(kinds, groups, strict=True))

    def _by_set(self, rows: Rows, held: list[int], sets: list[int], masks: list[int]) -> None:
        removals = [
            Removal(
                items,
                mask(w for w in held if w < self.good and masks[w] & items),
                mask(w for w in held if w >= self.good and masks[w] & items),
            )
            for items in sets
        ]
        variables: list[tuple[int, int]] = []
        for removal in undominated(removals):
            cost = 1 if self.per_transaction else removal.items.bit_count()
            variable = self.programme.variable(cost, len(rows))
            variables.append((variable, removal.items))
            for w in members(removal.good | removal.bad):
                self.touched[w].append((variable, 1.0))
        if len(variables) > 1:
            self.programme.row([(variable, 1.0) for variable, _ in variables], high=len(rows))
        self._choices.append((rows, variables))

    def _item_by_item(self, row: int, held: list[int], aims: tuple[int, ...], masks: list[int]) -> None:
        programme = self.programme
        sensitive = sorted({item for aim in aims for item in members(aim)})
        items = {item: programme.variable(0 if self.per_transaction else 1, 1) for item in sensitive}
        if self.per_transaction:
            changed = programme.variable(1, 1)
            for variable in items.values():
                programme.row([(variable, 1.0), (changed, -1.0)], high=0)
        for w in held:
            going = [items[item] for item in members(masks[w]) if item in items]
            if not going:
                continue
            touched = going[0] if len(going) == 1 else programme.variable(0, 1, whole=False)
            if len(going) > 1 and w < self.good:
                programme.row([(touched, 1.0), *((variable, -1.0) for variable in going)], high=0)
            elif len(going) > 1:
                for variable in going:
                    programme.row([(touched, 1.0), (variable, -1.0)], low=0)
            self.touched[w].append((touched, 1.0))
        self._items.append((row, items))

    def change(self, values: NDArray[np.int64]) -> Edit:
        """What a solution does; which of a type's transactions are changed is drawn: their place tells nothing."""
        removed: set[tuple[int, int]] = set()
        generator = np.random.default_rng(self.problem.seed)
        for members_, variables in self._choices:
            rows, start = generator.permutation(members_), 0
            for variable, items in variables:
                end = start + int(values[variable])
                removed |= {(row, item) for row in rows[start:end].tolist() for item in members(items)}
                start = end
        for row, of_item in self._items:
            removed |= {(row, item) for item, variable in of_item.items() if values[variable]}
        return Edit(removed=frozenset(removed))
