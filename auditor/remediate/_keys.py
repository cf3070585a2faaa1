"""Packed keys: where each code sits in them, and how equal ones are merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from auditor.classes import WORD_BITS, BoolArray, IntArray

FEW = 4
"""A sum for each possible code is cheaper than sorting where there are at most so many codes for one that occurs."""


@dataclass(frozen=True)
class Field:
    """Where a code sits in a key."""

    word: int
    shift: int
    mask: int

    def of(self, keys: IntArray) -> IntArray:
        """The codes that the keys hold in this place."""
        codes: IntArray = (keys[self.word] >> self.shift) & self.mask
        return codes


@dataclass(frozen=True)
class KeyBits:
    """What a key is made of: a bit field per attribute, below them the sensitive code (`value_bits`).

    Args:
        fields: by attribute.
        words: how many words a key takes.
        value_bits: the width of the sensitive code, in the lowest bits of the last word.
        count_bits: where a key and a count fit into one word together, the width of a count; else 0.
    """

    fields: tuple[Field, ...]
    words: int
    value_bits: int
    count_bits: int

    @classmethod
    def of(cls, order: Sequence[int], cards: Mapping[int, int], value_bits: int, count_bits: int) -> KeyBits:
        """The tightest layout for attributes of so many codes each, the first of the order highest."""
        places, word, shift = {}, 0, value_bits
        for i in reversed(order):
            width = max(cards[i] - 1, 0).bit_length()
            if shift + width > WORD_BITS:
                word, shift = word + 1, 0
            places[i] = (word, shift, (1 << width) - 1)
            shift += width
        fields = tuple(Field(word - at, low, mask) for at, low, mask in (places[i] for i in range(len(order))))
        packs = word == 0 and shift + count_bits <= WORD_BITS
        return cls(fields, word + 1, value_bits, count_bits if packs else 0)

    @property
    def value_mask(self) -> int:
        """The bits of the sensitive code."""
        return (1 << self.value_bits) - 1

    def head(self, attribute: int) -> Sequence[int]:
        """Per word, the bits of the keys that hold an attribute and all before it."""
        field = self.fields[attribute]
        return [-1] * field.word + [-1 << field.shift] + [0] * (self.words - field.word - 1)


@dataclass(frozen=True)
class Rolled:
    """The table at one node: sorted distinct keys (int64[words, n]), and how many records each stands for."""

    keys: IntArray
    counts: IntArray
    layout: KeyBits

    @property
    def values(self) -> IntArray:
        """int64[n]: the sensitive codes."""
        values: IntArray = self.keys[-1] & self.layout.value_mask
        return values

    @cached_property
    def class_starts(self) -> IntArray:
        """int64: the first row of each class."""
        bits = self.layout.value_bits
        if not bits:
            return np.arange(len(self.counts))
        if self.layout.words == 1:
            return run_starts(self.keys >> bits)
        owner = self.keys.copy()
        owner[-1] >>= bits
        return run_starts(owner)

    @cached_property
    def sizes(self) -> IntArray:
        """int64: the records of each class."""
        return run_sums(self.counts, self.class_starts) if self.layout.value_bits else self.counts


def gathered(keys: IntArray, counts: IntArray, layout: KeyBits) -> Rolled:
    """Sort keys in any order, and merge those that are equal."""
    bits = layout.count_bits
    if bits:
        together = keys[0] << bits
        together |= counts
        together.sort()
        return merged((together >> bits)[None], together & ((1 << bits) - 1), layout)
    order = np.argsort(keys[0]) if layout.words == 1 else np.lexsort(keys[::-1])
    return merged(keys[:, order], counts[order], layout)


def merged(keys: IntArray, counts: IntArray, layout: KeyBits) -> Rolled:
    """Merge sorted keys that are equal."""
    starts = run_starts(keys)
    if len(starts) == len(counts):
        return Rolled(keys, counts, layout)
    return Rolled(keys.take(starts, axis=1), run_sums(counts, starts), layout)


def run_sums(counts: IntArray, starts: IntArray) -> IntArray:
    """int64: the sum of each run. Differences of a running total take half the time of ``numpy.add.reduceat``."""
    total = np.empty(len(counts) + 1, dtype=np.int64)
    total[0] = 0
    counts.cumsum(out=total[1:])
    bounds = total.take(starts)
    sums = np.empty_like(bounds)
    np.subtract(bounds[1:], bounds[:-1], out=sums[:-1])
    sums[-1:] = total[-1] - bounds[-1:]
    return sums


def sums_by(codes: IntArray, kinds: int, counts: IntArray) -> IntArray:
    """int64: the sum of the counts of each code; where few of so many codes occur, of those that do."""
    if kinds <= FEW * len(codes):
        # exact: a sum of counts is far below 2**53
        return np.bincount(codes, weights=counts).astype(np.int64)
    order = codes.argsort()
    return run_sums(counts[order], run_starts(codes[order][None]))


def run_starts(keys: IntArray) -> IntArray:
    """int64: where each run of equal columns of sorted `keys` begins."""
    starts: IntArray = changes(keys).nonzero()[0]
    return starts


def changes(keys: IntArray) -> BoolArray:
    """bool[n]: which columns of `keys` differ from the one before; the first does."""
    changed = np.empty(keys.shape[1], dtype=np.bool_)
    changed[:1] = True
    np.not_equal(keys[0, 1:], keys[0, :-1], out=changed[1:])
    for word in keys[1:]:
        changed[1:] |= word[1:] != word[:-1]
    return changed
