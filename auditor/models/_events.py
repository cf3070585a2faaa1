"""What an attacker learns who knows a few events of a person: every combination of them that somebody has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditor.classes import WORD_BITS, BoolArray, Cells, ClassTable, Domain, FloatArray, IntArray, numbered, run_starts

Codes = NDArray[np.signedinteger[Any]]
PART = 1 << 22
"""So many (pattern, person) pairs are sorted at a time: 32 MB, and a few times as much while they are counted."""
_SMALL_BITS = 32
_BLOCK = 1 << 20
"""So many events are looked at at a time."""


@dataclass(frozen=True)
class EventTable:
    """Patterns of some events each, as classes, with the persons who have them.

    Args:
        classes: one class per pattern; a size is the number of persons who have all of its events.
        members: int64[Σ sizes], the persons of each class, one class after the other.
    """

    classes: ClassTable
    members: IntArray

    def persons(self, wanted: BoolArray) -> IntArray:
        """int64: the persons of the classes of a bool[n]."""
        return self.members[np.repeat(wanted, self.classes.sizes)]


@dataclass(frozen=True)
class PersonEvents:
    """The events of each person, each once.

    Args:
        events: int32 or int64[e], person by person, ascending.
        counts: int64[p], how many events each person has.
    """

    events: Codes
    counts: IntArray

    @classmethod
    def of(cls, person: Codes, event: Codes) -> PersonEvents:
        """From pairs of a person and an event, each from 0, in any order; each pair once."""
        width = int(event.max(initial=0)).bit_length()
        if width + int(person.max(initial=0)).bit_length() > WORD_BITS:
            return cls(event[np.lexsort((event, person))], np.bincount(person))
        packed = person.astype(np.int64) << width
        packed |= event
        packed.sort()
        packed &= (1 << width) - 1
        return cls(packed if width >= _SMALL_BITS else packed.astype(np.int32), np.bincount(person))

    @cached_property
    def _starts(self) -> IntArray:
        """int64[p]: the place of each person's first event."""
        return np.cumsum(self.counts) - self.counts

    def many(self, most: int) -> int:
        """Σ over persons and s ≤ `most` of C(|E(p)|, s): how many times a person has a pattern."""
        sizes, persons = np.unique(self.counts, return_counts=True)
        of_person = [sum(comb(n, size) for size in range(1, min(most, n) + 1)) for n in sizes.tolist()]
        return sum(n * each for n, each in zip(persons.tolist(), of_person, strict=True))

    def tables(self, most: int, values: PersonValues | None = None) -> Iterator[EventTable]:
        """Every pattern of one to `most` events, in parts of whole patterns of one size.

        `values` are the sensitive values of the persons, for models that read them.
        """
        for size in range(1, min(most, int(self.counts.max(initial=0))) + 1):
            for low, high in self._parts(size):
                found = [self._packed(columns) for columns in self._pairs(size, low, high)]
                if found:
                    table = self._unpacked(np.concatenate(found, axis=-1))
                    yield table if values is None else values.within(table)

    def _parts(self, size: int) -> Iterator[tuple[int, int]]:
        """Ranges of first events with about `PART` pairs each."""
        pairs = np.zeros(int(self.events.max(initial=0)) + 1)
        for persons, own in self._blocks(size):
            behind = np.tile(np.arange(own.shape[1])[::-1], len(persons))
            pairs += np.bincount(own.ravel(), weights=_choose(behind, size - 1), minlength=len(pairs))
        edges = run_starts((np.cumsum(pairs) // PART).astype(np.int64)[:, None]).tolist()
        yield from zip(edges, [*edges[1:], len(pairs)], strict=True)

    def _blocks(self, size: int) -> Iterator[tuple[IntArray, Codes]]:
        """Persons with equally many events, at least `size`, and their events: a row for each person."""
        for count in np.unique(self.counts[self.counts >= size]).tolist():
            alike = np.flatnonzero(self.counts == count)
            for persons in np.array_split(alike, -(-len(alike) * count // _BLOCK)):
                yield persons, self.events[self._starts[persons][:, None] + np.arange(count)]

    def _pairs(self, size: int, low: int, high: int) -> Iterator[tuple[Codes, ...]]:
        """The events of every pattern whose first one is in a range, column by column, and the person who has it."""
        after = _combinations(int(self.counts.max()) - 1, size - 1)
        for persons, own in self._blocks(size):
            count = own.shape[1]
            for first in range(count - size + 1):
                some = np.flatnonzero((own[:, first] >= low) & (own[:, first] < high))
                many = comb(count - first - 1, size - 1)
                if len(some):
                    behind = own[some, first + 1 :]
                    columns = (behind[:, place[:many]].ravel() for place in after)
                    yield (np.repeat(own[some, first], many), *columns, np.repeat(persons[some], many))

    @cached_property
    def _widths(self) -> tuple[int, int]:
        """The bits of an event and of a person."""
        return int(self.events.max()).bit_length(), len(self.counts).bit_length()

    def _packed(self, columns: tuple[Codes, ...]) -> IntArray:
        """int64[n]: events and person in one number, which sorts fastest; int64[s + 1, n] where they do not fit."""
        event, person = self._widths
        if event * (len(columns) - 1) + person > WORD_BITS:
            return np.vstack(columns)
        packed = columns[0].astype(np.int64)
        for column, width in zip(columns[1:], [event] * (len(columns) - 2) + [person], strict=True):
            packed <<= width
            packed |= column
        return packed

    def _unpacked(self, packed: IntArray) -> EventTable:
        """The pairs pattern by pattern; they are sorted in place."""
        if packed.ndim > 1:
            pattern = numbered(packed[:-1], packed.shape[1])
            order = np.argsort(pattern, kind="stable")
            return _table(pattern[order], packed[-1, order])
        packed.sort()
        return _table(packed >> self._widths[1], packed & ((1 << self._widths[1]) - 1))


@dataclass(frozen=True)
class PersonValues:
    """The sensitive values of each person, each once: int64[v] `person`, ascending, and `value`."""

    person: IntArray
    value: IntArray
    domain: Domain

    def within(self, table: EventTable) -> EventTable:
        """The table with the values of each pattern's persons."""
        starts = np.searchsorted(self.person, np.arange(int(table.members.max(initial=0)) + 2))
        own = np.diff(starts)[table.members]
        place = np.repeat(starts[table.members] - (np.cumsum(own) - own), own) + np.arange(int(own.sum()))
        owner = np.repeat(np.repeat(np.arange(len(table.classes)), table.classes.sizes), own)
        width = len(self.domain.labels)
        keys = np.sort(owner * width + self.value[place])
        first = run_starts(keys[:, None])
        cells = Cells(
            np.searchsorted(keys[first] // width, np.arange(len(table.classes))).astype(np.int64),
            keys[first] % width,
            np.diff(first, append=len(keys)),
            self.domain,
        )
        sizes = table.classes.sizes
        return EventTable(ClassTable(sizes, sizes, cells), table.members)


def _choose(numbers: IntArray, size: int) -> FloatArray:
    """float64[n]: C(number, size), near enough to share work by."""
    found = np.ones(len(numbers))
    for place in range(size):
        found *= np.maximum(numbers - place, 0) / (place + 1)
    return found


def _combinations(numbers: int, size: int) -> IntArray:
    """int64[s, C(n, s)]: every s of the numbers 0 … n−1, ascending, those of the smallest numbers first."""
    found = np.zeros((0, 1), dtype=np.int64)
    for place in range(size):
        # those of the numbers below the last one come first among those of s − 1
        before = np.array([comb(last, place) for last in range(numbers)], dtype=np.int64)
        ends = np.cumsum(before)
        inner = np.arange(int(ends[-1]) if numbers else 0) - np.repeat(ends - before, before)
        found = np.vstack((found[:, inner], np.repeat(np.arange(numbers), before)))
    return found


def _table(pattern: IntArray, members: IntArray) -> EventTable:
    sizes = np.diff(run_starts(pattern[:, None]), append=len(pattern))
    return EventTable(ClassTable(sizes, sizes), members)
