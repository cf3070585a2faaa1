"""Which atoms hang together through answers: what follows about one component never needs another's answers."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from auditor.inference.linear._sketch import batches
from auditor.inference.linear.modular import IntArray

_MOST_ROWS = 20_000
"""Up to so many rows a table of which rows share an atom is small; above, everything is one component."""


def components(rows: csr_array) -> IntArray:
    """int64[p]: the number of each atom's component; −1 for an atom in no row."""
    answers, atoms = rows.shape
    first = np.full(atoms, -1, dtype=np.int64)
    if answers > _MOST_ROWS:
        first[rows.indices] = 0
        return first
    for start, stop in reversed(batches(rows)):
        part = slice(rows.indptr[start], rows.indptr[stop])
        first[rows.indices[part][::-1]] = _row_numbers(rows, start, stop)[::-1]
    shared = np.zeros((answers, answers), dtype=np.int8)
    for start, stop in batches(rows):
        part = slice(rows.indptr[start], rows.indptr[stop])
        shared[first[rows.indices[part]], _row_numbers(rows, start, stop)] = 1
    _, of_row = connected_components(csr_array(shared), directed=False)
    return np.where(first < 0, -1, of_row.astype(np.int64)[first] if answers else -1)


def _row_numbers(rows: csr_array, start: int, stop: int) -> IntArray:
    return np.repeat(np.arange(start, stop), np.diff(rows.indptr[start : stop + 1]))
