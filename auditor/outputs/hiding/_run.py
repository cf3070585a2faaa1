"""One run: the problem that every method is given, and what each does."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction

from auditor.engines import RunLimits
from auditor.errors import OutOfMemory, UsageError
from auditor.outputs.hiding._measures import MinedRelease
from auditor.outputs.hiding._mining import frequent_itemsets
from auditor.outputs.hiding._outcome import Outcome
from auditor.outputs.hiding._problem import Answer, HidingProblem, Threshold, minimal
from auditor.outputs.hiding._sensitive import Sensitive
from auditor.outputs.hiding._transactions import Transactions
from auditor.outputs.hiding.methods import METHODS, hides_itemsets
from auditor.outputs.hiding.methods import method as method_of
from auditor.stages import tell

AUTO = "auto"
EXACT_SECONDS = 60.0
"""What an exact method gets to search and to prove, where no time limit is given."""
EXACT_SHARE = 0.8
"""Of a time limit, what may have passed when exact methods stop: the rest is for writing, and mining again."""
ITEMSET_BYTES = 500
"""What an itemset takes with its support; so many of them fit the memory limit."""


@dataclass(frozen=True)
class HidingRun:
    """The transactions, what is sensitive in them, and what the run may use."""

    transactions: Transactions
    sensitive: Sensitive
    limits: RunLimits

    def problem(self, threshold: Threshold, confidence: Fraction | None, margin: int, seed: int) -> HidingProblem:
        """What is to be hidden."""
        s = threshold.count(len(self.transactions))
        if margin >= s:
            raise UsageError(f"--margin {margin}: must be below the least support, of {s} transactions")
        itemsets, rules = self.sensitive.coded(self.transactions)
        seconds, found_from = self.limits.seconds, s - margin
        deadline = math.inf if seconds is None else self.limits.started + seconds
        return HidingProblem(
            transactions=self.transactions,
            threshold=threshold,
            frequent=frequent_itemsets(self.transactions, s, most=self._most, deadline=deadline),
            itemsets=minimal(each for each in itemsets if self.transactions.support(each) >= found_from),
            rules=tuple(rule for rule in rules if self.transactions.support(rule.itemset) >= found_from),
            min_confidence=confidence,
            margin=margin,
            seed=seed,
            deadline=deadline,
            memory=self.limits.memory,
        )

    def every(self, problem: HidingProblem) -> dict[str, Outcome]:
        """What each method does that can hide what is sensitive, by its name."""
        names = [name for name in METHODS if hides_itemsets(name) or not self.sensitive.itemsets]
        found = {}
        for done, name in enumerate(names):
            tell(done, len(names), "methods")
            found[name] = self.outcome(problem, name)
        return found

    def outcome(self, problem: HidingProblem, name: str) -> Outcome:
        """What one method does, before it is written; under the name of the method whose solution it is."""
        seconds, now = self.limits.seconds, time.monotonic()
        stop = now + EXACT_SECONDS if seconds is None else self.limits.started + EXACT_SHARE * seconds
        answer = _answer(replace(problem, solver_deadline=stop), name)
        used = answer.by or first(name)
        itemsets, rules = self.sensitive.coded(self.transactions)
        after = answer.change.applied_to(self.transactions)
        return Outcome(used, answer, MinedRelease(problem, tuple(itemsets), tuple(rules), after, self._most))

    @property
    def _most(self) -> int:
        return max(1, self.limits.memory // ITEMSET_BYTES)


def first(name: str) -> str:
    """The method that is tried under this name."""
    return "exact" if name == AUTO else name


def _answer(problem: HidingProblem, name: str) -> Answer:
    if name != AUTO:
        return method_of(name)(problem)
    try:
        return method_of("exact")(problem)
    except OutOfMemory:
        note = "the exact method's program exceeds the memory limit"
        return replace(method_of("max-min")(problem), notes=(note,), by="max-min")
