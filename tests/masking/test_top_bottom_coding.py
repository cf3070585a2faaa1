"""Top and bottom coding against small tables by hand, exact fractions and its laws."""

from fractions import Fraction
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from auditor.errors import DataError
from auditor.masking.top_bottom_coding import TopBottomCoding
from auditor.microdata import Categorical, Microdata, Numeric

ANY = np.random.default_rng(0)
INTEGERS = st.lists(st.integers(-1000, 1000), min_size=1, max_size=30)


def coded(values, **kind):
    data = Microdata((Numeric("a", np.array(values, dtype=float)), Numeric("b", np.zeros(len(values)))))
    masked = TopBottomCoding(attributes=("a",), **kind).masked(data, ANY)
    assert masked["b"] is data["b"]
    return masked.numeric("a").values


def test_ends_by_hand():
    values = [1, 2, 3, np.nan, 50, 90, 100]
    np.testing.assert_array_equal(coded(values, top=50), [1, 2, 3, np.nan, 50, 50, 50])
    np.testing.assert_array_equal(coded(values, bottom=3), [3, 3, 3, np.nan, 50, 90, 100])
    np.testing.assert_array_equal(coded(values, top=3, replace="mean"), [1, 2, 3, np.nan, 80, 80, 80])
    np.testing.assert_array_equal(coded(values, top=3, bottom=3, replace="median"), [1.5, 1.5, 3, np.nan, 90, 90, 90])


def test_a_quantile_is_interpolated_between_order_statistics():
    """Of 10, 20, …, 50 the 80 % quantile lies at place 0.8 · 4 = 3.2: 40 + 0.2 · 10; the 10 % one at 0.4."""
    np.testing.assert_allclose(coded([10, 20, 30, 40, 50], top_quantile=0.8), [10, 20, 30, 40, 42])
    np.testing.assert_allclose(coded([10, 20, 30, 40, 50], bottom_quantile=0.1), [14, 20, 30, 40, 50])
    np.testing.assert_allclose(coded([10, np.nan, 20, 30, 40, 50], top_quantile=0.8), [10, np.nan, 20, 30, 40, 42])


@given(INTEGERS, st.integers(-1000, 1000), st.integers(0, 500))
def test_a_bound_is_a_clip(values, bottom, width):
    expected = [min(max(x, bottom), bottom + width) for x in values]
    np.testing.assert_array_equal(coded(values, bottom=bottom, top=bottom + width), expected)


@given(INTEGERS, st.integers(-1000, 1000))
def test_the_mean_keeps_the_mean_and_the_median_is_one(values, top):
    beyond = [x for x in values if x > top]
    if len(beyond) == 1:
        with pytest.raises(DataError, match="a single record lies beyond a bound"):
            coded(values, top=top, replace="mean")
        return
    after = coded(values, top=top, replace="mean")
    assert np.mean(after) == pytest.approx(float(Fraction(sum(values), len(values))), abs=1e-9)
    expected = [median(beyond) if x > top else x for x in values]
    np.testing.assert_allclose(coded(values, top=top, replace="median"), expected)


@given(INTEGERS, st.randoms())
def test_order_of_records_does_not_matter(values, random):
    order = list(range(len(values)))
    random.shuffle(order)
    after = coded(values, top_quantile=0.7, bottom_quantile=0.2)
    np.testing.assert_array_equal(
        coded([values[i] for i in order], top_quantile=0.7, bottom_quantile=0.2), after[order]
    )


@pytest.mark.parametrize("values", [[], [np.nan, np.nan], [4], [4, 4, 4]])
@pytest.mark.parametrize("replace", ["bound", "mean", "median"])
def test_nothing_lies_beyond_the_quantiles_of_nothing_of_one_and_of_constants(values, replace):
    np.testing.assert_array_equal(coded(values, top_quantile=0.5, bottom_quantile=0.1, replace=replace), values)


def test_what_has_no_meaning_is_an_error():
    with pytest.raises(DataError, match="column 'a': bottom lies above top"):
        coded([1, 2, 3], bottom=10, top_quantile=0.5)
    data = Microdata((Categorical("c", np.array([0], np.int32), ("u",)),))
    with pytest.raises(DataError, match="column 'c' holds categories"):
        TopBottomCoding(attributes=("c",), top=1).masked(data, ANY)


@pytest.mark.parametrize(
    "wrong",
    [{}, {"top": 1, "bottom": 2}, {"top": 1, "top_quantile": 0.5}, {"top_quantile": 0.2, "bottom_quantile": 0.4}],
)
def test_parameters_that_do_not_fit_each_other(wrong):
    with pytest.raises(ValidationError):
        TopBottomCoding(attributes=("a",), **wrong)
