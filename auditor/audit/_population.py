"""The population, held against the classes of a release: how many of its persons have the values of each class.

The population stands at the detail of the original data. A release is coarser: each of its values stands on a level of
its column's hierarchy, and the population is generalized to the levels of a class before it is counted there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from auditor.audit._run import AuditRun
from auditor.classes import ClassTable, IntArray, numbered
from auditor.engines import ColumnUse
from auditor.errors import DataError, NotEvaluated, UncoveredValues
from auditor.hierarchies import hierarchy, ladder_spec
from auditor.policy import Attribute

Labels = Sequence[str | None]


@dataclass(frozen=True)
class Register:
    """The population, counted by columns that it has in common with the data.

    Args:
        codes: for each column int32[p], the code of each combination of values that occurs.
        persons: int64[p], how many persons have it.
        levels: for each column the label of each code on each level of its hierarchy, level 0 first.
    """

    codes: Mapping[str, NDArray[np.int32]]
    persons: IntArray
    levels: Mapping[str, Sequence[Labels]]

    @classmethod
    def of(cls, run: AuditRun, columns: Sequence[str]) -> Register:
        """Count the population of a run by columns of the data.

        Raises:
            NotEvaluated: there is no population, or it lacks a column; DataError: it has no records.
        """
        source = run.population
        if source is None:
            raise NotEvaluated("there is no population")
        there = [column.name for column in source.columns]
        for name in columns:
            if name not in there:
                raise NotEvaluated(f"the population {source.facts.name} has no column {name!r}")
        counted = source.count([ColumnUse(name, run.binding.roles[name].missing) for name in columns])
        if not counted.records:
            raise DataError(f"{source.facts.name}: has no records; there is no population to hold the data against")
        tables = list(counted.tables(columns))
        codes = {name: np.concatenate([_codes(each, name).astype(np.int32) for each in tables]) for name in columns}
        levels = {name: _levels(run.binding.roles[name], counted.labels(name), name) for name in columns}
        return cls(codes, np.concatenate([table.rows for table in tables]), levels)

    def people(self, columns: Sequence[str], released: Mapping[str, Labels]) -> People:
        """The population as it is held against classes of some columns; `released` has the labels of their codes."""
        places = [_standing(released[name], self.levels[name]) for name in columns]
        numbers = [
            _numbered(self.levels[name], released[name], place) for name, place in zip(columns, places, strict=True)
        ]
        return People(
            columns=tuple(columns),
            codes=tuple(self.codes[name] for name in columns),
            persons=self.persons,
            nodes=tuple(nodes for nodes, _ in numbers),
            level=tuple(places),
            node=tuple(node for _, node in numbers),
        )


@dataclass(frozen=True)
class People:
    """How many persons of the population have the values of a class; it goes where classes are read.

    Args:
        columns: what the classes are grouped by; all else has an entry for each of them.
        codes: int32[p], the code of each combination of values of the population.
        persons: int64[p], how many persons have it.
        nodes: for each level int64: the node above each code of the population.
        level: int64[m], the level that each code of the classes stands on.
        node: int64[m], its node there; −1 for a value that the population has on no level.
    """

    columns: tuple[str, ...]
    codes: tuple[NDArray[np.int32], ...]
    persons: IntArray
    nodes: tuple[tuple[IntArray, ...], ...]
    level: tuple[IntArray, ...]
    node: tuple[IntArray, ...]

    @property
    def total(self) -> int:
        """How many persons there are."""
        return int(self.persons.sum())

    @property
    def overlap(self) -> bool:
        """Whether a person may have the values of several classes: values of a column stand on several levels."""
        return any(len(set(each.tolist())) > 1 for each in self.level)

    def counted(self, table: ClassTable) -> ClassTable:
        """Classes with the persons of the population who have their values."""
        codes = [_codes(table, name) for name in self.columns]
        people = np.zeros(len(table), dtype=np.int64)
        pattern = numbered((each[own] for each, own in zip(self.level, codes, strict=True)), len(table))
        for number in range(int(pattern.max(initial=-1)) + 1):
            mine = np.flatnonzero(pattern == number)
            levels = [int(each[own[mine[0]]]) for each, own in zip(self.level, codes, strict=True)]
            theirs = [each[level][own] for each, level, own in zip(self.nodes, levels, self.codes, strict=True)]
            ours = [each[own[mine]] for each, own in zip(self.node, codes, strict=True)]
            people[mine] = sums_of(theirs, self.persons, ours)
        return replace(table, people=people)


def sums_of(theirs: Sequence[IntArray], counts: IntArray, ours: Sequence[IntArray]) -> IntArray:
    """int64[n]: for each combination of codes in `ours` the counts of those in `theirs` that are the same.

    A code of −1 in `ours` is that of none.
    """
    known = len(counts)
    both = (np.concatenate((one, other)) + 1 for one, other in zip(theirs, ours, strict=True))
    group = numbered(both, known + len(ours[0]))
    sums = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sums, group[:known], counts)
    return sums[group[known:]]


def _codes(table: ClassTable, column: str) -> IntArray:
    if table.keys is None or table.layout is None:
        raise DataError("the engine delivered classes without keys")
    return table.layout.codes(table.keys, column)


def _levels(attribute: Attribute, labels: Labels, column: str) -> Sequence[Labels]:
    """The labels on each level of a column's hierarchy; level 0 alone where it has none."""
    if attribute.hierarchy is None:
        return (labels,)
    try:
        return hierarchy(ladder_spec(attribute.hierarchy)).ladder(labels, column).levels
    except UncoveredValues as gap:
        raise NotEvaluated(f"in the population, {gap}") from None


def _standing(released: Labels, levels: Sequence[Labels]) -> IntArray:
    """int64[m]: the level of each label: the finest one that has most of them, else the finest one that has it.

    A column that is generalized as a whole so stands on one level, whatever label occurs on several.
    """
    on = [set(labels) for labels in levels]
    most = max(range(len(on)), key=lambda level: (len(on[level].intersection(released)), -level))
    found = [
        most if label in on[most] else next((i for i, each in enumerate(on) if label in each), most)
        for label in released
    ]
    return np.array(found, dtype=np.int64)


def _numbered(levels: Sequence[Labels], released: Labels, standing: IntArray) -> tuple[tuple[IntArray, ...], IntArray]:
    """For each level int64: a number for the label of each code there; and int64[m]: that of each released label."""
    numbers = [{label: number for number, label in enumerate(dict.fromkeys(labels))} for labels in levels]
    nodes = [
        np.array([known[label] for label in labels], dtype=np.int64)
        for known, labels in zip(numbers, levels, strict=True)
    ]
    node = [numbers[level].get(label, -1) for label, level in zip(released, standing.tolist(), strict=True)]
    return tuple(nodes), np.array(node, dtype=np.int64)
