"""Tables of sums, against the contributions themselves: every rule worked out from its definition."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import auditor
from auditor.outputs.checks.magnitude_table import check
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.outputs import Cell, MagnitudeTable, Stated
from tests.outputs.tiny import judged, policy_of, reasons

RULE = {
    "type": "magnitude-table",
    "min_cell": 3,
    "dominance": [{"n": 1, "k": 0.5}, {"n": 2, "k": 0.75}],
    "p_percent": 10,
    "pq": {"p": 20, "q": 80},
}
ROWS = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(-20, 60), st.sampled_from("uvwxyz")), min_size=1, max_size=14
)


def rows_of(drawn):
    return [{"zip": zip_, "cost": str(cost), "who": who} for zip_, cost, who in drawn]


def magnitudes(values, counts=None, largest=(), **more):
    counts = counts or {}
    cells = tuple(
        Cell(
            key=(key,),
            count=counts.get(key),
            sum=None if value is None else Stated(Fraction(value)),
            largest=tuple(map(Fraction, largest)),
        )
        for key, value in values.items()
    )
    return MagnitudeTable(source="m", format="", sha256="", by=("zip",), of="cost", cells=cells, **more)


def contributions(rows, key, unit):
    """The contributions to a cell, in absolute value, the largest first."""
    by_unit: dict[str, Fraction] = {}
    for number, row in enumerate(rows):
        if key is None or row["zip"] == key:
            who = row["who"] if unit else str(number)
            by_unit[who] = by_unit.get(who, Fraction(0)) + Fraction(row["cost"])
    return sorted((abs(value) for value in by_unit.values()), reverse=True)


def expected(rows, unit):
    """What each rule says of each cell, from its definition."""
    found = set()
    for key in ("A", "B", None):
        x = contributions(rows, key, unit)
        name = "total" if key is None else f"zip={key}"
        if 0 < len(x) < 3:
            found.add((name, "small-cell", "min_cell"))
        largest_sums = [max((sum(c) for c in combinations(x, min(n, len(x)))), default=0) for n in (1, 2)]
        if any(2 * top > sum(x) for top in largest_sums[:1]) or 4 * largest_sums[1] > 3 * sum(x):
            found.add((name, "dominance", "dominance"))
        first, second = (*x, 0, 0)[:2]
        if 100 * (sum(x) - first - second) < 10 * first:
            found.add((name, "p-percent", "p_percent"))
        if 80 * (sum(x) - first - second) < 20 * first:
            found.add((name, "p-percent", "pq"))
    return found


@given(ROWS, st.booleans())
def test_every_rule_is_that_of_the_contributions(drawn, unit) -> None:
    """With negative values too, which count by their size, and with several records of one unit."""
    rows = rows_of(drawn)
    sums = {key: sum(int(r["cost"]) for r in rows if key in (None, r["zip"])) for key in ("A", "B", None)}
    policy = policy_of(RULE, **({"unit": "who"} if unit else {}))
    checked = judged(check, magnitudes(sums), policy, rows)
    assert {(v.item, v.reason, v.limit) for v in checked.violations} == expected(rows, unit)
    assert {"min_cell", "dominance", "p_percent", "pq"} <= checked.judged


@pytest.mark.parametrize(("inclusive", "violates"), [(False, False), (True, True)])
def test_n_k_exactly_at_k(inclusive: bool, violates: bool) -> None:
    """60 and 30 of 100 are exactly 90 %; ACRO compares with >= and in floating point."""
    rows = [{"zip": "A", "cost": cost} for cost in ("60", "30", "10")]
    rule = {"type": "magnitude-table", "dominance": [{"n": 2, "k": "90%", "inclusive": inclusive}]}
    checked = judged(check, magnitudes({"A": 100}), policy_of(rule), rows)
    assert bool(checked.violations) is violates
    assert checked.worst["dominance"] == Fraction(9, 10)


def test_n_k_a_hair_above_k() -> None:
    rows = [{"zip": "A", "cost": cost} for cost in ("0.60000000000000000001", "0.3", "0.1")]
    rule = {"type": "magnitude-table", "dominance": [{"n": 2, "k": 0.9}]}
    assert judged(check, magnitudes({"A": "1.00000000000000000001"}), policy_of(rule), rows).violations


def test_p_percent_exactly_at_p_does_not_violate() -> None:
    rule = {"type": "magnitude-table", "p_percent": 10}
    at, below = ([{"zip": "A", "cost": c} for c in ("100", "50", rest)] for rest in ("10", "9.99"))
    assert not judged(check, magnitudes({"A": 160}), policy_of(rule), at).violations
    assert judged(check, magnitudes({"A": "159.99"}), policy_of(rule), below).violations


def test_of_a_rounded_sum_one_number_is_told() -> None:
    """150 ± 0.5 of which two have 149: the rest is at most 1.5, 1.5 % of the largest."""
    output = replace(magnitudes({}), cells=(Cell(key=("A",), sum=Stated(Fraction(150), 0), largest=(100, 49)),))
    checked = judged(check, output, policy_of({"type": "magnitude-table", "p_percent": 10}))
    (violation,) = checked.violations
    assert violation.reached == checked.worst["p_percent"] == Fraction(3, 2)


def test_a_cell_of_zeros_is_dominated_by_nobody() -> None:
    rows = [{"zip": "A", "cost": "0"}] * 5
    rule = {"type": "magnitude-table", "dominance": [{"n": 1, "k": 0.5, "inclusive": True}], "p_percent": 10}
    assert not judged(check, magnitudes({"A": 0}), policy_of(rule), rows).violations


def test_pq_with_q_of_100_is_p_percent() -> None:
    for rest in ("9.99", "10", "10.01"):
        rows = [{"zip": "A", "cost": c} for c in ("100", "50", rest)]
        output = magnitudes({"A": Fraction(rest) + 150})
        plain = judged(check, output, policy_of({"type": "magnitude-table", "p_percent": 10}), rows)
        both = judged(check, output, policy_of({"type": "magnitude-table", "pq": {"p": 10, "q": 100}}), rows)
        assert bool(plain.violations) == bool(both.violations)


def test_without_data_the_largest_of_the_file_are_used_and_else_it_is_open() -> None:
    rule = {"type": "magnitude-table", "dominance": [{"n": 1, "k": 0.5}], "p_percent": 10, "min_cell": 3}
    policy = policy_of(rule)
    told = magnitudes({"A": 100}, {"A": 12}, largest=(60, 10))
    assert {v.limit for v in judged(check, told, policy).violations} == {"dominance"}
    silent = judged(check, magnitudes({"A": 100}), policy)
    assert {"dominance", "p_percent", "min_cell"} <= silent.open_limits.keys()
    assert not silent.violations


def test_a_sum_that_is_not_that_of_the_data_is_a_mismatch() -> None:
    rows = [{"zip": "A", "cost": "10"}] * 5
    assert reasons(judged(check, magnitudes({"A": 51}), policy_of(RULE), rows)) == {("zip=A", "mismatch")}


def test_a_suppressed_sum_follows_from_its_margin() -> None:
    rule = {"type": "magnitude-table", "protection": 5}
    checked = judged(check, magnitudes({"A": 100, "B": None, None: 150}), policy_of(rule))
    assert reasons(checked) == {("zip=B", "suppressed-cell-recoverable")}


def test_two_sums_one_record_apart() -> None:
    """Totals with and without one person: the difference is the person's value."""
    rows = [{"zip": "A", "cost": str(n), "ward": "x" if n else "y"} for n in range(20)]
    everybody = magnitudes({"A": 190}, {"A": 20})
    but_one = magnitudes({"A": 190}, where=frozenset([equal("ward", "x")]))
    rule = {"type": "magnitude-table", "min_cell": 3, "differencing": True}
    checked = judged(check, but_one, policy_of(rule), rows, before=[everybody])
    assert {(v.item, v.reached) for v in checked.violations} == {("ward=another value", 1)}


def test_sums_alone_are_no_fault_beside_data() -> None:
    """A table of sums by one column, with its total, where no output holds counts of its own."""
    cells = [{"key": ["a"], "sum": 50, "count": 5}, {"key": ["b"], "sum": 20, "count": 2}, {"key": [None], "sum": 70}]
    table = {"type": "magnitude-table", "records": 7, "by": ["ward"], "of": "income", "cells": cells}
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"ward": "insensitive", "income": {"role": "sensitive", "type": "number"}},
        "outputs": [{"type": "magnitude-table", "zeros_disclosive": True, "differencing": True}],
    }
    data = pd.DataFrame({"ward": list("aaaaabb"), "income": 10})
    assert auditor.check_outputs(table, policy, data=data).exit_code in (0, 1)
