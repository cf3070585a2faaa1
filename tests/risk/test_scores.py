"""The disclosure risk DR, against the published table of methods."""

import numpy as np
import pytest

from auditor.masking import mdav_groups
from auditor.risk import disclosure_risk, interval_disclosure, linkage_risk
from tests.risk.samples import census, microaggregated, rank_swapped

# Table 35.1 of V. Torra, "Privacy in data mining", Data Mining and Knowledge Discovery Handbook, 2nd ed., column DR.
PUBLISHED_RANK = {5: 64.60, 10: 41.19, 15: 20.61, 19: 15.55}
PUBLISHED_MDAV = {3: 35.62, 4: 31.31, 5: 27.98, 6: 25.95, 7: 24.38, 8: 23.48, 9: 22.06, 10: 21.82}
PUBLISHED_MDAV_BY_FOUR = {3: 60.58, 4: 54.34}
# ID and RD that a prototype by others found with the same definitions, for k = 3, …, 10.
PROTOTYPE_MDAV = {
    3: (57.2, 13.4),
    4: (52.6, 9.2),
    5: (48.7, 7.0),
    6: (45.8, 5.4),
    7: (43.7, 4.3),
    8: (42.6, 3.7),
    9: (41.0, 3.3),
    10: (39.9, 3.0),
}


def test_the_file_itself_has_the_highest_risk(shared_data):
    table = census(shared_data)
    assert disclosure_risk(table, table).percent == 100


@pytest.mark.parametrize("k", PUBLISHED_MDAV)
def test_microaggregation_of_all_variables_has_the_published_risk(k, shared_data):
    table = census(shared_data)
    found = disclosure_risk(table, microaggregated(table, k, [range(13)], mdav_groups))
    assert found.percent == pytest.approx(PUBLISHED_MDAV[k], abs=1)
    assert (found.interval.percent, found.linkage.percent) == pytest.approx(PROTOTYPE_MDAV[k], abs=1)
    assert found.linkage.worst.method == "euclidean"


@pytest.mark.parametrize("k", PUBLISHED_MDAV_BY_FOUR)
def test_microaggregation_by_four_variables_has_the_published_risk(k, shared_data):
    table = census(shared_data)
    masked = microaggregated(table, k, [range(4), range(4, 8), range(8, 13)], mdav_groups)
    assert disclosure_risk(table, masked).percent == pytest.approx(PUBLISHED_MDAV_BY_FOUR[k], abs=1)


@pytest.mark.parametrize("p", PUBLISHED_RANK)
def test_rank_swapping_has_the_published_risk(p, shared_data):
    """Published rows are single runs, so the band is as wide as odd and even rows of the table lie apart."""
    table = census(shared_data)
    swapped = (rank_swapped(table, p, np.random.default_rng(seed)) for seed in range(5))
    risks = [disclosure_risk(table, masked).percent for masked in swapped]
    assert np.mean(risks) == pytest.approx(PUBLISHED_RANK[p], abs=4.5)


def test_what_is_declared_reaches_both_halves():
    original, masked = np.random.default_rng(0).normal(size=(2, 30, 3))
    found = disclosure_risk(original, masked, known=[2], methods=["probabilistic"], widths=[50])
    assert found.linkage.percent == linkage_risk(original, masked, [2], ["probabilistic"]).percent
    assert found.interval.percent == interval_disclosure(original, masked, widths=[50]).percent
