"""Hierarchies that list, for every value, its label on each level: files, trees and groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from auditor.errors import HierarchyError, UncoveredValues
from auditor.hierarchies._base import MAX_HEIGHT, STAR, TOP, Hierarchy, with_missing
from auditor.hierarchies._ladder import IntArray, Labels, Ladder
from auditor.values import Values

Row = tuple[str, ...]


class ListedHierarchy(Hierarchy):
    """A hierarchy given row by row; its leaves are the listed values, whether they occur or not.

    Args:
        rows: one per value, all of the same length: the value, its label on level 1, on level 2, …
        origin: where the rows stand, for messages.
        told: whether messages may name labels; else they name rows, as a file may be a table that is no ladder.

    Raises:
        HierarchyError: no row, too many levels, a value twice, or two values that share a label on one level and
            part again above it.
    """

    def __init__(self, rows: Sequence[Row], origin: str, *, told: bool = True) -> None:
        if not rows:
            raise HierarchyError(f"{origin} lists no value", "list every value that can occur")
        if len(rows[0]) - 1 > MAX_HEIGHT:
            raise HierarchyError(f"{origin} has {len(rows[0]) - 1} levels", f"at most {MAX_HEIGHT} are supported")
        levels = list(zip(*rows, strict=True))
        self._origin = origin
        self._counts = [Counter(labels) for labels in levels]
        self._wildcards = {i: next(iter(labels)) for i, labels in enumerate(self._counts) if i and len(labels) == 1}
        self._levels = {label: level for level, labels in enumerate(self._counts) for label in labels}
        place = shown if told else _row_of(rows)
        parents = _parents(levels, origin, place)
        self._paths = {**_inner_paths(parents, self._levels), **_leaf_paths(rows, origin, place)}

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return len(self._counts) - 1

    def level_of(self, label: str) -> int | None:
        """See `Hierarchy`."""
        level = self._levels.get(label)
        if level is None and label in self._leaves_by_value:
            return 0
        if level == self.height and level in self._wildcards:
            return TOP
        return TOP if level is None and label == STAR else level

    def specimen(self, height: int) -> str:  # noqa: ARG002  (the listed values have one height)
        """See `Hierarchy`. The middle one of the listed values, or the next that level 1 makes coarser."""
        listed: list[str] = list(self._counts[0])
        middle = len(listed) // 2
        around = (*listed[middle:], *listed[:middle])
        coarser = (value for value in around if self._paths[value][1:2] != (value,))
        return next(coarser, around[0])

    def ladder(self, values: Sequence[str | None], column: str) -> Ladder:
        """See `Hierarchy`. The missing value, where it occurs, is one leaf more."""
        present = [value for value in values if value is not None]
        paths = self._paths_of(present, column)
        rungs = [[path[level] for path in paths] for level in range(1, self.height + 1)]
        levels = with_missing(values, rungs, self._wildcards)
        missing = len(present) < len(values)
        leaves = tuple(self._leaves(level, labels, missing=missing) for level, labels in enumerate(levels))
        return Ladder(levels, leaves, self._counts[0].total() + missing, self.level_of)

    def _paths_of(self, values: Sequence[str], column: str) -> list[Row]:
        paths = {value: path for value in values if (path := self._path_of(value)) is not None}
        unlisted = [value for value in values if value not in paths]
        if unlisted:
            right = f"in {self._origin}; list every value that can occur"
            raise UncoveredValues(column, dict.fromkeys(unlisted), len(values), right)
        return [paths[value] for value in values]

    def _path_of(self, value: str) -> Row | None:
        """The path of a listed text, else of the listed value that it is: 1.0 stands where 1 is listed."""
        if value in self._paths:
            return self._paths[value]
        place = self._leaves_by_value.place(value)
        return None if place is None else self._paths[self._leaves_by_value.listed[place]]

    @cached_property
    def _leaves_by_value(self) -> Values:
        return Values(self._counts[0])

    def _leaves(self, level: int, labels: Labels, *, missing: bool) -> IntArray:
        joined = missing and level in self._wildcards
        counts = [1 if node is None else self._listed_under(node, level) + joined for node in dict.fromkeys(labels)]
        return np.array(counts, dtype=np.int64)

    def _listed_under(self, node: str, level: int) -> int:
        """How many listed values stand under a node; a value that is a coarser label keeps its own leaves below it."""
        own = self._levels.get(node, 0)  # a leaf that is listed in another writing is one leaf, too
        return self._counts[level][node] or self._counts[own][node] or 1


def _row_of(rows: Sequence[Row]) -> Callable[[str], str]:
    """What names a label by the first row that has it."""
    return lambda label: f"the label of row {next(at for at, row in enumerate(rows, start=1) if label in row)}"


def _leaf_paths(rows: Sequence[Row], origin: str, place: Callable[[str], str]) -> dict[str, Row]:
    paths = {row[0]: row for row in rows}
    if len(paths) < len(rows):
        (twice, _), *_ = Counter(row[0] for row in rows).most_common(1)
        raise HierarchyError(f"{origin} lists {place(twice)} twice", "list every value once")
    return paths


def _parents(levels: Sequence[Row], origin: str, place: Callable[[str], str]) -> list[dict[str, str]]:
    """For each level below the top, the label above each label."""
    parents = [dict(zip(labels, above, strict=True)) for labels, above in pairwise(levels)]
    for level in range(1, len(parents)):
        above = parents[level]
        for label, found in set(zip(levels[level], levels[level + 1], strict=True)):
            if above[label] != found:
                first, second = sorted((above[label], found))
                raise HierarchyError(
                    f"{origin} is not nested: {place(label)} on level {level} stands under {place(first)} and under "
                    f"{place(second)} on level {level + 1}",
                    "values that share a label on one level share every coarser one",
                )
    return parents


def _inner_paths(parents: Sequence[dict[str, str]], levels: dict[str, int]) -> dict[str, Row]:
    """The path of every coarser label as if it were a value: data that was generalized before holds such values."""
    paths: dict[str, Row] = {}
    for label, level in levels.items():
        if level:
            path = [label] * (level + 1)
            for above in parents[level:]:
                path.append(above[path[-1]])
            paths[label] = tuple(path)
    return paths


def shown(label: str) -> str:
    """A label of the policy as messages show it."""
    return repr(label if len(label) <= 60 else label[:59] + "…")
