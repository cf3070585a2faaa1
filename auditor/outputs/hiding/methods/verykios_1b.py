"""Algorithm 1.b of Verykios, Elmagarmid, Bertino, Saygin & Dasseni, "Association rule hiding", IEEE TKDE 16(4), 2004.

doi:10.1109/TKDE.2004.1269668. A rule X ⇒ Y loses support through Y: of its supporters, the shortest first, each loses
the item of Y that most transactions hold, until the support or the confidence of the rule is low enough.
"""

from __future__ import annotations

from auditor.outputs.hiding._problem import Answer, HidingProblem
from auditor.outputs.hiding.methods._rule_state import RuleCells

HOW = "rules only: the shortest supporters lose an item of Y, until support or confidence is low enough"
SOURCE = "Verykios, Elmagarmid, Bertino, Saygin & Dasseni, IEEE TKDE 16(4), 2004, doi:10.1109/TKDE.2004.1269668"
ONLY_RULES = True


def hide(problem: HidingProblem) -> Answer:
    """Hide every rule by taking items of its consequent out of its supporters."""
    cells = RuleCells(problem)
    for rule in problem.rules:
        for row in sorted(cells.supporters(rule.itemset), key=lambda row: (len(cells.items(row)), row)):
            if cells.hidden(rule):
                break
            cells.remove(row, max(rule.consequent, key=lambda item: (cells.support(item), -item)))
    return Answer(cells.change())
