"""What exact methods call optimal is what exhaustive search finds, and cover optima are the proven ones."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import auditor
from auditor.outputs.hiding._mining import frequent_itemsets
from auditor.outputs.hiding._problem import HidingProblem, Threshold
from auditor.outputs.hiding._read import gathered, read
from auditor.outputs.hiding.methods import _programme, _removals, cover, exact
from tests.outputs.hiding import oracle
from tests.outputs.hiding.strategies import itemsets, rules, tables

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "output_cases.json").read_text("utf-8"))
MOST_CELLS = 11
"""Exhaustive search looks at 2^cells tables."""


def everything_hidden(table, sensitive, secret_rules, s, c, margin):
    """Every table without some sensitive items in which all is hidden."""
    items = frozenset().union(*sensitive, *(a | b for a, b in secret_rules))
    assume(sum(len(each & items) for each in table) <= MOST_CELLS)
    return [t for t in oracle.sanitised(table, items) if oracle.hidden(t, sensitive, secret_rules, s, c, margin)]


def found_before(table, sensitive, secret_rules, s, c, margin):
    """What is to be hidden: the itemsets, and those of the rules, that are not."""
    open_rules = [a | b for a, b in secret_rules if not oracle.rule_hidden(table, (a, b), s, c, margin)]
    return [each for each in sensitive if oracle.support(table, each) + margin >= s] + open_rules


def least(table, sensitive, secret_rules, s, c, margin=0):
    """The fewest border itemsets lost and, with these, items taken out; and the fewest transactions changed."""
    secret = found_before(table, sensitive, secret_rules, s, c, margin)
    border = oracle.maximal(oracle.stay(oracle.frequent(table, s), secret))
    hidden = everything_hidden(table, sensitive, secret_rules, s, c, margin)
    costs = [(sum(oracle.support(t, each) < s for each in border), oracle.removed(table, t)) for t in hidden]
    return min(costs), min(oracle.changed(table, t) for t in hidden), border


SMALL = tables(most=6, letters="abcd")


@pytest.mark.slow
@pytest.mark.parametrize("most_sets", [200, 0])
@settings(max_examples=60)
@given(SMALL, st.lists(itemsets("abcd"), min_size=1, max_size=3), st.integers(1, 4), st.integers(0, 1))
def test_the_exact_optimum_is_that_of_exhaustive_search(most_sets, table, sensitive, s, margin) -> None:
    """Also where transactions are written down item by item (`most_sets` 0)."""
    assume(margin < s)
    (lost, removed), _, border = least(table, sensitive, [], s, Fraction(1), margin)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_removals.minimal_sets, "__defaults__", (most_sets,))
        found = auditor.hide(table, sensitive, min_support=s, margin=margin, method="exact")
    after = [frozenset(each) for each in found.data]
    assert found.result.hiding.optimal
    assert sum(oracle.support(after, each) < s for each in border) == lost
    assert oracle.removed(table, after) == removed == found.result.hiding.removed_items


@pytest.mark.slow
@settings(max_examples=100)
@given(
    SMALL,
    st.lists(rules("abcd"), min_size=1, max_size=2),
    st.lists(itemsets("abcd"), max_size=1),
    st.integers(1, 3),
    st.sampled_from(["1/3", "1/2", "3/4", "1"]),
    st.integers(0, 1),
)
def test_the_optimum_for_rules_is_that_of_exhaustive_search(table, secret_rules, sensitive, s, c, margin) -> None:
    assume(margin < s)
    (lost, removed), changed, border = least(table, sensitive, secret_rules, s, Fraction(c), margin)
    options = {"min_support": s, "min_confidence": Fraction(c), "margin": margin}
    found = auditor.hide(table, [*sensitive, *secret_rules], **options, method="exact")
    after = [frozenset(each) for each in found.data]
    assert found.result.hiding.optimal
    assert (sum(oracle.support(after, each) < s for each in border), oracle.removed(table, after)) == (lost, removed)
    fewest = auditor.hide(table, [*sensitive, *secret_rules], **options, method="rules")
    assert fewest.passed
    assert fewest.result.hiding.optimal
    assert fewest.result.hiding.transactions_changed == changed


@settings(max_examples=60)
@given(tables(most=9), st.lists(itemsets(), min_size=1, max_size=3), st.integers(1, 4))
def test_the_cover_optimum_is_that_of_exhaustive_search(table, sensitive, s) -> None:
    need = {each: oracle.support(table, each) - s + 1 for each in sensitive}
    fewest = next(
        size
        for size in range(len(table) + 1)
        for rows in combinations(table, size)
        if all(oracle.support(list(rows), each) >= n for each, n in need.items())
    )
    found = auditor.hide(table, sensitive, min_support=s, method="cover").result.hiding
    assert found.optimal
    assert found.transactions_changed == fewest


@pytest.mark.parametrize("case", VECTORS["hiding_cases"], ids=lambda case: case["id"])
def test_the_vectors_optima(case) -> None:
    """Found by exhaustive search, by another program."""
    optimum = case["optimum"]
    options = {"min_support": case["min_support_count"]}
    found = auditor.hide(case["transactions"], case["sensitive_itemsets"], **options, method="exact").result.hiding
    assert found.frequent_itemsets == optimum["frequent"]
    assert found.lost_itemsets == 0
    assert found.removed_items == optimum["min_removals_without_lost"]
    fewest = auditor.hide(case["transactions"], case["sensitive_itemsets"], **options, method="cover").result.hiding
    assert fewest.transactions_changed == optimum["min_transactions_to_sanitise"]


@pytest.mark.slow
@pytest.mark.parametrize("case", VECTORS["cover_optima"], ids=lambda case: case["file"])
def test_cover_optima_at_full_size_are_the_proven_ones(case, fimi: Path) -> None:
    transactions = read(fimi / case["file"]).transactions
    code = {name: number for number, name in enumerate(transactions.names)}
    sensitive = [tuple(sorted(code[str(item)] for item in each)) for each in case["sensitive_itemsets"]]
    s = case["min_support_count"]
    assert [transactions.support(each) for each in sensitive] == case["supports"]
    frequent = frequent_itemsets(transactions, s)
    assert len(frequent) == case["frequent_itemsets"]
    problem = HidingProblem(transactions, Threshold(s), frequent, tuple(sensitive))
    answer = cover.hide(problem)
    assert answer.optimal
    assert answer.objective == case["min_transactions_to_sanitise"]
    after = answer.change.applied_to(transactions)
    assert all(after.support(each) < s for each in sensitive)


@pytest.mark.slow
def test_a_deliberately_short_time_tells_its_gap_and_still_hides(fimi: Path) -> None:
    """The best solution known by then is used, and what is proved of it is said.

    How long is short depends on the machine: the first of 1, 2, 4 … seconds in which anything is proved.
    """
    case = VECTORS["cover_optima"][0]
    transactions = read(fimi / case["file"]).transactions
    code = {name: number for number, name in enumerate(transactions.names)}
    sensitive = tuple(sorted(tuple(sorted(code[str(item)] for item in each)) for each in case["sensitive_itemsets"]))
    frequent = frequent_itemsets(transactions, 60)
    problem = HidingProblem(transactions, Threshold(60), frequent, sensitive)
    none = exact.hide(replace(problem, solver_deadline=0.0))
    for seconds in (1, 2, 4, 8, 16, 32, 64):
        little = exact.hide(replace(problem, solver_deadline=time.monotonic() + seconds))
        if little.gap is not None:
            break
    assert (none.by, none.gap) == ("max-min", None)
    assert little.gap is not None
    assert 0 < little.gap <= 1
    assert little.objective <= none.objective
    for answer in (none, little):
        assert not answer.optimal
        after = answer.change.applied_to(transactions)
        assert all(after.support(each) < 60 for each in sensitive)


def test_a_programme_that_is_too_large_is_left_to_max_min(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_programme, "MOST_TERMS", 0)
    for method in ("auto", "exact", "rules"):
        found = auditor.hide([["a", "b"]] * 5 + [["a"], ["b"]], [["a", "b"]], min_support=3, method=method)
        assert found.passed
        assert found.result.hiding.method == "max-min"
        assert found.result.hiding.gap is None
        assert not found.result.hiding.optimal


def test_independent_parts_are_solved_apart() -> None:
    """Two programmes side by side: min x + 2y with x + y ≥ 3, x ≤ 2; min z with z ≥ 1."""
    programme = _programme.Programme()
    x, y, z = programme.variable(1, 2), programme.variable(2, 9), programme.variable(1, 5)
    programme.row([(x, 1), (y, 1)], low=3)
    programme.row([(z, 1)], low=1)
    solved = programme.solve()
    assert solved.values.tolist() == [2, 1, 1]
    assert (solved.objective, solved.bound) == (5, 5)
    programme.row([(z, 1)], low=6)
    assert not programme.solve().feasible


@given(st.lists(st.integers(1, 63), min_size=1, max_size=4))
def test_minimal_removal_sets_are_those_of_the_definition(targets) -> None:
    """Each item alone hits some target; by looking at all 63 sets."""

    def needed(chosen: int) -> bool:
        items = [1 << i for i in range(6) if chosen >> i & 1]
        return bool(items) and all(any(target & chosen == item for target in targets) for item in items)

    assert sorted(_removals.minimal_sets(targets)) == [each for each in range(1, 64) if needed(each)]
    assert _removals.minimal_sets(targets, 0) is None


def test_the_model_of_nothing_to_hide_changes_nothing() -> None:
    transactions = gathered([["a"], ["b"]]).transactions
    problem = HidingProblem(transactions, Threshold(1), frequent_itemsets(transactions, 1))
    assert not exact.hide(problem).change.removed
    assert exact.hide(problem).optimal
