"""How fine the class table of a search is: at the policy's least generalization, or as near to it as fits into memory.

The engine counts how many combinations a node has before any is fetched. Where they are too many, one
quasi-identifier goes up one level of its ladder, that with the most distinct values left, as in Datafly (Sweeney 1997);
of several the first. So the search begins at the same node whatever else the machine does, and is exact from there on;
what is finer was never tried, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from auditor.engines import Counted, RunLimits
from auditor.errors import OutOfMemory
from auditor.remediate._counting import recoded
from auditor.remediate._lattice import Node, Sublattice
from auditor.remediate._rungs import Rungs

BYTES_PER_CELL = 200
"""What one combination takes in arrays while its table is made and searched, measured at the peak, besides:"""
BYTES_PER_LEVEL = 20
"""what it takes for each quasi-identifier: a walk of the lattice holds a table for each."""
BYTES_PER_LEVEL_ANEW = 50
"""And in its place where records are counted anew at each node: for people of many records, 250 bytes in all were
measured with 2 quasi-identifiers, 470 with 6, 580 with 10."""


@dataclass(frozen=True)
class Room:
    """How many combinations a search has room for.

    Args:
        tables: the columns besides the quasi-identifiers of each base table; they are held together.
        cells: how many combinations they may have together.
    """

    tables: Sequence[Sequence[str]]
    cells: int

    @classmethod
    def of(cls, tables: Sequence[Sequence[str]], width: int, limits: RunLimits, *, recounted: bool = False) -> Room:
        """The room that `limits` leave for so many quasi-identifiers."""
        each = BYTES_PER_CELL + (BYTES_PER_LEVEL_ANEW if recounted else BYTES_PER_LEVEL) * width
        return cls(tables, limits.search_memory // each)


def finest_that_fits(counted: Counted, rungs: Sequence[Rungs], ranges: Sublattice, room: Room) -> Node:
    """The finest node of the ranges at which the base tables fit, going up from the least one.

    Raises:
        OutOfMemory: they do not fit at the coarsest node either.
    """
    node = ranges.low
    if counted.combinations * len(room.tables) <= room.cells:
        return node
    while not _fits(counted, rungs, node, room):
        node = _coarser(rungs, ranges, node)
    return node


def _fits(counted: Counted, rungs: Sequence[Rungs], node: Node, room: Room) -> bool:
    """Whether the tables at a node fit; they are only counted where their codes leave it open."""
    most = prod(int(each.levels[level].max(initial=0)) + 1 for each, level in zip(rungs, node, strict=True))
    if sum(most * prod(map(counted.cardinality, columns)) for columns in room.tables) <= room.cells:
        return True
    names, nodes = [each.column for each in rungs], recoded(rungs, node)
    cells = 0
    for columns in room.tables:
        cells += counted.cells([*names, *columns], nodes)
        if cells > room.cells:
            return False
    return True


def _coarser(rungs: Sequence[Rungs], ranges: Sublattice, node: Node) -> Node:
    places = [place for place, level in enumerate(node) if level < ranges.high[place]]
    if not places:
        raise OutOfMemory(
            "the class table does not fit the memory limit, not even with every quasi-identifier at the coarsest level "
            "that the policy allows; allow more with --memory, or coarser levels in the policy"
        )
    widest = max(places, key=lambda place: int(rungs[place].levels[node[place]].max(initial=0)))
    return (*node[:widest], node[widest] + 1, *node[widest + 1 :])
