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


PERCENT = {**POLICY, "outputs": [{"type": "frequency-table", "min_cell": LEAST, "protection": None}]}


def written(folder: Path, name: str, *lines: str) -> Path:
    (folder / name).write_text("\n".join(lines) + "\n")
    return folder / name


def smalls(found: Any, source: str) -> list[Any]:
    outputs = [each for each in found.outputs if Path(each.file).name == source]
    return [v for each in outputs for v in each.violations if v.reason == "small-cell"]


@settings(max_examples=60, deadline=None)
@given(TABLES, st.sampled_from(["wide", "column", "signs"]), st.sampled_from(["given", "counts", "margin", "n"]))
def test_percentages_of_a_total_that_stands_elsewhere_fail_where_every_count_behind_them_is_small(
    tmp_path_factory, counts, form, where
) -> None:
    folder, total = tmp_path_factory.mktemp("percent"), sum(map(sum, counts))
    percent = [[round(100 * n / total) for n in row] for row in counts]
    if abs(sum(map(sum, percent)) - 100) * 2 > 2 * len(counts) or total >= 100:
        return
    if form == "column":
        rows = [f"w{i},d{j},{n}" for i, row in enumerate(percent) for j, n in enumerate(row)]
        table = written(folder, "t.csv", "ward,diagnosis,percent", *rows)
    else:
        rows = [
            f"w{i}," + ",".join(f"{n}%" if form == "signs" else str(n) for n in row) for i, row in enumerate(percent)
        ]
        table = written(folder, "t.csv", "ward,d0,d1", *rows)
    beside: list[Any] = [table]
    if where == "counts":
        rows = [f"w{i},{sum(row)}" for i, row in enumerate(counts)]
        beside.append(written(folder, "n.csv", "ward,count", *rows))
    elif where == "margin":
        cells = [{"key": ["w0", None], "count": None}, {"key": [None, None], "count": total}]
        beside.append({"type": "frequency-table", "by": ["ward", "sex"], "cells": cells})
    elif where == "n":
        beside.append({"type": "statistics", "of": "age", "by": [], "cells": [{"key": [], "n": total, "mean": 41.5}]})
    found = check_outputs(beside, PERCENT, records=total if where == "given" else None)
    behind = [[c for c in range(total + 1) if abs(100 * c - p * total) * 2 <= total] for row in percent for p in row]
    small = sum(all(0 < c < LEAST for c in fitting) for fitting in behind)
    assert len(smalls(found, table.name)) == small
    assert not (small and found.passed)


@settings(max_examples=40, deadline=None)
@given(TABLES)
def test_percentages_of_rows_beside_the_n_of_each_row(tmp_path_factory, counts) -> None:
    rows = [f"w{i},{sum(row)}," + ",".join(f"{100 * n / sum(row):.2f}" for n in row) for i, row in enumerate(counts)]
    table = written(tmp_path_factory.mktemp("n"), "t.csv", "ward,n,d0,d1", *rows)
    small = sum(0 < n < LEAST for row in counts for n in (*row, sum(row)))
    assert len(smalls(check_outputs(table, PERCENT), table.name)) == small


def test_a_count_that_is_suppressed_beside_its_percentage(tmp_path: Path) -> None:
    rows = ["north,flu,8,40", "north,HIV,,5", "south,flu,6,30", "south,HIV,5,25"]
    found = check_outputs(written(tmp_path, "t.csv", "ward,diagnosis,count,percent", *rows), PERCENT)
    assert [v.reached for v in smalls(found, "t.csv")] == [1]
    without = [row.removesuffix("5") if row.endswith(",5") else row for row in rows]
    found = check_outputs(written(tmp_path, "t.csv", "ward,diagnosis,count,percent", *without), PERCENT)
    assert found.verdict is Verdict.NOT_EVALUATED


def test_counts_that_come_to_a_hundred_stay_counts_where_nothing_says_otherwise(tmp_path: Path) -> None:
    table = written(tmp_path, "t.csv", "ward,d0,d1", "w0,40,15", "w1,25,20")
    found = check_outputs(table, PERCENT)
    assert found.passed
    assert any("taken for counts" in each for each in found.assumptions)
    assert check_outputs(table, PERCENT, records=100).passed
    assert check_outputs(table, PERCENT, records=400).verdict is Verdict.NOT_EVALUATED
    assert check_outputs(table, PERCENT, records=400, output_type="frequency-table").passed
    disagreeing = [written(tmp_path, f"{n}.csv", "ward,count", "w0,9", f"w1,{n}") for n in (11, 12)]
    assert not check_outputs([table, *disagreeing], PERCENT).passed


