"""Algorithm 2.a of Verykios, Elmagarmid, Bertino, Saygin & Dasseni, "Association rule hiding", IEEE TKDE 16(4), 2004.

doi:10.1109/TKDE.2004.1269668. Of the supporters of the itemset that generates a rule, the shortest first, each loses
the item of the itemset that most transactions hold, until the support or the confidence of the rule is low enough; for
a sensitive itemset, until its support is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from auditor.outputs.hiding._problem import Answer, HidingProblem
from auditor.outputs.hiding._transactions import Itemset
from auditor.outputs.hiding.methods._rule_state import RuleCells

HOW = (
    "the shortest supporters lose the most frequent item of the generating itemset, until support or confidence "
    "is low enough"
)
SOURCE = "Verykios, Elmagarmid, Bertino, Saygin & Dasseni, IEEE TKDE 16(4), 2004, doi:10.1109/TKDE.2004.1269668"


def hide(problem: HidingProblem) -> Answer:
    """Hide every rule and itemset by the most frequent item of what generates it."""
    cells = RuleCells(problem)
    for rule in problem.rules:
        _lower(cells, rule.itemset, partial(cells.hidden, rule))
    for itemset in problem.itemsets:
        _lower(cells, itemset, partial(_below, cells, itemset, problem.ceiling))
    return Answer(cells.change())


def _below(cells: RuleCells, itemset: Itemset, ceiling: int) -> bool:
    return len(cells.supporters(itemset)) <= ceiling


def _lower(cells: RuleCells, itemset: Itemset, hidden: Callable[[], bool]) -> None:
    for row in sorted(cells.supporters(itemset), key=lambda row: (len(cells.items(row)), row)):
        if hidden():
            return
        cells.remove(row, max(itemset, key=lambda item: (cells.support(item), -item)))
