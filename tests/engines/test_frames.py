"""Tables in memory: their index is part of them, and their types are read exactly or refused by column."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

import auditor
from auditor.engines import ColumnUse, open_data
from auditor.errors import DataError

POLICY: dict[str, Any] = {
    "attributes": {"id": "identifier", "a": "quasi-identifier", "s": "sensitive"},
    "requirements": [{"model": "k-anonymity", "k": 2}],
}
PEOPLE = pd.DataFrame({"id": ["p1", "p2", "p3", "p4"], "a": list("xxyy"), "s": list("uvuv")})


def labels(data: Any, column: str = "x") -> tuple[str | None, ...]:
    with open_data(data) as source:
        return source.dictionary(ColumnUse(column))[0]


@pytest.mark.parametrize(
    "index", [["id"], ["id", "s"], ["s", "id"]], ids=["one level", "several levels", "in another order"]
)
def test_an_identifier_in_the_index_is_a_column_of_the_release(index):
    found = auditor.check(PEOPLE.set_index(index), POLICY)
    assert [(each.id, each.status) for each in found.requirements] == [("identifiers", "fail"), ("k-anonymity", "pass")]


@pytest.mark.parametrize("labelled", [["p1", "p2", "p3", "p4"], [7, 3, 1, 2], [0, 1, 2, 4]])
def test_an_index_without_a_name_that_says_something_is_a_column(labelled):
    table = PEOPLE.drop(columns="id").set_index(pd.Index(labelled))
    found = auditor.check(table, POLICY)
    assert found.requirements[0].columns == ("index",)
    assert auditor.check(table, {**POLICY, "undeclared": "insensitive"}).passed


@pytest.mark.parametrize("index", [pd.RangeIndex(4), pd.RangeIndex(10, 18, 2), pd.Index([0, 1, 2, 3])])
def test_an_index_that_counts_the_rows_is_none(index):
    assert auditor.check(PEOPLE.drop(columns="id").set_index(index), POLICY).passed


def test_a_named_count_is_a_column():
    assert not auditor.check(PEOPLE.drop(columns="id").rename_axis("id"), POLICY).passed


def test_an_index_called_as_a_column_is_refused():
    with pytest.raises(DataError, match="its index and a column are both called 'a'; rename one"):
        auditor.check(PEOPLE.rename_axis("a"), POLICY)


@pytest.mark.parametrize("index", ["a", "s"])
def test_a_release_has_the_index_that_came_in(index):
    found = auditor.remediate(PEOPLE.set_index(index), POLICY)
    assert found.data.index.name == index
    assert sorted(found.data.reset_index()["a"]) == list("xxyy")
    assert "id" not in found.data.reset_index().columns


def test_a_release_is_without_an_index_of_identifiers():
    assert sorted(auditor.remediate(PEOPLE.set_index("id"), POLICY).data.columns) == ["a", "s"]


def test_a_series_is_a_table_of_its_column():
    assert labels(pd.Series([2, 1], name="x")) == ("1", "2")
    assert labels(pl.Series("x", [2, 1])) == ("1", "2")
    with pytest.raises(DataError, match="has no name"):
        open_data(pd.Series([1]))


def test_a_lazy_frame_is_read():
    assert labels(pl.LazyFrame({"x": [2, 1]})) == ("1", "2")


INTERVALS = pd.arrays.IntervalArray.from_breaks([0, 1, 2])
NANO = ["2020-01-01 00:00:00.000000001", "2020-01-01 00:00:00.000000002"]


@pytest.mark.parametrize(
    ("values", "read"),
    [
        (pd.Series(INTERVALS), ("(0, 1]", "(1, 2]")),
        (pd.cut(pd.Series([0.5, 1.5, None]), [0, 1, 2]), (None, "(0, 1]", "(1, 2]")),
        (pd.Series(pd.period_range("2020-01", periods=2, freq="M")), ("2020-01", "2020-02")),
        (pd.Series(pd.arrays.SparseArray([1, 1, 2])), ("1", "2")),
        (pd.Series([2**60, 2**60 + 1, None], dtype="Int64").astype("category"), (None, str(2**60), str(2**60 + 1))),
        (pd.Series([1, 1.0, Decimal("1.00"), None], dtype=object), (None, "1")),
        (pd.Series([Decimal("1.0"), Decimal("1.00")], dtype=object), ("1",)),
        (pd.Series([True, None, True], dtype=object), (None, "true")),
        (pd.Series(pd.to_datetime(NANO, utc=True).as_unit("ns")), tuple(each.replace(" ", "T") for each in NANO)),
        (pd.Series(pd.to_timedelta([1, 2], unit="ns")), tuple(f"0 days 00:00:00.00000000{i}" for i in (1, 2))),
        (pd.Series([2**64 - 1, 2**64 - 2, None], dtype=object), (None, str(2**64 - 2), str(2**64 - 1))),
        (pd.Series([2**53, 2.0**53, Decimal("NaN"), None], dtype=object), (None, str(2**53))),
        (pd.Series([1 + 2j, 1 + 2j]), ("(1+2j)",)),
    ],
)  # fmt: skip
def test_columns_of_pandas_are_read_exactly(values, read):
    assert labels(pd.DataFrame({"x": values})) == read


LARGE = [Decimal("1" * 45), Decimal("1" * 44 + "2")]


@pytest.mark.parametrize(
    ("data", "read"),
    [
        (pa.table({"x": pa.array(LARGE, pa.decimal256(45, 0))}), tuple(map(str, LARGE))),
        (pa.table({"x": pa.array([1.5, 2.5], pa.float16())}), ("1.5", "2.5")),
        (pa.table({"x": pa.array([1, 2], pa.duration("ns"))}), ("1", "2")),
        (pa.table({"x": pa.array(LARGE, pa.decimal256(45, 0))}).to_reader(), tuple(map(str, LARGE))),
        (pa.table({"x": pa.array([1, 2], pa.duration("ns")).dictionary_encode()}), ("1", "2")),
        (pa.table({"x": pa.array([1, 2], pa.duration("ns"))}).to_reader(), ("1", "2")),
        (pl.DataFrame({"x": pl.Series([1, 2], dtype=pl.Duration("ns"))}), ("1", "2")),
        (pl.DataFrame({"x": pl.Series([2**100, 2**100 + 1], dtype=pl.Int128)}), (str(2**100), str(2**100 + 1))),
    ],
)
def test_wide_columns_are_read_exactly(data, read):
    assert labels(data) == read


@pytest.mark.parametrize("write", [pq.write_table, feather.write_feather], ids=["Parquet", "Feather"])
def test_files_with_wide_columns_are_read_exactly(write, tmp_path):
    write(pa.table({"x": pa.array(LARGE, pa.decimal256(45, 0))}), tmp_path / "t.parquet")
    (tmp_path / "t.parquet").rename(tmp_path / ("t.parquet" if write is pq.write_table else "t.feather"))
    (file,) = tmp_path.iterdir()
    assert labels(file) == tuple(map(str, LARGE))


def test_times_of_96_bits_keep_their_nanoseconds(tmp_path):
    """As Hive and Impala write them; those of Spark have none, and may lie where nanoseconds do not reach."""
    for name, unit, times in (("hive", "ns", [1, 2, 1]), ("spark", "us", [-(2**55), 2**55, 0])):
        table = pa.table({"x": pa.array(times).cast(pa.timestamp(unit))})
        pq.write_table(table, tmp_path / f"{name}.parquet", use_deprecated_int96_timestamps=True)
    assert labels(tmp_path / "hive.parquet") == ("1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000000002")
    assert len(labels(tmp_path / "spark.parquet")) == 3


def test_numbers_of_json_are_one_value_where_they_are_equal(tmp_path):
    numbers = ["1", "1.0", "1e0", "0", "-0.0", "NaN", "null", "0.5", '"1.0"', "12345678901234567890123", "true"]
    (tmp_path / "t.jsonl").write_text("".join(f'{{"x": {each}}}\n' for each in numbers))
    assert labels(tmp_path / "t.jsonl") == (None, "0", "0.5", "1", "1.0", "12345678901234567890123")


def test_nan_is_null_in_json_that_is_written(tmp_path):
    frame = pd.DataFrame({"id": list("pqrs"), "a": [NAN, NAN, 1.5, 1.5], "s": [0.5, NAN, 1, 2]})
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    auditor.remediate(tmp_path / "t.parquet", POLICY, output=tmp_path / "r.jsonl")
    rows = [json.loads(line, parse_constant=pytest.fail) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert sorted(str(row["a"]) for row in rows) == ["1.5", "1.5", "None", "None"]


def test_python_objects_are_refused_by_column():
    with pytest.raises(DataError, match="column 'x' holds Python objects"):
        open_data(pl.DataFrame({"x": pl.Series([object()], dtype=pl.Object)}))


NAN = float("nan")


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
@pytest.mark.parametrize("stands", ["reject", "value"])
def test_nan_is_missing_in_parquet_files_too(tmp_path, kind, stands):
    """DuckDB 2 folds isnan by statistics in which NaN has no place."""
    table = pa.table({"a": pa.array([NAN, NAN, 2, 2, -0.0, 0.0], kind), "s": pa.array([NAN, 1, 1, NAN, 3, None], kind)})
    pq.write_table(table, tmp_path / "r.parquet")
    policy = {
        "missing": stands,
        "attributes": {"a": "quasi-identifier", "s": {"role": "sensitive", "missing_values": ["1"]}},
        "requirements": [{"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "l": 2}],
    }
    found = auditor.check(tmp_path / "r.parquet", policy)
    if stands == "reject":
        assert {each.status for each in found.requirements} == {"not-evaluated"}
    else:
        assert [each.achieved for each in found.requirements] == [2, 1]


def test_an_interval_is_what_it_is_written_as_whatever_else_is_asked(tmp_path):
    import duckdb

    with duckdb.connect(tmp_path / "t.duckdb") as made:
        made.execute("CREATE TABLE t AS SELECT * FROM (VALUES (INTERVAL '1 day', 1), (INTERVAL '24 hours', 2)) v(a, s)")
    least = [
        auditor.check(
            f"duckdb:{tmp_path}/t.duckdb?table=t", {**POLICY, "requirements": [*POLICY["requirements"], *more]}
        )
        .requirements[0]
        .achieved
        for more in ([], [{"model": "distinct-l-diversity", "l": 1}], [{"model": "t-closeness", "t": 1}])
    ]
    assert least == [1, 1, 1]


def test_an_empty_text_is_missing_in_every_format(tmp_path):
    frame = pd.DataFrame({"a": ["", None, "x", "x"], "s": ["u", "v", "", None]})
    frame.to_csv(tmp_path / "d.csv", index=False)
    frame.to_parquet(tmp_path / "d.parquet", index=False)
    (tmp_path / "d.jsonl").write_text(frame.to_json(orient="records", lines=True), encoding="utf-8")
    policy = {**POLICY, "requirements": [{"model": "k-anonymity", "k": 2}, {"model": "distinct-l-diversity", "l": 2}]}
    for data in (frame, *(tmp_path / f"d.{ending}" for ending in ("csv", "parquet", "jsonl"))):
        assert [each.achieved for each in auditor.check(data, policy).requirements] == [2, 1], data


def test_intervals_of_arrow_keep_their_nanoseconds(tmp_path):
    kind = pa.month_day_nano_interval()
    close = [pa.MonthDayNano([1, 2, 3]), pa.MonthDayNano([1, 2, 4]), pa.MonthDayNano([1, 2, -4]), None]
    table = pa.table({"x": pa.array(close, kind)})
    expected = (None, "P1M2DT-0.000000004S", "P1M2DT0.000000003S", "P1M2DT0.000000004S")
    assert labels(table) == expected
    assert labels(table.to_pandas(types_mapper=pd.ArrowDtype)) == expected
    with pa.OSFile(str(tmp_path / "x.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)
    assert labels(tmp_path / "x.arrow") == expected
    whole = pa.table({"x": pa.array([pa.MonthDayNano([0, 0, 5000])], kind)})
    assert labels(whole) == ("00:00:00.000005",)


def test_long_doubles_are_read_as_doubles_that_are_the_same_numbers():
    wanted = {
        "attributes": {"x": "insensitive"},
        "requirements": [{"model": "allowed-values", "attribute": "x", "values": ["0.5", "2"]}],
    }
    held = pd.DataFrame({"x": np.array([0.5, 2, np.nan, 3], np.longdouble)})
    assert auditor.check(held, wanted).requirements[0].achieved == 1
    third = np.longdouble(1) / 3
    if third == np.float64(third):
        pytest.skip("a long double is a double here")
    with pytest.raises(
        DataError, match=r"column 'x' is float\d+, and holds numbers that no double can represent; round it"
    ):
        auditor.check(pd.DataFrame({"x": [third]}, dtype=np.longdouble), wanted)


@pytest.mark.parametrize("third", [False, True])
def test_categories_that_are_long_doubles_are_refused_by_the_name_of_their_column(third):
    """Pandas makes none, but does not look where the type is made past its checks, or read from a pickle."""
    categories = pd.Index(np.array([np.longdouble(1) / 3 if third else 1.5, 2.5], np.longdouble))
    held = pd.Categorical.from_codes([0, 1], dtype=pd.CategoricalDtype._from_fastpath(categories))
    wanted = {"attributes": {"x": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 1}]}
    if categories.dtype == np.float64:
        pytest.skip("a long double is a double here")
    with pytest.raises(DataError, match=r"column 'x' is (category, which is not read; cast it|float.*; round it)"):
        auditor.check(pd.DataFrame({"x": held}), wanted)


@pytest.mark.parametrize("categories", [False, True])
def test_complex_numbers_are_released_as_they_came_in(categories):
    values = pd.Series([1.5, 2.5j] * 4, name="x")
    given = pd.DataFrame({"x": values.astype("category") if categories else values, "y": ["a", "b"] * 4})
    wanted = {
        "attributes": {"x": "quasi-identifier", "y": "insensitive"},
        "requirements": [{"model": "k-anonymity", "k": 4}],
    }
    found = auditor.remediate(given, wanted).data["x"]
    assert found.dtype == given["x"].dtype
    assert found.value_counts().to_dict() == {1.5: 4, 2.5j: 4}


def test_a_column_that_is_not_read_is_named_with_the_way_out():
    several = pa.UnionArray.from_dense(
        pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["a"])]
    )
    wanted = {"attributes": {"*": "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 1}]}
    with pytest.raises(DataError, match=r"column 'held' is dense_union.*, which is not read; cast it to a plain type"):
        auditor.check(pa.table({"read": [1, 2], "held": several}), wanted)


def test_a_frame_that_is_read_backwards_is_the_same_table():
    """`frame[::-1]` lies backwards in memory, which DuckDB refuses of numbers."""
    held = pd.DataFrame(
        {
            "whole": [1, 2, 3],
            "float": [1.0, 2.0, None],
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "truth": [True, False, True],
            "text": ["a", "b", None],
            "day": pd.to_datetime(["2020-01-01", "2021-01-01", None]),
        }
    )
    for column in held.columns:
        wanted = {"attributes": {column: "quasi-identifier"}, "requirements": [{"model": "k-anonymity", "k": 1}]}
        found = [auditor.check(each, wanted) for each in (held[[column]], held[[column]].iloc[::-1])]
        assert [each.data.rows for each in found] == [3, 3]
        assert len({(each.verdict, each.requirements[0].achieved) for each in found}) == 1
    wanted = {
        "attributes": {"whole": "insensitive"},
        "requirements": [{"model": "allowed-values", "attribute": "whole"}],
    }
    wanted["requirements"][0]["values"] = ["1", "2"]
    assert auditor.check(held[["whole"]].iloc[::-1], wanted).requirements[0].achieved == 1
