"""Packed keys in parts of whole classes: many are fetched by one statement, and parted in arrays.

Every statement reads the whole table of codes, so one for each batch would cost the square of its size. Measuring
takes twenty times the memory of the keys; so far more keys are fetched than are measured at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from auditor.classes import IntArray, KeyArray, KeyLayout

KEY_BYTES = 8
ODD = np.int64(-7046029254386353131)
"""2^64 over the golden ratio, as a signed number: multiplying by it spreads keys that lie close together (Knuth, The
Art of Computer Programming 3, 6.4)."""


def fetches(batches: int, combinations: int, width: int, memory: int) -> int:
    """How many statements fetch the keys: as few as hold so much memory each, and never more than batches.

    Args:
        batches: into how many parts the keys go in all.
        combinations: how many keys there are.
        width: how many words each takes, the number of its records included.
        memory: what the keys of one statement may take.
    """
    return max(1, min(batches, -(-combinations * width * KEY_BYTES // memory)))


def parted(
    keys: KeyArray, records: IntArray | None, layout: KeyLayout, grouping: int, parts: int
) -> Iterator[tuple[KeyArray, IntArray | None]]:
    """The keys in so many parts, and how many records each stands for; no class is in two of them."""
    if parts == 1:
        yield keys, records
        return
    place = _places(layout.prefix(keys, grouping), parts)
    for part in range(parts):
        wanted = place == part
        yield keys[wanted], None if records is None else records[wanted]


def _places(classes: KeyArray, parts: int) -> NDArray[np.uint16]:
    """uint16[n]: the part that each class belongs to."""
    mixed = np.zeros(len(classes), dtype=np.int64)
    for word in range(classes.shape[1]):
        mixed ^= classes[:, word]
        mixed ^= mixed >> 32  # a product's low bits do not know the high ones of its factors
        mixed *= ODD
        mixed ^= mixed >> 32
    mixed &= (1 << 32) - 1
    mixed %= parts
    return mixed.astype(np.uint16)
