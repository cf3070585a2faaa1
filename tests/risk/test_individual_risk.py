"""Individual risk against published figures, the distribution it is the mean of, and counting record by record."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.special import expit

from auditor.errors import DataError, UsageError
from auditor.microdata import Categorical, Microdata, Numeric
from auditor.risk import individual_risks
from auditor.risk.individual_risk import household_risk, negative_binomial_risk
from tests.risk.keys import agree, coded, read, tables

# The keys, the weights and the risks of sdcMicro's tests of freqCalc and indivRisk
# (github.com/sdcTools/sdcMicro, tests/testthat/test_indivRisk.R, method "approx"), without and with missing values.
KEYS = np.array([[2, 3, 1], [3, 3, 3], [2, 3, 1], [2, 3, 2], [3, 3, 1], [3, 3, 1], [1, 4, 1], [2, 3, 1]], np.int32)
WEIGHTS = np.array([18, 45.5, 39, 17, 92, 8, 123.5, 51])
RISKS = [0.01369863, 0.08579129, 0.01369863, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01369863]
RISKS_WITH_MISSING = [
    0.013698630,
    0.085791288,
    0.010554090,
    0.032466112,
    0.009836066,
    0.009836066,
    0.039316254,
    0.005973716,
]


def with_missing():
    keys = KEYS.copy()
    keys[7, 0] = keys[2, 2] = keys[6, 2] = -1
    return keys


# SDC Practice Guide (sdcpractice.readthedocs.io, "Measuring risk"): its example; a listing there has nine digits.
GUIDE = [
    ("Urban", "Female", "Secondary incomplete", "Employed"),
    ("Urban", "Female", "Secondary incomplete", "Employed"),
    ("Urban", "Female", "Primary incomplete", "Non-LF"),
    ("Urban", "Male", "Secondary complete", "Employed"),
    ("Rural", "Female", "Secondary complete", "Unemployed"),
    ("Urban", "Male", "Secondary complete", "Employed"),
    ("Urban", "Female", "Primary complete", "Non-LF"),
    ("Urban", "Male", "Post-secondary", "Unemployed"),
    ("Urban", "Female", "Secondary incomplete", "Non-LF"),
    ("Urban", "Female", "Secondary incomplete", "Non-LF"),
]
GUIDE_WEIGHTS = np.array([180.0, 180, 215, 76, 186, 76, 180, 215, 186, 76])


def test_the_published_risks_of_sdcmicro():
    found = individual_risks(KEYS, WEIGHTS)
    assert_array_equal(found.frequencies, [3, 1, 3, 1, 2, 2, 1, 3])
    assert_array_equal(found.population, [108, 45.5, 108, 17, 100, 100, 123.5, 108])
    assert_allclose(found.risks, RISKS, atol=5e-9)


def test_the_published_risks_of_sdcmicro_with_missing_values():
    found = individual_risks(with_missing(), WEIGHTS)
    assert_array_equal(found.frequencies, [3, 1, 4, 2, 3, 3, 1, 5])
    assert_allclose(found.risks, RISKS_WITH_MISSING, atol=5e-10)
    alone = individual_risks(with_missing())
    assert_allclose(alone.risks, [1 / 3, 1, 1 / 4, 1 / 2, 1 / 3, 1 / 3, 1, 1 / 5])
    assert_array_equal(alone.population, alone.frequencies)


def test_the_table_of_the_practice_guide():
    found = individual_risks(coded(GUIDE), GUIDE_WEIGHTS)
    assert_array_equal(found.frequencies, [2, 2, 1, 2, 1, 2, 1, 1, 2, 2])
    assert_array_equal(found.population, [360, 360, 215, 152, 186, 152, 180, 215, 262, 262])
    published = [0.005424520, 0.005424520, 0.025096439, 0.012563425, 0.028247279, 0.012563425, 0.029010932]
    assert_allclose(found.risks, [*published, 0.025096439, 0.007403834, 0.007403834], atol=5e-10)
    assert found.expected == pytest.approx(0.1582, abs=5e-5)
    assert found.percent == pytest.approx(1.582, abs=5e-4)


def test_the_table_of_the_practice_guide_with_missing_values():
    rows = list(GUIDE)
    rows[3] = ("Urban", "Male", None, None)
    assert_array_equal(individual_risks(coded(rows)).frequencies, [2, 2, 1, 3, 1, 2, 1, 2, 2, 2])


def test_francdat(shared_data):
    # The example of μ-ARGUS; its keys and weights are those of sdcMicro's test above, in another coding.
    keys, columns = read(shared_data / "francdat.csv", ["Key1", "Key2", "Key3", "Key4"])
    found = individual_risks(keys, np.array(columns["w"], dtype=float))
    # Classes by hand: records 2 and 3 share 1|2|1|1, records 1 and 8 share 1|2|5|1, the other four are alone.
    assert_array_equal(found.frequencies, [2, 2, 2, 1, 1, 1, 1, 2])
    assert_array_equal(found.population, [110, 84.5, 84.5, 17, 541, 8, 5, 110])
    assert found.risks[3] == pytest.approx(1 / 16 * math.log(17))
    p = 2 / 110
    assert found.risks[0] == pytest.approx(p / (1 - p) - (p / (1 - p)) ** 2 * math.log(1 / p))


def mean_of_inverse(f, p):
    """The mean of 1/F for negative binomial F: the generating function g(u)^f over u, in terms of v = g(u)."""
    return quad(lambda v: v ** (f - 1) * p / (p + (1 - p) * v), 0, 1, epsabs=0, epsrel=1e-12, limit=500)[0]


@pytest.mark.parametrize(("f", "p"), [(1, 0.3), (2, 0.3), (5, 0.5)])
def test_the_integral_is_the_mean_over_the_distribution(f, p):
    terms = (math.comb(size - 1, f - 1) * p**f * (1 - p) ** (size - f) / size for size in range(f, 400))
    assert mean_of_inverse(f, p) == pytest.approx(math.fsum(terms), rel=1e-12)


@pytest.mark.parametrize("p", [1e-3, 0.02, 0.3, 0.89, 0.91, 0.999, 1 - 1e-6])
@pytest.mark.parametrize("f", [1, 2])
def test_one_and_two_are_the_mean_of_the_negative_binomial(f, p):
    assert_allclose(negative_binomial_risk(np.array([f]), np.array([f / p])), mean_of_inverse(f, p), rtol=1e-9)


@pytest.mark.parametrize("p", [1e-3, 0.02, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("f", [3, 4, 10, 100])
def test_more_than_two_approximate_it_from_above(f, p):
    found = negative_binomial_risk(np.array([float(f)]), np.array([f / p]))[0]
    exact = mean_of_inverse(f, p)
    assert exact <= found <= exact * (1 + 0.22 / f**1.5)


@given(st.sampled_from([1, 2]), st.floats(1e-300, 1, exclude_max=True))
def test_the_risk_lies_between_its_limits_for_any_p(f, p):
    risk = negative_binomial_risk(np.array([float(f)]), np.array([max(f / p, f)]))[0]
    # By Jensen the mean of 1/F is at least 1/mean(F) = p/f; F is never below f.
    assert p / f * (1 - 1e-12) <= risk <= 1 / f * (1 + 1e-12)


@pytest.mark.parametrize("f", [1, 2, 3])
def test_the_risk_grows_with_p_without_jumps_through_the_series_and_up_to_one(f):
    p = expit(np.linspace(40, -40, 8001))
    risk = negative_binomial_risk(np.full(len(p), float(f)), f / p)
    assert risk[0] == 1 / f
    assert np.all(np.diff(risk) <= 1e-16)
    assert np.max(-np.diff(risk)) < 0.003


@given(tables(), st.data())
def test_frequencies_are_those_of_counting_pair_by_pair(keys, data):
    n = len(keys)
    weights = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)), dtype=float)
    found = individual_risks(keys, weights)
    together = np.array([[agree(left, right) for right in keys] for left in keys])
    assert_array_equal(found.frequencies, together.sum(axis=1))
    assert_array_equal(found.population, together @ weights)


@given(tables(), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(keys, random):
    order = list(range(len(keys)))
    random.shuffle(order)
    weights = np.arange(2.0, len(keys) + 2)
    found = individual_risks(keys, weights).risks[order]
    renamed = np.where(keys < 0, -1, 7 - keys)[order][:, ::-1]
    assert_allclose(individual_risks(renamed, weights[order]).risks, found, rtol=1e-12)


@given(tables(missing=False), st.integers(2, 4))
def test_repeating_a_population_divides_the_risk(keys, times):
    assert_allclose(
        individual_risks(np.repeat(keys, times, axis=0)).risks[::times], individual_risks(keys).risks / times
    )


@given(tables())
def test_a_value_taken_out_lowers_no_frequency(keys):
    before = individual_risks(keys).frequencies
    keys[0, 0] = -1
    assert np.all(individual_risks(keys).frequencies >= before)


def test_household_risk_as_in_the_practice_guide():
    risks = household_risk(np.array([0.02, 0.5, 0.03, 0.03]), np.array([7, -1, 7, 7]))
    assert_allclose(risks, [0.077918, 0.5, 0.077918, 0.077918], atol=5e-7)


def test_household_risk_with_a_certain_member_and_with_tiny_risks():
    assert_array_equal(household_risk(np.array([1.0, 0.1, 0.0]), np.array([0, 0, 1])), [1, 1, 0])
    assert_allclose(household_risk(np.full(3, 1e-18), np.zeros(3, int)), 3e-18, rtol=1e-12)


def test_households_of_unknown_members_stay_apart():
    found = individual_risks(np.array([[0], [0]], np.int32), np.array([5.0, 5.0]), np.array([-1, -1]))
    assert_array_equal(found.household_risks, found.risks)
    assert found.household_risks is not None
    assert found.household_risks.sum() == pytest.approx(found.expected)
    assert individual_risks(np.array([[0]], np.int32)).household_risks is None


@given(tables(), st.floats(1e-4, 1))
def test_the_threshold_brings_the_mean_to_the_rate(keys, rate):
    found = individual_risks(keys, np.arange(1.0, len(keys) + 1))
    threshold = found.threshold(rate)
    capped = np.minimum(found.risks, threshold).mean()
    assert capped <= rate * (1 + 1e-12)
    if found.risks.mean() <= rate:
        assert threshold == found.risks.max()
    else:
        assert capped == pytest.approx(rate)
        assert threshold < found.risks.max()


def test_weights_that_are_too_small_are_raised_and_counted():
    found = individual_risks(np.array([[0], [0], [1]], np.int32), np.array([0.5, 0.25, 2.0]))
    assert_array_equal(found.population, [2, 2, 2])
    assert_array_equal(found.risks[:2], [0.5, 0.5])
    assert found.raised == 2


def test_a_table_of_columns():
    table = Microdata((Categorical("sex", np.array([0, 1, -1], np.int32), ("f", "m")),))
    assert_array_equal(individual_risks(table).frequencies, [2, 2, 3])


def test_one_record_is_certain_or_as_sure_as_its_weight():
    assert individual_risks(np.array([[0]], np.int32)).risks == [1.0]
    assert individual_risks(np.array([[-1]], np.int32), np.array([math.e])).risks == [pytest.approx(1 / (math.e - 1))]


def test_many_keys_of_many_categories_do_not_run_over():
    generator = np.random.default_rng(3)
    keys = generator.integers(0, 2**31 - 1, (50, 9)).astype(np.int32)
    keys[1::2] = keys[::2]
    assert_array_equal(individual_risks(keys).frequencies, np.full(50, 2))


def table_of_numbers():
    return Microdata((Numeric("age", np.array([3.0])),))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((np.empty((0, 2), np.int32),), DataError, "no record"),
        ((np.empty((2, 0), np.int32),), UsageError, "at least one key"),
        ((np.array([1, 2]),), UsageError, "a row per record"),
        ((np.array([[0.5]]),), UsageError, "integer codes"),
        ((np.array([[0, 0], [0, -2]]),), DataError, "key '2': a code is below −1"),
        ((np.array([[2**31]]),), UsageError, "below 2³¹"),
        ((table_of_numbers(),), DataError, "column 'age' holds numbers, where categories are needed"),
        ((KEYS, WEIGHTS[:3]), UsageError, "weights: there must be one for each of the 8 records"),
        ((KEYS, np.full(8, np.nan)), DataError, "weights: one is missing"),
        ((KEYS, np.zeros(8)), DataError, "weights: one is not above 0"),
        ((KEYS, None, np.zeros(3, int)), UsageError, "households"),
        ((KEYS, None, np.zeros(8)), UsageError, "households"),
    ],
)
def test_what_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        individual_risks(*arguments)


def test_a_rate_of_nothing_is_refused():
    with pytest.raises(UsageError, match="above 0"):
        individual_risks(KEYS).threshold(0)


@pytest.mark.parametrize(
    ("file", "names", "weight", "household"),
    [
        (
            "testdata.csv",
            ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"],
            "sampling_weight",
            "ori_hid",
        ),
        ("free1.csv", ["REGION", "SEX", "AGE", "MARSTAT"], "WEIGHT", None),
    ],
)
def test_surveys_by_counting_and_the_exact_mean(shared_data, file, names, weight, household):
    keys, columns = read(shared_data / file, names)
    weights = [float(value) for value in columns[weight]]
    rows = [tuple(row) for row in keys.tolist()]
    times, people = Counter(rows), defaultdict(float)
    for row, value in zip(rows, weights, strict=True):
        people[row] += value
    exact = {row: mean_of_inverse(f, f / people[row]) for row, f in times.items()}
    homes = columns[household] if household else range(len(rows))
    found = individual_risks(keys, np.array(weights), np.unique(homes, return_inverse=True)[1])
    assert_array_equal(found.frequencies, [times[row] for row in rows])
    assert_allclose(found.population, [people[row] for row in rows])
    few = np.array([times[row] <= 2 for row in rows])
    expected = np.array([exact[row] for row in rows])
    assert_allclose(found.risks[few], expected[few], rtol=1e-9)
    assert np.all((found.risks >= expected * (1 - 1e-9)) & (found.risks <= expected * 1.013))
    safe = defaultdict(lambda: 1.0)
    for home, risk in zip(homes, found.risks, strict=True):
        safe[home] *= 1 - risk
    assert_allclose(found.household_risks, [1 - safe[home] for home in homes], rtol=1e-9)
