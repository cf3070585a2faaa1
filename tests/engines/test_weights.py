"""Rows that stand for several records: a table of counts is audited as the table that it counts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.audit import judged
from auditor.engines import Allowed, ColumnUse, Dialect, Limits, open_data
from auditor.engines._protocol import SourceFacts
from auditor.engines.duckdb import DuckDBSource
from auditor.engines.duckdb._connection import Connection
from auditor.errors import Unsupported
from auditor.policy import load_policy
from tests.audit.test_by_hand import audits
from tests.audit.test_by_hand import table as table_of
from tests.engines import data


class Counts:
    """An engine that is given counts: columns, and in the last one how many records each row stands for."""

    def open(self, data: Any, dialect: Dialect, limits: Limits, workspace: Path | None) -> DuckDBSource:
        connection = Connection(limits, workspace)
        connection.raw.register("counts", data)
        described = connection.raw.execute("DESCRIBE counts").fetchall()
        columns = [(name, f'"{name}"', kind) for name, kind, *_ in described[:-1]]
        return DuckDBSource(connection, "counts", columns, SourceFacts("counts", "memory"), weight=described[-1][0])


def counts_of(table: pa.Table, pieces: int = 1) -> pa.Table:
    """The distinct rows of a table and how often each occurs, in up to so many pieces each."""
    found = Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))
    rows = [
        (*row, n // parts + (place < n % parts))
        for row, n in found.items()
        for parts in (min(n, pieces),)
        for place in range(parts)
    ]
    schema = pa.schema([*table.schema, ("how_many", pa.int64())])
    columns = [list(column) for column in zip(*rows, strict=True)]
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema)


def document(given: pa.Table, policy: Any, engine: Any = None) -> dict[str, Any]:
    loaded, limits = load_policy(policy), Limits.of()
    found = judged(given, loaded, limits, dialect={"engine": engine}, expose=True).to_dict()
    return {key: value for key, value in found.items() if key != "data"} | {"rows": found["data"]["rows"]}


@pytest.mark.parametrize("pieces", [1, 3])
def test_counts_give_the_document_of_the_table(pieces):
    table = data.arrow(data.people())
    assert document(counts_of(table, pieces), data.POLICY, Counts()) == document(table, data.POLICY)


@settings(max_examples=25)
@given(audits(), st.integers(1, 3))
def test_random_counts_give_the_document_of_the_table(audit, pieces):
    setting, policy, _ = audit
    policy = {**policy, "reference": "released"}
    table = pa.table(table_of(setting.rows))
    assert document(counts_of(table, pieces), policy, Counts()) == document(table, policy)


def test_what_counts_say_of_columns():
    table = data.arrow(data.people())
    with open_data(counts_of(table, 2), engine=Counts()) as counts, open_data(table) as rows:
        assert [column.name for column in counts.columns] == list(data.NAMES)
        assert counts.records() == rows.records() == 300
        assert counts.fingerprint(data.NAMES) == rows.fingerprint(data.NAMES)
        for name in data.NAMES:
            ours, theirs = (each.dictionary(ColumnUse(name, ("NA",))) for each in (counts, rows))
            assert (ours[0], ours[1].tolist()) == (theirs[0], theirs[1].tolist())
        digits = Allowed(pattern="[0-9]+", missing=False)
        assert counts.outside(ColumnUse("zip"), digits) == rows.outside(ColumnUse("zip"), digits) > 0


def test_records_themselves_are_not_there():
    with open_data(counts_of(data.arrow(data.people())), engine=Counts()) as source:
        with pytest.raises(Unsupported, match="counts alone"):
            source.coded([ColumnUse("zip")])
        with pytest.raises(Unsupported, match="counts alone"):
            source.snapshot(["zip"], [])
