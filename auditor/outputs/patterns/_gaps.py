"""Itemsets with gaps below them: what follows about every pattern of a few items, by integer programmes.

The unknowns are the cells of the items' table: for n items 2ⁿ whole numbers ≥ 0, one for each way to hold some and not
the others (a cell in which two values of one column meet is empty). A support that is published, and a pattern that is
asked for, is a sum of cells: one unknown more, between the ends that are known of it. The two ends of a pattern over
all solutions are all that follows (`auditor.inference.integer.intervals`). Only patterns are asked for of which no
database that was met (`_witnesses`) has enough people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np
from scipy.sparse import csr_array

from auditor.classes import IntArray
from auditor.inference import Equations, UnknownDomain
from auditor.inference.integer.intervals import intervals
from auditor.interval import CountInterval
from auditor.outputs.patterns._witnesses import Signs, Witnesses
from auditor.outputs.patterns.lattice import Exclusive, FoundChannels, Key, Pattern

_AT_ONCE = 24
"""How many patterns are asked for in one programme: each is a row more of its table."""
_AT_HAND = 4
"""How many databases a programme is given to begin with."""


@dataclass(frozen=True)
class Gaps:
    """A few items, and the ends of the supports that are published of them; of nothing, N."""

    items: Key
    ranges: Mapping[Key, CountInterval]
    exclusive: Exclusive

    def search(
        self,
        least: int,
        deadline: float,
        found: FoundChannels,
        truth: Mapping[Signs, int] | None = None,
        *,
        possible: bool = True,
    ) -> None:
        """Look for minimal patterns whose count is in 1 … `least` − 1 in every database that fits.

        Patterns are asked for by their length: within one that fewer than `least` have, no other is minimal.
        `truth` are the true counts, where there is data: a pattern that has none, or enough, is no channel. Patterns
        that nobody may have are left out where they are not asked for as `possible`.
        """
        wanted = [signs for signs in self._patterns() if truth is None or 0 < truth[signs] < least]
        seen, small = self._witnesses(deadline), self._published(least)
        for length in range(1, len(self.items) + 1):
            asked = [each for each in wanted if sum(map(abs, each)) == length]
            small |= {each for each in asked if not small.isdisjoint(_parts(each))}
            left = [each for each in asked if each not in small and not seen.clear(each, least, possible=possible)]
            for start in range(0, len(left), _AT_ONCE):
                for signs, low, high in self._small(left[start : start + _AT_ONCE], seen, least, deadline, found):
                    small.add(signs)
                    place = self._key(signs, 1), self._key(signs, -1)
                    if low > 0:
                        found.channels.append(Pattern(*place, low, high))
                    elif high > 0:
                        found.possible += 1
                        found.shown.append(Pattern(*place, low, high))

    def _small(
        self, wanted: Sequence[Signs], seen: Witnesses, least: int, deadline: float, found: FoundChannels
    ) -> Iterator[tuple[Signs, int, int]]:
        """The patterns that fewer than `least` have in every database that fits."""
        equations, domains, first = self._programme(wanted)
        answers = [Fraction(0)] * equations.answers
        asked = range(first, first + len(wanted))
        known = [_solution(counts, equations) for counts in seen.solutions()[-_AT_HAND:]]
        solved = intervals(
            equations, answers, domains, enough=Fraction(least), known=known, deadline=deadline, of=asked
        )
        found.contradiction |= solved.consistent is False
        for signs, place in zip(wanted, asked, strict=True):
            interval = solved.of_atom[place]
            if interval.status == "undetermined":
                found.complete = found.complete and solved.consistent is False
            elif interval.high is not None and interval.low is not None and interval.high < least:
                yield signs, int(interval.low), int(interval.high)

    def _witnesses(self, deadline: float) -> Witnesses:
        cells = self._cells()
        rows = np.ones((len(self._told), len(cells)), dtype=np.bool_)
        for row, key in zip(rows, self._told, strict=True):
            row[:] = cells[:, [self.items.index(item) for item in key]].all(axis=1)
        return Witnesses(cells, rows, [self.ranges[key] for key in self._told], deadline)

    def _cells(self) -> IntArray:
        held = product((0, 1), repeat=len(self.items))
        return np.array([each for each in held if self._possible(each)], dtype=np.int64)

    @cached_property
    def _told(self) -> list[Key]:
        """The itemsets of which something is said that is not said of a part: an absent one's parts are absent, too."""
        said = {key: ends for key, ends in self.ranges.items() if ends != CountInterval()}
        return [key for key, ends in said.items() if ends.low or not _below(key, ends.high, said)]

    def _programme(self, wanted: Sequence[Signs]) -> tuple[Equations, list[UnknownDomain], int]:
        """Equations cells − sum = 0, the domains of cells and sums, and where the patterns' sums begin."""
        cells = self._cells()
        rows, domains = [], [UnknownDomain(Fraction(0), None, integer=True)] * len(cells)
        for key in self._told:
            least, most = self.ranges[key].low, self.ranges[key].high
            rows.append([cells[:, self.items.index(item)] == 1 for item in key])
            domains.append(UnknownDomain(Fraction(least), None if most is None else Fraction(most), integer=True))
        for signs in wanted:
            rows.append([cells[:, at] == (sign > 0) for at, sign in enumerate(signs) if sign])
            domains.append(UnknownDomain(Fraction(0), None, integer=True))
        everybody = np.ones(len(cells), dtype=np.bool_)
        sums = np.array([np.logical_and.reduce([everybody, *row]) for row in rows], dtype=np.int64)
        matrix = np.hstack([sums, -np.eye(len(rows), dtype=np.int64)])
        ones = np.ones(matrix.shape[1], dtype=np.int64)
        return Equations(csr_array(matrix), ones), domains, len(domains) - len(wanted)

    def _patterns(self) -> Iterator[Signs]:
        """Every pattern that is not itself published."""
        for signs in product((0, 1, -1), repeat=len(self.items)):
            ends = self.ranges.get(self._key(signs, 1))
            published = -1 not in signs and ends is not None and ends.point is not None
            if any(signs) and not published and self._possible(tuple(int(sign > 0) for sign in signs)):
                yield signs

    def _possible(self, held: Sequence[int]) -> bool:
        return not self.exclusive.holds(tuple(item for item, here in zip(self.items, held, strict=True) if here))

    def _key(self, signs: Signs, sign: int) -> Key:
        return tuple(item for item, of in zip(self.items, signs, strict=True) if of == sign)

    def _published(self, least: int) -> set[Signs]:
        """The published itemsets of fewer than `least`, everybody among them: what is inside them is no news."""
        small = {key for key, ends in self.ranges.items() if 0 < (ends.point or 0) < least}
        return {tuple(int(item in key) for item in self.items) for key in small}


def _solution(counts: IntArray, equations: Equations) -> list[Fraction]:
    """A database as the unknowns of a programme: its cells, and the sums of its rows."""
    sums = equations.rows[:, : len(counts)].astype(np.int64) @ counts
    return [Fraction(each) for each in (*counts.tolist(), *sums.tolist())]


def _below(key: Key, high: int | None, said: Mapping[Key, CountInterval]) -> bool:
    """Whether a part of one item less has no more than `high` already."""
    ends = [said[part].high for at in range(len(key)) if (part := key[:at] + key[at + 1 :]) in said]
    return high is not None and any(end is not None and end <= high for end in ends)


def _parts(signs: Signs) -> Iterator[Signs]:
    """The patterns that ask for one item less."""
    for at, sign in enumerate(signs):
        if sign:
            yield (*signs[:at], 0, *signs[at + 1 :])
