"""Rolling a class table up a lattice: the hot kernel, and the only place that is clever.

A record of the table is one combination of quasi-identifier values (and of a sensitive value), packed into integers:
a bit field per quasi-identifier, below them the sensitive code (`KeyBits`). What makes a node cheap:

* A roll-up starts from a table that is already merged, and replaces fields by table look-up.
* Values are coded in the order of the ladder's tree, so look-ups are monotone: rolling up the lowest quasi-identifier
  keeps sorted keys sorted, and merging needs no sort.
* Leaving out the lowest quasi-identifiers keeps sorted keys sorted, too.
* Otherwise one sort of plain integers, with the counts riding in the low bits, both sorts and carries them along.
  Keys of several words, and counts that do not fit beside the key, cost an indirect sort instead; so where the keys
  of the base are of that kind, coarser tables get a tighter layout of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy

import numpy as np

from auditor.classes import Cells, ClassTable, Domain, IntArray
from auditor.remediate._keys import KeyBits, Rolled, changes, gathered, merged, sums_by
from auditor.remediate._lattice import Node, Sublattice

PART = 1 << 17
"""So many rows are sorted at a time, where they can be."""
BLOCK = 1 << 15
"""So many keys are packed at a time: what they take fits a processor's cache."""


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


class Tower:
    """A base table and its ladders, ready to be rolled up to any node.

    Args:
        codes: int[n] per quasi-identifier, the code of each record combination at its finest level.
        ladders: int64[height + 1, m] per quasi-identifier, in tree order (`tree_order`).
        records: int64[n], how many records each combination stands for.
        values: int64[n], the sensitive code of each combination, or None.
        domain: what the sensitive codes mean, or None.
        kinds: how many codes there are in `values`, where they are not those of a domain.
        finest: the level of each quasi-identifier that the table is at (None: all at 0); no node is finer.
        order: the order of the quasi-identifiers in the keys (None: those with many values first).
    """

    def __init__(
        self,
        codes: Sequence[IntArray],
        ladders: Sequence[IntArray],
        records: IntArray,
        values: IntArray | None = None,
        domain: Domain | None = None,
        *,
        kinds: int | None = None,
        finest: Node | None = None,
        order: Sequence[int] | None = None,
    ) -> None:
        self.climb(ladders)
        self.finest = (0,) * len(self.ladders) if finest is None else finest
        self.records = int(records.sum())
        self.domain = domain
        kinds = kinds if domain is None else len(domain.labels)
        self._value_bits = max((kinds or 1) - 1, 0).bit_length()
        # many values first: they make most of what fails fail, and whole branches with it
        ordered = sorted(range(len(self.ladders)), key=lambda i: -self._cards[i][self.finest[i]])
        self.order = ordered if order is None else list(order)
        self.base = self._packed(codes, records, values)

    def topped(self, attribute: int, level: IntArray) -> Tower:
        """The same table with one more level on top of a ladder: int64[m], the node of each value there."""
        taller = copy(self)
        ladders = list(self.ladders)
        ladders[attribute] = np.vstack([ladders[attribute], level])
        taller.climb(ladders)
        return taller

    def climb(self, ladders: Sequence[IntArray]) -> None:
        """Take other ladders, with the same codes at level 0."""
        self.ladders = [np.asarray(ladder) for ladder in ladders]
        self._cards = [[int(level.max(initial=0)) + 1 for level in ladder] for ladder in self.ladders]
        self._steps: dict[tuple[int, int, int, int], IntArray] = {}
        self._lookups: dict[tuple[int, int, int], IntArray] = {}

    def cardinality(self, attribute: int, level: int) -> int:
        """How many nodes a ladder has at a level."""
        return self._cards[attribute][level]

    def _layout(self, levels: dict[int, int]) -> KeyBits:
        """The tightest layout of some attributes at some levels, the others left out."""
        cards = {i: self._cards[i][levels[i]] if i in levels else 1 for i in self.order}
        return KeyBits.of(self.order, cards, self._value_bits, self.records.bit_length())

    def _packed(self, codes: Sequence[IntArray], records: IntArray, values: IntArray | None) -> Rolled:
        layout = self._layout(dict(enumerate(self.finest)))
        keys = np.zeros((layout.words, len(records)), dtype=np.int64)
        if values is not None:
            keys[-1] = values
        for column, field in zip(codes, layout.fields, strict=True):
            keys[field.word] |= column.astype(np.int64) << field.shift
        return gathered(keys, records, layout)

    def at(self, node: Node) -> Rolled:
        """The table at a node, rolled up from the base in one step."""
        return self.at_subset(range(len(node)), node)

    def at_subset(self, attributes: Sequence[int], levels: Node) -> Rolled:
        """The table of some attributes at some levels, the others left out of the grouping."""
        to = dict(zip(attributes, levels, strict=True))
        return self._climbed(self.base, {i: self.finest[i] for i in attributes}, to)

    def raised_to(self, table: Rolled, levels: Node, to: Node) -> Rolled:
        """A table with every attribute rolled up from one level to another, in one step."""
        if levels == to:
            return table
        return self._climbed(table, dict(enumerate(levels)), dict(enumerate(to)))

    def _climbed(self, table: Rolled, levels: dict[int, int], to: dict[int, int]) -> Rolled:
        """A table of some attributes at other levels, the others left out."""
        was = table.layout
        layout = was if was.count_bits else self._layout(to)
        as_is = np.zeros((was.words, 1), dtype=np.int64)
        as_is[-1] = was.value_mask
        moved = []
        for i, level in to.items():
            old, new = was.fields[i], layout.fields[i]
            if level == levels[i] and layout is was:
                as_is[old.word] |= old.mask << old.shift
            elif self._cards[i][level] > 1:
                moved.append((old, new, self._lookup(i, levels[i], level) << new.shift))
        keys = np.zeros((layout.words, len(table.counts)), dtype=np.int64)
        for start in range(0, len(table.counts), BLOCK):
            source, target = table.keys[:, start : start + BLOCK], keys[:, start : start + BLOCK]
            if layout is was:
                np.bitwise_and(source, as_is, out=target)
            else:
                np.bitwise_and(source[-1], was.value_mask, out=target[-1])
            for old, new, codes in moved:
                target[new.word] |= codes.take(old.of(source))
        return gathered(keys, table.counts, layout)

    def _lookup(self, attribute: int, level: int, to: int) -> IntArray:
        """int64: for each node at `level` the one above it."""
        known = self._lookups.get((attribute, level, to))
        if known is None:
            known = np.zeros(self._cards[attribute][level], dtype=np.int64)
            known[self.ladders[attribute][level]] = self.ladders[attribute][to]
            self._lookups[attribute, level, to] = known
        return known

    def walk(self, ranges: Sublattice) -> Iterator[tuple[Node, Rolled]]:
        """Every node of the ranges with its table, each rolled up from one a level finer."""
        yield from self._walk(ranges, 0, self.at(ranges.low), list(ranges.low))

    def _walk(self, ranges: Sublattice, depth: int, table: Rolled, levels: list[int]) -> Iterator[tuple[Node, Rolled]]:
        if depth == len(self.order):
            yield tuple(levels), table
            return
        i = self.order[depth]
        for level in range(ranges.low[i], ranges.high[i] + 1):
            if level > ranges.low[i]:
                table = self.raised(table, i, level - 1, level)
            levels[i] = level
            yield from self._walk(ranges, depth + 1, table, levels)
        levels[i] = ranges.low[i]

    def raised(self, table: Rolled, attribute: int, level: int, to: int, *, lowest: bool = False) -> Rolled:
        """A table with one attribute rolled up from one level to another.

        `lowest` says that the table's keys hold nothing below this attribute, so that they stay sorted.
        """
        if level == to:
            return table
        if lowest or (attribute == self.order[-1] and not self._value_bits):
            return merged(self._moved(table, attribute, level, to), table.counts, table.layout)
        # classes of the attributes before it stay apart: what is sorted at a time fits a processor's cache
        parts = [
            gathered(self._moved(part, attribute, level, to), part.counts, part.layout)
            for part in self.parts(table, self.order.index(attribute), PART)
        ]
        if len(parts) == 1:
            return parts[0]
        keys = np.concatenate([part.keys for part in parts], axis=1)
        return Rolled(keys, np.concatenate([part.counts for part in parts]), table.layout)

    def _moved(self, table: Rolled, attribute: int, level: int, to: int) -> IntArray:
        """The keys of a table with one attribute rolled up; they are no longer sorted."""
        field = table.layout.fields[attribute]
        moves = self._step(attribute, level, to, field.shift).take(field.of(table.keys))
        if table.layout.words == 1:
            return table.keys + moves
        keys = table.keys.copy()
        keys[field.word] += moves
        return keys

    def _step(self, attribute: int, level: int, to: int, shift: int) -> IntArray:
        """int64: for each node at `level` what turns its code, in place, into that of the node above it."""
        step = self._steps.get((attribute, level, to, shift))
        if step is None:
            above = self._lookup(attribute, level, to)
            step = self._steps[attribute, level, to, shift] = (above - np.arange(len(above))) << shift
        return step

    def hull(self, table: Rolled, depth: int) -> Rolled:
        """The class sizes of the first `depth` attributes of the order alone, the others left out of the grouping."""
        layout = table.layout
        if depth == 0:
            return Rolled(np.zeros((layout.words, 1), dtype=np.int64), np.array([self.records]), layout)
        head = layout.head(self.order[depth - 1])
        if head[-1] == -1:
            return table
        return merged(table.keys & np.array(head)[:, None], table.counts, layout)

    def parts(self, table: Rolled, depth: int, rows: int) -> Iterator[Rolled]:
        """A table in parts of at least so many rows, each of whole classes of the first `depth` attributes."""
        layout, start, n = table.layout, 0, len(table.counts)
        while start < n:
            end = n
            if depth and layout.words == 1 and start + 2 * rows < n:
                # behind the last key that has these attributes in common with the last row that is wanted
                tail = ~layout.head(self.order[depth - 1])[0]
                end = int(table.keys[0].searchsorted(table.keys[0, start + rows - 1] | tail, side="right"))
            yield Rolled(table.keys[:, start:end], table.counts[start:end], layout)
            start = end

    def above(self, table: Rolled, depth: int) -> Rolled:
        """The table (sensitive values too) of the first `depth` attributes of the order, the others left out."""
        layout = table.layout
        bits = np.array(layout.head(self.order[depth - 1]) if depth else [0] * layout.words)[:, None]
        bits[-1] |= layout.value_mask
        return gathered(table.keys & bits, table.counts, layout)

    def ahead(self, table: Rolled, depth: int, levels: Node) -> Callable[[int, int], IntArray]:
        """Class sizes of the first `depth` attributes of the order and any other one, the rest left out.

        Args:
            table: the table at a node.
            depth: how many attributes of the order group.
            levels: the levels of the node.

        Returns:
            for an attribute and a level of it, int64: the class sizes, and some zeros.
        """
        group = np.zeros(len(table.counts), dtype=np.int64)
        if depth:
            head = np.array(table.layout.head(self.order[depth - 1]))[:, None]
            changes(table.keys & head).cumsum(out=group)
            group -= 1
        groups = int(group[-1]) + 1

        def sizes(attribute: int, level: int) -> IntArray:
            codes = table.layout.fields[attribute].of(table.keys)
            if level != levels[attribute]:
                codes = self._lookup(attribute, levels[attribute], level).take(codes)
            return sums_by(
                group * self._cards[attribute][level] + codes, groups * self._cards[attribute][level], table.counts
            )

        return sizes

    def sizes(self, table: Rolled) -> IntArray:
        """int64[n]: the class sizes of a table."""
        return table.sizes

    def classes(self, table: Rolled) -> ClassTable:
        """The table as classes with their sensitive cells."""
        if self.domain is None:
            return ClassTable(table.counts, table.counts)
        return ClassTable(table.sizes, table.sizes, Cells(table.class_starts, table.values, table.counts, self.domain))

    def nodes_of(self, table: Rolled, attribute: int) -> IntArray:
        """int64[n]: for each class of a table the code of one attribute (at the level of the table's node)."""
        keys = table.keys
        if self._value_bits:
            keys = keys[:, table.class_starts]
        return table.layout.fields[attribute].of(keys)

    def values_of(self, table: Rolled) -> IntArray:
        """int64[c]: the sensitive code of each cell of a table."""
        return table.values

    def class_starts(self, table: Rolled) -> IntArray:
        """int64[n]: the first cell of each class of a table."""
        return table.class_starts