def test_a_share_that_several_small_counts_go_with_is_of_too_few(tmp_path: Path) -> None:
    table = written(tmp_path, "t.csv", "ward,percent", "a,0.1", "b,49.9", "c,50.0")
    held = {**PERCENT, "outputs": [{"type": "frequency-table", "min_cell": 5}]}
    assert len(smalls(check_outputs(table, held, records=2000), "t.csv")) == 1
    assert check_outputs(table, held, records=20000).passed


@pytest.mark.parametrize("normalize", ["all", "index", "columns"])
def test_a_column_of_those_who_say_no_is_none_of_counts(tmp_path: Path, normalize: Any) -> None:
    held = frame([[20, 20], [19, 1]]).replace({"d0": "y", "d1": "n"})
    table = pd.crosstab(held["ward"], held["diagnosis"], normalize=normalize)
    assert [v.reached for v in checked(tmp_path, table, held).outputs[0].violations] == [1]


RATES = {
    "version": 1,
    "name": "p",
    "outputs": [{"type": "frequency-table", "min_cell": 3}, {"type": "statistics", "min_n": 3, "identical": "allow"}],
}
NAMES = ["died_pct", "pct_died", "% died", "died_percent", "percent", "died_rate", "rate", "rate of died", "died_share"]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(3, 9)), min_size=2, max_size=4),
    st.sampled_from(NAMES),
    st.booleans(),
)
def test_rates_with_their_n_fail_where_their_counts_would(tmp_path_factory, wards, name, truths) -> None:
    rows = [(f"w{i}", died) for i, (a, b) in enumerate(wards) for died in [True] * a + [False] * b]
    data = pd.DataFrame(rows, columns=["ward", "died"])
    groups = data.groupby("ward")["died"]
    times = 100 if {"pct", "percent", "%"} & set(name.replace("_", " ").split()) else 1
    path = tmp_path_factory.mktemp("rates") / "t.csv"
    pd.DataFrame({name: groups.mean() * times, "n": groups.size()}).to_csv(path)
    given = data if truths else data.assign(died=data["died"].astype(int))
    found = check_outputs(path, RATES, given)
    small = any(0 < part < 3 for ward in wards for part in ward)
    assert not found.passed if small else found.verdict is not Verdict.FAIL


@pytest.mark.parametrize("name", NAMES)
def test_rates_with_their_n_pass_where_their_counts_would(name: str, tmp_path: Path) -> None:
    data = pd.DataFrame({"ward": ["a"] * 50 + ["b"] * 60, "died": [1] * 15 + [0] * 35 + [1] * 21 + [0] * 39})
    times = 1 if "rate" in name or "share" in name else 100
    table = pd.DataFrame({"ward": ["a", "b"], name: [0.3 * times, 0.35 * times], "n": [50, 60]})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert check_outputs(tmp_path / "t.csv", RATES, data).passed


@pytest.mark.parametrize("numbers", ["20.0,15\nb,40.0,50", "20,15\nb,40,50"])
@pytest.mark.parametrize("name", ["died_pct", "pct_died", "% died", "deaths per 1000", "Rate (per 1000)"])
def test_numbers_that_are_called_rates_are_no_counts(name: str, numbers: str, tmp_path: Path) -> None:
    """20 percent of 15 are three: fewer than ten, though 20 and 15 are not."""
    policy = {**RATES, "outputs": [{**RATES["outputs"][0], "min_cell": 10}, {**RATES["outputs"][1], "min_n": 10}]}
    (tmp_path / "t.csv").write_text(f"ward,{name},n\na,{numbers}\n", encoding="utf-8")
    assert not check_outputs(tmp_path / "t.csv", policy).passed


def test_counts_under_labels_that_speak_of_rates_are_read_where_they_are_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ward,low rate,high rate\na,45,46\nb,55,51\n", encoding="utf-8")
    assert check_outputs(tmp_path / "t.csv", RATES, output_type="frequency-table").passed


def test_shares_of_others_than_those_who_are_counted_beside_them_do_not_pass(tmp_path: Path) -> None:
    """0.3123 of 50 is no number of people: it is of all who died, of whom nothing is written."""
    (tmp_path / "t.csv").write_text("ward,died_rate,n\na,0.3123,50\nb,0.6877,60\n", encoding="utf-8")
    assert check_outputs(tmp_path / "t.csv", RATES).verdict is Verdict.NOT_EVALUATED


def test_percentages_beside_their_n_are_not_read_as_counts(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ward,yes,no,n\na,20,80,25\nb,40,60,50\n", encoding="utf-8")
    policy = {**RATES, "outputs": [{**RATES["outputs"][0], "min_cell": 10}]}
    assert not check_outputs(tmp_path / "t.csv", policy).passed
