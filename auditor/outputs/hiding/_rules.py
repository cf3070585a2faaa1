"""The rules that a miner reports: one item as the consequent, support and confidence at least as asked."""

from __future__ import annotations

from fractions import Fraction

from auditor.outputs.hiding._transactions import Itemset

MinedRule = tuple[Itemset, int]
"""The itemset that generates the rule, and the item of it that is the consequent."""


def rules(frequent: dict[Itemset, int], min_confidence: Fraction) -> set[MinedRule]:
    """Every rule X ⇒ {i} with X ∪ {i} frequent and support(X ∪ {i}) / support(X) ≥ `min_confidence`, exactly.

    Subsets of frequent itemsets are frequent, so every antecedent's support is at hand. (Agrawal & Srikant, VLDB 1994;
    one consequent, as Apriori implementations report and Menon et al. 2022 count them.)
    """
    p, q = min_confidence.numerator, min_confidence.denominator
    return {
        (itemset, item)
        for itemset, support in frequent.items()
        if len(itemset) > 1
        for place, item in enumerate(itemset)
        if q * support >= p * frequent[itemset[:place] + itemset[place + 1 :]]
    }
