"""However the counting goes about it, one batch or many, grouped or row by row, coded one way or the other: the result
is the same."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor
from auditor.audit import _questions
from auditor.classes import Domain
from auditor.engines import ColumnUse, Kind, open_data
from auditor.engines.duckdb import _counted, _gathered, _source
from auditor.engines.duckdb._gathered import GatheredCodes
from auditor.engines.duckdb._joined import JoinedCodes
from tests.audit.test_by_hand import audits, table
from tests.documents import without_work
from tests.engines import data

MANY = 10**9
"""Bytes per combination at which every few combinations are a batch of their own."""


@pytest.fixture
def batched(monkeypatch):
    monkeypatch.setattr(_counted, "BYTES_PER_COMBINATION", MANY)


@pytest.fixture
def by_rows(monkeypatch):
    monkeypatch.setattr(_source, "SMALL_ROWS", 0)
    monkeypatch.setattr(_counted, "FEW_ROWS", 0)
    monkeypatch.setattr(_counted.DuckDBCounted, "_nearly_unique", lambda *_: True)


@pytest.fixture
def by_dictionaries(monkeypatch):
    monkeypatch.setattr(_counted, "FEW_ROWS", 0)
    monkeypatch.setattr(_counted, "FEW_COMBINATIONS", 0)


@pytest.fixture
def tables_made(monkeypatch):
    """Whether counting made its table of combinations."""
    made = []
    combine = _counted.DuckDBCounted._combine

    def noted(self: _counted.DuckDBCounted, *given: Any, **named: Any) -> None:
        made.append(True)
        combine(self, *given, **named)

    monkeypatch.setattr(_counted.DuckDBCounted, "_combine", noted)
    return made


def document(policy: dict[str, Any], rows: Any, original: Any = None) -> dict[str, Any]:
    """The whole document, the worst classes by their keys in it."""
    found: dict[str, Any] = without_work(auditor.check(rows, policy, original=original, expose=True).to_dict())
    return found


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


def codes(*columns: str) -> type:
    """How the columns of some people are coded."""
    with open_data(data.arrow(data.people())) as source:
        return type(source.count([ColumnUse(column) for column in columns])._codes)


def test_small_and_wide_tables_are_gathered(by_dictionaries, monkeypatch):
    assert codes("zip", "job") is JoinedCodes
    monkeypatch.setattr(_counted, "JOINS", 1)
    assert codes("zip", "job") is GatheredCodes
    monkeypatch.undo()
    assert codes("zip", "job") is GatheredCodes


def test_few_rows_are_counted_and_gathered_in_one_statement(tables_made, monkeypatch):
    one = document(data.POLICY, data.arrow(data.people()))
    assert not tables_made
    monkeypatch.setattr(_counted, "FEW_ROWS", 0)
    assert document(data.POLICY, data.arrow(data.people())) == one
    assert tables_made


@pytest.mark.parametrize("form", ["csv", "json"])
def test_the_rows_of_a_small_file_are_told_by_its_first_lines(form, tables_made, tmp_path):
    rows = "".join('{"a": "1"}\n' if form == "json" else "1\n" for _ in range(1000))
    file = tmp_path / f"data.{form}"
    file.write_text(rows if form == "json" else f"a\n{rows}", encoding="utf-8")
    with open_data(file) as source:
        assert source.count([ColumnUse("a")]).records == 1000
        assert not tables_made


def test_dictionaries_give_the_same_document(by_dictionaries, monkeypatch):
    joined = document(data.POLICY, data.arrow(data.people()))
    monkeypatch.undo()
    assert joined == document(data.POLICY, data.arrow(data.people()))


def test_columns_gathered_one_by_one_give_the_same_document(monkeypatch):
    together = document(data.POLICY, data.arrow(data.people()))
    monkeypatch.setattr(_gathered, "CELLS_AT_ONCE", 1)
    assert together == document(data.POLICY, data.arrow(data.people()))


MOMENTS = [datetime.fromisoformat(text) for text in ("1969-12-31T23:59:59.9", "1970-01-01", "2026-01-01T12:00")]
TYPED = {
    "bool": (pa.bool_(), st.booleans()),
    "int": (pa.int64(), st.integers(-3, 3) | st.just(2**62)),
    "double": (pa.float64(), st.sampled_from([0.0, 0.1, float("nan"), float("inf"), 1e300])),
    "decimal": (pa.decimal128(6, 2), st.decimals(-2, 2, places=2)),
    "day": (pa.date32(), st.dates(date(1969, 12, 30), date(1970, 1, 2))),
    "moment": (pa.timestamp("us"), st.sampled_from(MOMENTS)),
    "number": (pa.string(), st.sampled_from(["1", "1.0", "01", "-0", "0", "9007199254740993", "9007199254740992"])),
    "text": (pa.string(), st.sampled_from(["a", "A", "ä", "", "10", "9"])),
}
KINDS: dict[str, Kind] = {"number": "number", "text": "auto", "bool": "auto", "day": "auto"}


@st.composite
def typed_tables(draw: st.DrawFn) -> pa.Table:
    columns = {name: st.lists(values | st.none(), min_size=12, max_size=12) for name, (_, values) in TYPED.items()}
    return pa.table({name: pa.array(draw(columns[name]), TYPED[name][0]) for name in TYPED})


def everything(table: pa.Table) -> Any:
    """All that counting says of a table, by columns and by classes."""
    with open_data(table) as source:
        counted = source.count([ColumnUse(name, kind=KINDS.get(name, "text")) for name in TYPED])
        domain = Domain(counted.labels("number"), counted.frequencies("number"))
        (classes,) = counted.tables(["bool", "day", "double"], ("number", domain), "text")
        columns = [
            (
                counted.cardinality(name),
                counted.has_missing(name),
                counted.is_number(name),
                counted.labels(name),
                counted.frequencies(name).tolist(),
                counted.frequencies(name, "text").tolist(),
            )
            for name in TYPED
        ]
    assert classes.keys is not None
    assert classes.cells is not None
    arrays = (classes.keys, classes.sizes, classes.rows, classes.cells.values, classes.cells.counts)
    return columns, [array.tolist() for array in arrays]


@pytest.mark.slow
@settings(max_examples=15)
@given(typed_tables())
def test_every_way_gives_the_same_codes(table):
    at_once = everything(table)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_gathered, "MOST_LABELS", 0)
        assert everything(table) == at_once
        patched.setattr(_counted, "FEW_ROWS", 0)
        assert everything(table) == at_once
        patched.setattr(_counted, "FEW_COMBINATIONS", 0)
        assert everything(table) == at_once


@pytest.mark.slow
@settings(max_examples=25)
@given(audits(), st.sampled_from([(MANY, False), (120, True), (MANY, True), (120, False)]))
def test_random_audits_do_not_depend_on_how_they_are_counted(audit, how):
    setting, policy, original = audit
    if policy["missing"] == "wildcard":  # compares all classes with all others, so it takes one batch
        policy = {**policy, "missing": "value"}
    rows, reference = table(setting.rows), None if original is None else table(original)
    expected = document(policy, rows, reference)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_counted, "BYTES_PER_COMBINATION", how[0])
        patched.setattr(_counted, "FEW_ROWS", 0)
        patched.setattr(_counted, "FEW_COMBINATIONS", 0)
        patched.setattr(_source, "SMALL_ROWS", 0)
        patched.setattr(_counted.DuckDBCounted, "_nearly_unique", lambda *_: how[1])
        patched.setattr(_questions, "WORTH_A_THREAD", 0)
        found = document(policy, rows, reference)
    assert found == expected
