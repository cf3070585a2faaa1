"""Which columns an output speaks of, by each of its types: none of them may name a person or hold free text."""

from fractions import Fraction

import pytest

from auditor.outputs._columns import forbidden_columns
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.outputs import (
    AssociationRule,
    AssociationRules,
    Cluster,
    Clustering,
    DecisionTree,
    FrequencyTable,
    FrequentItemsets,
    GroupStatistics,
    Itemset,
    MagnitudeTable,
    Node,
    Regression,
    Stated,
    Statistic,
    Term,
)
from auditor.policy import load_policy

POLICY = load_policy(
    {
        "version": 1, "name": "p",
        "attributes": {"ssn": "identifier", "note": "text", "ward": "quasi-identifier", "cost": "sensitive"},
        "outputs": [{"type": "frequency-table", "min_cell": 3}],
    }
)  # fmt: skip
FROM = {"source": "o.csv", "format": "csv", "sha256": ""}
WARD, NAMED = frozenset({equal("ward", "a")}), frozenset({equal("ssn", "1")})
FIVE = Stated(Fraction(5), 0)


@pytest.mark.parametrize(
    "output",
    [
        AssociationRules(rules=(AssociationRule(antecedent=WARD, consequent=NAMED),), **FROM),
        FrequentItemsets(itemsets=(Itemset(items=NAMED),), **FROM),
        DecisionTree(target="cost", leaves=(Node(path=WARD),), inner=(Node(path=NAMED),), **FROM),
        DecisionTree(target="ssn", leaves=(Node(path=WARD),), **FROM),
        FrequencyTable(by=("ward", "ssn"), cells=(), **FROM),
        FrequencyTable(by=("ward",), cells=(), where=NAMED, **FROM),
        MagnitudeTable(by=("ward",), of="ssn", cells=(), **FROM),
        GroupStatistics(of="cost", by=("ssn",), cells=(), **FROM),
        GroupStatistics(of="ssn", by=("ward",), cells=(Statistic(key=("a",), n=9, values=(("max", FIVE),)),), **FROM),
        Regression(outcome="cost", terms=(Term(name="C(ssn)[T.1]", condition=NAMED),), **FROM),
        Clustering(clusters=(Cluster(size=9, centre=(("ssn", "1"),)),), **FROM),
        Clustering(clusters=(Cluster(size=9, counts=(("ssn", ()),)),), **FROM),
    ],
    ids=lambda output: output.type,
)
def test_an_output_by_the_values_of_an_identifier_names_it(output):
    assert forbidden_columns(POLICY, output) == {"ssn"}


@pytest.mark.parametrize(
    "output",
    [
        FrequencyTable(by=("ward",), cells=(), where=WARD, **FROM),
        MagnitudeTable(by=("ward",), of="cost", cells=(), **FROM),
        GroupStatistics(of="ssn", by=("ward",), cells=(Statistic(key=("a",), n=9),), **FROM),
        Clustering(clusters=(Cluster(size=9, centre=(("cost", "1"),)),), **FROM),
    ],
    ids=lambda output: output.type,
)
def test_counting_people_is_not_naming_them(output):
    assert forbidden_columns(POLICY, output) == set()
