"""Rows that stand for several records each give the document of those records."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet as pq

import auditor
from auditor.cli import invoke
from auditor.engines import ColumnUse, open_data
from auditor.errors import DataError, Unsupported, UsageError
from tests.documents import without_work
from tests.engines import data


def counted(table: data.Table) -> pa.Table:
    """The distinct rows and how often each occurs: what a GROUP BY of all columns gives."""
    found = Counter(table)
    return data.arrow(list(found)).append_column("n", pa.array(found.values(), pa.int64()))


def document(found: auditor.audit.CheckResult) -> dict[str, Any]:
    """Without what says where it was counted, and how long it took."""
    told: dict[str, Any] = without_work(found.to_dict())
    assert told["data"].pop("rows") == found.data.rows
    told.pop("data")
    return told


@pytest.mark.parametrize("missing", ["value", "wildcard"])
def test_counts_give_the_document_of_the_records(missing):
    table = data.people()
    policy = {**data.POLICY, "missing": missing}
    ours, theirs = auditor.check(counted(table), policy, weight="n"), auditor.check(data.arrow(table), policy)
    assert (ours.data.rows, document(ours)) == (len(table), document(theirs))


def test_counts_by_distinct_units_give_the_document_of_the_records():
    table = data.people()
    policy = {**data.POLICY, "unit": {"column": "site"}}
    policy["attributes"] = {**data.POLICY["attributes"], "site": "identifier"}
    ours, theirs = (
        auditor.check(given, policy, source=True, weight=weight)
        for given, weight in ((counted(table), "n"), (data.arrow(table), None))
    )
    assert document(ours) == document(theirs)


cells = st.one_of(st.none(), st.sampled_from(["a", "b", "1", "1.0"]))


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(cells, cells, st.integers(1, 4)), min_size=1, max_size=12))
def test_rows_written_out_and_rows_weighed_are_the_same(rows):
    """Rows may occur twice: their weights add up."""
    weighed = pa.table({"a": [r[0] for r in rows], "b": [r[1] for r in rows], "w": [r[2] for r in rows]},
                       schema=pa.schema([("a", pa.string()), ("b", pa.string()), ("w", pa.int32())]))  # fmt: skip
    written = [row[:2] for row in rows for _ in range(row[2])]
    plain = pa.table(
        {"a": pa.array([r[0] for r in written], pa.string()), "b": pa.array([r[1] for r in written], pa.string())}
    )
    policy = {
        "attributes": {"a": "quasi-identifier", "b": "sensitive"},
        "requirements": [
            {"model": "k-anonymity", "k": 2},
            {"model": "entropy-l-diversity", "sensitive": ["b"], "l": 1.5},
        ],
    }
    assert document(auditor.check(weighed, policy, weight="w")) == document(auditor.check(plain, policy))


def test_a_file_with_weights_from_the_command_line(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = data.people()
    pq.write_table(counted(table), "counts.parquet")
    (tmp_path / "counts.csv").write_text("zip,n\n1,3\n2,4\n")
    (tmp_path / "p.json").write_text(json.dumps(data.POLICY))
    code = invoke(["check", "counts.parquet", "-p", "p.json", "--weight", "n", "--format", "json"])
    found = json.loads(capfd.readouterr().out)
    assert (code, found["data"]["rows"]) == (1, len(table))
    assert "--weight n" in found["reproduce"]
    (tmp_path / "q.yaml").write_text(
        "attributes: {zip: quasi-identifier}\nrequirements: [{model: k-anonymity, k: 3}]\n"
    )
    assert invoke(["check", "counts.csv", "-p", "q.yaml", "--weight", "n"]) == 0


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        ([3, None], "is missing"),
        (["3", "many"], "is no number"),
        ([3, -1], "is below 1"),
        ([3, 0], "is below 1"),
        ([3.0, 1.5], "is not a whole number"),
        ([3.0, float("nan")], "is not a whole number"),
        (["3", "1.5"], "is not a whole number"),
        ([2**62, 2**62], "is too large to add up"),
        ([2**53, 1], "is too large to add up"),
        (["1.00000000000000000001", "1"], "is not a whole number"),
        (["4503599627370497.4", "1"], "is not a whole number"),
        (["1_0", "1"], "is no number"),
        ([True, True], "is no number"),
    ],
)
def test_weights_that_are_none(weights, what):
    table = pa.table({"a": ["x", "y"], "n": weights})
    with pytest.raises(DataError, match=f"a weight in column 'n' {what}"):
        open_data(table, weight="n")


def test_no_such_column_and_no_rows():
    with pytest.raises(UsageError, match="has no column 'n'"):
        open_data(pa.table({"a": ["x"]}), weight="n")
    with pytest.raises(DataError, match="nested or binary"):
        open_data(pa.table({"a": ["x"], "n": [[1]]}), weight="n")
    with open_data(pa.table({"a": pa.array([], pa.string()), "n": pa.array([], pa.int64())}), weight="n") as source:
        assert (source.records(), source.count([ColumnUse("a")]).records) == (0, 0)


@pytest.mark.parametrize("weights", [["3", "1"], [3.0, 1.0], [3, 1], ["3.00", " 1"], ["3e0", "1."]])
def test_whole_numbers_of_any_type(weights):
    with open_data(pa.table({"a": ["x", "y"], "n": weights}), weight="n") as source:
        assert [column.name for column in source.columns] == ["a"]
        assert (source.records(), source.dictionary(ColumnUse("a"))[1].tolist()) == (4, [3, 1])


def test_counts_are_not_kept_of_counts(tmp_path):
    with pytest.raises(UsageError, match="leave out since and counts"):
        auditor.check(counted(data.people()), data.POLICY, weight="n", counts=tmp_path / "kept")


def test_what_needs_the_records_one_by_one_says_so():
    with open_data(pa.table({"a": ["x"], "n": [2]}), weight="n") as source:
        with pytest.raises(Unsupported, match="only its counts are known"):
            source.coded([ColumnUse("a")])
        with pytest.raises(Unsupported, match="only its counts are known"):
            source.snapshot(["a"], [ColumnUse("a")])
