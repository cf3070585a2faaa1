"""Values that a rule on outputs lists, and nothing holds as they are listed."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import auditor

RECORDS = [("a", "HIV")] * 9 + [("a", "flu")] + [("b", "flu")] * 10
TABLE = pa.table({"ward": [w for w, _ in RECORDS], "ill": [s for _, s in RECORDS]})
RULE = {"antecedent": ["ward=a"], "consequent": ["ill=HIV"], "support": 9, "antecedent_support": 10}
RULES = {"type": "association-rules", "records": 20, "rules": [RULE]}
ITEMSETS = {"type": "frequent-itemsets", "records": 20, "itemsets": [{"items": ["ward=a", "ill=HIV"], "support": 9}]}
TREE = {
    "type": "decision-tree",
    "target": "ill",
    "leaves": [
        {"path": ["ward=a"], "count": 10, "counts": {"HIV": 9, "flu": 1}},
        {"path": ["ward=b"], "count": 10, "counts": {"flu": 10}},
    ],
}
CLUSTERS = {"type": "clusters", "clusters": [{"size": 10, "counts": {"ill": {"HIV": 9, "flu": 1}}}]}
CASES = [
    (RULES, "max_confidence", {"max_confidence": 0.5, "sensitive": None}),
    (RULES, "sensitive_antecedents", {"sensitive_antecedents": "deny", "sensitive": None}),
    (RULES, "forbidden", {"forbidden": None}),
    (ITEMSETS, "forbidden", {"forbidden": None}),
    (TREE, "max_confidence", {"max_confidence": 0.5, "sensitive": None}),
    (CLUSTERS, "max_confidence", {"max_confidence": 0.5, "sensitive": None}),
]
NAMES = ["rules", "antecedents", "forbidden rules", "forbidden itemsets", "tree", "clusters"]


def judged(output, limit, rule, listed, data=TABLE):
    """The result of a limit whose rule lists some values, and what is told of the output."""
    own = {name: listed if value is None else value for name, value in rule.items()}
    policy = {"attributes": {"*": "insensitive"}, "outputs": [{"type": output["type"], **own}]}
    found = auditor.check_outputs([output], policy, data=data)
    (result,) = (each for each in found.requirements if each.id.endswith(limit.replace("_", "-")))
    return result, found.outputs[0].notes


@pytest.mark.parametrize("data", [None, TABLE], ids=["alone", "data"])
@pytest.mark.parametrize(("output", "limit", "rule"), CASES, ids=NAMES)
def test_a_value_in_another_spelling_leaves_the_limit_open(output, limit, rule, data):
    for listed in ({"ill": ["hiv"]}, {"ill": ["HIV "]}, {"ill": ["ＨＩＶ"]}, {"Ill": ["HIV"]}):
        result, _ = judged(output, limit, rule, listed, data)
        assert result.status == "not-evaluated", listed
        assert "does not occur" in result.reason
    right = "pass" if limit == "sensitive_antecedents" else "fail"
    for listed in ({"ill": ["HIV"]}, {"ill": ["HIV", "hiv"]}):
        assert judged(output, limit, rule, listed, data)[0].status == right


@pytest.mark.parametrize(("output", "limit", "rule"), CASES, ids=NAMES)
def test_values_that_occur_nowhere_are_told(output, limit, rule):
    for listed in ({"ill": ["TB"]}, {"job": ["TB"]}):
        result, notes = judged(output, limit, rule, listed)
        assert result.status == ("not-evaluated" if output is CLUSTERS and "job" in listed else "pass")
        assert any("occurs in the data" in note for note in notes)
    assert not any("occurs in" in note for note in judged(output, limit, rule, {"ill": ["HIV", "TB"]})[1])


@settings(max_examples=20)
@given(st.text("aBé", min_size=1, max_size=3), st.sampled_from([str.upper, str.lower, " {}".format, "{}\t".format]))
def test_no_spelling_of_a_forbidden_item_passes(text, other):
    itemsets = {**ITEMSETS, "itemsets": [{"items": [f"ill={text}"], "support": 9}]}
    result, _ = judged(itemsets, "forbidden", {"forbidden": None}, {"ill": [other(text)]}, None)
    assert result.status == ("fail" if other(text) == text else "not-evaluated")
