"""k-map and δ-presence against a published example, and against counting record by record."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from auditor.errors import DataError, UsageError
from auditor.microdata import Categorical, Microdata, Numeric
from auditor.risk import match_population, presence
from tests.risk.keys import agree, tables


def ages(values, labels):
    return Microdata((Categorical("age", np.array(values, np.int32), labels),))


# D. Desfontaines, "δ-presence, for when being in the dataset is sensitive" (desfontain.es/privacy/delta-presence.html):
# five released people aged 10-19 and one aged 40-49; 5, 5, 10, 10 and 20 people live in the ZIP code.
RELEASE = ages([0, 0, 0, 0, 0, 1], ("10-19", "40-49"))
PEOPLE = ages([0, 1, 2, 3, 4], ("10-19", "20-29", "30-39", "40-49", "50+"))
COUNTS = np.array([5, 5, 10, 10, 20])


def test_the_published_release_is_5_map_and_tells_of_a_whole_class():
    found = match_population(RELEASE, PEOPLE, counts=COUNTS)
    assert_array_equal(found.matches, [5, 5, 5, 5, 5, 10])
    assert (found.k, found.absent) == (5, 0)
    assert_allclose(found.risks, [0.2] * 5 + [0.1])
    share = presence(RELEASE, PEOPLE, counts=COUNTS)
    assert_array_equal(share.released, [5, 0, 0, 1, 0])
    assert_array_equal(share.shares, [1, 0, 0, 0.1, 0])
    assert (share.low, share.high) == (0, 1)


def test_tables_are_brought_together_by_names_and_labels():
    people = Microdata(
        (
            Numeric("income", np.array([1.0, 2, 3])),
            Categorical("sex", np.array([1, 0, 0], np.int32), ("m", "f")),
            Categorical("age", np.array([0, 1, 2], np.int32), ("old", "young", "middle")),
        )
    )
    release = Microdata(
        (
            Categorical("age", np.array([1, -1], np.int32), ("young", "old")),
            Categorical("sex", np.array([0, 1], np.int32), ("f", "m")),
        )
    )
    assert_array_equal(match_population(release, people).matches, [1, 2])


@st.composite
def pairs(draw):
    """A population, and a release of some of its records."""
    population = draw(tables(most_records=12, most_keys=3))
    chosen = draw(st.lists(st.integers(0, len(population) - 1), min_size=1, unique=True))
    return population[chosen], population


@given(pairs(), st.data())
def test_matches_are_those_of_counting_pair_by_pair(both, data):
    release, population = both
    n = len(population)
    counts = np.array(data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)))
    found = match_population(release, population, counts=counts)
    expected = [sum(c for other, c in zip(population, counts, strict=True) if agree(row, other)) for row in release]
    assert_array_equal(found.matches, expected)
    assert found.k == min(expected)
    assert_allclose(found.risks, [1 / matches for matches in expected])


@st.composite
def complete_pairs(draw):
    population = draw(tables(most_records=12, most_keys=3, categories=2, missing=False))
    chosen = draw(st.lists(st.integers(0, len(population) - 1), min_size=1, unique=True))
    return population[chosen], population


@given(complete_pairs())
def test_shares_are_those_of_counting_class_by_class(both):
    release, population = both
    found = presence(release, population)
    shares = [
        Fraction(sum(map(row.__eq__, release.tolist())), sum(map(row.__eq__, population.tolist())))
        for row in population.tolist()
    ]
    assert_allclose(found.shares, [float(share) for share in shares], rtol=1e-15)
    assert (found.low, found.high) == (float(min(shares)), float(max(shares)))


@given(complete_pairs())
def test_k_map_of_a_release_is_at_least_its_k_anonymity(both):
    release, population = both
    assert match_population(release, population).k >= match_population(release, release).k


@given(complete_pairs(), st.randoms(use_true_random=False))
def test_order_does_not_matter(both, random):
    release, population = both
    order = list(range(len(population)))
    random.shuffle(order)
    assert_array_equal(presence(release[::-1], population[order]).shares, presence(release, population).shares[order])
    matches = match_population(release, population).matches
    assert_array_equal(match_population(release[::-1], population[order]).matches, matches[::-1])


@given(complete_pairs(), st.integers(2, 4))
def test_a_population_many_times_as_large_divides_the_shares(both, times):
    release, population = both
    larger = np.repeat(population, times, axis=0)
    assert match_population(release, larger).k == times * match_population(release, population).k
    assert_allclose(presence(release, larger).shares[::times], presence(release, population).shares / times)


def test_the_whole_population_is_surely_present():
    keys = np.array([[0], [0], [1]], np.int32)
    assert (presence(keys, keys).low, presence(keys, keys).high) == (1, 1)


def test_somebody_whom_the_population_lacks_is_refused_or_reported():
    release, population = np.array([[0], [1], [1]], np.int32), np.array([[0], [2]], np.int32)
    with pytest.raises(DataError, match="a released record has keys that nobody in the population has"):
        match_population(release, population)
    found = match_population(release, population, absent="report")
    assert_array_equal(found.matches, [1, 0, 0])
    assert_array_equal(found.risks, [1, np.inf, np.inf])
    assert (found.k, found.absent) == (0, 2)
    with pytest.raises(DataError, match="nobody in the population"):
        presence(release, population)


ONE = np.array([[0]], np.int32)
TABLE = ages([0], ("x",))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((np.array([[0], [0]]), ONE), {}, DataError, "more records of a class are released"),
        ((np.array([[-1]]), ONE), {}, DataError, "give missing keys a category"),
        ((ONE, np.array([[0], [-1]])), {}, DataError, "give missing keys a category"),
        ((ONE, ONE), {"counts": np.array([0])}, DataError, "one is 0"),
        ((ONE, ONE), {"counts": np.array([-1])}, DataError, "one is negative"),
        ((ONE, ONE), {"counts": np.array([1.0])}, UsageError, "one integer for each of the 1 rows"),
        ((ONE, ONE), {"counts": np.array([1, 2])}, UsageError, "one integer for each of the 1 rows"),
        ((ONE, np.array([[0, 1]])), {}, UsageError, "1 keys and the population 2"),
        ((ONE, TABLE), {}, UsageError, "both tables, or both arrays"),
        ((TABLE, ages([0], ("x",)).only([])), {}, DataError, "no column 'age'"),
        ((TABLE, Microdata((Numeric("age", np.ones(1)),))), {}, DataError, "'age' holds numbers"),
        ((ONE, np.empty((0, 1), np.int32)), {}, DataError, "no record"),
    ],
)
def test_what_is_refused(arguments, options, error, message):
    with pytest.raises(error, match=message):
        presence(*arguments, **options)


def test_an_unknown_way_with_the_absent_is_refused():
    with pytest.raises(UsageError, match="'refuse' or 'report'"):
        match_population(ONE, ONE, absent="ignore")
