"""Agreement of partitions against loops over pairs, scikit-learn, and on crisp partitions each other."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from auditor.errors import UsageError
from auditor.utility import agreement, fuzzy_agreement

LABELS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=14)


def split(rows):
    return [np.array(part) for part in zip(*rows, strict=True)]


@given(LABELS)
def test_pairs_are_what_a_loop_counts(rows):
    first, second, _ = split(rows)
    found = agreement(first, second)
    counts = [(first[i] == first[j], second[i] == second[j]) for i, j in itertools.combinations(range(len(rows)), 2)]
    assert (found.both, found.first, found.second, found.neither) == tuple(
        counts.count(kind) for kind in ((True, True), (True, False), (False, True), (False, False))
    )


@given(LABELS)
def test_indices_are_those_of_scikit_learn(rows):
    first, second, _ = split(rows)
    found = agreement(first, second)
    assert found.rand == pytest.approx(metrics.rand_score(first, second))
    assert found.adjusted_rand == pytest.approx(metrics.adjusted_rand_score(first, second))
    if found.both:
        assert found.fowlkes_mallows == pytest.approx(metrics.fowlkes_mallows_score(first, second))
        assert found.jaccard == found.both / (found.both + found.first + found.second)


def test_the_same_partition_agrees_also_where_nobody_is_together():
    for labels in ([0], [0, 1, 2], [3, 3, 3], [0, 0, 1]):
        same = agreement(labels, ["abcd"[label] for label in labels])
        assert (same.rand, same.adjusted_rand, same.jaccard, same.fowlkes_mallows) == (1, 1, 1, 1)
    none = agreement([0, 1, 2], [0, 0, 0])
    assert (none.rand, none.adjusted_rand, none.jaccard, none.fowlkes_mallows) == (0, 0, 0, 0)


def test_millions_of_records_are_counted_exactly():
    n = 4_000_000
    halves = np.repeat([0, 1], n // 2)
    found = agreement(halves, np.zeros(n, int))
    assert found.both == 2 * math.comb(n // 2, 2)
    assert found.second == (n // 2) ** 2
    assert found.adjusted_rand == 0


@given(LABELS)
def test_on_crisp_partitions_the_fuzzy_indices_are_the_crisp_ones(rows):
    first, second, _ = split(rows)
    crisp, fuzzy = agreement(first, second), fuzzy_agreement(np.eye(4)[first], np.eye(5)[second + 1])
    assert fuzzy.rand == pytest.approx(crisp.rand)
    assert fuzzy.jaccard == pytest.approx(crisp.jaccard)


def memberships(seed, n, k):
    return np.random.default_rng(seed).dirichlet(np.full(k, 0.5), n)


@given(st.integers(0, 10**6), st.integers(2, 9))
def test_fuzzy_indices_are_what_a_loop_over_pairs_finds(seed, n):
    u, v = memberships(seed, n, 3), memberships(seed + 1, n, 2)
    together = [
        [
            1 - sum(abs(a - b) for a, b in zip(w[i], w[j], strict=True)) / 2
            for i, j in itertools.combinations(range(n), 2)
        ]
        for w in (u, v)
    ]
    apart = [abs(one - other) for one, other in zip(*together, strict=True)]
    found = fuzzy_agreement(u, v)
    assert found.rand == pytest.approx(1 - sum(apart) / len(apart))
    assert found.jaccard == pytest.approx(sum(map(min, *together)) / sum(map(max, *together)))


@given(st.integers(0, 10**6))
def test_fuzzy_disagreement_is_a_pseudometric(seed):
    u, v, w = (memberships(seed + part, 8, 3) for part in range(3))

    def apart(one, other):
        return 1 - fuzzy_agreement(one, other).rand

    assert apart(u, u[:, [2, 0, 1]]) == pytest.approx(0)
    assert fuzzy_agreement(u, u).jaccard == pytest.approx(1)
    assert apart(u, v) == pytest.approx(apart(v, u))
    assert apart(u, w) <= apart(u, v) + apart(v, w) + 1e-12


def test_many_records_are_compared_in_blocks():
    """More than one block, and the last one partly filled; against all pairs at once."""
    u, v = memberships(1, 1100, 3), memberships(2, 1100, 3)
    one, other = (1 - np.abs(w[:, None] - w).sum(2)[np.triu_indices(1100, 1)] / 2 for w in (u, v))
    assert fuzzy_agreement(u, v).rand == pytest.approx(1 - np.abs(one - other).mean())


def test_what_is_no_partition_of_the_same_records_is_refused():
    with pytest.raises(UsageError, match="of 2 and of 3 records"):
        agreement([0, 1], [0, 1, 2])
    with pytest.raises(UsageError, match="2 dimensions"):
        agreement(np.eye(2), [0, 1])
    with pytest.raises(UsageError, match="of 2 and of 3 records"):
        fuzzy_agreement(np.eye(2), np.eye(3))
    for wrong in (np.ones((2, 2)), np.array([[2.0, -1]]), np.ones(2)):
        with pytest.raises(UsageError, match="one row of sum 1"):
            fuzzy_agreement(wrong, np.eye(2))
