"""What the supports that are published leave to those that are not, group of items by group of items.

That an itemset is absent narrows its support, and so does every group of items around it: of 30 with c, 20 have a and
20 have b, so that 10 or more have a and b. For a group J all supports of its parts lie between ends, and the number of
records with all of I and none of J∖I is never negative (`lattice`); what that leaves to each support is brought into
every other group that has the part, until nothing changes. All groups of m items are looked at, for m as large as
their number allows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from auditor.classes import BoolArray, IntArray
from auditor.interval import CountInterval
from auditor.outputs.patterns.lattice import Exclusive, FoundChannels, Key, Pattern

MOST = 2**21
"""So many patterns are looked at of the groups of one size."""
LONGEST = 8
ENDLESS = 2**40
"""Nobody counts so many records; it stands for no end."""
_CHUNK = 2**18
_ROUNDS = 20


@dataclass
class _Size:
    """The groups of m items in the order of their ranks: int64[n, m] the items, and the two ends of each support."""

    groups: IntArray
    low: IntArray
    high: IntArray


class Narrowed:
    """The ends of the supports of all groups of up to `longest` items.

    Args:
        items: how many items there are.
        ends: what is known of the supports; a group that is not in it has any.
        absent: the most that an absent group of so many items can have; None where there is no such end.
        exclusive: items that nobody holds together.
    """

    def __init__(
        self,
        items: int,
        ends: Mapping[Key, CountInterval],
        absent: Mapping[int, int | None],
        exclusive: Exclusive,
    ) -> None:
        self.contradiction = False
        self._sizes: list[_Size] = []
        column = np.array(exclusive.column, dtype=np.int64)
        while len(self._sizes) <= min(items, LONGEST) and comb(items, len(self._sizes)) << len(self._sizes) <= MOST:
            m = len(self._sizes)
            groups = np.array(list(combinations(range(items), m)), dtype=np.int64).reshape(comb(items, m), m)
            groups = groups[np.argsort(_rank(groups), kind="stable")]
            high = np.full(len(groups), _or_endless(absent.get(m)), dtype=np.int64)
            for one, other in combinations(range(m), 2):
                of_one = column[groups[:, one]]
                high[(of_one >= 0) & (of_one == column[groups[:, other]])] = 0
            self._sizes.append(_Size(groups, np.zeros(len(groups), dtype=np.int64), high))
        for key, told in ends.items():
            if len(key) < len(self._sizes):
                at = int(_rank(np.array([key], dtype=np.int64).reshape(1, len(key)))[0])
                size = self._sizes[len(key)]
                size.low[at], size.high[at] = told.low, _or_endless(told.high)

    @property
    def longest(self) -> int:
        """The most items of a group that is looked at."""
        return len(self._sizes) - 1

    def follow(self, deadline: float) -> None:
        """Narrow all ends until nothing changes; what was done by the deadline is true, too."""
        for _ in range(_ROUNDS):
            before = [end.copy() for size in self._sizes for end in (size.low, size.high)]
            for m in range(1, len(self._sizes)):
                for rows in self._chunks(m):
                    if time.monotonic() > deadline or self.contradiction:
                        return
                    self._narrow(m, rows)
            after = [end for size in self._sizes for end in (size.low, size.high)]
            if all((old == new).all() for old, new in zip(before, after, strict=True)):
                return

    def _narrow(self, m: int, rows: slice) -> None:
        """f(I, J) ≥ 0 bounds each support of it by the others: above where its sign is −, below where it is +."""
        places = list(self._places(m, rows))
        low, high = self._gathered(places)
        _, most = _exactly(low, high)
        even, odd = most, np.full_like(most, ENDLESS << m)  # of all I ⊆ X, by the parity of X∖I: the least f
        for item in range(m):
            e, o = _halves(even, item), _halves(odd, item)
            e[:, :, 1], o[:, :, 1] = np.minimum(e[:, :, 1], o[:, :, 0]), np.minimum(o[:, :, 1], e[:, :, 0])
        new_low, new_high = np.maximum(low, high - even), np.minimum(high, low + odd)
        self.contradiction |= bool((new_low > new_high).any())
        for mask, (of, at) in enumerate(places):
            np.maximum.at(self._sizes[of].low, at, new_low[:, mask])
            np.minimum.at(self._sizes[of].high, at, new_high[:, mask])

    def small(self, least: int, found: FoundChannels) -> None:
        """Add the minimal patterns of 1 … `least` − 1 people for certain."""
        known: list[BoolArray] = [np.zeros((1, 1), dtype=np.bool_)]
        for m in range(1, len(self._sizes)):
            parts = []
            for rows in self._chunks(m):
                low, high = self._gathered(list(self._places(m, rows)))
                fewest, most = _exactly(low, high)
                small = (fewest > 0) & (most < least)
                parts.append(small)
                minimal = small & ~self._inside(m, rows, known[m - 1])
                minimal[:, -1] &= low[:, -1] < high[:, -1]  # a published itemset is judged by the least support
                for row, mask in np.argwhere(minimal).tolist():
                    group = self._sizes[m].groups[rows][row].tolist()
                    present = tuple(item for at, item in enumerate(group) if mask >> at & 1)
                    absent = tuple(item for at, item in enumerate(group) if not mask >> at & 1)
                    found.channels.append(Pattern(present, absent, int(fewest[row, mask]), int(most[row, mask])))
            known.append(np.concatenate(parts))

    def _inside(self, m: int, rows: slice, smaller: BoolArray) -> BoolArray:
        """Whether a pattern that asks for one item less is small."""
        groups, masks = self._sizes[m].groups[rows], np.arange(2**m)
        found = np.zeros((len(groups), 2**m), dtype=np.bool_)
        for item in range(m):
            of = _rank(np.delete(groups, item, axis=1))
            found |= smaller[of][:, (masks >> (item + 1) << item) | (masks & (2**item - 1))]
        return found

    def _chunks(self, m: int) -> Iterator[slice]:
        step = max(1, _CHUNK >> m)
        return (slice(start, start + step) for start in range(0, len(self._sizes[m].groups), step))

    def _places(self, m: int, rows: slice) -> Iterator[tuple[int, IntArray]]:
        """Of each part of some groups, by its mask: its size, and where it stands among the groups of that size."""
        groups = self._sizes[m].groups[rows]
        for mask in range(2**m):
            chosen = groups[:, [at for at in range(m) if mask >> at & 1]]
            yield chosen.shape[1], _rank(chosen)

    def _gathered(self, places: list[tuple[int, IntArray]]) -> tuple[IntArray, IntArray]:
        low = np.stack([self._sizes[of].low[at] for of, at in places], axis=1)
        return low, np.stack([self._sizes[of].high[at] for of, at in places], axis=1)


def _rank(groups: IntArray) -> IntArray:
    """Where ascending groups of m items stand among all: Σ C(cᵢ, i + 1)."""
    found = np.zeros(len(groups), dtype=np.int64)
    for at in range(groups.shape[1]):
        product = np.ones(len(groups), dtype=np.int64)
        for factor in range(at + 1):
            product = product * (groups[:, at] - factor) // (factor + 1)
        found += product
    return found


def _exactly(low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """The least and the largest f(I, J) for each part I."""
    fewest, most = low.copy(), high.copy()
    for item in range(low.shape[1].bit_length() - 1):
        few, many = _halves(fewest, item), _halves(most, item)
        few[:, :, 0], many[:, :, 0] = few[:, :, 0] - many[:, :, 1], many[:, :, 0] - few[:, :, 1]
    return fewest, most


def _halves(values: IntArray, item: int) -> IntArray:
    """The view [n, ·, without an item or with it, ·]."""
    n, width = values.shape
    return values.reshape(n, width >> (item + 1), 2, 1 << item)


def _or_endless(end: int | None) -> int:
    return ENDLESS if end is None else min(end, ENDLESS)
