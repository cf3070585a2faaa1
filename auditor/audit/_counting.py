"""The statement with which a warehouse counts a table for a policy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auditor.engines import counting_statement
from auditor.errors import Unsupported, UsageError
from auditor.models import ColumnRequirement, RecordRequirement, SequenceRequirement
from auditor.policy import Policy, load_policy
from auditor.policy.binding import is_glob


def counting_sql(
    policy: Policy | str | Path | Mapping[str, Any], table: str, dialect: str = "postgres", *, weight: str = "n"
) -> str:
    """One GROUP BY over the columns that a policy is judged by; its result is judged in place of the table.

    The result has these columns as text, and the number of records with each combination. Store it as Parquet or CSV,
    and judge it with ``check(FILE, policy, weight=…)``. Other columns of the table are not judged: the release is
    assumed to consist of these columns. Texts are those of the warehouse, so dates may be written differently.

    Args:
        policy: a policy, the path of a policy file, or a mapping with its contents.
        table: TABLE, SCHEMA.TABLE or CATALOG.SCHEMA.TABLE, written as the warehouse stores the names.
        dialect: postgres, duckdb, sqlite, snowflake, bigquery, trino, databricks or spark.
        weight: the name of the column with the number of records.

    Raises:
        PolicyError, UsageError: the policy or the call is wrong.
        Unsupported: the policy has a requirement that needs the individual records.
    """
    loaded = load_policy(policy)
    asking = [str(each.id) for each in loaded.requirements if isinstance(each, RecordRequirement | SequenceRequirement)]
    if asking:
        raise Unsupported(f"requirement {asking[0]!r} needs individual records; counts are not enough")
    columns = _columns(loaded)
    if weight in columns:
        raise UsageError(f"--weight {weight}: the policy has a column of that name; choose another")
    return counting_statement(table, columns, dialect, weight)


def _columns(policy: Policy) -> dict[str, bool]:
    """The columns to count by, and whether the values of each are numbers."""
    judged = {each.attribute for each in policy.requirements if isinstance(each, ColumnRequirement)}
    judged |= {policy.unit.column} if policy.unit else set()
    wanted = {
        name: attribute.is_numeric is True
        for name, attribute in policy.attributes.items()
        if attribute.role in ("quasi-identifier", "sensitive") or name in judged
    }
    globs = [name for name in wanted if is_glob(name)]
    if globs:
        raise UsageError(f"the policy names columns by the pattern {globs[0]!r}; a statement needs each column's name")
    return {**wanted, **dict.fromkeys(sorted(judged - set(wanted)), False)}
