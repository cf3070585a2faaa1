"""Columns of yes and no that ask for a number by their names: nobody is over 66 without being over 65."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.outputs._assumptions import FREE
from auditor.outputs.published.quantities import AGE, quantity_of
from auditor.result import Verdict

LEAST = 4
POLICY = {
    "version": 1,
    "name": "p",
    "attributes": {"sex": "insensitive"},
    "outputs": [{"type": "frequency-table", "min_cell": LEAST, "differencing": True}],
}


def table(by, counts, where=()):
    cells = [{"key": [key], "count": count} for key, count in counts.items()]
    return {"type": "frequency-table", "by": [by], "cells": cells, "where": where}


def reached(*tables):
    result = check_outputs(list(tables), POLICY)
    return {v.reached for output in result.outputs for v in output.violations}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("over65", {"yes": 40, "no": 60}), ("over66", {"yes": 37, "no": 63})),
        (("age>=65", {"1": 40, "0": 60}), ("isOver65", {"True": 37, "False": 63})),
        (("age_ge_65", {"1.0": 40, "0.0": 60}), ("AGE_66_PLUS", {"ja": 37, "nein": 63})),
        (("under_65", {"y": 60, "n": 40}), ("over_65_flag", {"y": 37, "n": 63})),
        (("over65", {"yes": 40}), ("over66", {"yes": 37})),
        (("bmi_over_30", {"t": 40, "f": 60}), ("bmi.gt.31", {"t": 37, "f": 63})),
        (("age_group", {"0-64": 60, "65+": 40}), ("age >= 66", {"1": 37, "0": 63})),
        (("age_group", {"under 65": 60, "65+": 40}), ("AgeBand", {"0-65": 63, "66 and over": 37})),
        (("mortality_30d", {"yes": 40, "no": 60}), ("mortality_28_days", {"yes": 37, "no": 63})),
        (("died_in_30_days", {"yes": 40, "no": 60}), ("died_within_28_days", {"1": 37, "0": 63})),
        (("group", {"over65": 40, "under66": 60}), ("group", {"over66": 37, "under67": 63})),
    ],
)
def test_the_difference_of_two_thresholds_is_a_group(first, second) -> None:
    assert reached(table(*first), table(*second)) == {3}


@pytest.mark.parametrize(
    "names",
    [("over65", "bmi_over_66"), ("over65", "ill"), ("q65", "q66"), ("ward65", "ward66"), ("scan_3d", "scan_2d")],
)
def test_other_quantities_are_not_nested(names) -> None:
    """Over 65, and a body mass index over 66: nobody knows how these lie."""
    assert not reached(table(names[0], {"1": 40, "0": 60}), table(names[1], {"1": 37, "0": 63}))


def test_filters_by_thresholds() -> None:
    """60 men under 65 and 63 under 66, whether the filter is a comparison or a column that asks for one."""
    women = {"F": 40}
    cut = [[["age", "<", "65"]], [["age", "<", "66"]]]
    asked = [[["under_65", "=", "yes"]], [["under66", "=", "yes"]]]
    for one in (cut[0], asked[0]):
        for other in (cut[1], asked[1]):
            assert reached(table("sex", women | {"M": 60}, one), table("sex", women | {"M": 63}, other)) == {3}


def test_a_filter_and_its_complement_beside_the_whole() -> None:
    """160 men of whom 100 are under 65 and 57 are not: of three nobody says how old they are."""
    whole, under = table("sex", {"F": 80, "M": 160}), table("sex", {"F": 40, "M": 100}, [["age", "<", "65"]])
    assert reached(whole, under, table("sex", {"F": 40, "M": 57}, [["age", ">=", "65"]])) == {3}
    assert not reached(whole, under, table("sex", {"F": 40, "M": 60}, [["age", ">=", "65"]]))


SPELLED = ("over{}", "age > {}", "age_gt_{}", "isOver{}", "over_{}_yn", "older than {}")


@given(st.data())
def test_counts_above_thresholds_tell_those_between_two(data) -> None:
    """Of N people n are above each of some numbers; between two neighbours, by hand, is who is above one alone."""
    people = data.draw(st.lists(st.integers(0, 9), min_size=2 * LEAST, max_size=60))
    cuts = data.draw(st.lists(st.integers(0, 8), min_size=2, max_size=4, unique=True))
    above = [sum(age > cut for age in people) for cut in sorted(cuts)]
    between = [abs(a - b) for a, b in pairwise([len(people), *above, 0])]
    tables = [
        table(data.draw(st.sampled_from(SPELLED)).format(cut), {"1": n, "0": len(people) - n})
        for cut, n in zip(sorted(cuts), above, strict=True)
    ]
    result = check_outputs(tables, POLICY)
    assert (result.verdict is Verdict.PASS) == all(n == 0 or n >= LEAST for n in between)
    assert FREE not in result.assumptions


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("income_over_50k", "income over 51k"),
        ("readmitted_within_31_days", "readmitted within 30 days"),
        ("stay over 6 months", "stayOver7Months"),
    ],
)
def test_a_number_of_thousands_and_of_days_is_cut_too(one: str, other: str) -> None:
    """50 and 48 of a hundred: two are between."""
    tables = [table(one, {"1": 50, "0": 50}), table(other, {"1": 48, "0": 52})]
    assert check_outputs(tables, POLICY).verdict is Verdict.FAIL


def test_days_and_weeks_are_not_compared() -> None:
    tables = [table("stay_over_6_weeks", {"1": 50, "0": 50}), table("stay_over_7_days", {"1": 48, "0": 52})]
    assert check_outputs(tables, POLICY).verdict is Verdict.PASS


def test_a_group_that_says_its_width_is_one() -> None:
    """52 up to 30, of whom 50 are below: two are 30."""
    tables = [table("age_class", {"20-29": 50, "30-39": 60}), table("ageGroup10", {"20-30": 52, "31-39": 58})]
    assert check_outputs(tables, POLICY).verdict is Verdict.FAIL


def test_names_say_what_is_measured() -> None:
    names = {"over65": AGE, "age_65_plus": AGE, "Age (>=65)": AGE, "cost_over_1000": "cost", "overall": "overall"}
    assert {name: quantity_of(name).name for name in names} == names
    assert quantity_of("overall").span is quantity_of("q65").span is quantity_of("p90").span is None
