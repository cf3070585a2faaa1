"""Algorithm 1.a of Verykios, Elmagarmid, Bertino, Saygin & Dasseni, "Association rule hiding", IEEE TKDE 16(4), 2004.

doi:10.1109/TKDE.2004.1269668. A rule X ⇒ Y is hidden by its confidence: transactions that hold part of X and not all
of Y get the rest of X, those that hold most of X first, until support(X) is large enough. Items are put in, so the
release holds what nobody had, and ghosts (itemsets and rules that were not there) can appear. The rules are taken one
after the other; one may undo another.
"""

from __future__ import annotations

from auditor.outputs.hiding._problem import Answer, HidingProblem, Rule
from auditor.outputs.hiding.methods._rule_state import RuleCells

HOW = "rules only: transactions without all of Y get the rest of X, until support(X) is large enough"
SOURCE = "Verykios, Elmagarmid, Bertino, Saygin & Dasseni, IEEE TKDE 16(4), 2004, doi:10.1109/TKDE.2004.1269668"
ONLY_RULES = True


def hide(problem: HidingProblem) -> Answer:
    """Hide every rule by raising the support of its antecedent."""
    cells = RuleCells(problem)
    for rule in problem.rules:
        for row in _partial(problem, cells, rule):
            if cells.hidden(rule):
                break
            for item in set(rule.antecedent) - cells.items(row):
                cells.add(row, item)
    return Answer(cells.change())


def _partial(problem: HidingProblem, cells: RuleCells, rule: Rule) -> list[int]:
    """The transactions without all of X and without all of Y, those with most of X first."""
    full = cells.supporters(rule.antecedent) | cells.supporters(rule.consequent)
    held: dict[int, int] = {}
    for item in rule.antecedent:
        for row in cells.supporters((item,)):
            held[row] = held.get(row, 0) + 1
    rows = [row for row in range(len(problem.transactions)) if row not in full]
    return sorted(rows, key=lambda row: (-held.get(row, 0), row))
