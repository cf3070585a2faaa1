"""Inference channels of a collection of itemsets, by inclusion and exclusion over whole levels at once.

Notation: sup(X) is how many records hold all items of X, sup(∅) = N. For I ⊆ J the number of records that hold all of I
and none of J∖I is

    f(I, J) = Σ_{I ⊆ X ⊆ J} (−1)^|X∖I| sup(X),

and where all these X are published it is known. (I, J) is a *channel* if 0 < f(I, J) < k although every support is at
least k (Atzori, Bonchi, Giannotti & Pedreschi 2008, doi:10.1007/s00778-006-0034-x). An item more makes a channel
smaller: f(I, J) = f(I, J∪a) + f(I∪a, J∪a), so that the *minimal* channels, those that no item can be left out of, say
all: every other is inside one. They are found within J alone, for leaving out an item adds two neighbours.

An itemset of which all subsets are published and it itself is not has one unknown t = sup(J), and every f(I, J) is
a + t or a − t. That none is negative, and that the miner's threshold s leaves t < s, is all that is known of it (the
bounds of Calders & Goethals 2002 for itemsets that are not derivable), and every whole t between has a database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.classes import BoolArray, IntArray
from auditor.interval import CountInterval

Key = tuple[int, ...]
"""The numbers of an itemset's items, ascending."""

LONGEST = 20
"""An itemset of more items has a million subsets; that all of them are published is not looked for."""
_CHUNK = 2**22
_MANY = 2**62


@dataclass(frozen=True, slots=True)
class Pattern:
    """Records with all items `present` and none of `absent`: between `low` and `high` in every database that fits."""

    present: Key
    absent: Key
    low: int
    high: int


@dataclass
class FoundChannels:
    """Minimal channels, `possible` ones (nobody, or fewer than k), and whether no database fits."""

    channels: list[Pattern] = field(default_factory=list)
    possible: int = 0
    shown: list[Pattern] = field(default_factory=list)
    contradiction: bool = False
    complete: bool = True


@dataclass(frozen=True)
class ItemsetLevel:
    """The itemsets of n items of which every subset is published.

    `rows` says where each itemset stands; `supports` int64[m, 2ⁿ] is sup of each subset, whose bit i is the i-th item.
    """

    rows: dict[Key, int]
    supports: IntArray


def levels(known: Mapping[Key, int], total: int | None) -> Iterator[ItemsetLevel]:
    """Level by level, from the empty itemset on; without N the support of nothing is taken for endless."""
    by_size: dict[int, list[Key]] = {}
    for key in known:
        by_size.setdefault(len(key), []).append(key)
    level = ItemsetLevel({(): 0}, np.array([[_MANY if total is None else total]], dtype=np.int64))
    yield level
    for size in range(1, LONGEST + 1):
        level = _next(level, by_size.get(size, ()), known)
        if not level.rows:
            return
        yield level


def _next(below: ItemsetLevel, keys: Sequence[Key], known: Mapping[Key, int]) -> ItemsetLevel:
    """The itemsets of which every part of one item less is in the level below."""
    children = {key: parts for key in keys if (parts := _parts(key, below)) is not None}
    own = np.array([known[key] for key in children], dtype=np.int64)
    places = np.array(list(children.values()), dtype=np.int64).reshape(len(children), len(next(iter(below.rows))) + 1)
    return ItemsetLevel({key: row for row, key in enumerate(children)}, _joined(below, places, own))


def _parts(key: Key, below: ItemsetLevel) -> list[int] | None:
    """Where each part stands that lacks one item; None where one is not there."""
    found = [below.rows.get(key[:at] + key[at + 1 :]) for at in range(len(key))]
    return None if None in found else [row for row in found if row is not None]


def _joined(below: ItemsetLevel, places: IntArray, own: IntArray) -> IntArray:
    """The supports of all subsets, from those of the parts and of the whole."""
    m, size = places.shape
    supports = np.empty((m, 2**size), dtype=np.int64)
    masks = np.arange(2**size)
    for item in range(size):
        if item == size - 1:
            lacking = masks[: 2 ** (size - 1)]
        else:  # those without the last item are written by the last
            lacking = masks[(masks >> item & 1 == 0) & (masks >> (size - 1) & 1 == 1)]
        kept = (lacking >> (item + 1) << item) | (lacking & (2**item - 1))
        supports[:, lacking] = below.supports[places[:, item, None], kept]
    supports[:, -1] = own
    return supports


def exactly(supports: IntArray) -> IntArray:
    """f(I, J) of each row's J and each subset I, int64[m, 2ⁿ]."""
    counts = supports.copy()
    for pairs in _pairs(counts):
        pairs[:, :, 0] -= pairs[:, :, 1]
    return counts


