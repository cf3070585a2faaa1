"""Distance-based linkage against all distances with 60 digits, ties included, and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, UsageError
from auditor.risk import distance_linkage
from auditor.risk._checked import standardised
from auditor.risk._nearest import credits_by_tree, credits_of_prefixes
from auditor.risk.distance_linkage import METRICS
from tests.risk.oracle import distance_credits
from tests.risk.samples import numbers, tables


@given(tables(missing=True))
def test_credits_are_those_of_all_distances_with_60_digits(both):
    found = distance_linkage(*map(numbers, both)).credit
    np.testing.assert_allclose(found, [float(credit) for credit in distance_credits(*both)], atol=1e-15)


@given(tables(missing=True))
def test_a_tree_finds_the_same_as_all_distances(both):
    a, b = (standardised(numbers(table)) for table in both)
    *_, dense = credits_of_prefixes(a, b)
    np.testing.assert_array_equal(credits_by_tree(a, b), dense)


@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_a_tree_finds_the_same_as_all_distances_among_many_records(decimals):
    generator = np.random.default_rng(decimals)
    a = generator.normal(size=(700, 4)).round(decimals)
    b = (a + generator.normal(size=a.shape, scale=0.3)).round(decimals)
    *_, dense = credits_of_prefixes(a, b)
    assert 0 < dense.mean() < 1
    np.testing.assert_array_equal(credits_by_tree(a, b), dense)


def test_an_example_by_hand():
    """Both tables have mean 1 and the same sd: 0 and its equals are nearest to 0, so three share the credit."""
    table = np.array([[0.0], [0], [0], [4]])
    np.testing.assert_allclose(distance_linkage(table, table).credit, [1 / 3, 1 / 3, 1 / 3, 1])
    assert distance_linkage(table, table).rate == pytest.approx(0.5)
    np.testing.assert_allclose(distance_linkage(table, table[::-1]).credit, [0, 1 / 3, 1 / 3, 0])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("unit", [1, 0.1, 1 / 3])
@pytest.mark.parametrize("shift", [0, 0.7, 1e6])
def test_distances_tie_that_are_equal_in_exact_arithmetic_alone(metric, unit, shift):
    """A record at the mean lies as far from one masked record above it as from its mirror image below."""
    original = shift + unit * np.array([[2.0, -2], [0, 0], [0, 0], [-2, 2]])
    masked = shift + unit * np.array([[3.0, -3], [1, -1], [-1, 1], [-3, 3]])
    assert distance_linkage(original, masked, metric).credit.tolist() == [1, 0.5, 0.5, 1]


@pytest.mark.parametrize("metric", METRICS)
def test_who_knows_nothing_guesses(metric):
    for constant in (np.full((8, 2), 0.1), np.full((8, 2), np.nan)):
        np.testing.assert_allclose(distance_linkage(constant, constant, metric).credit, 1 / 8)
    assert distance_linkage(np.array([[3.0]]), np.array([[8.0]]), metric).rate == 1


@pytest.mark.parametrize("metric", METRICS)
@given(both=tables(), random=st.randoms(use_true_random=False))
def test_order_names_and_units_do_not_matter(metric, both, random):
    original, masked = numbers(both[0]), numbers(both[1])
    expected = distance_linkage(original, masked, metric).credit
    order = random.sample(range(len(original)), len(original))
    again = distance_linkage(original[order], masked[order], metric).credit
    np.testing.assert_array_equal(again, expected[order])
    swapped = distance_linkage(original[:, ::-1], masked[:, ::-1], metric).credit
    np.testing.assert_array_equal(swapped, expected)
    scaled = distance_linkage(7 * original + 1e6, 0.1 * masked - 3, metric).credit
    np.testing.assert_array_equal(scaled, expected)


@pytest.mark.parametrize("metric", METRICS)
@given(both=tables(records=5))
def test_repeating_every_record_halves_its_credit(metric, both):
    original, masked = numbers(both[0]), numbers(both[1])
    twice = distance_linkage(np.tile(original, (2, 1)), np.tile(masked, (2, 1)), metric).credit
    np.testing.assert_allclose(twice, np.tile(distance_linkage(original, masked, metric).credit / 2, 2))


def test_what_cannot_be_meant_is_refused():
    with pytest.raises(UsageError, match="did you mean 'euclidean'"):
        distance_linkage(np.ones((2, 1)), np.ones((2, 1)), "euclidian")
    with pytest.raises(DataError, match="the same records"):
        distance_linkage(np.ones((2, 1)), np.ones((3, 1)))
