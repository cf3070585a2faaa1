"""Synthetic data: fits against scipy's, ranks, and IPSO's exact laws by refitting with another solver."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from auditor.errors import DataError
from auditor.masking import _densities as densities
from auditor.masking.synthetic import Synthetic
from auditor.microdata import MISSING, Categorical, Microdata, Numeric

BY_CHANCE = 1e-6
"""A test of fit that is right rejects with this probability; seeds are fixed."""

SAMPLES = {
    "normal": stats.norm(50, 9),
    "lognormal": stats.lognorm(1.2, scale=30),
    "exponential": stats.expon(scale=7),
    "gamma": stats.gamma(4, scale=3),
    "uniform": stats.uniform(-4, 9),
}


def sample(name, n=3000):
    return SAMPLES[name].rvs(n, random_state=np.random.default_rng(11))


def table(**columns):
    return Microdata(tuple(Numeric(name, np.asarray(values, dtype=float)) for name, values in columns.items()))


def distorted(values, density=None, seed=0):
    data = table(a=values, other=np.zeros(len(values)))
    masked = Synthetic(attributes=("a",), density=density).masked(data, np.random.default_rng(seed))
    assert masked["other"] is data["other"]
    return masked.numeric("a").values


def scipy_fit(name, values):
    """The same maximum likelihood by scipy's own optimiser; lower ends at 0."""
    if name == "normal":
        return stats.norm(*stats.norm.fit(values))
    if name == "uniform":
        return stats.uniform(*stats.uniform.fit(values))
    family = {"lognormal": stats.lognorm, "exponential": stats.expon, "gamma": stats.gamma}[name]
    return family(*family.fit(values, floc=0))


@pytest.mark.parametrize("name", SAMPLES)
def test_a_fit_is_scipys_and_its_distance_too(name):
    values = sample(name)
    density = densities.PARAMETRIC[name](values)
    expected = scipy_fit(name, values)
    at = np.sort(values)[::50]
    np.testing.assert_allclose(density.below(at), expected.cdf(at), atol=1e-4)
    assert densities.distance(values, density) == pytest.approx(stats.kstest(values, density.below).statistic)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_best_density_is_the_one_the_values_come_from(name):
    values = sample(name)
    np.testing.assert_array_equal(distorted(values), distorted(values, name))


@pytest.mark.parametrize("name", SAMPLES)
def test_draws_follow_the_fit(name):
    values = sample(name)
    assert stats.kstest(distorted(values, name), scipy_fit(name, values).cdf).pvalue > BY_CHANCE


def test_draws_follow_the_kernel_estimate():
    values = np.concatenate([sample("normal", 400), 200 + sample("normal", 100)])
    estimate = stats.gaussian_kde(values, bw_method=densities.silverman(values) / values.std(ddof=1))
    after = distorted(values, "kernel")
    below = np.vectorize(lambda x: estimate.integrate_box_1d(-np.inf, x))
    assert stats.kstest(after, below).pvalue > BY_CHANCE


def test_silvermans_width_by_hand():
    """Of 1, 2, 3, 4, 5 the sd is √2.5, IQR/1.34 = 2/1.34; of 0, 0, 0, 0, 5 the IQR is 0 and the sd √5."""
    assert densities.silverman(np.arange(1.0, 6)) == pytest.approx(0.9 * 2 / 1.34 * 5**-0.2)
    assert densities.silverman(np.array([0, 0, 0, 0, 5.0])) == pytest.approx(0.9 * 5**0.5 * 5**-0.2)


@given(
    st.lists(st.floats(0, 1e6).filter(lambda x: x == 0 or x > 1e-3), min_size=2, unique=True),
    st.sampled_from(["best", "normal", "exponential", "uniform", "kernel"]),
    st.floats(1e-3, 1e3),
)
def test_ranks_are_kept_and_scaling_scales(values, density, factor):
    values = np.array(values)
    after = distorted(values, density)
    np.testing.assert_array_equal(np.argsort(after), np.argsort(values))
    if density != "best":
        np.testing.assert_allclose(distorted(values * factor, density), after * factor, rtol=1e-6, atol=1e-6 * factor)


