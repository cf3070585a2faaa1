"""Decision trees and rule lists: the vectors, brute force over small tables, and what today's tools miss."""

import json
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.outputs.checks._overlays import satisfiable
from auditor.outputs.checks.decision_tree import check
from auditor.outputs.published.conditions import Condition, group_of, told
from auditor.outputs.published.outputs import DecisionTree, FrequentItemsets, Itemset, Node, Stated
from auditor.policy.outputs import DecisionTreeLimits as Rule
from tests.outputs.tiny import judged, policy_of

CASES = json.loads((Path(__file__).parents[1] / "vectors" / "output_cases.json").read_text())
COLUMNS = CASES["table"]["columns"]
TABLE = [dict(zip(COLUMNS, map(str, row), strict=True)) for row in CASES["table"]["rows"]]
VECTORS = [case for case in CASES["cases"] if case["kind"] == "decision_tree"]
REASONS = {
    "sensitive_purity_above_limit": "pure-leaf",
    "class_count_below_k": "small-class",
    "leaf_below_k": "small-leaf",
}


def tree(*leaves, **more):
    return DecisionTree(source="t.json", format="neutral", sha256="", leaves=tuple(leaves), target="d", **more)


def path(*conditions):
    return frozenset(Condition(name, operator, (value,)) for name, operator, value in conditions)


def leaf(conditions, counts=None, **more):
    listed = None if counts is None else tuple(counts.items())
    return Node(path=path(*conditions), counts=listed, **more)


def policy(**limits):
    return policy_of({"type": "decision-tree", **limits}, attributes={"*": "insensitive"})


def found(checked):
    return {(violation.item, violation.reason_in(Rule)) for violation in checked.violations}


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["title"])
def test_vectors(case):
    asked = case["policy"]
    k = asked["min_group_size"]
    of = policy(
        min_leaf=k, min_class_count=k, max_confidence=asked["max_confidence_sensitive"], sensitive=asked["sensitive"]
    )
    leaves, expected = [], set()
    for each in case["leaves"]:
        conditions = [(name, operator, str(value)) for name, operator, value in each["path"]]
        leaves.append(leaf(conditions, each["class_counts"]))
        for reason in each["reasons"]:
            name, _, label = reason.partition(":")
            item = told(path(*conditions))
            expected.add((f"{item} => disease={label}" if label else item, REASONS[name]))
    output = DecisionTree(source="t", format="", sha256="", target=case["target"], leaves=tuple(leaves))
    for rows in (None, TABLE):
        checked = judged(check, output, of, rows)
        assert found(checked) == expected
        assert not checked.open_limits


def test_a_leaf_of_one():
    checked = judged(
        check, tree(leaf([("a", "<=", "3")], {"x": 1}), leaf([("a", ">", "3")], {"x": 20})), policy(min_leaf=10)
    )
    assert found(checked) == {("a <= 3", "small-leaf")}
    assert checked.worst["min_leaf"] == 1


def test_a_default_tree_of_depth_four_has_a_leaf_of_one_and_pure_leaves():
    """Scikit-learn's breast cancer data, 569 records: the smallest leaf of a default tree of depth 4 holds one."""
    datasets, trees = pytest.importorskip("sklearn.datasets"), pytest.importorskip("sklearn.tree")
    data = datasets.load_breast_cancer()
    fitted = trees.DecisionTreeClassifier(max_depth=4, random_state=0).fit(data.data, data.target).tree_
    leaves, inner = [], []

    def walk(node, conditions):
        shares = fitted.value[node][0]
        counts = {str(at): round(share * fitted.n_node_samples[node]) for at, share in enumerate(shares)}
        name, cut = f"x{fitted.feature[node]}", str(fitted.threshold[node])
        if fitted.children_left[node] < 0:
            leaves.append(leaf(conditions, {label: n for label, n in counts.items() if n}))
            return
        inner.append(leaf(conditions, counts))
        walk(fitted.children_left[node], [*conditions, (name, "<=", cut)])
        walk(fitted.children_right[node], [*conditions, (name, ">", cut)])

    walk(0, [])
    checked = judged(
        check,
        tree(*leaves, inner=tuple(inner), records=569),
        policy(min_leaf=10, max_confidence=0.99, min_l=2, differencing=True),
    )
    smallest = min(sum(dict(each.counts).values()) for each in leaves)
    assert smallest == 1
    assert checked.worst["min_leaf"] == 1
    pure = {told(each.path) for each in leaves if len(each.counts) == 1}
    assert {violation.item for violation in checked.violations if violation.limit == "min_l"} == pure
    assert len(pure) >= 6
    assert "differencing" in checked.judged
    assert not checked.open_limits


