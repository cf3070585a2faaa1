"""Giving a released table in memory the types that its columns came in with."""

from __future__ import annotations

from typing import Any

from auditor.engines import ReleaseRequest, as_type, kind_of_frame, with_index


def like(data: Any, table: Any, release: ReleaseRequest) -> Any:
    """A released table with the types that the columns which are released as they are had in `data`.

    Of a type of categories, those that are released.

    Arrow and Polars types survive the engine; of pandas, nullable numbers and texts have types that it does not know.
    """
    if kind_of_frame(data) != "pandas":
        return table
    recoded = {each.column for each in release.recoded if each.labels is not None or release.with_stars}
    own = {str(name): column for name, column in with_index(data).items()}
    typed = table.copy(deep=False)
    for name in release.columns:
        if name not in recoded:
            typed[name] = as_type(table[name], own[name])
    return typed
