"""Statistics of groups, against the values themselves, and the failures of today's tools."""

import statistics as reference
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.outputs.checks.statistics import check
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.outputs import GroupStatistics, Stated, Statistic
from tests.outputs.tiny import judged, policy_of, reasons

RULE = {"type": "statistics", "min_n": 3, "extremes": "deny"}
ROWS = st.lists(st.tuples(st.sampled_from("AB"), st.integers(-3, 4)), min_size=1, max_size=14)


def published(cells, **more):
    """Cells by key: n, and statistics by name; a number may be a text, to be written as it stands."""
    found = tuple(
        Statistic(key=(key,), n=n, values=tuple((name, stated(value)) for name, value in values.items()))
        for key, (n, values) in cells.items()
    )
    return GroupStatistics(source="s", format="", sha256="", of="cost", by=("zip",), cells=found, **more)


def stated(value):
    text = str(value)
    places = len(text.partition(".")[2]) if "." in text else None
    return Stated(Fraction(text), places)


def rows_of(values, key="A"):
    return [{"zip": key, "cost": None if value is None else str(value)} for value in values]


def limits(checked):
    return {(violation.item, violation.limit) for violation in checked.violations}


@given(ROWS, st.booleans())
def test_every_limit_is_that_of_the_values(drawn, with_median) -> None:
    rows = [{"zip": zip_, "cost": str(cost)} for zip_, cost in drawn]
    by = {key: [cost for zip_, cost in drawn if key in (None, zip_)] for key in ("A", "B", None)}
    cells, expected = {}, set()
    for key, values in by.items():
        if not values:
            continue
        name, median = ("total" if key is None else f"zip={key}"), Fraction(reference.median(values))
        cells[key] = (
            len(values),
            {
                "mean": Fraction(sum(values), len(values)),
                **({"median": median} if with_median else {"max": max(values)}),
            },
        )
        if len(values) < 3:
            expected.add((name, "min_n"))
        if len(set(values)) == 1:
            expected.add((name, "identical"))
        if not with_median or values.count(median) == 1:
            expected.add((name, "extremes"))
    checked = judged(check, published(cells), policy_of(RULE), rows)
    assert limits(checked) == expected
    assert {"min_n", "identical", "extremes"} <= checked.judged
    assert not checked.open_limits


def test_a_group_whose_values_are_all_equal() -> None:
    """The mean of a group in which everybody has 7 tells everybody's value, however large the group."""
    rows = rows_of([7] * 50) + rows_of([1, 7] * 20, "B")
    output = published({"A": (50, {"mean": 7}), "B": (40, {"mean": 4})})
    checked = judged(check, output, policy_of(RULE), rows)
    assert reasons(checked) == {("zip=A", "group-disclosure")}
    assert "identical" in judged(check, output, policy_of(RULE)).open_limits


def test_a_group_whose_values_are_all_equal_is_seen_in_the_file_too() -> None:
    for values in ({"mean": 7, "std": "0.0"}, {"min": 7, "max": 7}, {"mean": 7, "max": 7}, {"range": 0}):
        checked = judged(check, published({"A": (50, values)}), policy_of({**RULE, "extremes": "allow"}))
        assert reasons(checked) == {("zip=A", "group-disclosure")}, values
    fine = judged(check, published({"A": (50, {"mean": 7, "std": "0.1"})}), policy_of(RULE))
    assert not fine.violations
    assert "identical" in fine.judged
    assert "identical" not in fine.open_limits


def test_mode_of_a_cell_of_three_people() -> None:
    policy = policy_of({**RULE, "min_n": 10})
    rows = rows_of([5, 5, 6])
    assert ("zip=A", "min_n") in limits(judged(check, published({"A": (3, {"mode": 5})}), policy, rows))
    assert ("zip=A", "min_n") in limits(judged(check, published({"A": (3, {"mode": 5})}), policy))


def test_maximum_of_a_cell_of_twenty_people_is_one_persons_value() -> None:
    for name in ("max", "min", "maximum", "p100", "first"):
        checked = judged(check, published({"A": (20, {name: 900, "std": 3})}), policy_of({**RULE, "min_n": 10}))
        assert reasons(checked) == {("zip=A", "extreme")}, name
    allowed = policy_of({**RULE, "extremes": "allow"})
    assert not judged(check, published({"A": (20, {"max": 900, "std": 3})}), allowed).violations


