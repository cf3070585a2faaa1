"""An elimination that rows are added to, one after the other: each costs O(rank · s) instead of a new O(rank² · s)."""

from __future__ import annotations

import numpy as np

from auditor.inference.linear._elimination import Elimination, PivotBlock, eliminate, inverse_of
from auditor.inference.linear.modular import FloatArray, centre, product, subtract_product

_TOGETHER = 32
"""So many rows added singly are joined to one block, so that solving is done by few large products."""


class Growing:
    """The factors of a matrix whose rows are all independent modulo the prime; there is room for `width` of them."""

    def __init__(self, rows: FloatArray, prime: int) -> None:
        width = rows.shape[1]
        self.prime = prime
        self._matrix = np.zeros((width, width))
        self._matrix[: len(rows)] = rows
        found = eliminate(self._matrix[: len(rows)], prime)
        self.independent = not len(found.dependent)
        self._order = found.order
        self._blocks = list(found.blocks)
        self.rank = found.rank

    def view(self) -> Elimination:
        """The factors as they are now; no copy."""
        everything = np.arange(self.rank)
        return Elimination(
            prime=self.prime,
            basis=everything,
            dependent=everything[:0],
            order=self._order,
            factors=self._matrix[: self.rank, : self.rank],
            lower=np.zeros((0, self.rank)),
            blocks=tuple(self._blocks),
        )

    def add(self, row: FloatArray) -> bool:
        """Add a row, float64[width]; whether it was independent. If not, nothing is changed."""
        self._join()
        reduced = row[self._order][None, :]
        for block in self._blocks:
            here, after = slice(block.start, block.stop), slice(block.stop, None)
            subtract_product(reduced[:, after], reduced[:, here], self._matrix[here, after], self.prime)
        entries = np.flatnonzero(reduced[0, self.rank :])
        if not len(entries):
            return False
        rank, pivot = self.rank, self.rank + int(entries[0])
        for columns in (self._matrix, reduced):
            columns[:, [rank, pivot]] = columns[:, [pivot, rank]]
        self._order[[rank, pivot]] = self._order[[pivot, rank]]
        inverse = np.array([[float(pow(int(reduced[0, rank]), -1, self.prime))]])
        self._matrix[rank] = reduced
        self._matrix[rank, rank + 1 :] = centre(reduced[0, rank + 1 :] * inverse[0, 0], self.prime)
        self._blocks.append(PivotBlock(rank, rank + 1, centre(inverse, self.prime)))
        self.rank += 1
        return True

    def _join(self) -> None:
        """Make one block of the last ones, with a unit block in 𝓤: 𝓛 𝓤 stays the same."""
        last = self._blocks[-_TOGETHER:]
        if len(last) < _TOGETHER or any(block.stop - block.start > 1 for block in last):
            return
        start, stop = last[0].start, self.rank
        corner = self._matrix[start:stop, start:stop]
        upper = np.triu(corner, 1) + np.eye(stop - start)
        self._matrix[start:stop, stop:] = product(
            inverse_of(upper, self.prime), self._matrix[start:stop, stop:], self.prime
        )
        corner[:] = product(np.tril(corner), upper, self.prime)
        self._blocks[-_TOGETHER:] = [PivotBlock(start, stop, inverse_of(corner, self.prime))]

    def remove_last(self) -> None:
        """Take out the row that was added last."""
        self._blocks.pop()
        self.rank -= 1
