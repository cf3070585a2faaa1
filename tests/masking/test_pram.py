"""PRAM: its matrices as exact fractions and by other linear programmes, its draws against its matrices."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import chisquare

from auditor.errors import DataError
from auditor.masking._exchange import invariant, preferred
from auditor.masking.pram import Pram
from auditor.microdata import MISSING, Categorical, Microdata, Numeric

COUNTS = st.lists(st.integers(1, 1000), min_size=2, max_size=8)
FEW_BY_CHANCE = 1e-6
"""A test of fit that is right rejects with this probability; the seeds are fixed."""


def column(codes, labels=("a", "b", "c", "d"), ordered=False):
    return Categorical("x", np.array(codes, np.int32), labels, ordered)


def exchanged(method, codes, **kind):
    data = Microdata((column(codes, **kind), Numeric("y", np.arange(len(codes), dtype=float))))
    masked = method.masked(data, np.random.default_rng(3))
    assert masked["y"] is data["y"]
    return masked.categorical("x")


def by(matrix="invariant", **kind):
    return Pram(attributes=("x",), matrix=matrix, **kind)


@given(COUNTS, st.fractions(Fraction(1, 100), 1))
def test_invariant_frequencies_are_exact(counts, theta):
    matrix = invariant(counts, theta)
    assert all(sum(row) == 1 and min(row) >= 0 for row in matrix)
    for j, count in enumerate(counts):
        assert sum(t * row[j] for t, row in zip(counts, matrix, strict=True)) == count
    assert 1 - matrix[counts.index(min(counts))][counts.index(min(counts))] == theta


def test_the_largest_frequency_in_place_of_the_least_is_no_matrix_of_probabilities():
    """Why the printed formula is not used: T = (9, 1), θ = 1 would give the second row 1 − 9 and 9."""
    assert 1 - Fraction(1) * 9 / 1 < 0
    assert invariant([9, 1], Fraction(1)) == [[Fraction(8, 9), Fraction(1, 9)], [1, 0]]


@given(COUNTS, st.floats(0, 0.99), st.booleans())
def test_preferences_leave_frequencies_alone(counts, stay, ordered):
    counts = np.array(counts)
    c = len(counts)
    weights = np.abs(np.arange(c)[:, None] - np.arange(c)) if ordered else 1 - np.eye(c)
    matrix = preferred(counts, weights.astype(float), stay)
    slack = counts.sum() - counts.max() - counts.max() * (1 - stay)
    assume(abs(slack) > 1e-5 * counts.sum())  # on the edge, the solver's tolerance decides
    assert (matrix is not None) == (slack > 0)
    if matrix is not None:
        assert matrix.min() >= 0
        np.testing.assert_allclose(matrix.sum(axis=1), 1)
        np.testing.assert_allclose(counts @ matrix, counts, atol=1e-6 * counts.sum())
        assert np.all(np.diag(matrix) <= stay + 1e-6)


def test_the_cheapest_preference_by_hand():
    """Three equal frequencies, half of each must leave, |i − j| is what it costs.

    At least 1/2 crosses from a to the others, as much comes back, and likewise for c: every such crossing costs 1, so
    the cost is at least 2. Exchanging a with b and b with c, 1/2 each, costs 2.
    """
    weights = np.abs(np.arange(3.0)[:, None] - np.arange(3.0))
    assert np.sum(weights * preferred(np.array([5, 5, 5]), weights, 0.5)) == pytest.approx(2)


def test_the_cheapest_preference_by_trying_all_on_a_grid():
    counts, steps, stay = np.array([3, 2, 2]), 12, 0.5
    weights = np.array([[0, 1.0, 5], [2, 0, 1], [1, 3, 0]])
    best = np.inf
    # Four flows out of nine are free: the others follow from the sums of rows and columns. Flows in units of 1/12.
    top = [count * steps for count in counts]
    for f01, f02, f10, f12 in product(range(0, 25, 2), repeat=4):
        f20 = f01 + f02 - f10
        f21 = f10 + f12 - f01
        flows = np.array([[0, f01, f02], [f10, 0, f12], [f20, f21, 0]])
        if flows.min() < 0 or np.any(flows.sum(axis=1) > top) or np.any(flows.sum(axis=1) < (1 - stay) * np.array(top)):
            continue
        best = min(best, np.sum(weights * flows / np.array(top)[:, None]))
    assert np.sum(weights * preferred(counts, weights, stay)) <= best + 1e-9
    assert np.sum(weights * preferred(counts, weights, stay)) == pytest.approx(best, abs=0.1)


def test_draws_follow_the_matrix():
    codes = np.repeat([0, 1, 3], [6000, 3000, 1000])
    masked = exchanged(by(theta=0.6), codes).codes
    matrix = np.array(invariant([6000, 3000, 1000], 0.6))
    for place, code in enumerate([0, 1, 3]):
        found = np.bincount(masked[codes == code], minlength=4)
        assert found[2] == 0
        assert chisquare(found[[0, 1, 3]], matrix[place] * found.sum()).pvalue > FEW_BY_CHANCE


def test_an_own_matrix_is_followed_and_what_it_leaves_out_is_never_drawn():
    own = {"a": {"a": 0.25, "c": 0.75}, "b": {"b": 1.0}, "d": {"d": 1}}
    codes = np.repeat([0, 1], [4000, 10])
    masked = exchanged(by(own), codes).codes
    found = np.bincount(masked[codes == 0], minlength=4)
    assert found[1] == found[3] == 0
    assert chisquare(found[[0, 2]], [1000, 3000]).pvalue > FEW_BY_CHANCE
    assert np.all(masked[codes == 1] == 1)


def test_an_ordered_column_is_exchanged_with_its_neighbours():
    codes = np.repeat([0, 1, 2, 3], 100)
    far = {"a": {"b": 100.0}, "b": {"a": 100.0}, "c": {"d": 100.0}, "d": {"c": 100.0}}
    near = exchanged(by("preference", stay=0.2), codes, ordered=True).codes
    assert {(0, 1), (1, 0)} <= set(zip(codes.tolist(), near.tolist(), strict=True))
    assert np.all(np.abs(near - codes) <= 1)
    leaping = exchanged(by("preference", stay=0.2, weights=far), codes, ordered=True).codes
    assert np.any(np.abs(leaping - codes) > 1)
    assert not np.any((codes == 0) & (leaping == 1))


@pytest.mark.parametrize("method", [by(theta=1), by("preference", stay=0.5)])
def test_edges(method):
    missing = exchanged(method, [0, MISSING, 1, 1, 0])
    np.testing.assert_array_equal(missing.missing, [False, True, False, False, False])
    assert missing.labels == ("a", "b", "c", "d")
    assert set(missing.codes) <= {MISSING, 0, 1}
    for alone in ([2, 2, MISSING], [1], [MISSING], []):
        np.testing.assert_array_equal(exchanged(method, alone).codes, alone)


def test_all_are_exchanged_where_nothing_may_stay():
    codes = np.tile([0, 1, 2], 50)
    assert not np.any(exchanged(by("preference", stay=0), codes).codes == codes)
    pair = np.tile([0, 1], 50)
    np.testing.assert_array_equal(exchanged(by(theta=1), pair).codes, 1 - pair)


def test_what_has_no_meaning_is_an_error():
    with pytest.raises(DataError, match="column 'x': one category is so frequent"):
        exchanged(by("preference", stay=0.1), [0, 0, 0, 0, 1])
    with pytest.raises(DataError, match="column 'x' has no category 'z', which matrix names"):
        exchanged(by({"a": {"z": 1.0}}), [0])
    with pytest.raises(DataError, match="column 'x' has no category 'y', which weights names"):
        exchanged(by("preference", stay=0.5, weights={"y": {"a": 1.0}}), [0, 1])
    with pytest.raises(DataError, match="holds categories that the matrix has no row for") as raised:
        exchanged(by({"a": {"a": 1.0}}), [0, 1], labels=("a", "Innsmouth"))
    assert "Innsmouth" not in str(raised.value)
    numbers = Microdata((Numeric("x", np.array([1.0])),))
    with pytest.raises(DataError, match="column 'x' holds numbers, where categories are needed"):
        by(theta=1).masked(numbers, np.random.default_rng(0))


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"stay": 0.5, "theta": 0.5},
        {"theta": 0},
        {"theta": 1.1},
        {"matrix": "preference"},
        {"matrix": "preference", "theta": 0.5},
        {"matrix": "preference", "stay": 1},
        {"matrix": "preference", "stay": 0.5, "weights": {"a": {"b": -1}}},
        {"matrix": {"a": {"a": 0.5, "b": 0.4}}},
        {"matrix": {"a": {"a": 1.5, "b": -0.5}}},
        {"matrix": {"a": {"a": 1}}, "theta": 0.5},
        {"theta": 0.5, "weights": {"a": {"b": 1}}},
    ],
)
def test_parameters_that_do_not_fit_each_other(wrong):
    with pytest.raises(ValidationError):
        by(**wrong)