def test_an_inner_node_less_its_children_is_a_leaf_that_says_nothing():
    """The leaf without a number has 100 − 60 − 38 = 2."""
    leaves = [leaf([("a", "=", "1")], {"x": 60}), leaf([("a", "=", "2")], {"x": 38}), leaf([("a", "=", "3")])]
    output = tree(*leaves, inner=(Node(path=frozenset(), count=100),))
    checked = judged(check, output, policy(min_leaf=5, differencing=True))
    assert {(v.item, v.limit, v.reached) for v in checked.violations} == {("a=3", "differencing", 2)}
    assert set(checked.open_limits) == {"min_leaf"}


def test_two_trees_over_the_same_records_isolate_whom_neither_does():
    """Of 40 aged up to 30, 37 are aged up to 29 in the other tree: 3 are exactly 30."""
    one = tree(leaf([("age", "<=", "30")], {"x": 40}), leaf([("age", ">", "30")], {"x": 60}))
    two = tree(leaf([("age", "<=", "29")], {"x": 37}), leaf([("age", ">", "29")], {"x": 63}))
    of = policy(min_leaf=5, differencing=True)
    for output, together in ((one, [one]), (two, [two])):
        assert not judged(check, output, of, together=together).violations
    both = judged(check, two, of, together=[one, two])
    assert {(v.item, v.reached) for v in both.violations} == {("age <= 30, age > 29", 3)}
    assert {(v.item, v.reached) for v in judged(check, two, of, before=[one]).violations} == {
        ("age <= 30, age > 29", 3)
    }
    rows = [{"age": "29", "d": "x"}] * 37 + [{"age": "30", "d": "x"}] * 3 + [{"age": "31", "d": "x"}] * 60
    with_data = judged(check, two, of, rows, together=[one, two])
    assert with_data.violations[0].rows == (37, 38, 39)


def test_two_trees_of_other_records_say_nothing_together():
    one = tree(leaf([("age", "<=", "30")], {"x": 40}), leaf([("age", ">", "30")], {"x": 60}), records=100)
    two = tree(leaf([("age", "<=", "29")], {"x": 37}), leaf([("age", ">", "29")], {"x": 53}), records=90)
    assert not judged(check, two, policy(min_leaf=5, differencing=True), before=[one]).violations


def test_classes_of_two_trees_are_held_against_each_other():
    one = tree(leaf([("age", "<=", "30")], {"x": 20, "y": 20}), leaf([("age", ">", "30")], {"x": 30, "y": 30}))
    two = tree(leaf([("age", "<=", "25")], {"x": 10, "y": 19}), leaf([("age", ">", "25")], {"x": 40, "y": 31}))
    checked = judged(check, two, policy(min_leaf=5, min_class_count=3, differencing=True), together=[one, two])
    assert {(v.item, v.reached) for v in checked.violations} == {("age <= 30, age > 25 => d=y", 1)}


