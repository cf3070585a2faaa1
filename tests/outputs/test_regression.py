"""Regressions: degrees of freedom, and indicators that isolate people."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.outputs.checks.regression import check
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.outputs import Regression, Term
from tests.outputs.tiny import judged, policy_of, reasons

RULE = {"type": "regression", "min_dof": 10, "min_indicator": 3}


def regression(terms, **more):
    return Regression(source="r", format="", sha256="", outcome="cost", terms=tuple(terms), **more)


def dummy(column, value, ones=None):
    return Term(name=f"{column}_{value}", condition=frozenset([equal(column, value)]), ones=ones)


CONST = Term(name="const")


def test_a_dummy_that_isolates_one_person() -> None:
    """60 records, 57 degrees of freedom: ACRO passes it, and the coefficient is that person's residual of 0."""
    rows = [{"sick": "1" if n == 17 else "0", "age": str(20 + n % 7), "cost": str(n)} for n in range(60)]
    design = np.array([[1, int(r["age"]), int(r["sick"])] for r in rows], dtype=float)
    outcome = np.array([float(r["cost"]) for r in rows])
    fitted = design @ np.linalg.lstsq(design, outcome, rcond=None)[0]
    assert abs(fitted[17] - outcome[17]) < 1e-9  # the model reproduces this record exactly
    output = regression([CONST, Term(name="age"), Term(name="sick")], records=60, dof=57)
    checked = judged(check, output, policy_of(RULE), rows)
    assert reasons(checked) == {("sick other than the most common value", "small-indicator")}
    (violation,) = checked.violations
    assert violation.reached == 1
    assert "min_indicator" in judged(check, output, policy_of(RULE)).open_limits
    told = regression([CONST, Term(name="sick", ones=1)], records=60, dof=58)
    assert reasons(judged(check, told, policy_of(RULE))) == {("sick", "small-indicator")}


@given(st.lists(st.sampled_from("ABC"), min_size=1, max_size=25), st.integers(1, 6))
def test_indicators_are_counted_in_the_data_with_the_category_left_out(kinds, least) -> None:
    rows = [{"kind": kind} for kind in kinds]
    output = regression([CONST, dummy("kind", "A"), dummy("kind", "B")], records=len(rows))
    checked = judged(check, output, policy_of({"type": "regression", "min_indicator": least}), rows)
    sizes = {kind: kinds.count(kind) for kind in "ABC"}
    sides = {"kind_A": sizes["A"], "not kind_A": len(kinds) - sizes["A"]}
    sides |= {"kind_B": sizes["B"], "not kind_B": len(kinds) - sizes["B"], "kind not in (A, B)": sizes["C"]}
    assert {v.item: v.reached for v in checked.violations} == {i: n for i, n in sides.items() if 0 < n < least}
    assert not checked.open_limits


@pytest.mark.parametrize(
    ("dof", "records", "low"), [(10, None, False), (9, None, True), (None, 12, False), (None, 11, True), (50, 11, True)]
)
def test_degrees_of_freedom_below_the_bound(dof, records, low) -> None:
    output = regression([CONST, Term(name="age")], dof=dof, records=records)
    checked = judged(check, output, policy_of({"type": "regression", "min_dof": 10}))
    assert bool(checked.violations) is low


def test_a_saturated_model_is_its_records() -> None:
    output = regression([CONST, Term(name="age"), Term(name="sex")], records=3)
    (violation,) = judged(check, output, policy_of({"type": "regression", "min_dof": 1})).violations
    assert (violation.reason, violation.reached) == ("low-dof", 0)
    assert "the records themselves" in violation.sentence


def test_what_is_not_written_is_open() -> None:
    checked = judged(check, regression([CONST, Term(name="age")]), policy_of(RULE))
    assert checked.open_limits.keys() == {"min_dof", "min_indicator"}


def test_stated_ones_that_are_not_those_of_the_data_are_a_mismatch() -> None:
    rows = [{"kind": kind} for kind in "AAAABBBBBB"]
    output = regression([CONST, dummy("kind", "A", ones=5)], records=10)
    checked = judged(check, output, policy_of({"type": "regression", "min_indicator": 3}), rows)
    assert reasons(checked) == {("kind_A", "mismatch")}
