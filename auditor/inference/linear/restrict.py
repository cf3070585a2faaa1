"""Some of the answers only, about some of the unknowns only."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from auditor.inference.linear.equations import Collapsed, Equations, IntArray, alike


def restricted(equations: Equations, rows: IntArray, sizes: IntArray) -> Collapsed:
    """The equations that whoever saw only some answers, and knows some unknowns already, is left with.

    Args:
        equations: B z = b.
        rows: int64[r], the answers seen, each once.
        sizes: int64[p], how many unknowns of each atom are still unknown. An unknown that is known moves to the right
            side; an atom of none is gone.

    Fewer answers tell fewer atoms apart, so atoms whose columns now agree are joined (128-bit hashes, as in
    `collapse`). `atom_of` is int64[p], −1 for an atom that is gone.
    """
    if len(rows) == equations.answers and np.array_equal(sizes, equations.sizes):
        everything = np.arange(len(rows))
        if np.array_equal(rows, everything):
            return Collapsed(equations, np.arange(equations.atoms))
    words = np.random.default_rng().integers(0, 2**64, (len(rows), 2), dtype=np.uint64)
    seen = csr_array(equations.rows[rows])
    hashes = seen.T.astype(np.uint64) @ words
    hashes[sizes <= 0] = 0
    atom_of, first = alike(hashes)
    totals = np.zeros(len(first), dtype=np.int64)
    np.add.at(totals, atom_of[atom_of >= 0], sizes[atom_of >= 0])
    return Collapsed(Equations(csr_array(seen[:, first]), totals), atom_of)
