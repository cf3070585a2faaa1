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


def like(data: Any, table: Any, release: Release) -> Any:
    """A released table with the types that the columns which are released as they are had in `data`.

    Arrow and Polars types survive the engine; of pandas, nullable numbers and texts have types that it does not know.
    """
    if kind_of(data) != "pandas":
        return table
    recoded = {recoding.column for recoding in release.recodings if recoding.labels is not None}
    return table.astype({name: data[name].dtype for name in release.columns if name not in recoded})
