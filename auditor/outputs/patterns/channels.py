"""Which derived patterns of a collection of itemsets are held by fewer than k people.

Looked at, in this order:

1. every (I, J) with all itemsets between published (`lattice`);
2. every itemset whose subsets are all published while it is absent, or known by a range: an absent one has less than
   the miner's threshold, where that is known;
3. for every itemset and column, those who have none of the values that are published with it: values of one column
   exclude each other;
4. where there are few items, every pattern, by integer programmes (`_gaps`); where there are more, what the supports
   of groups of items leave to absent ones (`_narrowed`), and whether a database shows that nothing follows (`_crowds`).

A pattern is a *channel* if its count is in 1 … k − 1 in every database that fits. It is *possible* if it is below k in
every one and 0 in some: nobody, or too few.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, product

import numpy as np

from auditor.interval import CountInterval
from auditor.outputs.patterns._crowds import crowded
from auditor.outputs.patterns._gaps import Gaps
from auditor.outputs.patterns._narrowed import LONGEST, Narrowed
from auditor.outputs.patterns._witnesses import Signs
from auditor.outputs.patterns.itemsets import Itemsets
from auditor.outputs.patterns.lattice import (
    FoundChannels,
    ItemsetLevel,
    Key,
    Pattern,
    TooMany,
    absent_pairs,
    absent_sets,
    border,
    channels,
)
from auditor.outputs.published.counts import Counts

FEW_ITEMS = 5
"""So many items have 3⁵ − 1 = 242 patterns, each of which is asked for."""
SEVERAL_ITEMS = 10
"""Up to so many, every channel is looked for; a possible one only where it is asked for."""
SECONDS_FOR_GAPS = 10.0
ABSENT = 300_000
"""How many joins are tried for absent itemsets."""


@dataclass
class ChannelSearch:
    """What was found, and what of the search was left out."""

    found: FoundChannels = field(default_factory=FoundChannels)
    left: list[str] = field(default_factory=list)
    whole: bool = False
    """Whether every pattern was asked for, against all supports at once."""
    all_possible: bool = False
    """Whether the possible ones, too: what is possible is then known exactly."""
    beyond: str | None = None
    """What was not looked at although more might follow there, of which nothing else is known."""

    def add(self, other: ChannelSearch) -> None:
        """Join what was found in another place, each pattern once; what one of them proves is no longer possible."""
        found = self.found
        if other.all_possible:
            found.shown, found.possible = [], 0
        known = {(each.present, each.absent) for each in found.channels}
        found.channels += [each for each in other.found.channels if (each.present, each.absent) not in known]
        if other.whole:
            found.channels = _minimal(found.channels)
        known |= {(each.present, each.absent) for each in other.found.channels}
        kept = [each for each in found.shown if (each.present, each.absent) not in known]
        found.possible -= len(found.shown) - len(kept)
        known |= {(each.present, each.absent) for each in kept}
        shown = [each for each in other.found.shown if (each.present, each.absent) not in known]
        found.shown = [*kept, *shown]
        found.possible += len(shown)
        found.contradiction |= other.found.contradiction
        self.left += other.left
        self.beyond = self.beyond or other.beyond


def _minimal(patterns: Sequence[Pattern]) -> list[Pattern]:
    """The patterns that no other one lies within; of a few items only, for each is held against each."""
    asked = [(set(each.present), set(each.absent)) for each in patterns]
    return [
        each
        for each, (present, absent) in zip(patterns, asked, strict=True)
        if not any(
            (one, none) != (present, absent) and one.issubset(present) and none.issubset(absent) for one, none in asked
        )
    ]


def search(
    itemsets: Itemsets, least: int, counts: Counts | None, deadline: float, *, possible: bool = False
) -> ChannelSearch:
    """Look for every channel below `least`; for every possible one, too, where these are asked for."""
    searched = ChannelSearch()
    found, total = searched.found, itemsets.total
    found.contradiction |= itemsets.contradiction
    if total is not None and 0 < total < least:
        found.channels.append(Pattern((), (), total, total))
    budget = ABSENT
    covered: set[Key] = {()}
    for level in channels(itemsets.known, total, least, found):
        covered |= level.rows.keys()
        if time.monotonic() > deadline:
            searched.left.append("the time ran out before all itemsets were examined")
            return searched
        try:
            keys = _absent(level, itemsets, least, budget)
        except TooMany:
            searched.left.append("there are too many absent itemsets to examine all of them")
            continue
        budget -= len(keys)
        if keys:
            border(level, {key: _range(key, itemsets) for key in keys}, least, found)
            covered |= {key for key in keys if key in itemsets.ranges}
    _rests(itemsets, least, found)
    searched.add(_gaps(itemsets, covered, least, counts, deadline, possible=possible))
    return searched


def _absent(level: ItemsetLevel, itemsets: Itemsets, least: int, budget: int) -> list[Key]:
    """The itemsets of one item more than the level's that are absent or known by a range."""
    size = len(next(iter(level.rows))) + 1
    exclusive = itemsets.exclusive
    ranged = [key for key in itemsets.ranges if len(key) == size and _within(key, level)]
    if size == 1:
        return ranged
    if size == 2:
        absent: Iterable[Key] = absent_pairs(level, least, itemsets.total, exclusive) if itemsets.total else ()
    else:
        absent = absent_sets(level, exclusive, budget)
    new = [key for key in absent if key not in itemsets.known and key not in itemsets.ranges]
    return [*ranged, *new]


