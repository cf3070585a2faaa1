"""Itemsets with gaps below them: what follows about every pattern of a few items, by integer programmes.

The unknowns are the cells of the items' table: for n items 2ⁿ whole numbers ≥ 0, one for each way to hold some and not
the others (a cell in which two values of one column meet is empty). A support that is published, and a pattern that is
asked for, is a sum of cells: one unknown more, between the ends that are known of it. The two ends of a pattern over
all solutions are all that follows (`auditor.inference.intervals`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.sparse import csr_array

from auditor.inference import Domain, Equations
from auditor.inference.intervals import intervals
from auditor.outputs.checks._lattice import Exclusive, Found, Key, Pattern

Signs = tuple[int, ...]
"""Of each item: 1 held, −1 not held, 0 not asked."""

_AT_ONCE = 24
"""How many patterns are asked for in one programme: each is a row more of its table."""


@dataclass(frozen=True)
class Gaps:
    """A few items, and the ends of the supports that are published of them; of nothing, N."""

    items: Key
    ranges: Mapping[Key, tuple[int, int | None]]
    exclusive: Exclusive

    def search(self, least: int, deadline: float, found: Found, truth: Mapping[Signs, int] | None = None) -> None:
        """Look for minimal patterns whose count is in 1 … `least` − 1 in every database that fits.

        `truth` are the true counts, where there is data: a pattern that has none, or enough, is no channel.
        """
        wanted = [signs for signs in self._patterns() if truth is None or 0 < truth[signs] < least]
        certain: list[tuple[Signs, int, int]] = []
        possible: list[tuple[Signs, int, int]] = []
        for start in range(0, len(wanted), _AT_ONCE):
            for signs, low, high in self._small(wanted[start : start + _AT_ONCE], least, deadline, found):
                (certain if low > 0 else possible).append((signs, low, high))
        inside = {signs for signs, low, high in certain} | self._published(least)
        found.channels += self._minimal(certain, inside)
        listed = self._minimal(possible, inside | {signs for signs, _, _ in possible})
        found.possible += len(listed)
        found.shown += listed

    def _small(
        self, wanted: Sequence[Signs], least: int, deadline: float, found: Found
    ) -> Iterator[tuple[Signs, int, int]]:
        """The patterns that fewer than `least` hold for certain, and not for certain nobody."""
        equations, domains, first = self._programme(wanted)
        answers = [Fraction(0)] * equations.answers
        asked = range(first, first + len(wanted))
        solved = intervals(equations, answers, domains, enough=Fraction(least), deadline=deadline, of=asked)
        found.contradiction |= solved.consistent is False
        for signs, place in zip(wanted, asked, strict=True):
            interval = solved.of_atom[place]
            if interval.status == "undetermined":
                found.complete = found.complete and solved.consistent is False
            elif interval.high is not None and interval.low is not None and 0 < interval.high < least:
                yield signs, int(interval.low), int(interval.high)

    def _programme(self, wanted: Sequence[Signs]) -> tuple[Equations, list[Domain], int]:
        """Equations cells − sum = 0, the domains of cells and sums, and where the patterns' sums begin."""
        cells = np.array([each for each in product((0, 1), repeat=len(self.items)) if self._possible(each)])
        rows, domains = [], [Domain(Fraction(0), None, integer=True)] * len(cells)
        for key, (low, high) in self.ranges.items():
            rows.append([cells[:, self.items.index(item)] == 1 for item in key])
            domains.append(Domain(Fraction(low), None if high is None else Fraction(high), integer=True))
        for signs in wanted:
            rows.append([cells[:, at] == (sign > 0) for at, sign in enumerate(signs) if sign])
            domains.append(Domain(Fraction(0), None, integer=True))
        everybody = np.ones(len(cells), dtype=np.bool_)
        sums = np.array([np.logical_and.reduce([everybody, *row]) for row in rows], dtype=np.int64)
        matrix = np.hstack([sums, -np.eye(len(rows), dtype=np.int64)])
        ones = np.ones(matrix.shape[1], dtype=np.int64)
        return Equations(csr_array(matrix), ones), domains, len(domains) - len(wanted)

    def _patterns(self) -> Iterator[Signs]:
        """Every pattern that is not itself published."""
        for signs in product((0, 1, -1), repeat=len(self.items)):
            low, high = self.ranges.get(self._key(signs, 1), (0, None))
            published = -1 not in signs and low == high
            if any(signs) and not published and self._possible(tuple(int(sign > 0) for sign in signs)):
                yield signs

    def _possible(self, held: Sequence[int]) -> bool:
        return not self.exclusive.holds(tuple(item for item, here in zip(self.items, held, strict=True) if here))

    def _key(self, signs: Signs, sign: int) -> Key:
        return tuple(item for item, of in zip(self.items, signs, strict=True) if of == sign)

    def _published(self, least: int) -> set[Signs]:
        """The published itemsets of fewer than `least`: what is inside them is no news."""
        small = {key for key, (low, high) in self.ranges.items() if low == high and 0 < low < least}
        return {tuple(int(item in key) for item in self.items) for key in small}

    def _minimal(self, small: Sequence[tuple[Signs, int, int]], known: set[Signs]) -> list[Pattern]:
        """Those of which no part, fewer items being asked, is known to be small."""
        kept = [each for each in small if not any(part in known for part in _parts(each[0]))]
        return [Pattern(self._key(signs, 1), self._key(signs, -1), low, high) for signs, low, high in kept]


def _parts(signs: Signs) -> Iterator[Signs]:
    """The patterns that ask for one item less."""
    for at, sign in enumerate(signs):
        if sign:
            yield (*signs[:at], 0, *signs[at + 1 :])
