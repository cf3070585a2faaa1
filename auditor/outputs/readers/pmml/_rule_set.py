"""RuleSetModel: rules with predicates; the first that fires is chosen (`firstHit`), or all that fire are weighed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from auditor.outputs.published.outputs import DecisionTree, Node, Published, Stated
from auditor.outputs.readers._xml import Element
from auditor.outputs.readers.pmml._context import CLAIMED, PmmlContext
from auditor.outputs.readers.pmml._predicates import Conditions, Never, NotExpressible, conditions
from auditor.outputs.readers.pmml._tree import NOT_EXPRESSIBLE, is_regression, node_of, target

WEIGHED = "rules that are weighed against each other overlap: what their differences tell was not judged"


def read(model: Element, segment: Conditions, context: PmmlContext) -> list[Published]:
    """The rules of a set, in their order."""
    rules = model.first("RuleSet")
    if rules is None:
        model.wrong("a RuleSetModel without a RuleSet", "a set of rules")
    context.note(CLAIMED)
    method = rules.first("RuleSelectionMethod")
    ordered = method is None or method.attributes.get("criterion") == "firstHit"
    if not ordered:
        context.left(WEIGHED)
    leaves = [_node(rule, path, regression=is_regression(model)) for rule, path in _rules(rules, segment, context)]
    if ordered and "defaultScore" in rules.attributes:
        leaves.append(Node(path=frozenset(segment), predicted=rules.attributes["defaultScore"]))
    records = None if segment else rules.count("recordCount")
    return [
        DecisionTree(**context.base(), records=records, target=target(model), leaves=tuple(leaves), ordered=ordered)
    ]


def _rules(rules: Element, segment: Conditions, context: PmmlContext) -> Iterator[tuple[Element, Conditions]]:
    """The simple rules with all conditions of the compound rules that they stand in."""
    waiting = [(each, segment) for each in reversed(rules.children)]
    while waiting:
        element, path = waiting.pop()
        if element.name not in ("SimpleRule", "CompoundRule"):
            continue
        try:
            own = (*path, *conditions(element))
        except Never:
            continue
        except NotExpressible:
            context.left(NOT_EXPRESSIBLE)
            continue
        if element.name == "SimpleRule":
            yield element, own
        else:
            waiting.extend((each, own) for each in reversed(element.children))


def _node(rule: Element, path: Conditions, *, regression: bool) -> Node:
    """What is written about a rule; `nbCorrect` records of its count have the class that it predicts."""
    node = node_of(rule, path, regression=regression)
    correct = rule.count("nbCorrect")
    if (
        node.counts is None
        and node.shares is None
        and correct is not None
        and node.count
        and node.predicted is not None
    ):
        return replace(node, shares=((node.predicted, Stated(Fraction(correct, node.count))),))
    return node
