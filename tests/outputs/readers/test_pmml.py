"""PMML 4.0 to 4.4, in the forms in which KNIME, JPMML, BigML and R write it (samples/README.md)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from auditor.errors import DataError, Unsupported
from auditor.outputs.published.conditions import Condition, equal
from auditor.outputs.published.outputs import (
    AssociationRules,
    Clustering,
    DecisionTree,
    FrequencyTable,
    FrequentItemsets,
    GroupStatistics,
    Node,
    Stated,
)
from auditor.outputs.readers import read
from tests.outputs.readers.conftest import Write, sample


def pmml(model: str, version: str = "4_2", dictionary: str = "") -> str:
    return f'<PMML version="4.2" xmlns="http://www.dmg.org/PMML-{version}"><Header/>{dictionary}{model}</PMML>'


def tree(nodes: str, attributes: str = "") -> str:
    return pmml(f'<TreeModel functionName="classification" {attributes}>{nodes}</TreeModel>')


def test_rules_of_r(write: Write) -> None:
    (found,) = read(write(sample("pmml_r_rules.xml")), columns=frozenset({"age", "zip", "disease"}))
    assert isinstance(found, AssociationRules)
    assert (found.records, found.min_support) == (20, 3)  # ⌈0.12 · 20⌉
    first, second = found.rules
    assert first.antecedent == {equal("age", "26"), equal("zip", "10562")}
    assert first.consequent == {equal("disease", "HIV")}
    assert (first.support, first.antecedent_support) == (5, None)
    assert first.confidence is not None
    assert first.confidence.is_met_by(Fraction(5, 6))
    assert dict(first.measures).keys() == {"lift"}
    assert second.antecedent == frozenset()


def test_supports_of_itemsets_are_published_too(write: Write) -> None:
    text = sample("pmml_r_rules.xml").replace('<Itemset id="1"', '<Itemset id="1" support="0.3"')
    rules, itemsets = read(write(text))
    assert isinstance(rules, AssociationRules)
    assert rules.rules[0].antecedent_support == 6
    assert isinstance(itemsets, FrequentItemsets)
    assert [each.support for each in itemsets.itemsets] == [6]


def test_an_item_of_a_field_with_a_category(write: Write) -> None:
    text = sample("pmml_r_rules.xml").replace('value="age=26"', 'field="age" category="26" value="x"')
    (found,) = read(write(text))
    assert isinstance(found, AssociationRules)
    assert equal("age", "26") in found.rules[0].antecedent


def test_a_tree_of_knime(write: Write) -> None:
    found, extremes = read(write(sample("pmml_knime_tree.xml")))
    assert isinstance(found, DecisionTree)
    assert (found.target, found.records, found.ordered) == ("disease", 50, False)
    low, high = Condition("age", "<=", ("40.5",)), Condition("age", ">", ("40.5",))
    assert [(leaf.path, leaf.count, leaf.predicted) for leaf in found.leaves] == [
        ({low}, 30, "Flu"),
        ({high, equal("sex", "F")}, 11, "HIV"),
        ({high, equal("sex", "M")}, 9, "Flu"),
    ]
    assert found.leaves[1].counts == (("HIV", 10), ("Flu", 1))
    assert [(node.path, node.count) for node in found.inner] == [(frozenset(), 50), ({high}, 20)]
    assert isinstance(extremes, GroupStatistics)
    assert (extremes.of, dict(extremes.cells[0].values)) == (
        "age",
        {"min": Stated(Fraction(17), 1), "max": Stated(Fraction(93), 1)},
    )
    assert not found.unread


def test_a_node_that_keeps_what_no_child_takes_is_a_leaf(write: Write) -> None:
    """JPMML leaves out the last child; its records are those of the node without the other children: 60 − 4 − 40."""
    (found,) = read(write(sample("pmml_jpmml_tree.xml")))
    assert isinstance(found, DecisionTree)
    special = Condition("ward", "in", ("intensive care", "burns"))
    others = Condition("ward", "not in", ("intensive care", "burns"))
    young, old = Condition("age", "<", ("30",)), Condition("age", ">=", ("30",))
    by_path = {leaf.path: leaf for leaf in found.leaves}
    assert {path: leaf.count for path, leaf in by_path.items()} == {
        frozenset({special}): 4,
        frozenset({others, young}): 40,
        frozenset({others, old}): 16,
    }
    assert by_path[frozenset({special})].mean == Stated(Fraction(90025, 100), 2)
    assert [node.count for node in found.inner] == [60]


def test_a_rule_set(write: Write) -> None:
    (found,) = read(write(sample("pmml_rule_set.xml")))
    assert isinstance(found, DecisionTree)
    assert (found.ordered, found.records, found.target) == (True, 100, "drug")
    high = equal("bp", "HIGH")
    first, second, default = found.leaves
    assert first.path == {high, Condition("k", ">", ("0.0458",)), Condition("sex", "in", ("F", "X"))}
    assert (first.count, first.shares) == (9, (("B", Stated(Fraction(8, 9))),))
    assert second.path == {high, Condition("k", "<=", ("0.0458",))}
    assert second.counts == (("A", 18), ("B", 12))
    assert default == Node(path=frozenset(), predicted="Y")


def test_rules_that_are_weighed_never_pass(write: Write) -> None:
    (found,) = read(write(sample("pmml_rule_set.xml").replace("firstHit", "weightedSum")))
    assert isinstance(found, DecisionTree)
    assert not found.ordered
    assert found.unread


def test_clusters_and_the_statistics_beside_them(write: Write) -> None:
    found = read(write(sample("pmml_bigml_clusters.xml")))
    clusters, numbers, values, intervals = found
    assert isinstance(clusters, Clustering)
    assert clusters.records == 22
    assert [(each.size, each.centre) for each in clusters.clusters] == [
        (21, (("pregnancies", "3.1"), ("bmi", "28.25"))),
        (1, (("pregnancies", "17"), ("bmi", "67.1"))),
    ]
    assert isinstance(numbers, GroupStatistics)
    assert (numbers.of, numbers.cells[0].n) == ("pregnancies", 20)
    assert dict(numbers.cells[0].values).keys() == {"min", "max", "mean", "median", "std", "p90"}
    assert isinstance(values, FrequencyTable)
    assert (values.by, values.records) == (("pregnancies",), 22)
    assert {cell.key: cell.count for cell in values.cells} == {("0",): 9, ("1",): 10, ("17",): 1}
    assert isinstance(intervals, FrequencyTable)
    assert {cell.key: cell.count for cell in intervals.cells} == {("[0, 30)",): 21, ("[30, 70)",): 1}
    assert all(each.notes and not each.unread for each in found)


@pytest.mark.parametrize("version", ["4_0", "4_1", "4_2", "4_3", "4_4"])
def test_every_version_by_local_names(write: Write, version: str) -> None:
    model = '<TreeModel functionName="classification"><Node recordCount="3"><True/></Node></TreeModel>'
    (found,) = read(write(pmml(model, version)))
    assert isinstance(found, DecisionTree)
    assert [(leaf.path, leaf.count) for leaf in found.leaves] == [(frozenset(), 3)]


def test_nested_mining_models_are_walked_with_their_segments(write: Write) -> None:
    leaf = '<TreeModel functionName="classification"><Node recordCount="{}"><True/></Node></TreeModel>'
    inner = (
        '<MiningModel><Segmentation multipleModelMethod="majorityVote">'
        f'<Segment><SimplePredicate field="sex" operator="equal" value="F"/>{leaf.format(3)}</Segment>'
        "</Segmentation></MiningModel>"
    )
    outer = (
        '<MiningModel><Segmentation multipleModelMethod="selectFirst">'
        f'<Segment><SimplePredicate field="age" operator="lessThan" value="30"/>{inner}</Segment>'
        f"<Segment><True/>{leaf.format(7)}</Segment></Segmentation></MiningModel>"
    )
    found = read(write(pmml(outer)))
    assert [[(leaf.path, leaf.count) for leaf in each.leaves] for each in found if isinstance(each, DecisionTree)] == [
        [(frozenset({Condition("age", "<", ("30",)), equal("sex", "F")}), 3)],
        [(frozenset(), 7)],
    ]


VERIFICATION = """<ModelVerification recordCount="1" fieldCount="2"><VerificationFields>
  <VerificationField field="age" column="age"/><VerificationField field="disease" column="disease"/>
  </VerificationFields><InlineTable><row><age>26</age><disease>HIV</disease></row></InlineTable></ModelVerification>"""


def test_records_for_verification_never_pass(write: Write) -> None:
    text = sample("pmml_knime_tree.xml").replace("</TreeModel>", f"{VERIFICATION}</TreeModel>")
    found = read(write(text))
    assert all(any("ModelVerification" in each for each in output.unread) for output in found)
    assert not any("HIV" in each for output in found for each in output.unread)


NODES = '<Node recordCount="9"><True/>{}</Node>'
CHILD = '<Node recordCount="{}">{}</Node>'
UNREAD = {
    "a missing value": CHILD.format(3, '<SimplePredicate field="a" operator="isMissing"/>'),
    "either of two columns": CHILD.format(
        3,
        '<CompoundPredicate booleanOperator="or"><SimplePredicate field="a" operator="equal" value="1"/>'
        '<SimplePredicate field="b" operator="equal" value="1"/></CompoundPredicate>',
    ),
    "exclusive or": CHILD.format(3, '<CompoundPredicate booleanOperator="xor"><True/><True/></CompoundPredicate>'),
    "a model in a node": '<Node recordCount="3"><True/><DecisionTree/></Node>',
    "an element that PMML does not know": "<x-Cases><x-Case>1 26 HIV</x-Case></x-Cases>",
    "measures of quality": "<ModelExplanation><PredictiveModelQuality/></ModelExplanation>",
    "prior probabilities": '<Targets><Target><TargetValue value="x" priorProbability="0.1"/></Target></Targets>',
    "bounds of a normalised field": '<NormContinuous field="a"><LinearNorm orig="17" norm="0"/></NormContinuous>',
    "contents of a producer": '<Extension name="x"><row>1</row></Extension>',
}


@pytest.mark.parametrize("inside", UNREAD.values(), ids=UNREAD)
def test_what_cannot_be_expressed_is_said_and_never_passes(write: Write, inside: str) -> None:
    (found,) = read(write(tree(NODES.format(inside))))
    assert isinstance(found, DecisionTree)
    assert found.unread


def test_children_that_overlap_speak_of_what_earlier_ones_left(write: Write) -> None:
    inside = CHILD.format(3, '<SimplePredicate field="a" operator="lessThan" value="5"/>')
    inside += CHILD.format(4, '<SimplePredicate field="b" operator="equal" value="x"/>') + CHILD.format(2, "<True/>")
    (found,) = read(write(tree(NODES.format(inside))))
    assert isinstance(found, DecisionTree)
    later = Condition("a", ">=", ("5",))
    assert {leaf.path: leaf.count for leaf in found.leaves} == {
        frozenset({Condition("a", "<", ("5",))}): 3,
        frozenset({later, equal("b", "x")}): 4,
        frozenset({later, Condition("b", "!=", ("x",))}): 2,
    }


def test_shares_that_a_program_wrote_as_record_counts_are_shares(write: Write) -> None:
    """Converters written before scikit-learn 1.3 multiply nothing: its values are shares since then."""
    scores = '<ScoreDistribution value="x" recordCount="0.25"/><ScoreDistribution value="y" recordCount="0.75"/>'
    (found,) = read(write(tree(f'<Node recordCount="8"><True/>{scores}</Node>')))
    assert isinstance(found, DecisionTree)
    assert found.leaves[0].counts is None
    assert found.leaves[0].shares == (("x", Stated(Fraction(1, 4), 2)), ("y", Stated(Fraction(3, 4), 2)))


def test_a_model_that_holds_records_is_not_evaluated(write: Write) -> None:
    with pytest.raises(Unsupported, match="holds the records"):
        read(write(pmml("<NearestNeighborModel/>")))
    with pytest.raises(Unsupported, match="support vectors"):
        read(write(pmml("<SupportVectorMachineModel/>")))


def test_a_model_beside_one_that_is_not_read_never_passes(write: Write) -> None:
    both = "<NaiveBayesModel/>" + '<TreeModel><Node recordCount="3"><True/></Node></TreeModel>'
    (found,) = read(write(pmml(both)))
    assert any("NaiveBayesModel" in each for each in found.unread)


@pytest.mark.parametrize("text", ["<html><body/></html>", pmml(""), '<PMML xmlns="x"><Header/></PMML>'])
def test_other_xml_is_not_evaluated(write: Write, text: str) -> None:
    with pytest.raises(Unsupported):
        read(write(text))


WRONG = {
    "a count with a fraction": tree('\n<Node recordCount="2.5"><True/></Node>'),
    "a count that is none": tree('\n<Node recordCount="1e999999999"><True/></Node>'),
    "a class count with a fraction": tree(
        '\n<Node recordCount="3"><True/><ScoreDistribution value="x" recordCount="2.5"/></Node>'
    ),
    "a node without a predicate": tree('\n<Node recordCount="3"/>'),
    "a tree without a node": pmml("\n<TreeModel/>"),
    "a rule of no itemset": pmml(
        '<AssociationModel numberOfTransactions="5">\n<AssociationRule support="1" antecedent="1" consequent="2"/>'
        "</AssociationModel>"
    ),
    "an itemset of no item": pmml(
        '<AssociationModel numberOfTransactions="5">\n<Itemset id="1"><ItemRef itemRef="9"/></Itemset>'
        "</AssociationModel>"
    ),
    "a support above one": pmml(
        '<AssociationModel numberOfTransactions="5">\n<Itemset id="1" support="5"/></AssociationModel>'
    ),
    "a support that is not a number": pmml(
        '<AssociationModel numberOfTransactions="5">\n<Itemset id="1" support="inf"/></AssociationModel>'
    ),
    "a centre of another length": pmml(
        '<ClusteringModel><ClusteringField field="a"/>\n<Cluster size="3"><Array>1 2</Array></Cluster>'
        "</ClusteringModel>"
    ),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_refused_with_its_line(write: Write, text: str) -> None:
    with pytest.raises(DataError, match="output:2:"):
        read(write(text))
