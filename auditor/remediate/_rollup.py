"""Rolling a class table up a lattice: the hot kernel, and the only place that is clever.

A record of the table is one combination of quasi-identifier values (and of a sensitive value), packed into one integer:
a bit field per quasi-identifier, below them the sensitive code, below that the count. Three ideas make a node cheap:

* A roll-up starts from the table one level finer, which is already merged, and replaces one field by table look-up.
* Values are coded in the order of the ladder's tree, so look-ups are monotone: rolling up the lowest quasi-identifier
  keeps sorted keys sorted, and merging needs no sort. The lowest is the one with the most levels.
* Otherwise one sort of plain integers, with the counts riding in the low bits, both sorts and carries them along.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from auditor.classes import Cells, ClassTable, Domain, IntArray
from auditor.errors import Unsupported
from auditor.remediate._lattice import Node, Ranges

WORD_BITS = 63


def tree_order(levels: IntArray) -> tuple[IntArray, IntArray]:
    """A ladder recoded so that the codes of every level ascend with those of level 0.

    Args:
        levels: int64[height + 1, m], the node above each value at each level, as `Ladder.codes` gives it.

    Returns:
        int64[m], the new code of each value; and int64[height + 1, m], the levels over the new codes.
    """
    order = np.lexsort(levels)
    code = np.empty(len(order), dtype=np.int64)
    code[order] = np.arange(len(order))
    ordered = levels[:, order]
    fresh = np.ones_like(ordered)
    fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return code, np.cumsum(fresh, axis=1) - 1


@dataclass(frozen=True)
class Rolled:
    """The table at one node: sorted distinct keys, and how many records each stands for."""

    keys: IntArray
    counts: IntArray


class Tower:
    """A base table and its ladders, ready to be rolled up to any node.

    Args:
        codes: int64[n] per quasi-identifier, the level-0 code of each record combination.
        ladders: int64[height + 1, m] per quasi-identifier, in tree order (`tree_order`).
        records: int64[n], how many records each combination stands for.
        values: int64[n], the sensitive code of each combination, or None.
        domain: what the sensitive codes mean, or None.
    """

    def __init__(
        self,
        codes: Sequence[IntArray],
        ladders: Sequence[IntArray],
        records: IntArray,
        values: IntArray | None = None,
        domain: Domain | None = None,
    ) -> None:
        self.ladders = [np.asarray(ladder) for ladder in ladders]
        self.records = int(records.sum())
        self.domain = domain
        self._widths = [int(ladder[0].max()).bit_length() if ladder.size else 0 for ladder in self.ladders]
        self._value_bits = 0 if domain is None else max(len(domain.labels) - 1, 0).bit_length()
        self._count_bits = self.records.bit_length()
        # the attribute with the most levels lowest: its roll-ups need no sort
        self.order = sorted(range(len(self.ladders)), key=lambda i: len(self.ladders[i]))
        shift = self._value_bits
        self._shift = [0] * len(self.ladders)
        for i in reversed(self.order):
            self._shift[i] = shift
            shift += self._widths[i]
        if shift + self._count_bits > WORD_BITS:
            raise Unsupported(
                f"the quasi-identifiers have too many distinct values for a search: their codes take {shift} bits and "
                f"the counts {self._count_bits}, together more than {WORD_BITS}; start from coarser levels"
            )
        self.base = self._packed(codes, records, values)

    def _packed(self, codes: Sequence[IntArray], records: IntArray, values: IntArray | None) -> Rolled:
        keys = np.zeros(len(records), dtype=np.int64) if values is None else values.astype(np.int64)
        for i, column in enumerate(codes):
            keys |= column.astype(np.int64) << self._shift[i]
        return self._sorted(keys, records)

    def _sorted(self, keys: IntArray, counts: IntArray) -> Rolled:
        together = (keys << self._count_bits) | counts
        together.sort()
        return _merged(together >> self._count_bits, together & ((1 << self._count_bits) - 1))

    def at(self, node: Node) -> Rolled:
        """The table at a node, rolled up from the base in one step."""
        return self.at_subset(range(len(node)), node)

    def at_subset(self, attributes: Sequence[int], levels: Node) -> Rolled:
        """The table of some attributes at some levels, the others left out of the grouping."""
        keys = self.base.keys & ((1 << self._value_bits) - 1)
        for i, level in zip(attributes, levels, strict=True):
            field = (self.base.keys >> self._shift[i]) & ((1 << self._widths[i]) - 1)
            keys = keys | (self.ladders[i][level][field] << self._shift[i])
        return self._sorted(keys, self.base.counts)

    def walk(self, ranges: Ranges) -> Iterator[tuple[Node, Rolled]]:
        """Every node of the ranges with its table, each rolled up from one a level finer."""
        yield from self._walk(ranges, 0, self.at(ranges.low), list(ranges.low))

    def _walk(self, ranges: Ranges, depth: int, table: Rolled, levels: list[int]) -> Iterator[tuple[Node, Rolled]]:
        if depth == len(self.order):
            yield tuple(levels), table
            return
        i = self.order[depth]
        for level in range(ranges.low[i], ranges.high[i] + 1):
            if level > ranges.low[i]:
                table = self._up(table, i, level)
            levels[i] = level
            yield from self._walk(ranges, depth + 1, table, levels)
        levels[i] = ranges.low[i]

    def _up(self, table: Rolled, attribute: int, level: int) -> Rolled:
        """A table with one attribute a level coarser; all attributes behind it stand at their finest searched level."""
        step = self._step(attribute, level)
        field = (table.keys >> self._shift[attribute]) & ((1 << self._widths[attribute]) - 1)
        keys = table.keys + ((step[field] - field) << self._shift[attribute])
        if attribute == self.order[-1] and not self._value_bits:
            return _merged(keys, table.counts)
        return self._sorted(keys, table.counts)

    def _step(self, attribute: int, level: int) -> IntArray:
        """int64: the node at `level` above each node of the level below."""
        below, here = self.ladders[attribute][level - 1], self.ladders[attribute][level]
        step = np.zeros(int(below.max()) + 1, dtype=np.int64)
        step[below] = here
        return step

    def classes(self, table: Rolled) -> ClassTable:
        """The table as classes with their sensitive cells."""
        if self.domain is None:
            return ClassTable(table.counts, table.counts)
        owner = table.keys >> self._value_bits
        starts = _run_starts(owner)
        values = table.keys & ((1 << self._value_bits) - 1)
        sizes = np.add.reduceat(table.counts, starts)
        return ClassTable(sizes, sizes, Cells(starts, values, table.counts, self.domain))

    def nodes_of(self, table: Rolled, attribute: int) -> IntArray:
        """int64[n]: for each class of a table the code of one attribute (at the level of the table's node)."""
        keys = table.keys
        if self.domain is not None:
            keys = keys[_run_starts(keys >> self._value_bits)]
        codes: IntArray = (keys >> self._shift[attribute]) & ((1 << self._widths[attribute]) - 1)
        return codes


def _merged(keys: IntArray, counts: IntArray) -> Rolled:
    starts = _run_starts(keys)
    return Rolled(keys[starts], np.add.reduceat(counts, starts) if len(starts) else counts)


def _run_starts(keys: IntArray) -> IntArray:
    changed = np.empty(len(keys), dtype=np.bool_)
    changed[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=changed[1:])
    return np.flatnonzero(changed)
