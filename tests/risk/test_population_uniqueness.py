"""Population uniqueness against known populations, and each estimator against a second way to its equations."""

import csv
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binom, hypergeom, nbinom

from auditor.errors import DataError, UsageError
from auditor.risk import estimate_uniques
from auditor.risk._pitman import maximum, pitman
from auditor.risk._slide_negative_binomial import parameters, shlosser, slide_negative_binomial
from auditor.risk._uniques import SampleClasses
from auditor.risk._zayatz import zayatz
from tests.risk.keys import tables


def sample_of(sizes, population):
    """The classes of a sample from the list of their sizes."""
    found, counts = np.unique(sizes, return_counts=True)
    return SampleClasses(found, counts, population)


def drawn(population, fraction, seed):
    """A random sample of a population given by the class of every person, as keys."""
    generator = np.random.default_rng(seed)
    chosen = generator.choice(len(population), round(fraction * len(population)), replace=False)
    return np.asarray(population)[chosen].astype(np.int32)[:, None]


def median_estimate(population, fraction, of):
    found = [of(estimate_uniques(drawn(population, fraction, seed), sampling_fraction=fraction)) for seed in range(5)]
    return float(np.median(found))


def pitman_process(theta, alpha, persons, seed):
    """The class of each person, who joins a class of m with weight m − α, or opens one with weight θ + α·classes."""
    generator = np.random.default_rng(seed)
    joined, sizes = [0], [1]
    for person in range(1, persons):
        if generator.random() * (theta + person) < theta + alpha * len(sizes):
            joined.append(len(sizes))
            sizes.append(1)
            continue
        # A person picked at random has a class of m with weight m; it is refused with probability α/m.
        friend = joined[generator.integers(person)]
        while generator.random() < alpha / sizes[friend]:
            friend = joined[generator.integers(person)]
        joined.append(friend)
        sizes[friend] += 1
    return np.array(joined)


@pytest.mark.slow
@pytest.mark.parametrize(("theta", "alpha"), [(100.0, 0.5), (400.0, 0.2), (200.0, 0.0)])
def test_pitmans_estimator_finds_the_uniques_of_pitman_processes(theta, alpha):
    # One ratio has a standard deviation of about 0.15, so that the median of eleven has one of 0.06.
    ratios = []
    for seed in range(11):
        population = pitman_process(theta, alpha, 20_000, seed)
        truth = np.count_nonzero(np.bincount(population) == 1)
        # The order of the persons is exchangeable: the first tenth is a random sample.
        found = estimate_uniques(population[:2000, None], sampling_fraction=0.1)
        ratios.append(found.pitman.uniques / truth)
    assert np.median(ratios) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.1), (1.0, 0.3), (2.0, 0.4)])
def test_the_slide_negative_binomial_finds_the_uniques_of_its_population(alpha, beta):
    sizes = 1 + np.random.default_rng(1).negative_binomial(alpha, beta, 5000)
    truth = np.count_nonzero(sizes == 1)
    population = np.repeat(np.arange(len(sizes)), sizes)
    assert median_estimate(population, 0.5, lambda found: found.snb.uniques) == pytest.approx(truth, rel=0.06)


def test_zayatz_finds_the_uniques_of_a_large_sample():
    sizes = 1 + np.random.default_rng(1).negative_binomial(1, 0.3, 5000)
    truth = np.count_nonzero(sizes == 1)
    population = np.repeat(np.arange(len(sizes)), sizes)
    assert median_estimate(population, 0.95, lambda found: found.zayatz.uniques) == pytest.approx(truth, rel=0.06)


@pytest.fixture(scope="module")
def adult(shared_data):
    """The answers of Adult's records, the keys in this order."""
    names = ["age", "sex", "race", "marital-status", "education", "workclass", "occupation", "native-country"]
    with (shared_data / "adult" / "adult.csv").open(encoding="utf-8") as file:
        return [[row[name] for name in names] for row in csv.DictReader(file, delimiter=";")]


