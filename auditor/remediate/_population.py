"""The population beside the data in a search: rolled up along the same ladders, counted by the classes of a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from auditor.audit import sums_of
from auditor.classes import BoolArray, ClassTable, IntArray, numbered
from auditor.remediate._keys import Rolled
from auditor.remediate._rollup import Tower

POPULATION = "\0population"
"""Stands for the population where tables have the name of a sensitive attribute; no column is called so."""


@dataclass(frozen=True)
class Residents:
    """The population, ready to be rolled up to any node.

    Args:
        tower: its base table and ladders.
        nodes: for each quasi-identifier and level int64: the population's node for each node of the data.
    """

    tower: Tower
    nodes: Sequence[Sequence[IntArray]]

    def node(self, place: int, level: int) -> IntArray:
        """int64: the population's node for each node of the data; a level on top of all others has one."""
        known = self.nodes[place]
        return known[level] if level < len(known) else np.zeros(1, dtype=np.int64)


class HeldNode:
    """A node's classes, held against the population.

    Args:
        residents: the population.
        tower: the data's.
        tables: the node's table of the data, and that of the population.
        levels: the levels of the quasi-identifiers that group, by place.
    """

    def __init__(
        self, residents: Residents, tower: Tower, tables: tuple[Rolled, Rolled], levels: Mapping[int, int]
    ) -> None:
        self._residents = residents
        self._tower = tower
        self._ours, self._theirs = tables
        self._levels = levels

    @property
    def total(self) -> int:
        """How many persons the population has."""
        return self._residents.tower.records

    @cached_property
    def whole(self) -> IntArray:
        """int64[n]: the persons who have the values of each class."""
        fields, table = self._theirs.layout.fields, self._theirs
        if table.layout.words > 1:
            return self.grouped(tuple(self._levels))
        keys = np.zeros(len(self._tower.sizes(self._ours)), dtype=np.int64)
        for place in self._levels:
            # what the table leaves out, and what is all alike, is 0 there
            if fields[place].of(table.keys).any():
                keys |= self._codes(place) << fields[place].shift
        at = np.minimum(table.keys[0].searchsorted(keys), len(table.counts) - 1)
        return np.where(table.keys[0][at] == keys, table.counts[at], 0)

    def grouped(self, attributes: Sequence[int]) -> IntArray:
        """int64[n]: for each class the persons who have its values in some quasi-identifiers."""
        fields, keys = self._theirs.layout.fields, self._theirs.keys
        columns = {place: fields[place].of(keys) for place in attributes}
        grouping = [place for place, codes in columns.items() if codes.any()] or list(columns)[:1]
        return sums_of([columns[place] for place in grouping], self._theirs.counts, [self._codes(p) for p in grouping])

    def _codes(self, place: int) -> IntArray:
        return self._residents.node(place, self._levels[place]).take(self._tower.nodes_of(self._ours, place))

    def counted(self, table: ClassTable, kept: BoolArray) -> ClassTable:
        """The classes of the node that are kept, with their persons."""
        return replace(table, people=self.whole[kept])

    def merged(self, table: ClassTable, group: IntArray, attributes: Sequence[int], kept: BoolArray) -> ClassTable:
        """Classes of some quasi-identifiers, with their persons; `group` has for each kept class which one it is in."""
        people = np.zeros(len(table), dtype=np.int64)
        people[group] = self.grouped(attributes)[kept]
        return replace(table, people=people)

    def released(self, attributes: Sequence[int] | None, kept: BoolArray) -> int:
        """How many persons have the values of a kept class, in some quasi-identifiers (None: in all)."""
        if attributes is None:
            return int(self.whole[kept].sum())
        group = numbered((self._codes(place)[kept] for place in attributes), int(kept.sum()))
        _, first = np.unique(group, return_index=True)
        return int(self.grouped(attributes)[kept][first].sum())
