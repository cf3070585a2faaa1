"""MaxFIA, the maximum frequency item algorithm (Oliveira & Zaïane, IEEE ICDM workshop on privacy, 2002).

The victim of a pattern is its item of the largest support. It is taken out of the pattern's supporters in ascending
order of conflict (how many patterns a transaction supports), shorter ones first, until the pattern is hidden.
"""

from __future__ import annotations

from auditor.outputs.hiding._problem import Answer, HidingProblem
from auditor.outputs.hiding.methods._working import Working

HOW = "each itemset loses its most frequent item, in supporters with least conflict first"
SOURCE = "Oliveira & Zaïane, IEEE ICDM workshop on privacy, 2002"


def hide(problem: HidingProblem) -> Answer:
    """Hide every pattern by its most frequent item."""
    working = Working(problem)
    supports, lengths = problem.transactions.supports, problem.transactions.lengths
    conflicts = {row: working.conflict(row) for rows in working.left.values() for row in rows}
    for pattern in problem.patterns:
        victim = max(pattern, key=lambda item: (int(supports[item]), -item))
        order = sorted(working.left[pattern], key=lambda row: (conflicts[row], int(lengths[row]), row))
        for row in order[: max(0, working.excess(pattern))]:
            working.remove(row, victim)
    return Answer(working.change())
