"""The mean of 0 and 1 times n, and their sum, are counts, and judged as the counts that they are."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.outputs._indicator import ones
from auditor.outputs.published.outputs import Stated
from auditor.result import Verdict

LEAST = 5
STATISTICS = {"type": "statistics", "min_n": LEAST, "identical": "allow", "extremes": "allow"}
SUMS = {"type": "magnitude-table", "min_cell": LEAST}
WHOLE = {"role": "sensitive", "type": "integer", "range": [0, 1]}


def policy(*rules: dict[str, Any], died: Any = "sensitive") -> dict[str, Any]:
    attributes = {"sex": "quasi-identifier", "died": died}
    return {"version": 1, "name": "p", "attributes": attributes, "outputs": list(rules)}


def statistic(n: int, **values: Any) -> dict[str, Any]:
    return {"type": "statistics", "of": "died", "by": ["sex"], "cells": [{"key": ["M"], "n": n, **values}]}


def data(*groups: tuple[str, int, int], write: Any = int) -> pd.DataFrame:
    """Groups of so many records, of which so many died."""
    rows = [(sex, write(place < died)) for sex, n, died in groups for place in range(n)]
    return pd.DataFrame(rows, columns=["sex", "died"])


def small(count: int, n: int) -> bool:
    return 0 < count < LEAST or 0 < n - count < LEAST


@settings(max_examples=40, deadline=None)
@given(st.integers(LEAST, 60), st.data(), st.sampled_from(["mean", "sum", "rate", "percent"]), st.booleans())
def test_a_mean_of_zeros_and_ones_fails_where_its_count_would(n, draw, name, beside) -> None:
    count = draw.draw(st.integers(0, n))
    exact = {"mean": f"{count}/{n}", "rate": f"{count}/{n}", "sum": count, "percent": f"{100 * count}/{n}"}[name]
    table = data(("M", n, count), ("F", 20, 10)) if beside else None
    held = policy(STATISTICS, died="sensitive" if beside else WHOLE)
    found = check_outputs(statistic(n, **{name: exact}), held, table)
    assert (found.verdict is Verdict.FAIL) == small(count, n)
    assert {v.reason for v in found.outputs[0].violations} <= {"small-cell"}


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.integers(LEAST, 60),
    st.data(),
    st.sampled_from([(1, 2), (0, 2), (-1, 1), (3, 10)]),
    st.sampled_from(["mean", "sum", "var"]),
)
def test_codes_of_two_numbers_are_counted_as_zeros_and_ones_are(n, draw, codes, name) -> None:
    count = draw.draw(st.integers(0, n))
    low, high = codes
    total = low * (n - count) + high * count
    exact = {
        "mean": f"{total}/{n}",
        "sum": total,
        "var": f"{count * (n - count) * (high - low) ** 2}/{n * (n - 1)}",
    }[name]
    table = data(("M", n, count), ("F", 20, 10), write=lambda died: high if died else low)
    found = check_outputs(statistic(n, **{name: exact}), policy(STATISTICS), table)
    assert (found.verdict is Verdict.FAIL) == small(count, n)
    assert {v.reason for v in found.outputs[0].violations} <= {"small-cell"}


def test_codes_of_one_and_two_may_be_declared() -> None:
    held = policy(STATISTICS, died={**WHOLE, "range": [1, 2]})
    assert check_outputs(statistic(50, mean="1.02"), held).exit_code == 1
    assert check_outputs(statistic(50, mean="1.5"), held).exit_code == 0


@settings(max_examples=60, deadline=None)
@given(st.integers(LEAST, 60), st.data(), st.sampled_from(["std", "var", "sem"]), st.booleans(), st.booleans())
def test_a_spread_of_zeros_and_ones_fails_where_every_count_that_it_goes_with_is_small(
    n, draw, name, sample, beside
) -> None:
    """Of a sample, or of everybody: a reader does not know which. A mean beside it is rounded too far to tell alone."""

    def spread(count, of_sample):
        variance = Fraction(count * (n - count), n * (n - 1 if of_sample else n))
        return round({"var": variance, "std": variance**0.5, "sem": (variance / n) ** 0.5}[name] * 1.0, 9)

    count = draw.draw(st.integers(0, n))
    number, mean = spread(count, sample), round(count / n)
    values = {name: repr(number) if number else "0"} | ({"mean": str(mean)} if beside else {})
    fitting = [
        each
        for each in range(n + 1)
        if any(abs(spread(each, of) - number) < 2e-9 for of in (True, False))
        and (not beside or abs(Fraction(each, n) - mean) <= Fraction(1, 2))
    ]
    found = check_outputs(statistic(n, **values), policy({**STATISTICS, "identical": "allow"}, died=WHOLE))
    assert (found.verdict is Verdict.FAIL) == all(small(each, n) for each in fitting)


@settings(max_examples=40, deadline=None)
@given(st.integers(LEAST, 60), st.data())
def test_so_does_a_sum_in_a_table_of_sums(n, draw) -> None:
    count = draw.draw(st.integers(0, n))
    cells = [{"key": ["M"], "count": n, "sum": count}]
    found = check_outputs(
        {"type": "magnitude-table", "of": "died", "by": ["sex"], "cells": cells}, policy(SUMS, died=WHOLE)
    )
    assert (found.verdict is Verdict.FAIL) == small(count, n)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 300), st.data(), st.integers(0, 6))
def test_what_goes_with_a_rounded_mean_is_every_count_that_is_rounded_so(n, draw, places) -> None:
    count = draw.draw(st.integers(0, n))
    unit = Fraction(1, 10**places)
    mean = Stated(floor(Fraction(count, n) / unit + Fraction(1, 2)) * unit, places)
    fitting = [each for each in range(n + 1) if mean.is_met_by(Fraction(each, n))]
    low, high = ones({"mean": mean}, n) or (0, -1)
    assert list(range(max(low, 0), min(high, n) + 1)) == fitting
    assert count in fitting


@pytest.mark.parametrize("write", [int, float, bool, str])
def test_one_death_is_one_death_however_the_data_writes_it(write: Any) -> None:
    frame = data(("M", 50, 1), ("F", 30, 15), write=write)
    if write is str:
        frame["died"] = frame["died"].str.lower()
    found = check_outputs(statistic(50, mean=0.02), policy(STATISTICS), frame)
    assert found.verdict is Verdict.FAIL
    (violation,) = found.outputs[0].violations
    assert (violation.reached, violation.needed, violation.reason) == (1, LEAST, "small-cell")
    assert violation.records == (0,)


@pytest.mark.parametrize("died", [WHOLE, {"role": "sensitive", "type": "boolean"}])
def test_the_policy_says_what_the_column_holds(died: Any) -> None:
    assert check_outputs(statistic(50, mean=0.02), policy(STATISTICS, died=died)).verdict is Verdict.FAIL


def test_a_column_of_numbers_has_means_that_are_no_counts() -> None:
    number = {"role": "sensitive", "type": "number"}
    assert check_outputs(statistic(50, mean=0.02), policy(STATISTICS, died=number)).passed


def test_numbers_that_are_hardly_whole_by_chance_are_taken_for_counts_and_that_is_told() -> None:
    exact = check_outputs(statistic(50, mean="0.02000000000000"), policy(STATISTICS))
    assert exact.verdict is Verdict.FAIL
    assert any("taken to hold 0 and 1" in each for each in exact.assumptions)
    costs = check_outputs(statistic(50, mean="0.02700000000000"), policy(STATISTICS))
    assert costs.passed


def test_a_rule_for_tables_that_asks_for_more_is_not_walked_around() -> None:
    held = policy(STATISTICS, {"type": "frequency-table", "min_cell": 11}, died=WHOLE)
    found = check_outputs(statistic(50, mean="7/50"), held)
    assert found.verdict is Verdict.NOT_EVALUATED
    lax = policy({**STATISTICS, "min_n": None}, {"type": "frequency-table", "min_cell": 11}, died=WHOLE)
    assert check_outputs(statistic(50, mean="7/50"), lax).verdict is Verdict.NOT_EVALUATED


def test_a_suppressed_count_that_follows_from_a_mean_is_recoverable() -> None:
    cells = [
        {"key": ["M", "0"], "count": 49}, {"key": ["M", "1"], "count": None},
        {"key": ["F", "0"], "count": 15}, {"key": ["F", "1"], "count": 15},
    ]  # fmt: skip
    table = {"type": "frequency-table", "by": ["sex", "died"], "cells": cells}
    held = policy({"type": "frequency-table", "min_cell": 5}, {**STATISTICS, "min_n": None}, died=WHOLE)
    assert not [v for o in check_outputs(table, held).outputs for v in o.violations]
    both = check_outputs([table, statistic(56, mean="7/56")], held)
    assert "suppressed-cell-recoverable" in {v.reason for o in both.outputs for v in o.violations}


def test_the_mean_of_a_regression_trees_leaf_is_a_share_of_its_records() -> None:
    tree = {
        "type": "decision-tree",
        "target": "died",
        "leaves": [
            {"path": [["sex", "=", "M"]], "count": 50, "mean": "1/50"},
            {"path": [["sex", "=", "F"]], "count": 30, "mean": "15/30"},
        ],
    }
    held = policy({"type": "decision-tree", "min_leaf": 5, "min_class_count": 5}, died=WHOLE)
    assert {v.reason for v in check_outputs(tree, held).outputs[0].violations} == {"small-class"}


@pytest.mark.parametrize(("centre", "small"), [("0.02", True), ("0.98", True), ("0.3", False), ("0", False)])
def test_the_centre_of_a_cluster_times_its_size_is_a_count(centre: str, small: bool) -> None:
    clusters = {"type": "clusters", "clusters": [{"size": 50, "centre": {"died": centre}}]}
    found = check_outputs(clusters, policy({"type": "clusters", "min_size": 5, "centres": "allow"}, died=WHOLE))
    assert found.verdict is (Verdict.FAIL if small else Verdict.PASS)
    assert [v.reached for v in found.outputs[0].violations] == [1] * small


def test_whole_percentages_are_not_taken_for_counts(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ward,F,M\na,80,20\nb,90,10\n")
    held = policy({"type": "frequency-table", "min_cell": 5})
    assert check_outputs(tmp_path / "t.csv", held).verdict is Verdict.NOT_EVALUATED
    assert check_outputs(tmp_path / "t.csv", held, output_type="frequency-table").passed


def test_sizes_of_clusters_are_read_from_a_table(tmp_path: Path) -> None:
    labels = pd.Series([0] * 60 + [1] * 3)
    labels.value_counts().sort_index().to_csv(tmp_path / "t.csv")
    held = policy({"type": "clusters", "min_size": 5})
    found = check_outputs(tmp_path / "t.csv", held, pd.DataFrame({"died": [0, 1] * 31 + [0]}), output_type="clusters")
    assert [v.reached for v in found.outputs[0].violations] == [3]
    assert {v.reason for v in found.outputs[0].violations} == {"small-cluster"}


@settings(max_examples=60, deadline=None)
@given(st.integers(LEAST, 200), st.data(), st.sampled_from([(0, 1), (1, 2)]), st.sampled_from(["mean", "sum"]))
def test_of_a_column_that_nobody_describes_no_number_passes_that_may_be_a_small_count(n, draw, codes, name) -> None:
    count = draw.draw(st.integers(0, n))
    total = codes[0] * (n - count) + codes[1] * count
    written = total if name == "sum" else f"{total / n:.4f}" if draw.draw(st.booleans()) else f"{total}/{n}"
    found = check_outputs(statistic(n, **{name: written}), policy(STATISTICS))
    assert found.passed <= (not small(count, n))
    assert check_outputs(statistic(n, **{name: written}), policy(STATISTICS, died={**WHOLE, "range": [0, 90]})).passed


@pytest.mark.parametrize("values", [{"mean": "41200.5"}, {"sum": 865210}, {"mean": "0.8"}, {"mean": "0.02", "max": 7}])
def test_numbers_that_are_no_small_counts_pass_of_any_column(values: Any) -> None:
    assert check_outputs(statistic(50, **values), policy(STATISTICS)).passed


@settings(max_examples=40, deadline=None)
@given(st.integers(LEAST, 60), st.data(), st.sampled_from(["share", "prevalence", "percent"]))
def test_a_share_is_of_n_whatever_numbers_stand_for_no_and_yes(n, draw, name) -> None:
    count = draw.draw(st.integers(0, n))
    exact = f"{100 * count}/{n}" if name == "percent" else f"{count}/{n}"
    table = data(("M", n, count), ("F", 20, 10), write=lambda died: 2 if died else 1)
    found = check_outputs(statistic(n, **{name: exact}), policy(STATISTICS), table)
    assert (found.verdict is Verdict.FAIL) == small(count, n)
    of_many = table.assign(died=range(len(table)))
    found = check_outputs(statistic(n, **{name: exact}), policy(STATISTICS), of_many)
    assert (found.verdict is Verdict.NOT_EVALUATED) == small(count, n)


@pytest.mark.parametrize("write", [int, lambda died: 2 if died else 1, lambda died: 10 if died else 3])
def test_a_leafs_mean_of_any_two_numbers_is_a_count(write: Any) -> None:
    frame = data(("M", 50, 1), ("F", 30, 15), write=write)
    leaves = [
        {"path": [["sex", "=", sex]], "count": n, "mean": str(frame[frame.sex == sex].died.mean())}
        for sex, n in (("M", 50), ("F", 30))
    ]
    held = policy({"type": "decision-tree", "min_leaf": 5, "min_class_count": 5})
    tree = {"type": "decision-tree", "target": "died", "leaves": leaves}
    assert {v.reason for v in check_outputs(tree, held, frame).outputs[0].violations} == {"small-class"}


@pytest.mark.parametrize("with_data", [False, True])
@pytest.mark.parametrize("told", ["sum", "mean"])
def test_ones_that_follow_by_difference(told: str, *, with_data: bool) -> None:
    """11 of 24 less 7 of 15: four of nine died, who stand in no row."""
    people = data(("M", 15, 7), ("F", 9, 4))
    cells = [{"key": ["M"], "n": 15, "sum": 7, "mean": "7/15"}, {"key": [None], "n": 24, "sum": 11, "mean": "11/24"}]
    output = {
        "type": "statistics",
        "of": "died",
        "by": ["sex"],
        "cells": [{"key": cell["key"], "n": cell["n"], told: cell[told]} for cell in cells],
    }
    held = policy({**STATISTICS, "differencing": True}, died=WHOLE)
    found = check_outputs(output, held, people if with_data else None)
    assert found.verdict is Verdict.FAIL
    assert {(v.reason, v.reached) for v in found.outputs[0].violations} == {("differencing", 4)}
