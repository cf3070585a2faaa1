"""The statements that a database or warehouse runs, written once and rendered for each dialect by sqlglot.

One GROUP BY of the columns that are used counts a table: what comes out is the distinct combinations, and how many
records have each. It must keep apart whatever the rows themselves would keep apart, and databases do not do that by
themselves: a case-insensitive collation takes ``Köln`` and ``KÖLN`` for one value. And it must not keep apart what is
one value: 1.10 and 1.1 are one number with two texts. So every kind of column is grouped by what tells its values apart
exactly. Columns are written out, because GROUP BY ALL does not travel, and every name is quoted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import sqlglot
from sqlglot import exp

from auditor.engines._locate import parts_of
from auditor.errors import Unsupported, UsageError

BINARY = {
    "bigquery": exp.Literal.string(""),
    "databricks": exp.to_identifier("UTF8_BINARY"),
    "duckdb": exp.to_identifier("C", quoted=True),
    "postgres": exp.to_identifier("C", quoted=True),
    "snowflake": exp.Literal.string(""),
    "spark": exp.to_identifier("UTF8_BINARY"),
    "sqlite": exp.to_identifier("BINARY"),
    "trino": None,
}
"""For each dialect the collation under which texts are equal only if all their characters are; None where there is
no other."""
ESCAPES = ("bigquery",)
"""Dialects in which a backslash means something inside a quoted name."""


NAN = ("NaN", "nan")
"""How databases write what is not a number."""
_TYPE_OF = "TYPEOF({column}) IN ({names})"
FLOATS = {
    "bigquery": """FORMAT('%T', {column}) IN ('CAST("nan" AS FLOAT64)', '-0.0')""",
    "databricks": _TYPE_OF.format(column="{column}", names="'float', 'double'"),
    "duckdb": _TYPE_OF.format(column="{column}", names="'FLOAT', 'DOUBLE'"),
    "postgres": "CAST(PG_TYPEOF({column}) AS TEXT) IN ('real', 'double precision')",
    "snowflake": "SYSTEM$TYPEOF({column}) LIKE 'FLOAT%'",
    "spark": _TYPE_OF.format(column="{column}", names="'float', 'double'"),
    "sqlite": "TYPEOF({column}) = 'real'",
    "trino": _TYPE_OF.format(column="{column}", names="'real', 'double'"),
}
"""For each dialect what says that a column, whose type nobody here knows, holds floats (BigQuery: NaN or -0.0)."""
DECIMALS = {"postgres": "CAST(PG_TYPEOF({column}) AS TEXT) = 'numeric'"}
"""For dialects with decimals that are equal and end in more or fewer zeros, what says that a column holds such."""
ALL_DIGITS = {"postgres": "SET_CONFIG('extra_float_digits', '3', TRUE) = '3'"}
"""What has to hold of every row, because it lets floats be written with all their digits whatever the session says."""


class ValueKind(StrEnum):
    """What tells the values of a column apart.

    PLAIN: they are equal only if they are the same (integers, dates, booleans). TEXT: compared character by character.
    PADDED: the same, and blanks at the end count. EXACT: equal values may be written in several ways, which are kept
    apart ('1 day' and '24:00:00'). NUMBER: equal numbers are the same, and NaN is missing. TRIMMED: NUMBER, where equal
    ones may be written with more zeros or fewer (1.1 and 1.10). CAST: their text stands for them. COUNTED: the same
    where the type is not known: equal numbers are one value, and NaN of a number is missing, as everywhere.
    """

    PLAIN = "plain"
    TEXT = "text"
    PADDED = "padded"
    EXACT = "exact"
    NUMBER = "number"
    TRIMMED = "trimmed"
    CAST = "cast"
    COUNTED = "counted"


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column to be read or grouped: its name in the source, what tells its values apart, and its name in the result.

    Where `nan` is false, the text NaN of a column that is COUNTED is missing, whatever its type.
    """

    name: str
    kind: ValueKind
    alias: str
    nan: bool = True


def check_dialect(dialect: str) -> None:
    """Refuse a dialect that no statement is written for."""
    if dialect not in BINARY:
        raise UsageError(f"no statements are written for the dialect {dialect!r}; there are {', '.join(BINARY)}")


def table(name: str, dialect: str) -> str:
    """A table by its name, whose parts are divided by dots (`parts_of`), quoted."""
    parts = [_identifier(part, dialect) for part in parts_of(name)]
    if not 1 <= len(parts) <= 3 or not all(part.this for part in parts):
        raise UsageError(f"{name!r} names no table; write TABLE, SCHEMA.TABLE or CATALOG.SCHEMA.TABLE")
    return ".".join(part.sql(dialect) for part in parts)


def query(text: str) -> str:
    """A query as a source; a comment at its end ends there."""
    return f"(\n{text}\n) AS {_SOURCE}"


_SOURCE = "source_rows"


def read(source: str, columns: Sequence[ReadColumn], dialect: str) -> str:
    """The SELECT of every row, in the columns' own types but for those that are CAST."""
    values = [_aliased(_value(each, dialect), each.alias, dialect) for each in columns]
    return f"SELECT {', '.join(values)} FROM {source}"


def nothing(source: str) -> str:
    """A query that finds no row of the source, and yet locks it: its columns, with their types."""
    return f"SELECT * FROM {source} LIMIT 0"


