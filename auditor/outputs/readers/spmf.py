"""SPMF's text: one pattern per line, ``a b #SUP: 4`` or ``a b ==> c #SUP: 3 #CONF: 0.75``; supports are counts.

Items are numbers, or the names that ``@ITEM=1=apple`` gives them. Lines that begin with another ``@`` are directives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditor.errors import Unsupported
from auditor.outputs.published.conditions import Group
from auditor.outputs.published.outputs import AssociationRule, AssociationRules, FrequentItemsets, Itemset, Stated
from auditor.outputs.readers._file import MOST_LINES, File
from auditor.outputs.readers._hints import Hints
from auditor.outputs.readers._items import Columns, items
from auditor.outputs.readers._numbers import stated, whole
from auditor.outputs.readers._reader import Texts
from auditor.outputs.readers._records import of_records
from auditor.registry import Ground

FORMAT = "SPMF text"
ABOUT = "rules, itemsets; not the number of records"
GROUND = Ground.CONTENTS
OWN = frozenset({"SUP", "TID"})
TRANSACTIONS = "numbers of the transactions that hold a pattern (#TID): these are records, and were not judged"
_NAME = re.compile(r"@ITEM=([^=]*)=(.*)")
_FIELD = re.compile(r"(?<=\s)#([A-Z_]+):\s*([^#]*)")
_START = re.compile(r"^(?!@).*#SUP:", re.MULTILINE)
_SEQUENCE = re.compile(r"(?:^|\s)-[12](?:\s|$)")


def is_one(file: File) -> bool:
    """Whether the first lines have patterns with their support."""
    return _START.search(file.text[:100_000]) is not None


def read(file: File, hints: Hints) -> tuple[AssociationRules | FrequentItemsets, ...]:
    """The rules or the itemsets of a file."""
    file.limit(MOST_LINES, b"\n", b"\r")
    names: dict[str, str] = {}
    lines: list[_PatternLine] = []
    for number, raw in enumerate(file.text.splitlines(), 1):
        text = raw.strip()
        named = _NAME.fullmatch(text)
        if named is not None:
            names[named[1].strip()] = named[2].strip()
        elif text and not text.startswith("@"):
            lines.append(_line(file, number, text))
    rules = [line for line in lines if "==>" in line.pattern]
    if rules and len(rules) < len(lines):
        file.wrong("", "rules and itemsets in one file", "one file of each")
    unread = (TRANSACTIONS,) if any("TID" in line.fields for line in lines) else ()
    base: dict[str, Any] = {**file.provenance(FORMAT), "unread": unread}
    output: AssociationRules | FrequentItemsets
    if rules:
        output = AssociationRules(**base, rules=tuple(_rule(line, names, hints.columns) for line in lines))
    else:
        output = FrequentItemsets(**base, itemsets=tuple(_itemset(line, names, hints.columns) for line in lines))
    return (of_records(output, hints.records),)


@dataclass(frozen=True)
class _PatternLine:
    """A pattern, and the fields behind it by name."""

    file: File
    number: int
    pattern: str
    fields: Mapping[str, str]

    def count(self) -> int:
        count = whole(stated(self.fields["SUP"]))
        if count is None:
            self.file.wrong(self.number, "a support that is not a whole number of records", "#SUP: followed by a count")
        return count

    def measure(self, name: str) -> Stated:
        found = stated(self.fields[name])
        if found is None:
            self.file.wrong(
                self.number, "a measure that is not a number of ordinary size", "#CONF: followed by a number"
            )
        return found


def _line(file: File, number: int, text: str) -> _PatternLine:
    text = f" {text}"
    first = _FIELD.search(text)
    pattern = text if first is None else text[: first.start()]
    fields = {name: value.strip() for name, value in _FIELD.findall(text)}
    if "SUP" not in fields:
        file.wrong(number, "a pattern without its support", "patterns such as: a b #SUP: 4")
    if _SEQUENCE.search(pattern):
        raise Unsupported(f"{file.name}:{number}: a sequential pattern; itemsets and association rules are read")
    return _PatternLine(file, number, pattern.strip(), fields)


def _rule(line: _PatternLine, names: Mapping[str, str], columns: Columns) -> AssociationRule:
    left, _, right = line.pattern.partition("==>")
    if "==>" in right:
        line.file.wrong(line.number, "a rule with two arrows", "a b ==> c")
    measures = {name: line.measure(name) for name in line.fields if name not in OWN}
    return AssociationRule(
        antecedent=_group(left, names, columns),
        consequent=_group(right, names, columns),
        support=line.count(),
        confidence=measures.pop("CONF", None),
        measures=tuple((name.lower(), value) for name, value in measures.items()),
    )


def _itemset(line: _PatternLine, names: Mapping[str, str], columns: Columns) -> Itemset:
    if line.fields.keys() - OWN:
        raise Unsupported(
            f"{line.file.name}:{line.number}: a pattern with other measures than its support: not a frequent itemset"
        )
    return Itemset(items=_group(line.pattern, names, columns), support=line.count())


def _group(text: str, names: Mapping[str, str], columns: Columns) -> Group:
    return items((names.get(word, word) for word in re.split(r"[\s,]+", text.strip()) if word), columns)


READERS = (Texts(is_one, read),)
