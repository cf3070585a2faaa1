"""Whether two passes over the data saw the same values, told by one number for each column.

The values of each column are counted first and the combinations of columns later. Rows that change in between, or a
DataFrame that gives others each time it is read, would make a verdict on a table that there never was.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from auditor.classes import IntArray, KeyArray, KeyLayout

Trace = npt.NDArray[np.uint64]
"""uint64[1 + columns]: how many records there are, and for each column the sum over them of a number made of the code.

It is modulo 2**64, so that the traces of parts add up to that of the whole. Columns whose values are as frequent have
the same trace; others have it by chance, once in 2**64.
"""
AT_ONCE = 1 << 15
"""So many rows are worked on at a time: what they take fits a processor's cache."""


def trace(keys: KeyArray, records: IntArray, layout: KeyLayout) -> Trace:
    """The trace of packed keys that stand for so many records each."""
    found = np.zeros(1 + len(layout.columns), dtype=np.uint64)
    for start in range(0, len(records), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        times = records[part].astype(np.uint64)
        codes = ((keys[part, word] >> shift) & ((1 << width) - 1) for word, shift, width in layout.places)
        # Arrays wrap around in silence, single numbers with a warning.
        found += np.array([times.sum(), *((_mixed(each) * times).sum() for each in codes)])
    return found


def of_codes(codes: IntArray, frequencies: IntArray) -> np.uint64:
    """What a trace holds for a column that has these codes so often; a code may come up more than once."""
    total: np.uint64 = (_mixed(codes) * frequencies.astype(np.uint64)).sum()
    return total


def _mixed(codes: IntArray) -> Trace:
    """uint64[n]: a number for each code that says nothing of the next one's: SplitMix64 (Steele, Lea, Flood 2014)."""
    mixed = codes.astype(np.uint64) + np.uint64(1)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
