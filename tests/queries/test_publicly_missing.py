"""Everybody knows which values are missing (`null_is_public`): no record without a value is named as exposed."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.queries import audit_queries

RANGES = ({}, {"type": "integer", "range": [0, 2]}, {"type": "number", "range": [None, None]})
ASKED = ("sum(x)", "max(x)", "min(x)", "avg(x)", "count(x)", "sum(x), max(x)", "sum(x), min(x), max(x)")
STATEMENTS = st.tuples(st.sampled_from(ASKED), st.sets(st.integers(0, 5), min_size=1))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.sampled_from([None, None, 0, 1, 2]), min_size=6, max_size=6),
    asked=st.lists(STATEMENTS, min_size=1, max_size=4),
    declared=st.sampled_from(RANGES),
    distinct=st.sampled_from(["allowed", None]),
)
def test_a_record_without_a_value_is_never_named(
    values: list[int | None], asked: list[tuple[str, set[int]]], declared: dict[str, object], distinct: str | None
) -> None:
    table = pd.DataFrame({"id": range(6), "x": pd.array(values, dtype="Int64")})
    log = [f"SELECT {what} FROM t WHERE id IN ({', '.join(map(str, sorted(ids)))})" for what, ids in asked]
    policy = {
        "version": 1,
        "name": "missing",
        "attributes": {"id": "quasi-identifier", "x": {"role": "sensitive", **declared}},
        "queries": {
            "table": "t",
            "key": "id",
            "assume": {"equal_values": distinct} if distinct else {},
            "limits": {"interval": {"min_width": 1}},
        },
    }
    missing = {place for place, value in enumerate(values) if value is None}
    named = {record for each in audit_queries(log, policy, table).disclosures for record in each.records}
    assert not named & missing


def test_the_one_who_has_a_value_is_named_and_the_other_is_not() -> None:
    table = pd.DataFrame({"id": range(4), "x": pd.array([7, None, 9, 8], dtype="Int64")})
    policy = {
        "version": 1,
        "name": "missing",
        "attributes": {"id": "quasi-identifier", "x": "sensitive"},
        "queries": {"table": "t", "key": "id"},
    }
    for what in ("sum(x)", "max(x)", "sum(x), max(x)"):
        audit = audit_queries([f"SELECT {what} FROM t WHERE id IN (0, 1)"], policy, table)
        assert {each.records for each in audit.disclosures} == {(0,)}, what