@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.3, 0.5])
@pytest.mark.parametrize("keys", [5, 7, 8])
def test_the_rule_finds_the_uniques_of_adult(adult, fraction, keys):
    number = {}
    population = [number.setdefault(tuple(row[:keys]), len(number)) for row in adult]
    truth = np.count_nonzero(np.bincount(population) == 1)
    assert median_estimate(population, fraction, lambda found: found.uniques) == pytest.approx(truth, rel=0.25)


def likelihood(sample, theta, alpha):
    """The logarithm of the likelihood of a Pitman process, term by term."""
    u, n = sample.classes, sample.records
    within = sum(c * np.log(np.arange(1, j) - alpha).sum() for j, c in zip(sample.sizes, sample.counts, strict=True))
    return np.log(theta + np.arange(1, u) * alpha).sum() - np.log(theta + np.arange(1, n)).sum() + within


SIZES = st.lists(st.integers(1, 8), min_size=2, max_size=30).filter(lambda sizes: 1 in sizes and max(sizes) > 1)


@given(SIZES)
def test_no_other_parameters_are_likelier(sizes):
    sample = sample_of(sizes, 1000)
    found = maximum(sample)
    if found is None:
        return
    shifted, alpha = found
    best = likelihood(sample, shifted - alpha, alpha)
    for other in np.linspace(0, 0.999, 15):
        for x in np.logspace(-6, 5, 20):
            assert likelihood(sample, x - other, other) <= best + 1e-7 * abs(best) + 1e-9


@given(SIZES, st.integers(1, 50))
def test_zayatz_by_the_hypergeometric_distribution(sizes, more):
    sample = sample_of(sizes, sum(sizes) + more)
    n, total, u = sample.records, sample.population, len(sizes)
    chances = {j: hypergeom.pmf(1, total, j, n) for j in set(sizes)}
    share = sizes.count(1) / u * chances[1] / sum(sizes.count(j) / u * chance for j, chance in chances.items())
    assert zayatz(sample) == pytest.approx(sizes.count(1) * share * total / n, rel=1e-9)


@pytest.mark.parametrize("fraction", [0.01, 0.2, 0.7])
@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 0.02), (1.0, 0.5), (5.0, 0.9), (0.5, 0.0005)])
def test_expected_classes_give_the_parameters_back(alpha, beta, fraction):
    sizes = np.arange(1, 200_001)
    shares = nbinom.pmf(sizes - 1, alpha, beta)
    one, two = (10**6 * float(shares @ binom.pmf(k, sizes, fraction)) for k in (1, 2))
    assert_allclose(parameters(1e6, fraction, one, two), (alpha, beta), rtol=1e-4)


def test_shlossers_estimate_in_fractions():
    sizes, q = [1, 1, 1, 2, 2, 5], Fraction(1, 4)
    first = sum(i * q**2 * (1 - q**2) ** (i - 1) for i in sizes) / sum((1 - q) ** i * ((1 + q) ** i - 1) for i in sizes)
    second = sum((1 - q) ** i for i in sizes) / sum(i * q * (1 - q) ** (i - 1) for i in sizes)
    assert shlosser(sample_of(sizes, 48)) == pytest.approx(float(6 + 3 * first * second**2), rel=1e-12)


@given(tables(most_records=30, missing=False), st.sampled_from([0.01, 0.1, 0.11, 0.5, 1]))
def test_an_estimate_is_a_number_of_persons_or_has_a_reason(keys, fraction):
    found = estimate_uniques(keys, sampling_fraction=fraction)
    assert 0 <= found.uniques <= found.population
    assert 0 <= found.share <= 1
    for estimate in (found.pitman, found.zayatz, found.snb):
        assert (estimate.uniques is None) == bool(estimate.reason)
        assert estimate.uniques is None or 0 <= estimate.uniques <= found.population
    assert found.uniques == getattr(found, found.chosen).uniques
    if fraction > 0.1 and found.snb.uniques is not None:
        assert found.uniques == min(found.snb.uniques, found.zayatz.uniques)
    if fraction <= 0.1 and found.pitman.uniques is not None:
        assert found.chosen == "pitman"


