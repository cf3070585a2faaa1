"""What the values of a sensitive attribute mean: their reference distribution, order, hierarchy and costs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np

from auditor.classes import Domain, FloatArray, IntArray
from auditor.engines import ColumnUse, Counted, Kind, Source
from auditor.errors import DataError, NotEvaluated
from auditor.hierarchies import build, ladder_spec
from auditor.models import Requirement, SensitiveModel
from auditor.policy import Attribute
from auditor.values import Values


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
        outside = _outside(reference, column, attribute, unit)
        numeric = numeric and outside.is_number(column)
        labels, frequencies = _joined(
            labels, outside.labels(column), outside.frequencies(column, unit), numeric=numeric
        )
    known = Values(label for label in labels if label is not None)
    labels += [listed for listed in attribute.order or () if listed not in known]
    frequencies = np.concatenate((frequencies, np.zeros(len(labels) - len(frequencies), dtype=np.int64)))
    ranks = _ranks(labels, attribute, numeric=numeric)
    return Domain(tuple(labels), frequencies, ranks, numeric=numeric, listed=bool(attribute.order))


def kind_of(attribute: Attribute) -> Kind:
    """What the codes of a sensitive column are ordered by."""
    if attribute.is_numeric is None:
        return "text" if attribute.order else "auto"
    return "number" if attribute.is_numeric else "text"


def fitted(domain: Domain, requirement: Requirement, attribute: Attribute, column: str, costs: Path | None) -> Domain:
    """The domain with what this requirement needs of it; `NotEvaluated` says why it cannot have it."""
    ground = requirement.ground_for(numeric=domain.numeric) if isinstance(requirement, SensitiveModel) else None
    if ground == "ordered" and domain.ranks is None:
        raise NotEvaluated(_why_no_order(domain, attribute, column))
    if ground == "hierarchical":
        return replace(domain, ladder=_ladder(domain, attribute, column))
    if ground == "matrix":
        return _with_costs(domain, costs) if costs else domain
    return domain


def _outside(reference: Source, column: str, attribute: Attribute, unit: str | None) -> Counted:
    """The reference table, counted by the sensitive column (and the unit)."""
    wanted = [column] if unit is None else [column, unit]
    absent = [name for name in wanted if name not in [known.name for known in reference.columns]]
    if absent:
        raise NotEvaluated(f"the reference {reference.facts.name} has no column {absent[0]!r}")
    use = ColumnUse(column, attribute.missing, kind_of(attribute))
    counted = reference.count([use, *(ColumnUse(name) for name in wanted[1:])])
    if not counted.records:
        raise DataError(f"{reference.facts.name}: has no records; there is no distribution to compare with")
    return counted


def _joined(
    labels: list[str | None], others: Sequence[str | None], counts: IntArray, *, numeric: bool
) -> tuple[list[str | None], IntArray]:
    """The labels and the reference's counts of them; values that only the reference has join at the end."""
    place = {_identity(label, numeric=numeric): code for code, label in enumerate(labels)}
    fresh = {_identity(label, numeric=numeric): label for label in others}
    fresh = {identity: label for identity, label in fresh.items() if identity not in place}
    place |= {identity: code for code, identity in enumerate(fresh, len(place))}
    frequencies = np.zeros(len(place), dtype=np.int64)
    np.add.at(frequencies, [place[_identity(label, numeric=numeric)] for label in others], counts)
    return [*labels, *fresh.values()], frequencies


def _identity(label: str | None, *, numeric: bool) -> Decimal | str | None:
    """What makes two labels the same value: the number, for numbers, else the text."""
    return Decimal(label) if numeric and label is not None else label


def _ranks(labels: Sequence[str | None], attribute: Attribute, *, numeric: bool) -> IntArray | None:
    """The position of each value in ascending order; None where the values have no order."""
    if None in labels:
        return None
    if attribute.order:
        order = Values(attribute.order)
        places = [place for label in labels if (place := order.place(label)) is not None]
        return np.array(places, dtype=np.int64) if len(set(places)) == len(labels) else None
    if not numeric:
        return None
    ascending = sorted(range(len(labels)), key=lambda code: Decimal(str(labels[code])))
    return np.argsort(np.array(ascending, dtype=np.int64))


def _why_no_order(domain: Domain, attribute: Attribute, column: str) -> str:
    if None in domain.labels:
        return f"the ordered distance cannot place missing values, and {column!r} has some"
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


def _with_costs(domain: Domain, path: Path) -> Domain:
    """The domain with an expert's costs; a value that only the matrix names may still be a way between others."""
    names, costs = read_costs(path)
    named = Values(names)
    places = [place for label in domain.labels if (place := named.place(label)) is not None]
    if len(places) < len(domain.labels):
        raise NotEvaluated(f"cost matrix {path.name}: does not name every value that the data has")
    others = [place for place in range(len(names)) if place not in set(places)]
    between = [names[place] for place in others]
    labels = (*domain.labels, *between)
    chosen = [*places, *others]
    reference = np.concatenate((domain.reference, np.zeros(len(between), dtype=np.int64)))
    return replace(domain, labels=labels, reference=reference, ranks=None, costs=costs[np.ix_(chosen, chosen)])


def read_costs(path: Path) -> tuple[list[str], FloatArray]:
    """The values that a cost matrix names, and float64[m, m], what it costs to move from each to each."""
    where = f"cost matrix {path.name}"
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (UnicodeDecodeError, csv.Error):
        raise DataError(f"{where}: is not a CSV file in UTF-8") from None
    if len(rows) < 2:
        raise DataError(f"{where}: needs a header of value names and a row per value")
    names = rows[0][1:]
    if [row[0] for row in rows[1:]] != names or any(len(row) != len(rows[0]) for row in rows):
        raise DataError(f"{where}: rows and columns must carry the same names in the same order")
    if len(set(names)) < len(names):
        raise DataError(f"{where}: names a value twice")
    try:
        costs = np.array([[float(field) for field in row[1:]] for row in rows[1:]])
    except ValueError:
        raise DataError(f"{where}: holds a field that is not a number") from None
    if not np.isfinite(costs).all() or (costs < 0).any() or np.diagonal(costs).any():
        raise DataError(f"{where}: costs must be finite and not negative, with zeros on the diagonal")
    return names, costs
