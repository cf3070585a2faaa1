"""MDAV against a second implementation of its text, on many small tables with and without ties."""

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from auditor.errors import DataError, UsageError
from auditor.masking import mdav_groups
from auditor.masking._mdav import mdav_of
from auditor.masking._space import Space


def mdav_by_the_text(points, k):
    """Scan all, always; ties by the lowest row: what the text says, record by record."""
    left = list(range(len(points)))
    groups = np.full(len(points), -1)
    formed = 0

    def squared(row, place):
        return sum((x - y) ** 2 for x, y in zip(points[row], place, strict=True))

    def form(around):
        nonlocal formed, left
        nearest = sorted(left, key=lambda row: (squared(row, points[around]), row))[:k]
        groups[nearest] = formed
        formed += 1
        left = [row for row in left if row not in nearest]

    def centre():
        return [fsum(column) / len(left) for column in points[left].T]

    def farthest(place):
        return min(left, key=lambda row: (-squared(row, place), row))

    while len(left) >= 3 * k:
        first = farthest(centre())
        form(first)
        form(farthest(points[first]))
    if len(left) >= 2 * k:
        form(farthest(centre()))
    groups[left] = formed
    return groups


SIZES = st.tuples(st.integers(1, 60), st.integers(1, 4))


@given(hnp.arrays(np.float64, SIZES, elements=st.integers(-4, 4).map(float)), st.data())
def test_whole_numbers_with_many_ties(points, data):
    k = data.draw(st.integers(1, len(points)))
    np.testing.assert_array_equal(mdav_groups(points, k), mdav_by_the_text(points, k))


@given(st.integers(0, 2**32), SIZES, st.sampled_from([0.0, 1.0, 3.0]), st.data())
def test_numbers_of_all_sizes(seed, size, spread, data):
    """From evenly to extremely spread (spread 3: over more than ten powers of ten)."""
    generator = np.random.default_rng(seed)
    points = generator.standard_normal(size) * np.exp(spread * generator.standard_normal(size) * 3)
    k = data.draw(st.integers(1, size[0]))
    np.testing.assert_array_equal(mdav_groups(points, k), mdav_by_the_text(points, k))


def mdav_by_scans(points, k):
    """The same by full scans of a mask of who is left, fast enough for larger tables."""
    left = np.ones(len(points), bool)
    groups = np.full(len(points), -1)

    def form(around):
        rows = np.flatnonzero(left)
        nearest = rows[np.argsort(np.square(points[rows] - points[around]).sum(axis=1), kind="stable")[:k]]
        groups[nearest] = groups.max() + 1
        left[nearest] = False

    def farthest(place):
        rows = np.flatnonzero(left)
        return rows[np.square(points[rows] - place).sum(axis=1).argmax()]

    def centre():
        return np.array([fsum(column) for column in points[left].T]) / left.sum()

    while left.sum() >= 3 * k:
        first = farthest(centre())
        form(first)
        form(farthest(points[first]))
    if left.sum() >= 2 * k:
        form(farthest(centre()))
    groups[left] = groups.max() + 1
    return groups


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 10, 400])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_larger_tables_whose_blocks_are_deep(k, offset):
    points = np.random.default_rng(k).standard_normal((2500, 3)) + offset
    np.testing.assert_array_equal(mdav_groups(points, k), mdav_by_scans(points, k))


@pytest.mark.parametrize("k", [3, 10])
def test_larger_tables_with_ties(k):
    points = np.random.default_rng(k).integers(0, 6, (2500, 4)).astype(float)
    np.testing.assert_array_equal(mdav_groups(points, k), mdav_by_scans(points, k))


@pytest.mark.parametrize("k", [3, 10])
def test_the_census_file(shared_data, k):
    values = np.loadtxt(shared_data / "census.csv", delimiter=",", skiprows=1)
    points = (values - values.mean(axis=0)) / values.std(axis=0)
    np.testing.assert_array_equal(mdav_groups(points, k), mdav_by_scans(points, k))


