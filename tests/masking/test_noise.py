"""The laws of noise, which hold in expectation: means over many draws against exact formulas.

A mean of R independent draws is compared with its exact expectation by five of its standard errors. By the central
limit theorem a comparison fails by chance with probability 6e-7, any of this file's (fewer than 100) with less
than 6e-5; and the seed is fixed, so that what passes once passes always.
"""

from fractions import Fraction

import numpy as np
import pytest

from auditor.errors import DataError
from auditor.masking.noise import Noise
from auditor.microdata import Categorical, Microdata, Numeric

DRAWS = 1500
SIGMAS = 5
VALUES = np.random.default_rng(7).gamma(2, [[100.0, 5, 1]], size=(30, 3)) @ [[1, 0.2, 0], [0, 1, 1], [0, 0, 2]]
NAMES = ("a", "b", "c")


def table(values=VALUES):
    return Microdata(tuple(Numeric(name, column) for name, column in zip(NAMES, np.asarray(values).T, strict=False)))


def draws(method, data=None, count=DRAWS):
    data = data or table()
    generator = np.random.default_rng(1)
    return np.array([method.masked(data, generator).numbers(method.attributes) for _ in range(count)])


def assert_mean(figures, expected):
    """The mean over draws is the expectation, by five standard errors."""
    figures = np.asarray(figures)
    error = figures.std(axis=0, ddof=1) / np.sqrt(len(figures))
    np.testing.assert_array_less(np.abs(figures.mean(axis=0) - expected), SIGMAS * error)


def covariances(masked):
    return np.array([np.cov(each, rowvar=False) for each in masked])


@pytest.mark.parametrize("p", [10, 100])
def test_uncorrelated_noise_adds_to_variances_alone(p):
    masked = draws(Noise(attributes=NAMES, p=p))
    k = (p / 100) ** 2
    before = np.cov(VALUES, rowvar=False)
    assert_mean(covariances(masked), before + k * np.diag(np.diag(before)))
    assert_mean(masked.mean(axis=1), VALUES.mean(axis=0))


@pytest.mark.parametrize("p", [10, 100])
def test_correlated_noise_scales_the_covariance(p):
    masked = draws(Noise(attributes=NAMES, p=p, kind="correlated"))
    assert_mean(covariances(masked), (1 + (p / 100) ** 2) * np.cov(VALUES, rowvar=False))
    assert_mean(masked.mean(axis=1), VALUES.mean(axis=0))


@pytest.mark.parametrize("p", [10, 100])
def test_multiplicative_noise_adds_the_mean_square(p):
    masked = draws(Noise(attributes=NAMES, p=p, kind="multiplicative"))
    k = (p / 100) ** 2
    expected = np.cov(VALUES, rowvar=False) + k * np.diag((VALUES**2).mean(axis=0))
    assert_mean(covariances(masked), expected)
    assert_mean(masked.mean(axis=1), VALUES.mean(axis=0))


def test_the_law_of_multiplicative_noise_as_documented():
    """Var + k·mean(x²), divisor n − 1 outside, is (1 + k) Var + k·mean² up to the divisor: as exact fractions."""
    values = [Fraction(x) for x in (1, 5, 6, 12)]
    n, mean = len(values), sum(values) / 4
    variance = sum((x - mean) ** 2 for x in values) / n
    assert sum(x * x for x in values) / n == variance + mean**2


def test_uncorrelated_draws_are_independent_between_columns():
    noise = draws(Noise(attributes=NAMES, p=50)) - VALUES
    scaled = noise / (0.5 * VALUES.std(axis=0, ddof=1))
    assert_mean((scaled[..., :, None] * scaled[..., None, :]).mean(axis=1), np.eye(3))


def test_noise_is_normal():
    from scipy.stats import kstest

    noise = draws(Noise(attributes=("a",), p=50), count=200).ravel() - np.tile(VALUES[:, 0], 200)
    assert kstest(noise / (0.5 * VALUES[:, 0].std(ddof=1)), "norm").pvalue > 1e-6


