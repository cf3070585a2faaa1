"""Decision trees and rule lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.outputs.published.outputs import (
    DecisionTree,
    Node,
)
from auditor.outputs.readers._items import Columns
from auditor.outputs.readers._json import Value
from auditor.outputs.readers.neutral._parts import counts, given, group, numbers, optional, pairs


def _node(value: Value, columns: Columns) -> Node:
    found = value.known(("path",), ("count", "counts", "shares", "predicted", "mean"))
    if "path" not in found:
        value.wrong("'path' is null", "the conditions; [] for all records")
    return Node(
        path=group(found["path"], columns),
        count=optional(found, "count", Value.count),
        counts=optional(found, "counts", counts),
        shares=optional(found, "shares", numbers),
        predicted=optional(found, "predicted", Value.text),
        mean=optional(found, "mean", Value.stated),
    )


def tree(found: Mapping[str, Value], columns: Columns, base: dict[str, Any]) -> DecisionTree:
    """A tree or a rule list."""
    return DecisionTree(
        **base,
        target=optional(found, "target", Value.text),
        leaves=found["leaves"].each(lambda each: _node(each, columns)),
        inner=optional(found, "inner", lambda value: value.each(lambda each: _node(each, columns)), ()),
        ordered=optional(found, "ordered", Value.flag, False),
    )


def _written_node(node: Node) -> dict[str, Any]:
    return given(
        path=node.path,
        count=node.count,
        counts=pairs(node.counts),
        shares=pairs(node.shares),
        predicted=node.predicted,
        mean=node.mean,
    )


def written_tree(output: DecisionTree) -> dict[str, Any]:
    """Its members."""
    return {
        **given(target=output.target),
        "leaves": [_written_node(node) for node in output.leaves],
        "inner": [_written_node(node) for node in output.inner],
        "ordered": output.ordered,
    }
