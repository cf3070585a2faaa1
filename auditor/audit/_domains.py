"""What the values of a sensitive attribute mean: their reference distribution, order, hierarchy and costs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from auditor.classes import Domain, FloatArray, IntArray
from auditor.engines import ColumnUse, Counted, Source
from auditor.errors import DataError, NotEvaluated
from auditor.hierarchies import build
from auditor.models import Requirement
from auditor.models.t_closeness import TCloseness
from auditor.policy import Attribute
from auditor.policy.hierarchies import ladder_spec


def domain_of(
    counted: Counted, column: str, attribute: Attribute, unit: str | None, reference: Source | None
) -> Domain:
    """The domain of one sensitive column.

    Args:
        counted: the data.
        column: the sensitive column.
        attribute: what the policy says of it.
        unit: the column whose distinct values are counted, if any.
        reference: the table that q is taken from; None for the data itself.
    """
    labels = list(counted.labels(column))
    numeric = counted.is_number(column)
    frequencies = counted.frequencies(column, unit)
    if reference is not None:
        labels, frequencies = _from_outside(labels, column, attribute, reference, numeric=numeric)
    for listed in attribute.order or ():
        if listed not in labels:
            labels.append(listed)
    frequencies = np.concatenate((frequencies, np.zeros(len(labels) - len(frequencies), dtype=np.int64)))
    return Domain(tuple(labels), frequencies, ranks=_ranks(labels, attribute, numeric=numeric), numeric=numeric)


def fitted(domain: Domain, requirement: Requirement, attribute: Attribute, column: str, costs: Path | None) -> Domain:
    """The domain with what this requirement needs of it; `NotEvaluated` says why it cannot have it."""
    if not isinstance(requirement, TCloseness):
        return domain
    ground = requirement.ground_for(numeric=domain.numeric)
    if ground == "ordered" and domain.ranks is None:
        raise NotEvaluated(_why_no_order(domain, attribute, column))
    if ground == "hierarchical":
        return replace(domain, ladder=_ladder(domain, attribute, column))
    if ground == "matrix":
        return replace(domain, costs=read_costs(costs, domain.labels)) if costs else domain
    return domain


def _from_outside(
    labels: list[str | None], column: str, attribute: Attribute, reference: Source, *, numeric: bool
) -> tuple[list[str | None], IntArray]:
    """The labels and reference counts when q comes from another table; values that only it has join at the end."""
    if column not in [known.name for known in reference.columns]:
        raise NotEvaluated(f"the reference {reference.facts.name} has no column {column!r}")
    found, counts = reference.dictionary(ColumnUse(column, attribute.missing_values))
    place: dict[object, int] = {}
    for label in (*labels, *found):
        place.setdefault(_identity(label, numeric=numeric), len(place))
    known = {_identity(label, numeric=numeric) for label in labels}
    labels = labels + [label for label in found if _identity(label, numeric=numeric) not in known]
    frequencies = np.zeros(len(place), dtype=np.int64)
    np.add.at(frequencies, [place[_identity(label, numeric=numeric)] for label in found], counts)
    return labels[: len(place)], frequencies


def _identity(label: str | None, *, numeric: bool) -> object:
    """What makes two labels the same value: the number, for numbers, else the text."""
    if label is None or not numeric:
        return label
    try:
        return float(label)
    except ValueError:
        return label


def _ranks(labels: Sequence[str | None], attribute: Attribute, *, numeric: bool) -> IntArray | None:
    """The position of each value in ascending order; None where the values have no order."""
    if None in labels:
        return None
    if attribute.order:
        position = {label: rank for rank, label in enumerate(attribute.order)}
        if any(label not in position for label in labels):
            return None
        return np.array([position[str(label)] for label in labels], dtype=np.int64)
    if not numeric:
        return None
    _, ranks = np.unique(np.array([float(str(label)) for label in labels]), return_inverse=True)
    return ranks.astype(np.int64)


def _why_no_order(domain: Domain, attribute: Attribute, column: str) -> str:
    if None in domain.labels:
        return f"the ordered distance has no place for missing values, and {column!r} has some"
    if attribute.order:
        return f"{column!r} holds values that its order: does not list"
    return f"{column!r} is text; the ordered distance needs its order:"


def _ladder(domain: Domain, attribute: Attribute, column: str) -> IntArray:
    if attribute.hierarchy is None:
        raise NotEvaluated(f"{column!r} has no hierarchy, which the hierarchical distance needs")
    ladder = build(ladder_spec(attribute.hierarchy), domain.labels, column).codes()
    if len(set(ladder[-1].tolist())) > 1:
        raise NotEvaluated(f"the hierarchy of {column!r} has several top values; the hierarchical distance needs one")
    return ladder


def read_costs(path: Path, labels: Sequence[str | None]) -> FloatArray:
    """float64[m, m]: the expert's costs in the order of `labels`, from a CSV whose rows and columns are named."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    where = f"cost matrix {path.name}"
    if len(rows) < 2:
        raise DataError(f"{where}: needs a header of value names and a row per value")
    names = rows[0][1:]
    if [row[0] for row in rows[1:]] != names or any(len(row) != len(rows[0]) for row in rows):
        raise DataError(f"{where}: rows and columns must carry the same names in the same order")
    try:
        costs = np.array([[float(field) for field in row[1:]] for row in rows[1:]])
    except ValueError:
        raise DataError(f"{where}: holds a field that is no number") from None
    if not np.isfinite(costs).all() or (costs < 0).any() or np.diagonal(costs).any():
        raise DataError(f"{where}: costs must be finite and not negative, with zeros on the diagonal")
    place = {name: index for index, name in enumerate(names)}
    if any(str(label) not in place for label in labels):
        raise NotEvaluated(f"{where}: does not name every value that the data has")
    chosen = [place[str(label)] for label in labels]
    ordered: FloatArray = costs[np.ix_(chosen, chosen)]
    return ordered