def grouped(source: str, columns: Sequence[ReadColumn], dialect: str, records: str) -> str:
    """The distinct combinations of some columns, and in a column `records` how many records have each."""
    shown, keys = [], []
    for each in columns:
        told = [each.alias, *(f"{each.alias}_{i}" for i in range(len(_beside(each, dialect))))]
        values = [_compared(each, dialect), *_beside(each, dialect)]
        shown += [_aliased(value, alias, dialect) for value, alias in zip(values, told, strict=True)]
        keys += [_identifier(alias, dialect).sql(dialect) for alias in told]
    names = [_identifier(each.alias, dialect).sql(dialect) for each in columns]
    count = _aliased(exp.Count(this=exp.Star()), records, dialect)
    if not columns:
        return f"SELECT {count} FROM {source}"
    exactly = ALL_DIGITS.get(dialect) if any(each.kind is ValueKind.COUNTED for each in columns) else None
    inner = f"SELECT {', '.join(shown)} FROM {source}{f' WHERE {exactly}' if exactly else ''}"
    return f"SELECT {', '.join([*names, count])} FROM ({inner}) AS grouped_rows GROUP BY {', '.join(keys)}"


def _value(each: ReadColumn, dialect: str, collation: exp.Expression | None = None) -> exp.Expression:
    """The value as it is shown, or its text; under a collation where one is given."""
    value: exp.Expression = exp.Column(this=_identifier(each.name, dialect))
    if each.kind is ValueKind.COUNTED:
        value = exp.maybe_parse(_counted(value.sql(dialect), dialect), dialect=dialect)
    if each.kind is ValueKind.TRIMMED:
        value = exp.Anonymous(this="TRIM_SCALE", expressions=[value])
    if each.kind in (ValueKind.NUMBER, ValueKind.TRIMMED):
        value = exp.Nullif(this=value, expression=exp.Literal.string(NAN[0]))
    if each.kind is ValueKind.CAST:
        value = exp.cast(value, "text", dialect="duckdb")
    if collation is not None:
        value = exp.Collate(this=value, expression=collation.copy())
    for text in () if each.nan else NAN:
        value = exp.Nullif(this=value, expression=exp.Literal.string(text))
    return value


def _counted(column: str, dialect: str) -> str:
    """The text of a value of any type, one for equal numbers; of what is not a number none."""
    text = exp.cast(sqlglot.parse_one(column, dialect=dialect), "text", dialect="duckdb").sql(dialect)
    missing = f"{text} IN ({', '.join(map(repr, NAN))})"
    signed = f"WHEN {text} = '-0' THEN '0' WHEN {text} = '-0.0' THEN '0.0' ELSE {text}"
    number = f"CASE WHEN {missing} THEN NULL {_of_sqlite(column, text) if dialect == 'sqlite' else signed} END"
    decimal = ""
    if dialect in DECIMALS:
        short = f"RTRIM(RTRIM({text}, '0'), '.')"
        trimmed = f"CASE WHEN {missing} THEN NULL WHEN {text} LIKE '%.%' THEN {short} ELSE {text} END"
        decimal = f"WHEN {DECIMALS[dialect].format(column=column)} THEN {trimmed} "
    return f"CASE WHEN {FLOATS[dialect].format(column=column)} THEN {number} {decimal}ELSE {text} END"


def _of_sqlite(column: str, text: str) -> str:
    """A float of SQLite, to which 1 and 1.0 are equal in one column; it writes 15 digits, and more where we ask."""
    whole = f"CAST({column} AS INTEGER)"
    is_whole = f"WHEN ABS({column}) < 9e18 AND {whole} = {column} THEN CAST({whole} AS TEXT)"
    return f"{is_whole} WHEN CAST({text} AS REAL) = {column} THEN {text} ELSE PRINTF('%!.20g', {column})"


def _compared(each: ReadColumn, dialect: str) -> exp.Expression:
    """The value, so that equal ones are the same; for some kinds together with what `_beside` says."""
    return _value(
        each,
        dialect,
        BINARY[dialect] if each.kind in (ValueKind.TEXT, ValueKind.PADDED, ValueKind.CAST, ValueKind.COUNTED) else None,
    )


def _beside(each: ReadColumn, dialect: str) -> list[exp.Expression]:
    """What has to be the same besides, for equal values to be the same."""
    column = exp.Column(this=_identifier(each.name, dialect))
    text = exp.cast(column.copy(), "text", dialect="duckdb")
    if each.kind is ValueKind.PADDED:
        return [exp.Anonymous(this="OCTET_LENGTH", expressions=[column])]
    if each.kind is ValueKind.EXACT:
        return [text]
    return []


def _aliased(value: exp.Expression, alias: str, dialect: str) -> str:
    return exp.Alias(this=value, alias=_identifier(alias, dialect)).sql(dialect)


def _identifier(name: str, dialect: str) -> exp.Identifier:
    if "\0" in name or (dialect in ESCAPES and "\\" in name):
        raise Unsupported(f"{name!r} cannot be written as a name in the dialect {dialect!r}")
    return exp.to_identifier(name, quoted=True)


def single_select(text: str, dialect: str, what: str) -> str:
    """A query of the user's, if it is one SELECT.

    Raises:
        UsageError: it is not.
    """
    try:
        statements = sqlglot.parse(text, dialect=dialect)
    except sqlglot.errors.SqlglotError:
        raise UsageError(f"{what}: the query cannot be parsed as {dialect}") from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise UsageError(f"{what}: the query must be one SELECT")
    return text.rstrip().rstrip(";")
