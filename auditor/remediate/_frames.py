"""Tables in memory: of which kind one is, and giving another the types of the first."""

from __future__ import annotations

import os
from typing import Any

from auditor.engines import Release


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


def like(data: Any, table: Any, release: Release) -> Any:
    """A released table with the types that the columns which are released as they are had in `data`.

    Arrow and Polars types survive the engine; of pandas, nullable numbers and texts have types that it does not know.
    """
    if kind_of(data) != "pandas":
        return table
    recoded = {each.column for each in release.recoded if each.labels is not None or release.with_stars}
    return table.astype({name: data[name].dtype for name in release.columns if name not in recoded})
