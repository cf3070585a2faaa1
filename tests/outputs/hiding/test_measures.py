"""The measures of a release, against their definitions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import auditor
from auditor.errors import PolicyNotMet
from auditor.outputs.hiding import METHODS
from tests.outputs.hiding import oracle
from tests.outputs.hiding.strategies import itemsets, rules, tables

C = Fraction(1, 2)


@pytest.mark.slow
@settings(max_examples=150)
@given(
    tables(),
    st.lists(itemsets(), max_size=2),
    st.lists(rules(), max_size=2),
    st.integers(1, 3),
    st.sampled_from(sorted(METHODS)),
)
def test_every_measure_is_that_of_the_definition(table, sensitive, secret_rules, s, method) -> None:
    assume(sensitive or secret_rules)
    assume(not (sensitive and method in {"verykios-1a", "verykios-1b"}))
    found = auditor.hide(table, [*sensitive, *secret_rules], min_support=s, min_confidence=C, method=method)
    assume(found.data is not None)
    after, hiding = [frozenset(each) for each in found.data], found.result.hiding
    before_f, after_f = oracle.frequent(table, s), oracle.frequent(after, s)
    secret = [*sensitive, *(a | b for a, b in secret_rules)]
    stay = oracle.stay(before_f, secret)
    assert hiding.frequent_itemsets == len(before_f)
    assert hiding.lost_itemsets == len(stay - after_f.keys())
    assert hiding.ghost_itemsets == len(after_f.keys() - before_f.keys())
    assert hiding.misses_cost == (len(stay - after_f.keys()) / len(stay) if stay else 0)
    before_r, after_r = oracle.rules(table, s, C), oracle.rules(after, s, C)
    lost = {(a, b) for a, b in before_r - after_r if (a, b) not in secret_rules}
    assert hiding.lost_rules == len({(a, b) for a, b in lost if not any(each <= a | b for each in sensitive)})
    assert hiding.ghost_rules == len(after_r - before_r)
    assert hiding.artifactual == (len(after_r - before_r) / len(after_r) if after_r else 0)
    letters = {item for each in table for item in each}
    differences = sum(abs(oracle.support(table, item) - oracle.support(after, item)) for item in letters)
    assert hiding.dissimilarity == (differences / sum(map(len, table)) if letters else 0)
    assert hiding.hiding_failure == 0
    if method == "transactions":
        assert hiding.transactions_changed == hiding.transactions_removed == len(table) - len(after)
        assert hiding.removed_items == sum(map(len, table)) - sum(map(len, after))
    else:
        assert hiding.transactions_changed == oracle.changed(table, after)
        assert hiding.removed_items == oracle.removed(table, after)
        assert hiding.added_items == oracle.removed(after, table)
        assert hiding.transactions_emptied == sum(bool(a) and not b for a, b in zip(table, after, strict=True))
    assert hiding.accuracy == 1 - hiding.transactions_changed / len(table)
    assert hiding.distance == hiding.removed_items + hiding.added_items


@given(tables(), st.lists(itemsets(), min_size=1, max_size=3), st.integers(1, 4))
def test_what_was_hidden_before_is_counted_and_left_alone(table, sensitive, s) -> None:
    found = auditor.hide(table, sensitive, min_support=s).result.hiding
    distinct = set(sensitive)
    assert found.sensitive == len(distinct)
    assert found.already_hidden == sum(oracle.support(table, each) < s for each in distinct)
    if found.already_hidden == len(distinct):
        assert found.distance == 0
        assert found.optimal


def test_a_failure_is_a_share_of_what_was_found() -> None:
    """1.a needs transactions without b to put a into, and there is none."""
    found = auditor.hide([["a", "b"]] * 3, [(["a"], ["b"])], min_support=2, min_confidence=1, method="verykios-1a")
    assert found.data is None
    assert found.result.hiding.hiding_failure == 1
    with pytest.raises(PolicyNotMet, match="something sensitive can still be mined"):
        found.raise_unless_passed()
