"""Optimal groups of one column against all partitions, in exact fractions; and runs of points in several dimensions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, UsageError
from auditor.masking import optimal_groups
from auditor.masking._path import best_runs
from auditor.masking._univariate import best_in_order, fixed_size


def sse(groups, values):
    """Exactly, of whole numbers: one or several columns."""
    rows = np.asarray(values).reshape(len(groups), -1).tolist()
    total = Fraction(0)
    for group in set(groups.tolist()):
        for column in range(len(rows[0])):
            members = [Fraction(row[column]) for row, own in zip(rows, groups.tolist(), strict=True) if own == group]
            mean = sum(members) / len(members)
            total += sum((member - mean) ** 2 for member in members)
    return total


def partitions(items, k):
    """Every partition of the items into groups of at least k."""

    def grow(rest, groups):
        if not rest:
            if all(len(group) >= k for group in groups):
                yield groups
            return
        for at in range(len(groups)):
            yield from grow(rest[1:], [*groups[:at], [*groups[at], rest[0]], *groups[at + 1 :]])
        yield from grow(rest[1:], [*groups, [rest[0]]])

    yield from grow(items, [])


def numbered(partition, n):
    groups = np.empty(n, int)
    for number, members in enumerate(partition):
        groups[members] = number
    return groups


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=7), st.data())
def test_no_partition_of_any_kind_loses_less(values, data):
    k = data.draw(st.integers(1, len(values)))
    least = min(sse(numbered(each, len(values)), values) for each in partitions(list(range(len(values))), k))
    assert sse(optimal_groups(np.array(values, float), k), values) == least


def runs(n, k):
    """Every way to cut a sequence of n into runs of at least k."""
    if n >= k:
        yield [n]
    for first in range(k, n - k + 1):
        for rest in runs(n - first, k):
            yield [first, *rest]


@given(st.integers(0, 2**32), st.integers(1, 16), st.integers(1, 3), st.data())
def test_no_cut_of_a_sequence_of_points_loses_less(seed, n, p, data):
    k = data.draw(st.integers(2 if n > 12 else 1, n)) if n > 1 else 1
    points = np.random.default_rng(seed).integers(-9, 10, (n, p))
    least = min(sse(np.repeat(np.arange(len(sizes)), sizes), points) for sizes in runs(n, k))
    assert sse(best_runs(points.astype(float), k), points) == least


@pytest.mark.parametrize("k", [1, 2, 3, 7, 40, 300, 420, 840])
def test_a_longer_column_against_a_plain_recursion(k):
    values = np.sort(np.random.default_rng(k).lognormal(0, 2, 840))
    least = [0.0] + [np.inf] * 840
    for end in range(k, 841):
        for size in range(k, min(2 * k - 1, end) + 1):
            if np.isfinite(least[end - size]):
                run = values[end - size : end]
                least[end] = min(least[end], least[end - size] + np.square(run - run.mean()).sum())
    groups = optimal_groups(values, k)
    found = sum(np.square(values[groups == group] - values[groups == group].mean()).sum() for group in set(groups))
    assert found == pytest.approx(least[840], rel=1e-9)


def test_many_blocks_of_edges(monkeypatch):
    """The same whether edges are costed a few at a time or all at once."""
    values = np.random.default_rng(0).standard_normal(500)
    together = optimal_groups(values, 4)
    monkeypatch.setattr("auditor.masking._path._CELLS", 12)
    np.testing.assert_array_equal(optimal_groups(values, 4), together)


@given(st.integers(0, 2**32), st.integers(1, 60), st.data())
def test_sizes_order_and_never_worse_than_fixed_size(seed, n, data):
    k = data.draw(st.integers(1, n))
    values = np.random.default_rng(seed).integers(-50, 50, n)
    groups = optimal_groups(values.astype(float), k)
    counts = np.bincount(groups)
    assert counts.min() >= k
    assert counts.max() < 2 * k
    assert (np.diff(groups[np.argsort(values, kind="stable")]) >= 0).all()
    assert sse(groups, values) <= sse(fixed_size(values, k), values)


@given(st.integers(0, 2**32))
def test_order_shift_and_scale_do_not_matter(seed):
    generator = np.random.default_rng(seed)
    values = generator.standard_normal(50)
    groups = optimal_groups(values, 3)
    order = generator.permutation(50)
    np.testing.assert_array_equal(optimal_groups(values[order], 3), groups[order])
    np.testing.assert_array_equal(optimal_groups(values * 64 + 8, 3), groups)


def test_small_groups_beside_a_far_value_are_still_the_best():
    """1e12 has a square beside which those of the others are nothing; their groups must be found nevertheless."""
    values = np.array([0.0, 1, 2, 10, 11, 12, 1e12, 1e12 + 1, 1e12 + 2])
    np.testing.assert_array_equal(optimal_groups(values, 3), np.repeat([0, 1, 2], 3))


def test_groups_follow_gaps_where_fixed_sizes_cut_through():
    values = np.array([1.0, 1, 1, 1, 9, 9, 9])
    np.testing.assert_array_equal(optimal_groups(values, 3), [0, 0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(fixed_size(values, 3), [0, 0, 0, 1, 1, 1, 1])


def test_fixed_size_by_hand():
    np.testing.assert_array_equal(fixed_size(np.array([5, 1, 4, 1, 3, 2, 9, 9]), 3), [1, 0, 1, 0, 1, 0, 1, 1])


def test_equal_values():
    assert np.bincount(optimal_groups(np.full(7, 0.1), 2)).min() >= 2
    assert best_in_order(np.zeros((5, 1)), np.zeros(5), 5).tolist() == [0] * 5


def test_what_cannot_be_grouped_is_refused():
    with pytest.raises(DataError, match="missing or infinite"):
        optimal_groups(np.array([0.0, np.nan]), 2)
    with pytest.raises(DataError, match="fewer than k = 3"):
        optimal_groups(np.zeros(2), 3)
    with pytest.raises(DataError, match="fewer than k = 3"):
        fixed_size(np.zeros(2), 3)
    with pytest.raises(UsageError, match="at least one record"):
        optimal_groups(np.zeros(2), 0)
