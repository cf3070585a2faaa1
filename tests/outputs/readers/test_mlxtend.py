"""mlxtend's tables. The samples are what mlxtend 0.25 and pandas 3 write for five records; N has to be given."""

from __future__ import annotations

import ast
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import DataError
from auditor.outputs.published.conditions import equal
from auditor.outputs.published.outputs import AssociationRules, FrequentItemsets, Stated
from auditor.outputs.readers import read
from auditor.outputs.readers._literal import members
from tests.outputs.readers.conftest import Write, sample

COLUMNS = frozenset({"age", "zip"})
ITEMSETS = sample("mlxtend_itemsets.csv")
INDEXED = sample("mlxtend_itemsets_by_number.csv")
RULES = sample("mlxtend_rules.csv")
SUPPORT_ONLY = sample("mlxtend_rules_support_only.csv")


def test_itemsets(write: Write) -> None:
    (found,) = read(write(ITEMSETS), columns=COLUMNS, records=5)
    assert isinstance(found, FrequentItemsets)
    assert found.records == 5
    quoted = equal("", 'it\'s "q", x')
    assert [(each.items, each.support) for each in found.itemsets] == [
        ({equal("age", "26")}, 3),
        ({equal("zip", "10562")}, 3),
        ({quoted}, 3),
        ({equal("age", "26"), equal("zip", "10562")}, 2),
        ({equal("age", "26"), equal("zip", "10562"), quoted}, 2),
    ]


def test_an_index_column_and_numpys_numbers(write: Write) -> None:
    (found,) = read(write(INDEXED), records=5)
    assert isinstance(found, FrequentItemsets)
    assert [(each.items, each.support) for each in found.itemsets] == [
        ({equal("", "0")}, 3),
        ({equal("", "0"), equal("", "1")}, 2),
    ]
    assert not found.unread


def test_rules(write: Write) -> None:
    (found,) = read(write(RULES), columns=COLUMNS, records=5)
    assert isinstance(found, AssociationRules)
    first, second = found.rules
    assert (first.antecedent, first.consequent) == ({equal("zip", "10562")}, {equal("age", "26")})
    assert (first.support, first.antecedent_support, first.consequent_support) == (2, 3, 3)
    assert first.confidence is not None
    assert first.confidence.is_met_by(Fraction(2, 3))
    assert not first.confidence.is_met_by(Fraction(666, 1000))
    assert dict(first.measures).keys() >= {"lift", "leverage", "conviction", "jaccard"}
    assert (second.support, second.antecedent_support) == (2, 2)
    assert not found.unread


def test_without_the_number_of_records_shares_stay_shares(write: Write) -> None:
    (found,) = read(write(RULES))
    assert isinstance(found, AssociationRules)
    assert found.rules[0].support is None
    assert found.rules[0].support_share is not None
    assert any("does not state" in note for note in found.notes)


def test_items_of_no_known_column_stay_items(write: Write) -> None:
    (found,) = read(write(ITEMSETS), columns=frozenset({"zip"}))
    assert isinstance(found, FrequentItemsets)
    assert found.itemsets[0].items == {equal("", "age=26")}


def test_a_short_share_in_a_table_that_was_not_rounded_is_exact(write: Write) -> None:
    """0.4 of 1000 is 400: other numbers of the table have all digits of a float, so nothing was rounded."""
    (found,) = read(write(RULES), records=1000)
    assert isinstance(found, AssociationRules)
    assert [rule.support for rule in found.rules] == [400, 400]


def test_rounded_shares_have_the_places_of_their_column(write: Write) -> None:
    """Rounded to three places by a person: 0.25 stands for 0.250, and 0.3 for 0.300."""
    text = "support,itemsets\n0.25,frozenset({'a'})\n0.125,frozenset({'b'})\n0.3,frozenset({'c'})\n"
    (found,) = read(write(text), records=400)
    assert isinstance(found, FrequentItemsets)
    assert [each.support_share for each in found.itemsets] == [
        Stated(Fraction(1, 4), 3),
        Stated(Fraction(1, 8), 3),
        Stated(Fraction(3, 10), 3),
    ]
    assert [each.support for each in found.itemsets] == [100, 50, 120]


def test_a_column_that_was_rounded_beside_one_that_was_not(write: Write) -> None:
    """A support of 0.33 is not a whole number of 1,000,001 records: the column was rounded, whatever lift shows."""
    text = "antecedents,consequents,support,lift\nfrozenset({'a'}),frozenset({'b'}),0.33,1.1111111111111112\n"
    (found,) = read(write(text), records=1_000_001)
    assert isinstance(found, AssociationRules)
    assert found.rules[0].support is None
    assert found.rules[0].support_share == Stated(Fraction(33, 100), 2)


