"""Max-Min: Moustakides & Verykios, "A MaxMin approach for hiding frequent itemsets", Data & Knowl. Eng. 65(1), 2008.

Patterns are hidden one by one, the one of least present support first, among equals the longest. For each item of the
pattern, the border itemsets that hold it and are supported least are at stake; the item whose least support is largest
is the victim, and these itemsets, all of that support, are the max-min itemsets. It is taken out of the transaction
that supports fewest of them, then fewest border itemsets that hold the item, then the first. Itemsets that are lost
already are out of the border.
"""

from __future__ import annotations

import numpy as np

from auditor.outputs.hiding._problem import Answer, HidingProblem
from auditor.outputs.hiding._transactions import Itemset, Rows
from auditor.outputs.hiding.methods._border import Border

HOW = "the item whose least supported border itemset has the most support, removed where that itemset loses least"
SOURCE = "Moustakides & Verykios, Data & Knowledge Engineering 65(1), 2008"


def hide(problem: HidingProblem) -> Answer:
    """Hide every pattern by its max-min item."""
    border, open_ = Border(problem), set(problem.patterns)
    while open_:
        pattern = min(open_, key=lambda each: (int(border.left[each].sum()), -len(each), each))
        while border.left[pattern].sum() > problem.ceiling:
            item, alive, critical = _victim(border, pattern, problem.min_support)
            border.remove(_transaction(border, pattern, alive, critical), item)
        open_.discard(pattern)
    return Answer(border.change())


def _victim(border: Border, pattern: Itemset, s: int) -> tuple[int, Rows, Rows]:
    """The item that goes, the border itemsets that hold it, and those of them that are supported least."""
    best: tuple[float, int, int] | None = None
    for item in pattern:
        supports = border.supports[border.members[item]]
        alive = supports[supports >= s]
        least = float(alive.min()) if len(alive) else np.inf
        found = (-least, int((alive == least).sum()), item)
        best = found if best is None else min(best, found)
    if best is None:
        raise AssertionError("a pattern has items")
    members = border.members[best[2]]
    alive = members[border.supports[members] >= s]
    return best[2], alive, alive[border.supports[alive] == -best[0]]


def _transaction(border: Border, pattern: Itemset, alive: Rows, critical: Rows) -> int:
    places = np.flatnonzero(border.left[pattern])
    hurt = border.holds[np.ix_(critical, places)].sum(axis=0)
    others = border.holds[np.ix_(alive, places)].sum(axis=0)
    return int(places[np.lexsort((places, others, hurt))[0]])
