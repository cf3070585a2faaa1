"""A scikit-learn tree as JSON: the arrays of its `tree_`, with the names of features and classes.

::

    {"children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2], "threshold": [30.5, -2, -2],
     "n_node_samples": [20, 12, 8], "value": [[[12, 8]], [[12, 0]], [[0, 8]]],
     "feature_names": ["age"], "classes": ["Flu", "HIV"], "target": "disease"}

Since scikit-learn 1.3, `value` holds shares: with the records of the node they are counts again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from auditor.outputs.published.conditions import Condition, group_of
from auditor.outputs.published.outputs import DecisionTree, Node, Stated
from auditor.outputs.readers._branches import ONE_HOT, branch
from auditor.outputs.readers._file import File, Provenance
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._items import MOST_CONDITIONS
from auditor.outputs.readers._json import Value
from auditor.outputs.readers._numbers import whole
from auditor.outputs.readers._reader import Documents
from auditor.registry import Ground

FORMAT = "scikit-learn tree"
ABOUT = "trees, `tree_` as JSON"
GROUND = Ground.CONTENTS
WEIGHTED = "class values that are neither counts nor shares of the records (class_weight, sample_weight)"
REQUIRED = ("children_left", "children_right", "feature", "threshold", "value", "n_node_samples")
OPTIONAL = ("weighted_n_node_samples", "feature_names", "classes", "target")
DERIVED = (
    "impurity",
    "node_count",
    "n_leaves",
    "max_depth",
    "n_features",
    "n_outputs",
    "n_classes",
    "missing_go_to_left",
)
"""Members that may stand beside and tell of the data nothing that the others do not."""
_NEARLY = Fraction(1, 10**6)
"""So far may a share of n records lie from a whole number: floats of 53 bits, and a table of at most 10⁹ records."""


def is_one(value: Value) -> bool:
    """Whether a document has the arrays of a tree."""
    return isinstance(value.content, dict) and "children_left" in value.content


def read(value: Value, file: File, hints: Hints) -> tuple[DecisionTree, ...]:
    """The tree of a document."""
    return (of_arrays(value, file.provenance(FORMAT), hints),)


def of_arrays(value: Value, provenance: Provenance, hints: Hints) -> DecisionTree:
    """The tree that these arrays describe."""
    found = value.known(REQUIRED, (*OPTIONAL, *DERIVED))
    arrays = _Arrays(value, {name: found[name].elements() for name in REQUIRED if name in found})
    names = found["feature_names"].each(Value.text) if "feature_names" in found else ()
    classes = found["classes"].each(Value.text) if "classes" in found else ()
    walk = _ArrayWalk(arrays, names, classes, _is_weighted(found), hints)
    walk.all()
    return DecisionTree(
        **provenance,
        notes=tuple(walk.notes),
        unread=tuple(walk.unread),
        records=arrays.samples(0),
        target=found["target"].text() if "target" in found else None,
        leaves=tuple(walk.leaves),
        inner=tuple(walk.inner),
    )


def _is_weighted(found: Mapping[str, Value]) -> bool:
    """Whether samples have other weights than 1."""
    if "weighted_n_node_samples" not in found:
        return False
    weights = [each.stated().value for each in found["weighted_n_node_samples"].elements()]
    return weights != [each.stated().value for each in found["n_node_samples"].elements()]


@dataclass(frozen=True)
class _Arrays:
    """One element per node in each array."""

    document: Value
    of: Mapping[str, Sequence[Value]]

    def __post_init__(self) -> None:
        if len(self.of) < len(REQUIRED) or len({len(each) for each in self.of.values()}) != 1 or not len(self):
            self.document.wrong("arrays of different lengths, or none", f"an element per node in {', '.join(REQUIRED)}")

    def __len__(self) -> int:
        return len(self.of["value"])

    def child(self, side: str, node: int) -> int | None:
        """The child on a side; None for a leaf."""
        element = self.of[f"children_{side}"][node]
        number = element.stated().value
        if number == -1:
            return None
        if number.denominator != 1 or not node < number < len(self):
            element.wrong("a child that is not a later node", "-1 for a leaf, or the number of a node after its parent")
        return int(number)

    def samples(self, node: int) -> int:
        """The records of a node."""
        return self.of["n_node_samples"][node].count()

    def values(self, node: int) -> list[Stated]:
        """The values of a node: one per class, or the mean."""
        elements = self.of["value"][node].elements()
        while len(elements) == 1 and isinstance(elements[0].content, (list, tuple)):
            elements = elements[0].elements()
        return [each.stated() for each in elements]


class _ArrayWalk:
    """The nodes from the root down."""

    def __init__(
        self, arrays: _Arrays, names: Sequence[str], classes: Sequence[str], weighted: bool, hints: Hints
    ) -> None:
        self._arrays, self._names, self._classes, self._weighted, self._hints = arrays, names, classes, weighted, hints
        self.leaves: list[Node] = []
        self.inner: list[Node] = []
        self.notes: dict[str, None] = {}
        self.unread: dict[str, None] = {}

    def all(self) -> None:
        """Meet each node once."""
        waiting: list[tuple[int, tuple[Condition, ...]]] = [(0, ())]
        steps, met = 0, set()
        while waiting:
            node, path = waiting.pop()
            if node in met:
                self._arrays.document.wrong("a node with two parents", "a tree")
            met.add(node)
            left, right = self._arrays.child("left", node), self._arrays.child("right", node)
            if (left is None) != (right is None):
                self._arrays.document.wrong("a node with one child", "two children, or -1 twice for a leaf")
            (self.leaves if left is None else self.inner).append(self._node(node, path))
            if left is not None and right is not None:
                steps += 2 * len(path)
                if steps > MOST_CONDITIONS:
                    self._arrays.document.wrong(
                        "a tree whose paths are too long together", f"at most {MOST_CONDITIONS:,} conditions"
                    )
                waiting.append((right, (*path, self._condition(node, above=True))))
                waiting.append((left, (*path, self._condition(node, above=False))))

    def _condition(self, node: int, *, above: bool) -> Condition:
        element = self._arrays.of["feature"][node]
        feature = element.count()
        if self._names and feature >= len(self._names):
            element.wrong("a feature that has no name", "a place in feature_names")
        name = self._names[feature] if self._names else f"feature_{feature}"
        threshold = self._arrays.of["threshold"][node]
        threshold.stated()
        condition, one_hot = branch(name, threshold.text(), self._hints.columns, above=above)
        if one_hot:
            self.notes[ONE_HOT] = None
        return condition

    def _node(self, node: int, path: Sequence[Condition]) -> Node:
        samples, values = self._arrays.samples(node), self._arrays.values(node)
        if len(values) == 1 and not self._classes:
            return Node(path=group_of(path), count=samples, mean=values[0])
        if self._classes and len(values) != len(self._classes):
            self._arrays.of["value"][node].wrong("another number of values than classes", "a value per class")
        labels = self._classes or [f"class {i + 1}" for i in range(len(values))]
        counts = None if self._weighted else _counts(values, samples)
        if counts is None:
            self.unread[WEIGHTED] = None
        predicted = labels[max(range(len(values)), key=lambda i: values[i].value)] if values else None
        return Node(
            path=group_of(path),
            count=samples,
            counts=None if counts is None else tuple(zip(labels, counts, strict=True)),
            predicted=predicted,
        )


def _counts(values: Sequence[Stated], samples: int) -> list[int] | None:
    """Records by class: as they stand, or as shares of the node's records; None where they are neither."""
    exact = [whole(each) for each in values]
    if None not in exact and sum(each.value for each in values) == samples:
        return [each for each in exact if each is not None]
    scaled = [each.value * samples for each in values]
    nearest = [round(each) for each in scaled]
    close = all(abs(a - b) < _NEARLY for a, b in zip(scaled, nearest, strict=True))
    return nearest if close and sum(nearest) == samples and min(nearest, default=-1) >= 0 else None


READERS = (Documents(lambda value, _: is_one(value), read),)