def test_a_linear_relation_survives_correlated_noise():
    singular = np.column_stack([VALUES[:, 0], VALUES[:, 1], VALUES[:, 0] + 3 * VALUES[:, 1]])
    for masked in draws(Noise(attributes=NAMES, p=200, kind="correlated"), table(singular), 10):
        np.testing.assert_allclose(masked[:, 2], masked[:, 0] + 3 * masked[:, 1], rtol=0, atol=1e-9)
        assert not np.isclose(masked, singular).any()


def test_correlated_noise_with_fewer_records_than_columns():
    """The covariance of two records has rank 1: both move along the line through them."""
    few = VALUES[:2]
    (masked,) = draws(Noise(attributes=NAMES, p=100, kind="correlated"), table(few), 1)
    along = few[1] - few[0]
    for before, after in zip(few, masked, strict=True):
        step = (after - before) / along
        np.testing.assert_allclose(step, step[0])


@pytest.mark.parametrize("kind", ["uncorrelated", "correlated"])
def test_missing_stays_missing_and_a_constant_column_has_no_spread(kind):
    values = VALUES[:5].copy()
    values[0, 0] = np.nan
    values[:, 1] = 0.1
    (masked,) = draws(Noise(attributes=NAMES, p=300, kind=kind), table(values), 1)
    np.testing.assert_array_equal(np.isnan(masked), np.isnan(values))
    np.testing.assert_array_equal(masked[:, 1], values[:, 1])
    assert not np.any(masked[:, 2] == values[:, 2])


def test_missing_values_do_not_count_as_spread():
    values = np.append(VALUES[:, :1], [[np.nan]] * 30, axis=0)
    masked = draws(Noise(attributes=("a",), p=100), Microdata((Numeric("a", values[:, 0]),)))[:, :30, 0]
    assert_mean(masked.var(axis=1, ddof=1), 2 * VALUES[:, 0].var(ddof=1))


def test_multiplicative_noise_keeps_zero_and_needs_no_second_record():
    data = Microdata((Numeric("a", np.array([0.0])), Numeric("b", np.array([2.0]))))
    masked = Noise(attributes=("a", "b"), p=10, kind="multiplicative").masked(data, np.random.default_rng(0))
    assert masked.numeric("a").values == 0
    assert masked.numeric("b").values != 2


def test_ties_get_different_noise():
    data = Microdata((Numeric("a", np.array([1.0, 1, 2, 2])),))
    masked = Noise(attributes=("a",), p=10).masked(data, np.random.default_rng(0))
    assert len(set(masked.numeric("a").values)) == 4


def test_what_is_not_masked_comes_back_and_the_seed_decides():
    data = table()
    first, second = (Noise(attributes=("a",), p=10).masked(data, np.random.default_rng(5)) for _ in range(2))
    assert first["b"] is data["b"]
    np.testing.assert_array_equal(first.numeric("a").values, second.numeric("a").values)


def test_what_has_no_meaning_is_an_error():
    generator = np.random.default_rng(0)
    with pytest.raises(DataError, match="column 'a' has fewer than two values"):
        Noise(attributes=("a",), p=10).masked(table(VALUES[:1]), generator)
    apart = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, 5], [3.0, 6]])
    with pytest.raises(DataError, match="fewer than two records have a value in each of 'a', 'b'"):
        Noise(attributes=("a", "b"), p=10, kind="correlated").masked(table(apart), generator)
    labels = Microdata((Categorical("x", np.array([0, 0], np.int32), ("u",)),))
    with pytest.raises(DataError, match="column 'x' holds categories, where numbers are needed"):
        Noise(attributes=("x",), p=10).masked(labels, generator)
    with pytest.raises(DataError, match="leaves the range of float64"):
        Noise(attributes=("a",), p=10, kind="uncorrelated").masked(table([[1e308], [-1e308], [0]]), generator)
