"""Regressions and clusterings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.outputs.published.outputs import (
    Cluster,
    Clustering,
    Regression,
    Term,
)
from auditor.outputs.readers._items import Columns
from auditor.outputs.readers._json import Value
from auditor.outputs.readers.neutral._parts import counts, given, group, optional, pairs


def _term(value: Value, columns: Columns) -> Term:
    found = value.known(("name",), ("coefficient", "condition", "ones"))
    if "name" not in found:
        value.wrong("'name' is null", "the name of the term")
    return Term(
        name=found["name"].text(),
        coefficient=optional(found, "coefficient", Value.stated),
        condition=optional(found, "condition", lambda each: group(each, columns)),
        ones=optional(found, "ones", Value.count),
    )


def regression(found: Mapping[str, Value], columns: Columns, base: dict[str, Any]) -> Regression:
    """A regression."""
    return Regression(
        **base,
        outcome=optional(found, "outcome", Value.text),
        terms=found["terms"].each(lambda each: _term(each, columns)),
        dof=optional(found, "dof", Value.count),
    )


def written_regression(output: Regression) -> dict[str, Any]:
    """Its members."""
    terms = [
        given(name=term.name, coefficient=term.coefficient, condition=term.condition, ones=term.ones)
        for term in output.terms
    ]
    return {**given(outcome=output.outcome, dof=output.dof), "terms": terms}


def _cluster(value: Value) -> Cluster:
    found = value.known(("size",), ("centre", "radius", "counts"))
    return Cluster(
        size=optional(found, "size", Value.count),
        centre=optional(found, "centre", lambda each: tuple((k, v.text()) for k, v in each.members()), ()),
        radius=optional(found, "radius", Value.stated),
        counts=optional(found, "counts", lambda each: tuple((k, counts(v)) for k, v in each.members()), ()),
    )


def clusters(found: Mapping[str, Value], _: Columns, base: dict[str, Any]) -> Clustering:
    """A clustering."""
    return Clustering(**base, clusters=found["clusters"].each(_cluster))


def written_clusters(output: Clustering) -> dict[str, Any]:
    """Its members."""
    clusters = [
        {
            "size": each.size,
            **given(centre=pairs(each.centre) or None, radius=each.radius),
            **given(counts={name: pairs(counts) for name, counts in each.counts} or None),
        }
        for each in output.clusters
    ]
    return {"clusters": clusters}
