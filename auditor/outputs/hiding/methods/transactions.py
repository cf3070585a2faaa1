"""Removal of whole transactions, as the textbook describes hiding (Aggarwal, Data Mining, 2015, section 20.4.2).

Greedy: as long as something is not hidden, the transaction goes that supports most of what is not; among equals the one
with the fewest items that no pattern holds, then the first. What is left has fewer transactions, so a threshold that is
a share moves down with each, and is followed.
"""

from __future__ import annotations

import numpy as np

from auditor.outputs.hiding._problem import Answer, HidingProblem, Rule, holds
from auditor.outputs.hiding._transactions import Edit, Itemset, Rows

HOW = (
    "whole transactions are removed: always the one that supports most of what is not hidden yet; of several, the "
    "one with the fewest other items"
)
SOURCE = "Aggarwal, *Data Mining*, 2015, 20.4"


def hide(problem: HidingProblem) -> Answer:
    """Take whole transactions out until every pattern and rule is hidden."""
    targets: list[Itemset | Rule] = [*problem.itemsets, *problem.rules]
    itemsets = [_itemset(target) for target in targets]
    supporters = [problem.transactions.supporters(each) for each in itemsets]
    rows = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *supporters]))
    held = holds(problem, itemsets, rows)
    others = _others(problem, rows)
    supports = held.sum(axis=1)
    antecedents = [problem.transactions.support(t.antecedent) if isinstance(t, Rule) else 0 for t in targets]
    dropped: list[int] = []
    while (open_ := _open(problem, targets, supports, antecedents, len(dropped))).any():
        problem.check_time()
        gains = open_.astype(np.int64) @ held
        best = int(np.lexsort((others, -gains))[0])
        supports = supports - held[:, best]
        antecedents = _after(problem, targets, antecedents, int(rows[best]))
        held[:, best] = False
        dropped.append(int(rows[best]))
    return Answer(Edit(dropped=frozenset(dropped)))


def _itemset(target: Itemset | Rule) -> Itemset:
    return target.itemset if isinstance(target, Rule) else target


def _others(problem: HidingProblem, rows: Rows) -> Rows:
    """How many items that no pattern held stand in each transaction."""
    itemsets = [*problem.itemsets, *(rule.itemset for rule in problem.rules)]
    sensitive = {item for itemset in itemsets for item in itemset}
    return np.array([len(set(problem.transactions.items_of(int(row))) - sensitive) for row in rows], dtype=np.int64)


def _open(
    problem: HidingProblem, targets: list[Itemset | Rule], supports: Rows, antecedents: list[int], dropped: int
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which targets a miner of what is left would still find, with the threshold that it would have."""
    least = problem.threshold.count(len(problem.transactions) - dropped) - problem.margin
    found = supports >= least
    for place, target in enumerate(targets):
        if found[place] and isinstance(target, Rule):
            found[place] = not problem.rule_hidden(target, int(supports[place]), antecedents[place])
    return np.asarray(found, dtype=bool)


def _after(problem: HidingProblem, targets: list[Itemset | Rule], antecedents: list[int], row: int) -> list[int]:
    held = set(problem.transactions.items_of(row))
    return [
        count - (isinstance(target, Rule) and held.issuperset(target.antecedent))
        for count, target in zip(antecedents, targets, strict=True)
    ]
