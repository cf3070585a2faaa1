"""k-means against scikit-learn, fuzzy c-means against its own equations, and the loss that compares both files."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from auditor.errors import DataError, UsageError
from auditor.utility import agreement, clustering_loss
from auditor.utility.fuzzy_c_means import fuzzy_c_means
from auditor.utility.k_means import k_means, seeded


def blobs(n=60, spread=0.3, seed=0):
    generator = np.random.default_rng(seed)
    group = np.arange(n) % 3
    return np.array([[0.0, 0], [5, 0], [0, 5]])[group] + generator.normal(scale=spread, size=(n, 2)), group


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_k_means_goes_where_scikit_learn_goes_from_the_same_start(seed, k):
    x = np.random.default_rng(seed).normal(size=(40, 3))
    start = seeded(x, k, np.random.default_rng(seed))
    found = k_means(x, k, np.random.default_rng(seed), starts=1)
    theirs = KMeans(k, init=start, n_init=1, tol=0, max_iter=300).fit(x)
    assert found.within == pytest.approx(theirs.inertia_, rel=1e-6)
    assert agreement(found.labels, theirs.labels_).adjusted_rand == 1


def test_k_means_of_fewer_points_than_clusters():
    found = k_means(np.array([[1.0], [1], [2], [2]]), 3, np.random.default_rng(0))
    assert found.within == 0
    assert agreement(found.labels, [0, 0, 1, 1]).rand == 1


@given(st.integers(0, 10**6), st.integers(2, 4), st.sampled_from([1.5, 2.0, 3.0]))
def test_fuzzy_c_means_stands_still_where_its_equations_hold(seed, k, m):
    """Both equations, written as sums over records and centres."""
    x = np.random.default_rng(seed).normal(size=(20, 2))
    found = fuzzy_c_means(x, k, np.random.default_rng(seed), m)
    assume(found.converged)
    u = found.memberships
    np.testing.assert_allclose(u.sum(1), 1)
    weights = u**m
    for c in range(k):
        centre = sum(w * point for w, point in zip(weights[:, c], x, strict=True)) / weights[:, c].sum()
        np.testing.assert_allclose(found.centres[c], centre, atol=1e-4)
    distance = np.linalg.norm(x[:, None] - found.centres, axis=2)
    for i in range(20):
        for c in range(k):
            expected = 1 / sum((distance[i, c] / distance[i, d]) ** (2 / (m - 1)) for d in range(k))
            assert u[i, c] == pytest.approx(expected, abs=1e-6)
    assert found.within == pytest.approx((weights * distance**2).sum())


def test_fuzzy_c_means_of_clear_groups_and_of_points_on_centres():
    x, group = blobs()
    found = fuzzy_c_means(x, 3, np.random.default_rng(0))
    assert found.converged
    assert agreement(found.memberships.argmax(1), group).rand == 1
    assert found.memberships.max(1).min() > 0.9
    points = fuzzy_c_means(np.array([[0.0], [0], [9], [9]]), 2, np.random.default_rng(0))
    np.testing.assert_allclose(np.sort(points.memberships, axis=1), [[0, 1]] * 4, atol=1e-9)


def test_the_same_file_has_the_same_clusters():
    x, _ = blobs(spread=2)
    loss = clustering_loss(x, x, 3)
    assert (loss.percent, loss.crisp.rand, loss.fuzzy.rand) == (0, 1, pytest.approx(1))


def test_the_more_noise_the_less_alike():
    x, _ = blobs()
    noise = np.random.default_rng(1).normal(size=x.shape)
    losses = [clustering_loss(x, x + amount * noise, 3) for amount in (0.1, 3, 100)]
    assert losses[0].percent == 0
    assert losses[0].repeated.rand == 1
    assert 0 < losses[1].percent < losses[2].percent <= 100
    assert losses[0].fuzzy.rand > losses[1].fuzzy.rand > losses[2].fuzzy.rand
    assert losses[2].percent > 90


def test_units_and_constant_columns_do_not_matter_and_seeds_do_what_they_say():
    x, _ = blobs(spread=2)
    masked = x + np.random.default_rng(1).normal(size=x.shape)
    loss = clustering_loss(x, masked, 4, seed=3)
    other = [np.column_stack([file * [1000, -0.01] + 5, np.full(len(x), 7)]) for file in (x, masked)]
    other[1][:, 2] += masked[:, 0]
    assert clustering_loss(*other, 4, seed=3).crisp == loss.crisp
    assert clustering_loss(x, masked, 4, seed=3) == loss
    seeds = [clustering_loss(x, masked, 4, seed=seed).fuzzy.jaccard for seed in range(4)]
    assert len(set(seeds)) > 1


def test_missing_values_are_in_the_middle():
    x, _ = blobs()
    masked = x.copy()
    masked[:4] = np.nan
    middle = x.copy()
    middle[:4] = x.mean(0)
    assert clustering_loss(x, masked, 3) == clustering_loss(x, middle, 3)


def test_what_cannot_be_clustered_says_why():
    with pytest.raises(UsageError, match="at least 2"):
        clustering_loss(np.eye(3), np.eye(3), 1)
    with pytest.raises(DataError, match="3 records, of which no 4 clusters"):
        clustering_loss(np.eye(3), np.eye(3), 4)
    for still in (np.ones((3, 2)), np.full((3, 1), np.nan)):
        with pytest.raises(DataError, match="no column of the original varies"):
            clustering_loss(still, still, 2)