def _within(key: Key, level: ItemsetLevel) -> bool:
    return all(key[:at] + key[at + 1 :] in level.rows for at in range(len(key)))


def _range(key: Key, itemsets: Itemsets) -> CountInterval:
    """What is known of an itemset that is not published with its support."""
    below = itemsets.below
    if key in itemsets.ranges or below is None or len(key) > (itemsets.longest or 0):
        return itemsets.ranges.get(key, CountInterval())
    return CountInterval(0, below - 1)


def _rests(itemsets: Itemsets, least: int, found: FoundChannels) -> None:
    """Those who hold an itemset and have none of the values of a column that are published with it."""
    column = itemsets.exclusive.column
    taken: dict[tuple[Key, int], int] = {}
    values: dict[tuple[Key, int], list[int]] = {}
    for key, support in itemsets.known.items():
        for at, item in enumerate(key):
            rest = key[:at] + key[at + 1 :]
            if column[item] >= 0:
                place = rest, column[item]
                taken[place] = taken.get(place, 0) + support
                values.setdefault(place, []).append(item)
    small = frozenset((each.present, each.absent) for each in found.channels)
    rests: dict[tuple[Key, int], frozenset[int]] = {}
    for (key, of), listed in sorted(values.items(), key=lambda place: len(place[0][0])):
        whole = itemsets.total if not key else itemsets.known.get(key)
        if whole is None or len(listed) < 2:
            continue
        left = whole - taken[key, of]
        found.contradiction |= left < 0
        if 0 < left < least:
            absent = _needed(key, listed, itemsets, least)
            if absent and not _inside_channel(key, absent, small) and not _inside_rest(key, of, absent, rests):
                rests[key, of] = frozenset(absent)
                count = whole - sum(itemsets.known[_with(key, item)] for item in absent)
                found.channels.append(Pattern(key, absent, count, count))


def _needed(key: Key, listed: Iterable[int], itemsets: Itemsets, least: int) -> Key:
    """The values that have to be excluded to be fewer than k: the rarest can be let in."""
    by_support = sorted(listed, key=lambda item: itemsets.known[_with(key, item)], reverse=True)
    whole = itemsets.total if not key else itemsets.known.get(key)
    left = whole or 0
    absent: list[int] = []
    while left >= least:
        absent.append(by_support[len(absent)])
        left -= itemsets.known[_with(key, absent[-1])]
    return tuple(sorted(absent))


def _with(key: Key, item: int) -> Key:
    return tuple(sorted((*key, item)))


def _inside_channel(key: Key, listed: Iterable[int], known: frozenset[tuple[Key, Key]]) -> bool:
    """Whether a channel is known that asks for less: some of the items, and none, one or all of the values."""
    return any(
        (part, absent) in known for part in _parts(key) for absent in ((), tuple(listed), *((each,) for each in listed))
    )


def _inside_rest(key: Key, of: int, absent: Key, rests: Mapping[tuple[Key, int], frozenset[int]]) -> bool:
    """Whether those with some of the items and with none of some of the values are known to be few already."""
    return any((part, of) in rests and rests[part, of].issubset(absent) for part in _parts(key))


def _parts(key: Key) -> Iterator[Key]:
    """All parts of an itemset, nothing and itself among them."""
    return chain.from_iterable(combinations(key, size) for size in range(len(key) + 1))


