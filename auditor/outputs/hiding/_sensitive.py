"""The sensitive file: one itemset a line, items between blanks, or ``a b => c`` for a rule.

JSON lines too (.jsonl), for items that hold blanks: ``{"items": [...]}`` or ``{"antecedent": [...], "consequent":
[...]}``. Empty lines are skipped. An error tells the line, never an item: what is sensitive is secret itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import DataError, UsageError
from auditor.outputs.hiding._files import JSON_LINES, format_of, lines, wrong
from auditor.outputs.hiding._problem import Rule
from auditor.outputs.hiding._read import is_item, items_of, parsed
from auditor.outputs.hiding._transactions import Itemset, Transactions

ARROW = "=>"
MOST = 100_000
Items = frozenset[str]


@dataclass(frozen=True)
class Sensitive:
    """What must not be found, by names: itemsets, and rules as pairs of antecedent and consequent; each once."""

    itemsets: tuple[Items, ...]
    rules: tuple[tuple[Items, Items], ...]

    def __len__(self) -> int:
        """How many of both."""
        return len(self.itemsets) + len(self.rules)

    def items(self) -> Items:
        """Every item that stands in one."""
        rules = (item for antecedent, consequent in self.rules for item in antecedent | consequent)
        return frozenset(item for itemset in self.itemsets for item in itemset).union(rules)

    def coded(self, transactions: Transactions) -> tuple[list[Itemset], list[Rule]]:
        """Those whose items all occur in the transactions, by codes; the others are supported by none."""
        code = {name: place for place, name in enumerate(transactions.names)}
        itemsets = [_coded(each, code) for each in self.itemsets if each <= code.keys()]
        rules = [Rule(_coded(a, code), _coded(c, code)) for a, c in self.rules if a | c <= code.keys()]
        return sorted(itemsets), sorted(rules)


def read_sensitive(path: Path) -> Sensitive:
    """Read the file.

    Raises:
        DataError: it is missing, empty, or a line is neither an itemset nor a rule; with the line.
    """
    entries = list(_json(path) if format_of(path) == JSON_LINES else _text(path))
    if not entries:
        raise DataError(f"{path}: names nothing to hide; one itemset per line; a rule is a b => c")
    return _distinct(entries)


def listed(given: Iterable[object]) -> Sensitive:
    """The same from Python: an itemset is a collection of items, a rule a pair of two such collections.

    Raises:
        UsageError: something is neither.
    """
    if isinstance(given, str | bytes):
        raise UsageError("what is sensitive is a path, or itemsets and rules")
    entries = [_entry(each) for each in given]
    if not entries:
        raise UsageError("nothing is named that is to be hidden")
    return _distinct(entries)


_Entry = tuple[Items, Items]
"""Antecedent and consequent; an itemset has no consequent."""


def _distinct(entries: list[_Entry]) -> Sensitive:
    unique = dict.fromkeys(entries)
    itemsets = tuple(items for items, consequent in unique if not consequent)
    return Sensitive(itemsets, tuple((a, c) for a, c in unique if c))


def _entry(given: object) -> _Entry:
    parts = [given]
    if isinstance(given, tuple) and len(given) == 2 and not any(isinstance(part, str | int) for part in given):
        parts = list(given)
    sides = [_items(part) for part in parts]
    if not all(sides) or (len(sides) == 2 and sides[0] & sides[1]):
        raise UsageError("a sensitive itemset is a collection of items; a rule a pair of two disjoint ones")
    return sides[0], sides[1] if len(sides) == 2 else frozenset()


def _items(given: object) -> Items:
    if isinstance(given, str | bytes) or not isinstance(given, Collection):
        return frozenset()
    return frozenset(map(str, given)) if all(map(is_item, given)) else frozenset()


def _text(path: Path) -> Iterator[_Entry]:
    for number, line in _bounded(path):
        try:
            words = [word.decode() for word in line.split()]
        except UnicodeDecodeError:
            wrong(path, number, "bytes that are not UTF-8", "convert the file first (iconv -t UTF-8)")
        if not words:
            continue
        if any(ARROW in word and word != ARROW for word in words):
            wrong(
                path, number, f"{ARROW} inside a word", f"a rule is a {ARROW} b, with blanks; items like that in .jsonl"
            )
        if words.count(ARROW) > 1:
            wrong(path, number, f"more than one {ARROW}", "a rule is a b => c")
        if ARROW in words:
            place = words.index(ARROW)
            yield _rule(path, number, words[:place], words[place + 1 :])
        else:
            yield frozenset(words), frozenset()


def _json(path: Path) -> Iterator[_Entry]:
    for number, line in _bounded(path):
        if not line.strip():
            continue
        found = parsed(path, number, line)
        if set(found) == {"items"} and found["items"]:
            yield frozenset(map(str, items_of(path, number, found, "items"))), frozenset()
        elif set(found) == {"antecedent", "consequent"}:
            sides = [items_of(path, number, found, key) for key in ("antecedent", "consequent")]
            yield _rule(path, number, *(list(map(str, side)) for side in sides))
        else:
            right = 'write {"items": ["a", "b"]}, or {"antecedent": ["a"], "consequent": ["b"]}'
            wrong(path, number, "neither an itemset nor a rule", right)


def _bounded(path: Path) -> Iterator[tuple[int, bytes]]:
    for number, line in lines(path):
        if number > MOST:
            wrong(path, number, f"more than {MOST:,} lines", "fewer itemsets, each as small as it can be")
        yield number, line


def _rule(path: Path, number: int, antecedent: list[str], consequent: list[str]) -> _Entry:
    if not antecedent or not consequent:
        wrong(path, number, "a rule with nothing on one side", "a rule is a b => c")
    if not set(antecedent).isdisjoint(consequent):
        wrong(path, number, "a rule with an item on both sides", "put each item on one side only")
    return frozenset(antecedent), frozenset(consequent)


def _coded(items: Items, code: dict[str, int]) -> Itemset:
    return tuple(sorted(code[item] for item in items))
