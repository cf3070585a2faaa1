"""Tables in memory: of which kind one is, and giving a masked one the types of the first."""

from __future__ import annotations

import os
from typing import Any


def kind_of(data: Any) -> str | None:
    """``pandas``, ``polars`` or ``arrow``; None for a path or a database."""
    if isinstance(data, str | os.PathLike):
        return None
    home = type(data).__module__.split(".")[0]
    return home if home in ("pandas", "polars") else "arrow"


def without(table: Any, column: str) -> Any:
    """A table without one of its columns."""
    home = type(table).__module__.split(".")[0]
    if home == "pandas":
        return table.drop(columns=[column])
    return table.drop(column) if home == "polars" else table.drop_columns([column])


def like(data: Any, table: Any) -> Any:
    """A masked table with the types of `data`, in every column whose values they hold.

    Arrow and Polars types survive the engine; of pandas, nullable numbers and texts have types that it does not know.
    """
    if kind_of(data) != "pandas":
        return table
    own = {str(name): data[name].dtype for name in data.columns}
    typed = table.copy(deep=False)
    for name in table.columns:
        typed[name] = _typed(table[name], own[str(name)])
    return typed


def _typed(column: Any, kind: Any) -> Any:
    try:
        cast = column.astype(kind)
    except (TypeError, ValueError):
        return column
    here = ~column.isna()
    same = (cast.isna() == column.isna()).all() and (cast[here].astype(object) == column[here].astype(object)).all()
    return cast if same else column