def _gaps(
    itemsets: Itemsets, covered: set[Key], least: int, counts: Counts | None, deadline: float, *, possible: bool
) -> ChannelSearch:
    """Itemsets with gaps below them, or everything where there are few items."""
    searched = ChannelSearch()
    everything = tuple(range(len(itemsets.items)))
    possible |= len(everything) <= FEW_ITEMS
    if len(everything) > SEVERAL_ITEMS:
        _of_many(itemsets, least, deadline, searched, possible=possible)
        places = _maximal((itemsets.known.keys() | itemsets.ranges.keys()) - covered)
    else:
        places = [everything] if 2 ** len(everything) > len(itemsets.known) + 1 else []
        if places and not possible and _crowded(itemsets, least, deadline):
            return searched
    stop = min(deadline, time.monotonic() + SECONDS_FOR_GAPS)
    for items in places:
        if len(items) > SEVERAL_ITEMS:
            searched.left.append(f"itemsets of more than {SEVERAL_ITEMS} items have gaps below them")
            break
        known = [key for key in _subsets(items) if key in itemsets.known]
        ranges = {key: CountInterval.at(itemsets.known[key]) for key in known}
        absent = {key: _range(key, itemsets) for key in _subsets(items) if key not in ranges}
        gaps = Gaps(items, {(): _everybody(itemsets.total), **ranges, **absent}, itemsets.exclusive)
        truth = None if counts is None else _truth(itemsets, items, counts)
        gaps.search(least, stop, searched.found, truth, possible=possible)
    if not searched.found.complete:
        searched.left.append("there was not enough time to work out what follows from itemsets with gaps below them")
    searched.whole = places == [everything] and searched.found.complete
    searched.all_possible = searched.whole and possible and counts is None
    return searched


def _crowded(itemsets: Itemsets, least: int, deadline: float) -> bool:
    """Whether a database shows that there are no channels at all."""
    told = _told(itemsets)
    stop = min(deadline, time.monotonic() + SECONDS_FOR_GAPS)
    if itemsets.total is None:
        return False
    return crowded(told, itemsets.total, least, lambda key: _range(key, itemsets), itemsets.exclusive, deadline=stop)


def _of_many(itemsets: Itemsets, least: int, deadline: float, searched: ChannelSearch, *, possible: bool) -> None:
    """What the supports of many items leave to those that are absent, and whether nothing more can follow."""
    exclusive, below, stop = itemsets.exclusive, itemsets.below, min(deadline, time.monotonic() + SECONDS_FOR_GAPS)
    told = _told(itemsets)
    most = {} if below is None else dict.fromkeys(range(1, min(LONGEST, itemsets.longest or 0) + 1), below - 1)
    narrowed = Narrowed(len(itemsets.items), {(): _everybody(itemsets.total), **told}, most, exclusive)
    narrowed.follow(stop)
    searched.found.contradiction |= narrowed.contradiction
    if narrowed.contradiction:
        return
    narrowed.small(least, searched.found)
    if possible or searched.found.channels or not _crowded(itemsets, least, deadline):
        searched.beyond = f"what follows from absent itemsets of more than {narrowed.longest} items is not known"


def _told(itemsets: Itemsets) -> dict[Key, CountInterval]:
    """What is known of all supports that are written."""
    return {key: CountInterval.at(support) for key, support in itemsets.known.items()} | itemsets.ranges


def _everybody(total: int | None) -> CountInterval:
    return CountInterval() if total is None else CountInterval.at(total)


def _subsets(items: Key) -> Iterator[Key]:
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


def _maximal(keys: Iterable[Key]) -> list[Key]:
    """The itemsets that no other holds all items of, the shortest first."""
    kept: list[Key] = []
    holding: dict[int, list[set[int]]] = {}
    for key in sorted(keys, key=len, reverse=True):
        if not any(other.issuperset(key) for other in holding.get(key[0], ())):
            kept.append(key)
            for item in key:
                holding.setdefault(item, []).append(set(key))
    return kept[::-1]


def _truth(itemsets: Itemsets, items: Key, counts: Counts) -> Mapping[Signs, int]:
    """How many records each pattern of a few items has in the data."""
    held = np.array([counts.holds(itemsets.items[item]) for item in items])
    patterns = product((0, 1, -1), repeat=len(items))
    return {
        signs: int(np.logical_and.reduce([held[at] == (sign > 0) for at, sign in enumerate(signs) if sign]).sum())
        for signs in patterns
        if any(signs)
    }
