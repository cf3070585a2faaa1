"""The variants of microaggregation: what order they sort by, what they group, what they refuse."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from auditor.errors import DataError
from auditor.masking import optimal_groups
from auditor.masking._variants import VARIANTS
from auditor.masking.microaggregation import Microaggregation
from auditor.microdata import Categorical, Microdata, Numeric

ANY = np.random.default_rng(0)
PROJECTED = ["principal-component", "z-scores", "first"]
BY_COLUMN = ["individual-ranking", "optimal"]


def table(values):
    return Microdata(tuple(Numeric(f"c{column}", values[:, column].copy()) for column in range(values.shape[1])))


def correlated(seed, n=14, p=3):
    generator = np.random.default_rng(seed)
    return generator.standard_normal((n, p)) @ generator.standard_normal((p, p))


def sse(values, groups):
    return sum(np.square(values[groups == each] - values[groups == each].mean(axis=0)).sum() for each in set(groups))


def score(variant, z):
    """The number that records are sorted by, by other means than the product's."""
    if variant == "principal-component":
        return z @ np.linalg.svd(z)[2][0]
    return z.sum(axis=1) if variant == "z-scores" else z[:, 0]


def cuts(n, k):
    if n >= k:
        yield [n]
    for first in range(k, n - k + 1):
        for rest in cuts(n - first, k):
            yield [first, *rest]


@pytest.mark.parametrize("variant", PROJECTED)
@given(st.integers(0, 2**32))
def test_projected_groups_are_the_best_runs_of_the_projection(variant, seed):
    values = correlated(seed)
    data = table(values)
    method = Microaggregation(attributes=data.names, k=3, variant=variant)
    groups = method.groups(data)[data.names]
    z = (values - values.mean(axis=0)) / values.std(axis=0)
    order = np.argsort(score(variant, z))
    runs = [np.repeat(np.arange(len(sizes)), sizes) for sizes in cuts(14, 3)]
    assert sse(z, groups) == pytest.approx(min(sse(z[order], run) for run in runs))
    in_order = groups[order]
    assert sum(one != other for one, other in pairwise(in_order)) == groups.max()


@pytest.mark.parametrize("variant", PROJECTED)
def test_one_column_is_projected_to_itself(variant):
    values = correlated(5, 60, 1)
    groups = Microaggregation(attributes=("c0",), k=4, variant=variant).groups(table(values))["c0",]
    best = optimal_groups(values[:, 0], 4)
    assert sse(values, groups) == pytest.approx(sse(values, best))


def test_columns_by_themselves():
    data = table(correlated(1, 50, 4))
    for variant in BY_COLUMN:
        method = Microaggregation(attributes=("c3", "c1"), k=4, variant=variant)
        assert list(method.groups(data)) == [("c1",), ("c3",)]
        masked = method.masked(data, ANY)
        assert masked["c0"] is data["c0"]
        alone = Microaggregation(attributes=("c3",), k=4, variant=variant).masked(data, ANY)
        np.testing.assert_array_equal(masked.numeric("c3").values, alone.numeric("c3").values)


@given(st.integers(0, 2**32), st.integers(2, 30))
def test_optimal_never_loses_more_than_individual_ranking(seed, k):
    values = correlated(seed, 30, 2)
    data = table(values)

    def lost(variant):
        masked = Microaggregation(attributes=data.names, k=k, variant=variant).masked(data, ANY)
        return np.square(masked.numbers(data.names) - values).sum(axis=0)

    assert (lost("optimal") <= lost("individual-ranking") * (1 + 1e-12)).all()


def test_individual_ranking_by_hand():
    data = Microdata((Numeric("a", np.array([10.0, 1, 8, 3, 30, 2, 9])),))
    masked = Microaggregation(attributes=("a",), k=3, variant="individual-ranking").masked(data, ANY)
    np.testing.assert_allclose(masked.numeric("a").values, [14.25, 2, 14.25, 2, 14.25, 2, 14.25])


def test_individual_ranking_of_ordered_categories():
    data = Microdata((Categorical("a", np.array([0, 3, 1, 3, 2, 0], np.int32), tuple("wxyz"), ordered=True),))
    masked = Microaggregation(attributes=("a",), k=3, variant="individual-ranking").masked(data, ANY)
    assert masked["a"].codes.tolist() == [0, 3, 0, 3, 3, 0]


@pytest.mark.parametrize("variant", list(VARIANTS))
@given(st.integers(0, 2**32), st.integers(2, 20))
def test_what_every_variant_keeps(variant, seed, k):
    """The means, and at least k records with each masked value."""
    data = table(correlated(seed, 20, 3))
    masked = Microaggregation(attributes=data.names, k=k, variant=variant).masked(data, ANY)
    before, after = data.numbers(data.names), masked.numbers(data.names)
    np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0), atol=1e-12)
    for column in after.T:
        assert np.unique(column, return_counts=True)[1].min() >= k


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_constant_columns_and_equal_records(variant):
    data = Microdata((Numeric("one", np.full(9, 0.1)), Numeric("a", np.repeat([1.5, 2.5, 7.1], 3))))
    masked = Microaggregation(attributes=data.names, k=3, variant=variant).masked(data, ANY)
    np.testing.assert_array_equal(masked.numeric("one").values, np.full(9, 0.1))
    np.testing.assert_array_equal(masked.numeric("a").values, data.numeric("a").values)


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_fewer_than_k_records_and_missing_values_are_refused(variant):
    method = Microaggregation(attributes=("a",), k=3, variant=variant)
    with pytest.raises(DataError, match="fewer than k = 3 records"):
        method.masked(Microdata((Numeric("a", np.arange(2.0)),)), ANY)
    with pytest.raises(DataError, match="column 'a' has missing values"):
        method.masked(Microdata((Numeric("a", np.array([0, 1, 2, np.nan])),)), ANY)


@pytest.mark.parametrize("variant", [*PROJECTED, *BY_COLUMN])
def test_categories_where_they_have_no_meaning(variant):
    data = Microdata((Categorical("a", np.zeros(9, np.int32), ("x",)),))
    with pytest.raises(DataError, match="column 'a' holds categories"):
        Microaggregation(attributes=("a",), k=3, variant=variant).masked(data, ANY)


@pytest.mark.parametrize("variant", BY_COLUMN)
def test_a_group_of_columns_has_no_meaning_by_column(variant):
    with pytest.raises(ValidationError, match="aggregates each column by itself"):
        Microaggregation(attributes=("a",), k=3, variant=variant, group=2)
    assert Microaggregation(attributes=("a",), k=3, variant=variant, group=1).group == 1


def test_the_policy_can_name_every_variant():
    allowed = Microaggregation.model_json_schema()["properties"]["variant"]["enum"]
    assert allowed == list(VARIANTS)
