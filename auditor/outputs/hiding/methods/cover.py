"""The cover problem of Menon, Sarkar & Mukherjee, "Maximizing accuracy of shared databases when concealing sensitive
patterns", Information Systems Research 16(3), 2005, doi:10.1287/isre.1050.0056.

The fewest transactions whose sanitisation hides every pattern: min Σ xₜ with Σ aₜⱼ xₜ ≥ support(j) − (largest hidden
support) for each pattern j, where aₜⱼ says whether t supports j. Transactions that support the same patterns are
interchangeable, so there is one whole number per such type, and the programme does not grow with the data. Each chosen
transaction is then sanitised by their "intelligent" heuristic: the item that most of its patterns hold goes, until it
supports none.
"""  # noqa: D205

from __future__ import annotations

from collections import Counter

import numpy as np

from auditor.outputs.hiding._problem import Answer, HidingProblem, holds, rows_of
from auditor.outputs.hiding._transactions import Edit, Itemset, Rows
from auditor.outputs.hiding.methods._programme import Programme

HOW = (
    "the fewest transactions: min Σ xₜ with Σ aₜⱼ xₜ ≥ support(j) − s + 1 for each j in S; then the item that is in "
    "most itemsets of a chosen transaction, until it supports none"
)
SOURCE = "Menon, Sarkar & Mukherjee, Information Systems Research 16(3), 2005, doi:10.1287/isre.1050.0056"

MEASURE = "transactions changed"


def hide(problem: HidingProblem) -> Answer:
    """Sanitise the fewest transactions."""
    patterns, rows = problem.patterns, rows_of(problem)
    types, members = np.unique(holds(problem, patterns, rows).T, axis=0, return_inverse=True)
    groups = [rows[members == number] for number in range(len(types))]
    programme = Programme()
    numbers = [programme.variable(1, len(group)) for group in groups]
    for j, pattern in enumerate(patterns):
        terms = [(number, 1.0) for number, kind in zip(numbers, types, strict=True) if kind[j]]
        programme.row(terms, low=len(problem.supporters[pattern]) - problem.ceiling)
    solved = programme.solve(problem.solver_deadline)
    chosen = groups if solved.values is None else _shortest(problem, groups, solved.values.tolist())
    removed = {
        (row, item)
        for kind, group in zip(types, chosen, strict=True)
        for item in _intelligent([patterns[j] for j in np.flatnonzero(kind)])
        for row in group.tolist()
    }
    count = sum(len(group) for group in chosen)
    return Answer(Edit(removed=frozenset(removed)), MEASURE, count, solved.bound)


def _shortest(problem: HidingProblem, groups: list[Rows], counts: list[int]) -> list[Rows]:
    """So many of each group, the shortest transactions first: what is interchangeable here still differs in length."""
    lengths = problem.transactions.lengths
    return [group[np.lexsort((group, lengths[group]))][:count] for group, count in zip(groups, counts, strict=True)]


def _intelligent(patterns: list[Itemset]) -> list[int]:
    """The items that go from a transaction that supports exactly these patterns."""
    left, victims = list(patterns), []
    while left:
        held = Counter(item for pattern in left for item in pattern)
        victim = min(held, key=lambda item: (-held[item], item))
        victims.append(victim)
        left = [pattern for pattern in left if victim not in pattern]
    return victims
