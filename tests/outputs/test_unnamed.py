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


TREE = {"role": "quasi-identifier", "hierarchy": {"tree": {"N": ["NY", "VT"], "S": ["AL", "GA"]}}}
WITHOUT_DATA = {
    "version": 1,
    "name": "p",
    "attributes": {"state": TREE, "region": "quasi-identifier", "ill": "sensitive", "age": "quasi-identifier"},
    "outputs": [{"type": "frequency-table", "min_cell": 5, "differencing": True}],
}
STATES = pd.DataFrame(
    [
        {"state": state, "region": region, "ill": ill, "smokes": (at % 5) % 2, "age": 60 + at % 13}
        for state, region, n, few in (("NY", "N", 40, 9), ("VT", "N", 14, 3), ("AL", "S", 30, 8), ("GA", "S", 35, 9))
        for at, ill in enumerate([1] * few + [0] * (n - few))
    ]
)
LARGE = STATES[STATES.state != "VT"]
"""VT, of which three are ill, stands in no table by state."""
BESIDE = {
    "crosstab": (pd.crosstab(LARGE.state, LARGE.ill), pd.crosstab(STATES.region, STATES.ill)),
    "counts": (pd.crosstab(LARGE.state, LARGE.ill), STATES.ill.value_counts()),
    "counts first": (STATES.ill.value_counts(), pd.crosstab(LARGE.state, LARGE.ill)),
    "three": (
        pd.crosstab(STATES.region, STATES.smokes),
        pd.crosstab(LARGE.state, LARGE.ill),
        pd.crosstab(STATES.region, STATES.ill),
    ),
    "intervals": tuple(
        pd.crosstab(STATES.region, pd.cut(STATES.age, [0, cut, 120])) for cut in (66, 67)
    ),  # 4 and 5 people of 67
}
APART = {
    "another column": (pd.crosstab(LARGE.state, LARGE.ill), pd.crosstab(STATES.region, STATES.smokes)),
    "the same": (pd.crosstab(STATES.region, STATES.ill), pd.crosstab(STATES.region, STATES.ill, margins=True)),
}


def of_files(frames: tuple[pd.DataFrame | pd.Series, ...], folder: Path) -> Any:
    paths = [folder / f"{at}.csv" for at in range(len(frames))]
    for frame, path in zip(frames, paths, strict=True):
        frame.to_csv(path)
    return check_outputs(paths, WITHOUT_DATA)


@pytest.mark.parametrize("name", BESIDE)
def test_without_data_a_column_is_known_by_another_output(name: str, tmp_path: Path) -> None:
    found = of_files(BESIDE[name], tmp_path)
    assert found.verdict == "fail"
    assert {each.reason for output in found.outputs for each in output.violations} == {"differencing"}
    assert any("was taken for one of another output" in each for each in found.assumptions)


@pytest.mark.parametrize("name", APART)
def test_without_data_other_columns_stay_apart(name: str, tmp_path: Path) -> None:
    assert of_files(APART[name], tmp_path).verdict == "pass"
