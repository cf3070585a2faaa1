"""BBA: Sun & Yu, "A border-based approach for hiding sensitive frequent itemsets", IEEE ICDM 2005.

Patterns are hidden one by one, longer ones first, then those of smaller support. Of all pairs (supporter T, item i of
the pattern) the one goes whose removal weighs least: the sum, over the border itemsets that hold i and that T supports,
of w(Y) = (sup − sup′ + 1) / (sup − s) while sup′ > s, else λ + sup − sup′, with sup the support before hiding, sup′ the
present one and λ the number of the border's itemsets. So an itemset weighs more, the nearer it is to being lost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.outputs.hiding._problem import Answer, HidingProblem
from auditor.outputs.hiding._transactions import Itemset
from auditor.outputs.hiding.methods._border import Border

HOW = (
    "the removal with the least weight on the border: an itemset Y of the border weighs (sup − sup′ + 1) / (sup − s) "
    "and, once at s, λ + sup − sup′"
)
SOURCE = "Sun & Yu, IEEE ICDM 2005"


def hide(problem: HidingProblem) -> Answer:
    """Hide every pattern by the removals that weigh least on the border."""
    border, s = Border(problem), problem.min_support
    support = {pattern: int(left.sum()) for pattern, left in border.left.items()}
    for pattern in sorted(problem.patterns, key=lambda each: (-len(each), support[each], each)):
        while border.left[pattern].sum() > problem.ceiling:
            border.remove(*_lightest(border, pattern, s))
    return Answer(border.change())


def _lightest(border: Border, pattern: Itemset, s: int) -> tuple[int, int]:
    """The place of the transaction, and the item."""
    places = np.flatnonzero(border.left[pattern])
    best: tuple[float, int, int] | None = None
    for item in pattern:
        hurt = border.members[item]
        costs = _weights(border, hurt, s) @ border.holds[np.ix_(hurt, places)]
        least = int(np.argmin(costs))
        found = (float(costs[least]), int(places[least]), item)
        best = found if best is None else min(best, found)
    if best is None:
        raise AssertionError("a pattern has items")
    return best[1], best[2]


def _weights(border: Border, hurt: NDArray[np.int64], s: int) -> NDArray[np.float64]:
    before, now = border.before[hurt], border.supports[hurt]
    far = (before - now + 1) / np.maximum(before - s, 1)
    return np.where(now > s, far, len(border.itemsets) + before - now)
