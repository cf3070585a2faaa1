"""Local suppression: groups counted again by definition, costs beside whole keys and beside the optimum."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pydantic import ValidationError

from auditor.errors import DataError
from auditor.masking._key_groups import over_subsets, sizes_by_value, sizes_by_wildcard
from auditor.masking.local_suppression import LocalSuppression
from auditor.microdata import MISSING, Categorical, Microdata, Numeric

ANY = np.random.default_rng(0)
MEANINGS = ["value", "wildcard"]
TABLES = hnp.arrays(np.int64, st.tuples(st.integers(1, 14), st.integers(1, 4)), elements=st.integers(0, 3))


def agrees(one, other, missing):
    return all(a == b or (missing == "wildcard" and 0 in (a, b)) for a, b in zip(one, other, strict=True))


def groups(keys, missing):
    """How many records agree with each, by definition."""
    return np.array([sum(agrees(one, other, missing) for other in keys) for one in keys])


def table(keys):
    """Keys with 0 for missing: every other column numbers, the rest categories; and a column that is not a key."""
    columns = [
        Numeric(f"c{j}", np.where(column == 0, np.nan, column / 10))
        if j % 2
        else Categorical(f"c{j}", (column - 1).astype(np.int32), ("x", "y", "z"), ordered=True)
        for j, column in enumerate(keys.T)
    ]
    return Microdata((*columns, Numeric("other", np.arange(len(keys), dtype=float))))


def suppressed(keys, k, missing, **kind):
    """The keys after suppression, read back from the masked table; what is not suppressed must be as it was."""
    data = table(np.asarray(keys))
    names = data.names[:-1]
    masked = LocalSuppression(attributes=names, k=k, missing=missing, **kind).masked(data, ANY)
    assert masked["other"] is data["other"]
    after = np.where(np.column_stack([masked[name].missing for name in names]), 0, keys)
    for name, column in zip(names, after.T, strict=True):
        if isinstance(data[name], Numeric):
            np.testing.assert_array_equal(masked.numeric(name).values, np.where(column == 0, np.nan, column / 10))
        else:
            np.testing.assert_array_equal(masked.categorical(name).codes, column - 1)
            assert masked.categorical(name).labels == ("x", "y", "z")
    return after


@given(TABLES)
def test_groups_are_counted_as_defined(keys):
    np.testing.assert_array_equal(sizes_by_value(keys), groups(keys, "value"))
    np.testing.assert_array_equal(sizes_by_wildcard(keys), groups(keys, "wildcard"))


def test_sums_over_subsets_by_hand():
    """Elements {0} and {1}: of ∅, {0}, {1}, {0, 1} with 1, 10, 100, 1000."""
    np.testing.assert_array_equal(over_subsets(np.array([1, 10, 100, 1000])), [1, 11, 101, 1111])


@pytest.mark.parametrize("missing", MEANINGS)
@given(keys=TABLES, data=st.data())
def test_every_group_has_k_and_whole_keys_are_no_cheaper(missing, keys, data):
    k = data.draw(st.integers(2, max(len(keys), 2)))
    if len(keys) < k:
        with pytest.raises(DataError, match="fewer than k = 2 records"):
            suppressed(keys, k, missing)
        return
    costs = np.array([data.draw(st.sampled_from([1.0, 2.5, 10])) for _ in range(keys.shape[1])])
    after = suppressed(keys, k, missing, importance={f"c{j}": cost for j, cost in enumerate(costs)})
    assert groups(after, missing).min() >= k
    whole = np.where((groups(keys, missing) < k)[:, None], 0, keys)
    if groups(whole, missing).min() >= k:
        assert ((after != keys) @ costs).sum() <= ((whole != keys) @ costs).sum() + 1e-9


@given(TABLES, st.randoms())
def test_no_cell_is_suppressed_where_every_group_has_k(keys, random):
    keys = np.repeat(keys, 3, axis=0)
    random.shuffle(rows := list(range(len(keys))))
    np.testing.assert_array_equal(suppressed(keys[rows], 3, "value"), keys[rows])


def least(keys, k, missing):
    """The least number of cells, by trying all sets of cells."""
    n, m = keys.shape
    cells = ((np.arange(2 ** (n * m))[:, None] >> np.arange(n * m)) & 1).astype(bool).reshape(-1, n, m)
    after = np.where(cells, 0, keys)
    left, right = after[:, :, None, :], after[:, None, :, :]
    equal = left == right
    if missing == "wildcard":
        equal |= (left == 0) | (right == 0)
    smallest = equal.all(axis=3).sum(axis=2).min(axis=1)
    return cells.sum(axis=(1, 2))[smallest >= k].min()


@pytest.mark.parametrize(("missing", "most"), [("value", 1.1), ("wildcard", 1.2)])
def test_costs_beside_the_optimum_of_tiny_tables(missing, most):
    """A report on the heuristic, with a bound: over 60 tables of up to 12 cells, so much more than the optimum."""
    generator = np.random.default_rng(5)
    ours = best = 0
    for n, m in [(5, 2), (6, 2), (4, 3)] * 20:
        keys = generator.integers(1, 4, (n, m))
        optimum = least(keys, 2, missing)
        found = np.sum(suppressed(keys, 2, missing) != keys)
        assert found >= optimum
        ours, best = ours + found, best + optimum
    assert best > 0
    assert ours <= most * best


def test_by_hand():
    """x1 x1 x2: as wildcards one cell makes all three pairs; as a value of its own, missing needs two like it."""
    keys = np.array([[1, 1], [1, 1], [1, 2]])
    np.testing.assert_array_equal(suppressed(keys, 2, "wildcard"), [[1, 1], [1, 1], [1, 0]])
    after = suppressed(keys, 2, "value")
    assert np.sum(after != keys) == 3
    assert groups(after, "value").min() == 3


def test_what_is_important_is_kept():
    """Four records in a square differ in one column from two others; the dear column is kept, whichever it is."""
    square = np.array([[1, 1], [1, 2], [2, 1], [2, 2]])
    for missing in MEANINGS:
        for dear, cheap in ((0, 1), (1, 0)):
            after = suppressed(square, 2, missing, importance={f"c{dear}": 5.0})
            assert np.all(after[:, dear] != 0)
            assert np.any(after[:, cheap] == 0)


@pytest.mark.parametrize("missing", MEANINGS)
def test_edges(missing):
    constant = np.ones((5, 2), int)
    np.testing.assert_array_equal(suppressed(constant, 5, missing), constant)
    gone = np.zeros((3, 2), int)
    np.testing.assert_array_equal(suppressed(gone, 3, missing), gone)
    assert suppressed(np.zeros((0, 2), int), 2, missing).shape == (0, 2)
    different = np.arange(1, 4)[:, None]
    assert groups(suppressed(different, 3, missing), missing).min() == 3
    with pytest.raises(DataError, match="fewer than k = 4 records"):
        suppressed(different, 4, missing)
    with pytest.raises(DataError, match="importance names column 'other', which is not among the masked ones"):
        suppressed(constant, 2, missing, importance={"other": 2.0})
    with pytest.raises(DataError, match="13 key columns; local suppression takes at most 12"):
        suppressed(np.ones((3, 13), int), 2, missing)


def test_a_group_is_given_up_where_none_can_spare_anybody():
    """Two groups of exactly k and a record alone: a group goes, and that is the least there is."""
    keys = np.array([[1, 1], [1, 1], [2, 2], [2, 2], [3, 3]])
    after = suppressed(keys, 2, "value")
    assert np.sum(after != keys) == 6
    assert least(keys, 2, "value") == 6


def test_a_group_that_can_spare_somebody_stays():
    keys = np.array([[1, 1], [1, 1], [1, 1], [2, 2], [2, 2], [1, 3]])
    after = suppressed(keys, 2, "value")
    assert np.sum(after != keys) == 2
    np.testing.assert_array_equal(after[5], [1, 0])


@pytest.mark.parametrize("missing", MEANINGS)
def test_a_household_survey(missing, shared_data):
    """4,580 records, seven keys: much less than whole keys, and every group counted again by the other method."""
    rows = np.genfromtxt(shared_data / "testdata.csv", delimiter=",", names=True)
    names = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
    data = Microdata(tuple(Numeric(name, rows[name].astype(float)) for name in names))
    masked = LocalSuppression(attributes=names, k=3, missing=missing).masked(data, ANY)
    keys, after = (np.nan_to_num(each.numbers(names)).astype(int) for each in (data, masked))
    patterns, weights = np.unique(after, axis=0, return_counts=True)
    equal = patterns[:, None] == patterns[None]
    if missing == "wildcard":
        equal |= (patterns[:, None] == 0) | (patterns[None] == 0)
    assert (equal.all(axis=2) @ weights).min() >= 3
    whole = len(names) * np.sum(groups_of_equal(keys) < 3)
    assert np.sum(after != keys) < 0.25 * whole


def groups_of_equal(keys):
    _, inverse, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    return counts[inverse.ravel()]


def test_codes_of_missing_categories():
    data = table(np.array([[1, 1], [2, 2]]))
    masked = LocalSuppression(attributes=("c0",), k=2).masked(data, ANY)
    np.testing.assert_array_equal(masked.categorical("c0").codes, [MISSING, MISSING])
    assert masked["c1"] is data["c1"]
    with pytest.raises(ValidationError, match="importance is above 0"):
        LocalSuppression(attributes=("c0",), k=2, importance={"c0": 0.0})
