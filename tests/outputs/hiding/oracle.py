"""Hiding by definition alone: sets, loops and exhaustive search; nothing of the program is used here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, product

Items = frozenset[str]
Table = list[Items]
RuleOf = tuple[Items, Items]


def support(table: Table, items: Iterable[str]) -> int:
    wanted = set(items)
    return sum(wanted <= transaction for transaction in table)


def frequent(table: Table, s: int) -> dict[Items, int]:
    """Every non-empty itemset that at least s transactions hold."""
    everything = sorted({item for transaction in table for item in transaction})
    found: dict[Items, int] = {}
    for size in range(1, len(everything) + 1):
        level = {frozenset(c): support(table, c) for c in combinations(everything, size)}
        level = {items: n for items, n in level.items() if n >= s}
        if not level:
            break
        found |= level
    return found


def rules(table: Table, s: int, c: Fraction) -> set[RuleOf]:
    """Rules with one item as the consequent."""
    return {
        (items - {item}, frozenset({item}))
        for items, n in frequent(table, s).items()
        for item in items
        if len(items) > 1 and Fraction(n, support(table, items - {item})) >= c
    }


def stay(found: Iterable[Items], sensitive: Iterable[Items]) -> set[Items]:
    """The itemsets that hold nothing sensitive."""
    secret = list(sensitive)
    return {items for items in found if not any(each <= items for each in secret)}


def rule_hidden(table: Table, rule: RuleOf, s: int, c: Fraction, margin: int = 0) -> bool:
    n, left = support(table, rule[0] | rule[1]), support(table, rule[0])
    return n + margin < s or n + margin < c * left


def hidden(
    table: Table, itemsets: Iterable[Items], rules_: Iterable[RuleOf], s: int, c: Fraction, margin: int = 0
) -> bool:
    return all(support(table, each) + margin < s for each in itemsets) and all(
        rule_hidden(table, rule, s, c, margin) for rule in rules_
    )


def maximal(itemsets: Iterable[Items]) -> set[Items]:
    everything = list(itemsets)
    return {items for items in everything if not any(items < other for other in everything)}


def sanitised(table: Table, items: Items) -> Iterator[Table]:
    """Every table that is this one with some of `items` taken out of some transactions."""
    choices = [list(_without_some(transaction, sorted(transaction & items))) for transaction in table]
    return (list(chosen) for chosen in product(*choices))


def _without_some(transaction: Items, items: list[str]) -> Iterator[Items]:
    return (transaction - set(gone) for size in range(len(items) + 1) for gone in combinations(items, size))


def removed(before: Table, after: Table) -> int:
    return sum(len(old - new) for old, new in zip(before, after, strict=True))


def changed(before: Table, after: Table) -> int:
    return sum(old != new for old, new in zip(before, after, strict=True))
