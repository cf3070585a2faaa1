"""Association rules and itemsets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.outputs.published.outputs import (
    AssociationRule,
    AssociationRules,
    FrequentItemsets,
    Itemset,
)
from auditor.outputs.readers._items import Columns
from auditor.outputs.readers._json import Value
from auditor.outputs.readers.neutral._parts import given, group, numbers, optional, pairs


def _rule(value: Value, columns: Columns) -> AssociationRule:
    counts = ("support", "antecedent_support", "consequent_support")
    shares = ("support_share", "antecedent_share", "consequent_share", "confidence")
    found = value.known(("antecedent", "consequent"), (*counts, *shares, "measures"))
    for name in ("antecedent", "consequent"):
        if name not in found:
            value.wrong(f"{name!r} is null", "the items of the rule; [] if there are none")
    return AssociationRule(
        antecedent=group(found["antecedent"], columns),
        consequent=group(found["consequent"], columns),
        **{name: optional(found, name, Value.count) for name in counts},
        **{name: optional(found, name, Value.stated) for name in shares},
        measures=optional(found, "measures", numbers, ()),
    )


def rules(found: Mapping[str, Value], columns: Columns, base: dict[str, Any]) -> AssociationRules:
    """Association rules."""
    rules = found["rules"].each(lambda each: _rule(each, columns))
    return AssociationRules(**base, rules=rules, min_support=optional(found, "min_support", Value.count))


def written_rules(output: AssociationRules) -> dict[str, Any]:
    """Their members."""
    rules = [
        given(
            antecedent=rule.antecedent,
            consequent=rule.consequent,
            support=rule.support,
            antecedent_support=rule.antecedent_support,
            consequent_support=rule.consequent_support,
            support_share=rule.support_share,
            antecedent_share=rule.antecedent_share,
            consequent_share=rule.consequent_share,
            confidence=rule.confidence,
            measures=pairs(rule.measures) or None,
        )
        for rule in output.rules
    ]
    return {"rules": rules, **given(min_support=output.min_support)}


def _itemset(value: Value, columns: Columns) -> Itemset:
    found = value.known(("items",), ("support", "support_share"))
    if "items" not in found:
        value.wrong("'items' is null", "the items; [] for all records")
    return Itemset(
        items=group(found["items"], columns),
        support=optional(found, "support", Value.count),
        support_share=optional(found, "support_share", Value.stated),
    )


def itemsets(found: Mapping[str, Value], columns: Columns, base: dict[str, Any]) -> FrequentItemsets:
    """Frequent itemsets."""
    return FrequentItemsets(
        **base,
        itemsets=found["itemsets"].each(lambda each: _itemset(each, columns)),
        min_support=optional(found, "min_support", Value.count),
        longest=optional(found, "longest", Value.count),
    )


def written_itemsets(output: FrequentItemsets) -> dict[str, Any]:
    """Their members."""
    itemsets = [
        given(items=each.items, support=each.support, support_share=each.support_share) for each in output.itemsets
    ]
    return {"itemsets": itemsets, **given(min_support=output.min_support, longest=output.longest)}
