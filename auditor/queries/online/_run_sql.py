"""Running a statement that may be answered, on the table as it was audited."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np

from auditor.errors import DataError
from auditor.queries.records.records import RecordProfiles


def run(profiles: RecordProfiles, sql: str, parameters: Sequence[str | None], dialect: str) -> list[tuple[Any, ...]]:
    """Run a statement in a DuckDB of its own that holds the audited columns and can reach nothing else.

    Columns have the types that the policy gives them, else those that their values have.
    """
    import duckdb
    import sqlglot

    (translated,) = sqlglot.transpile(sql, read=dialect, write="duckdb")
    database = duckdb.connect(config={"enable_external_access": "false", "threads": "1"})
    try:
        database.register("audited", _table(profiles))
        columns = ", ".join(f"{_cast(name, type_)} AS {_quoted(name)}" for name, type_ in _types(profiles).items())
        database.execute(f"CREATE VIEW {_quoted(profiles.schema.table)} AS SELECT {columns} FROM audited")
        return database.execute(translated, list(parameters) or None).fetchall()
    except duckdb.Error as error:
        raise DataError(f"the statement cannot be run on the audited table ({type(error).__name__})") from None
    finally:
        database.close()


def _table(profiles: RecordProfiles) -> Any:
    """The audited columns as texts."""
    import pandas as pd

    of_record = {column.name: profiles.codes[profiles.of_record, i] for i, column in enumerate(profiles.columns)}
    table = {column.name: column.array[of_record[column.name]] for column in profiles.columns}
    table |= {name: column.texts() for name, column in profiles.protected.items()}
    return pd.DataFrame(table, dtype=object)


def _types(profiles: RecordProfiles) -> dict[str, str]:
    found = {}
    for column in profiles.columns:
        reading = (column.declared or ("number",) if column.numbers is not None else ("text",))[0]
        if reading == "number" and column.numbers is not None:
            found[column.name] = "BIGINT" if column.numbers.denominator == 1 else "DOUBLE"
        else:
            found[column.name] = {"date": "DATE", "boolean": "BOOLEAN"}.get(reading, "VARCHAR")
    for name, protected in profiles.protected.items():
        number = "BIGINT" if protected.is_integer else "DOUBLE"
        found[name] = {"boolean": "BOOLEAN", "number": number}.get(protected.kind, "VARCHAR")
    return found


def _cast(name: str, type_: str) -> str:
    return _quoted(name) if type_ == "VARCHAR" else f"CAST({_quoted(name)} AS {type_})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def as_json(rows: Sequence[Sequence[Any]] | None) -> str | None:
    """Rows as the ledger keeps them."""
    return None if rows is None else json.dumps([[_plain(value) for value in row] for row in rows])


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal | date | datetime):
        return str(value)
    return value.item() if isinstance(value, np.generic) else value
