"""Summaries of both tables against the standard library, and their edges."""

from statistics import fmean, pstdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, UsageError
from auditor.microdata import Microdata, Numeric
from auditor.utility import describe
from tests.utility.columns import column

NUMBERS = st.lists(st.floats(-1e9, 1e9) | st.just(float("nan")), max_size=12)


def numbers(**columns):
    return Microdata(tuple(Numeric(name, np.array(values, float)) for name, values in columns.items()))


@given(NUMBERS, NUMBERS, st.integers(1, 7))
def test_a_variable_of_numbers(before, after, bins):
    (change,) = describe(numbers(a=before), numbers(a=after), bins).variables
    known = [value for value in before + after if value == value]
    assert len(change.edges) == (bins + 1 if known else 0)
    for values, side in ((before, change.before), (after, change.after)):
        present = [value for value in values if value == value]
        assert side.records == len(values)
        assert side.missing == len(values) - len(present)
        assert side.mean == (pytest.approx(fmean(present), abs=1e-6) if present else None)
        assert side.deviation == (pytest.approx(pstdev(present), rel=1e-6, abs=1e-6) if present else None)
        assert sum(side.counts) == len(present)
        for place, count in enumerate(side.counts):
            low, high, last = change.edges[place], change.edges[place + 1], place + 1 == bins
            assert count == sum(low <= value < high or (last and value == high) for value in present)
    if known and min(known) < max(known):
        assert (change.edges[0], change.edges[-1]) == (min(known), max(known))


def test_quantiles_and_a_single_value():
    (change,) = describe(numbers(a=range(101)), numbers(a=[7, 7]), 4).variables
    assert change.before.quantiles == pytest.approx((5, 25, 50, 75, 95))
    assert change.after.quantiles == (7,) * 5
    (flat,) = describe(numbers(a=[7]), numbers(a=[7]), 2).variables
    assert flat.edges == (6.5, 7, 7.5)
    assert flat.before.counts == (0, 1)


@pytest.mark.parametrize("values", [[-1.7e308, 1.7e308], [1e16, 1e16 + 2]])
def test_numbers_far_apart_and_too_near_for_the_bins(values):
    (change,) = describe(numbers(a=values[:1]), numbers(a=values[1:]), 20).variables
    assert np.isfinite(change.edges).all()
    assert sum(change.before.counts) == sum(change.after.counts) == 1


def test_a_variable_of_categories():
    original, masked = (Microdata((column("a", list(values)),)) for values in (["u", "v", "v", None], ["w", "u"]))
    (change,) = describe(original, masked).variables
    assert change.labels == ("u", "v", "w")
    assert (change.before, change.missing_before) == ((1, 2, 0), 1)
    assert (change.after, change.missing_after) == ((1, 0, 1), 0)


def test_correlations():
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(2, 30, 3))
    y[:, 2] = 4
    found = describe(numbers(a=x[:, 0], b=x[:, 1], c=x[:, 2]), numbers(c=y[:, 2], b=y[:, 1], a=y[:, 0])).correlations
    assert found.names == ("a", "b", "c")
    np.testing.assert_allclose(found.before, np.corrcoef(x.T))
    assert found.after[0][1] == pytest.approx(np.corrcoef(y.T[:2])[0, 1])
    assert found.after[2] == (0, 0, 0)
    np.testing.assert_allclose(found.change, np.array(found.after) - found.before)
    assert describe(numbers(a=[1]), numbers(a=[1])).correlations is None


def test_what_cannot_be_described_says_why():
    for masked, error, message in (
        (Microdata((column("a", ["u"]),)), DataError, "column 'a' holds numbers in one table"),
        (numbers(b=[1]), DataError, "no column 'a'"),
        (numbers(a=[np.inf]), DataError, "column 'a' holds an infinite value"),
    ):
        with pytest.raises(error, match=message):
            describe(numbers(a=[1]), masked)
    with pytest.raises(UsageError, match="at least 1"):
        describe(numbers(a=[1]), numbers(a=[1]), 0)
