"""SUDA2 against the published examples, and against looking at every set of keys of every record."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from auditor.errors import DataError, UsageError
from auditor.microdata import Categorical, Microdata
from auditor.risk import special_uniques
from tests.risk.keys import coded, read, tables
from tests.risk.test_individual_risk import GUIDE

# M. Templ, Statistical Disclosure Control for Microdata, 2017, as in sdcMicro's tests (tests/testthat/test_suda2.R).
BOOK = [
    ("20s", "male", "50k+", "highschool"),
    ("20s", "male", "50k+", "highschool"),
    ("20s", "male", "50k-", "highschool"),
    ("20s", "male", "50k-", "highschool"),
    ("20s", "female", "50k-", "university"),
    ("20s", "female", "50k-", "highschool"),
    ("20s", "female", "50k-", "middleschool"),
    ("60s", "male", "50k-", "university"),
]
GUIDE_SCORES = [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def test_the_example_of_the_book():
    assert_array_equal(special_uniques(coded(BOOK)).scores, [0, 0, 0, 0, 4, 2, 6, 8])


def test_the_example_of_the_practice_guide():
    # sdcpractice.readthedocs.io, "Measuring risk": its SUDA table, the listing of normalised scores, and its text on
    # record 5, which has one MSU of one key and three of two.
    found = special_uniques(coded(GUIDE))
    assert_array_equal(found.scores, GUIDE_SCORES)
    assert_array_equal(found.sizes[4], [1, 3, 0, 0])
    assert found.uniques == 4
    normalised = special_uniques(coded(GUIDE), weighting="normalised")
    assert_allclose(normalised.scores, [0, 0, 1.75, 0, 3.25, 0, 1.75, 2.75, 0, 0])
    published = [0, 0, 0.005120313, 0, 0.010702061, 0, 0.005120313, 0.008775093, 0, 0]
    assert_allclose(normalised.dis, published, atol=5e-10)


def test_the_scores_of_the_first_record_of_testdata2(shared_data):
    # sdcMicro's tests (tests/testthat/test_suda2.R).
    names = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    seven, _ = read(shared_data / "testdata2.csv", names)
    assert special_uniques(seven).scores[0] == 180
    assert round(special_uniques(seven, weighting="normalised").scores[0], 2) == 2.73
    five, _ = read(shared_data / "testdata2.csv", ["urbrur", "roof", "walls", "water", "sex"])
    assert special_uniques(five).scores[0] == 2


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1], [2, 0, 1], [2, 1, 0]])
def test_the_contributions_of_a_small_table(order):
    # sdcMicro's tests (tests/testthat/test_suda2.R): 50 % from the first key, 37.5 % from each of the others.
    keys = np.array([[2, 0, 0], [1, 3, 6], [1, 0, 0]], np.int32)
    found = special_uniques(keys[:, order])
    assert_array_equal(found.contributions, np.array([50, 37.5, 37.5])[order])


def test_the_contributions_of_values_of_a_small_table():
    found = special_uniques(np.array([[2, 0, 0], [1, 3, 6], [1, 0, 0]], np.int32))
    # By hand: MSUs {a=2} of record 1 (2), {b=3} and {c=6} of record 2 (2 each), {a=1, b=0}, {a=1, c=0} of record 3 (1).
    assert_array_equal(found.sizes, [[1, 0, 0], [2, 0, 0], [0, 2, 0]])
    assert_array_equal(found.shares, [[1, 0, 0], [0, 0.5, 0.5], [1, 0.5, 0.5]])
    assert_allclose(found.value_contributions[0], [0, 50, 50])
    assert_allclose(found.value_contributions[1], [100 / 3, 0, 0, 200 / 3])


def uniques_by_definition(keys):
    """The MSUs of each record: every set of keys, smallest first, checked against every other record."""
    n, d = keys.shape
    found = [[] for _ in range(n)]
    for size in range(1, d + 1):
        for chosen in combinations(range(d), size):
            for i in range(n):
                if any(set(smaller) <= set(chosen) for smaller in found[i]) or -1 in keys[i, chosen]:
                    continue
                if not any(np.array_equal(keys[i, chosen], keys[j, chosen]) for j in range(n) if j != i):
                    found[i].append(chosen)
    return found


def dis_by_definition(scores, keys, fraction):
    """DIS-SUDA as it is written, with U, D and P."""
    sizes = [sum(np.array_equal(row, other) for other in keys) for row in keys]
    uniques, pairs = sizes.count(1), sizes.count(2)
    if not any(scores):
        return np.zeros(len(scores))
    file = uniques * fraction / (uniques * fraction + pairs * (1 - fraction))
    q = 1 + (8 - keys.shape[1]) / 20
    spread = sum(score**-q for score in scores if score)
    return [1 / (1 + (uniques / file - uniques) / (score**q * spread)) if score else 0 for score in scores]


@given(tables(most_records=9, most_keys=5), st.sampled_from([0.01, 0.3, 1]))
def test_scores_are_those_of_the_definition(keys, fraction):
    expected = uniques_by_definition(keys)
    d = keys.shape[1]
    found = special_uniques(keys, fraction=fraction)
    assert_array_equal(found.sizes, [[sum(len(u) == k for u in us) for k in range(1, d + 1)] for us in expected])
    scores = [sum(factorial(d - len(u)) for u in us) for us in expected]
    assert_array_equal(found.scores, scores)
    assert_allclose(found.dis, dis_by_definition(scores, keys, fraction), rtol=1e-9)
    normalised = [sum(Fraction(2 ** (d - len(u)) - 1, comb(d, len(u))) for u in us) for us in expected]
    assert_allclose(special_uniques(keys, weighting="normalised").scores, [float(s) for s in normalised], rtol=1e-12)
    for i, us in enumerate(expected):
        for key in range(d):
            with_key = sum(factorial(d - len(u)) for u in us if key in u)
            assert found.shares[i, key] * found.scores[i] == pytest.approx(with_key)


@given(tables(most_records=9, most_keys=5), st.integers(1, 5))
def test_a_smaller_limit_finds_the_same_up_to_there(keys, size):
    largest = min(size, keys.shape[1])
    assert_array_equal(special_uniques(keys, max_size=largest).sizes, special_uniques(keys).sizes[:, :largest])


@given(tables(most_records=30, most_keys=5), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(keys, random):
    rows, columns = list(range(keys.shape[0])), list(range(keys.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    renamed = np.where(keys < 0, -1, 9 - keys)[rows][:, columns]
    found, other = special_uniques(keys), special_uniques(renamed)
    assert_array_equal(other.scores, found.scores[rows])
    assert_allclose(other.dis, found.dis[rows], rtol=1e-12)
    assert_allclose(other.contributions, found.contributions[columns], rtol=1e-12)


@given(tables(most_records=20, most_keys=4))
def test_records_twice_are_nowhere_unique(keys):
    found = special_uniques(np.repeat(keys, 2, axis=0))
    assert not found.scores.any()
    assert not found.dis.any()
    assert not found.contributions.any()
    assert not any(values.any() for values in found.value_contributions)


@given(tables(most_records=20, most_keys=4, missing=False))
def test_a_unique_record_has_a_score_and_the_others_none(keys):
    alone = [sum(np.array_equal(row, other) for other in keys) == 1 for row in keys]
    found = special_uniques(keys)
    assert_array_equal(found.scores > 0, alone)
    assert found.uniques == sum(alone)
    assert np.all((found.dis >= 0) & (found.dis <= 1))


@given(tables(most_records=20, most_keys=4))
def test_values_split_the_contribution_of_their_key(keys):
    found = special_uniques(keys)
    for key, values in enumerate(found.value_contributions):
        assert values.sum() == pytest.approx(100 if found.contributions[key] else 0)


def test_the_sorting_of_many_classes_finds_what_the_table_finds(monkeypatch):
    keys = np.random.default_rng(5).integers(0, 12, (3000, 5)).astype(np.int32)
    expected = special_uniques(keys)
    monkeypatch.setattr("auditor.risk._minimal_uniques._TABLE_PER_RECORD", -(10**6))
    assert_array_equal(special_uniques(keys).sizes, expected.sizes)


def test_special_uniques_need_fewer_keys_than_all():
    # Four records with all combinations of two keys are unique by both keys alone.
    found = special_uniques(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int32))
    assert_array_equal(found.sizes, [[0, 1]] * 4)
    assert not found.special.any()
    assert special_uniques(np.array([[0, 0], [0, 1]], np.int32)).special.all()


def test_one_record_is_unique_by_every_key():
    found = special_uniques(np.array([[3, 1, -1]], np.int32))
    assert_array_equal(found.sizes, [[2, 0, 0]])
    assert found.scores == [4]
    assert found.dis == [1]


def test_the_names_of_the_keys():
    table = Microdata((Categorical("sex", np.array([0, 1], np.int32), ("f", "m")),))
    assert special_uniques(table).names == ("sex",)
    assert special_uniques(np.zeros((1, 2), np.int32)).names == ("1", "2")


def test_many_keys_need_a_limit():
    keys = np.random.default_rng(1).integers(0, 2, (40, 40)).astype(np.int32)
    with pytest.raises(UsageError, match="max_size"):
        special_uniques(keys)
    small = special_uniques(keys, max_size=2)
    assert np.isfinite(small.dis).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_size": 0}, "from 1 to 2"),
        ({"max_size": 3}, "from 1 to 2"),
        ({"fraction": 0}, "sampling fraction"),
        ({"fraction": 1.5}, "sampling fraction"),
        ({"weighting": "other"}, "'original' or 'normalised'"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        special_uniques(np.zeros((2, 2), np.int32), **arguments)


def test_a_table_without_records_is_refused():
    with pytest.raises(DataError, match="no record"):
        special_uniques(np.empty((0, 2), np.int32))


def scores_by_counting(keys):
    """The scores once more: count the values of every set of keys, and keep the sets that are nowhere else."""
    d = keys.shape[1]
    rows = keys.tolist()
    unique = {}
    scores = [0] * len(rows)
    for size in range(1, d + 1):
        for chosen in combinations(range(d), size):
            values = [tuple(row[i] for i in chosen) for row in rows]
            times = Counter(values)
            unique[chosen] = {i for i, value in enumerate(values) if times[value] == 1}
            smaller = [unique[part] for part in combinations(chosen, size - 1)] if size > 1 else []
            for i in unique[chosen].difference(*smaller):
                scores[i] += factorial(d - size)
    return scores


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("testdata.csv", ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]),
        ("free1.csv", ["REGION", "SEX", "AGE", "MARSTAT", "KINDPERS", "EDUC1"]),
    ],
)
def test_the_scores_of_surveys(shared_data, file, names):
    keys, _ = read(shared_data / file, names)
    assert_array_equal(special_uniques(keys).scores, scores_by_counting(keys))
