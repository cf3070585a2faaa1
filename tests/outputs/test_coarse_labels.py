"""Labels of a policy's ladder in outputs, counted in data that holds the values below them."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.outputs.checks.frequency_table import check
from auditor.outputs.checks.frequent_itemsets import check as check_itemsets
from auditor.outputs.published.conditions import Condition, equal, group_of
from auditor.outputs.published.counts import Counts
from auditor.outputs.published.outputs import FrequentItemsets, Itemset
from tests.outputs.tiny import Rows, judged, policy_of, table

REGIONS = {"South": ["AL", "GA"], "West": ["CA", "NV"]}
LADDERS = {
    "state": {"role": "quasi-identifier", "hierarchy": {"tree": {"*": REGIONS}}},
    "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": [3, 2]}},
    "who": "pseudonym",
}
RULES = {"type": "frequency-table", "min_cell": 3}, {"type": "frequent-itemsets", "min_support_count": 3}
POLICY = policy_of(*RULES, attributes=LADDERS)

# Seven of the South (4 and 3), eleven of the West (5 and 6).
STATES = {"AL": ("35101", 4), "GA": ("35102", 3), "CA": ("90001", 5), "NV": ("89001", 6)}
ROWS = [{"state": state, "zip": code} for state, (code, n) in STATES.items() for _ in range(n)]


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("state", {"South": 7, "West": 11}),
        ("state", {"South": 7, "CA": 5, "NV": 6}),
        ("state", {"South": 7, "AL": 4, "GA": 3, "West": 11}),
        ("zip", {"351*": 7, "900*": 5, "890*": 6}),
        ("zip", {"351*": 7, "90*": 5, "89001": 6}),
    ],
)
def test_a_table_of_coarse_labels_is_the_data_s(column, cells):
    published = table([column], {(label,): count for label, count in cells.items()})
    assert not judged(check, published, POLICY, ROWS).violations
    for label in cells:
        wrong = table([column], {(each,): count + (each == label) for each, count in cells.items()})
        violations = judged(check, wrong, POLICY, ROWS).violations
        assert [each.item for each in violations if each.reason == "mismatch"] == [f"{column}={label}"]


def test_a_suppressed_state_is_the_rest_of_its_region():
    published = table(["state"], {("South",): 7, ("AL",): 5, ("GA",): None, ("West",): 11})
    rows = [*({"state": "AL"} for _ in range(5)), *({"state": "GA"} for _ in range(2)), *({"state": "CA"},) * 11]
    found = judged(check, published, POLICY, rows).violations
    assert {(each.item, each.reason) for each in found} == {("state=GA", "suppressed-cell-recoverable")}


def test_an_itemset_of_a_region_has_the_support_of_its_states():
    group = group_of([equal("state", "South"), equal("zip", "35101")])
    output = FrequentItemsets(source="i", format="json", sha256="", itemsets=(Itemset(items=group, support=4),))
    policy = policy_of({**RULES[1], "channels": False}, attributes=LADDERS)
    assert not judged(check_itemsets, output, policy, ROWS).violations


def test_a_label_that_the_data_has_is_that_label():
    """Data that was made coarser in part: its own label counts the records that have it, and no others."""
    rows = [{"state": "South"}] * 4 + [{"state": "AL"}] * 5
    assert counts_of(rows).count(group_of([equal("state", "South")])) == 4


def test_a_value_that_the_ladder_does_not_cover_takes_no_other_its_label():
    rows = [{"state": "AL"}] * 4 + [{"state": "Atlantis"}] * 3 + [{"state": None}] * 2
    counts = counts_of(rows)
    assert counts.count(group_of([equal("state", "South")])) == 4
    assert counts.count(group_of([Condition("state", "!=", ("South",))])) == 3
    assert counts.count(group_of([equal("state", "West")])) == 0


def counts_of(rows):
    return Counts(Rows(rows, list(rows[0])), POLICY)


@given(st.lists(st.sampled_from(["AL", "GA", "CA", "NV", "Atlantis", None]), min_size=1, max_size=12))
def test_each_region_counts_the_records_of_its_states(states):
    counts, found = counts_of([{"state": state} for state in states]), Counter(states)
    known = len(states) - found[None]
    for region, below in REGIONS.items():
        expected = sum(found[state] for state in below)
        assert counts.count(group_of([equal("state", region)])) == expected
        assert counts.count(group_of([Condition("state", "in", (region, "Atlantis"))])) == expected + found["Atlantis"]
        assert counts.count(group_of([Condition("state", "not in", (region,))])) == known - expected
