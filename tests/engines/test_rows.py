"""Every row as codes: the same texts in the same order, whatever form the table comes in."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from auditor.engines import Coded, ColumnUse, RunLimits, open_data
from auditor.errors import DataError, OutOfMemory
from tests.engines import data

TABLE = data.people()


def rows_of(coded: Coded) -> list[tuple[str | None, ...]]:
    columns = zip(coded.dictionaries, coded.codes.T, strict=True)
    return list(zip(*([labels[code] for code in codes] for labels, codes in columns), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("form", data.FORMS)
def test_every_form_gives_the_rows_of_the_table(form, tmp_path):
    with open_data(data.FORMS[form](tmp_path, TABLE)) as source:
        coded = source.coded([ColumnUse(name) for name in data.NAMES])
    assert coded.codes.dtype == np.int32
    if "hive" in form:
        assert Counter(rows_of(coded)) == Counter(TABLE)
    else:
        assert rows_of(coded) == TABLE


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_the_order_of_a_large_file_is_kept(form, tmp_path):
    rows = 1_000_000
    path = tmp_path / f"t.{form}"
    if form == "parquet":
        pq.write_table(pa.table({"place": np.arange(rows), "other": np.arange(rows) % 7}), path, row_group_size=10_000)
    else:
        path.write_text("place,other\n" + "".join(f"{i},{'x' * 40}\n" for i in range(rows)))
    with open_data(str(path)) as source:
        coded = source.coded([ColumnUse("place"), ColumnUse("other")])
    places = np.array([int(label) for label in coded.dictionaries[0]])
    np.testing.assert_array_equal(places[coded.codes[:, 0]], np.arange(rows))


def test_values_are_exact_texts_and_missing_ones_are_code_zero():
    table = pa.table(
        {
            "amount": pa.array([Decimal("10.50"), None, Decimal("-0.10")], pa.decimal128(9, 2)),
            "day": pa.array([dt.date(2020, 2, 29), None, dt.date(1999, 1, 1)]),
            "share": pa.array([0.1, float("nan"), 1e300]),
            "hired": pa.array([True, None, False]),
            "code": pa.array(["01234", "-9", "1234"]),
        }
    )
    with open_data(table) as source:
        coded = source.coded(
            [*(ColumnUse(name) for name in ("amount", "day", "share", "hired")), ColumnUse("code", ("-9",))]
        )
    assert rows_of(coded) == [
        ("10.50", "2020-02-29", "0.1", "true", "01234"),
        (None, None, None, None, None),
        ("-0.10", "1999-01-01", "1e+300", "false", "1234"),
    ]
    assert all(labels[0] is None for labels in coded.dictionaries)


def test_no_columns_and_no_rows():
    with open_data(pa.table({"a": pa.array([], pa.string())})) as source:
        assert source.coded([ColumnUse("a")]).codes.shape == (0, 1)
    with open_data(pa.table({"a": ["x", "y"]})) as source:
        assert source.coded([]).codes.shape == (2, 0)


def test_a_nested_column_is_refused():
    with open_data(duckdb.sql("SELECT [1, 2] AS a")) as source, pytest.raises(DataError, match="'a' is nested"):
        source.coded([ColumnUse("a")])


def test_rows_that_do_not_fit_the_memory_are_refused():
    limits = RunLimits.of(64 * 2**20)
    with open_data(pa.table({"a": np.zeros(4_000_000, np.int8)}), limits=limits) as source, pytest.raises(OutOfMemory):
        source.coded([ColumnUse("a")])


@pytest.mark.parametrize("form", ["parquet", "csv", "json lines"])
def test_a_file_that_goes_while_it_is_read_is_told(form, tmp_path):
    path = Path(data.FORMS[form](tmp_path, TABLE))
    with open_data(path) as source:
        path.unlink()
        with pytest.raises(DataError, match="is gone; it was there when the run began"):
            source.coded([ColumnUse("zip")])
