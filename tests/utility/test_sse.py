"""SSE/SST against published figures of microaggregation, another formula, and its laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.utility import squared_loss
from tests.utility import reference

# The Census file microaggregated by MDAV on all 13 variables: SSE/SST in percent as the literature on microaggregation
# quotes it, for instance M. Laszlo, S. Mukherjee, IEEE Trans. on Knowledge and Data Engineering 17 (2005) 902-911.
PUBLISHED = {3: 5.69, 5: 9.09, 10: 14.16}


@pytest.mark.parametrize(("k", "published"), PUBLISHED.items())
def test_microaggregated_census_loses_what_was_published(shared_data, k, published):
    census = np.loadtxt(shared_data / "census.csv", delimiter=",", skiprows=1)
    assert squared_loss(census, reference.mdav(census, k)).percent == pytest.approx(published, abs=0.15)


@given(st.integers(0, 10**6), st.integers(2, 30), st.floats(-1e3, 1e3).filter(lambda unit: abs(unit) > 1e-3))
def test_it_is_one_minus_the_explained_share_whatever_the_units(seed, n, unit):
    """Of group means, SSE/SST = 1 − (variance between groups)/variance, averaged over the variables."""
    generator = np.random.default_rng(seed)
    original = generator.normal(size=(n, 3)) * [1, unit, 1e3] + [0, 7, 0]
    group = generator.integers(0, 3, n)
    masked = np.array([original[group == own].mean(0) for own in group])
    loss = squared_loss(original, masked)
    assert loss.percent == pytest.approx(100 * np.mean(1 - masked.var(0) / original.var(0)), abs=1e-6)
    assert list(loss.each.values()) == pytest.approx(100 * (1 - masked.var(0) / original.var(0)), abs=1e-6)
    assert loss.sst == pytest.approx(3 * n)


def test_its_ends():
    original = np.random.default_rng(0).normal(size=(20, 2))
    assert squared_loss(original, original).percent == 0
    means = np.tile(original.mean(0), (20, 1))
    assert squared_loss(original, means).percent == pytest.approx(100)
    assert squared_loss(original, np.full((20, 2), np.nan)).percent == pytest.approx(100)
    assert squared_loss(original, original + 10).percent > 1000


def test_what_does_not_vary_is_in_no_sum():
    original = np.array([[1.0, 5, np.nan], [3, 5, np.nan], [np.nan, 5, np.nan]])
    loss = squared_loss(original, original + 1)
    assert loss.each == {"1": pytest.approx(100), "2": None, "3": None}
    assert loss.percent == pytest.approx(100)
    assert squared_loss(original[:1], original[:1]).percent is None
