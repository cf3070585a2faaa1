"""IGA, the item grouping algorithm (Oliveira & Zaïane, IEEE ICDM workshop on privacy, 2002).

Patterns that share an item are hidden together by taking that item out. Groups are made greedily: the item that most
of the patterns without a group hold (among equals the one of least support) makes the next group and is its victim.
Within a group transactions go in descending order of conflict (how many of the group's patterns they support), shorter
ones first.
"""

from __future__ import annotations

from collections import Counter

from auditor.outputs.hiding._problem import Answer, HidingProblem
from auditor.outputs.hiding._transactions import Itemset
from auditor.outputs.hiding.methods._working import Working

HOW = "itemsets that share an item are hidden together by removing it, in supporters with most conflict first"
SOURCE = "Oliveira & Zaïane, IEEE ICDM workshop on privacy, 2002"


def hide(problem: HidingProblem) -> Answer:
    """Hide groups of patterns by the item that they share."""
    working, lengths = Working(problem), problem.transactions.lengths
    for victim, group in _groups(problem):
        conflicts = Counter(row for pattern in group for row in working.left[pattern])
        for pattern in sorted(group, key=lambda each: (-working.excess(each), each)):
            order = sorted(working.left[pattern], key=lambda row: (-conflicts[row], int(lengths[row]), row))
            for row in order[: max(0, working.excess(pattern))]:
                working.remove(row, victim)
    return Answer(working.change())


def _groups(problem: HidingProblem) -> list[tuple[int, list[Itemset]]]:
    """Each group's victim and its patterns; every pattern is in one group."""
    open_, groups = list(problem.patterns), []
    while open_:
        shared = Counter(item for pattern in open_ for item in pattern)
        victim = min(shared, key=lambda item: (-shared[item], int(problem.transactions.supports[item]), item))
        groups.append((victim, [pattern for pattern in open_ if victim in pattern]))
        open_ = [pattern for pattern in open_ if victim not in pattern]
    return groups
