"""What is to be hidden, from whom: the problem that every method answers, and the form of its answer."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from auditor.errors import OutOfMemory, OutOfTime
from auditor.outputs.hiding._mining import maximal
from auditor.outputs.hiding._transactions import Edit, Itemset, Rows, Transactions


@dataclass(frozen=True, order=True)
class Rule:
    """antecedent ⇒ consequent: two disjoint, non-empty itemsets."""

    antecedent: Itemset
    consequent: Itemset

    @property
    def itemset(self) -> Itemset:
        """The itemset that generates the rule: its antecedent and its consequent together."""
        return tuple(sorted(self.antecedent + self.consequent))


@dataclass(frozen=True)
class Threshold:
    """The least support of what a miner finds: a number of transactions, or a share of all of them."""

    asked: int | Fraction

    @property
    def relative(self) -> bool:
        """Whether it is a share, which moves when transactions are taken out."""
        return isinstance(self.asked, Fraction)

    def count(self, transactions: int) -> int:
        """The least support as a number of transactions, at least 1: ⌈share · transactions⌉ for a share."""
        return max(1, math.ceil(self.asked * transactions)) if self.relative else int(self.asked)


@dataclass(frozen=True, eq=False)
class HidingProblem:
    """Transactions, what is sensitive in them, and what a reader's miner would find.

    Hidden is an itemset whose support + `margin` is below s, the threshold; a rule X ⇒ Y that is so, or with
    (support + margin) / support(X) < `min_confidence`. `itemsets` are the sensitive ones not hidden yet, without
    supersets of each other; `rules` those whose itemset's support is not hidden, for what a method takes out may raise
    the confidence of one that is hidden by it. `frequent` are all frequent itemsets.
    """

    transactions: Transactions
    threshold: Threshold
    frequent: dict[Itemset, int]
    itemsets: tuple[Itemset, ...] = ()
    rules: tuple[Rule, ...] = ()
    min_confidence: Fraction | None = None
    margin: int = 0
    seed: int = 0
    deadline: float = math.inf
    """When everything gives up, on the monotonic clock."""
    solver_deadline: float = math.inf
    """When the exact methods stop and answer with what they have."""
    memory: int = 2**31

    @cached_property
    def min_support(self) -> int:
        """s: the threshold as a count, of the transactions as they were read."""
        return self.threshold.count(len(self.transactions))

    @property
    def ceiling(self) -> int:
        """The largest support that counts as hidden: s − 1 − margin."""
        return self.min_support - 1 - self.margin

    def check_time(self) -> None:
        """Raise `OutOfTime` once the time of the whole run is up."""
        if time.monotonic() > self.deadline:
            raise OutOfTime(
                "the time limit was reached while hiding; give more, or --method max-fia; nothing was written"
            )

    @cached_property
    def patterns(self) -> tuple[Itemset, ...]:
        """What methods that know supports alone hide: the itemsets, and those that generate a rule still found."""
        found = [r.itemset for r in self.rules if not self.rule_hidden(r, *self.rule_supports(r))]
        return minimal({*self.itemsets, *found})

    @cached_property
    def supporters(self) -> dict[Itemset, Rows]:
        """The transactions that support each pattern."""
        return {pattern: self.transactions.supporters(pattern) for pattern in self.patterns}

    @cached_property
    def border(self) -> dict[Itemset, int]:
        """The revised positive border: the maximal ones of the frequent itemsets that contain no pattern."""
        return maximal(without_supersets(self.frequent, self.patterns))

    def rule_supports(self, rule: Rule) -> tuple[int, int]:
        """The support of the rule and that of its antecedent."""
        return self.transactions.support(rule.itemset), self.transactions.support(rule.antecedent)

    def rule_hidden(self, rule: Rule, support: int, antecedent: int) -> bool:  # noqa: ARG002
        """Whether a rule with these supports is hidden, compared exactly."""
        if support <= self.ceiling or self.min_confidence is None:
            return support <= self.ceiling
        c = self.min_confidence
        return c.denominator * (support + self.margin) < c.numerator * antecedent


@dataclass(frozen=True)
class Answer:
    """What a method found: the change, and how good it is known to be.

    `objective` is what the method minimises and `bound` what is proved that it cannot be below, where it proves
    anything; `measure` says what they count.
    """

    change: Edit
    measure: str | None = None
    objective: int | None = None
    bound: float | None = None
    notes: tuple[str, ...] = ()
    by: str | None = None
    """The method whose solution it is, where that is another one's."""

    @property
    def optimal(self) -> bool:
        """Whether nothing better exists, as proved."""
        return self.gap == 0

    @property
    def gap(self) -> float | None:
        """(objective − bound) / objective, from 0 (optimal) to 1; None where no bound is known."""
        if self.objective is None or self.bound is None:
            return None
        above = self.objective - math.ceil(self.bound - ROUNDING)
        return max(0, above) / self.objective if self.objective else 0.0


ARRAY_SHARE = 0.2
"""Of the memory, what one array may take."""
ROUNDING = 1e-4
"""Bounds come as floats while objectives are whole: a bound this little above a whole number is that number."""


def minimal(itemsets: Iterable[Itemset]) -> tuple[Itemset, ...]:
    """Those that contain no other, in order: hiding them hides the others too."""
    chosen: list[Itemset] = []
    for itemset in sorted(set(itemsets), key=lambda each: (len(each), each)):
        if not any(set(smaller) <= set(itemset) for smaller in chosen):
            chosen.append(itemset)
    return tuple(sorted(chosen))


def without_supersets(frequent: dict[Itemset, int], patterns: Iterable[Itemset]) -> dict[Itemset, int]:
    """The itemsets that contain none of `patterns`."""
    by_item: dict[int, list[frozenset[int]]] = {}
    for pattern in patterns:
        by_item.setdefault(pattern[0], []).append(frozenset(pattern))
    return {
        itemset: support
        for itemset, support in frequent.items()
        if not any(pattern.issubset(itemset) for item in itemset for pattern in by_item.get(item, ()))
    }


def holds(problem: HidingProblem, itemsets: Sequence[Itemset], rows: Rows) -> NDArray[np.bool_]:
    """bool[itemsets, rows]: whether each of these transactions holds each itemset.

    Raises:
        OutOfMemory: the array would not fit the memory limit.
    """
    if len(itemsets) * len(rows) > problem.memory * ARRAY_SHARE:
        raise OutOfMemory(
            f"{len(itemsets):,} itemsets in {len(rows):,} transactions do not fit --memory; give more of it, a larger "
            "--min-support, or --method max-fia"
        )
    found = np.zeros((len(itemsets), len(rows)), dtype=bool)
    for place, itemset in enumerate(itemsets):
        found[place] = np.isin(rows, problem.transactions.supporters(itemset), assume_unique=True)
    return found


def rows_of(problem: HidingProblem) -> Rows:
    """The transactions that support a pattern, ascending: no other is ever changed to hide one."""
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *problem.supporters.values()]))
