"""What comes back is what came in: the kind of table, its names, and the types of what stays as it is."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import auditor
from auditor.errors import DeliveryError

POLICY = {
    "attributes": {"zip": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}}, "*": "insensitive"},
    "requirements": [{"model": "k-anonymity", "k": 2}],
}
MASKING = {
    "attributes": {"n": "quasi-identifier", "*": "insensitive"},
    "requirements": [{"model": "k-anonymity", "k": 1}],
    "protection": [{"method": "rounding", "attributes": ["n"], "base": 5}],
}
ZIPS = ["11", "12", "13", "21", "22"]


def test_a_lazy_frame_comes_back_lazy():
    released = auditor.remediate(pl.LazyFrame({"zip": ZIPS}), POLICY).data
    assert isinstance(released, pl.LazyFrame)
    assert released.collect()["zip"].to_list() == ["1*", "1*", "1*", "2*", "2*"]
    masked = auditor.mask(pl.LazyFrame({"n": [1, 2, 8]}), MASKING).data
    assert isinstance(masked, pl.LazyFrame)
    assert sorted(masked.collect()["n"].to_list()) == [0, 0, 10]


SPANS = {
    "interval": pd.Series(pd.arrays.IntervalArray.from_breaks([0.1, 0.2, 0.30000000000000004, 1, 2, 3])),
    "groups": pd.Series(pd.cut([1, 2, 3, 4, 5], [0, 2, 5])),
    "months": pd.Series(pd.period_range("2024-01", periods=5, freq="M")),
    "hours": pd.Series(pd.period_range("2024-01-01", periods=5, freq="h")),
    "missing": pd.Series([pd.Period("2024-01"), None, pd.Period("2024-02"), None, pd.Period("2024-03")]),
}


@pytest.mark.parametrize("name", SPANS)
def test_intervals_and_periods_keep_their_type_and_values(name):
    data = pd.DataFrame({"zip": ZIPS, "span": SPANS[name]})
    released = auditor.remediate(data, POLICY, keep_order=True).data
    assert released["span"].dtype == data["span"].dtype
    pd.testing.assert_series_equal(released["span"], data["span"], check_names=False)
    numbered = pd.DataFrame({"n": [1, 2, 3, 8, 9], "span": SPANS[name]})
    masked = auditor.mask(numbered, MASKING).data
    assert masked["span"].dtype == data["span"].dtype
    assert sorted(map(str, masked["span"])) == sorted(map(str, data["span"]))


def frames() -> list[object]:
    table = pd.DataFrame({"zip": ZIPS, "ZIP": list("abcde")})
    return [table, pl.from_pandas(table), pa.Table.from_pandas(table)]


@pytest.mark.parametrize("data", frames(), ids=lambda data: type(data).__module__.split(".")[0])
def test_names_that_differ_in_case_alone_come_back_as_they_are(data, tmp_path):
    released = auditor.remediate(data, POLICY).data
    names = released.schema.names if isinstance(released, pa.Table) else list(released.columns)
    assert names == ["zip", "ZIP"]
    values = released["ZIP"].to_pylist() if isinstance(released, pa.Table) else list(released["ZIP"])
    assert sorted(values) == list("abcde")
    assert auditor.remediate(data, POLICY, output=tmp_path / "r.parquet").passed
    assert parquet.read_table(tmp_path / "r.parquet").schema.names == ["zip", "ZIP"]
    with pytest.raises(DeliveryError, match="differ only in case; rename one of them, or write CSV"):
        auditor.remediate(data, POLICY, output=tmp_path / "r.jsonl")
    assert not (tmp_path / "r.jsonl").exists()


def test_a_wildcard_lets_no_renamed_column_pass():
    """As ZIP_1 the column would be insensitive by the wildcard, and its classes of one would pass."""
    policy = {**POLICY, "attributes": {**POLICY["attributes"], "ZIP": "quasi-identifier"}}
    assert auditor.remediate(frames()[0], policy).data is None


def test_masked_tables_keep_names_that_differ_in_case_alone(tmp_path):
    data = pd.DataFrame({"n": [1, 2, 8], "N": ["a", "b", "c"]})
    assert list(auditor.mask(data, MASKING).data.columns) == ["n", "N"]
    auditor.mask(data, MASKING, output=tmp_path / "m.parquet")
    assert parquet.read_table(tmp_path / "m.parquet").schema.names == ["n", "N"]
