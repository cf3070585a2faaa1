"""scikit-learn's trees, as text and as JSON; the samples are of one tree over 40 records (samples/README.md)."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from auditor.errors import DataError
from auditor.outputs.published.conditions import Condition, equal
from auditor.outputs.published.outputs import DecisionTree, Stated
from auditor.outputs.readers import read
from tests.outputs.readers.conftest import Write, sample

WIDTH = "petal width (cm)"
COUNTS = [(2, 0, 2), (5, 0, 15), (2, 0, 4), (0, 2, 0), (0, 0, 8)]
"""Flu, HIV and none in each leaf of the sample, from left to right."""


def tree(write: Write, text: str, **asked: Any) -> DecisionTree:
    (found,) = read(write(text), **asked)
    assert isinstance(found, DecisionTree)
    return found


def test_text_with_weights(write: Write) -> None:
    found = tree(write, sample("sklearn_tree.txt"), records=40)
    assert [leaf.path for leaf in found.leaves][:2] == [
        {Condition(WIDTH, "<=", ("3.50",)), Condition("age", "<=", ("2.50",)), Condition("age", "<=", ("0.50",))},
        {Condition(WIDTH, "<=", ("3.50",)), Condition("age", "<=", ("2.50",)), Condition("age", ">", ("0.50",))},
    ]
    assert [leaf.counts for leaf in found.leaves] == [
        tuple(zip(("Flu", "HIV", "none"), counts, strict=True)) for counts in COUNTS
    ]
    assert [leaf.count for leaf in found.leaves] == [4, 20, 6, 2, 8]
    assert (found.records, found.unread) == (40, ())
    assert any("thresholds" in note for note in found.notes)


def test_json(write: Write) -> None:
    found = tree(write, sample("sklearn_tree.json"))
    assert (found.records, found.target, found.unread) == (40, "disease", ())
    assert [leaf.counts for leaf in found.leaves] == [
        tuple(zip(("Flu", "HIV", "none"), counts, strict=True)) for counts in COUNTS
    ]
    assert [node.count for node in found.inner] == [40, 32, 24, 8]
    assert found.leaves[-1].path == {Condition(WIDTH, ">", ("3.5",))}


def test_what_follows_from_the_arrays_may_stand_beside_them(write: Write) -> None:
    arrays = json.loads(sample("sklearn_tree.json")) | {"impurity": [0.5] * 9, "max_depth": 4}
    assert tree(write, json.dumps(arrays)).leaves == tree(write, sample("sklearn_tree.json")).leaves
    with pytest.raises(DataError, match="not known"):
        read(write(json.dumps(arrays | {"records_of_leaves": [[1, 2, 3]]})))


def test_text_and_json_of_one_tree_say_the_same(write: Write) -> None:
    text, arrays = tree(write, sample("sklearn_tree.txt")), tree(write, sample("sklearn_tree.json"))
    assert [(a.count, a.counts, a.predicted) for a in text.leaves] == [
        (b.count, b.counts, "Flu" if i == 0 else b.predicted) for i, b in enumerate(arrays.leaves)
    ]


def test_values_before_scikit_learn_1_3_are_counts(write: Write) -> None:
    arrays = json.loads(sample("sklearn_tree.json"))
    samples = arrays["n_node_samples"]
    arrays["value"] = [[[share * n for share in node[0]]] for node, n in zip(arrays["value"], samples, strict=True)]
    found = tree(write, json.dumps(arrays))
    assert found.leaves[0].counts == (("Flu", 2), ("HIV", 0), ("none", 2))


@pytest.mark.parametrize("name", ["sklearn_tree.txt", "sklearn_tree.json"])
def test_a_one_hot_split_is_a_value_of_the_column_behind(write: Write, name: str) -> None:
    found = tree(write, sample(name), columns=frozenset({"sex", "age"}))
    assert Condition("sex", "!=", ("F",)) in found.leaves[2].path
    assert equal("sex", "F") in found.leaves[3].path
    known = tree(write, sample(name), columns=frozenset({"sex", "age", "sex_F"}))
    assert not any(condition.attribute == "sex" for leaf in known.leaves for condition in leaf.path)


def test_text_without_weights_says_so(write: Write) -> None:
    found = tree(write, sample("sklearn_tree_no_weights.txt"))
    assert [leaf.counts for leaf in found.leaves] == [None] * 5
    assert [leaf.predicted for leaf in found.leaves] == ["Flu", "none", "none", "HIV", "none"]
    assert any("show_weights" in note for note in found.notes)


def test_a_branch_that_was_cut_off_is_a_leaf_without_numbers(write: Write) -> None:
    first, second = tree(write, sample("sklearn_tree_truncated.txt")).leaves
    assert (first.path, first.count, first.counts) == ({Condition("feature_2", "<=", ("3.500",))}, None, None)
    assert second.count == 8


def test_classes_that_no_leaf_predicts_are_named_by_their_place(write: Write) -> None:
    (leaf,) = tree(write, sample("sklearn_tree_truncated.txt")).leaves[1:]
    assert leaf.counts == (("class 1", 0), ("class 2", 0), ("none", 8))


def test_weights_that_are_no_counts_never_pass(write: Write) -> None:
    found = tree(write, sample("sklearn_tree_balanced.txt"))
    assert found.unread
    arrays = json.loads(sample("sklearn_tree.json"))
    arrays["weighted_n_node_samples"][0] = 40.5
    weighted = tree(write, json.dumps(arrays))
    assert weighted.unread
    assert [leaf.count for leaf in weighted.leaves] == [4, 20, 6, 2, 8]


def test_a_regression_tree(write: Write) -> None:
    first, second = tree(write, sample("sklearn_regression.txt")).leaves
    assert (first.mean, first.count) == (Stated(Fraction(185, 100), 2), None)
    assert second.path == {Condition("age", ">", ("2.50",))}


WRONG_TEXT = {
    "a leaf too deep": "|--- a <= 1.00\n|   |   |--- class: 1\n",
    "no tree": "|--- a <= 1.00\nclass: 1\n",
    "a huge weight": "|--- a <= 1.00\n|   |--- weights: [1e999999999] class: 1\n",
    "a weight that is not a number": "|--- a <= 1.00\n|   |--- weights: [nan] class: 1\n",
    "an unknown leaf": "|--- a <= 1.00\n|   |--- something: 1\n",
}


@pytest.mark.parametrize("text", WRONG_TEXT.values(), ids=WRONG_TEXT)
def test_wrong_text_is_refused_with_its_line(write: Write, text: str) -> None:
    with pytest.raises(DataError, match="output:2"):
        read(write(text))


def test_a_bomb_of_long_paths(write: Write) -> None:
    split = "".join("|   " * i + f"|--- a{i} <= 1.00\n" for i in range(400))
    with pytest.raises(DataError, match="too long together"):
        read(write(split + ("|   " * 400 + "|--- class: 1\n") * 6_000))


WRONG_ARRAYS = [
    ("children_left", 0, 0, "not a later node"),
    ("children_left", 0, 99, "not a later node"),
    ("children_left", 1, -1, "one child"),
    ("children_right", 0, 1, "two parents"),
    ("children_left", 0, 1.5, "not a later node"),
    ("feature", 0, 7, "no name"),
    ("feature", 0, -2, "count"),
    ("n_node_samples", 0, 2.5, "whole number"),
    ("n_node_samples", 0, "x", "not a number"),
    ("value", 0, [[1]], "than classes"),
    ("threshold", 0, None, "not a number"),
]


@pytest.mark.parametrize(("array", "node", "value", "message"), WRONG_ARRAYS)
def test_wrong_arrays_are_refused(write: Write, array: str, node: int, value: Any, message: str) -> None:
    arrays = json.loads(sample("sklearn_tree.json"))
    arrays[array][node] = value
    with pytest.raises(DataError, match=message):
        read(write(json.dumps(arrays)))


def test_arrays_of_different_lengths_are_refused(write: Write) -> None:
    arrays = json.loads(sample("sklearn_tree.json"))
    arrays["feature"].pop()
    with pytest.raises(DataError, match="different lengths"):
        read(write(json.dumps(arrays)))
