"""Probabilistic loss against the published table, a second computation, simulated samples, and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import erfinv

from auditor.errors import DataError, UsageError
from auditor.masking import mdav_groups, registry
from auditor.microdata import Categorical, Microdata, Numeric
from auditor.utility import Original, probabilistic_loss
from auditor.utility._pairs import spread
from tests.utility import reference

# V. Torra, Privacy in Data Mining, Table 35.1: aPIL of the Census file microaggregated by MDAV on all 13 variables.
PUBLISHED = {3: 38.36, 4: 42.80, 5: 46.47, 6: 48.60, 7: 50.55, 8: 51.00, 9: 52.71, 10: 53.53}
NUMBERS = st.floats(-1e9, 1e9, allow_subnormal=False) | st.sampled_from([0.0, 1.0, -1.0])
SHAPES = st.tuples(st.integers(1, 12), st.integers(1, 4))


@pytest.fixture(scope="module")
def census(shared_data):
    return np.loadtxt(shared_data / "census.csv", delimiter=",", skiprows=1)


def sample(n=60, p=3, seed=5):
    """Skewed variables that hang together."""
    generator = np.random.default_rng(seed)
    common = generator.gamma(2.0, size=(n, 1))
    return common * generator.uniform(0.5, 2, p) + generator.gamma(1.5, size=(n, p))


def parts(loss):
    return {name: getattr(loss, name) for name in ("mean", "variance", "covariance", "correlation", "quantiles")}


@pytest.mark.parametrize(("k", "published"), PUBLISHED.items())
def test_microaggregated_census_loses_what_was_published(census, k, published):
    """The groups are those of the masking room; the least and the largest k are grouped here a second time."""
    group = mdav_groups((census - census.mean(0)) / census.std(0), k)
    means = np.stack([np.bincount(group, column) for column in census.T], axis=1) / np.bincount(group)[:, None]
    losses = [
        probabilistic_loss(census, masked).average
        for masked in (means[group], reference.mdav(census, k))[: 1 + (k in (3, 10))]
    ]
    assert losses == pytest.approx([published] * len(losses), abs=2)


# The same table: aPIL after rank swapping of p percent, single runs.
@pytest.mark.parametrize(("p", "published"), {5: 16.27, 10: 28.39, 15: 33.41, 20: 34.46}.items())
def test_rank_swapped_census_loses_about_what_was_published(census, p, published):
    """Within what is between runs: 5 seeds, and 2.5 for the published one."""
    names = tuple(map(str, range(census.shape[1])))
    data = Microdata(tuple(Numeric(name, values) for name, values in zip(names, census.T, strict=True)))
    method, prepared = registry()["rank-swapping"](attributes=names, p=p), Original(data)
    losses = [prepared.loss(method.masked(data, np.random.default_rng(seed))) for seed in range(5)]
    assert np.mean([loss.average for loss in losses]) == pytest.approx(published, abs=2.5)
    assert all(loss.mean + loss.variance + loss.quantiles < 1e-6 for loss in losses)


def test_shuffling_keeps_everything_about_single_variables(census):
    generator = np.random.default_rng(1)
    shuffled = np.column_stack([generator.permutation(column) for column in census.T])
    loss = probabilistic_loss(census, shuffled)
    assert loss.mean == pytest.approx(0, abs=1e-9)
    assert loss.variance == pytest.approx(0, abs=1e-9)
    assert loss.quantiles == 0
    assert loss.correlation > 75
    assert loss.average == pytest.approx((loss.covariance + loss.correlation) / 5)


@given(st.integers(0, 10**6), st.integers(5, 40), st.integers(2, 4))
def test_it_is_what_a_second_computation_finds(seed, n, p):
    original = sample(n, p, seed)
    masked = original + np.random.default_rng(seed + 1).normal(scale=0.3, size=original.shape)
    loss = probabilistic_loss(original, masked)
    assert parts(loss) == pytest.approx(reference.probabilistic(original, masked), rel=1e-7, abs=1e-7)
    assert loss.average == pytest.approx(np.mean(list(parts(loss).values())))


def test_each_variable_and_pair_is_kept():
    original = sample()
    masked = original.copy()
    masked[:, 1] += 0.2
    loss = probabilistic_loss(original, masked)
    assert loss.each_mean[1] > 0
    np.testing.assert_array_equal(loss.each_mean[[0, 2]], 0)
    np.testing.assert_allclose(loss.each_variance, 0, atol=1e-9)
    np.testing.assert_allclose(loss.each_correlation, 0, atol=1e-9)
    assert loss.each_quantile.shape == (19, 3)
    assert loss.mean == pytest.approx(loss.each_mean[1] / 3)
    assert loss.names == ("1", "2", "3")


@pytest.mark.parametrize("exponent", [1.0, 1.5], ids=["normal", "heavy tails"])
def test_correlations_of_samples_vary_as_the_formula_says(exponent):
    """4,000 samples of 400 records: the formula, from one large sample, against the spread that is seen."""
    generator = np.random.default_rng(7)

    def drawn(*size):
        x = generator.normal(size=size)
        y = 0.6 * x + generator.normal(size=size)
        return np.sign(x) * np.abs(x) ** exponent, y

    n = 400
    x, y = drawn(4000, n)
    x, y = x - x.mean(1, keepdims=True), y - y.mean(1, keepdims=True)
    seen = (x * y).mean(1) / np.sqrt((x**2).mean(1) * (y**2).mean(1))
    formula = spread(np.column_stack(drawn(200_000))).correlation[0, 1] / n
    assert seen.var() == pytest.approx(formula, rel=0.1)


def test_where_rho_is_0_its_variance_is_defined():
    """A square of points: mu11 = 0, mu22 = 1, so n Var(rho) = mu22/(mu20 mu02) = 1."""
    square = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    assert spread(square).correlation[0, 1] == 1
    masked = square.copy()
    masked[0] = 1.1
    rho = np.corrcoef(masked.T)[0, 1]
    assert probabilistic_loss(square, masked).correlation == pytest.approx(reference.chance(rho, 1 / 4))


@given(arrays(np.float64, SHAPES, elements=NUMBERS | st.just(np.nan)), st.randoms())
def test_the_same_file_loses_nothing_in_any_order(original, random):
    original[0] = np.where(np.isnan(original[0]), 0, original[0])
    prepared = Original(original)
    assert prepared.loss(original).average == 0
    order = list(range(len(original)))
    random.shuffle(order)
    assert prepared.loss(original[order]).average == pytest.approx(0, abs=1e-6)


@given(st.integers(0, 1000), st.lists(st.floats(1e-6, 1e6), min_size=3, max_size=3), st.permutations(range(3)))
def test_units_signs_names_and_order_of_variables_do_not_matter(seed, units, order):
    original, noise = sample(seed=seed), np.random.default_rng(seed).normal(scale=0.2, size=(60, 3))
    masked = original + noise
    loss = probabilistic_loss(original, masked)
    scale = np.array(units) * [1, -1, 1]
    changed = probabilistic_loss((original * scale + 7)[:, order], (masked * scale + 7)[:, order])
    assert parts(changed) == pytest.approx(parts(loss), rel=1e-5, abs=1e-5)


def test_four_times_the_records_are_two_times_the_standard_deviations():
    original = sample()
    masked = original * 1.02 + 0.02
    masked[:5, 0] += 0.3
    once, four = (
        probabilistic_loss(original, masked),
        probabilistic_loss(*(np.tile(x, (4, 1)) for x in (original, masked))),
    )

    def deviations(each):
        return erfinv(each / 100)

    for name in ("each_mean", "each_variance", "each_covariance", "each_correlation"):
        np.testing.assert_allclose(deviations(getattr(four, name)), 2 * deviations(getattr(once, name)), rtol=1e-6)


def test_more_noise_loses_more(census):
    prepared, generator = Original(census), np.random.default_rng(2)
    noise = generator.normal(size=census.shape) * census.std(0)
    losses = [prepared.loss(census + amount * noise).average for amount in (0, 0.05, 0.2, 0.8, 3)]
    assert losses == sorted(losses)
    assert losses[0] == 0
    assert losses[-1] > 80


def test_a_constant_column_has_no_room_for_a_difference():
    original = np.column_stack([[1.0, 2, 3, 5], [0.1] * 4])
    masked = original.copy()
    assert probabilistic_loss(original, masked).average == 0
    masked[0, 1] = 0.2
    loss = probabilistic_loss(original, masked)
    assert (loss.each_mean[1], loss.each_variance[1]) == (100, 100)
    assert (loss.covariance, loss.correlation) == (100, 100)
    np.testing.assert_array_equal(loss.each_quantile[:, 1] > 0, loss.each_quantile[:, 1] == 100)


def test_rounding_of_a_constant_column_is_no_difference():
    original = np.full((3, 1), 0.1)
    loss = probabilistic_loss(original, np.full((3, 1), (0.1 + 0.1 + 0.1) / 3))
    assert original[0, 0] != (0.1 + 0.1 + 0.1) / 3
    assert loss.average == 0


def test_a_column_made_constant_correlates_with_nothing():
    original = sample()
    masked = original.copy()
    masked[:, 0] = original[:, 0].mean()
    x, y = original[:, 0], original[:, 1]
    expected = reference.chance(reference.correlation(x, y), reference.variance_of_correlation(x, y))
    assert probabilistic_loss(original, masked).each_correlation[0, 1] == pytest.approx(expected)


def test_a_pair_on_a_line_has_no_room():
    line = np.arange(5.0)
    original = np.column_stack([line, 3 - 2 * line])
    assert probabilistic_loss(original, original * [7, 1 / 3]).correlation == 0
    masked = original.copy()
    masked[0, 1] += 0.01
    assert probabilistic_loss(original, masked).correlation == 100


def test_one_variable_has_no_pairs():
    loss = probabilistic_loss(sample(p=1), sample(p=1) + 0.3)
    assert loss.covariance is None
    assert loss.correlation is None
    assert loss.average == pytest.approx((loss.mean + loss.variance + loss.quantiles) / 3)


def test_one_record():
    assert probabilistic_loss([[1.0, 2.0]], [[1.0, 2.0]]).average == 0
    loss = probabilistic_loss([[1.0, 2.0]], [[1.0, 3.0]])
    assert parts(loss) == {"mean": 50, "variance": 0, "covariance": 0, "correlation": 0, "quantiles": 50}


def test_missing_values_are_left_out_by_pairs():
    """The reference sees, of each variable and each pair, only the records that have values."""
    original, generator = sample(), np.random.default_rng(3)
    masked = original + generator.normal(scale=0.3, size=original.shape)
    original[generator.random(original.shape) < 0.2] = np.nan
    masked[generator.random(original.shape) < 0.2] = np.nan
    loss = probabilistic_loss(original, masked)

    def of(x, *columns):
        return x[~np.isnan(x[:, columns]).any(1)][:, columns]

    for column in range(3):
        x, y = (of(file, column)[:, 0] for file in (original, masked))
        assert loss.each_mean[column] == pytest.approx(
            reference.chance(y.mean() - x.mean(), reference.central(x, 2) / len(x))
        )
    for i, j in ((0, 1), (0, 2), (1, 2)):
        (x, y), (v, w) = of(original, i, j).T, of(masked, i, j).T
        mu11, mu22 = reference.central(x, 1, y, 1), reference.central(x, 2, y, 2)
        assert loss.each_covariance[i, j] == pytest.approx(
            reference.chance(reference.central(v, 1, w, 1) - mu11, (mu22 - mu11**2) / len(x))
        )
        moved = reference.correlation(v, w) - reference.correlation(x, y)
        assert loss.each_correlation[i, j] == pytest.approx(
            reference.chance(moved, reference.variance_of_correlation(x, y))
        )


def test_what_is_suppressed_altogether_is_lost():
    original = sample()
    masked = original.copy()
    masked[:, 0] = np.nan
    loss = probabilistic_loss(original, masked)
    assert (loss.each_mean[0], loss.each_variance[0], loss.each_covariance[0, 1]) == (100, 100, 100)
    assert loss.each_correlation[1, 2] == pytest.approx(0)
    assert probabilistic_loss(original, original[:0]).average == 100


def test_a_pair_that_no_record_has_loses_nothing():
    original = np.array([[1.0, np.nan], [2, np.nan], [np.nan, 3], [np.nan, 4]])
    assert probabilistic_loss(original, original).average == 0
    assert probabilistic_loss(original, np.array([[1.0, 1], [2, 9]])).covariance == 0


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_numbers_of_any_size(size):
    original = sample()
    masked = original + 0.3
    assert parts(probabilistic_loss(original * size, masked * size)) == pytest.approx(
        parts(probabilistic_loss(original, masked)), rel=1e-6, abs=1e-6
    )


def test_tables_are_compared_by_name():
    original = Microdata(
        (
            Numeric("a", np.array([1.0, 2, 4])),
            Categorical("c", np.zeros(3, np.int32), ("x",)),
            Numeric("b", np.array([5.0, 2, 4])),
        )
    )
    masked = Microdata((Numeric("b", np.array([5.0, 2, 4])), Numeric("a", np.array([1.0, 2, 9]))))
    loss = probabilistic_loss(original, masked)
    assert loss.names == ("a", "b")
    assert loss.each_mean[0] > 0 == loss.each_mean[1]
    with pytest.raises(DataError, match="no column 'b'"):
        probabilistic_loss(original, original.only(["a"]))


@pytest.mark.parametrize(
    ("original", "masked", "error", "message"),
    [
        (np.empty((0, 2)), np.empty((0, 2)), DataError, "no records"),
        (np.empty((2, 0)), np.empty((2, 0)), DataError, "no column of numbers"),
        (np.ones(3), np.ones(3), UsageError, "an array of 1 dimensions"),
        (np.ones((3, 2)), np.ones((3, 1)), DataError, "shape .3, 1.; the original has 2 columns"),
        (np.array([[1, np.inf]]), np.ones((1, 2)), DataError, "column '2' holds an infinite value"),
        (np.ones((1, 2)), np.array([[-np.inf, 1]]), DataError, "column '1' holds an infinite value"),
        (np.array([[1, np.nan]]), np.ones((1, 2)), DataError, "column '2' of the original holds no value"),
        (np.ones((1, 2)), np.array([[1, 1e200]]), DataError, "column '2' .* in the original's unit"),
    ],
)
def test_what_cannot_be_measured_says_why(original, masked, error, message):
    with pytest.raises(error, match=message):
        probabilistic_loss(original, masked)
