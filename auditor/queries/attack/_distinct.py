"""What sums, and sums with extremes, tell of whole numbers that are all distinct."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from auditor.classes import BoolArray, IntArray
from auditor.inference import UnknownDomain
from auditor.inference.integer.distinct import DistinctSearch, DistinctSystem, EffortSpent
from auditor.inference.integer.search import InferredInterval, Status
from auditor.queries._query import Linear, Quantity
from auditor.queries.attack._mixed import SeenBoth, kind_of
from auditor.queries.attack.discovery import Conclusions, Discovery

MOST_UNKNOWNS = 40
"""Of more values together nothing is looked for: it would hardly ever end."""

Unknown = tuple[Quantity, int]


@dataclass(frozen=True)
class DistinctWhole:
    """The sums and extremes of a view, where the values that they speak of are whole numbers.

    A record that nothing was asked about has one of the numbers that are left, and is an unknown, too, where these are
    so few that which they are tells its value, or (with `narrow`) bounds it more closely than that.
    """

    seen: SeenBoth
    domains: Mapping[Quantity, UnknownDomain]
    narrow: Fraction | None

    @property
    def bounded(self) -> bool:
        """Whether whole numbers within a range were summed, so that they could run out."""
        return any(
            self._is_number(q) and self.domains[q].integer and self._room(q) < math.inf for q in self.seen.summed
        )

    @property
    def whole(self) -> bool:
        """Whether all values that were asked about are whole numbers."""
        return all(self._is_number(q) and self.domains[q].integer for q in self.seen.summed | self.seen.of_extremes)

    def judged(self, deadline: float) -> Conclusions:
        """Whose value is determined, and (with `narrow`) whose is known more closely than that."""
        asked = sum(int(self.seen.profiles.sizes[profiles].sum()) for profiles in self._asked.values())
        if asked > MOST_UNKNOWNS or not self.whole or not self._everybody_fits() or len(self._unknowns) > MOST_UNKNOWNS:
            return Conclusions((), open_=True)
        near = [int(self._value(unknown)) for unknown in self._unknowns]
        values = DistinctSearch(self._system, near, deadline=deadline)
        try:
            if not values.begin():
                return Conclusions((), open_=False, consistent=False)
            spans = [values.span(at, self._wide) for at in range(len(self._unknowns))]
        except EffortSpent:
            return Conclusions((), open_=True)
        return Conclusions(tuple(self._disclosures(spans)), open_=False)

    @property
    def _wide(self) -> int:
        """The width from which on an interval is not looked at."""
        return 1 if self.narrow is None else max(1, math.ceil(self.narrow))

    def _disclosures(self, spans: list[tuple[int, int]]) -> Iterator[Discovery]:
        for (quantity, record), (least, most) in zip(self._unknowns, spans, strict=True):
            status: Status = "determined" if least == most else "free"
            known = InferredInterval(Fraction(least), Fraction(most), status=status)
            kind = kind_of(known, self.narrow)
            if kind is not None and record not in self.seen.view.known:
                positions = tuple(sorted(self.seen.positions))
                yield Discovery(
                    kind=kind,
                    quantity=quantity,
                    records=(record,),
                    low=known.low,
                    high=known.high,
                    first=positions[-1],
                    view=self.seen.view,
                    follows_from=positions,
                )

    @cached_property
    def _asked(self) -> dict[Quantity, BoolArray]:
        """Of each quantity the profiles that were asked about, bool[p]."""
        found: dict[Quantity, BoolArray] = {}
        summed = [pair for _, asked in self.seen.sums for pair in asked.weights.items()]
        for quantity, weights in [*summed, *((asked.quantity, asked.members) for _, asked, _ in self.seen.extremes)]:
            profiles = weights.dense() != 0
            found[quantity] = found[quantity] | profiles if quantity in found else profiles
        return found

    def _is_number(self, quantity: Quantity) -> bool:
        return quantity.value is None and not quantity.presence

    def _room(self, quantity: Quantity) -> float:
        """How many numbers there are in the range."""
        domain = self.domains[quantity]
        return float(domain.width + 1)

    def _everybody_fits(self) -> bool:
        return all(
            self._there(quantity).sum() <= self._room(quantity)
            for quantity in {quantity for quantity, _ in self._unknowns}
        )

    def _value(self, unknown: Unknown) -> Fraction:
        quantity, record = unknown
        return self.seen.profiles.numbers(quantity).fraction(record)

    @cached_property
    def _unknowns(self) -> list[Unknown]:
        """The values that were asked about; one that the view knows is no unknown, but nobody else has it."""
        found: list[Unknown] = []
        for quantity, profiles in self._asked.items():
            there = self._there(quantity)
            held = profiles[self.seen.profiles.of_record] & there
            if held.any():
                held[self.seen.known] = there[self.seen.known]
                chosen = there if self._room(quantity) - held.sum() <= self._wide else held
                found += [(quantity, record) for record in np.flatnonzero(chosen).tolist()]
        return sorted(found)

    def _there(self, quantity: Quantity) -> BoolArray:
        """bool[n]: who has a value."""
        return np.logical_not(self.seen.profiles.protected[quantity.attribute].missing)

    def _records(self, quantity: Quantity, weights: BoolArray | IntArray) -> list[int]:
        held = weights[self.seen.profiles.of_record] != 0
        return np.flatnonzero(held & self._there(quantity)).tolist()

    def _weights(self, asked: Linear) -> dict[Unknown, int]:
        found: dict[Unknown, int] = {}
        for quantity, weights in asked.weights.items():
            dense = weights.dense()
            for record in self._records(quantity, dense):
                found[quantity, record] = int(dense[self.seen.profiles.of_record[record]])
        return found

    @cached_property
    def _system(self) -> DistinctSystem:
        place = {unknown: at for at, unknown in enumerate(self._unknowns)}
        kinds = {quantity: at for at, quantity in enumerate(sorted({quantity for quantity, _ in self._unknowns}))}
        ends: list[tuple[int | None, int | None]] = []
        for quantity, record in self._unknowns:
            domain, value = self.domains[quantity], int(self._value((quantity, record)))
            known = record in self.seen.view.known
            ends.append((value, value) if known else (domain.least, domain.most))
        sums = []
        for _, asked in self.seen.sums:
            weights = self._weights(asked)
            total = sum((w * self._value(unknown) for unknown, w in weights.items()), Fraction(0))
            sums.append(({place[unknown]: w for unknown, w in weights.items()}, int(total)))
        extremes = [
            (
                asked.which,
                [place[asked.quantity, record] for record in self._records(asked.quantity, asked.members.dense())],
                int(answer),
            )
            for _, asked, answer in self.seen.extremes
        ]
        return DistinctSystem(ends, [kinds[quantity] for quantity, _ in self._unknowns], sums, extremes)