@given(tables(most_records=30), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(keys, random):
    rows = list(range(len(keys)))
    random.shuffle(rows)
    renamed = np.where(keys < 0, -1, 9 - keys)[rows][:, ::-1]
    expected = estimate_uniques(keys, sampling_fraction=0.2)
    assert estimate_uniques(renamed, sampling_fraction=0.2) == expected


@given(tables(most_records=12))
def test_the_uniques_of_the_whole_population_are_counted(keys):
    alone = sum(sum(np.array_equal(row, other) for other in keys) == 1 for row in keys)
    found = estimate_uniques(keys, sampling_fraction=1)
    assert found.uniques == pytest.approx(alone)
    assert found.sample_uniques == alone
    assert found.pitman.uniques == found.snb.uniques == alone
    assert found.zayatz.uniques == pytest.approx(alone)


def test_without_uniques_in_the_sample_none_are_estimated():
    found = estimate_uniques(np.array([[0], [0], [1], [1]]), sampling_fraction=0.1)
    assert (found.uniques, found.sample_uniques) == (0, 0)
    assert found.pitman.uniques == found.zayatz.uniques == found.snb.uniques == 0


def test_where_all_are_unique_zayatz_is_left():
    for fraction in (0.05, 0.5):
        found = estimate_uniques(np.arange(20)[:, None], sampling_fraction=fraction)
        assert found.chosen == "zayatz"
        assert found.share == pytest.approx(1)
        assert found.pitman.reason == "every record is unique in the sample, so the likelihood grows without bound"
        assert found.snb.reason == "the sample has no class of two"


def test_one_record():
    found = estimate_uniques(np.array([[0]]), sampling_fraction=0.25)
    assert (found.population, found.chosen) == (4, "zayatz")
    assert found.uniques == pytest.approx(4)


@pytest.mark.parametrize(
    ("sizes", "population", "estimator", "reason"),
    [
        ([1] * 200 + [2], 210, pitman, "the estimate exceeds the population"),
        ([1, 3], 100, slide_negative_binomial, "no class of two"),
        ([1] * 40 + [2], 44, slide_negative_binomial, "no parameters"),
    ],
)
def test_reasons(sizes, population, estimator, reason):
    found = estimator(sample_of(sizes, population))
    assert found.uniques is None
    assert reason in found.reason


@pytest.mark.parametrize("fraction", [0, -0.1, 1.1, float("nan")])
def test_a_sampling_fraction_is_a_share(fraction):
    with pytest.raises(UsageError, match="sampling fraction"):
        estimate_uniques(np.array([[0]]), sampling_fraction=fraction)


def test_a_table_without_records_is_refused():
    with pytest.raises(DataError, match="no record"):
        estimate_uniques(np.empty((0, 1), np.int32), sampling_fraction=0.5)


@pytest.mark.parametrize("fraction", ["1/2", "1/10", "1/1000", "99/100"])
def test_the_number_of_classes_is_that_of_rational_arithmetic_however_large_they_are(fraction):
    """Shlosser's estimate as its formula has it, in fractions: (1+π)^i of a class of 5,000 leaves float64."""
    q = Fraction(fraction)
    sizes, counts = np.array([1, 2, 7, 5000]), np.array([40, 9, 3, 2])
    sample = SampleClasses(sizes, counts, int(int(sizes @ counts) / q))
    q = Fraction(sample.records, sample.population)
    pairs = list(zip(sizes.tolist(), counts.tolist(), strict=True))
    first = sum(s * i * q**2 * (1 - q**2) ** (i - 1) for i, s in pairs)
    first /= sum(s * (1 - q) ** i * ((1 + q) ** i - 1) for i, s in pairs)
    second = sum(s * (1 - q) ** i for i, s in pairs) / sum(s * i * q * (1 - q) ** (i - 1) for i, s in pairs)
    assert shlosser(sample) == pytest.approx(float(sum(counts.tolist()) + 40 * first * second**2), rel=1e-9)


def test_large_classes_have_an_estimate():
    keys = np.repeat(np.arange(60), [*[1] * 40, *[2] * 9, *[3000] * 11])[:, None]
    with np.errstate(over="raise", invalid="raise"):
        found = estimate_uniques(keys, sampling_fraction=0.5)
    assert 0 < found.uniques <= found.population
