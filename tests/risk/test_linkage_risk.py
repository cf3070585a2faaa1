"""The risk of linkage over what may be known: published figures, and each rate by a linkage of its own."""

import numpy as np
import pytest
from hypothesis import given

from auditor.errors import UsageError
from auditor.risk import distance_linkage, interval_disclosure, linkage_risk
from tests.risk.samples import census, numbers, rank_swapped, tables

PUBLISHED_DR = {"Rank19": 15.55, "Rank15": 20.61, "Rank10": 41.19, "Rank05": 64.60}
"""(ID + RD)/2 of table 35.1 of V. Torra, "Privacy in Data Mining", Data Mining and Knowledge Discovery Handbook."""


@given(tables(variables=5))
def test_each_rate_is_that_of_linking_with_the_first_variables(both):
    original, masked = numbers(both[0]), numbers(both[1])
    found = linkage_risk(original, masked)
    half = -(-original.shape[1] // 2)
    assert found.known == tuple(range(half))
    rates = [distance_linkage(original[:, :known], masked[:, :known]).rate for known in range(1, half + 1)]
    assert found.worst.rates.tolist() == pytest.approx(rates, abs=1e-12)
    assert found.percent == pytest.approx(100 * np.mean(rates))


def test_declared_variables_become_known_in_their_order():
    generator = np.random.default_rng(2)
    original, masked = generator.normal(size=(2, 50, 4))
    found = linkage_risk(original, masked, known=[3, 1])
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
    rates = [linkage_risk(table, generator.permuted(table, axis=0)).worst.rates for _ in range(40)]
    # 40 · 7 · 1080 links, each right with the chance 1/1080, within four standard errors.
    assert np.mean(rates) == pytest.approx(1 / 1080, abs=4 * np.sqrt(1 / 1080 / (40 * 1080)))


@pytest.mark.parametrize("name", PUBLISHED_DR)
def test_rank_swapping_reproduces_the_published_risk(name, shared_data):
    """Published rows are single runs; the band is that which their own scatter asks for."""
    table = census(shared_data)
    swapped = (rank_swapped(table, int(name[4:]), np.random.default_rng(seed)) for seed in range(5))
    risks = [
        (interval_disclosure(table, masked).percent + linkage_risk(table, masked).percent) / 2 for masked in swapped
    ]
    assert np.mean(risks) == pytest.approx(PUBLISHED_DR[name], abs=4.5)


@pytest.mark.parametrize(
    "wrong", [{"known": []}, {"known": [0, 0]}, {"known": [2]}, {"known": [-1]}, {"methods": []}, {"methods": ["best"]}]
)
def test_what_cannot_be_meant_is_refused(wrong):
    with pytest.raises(UsageError):
        linkage_risk(np.ones((2, 2)), np.ones((2, 2)), **wrong)
