"""Gaussian elimination modulo a prime that keeps the order of the rows, in blocks, so that BLAS does the work.

The rows of M (m × s) are taken in order: a row belongs to the *earliest basis* iff it does not depend on the rows
before it. With I the basis rows and J the pivot columns, M[I, J] = 𝓛 𝓤: 𝓤 is block upper triangular with unit blocks on
its diagonal, 𝓛 block lower triangular. Both stand in the place of M, as LAPACK does it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from auditor.inference.linear.modular import FloatArray, IntArray, centre, product, subtract_product

BLOCK = 128
_FEW = 8


@dataclass(frozen=True)
class PivotBlock:
    """Pivots at `start … stop − 1`, and the inverse of 𝓛's block on the diagonal there."""

    start: int
    stop: int
    inverse: FloatArray


@dataclass(frozen=True)
class Elimination:
    """The factors of M[I, J] modulo `prime`.

    `basis` is int64[r], ascending; `order` int64[s] all columns, the pivot columns of the basis rows first; `dependent`
    int64[d] the other rows and `lower` float64[d, r] what expresses them in 𝓤's rows.
    """

    prime: int
    basis: IntArray
    dependent: IntArray
    order: IntArray
    factors: FloatArray
    lower: FloatArray
    blocks: tuple[PivotBlock, ...]

    @property
    def rank(self) -> int:
        """r, the rank of M modulo the prime."""
        return len(self.basis)

    @property
    def columns(self) -> IntArray:
        """J, int64[r]: the pivot column of each basis row."""
        return self.order[: self.rank]

    def solve(self, right: FloatArray) -> FloatArray:
        """Find w, r × k, with M[I, J] w = right."""
        w, a, prime = right.copy(), self.factors, self.prime
        for block in self.blocks:
            here, below = slice(block.start, block.stop), slice(block.stop, None)
            w[here] = product(block.inverse, w[here], prime)
            subtract_product(w[below], a[below, here], w[here], prime)
        for block in reversed(self.blocks):
            here, above = slice(block.start, block.stop), slice(0, block.start)
            subtract_product(w[above], a[above, here], w[here], prime)
        return w

    def solve_left(self, left: FloatArray) -> FloatArray:
        """Find y, k × r, with y M[I, J] = left."""
        y, a = left.copy(), self.factors
        for block in self.blocks:
            here, after = slice(block.start, block.stop), slice(block.stop, None)
            subtract_product(y[:, after], y[:, here], a[here, after], self.prime)
        return self._solve_lower(y)

    def combinations(self) -> FloatArray:
        """float64[d, r]: each dependent row as a combination of the basis rows, modulo the prime."""
        return self._solve_lower(self.lower.copy())

    def _solve_lower(self, y: FloatArray) -> FloatArray:
        for block in reversed(self.blocks):
            here, before = slice(block.start, block.stop), slice(0, block.start)
            y[:, here] = product(y[:, here], block.inverse, self.prime)
            subtract_product(y[:, before], y[:, here], self.factors[here, before], self.prime)
        return y


def eliminate(matrix: FloatArray, prime: int) -> Elimination:
    """Eliminate centred residues, in place: `matrix` is used up."""
    order = np.arange(matrix.shape[1])
    kept: list[IntArray] = []
    blocks: list[PivotBlock] = []
    rank = 0
    for start in range(0, len(matrix), BLOCK):
        stop = min(start + BLOCK, len(matrix))
        panel = matrix[start:stop, rank:].copy()
        rows, pivots = _reduce(panel, prime)
        count = len(rows)
        _bring_forward(matrix[:, rank:], panel, order[rank:], pivots)
        kept.append(start + rows)
        if count:
            here = slice(rank, rank + count)
            upper = panel[rows, count:]
            subtract_product(matrix[stop:, rank + count :], matrix[stop:, here], upper, prime)
            blocks.append(PivotBlock(rank, rank + count, inverse_of(matrix[start + rows, here], prime)))
            matrix[start + rows, rank + count :] = upper
        rank += count
    basis = np.concatenate(kept) if kept else np.zeros(0, dtype=np.int64)
    dependent = np.setdiff1d(np.arange(len(matrix)), basis)
    lower = matrix[dependent, :rank]
    _mask_after(lower, dependent, basis)
    for place, row in enumerate(basis):  # ascending, so that nothing is overwritten before it is moved
        matrix[place] = matrix[row]
    return Elimination(prime, basis, dependent, order, matrix[:rank, :rank], lower, tuple(blocks))


def _reduce(panel: FloatArray, prime: int) -> tuple[IntArray, list[int]]:
    """Bring the rows to reduced echelon form, in place; which rows are independent, and the pivot column of each."""
    if len(panel) <= _FEW:
        return _reduce_few(panel, prime)
    half = len(panel) // 2
    top, bottom = panel[:half], panel[half:]
    rows, pivots = _reduce(top, prime)
    if len(rows):
        subtract_product(bottom, bottom[:, pivots], top[rows], prime)
    more, others = _reduce(bottom, prime)
    if len(rows) and len(more):
        reduced = top[rows]
        subtract_product(reduced, reduced[:, others], bottom[more], prime)
        top[rows] = reduced
    return np.concatenate([rows, half + more]), pivots + others


def _reduce_few(panel: FloatArray, prime: int) -> tuple[IntArray, list[int]]:
    rows, pivots = [], []
    for place in range(len(panel)):
        row = panel[place]
        entries = np.flatnonzero(row)
        if not len(entries):
            continue
        pivot = int(entries[0])
        np.multiply(row, pow(int(row[pivot]), -1, prime), out=row)
        centre(row, prime)
        factors = panel[:, pivot].copy()
        factors[place] = 0
        others = np.flatnonzero(factors)
        if len(others):
            panel[others] = centre(panel[others] - np.outer(factors[others], row), prime)
        rows.append(place)
        pivots.append(pivot)
    return np.array(rows, dtype=np.int64), pivots


def _bring_forward(matrix: FloatArray, panel: FloatArray, order: IntArray, pivots: list[int]) -> None:
    """Swap columns, everywhere alike, so that the pivots stand first and in their order."""
    moved: dict[int, int] = {}
    for place, pivot in enumerate(pivots):
        now = moved.get(pivot, pivot)
        while now in moved and now < place:
            now = moved[now]
        if now != place:
            for columns in (matrix, panel):
                columns[:, [place, now]] = columns[:, [now, place]]
            order[[place, now]] = order[[now, place]]
        moved[place] = now


def inverse_of(matrix: FloatArray, prime: int) -> FloatArray:
    """The inverse of a regular matrix modulo the prime."""
    size = len(matrix)
    beside = np.hstack([matrix, np.eye(size)])
    _, pivots = _reduce(beside, prime)
    inverse = np.empty((size, size))
    inverse[pivots] = beside[:, size:]
    return inverse


def _mask_after(lower: FloatArray, dependent: IntArray, basis: IntArray) -> None:
    """Clear what stands in a dependent row behind the pivots of its own block: it was never part of 𝓛."""
    for place, row in enumerate(dependent):
        block_end = (row // BLOCK + 1) * BLOCK
        lower[place, np.searchsorted(basis, block_end) :] = 0