def test_support_only_rules_leave_the_rest_open(write: Write) -> None:
    (found,) = read(write(SUPPORT_ONLY), records=5)
    assert isinstance(found, AssociationRules)
    (rule,) = found.rules
    assert (rule.support, rule.antecedent_support, rule.confidence, rule.measures) == (2, None, None, ())


def test_an_infinite_conviction_says_that_the_confidence_is_one(write: Write) -> None:
    text = "antecedents,consequents,conviction\nfrozenset({'a'}),frozenset({'b'}),inf\n"
    (found,) = read(write(text))
    assert isinstance(found, AssociationRules)
    assert found.rules[0].confidence == Stated(Fraction(1))


def test_a_column_that_is_not_known_is_said_to_be_unread(write: Write) -> None:
    text = "support,itemsets,comment\n0.4,frozenset({'a'}),Ada\n"
    (found,) = read(write(text))
    assert found.unread
    assert "Ada" not in str(found.unread)


def test_a_second_column_of_one_name_is_said_to_be_unread(write: Write) -> None:
    (found,) = read(write("support,itemsets,support\n0.4,frozenset({'a'}),0.001\n"))
    assert any("the same name" in each for each in found.unread)


HOSTILE = {
    "a call": "__import__('os').system('id')",
    "a call in a set": "frozenset({__import__('os').getcwd()})",
    "a call in NumPy's clothes": "frozenset({np.int64(__import__('os').getpid())})",
    "a comprehension": "frozenset({x for x in ().__class__.__mro__})",
    "a formatted text": "frozenset({f'{1+1}'})",
    "an unclosed text": "frozenset({'a)",
    "an unknown escape": r"frozenset({'\N{BULLET}'})",
    "half a character": r"frozenset({'\ud800'})",
    "a NUL": r"frozenset({'\x00'})",
    "a nested set": "frozenset({frozenset({'a'})})",
    "two values without a comma": "frozenset({'a' 'b'})",
    "None": "frozenset({None})",
    "deep brackets": "(" * 50_000 + ")" * 50_000,
    "deep NumPy": "frozenset({" + "np.str_(" * 5_000 + "'a'" + ")" * 5_000 + "})",
}


@pytest.mark.parametrize("literal", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_literal_is_refused_and_never_run(write: Write, literal: str) -> None:
    quoted = literal.replace('"', '""')
    with pytest.raises(DataError, match=r"output:2: an entry that is not a set"):
        read(write(f'support,itemsets\n0.4,"{quoted}"\n'))


@pytest.mark.parametrize("share", ["1.5", "-0.1", "1e999999999", "inf", "x", "0x10", "9" * 500])
def test_shares_that_are_none_are_refused_with_their_line(write: Write, share: str) -> None:
    with pytest.raises(DataError, match="output:3"):
        read(write(f"support,itemsets\n0.4,frozenset({{'a'}})\n{share},frozenset({{'b'}})\n"))


VALUES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    st.integers(),
    st.booleans(),
)


@given(st.frozensets(VALUES, max_size=5))
def test_the_grammar_agrees_with_python_on_what_python_prints(values: frozenset[str | int]) -> None:
    printed = repr(values)
    found = members(printed)
    oracle = ast.literal_eval(printed.removeprefix("frozenset(").removesuffix(")") or "()")
    assert found is not None
    assert sorted(found) == sorted(map(str, oracle))


@given(st.text("{}[]()'\"\\,frozenst np.i4 abx0", max_size=30))
def test_whatever_the_grammar_reads_python_reads_too(text: str) -> None:
    """The grammar is a part of Python's: nothing is taken for a set that Python would read differently."""
    found = members(text)
    if found is None or "np" in text or text.strip() in ("set()", "frozenset()"):
        return
    body = text.strip()
    if body.startswith("frozenset("):
        body = body.removeprefix("frozenset(").removesuffix(")")
    try:
        oracle = ast.literal_eval(body.strip())
    except (SyntaxError, ValueError, TypeError):  # numbers such as 01, which Python refuses
        return
    values = oracle if isinstance(oracle, (set, list, tuple)) else (oracle,)
    assert {str(value) for value in values} <= set(found) | {
        str(ast.literal_eval(each)) for each in found if each.isdigit()
    }
