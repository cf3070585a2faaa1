"""Microdata of opened data: what is a number, what a category, what is missing, and what is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.audit import microdata
from auditor.engines import ColumnUse, RunLimits, open_data
from auditor.errors import DataError, OutOfMemory
from auditor.microdata import MISSING, Categorical, Microdata, Numeric
from auditor.policy import bind, load_policy
from tests.engines import data as forms


def read(table, names=None, **attributes) -> Microdata:
    demanded = [{"model": "k-anonymity", "k": 1}]
    policy = load_policy({"attributes": attributes, "undeclared": "insensitive", "requirements": demanded})
    with open_data(table) as source:
        known = [column.name for column in source.columns]
        return microdata(source, bind(policy, known), names or known, RunLimits.of())


def column(values, kind=None, **attribute):
    table = pa.table({"a": pa.array(values, kind)})
    return read(table, a={"role": "insensitive", **attribute})["a"]


def texts(variable: Categorical) -> list[str | None]:
    return [None if code == MISSING else variable.labels[code] for code in variable.codes]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet", "json", "pandas", "arrow"])
def test_every_form_gives_the_same_microdata(form, tmp_path):
    names = [known for known in forms.FORMS if form in known]
    assert names
    expected = read(forms.arrow(forms.people()), cost={"role": "sensitive", "type": "number"})
    for name in names:
        found = read(forms.FORMS[name](tmp_path, forms.people()), cost={"role": "sensitive", "type": "number"})
        if "hive" in name:
            continue
        np.testing.assert_array_equal(found.numeric("cost").values, expected.numeric("cost").values)
        assert texts(found["job"]) == texts(expected["job"])


def test_rows_stay_in_the_order_of_the_source():
    table = pa.table({"n": [3, 1, 2, 1], "t": ["c", "a", "b", "a"]})
    found = read(table)
    assert found.numeric("n").values.tolist() == [3.0, 1.0, 2.0, 1.0]
    assert texts(found["t"]) == ["c", "a", "b", "a"]
    assert found.records == 4
    assert read(table, ["t"]).names == ("t",)


@pytest.mark.parametrize(
    "kind",
    [pa.int8(), pa.uint64(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(9, 2)],
    ids=str,
)
def test_numeric_types_are_numbers(kind):
    found = column([1, None, 7], kind)
    assert isinstance(found, Numeric)
    np.testing.assert_array_equal(found.values, [1.0, np.nan, 7.0])


@pytest.mark.parametrize("values", [[True, False], ["01234", "1234"], ["1", "x"], ["1", "ä"], ["1", "inf"], ["1", " "]])
def test_what_is_no_number_is_a_category(values):
    assert isinstance(column(values), Categorical)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.integers(-50, 50).map(str),
            st.decimals(-9, 9, allow_nan=False, places=2).map(str),
            st.sampled_from(["1e3", "1000", " 7", "1_0", "5.", ".5", "007", "nan", "inf", "x", "١", "1.0", "--1"]),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_texts_are_numbers_where_the_engine_takes_them_for_numbers(values):
    """The engine's own rule, by which sensitive columns are read, is computed in another way."""
    table = pa.table({"a": values})
    with open_data(table) as source:
        counted = source.count([ColumnUse("a", (), "auto")])
        number = counted.is_number("a")
    assert isinstance(column(values), Numeric) is number


def test_numbers_of_equal_value_are_numbers_where_the_policy_says_so():
    found = column(["1", "1.0", "01", None, "2e0"], type="number")
    np.testing.assert_array_equal(found.values, [1, 1, 1, np.nan, 2])


def test_a_type_of_the_policy_goes_before_the_data():
    assert texts(column([10, 9, None], type="category")) == ["10", "9", None]
    assert isinstance(column(["1", "2"], type="text"), Categorical)


def test_missing_values_of_the_policy_are_missing():
    np.testing.assert_array_equal(column(["1", "-9", "."], missing_values=["-9", "."]).values, [1, np.nan, np.nan])
    assert texts(column(["x", "?"], missing_values=["?"])) == ["x", None]
    assert np.isnan(column([None, None], type="number").values).all()
    assert texts(column([None, None], pa.string())) == [None, None]


def test_nan_is_missing():
    np.testing.assert_array_equal(column([1.5, float("nan")]).values, [1.5, np.nan])


def test_an_order_gives_ordered_labels():
    found = column(["mild", "none", None, "mild"], order=["none", "mild", "severe"])
    assert (found.labels, found.ordered) == (("none", "mild", "severe"), True)
    assert found.codes.tolist() == [1, 0, MISSING, 1]
    assert not column(["mild", "none"]).ordered


@pytest.mark.parametrize(
    ("values", "attribute", "words"),
    [
        (["mild", "secret"], {"order": ["mild"]}, "order: does not list"),
        (["1", "secret"], {"type": "number"}, "declared type: number"),
        (["1", "nan"], {"type": "number"}, "declared type: number"),
        (["1", "inf"], {"type": "number"}, "an infinity"),
        ([1.0, float("inf")], {}, "an infinity"),
        ([2**53 + 1, 1], {}, "more than 15 digits"),
        (["90071992547409931", "90071992547409932"], {}, "more than 15 digits"),
    ],
)
def test_what_cannot_be_read_is_refused_without_a_value(values, attribute, words):
    with pytest.raises(DataError, match=words) as wrong:
        column(values, **attribute)
    assert "'a'" in str(wrong.value)
    assert not any(str(value) in str(wrong.value) for value in values if str(value) not in {"1", "1.0", "inf", "nan"})


def test_large_numbers_that_are_no_integers_are_numbers():
    np.testing.assert_array_equal(column([1e300, -1e20]).values, [1e300, -1e20])


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(DataError, match="no column 'b'; it has 'a'"):
        read(pa.table({"a": [1]}), ["b"])


def test_rows_that_do_not_fit_the_memory_are_refused():
    policy = load_policy({"undeclared": "insensitive", "requirements": [{"model": "k-anonymity", "k": 1}]})
    with open_data(pa.table({"a": np.arange(100), "b": np.arange(100)})) as source:
        assert microdata(source, bind(policy, "ab"), "ab", RunLimits(2400, None)).records == 100
        with pytest.raises(OutOfMemory, match="--memory"):
            microdata(source, bind(policy, "ab"), "ab", RunLimits(2399, None))
