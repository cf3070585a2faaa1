"""Giving a masked table in memory the types that its columns came in with."""

from __future__ import annotations

from typing import Any

from auditor.engines import as_type, is_read_as_text, kind_of_frame, with_index


def like(data: Any, table: Any) -> Any:
    """A masked table with the types of `data`, in every column whose values they hold; categories that occur.

    Arrow and Polars types survive the engine; of pandas, nullable numbers and texts have types that it does not know.
    """
    if kind_of_frame(data) != "pandas":
        return table
    own = {str(name): column for name, column in with_index(data).items()}
    typed = table.copy(deep=False)
    for name in table.columns:
        typed[name] = _typed(table[name], own[str(name)])
    return typed


def _typed(column: Any, own: Any) -> Any:
    try:
        cast = as_type(column, own)
    except (TypeError, ValueError):
        return column
    if is_read_as_text(own.dtype):
        return cast
    here = ~column.isna()
    same = (cast.isna() == column.isna()).all() and (cast[here].astype(object) == column[here].astype(object)).all()
    return cast if same else column
