"""The names that columns have in the data itself.

DuckDB tells names apart without regard to case and renames what it takes for a duplicate (``A`` beside ``a`` becomes
``A_1``); so names are read here, and DuckDB's own serve as expressions only.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditor.engines.duckdb._connection import Connection
from auditor.engines.duckdb._sql import literal


def names_of_parquet(connection: Connection, path: Path) -> list[str]:
    """The names of a Parquet file's columns; those inside nested columns are left out."""
    schema = connection.raw.execute(f"SELECT name, num_children FROM parquet_schema({literal(str(path))})").fetchall()
    names, inside = [], 0
    for name, children in schema[1:]:
        if inside:
            inside -= 1
        else:
            names.append(str(name))
        inside += children or 0
    return names


def names_of_object(data: Any) -> list[str]:
    """The names of a dataframe's columns; none where it cannot have two that DuckDB would take for one."""
    module = type(data).__module__.split(".")[0]
    if module == "pandas":
        return [str(name) for name in data.columns]
    return list(data.schema.names) if module == "pyarrow" and hasattr(data, "schema") else []
