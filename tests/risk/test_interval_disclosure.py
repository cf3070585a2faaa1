"""Interval disclosure against ranks counted one by one, published figures and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, UsageError
from auditor.risk import interval_disclosure
from tests.risk.oracle import interval_share
from tests.risk.samples import census, numbers, tables

SOME_WIDTHS = (0, 0.5, 7, 10, 33, 50, 100)


@given(tables(missing=True))
def test_each_share_is_what_counting_ranks_one_by_one_gives(both):
    original, masked = both
    found = interval_disclosure(numbers(original), numbers(masked), widths=SOME_WIDTHS)
    for variable, (x, y) in enumerate(zip(zip(*original, strict=True), zip(*masked, strict=True), strict=True)):
        for place, width in enumerate(SOME_WIDTHS):
            expected = interval_share(x, y, width)
            assert found.shares[place, variable] == pytest.approx(float(expected), abs=1e-12)


def test_an_example_by_hand():
    """Ranks 1..5, width 20 % of 5 records: one rank to each side; only the last value lies outside."""
    masked, original = np.array([[1.0], [2], [3], [4], [5]]), np.array([[2.0], [1], [4], [3], [3.9]])
    found = interval_disclosure(original, masked, widths=[20, 0])
    np.testing.assert_allclose(found.by_width, [80, 0])
    assert found.percent == 40


def test_by_deviation_is_a_share_of_the_original_spread():
    """The sd of 0, 10, 20, 30 is √125 ≈ 11.18, so 10 % of it is 1.118."""
    original, masked = np.array([[0.0], [10], [20], [30]]), np.array([[1.1], [8.8], [20], [np.nan]])
    found = interval_disclosure(original, masked, widths=[10, 11], by="deviation")
    np.testing.assert_allclose(found.by_width, [50, 75])


@pytest.mark.parametrize("by", ["rank", "deviation"])
def test_missing_values_disclose_nothing_and_need_no_disclosure(by):
    original, masked = np.array([[1.0], [2], [np.nan], [4]]), np.array([[1.0], [np.nan], [3], [4]])
    assert interval_disclosure(original, masked, by=by).percent == pytest.approx(200 / 3)
    nothing = np.full((2, 1), np.nan)
    assert interval_disclosure(nothing, np.ones((2, 1)), by=by).percent == 0
    assert interval_disclosure(np.ones((2, 1)), nothing, by=by).percent == 0


@pytest.mark.parametrize("by", ["rank", "deviation"])
def test_a_constant_and_a_single_record_are_disclosed_where_they_are_shown(by):
    assert interval_disclosure(np.full((5, 1), 3.0), np.full((5, 1), 3.0), by=by).percent == 100
    assert interval_disclosure(np.full((5, 1), 3.0), np.full((5, 1), 3.5), by=by).percent == 0
    assert interval_disclosure(np.array([[7.0]]), np.array([[7.0]]), by=by).percent == 100


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_records_and_the_unit_do_not_matter(both, random):
    original, masked = numbers(both[0]), numbers(both[1])
    order = random.sample(range(len(original)), len(original))
    expected = interval_disclosure(original, masked).shares
    np.testing.assert_array_equal(interval_disclosure(original[order], masked[order]).shares, expected)
    np.testing.assert_array_equal(interval_disclosure(8 * original - 1, 8 * masked - 1).shares, expected)


@given(tables())
def test_wider_intervals_disclose_more(both):
    by_width = interval_disclosure(numbers(both[0]), numbers(both[1])).by_width
    assert np.all(np.diff(by_width) >= 0)


def test_the_file_itself_discloses_everything(shared_data):
    table = census(shared_data)
    assert interval_disclosure(table, table).percent == 100


def test_values_exchanged_over_five_percent_of_the_ranks_are_disclosed_from_that_width_on():
    """Of ten widths, those of 5 % and more reach from each value to its partner, 50 of 1000 ranks away."""
    values = np.arange(1000.0)
    exchanged = values.reshape(-1, 2, 50)[:, ::-1].reshape(-1)
    found = interval_disclosure(values[:, None], exchanged[:, None])
    assert found.by_width.tolist() == [0] * 4 + [100] * 6


@pytest.mark.parametrize(
    ("original", "masked", "message"),
    [
        (np.ones((2, 1)), np.ones((3, 1)), "the same records"),
        (np.ones((0, 2)), np.ones((0, 2)), "at least one of each"),
        (np.ones(3), np.ones(3), "at least one of each"),
        (np.array([[1.0, np.inf]]), np.ones((1, 2)), "variable 2 of the original table"),
    ],
)
def test_tables_that_do_not_fit_are_refused(original, masked, message):
    with pytest.raises(DataError, match=message):
        interval_disclosure(original, masked)


@pytest.mark.parametrize("wrong", [{"widths": []}, {"widths": [101]}, {"widths": [float("nan")]}, {"by": "sd"}])
def test_wrong_widths_and_kinds_are_refused(wrong):
    with pytest.raises(UsageError):
        interval_disclosure(np.ones((2, 1)), np.ones((2, 1)), **wrong)