def test_ties_missing_and_constants():
    after = distorted([3, np.nan, 1, 3, 3, 9], "normal")
    assert np.isnan(after[1])
    assert len(set(after[~np.isnan(after)])) == 5
    assert after[2] < after[[0, 3, 4]].min()
    assert after[5] > after[[0, 3, 4]].max()
    np.testing.assert_array_equal(distorted([0.1, np.nan, 0.1]), [0.1, np.nan, 0.1])


def test_values_that_a_density_cannot_have():
    for density, wrong in (("gamma", 0), ("lognormal", 0), ("exponential", -1)):
        with pytest.raises(DataError, match=f"column 'a' holds numbers that no {density} density has"):
            distorted([1, 2, wrong], density)
    assert len(distorted([-1, 0, 5])) == 3
    with pytest.raises(DataError, match="column 'a' has fewer than two values"):
        distorted([np.nan, 5])
    with pytest.raises(DataError, match="leaves the range of float64"):
        distorted([1e308, -1e308, 1.7e308] * 50, "normal")
    # Two neighbouring floats: no gamma and no logarithm tells them apart, and best does without.
    assert len(distorted([1.0, np.nextafter(1, 2)])) == 2


# IPSO.

ROWS = 60
X = np.random.default_rng(3).normal([5, 100], [1, 30], size=(ROWS, 2))
Y = X @ [[2, 0.1, 1], [0.5, 0, -1]] + np.random.default_rng(4).normal(size=(ROWS, 3)) @ [
    [3, 1, 0],
    [0, 2, 5],
    [0, 0, 1],
]


def regressed(kind, x=X, y=Y, seed=0):
    named = {f"x{j}": column for j, column in enumerate(x.T)}
    data = table(**{f"y{j}": column for j, column in enumerate(y.T)}, **named)
    method = Synthetic(attributes=[f"y{j}" for j in range(y.shape[1])], kind=kind, given=tuple(named))
    masked = method.masked(data, np.random.default_rng(seed))
    assert all(masked[name] is data[name] for name in named)
    return masked.numbers(method.attributes)


def refit(x, y):
    """Coefficients and residual products by least squares (LAPACK's gelsd), constant first."""
    design = np.column_stack([np.ones(len(x)), x])
    coefficients = np.linalg.lstsq(design, y)[0]
    residuals = y - design @ coefficients
    return coefficients, residuals.T @ residuals


SINGULAR = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(ROWS, 7.0)])


@pytest.mark.parametrize("x", [X, SINGULAR, X[:, :0]], ids=["regular", "singular", "constant alone"])
def test_what_the_variants_give_back(x):
    coefficients, products = refit(x, Y)
    found = {kind: refit(x, regressed(kind, x)) for kind in ("ipso-a", "ipso-b", "ipso-c")}
    assert not np.allclose(found["ipso-a"][0], coefficients, rtol=1e-3)
    np.testing.assert_allclose(found["ipso-b"][0], coefficients, rtol=1e-8, atol=1e-8)
    assert not np.allclose(found["ipso-b"][1], products, rtol=1e-3)
    np.testing.assert_allclose(found["ipso-c"][0], coefficients, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found["ipso-c"][1], products, rtol=1e-8, atol=1e-8)
    assert not np.any(np.isclose(regressed("ipso-c", x), Y))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["ipso-a", "ipso-b"])
def test_residuals_have_the_covariance_in_expectation(kind):
    """Means of 2,000 draws by five standard errors: each of 18 comparisons fails by chance with 6e-7."""
    coefficients, products = refit(X, Y)
    mean = np.column_stack([np.ones(ROWS), X]) @ coefficients
    draws = [regressed(kind, seed=seed) - mean for seed in range(2000)]
    freedom = ROWS - 3
    figures = np.array([each.T @ each for each in draws]) / (ROWS if kind == "ipso-a" else freedom)
    error = figures.std(axis=0, ddof=1) / np.sqrt(len(figures))
    np.testing.assert_array_less(np.abs(figures.mean(axis=0) - products / freedom), 5 * error)


