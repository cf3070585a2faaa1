"""The tables of R's arules: as `write()` makes them (separator a space or a comma), and `DATAFRAME()`."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.outputs.published.conditions import Condition, equal
from auditor.outputs.published.outputs import AssociationRules, FrequentItemsets
from auditor.outputs.readers import read
from auditor.outputs.readers._file import File
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._items import within
from auditor.outputs.readers._read import read_file
from tests.outputs.readers.conftest import Write

COLUMNS = frozenset({"age", "sex", "income", "education"})
RULES = """"rules","support","confidence","coverage","lift","count"
"{age=[20,30),sex=F} => {income=high}",0.25,0.833333333333333,0.3,2.77777777777778,5
"{} => {income=high}",0.3,0.3,1,1,6
"{age=[-Inf,40]} => {education=primary, lower}",0.1,1,0.1,1.25,2
"""
SPACED = """"rules" "support" "confidence" "count"
"1" "{bread,butter} => {milk}" 0.5 1 10
"2" "{milk} => {bread}" 0.25 0.5 5
"""
ITEMSETS = """"items","support","count"
"{age=(20, 30]}",0.4,8
"{age=[20,30),sex=F}",0.05,1
"""
SIDES = """"","LHS","RHS","support","confidence","count"
"1","{sex=F}","{income=high}",0.25,0.5,5
"""


def test_rules_with_intervals_as_two_conditions(write: Write) -> None:
    (found,) = read(write(RULES), columns=COLUMNS)
    assert isinstance(found, AssociationRules)
    first, second, third = found.rules
    assert first.antecedent == {Condition("age", ">=", ("20",)), Condition("age", "<", ("30",)), equal("sex", "F")}
    assert first.consequent == {equal("income", "high")}
    assert (first.support, first.antecedent_support) == (5, 6)
    assert first.confidence is not None
    assert first.confidence.is_met_by(Fraction(5, 6))
    assert second.antecedent == frozenset()
    assert third.antecedent == {Condition("age", "<=", ("40",))}


def test_the_number_of_records_follows_from_counts_and_supports(write: Write) -> None:
    (found,) = read(write(RULES), columns=COLUMNS)
    assert found.records == 20
    assert any("follows from counts" in note for note in found.notes)


def test_counts_that_fit_several_numbers_of_records_derive_none(write: Write) -> None:
    text = '"items","support","count"\n"{a}",0.3,5\n'
    (found,) = read(write(text))
    assert isinstance(found, FrequentItemsets)
    assert found.records is None
    assert found.itemsets[0].support == 5


def test_rs_default_separator_and_row_names(write: Write) -> None:
    (found,) = read(write(SPACED))
    assert isinstance(found, AssociationRules)
    assert [(rule.support, rule.antecedent) for rule in found.rules] == [
        (10, {equal("", "bread"), equal("", "butter")}),
        (5, {equal("", "milk")}),
    ]


def test_itemsets(write: Write) -> None:
    (found,) = read(write(ITEMSETS), columns=COLUMNS)
    assert isinstance(found, FrequentItemsets)
    assert found.itemsets[0].items == {Condition("age", ">", ("20",)), Condition("age", "<=", ("30",))}
    assert [each.support for each in found.itemsets] == [8, 1]


def test_both_sides_in_columns_of_their_own(write: Write) -> None:
    (found,) = read(write(SIDES), columns=COLUMNS)
    assert isinstance(found, AssociationRules)
    assert [(rule.antecedent, rule.consequent) for rule in found.rules] == [
        ({equal("sex", "F")}, {equal("income", "high")})
    ]


def test_an_interval_of_an_unknown_column_stays_one_item(write: Write) -> None:
    (found,) = read(write(ITEMSETS))
    assert isinstance(found, FrequentItemsets)
    assert found.itemsets[1].items == {equal("", "age=[20,30)"), equal("", "sex=F")}


@pytest.mark.parametrize(
    "row",
    [
        '"{a} => {b}",0.3,0.5,2.5',
        '"{a} b",0.3,0.5,2',
        '"{a} => {b}",3,0.5,2',
        '"{a} => {b}",0.3,0.5',
        '"{a} => {b},0.3,1,2',
    ],
)
def test_what_is_wrong_is_refused_with_its_line(write: Write, row: str) -> None:
    with pytest.raises(DataError, match="output:3"):
        read(write(f'"rules","support","confidence","count"\n"{{a}} => {{c}}",0.3,0.5,3\n{row}\n'))


NAMES = st.text(st.characters(categories=["L", "Nd"], include_characters=" =[]()._-"), min_size=1, max_size=8).filter(
    lambda name: name == name.strip() and not re.fullmatch(r".*=[\[(].*", name)
)


@given(st.lists(st.tuples(st.sets(NAMES, max_size=3), st.sets(NAMES, min_size=1, max_size=2)), min_size=1, max_size=4))
def test_whatever_arules_prints_is_read(rules: list[tuple[set[str], set[str]]]) -> None:
    """Labels without commas, braces and intervals: what `labels()` of arules joins by commas between braces."""
    lines = ['"rules","support","count"']
    lines += [f'"{{{",".join(sorted(a))}}} => {{{",".join(sorted(b))}}}",0.5,5' for a, b in rules]
    file = File("rules.csv", "\n".join(lines).encode())
    (found,) = read_file(file, Hints())
    assert isinstance(found, AssociationRules)
    read_as = [
        ({each.values[0] for each in r.antecedent}, {each.values[0] for each in r.consequent}) for r in found.rules
    ]
    assert read_as == rules


@given(
    st.sampled_from("[("), st.integers(-50, 50), st.integers(51, 99), st.sampled_from("])"), st.sampled_from(["", " "])
)
def test_an_interval_is_its_bounds(opening: str, low: int, high: int, closing: str, space: str) -> None:
    """By the values from −60 to 110 that lie in it."""
    conditions = within(f"age={opening}{low},{space}{high}{closing}", frozenset({"age"}))
    meets = {">": int.__gt__, ">=": int.__ge__, "<": int.__lt__, "<=": int.__le__}
    for value in range(-60, 110):
        inside = (value > low or (value == low and opening == "[")) and (
            value < high or (value == high and closing == "]")
        )
        assert inside == all(meets[each.operator](value, int(each.values[0])) for each in conditions)


def test_an_interval_without_an_end_is_everybody_with_a_value() -> None:
    assert within("age=[-Inf,Inf]", frozenset({"age"})) == (Condition("age", "not in", ()),)
