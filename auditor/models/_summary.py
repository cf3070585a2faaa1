"""From one number per class to what a result says: worst class, violations, distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from auditor.classes import BoolArray, Cells, ClassTable, FloatArray, IntArray
from auditor.models._base import ClassModel
from auditor.models._hooks.population import PopulationModel, people_of

EXPOSED = 10
"""How many of the worst classes are kept by key."""
_DENSE = 1 << 22
"""Up to so many possible profiles are counted by table look-up; beyond, classes are measured one by one."""


@dataclass(frozen=True)
class Profiles:
    """Classes with the same sensitive counts have the same numbers; each such profile is kept once.

    Only classes with a single sensitive value are put together (in a near-unique table that is nearly all of them);
    any other class is a profile of its own.

    Args:
        classes: one class per profile.
        count: int64, how many classes have the profile.
        records: int64, how many records stand in them.
        example: int64, the index of one such class in the full table.
        kind: int64[n], what classes that share a profile have in common, −1 for a class of its own; None where each is.
    """

    classes: ClassTable
    count: IntArray
    records: IntArray
    example: IntArray
    kind: IntArray | None = None

    @classmethod
    def of(cls, table: ClassTable) -> Profiles:
        """The profiles of a class table."""
        cells = table.cells
        if not len(table):
            return cls(table, table.sizes, table.rows, table.sizes)
        if table.people is not None:
            return cls(table, np.ones(len(table), dtype=np.int64), table.rows, np.arange(len(table)))
        kind = table.sizes if cells is None else _single_value_kind(table, cells)
        if kind is None or int(kind.max()) > _DENSE:
            return cls(table, np.ones(len(table), dtype=np.int64), table.rows, np.arange(len(table)))
        return cls._grouped(table, kind)

    @classmethod
    def _grouped(cls, table: ClassTable, kind: IntArray) -> Profiles:
        """Put classes of equal `kind` ≥ 0 together; −1 marks a class of its own."""
        alone = np.flatnonzero(kind < 0)
        shared = np.flatnonzero(kind >= 0)
        width = int(kind.max()) + 1
        count = np.bincount(kind[shared], minlength=width)
        # bincount's weights are floats: exact up to 2^53 records
        records = np.bincount(kind[shared], weights=table.rows[shared], minlength=width).astype(np.int64)
        example = np.zeros(width, dtype=np.int64)
        example[kind[shared][::-1]] = shared[::-1]
        present = np.flatnonzero(count)
        chosen = np.concatenate((example[present], alone))
        return cls(
            _take(table, chosen),
            np.concatenate((count[present], np.ones(len(alone), dtype=np.int64))),
            np.concatenate((records[present], table.rows[alone])),
            chosen,
            kind,
        )

    @cached_property
    def of_class(self) -> IntArray:
        """int64[n]: the profile of each class of the full table."""
        if self.kind is None:
            return np.arange(len(self.example))
        shared = self.kind >= 0
        place = np.empty(int(self.kind.max()) + 1, dtype=np.int64)
        profiles = np.flatnonzero(self.kind[self.example] >= 0)
        place[self.kind[self.example[profiles]]] = profiles
        found = np.empty(len(self.kind), dtype=np.int64)
        found[shared] = place[self.kind[shared]]
        found[~shared] = np.arange(len(profiles), len(self.example))
        return found


def _single_value_kind(table: ClassTable, cells: Cells) -> IntArray | None:
    """For classes with one sensitive value, a number that says which value and how often; −1 for the others."""
    single = cells.lengths == 1
    if single.sum() * 2 < len(table):
        return None
    first = cells.starts
    largest = int(cells.counts[first][single].max()) + 1
    if largest > _DENSE:  # before the product below could pass 64 bits
        return None
    kind: IntArray = np.where(single, cells.values[first] * largest + cells.counts[first], -1)
    # with units, a class's size is not its one value's count when units have several rows; keep those apart
    return np.where(table.sizes == cells.totals, kind, -1)


def _take(table: ClassTable, chosen: IntArray) -> ClassTable:
    """The chosen classes as a table of their own (without keys)."""
    rows = table.rows[chosen]
    sizes = rows if table.rows is table.sizes else table.sizes[chosen]
    if table.cells is None:
        return ClassTable(sizes, rows)
    cells = table.cells
    lengths = cells.lengths[chosen]
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
    index = np.repeat(cells.starts[chosen] - starts, lengths) + np.arange(int(lengths.sum()))
    return ClassTable(sizes, rows, Cells(starts, cells.values[index], cells.counts[index], cells.domain))


@dataclass
class Summary:
    """What one class model found, summed over batches."""

    model: ClassModel
    expose: bool = False
    """Whether the worst classes are kept by key."""
    classes: int = 0
    records: int = 0
    classes_violating: int = 0
    records_violating: int = 0
    worst: float | int | None = None
    smallest: int | None = None
    smallest_group: int | None = None
    """The smallest group of records that the numbers may tell of: a class, or those in one with or without a value."""
    mildest: float | int | None = None
    """The number that is farthest from the worst."""
    strangers: int = 0
    """Classes for which a model that reads the population has no number."""
    people: int = 0
    """The persons of the population who have the values of a class."""
    bins: dict[tuple[int, bool], tuple[int, int]] = field(default_factory=dict)
    exposed: list[tuple[float, int, dict[str, int]]] = field(default_factory=list)
    """(number, records, code of each column) of the worst violating classes; of equal ones the first by key."""

    def add(self, table: ClassTable, profiles: Profiles) -> None:
        """Measure one batch and take it in."""
        if not len(table):
            return
        if isinstance(self.model, PopulationModel):
            self.strangers += int(self.model.undefined(table).sum())
            self.people += int(people_of(table).sum())
        numbers = self.model.measure(profiles.classes)
        wrong = self.model.violates(profiles.classes, numbers)
        self.classes += int(profiles.count.sum())
        self.records += int(profiles.records.sum())
        self.classes_violating += int(profiles.count[wrong].sum())
        self.records_violating += int(profiles.records[wrong].sum())
        least = self.model.comparison == ">="
        found = (numbers.min() if least else numbers.max()).item()
        self.worst = _of_both(min if least else max, self.worst, found)
        self.mildest = _of_both(max if least else min, self.mildest, (numbers.max() if least else numbers.min()).item())
        small = int(profiles.classes.sizes.min())
        self.smallest = small if self.smallest is None else min(small, self.smallest)
        self.smallest_group = _of_both(min, self.smallest_group, _smallest_group(profiles.classes))
        self._add_bins(numbers, wrong, profiles)
        if self.expose:
            self._add_exposed(table, numbers, wrong, profiles)

    def _add_bins(self, numbers: FloatArray | IntArray, wrong: BoolArray, profiles: Profiles) -> None:
        edges = bin_edges(self.model)
        place = np.searchsorted(edges, numbers, side="left" if self.model.comparison == "<=" else "right")
        key = place * 2 + wrong
        classes = np.bincount(key, weights=profiles.count)
        records = np.bincount(key, weights=profiles.records)
        for number in np.flatnonzero(classes).tolist():
            where = (number // 2, bool(number % 2))
            old = self.bins.get(where, (0, 0))
            self.bins[where] = (old[0] + int(classes[number]), old[1] + int(records[number]))

    def _add_exposed(
        self, table: ClassTable, numbers: FloatArray | IntArray, wrong: BoolArray, profiles: Profiles
    ) -> None:
        if table.keys is None or table.layout is None or not wrong.any():
            return
        classes = np.flatnonzero(wrong[profiles.of_class])
        ascending = numbers if self.model.comparison == ">=" else -numbers
        for index in classes[_first(ascending[profiles.of_class[classes]], EXPOSED)].tolist():
            key = {
                column: int(table.layout.codes(table.keys[index : index + 1], column)[0]) for column in table.columns
            }
            self.exposed.append((numbers[profiles.of_class[index]].item(), int(table.rows[index]), key))
        self._keep_worst()

    def _keep_worst(self) -> None:
        sign = 1 if self.model.comparison == ">=" else -1
        self.exposed.sort(key=lambda item: (sign * item[0], tuple(item[2].values())))
        del self.exposed[EXPOSED:]

    def misses(self, everybody: int) -> bool:
        """Whether the model is violated by persons of the population with values that no class has."""
        return isinstance(self.model, PopulationModel) and self.model.misses(self.people, everybody)

    def merge(self, other: Summary) -> None:
        """Take in what another summary of the same model found in other classes."""
        self.classes += other.classes
        self.records += other.records
        self.classes_violating += other.classes_violating
        self.records_violating += other.records_violating
        self.strangers += other.strangers
        self.people += other.people
        worse, milder = (min, max) if self.model.comparison == ">=" else (max, min)
        self.worst = _of_both(worse, self.worst, other.worst)
        self.mildest = _of_both(milder, self.mildest, other.mildest)
        self.smallest = _of_both(min, self.smallest, other.smallest)
        self.smallest_group = _of_both(min, self.smallest_group, other.smallest_group)
        for where, (classes, records) in other.bins.items():
            old = self.bins.get(where, (0, 0))
            self.bins[where] = (old[0] + classes, old[1] + records)
        self.exposed += other.exposed
        self._keep_worst()


def _smallest_group(classes: ClassTable) -> int:
    """The least of: the members of a class, those of them who have a sensitive value, and those who have not."""
    cells, smallest = classes.cells, int(classes.sizes.min())
    if cells is None or not len(cells.counts):
        return smallest
    without = classes.sizes[cells.owner] - cells.counts
    return min(smallest, int(cells.counts.min()), int(without[without > 0].min(initial=smallest)))


def _of_both(choose: Callable[..., Any], mine: Any, other: Any) -> Any:
    """The one that is chosen of two, or the one that is there."""
    there = [each for each in (mine, other) if each is not None]
    return choose(there) if there else None


def _first(numbers: FloatArray | IntArray, count: int) -> IntArray:
    """The places of the smallest numbers, ascending; of equal ones the first places."""
    if len(numbers) > count:
        edge = np.partition(numbers, count - 1)[count - 1]
        below = np.flatnonzero(numbers < edge)
        chosen = np.concatenate((below, np.flatnonzero(numbers == edge)[: count - len(below)]))
    else:
        chosen = np.arange(len(numbers))
    return chosen[np.argsort(numbers[chosen], kind="stable")]


def bin_edges(model: ClassModel) -> FloatArray:
    """The inner edges of a model's histogram: fifths of the bound below it, multiples above it; one is the bound."""
    bound = float(model.bound) or 1.0
    below = np.array([0.2, 0.4, 0.6, 0.8, 1.0]) * bound
    with np.errstate(over="ignore"):
        above = np.array([1.25, 1.5, 2.0, 3.0, 5.0, 10.0]) * bound
    edges = np.concatenate((below, above))
    if model.comparison == ">=" and float(model.bound).is_integer():
        edges = np.array(sorted(set(np.round(edges).tolist())))
    return edges if model.bound else np.concatenate(([0.0], edges))
