"""What a release hides and what that cost, measured on the release alone and the data it was made from.

Hiding failure, misses cost and artifactual patterns, dissimilarity: Oliveira & Zaïane 2002. Accuracy and distance:
Menon et al. 2005, Gkoulalas-Divanis & Verykios 2006. Everything is counted anew; nothing is taken from the method.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from auditor.errors import InternalError
from auditor.outputs.hiding._mining import frequent_itemsets
from auditor.outputs.hiding._problem import HidingProblem, Rule, without_supersets
from auditor.outputs.hiding._rules import rules
from auditor.outputs.hiding._transactions import Itemset, Transactions
from auditor.result.hiding import HiddenPattern


@dataclass(frozen=True, eq=False)
class MinedRelease:
    """The transactions that are to be released, beside those they were made from.

    `problem` says what counts as found; `itemsets` and `rules` are all that is sensitive, hidden before or not.
    """

    problem: HidingProblem
    itemsets: tuple[Itemset, ...]
    rules: tuple[Rule, ...]
    after: Transactions
    most: int

    @cached_property
    def min_support(self) -> int:
        """The threshold as a count of the release's transactions."""
        return self.problem.threshold.count(len(self.after))

    @cached_property
    def frequent(self) -> dict[Itemset, int]:
        """What a miner finds in the release."""
        return frequent_itemsets(self.after, self.min_support, most=self.most, deadline=self.problem.deadline)

    @cached_property
    def patterns(self) -> tuple[HiddenPattern, ...]:
        """Each sensitive itemset and rule, before and after."""
        return (*map(self._itemset, self.itemsets), *map(self._rule, self.rules))

    @property
    def hidden(self) -> bool:
        """Whether all of them are hidden, margin included."""
        return all(pattern.hidden for pattern in self.patterns)

    @property
    def hidden_before(self) -> int:
        """How many of them were hidden in the data already."""
        problem, below = self.problem, self.problem.ceiling
        itemsets = sum(problem.transactions.support(itemset) <= below for itemset in self.itemsets)
        return itemsets + sum(problem.rule_hidden(rule, *problem.rule_supports(rule)) for rule in self.rules)

    def measured(self) -> dict[str, Any]:
        """The measures, by the names of `HidingMethod`."""
        before, data, after = self.problem.frequent, self.problem.transactions, self.after
        stay = without_supersets(before, (*self.itemsets, *(rule.itemset for rule in self.rules)))
        ghosts = len(self.frequent.keys() - before.keys())
        return {
            "hidden": self.hidden,
            "lost_itemsets": len(stay.keys() - self.frequent.keys()),
            "ghost_itemsets": ghosts,
            "hiding_failure": self._failure(),
            "misses_cost": _share(len(stay.keys() - self.frequent.keys()), len(stay)),
            "artifactual": _share(ghosts, len(self.frequent)),
            "dissimilarity": _share(int(np.abs(data.supports - after.supports).sum()), len(data.codes)),
            **self._of_rules(),
        }

    def _of_rules(self) -> dict[str, Any]:
        """Rules lost that may stay, and rules that were not there."""
        confidence = self.problem.min_confidence
        if confidence is None:
            return {}
        before, after = rules(self.problem.frequent, confidence), rules(self.frequent, confidence)
        kept = without_supersets(dict.fromkeys({itemset for itemset, _ in before}, 0), self.itemsets)
        sensitive = {(rule.itemset, rule.consequent[0]) for rule in self.rules if len(rule.consequent) == 1}
        lost = {rule for rule in before - after - sensitive if rule[0] in kept}
        ghosts = after - before
        return {"lost_rules": len(lost), "ghost_rules": len(ghosts), "artifactual": _share(len(ghosts), len(after))}

    def _failure(self) -> float:
        """The share of what was found that is found still, by the miner."""
        sensitive: list[Itemset | Rule] = [*self.itemsets, *self.rules]
        was = [each for each in sensitive if self._found(each, self.problem.frequent)]
        return _share(sum(self._found(each, self.frequent) for each in was), len(was))

    def _found(self, sensitive: Itemset | Rule, frequent: dict[Itemset, int]) -> bool:
        if not isinstance(sensitive, Rule):
            return sensitive in frequent
        confidence = self.problem.min_confidence or Fraction(0)
        support = frequent.get(sensitive.itemset)
        return support is not None and support >= confidence * frequent[sensitive.antecedent]

    def _itemset(self, itemset: Itemset) -> HiddenPattern:
        support = self.after.support(itemset)
        if (support >= self.min_support) != (itemset in self.frequent):
            raise InternalError("the miner and the count disagree on whether an itemset is frequent")
        return HiddenPattern(
            items=self._names(itemset),
            support_before=self.problem.transactions.support(itemset),
            support_after=support,
            hidden=support + self.problem.margin < self.min_support,
        )

    def _rule(self, rule: Rule) -> HiddenPattern:
        before, after = self.problem.rule_supports(rule), self._rule_supports(rule)
        return HiddenPattern(
            items=self._names(rule.antecedent),
            consequent=self._names(rule.consequent),
            support_before=before[0],
            support_after=after[0],
            confidence_before=_share(*before),
            confidence_after=_share(*after),
            hidden=after[0] + self.problem.margin < self.min_support or self._unconvincing(*after),
        )

    def _unconvincing(self, support: int, antecedent: int) -> bool:
        confidence = self.problem.min_confidence
        return confidence is not None and support + self.problem.margin < confidence * antecedent

    def _rule_supports(self, rule: Rule) -> tuple[int, int]:
        return self.after.support(rule.itemset), self.after.support(rule.antecedent)

    def _names(self, itemset: Itemset) -> tuple[str, ...]:
        return tuple(self.problem.transactions.names[item] for item in itemset)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
