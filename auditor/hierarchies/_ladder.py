"""A ladder: the values of one column and, level by level, the coarser labels above them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
Labels = tuple[str | None, ...]


@dataclass(frozen=True)
class Ladder:
    """The generalization hierarchy of one column, for the distinct values that occur in it.

    Args:
        levels: for each level the label of each value, in the order of the given values; level 0 is the values
            themselves, None the missing value. Values with the same label on a level are one node there.
        leaves: for each level, int64: how many leaves of the hierarchy stand under each node, by node id. In a file,
            a tree and groups leaves are counted as listed, whether they occur or not; for a generated ladder they are
            the given values. A missing value that occurs is a leaf.
        leaf_count: how many leaves the whole hierarchy has.
        grammar: the coarsest level that a label can stand on, or None for a label of no level.
    """

    levels: tuple[Labels, ...]
    leaves: tuple[IntArray, ...]
    leaf_count: int
    grammar: Callable[[str], int | None]

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return len(self.levels) - 1

    @property
    def values(self) -> Labels:
        """The values that the ladder was built for: level 0."""
        return self.levels[0]

    def missing_apart(self) -> Ladder:
        """The same where a missing value stays missing at every level: a branch of its own, of one leaf."""
        if None not in self.values:
            return self
        levels, leaves = [], []
        for labels, under in zip(self.levels, self.leaves, strict=True):
            apart = tuple(None if value is None else label for value, label in zip(self.values, labels, strict=True))
            known = dict(zip(dict.fromkeys(labels), np.asarray(under).tolist(), strict=True))
            joined = None not in labels
            nodes = dict.fromkeys(apart)
            leaves.append(np.array([1 if node is None else known[node] - joined for node in nodes], dtype=np.int64))
            levels.append(apart)
        return Ladder(tuple(levels), tuple(leaves), self.leaf_count, self.grammar)

    def codes(self) -> IntArray:
        """int64[height + 1, m]: the node above each value at each level, numbered from 0 within the level."""
        return self._codes

    @cached_property
    def _codes(self) -> IntArray:
        return np.stack([node_ids(labels) for labels in self.levels])

    def nodes(self, level: int) -> Labels:
        """The labels of a level, by node id."""
        return tuple(dict.fromkeys(self.levels[level]))

    def level_of(self, label: str | None) -> int | None:
        """The coarsest level that `label` stands on; None for a text that is on no level.

        The label need not be one of this ladder's own: ``[20, 25)`` is understood though no value lies in it. A
        missing value says nothing, so it stands at the top.
        """
        if label is None:
            return self.height
        level = self.grammar(label)
        return None if level is None else min(level, self.height)


def node_ids(labels: Sequence[str | None]) -> IntArray:
    """int64[m]: equal labels get equal numbers, in the order of first occurrence."""
    numbers: dict[str | None, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