@pytest.mark.parametrize("far", [1e6, 1e20])
def test_close_records_beside_a_far_one(far):
    """A first look in single precision cannot tell them apart, nor a sum in double precision that held the far one."""
    points = np.random.default_rng(0).standard_normal((1500, 2)) * 1e-6
    points[17] = far
    np.testing.assert_array_equal(mdav_groups(points, 5), mdav_by_scans(points, 5))


@given(st.integers(1, 80), st.integers(1, 80))
def test_groups_have_k_to_2k_less_1_records(n, k):
    points = np.random.default_rng(n).standard_normal((n, 2))
    if n < k:
        with pytest.raises(DataError, match=f"fewer than k = {k} records"):
            mdav_groups(points, k)
        return
    sizes = np.bincount(mdav_groups(points, k))
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    assert sizes.sum() == n


def same_partition(one, other):
    return len(set(zip(one, other, strict=True))) == len(set(one)) == len(set(other))


@given(st.integers(0, 2**32))
def test_order_shift_and_scale_do_not_matter(seed):
    generator = np.random.default_rng(seed)
    points = generator.standard_normal((70, 3))
    groups = mdav_groups(points, 4)
    order = generator.permutation(70)
    assert same_partition(mdav_groups(points[order], 4), groups[order])
    assert same_partition(mdav_groups(points * 64 + 8, 4), groups)
    assert same_partition(mdav_groups(points[:, ::-1], 4), groups)


def test_equal_records_are_grouped_by_row():
    np.testing.assert_array_equal(mdav_groups(np.zeros((7, 2)), 2), [0, 0, 1, 1, 2, 2, 2])


def test_points_without_coordinates_are_all_equal():
    np.testing.assert_array_equal(mdav_groups(np.empty((4, 0)), 2), [0, 0, 1, 1])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_has_no_distance_is_refused(value):
    with pytest.raises(DataError, match="missing or infinite"):
        mdav_groups(np.array([[0.0], [value]]), 2)


def test_k_is_at_least_one():
    with pytest.raises(UsageError, match="at least one record"):
        mdav_groups(np.zeros((3, 1)), 0)


def mixed_by_the_text(space, k):
    """The same with categories: what a mean, a median and a mode are is written once more."""
    left = list(range(space.records))
    groups = np.full(space.records, -1)
    formed = 0

    def squared(row, place):
        point, codes = place
        numbers = sum((x - y) ** 2 for x, y in zip(space.points[row], point, strict=True))
        return numbers + sum(x != y for x, y in zip(space.codes[row], codes, strict=True))

    def centre():
        points = [sorted(space.points[left, column]) for column in range(space.points.shape[1])]
        point = [
            values[(len(left) - 1) // 2] if column in space.ordered else sum(values) / len(left)
            for column, values in enumerate(points)
        ]
        codes = [space.codes[left, column].tolist() for column in range(space.codes.shape[1])]
        return point, [max(sorted(set(column)), key=column.count) for column in codes]

    def at(row):
        return space.points[row], space.codes[row]

    def form(around):
        nonlocal formed, left
        nearest = sorted(left, key=lambda row: (squared(row, at(around)), row))[:k]
        groups[nearest] = formed
        formed += 1
        left = [row for row in left if row not in nearest]

    def farthest(place):
        return min(left, key=lambda row: (-squared(row, place), row))

    while len(left) >= 3 * k:
        first = farthest(centre())
        form(first)
        form(farthest(at(first)))
    if len(left) >= 2 * k:
        form(farthest(centre()))
    groups[left] = formed
    return groups


@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2), st.data())
def test_mixed_records(seed, n, numbers, ordered, nominal, data):
    """Whole numbers and quarters, so that sums are exact and ties are ties in both."""
    generator = np.random.default_rng(seed)
    space = Space(
        np.hstack([generator.integers(-3, 4, (n, numbers)) * 1.0, generator.integers(0, 5, (n, ordered)) / 4]),
        generator.integers(0, 4, (n, nominal), dtype=np.int32),
        tuple(range(numbers, numbers + ordered)),
    )
    k = data.draw(st.integers(1, n))
    np.testing.assert_array_equal(mdav_of(space, k), mixed_by_the_text(space, k))
