"""Rounding against exact decimals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.masking import registry
from auditor.masking.rounding import Rounding
from auditor.microdata import Categorical, Microdata, Numeric

ANY = np.random.default_rng(0)


def test_halves_go_to_the_even_multiple_and_missing_stays_missing():
    data = Microdata((Numeric("a", np.array([5.0, 15, 14, -5, np.nan])), Numeric("b", np.array([1.0, 2, 3, 4, 5]))))
    masked = Rounding(attributes=("a",), base=10).masked(data, ANY)
    np.testing.assert_array_equal(masked.numeric("a").values, [0, 20, 10, 0, np.nan])
    assert masked["b"] is data["b"]


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1), st.integers(1, 1000))
def test_a_rounded_number_is_the_nearest_multiple(values, base):
    data = Microdata((Numeric("a", np.array(values, dtype=float)),))
    masked = Rounding(attributes=("a",), base=base).masked(data, ANY).numeric("a").values
    assert np.all(masked % base == 0)
    assert np.all(2 * np.abs(masked - np.array(values)) <= base)


def test_categories_cannot_be_rounded():
    data = Microdata((Categorical("a", np.array([0], np.int32), ("x",)),))
    with pytest.raises(DataError, match="column 'a' holds categories, where numbers are needed"):
        Rounding(attributes=("a",), base=10).masked(data, ANY)


def test_every_method_has_its_file():
    assert registry()["rounding"] is Rounding
