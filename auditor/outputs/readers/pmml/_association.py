"""AssociationModel: rules over itemsets over items, with supports as shares of a number of transactions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import ceil

from auditor.outputs.published.conditions import Condition, Group, equal, group_of
from auditor.outputs.published.outputs import (
    AssociationRule,
    AssociationRules,
    FrequentItemsets,
    Itemset,
    Published,
    Stated,
)
from auditor.outputs.readers._csv import as_precise
from auditor.outputs.readers._items import item
from auditor.outputs.readers._numbers import FLOAT_DIGITS
from auditor.outputs.readers._xml import Element
from auditor.outputs.readers.pmml._context import PmmlContext
from auditor.outputs.readers.pmml._predicates import Conditions

MEASURES = ("lift", "leverage", "affinity")
_FULL = re.compile(rf"[1-9][0-9]{{{FLOAT_DIGITS - 1},}}", re.ASCII)


def read(model: Element, segment: Conditions, context: PmmlContext) -> list[Published]:
    """The rules, and the itemsets where supports stand beside them."""
    records = model.count("numberOfTransactions")
    least = model.share("minimumSupport")
    threshold = None if records is None or least is None else max(ceil(least.value * records), 1)
    if segment:
        context.left("an association model of a segment, which speaks of a part of the records only")
    shares = _Shares(model, records)
    itemsets = _itemsets(model, shares, context)
    sets = {name: each.items for name, each in itemsets.items()}
    supports = {name: each.support_share for name, each in itemsets.items()}
    base = {**context.base(), "records": records, "min_support": threshold}
    found: list[Published] = [AssociationRules(**base, rules=_rules(model, sets, supports, shares))]
    if any(share is not None for share in supports.values()):
        stated = tuple(each for each in itemsets.values() if each.support_share is not None)
        found.append(FrequentItemsets(**base, itemsets=stated))
    return found


class _Shares:
    """The shares of a model, with the places that its numbers were written with."""

    def __init__(self, model: Element, records: int | None) -> None:
        numbers = (text for each in model.all("AssociationRule", "Itemset") for text in each.attributes.values())
        self._full = any(_FULL.search(text.replace(".", "")) for text in numbers if "." in text)
        self._records = records

    def of(self, elements: list[Element], attribute: str) -> list[Stated | None]:
        # Confidence is no share of N, so N cannot show that it was rounded.
        records = None if attribute == "confidence" else self._records
        return as_precise([each.share(attribute) for each in elements], full=self._full, records=records)


def _itemsets(model: Element, shares: _Shares, context: PmmlContext) -> dict[str, Itemset]:
    """The itemsets by their id."""
    items = {each.required("id"): _item(each, context) for each in model.all("Item")}
    found: dict[str, Itemset] = {}
    elements = list(model.all("Itemset"))
    for element, share in zip(elements, shares.of(elements, "support"), strict=True):
        name = element.required("id")
        if name in found:
            element.wrong("two itemsets with one id", "an id of its own for each")
        found[name] = Itemset(items=_group(element, items), support_share=share)
    return found


def _item(element: Element, context: PmmlContext) -> Condition:
    """An item: of a field with a category (PMML 4.3), or a text as programs write it."""
    if "field" in element.attributes and "category" in element.attributes:
        return equal(element.attributes["field"], element.attributes["category"])
    return item(element.required("value"), context.hints.columns)


def _group(element: Element, items: Mapping[str, Condition]) -> Group:
    references = [each.required("itemRef") for each in element.all("ItemRef")]
    if not all(reference in items for reference in references):
        element.wrong("an itemset with an item that is not there", "references to Item elements")
    return group_of(items[reference] for reference in references)


def _rules(
    model: Element, sets: Mapping[str, Group], supports: Mapping[str, Stated | None], shares: _Shares
) -> tuple[AssociationRule, ...]:
    elements = list(model.all("AssociationRule"))
    support, confidence = shares.of(elements, "support"), shares.of(elements, "confidence")
    found = []
    for i, element in enumerate(elements):
        left, right = element.required("antecedent"), element.required("consequent")
        if left not in sets or right not in sets:
            element.wrong("a rule with an itemset that is not there", "references to Itemset elements")
        measures = ((name, element.number(name)) for name in MEASURES)
        found.append(
            AssociationRule(
                antecedent=sets[left],
                consequent=sets[right],
                support_share=support[i],
                antecedent_share=supports[left],
                consequent_share=supports[right],
                confidence=confidence[i],
                measures=tuple((name, number) for name, number in measures if number is not None),
            )
        )
    return tuple(found)
