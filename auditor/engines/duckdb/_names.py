"""The names that columns have in the data itself.

DuckDB tells names apart without regard to case and renames what it takes for a duplicate (``A`` beside ``a`` becomes
``A_1``); so names are read here, and DuckDB's own serve as expressions only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from auditor.engines.duckdb._connection import Connection
from auditor.errors import DataError


def names_of_object(data: Any) -> list[str]:
    """The names of a dataframe's columns; none where it cannot have two that DuckDB would take for one."""
    module = type(data).__module__.split(".")[0]
    if module in ("pandas", "polars"):
        return [str(name) for name in data.columns]
    return list(data.schema.names) if module == "pyarrow" and hasattr(data, "schema") else []


def refuse_renamed_keys(connection: Connection, what: str, listed: str, names: Sequence[str]) -> None:
    """Refuse JSON files in which DuckDB renamed a key: it would then find no value under the new name."""
    known = {name.casefold() for name in names}
    numbered = {name: match[1] for name in names if (match := re.fullmatch(r"(.+)_\d+", name, re.DOTALL))}
    doubtful = {name: base for name, base in numbered.items() if base.casefold() in known}
    if not doubtful:
        return
    rows = connection.raw.execute(
        f"SELECT DISTINCT unnest(json_keys(json)) FROM read_json_objects({listed})"
    ).fetchall()
    renamed = [base for name, base in doubtful.items() if (name,) not in rows]
    if renamed:
        raise DataError(f"{what}: has keys that differ only in case, as {renamed[0]!r} does; rename one of them")
