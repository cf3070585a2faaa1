"""Which pairs of small subspaces have more than 0 in common, modulo a prime.

Two subspaces of dimensions c ≤ d, spanned by the rows of N (c × k) and M (d × k), meet iff the rows of both are
dependent. In c + d random coordinates that is so iff N W is singular, where the c columns of W span what M annihilates:
for many pairs at once one matrix product, and an elimination of c × c. Independent rows become dependent in so few
coordinates with a chance of about 1/p, so what is found is a candidate, and nothing is missed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auditor.inference.linear._dependence import inverses
from auditor.inference.linear.modular import FloatArray, IntArray, centre, product

MEETINGS = 10_000_000_000
"""So many residues are computed to compare pairs: half a minute or so."""
_AT_ONCE = 1 << 15
"""So many pairs are compared together."""


@dataclass(frozen=True)
class Spans:
    """n subspaces of one dimension d: `rows` is float64[n, d, k], independent rows; `parts` int64[n] is ascending.

    Only subspaces of the same part are compared.
    """

    rows: FloatArray
    parts: IntArray

    @property
    def dimension(self) -> int:
        """The number d of rows."""
        return int(self.rows.shape[1])


@dataclass
class Meetings:
    """The pairs that meet. `complete` is False once the effort, or the time, did not suffice."""

    spans: Sequence[Spans]
    prime: int
    generator: np.random.Generator
    deadline: float
    effort: int = MEETINGS
    complete: bool = True

    def pairs(self) -> Iterator[tuple[int, int, IntArray]]:
        """Two places in `spans` of which the first has the smaller dimension, and int64[q, 2] the pairs that meet.

        Pairs of two subspaces of dimension 1 are left out: parallel vectors are found by hashing.
        """
        order = sorted(range(len(self.spans)), key=lambda at: self.spans[at].dimension)
        for place, one in enumerate(order):
            for other in order[place:]:
                if self.spans[other].dimension > 1:
                    for found in self._between(self.spans[one], self.spans[other], same=one == other):
                        yield one, other, found

    def _between(self, one: Spans, other: Spans, *, same: bool) -> Iterator[IntArray]:
        small = one.dimension
        residues = small * (small + 1) * (2 * small + 1) // 6
        runs = [(*mine, *theirs) for part, mine in _runs(one.parts) for theirs in (_run_of(other.parts, part),)]
        pairs = sum((stop - start) * (last - first) for start, stop, first, last in runs) // (1 + same)
        if not pairs:
            return
        if pairs * residues > self.effort:
            self.complete = False
            return
        self.effort -= pairs * residues
        width = small + other.dimension
        annihilated = _annihilated(other.rows[:, :, :width], self.prime, self.generator)
        for start, stop, first, last in runs:
            height = max(1, _AT_ONCE // max(1, last - first))
            for at in range(start, stop, height) if last > first else ():
                if time.monotonic() > self.deadline:
                    self.complete = False
                    return
                rows, begin = one.rows[at : min(at + height, stop), :, :width], at if same else first
                singular = _singular(_products(rows, annihilated[begin:last], self.prime), self.prime)
                found = np.argwhere(singular) + np.array([at, begin])
                yield found[found[:, 0] < found[:, 1]] if same else found


def _runs(parts: IntArray) -> Iterator[tuple[int, tuple[int, int]]]:
    """Each part, and where it begins and ends."""
    cuts = np.flatnonzero(np.diff(parts)) + 1
    starts = [0, *cuts.tolist()] if len(parts) else []
    for start, stop in zip(starts, [*starts[1:], len(parts)], strict=True):
        yield int(parts[start]), (start, stop)


def _run_of(parts: IntArray, part: int) -> tuple[int, int]:
    first, last = np.searchsorted(parts, [part, part + 1]).tolist()
    return first, last


def _annihilated(rows: FloatArray, prime: int, generator: np.random.Generator) -> FloatArray:
    """float64[n, k, k − d]: for each span a random basis of the w with N w ≡ 0; 0 where its rows are dependent."""
    count, dimension, width = rows.shape
    left, every = rows.copy(), np.arange(count)
    pivots = np.zeros((count, dimension), dtype=np.int64)
    whole = np.ones(count, dtype=np.bool_)
    for at in range(dimension):
        whole &= left[:, at].any(axis=1)
        pivots[:, at] = pivot = (left[:, at] != 0).argmax(axis=1)
        left[:, at] = centre(left[:, at] * inverses(left[every, at, pivot], prime)[:, None], prime)
        for row in range(dimension):
            if row != at:
                left[:, row] = centre(left[:, row] - left[every, row, pivot][:, None] * left[:, at], prime)
    bound = np.zeros((count, width), dtype=np.bool_)
    bound[every[:, None], pivots] = True
    free = np.argsort(bound, axis=1, kind="stable")[:, : width - dimension]
    basis = np.zeros((count, width, width - dimension))
    columns = np.arange(width - dimension)
    basis[every[:, None], free, columns] = 1
    for at in range(dimension):
        basis[every[:, None], pivots[:, at][:, None], columns] = -np.take_along_axis(left[:, at], free, axis=1)
    basis[~whole] = 0
    mixing = centre(generator.integers(0, prime, (len(columns), len(columns))).astype(np.float64), prime)
    return product(basis.reshape(-1, len(columns)), mixing, prime).reshape(basis.shape)


def _products(rows: FloatArray, annihilated: FloatArray, prime: int) -> FloatArray:
    """float64[c, c, n, m]: N W for each of n spans of dimension c and m others."""
    (n, small, width), m = rows.shape, len(annihilated)
    right = np.ascontiguousarray(annihilated.transpose(1, 2, 0)).reshape(width, -1)
    flat = centre(rows.transpose(1, 0, 2).reshape(-1, width) @ right, prime)
    return np.ascontiguousarray(flat.reshape(small, n, small, m).transpose(0, 2, 1, 3))


def _singular(matrices: FloatArray, prime: int) -> NDArray[np.bool_]:
    """bool[n, m]: which of the matrices, float64[c, c, n, m], used up, have a leading minor that is 0.

    W is a random basis, so that a leading minor of a regular matrix is 0 by chance only.
    """
    found = np.zeros(matrices.shape[2:], dtype=np.bool_)
    small = len(matrices)
    for at in range(small):
        pivot = matrices[at, at]
        found |= pivot == 0
        for row in range(at + 1, small):
            for column in range(at + 1, small):
                matrices[row, column] *= pivot
                matrices[row, column] -= matrices[row, at] * matrices[at, column]
                centre(matrices[row, column], prime)
    return found
