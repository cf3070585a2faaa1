"""The miner: against the definition on small tables, against published numbers on the benchmarks of the field."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.errors import OutOfMemory, OutOfTime
from auditor.outputs.hiding._mining import frequent_itemsets, maximal
from auditor.outputs.hiding._read import gathered, read
from auditor.outputs.hiding._rules import rules
from tests.outputs.hiding import oracle
from tests.outputs.hiding.strategies import tables

PUBLISHED = {
    "mushroom.dat": (1625, 53_583),
    "chess.dat": (2557, 8_227),
    "retail.dat.gz": (89, 7_589),
    "BMS-WebView-1.dat": (60, 3_991),
    "BMS-WebView-2.dat": (156, 3_683),
}
"""The count and the itemsets; mushroom at 20 % and chess at 80 % are the numbers every miner is compared on."""


@given(tables(most=12), st.integers(1, 5), st.sampled_from(["1/5", "1/2", "2/3", "1"]))
def test_itemsets_and_rules_are_those_of_the_definition(table, s, c) -> None:
    transactions = gathered(table).transactions
    found = frequent_itemsets(transactions, s)
    named = {frozenset(transactions.names[i] for i in items): n for items, n in found.items()}
    assert named == oracle.frequent(table, s)
    assert {frozenset(transactions.names[i] for i in items) for items in maximal(found)} == oracle.maximal(named)
    mined = {
        (frozenset(transactions.names[i] for i in items if i != item), frozenset({transactions.names[item]}))
        for items, item in rules(found, Fraction(c))
    }
    assert mined == oracle.rules(table, s, Fraction(c))


@pytest.mark.slow
@pytest.mark.parametrize("file", PUBLISHED)
def test_the_benchmarks_have_as_many_frequent_itemsets_as_published(file: str, fimi: Path) -> None:
    s, itemsets = PUBLISHED[file]
    assert len(frequent_itemsets(read(fimi / file).transactions, s)) == itemsets


@pytest.mark.slow
def test_retail_has_as_many_rules_as_menon_and_others_print(fimi: Path) -> None:
    """Menon, Ghoshal & Sarkar 2022: support 0.1 % of 88,162 transactions, confidence 20 %: 7,587 rules."""
    transactions = read(fimi / "retail.dat.gz").transactions
    assert len(transactions) == 88_162
    assert len(rules(frequent_itemsets(transactions, 89), Fraction(1, 5))) == 7_587


def test_too_many_itemsets_and_too_little_time_are_said() -> None:
    transactions = gathered([list("abcdefghijkl")] * 2).transactions
    with pytest.raises(OutOfMemory, match="more than 100 itemsets"):
        frequent_itemsets(transactions, 1, most=100)
    with pytest.raises(OutOfTime, match="while mining"):
        frequent_itemsets(transactions, 1, deadline=0.0)
