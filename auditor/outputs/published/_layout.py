"""Where the bit of each record stands, so that distinct units are counted by whole words.

Without units, record i is bit i. With units, bits stand in layers: layer r has the r-th record of every unit that has
so many, the units with most records first, so that each layer is a prefix of the one before. The units with a record in
a set of bits are then the ones of the layers OR-ed together. Records beyond a unit's first `LAYERS` follow at the end
with the number of their unit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from auditor.classes import BoolArray, IntArray
from auditor.errors import DataError

Bits = NDArray[np.uint64]

LAYERS = 64
"""One unit of a thousand records does not make a thousand layers."""
_WORD = 64


class Layout:
    """Bits of records, and the units behind them.

    Args:
        records: n, how many there are.
        units: int[n], the number of each record's unit from 0; None where every record is a unit of its own.
    """

    def __init__(self, records: int, units: NDArray[np.int32] | None = None) -> None:
        self.records = records
        self._layers: list[slice] = []
        if units is None:
            self.places: IntArray = np.arange(records)
            self._words = _words(records)
        else:
            self._in_layers(units.astype(np.int64))
        self.record_at = np.full(self._words * _WORD, -1, dtype=np.int64)
        self.record_at[self.places] = np.arange(records)

    def _in_layers(self, units: IntArray) -> None:
        sizes = np.bincount(units)
        position = np.empty(len(sizes), dtype=np.int64)
        position[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
        order = np.argsort(units, kind="stable")
        rank = np.empty(len(units), dtype=np.int64)
        rank[order] = np.arange(len(units)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        starts = [0]
        for layer in range(min(LAYERS, int(sizes.max(initial=0)))):
            starts.append(starts[-1] + _words(int((sizes > layer).sum())))
            self._layers.append(slice(starts[-2], starts[-1]))
        rest = np.flatnonzero(rank >= LAYERS)
        first = np.array(starts) * _WORD
        self.places = first[np.minimum(rank, len(starts) - 1)] + position[units]
        self.places[rest] = first[-1] + np.arange(len(rest))
        self._beyond = position[units[rest]]
        self._words = starts[-1] + _words(len(rest))

    def packed(self, members: BoolArray) -> Bits:
        """bool[n] as bits.

        Raises:
            DataError: there are more or fewer records than were laid out.
        """
        if len(members) != self.records:
            raise DataError("the data changed while it was read; audit it again once it is at rest")
        spread = np.zeros(self._words * _WORD, dtype=np.bool_)
        spread[self.places] = members
        return np.packbits(spread).view(np.uint64)

    def everybody(self) -> Bits:
        """The bits of all records."""
        return self.packed(np.ones(self.records, dtype=np.bool_))

    def units_in(self, bits: Bits) -> int:
        """How many units have a record in the set."""
        if not self._layers:
            return records_in(bits)
        found = bits[self._layers[0]].copy()
        for layer in self._layers[1:]:
            found[: layer.stop - layer.start] |= bits[layer]
        rest = bits[self._layers[-1].stop :]
        if rest.any():
            held = np.unpackbits(rest.view(np.uint8), count=len(self._beyond)).astype(np.bool_)
            also = np.zeros(len(found) * _WORD, dtype=np.bool_)
            also[self._beyond[held]] = True
            found |= np.packbits(also).view(np.uint64)
        return records_in(found)

    def rows(self, bits: Bits) -> IntArray:
        """The rows, from 0 and ascending, of a set; only words that are not empty are looked into."""
        words = np.flatnonzero(bits)
        held = np.unpackbits(bits[words].view(np.uint8)).reshape(-1, _WORD)
        word, bit = np.nonzero(held)
        return np.sort(self.record_at[words[word] * _WORD + bit])


def records_in(bits: Bits) -> int:
    """How many records a set has."""
    return int(np.bitwise_count(bits).sum())


def _words(records: int) -> int:
    return -(-records // _WORD)
