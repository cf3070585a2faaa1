"""Small tables for the tests of reading statements, and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from auditor.engines import open_data
from auditor.queries import Statement
from auditor.queries._query import Query
from auditor.queries.records.records import RecordProfiles, read_profiles
from auditor.queries.records.schema import Schema
from auditor.queries.sql.reader import SqlReader


def profiles_of(columns: Mapping[str, Sequence[Any]], protected: Sequence[str], **facts: Any) -> RecordProfiles:
    """A table held in memory, every other column public."""
    table = pa.table(dict(columns))
    public = tuple(name for name in columns if name not in protected)
    schema = Schema(
        **{"table": "emp", "columns": tuple(columns), "public": public, "protected": tuple(protected), **facts}
    )
    with open_data(table) as source:
        return read_profiles(source, schema, set(public))


def asked(profiles: RecordProfiles, sql: str, dialect: str = "postgres", parameters: Sequence[Any] = ()) -> list[Query]:
    """What one statement asks."""
    return SqlReader(profiles, dialect).read(Statement(1, sql, parameters=tuple(parameters)))


def records(query: Query, profiles: RecordProfiles) -> list[int]:
    """The 0-based records that contribute to a query."""
    assert query.members is not None
    held = query.members.dense()
    return [record for record, profile in enumerate(profiles.of_record.tolist()) if held[profile]]
