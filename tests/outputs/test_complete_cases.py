"""A regression is of the records that have a value of all that it speaks of, as every statistics package fits it."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import check_outputs
from auditor.result import Verdict

POLICY = {
    "version": 1,
    "name": "p",
    "attributes": {"ward": "insensitive"},
    "outputs": [{"type": "regression", "min_dof": 2, "min_indicator": 3}],
}
VALUES = st.sampled_from([1.0, 2.0, 3.0, None])


def model(records: int | None, *terms: str) -> dict[str, Any]:
    named = [{"name": name} for name in ("Intercept", *terms)]
    return {"type": "regression", "outcome": "cost", "terms": named} | ({} if records is None else {"records": records})


def reasons(output: dict[str, Any], data: pd.DataFrame, policy: dict[str, Any] | None = None) -> list[tuple[str, Any]]:
    found = check_outputs(output, policy or POLICY, data)
    return sorted((v.reason, v.reached) for v in found.outputs[0].violations)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=4, max_size=20), st.integers(1, 21))
def test_a_mismatch_is_what_is_neither_all_nor_the_complete_cases(rows, records) -> None:
    data = pd.DataFrame(rows, columns=["cost", "age", "bmi"], dtype=object)
    policy = POLICY | {"outputs": [{"type": "regression", "min_dof": 1}]}
    expected = {len(data), len(data[["cost", "age"]].dropna())}
    told = reasons(model(records, "np.log(age)"), data, policy)
    assert ("mismatch" in dict(told)) is (records not in expected)


def test_names_of_columns_are_found_whole_and_in_indicators() -> None:
    data = pd.DataFrame({"cost": [1.0] * 20, "age": [None] * 2 + [3.0] * 18, "ageing": [None] * 5 + [1.0] * 15})
    data["ward"] = [*"ab" * 9, None, None]
    assert reasons(model(18, "age"), data) == []
    assert reasons(model(15, "I(age ** 2)"), data) == [("mismatch", 5)]
    ward = {"name": "C(ward)[T.b]", "condition": {"ward": "b"}}
    assert reasons(model(18) | {"terms": [{"name": "Intercept"}, ward]}, data) == []


def test_indicators_are_counted_among_the_complete_cases() -> None:
    """Of 10 in ward b, 2 have a cost: the model tells of these."""
    data = pd.DataFrame({"ward": ["a"] * 20 + ["b"] * 10, "cost": [5.0] * 22 + [None] * 8})
    ward = {"name": "ward[T.b]", "condition": {"ward": "b"}}
    of_22 = model(22) | {"terms": [{"name": "Intercept"}, ward]}
    assert reasons(of_22, data) == [("small-indicator", 2)]
    assert reasons(of_22 | {"records": 30}, data) == []
    assert reasons({k: v for k, v in of_22.items() if k != "records"}, data) == [("small-indicator", 2)]


def test_degrees_of_freedom_are_those_of_the_complete_cases() -> None:
    data = pd.DataFrame({"age": [1.0, 2.0, 3.0] + [None] * 27, "cost": [5.0] * 30})
    assert ("low-dof", 1) in reasons(model(None, "age"), data)


@pytest.mark.parametrize(("records", "apart"), [(96, {4}), (90, set())])
def test_a_model_of_the_complete_cases_beside_a_table(records: int, apart: set[int]) -> None:
    """The table counts 100, of whom 4, or 10, have no cost."""
    data = pd.DataFrame({"ward": ["a"] * 40 + ["b"] * 60, "cost": [1.5] * records + [None] * (100 - records)})
    cells = [{"key": ["a"], "count": 40}, {"key": ["b"], "count": 60}]
    table = {"type": "frequency-table", "by": ["ward"], "cells": cells}
    rules = [{"type": "frequency-table", "min_cell": 5, "differencing": True}, {"type": "regression", "min_dof": 2}]
    found = check_outputs([table, model(records)], POLICY | {"outputs": rules}, data)
    told = [v for output in found.outputs for v in output.violations]
    assert {v.reason for v in told} <= {"differencing"}
    assert {v.reached for v in told} >= apart
    assert bool(told) is bool(apart)


def test_what_clusters_come_to_says_whether_missing_values_were_filled_in() -> None:
    """Of 100 records 3 have no age: clusters of all of them beside a table of all tell nothing of these three."""
    data = pd.DataFrame({"ward": ["a"] * 40 + ["b"] * 60, "age": [None] * 3 + [2.5] * 97})
    cells = [{"key": ["a"], "count": 40}, {"key": ["b"], "count": 60}]
    table = {"type": "frequency-table", "by": ["ward"], "cells": cells}
    rules = [
        {"type": "frequency-table", "min_cell": 5, "differencing": True},
        {"type": "clusters", "min_size": 5, "centres": "allow"},
    ]
    for sizes, told in (((40, 60), set()), ((40, 57), {3})):
        model = {"type": "clusters", "clusters": [{"size": size, "centre": {"age": 2.5}} for size in sizes]}
        found = check_outputs([table, model], POLICY | {"outputs": rules}, data)
        violations = [v for output in found.outputs for v in output.violations if v.reason == "differencing"]
        assert {v.reached for v in violations} == told
        assert found.verdict is (Verdict.FAIL if told else Verdict.PASS)
