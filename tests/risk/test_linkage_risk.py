"""The risk of linkage over what may be known: each rate by a linkage of its own."""

import numpy as np
import pytest
from hypothesis import given

from auditor.errors import UsageError
from auditor.risk import distance_linkage, linkage_risk
from auditor.risk.linkage_risk import METHODS
from tests.risk.samples import census, numbers, rank_swapped, tables


@given(tables(variables=5))
def test_each_rate_is_that_of_linking_with_the_first_variables(both):
    original, masked = numbers(both[0]), numbers(both[1])
    found = linkage_risk(original, masked, methods=["euclidean"])
    half = -(-original.shape[1] // 2)
    assert found.known == tuple(range(half))
    rates = [distance_linkage(original[:, :known], masked[:, :known]).rate for known in range(1, half + 1)]
    assert found.worst.rates.tolist() == pytest.approx(rates, abs=1e-12)
    assert found.percent == pytest.approx(100 * np.mean(rates))


def test_declared_variables_become_known_in_their_order():
    generator = np.random.default_rng(2)
    original, masked = generator.normal(size=(2, 50, 4))
    found = linkage_risk(original, masked, known=[3, 1], methods=["euclidean"])
    assert found.worst.rates.tolist() == [
        distance_linkage(original[:, [3]], masked[:, [3]]).rate,
        distance_linkage(original[:, [1, 3]], masked[:, [1, 3]]).rate,
    ]


def test_the_file_itself_is_linked_wholly(shared_data):
    table = census(shared_data)
    found = linkage_risk(table, table)
    assert len(found.known) == 7
    assert found.percent == 100


def test_shuffled_columns_are_linked_by_chance(shared_data):
    """A link is right once in n on average, whatever is known, because the link is independent of the record."""
    table, generator = census(shared_data), np.random.default_rng(0)
    rates = [
        linkage_risk(table, generator.permuted(table, axis=0), methods=["euclidean"]).worst.rates for _ in range(40)
    ]
    # 40 · 7 · 1080 links, each right with the chance 1/1080, within four standard errors.
    assert np.mean(rates) == pytest.approx(1 / 1080, abs=4 * np.sqrt(1 / 1080 / (40 * 1080)))


def test_the_risk_is_that_of_the_worst_method(shared_data):
    table = census(shared_data)
    masked = rank_swapped(table, 10, np.random.default_rng(0))
    found = linkage_risk(table, masked, methods=METHODS)
    assert [method.method for method in found.methods] == list(METHODS)
    by_name = {method.method: method for method in found.methods}
    assert found.worst.method == "probabilistic"
    assert found.percent == max(method.percent for method in found.methods)
    np.testing.assert_array_equal(by_name["gaussian-kernel"].rates, by_name["euclidean"].rates)


@pytest.mark.parametrize(
    "wrong", [{"known": []}, {"known": [0, 0]}, {"known": [2]}, {"known": [-1]}, {"methods": []}, {"methods": ["best"]}]
)
def test_what_cannot_be_meant_is_refused(wrong):
    with pytest.raises(UsageError):
        linkage_risk(np.ones((2, 2)), np.ones((2, 2)), **wrong)