def test_a_tree_and_itemsets_of_the_same_records():
    """40 are up to 30 by the tree, and 37 are 20 by an itemset: 3 are up to 30 and not 20."""
    output = tree(leaf([("age", "<=", "30")], {"x": 40}), leaf([("age", ">", "30")], {"x": 60}), records=100)
    itemset = Itemset(items=group_of({"age": "20"}), support=37)
    beside = FrequentItemsets(source="i.json", format="neutral", sha256="", itemsets=(itemset,), records=100)
    checked = judged(check, output, policy(min_leaf=5, differencing=True), together=[output, beside])
    assert {(v.reason, v.reached) for v in checked.violations} == {("differencing", 3)}


def test_an_ordered_list_is_judged_by_what_earlier_rules_left():
    """51 of the 100 smoke; of the 52 over sixty all but one smoke, so that the second rule takes one."""
    rows = [{"smoker": "yes", "old": "yes", "d": "ill"}] * 51 + [{"smoker": "no", "old": "yes", "d": "well"}]
    rows += [{"smoker": "no", "old": "no", "d": "well"}] * 48
    first, second = [("smoker", "=", "yes")], [("old", "=", "yes")]
    listed = tree(leaf(first), leaf(second), Node(path=frozenset()), ordered=True)
    checked = judged(check, listed, policy(min_leaf=5), rows)
    assert found(checked) == {("old=yes", "small-leaf")}
    assert checked.violations[0].rows == (51,)
    assert not judged(check, tree(leaf(first), leaf(second)), policy(min_leaf=5), rows).violations


def test_numbers_that_contradict_each_other_fit_no_database():
    for output in (
        tree(leaf([("a", "=", "1")], {"x": 6}, count=5)),
        tree(leaf([("a", "=", "1")], {"x": 60}), leaf([("a", "=", "2")], {"x": 60}), records=100),
        tree(leaf([("a", "=", "1")], count=3, shares=(("x", Stated(Fraction(1, 2), 3)),))),
        tree(leaf([("a", "=", "1")], {"x": 60}), inner=(Node(path=frozenset(), count=50),)),
    ):
        checked = judged(check, output, policy(min_leaf=1, differencing=True))
        assert {violation.reason for violation in checked.violations} == {"mismatch"}


def test_shares_are_counts_where_the_size_is_known():
    """0.93 and 0.07 of 14 are 13 and 1."""
    shares = (("x", Stated(Fraction(93, 100), 2)), ("y", Stated(Fraction(7, 100), 2)))
    node = Node(path=path(("a", "=", "1")), count=14, shares=shares)
    checked = judged(check, tree(node), policy(min_class_count=3, max_confidence=0.9))
    assert found(checked) == {("a=1 => d=y", "small-class"), ("a=1 => d=x", "pure-leaf")}
    alone = Node(path=path(("a", "=", "1")), shares=shares)
    checked = judged(check, tree(alone), policy(min_class_count=3, max_confidence=0.9, min_leaf=5))
    assert found(checked) == {("a=1 => d=x", "pure-leaf")}
    assert set(checked.open_limits) == {"min_class_count", "min_leaf"}


def test_purity_exactly_at_the_limit_is_allowed():
    node = leaf([("a", "=", "1")], {"x": 7, "y": 3})
    assert not judged(check, tree(node), policy(max_confidence=0.7)).violations
    assert judged(check, tree(node), policy(max_confidence=0.69)).violations


def test_a_regression_leaf_of_one_publishes_that_persons_value():
    rows = [{"a": "1", "d": "7100"}] + [{"a": "2", "d": str(1000 + i)} for i in range(20)]
    mean = Stated(Fraction(7100), 0)
    output = tree(
        leaf([("a", "=", "1")], count=1, mean=mean), leaf([("a", "=", "2")], mean=Stated(Fraction(10095, 10), 1))
    )
    checked = judged(check, output, policy(min_leaf=5, min_l=2), rows)
    assert found(checked) == {("a=1", "small-leaf"), ("a=1", "pure-leaf")}
    wrong = tree(leaf([("a", "=", "1")], mean=Stated(Fraction(7000), 0)))
    assert ("a=1", "mismatch") in found(judged(check, wrong, policy(min_leaf=1), rows))
    bare = judged(check, tree(leaf([("a", "=", "1")], count=9, mean=mean)), policy(min_leaf=5, min_l=2))
    assert set(bare.open_limits) == {"min_l"}