def test_a_percentile_that_one_person_has_is_an_extreme_and_one_that_many_have_is_not() -> None:
    rows = rows_of([*range(1, 10), *[20] * 11])
    one = judged(check, published({"A": (20, {"p10": 2, "mean": "13.25"})}), policy_of(RULE), rows)
    many = judged(check, published({"A": (20, {"p90": 20, "mean": "13.25"})}), policy_of(RULE), rows)
    between = judged(check, published({"A": (20, {"p10": "2.5", "mean": "13.25"})}), policy_of(RULE), rows)
    assert reasons(one) == {("zip=A", "extreme")}
    assert not many.violations
    assert not between.violations
    assert "extremes" in judged(check, published({"A": (20, {"p10": 2})}), policy_of(RULE)).open_limits


def test_values_of_units_are_added_up_first() -> None:
    """Three people with forty records: each has the sum of his own."""
    rows = [{"zip": "A", "cost": "1", "who": str(n % 3)} for n in range(40)]
    checked = judged(check, published({"A": (40, {"mean": 1})}), policy_of({**RULE, "min_n": 10}, unit="who"), rows)
    assert ("zip=A", "min_n") in limits(checked)
    assert not {reason for _, reason in reasons(checked)} & {"mismatch"}


def test_statistics_that_are_not_those_of_the_data_are_a_mismatch() -> None:
    rows = rows_of([1, 2, 6])
    for values in ({"mean": 4}, {"sum": 8}, {"max": 7}):
        policy = policy_of({**RULE, "extremes": "allow"})
        assert reasons(judged(check, published({"A": (3, values)}), policy, rows)) == {("zip=A", "mismatch")}
    assert not judged(check, published({"A": (3, {"mean": "3.0"})}), policy_of(RULE), rows).violations
    assert reasons(judged(check, published({"A": (4, {"mean": 3})}), policy_of(RULE), rows)) == {("zip=A", "mismatch")}


def test_records_without_a_value_stand_behind_no_statistic() -> None:
    rows = rows_of([1, 2, None, None])
    assert ("zip=A", "min_n") in limits(judged(check, published({"A": (4, {"mean": "1.5"})}), policy_of(RULE), rows))


def test_two_means_one_person_apart_tell_his_value() -> None:
    """Means with n are sums: 20 · 10.5 − 19 · 10 = 20."""
    rule = {**RULE, "differencing": True}
    everybody = published({"A": (20, {"mean": "10.5", "std": 3}), "B": (30, {"mean": 4, "std": 3})})
    but_one = published({"A": (19, {"mean": 10, "std": 3}), "B": (30, {"mean": 4, "std": 3})}, where=_ward("x"))
    checked = judged(check, but_one, policy_of(rule), before=[everybody])
    assert [(v.reason, v.reached) for v in checked.violations] == [("differencing", 1)]
    assert not judged(check, everybody, policy_of(rule), before=[everybody]).violations


def test_sums_of_few_people_follow_with_data_even_where_no_n_is_told() -> None:
    values = list(range(20))
    rows = [{"zip": "A", "cost": str(v), "ward": "x" if v else "y"} for v in values]
    everybody = published({"A": (None, {"sum": 190})})
    but_one = published({"A": (None, {"sum": 190})}, where=_ward("x"))
    rule = {**RULE, "differencing": True}
    checked = judged(check, but_one, policy_of(rule), rows, before=[everybody])
    assert [(v.reason, v.reached, v.rows) for v in checked.violations] == [("differencing", 1, (0,))]


def _ward(value):

    return frozenset([equal("ward", value)])


@pytest.mark.parametrize(
    ("name", "status"),
    [
        *((name, "fail") for name in ("max", "p100", "100%", "0%", "p100.0", "quantile_1.0", "q100", "largest")),
        *((name, "not-evaluated") for name in ("top", "99.9%", "p99.9", "my_statistic")),
        *((name, "pass") for name in ("mean", "std", "range", "Sum")),
    ],
)
def test_an_extreme_under_any_name_does_not_pass(name: str, status: str) -> None:
    output = {"type": "statistics", "of": "cost", "by": [], "cells": [{"key": [], "n": 20, name: 10}]}
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"cost": "sensitive"},
        "outputs": [{"type": "statistics", "extremes": "deny", "identical": "allow"}],
    }
    assert check_outputs(output, policy).requirements[0].status == status
