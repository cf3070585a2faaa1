"""However the counting goes about it, one batch or many, grouped or row by row: the result is the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.engines import ColumnUse, open_data
from auditor.engines.duckdb import _counted
from tests.audit.test_by_hand import audits, table
from tests.engines import data

MANY = 10**9
"""Bytes per combination at which every few combinations are a batch of their own."""


@pytest.fixture
def batched(monkeypatch):
    monkeypatch.setattr(_counted, "BYTES_PER_COMBINATION", MANY)


@pytest.fixture
def by_rows(monkeypatch):
    monkeypatch.setattr(_counted.DuckDBCounted, "_nearly_unique", lambda *_: True)


def document(policy: dict[str, Any], rows: Any, original: Any = None) -> dict[str, Any]:
    """Everything but what may be left out of a result that was counted in batches."""
    found = auditor.check(rows, policy, original=original).to_dict()
    return {key: value for key, value in found.items() if key not in ("dimensionality", "assumptions")}


def test_the_fixture_makes_batches(batched):
    with open_data(data.arrow(data.people())) as source:
        counted = source.count([ColumnUse("zip"), ColumnUse("job")])
        assert len(list(counted.tables(["zip", "job"]))) > 3


def test_batches_hold_whole_classes(batched):
    with open_data(data.arrow(data.people())) as source:
        counted = source.count([ColumnUse("zip"), ColumnUse("job"), ColumnUse("site")])
        keys = [tuple(key) for batch in counted.tables(["zip", "job"]) for key in batch.keys.tolist()]
        assert len(keys) == len(set(keys))
        assert sum(int(batch.rows.sum()) for batch in counted.tables(["zip", "job"])) == 300


def test_the_other_fixture_keeps_rows(by_rows):
    with open_data(data.arrow(data.people())) as source:
        counted = source.count([ColumnUse("site")])
        assert counted.records == counted.combinations == 300


def test_batches_give_the_same_document(batched, monkeypatch):
    many = document(data.POLICY, data.arrow(data.people()))
    monkeypatch.undo()
    assert many == document(data.POLICY, data.arrow(data.people()))


def test_rows_give_the_same_document(by_rows, monkeypatch):
    rows = document(data.POLICY, data.arrow(data.people()))
    monkeypatch.undo()
    assert rows == document(data.POLICY, data.arrow(data.people()))


@settings(max_examples=25)
@given(audits(), st.sampled_from([(MANY, False), (120, True), (MANY, True)]))
def test_random_audits_do_not_depend_on_how_they_are_counted(audit, how):
    setting, policy, original = audit
    if policy["missing"] == "wildcard":  # compares all classes with all others, so it takes one batch
        policy = {**policy, "missing": "value"}
    rows, reference = table(setting.rows), None if original is None else table(original)
    expected = document(policy, rows, reference)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_counted, "BYTES_PER_COMBINATION", how[0])
        patched.setattr(_counted.DuckDBCounted, "_nearly_unique", lambda *_: how[1])
        found = document(policy, rows, reference)
    assert found == expected
