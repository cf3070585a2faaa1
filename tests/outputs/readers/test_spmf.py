"""SPMF's text. The samples have the form of the examples in SPMF's documentation."""

from __future__ import annotations

from fractions import Fraction

import pytest

from auditor.errors import DataError, Unsupported
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.outputs import AssociationRules, FrequentItemsets, Stated
from auditor.outputs.readers import read
from tests.outputs.readers.conftest import Write

RULES = """1 ==> 2 4 5 #SUP: 3 #CONF: 0.75
2 4 ==> 5 #SUP: 4 #CONF: 1.0 #LIFT: 1.2
"""
ITEMSETS = """@CONVERTED_FROM_TEXT
@ITEM=1=age=26
@ITEM=2=zip=10562
@ITEM=-1=|
1 #SUP: 4
1 2 #SUP: 3
"""


def test_rules(write: Write) -> None:
    (found,) = read(write(RULES), records=6)
    assert isinstance(found, AssociationRules)
    assert found.records == 6
    first, second = found.rules
    assert first.antecedent == {equal("", "1")}
    assert first.consequent == {equal("", "2"), equal("", "4"), equal("", "5")}
    assert (first.support, first.confidence) == (3, Stated(Fraction(3, 4), 2))
    assert second.measures == (("lift", Stated(Fraction(6, 5), 1)),)


def test_itemsets_with_the_names_of_their_items(write: Write) -> None:
    (found,) = read(write(ITEMSETS), columns=frozenset({"age", "zip"}))
    assert isinstance(found, FrequentItemsets)
    assert [(each.items, each.support) for each in found.itemsets] == [
        ({equal("age", "26")}, 4),
        ({equal("age", "26"), equal("zip", "10562")}, 3),
    ]


def test_numbers_of_transactions_are_records_and_never_pass(write: Write) -> None:
    (found,) = read(write("1 2 #SUP: 2 #TID: 3 5\n"))
    assert any("#TID" in each for each in found.unread)


@pytest.mark.parametrize("line", ["1 -1 2 -1 #SUP: 3", "1 2 #SUP: 3 #UTIL: 40"])
def test_other_patterns_are_not_taken_for_itemsets(write: Write, line: str) -> None:
    with pytest.raises(Unsupported, match="output:1"):
        read(write(line + "\n"))


@pytest.mark.parametrize(
    "line",
    ["1 2 #SUP: 0.5", "1 2 #SUP: -3", "1 2 #SUP: x", "1 2 #SUP: 1e999999999", "1 2", "1 ==> 2 ==> 3 #SUP: 3 #CONF: 1"],
)
def test_what_is_wrong_is_refused_with_its_line(write: Write, line: str) -> None:
    with pytest.raises(DataError, match=r"output:2|two|rules and"):
        read(write(f"1 #SUP: 4\n{line}\n" if "==>" not in line else f"1 ==> 2 #SUP: 4\n{line}\n"))
