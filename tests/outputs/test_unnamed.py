"""Columns that pandas does not write: found in the data by their values, or not guessed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from auditor.outputs import check_outputs

PEOPLE = pd.DataFrame(
    {
        "age": [26, 26, 31, 45, 26, 31],
        "sex": ["F", "M", "F", "F", "F", "M"],
        "zip": ["a", "a", "b", "b", "a", "b"],
        "cost": [1.5, 2, 3, 4, 7.25, 1],
        "tax": [1, 2, 3, 4, 5, 6],
    }
)
POLICY = {
    "version": 1,
    "name": "p",
    "attributes": {
        "age": "quasi-identifier",
        "sex": "quasi-identifier",
        "zip": "quasi-identifier",
        "cost": "sensitive",
    },
    "undeclared": "insensitive",
    "outputs": [
        {"type": "frequency-table", "min_cell": 2},
        {"type": "magnitude-table", "min_cell": 3},
        {"type": "statistics", "min_n": 3, "extremes": "allow"},
    ],
}


@pytest.fixture
def judged(tmp_path: Path) -> Callable[..., Any]:
    def judge(frame: Any, data: pd.DataFrame = PEOPLE, **options: Any) -> Any:
        path = tmp_path / "table.csv"
        frame.to_csv(path)
        return check_outputs(path, POLICY, data, **options).outputs[0]

    return judge


def test_the_columns_of_a_crosstab(judged: Callable[..., Any]) -> None:
    found = judged(pd.crosstab(PEOPLE.age, PEOPLE.sex, margins=True))
    assert found.counted == "data"
    assert not found.not_evaluated
    # 26 M, 31 F, 31 M, 45 F and the margin of 45 are one person each.
    assert {each.item for each in found.violations if each.reason == "small-cell"} >= {"age=26, sex=M", "age=45"}


def test_a_wrong_count_does_not_hide_the_column(judged: Callable[..., Any]) -> None:
    table = pd.crosstab(PEOPLE.age, PEOPLE.sex)
    table.loc[26, "F"] = 9
    assert "mismatch" in {each.reason for each in judged(table).violations}


def test_of_two_columns_with_the_same_values_the_one_whose_counts_fit(judged: Callable[..., Any]) -> None:
    data = PEOPLE.assign(partner=["M", "F", "M", "M", "M", "F"])
    found = judged(pd.crosstab(data.age, data.sex), data)
    assert not found.not_evaluated
    assert "age=26, sex=M" in {each.item for each in found.violations}


def test_a_copy_of_the_column_is_not_guessed(judged: Callable[..., Any]) -> None:
    assert judged(pd.crosstab(PEOPLE.age, PEOPLE.sex), PEOPLE.assign(gender=PEOPLE.sex)).not_evaluated


def test_labels_of_no_column_are_not_guessed(judged: Callable[..., Any]) -> None:
    table = pd.crosstab(PEOPLE.age, PEOPLE.sex.map({"F": "women", "M": "men"}))
    assert judged(table).not_evaluated


def test_the_column_of_statistics(judged: Callable[..., Any]) -> None:
    found = judged(PEOPLE.groupby("zip")["cost"].agg(["count", "mean", "max"]))
    assert (found.type, found.not_evaluated, found.violations_count) == ("statistics", (), 0)
    small = judged(PEOPLE.groupby("sex")["cost"].agg(["count", "mean"]))
    assert {each.reason for each in small.violations} == {"small-cell"}


def test_the_column_of_sums_by_labels(judged: Callable[..., Any]) -> None:
    table = PEOPLE.pivot_table(index="zip", columns="sex", values="cost", aggfunc="sum")
    found = judged(table, output_type="magnitude-table")
    assert not found.not_evaluated
    assert found.violations_count


def test_statistics_of_no_column_are_not_guessed(judged: Callable[..., Any]) -> None:
    changed = PEOPLE.assign(cost=PEOPLE.cost + 1)
    assert judged(changed.groupby("zip")["cost"].agg(["count", "mean"])).not_evaluated
