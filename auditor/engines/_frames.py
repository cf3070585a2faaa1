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
