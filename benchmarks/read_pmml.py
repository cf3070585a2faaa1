"""Reading association rules from PMML: 8,000 rules over 5,000 itemsets within 1.5 CPU s after import.

Beside it stands what the standard library's parser takes to build its tree of the same file, and make nothing of it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

from _measure import MET, MISSED, Cost, alternated, judge, show, start, timed
from _tables import workplace
from auditor.outputs.readers import read

RULES, ITEMSETS, ITEMS, RECORDS = 8_000, 5_000, 400, 1_000_000
CPU_SECONDS = 1.5
COLUMNS = frozenset(f"c{i}" for i in range(ITEMS // 10))


def written(file: Path) -> Path:
    """Rules as R's `pmml` and KNIME write them: items, itemsets of three, rules with four measures."""
    items = (f'<Item id="{i}" value="c{i // 10}=v{i % 10}"/>\n' for i in range(ITEMS))
    references = ("".join(f'<ItemRef itemRef="{(i * k + k) % ITEMS}"/>' for k in (1, 7, 31)) for i in range(ITEMSETS))
    itemsets = (f'<Itemset id="s{i}" numberOfItems="3">{each}</Itemset>\n' for i, each in enumerate(references))
    rules = (
        f'<AssociationRule antecedent="s{i % ITEMSETS}" consequent="s{i * 3 % ITEMSETS}" '
        f'support="{(i + 1) / RECORDS!r}" confidence="{(i + 1) / (2 * RULES)!r}" lift="{1 + i / RULES!r}"/>\n'
        for i in range(RULES)
    )
    with file.open("w", encoding="utf-8") as text:
        text.write('<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4"><Header/>\n')
        text.write(f'<AssociationModel functionName="associationRules" numberOfTransactions="{RECORDS}">\n')
        text.writelines((*items, *itemsets, *rules))
        text.write("</AssociationModel></PMML>\n")
    return file


def main() -> int:
    start(f"Reading {RULES:,} rules of PMML")
    with workplace() as (options, folder):
        file = options.data or written(folder / "rules.pmml")
        costs: dict[str, Cost] = alternated(
            {
                "read": lambda: timed(lambda: read(file, columns=COLUMNS)),
                "xml.etree": lambda: timed(lambda: ET.parse(file)),
            },
            options.repeats or 5,
        )
    for name, cost in costs.items():
        show(name, cost)
    return MET if judge("read, CPU", costs["read"].cpu, CPU_SECONDS, " s") else MISSED


if __name__ == "__main__":
    sys.exit(main())