def test_leaves_far_from_the_root():
    leaves = leaf([("a", "=", "1")], {"x": 9, "y": 1}), leaf([("a", "=", "2")], {"x": 1, "y": 9})
    checked = judged(check, tree(*leaves), policy(max_t=0.3))
    assert checked.worst["max_t"] == Fraction(4, 10)
    assert found(checked) == {("a=1", "pure-leaf"), ("a=2", "pure-leaf")}
    assert not judged(check, tree(*leaves), policy(max_t=0.4)).violations


def test_units_are_counted_in_leaves():
    rows = [{"a": "1", "d": "x", "who": "p"}] * 9 + [{"a": "2", "d": "x", "who": f"q{i}"} for i in range(9)]
    of = policy_of({"type": "decision-tree", "min_leaf": 5}, unit="who")
    output = tree(leaf([("a", "=", "1")], {"x": 9}), leaf([("a", "=", "2")], {"x": 9}))
    checked = judged(check, output, of, rows)
    assert {(v.item, v.reason, v.reached) for v in checked.violations} == {("a=1", "small-leaf", 1)}
    assert set(judged(check, output, of).open_limits) == {"min_leaf"}


def test_classes_without_the_column_in_the_data_are_the_files_own():
    output = tree(leaf([("a", "=", "1")], {"x": 2, "y": 4}))
    checked = judged(check, output, policy(min_class_count=3, min_leaf=3), [{"a": "1"}] * 6)
    assert found(checked) == {("a=1 => d=x", "small-class")}
    assert any("the file's own" in note for note in checked.notes)


NUMBERS = st.lists(st.integers(0, 3), min_size=1)
CONDITIONS = st.one_of(
    st.builds(
        lambda o, v: Condition("a", o, (str(v),)), st.sampled_from(["<", "<=", ">", ">=", "=", "!="]), st.integers(0, 3)
    ),
    st.builds(lambda o, v: Condition("a", o, tuple(map(str, v))), st.sampled_from(["in", "not in"]), NUMBERS),
)


@given(st.frozensets(CONDITIONS, max_size=4))
def test_what_nobody_can_meet_is_not_satisfiable(group):
    """Over all quarters from −1 to 4: every bound is whole, so that a value between two is among them."""

    def meets(value, condition):
        numbers = [int(each) for each in condition.values]
        return {
            "=": value in numbers,
            "in": value in numbers,
            "!=": value not in numbers,
            "not in": value not in numbers,
            "<": value < numbers[0],
            "<=": value <= numbers[0],
            ">": value > numbers[0],
            ">=": value >= numbers[0],
        }[condition.operator]

    values = [Fraction(quarter, 4) for quarter in range(-4, 17)]
    assert satisfiable(group) == any(all(meets(value, each) for each in group) for value in values)


LIMITS = {"min_leaf": 3, "min_class_count": 2, "max_confidence": 0.7, "min_l": 2, "max_t": 0.25}


@st.composite
def partitions(draw):
    """A table, and a tree by two columns, some of its branches split."""
    rows = [
        {name: draw(st.sampled_from(values)) for name, values in (("a", "123"), ("b", "12"), ("d", "xyz"))}
        for _ in range(draw(st.integers(1, 25)))
    ]
    leaves = []
    cut = draw(st.sampled_from("123"))
    for side in ([("a", "<=", cut)], [("a", ">", cut)]):
        if draw(st.booleans()):
            leaves += [[*side, ("b", "=", "1")], [*side, ("b", "!=", "1")]]
        else:
            leaves.append(side)
    return rows, leaves


