"""Global recoding by hand, against the ladders of `auditor.hierarchies`, and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from auditor.errors import DataError
from auditor.hierarchies import build
from auditor.masking.global_recoding import GlobalRecoding
from auditor.microdata import MISSING, Categorical, Microdata, Numeric

ANY = np.random.default_rng(0)


def recoded(column, **kind):
    data = Microdata((column, Numeric("b", np.zeros(len(column.missing)))))
    masked = GlobalRecoding(attributes=(column.name,), **kind).masked(data, ANY)
    assert masked["b"] is data["b"]
    return masked.categorical(column.name)


def numbers(values):
    return Numeric("a", np.array(values, dtype=float))


def categories(codes, ordered=False):
    return Categorical("a", np.array(codes, np.int32), ("n", "e", "s", "w"), ordered)


def said(column):
    return [None if code == MISSING else column.labels[code] for code in column.codes]


def test_breaks_by_hand():
    column = recoded(numbers([17.9, 18, 39, 40, np.nan, 65, 100]), breaks=[18, 40, 65])
    assert column.labels == ("<18", "[18, 40)", "[40, 65)", ">=65")
    assert said(column) == ["<18", "[18, 40)", "[18, 40)", "[40, 65)", None, ">=65", ">=65"]
    assert column.ordered
    named = recoded(numbers([17.9, 18]), breaks=[18], labels=["minor", "adult"])
    assert said(named) == ["minor", "adult"]


@given(st.lists(st.integers(-200, 200), min_size=1, max_size=20))
def test_equal_widths_as_a_ladder_has_them(values):
    column = recoded(numbers(values), breaks=[-20, 0, 20, 40])
    spec = {"intervals": {"widths": ["20"], "start": "0", "bottom": "-20", "top": "40"}}
    ladder = build(spec, [str(value) for value in values], "a")
    assert said(column) == list(ladder.levels[1])


def test_bins_of_equal_width():
    column = recoded(numbers([0, 1, 2.5, 5, 7.5, 10]), bins=4)
    assert column.labels == ("<2.5", "[2.5, 5)", "[5, 7.5)", ">=7.5")
    np.testing.assert_array_equal(column.codes, [0, 0, 1, 2, 3, 3])


def test_bins_of_equal_size_and_ties():
    column = recoded(numbers(np.arange(100.0)), bins=4, by="quantile")
    np.testing.assert_array_equal(np.bincount(column.codes), [25, 25, 25, 25])
    tied = recoded(numbers([1, 1, 1, 1, 1, 9]), bins=3, by="quantile")
    assert tied.labels == ("<1", ">=1")


@given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.integers(1, 6), st.sampled_from(["width", "quantile"]))
def test_recoding_is_monotone_and_knows_its_labels(values, bins, by):
    column = recoded(numbers(values), bins=bins, by=by)
    assert 1 <= len(column.labels) <= bins
    assert len(set(column.labels)) == len(column.labels)
    order = np.argsort(values, kind="stable")
    assert np.all(np.diff(column.codes[order]) >= 0)


@pytest.mark.parametrize("values", [[], [np.nan, np.nan], [4], [4, np.nan, 4]])
@pytest.mark.parametrize("by", ["width", "quantile"])
def test_without_two_values_there_is_one_interval(values, by):
    column = recoded(numbers(values), bins=3, by=by)
    assert column.labels == ("*",)
    assert said(column) == [None if np.isnan(value) else "*" for value in values]


def test_groups_by_hand():
    column = recoded(categories([0, 1, 2, 3, MISSING]), groups={"north-east": ["n", "e"]})
    assert column.labels == ("north-east", "s", "w")
    assert said(column) == ["north-east", "north-east", "s", "w", None]
    assert not column.ordered
    apart = recoded(categories([0, 1, 2, 3]), groups={"e": ["w", "e"], "y": ["n", "s"]})
    assert said(apart) == ["y", "e", "y", "e"]


def test_an_order_stays_an_order():
    column = recoded(categories([0, 1, 2, 3], ordered=True), groups={"middle": ["e", "s"]})
    assert column.labels == ("n", "middle", "w")
    assert column.ordered
    with pytest.raises(DataError, match="merge categories that are not neighbours"):
        recoded(categories([0], ordered=True), groups={"x": ["n", "s"]})


def test_what_has_no_meaning_is_an_error():
    with pytest.raises(DataError, match="column 'a' has no category 'z'"):
        recoded(categories([0]), groups={"x": ["n", "z"]})
    with pytest.raises(DataError, match="a group is called 's', as a category that is in no group"):
        recoded(categories([0]), groups={"s": ["n", "e"]})
    with pytest.raises(DataError, match="cut into 4 intervals, and labels has 2 names"):
        recoded(numbers([1]), breaks=[1, 2, 3], labels=["x", "y"])
    with pytest.raises(DataError, match="column 'a' holds categories"):
        recoded(categories([0]), bins=2)
    with pytest.raises(DataError, match="column 'a' holds numbers"):
        recoded(numbers([0]), groups={"x": ["n"]})


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"breaks": [1], "bins": 2},
        {"breaks": [2, 1]},
        {"breaks": [1, 1]},
        {"breaks": [1], "by": "quantile"},
        {"breaks": [1], "labels": ["x", "x"]},
        {"groups": {"x": ["n"]}, "labels": ["x"]},
        {"groups": {"x": ["n"], "y": ["n"]}},
        {"groups": {"x": []}},
    ],
)
def test_parameters_that_do_not_fit_each_other(wrong):
    with pytest.raises(ValidationError):
        GlobalRecoding(attributes=("a",), **wrong)
