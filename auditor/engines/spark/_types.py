"""Spark's types by DuckDB's names: a column is called the same, whichever engine reads it."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as fn

from auditor.engines._protocol import Column
from auditor.engines.duckdb import sql

_NAMES = {
    "string": "VARCHAR",
    "varchar": "VARCHAR",
    "char": "VARCHAR",
    "void": "VARCHAR",
    "boolean": "BOOLEAN",
    "byte": "TINYINT",
    "short": "SMALLINT",
    "integer": "INTEGER",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}


def column(name: str, kind: Any) -> Column:
    """A column of a DataFrame; `kind` is Spark's type."""
    known = f"DECIMAL({kind.precision},{kind.scale})" if kind.typeName() == "decimal" else None
    known = known or _NAMES.get(kind.typeName())
    if known is None:
        return Column(name, kind.simpleString().upper(), usable=False)
    return Column(name, known, number=sql.is_number(known))


def value(expression: Any, type_name: str) -> Any:
    """A value as it is counted: text in the order of its bytes, NaN as missing, no negative zero."""
    if type_name == "VARCHAR":
        return expression.cast("string")  # whatever its collation
    if type_name in sql.FLOATS:
        return fn.when(~fn.isnan(expression), expression + fn.lit(0.0).cast(type_name.lower()))
    return expression