def in_leaf(row, conditions):
    compare = {
        "<=": lambda v, w: int(v) <= int(w),
        ">": lambda v, w: int(v) > int(w),
        "=": str.__eq__,
        "!=": str.__ne__,
    }
    return all(compare[operator](row[name], value) for name, operator, value in conditions)


def oracle(rows, leaves):
    expected = set()
    everybody = Counter(row["d"] for row in rows)
    for conditions in leaves:
        counted = Counter(row["d"] for row in rows if in_leaf(row, conditions))
        n, item = sum(counted.values()), told(path(*conditions))
        if not n:
            continue
        expected |= {(item, "min_leaf")} if n < 3 else set()
        expected |= {(item, "min_l")} if len(counted) < 2 else set()
        expected |= {(f"{item} => d={label}", "min_class_count") for label, m in counted.items() if m < 2}
        expected |= {
            (f"{item} => d={label}", "max_confidence")
            for label, m in counted.items()
            if Fraction(m, n) > Fraction(7, 10)
        }
        apart = sum(abs(Fraction(counted[label], n) - Fraction(m, len(rows))) for label, m in everybody.items()) / 2
        expected |= {(item, "max_t")} if apart > Fraction(1, 4) else set()
    return expected


@given(partitions())
def test_every_verdict_is_the_one_of_brute_force(case):
    rows, leaves = case
    of = policy(**LIMITS)
    written = [leaf(each, Counter(row["d"] for row in rows if in_leaf(row, each))) for each in leaves]
    bare = [leaf(each) for each in leaves]
    for output, data in ((tree(*bare), rows), (tree(*written), rows), (tree(*written), None)):
        checked = judged(check, output, of, data)
        assert {(violation.item, violation.limit) for violation in checked.violations} == oracle(rows, leaves)
        assert not checked.open_limits
        if data is not None:
            for violation in checked.violations:
                assert len(violation.rows) == violation.records_count


@settings(max_examples=60)
@given(st.data())
def test_groups_that_two_trees_give_away_are_as_small_as_said(data):
    """Every cell of both trees that has one count in all databases, by trying all of them."""
    cuts = data.draw(st.sampled_from([("2", "3"), ("1", "3"), ("2", "2")]))
    sides = [[[("a", "<=", cut)], [("a", ">", cut)]] for cut in cuts]
    values = data.draw(st.lists(st.sampled_from("1234"), min_size=1, max_size=9))
    rows = [{"a": value, "b": "1", "d": "x"} for value in values]
    one, two = (
        tree(*(leaf(each, {"x": sum(in_leaf(row, each) for row in rows)}) for each in listed)) for listed in sides
    )
    checked = judged(check, two, policy(min_leaf=3, differencing=True), together=[one, two])
    totals = {}
    for found_ in product(range(len(rows) + 1), repeat=4):  # how many have each value
        if sum(found_) == len(rows):
            people = [{"a": str(at + 1)} for at, n in enumerate(found_) for _ in range(n)]
            if all(
                sum(in_leaf(row, each) for row in people) == dict(node.counts)["x"]
                for listed, output in zip(sides, (one, two), strict=True)
                for each, node in zip(listed, output.leaves, strict=True)
            ):
                for i, j in product(sides[0], sides[1]):
                    key = told(path(*i) | path(*j))
                    totals.setdefault(key, set()).add(sum(in_leaf(row, i) and in_leaf(row, j) for row in people))
    published = {told(node.path) for node in (*one.leaves, *two.leaves)}
    small = {key: n for key, counts in totals.items() for n in counts if len(counts) == 1 and 0 < n < 3}
    said = {v.item: v.reached for v in checked.violations if v.limit == "differencing"}
    for item, reached in said.items():
        if " or " not in item:
            assert totals[item] == {reached}
    alone = {dict(node.counts)["x"] for node in (*one.leaves, *two.leaves)}
    assert {n for key, n in small.items() if key not in published} <= set(said.values()) | alone
