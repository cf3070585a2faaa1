"""The tables that R's arules writes: `write()` of rules or itemsets, and `DATAFRAME()` with LHS and RHS.

Labels of intervals, ``age=[20,30)``, are two conditions where the column is known. Their bounds are as R printed them
(three digits by default). `count` makes the number of records known where it is not given: count = support × N.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from auditor.interval import Interval
from auditor.outputs.published.conditions import Group, group_of
from auditor.outputs.published.outputs import AssociationRule, AssociationRules, FrequentItemsets, Itemset, Stated
from auditor.outputs.readers._csv import CsvTable, as_precise, measures
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._items import INTERVAL, Columns, within
from auditor.outputs.readers._reader import Tables
from auditor.outputs.readers._records import of_records
from auditor.registry import Ground

FORMAT = "arules CSV"
ABOUT = "rules, itemsets"
GROUND = Ground.LIKENESS
DERIVED = "the number of records follows from counts and supports; the file does not state it"
SETS = ("rules", "items", "itemsets", "lhs", "rhs")
NUMBERS = ("support", "coverage", "confidence", "count")
_RULE = re.compile(r"\{(.*)\}\s*=>\s*\{(.*)\}", re.DOTALL)
_SET = re.compile(r"\{(.*)\}", re.DOTALL)
_INTERVAL_ITEM = re.compile(rf"[^,={{}}]+=(?:{INTERVAL.pattern})(?=,|\Z)", re.ASCII)


def is_one(table: CsvTable) -> bool:
    """Whether a table has arules' columns, and sets in braces in them."""
    names = [name for name in SETS if name in table.names]
    if not names or not table.rows:
        return False
    return table.rows[0][1][table.names[names[0]]].lstrip().startswith("{")


def read(table: CsvTable, hints: Hints) -> tuple[AssociationRules | FrequentItemsets, ...]:
    """The rules or the itemsets of a table."""
    numbers = _Numbers(table, hints.records)
    other, unread = measures(table, known=(*SETS, *NUMBERS))
    base: dict[str, Any] = {
        **table.file.provenance(FORMAT),
        "records": numbers.derived,
        "notes": (DERIVED,) if numbers.derived is not None else (),
        "unread": unread,
    }
    output: AssociationRules | FrequentItemsets
    if "rules" in table.names or "lhs" in table.names:
        rules = tuple(
            replace(numbers.rule(i, antecedent, consequent), measures=other[i])
            for i, (antecedent, consequent) in enumerate(_sides(table, hints.columns))
        )
        output = AssociationRules(**base, rules=rules)
    else:
        name = "items" if "items" in table.names else "itemsets"
        sets = (_set(table, line, text, hints.columns) for line, text in table.column(table.names[name]))
        output = FrequentItemsets(**base, itemsets=tuple(numbers.itemset(i, each) for i, each in enumerate(sets)))
    return (of_records(output, hints.records),)


class _Numbers:
    """The numbers of each row; `derived` is N where nobody gave it and counts and supports tell it."""

    def __init__(self, table: CsvTable, records: int | None) -> None:
        full = table.is_full([place for name, place in table.names.items() if name not in SETS and name])
        nothing: list[int | None] = [None] * len(table.rows)
        self._counts = table.counts(table.names["count"]) if "count" in table.names else nothing
        self._support = _shares(table, "support", full, records)
        self.derived = _derived(self._counts, self._support) if records is None else None
        self._coverage = _shares(table, "coverage", full, records or self.derived)
        self._confidence = _shares(table, "confidence", full, None)

    def rule(self, row: int, antecedent: Group, consequent: Group) -> AssociationRule:
        return AssociationRule(
            antecedent=antecedent,
            consequent=consequent,
            support=self._counts[row],
            support_share=self._support[row],
            antecedent_share=self._coverage[row],
            confidence=self._confidence[row],
        )

    def itemset(self, row: int, items: Group) -> Itemset:
        return Itemset(items=items, support=self._counts[row], support_share=self._support[row])


def _shares(table: CsvTable, name: str, full: bool, records: int | None) -> list[Stated | None]:
    if name not in table.names:
        return [None] * len(table.rows)
    return as_precise(table.shares(table.names[name]), full=full, records=records)


def _derived(counts: Sequence[int | None], shares: Sequence[Stated | None]) -> int | None:
    """The only number of records with which every count has its share; none where several are possible."""
    total = Interval(Fraction(0))
    for count, share in zip(counts, shares, strict=True):
        if count is None or share is None or share.ends[0] <= 0:
            continue
        total = total.intersection(Interval(count / share.ends[1], count / share.ends[0]))
    return total.least if total.least == total.most else None


def _sides(table: CsvTable, columns: Columns) -> Iterator[tuple[Group, Group]]:
    """Both sides of each rule."""
    if "rules" not in table.names:
        left, right = table.column(table.names["lhs"]), table.column(table.names["rhs"])
        for (line, antecedent), (_, consequent) in zip(left, right, strict=True):
            yield _set(table, line, antecedent, columns), _set(table, line, consequent, columns)
        return
    for line, text in table.column(table.names["rules"]):
        found = _RULE.fullmatch(text)
        if found is None:
            table.wrong(line, "an entry that is not a rule", "a rule as arules prints it, {a,b} => {c}")
        yield _group(found[1], columns), _group(found[2], columns)


def _set(table: CsvTable, line: int, text: str, columns: Columns) -> Group:
    found = _SET.fullmatch(text)
    if found is None:
        table.wrong(line, "an entry that is not a set", "a set as arules prints it, {a,b}")
    return _group(found[1], columns)


def _group(text: str, columns: Columns) -> Group:
    return group_of(condition for each in _split(text) for condition in within(each, columns))


def _split(text: str) -> Iterator[str]:
    """The items between commas; the comma of an interval divides none."""
    at = 0
    while at < len(text):
        interval = _INTERVAL_ITEM.match(text, at)
        end = interval.end() if interval is not None else text.find(",", at)
        end = len(text) if end < 0 else end
        if item := text[at:end].strip():
            yield item
        at = end + 1


READERS = (Tables(is_one, read),)
