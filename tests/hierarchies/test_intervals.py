"""Intervals, worked by hand from the contract: labels, cut bounds, exact decimals, and what is refused."""

import pytest

from auditor.errors import DataError, HierarchyError
from auditor.hierarchies import TOP, build, hierarchy

AGE = {"intervals": {"widths": [5, 10, 20], "start": 0, "bottom": 15, "top": 90}}


def labels(spec, value, others=("-1000", "1000")):
    """The labels of one value at level 1, 2, … in a column that has others too."""
    ladder = build(spec, [value, *others], "age")
    return [level[0] for level in ladder.levels[1:]]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("14.99", ["<15", "<15", "<15", "*"]),
        ("15", ["[15, 20)", "[15, 20)", "[15, 20)", "*"]),  # bottom cuts [10, 20) and [0, 20)
        ("20", ["[20, 25)", "[20, 30)", "[20, 40)", "*"]),
        ("39", ["[35, 40)", "[30, 40)", "[20, 40)", "*"]),
        ("85", ["[85, 90)", "[80, 90)", "[80, 90)", "*"]),  # top cuts [80, 100)
        ("90", [">=90", ">=90", ">=90", "*"]),
        ("-7", ["<15", "<15", "<15", "*"]),
    ],
)
def test_bounds_hold_from_level_1_and_cut_intervals_keep_the_cut_bound(value, expected):
    assert labels(AGE, value) == expected


def test_intervals_run_on_below_their_start():
    assert labels({"intervals": {"widths": [10], "start": 5}}, "-6")[0] == "[-15, -5)"
    assert labels({"intervals": {"widths": [10], "start": 5}}, "-5")[0] == "[-5, 5)"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0.3", "[0.3, 0.4)"), ("0.29999999999999999999999", "[0.2, 0.3)"), ("0.7", "[0.7, 0.8)"), ("1e-1", "[0.1, 0.2)")],
)
def test_numbers_are_exact_decimals(value, expected):
    assert labels({"intervals": {"widths": [0.1]}}, value)[0] == expected


@pytest.mark.parametrize("value", ["9007199254740993", "123456789012345678901234567890"])
def test_large_integers_keep_every_digit(value):
    assert labels({"intervals": {"widths": [1]}}, value)[0] == f"[{value}, {int(value) + 1})"


def test_the_far_ends_of_float64_are_numbers():
    ladder = build({"intervals": {"widths": [5]}}, ["1.7976931348623157e308", "5e-324", "-5e-324"], "x")
    assert ladder.levels[1][1:] == ("[0, 5)", "[-5, 0)")


@pytest.mark.parametrize(
    "value", ["abc", "", "nan", "inf", "-Infinity", "1_000", "1e999", "٣", "1e", "[20, 26)", "1,5"]
)
def test_what_is_not_a_number_is_counted_and_not_repeated(value):
    with pytest.raises(DataError) as error:
        build(AGE, ["1", value, value + " "], "age")
    assert "column 'age': holds values that are not numbers" in str(error.value)
    assert not value or f"{value!r}" not in str(error.value)


def test_a_star_is_added_unless_the_last_level_has_one_value():
    assert build(AGE, ["21", "39"], "age").height == 3
    assert build(AGE, ["21", "41"], "age").height == 4
    assert build(AGE, ["21"], "age").height == 3


def test_a_missing_value_joins_at_the_star_only():
    ladder = build(AGE, ["21", None, "39"], "age")
    assert ladder.levels[3:] == (("[20, 40)", None, "[20, 40)"), ("*", "*", "*"))


def test_an_interval_as_a_value_stays_up_to_its_own_level():
    assert labels(AGE, "[20, 30)") == ["[20, 30)", "[20, 30)", "[20, 40)", "*"]
    assert labels(AGE, "*") == ["*", "*", "*", "*"]


@pytest.mark.parametrize(
    ("label", "level"),
    [
        ("17", 0),
        ("[20, 25)", 1),
        ("[20, 30)", 2),
        ("[20, 40)", 3),
        ("[15, 20)", 3),  # stands on all three levels: the coarsest counts
        ("<15", 3),
        (">=90", 3),
        ("*", TOP),
        ("[20, 26)", None),
        ("[21, 26)", None),
        ("[10, 15)", None),  # below the bottom there is only <15
        ("<20", None),
        ("old", None),
    ],
)
def test_labels_are_understood_without_the_values(label, level):
    assert hierarchy(AGE).level_of(label) == level


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"widths": []}, "at least one width"),
        ({"widths": [5, 7]}, "7 is not a multiple of the one before, 5"),
        ({"widths": [5, 5]}, "not a multiple"),
        ({"widths": [0]}, "each above 0"),
        ({"widths": [5], "bottom": 9, "top": 9}, "bottom 9 is not below top 9"),
        ({"widths": [float("inf")]}, "not a finite number"),
        ({"widths": ["five"]}, "not a finite number"),
    ],
)
def test_a_wrong_ladder_is_refused(options, word):
    with pytest.raises(HierarchyError, match=word):
        hierarchy({"intervals": options})


def test_decimal_widths_nest_exactly():
    hierarchy({"intervals": {"widths": [0.1, 0.3]}})  # in binary floating point 0.3 % 0.1 is not 0
