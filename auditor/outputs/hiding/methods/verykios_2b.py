"""Algorithm 2.b of Verykios, Elmagarmid, Bertino, Saygin & Dasseni, "Association rule hiding", IEEE TKDE 16(4), 2004.

doi:10.1109/TKDE.2004.1269668. The itemsets to be hidden (for a rule, the one that generates it) are sorted by length
and support, larger ones first, and hidden by support alone: the item that most transactions hold is taken out of the
shortest supporter, until few enough are left.
"""

from __future__ import annotations

from auditor.outputs.hiding._problem import Answer, HidingProblem
from auditor.outputs.hiding.methods._rule_state import RuleCells

HOW = "the same by support only, the longest itemsets first"
SOURCE = "Verykios, Elmagarmid, Bertino, Saygin & Dasseni, IEEE TKDE 16(4), 2004, doi:10.1109/TKDE.2004.1269668"


def hide(problem: HidingProblem) -> Answer:
    """Hide every pattern, the longest first, by its most frequent item."""
    cells = RuleCells(problem)
    for pattern in sorted(problem.patterns, key=lambda each: (-len(each), -len(problem.supporters[each]), each)):
        for row in sorted(cells.supporters(pattern), key=lambda row: (len(cells.items(row)), row)):
            if len(cells.supporters(pattern)) <= problem.ceiling:
                break
            cells.remove(row, max(pattern, key=lambda item: (cells.support(item), -item)))
    return Answer(cells.change())
