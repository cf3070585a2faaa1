"""Labels of `pandas.cut` and `qcut` meet the numbers of the data that they are intervals of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from auditor import check_outputs
from auditor.result import Verdict

POLICY = {
    "version": 1,
    "name": "p",
    "attributes": {
        "age": "quasi-identifier",
        "sex": "quasi-identifier",
        "cost": {"role": "sensitive", "type": "number"},
    },
    "outputs": [{"type": "frequency-table", "min_cell": 2}, {"type": "statistics", "min_n": 2}],
}


@pytest.fixture
def frame() -> pd.DataFrame:
    r = np.random.default_rng(3)
    return pd.DataFrame(
        {"age": r.integers(18, 90, 300), "sex": r.choice(["F", "M"], 300), "cost": r.normal(900, 90, 300).round(2)}
    )


CUTS = {
    "cut": lambda age: pd.cut(age, [17, 30, 50, 90]),
    "left": lambda age: pd.cut(age, [18, 30, 50, 91], right=False),
    "widths": lambda age: pd.cut(age, 4),
    "lowest": lambda age: pd.cut(age, [18, 40, 90], include_lowest=True),
    "quantiles": lambda age: pd.qcut(age, 3),
}


@pytest.mark.slow
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("shape", ["size", "crosstab", "columns", "mean"])
def test_a_table_by_intervals_is_the_data_s(frame: pd.DataFrame, cut: str, shape: str, tmp_path: Path) -> None:
    groups = CUTS[cut](frame["age"])
    table = {
        "size": lambda: frame.groupby(groups, observed=True).size(),
        "crosstab": lambda: pd.crosstab(groups, frame["sex"], margins=True),
        "columns": lambda: pd.crosstab(frame["sex"], groups),
        "mean": lambda: frame.groupby(groups, observed=True).agg({"cost": ["count", "mean"]}),
    }[shape]()
    table.to_csv(tmp_path / "t.csv")
    frame.to_csv(tmp_path / "d.csv", index=False)
    found = check_outputs(tmp_path / "t.csv", POLICY, tmp_path / "d.csv")
    assert found.verdict is Verdict.PASS, found.outputs[0]


def test_an_interval_with_another_count_is_a_mismatch(frame: pd.DataFrame) -> None:
    count = int(((frame["age"] > 30) & (frame["age"] <= 50)).sum())
    table = {"type": "frequency-table", "by": ["age"], "cells": [{"key": ["(30, 50]"], "count": count + 2}]}
    (violation,) = [v for v in check_outputs(table, POLICY, frame).outputs[0].violations if v.reason == "mismatch"]
    assert (violation.written, violation.counted, violation.reached) == (count + 2, count, 2)


def test_a_label_that_the_data_has_is_that_label() -> None:
    frame = pd.DataFrame({"age": ["(30, 50]"] * 5 + ["31"] * 4})
    table = {"type": "frequency-table", "by": ["age"], "cells": [{"key": ["(30, 50]"], "count": 5}]}
    assert not check_outputs(table, POLICY, frame).outputs[0].violations


def test_intervals_of_two_tables_that_reach_over_each_other() -> None:
    """Nobody is 0 or 120, if the two tables are of the same 150 people: three are 65."""
    tables = [
        {"type": "frequency-table", "by": ["age"], "cells": [{"key": [key], "count": n} for key, n in cells.items()]}
        for cells in ({"[0, 65)": 100, "[65, 120)": 50}, {"(0, 65]": 103, "(65, 120]": 47})
    ]
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"age": {"role": "quasi-identifier", "type": "integer"}},
        "outputs": [{"type": "frequency-table", "min_cell": 10, "differencing": True}],
    }
    found = check_outputs(tables, policy)
    assert {(v.item, v.reached) for output in found.outputs for v in output.violations} == {("age=[65, 66)", 3)}
    tables[1]["cells"][1]["count"] = 46  # one more is in the first table: of 0, or others of any age are in no table
    assert check_outputs(tables, policy).verdict is Verdict.PASS
