"""Numbers that pandas computed in floating point are the data's; others are not."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.outputs.published.values import sum_slack
from auditor.outputs.readers._numbers import stated

RULES = [{"type": "statistics", "min_n": 1, "identical": "allow"}, {"type": "magnitude-table", "min_cell": 1}]
POLICY = {
    "version": 1,
    "name": "m",
    "attributes": {"g": "quasi-identifier", "v": {"role": "sensitive", "type": "number"}},
    "outputs": RULES,
}
FLOATS = st.lists(
    st.tuples(st.sampled_from("ab"), st.floats(-1e9, 1e9, allow_subnormal=False).map(lambda value: round(value, 3))),
    min_size=2,
    max_size=40,
)


def checked(folder: Path, frame: pd.DataFrame, table: pd.DataFrame):
    frame.to_csv(folder / "d.csv", index=False)
    table.to_csv(folder / "t.csv")
    return check_outputs(folder / "t.csv", POLICY, folder / "d.csv")


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(FLOATS, st.sampled_from([None, 0, 2, 5]), st.booleans())
def test_means_and_sums_of_pandas_are_no_mismatch(tmp_path_factory, rows, places, sums) -> None:
    frame = pd.DataFrame(rows, columns=["g", "v"])
    found = frame.groupby("g").agg({"v": ["count", "sum"] if sums else ["count", "mean", "sum"]})
    table = found if places is None else found.round(places)
    result = checked(tmp_path_factory.mktemp("floats"), frame, table)
    assert not [v for output in result.outputs for v in output.violations if v.reason == "mismatch"]
    assert any("(n + 2) · 2^-53" in each for each in result.assumptions)


@pytest.mark.parametrize("kind", range(6))
def test_forty_tables_of_two_hundred_records(tmp_path: Path, kind: int) -> None:
    r = np.random.default_rng(kind)
    n = 200
    values = [
        r.normal(50000, 9000, n).round(2), r.normal(0, 1, n), r.lognormal(8, 2, n).round(3),
        r.normal(0, 1e-5, n), r.normal(1e9, 1, n).round(4), np.where(r.random(n) < 0.2, np.nan, r.normal(70, 9, n)),
    ]  # fmt: skip
    frame = pd.DataFrame({"g": r.choice(list("ab"), n), "v": values[kind]})
    assert checked(tmp_path, frame, frame.groupby("g").agg({"v": ["count", "mean", "sum"]})).passed


@pytest.mark.parametrize("statistic", ["mean", "sum"])
@pytest.mark.parametrize("kind", range(3))
def test_columns_of_single_precision_are_added_up_in_it(tmp_path: Path, kind: int, statistic: str) -> None:
    """pandas adds float32 up in float32; a thousandth more than the mean is none of its errors."""
    r, n = np.random.default_rng(kind), 400
    values = [r.normal(50000, 9000, n).round(2), r.normal(0, 10, n), r.lognormal(7, 1, n)][kind].astype("float32")
    frame = pd.DataFrame({"g": r.choice(list("ab"), n), "v": values})
    table = frame.groupby("g").agg({"v": ["count", statistic]})
    table.to_csv(tmp_path / "t.csv")
    frame.to_parquet(tmp_path / "d.parquet")
    assert check_outputs(tmp_path / "t.csv", POLICY, tmp_path / "d.parquet").passed
    (table * 1.001).round({("v", "count"): 0}).to_csv(tmp_path / "t.csv")
    assert not check_outputs(tmp_path / "t.csv", POLICY, tmp_path / "d.parquet").passed


def test_a_mean_that_is_off_in_the_tenth_digit_is_a_mismatch(tmp_path: Path) -> None:
    frame = pd.DataFrame({"g": ["a"] * 30, "v": np.arange(30) * 1000.1})
    table = frame.groupby("g").agg({"v": ["count", "mean"]})
    table.iloc[0, 1] += 1e-6
    result = checked(tmp_path, frame, table)
    (violation,) = [v for output in result.outputs for v in output.violations if v.reason == "mismatch"]
    assert violation.counted == pytest.approx(14.5 * 1000.1)
    assert violation.written is not None
    assert violation.needed == 0
    assert violation.reached == pytest.approx(1e-6, rel=1e-3)
    (requirement,) = [each for each in result.requirements if each.model == "mismatch"]
    assert (requirement.achieved, requirement.bound, requirement.comparison) == (1, 0, "<=")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=1, max_size=30), st.integers(0, 9))
def test_the_slack_holds_for_every_order_of_addition(values, seed) -> None:
    shuffled = Random(seed).sample(values, len(values))
    total = 0.0
    for value in shuffled:
        total += value
    exact = sum(map(Fraction, values), Fraction(0))
    assert abs(Fraction(total) - exact) <= sum_slack(len(values), sum(abs(Fraction(value)) for value in values))
    assert stated(repr(total)) is not None
