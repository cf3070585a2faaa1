"""Tables in memory, of whatever kind."""

from __future__ import annotations

import os
from typing import Any


def kind_of_frame(data: Any) -> str | None:
    """``pandas``, ``polars``, ``spark`` or ``arrow``; None for a path or a database."""
    if isinstance(data, str | os.PathLike):
        return None
    home = type(data).__module__.split(".")[0]
    if home == "pyspark":
        return "spark"
    return home if home in ("pandas", "polars") else "arrow"


def without_column(table: Any, column: str) -> Any:
    """A table without one of its columns."""
    kind = kind_of_frame(table)
    if kind == "pandas":
        return table.drop(columns=[column])
    return table.drop(column) if kind in ("polars", "spark") else table.drop_columns([column])


def as_type(column: Any, kind: Any) -> Any:
    """A pandas column as another type; of categories, with those alone that a row holds.

    A type of categories lists values of records that are suppressed or changed, and others that were never there. A
    column with values that it does not list stays as it is.
    """
    if not hasattr(kind, "categories"):
        return column.astype(kind)
    held = kind.categories[kind.categories.isin(column)]
    if not column.dropna().isin(held).all():
        return column
    return column.astype(type(kind)(held, ordered=kind.ordered))
