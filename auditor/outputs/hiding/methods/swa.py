"""SWA, the sliding window algorithm: Oliveira & Zaïane, "Protecting sensitive knowledge by data sanitization", 2003.

One pass over windows of K transactions. In each, the victim of a pattern in a transaction is its item that most of the
transaction's patterns share (where none is shared, one at random); of the pattern's w supporters in the window the
shortest ones lose it, all but ⌊ψ·w⌋, with the pattern's disclosure threshold ψ = (largest hidden support) / support. So
at most ψ·support supporters are left in all, and the pattern is hidden, however the transactions are cut into windows.
"""

from __future__ import annotations

import random
from collections import Counter

from auditor.outputs.hiding._problem import Answer, HidingProblem
from auditor.outputs.hiding._transactions import Itemset
from auditor.outputs.hiding.methods._working import Working

HOW = (
    "in one pass over windows: of an itemset's w supporters all but ⌊ψ·w⌋ lose the item that most of the "
    "transaction's itemsets share; ψ = (s − 1 − margin) / support"
)
SOURCE = 'Oliveira & Zaïane, "Protecting sensitive knowledge by data sanitization", 2003'

WINDOW = 100_000


def hide(problem: HidingProblem, window: int = WINDOW) -> Answer:
    """Hide every pattern window by window."""
    working, rng = Working(problem), random.Random(problem.seed)  # noqa: S311  (ties are broken, nothing is kept secret)
    supports = {pattern: len(rows) for pattern, rows in working.left.items()}
    by_window: dict[int, dict[int, list[Itemset]]] = {}
    for pattern in problem.patterns:
        for row in sorted(working.left[pattern]):
            by_window.setdefault(row // window, {}).setdefault(row, []).append(pattern)
    for _, patterns_of in sorted(by_window.items()):
        victims = {row: _victims(patterns, rng) for row, patterns in sorted(patterns_of.items())}
        held = Counter(pattern for patterns in patterns_of.values() for pattern in patterns)
        for pattern in problem.patterns:
            order = sorted(
                (row for row, patterns in patterns_of.items() if pattern in patterns),
                key=lambda row: (int(problem.transactions.lengths[row]), row),
            )
            allowed = problem.ceiling * held[pattern] // supports[pattern] if supports[pattern] else 0
            for row in order[: len(order) - allowed]:
                working.remove(row, victims[row][pattern])
    return Answer(working.change())


def _victims(patterns: list[Itemset], rng: random.Random) -> dict[Itemset, int]:
    """For each pattern that a transaction supports, the item that goes."""
    frequency = Counter(item for pattern in patterns for item in pattern)
    chosen: dict[Itemset, int] = {}
    for pattern in patterns:
        most = max(frequency[item] for item in pattern)
        chosen[pattern] = rng.choice([item for item in pattern if frequency[item] == most])
    return chosen
