"""The minimal removal sets of a transaction: which items can sensibly go from it.

A set D of items is minimal where each of its items is needed: it alone hits some sensitive itemset that the transaction
holds. Taking out more hides nothing more. Sets are bit masks over items, so that these questions are single operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST_SETS = 200
"""A transaction that has more removal sets is written down item by item instead."""


@dataclass(frozen=True)
class Removal:
    """One way to change a transaction: the items that go, and what they touch of what is watched.

    `good` are the watched itemsets that shall lose supporters, `bad` those that shall not: bit masks of their places.
    """

    items: int
    good: int
    bad: int


def mask(places: Iterable[int]) -> int:
    """The set as a bit mask."""
    found = 0
    for place in places:
        found |= 1 << place
    return found


def members(bits: int) -> Iterator[int]:
    """What a bit mask holds, ascending."""
    while bits:
        last = bits & -bits
        yield last.bit_length() - 1
        bits ^= last


def minimal_sets(targets: Iterable[int], most: int = MOST_SETS) -> list[int] | None:
    """Every non-empty minimal removal set against itemsets (masks); None where there are more than `most`."""
    itemsets = list(targets)
    items = sorted(members(_union(itemsets)))
    found: list[int] = []
    stack = [(0, 0)]
    while stack:
        start, chosen = stack.pop()
        for place in range(start, len(items)):
            wider = chosen | 1 << items[place]
            if _every_item_needed(wider, itemsets):
                found.append(wider)
                stack.append((place + 1, wider))
        if len(found) > most:
            return None
    return found


def _union(masks: Iterable[int]) -> int:
    found = 0
    for each in masks:
        found |= each
    return found


def _every_item_needed(chosen: int, itemsets: Iterable[int]) -> bool:
    """Whether each chosen item is the only chosen one of some itemset."""
    unneeded = chosen
    for itemset in itemsets:
        hit = itemset & chosen
        if hit and not hit & (hit - 1):
            unneeded &= ~hit
    return not unneeded


def undominated(removals: Iterable[Removal]) -> list[Removal]:
    """Those that no other one beats: with no more items, touching as much that is good and no more that is bad."""
    order = sorted(removals, key=lambda each: (each.items.bit_count(), -each.good.bit_count(), each.bad.bit_count()))
    kept: list[Removal] = []
    for each in order:
        if not any(other.good | each.good == other.good and other.bad | each.bad == each.bad for other in kept):
            kept.append(each)
    return kept
