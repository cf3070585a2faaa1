"""N, the number of records: given or read, and what shares become with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from auditor.errors import DataError
from auditor.outputs.published.outputs import (
    AssociationRule,
    AssociationRules,
    FrequentItemsets,
    Itemset,
    Published,
    Stated,
)
from auditor.outputs.readers._numbers import counted

GIVEN = "the number of records was given, not read from the file"
SHARES = "supports are shares of a number of records that the file does not state: no count follows from them"
ROUNDED = "some shares are rounded so much that they fit several counts: they are not read as counts"
IMPOSSIBLE = "shares that no whole number of records has; is the number of records right?"

Output = TypeVar("Output", bound=Published)


def of_records(output: Output, records: int | None) -> Output:
    """The output with N, and with a count wherever a share has exactly one.

    Raises:
        DataError: the file states another number of records than was given.
    """
    if records is not None and output.records is not None and records != output.records:
        raise DataError(
            f"{output.source}: states another number of records than was given; leave it out, or give the file's"
        )
    if output.records is None and records is not None:
        output = replace(output, records=records, records_told=False, notes=(*output.notes, GIVEN))
    return with_counts(output)


def with_counts(output: Output) -> Output:
    """The output with a count wherever a share has exactly one, and notes on those that have none or several."""
    if isinstance(output, AssociationRules):
        found = _Found(output.records)
        output = replace(output, rules=tuple(map(found.rule, output.rules)))
    elif isinstance(output, FrequentItemsets):
        found = _Found(output.records)
        output = replace(output, itemsets=tuple(map(found.itemset, output.itemsets)))
    else:
        return output
    # What was said while N was not known does not hold any more.
    before = tuple(note for note in output.notes if note not in (SHARES, ROUNDED))
    return replace(output, notes=_with(before, found.notes), unread=_with(output.unread, found.unread))


class _Found:
    """Counts of shares of N, and what has to be said of them."""

    def __init__(self, records: int | None) -> None:
        self._records = records
        self.notes: set[str] = set()
        self.unread: set[str] = set()

    def rule(self, rule: AssociationRule) -> AssociationRule:
        return replace(
            rule,
            support=self._count(rule.support, rule.support_share),
            antecedent_support=self._count(rule.antecedent_support, rule.antecedent_share),
            consequent_support=self._count(rule.consequent_support, rule.consequent_share),
        )

    def itemset(self, itemset: Itemset) -> Itemset:
        return replace(itemset, support=self._count(itemset.support, itemset.support_share))

    def _count(self, count: int | None, share: Stated | None) -> int | None:
        if count is not None or share is None:
            return count
        if self._records is None:
            self.notes.add(SHARES)
            return None
        counts = counted(share, self._records)
        if not counts:
            self.unread.add(IMPOSSIBLE)
        elif len(counts) > 1:
            self.notes.add(ROUNDED)
        return counts[0] if len(counts) == 1 else None


def _with(before: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    return (*before, *(each for each in sorted(more) if each not in before))
