"""A partition of the records into groups, and the table that it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from auditor.classes import BoolArray, IntArray, distinct
from auditor.remediate.local._scales import ColumnScale


@dataclass(frozen=True)
class CombinationTable:
    """The distinct combinations of the input, as a search of groups reads them.

    Args:
        scales: how each quasi-identifier is made coarser.
        codes: int64[d, c], the ordered code of each combination in each quasi-identifier.
        records: int64[c], how many records it stands for.
        kind: int64[c], the kind of record that it is, whatever its quasi-identifiers.
        regions: int64[c], 0 to r − 1: groups may not reach beyond one of these, because labels that would cover both
            are coarser than the policy lets a search go.
    """

    scales: tuple[ColumnScale, ...]
    codes: IntArray
    records: IntArray
    kind: IntArray
    regions: IntArray


@dataclass(frozen=True)
class Partition:
    """Which records are released alike. A combination may be divided between groups.

    Args:
        table: what is divided.
        cell: int64[e], the combination of each entry.
        counts: int64[e], how many of its records the entry stands for.
        group: int64[e], their group, 0 to g − 1; every group has an entry.
        floors: int64[d, g], the least level of each group's label in each quasi-identifier; None where any will do.
    """

    table: CombinationTable
    cell: IntArray
    counts: IntArray
    group: IntArray
    floors: IntArray | None = None

    @classmethod
    def of(
        cls, table: CombinationTable, cell: IntArray, counts: IntArray, group: IntArray, floors: IntArray | None = None
    ) -> Partition:
        """Number the groups without gaps, in their order, and put entries together that say the same."""
        _, group = distinct(group)
        together, where = distinct(group * len(table.records) + cell)
        sums = np.zeros(len(together), dtype=np.int64)
        np.add.at(sums, where, counts)
        return cls(table, together % len(table.records), sums, together // len(table.records), floors)

    @classmethod
    def whole(cls, table: CombinationTable) -> Partition:
        """The coarsest: one group for each region."""
        return cls.of(table, np.arange(len(table.records)), table.records, table.regions)

    @cached_property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def kind(self) -> IntArray:
        """int64[e]: the kind of each entry's records."""
        return self.table.kind[self.cell]

    @cached_property
    def sizes(self) -> IntArray:
        """int64[g]: the records of each group."""
        return np.bincount(self.group, weights=self.counts, minlength=self.groups).astype(np.int64)

    @cached_property
    def low(self) -> IntArray:
        """int64[d, g]: the least code of each group in each quasi-identifier."""
        return self._ends[0]

    @cached_property
    def high(self) -> IntArray:
        """int64[d, g]: the largest code."""
        return self._ends[1]

    @cached_property
    def _ends(self) -> tuple[IntArray, IntArray]:
        return ends(self.table.codes[:, self.cell], self.group)

    @cached_property
    def region(self) -> IntArray:
        """int64[g]: the region of each group."""
        found = np.zeros(self.groups, dtype=np.int64)
        found[self.group] = self.table.regions[self.cell]
        return found

    def merged(self, into: IntArray) -> Partition:
        """The partition with groups put together: those with the same number in `into` (int64[g]) become one."""
        floors = None
        if self.floors is not None:
            floors = np.zeros((len(self.floors), int(into.max()) + 1), dtype=np.int64)
            for place, levels in enumerate(self.floors):
                np.maximum.at(floors[place], into, levels)
        return Partition.of(self.table, self.cell, self.counts, into[self.group], floors)

    def floor(self, place: int) -> IntArray | None:
        """int64[g]: the least levels in one quasi-identifier."""
        return None if self.floors is None else self.floors[place]

    def is_function(self) -> bool:
        """Whether every combination is in one group."""
        return len(distinct(self.cell)[0]) == len(self.cell)


def ends(codes: IntArray, group: IntArray) -> tuple[IntArray, IntArray]:
    """int64[d, g] twice: the least and the largest code of each group; `group` has all numbers from 0 to g − 1."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(order) else order
    sorted_codes = codes[:, order]
    if not len(starts):
        return sorted_codes, sorted_codes
    return np.minimum.reduceat(sorted_codes, starts, axis=1), np.maximum.reduceat(sorted_codes, starts, axis=1)


def smallest_of(sizes: IntArray, owner: IntArray, among: BoolArray) -> IntArray:
    """int64: for each owner that has some part `among` those that count, the place of its smallest one."""
    places = np.flatnonzero(among)
    order = np.lexsort((places, sizes[places], owner[places]))
    ordered = places[order]
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = owner[ordered[1:]] != owner[ordered[:-1]]
    return ordered[first]
