"""Minimal sample uniques: the sets of keys on which a record is alone, while on no smaller part of them it is.

Sets of keys are bit masks, visited in ascending order, which is also the order of a walk that adds lower and lower
keys: every subset comes before its supersets, and the classes of a set refine those of the set without its lowest key,
one level up. A record that is alone on a subset is alone on the set as well, and agrees with nobody there: it is left
out of the counting. So what is counted shrinks as fast as records become unique.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.errors import UsageError
from auditor.microdata import MISSING
from auditor.risk._keys import Codes

_LARGEST_BYTES = 2**30
"""What the bits of all sets may take together: one per set of keys and record that is alone on all keys."""

_TABLE_PER_RECORD = 8
"""Classes are counted in a table of their possible numbers up to so many entries per record, else sorted."""


def sets_of(keys: int, largest: int, within: int = 0) -> Iterator[int]:
    """The sets of at most `largest` of d keys, as bit masks in ascending order, without the empty one."""
    for key in range(keys):
        mask = within | 1 << key
        yield mask
        if largest > 1:
            yield from sets_of(key, largest - 1, mask)


def members(mask: int) -> list[int]:
    """The positions of the keys of a set."""
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def minimal_uniques(codes: Codes, alone: int, largest: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Each set of keys, as a bit mask, with the positions in `codes` that have it as a minimal sample unique.

    Args:
        codes: int32[m, d], the distinct keys of the table; −1 is missing.
        alone: the first so many of them are those of one record only.
        largest: the largest number of keys of a set.

    A missing value is not part of a minimal sample unique, and agrees with no other value.

    Raises:
        UsageError: there are more sets than fit the memory that is allowed for them.
    """
    _check(codes.shape[1], largest, -(-alone // 8))
    known = {0: np.packbits(np.zeros(alone, dtype=bool))}
    root = _Level(0, np.arange(len(codes)), np.zeros(len(codes), dtype=np.int64), 1)
    levels = [root]
    columns = [np.ascontiguousarray(column) for column in codes.T]
    spans = [int(column.max(initial=0)) + 1 for column in columns]
    unique = np.zeros(len(codes), dtype=bool)
    for mask in sets_of(codes.shape[1], largest):
        lowest, *others = members(mask)
        while levels[-1].mask != mask & (mask - 1):
            levels.pop()
        before = known[mask & (mask - 1)].copy()
        for key in others:
            before |= known[mask ^ 1 << key]
        unique[:alone] = np.unpackbits(before, count=alone)
        level, single = _refined(levels[-1], mask, columns[lowest], spans[lowest], unique)
        levels.append(level)
        found = level.rows[single]
        found = found[found < alone]
        unique[found] = True
        known[mask] = np.packbits(unique[:alone])
        yield mask, found


class _Level(NamedTuple):
    """A set of keys on the way down: the records that are counted, the numbers of their classes, all below `span`."""

    mask: int
    rows: NDArray[np.intp]
    classes: NDArray[np.int64]
    span: int


def _refined(
    level: _Level, mask: int, column: NDArray[np.int32], span: int, unique: NDArray[np.bool_]
) -> tuple[_Level, NDArray[np.bool_]]:
    """The level of a set with one more key, and which of its rows are alone; without rows known to be or missing it."""
    values = column[level.rows]
    used = np.flatnonzero((values != MISSING) & ~unique[level.rows])
    classes = level.classes[used] * span + values[used]
    single, classes, count = _counted(classes, level.span * span)
    return _Level(mask, level.rows[used], classes, count), single


def _check(keys: int, largest: int, width: int) -> None:
    sets = sum(comb(keys, size) for size in range(1, largest + 1))
    if sets * max(width, 64) > _LARGEST_BYTES:
        raise UsageError(
            f"{keys} keys have {sets:,} sets of at most {largest}: too many to look at; ask for smaller sets "
            "(max_size), or for fewer keys"
        )


def _counted(classes: NDArray[np.int64], span: int) -> tuple[NDArray[np.bool_], NDArray[np.int64], int]:
    """Whether each record is alone in its class, the classes numbered without gaps, and how many numbers there are."""
    if span <= _TABLE_PER_RECORD * len(classes) + 1024:
        sizes = np.bincount(classes, minlength=span)
        return sizes[classes] == 1, classes, span
    _, where, sizes = np.unique(classes, return_inverse=True, return_counts=True)
    return sizes[where] == 1, where.astype(np.int64), len(sizes)
