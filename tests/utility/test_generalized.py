"""Distortion, certainty penalty and mixed loss on small hierarchies, against the published form of the distance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError, UsageError
from auditor.hierarchies import Ladder, build
from auditor.microdata import Categorical, Microdata, Numeric
from auditor.utility import category_penalty, distortion, interval_penalty, mixed_loss, squared_loss
from tests.utility.columns import column

WORLD = {"tree": {"World": {"Europe": {"North": ["DK", "SE"], "South": ["ES"]}, "Moon": ["M"]}}}


def weighted(h, p, q, beta):
    """WHD(p, q) as printed: levels 1 (root) to h (leaves), from p up to q, w_{j,j−1} = 1/(j−1)^beta."""
    weight = {j: 1 / (j - 1) ** beta for j in range(2, h + 1)}
    return sum(weight[j] for j in range(q + 1, p + 1)) / sum(weight.values())


@given(st.floats(0, 4), st.integers(0, 3))
def test_distortion_is_the_published_distance(beta, up):
    path = ("DK", "North", "Europe", "World")
    before, after = column("a", ["DK"]), column("a", [path[up]])
    found = distortion(before, after, build(WORLD, ["DK"]), beta)
    assert found.tolist() == pytest.approx([weighted(4, 4, 4 - up, beta)])


def test_a_short_branch_has_its_own_length_and_what_cannot_be_said_is_1():
    before = column("a", ["M", "M", "DK", "DK", "DK", None, None, "M"])
    after = column("a", ["M", "World", "SE", None, "Europe", None, "World", "Moon"])
    found = distortion(before, after, build(WORLD, ["DK", "M", None]))
    assert found.tolist() == pytest.approx([0, 1, 1, 1, 2 / 3, 0, 1, 1 / 2])


def test_a_value_with_nothing_above_it():
    ladder = Ladder((("x",),), (np.ones(1, int),), 1, lambda _: 0)
    assert distortion(column("a", ["x", "x", "x"]), column("a", ["x", None, "y"]), ladder).tolist() == [0, 1, 1]


def test_what_has_no_distance_says_why():
    ladder = build(WORLD, ["DK"])
    one = column("a", ["DK"])
    with pytest.raises(UsageError, match="beta is -1"):
        distortion(one, one, ladder, -1)
    with pytest.raises(DataError, match="1 records and the original 2"):
        distortion(column("a", ["DK", "DK"]), one, ladder)
    with pytest.raises(DataError, match="column 'a' holds a value that its hierarchy was not built for"):
        distortion(column("a", ["SE"]), one, ladder)


def test_certainty_of_intervals():
    """Of a range from 10 to 30: exact, a half, wider than all, suppressed."""
    original = Numeric("a", np.array([10.0, 30, 20, np.nan]))
    low, high = np.array([10.0, 20, 0, np.nan]), np.array([10.0, 30, 99, 5])
    assert interval_penalty(original, low, high).tolist() == [0, 0.5, 1, 1]
    flat = Numeric("a", np.array([7.0, 7]))
    assert interval_penalty(flat, np.array([0.0, np.nan]), np.array([9.0, 9])).tolist() == [0, 1]
    for data, ends, message in (
        (Numeric("a", np.array([np.nan])), (low[:1], high[:1]), "holds no value"),
        (original, (low, high[:2]), "4 and 2 ends"),
        (original, (high, low), "ends before it begins"),
    ):
        with pytest.raises(DataError, match=message):
            interval_penalty(data, *ends)


def test_certainty_of_categories():
    """Four leaves: a country is certain, the North leaves 2 of 4, Europe 3 of 4."""
    ladder = build(WORLD, ["DK", "SE", "ES", "M"])
    masked = column("a", ["DK", "North", "South", "Europe", "World", "Moon", None])
    assert category_penalty(masked, ladder).tolist() == [0, 2 / 4, 0, 3 / 4, 1, 0, 1]
    with pytest.raises(DataError, match="column 'a' holds a label that is not in its hierarchy"):
        category_penalty(column("a", ["Mars"]), ladder)
    unused = Categorical("a", np.array([0], np.int32), ("DK", "Mars"))
    assert category_penalty(unused, ladder).tolist() == [0]


def test_mixed_loss_weighs_every_variable_alike():
    original = Microdata(
        (Numeric("x", np.array([1.0, 3, 5, 7])), column("a", ["DK", "DK", "ES", "M"]), Numeric("c", np.ones(4)))
    )
    masked = Microdata(
        (column("a", ["North", "DK", "World", "M"]), Numeric("x", np.array([2.0, 2, 6, 6])), Numeric("c", np.ones(4)))
    )
    loss = mixed_loss(original, masked, {"a": build(WORLD, ["DK", "ES", "M"])})
    assert loss.numeric == pytest.approx(
        squared_loss(np.array([[1.0], [3], [5], [7]]), np.array([[2.0], [2], [6], [6]])).percent / 100
    )
    assert loss.categorical == pytest.approx((1 / 3 + 0 + 1 + 0) / 4)
    assert loss.total == pytest.approx((loss.numeric + loss.categorical) / 2)
    assert list(loss.each) == ["x", "a", "c"]
    assert loss.each["c"] is None
    same = mixed_loss(original, original, {"a": build(WORLD, ["DK", "ES", "M"])})
    assert (same.total, same.numeric, same.categorical) == (0, 0, 0)


def test_mixed_loss_of_one_kind_alone_and_of_none():
    numbers = Microdata((Numeric("x", np.array([1.0, 3])),))
    loss = mixed_loss(numbers, Microdata((Numeric("x", np.array([2.0, 2])),)), {})
    assert (loss.total, loss.numeric, loss.categorical) == (1, 1, None)
    names = Microdata((column("a", ["DK"]),))
    assert mixed_loss(names, names, {"a": build(WORLD, ["DK"])}).numeric is None
    for data, masked, message in (
        (Microdata(()), numbers, "no columns"),
        (names, names, "column 'a' has no hierarchy"),
        (names, Microdata((column("a", ["DK", "DK"]),)), "2 records and the original 1"),
        (names, Microdata((Numeric("a", np.ones(1)),)), "column 'a' of the masked table holds numbers"),
    ):
        with pytest.raises(DataError, match=message):
            mixed_loss(data, masked, {})
