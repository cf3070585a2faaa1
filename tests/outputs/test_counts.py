"""Counting by bits against counting row by row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import NotEvaluated
from auditor.outputs.published import _layout
from auditor.outputs.published.conditions import Condition, group_of
from auditor.outputs.published.counts import Counts
from tests.outputs.tiny import Rows, policy_of

VALUES = ["1", "1.0", "2", "10", "01", None]


def counts_of(rows, unit=None):
    policy = policy_of({"type": "clusters", "min_size": 2}, **({"unit": unit} if unit else {}))
    return Counts(Rows(rows, list(rows[0])), policy)


def is_met(value, condition):
    """From the definition: a missing value meets nothing, texts are compared as texts or as numbers."""
    if value is None:
        return False

    def key(text):
        return float(text) if not (text[0] == "0" and len(text) > 1 and text[1].isdigit()) else text

    same = any(key(value) == key(other) for other in condition.values)
    bound = float(condition.values[0])
    return {
        "=": same,
        "in": same,
        "!=": not same,
        "not in": not same,
        "<": float(value) < bound,
        "<=": float(value) <= bound,
        ">": float(value) > bound,
        ">=": float(value) >= bound,
    }[condition.operator]


@st.composite
def cases(draw):
    size = draw(st.integers(1, 150))
    people = draw(st.integers(1, 20))
    rows = [
        {
            "a": draw(st.sampled_from(VALUES)),
            "b": draw(st.sampled_from(VALUES)),
            "who": f"p{draw(st.integers(0, people - 1))}",
        }
        for _ in range(size)
    ]
    single = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    value = st.sampled_from([value for value in VALUES if value])
    condition = st.one_of(
        st.builds(lambda a, o, v: Condition(a, o, (v,)), st.sampled_from("ab"), single, value),
        st.builds(
            lambda a, o, v: Condition(a, o, tuple(v)),
            st.sampled_from("ab"),
            st.sampled_from(["in", "not in"]),
            st.lists(value, min_size=1, max_size=3),
        ),
    )
    return rows, draw(st.frozensets(condition, max_size=3)), draw(st.frozensets(condition, max_size=2))


@given(cases(), st.sampled_from([1, 2, 64]))
def test_groups_are_counted_as_row_by_row(case, layers):
    rows, group, without = case
    inside = [i for i, row in enumerate(rows) if all(is_met(row[c.attribute], c) for c in group)]
    outside = [i for i, row in enumerate(rows) if all(is_met(row[c.attribute], c) for c in without)]
    left = [row for row in inside if row not in outside]
    people = len({rows[row]["who"] for row in inside})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_layout, "LAYERS", layers)  # units beyond the layers are counted in another way
        by_record, by_unit = counts_of(rows), counts_of(rows, "who")
    for counts in (by_record, by_unit):
        assert counts.members(group).tolist() == inside
        assert counts.members(group, without).tolist() == left
        assert counts.records_in(group) == len(inside)
    assert by_record.count(group) == len(inside)
    assert by_unit.count(group) == people
    assert by_record.people_in(by_record.bits(group) & ~by_record.bits(without)) == len(left)
    assert by_unit.people_in(by_unit.bits(group) & ~by_unit.bits(without)) == len({rows[row]["who"] for row in left})
    assert (by_record.people, by_unit.people) == (len(rows), len({row["who"] for row in rows}))


def test_numbers_that_are_one_in_floating_point_are_told_apart():
    rows = [{"a": "0.1"}, {"a": "0.1000000000000000055511151231257827"}, {"a": "1e400"}, {"a": "-1e400"}]
    counts = counts_of(rows)
    assert counts.count(frozenset({Condition("a", ">", ("0.1",))})) == 2
    assert counts.count(frozenset({Condition("a", "<=", ("0.1",))})) == 2
    assert counts.count(frozenset({Condition("a", ">=", ("1e399",))})) == 1


def test_an_item_without_a_column_is_held_where_the_column_of_its_name_says_so():
    rows = [{"bread": "true", "milk": "1"}, {"bread": "false", "milk": "0"}, {"bread": "TRUE", "milk": None}]
    counts = counts_of(rows)
    item = Condition("", "=", ("bread",))
    assert counts.members(frozenset({item})).tolist() == [0, 2]
    assert counts.count(frozenset({item, Condition("", "=", ("milk",))})) == 1


def test_an_item_named_like_a_column_of_something_else_is_not_counted():
    counts = counts_of([{"age": "31"}])
    with pytest.raises(NotEvaluated, match="yes or no"):
        counts.count(frozenset({Condition("", "=", ("age",))}))


def test_texts_have_no_order():
    counts = counts_of([{"a": "red"}])
    with pytest.raises(NotEvaluated, match="order"):
        counts.count(frozenset({Condition("a", "<", ("3",))}))


def test_bits_that_were_dropped_are_made_again(monkeypatch):
    monkeypatch.setattr("auditor.outputs.published.counts.KEPT_BYTES", 8)
    counts = counts_of([{"a": "1", "b": "2"}, {"a": "1", "b": "3"}])
    assert [counts.count(group_of({"a": "1", "b": b})) for b in "232"] == [1, 1, 1]
    assert counts.members(group_of({"a": "1"})).tolist() == [0, 1]