def _pairs(counts: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """For each item the view [m, ·, without it or with it, ·]."""
    m, width = counts.shape
    for item in range(width.bit_length() - 1):
        yield counts.reshape(m, width >> (item + 1), 2, 1 << item)


def _minimal(counts: IntArray, small: BoolArray, least: int) -> BoolArray:
    """Which small counts stay small when no item is left out: bool[m, 2ⁿ]."""
    kept = small.copy()
    for pairs, of_kept in zip(_pairs(counts), _pairs(kept), strict=True):
        np.logical_and(of_kept, pairs.sum(axis=2, keepdims=True) >= least, out=of_kept)
    return kept


def channels(known: Mapping[Key, int], total: int | None, least: int, found: FoundChannels) -> Iterator[ItemsetLevel]:
    """Look for minimal channels, k = `least`, among itemsets whose subsets are all published; yields the levels."""
    for level in levels(known, total):
        keys = list(level.rows)
        for start, counts in _chunks(level.supports):
            found.contradiction |= bool((counts < 0).any())
            small = _minimal(counts, (counts > 0) & (counts < least), least)
            small[:, -1] = False  # a published itemset, which the least support judges
            for row, mask in np.argwhere(small).tolist():
                count = int(counts[row, mask])
                found.channels.append(_pattern(keys[start + row], mask, count, count))
        yield level


def between(known: Mapping[Key, int], total: int | None, low: int, high: int) -> Iterator[Pattern]:
    """Every derived pattern, minimal or not, of `low` … `high` records."""
    for level in levels(known, total):
        keys = list(level.rows)
        for start, counts in _chunks(level.supports):
            for row, mask in np.argwhere((counts >= low) & (counts <= high)).tolist():
                count = int(counts[row, mask])
                yield _pattern(keys[start + row], mask, count, count)


def _chunks(supports: IntArray) -> Iterator[tuple[int, IntArray]]:
    step = max(1, _CHUNK // supports.shape[1])
    for start in range(0, len(supports), step):
        yield start, exactly(supports[start : start + step])


def _pattern(key: Key, mask: int, low: int, high: int) -> Pattern:
    present = tuple(item for at, item in enumerate(key) if mask >> at & 1)
    return Pattern(present, tuple(item for item in key if item not in present), low, high)


def border(level: ItemsetLevel, ranges: Mapping[Key, CountInterval], least: int, found: FoundChannels) -> None:
    """Look among itemsets whose support is not known but for a range, all their parts being in the level."""
    keys = list(ranges)
    places = np.array([_parts(key, level) for key in keys], dtype=np.int64)
    width = len(keys[0])
    sign = np.array([1 if (width - mask.bit_count()) % 2 == 0 else -1 for mask in range(2**width)])
    step = max(1, _CHUNK // 2**width)
    for start in range(0, len(keys), step):
        chosen = keys[start : start + step]
        counts = exactly(_joined(level, places[start : start + step], np.zeros(len(chosen), dtype=np.int64)))
        ends = [ranges[key] for key in chosen]
        low = np.maximum([each.low for each in ends], -counts[:, sign > 0].min(axis=1))
        high = np.minimum([_MANY if each.high is None else each.high for each in ends], counts[:, sign < 0].min(axis=1))
        found.contradiction |= bool((low > high).any())
        both = counts + sign * low[:, None], counts + sign * high[:, None]
        _ranges(chosen, counts, (np.minimum(*both), np.maximum(*both)), least, found)


def _ranges(
    keys: Sequence[Key], counts: IntArray, ends: tuple[IntArray, IntArray], least: int, found: FoundChannels
) -> None:
    """Tell patterns that are certainly small from those that may be."""
    low, high = ends
    certain = _minimal(counts, (low > 0) & (high < least), least)
    possible = _minimal(counts, (low <= 0) & (high > 0) & (high < least), least)
    found.possible += int(possible.sum())
    for chosen, listed, most in ((certain, found.channels, None), (possible, found.shown, MOST_SHOWN)):
        for row, mask in np.argwhere(chosen)[:most].tolist():
            listed.append(_pattern(keys[row], mask, int(low[row, mask]), int(high[row, mask])))
    del found.shown[MOST_SHOWN:]


MOST_SHOWN = 1_000
"""How many possible channels are kept to be listed."""


def absent_pairs(level: ItemsetLevel, least: int, total: int, exclusive: Exclusive) -> list[Key]:
    """Pairs of items that are not published and of which something can follow: sup(a) + sup(b) > N − k."""
    items = sorted(level.rows, key=lambda key: -int(level.supports[level.rows[key], -1]))
    supports = [int(level.supports[level.rows[key], -1]) for key in items]
    found = []
    for at, key in enumerate(items):
        for other in range(at + 1, len(items)):
            if supports[at] + supports[other] <= total - least:
                break
            pair = tuple(sorted((key[0], items[other][0])))
            if not exclusive.holds(pair):
                found.append(pair)
    return found


def absent_sets(level: ItemsetLevel, exclusive: Exclusive, limit: int) -> Iterator[Key]:
    """Itemsets of one item more than the level's, of which all parts are in it (Agrawal & Srikant 1994)."""
    by_prefix: dict[Key, list[int]] = {}
    for key in level.rows:
        by_prefix.setdefault(key[:-1], []).append(key[-1])
    left = limit
    for prefix, lasts in by_prefix.items():
        for one, other in combinations(sorted(lasts), 2):
            left -= 1
            if left < 0:
                raise TooMany
            key = (*prefix, one, other)
            if not exclusive.holds(key) and _parts(key, level) is not None:
                yield key


class TooMany(Exception):  # noqa: N818  (it ends a search, and is no error)
    """More absent itemsets than are looked at."""


@dataclass(frozen=True)
class Exclusive:
    """Which column each item is a value of; −1 for an item that excludes no other."""

    column: Sequence[int]

    def holds(self, key: Key) -> bool:
        """Whether two items are values of one column, so that nobody holds both."""
        columns = [self.column[item] for item in key if self.column[item] >= 0]
        return len(columns) > len(set(columns))
