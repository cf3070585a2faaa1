"""What follows of a linear system without any programme: numbers that are known are taken out of every row.

A row is Σ cⱼ zⱼ between two ends. A row of one unknown gives its value; a row of unknowns that are not negative, with
the sum 0, makes all of them 0. Both are followed to the end. Every value and every row remembers the outputs that it
rests on, as a set of bits, the earliest where several would do.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from auditor.interval import Interval

Bits = int


class Contradiction(Exception):  # noqa: N818  (it says what the numbers are)
    """No database fits the numbers. It never leaves the room of outputs."""

    nested = True
    """Whether values were taken to be nested; where none was, no database fits without that either."""


@dataclass
class Row:
    """One published number, with what is left of it: the unknowns, their coefficients, and the ends of their sum.

    `taken` is what the known unknowns come to that were taken out of it. `rests_on` are the outputs that it comes from,
    by bits. `derived` says that something was taken out.
    """

    unknowns: dict[int, int]
    ends: Interval[Fraction]
    rests_on: Bits
    name: str
    taken: Fraction = Fraction(0)
    derived: bool = False


@dataclass(frozen=True, slots=True)
class KnownValue:
    """The value of an unknown, the outputs that it follows from, and whether some output simply says it."""

    value: Fraction
    rests_on: Bits
    published: bool


@dataclass
class Reduction:
    """The rows that are left, and the unknowns that are known.

    `whole` are counts: whole numbers of 0 or more. Sums are of 0 or more where `least` is 0, and any number where it is
    None.
    """

    rows: list[Row]
    least: Fraction | None = Fraction(0)
    whole: bool = True
    known: dict[int, KnownValue] = field(default_factory=dict)

    @property
    def exact(self) -> list[Row]:
        """The rows whose sums are known."""
        return [row for row in self.rows if row.ends.point is not None]

    def follow(self) -> None:
        """Take out what is known until nothing changes.

        Raises:
            Contradiction: some row cannot have its sum.
        """
        rows_of = defaultdict(list)
        for place, row in enumerate(self.rows):
            for unknown in row.unknowns:
                rows_of[unknown].append(place)
        waiting = deque(range(len(self.rows)))
        while waiting:
            for unknown in self._settle(self.rows[waiting.popleft()]):
                for place in rows_of[unknown]:
                    _take_out(self.rows[place], unknown, self.known[unknown])
                    waiting.append(place)
        self._without_repeats()

    def _settle(self, row: Row) -> list[int]:
        """The unknowns that a row settles."""
        low, high, total = row.ends.low, row.ends.high, row.ends.point
        if not row.unknowns:
            if (low is not None and low > 0) or (high is not None and high < 0):
                raise Contradiction
            return []
        if total is not None and len(row.unknowns) == 1:
            ((unknown, coefficient),) = row.unknowns.items()
            value = total / Fraction(coefficient)
            if (self.least is not None and value < self.least) or (self.whole and value.denominator > 1):
                raise Contradiction
            self.known[unknown] = KnownValue(value, row.rests_on, published=not row.derived)
            return [unknown]
        positive = self.least == 0 and all(coefficient > 0 for coefficient in row.unknowns.values())
        if positive and high is not None and high <= 0:
            if high < 0:
                raise Contradiction
            for unknown in row.unknowns:
                self.known[unknown] = KnownValue(Fraction(0), row.rests_on, published=False)
            return list(row.unknowns)
        return []

    def _without_repeats(self) -> None:
        """Keep the first of exact rows with the same unknowns, and drop rows of none."""
        kept: list[Row] = []
        seen: dict[tuple[tuple[int, int], ...], Row] = {}
        for row in self.rows:
            form = tuple(sorted(row.unknowns.items()))
            if not form:
                continue
            if row.ends.point is not None and seen.setdefault(form, row) is not row:
                if seen[form].ends != row.ends:
                    raise Contradiction
                continue
            kept.append(row)
        self.rows = kept


def _take_out(row: Row, unknown: int, known: KnownValue) -> None:
    coefficient = row.unknowns.pop(unknown, 0)
    if not coefficient:
        return
    moved = coefficient * known.value
    row.ends = row.ends.moved(-moved)
    row.taken += moved
    row.rests_on |= known.rests_on
    row.derived = True


def alike(rows: Sequence[Row]) -> dict[int, int]:
    """Each unknown of the rows with the number of its kind: those with the same coefficient in every row are one."""
    forms: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for place, row in enumerate(rows):
        for unknown, coefficient in row.unknowns.items():
            forms[unknown].append((place, coefficient))
    number: dict[tuple[tuple[int, int], ...], int] = {}
    return {unknown: number.setdefault(tuple(form), len(number)) for unknown, form in forms.items()}
