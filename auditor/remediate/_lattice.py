"""The generalization lattice: a node is a tuple of levels, one per quasi-identifier; nothing more.

Node b generalizes a when every level of b is at least a's. A sublattice has some levels of each attribute.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

Node = tuple[int, ...]


@dataclass(frozen=True)
class Sublattice:
    """The searched part of a lattice: for each quasi-identifier its least and greatest level, both included."""

    low: Node
    high: Node

    @property
    def nodes(self) -> int:
        """How many nodes the ranges hold."""
        return prod(high - low + 1 for low, high in zip(self.low, self.high, strict=True))

    def __iter__(self) -> Iterator[Node]:
        return product(*(range(low, high + 1) for low, high in zip(self.low, self.high, strict=True)))

    def __contains__(self, node: Node) -> bool:
        return all(low <= level <= high for low, level, high in zip(self.low, node, self.high, strict=True))

    def coarser(self, node: Node) -> Iterator[Node]:
        """The direct generalizations of a node inside the ranges."""
        for i, level in enumerate(node):
            if level < self.high[i]:
                yield (*node[:i], level + 1, *node[i + 1 :])

    def finer(self, node: Node) -> Iterator[Node]:
        """The direct specializations of a node inside the ranges."""
        for i, level in enumerate(node):
            if level > self.low[i]:
                yield (*node[:i], level - 1, *node[i + 1 :])

    def at_height(self, height: int) -> Iterator[Node]:
        """The nodes whose levels sum to `height`."""
        return self._at_height(height, 0)

    def _at_height(self, height: int, place: int) -> Iterator[Node]:
        low, high = self.low[place:], self.high[place:]
        if not low:
            if height == 0:
                yield ()
            return
        for level in range(low[0], min(high[0], height) + 1):
            rest = height - level
            if sum(low[1:]) <= rest <= sum(high[1:]):
                yield from ((level, *tail) for tail in self._at_height(rest, place + 1))


def minimal(solving: Collection[Node], ranges: Sublattice) -> list[Node]:
    """The solving nodes none of whose direct specializations inside the ranges solves, in ascending order of height."""
    least = (node for node in solving if not any(finer in solving for finer in ranges.finer(node)))
    return sorted(least, key=lambda node: (sum(node), node))
