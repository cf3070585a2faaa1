"""TreeModel: nodes with their predicates, record counts and class counts.

The first child whose predicate is true takes a record, so a child speaks of what its earlier siblings left. With
``noTrueChildStrategy="returnLastPrediction"`` a node keeps the records that no child takes, as a leaf of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from auditor.outputs.published.conditions import group_of
from auditor.outputs.published.outputs import DecisionTree, Node, Published, Stated
from auditor.outputs.readers._items import MOST_CONDITIONS
from auditor.outputs.readers._numbers import whole
from auditor.outputs.readers._xml import Element
from auditor.outputs.readers.pmml._context import CLAIMED, PmmlContext
from auditor.outputs.readers.pmml._predicates import (
    Conditions,
    Never,
    NotExpressible,
    apart,
    conditions,
    exhaust,
    opposite,
)

NOT_EXPRESSIBLE = "nodes or rules whose predicates are not conjunctions of conditions on columns"
MOST_OVERLAPPING = 50
"""Children of one node that are not told apart by the values of one column."""
_NEARLY = Fraction(1, 10**6)
"""Shares of a node that a program wrote as counts add up to 1 but for the rounding of their last digits."""


def read(model: Element, segment: Conditions, context: PmmlContext) -> list[Published]:
    """The leaves of a tree, and its inner nodes."""
    root = model.first("Node")
    if root is None:
        model.wrong("a TreeModel without a Node", "a tree with a root")
    context.note(CLAIMED)
    walk = _Descent(
        context, is_regression(model), model.attributes.get("noTrueChildStrategy") == "returnLastPrediction"
    )
    walk.all(root, segment)
    top = root.count("recordCount") if not segment else None
    return [
        DecisionTree(
            **context.base(), records=top, target=target(model), leaves=tuple(walk.leaves), inner=tuple(walk.inner)
        )
    ]


@dataclass(frozen=True)
class _Child:
    """A child: its own conditions, and those of the records that it takes after its earlier siblings."""

    element: Element
    own: Conditions
    taken: Conditions


@dataclass
class _Descent:
    """The nodes of one tree, met from the root down without recursion."""

    context: PmmlContext
    regression: bool
    keeps: bool
    leaves: list[Node] = field(default_factory=list)
    inner: list[Node] = field(default_factory=list)
    steps: int = 0

    def all(self, root: Element, segment: Conditions) -> None:
        try:
            waiting = [(root, (*segment, *conditions(root)))]
        except Never:
            return
        except NotExpressible:
            self.context.left(NOT_EXPRESSIBLE)
            return
        while waiting:
            element, path = waiting.pop()
            if element.first("Regression", "DecisionTree") is not None:
                self.context.left("models inside nodes")
            children = self._children(element)
            node = node_of(element, path, regression=self.regression)
            if not list(element.all("Node")):
                self.leaves.append(node)
                continue
            self.inner.append(node)
            if self.keeps and children is not None and not exhaust([child.own for child in children]):
                self._keep(element, node, path, children)
            self.steps += sum(len(path) + len(child.taken) for child in children or [])
            if self.steps > MOST_CONDITIONS:
                element.wrong("a tree whose paths are too long together", f"at most {MOST_CONDITIONS:,} conditions")
            waiting.extend((child.element, (*path, *child.taken)) for child in reversed(children or []))

    def _children(self, element: Element) -> list[_Child] | None:
        """The children of a node; None where what one of them takes cannot be written as conditions."""
        try:
            own = [(child, each) for child in element.all("Node") for each in _possible(child)]
            if _by_value([each for _, each in own]):
                return [_Child(child, each, each) for child, each in own]
            if len(own) > MOST_OVERLAPPING:
                raise NotExpressible
            return [
                _Child(child, each, (*each, *_none_of([other for _, other in own[:i] if not apart(each, other)])))
                for i, (child, each) in enumerate(own)
            ]
        except NotExpressible:
            self.context.left(NOT_EXPRESSIBLE)
            return None

    def _keep(self, element: Element, node: Node, path: Conditions, children: Sequence[_Child]) -> None:
        """The leaf of the records that no child takes; what it holds is what the node and its children state."""
        try:
            rest = _none_of([child.own for child in children])
        except NotExpressible:
            self.context.left(NOT_EXPRESSIBLE)
            return
        count = _less(node.count, [child.element.count("recordCount") for child in children])
        if count != 0:
            predicted = None if self.regression else element.attributes.get("score")
            self.leaves.append(Node(path=group_of((*path, *rest)), count=count, predicted=predicted))


def _possible(child: Element) -> list[Conditions]:
    """The conditions of a child, unless no record meets them."""
    try:
        return [conditions(child)]
    except Never:
        return []


def _by_value(children: Sequence[Conditions]) -> bool:
    """Whether each child takes other values of one and the same column."""
    listed = [child[0] for child in children if len(child) == 1 and child[0].operator in ("=", "in")]
    values = [value for each in listed for value in each.values]
    alike = len({each.attribute for each in listed}) <= 1 and len(listed) == len(children)
    return alike and len(set(values)) == len(values)


def _none_of(others: Sequence[Conditions]) -> Conditions:
    if any(len(other) != 1 for other in others):
        raise NotExpressible
    return tuple(opposite(other[0]) for other in others)


def _less(whole_count: int | None, parts: Sequence[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    if whole_count is None or len(known) < len(parts) or sum(known) > whole_count:
        return None
    return whole_count - sum(known)


def node_of(element: Element, path: Conditions, *, regression: bool) -> Node:
    """What is written about the records on a path."""
    counts, shares = _distribution(element)
    score = element.attributes.get("score")
    return Node(
        path=group_of(path),
        count=element.count("recordCount"),
        counts=counts,
        shares=shares,
        predicted=None if regression else score,
        mean=element.number("score") if regression else None,
    )


def _distribution(element: Element) -> tuple[tuple[tuple[str, int], ...] | None, tuple[tuple[str, Stated], ...] | None]:
    """Records by class, and shares by class."""
    scores = list(element.all("ScoreDistribution"))
    numbers = [(each.required("value"), each, each.number("recordCount")) for each in scores]
    probabilities = [(each.required("value"), each.share("probability")) for each in scores]
    shares = tuple((value, share) for value, share in probabilities if share is not None) or None
    given = [(value, each, number) for value, each, number in numbers if number is not None]
    total = sum((number.value for _, _, number in given), Fraction(0))
    if any(whole(number) is None for _, _, number in given) and abs(total - 1) < _NEARLY:
        return None, shares or tuple((value, number) for value, _, number in given)
    counts = tuple((value, each.count("recordCount") or 0) for value, each, _ in given)
    return counts or None, shares


def is_regression(model: Element) -> bool:
    """Whether scores are numbers."""
    return model.attributes.get("functionName") == "regression"


def target(model: Element) -> str | None:
    """The field that a model predicts."""
    schema = model.first("MiningSchema")
    fields = schema.all("MiningField") if schema is not None else iter(())
    return next(
        (each.attributes.get("name") for each in fields if each.attributes.get("usageType") in ("target", "predicted")),
        None,
    )
