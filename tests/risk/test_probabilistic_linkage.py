"""Probabilistic linkage against a computation pair by pair, known probabilities, and its degenerate cases."""

import sys

import numpy as np
import pytest
from hypothesis import given

from auditor.errors import Unsupported, UsageError
from auditor.risk import linkage_risk, probabilistic_linkage
from auditor.risk._fellegi_sunter import estimate
from tests.risk.oracle import probabilistic_credits
from tests.risk.samples import census, numbers, rank_swapped, tables


@pytest.mark.parametrize("percent", [10, 25])
@given(both=tables(missing=True, records=7))
def test_it_is_what_comparing_pair_by_pair_gives(percent, both):
    found = probabilistic_linkage(*map(numbers, both), tolerance=percent)
    credit, m, u = probabilistic_credits(*both, percent)
    np.testing.assert_allclose(found.m, m, atol=1e-9)
    np.testing.assert_allclose(found.u, u, atol=1e-9)
    np.testing.assert_allclose(found.credit, credit)


def test_the_estimate_finds_probabilities_that_made_the_counts():
    """Four variables identify the model (15 free shares, 8 unknowns), and expected counts have no noise."""
    m, u, prevalence = np.array([0.95, 0.8, 0.99, 0.7]), np.array([0.1, 0.2, 0.05, 0.15]), 0.02
    agrees = ((np.arange(16)[:, None] >> np.arange(4)) & 1).astype(bool)
    true, other = (np.where(agrees, p, 1 - p).prod(axis=1) for p in (m, u))
    found = estimate(1e6 * (prevalence * true + (1 - prevalence) * other), prevalence)
    assert found.converged
    np.testing.assert_allclose(found.m, m, atol=1e-4)
    np.testing.assert_allclose(found.u, u, atol=1e-5)
    weights = np.where(agrees, np.log(m / u), np.log((1 - m) / (1 - u))).sum(axis=1)
    np.testing.assert_array_equal(np.argsort(found.order), np.argsort(weights))


def test_the_share_of_pairs_that_agree_by_hand():
    """Of 10 records, ranks at most 1 apart: 10 + 2 · 9 of 100 pairs, whatever the spacing of the values."""
    values = np.array([1.0, 2, 4, 8, 16, 32, 64, 128, 256, 512])[:, None]
    found = probabilistic_linkage(values, values)
    share = found.u[0] * 0.9 + found.m[0] * 0.1
    assert share == pytest.approx(0.28, abs=1e-6)
    np.testing.assert_allclose(found.credit, [1 / 2, *[1 / 3] * 8, 1 / 2])


def test_categories_agree_where_they_are_equal():
    codes = np.array([[0.0], [1], [2], [2]])
    assert probabilistic_linkage(codes, codes, categories=[0]).credit.tolist() == [1, 1, 0.5, 0.5]
    # Ranks 1, 2, 3.5, 3.5 that may differ by 2: the first agrees with two, the second with all, the others with three.
    np.testing.assert_allclose(probabilistic_linkage(codes, codes, tolerance=50).credit, [1 / 2, 1 / 4, 1 / 3, 1 / 3])


def test_missing_agrees_with_nothing():
    both = np.array([[np.nan, 1], [2, 2], [3, 3], [4, 4.0]])
    found = probabilistic_linkage(both, both, categories=[0, 1])
    assert found.credit.tolist() == [1, 1, 1, 1]
    nothing = np.full((4, 1), np.nan)
    assert probabilistic_linkage(nothing, nothing).credit.tolist() == [0.25] * 4


def test_who_knows_nothing_guesses():
    assert probabilistic_linkage(np.ones((8, 2)), np.ones((8, 2))).credit.tolist() == [1 / 8] * 8
    assert probabilistic_linkage(np.array([[3.0]]), np.array([[8.0]])).rate == 1


def test_the_order_of_variables_does_not_matter():
    generator = np.random.default_rng(0)
    original = generator.integers(0, 20, (40, 2)).astype(float)
    masked = original + generator.integers(-2, 3, original.shape)
    again = probabilistic_linkage(original[:, ::-1], masked[:, ::-1])
    np.testing.assert_array_equal(probabilistic_linkage(original, masked).credit, again.credit)


@given(tables(records=7))
def test_ranks_are_all_that_is_read(both):
    original, masked = numbers(both[0]), numbers(both[1])
    expected = probabilistic_linkage(original, masked)
    found = probabilistic_linkage(np.exp(original), masked**3 - 1e6)
    np.testing.assert_array_equal(found.credit, expected.credit)
    np.testing.assert_array_equal(found.m, expected.m)


@given(tables(records=7, variables=4))
def test_the_rates_by_what_is_known_are_those_of_linkages_of_their_own(both):
    original, masked = numbers(both[0]), numbers(both[1])
    variables = original.shape[1]
    found = linkage_risk(original, masked, known=range(variables), methods=["probabilistic"]).worst.rates
    alone = [probabilistic_linkage(original[:, :h], masked[:, :h]).rate for h in range(1, variables + 1)]
    np.testing.assert_allclose(found, alone)


def test_blocks_do_not_matter(monkeypatch):
    generator = np.random.default_rng(5)
    original = generator.normal(size=(60, 3))
    masked = original + 0.3 * generator.normal(size=original.shape)
    whole = probabilistic_linkage(original, masked)
    monkeypatch.setattr(sys.modules["auditor.risk._agreement"], "BLOCK", 100)
    np.testing.assert_array_equal(probabilistic_linkage(original, masked).credit, whole.credit)
    assert 0.1 < whole.rate < 1


def test_rank_swapping_by_ten_percent_is_linked_as_a_second_program_did(shared_data):
    """A prototype by others found 32.6 at p = 10 with the tolerance of 10 %, where the Euclidean distance has 22.8."""
    table = census(shared_data)
    swapped = [rank_swapped(table, 10, np.random.default_rng(seed)) for seed in range(5)]
    for method, expected in (("probabilistic", 32.6), ("euclidean", 22.8)):
        risks = [linkage_risk(table, masked, methods=[method]).percent for masked in swapped]
        assert np.mean(risks) == pytest.approx(expected, abs=1)


def test_too_much_is_refused_before_it_is_begun():
    with pytest.raises(Unsupported, match="at most 20,000 records; the tables have 20,001"):
        probabilistic_linkage(np.zeros((20_001, 1)), np.zeros((20_001, 1)))
    with pytest.raises(Unsupported, match="at most 16 variables; 17 are known"):
        probabilistic_linkage(np.zeros((2, 17)), np.zeros((2, 17)))


@pytest.mark.parametrize("wrong", [{"tolerance": -1}, {"tolerance": 101}, {"categories": [1]}])
def test_what_cannot_be_meant_is_refused(wrong):
    with pytest.raises(UsageError):
        probabilistic_linkage(np.ones((2, 1)), np.ones((2, 1)), **wrong)
