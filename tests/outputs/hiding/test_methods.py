"""Every method on small tables: what it hides and changes, judged by definition alone."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import auditor
from auditor.outputs.hiding import METHODS
from auditor.outputs.hiding.methods import hides_itemsets
from tests.outputs.hiding import oracle
from tests.outputs.hiding.strategies import itemsets, rules, tables

HALF = Fraction(1, 2)
ALWAYS = [name for name in METHODS if hides_itemsets(name)]
"""Methods that hide every sensitive itemset, whatever the table; rules too, except 1.a, 1.b and 2.a, 2.b."""
REMOVING = [name for name in ALWAYS if name != "transactions"]
PROVING = ("exact", "rules")


def released(table, sensitive, **options):
    found = auditor.hide(table, sensitive, **options)
    after = None if found.data is None else [frozenset(each) for each in found.data]
    return found, after


@pytest.mark.slow
@pytest.mark.parametrize("method", ALWAYS)
@settings(max_examples=40)
@given(tables(), st.lists(itemsets(), min_size=1, max_size=3), st.integers(1, 4), st.integers(0, 2))
def test_every_sensitive_itemset_is_hidden_and_nothing_appears(method, table, sensitive, s, margin) -> None:
    assume(margin < s)
    found, after = released(table, sensitive, min_support=s, margin=margin, method=method)
    assert found.passed
    assert after is not None
    assert oracle.hidden(after, sensitive, [], s, HALF, margin)
    if method == "transactions":
        assert not Counter(after) - Counter(table)
    else:
        assert all(new <= old for old, new in zip(table, after, strict=True))
    assert not oracle.frequent(after, s).keys() - oracle.frequent(table, s).keys()


@pytest.mark.slow
@pytest.mark.parametrize("method", sorted(METHODS))
@settings(max_examples=40)
@given(tables(), st.lists(rules(), min_size=1, max_size=2), st.integers(1, 3), st.sampled_from(["1/3", "1/2", "4/5"]))
def test_the_verdict_on_rules_is_that_of_the_definition(method, table, sensitive, s, c) -> None:
    """Heuristics take the rules to be disjoint, as published: where one fails, that is said and nothing is released."""
    found, after = released(table, sensitive, min_support=s, min_confidence=Fraction(c), method=method)
    assert found.passed == (after is not None)
    if after is not None:
        assert oracle.hidden(after, [], sensitive, s, Fraction(c))
    if method in PROVING or method in {
        "transactions",
        "cover",
        "max-min",
        "bba",
        "swa",
        "max-fia",
        "iga",
        "verykios-2b",
    }:
        pass
    if method in PROVING:
        assert found.passed


@pytest.mark.slow
@pytest.mark.parametrize("method", REMOVING)
@settings(max_examples=25)
@given(tables(), st.lists(itemsets(), min_size=1, max_size=3), st.integers(1, 4))
def test_only_items_of_the_sensitive_itemsets_are_taken_out(method, table, sensitive, s) -> None:
    _, after = released(table, sensitive, min_support=s, method=method)
    touched = frozenset().union(*(old - new for old, new in zip(table, after, strict=True)))
    assert touched <= frozenset().union(*sensitive)


@settings(max_examples=60)
@given(tables(most=9), st.lists(itemsets(), min_size=1, max_size=2), st.fractions(Fraction(1, 9), 1, max_denominator=9))
@example([frozenset("a"), frozenset("a"), frozenset("b")], [frozenset("a"), frozenset("b")], Fraction(2, 5))
def test_removing_transactions_follows_a_share_as_its_base_shrinks(table, sensitive, share) -> None:
    """A reader of the release takes the same share of fewer transactions.

    An empty table hides everything and releases nothing, so it is no release: where every other part of the table shows
    something, nothing is released, and the verdict says so.
    """
    found, after = released(table, sensitive, min_support=share, method="transactions")
    if after is None:
        assert not found.passed
        assert not any(hides(part, sensitive, share) for part in parts(table))
        return
    assert found.passed
    assert hides(after, sensitive, share)
    assert found.result.hiding.min_support_release == least_of(after, share)


def least_of(table, share) -> int:
    return max(1, -(-share.numerator * len(table) // share.denominator))


def hides(table, sensitive, share) -> bool:
    return oracle.hidden(table, sensitive, [], least_of(table, share), HALF)


def parts(table):
    """Every part of a table with at least one transaction."""
    for size in range(1, len(table) + 1):
        yield from ([frozenset(each) for each in part] for part in combinations(table, size))


@given(tables(), itemsets(), st.integers(1, 4))
def test_a_seed_gives_the_same_release_again(table, sensitive, s) -> None:
    once, again = (released(table, [sensitive], min_support=s, method="swa", seed=7)[1] for _ in range(2))
    assert once == again


def test_raising_the_antecedent_hides_a_rule_by_its_confidence() -> None:
    """Verykios et al. 1.a: a ⇒ b holds in 3 of 3; at confidence 70 % two more transactions need a: 3/5 < 7/10."""
    table = [set("ab"), set("ab"), set("ab"), set("c"), set("c"), set("c")]
    rule = (frozenset("a"), frozenset("b"))
    found, after = released(table, [rule], min_support=2, min_confidence="70%", method="verykios-1a")
    assert found.passed
    assert found.result.hiding.added_items == 2
    assert sum("a" in each for each in after) == 5
