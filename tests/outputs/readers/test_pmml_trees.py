"""Trees of PMML against PMML's own words: a record goes to the first child whose predicate is true.

The oracle scores records as the standard says, by walking the XML; the reader's leaves are conditions. Every record
must meet the conditions of the leaf that it is scored in, and of no other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.outputs.published.conditions import Condition
from auditor.outputs.published.outputs import DecisionTree
from auditor.outputs.readers import read
from auditor.outputs.readers.pmml._predicates import apart, exhaust, opposite

VALUES = range(4)
RECORDS = [{"a": a, "b": b} for a in VALUES for b in VALUES]
OPERATORS = {
    "equal": int.__eq__,
    "notEqual": int.__ne__,
    "lessThan": int.__lt__,
    "lessOrEqual": int.__le__,
    "greaterThan": int.__gt__,
    "greaterOrEqual": int.__ge__,
}


@dataclass
class Predicate:
    xml: str
    holds: object


@dataclass
class Tree:
    predicate: Predicate
    children: list[Tree] = field(default_factory=list)


@st.composite
def predicates(draw: st.DrawFn) -> Predicate:
    kind = draw(st.sampled_from(["simple", "simple", "set", "true", "or"]))
    name, value = draw(st.sampled_from("ab")), draw(st.sampled_from(VALUES))
    if kind == "simple":
        operator = draw(st.sampled_from(sorted(OPERATORS)))
        xml = f'<SimplePredicate field="{name}" operator="{operator}" value="{value}"/>'
        return Predicate(xml, lambda record: OPERATORS[operator](record[name], value))
    members = draw(st.sets(st.sampled_from(VALUES), min_size=1))
    if kind == "set":
        inside = draw(st.booleans())
        array = f'<Array n="{len(members)}" type="int">{" ".join(map(str, sorted(members)))}</Array>'
        chosen = "isIn" if inside else "isNotIn"
        xml = f'<SimpleSetPredicate field="{name}" booleanOperator="{chosen}">{array}</SimpleSetPredicate>'
        return Predicate(xml, lambda record: (record[name] in members) == inside)
    if kind == "or":
        parts = (f'<SimplePredicate field="{name}" operator="equal" value="{each}"/>' for each in sorted(members))
        xml = f'<CompoundPredicate booleanOperator="or">{"".join(parts)}</CompoundPredicate>'
        return Predicate(xml, lambda record: record[name] in members)
    return Predicate("<True/>", lambda record: True)


def everybody_last(children: list[Tree]) -> list[Tree]:
    """At most one child that takes everybody, at the end: what stood behind it would never take a record."""
    some = [child for child in children if child.predicate.xml != "<True/>"]
    return some + [child for child in children if child not in some][:1]


def trees(root: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Tree]:
    return st.recursive(
        st.builds(Tree, root, st.just([])),
        lambda below: st.builds(Tree, root, st.lists(below, min_size=1, max_size=3).map(everybody_last)),
        max_leaves=8,
    )


def scored(tree: Tree, records: list[dict[str, int]], keeps: bool) -> tuple[str, list[list[dict[str, int]]]]:
    """The XML of a tree with its record counts, and the records of each of its leaves as the standard scores them."""
    left, inside, leaves = list(records), "", []
    for child in tree.children:
        taken = [record for record in left if child.predicate.holds(record)]  # type: ignore[operator]
        left = [record for record in left if record not in taken]
        xml, below = scored(child, taken, keeps)
        inside, leaves = inside + xml, leaves + below
    if not tree.children or keeps:
        leaves.append(left)
    return f'<Node score="x" recordCount="{len(records)}">{tree.predicate.xml}{inside}</Node>', leaves


def meets(record: dict[str, int], condition: Condition) -> bool:
    value, bounds = Fraction(record[condition.attribute]), [Fraction(each) for each in condition.values]
    return {
        "=": lambda: value == bounds[0],
        "!=": lambda: value != bounds[0],
        "<": lambda: value < bounds[0],
        "<=": lambda: value <= bounds[0],
        ">": lambda: value > bounds[0],
        ">=": lambda: value >= bounds[0],
        "in": lambda: value in bounds,
        "not in": lambda: value not in bounds,
    }[condition.operator]()


@settings(max_examples=60, deadline=None)
@given(trees(predicates()), st.booleans())
def test_a_record_meets_the_conditions_of_its_leaf_and_of_no_other(tree: Tree, keeps: bool) -> None:
    root = Tree(Predicate("<True/>", lambda record: True), tree.children)
    xml, leaves = scored(root, RECORDS, keeps)
    strategy = "returnLastPrediction" if keeps else "returnNullPrediction"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tree.xml"
        path.write_text(
            f'<PMML><TreeModel functionName="classification" noTrueChildStrategy="{strategy}">{xml}</TreeModel></PMML>'
        )
        (found,) = read(path)
    assert isinstance(found, DecisionTree)
    assert not found.unread
    read_as = [
        (leaf.count, [record for record in RECORDS if all(meets(record, each) for each in leaf.path)])
        for leaf in found.leaves
    ]
    for count, members in read_as:
        assert count == len(members)
    expected = sorted(sorted(map(str, leaf)) for leaf in leaves if leaf)
    assert sorted(sorted(map(str, members)) for _, members in read_as if members) == expected


def test_conditions_that_are_apart_exhaust_or_oppose_each_other() -> None:
    """By brute force over every pair of conditions on a column of few values."""
    values = [{"a": value} for value in range(-1, 5)]
    sets = [[str(each) for each in range(3) if number >> each & 1] for number in range(8)]
    single = [Condition("a", operator, (str(n),)) for operator in ("=", "!=", "<", "<=", ">", ">=") for n in range(4)]
    every = [*single, *(Condition("a", operator, tuple(each)) for operator in ("in", "not in") for each in sets)]
    for first, second in product(every, repeat=2):
        if apart((first,), (second,)):
            assert not any(meets(value, first) and meets(value, second) for value in values), (first, second)
        if exhaust([(first,), (second,)]):
            assert all(meets(value, first) or meets(value, second) for value in values), (first, second)
    for each in every:
        assert all(meets(value, each) != meets(value, opposite(each)) for value in values), each
        assert exhaust([(each,), (opposite(each),)])
        assert apart((each,), (opposite(each),))
