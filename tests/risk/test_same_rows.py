"""Rows of a release that are rows of the original, against counting them one by one."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.risk import linkage_risk, same_rows
from tests.risk.samples import census, numbers, tables


@given(tables(missing=True), st.integers(1, 9))
def test_it_is_the_intersection_with_repetition(both, kept):
    original, released = both[0], both[1][:kept]
    found = same_rows(numbers(original), numbers(released))
    assert found.rows == sum((Counter(original) & Counter(released)).values())
    assert found.found.tolist() == [row in released for row in original]


def test_zero_has_no_sign():
    assert same_rows(np.array([[0.0, np.nan]]), np.array([[-0.0, np.nan]])).percent == 100


def test_changing_the_order_alone_masks_nothing(shared_data):
    """Record linkage by position is fooled by that, which is why this figure exists."""
    table = census(shared_data)
    shuffled = np.random.default_rng(0).permutation(table)
    assert linkage_risk(table, shuffled).percent < 1
    assert same_rows(table, shuffled).percent == 100
    assert same_rows(table, table + 1).rows == 0


def test_tables_of_other_variables_are_refused():
    with pytest.raises(DataError, match="2 variables and the released one 1"):
        same_rows(np.ones((2, 2)), np.ones((2, 1)))
