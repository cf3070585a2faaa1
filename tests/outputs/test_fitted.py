"""Fitted models and data frames from Python: statsmodels (extra `demo`), scikit-learn and mlxtend where installed."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from auditor.errors import DataError, Unsupported
from auditor.outputs import check_outputs, fitted
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.outputs import AssociationRules, Clustering, DecisionTree, FrequencyTable, Regression
from auditor.outputs.readers import Hints

RANDOM = np.random.RandomState(0)
PEOPLE = pd.DataFrame(
    {"age": RANDOM.randint(20, 60, 60), "sex": ["F", "M", "F"] * 20, "cost": RANDOM.rand(60), "rare": [0] * 59 + [1]}
)


def test_an_indicator_of_one_record_in_a_linear_model_of_statsmodels() -> None:
    formula = pytest.importorskip("statsmodels.formula.api")
    result = formula.ols("cost ~ age + C(sex) + rare", PEOPLE).fit()
    (found,) = fitted.published(result)
    assert isinstance(found, Regression)
    assert (found.outcome, found.records, found.dof) == ("cost", 60, 56)
    assert [(term.name, term.condition, term.ones) for term in found.terms] == [
        ("Intercept", None, None),
        ("C(sex)[T.M]", {equal("sex", "M")}, 20),
        ("age", None, None),
        ("rare", None, 1),
    ]
    assert [float(term.coefficient.value) for term in found.terms if term.coefficient] == result.params.tolist()


def test_other_models_of_statsmodels() -> None:
    api = pytest.importorskip("statsmodels.api")
    design = api.add_constant(PEOPLE[["age"]])
    (logit,) = fitted.published(api.Logit((PEOPLE.cost > 0.5).astype(int), design).fit(disp=0))
    assert isinstance(logit, Regression)
    assert (logit.records, logit.dof, [term.name for term in logit.terms]) == (60, 58, ["const", "age"])
    weighted = api.GLM(PEOPLE.cost, design, freq_weights=np.full(60, 2)).fit()
    (found,) = fitted.published(weighted)
    assert found.unread
    (arrays,) = fitted.published(api.OLS(PEOPLE.cost.to_numpy(), design.to_numpy()).fit())
    assert isinstance(arrays, Regression)
    assert [term.name for term in arrays.terms] == ["const", "x1"]


def test_a_tree_of_scikit_learn() -> None:
    trees = pytest.importorskip("sklearn.tree")
    data = PEOPLE.assign(sex_F=(PEOPLE.sex == "F").astype(int))[["age", "sex_F"]]
    disease = np.where((PEOPLE.age > 40) & (PEOPLE.sex == "F"), "HIV", "Flu")
    model = trees.DecisionTreeClassifier(random_state=0).fit(data, disease)
    (found,) = fitted.published(model, Hints(frozenset({"age", "sex"})))
    assert isinstance(found, DecisionTree)
    assert found.records == 60
    for leaf in found.leaves:
        members = PEOPLE
        for condition in leaf.path:
            column, value = members[condition.attribute], condition.values[0]
            kept = {"=": column == value, "!=": column != value}.get(condition.operator)
            if kept is None:
                kept = column <= float(value) if condition.operator == "<=" else column > float(value)
            members = members[kept]
        assert leaf.count == len(members)
        assert dict(leaf.counts or ()) == {
            label: int((disease[members.index] == label).sum()) for label in ("Flu", "HIV")
        }


def test_forests_are_trees_each_and_bootstrapped_ones_never_pass() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble")
    disease = np.where(PEOPLE.age > 40, "HIV", "Flu")
    plain = ensemble.RandomForestClassifier(3, bootstrap=False, random_state=0).fit(PEOPLE[["age", "rare"]], disease)
    found = fitted.published(plain)
    assert len(found) == 3
    assert all(isinstance(each, DecisionTree) and each.records == 60 and not each.unread for each in found)
    bootstrapped = ensemble.RandomForestClassifier(3, random_state=0).fit(PEOPLE[["age", "rare"]], disease)
    assert all(each.unread for each in fitted.published(bootstrapped))


def test_a_linear_model_of_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    (found,) = fitted.published(linear.LinearRegression().fit(PEOPLE[["age", "rare"]], PEOPLE.cost), Hints(records=60))
    assert isinstance(found, Regression)
    assert (found.records, found.dof) == (60, None)
    assert [term.name for term in found.terms] == ["Intercept", "age", "rare"]


def test_clusters_of_scikit_learn() -> None:
    cluster = pytest.importorskip("sklearn.cluster")
    model = cluster.KMeans(3, n_init=1, random_state=0).fit(PEOPLE[["age", "cost"]])
    (found,) = fitted.published(model)
    assert isinstance(found, Clustering)
    assert [each.size for each in found.clusters] == np.bincount(model.labels_).tolist()
    assert [[Fraction(value) for _, value in each.centre] for each in found.clusters] == [
        [Fraction(repr(value)) for value in centre] for centre in model.cluster_centers_.tolist()
    ]


def test_models_that_hold_records_are_refused() -> None:
    for attribute in fitted.HOLDS_RECORDS:
        with pytest.raises(Unsupported, match="record"):
            fitted.published(SimpleNamespace(**{attribute: [], "labels_": [], "coef_": []}))
    svm = pytest.importorskip("sklearn.svm")
    model = svm.SVC(kernel="linear").fit(PEOPLE[["age", "rare"]], PEOPLE.sex)
    with pytest.raises(Unsupported, match="support vectors"):
        fitted.published(model)


def test_a_data_frame_is_read_as_the_file_it_would_be() -> None:
    (found,) = fitted.published(pd.crosstab(PEOPLE.sex, PEOPLE.rare, margins=True))
    assert isinstance(found, FrequencyTable)
    assert {cell.key: cell.count for cell in found.cells}["F", "1"] == 1


def test_rules_of_mlxtend() -> None:
    patterns = pytest.importorskip("mlxtend.frequent_patterns")
    baskets = pd.DataFrame({"sex=F": PEOPLE.sex == "F", "rare=1": PEOPLE.rare == 1, "old": PEOPLE.age > 40})
    itemsets = patterns.apriori(baskets, min_support=0.01, use_colnames=True)
    rules = patterns.association_rules(itemsets, metric="confidence", min_threshold=0.1)
    (found,) = fitted.published(rules, Hints(frozenset({"sex", "rare"}), records=60))
    assert isinstance(found, AssociationRules)
    assert len(found.rules) == len(rules)
    for rule in found.rules:
        both = [f"{each.attribute}={each.values[0]}" if each.attribute else each.values[0] for each in rule.antecedent]
        assert rule.antecedent_support == int(baskets[both].all(axis=1).sum())
    assert not found.unread


@pytest.mark.parametrize("thing", [None, 5, object(), [1, 2], "rules.csv", {"type": "clusters"}])
def test_other_objects_are_no_models(thing: Any) -> None:
    assert not fitted.is_one(thing)
    with pytest.raises(Unsupported):
        fitted.published(thing)


def test_a_model_that_contradicts_itself() -> None:
    model = SimpleNamespace(labels_=np.array([0, 1, 1]), cluster_centers_=np.zeros((3, 2)))
    with pytest.raises(DataError, match="another number of centres"):
        fitted.published(model)


def test_check_outputs_takes_models_and_frames_beside_files() -> None:
    """A default tree over 60 records has leaves of few; the crosstab has a cell of one."""
    trees = pytest.importorskip("sklearn.tree")
    model = trees.DecisionTreeClassifier(random_state=0).fit(PEOPLE[["age", "rare"]], PEOPLE.sex)
    policy = {
        "version": 1,
        "name": "p",
        "attributes": {"age": "quasi-identifier", "sex": "sensitive"},
        "outputs": [{"type": "decision-tree", "min_leaf": 5}, {"type": "frequency-table", "min_cell": 5}],
    }
    alone = check_outputs(model, policy)
    assert [(each.type, each.format, each.records) for each in alone.outputs] == [("decision-tree", "scikit-learn", 60)]
    leaves = model.tree_.n_node_samples[model.tree_.children_left < 0]
    assert 0 < (leaves < 5).sum() < len(leaves)
    assert [each.reason for each in alone.outputs[0].violations].count("small-leaf") == (leaves < 5).sum()
    both = check_outputs([model, pd.crosstab(PEOPLE.sex, PEOPLE.rare)], policy)
    assert [each.type for each in both.outputs] == ["decision-tree", "frequency-table"]
    assert both.outputs[1].violations_count
    unknown = check_outputs(object(), policy)
    assert unknown.outputs[0].not_evaluated
