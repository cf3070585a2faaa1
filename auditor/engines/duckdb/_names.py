"""The names that columns have in the data itself.

DuckDB tells names apart without regard to case and renames what it takes for a duplicate (``A`` beside ``a`` becomes
``A_1``); so names are read here, and DuckDB's own serve as expressions only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from auditor.engines._locate import format_of
from auditor.engines.duckdb.connection import Connection
from auditor.errors import DataError, DeliveryError


def names_of_object(data: Any) -> list[str]:
    """The names of a dataframe's columns; none where it cannot have two that DuckDB would take for one."""
    module = type(data).__module__.split(".")[0]
    if module in ("pandas", "polars"):
        return [str(name) for name in data.columns]
    return list(data.schema.names) if module == "pyarrow" and hasattr(data, "schema") else []


def restore(written: Path, columns: Sequence[str]) -> None:
    """Give the columns of a file that DuckDB wrote their names back where it renamed some.

    Raises:
        DeliveryError: in this format, or without pyarrow, they cannot have them.
    """
    if format_of(written) == "csv" or len({name.casefold() for name in columns}) == len(columns):
        return
    refusal = f"{written.name}: columns have names that differ only in case; rename one of them, or write CSV"
    if format_of(written) != "parquet":
        raise DeliveryError(f"{refusal}; JSON lines with such keys are not read")
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise DeliveryError(f"{refusal}, or install pyarrow") from None
    renamed = written.with_name(f"{written.name}.renamed")
    try:
        with parquet.ParquetFile(written) as file:
            schema = pa.schema([field.with_name(name) for field, name in zip(file.schema_arrow, columns, strict=True)])
            with parquet.ParquetWriter(renamed, schema, compression="zstd") as target:
                for batch in file.iter_batches():
                    target.write_batch(pa.record_batch(batch.columns, schema=schema))
    except (pa.ArrowException, OSError):
        raise DeliveryError(refusal) from None
    renamed.replace(written)


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
