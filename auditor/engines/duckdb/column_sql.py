"""A column's values as expressions of SQL: what is missing, and what breaks what a policy allows."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.engines._protocol import Allowed
from auditor.engines.duckdb import _bounds, listing, sql


def value(expression: str, type_name: str, missing_values: Sequence[str] = ()) -> str:
    """A column's value with everything that means missing as NULL.

    The two zeros of a float are one value, 0.0. An interval is what it is written as: DuckDB takes a day and 24 hours
    for equal in some places and shows them apart in others.
    """
    kind = type_name.upper()
    if kind.startswith(sql.FLOATS):
        # Of a bare column DuckDB 2 folds isnan by the statistics of Parquet files, in which NaN has no place.
        opaque = f"nextafter({expression}, {expression})"
        expression = f"CASE WHEN isnan({opaque}) THEN NULL WHEN {opaque} = 0 THEN 0 ELSE {opaque} END"
    if kind == "INTERVAL":
        expression = f"CAST({expression} AS VARCHAR)"
    missing = listing.among(expression, kind, missing_values)
    return expression if missing is None else f"CASE WHEN {missing} THEN NULL ELSE {expression} END"


def row_text(expression: str, type_name: str, missing_values: Sequence[str] = ()) -> str:
    """A column's value as text, with everything that means missing as NULL."""
    return sql.text(value(expression, type_name, missing_values), type_name)


def breaks(expression: str, type_name: str, allowed: Allowed) -> str:
    """The condition that a value of a type breaks what is allowed; a pattern is the statement's one parameter."""
    wrong = []
    if allowed.pattern is not None:
        wrong.append(f"NOT regexp_full_match({sql.text(expression, type_name)}, ?)")
    if allowed.values is not None:
        listed = listing.among(expression, type_name, allowed.values)
        wrong.append("true" if listed is None else f"NOT {listed}")
    if allowed.least is not None:
        wrong.append(f"NOT {_bounds.at_least(expression, type_name, allowed.least)}")
    if allowed.most is not None:
        wrong.append(f"NOT {_bounds.at_most(expression, type_name, allowed.most)}")
    present = f"{expression} IS NOT NULL AND ({' OR '.join(wrong)})" if wrong else "false"
    return present if allowed.missing else f"{expression} IS NULL OR ({present})"


def outside(
    source: str,
    expression: str,
    type_name: str,
    missing_values: Sequence[str],
    allowed: Allowed,
    *,
    weight: str | None = None,
) -> str:
    """How many records hold a value that breaks what is allowed; the parameter is that of `breaks`."""
    values = f"SELECT {value(expression, type_name, missing_values)} AS v, {weight or 1} AS n FROM {source}"
    return f"SELECT {sql.total('n')} FROM ({values}) WHERE {breaks('v', type_name, allowed)}"
