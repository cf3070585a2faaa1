"""mlxtend's tables of rules and itemsets, as pandas writes them to CSV (mlxtend 0.23 to 0.25).

Supports are shares, and the table does not say of how many records: N has to be given, else they stay shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from auditor.outputs.published.conditions import Group
from auditor.outputs.published.outputs import AssociationRule, AssociationRules, FrequentItemsets, Itemset, Stated
from auditor.outputs.readers._csv import CsvTable, as_precise, measures
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._items import Columns, items
from auditor.outputs.readers._literal import members
from auditor.outputs.readers._reader import Tables
from auditor.outputs.readers._records import of_records
from auditor.registry import Ground

FORMAT = "mlxtend CSV"
ABOUT = "rules, itemsets; not the number of records: `--records`, or the data"
GROUND = Ground.CONTENTS
SETS = ("antecedents", "consequents", "itemsets")
SHARES = ("antecedent support", "consequent support", "support", "confidence")
_ONE = Stated(Fraction(1))


def is_one(table: CsvTable) -> bool:
    """Whether a header is that of rules or of itemsets."""
    return {"antecedents", "consequents"} <= table.names.keys() or {"support", "itemsets"} <= table.names.keys()


def read(table: CsvTable, hints: Hints) -> tuple[AssociationRules | FrequentItemsets, ...]:
    """The rules or the itemsets of a table."""
    base = table.file.provenance(FORMAT)
    shares = _shares(table, hints.records)
    other, unread = measures(table, known=(*SETS, *SHARES))
    output: AssociationRules | FrequentItemsets
    if "itemsets" in table.names:
        sets = _sets(table, "itemsets", hints.columns)
        pairs = zip(sets, shares["support"], strict=True)
        output = FrequentItemsets(
            **base, unread=unread, itemsets=tuple(Itemset(items=x, support_share=s) for x, s in pairs)
        )
    else:
        output = AssociationRules(**base, unread=unread, rules=_rules(table, hints.columns, shares, other))
    return (of_records(output, hints.records),)


def _rules(
    table: CsvTable,
    columns: Columns,
    shares: dict[str, list[Stated | None]],
    other: Sequence[tuple[tuple[str, Stated], ...]],
) -> tuple[AssociationRule, ...]:
    certain = _certain(table)
    found = []
    for i, (antecedent, consequent) in enumerate(
        zip(_sets(table, "antecedents", columns), _sets(table, "consequents", columns), strict=True)
    ):
        rule = AssociationRule(
            antecedent=antecedent,
            consequent=consequent,
            support_share=shares["support"][i],
            antecedent_share=shares["antecedent support"][i],
            consequent_share=shares["consequent support"][i],
            confidence=shares["confidence"][i],
            measures=other[i],
        )
        found.append(replace(rule, confidence=_ONE) if rule.confidence is None and certain[i] else rule)
    return tuple(found)


def _sets(table: CsvTable, name: str, columns: Columns) -> list[Group]:
    found = []
    for line, text in table.column(table.names[name]):
        read_as = members(text)
        if read_as is None:
            table.wrong(
                line, "an entry that is not a set of plain values", "a set as Python prints it, frozenset({'a', 'b'})"
            )
        found.append(items(read_as, columns))
    return found


def _shares(table: CsvTable, records: int | None) -> dict[str, list[Stated | None]]:
    """The columns of shares, each with the places that it was written with."""
    numeric = [place for name, place in table.names.items() if name not in SETS and name]
    full = table.is_full(numeric)
    nothing: list[Stated | None] = [None] * len(table.rows)
    return {
        # Confidence is no share of N, so N cannot show that it was rounded.
        name: as_precise(table.shares(table.names[name]), full=full, records=None if name == "confidence" else records)
        if name in table.names
        else nothing
        for name in SHARES
    }


def _certain(table: CsvTable) -> list[bool]:
    """Which rules have an infinite conviction: their confidence is 1, also where that column was dropped."""
    if "conviction" not in table.names:
        return [False] * len(table.rows)
    return [text.lower() in ("inf", "infinity") for _, text in table.column(table.names["conviction"])]


READERS = (Tables(is_one, read),)
