"""Rolling a class table up a lattice: the hot kernel, and the only place that is clever.

A record of the table is one combination of quasi-identifier values (and of a sensitive value), packed into integers:
a bit field per quasi-identifier, below them the sensitive code. What makes a node cheap:

* A roll-up starts from a table that is already merged, and replaces one field by table look-up.
* Values are coded in the order of the ladder's tree, so look-ups are monotone: rolling up the lowest quasi-identifier
  keeps sorted keys sorted, and merging needs no sort. The lowest is the one with the most levels.
* Leaving out the lowest quasi-identifiers keeps sorted keys sorted, too.
* Otherwise one sort of plain integers, with the counts riding in the low bits, both sorts and carries them along.
  Keys of several words, and counts that do not fit beside the key, cost an indirect sort instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from auditor.classes import WORD_BITS, Cells, ClassTable, Domain, IntArray
from auditor.remediate._lattice import Node, Ranges


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
    """The table at one node: sorted distinct keys (int64[words, n]), and how many records each stands for."""

    keys: IntArray
    counts: IntArray


@dataclass(frozen=True)
class _Field:
    """Where a code sits in a key."""

    word: int
    shift: int
    mask: int

    def of(self, keys: IntArray) -> IntArray:
        codes: IntArray = (keys[self.word] >> self.shift) & self.mask
        return codes


class Tower:
    """A base table and its ladders, ready to be rolled up to any node.

    Args:
        codes: int64[n] per quasi-identifier, the level-0 code of each record combination.
        ladders: int64[height + 1, m] per quasi-identifier, in tree order (`tree_order`).
        records: int64[n], how many records each combination stands for.
        values: int64[n], the sensitive code of each combination, or None.
        domain: what the sensitive codes mean, or None.
        kinds: how many codes there are in `values`, where they are not those of a domain.
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
    ) -> None:
        self.ladders = [np.asarray(ladder) for ladder in ladders]
        self.records = int(records.sum())
        self.domain = domain
        # the attribute with the most levels lowest: its roll-ups need no sort
        self.order = sorted(range(len(self.ladders)), key=lambda i: len(self.ladders[i]))
        kinds = kinds if domain is None else len(domain.labels)
        self._value_bits = max((kinds or 1) - 1, 0).bit_length()
        self._count_bits = self.records.bit_length()
        self._fields, self._words, used = self._layout()
        self._packs_counts = self._words == 1 and used + self._count_bits <= WORD_BITS
        self._steps: dict[tuple[int, int, int], IntArray] = {}
        self.base = self._packed(codes, records, values)

    def _layout(self) -> tuple[list[_Field], int, int]:
        """The field of each attribute, how many words there are, and the bits used of the last one (filled first)."""
        places, word, shift = {}, 0, self._value_bits
        for i in reversed(self.order):
            width = int(self.ladders[i][0].max()).bit_length() if self.ladders[i].size else 0
            if shift + width > WORD_BITS:
                word, shift = word + 1, 0
            places[i] = (word, shift, (1 << width) - 1)
            shift += width
        fields = [_Field(word - at, low, mask) for at, low, mask in (places[i] for i in range(len(self.ladders)))]
        return fields, word + 1, shift

    def _packed(self, codes: Sequence[IntArray], records: IntArray, values: IntArray | None) -> Rolled:
        keys = np.zeros((self._words, len(records)), dtype=np.int64)
        if values is not None:
            keys[-1] = values
        for column, field in zip(codes, self._fields, strict=True):
            keys[field.word] |= column.astype(np.int64) << field.shift
        return self._sorted(keys, records)

    def _sorted(self, keys: IntArray, counts: IntArray) -> Rolled:
        if self._packs_counts:
            together = (keys[0] << self._count_bits) | counts
            together.sort()
            return _merged((together >> self._count_bits)[None], together & ((1 << self._count_bits) - 1))
        order = np.argsort(keys[0]) if self._words == 1 else np.lexsort(keys[::-1])
        return _merged(keys[:, order], counts[order])

    def at(self, node: Node) -> Rolled:
        """The table at a node, rolled up from the base in one step."""
        return self.at_subset(range(len(node)), node)

    def at_subset(self, attributes: Sequence[int], levels: Node) -> Rolled:
        """The table of some attributes at some levels, the others left out of the grouping."""
        as_is = np.zeros((self._words, 1), dtype=np.int64)
        as_is[-1] = (1 << self._value_bits) - 1
        climbed = []
        for i, level in zip(attributes, levels, strict=True):
            field = self._fields[i]
            if level == 0:
                as_is[field.word] |= field.mask << field.shift
            elif self.ladders[i][level][-1]:
                climbed.append((field, self.ladders[i][level] << field.shift))
        keys = self.base.keys & as_is
        for field, above in climbed:
            keys[field.word] |= above[field.of(self.base.keys)]
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
        field = self._fields[attribute]
        keys = table.keys.copy()
        keys[field.word] += self._step(attribute, level, to).take(field.of(keys))
        if lowest or (attribute == self.order[-1] and not self._value_bits):
            return _merged(keys, table.counts)
        return self._sorted(keys, table.counts)

    def _step(self, attribute: int, level: int, to: int) -> IntArray:
        """int64: for each node at `level` what turns its code, in place, into that of the node above it."""
        step = self._steps.get((attribute, level, to))
        if step is None:
            below, here = self.ladders[attribute][level], self.ladders[attribute][to]
            above = np.zeros(int(below.max(initial=0)) + 1, dtype=np.int64)
            above[below] = here
            step = (above - np.arange(len(above))) << self._fields[attribute].shift
            self._steps[attribute, level, to] = step
        return step

    def hull(self, table: Rolled, depth: int) -> Rolled:
        """The class sizes of the first `depth` attributes of the order alone, the others left out of the grouping."""
        if depth == 0:
            return Rolled(np.zeros((self._words, 1), dtype=np.int64), np.array([self.records]))
        last = self._fields[self.order[depth - 1]]
        if not last.shift and last.word == self._words - 1:
            return table
        keys = table.keys & (-1 << last.shift)
        keys[: last.word] = table.keys[: last.word]
        keys[last.word + 1 :] = 0
        return _merged(keys, table.counts)

    def above(self, table: Rolled, depth: int) -> Rolled:
        """The table (sensitive values too) of the first `depth` attributes of the order, the others left out."""
        keys = np.zeros_like(table.keys)
        keys[-1] = table.keys[-1] & ((1 << self._value_bits) - 1)
        for i in self.order[:depth]:
            field = self._fields[i]
            keys[field.word] |= field.of(table.keys) << field.shift
        return self._sorted(keys, table.counts)

    def sizes(self, table: Rolled) -> IntArray:
        """int64[n]: the class sizes of a table."""
        if not self._value_bits:
            return table.counts
        return _sums(table.counts, self.class_starts(table))

    def classes(self, table: Rolled) -> ClassTable:
        """The table as classes with their sensitive cells."""
        if self.domain is None:
            return ClassTable(table.counts, table.counts)
        starts = self.class_starts(table)
        sizes = _sums(table.counts, starts)
        return ClassTable(sizes, sizes, Cells(starts, self.values_of(table), table.counts, self.domain))

    def nodes_of(self, table: Rolled, attribute: int) -> IntArray:
        """int64[n]: for each class of a table the code of one attribute (at the level of the table's node)."""
        keys = table.keys
        if self._value_bits:
            keys = keys[:, self.class_starts(table)]
        return self._fields[attribute].of(keys)

    def values_of(self, table: Rolled) -> IntArray:
        """int64[c]: the sensitive code of each cell of a table."""
        values: IntArray = table.keys[-1] & ((1 << self._value_bits) - 1)
        return values

    def class_starts(self, table: Rolled) -> IntArray:
        """int64[n]: the first cell of each class of a table."""
        if not self._value_bits:
            return np.arange(len(table.counts))
        owner = table.keys.copy() if self._words > 1 else table.keys >> self._value_bits
        if self._words > 1:
            owner[-1] >>= self._value_bits
        return _run_starts(owner)


def _merged(keys: IntArray, counts: IntArray) -> Rolled:
    starts = _run_starts(keys)
    if len(starts) == len(counts):
        return Rolled(keys, counts)
    return Rolled(keys.take(starts, axis=1), _sums(counts, starts))


def _sums(counts: IntArray, starts: IntArray) -> IntArray:
    """int64: the sum of each run. Differences of a running total take half the time of ``numpy.add.reduceat``."""
    total = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=total[1:])
    bounds = total.take(starts)
    sums = np.empty_like(bounds)
    np.subtract(bounds[1:], bounds[:-1], out=sums[:-1])
    sums[-1:] = total[-1] - bounds[-1:]
    return sums


def _run_starts(keys: IntArray) -> IntArray:
    """int64: where each run of equal columns of sorted `keys` begins."""
    changed = np.empty(keys.shape[1], dtype=np.bool_)
    changed[:1] = True
    np.not_equal(keys[0, 1:], keys[0, :-1], out=changed[1:])
    for word in keys[1:]:
        changed[1:] |= word[1:] != word[:-1]
    return np.flatnonzero(changed)
