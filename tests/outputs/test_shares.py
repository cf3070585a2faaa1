"""Shares that `pandas.crosstab(normalize=…)` writes are read and judged as the counts that they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.result import Verdict

LEAST = 3
POLICY = {
    "version": 1,
    "name": "p",
    "attributes": {"ward": "quasi-identifier", "diagnosis": "sensitive"},
    "outputs": [{"type": "frequency-table", "min_cell": LEAST}],
}
TABLES = st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), min_size=2, max_size=3).filter(
    lambda rows: all(map(sum, rows)) and all(map(sum, zip(*rows, strict=True)))
)


def frame(counts: list[list[int]]) -> pd.DataFrame:
    rows = [(f"w{i}", f"d{j}") for i, row in enumerate(counts) for j, n in enumerate(row) for _ in range(n)]
    return pd.DataFrame(rows, columns=["ward", "diagnosis"])


def checked(folder: Path, table: Any, data: pd.DataFrame | None, **more: Any):
    table.to_csv(folder / "t.csv")
    return check_outputs(folder / "t.csv", POLICY, data, **more)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(TABLES, st.sampled_from(["all", "index", "columns"]), st.booleans())
def test_a_normalized_crosstab_fails_where_its_counts_would(tmp_path_factory, counts, normalize, margins) -> None:
    data = frame(counts)
    table = pd.crosstab(data["ward"], data["diagnosis"], normalize=normalize, margins=margins)
    found = checked(tmp_path_factory.mktemp("shares"), table, data)
    small = any(0 < n < LEAST for row in counts for n in row)
    if margins:
        small |= normalize != "columns" and any(0 < sum(column) < LEAST for column in zip(*counts, strict=True))
        small |= normalize != "index" and any(0 < sum(row) < LEAST for row in counts)
    violations = [v for output in found.outputs for v in output.violations if v.reason == "small-cell"]
    assert bool(violations) == small
    assert found.verdict is (Verdict.FAIL if small else Verdict.PASS)


@pytest.mark.parametrize("data", [True, False])
def test_a_normalized_count_of_values(tmp_path: Path, data: bool) -> None:
    held = frame([[20, 1]])
    table = held["diagnosis"].value_counts(normalize=True)
    found = checked(tmp_path, table, held) if data else checked(tmp_path, table, None, records=21)
    assert [v.reached for v in found.outputs[0].violations] == [1]


@pytest.mark.parametrize("normalize", ["all", "index", "columns"])
def test_without_a_total_shares_are_not_evaluated(tmp_path: Path, normalize: Any) -> None:
    held = frame([[20, 10], [15, 8]])
    table = pd.crosstab(held["ward"], held["diagnosis"], normalize=normalize)
    assert checked(tmp_path, table, None).verdict is Verdict.NOT_EVALUATED
    assert checked(tmp_path, table, held).passed


def test_shares_of_other_data_are_a_mismatch_or_unread(tmp_path: Path) -> None:
    held = frame([[20, 10], [15, 8]])
    table = pd.crosstab(held["ward"], held["diagnosis"], normalize="all")
    assert not checked(tmp_path, table, frame([[20, 10], [16, 9]])).passed


def test_shares_that_fit_several_counts_are_none_of_them(tmp_path: Path) -> None:
    held = frame([[400, 398], [201, 102]])
    table = pd.crosstab(held["ward"], held["diagnosis"], normalize="all").round(2)
    found = checked(tmp_path, table, held)
    assert not found.outputs[0].violations
