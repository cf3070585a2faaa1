"""A matrix of few columns with the row dependencies of a wide one: P = B R for a random sparse R.

Rows that depend on each other in B do so in P. The converse holds for nearly every R, and is verified, not believed:
see `auditor.inference.linear.factors`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from auditor.inference.linear.modular import FloatArray, IntArray, centre, residues

LARGEST = 2**10
"""Entries of R are ±1 … ±LARGEST: a sum of 2²⁰ products with residues then stays below 2⁵³."""
_ENTRIES = 1 << 22


@dataclass(frozen=True)
class Sketch:
    """R, p × s. `places` and `weights` are int64[p, t]: the t non-zero entries of each row; None is the identity."""

    width: int
    places: IntArray | None = None
    weights: IntArray | None = None

    def rows_of(self, rows: csr_array, prime: int) -> FloatArray:
        """B R modulo the prime, m × s."""
        sketch = np.zeros((rows.shape[0], self.width))
        for start, stop in batches(rows, self.width):
            part = slice(rows.indptr[start], rows.indptr[stop])
            atoms = rows.indices[part]
            lengths = np.diff(rows.indptr[start : stop + 1])
            base = np.repeat(np.arange(stop - start) * self.width, lengths)
            entries = residues(rows.data[part], prime)
            total = np.zeros((stop - start) * self.width)
            if self.places is None or self.weights is None:
                total[base + atoms] = entries
            else:
                for places, weights in zip(self.places.T, self.weights.T, strict=True):
                    total += np.bincount(base + places[atoms], entries * weights[atoms], len(total))
            sketch[start:stop] = centre(total, prime).reshape(stop - start, self.width)
        return sketch

    def row_of(self, vector: FloatArray, prime: int) -> FloatArray:
        """V R modulo the prime for centred residues V, float64[p]."""
        if self.places is None or self.weights is None:
            return vector.copy()
        total = np.zeros(self.width)
        for places, weights in zip(self.places.T, self.weights.T, strict=True):
            total += np.bincount(places, vector * weights, self.width)
        return centre(total, prime)

    def expanded(self, columns: IntArray, short: FloatArray, prime: int) -> FloatArray:
        """R[:, columns] W modulo the prime for centred residues W, r × k."""
        full = np.zeros((self.width, short.shape[1]))
        full[columns] = short
        if self.places is None or self.weights is None:
            return full
        total = np.zeros((len(self.places), short.shape[1]))
        for places, weights in zip(self.places.T, self.weights.T, strict=True):
            total += full[places] * weights[:, None]
        return centre(total, prime)


def sketch_of(atoms: int, rank: int, generator: np.random.Generator, growth: float = 1.0) -> Sketch:
    """Draw an R that keeps `rank` independent rows; a larger `growth` after one that did not.

    Three entries to a row match nine tenths of the columns to different rows of B (the threshold of cuckoo hashing by
    three functions is 0.917), so the width exceeds the rank by a seventh.
    """
    width = int(1.15 * growth * rank) + 32
    if atoms <= 2 * width:
        return Sketch(atoms)
    shape = (atoms, 3 if growth == 1 else 5)
    weights = generator.integers(1, LARGEST + 1, shape) * generator.choice(np.array([-1, 1]), shape)
    return Sketch(width, generator.integers(0, width, shape), weights)


def batches(rows: csr_array, width: int = 1) -> list[tuple[int, int]]:
    """Cut the rows into runs of at most about four million entries, before and after a product of so many columns."""
    cuts = [0]
    while cuts[-1] < rows.shape[0]:
        target = rows.indptr[cuts[-1]] + _ENTRIES
        stop = min(int(np.searchsorted(rows.indptr, target, side="right")) - 1, cuts[-1] + _ENTRIES // max(1, width))
        cuts.append(max(cuts[-1] + 1, stop))
    return list(pairwise(cuts))


def times(rows: csr_array, vectors: FloatArray, prime: int) -> FloatArray:
    """B V modulo the prime for centred residues V, p × k."""
    result = np.empty((rows.shape[0], vectors.shape[1]))
    whole = vectors.astype(np.int64)
    high = np.rint(vectors / 4096).astype(np.int64)
    for start, stop in batches(rows):
        part = slice(rows.indptr[start], rows.indptr[stop])
        data = residues(rows.data[part], prime).astype(np.int64)
        indptr = rows.indptr[start : stop + 1] - rows.indptr[start]
        block = csr_array((data, rows.indices[part], indptr), shape=(stop - start, rows.shape[1]))
        if rows.data.dtype.itemsize <= 2:  # sums of 2²⁴ products with residues stay below 2⁶³
            result[start:stop] = residues(block @ whole, prime)
        else:  # in two halves of 12 bits, so that sums of 2²⁸ products of residues do
            above = residues(block @ high, prime)
            result[start:stop] = centre(above * 4096 + residues(block @ (whole - 4096 * high), prime), prime)
    return result
