"""Moves of four totals that no answer sees: what one atom has more of than its neighbour, another pair has, too.

Where the columns of atoms A, B, C, D are such that a − b = c − d, a step more in A and D and a step less in B and C
change no answer. Atoms whose columns differ in little are neighbours in lexicographic order; pairs of neighbours
with the same difference are found by hashing (128 bits, as in `equations.collapse`). In a log of ranges nearly every
atom stands in such a move, so that nearly everybody is cleared without any programme, whole numbers too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from auditor.inference.linear.equations import alike
from auditor.inference.linear.modular import FloatArray, IntArray

ROUNDS = 16
"""At most so many orders of the answers are tried: each makes other atoms neighbours."""
_MOST_BITS = 2**32
"""Larger matrices are not written out to be sorted."""


def swaps(rows: csr_array, down: FloatArray, up: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far totals can be moved down and up by such moves alone, each for itself.

    Args:
        rows: B.
        down: float64[p] ≥ 0, how far each total is from its low end, in steps of its own that are whole if it is.
        up: the same of the high end.
    """
    reached = np.zeros(len(down)), np.zeros(len(up))
    if rows.shape[0] * rows.shape[1] > _MOST_BITS or rows.shape[1] < 4:
        return reached
    generator = np.random.default_rng(0)
    words = generator.integers(0, 2**64, (rows.shape[0], 2), dtype=np.uint64)
    hashes = rows.T.astype(np.int64).astype(np.uint64) @ words
    bits = rows.astype(np.bool_).toarray()
    for _ in range(ROUNDS):
        if ((reached[0] > 0) | (reached[1] > 0)).all():
            break
        packed = np.packbits(bits[generator.permutation(len(bits))], axis=0)
        order = np.lexsort(packed[::-1])
        _widen(order[:-1], order[1:], hashes, (down, up), reached)
    return reached


def _widen(
    one: IntArray,
    other: IntArray,
    hashes: NDArray[np.uint64],
    room: tuple[FloatArray, FloatArray],
    reached: tuple[FloatArray, FloatArray],
) -> None:
    """Join pairs of the same difference two by two, and note how far they can be moved both ways."""
    difference = hashes[one] - hashes[other]
    turned = difference[:, 0] >= 2**63  # so that a pair and the same pair turned round have one difference
    one, other = np.where(turned, other, one), np.where(turned, one, other)
    difference[turned] = hashes[one[turned]] - hashes[other[turned]]
    equal = ~difference.any(axis=1)
    for mine, theirs in ((one[equal], other[equal]), (other[equal], one[equal])):
        _reach((mine, mine), (theirs, theirs), room, reached)
    number, _ = alike(difference)
    order = np.argsort(number, kind="stable")
    order = order[np.searchsorted(number[order], 0) :]
    for shift in (1, 2):  # neighbours of neighbours share an atom, which then would move twice
        first, second = order[:-shift], order[shift:]
        same = number[first] == number[second]
        a, b, c, d = one[first[same]], other[first[same]], one[second[same]], other[second[same]]
        apart = (a != d) & (b != c) & (a != c) & (b != d)
        more, less = (a[apart], d[apart]), (b[apart], c[apart])
        _reach(more, less, room, reached)
        _reach(less, more, room, reached)


def _reach(
    more: tuple[IntArray, IntArray],
    less: tuple[IntArray, IntArray],
    room: tuple[FloatArray, FloatArray],
    reached: tuple[FloatArray, FloatArray],
) -> None:
    down, up = room
    far = np.minimum.reduce([up[more[0]], up[more[1]], down[less[0]], down[less[1]]])
    for atoms in more:
        np.maximum.at(reached[1], atoms, far)
    for atoms in less:
        np.maximum.at(reached[0], atoms, far)
