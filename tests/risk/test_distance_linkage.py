"""Distance-based linkage against all distances with 60 digits, ties included, and its laws."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, UsageError
from auditor.risk import distance_linkage
from auditor.risk._input import standardised
from auditor.risk._nearest import credits_by_tree, credits_of_prefixes
from auditor.risk._whitened import whitened
from auditor.risk.distance_linkage import METRICS
from tests.risk.oracle import distance_credits
from tests.risk.samples import census, numbers, rank_swapped, tables


@pytest.mark.parametrize("metric", METRICS)
@given(both=tables(missing=True))
def test_credits_are_those_of_all_distances_with_60_digits(metric, both):
    found = distance_linkage(*map(numbers, both), metric).credit
    expected = [float(credit) for credit in distance_credits(*both, metric)]
    np.testing.assert_allclose(found, expected, atol=1e-15)


@pytest.mark.parametrize("polynomial", [False, True])
@given(both=tables(missing=True))
def test_a_tree_finds_the_same_as_all_distances(polynomial, both):
    a, b = (standardised(numbers(table)) for table in both)
    *_, dense = credits_of_prefixes(a, b, polynomial=polynomial)
    np.testing.assert_array_equal(credits_by_tree(a, b, polynomial=polynomial), dense)


@pytest.mark.parametrize("polynomial", [False, True])
@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_a_tree_finds_the_same_as_all_distances_among_many_records(polynomial, decimals):
    generator = np.random.default_rng(decimals)
    a = generator.normal(size=(700, 4)).round(decimals)
    b = (a + generator.normal(size=a.shape, scale=0.3)).round(decimals)
    b[::9] *= -1
    *_, dense = credits_of_prefixes(a, b, polynomial=polynomial)
    assert 0 < dense.mean() < 1
    np.testing.assert_array_equal(credits_by_tree(a, b, polynomial=polynomial), dense)


@pytest.mark.parametrize("metric", METRICS)
def test_large_tables_are_linked_by_a_tree_to_the_same_end(metric, monkeypatch):
    generator = np.random.default_rng(4)
    original = generator.integers(0, 9, (300, 3)).astype(float)
    masked = original + generator.integers(-1, 2, original.shape)
    dense = distance_linkage(original, masked, metric)
    monkeypatch.setattr(sys.modules["auditor.risk.distance_linkage"], "DENSE", 0)
    np.testing.assert_array_equal(distance_linkage(original, masked, metric).credit, dense.credit)


def test_the_kernel_looks_behind_the_origin():
    """To (1 + a·b)², −a is nearer to a far point a than points beside it: 8|a|² against 2(2 + 2|a|²)|a − b|²."""
    a = np.array([[30.0, 0], [0, 1], [0, 2], [0, 3]])
    b = np.array([[-30.0, 0], [27, 0], [0, 2], [0, 3]])
    *_, dense = credits_of_prefixes(a, b, polynomial=True)
    assert dense.tolist() == credits_by_tree(a, b, polynomial=True).tolist() == [1, 0, 1, 1]


def test_mahalanobis_coordinates_are_those_of_the_pseudo_inverse(shared_data):
    """Census is singular: PTOTVAL = PEARNVAL + POTHVAL."""
    table = census(shared_data)
    a = standardised(table)
    b = standardised(rank_swapped(table, 5, np.random.default_rng(0)))
    for masked, rank in ((a, 12), (b, 13)):
        z, y = whitened(a, masked)
        assert np.count_nonzero(np.any(z, axis=0)) == rank
        inverse = np.linalg.pinv((a.T @ a + masked.T @ masked) / len(a), rcond=1e-9, hermitian=True)
        step = a - masked[::-1]
        np.testing.assert_allclose(((z - y[::-1]) ** 2).sum(axis=1), ((step @ inverse) * step).sum(axis=1), rtol=1e-6)


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
def test_what_rounding_made_of_a_constant_tells_nothing(metric):
    """0.3 and 0.1 + 0.1 + 0.1 are the same to a person; a billion and a billion and one are not."""
    noise = np.array([[0.3, 1], [0.1 + 0.1 + 0.1, 1], [0.3, 2], [0.3, 2]])
    assert noise[0, 0] != noise[1, 0]
    assert distance_linkage(noise, noise, metric).credit.tolist() == [0.5] * 4
    far = 1e9 + np.array([[0.0], [1], [2]])
    assert distance_linkage(far, far, metric).rate == 1


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


@pytest.mark.parametrize("scale", [-1060, -1000, -600, 500, 900, 1000])
def test_the_unit_of_a_variable_changes_nothing_however_large_or_small(scale):
    original = np.random.default_rng(4).integers(-5000, 5000, (40, 2)).astype(float)
    masked = original + np.random.default_rng(5).integers(-900, 900, (40, 2))
    unit = np.ldexp(1.0, scale)
    for metric in METRICS:
        own = distance_linkage(original, masked, metric).credit
        assert own.sum() > 1
        np.testing.assert_array_equal(distance_linkage(original * unit, masked * unit, metric).credit, own)
