"""A release beside an earlier one, held to counting by hand and to a second computation with dictionaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.audit import compare_with_previous
from auditor.engines import RunLimits
from auditor.errors import NotEvaluated
from auditor.policy import load_policy
from auditor.result import RequirementResult, Status

K = 3


def compared(new: pd.DataFrame, old: pd.DataFrame, **policy: Any) -> RequirementResult:
    attributes = {"age": "quasi-identifier", "zip": "quasi-identifier", "person": "pseudonym"}
    text = {"name": "p", "attributes": attributes, "requirements": [{"model": "k-anonymity", "k": K}], **policy}
    return compare_with_previous(new, old, load_policy(text), RunLimits.of())


def table(rows: Sequence[tuple[str, str]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["age", "zip"], dtype="str")


@pytest.mark.parametrize(
    ("old", "new", "status", "achieved"),
    [
        ({"a": 5}, {"a": 5}, Status.PASS, None),
        ({"a": 5}, {"a": 8}, Status.PASS, 3),
        ({"a": 5}, {"a": 7}, Status.FAIL, 2),
        ({"a": 5}, {"a": 4}, Status.FAIL, 1),
        ({"a": 5}, {"a": 5, "b": 3}, Status.PASS, 3),
        ({"a": 5}, {"a": 5, "b": 2}, Status.FAIL, 2),
        ({"a": 5, "b": 2}, {"a": 5}, Status.FAIL, 2),
        ({"a": 5, "b": 4}, {"a": 9}, Status.PASS, 4),
    ],
)
def test_a_class_differs_by_nothing_or_by_k(
    old: dict[str, int], new: dict[str, int], status: Status, achieved: int | None
) -> None:
    before, after = (table([(age, "1") for age, n in side.items() for _ in range(n)]) for side in (old, new))
    result = compared(after, before)
    assert (result.status, result.achieved, result.bound) == (status, achieved, K)


rows = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("12")), min_size=1, max_size=25)


@pytest.mark.slow
@given(rows, rows)
def test_any_two_releases(old: list[tuple[str, str]], new: list[tuple[str, str]]) -> None:
    before, after = Counter(old), Counter(new)
    differences = [abs(before[key] - after[key]) for key in before | after if before[key] != after[key]]
    result = compared(table(new), table(old))
    assert result.achieved == min(differences, default=None)
    assert result.classes_violating == sum(each < K for each in differences)
    assert result.records_violating == sum(each for each in differences if each < K)
    assert (result.status is Status.FAIL) is any(each < K for each in differences)


people = st.dictionaries(
    st.integers(1, 12).map(str), st.tuples(st.sampled_from("ab"), st.sampled_from("12")), min_size=1
)


@pytest.mark.slow
@given(people, people)
def test_newcomers_and_leavers(old: dict[str, tuple[str, str]], new: dict[str, tuple[str, str]]) -> None:
    """A class whose size is the same may have lost one person and won another."""
    smallest = []
    for key in {*old.values(), *new.values()}:
        before, after = ({p for p, held in side.items() if held == key} for side in (old, new))
        numbers = (abs(len(after) - len(before)), len(after - old.keys()), len(before - new.keys()))
        smallest += [min(filter(None, numbers))] if any(numbers) else []
    frames = [pd.DataFrame([(*held, p) for p, held in s.items()], columns=["age", "zip", "person"]) for s in (new, old)]
    result = compared(frames[0].astype(str), frames[1].astype(str), unit="person")
    assert result.achieved == min(smallest, default=None)
    assert result.classes_violating == sum(each < K for each in smallest)


def test_a_class_that_is_the_sum_of_two_is_seen() -> None:
    """Four and four people in 10 and 11, and nine in 1*: the ninth is alone, though every class has at least three."""
    ladder = {"age": {"role": "quasi-identifier", "hierarchy": {"mask": {"side": "right"}}}, "zip": "quasi-identifier"}
    old = table([("10", "1")] * 4 + [("11", "1")] * 4)
    new = table([("1*", "1")] * 9)
    assert compared(new, old, attributes=ladder).achieved == 1
    assert compared(new, old, attributes=ladder).status is Status.FAIL
    assert compared(table([("1*", "1")] * 8), old, attributes=ladder).status is Status.PASS


def test_columns_that_both_have() -> None:
    old = table([("a", "1")] * 3).drop(columns="zip")
    new = table([("a", "1")] * 3 + [("a", "2")] * 3)
    assert compared(new, old).achieved == 3
    with pytest.raises(NotEvaluated, match="no quasi-identifier in common"):
        compared(new, pd.DataFrame({"x": ["1"]}))


def test_a_policy_without_a_class_size_cannot_compare() -> None:
    demand = [{"model": "distinct-l-diversity", "l": 2}]
    attributes = {"age": "quasi-identifier", "zip": "sensitive"}
    with pytest.raises(NotEvaluated, match="no class size"):
        compared(table([("a", "1")]), table([("a", "1")]), requirements=demand, attributes=attributes)


def test_missing_values_are_values() -> None:
    old = pd.DataFrame({"age": ["a", "a", "a", None], "zip": ["1"] * 4})
    new = pd.DataFrame({"age": ["a", "a", "a"], "zip": ["1"] * 3})
    assert compared(new, old).achieved == 1