def test_ipso_of_the_census_whose_columns_add_up(shared_data):
    names = (shared_data / "census.csv").read_text().split("\n", 1)[0].split(",")
    census = np.loadtxt(shared_data / "census.csv", delimiter=",", skiprows=1)
    columns = dict(zip(names, census.T, strict=True))
    np.testing.assert_array_equal(columns["PTOTVAL"], columns["PEARNVAL"] + columns["POTHVAL"])
    x = np.column_stack([columns[name] for name in ("PTOTVAL", "PEARNVAL", "POTHVAL", "AGI")])
    y = np.column_stack([columns[name] for name in ("FEDTAX", "STATETAX", "TAXINC")])
    after = regressed("ipso-c", x, y)
    for found, expected in zip(refit(x, after), refit(x, y), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


def test_columns_that_depend_on_each_other_still_do():
    y = np.column_stack([Y, Y[:, 0] + Y[:, 1], X[:, 0] * 2 + 1, np.full(ROWS, 4.0)])
    for kind in ("ipso-a", "ipso-b", "ipso-c"):
        after = regressed(kind, y=y)
        np.testing.assert_allclose(after[:, 3], after[:, 0] + after[:, 1])
        np.testing.assert_allclose(after[:, 4:], y[:, 4:])


def test_categories_are_indicators():
    """Of one regressor with categories, the fit is the mean of each category: B and C keep those means."""
    codes = np.arange(ROWS, dtype=np.int32) % 3
    data = Microdata((Numeric("y", Y[:, 0]), Categorical("g", codes, ("p", "q", "r", "unused"))))
    masked = Synthetic(attributes=("y",), kind="ipso-b", given=("g",)).masked(data, np.random.default_rng(0))
    after = masked.numeric("y").values
    for code in range(3):
        assert after[codes == code].mean() == pytest.approx(Y[codes == code, 0].mean(), abs=1e-9)
        assert not np.isclose(after[codes == code].std(), Y[codes == code, 0].std())


def test_incomplete_records_release_nothing():
    x, y = X.copy(), Y.copy()
    x[0, 1] = y[1, 2] = np.nan
    after = regressed("ipso-c", x, y)
    np.testing.assert_array_equal(np.isnan(after).any(axis=1), np.arange(ROWS) < 2)
    np.testing.assert_array_equal(np.isnan(after).all(axis=1), np.arange(ROWS) < 2)
    np.testing.assert_allclose(refit(x[2:], after[2:])[0], refit(x[2:], y[2:])[0], rtol=1e-8, atol=1e-8)
    missing = np.full(ROWS, MISSING, np.int32)
    data = Microdata((Numeric("y", Y[:, 0]), Categorical("g", missing, ("p",))))
    with pytest.raises(DataError, match="0 records with a value in each column"):
        Synthetic(attributes=("y",), kind="ipso-a", given=("g",)).masked(data, np.random.default_rng(0))


@pytest.mark.parametrize("rows", [0, 1, 3, 4])
def test_without_freedom_the_original_would_come_back(rows):
    with pytest.raises(DataError, match="at least two records more than that are needed"):
        regressed("ipso-c", X[:rows], Y[:rows])


def test_two_degrees_of_freedom_are_enough_to_draw():
    assert not np.any(np.isclose(regressed("ipso-c", X[:5], Y[:5]), Y[:5]))


@pytest.mark.parametrize(
    "wrong",
    [{"given": ["x"]}, {"kind": "ipso-a", "density": "gamma"}, {"kind": "ipso-a", "given": ["a"]}],
)
def test_parameters_that_do_not_fit_each_other(wrong):
    with pytest.raises(ValidationError):
        Synthetic(attributes=("a",), **wrong)
